package bench

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// resetPeak resets the operating system's record of the largest memory use of the process (proc(5),
// clear_refs), after unused memory has been given back.
func resetPeak() {
	debug.FreeOSMemory()
	// If that is not allowed, the peak is the one since the start.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peak returns the largest memory use of the process since resetPeak, in bytes; 0: unknown.
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
