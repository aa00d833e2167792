package sim

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// TestAtomicRMW compares the integer operations of both sizes with plain Go.
func TestAtomicRMW(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	edges := []uint64{0, 1, 5, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	pick := func() uint64 {
		if r.IntN(2) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return r.Uint64()
	}
	w := &Wave{Mem: NewMemory()}
	for range 20000 {
		old, a, b := pick(), pick(), pick()
		if r.IntN(4) == 0 {
			a = old
		}
		for op := ir.AtomAdd; op <= ir.AtomDec; op++ {
			word := old
			if got := w.AtomicRMW(unsafe.Pointer(&word), 0, op, 8, AtomicFn(op, 8), a, b); got != old || word != plain64(op, old, a, b) {
				t.Fatalf("operation %d on 8 bytes: %#x with %#x, %#x: returned %#x, stored %#x", op, old, a, b, got, word)
			}
			half := uint32(old)
			want := plain32(op, uint32(old), uint32(a), uint32(b))
			if got := w.AtomicRMW(unsafe.Pointer(&half), 0, op, 4, AtomicFn(op, 4), a, b); got != uint64(uint32(old)) || half != want {
				t.Fatalf("operation %d on 4 bytes: %#x with %#x, %#x: returned %#x, stored %#x, want %#x", op, uint32(old), uint32(a), uint32(b), got, half, want)
			}
		}
	}
}

// plain64 transcribes PTX 9.7.14.5 word for word.
func plain64(op ir.AtomicOp, r, s, t uint64) uint64 {
	return [...]uint64{
		ir.AtomAdd: r + s, ir.AtomSub: r - s, ir.AtomAnd: r & s, ir.AtomOr: r | s, ir.AtomXor: r ^ s, ir.AtomExch: s,
		ir.AtomMinU: choose(r < s, r, s), ir.AtomMaxU: choose(r > s, r, s),
		ir.AtomMinS: choose(int64(r) < int64(s), r, s), ir.AtomMaxS: choose(int64(r) > int64(s), r, s),
		ir.AtomCAS: choose(r == s, t, r),
		ir.AtomInc: choose(r >= s, 0, r+1), ir.AtomDec: choose(r == 0 || r > s, s, r-1),
	}[op]
}

func plain32(op ir.AtomicOp, r, s, t uint32) uint32 {
	return [...]uint32{
		ir.AtomAdd: r + s, ir.AtomSub: r - s, ir.AtomAnd: r & s, ir.AtomOr: r | s, ir.AtomXor: r ^ s, ir.AtomExch: s,
		ir.AtomMinU: choose(r < s, r, s), ir.AtomMaxU: choose(r > s, r, s),
		ir.AtomMinS: choose(int32(r) < int32(s), r, s), ir.AtomMaxS: choose(int32(r) > int32(s), r, s),
		ir.AtomCAS: choose(r == s, t, r),
		ir.AtomInc: choose(r >= s, 0, r+1), ir.AtomDec: choose(r == 0 || r > s, s, r-1),
	}[op]
}

func choose[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}
