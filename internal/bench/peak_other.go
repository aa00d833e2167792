//go:build !linux

package bench

func resetPeak() {}

// peak returns 0: the largest memory use of a process is not known here.
func peak() uint64 { return 0 }
