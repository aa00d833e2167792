package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestScalarLocal loads a scalar that lives in memory, because its halves are read, from the
// private memory of lane 0. The scalar after it is another one.
func TestScalarLocal(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{32, 64} {
		agree(t, fmt.Sprintf("%d lanes", lanes), func(e sim.Engine) string {
			m := newMaker(t, "scalarlocal", lanes)
			m.exec()
			m.Func().LocalSize = 64
			list := m.values("out")
			x := m.vec("x")
			m.Input(ir.ThreadIDX, x, 0)
			var pairs, lows, highs [2]ir.Ref
			off := m.Reserve(16)
			for i := range uint32(2) {
				pairs[i] = m.View("s", ir.B64, true, off+8*i)
				lows[i], highs[i] = m.View("s", ir.B32, true, off+8*i), m.View("s", ir.B32, true, off+8*i+4)
			}
			m.ins()
			m.To(lows[1], ir.Mov32, m.SConst(ir.B32, 7))
			m.ins()
			m.To(highs[1], ir.Mov32, m.SConst(ir.B32, 9))
			at := m.Vector("at", ir.B64)
			m.ins()
			m.To(at, ir.Mov64, m.Const(ir.B64, ir.LocalPTX+8))
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, m.T(ir.MulWideU32, x, m.num(0x12345678))}, Size: 8, Space: ir.Generic})
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Scalar: true, Dst: pairs[0], Args: [4]ir.Ref{m.SConst(ir.B64, ir.LocalPTX+8)}, Size: 8, Space: ir.Generic})
			m.ins()
			sum := m.S(ir.Add64, m.S(ir.Add64, pairs[0], pairs[1]), m.S(ir.Pack64, highs[0], lows[1]))
			v := m.Vector("v", ir.B64)
			m.Emit(ir.Inst{Op: ir.Splat, Dst: v, Args: [4]ir.Ref{sum}})
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[0], x, 8), v}, Size: 8, Space: ir.Global})
			f := m.endWave()
			mem := sim.NewMemory()
			out := mem.Add("out", make([]byte, 1024))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Values: []uint64{out.Base}})
			return fmt.Sprintln(end, out.Data[:64])
		})
	}
}
