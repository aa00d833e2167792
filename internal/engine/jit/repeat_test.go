package jit_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// repeats builds a kernel in which many values are equal in several lanes, with a lane
// period: they are exchanged and added, used in operations, written under guards, and live
// where lanes diverge and merge one by one, which machine code leaves to the interpreter.
func repeats(r *rand.Rand) func(k *ir.Builder, v ir.Ref) ir.Ref {
	return func(k *ir.Builder, v ir.Ref) ir.Ref {
		num := func(x uint64) ir.Ref { return k.Const(ir.B32, x) }
		tid, p := k.Vector("lane", ir.B32), k.Vector("p", ir.B1)
		k.Input(ir.ThreadIDX, tid, 0)
		k.To(p, ir.LtS32, v, num(0x3f800000))
		in, upper, at := k.Vector("data", ir.B64), k.Vector("upper", ir.B1), k.Vector("at", ir.B32)
		half := k.Vector("half", ir.B32)
		k.Input(ir.LaunchValue, half, 2)
		one := k.Vector("one", ir.B1)
		apart := r.IntN(4) == 0
		k.Input(ir.LaunchValue, in, 0)
		k.To(upper, ir.GeU32, k.T(ir.And32, tid, num(31)), num(16))
		var regs []ir.Ref
		for i := range 6 {
			x := k.Vector("r", ir.B32)
			switch r.IntN(4) {
			case 0:
				k.Move(x, v)
			case 1:
				k.To(x, ir.Mov32, num(enginetest.RandomValue(r, ir.B32)))
			default:
				k.To(x, ir.And32, tid, num(uint64([]int{1, 3, 7, 15, 31, 8, 24}[r.IntN(7)])))
				if i%2 == 0 {
					k.To(x, ir.CvtF32FromU32, x)
				}
			}
			regs = append(regs, x)
		}
		reg := func() ir.Ref { return regs[r.IntN(len(regs))] }
		t := k.Vector("t", ir.B32)
		shuffle := func(x ir.Ref, mode lane.ShflMode, b uint64) {
			k.At(ir.Pos{Line: 1, Text: "shfl", Name: "shfl"})
			k.Emit(ir.Inst{Op: ir.ShflSync, Dst: t, Args: [4]ir.Ref{x, num(b), num(31), num(1<<32 - 1)}, Imm: uint64(mode)})
			k.At(ir.Pos{Line: 1, Text: "op", Name: "op"})
		}
		two := []ir.Op{ir.AddF32, ir.MulF32, ir.AddF32Ftz, ir.MinF32, ir.MaxNaNF32, ir.Add32, ir.Mul32, ir.Xor32, ir.MaxS32, ir.MinU32, ir.Sub32, ir.SubF32, ir.FmaF32, ir.Sel32, ir.NegF32}
		do := func(d, x, y ir.Ref) {
			op := two[r.IntN(len(two))]
			a := []ir.Ref{x, y, reg()}
			if op == ir.Sel32 {
				a = []ir.Ref{p, x, y}
			}
			k.To(d, op, a[:len(ir.Ops[op].Args)]...)
		}
		count := k.Vector("count", ir.B32)
		again := k.NewLabel()
		k.Bind(again)
		for range 10 {
			x := reg()
			c := r.IntN(11)
			if c == 4 && !apart {
				c = 5
			}
			switch c {
			case 0:
				do(reg(), reg(), reg())
			case 8: // an index that wraps, for which the code deoptimises
				k.To(at, ir.Sub32, k.T(ir.And32, tid, num(31)), half)
				k.Guard(upper, false)
				k.Emit(ir.Inst{Op: ir.Load, Dst: reg(), Args: [4]ir.Ref{k.T(ir.MadWideU32, at, num(4), in)}, Size: 4, Align: 4, Space: ir.Global})
				k.Guard(0, false)
			case 1:
				k.Guard(p, r.IntN(2) == 0)
				do(reg(), x, reg())
				k.Guard(0, false)
			case 2: // any pattern
				shuffle(x, lane.ShflMode(r.IntN(4)), uint64(r.IntN(32)))
				do(reg(), x, t)
			case 3: // the exchanged value has changed by then
				shuffle(x, lane.ShflBfly, 16)
				k.Guard(p, false)
				do(x, x, reg())
				k.Guard(0, false)
				do(x, x, t)
			case 10: // from computed lanes
				k.At(ir.Pos{Line: 1, Text: "shfl", Name: "shfl"})
				k.Emit(ir.Inst{Op: ir.ShflSync, Dst: t, Args: [4]ir.Ref{x, reg(), num(31), num(1<<32 - 1)}, Imm: uint64(lane.ShflIdx)})
				k.At(ir.Pos{Line: 1, Text: "op", Name: "op"})
				k.Move(reg(), t)
			case 6: // the kind of exchange depends on data
				other, end := k.NewLabel(), k.NewLabel()
				k.To(one, ir.LtU32, half, num(r.Uint64N(32)))
				k.Guard(one, false)
				k.Bra(other)
				k.Guard(0, false)
				shuffle(x, lane.ShflIdx, 3)
				k.Bra(end)
				k.Bind(other)
				shuffle(x, lane.ShflBfly, 16)
				k.Bind(end)
				do(x, t, x)
			case 4: // lanes come to the same shuffle on two paths
				other, end := k.NewLabel(), k.NewLabel()
				k.Guard(p, false)
				k.Bra(other)
				k.Guard(0, false)
				shuffle(x, lane.ShflBfly, 16)
				k.Bra(end)
				k.Bind(other)
				shuffle(x, lane.ShflBfly, 8)
				k.Bind(end)
				do(reg(), x, t)
			default:
				shuffle(x, lane.ShflBfly, uint64([]int{16, 8, 4, 1}[r.IntN(4)]))
				if r.IntN(2) == 0 {
					do(x, x, t)
				} else {
					do(reg(), t, x)
				}
			}
		}
		q := k.Vector("q", ir.B1)
		k.To(count, ir.Add32, count, num(1))
		k.To(q, ir.LtU32, count, num(3))
		k.Guard(q, false)
		k.Bra(again)
		k.Guard(0, false)
		x := regs[0]
		for _, v := range regs[1:] {
			x = k.T(ir.Add32, k.T(ir.Mul32, x, num(3)), v)
		}
		return x
	}
}

func TestRepeats(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 9))
			chain := repeats(r)
			f := kernel(t, chain)
			data := []byte{16, 0, 0, 0} // half of a wave: see kernel
			for range []int{63, 95, 31}[seed%3] {
				data = binary.LittleEndian.AppendUint32(data, uint32(enginetest.RandomValue(r, ir.B32)))
			}
			of := *f
			want := run(t, interp.Engine{Portable: true}, &of, data)
			if got := run(t, e, f, data); !bytes.Equal(got, want) {
				i := 0
				for got[i] == want[i] {
					i++
				}
				t.Fatalf("seed %d, lane %d: %x, want %x", seed, i/4, got[i&^3:i&^3+4], want[i&^3:i&^3+4])
			}
		}
	})
}
