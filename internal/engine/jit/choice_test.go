package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestChoiceWritten chooses between the halves of two values, writes one of them again in some lanes,
// puts both together, and only then the halves that were chosen: those of the old value.
func TestChoiceWritten(t *testing.T) {
	t.Parallel()
	const lanes = 32
	for late := range 5 {
		agree(t, fmt.Sprint("late ", late), func(e sim.Engine) string {
			m := newMaker(t, "choice", lanes)
			list := m.values("in", "out")
			tid := m.vec("tid")
			m.Input(ir.ThreadIDX, tid, 0)
			halves := [4]ir.Ref{m.vec("x0"), m.vec("x1"), m.vec("y0"), m.vec("y1")}
			p, q := m.Vector("p", ir.B1), m.Vector("q", ir.B1)
			for k, r := range halves {
				m.load(r, m.place(list[0], m.T(ir.Mad32, tid, m.num(4), m.num(uint64(k))), 4), ir.Global)
			}
			m.ins()
			m.To(p, ir.LtU32, halves[0], halves[2])
			m.ins()
			m.To(q, ir.LtU32, halves[1], halves[3])
			m.ins()
			s0, s1 := m.T(ir.Sel32, p, halves[0], halves[2]), m.T(ir.Sel32, p, halves[1], halves[3])
			if late < 4 {
				m.Guard(q, false)
				m.To(halves[late], ir.Add32, halves[late], m.num(1))
				m.Guard(0, false)
			}
			x, y := m.T(ir.Pack64, halves[0], halves[1]), m.T(ir.Pack64, halves[2], halves[3])
			s := m.T(ir.Pack64, s0, s1)
			sum := m.T(ir.Add64, m.T(ir.Mul64, x, y), m.T(ir.Mul64, s, m.Const(ir.B64, 3)))
			m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 8, Align: 8, Args: [4]ir.Ref{m.place(list[1], tid, 8), sum}})
			f := m.finish()
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(16*lanes)), mem.Add("out", make([]byte, 8*lanes))
			ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}})
			return fmt.Sprint(out.Data)
		})
	}
}
