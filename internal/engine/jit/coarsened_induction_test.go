package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestCoarsenedInduction: a coarsened body of several waves loads, through an induction pointer, the
// values that the waves before it store. Another load with this pointer, in the coarsened
// body or not, has found the region: the region cache of the load itself stays empty.
func TestCoarsenedInduction(t *testing.T) {
	t.Parallel()
	const block, grid = 256, 3
	for _, withLead := range []bool{false, true} {
		b := newMaker(t, "passwalk", 32)
		tid, blk, sum, i, x, y := b.vec("tid"), b.vec("blk"), b.vec("sum"), b.vec("i"), b.vec("x"), b.vec("y")
		b.Input(ir.ThreadIDX, tid, 0)
		b.Input(ir.LinearBlockID, blk, 0)
		data := b.values("data")[0]
		p, pr, first := b.Vector("p", ir.B64), b.Vector("pr", ir.B1), b.Vector("first", ir.B1)
		b.ins()
		b.To(sum, ir.Mov32, b.num(1))
		b.ins()
		b.To(first, ir.NeU32, blk, b.num(0))
		b.ins()
		b.To(p, ir.Add64, data, b.T(ir.MulWideU32, tid, b.num(4)))
		b.ins()
		b.To(i, ir.Mov32, b.num(0))
		top := b.NewLabel()
		b.Bind(top)
		flags, size := ir.SignExtend, uint8(2)
		if withLead {
			flags, size = 0, 4
		}
		s1, s2 := b.NewLabel(), b.NewLabel()
		b.branch(first, s1)
		b.ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{p}, Size: size, Align: uint16(size), Space: ir.Global, Flags: flags})
		b.ins()
		b.To(sum, ir.Add32, sum, x)
		b.Bind(s1)
		b.ins()
		b.To(pr, ir.LtU32, i, b.num(2))
		b.branch(pr, s2)
		b.ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: y, Args: [4]ir.Ref{p}, Size: 4, Align: 4, Space: ir.Global, Imm: 4})
		b.ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, b.num(77)), y)
		b.Bind(s2)
		b.ins()
		b.To(p, ir.Add64, p, b.Const(ir.B64, 128))
		b.next(i, b.num(8), pr, top)
		b.ins()
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.place(data, tid, 4), sum}, Size: 4, Align: 4, Space: ir.Global, Imm: 128*5 + 4})
		f := b.finish()
		agree(t, fmt.Sprint("lead in the pass: ", withLead), func(e sim.Engine) string {
			mem := sim.NewMemory()
			buf := mem.Add("data", noise(4096))
			l := &sim.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{buf.Base}, Checks: sim.Checks{Hints: true}}
			return fmt.Sprintln(ended(t, e, f, l), buf.Data)
		})
		for tier, e := range tierEngines(t) {
			if k := translated(t, e, f, &sim.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}}); k.native.passAt == 0 {
				t.Errorf("%s: there is no pass", tier)
			}
		}
	}
}
