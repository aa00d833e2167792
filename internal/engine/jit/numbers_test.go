package jit

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// edges are numbers for which operations have special code: shifts, parts, powers of two.
var edges = []uint64{0, 1, 2, 8, 24, 31, 32, 33, 63, 64, 255, 0x7654, 0x00080004, 0x3f800000, 1<<31 - 1, 1 << 31, 0x80000001, 1<<32 - 1, 1 << 32, 1 << 63, 1<<64 - 16, 1<<64 - 1}

// numbers builds a kernel with one operation on uniform arguments: each is a constant or
// a launch value. In some launches the result register is also written elsewhere, so that
// it is not known to hold a constant.
func numbers(t *testing.T, op ir.Op, r *rand.Rand) *ir.Func {
	b := newMaker(t, "numbers", 32)
	values := b.values("out", "a", "b")
	lane := b.vec("lane")
	b.Input(ir.ThreadIDX, lane, 0)
	given := func(d ir.Ref, ty ir.Type, v ir.Ref) { // d is a launch value
		switch ty {
		case ir.B1:
			b.To(d, ir.LtU32, b.T(ir.Lo32, v), b.num(uint64(r.Uint32())))
		case ir.B32:
			b.To(d, ir.Lo32, v)
		default:
			b.To(d, ir.Mov64, v)
		}
	}
	number := func(d ir.Ref, ty ir.Type) {
		x := edges[r.IntN(len(edges))]
		if r.IntN(3) == 0 {
			x = r.Uint64()
		}
		if ty == ir.B32 {
			b.To(d, ir.Mov32, b.num(x))
		} else {
			b.To(d, ir.Mov64, b.Const(ir.B64, x))
		}
	}
	info := &ir.Ops[op]
	args := make([]ir.Ref, len(info.Args))
	for k, ty := range info.Args {
		args[k] = b.Vector("arg", ty)
		if ty == ir.B1 || r.IntN(5) == 0 {
			given(args[k], ty, values[1+r.IntN(2)])
		} else {
			number(args[k], ty)
		}
	}
	d, other := b.Vector("d", info.Res), b.Vector("other", ir.B1)
	b.To(other, ir.EqU32, b.T(ir.Lo32, values[2]), b.num(3))
	b.ins()
	b.To(d, op, args...)
	b.Guard(other, false)
	given(d, info.Res, values[1])
	b.Guard(0, false)
	b.ins()
	low, high := b.vec("low"), b.vec("high")
	switch info.Res {
	case ir.B1:
		b.To(low, ir.B2U32, d)
	case ir.B32:
		b.To(low, ir.Mov32, d)
	default:
		b.To(low, ir.Lo32, d)
		b.To(high, ir.Hi32, d)
	}
	b.store(b.place(values[0], lane, 4), low, ir.Global)
	b.store(b.place(values[0], b.T(ir.Add32, lane, b.num(32)), 4), high, ir.Global)
	return b.finish()
}

// words reports whether an operation is pure, and has types for which numbers builds kernels.
func words(op ir.Op) bool {
	info := &ir.Ops[op]
	for _, ty := range append([]ir.Type{info.Res}, info.Args...) {
		if ty != ir.B1 && ty != ir.B32 && ty != ir.B64 {
			return false
		}
	}
	return op.Pure() && len(info.Args) > 0
}

// TestNumbers: operations on arguments that are known during the translation.
func TestNumbers(t *testing.T) {
	t.Parallel()
	var engines []*Engine
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		if e, err := New(Options{Mode: Mode{Tier: tier, Eager: true}}); err == nil {
			engines = append(engines, e)
		}
	}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for op := range ir.Op(ir.NumOps) {
		if !words(op) {
			continue
		}
		for seed := range seeds {
			run := func(e sim.Engine) (string, []byte) {
				f := numbers(t, op, rand.New(rand.NewPCG(seed, uint64(op))))
				mem := sim.NewMemory()
				out := mem.Add("out", make([]byte, 64*4))
				l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{out.Base, seed * 0x9e3779b97f4a7c15, seed}}
				return ended(t, e, f, l), out.Data
			}
			want, data := run(interp.Engine{})
			for _, e := range engines {
				if got, has := run(e); got != want || !bytes.Equal(data, has) {
					t.Errorf("%v, %v, seed %d: %s, want %s\n%x, want\n%x", e.mode.Tier, op, seed, got, want, has, data)
				}
			}
		}
	}
}
