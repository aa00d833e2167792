package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestNearAliased has the index of an access overlap another register, which is written between the
// address and the access.
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
