package num

import "testing"

// TestBufNotRaw compares BufNotRaw with the effect of formatted loads and stores on each format and
// DST_SEL. BufNotRaw must recognise the identity, and must not call any other format raw.
func TestBufNotRaw(t *testing.T) {
	t.Parallel()
	words := [4]uint32{0x80c01234, 0x7fa00001, 0xff812345, 1}
	lo, hi := uint64(words[1])<<32|uint64(words[0]), uint64(words[3])<<32|uint64(words[2])
	raw := 0
	for w3 := range uint32(1 << 19) {
		for n := uint32(1); n <= 4; n++ {
			if BufNotRaw(w3, n) != 0 {
				continue
			}
			raw++
			if BufElement(w3) != 4*n || BufLoadBad(w3) != 0 || BufStoreBad(lo, hi, w3, n) != 0 {
				t.Fatalf("%#x of %d components is not raw", w3, n)
			}
			for c := range n {
				if got := BufLoadFormat(lo, hi, w3, c); got != words[c] {
					t.Fatalf("%#x: component %d of %d is %#x, not %#x", w3, c, n, got, words[c])
				}
				if got := uint32(BufStoreFormat(lo, hi, w3, c/2) >> (32 * (c % 2))); got != words[c] {
					t.Fatalf("%#x: component %d of %d is stored as %#x, not %#x", w3, c, n, got, words[c])
				}
			}
		}
	}
	// uint, sint and float count. For n components, 4 - n may have any of six selections.
	if want := 3 * (6*6*6 + 6*6 + 6 + 1); raw != want {
		t.Errorf("%d formats are raw, want %d", raw, want)
	}
}

func TestBufScalarWhole(t *testing.T) {
	t.Parallel()
	for _, stride := range []uint64{0, 1, 3, 4, 0x3fff} {
		for _, records := range []uint64{0, 1, 4, 7, 8, 15, 16, 64, 1<<32 - 1} {
			for _, offset := range []uint32{0, 4, 8, 12, 60, 252, 1<<32 - 16, 1<<32 - 8, 1<<32 - 4} {
				for _, n := range []uint32{1, 2, 4, 8, 16} {
					whole := true
					for i := range n {
						at := offset + 4*i
						whole = whole && at >= offset && BufScalarInside(at, stride<<48, records)
					}
					if got := BufScalarWhole(offset, 4*n, stride<<48, records); got != whole {
						t.Errorf("stride %d, %d records: %d dwords at %#x: %v, want %v", stride, records, n, offset, got, whole)
					}
				}
			}
		}
	}
}
