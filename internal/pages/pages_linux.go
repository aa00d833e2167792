package pages

import "syscall"

// Available reports whether the system would give the process n bytes more. The Go runtime ends the process if it
// asks for memory that the system refuses.
func Available(n uint64) bool {
	if n < leastLarge {
		return true
	}
	if n > 1<<46 {
		return false
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return false
	}
	return syscall.Munmap(b) == nil
}

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
