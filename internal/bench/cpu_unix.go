//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this process. On a busy machine it is more meaningful than
// the wall clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
