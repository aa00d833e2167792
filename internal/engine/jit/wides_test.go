package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestWides adds half-words in a loop, a += c; b = a; sum += b: an f32 of a that was computed
// before a is written is not that of b.
func TestWides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		add, mov ir.Op
		ty       ir.Type
	}{{"f16x2", ir.AddF16x2, ir.Mov32, ir.B32}, {"f16", ir.AddF16, ir.Mov16, ir.B16}, {"gcn f16", ir.VAddF16, ir.Mov16, ir.B16}} {
		agree(t, c.name, func(e sim.Engine) string {
			m := newMaker(t, "wides", 32)
			list := m.values("out", "in")
			tid, i, p := m.vec("tid"), m.vec("i"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, tid, 0)
			a, b, one, sum := m.Vector("a", c.ty), m.Vector("b", c.ty), m.Vector("c", c.ty), m.Vector("sum", c.ty)
			n := uint64(c.ty.Bytes())
			for k, d := range []ir.Ref{a, one} {
				m.ins()
				m.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{m.place(list[1], tid, n)}, Size: uint8(n), Align: uint16(n), Space: ir.Global, Imm: uint64(128 * k)})
			}
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.To(a, c.add, a, one)
			m.ins()
			m.To(b, c.mov, a)
			m.ins()
			m.To(sum, c.add, sum, b)
			m.next(i, m.num(3), p, top)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[0], tid, n), sum}, Size: uint8(n), Align: uint16(n), Space: ir.Global})
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[0], tid, n), b}, Size: uint8(n), Align: uint16(n), Space: ir.Global, Imm: 128})
			f := m.finish()
			mem := sim.NewMemory()
			in := make([]byte, 256)
			for k := range in {
				in[k] = byte(k % 2 * 0x3c) // 1
			}
			o, d := mem.Add("out", make([]byte, 256)), mem.Add("in", in)
			return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{o.Base, d.Base}}), o.Data)
		})
	}
}
