package shape_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// TestRows computes random expressions of lane coordinates, in blocks of all shapes, and
// compares the values in the lanes with the claims about them.
func TestRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	ops := []ir.Op{ir.Add32, ir.Sub32, ir.Mul32, ir.Mad32, ir.And32, ir.Or32, ir.Xor32, ir.Shl32, ir.ShrU32, ir.ShrS32, ir.Add64, ir.Sub64, ir.Mul64,
		ir.CvtU64FromU32, ir.CvtS64FromS32, ir.MulWideU32, ir.MulWideS32, ir.MadWideU32, ir.RemU32, ir.DivU32, ir.BfeU32, ir.Lo32, ir.Hi32, ir.Pack64, ir.MinU32, ir.Not32, ir.Mul24LoU32, ir.Mad24LoS32}
	inRows, affine := 0, 0
	for n := range short.Of(6000, 800) {
		lanes := pick(32, 64)
		block := [3]uint32{uint32(pick(1, 2, 4, 8, 8, 16, 16, 16, 20, 32, 64, 128)), uint32(pick(1, 2, 3, 4, 8, 16)), uint32(pick(1, 1, 1, 2, 3, 4))}
		threads := block[0] * block[1] * block[2]
		b := ir.NewBuilder("k", lanes)
		b.At(ir.Pos{Line: 1})
		word := func(r ir.Ref) uint64 {
			if b.Func().Val(r).Type == ir.B64 {
				return ^uint64(0)
			}
			return 1<<32 - 1
		}
		val := map[ir.Ref]func(lane uint64) uint64{}
		var list []ir.Ref
		put := func(r ir.Ref, f func(lane uint64) uint64) ir.Ref {
			m := word(r)
			val[r] = func(l uint64) uint64 { return f(l) & m }
			list = append(list, r)
			return r
		}
		bx, by := uint64(block[0]), uint64(block[1])
		uniform := uint64(r.Uint32()) >> r.IntN(32)
		for k, f := range []func(l uint64) uint64{
			func(l uint64) uint64 { return l % bx },
			func(l uint64) uint64 { return l / bx % by },
			func(l uint64) uint64 { return l / bx / by },
			func(l uint64) uint64 { return uniform },
			func(l uint64) uint64 { return l % uint64(lanes) },
		} {
			x := b.Vector(fmt.Sprint("x", k), ir.B32)
			b.Input([]ir.InputKind{ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ, ir.LaunchValue, ir.LaneID}[k], x, 0)
			put(x, f)
		}
		var outs []ir.Ref
		text := ""
		for range 1 + r.IntN(6) {
			op := ops[r.IntN(len(ops))]
			var args []ir.Ref
			for k, typ := range ir.Ops[op].Args {
				var fit []ir.Ref
				for _, x := range list {
					if b.Func().Val(x).Type == typ {
						fit = append(fit, x)
					}
				}
				if len(fit) == 0 || k > 0 && r.IntN(2) == 0 {
					c := uint64(pick(1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 48, 64, -1, -4))
					x := b.Const(typ, c&(1<<(8*typ.Bytes()-1)<<1-1))
					val[x] = func(uint64) uint64 { return c & (1<<(8*typ.Bytes()-1)<<1 - 1) }
					fit = []ir.Ref{x}
				}
				args = append(args, fit[r.IntN(len(fit))])
			}
			out := b.Vector(fmt.Sprint("v", len(outs)), ir.Ops[op].Res)
			b.To(out, op, args...)
			text += fmt.Sprintf("%d = %s %v; ", out, op, args)
			f := ir.Evaluator(op)
			outs = append(outs, put(out, func(l uint64) uint64 {
				var a [4]uint64
				for k, x := range args {
					a[k] = val[x](l)
				}
				return f(a)
			}))
		}
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		fn := webs.Build(f, webs.Geometry{Lanes: lanes, Block: block})
		s := shape.Analyze(fn)
		for i := range f.Code {
			x := f.Code[i].Dst
			if fn.Ops[i].Dst == 0 || val[x] == nil {
				continue
			}
			sh, m := s.Web(fn.Ops[i].Dst), word(x)
			if sh.Kind == shape.Affine && !sh.Uniform() && sh.Tile > 0 {
				affine++
			} else if sh.Tile > 0 {
				inRows++
			}
			for first := uint64(0); first < uint64(threads); first += uint64(lanes) {
				for l := first; l < min(first+uint64(lanes), uint64(threads)); l++ {
					got := val[x](l)
					want, told := got, sh.Kind == shape.Affine
					switch row := uint64(1) << sh.Tile; {
					case told && sh.Known:
						want = sh.Base + sh.Steps().At(int(l-first))
					case told:
						want = val[x](first) + sh.Steps().At(int(l-first))
					case sh.Tile > 0:
						want = val[x](l&^(row-1)) + sh.Stride*(l&(row-1))
					}
					if got != want&m || got > sh.Max || bits.TrailingZeros64(got) < int(laneZeros(sh)) {
						t.Fatalf("%d: block %v of %d lanes, %swith %#x: %d is %s, but lane %d has %#x, not %#x", n, block, lanes, text, uniform, x, sh, l, got, want&m)
					}
				}
			}
		}
	}
	if least := short.Of(300, 40); affine < least || inRows < least {
		t.Errorf("of %d and %d values lanes are in rows", affine, inRows)
	}
}

// laneZeros returns the number of low bits that are claimed to be 0 in every lane.
func laneZeros(s shape.Shape) uint8 {
	if s.Kind == shape.Affine {
		return min(s.Zeros, uint8(bits.TrailingZeros64(s.Stride|s.Step)))
	}
	return s.Zeros
}
