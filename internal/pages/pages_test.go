package pages

import (
	"testing"
	"unsafe"
)

func TestLargePagesAreAllInside(t *testing.T) {
	t.Parallel()
	b := make([]byte, 3*leastLarge)
	for _, c := range [][2]int{{0, len(b)}, {8, len(b)}, {largePage - 8, leastLarge + 16}, {4096, 4096 + largePage - 1}, {3, 4}, {16, 16 + 2*largePage}} {
		s := b[c[0]:c[1]]
		from, to := inside(s)
		if from < 0 || to < from || to > len(s) && from < to {
			t.Fatalf("%v: from %d to %d", c, from, to)
		}
		first := uintptr(unsafe.Pointer(&s[0]))
		if to > from && ((first+uintptr(from))%largePage != 0 || (first+uintptr(to))%largePage != 0) {
			t.Errorf("%v: from %#x to %#x is not whole pages", c, first+uintptr(from), first+uintptr(to))
		}
		// No complete large page is missing at either end.
		if from >= largePage || to > from && len(s)-to >= largePage || from == to && len(s) >= 2*largePage {
			t.Errorf("%v: from %d to %d leaves out whole pages", c, from, to)
		}
		Large(s)
	}
	if b[0] != 0 || b[len(b)-1] != 0 {
		t.Error("the bytes changed")
	}
	Large(nil)
}

// TestLargePagesKeepWhatIsThere checks that memory keeps its contents when it is moved to large pages.
func TestLargePagesKeepWhatIsThere(t *testing.T) {
	t.Parallel()
	b := make([]byte, leastLarge+3*largePage+77)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	Large(b[5:])
	for i := range b {
		if b[i] != byte(i^i>>8^i>>16) {
			t.Fatalf("byte %d is %#x", i, b[i])
		}
	}
}
