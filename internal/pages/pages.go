// Package pages asks the operating system for large pages under big buffers, and whether there is memory for them.
package pages

import "unsafe"

const (
	largePage  = 2 << 20
	leastLarge = 4 * largePage // the tables of the processor reach less than this anyway
)

// inside returns the range of b that consists of complete large pages.
func inside(b []byte) (from, to int) {
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % largePage)
	from = (largePage - at) % largePage
	to = (at+len(b))/largePage*largePage - at
	return from, max(from, to)
}
