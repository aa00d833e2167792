//go:build !linux

package pages

// Large asks for large pages on systems that offer them. This one does not.
func Large([]byte) {}
