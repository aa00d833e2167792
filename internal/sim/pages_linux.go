package sim

import "syscall"

// collapse is MADV_COLLAPSE, of Linux 6.1: older ones do not know it and do nothing.
const collapse = 25

// LargePages asks that memory be backed by large pages, of which the processor knows where more
// are: accesses to random places, or to columns, of many megabytes take half as long or a third.
// Memory that nobody has touched yet gets them when somebody does. What the Go runtime uses
// again has been touched, also if it is all zeros, and is moved into large pages now. It is a
// wish, and changes nothing else.
func LargePages(b []byte) {
	if len(b) < leastLarge {
		return
	}
	// Only what lies in whole large pages, so that nothing else grows.
	from, to := inside(b)
	if from < to {
		_ = syscall.Madvise(b[from:to], syscall.MADV_HUGEPAGE)
		_ = syscall.Madvise(b[from:to], collapse)
	}
}
