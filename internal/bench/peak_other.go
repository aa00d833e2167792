//go:build !linux

package bench

func resetPeak() {}

// peak is 0: how much memory a process has had at most is not known here.
func peak() uint64 { return 0 }
