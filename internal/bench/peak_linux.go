package bench

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// resetPeak makes the kernel of the system forget how much memory the process has had at most
// (proc(5), clear_refs), once what nobody uses has been given back.
func resetPeak() {
	debug.FreeOSMemory()
	// Where it is not allowed, the peak is that since the start.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peak is how much memory the process has had at most since resetPeak, in bytes; 0: unknown.
func peak() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil {
		return 0
	}
	return n * 1024
}
