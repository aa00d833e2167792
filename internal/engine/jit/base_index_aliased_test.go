package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestNearAliased: the index of an access overlaps another register, which is written between
// address and access.
func TestNearAliased(t *testing.T) {
	t.Parallel()
	for _, exec := range []bool{false, true} {
		for _, scalar := range []bool{false, true} {
			b := newMaker(t, "nearaliased", 32)
			off := b.Reserve(4 * 40)
			idx := b.View("idx", ir.B32, false, off)
			other := b.View("other", ir.B16, false, off+16)
			if scalar {
				other = b.View("other", ir.B32, false, off+16)
			}
			tid, x := b.vec("tid"), b.vec("x")
			b.Input(ir.ThreadIDX, tid, 0)
			list := b.values("data", "out")
			data, out := list[0], list[1]
			if exec {
				b.exec()
			}
			b.ins()
			b.load(idx, b.place(data, tid, 4), ir.Global)
			b.ins()
			b.To(idx, ir.And32, idx, b.num(255))
			a := b.Vector("a", ir.B64)
			b.ins()
			b.To(a, ir.Add64, data, b.T(ir.MulWideU32, idx, b.num(4)))
			b.ins()
			if scalar {
				b.To(other, ir.And32, tid, b.num(3))
			} else {
				b.To(other, ir.CvtU16FromU32, b.T(ir.And32, tid, b.num(3)))
			}
			b.load(x, a, ir.Global)
			b.ins()
			b.To(x, ir.Add32, x, idx)
			b.store(b.place(out, tid, 4), x, ir.Global)
			var f *ir.Func
			if exec {
				f = b.endWave()
			} else {
				f = b.finish()
			}
			agree(t, fmt.Sprintf("exec %v, scalar %v", exec, scalar), func(e sim.Engine) string {
				mem := sim.NewMemory()
				buf, o := mem.Add("data", noise(4096)), mem.Add("out", make([]byte, 256))
				l := &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{buf.Base, o.Base}}
				return fmt.Sprintln(ended(t, e, f, l), o.Data)
			})
		}
	}
}

// TestNearAdded adds a base to the lower half of an address, in place, in a loop: the index
// of the access is overwritten.
func TestNearAdded(t *testing.T) {
	t.Parallel()
	m := newMaker(t, "nearadded", 64)
	tid, idx, hi, x, sum := m.vec("tid"), m.vec("idx"), m.vec("hi"), m.vec("x"), m.vec("sum")
	low, high, vcc, n := m.vec("low"), m.vec("high"), m.Vector("vcc", ir.B1), m.Scalar("n", ir.B32)
	m.Input(ir.ThreadIDX, tid, 0)
	list := m.values("data", "out")
	exec := m.exec()
	switched := func() {
		m.ins()
		m.Guard(exec, false)
	}
	m.ins()
	m.To(low, ir.Lo32, list[0])
	m.ins()
	m.To(high, ir.Hi32, list[0])
	m.load(idx, m.place(list[0], tid, 4), ir.Global)
	m.ins()
	m.To(idx, ir.And32, idx, m.num(0xfc))
	top := m.NewLabel()
	m.Bind(top)
	switched()
	c := m.T(ir.AddC32, low, idx)
	m.To(idx, ir.Add32, low, idx)
	m.Guard(0, false)
	m.To(vcc, ir.AndP, c, exec)
	switched()
	m.To(hi, ir.Addc32, m.num(0), high, vcc)
	switched()
	m.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{m.T(ir.Pack64, idx, hi)}, Size: 4, Align: 1, Space: ir.Global})
	switched()
	m.To(sum, ir.Add32, sum, x)
	switched()
	m.To(low, ir.Mov32, m.num(4))
	m.ins()
	m.To(n, ir.Add32, n, m.SConst(ir.B32, 1))
	m.ins()
	m.SBra(top, m.S(ir.LtU32, n, m.SConst(ir.B32, 3)), false)
	switched()
	m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[1], tid, 4), sum}, Size: 4, Align: 4, Space: ir.Global})
	f := m.endWave()
	agree(t, "added", func(e sim.Engine) string {
		mem := sim.NewMemory()
		data, out := mem.Add("data", noise(4096)), mem.Add("out", make([]byte, 256))
		l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{data.Base, out.Base}}
		return fmt.Sprintln(ended(t, e, f, l), out.Data)
	})
}
