package pages

import (
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Available reports whether the system would give the process n bytes more. The Go runtime ends the process if it
// asks for memory that the system refuses.
func Available(n uint64) bool {
	if n < leastLarge {
		return true
	}
	if n > 1<<46 || n > most() {
		return false
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return false
	}
	return syscall.Munmap(b) == nil
}

// most is how many bytes the machine has, with what it swaps to, or the limit of the container if that is less.
var most = sync.OnceValue(func() uint64 {
	n := uint64(math.MaxUint64)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		n = (uint64(info.Totalram) + uint64(info.Totalswap)) * uint64(info.Unit)
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(name)
		if limit, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil {
			n = min(n, limit)
		}
	}
	return n
})

// collapse is MADV_COLLAPSE of Linux 6.1. Older kernels refuse it.
const collapse = 25

// Large asks the kernel to back memory by large pages. The processor's tables then reach more memory:
// accesses to random places, or to columns, of many megabytes take half or a third of the time. Untouched
// memory gets large pages when it is touched. Memory that the Go runtime uses again has been touched, even
// if it is all zeros; it is moved into large pages now. The request affects speed only.
func Large(b []byte) {
	if len(b) < leastLarge {
		return
	}
	// Only complete large pages, so that no other memory is affected.
	from, to := inside(b)
	if from < to {
		_ = syscall.Madvise(b[from:to], syscall.MADV_HUGEPAGE)
		_ = syscall.Madvise(b[from:to], collapse)
	}
}
