package sim

import "unsafe"

const (
	largePage  = 2 << 20
	leastLarge = 4 * largePage // less is in reach of the processor's tables anyway
)

// inside returns which bytes of b lie in large pages that are all b's.
func inside(b []byte) (from, to int) {
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % largePage)
	from = (largePage - at) % largePage
	to = (at+len(b))/largePage*largePage - at
	return from, max(from, to)
}
