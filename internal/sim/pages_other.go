//go:build !linux

package sim

// LargePages asks for large pages on systems that offer them. This one does not.
func LargePages([]byte) {}
