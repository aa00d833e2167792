package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestRowsCalled: lanes load at an address that is equal in a tile row, until the interpreter
// executes an operation on it. It does so for active lanes only, and the first lane of each
// row is inactive.
func TestRowsCalled(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(m *maker, d, y, other ir.Ref){
		"always": func(m *maker, d, y, other ir.Ref) { m.To(d, ir.Fns, m.num(1<<32-1), y, other) },
		"for some arguments": func(m *maker, d, y, other ir.Ref) { // cosines that are almost 1
			s := m.vec("s")
			m.To(s, ir.CosApproxF32, m.T(ir.Mul32, y, other))
			m.ins()
			m.To(d, ir.CvtU32FromF32RZI, s)
		},
	} {
		agree(t, name, func(e sim.Engine) string {
			m := newMaker(t, "rowscalled", 32)
			list := m.values("in", "out", "pitch", "other")
			x, y, p := m.vec("x"), m.vec("y"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, x, 0)
			m.Input(ir.ThreadIDY, y, 0)
			a, v, d := m.Vector("a", ir.B64), m.vec("v"), m.vec("d")
			done := m.NewLabel()
			m.ins()
			m.To(v, ir.Mov32, m.num(77))
			m.ins()
			m.To(p, ir.EqU32, x, m.num(0))
			m.branch(p, done)
			m.ins()
			do(m, d, y, m.T(ir.Lo32, list[3]))
			m.ins()
			m.To(a, ir.Add64, m.T(ir.MadWideU32, d, m.T(ir.Lo32, list[2]), list[0]), m.T(ir.MulWideU32, x, m.num(4)))
			m.load(v, a, ir.Global)
			m.Bind(done)
			m.ins()
			m.store(m.place(list[1], m.T(ir.Add32, m.T(ir.Shl32, y, m.num(4)), x), 4), v, ir.Global)
			f := m.finish()
			mem := sim.NewMemory()
			in := mem.Add("in", noise(4096))
			out := mem.Add("out", make([]byte, 1024))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 4, 1}, Memory: mem, Values: []uint64{in.Base, out.Base, 64, 0x2aaaaaab}})
			return fmt.Sprintln(end, out.Data)
		})
	}
}
