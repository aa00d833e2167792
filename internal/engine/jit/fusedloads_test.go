package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestFusedLoads: a fused operation in a loop overwrites one of its factors, or its addend,
// and takes an operand that is used once from shared memory: another factor, or the addend.
func TestFusedLoads(t *testing.T) {
	t.Parallel()
	for _, op := range []ir.Op{ir.FmaF32, ir.FmaF32RZ, ir.VFmaF32} {
		for n := range 6 {
			// The sum, the loaded value and the invariant are arguments in all orders.
			order := [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}[n]
			agree(t, fmt.Sprint(op, order), func(e sim.Engine) string {
				m := newMaker(t, "fused", 32)
				m.Func().SharedStatic = 128
				out := m.values("out")[0]
				tid, i, p := m.vec("tid"), m.vec("i"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				at, sum, by, found := m.vec("at"), m.vec("sum"), m.vec("by"), m.vec("found")
				m.ins()
				m.To(at, ir.Mul32, tid, m.num(4))
				m.ins()
				m.To(sum, ir.CvtF32FromU32, tid)
				m.ins()
				m.To(by, ir.AddF32, sum, m.num(0x40a00000))
				m.store(at, m.T(ir.MulF32, sum, m.num(0x40400000)), ir.Shared)
				top := m.NewLabel()
				m.Bind(top)
				m.load(found, at, ir.Shared)
				var a [3]ir.Ref
				for k, x := range []ir.Ref{sum, found, by} {
					a[order[k]] = x
				}
				m.ins()
				m.To(sum, op, a[:]...)
				m.next(i, m.num(3), p, top)
				m.store(m.place(out, tid, 4), sum, ir.Global)
				f := m.finish()
				mem := sim.NewMemory()
				o := mem.Add("out", make([]byte, 128))
				return fmt.Sprint(ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{o.Base}}), o.Data)
			})
		}
	}
}
