//go:build !linux

package pages

// Available reports whether the system would give the process n bytes more. Here it is not known.
func Available(n uint64) bool { return n <= 1<<46 }

// Large asks for large pages on systems that offer them. This one does not.
func Large([]byte) {}
