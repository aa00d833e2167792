package ir

import (
	"math/rand/v2"
	"testing"
)

// TestEvaluator checks that the direct call of every operation gives the same result as the call by
// reflection, and that both give the results of package num for values whose bits are easily lost.
func TestEvaluator(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 3))
	for op := range Ops {
		if !Op(op).Pure() {
			continue
		}
		direct, slow := Evaluator(Op(op)), reflective(Ops[op].Fn)
		for range 20 {
			var a [4]uint64
			for i := range a {
				if a[i] = rng.Uint64(); rng.IntN(2) == 0 {
					a[i] = -(a[i] >> 59) // few bits, or many
				}
			}
			x := direct(a)
			if y := slow(a); x != y {
				t.Fatalf("%s of %#x: %#x, by reflection %#x", Op(op), a, x, y)
			}
			if w := 8 * Ops[op].Res.Bytes(); Ops[op].Res != B1 && w < 64 && x>>w != 0 || Ops[op].Res == B1 && x > 1 {
				t.Fatalf("%s of %#x: %#x has bits beyond its type", Op(op), a, x)
			}
		}
	}
	for _, c := range []struct {
		op   Op
		a    [4]uint64
		want uint64
	}{
		{Add32, [4]uint64{1<<40 | 0xffffffff, 1<<32 | 2}, 1},
		{LtS32, [4]uint64{0xffffffff, 0}, 1},
		{LtS16, [4]uint64{0x8000, 0x7fff}, 1},
		{NotP, [4]uint64{2}, 1}, // only the lowest bit counts
		{CvtS64FromS8, [4]uint64{0x80}, 0xffffffffffffff80},
		{CvtS16FromS8, [4]uint64{0x80}, 0xff80},
		{SelF32, [4]uint64{1, 0x7f800001, 0}, 0x7f800001}, // a signalling NaN remains one
		{SelF64, [4]uint64{0, 0, 0x7ff0000000000001}, 0x7ff0000000000001},
	} {
		if got := Evaluator(c.op)(c.a); got != c.want {
			t.Errorf("%s of %#x: %#x, want %#x", c.op, c.a, got, c.want)
		}
	}
}
