package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestInductionAtomic updates memory by atomics through an induction pointer that is also loaded
// from: the bounds of its loads do not hold for the updates. The memory ends earlier, is
// read-only, has not been stored to before, or the address is misaligned.
func TestInductionAtomic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		first    uint64 // the iteration of the first one
		offset   int32
		size     uint8 // of the load, and its alignment
		step     uint64
		readOnly bool
	}{
		{name: "inside", size: 4, step: 128},
		{name: "beyond", offset: 128, size: 4, step: 128},
		{name: "written late", first: 4, size: 4, step: 128},
		{name: "read only", first: 4, size: 4, step: 128, readOnly: true},
		{name: "misaligned", first: 5, size: 1, step: 1},
	} {
		agree(t, c.name, func(e sim.Engine) string {
			m := newMaker(t, "walkatomic", 32)
			list := m.values("data", "out")
			x, i, p := m.vec("x"), m.vec("i"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, x, 0)
			a, v, d, sum := m.Vector("a", ir.B64), m.vec("v"), m.vec("d"), m.vec("sum")
			m.ins()
			m.To(a, ir.Add64, list[0], m.T(ir.MulWideU32, x, m.num(4)))
			m.ins()
			m.To(sum, ir.Mov32, m.num(0))
			m.ins()
			m.To(i, ir.Mov32, m.num(0))
			top, skip := m.NewLabel(), m.NewLabel()
			m.Bind(top)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{a}, Size: c.size, Align: uint16(c.size), Space: ir.Global})
			m.ins()
			m.To(sum, ir.Add32, sum, v)
			m.ins()
			m.To(p, ir.LtU32, i, m.num(c.first))
			m.branch(p, skip)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Atomic, Dst: d, Args: [4]ir.Ref{a, m.num(3)}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, c.offset)})
			m.ins()
			m.To(sum, ir.Xor32, sum, d)
			m.Bind(skip)
			m.ins()
			m.To(a, ir.Add64, a, m.Const(ir.B64, c.step))
			m.next(i, m.num(8), p, top)
			m.ins()
			m.store(m.place(list[1], x, 4), sum, ir.Global)
			f := m.finish()
			mem := sim.NewMemory()
			room := noise(2048) // more than the launch declares
			data := mem.Add("data", room[:1024])
			data.ReadOnly = c.readOnly
			out := mem.Add("out", make([]byte, 128))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{data.Base, out.Base}})
			return fmt.Sprintln(end, data.Written(), out.Data, room)
		})
	}
}
