package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestRowsWrap adds an index that wraps around, made larger, to what differs from row to row. The
// first round of a loop is harmless, in the second one it wraps around.
func TestRowsWrap(t *testing.T) {
	t.Parallel()
	for _, wide := range []bool{false, true} {
		for _, first := range []uint64{0, 0xfffffff8, 0xffffffe4} {
			agree(t, fmt.Sprintf("wide %v, first %#x", wide, first), func(e sim.Engine) string {
				m := newMaker(t, "rowswrap", 32)
				list := m.values("in", "out", "pitch", "n", "back")
				x, y, z, i, p := m.vec("x"), m.vec("y"), m.vec("z"), m.vec("i"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, x, 0)
				m.Input(ir.ThreadIDY, y, 0)
				a, v := m.Vector("a", ir.B64), m.vec("v")
				m.ins()
				m.To(i, ir.Mov32, m.num(0))
				top := m.NewLabel()
				m.Bind(top)
				m.ins()
				m.To(z, ir.Add32, m.T(ir.Mul32, i, m.T(ir.Lo32, list[3])), x)
				m.ins()
				base := m.T(ir.Add64, list[0], m.T(ir.Mul64, list[4], m.T(ir.CvtU64FromU32, i)))
				row := m.T(ir.Add64, base, m.T(ir.MulWideU32, y, m.T(ir.Lo32, list[2])))
				if wide {
					m.To(a, ir.MadWideU32, z, m.num(4), row)
				} else {
					m.To(a, ir.AddWideU32, m.T(ir.Shl32, z, m.num(2)), row)
				}
				m.load(v, a, ir.Global)
				m.ins()
				m.store(m.place(list[1], m.T(ir.Add32, m.T(ir.Shl32, i, m.num(8)), m.T(ir.Add32, x, m.T(ir.Shl32, y, m.num(4)))), 4), v, ir.Global)
				m.next(i, m.num(2), p, top)
				f := m.finish()
				mem := sim.NewMemory()
				in := mem.Add("in", noise(4096))
				out := mem.Add("out", make([]byte, 4096))
				back := -(first * 4)
				if !wide {
					back = -(first * 4 & 0xffffffff)
				}
				end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 16, 1}, Memory: mem, Values: []uint64{in.Base, out.Base, 64, first, back}})
				return fmt.Sprintln(end, out.Data)
			})
		}
	}
}

// TestCellRows is TestAsideCell, but what is loaded goes into a register that holds something in
// rows as well.
func TestCellRows(t *testing.T) {
	t.Parallel()
	for _, first := range []uint64{0, 0xffffffe8} {
		agree(t, fmt.Sprintf("first %#x", first), func(e sim.Engine) string {
			m := newMaker(t, "cellrows", 32)
			m.Func().LocalSize = 8
			list := m.values("in", "out", "pitch", "n", "back")
			x, y, z, i, p := m.vec("x"), m.vec("y"), m.vec("z"), m.vec("i"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, x, 0)
			m.Input(ir.ThreadIDY, y, 0)
			a, v := m.Vector("a", ir.B64), m.vec("v")
			m.ins()
			m.To(z, ir.Add32, m.T(ir.Lo32, list[3]), m.T(ir.Add32, x, m.T(ir.Shl32, y, m.num(4))))
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0), m.T(ir.MadWideU32, z, m.num(4), list[4])}})
			m.barrier()
			m.ins()
			m.To(i, ir.Mov32, m.num(0))
			top, other, join := m.NewLabel(), m.NewLabel(), m.NewLabel()
			m.Bind(top)
			m.ins()
			m.To(p, ir.EqU32, i, m.num(0))
			m.branch(p, other)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Dst: a, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0)}})
			m.ins()
			m.Bra(join)
			m.Bind(other)
			m.ins()
			m.To(a, ir.Add64, m.T(ir.Add64, list[0], m.T(ir.MulWideU32, y, m.T(ir.Lo32, list[2]))), m.T(ir.MulWideU32, x, m.num(4)))
			m.Bind(join)
			m.load(v, a, ir.Global)
			m.ins()
			m.store(m.place(list[1], m.T(ir.Add32, m.T(ir.Shl32, i, m.num(8)), m.T(ir.Add32, x, m.T(ir.Shl32, y, m.num(4)))), 4), v, ir.Global)
			m.next(i, m.num(2), p, top)
			f := m.finish()
			mem := sim.NewMemory()
			in := mem.Add("in", noise(4096))
			out := mem.Add("out", make([]byte, 4096))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 2, 1}, Memory: mem, Values: []uint64{in.Base, out.Base, 64, first, in.Base - first*4}})
			return fmt.Sprintln(end, out.Data)
		})
	}
}
