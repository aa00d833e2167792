package sim

import "syscall"

// LargePages asks that memory nobody has touched yet be backed by large pages, of which the
// processor knows where more are: accesses to random places of many megabytes take half as
// long. It is a wish, and changes nothing else.
func LargePages(b []byte) {
	if len(b) < leastLarge {
		return
	}
	// Only what lies in whole large pages, so that nothing else grows.
	from, to := inside(b)
	if from < to {
		_ = syscall.Madvise(b[from:to], syscall.MADV_HUGEPAGE)
	}
}
