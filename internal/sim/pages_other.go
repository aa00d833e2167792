//go:build !linux

package sim

// LargePages asks for large pages where the system can be asked: here it cannot.
func LargePages([]byte) {}
