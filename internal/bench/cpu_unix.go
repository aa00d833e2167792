//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process. On a machine that is
// busy with other things it says more than the clock on the wall.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
