package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestChoiceWritten selects between the halves of two values, writes one of the values again
// in some lanes, packs both, and only then uses the selected halves: those of the old value.
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

// TestPartsOfAddresses loads at addresses that are packed from halves which no other
// operation reads.
func TestPartsOfAddresses(t *testing.T) {
	t.Parallel()
	const lanes = 32
	for _, c := range []string{"taken apart", "chosen", "chosen between addresses", "both"} {
		agree(t, c, func(e sim.Engine) string {
			m := newMaker(t, "parts", lanes)
			list := m.values("in", "out")
			tid, a, b, d := m.vec("tid"), m.vec("a"), m.vec("b"), m.vec("d")
			m.Input(ir.ThreadIDX, tid, 0)
			i, q, sum, top := m.vec("i"), m.Vector("q", ir.B1), m.vec("sum"), m.NewLabel()
			m.load(a, m.place(list[0], tid, 4), ir.Global)
			m.Bind(top)
			m.ins()
			m.To(a, ir.Add32, a, m.num(0x12345679))
			m.ins()
			any := func(mul uint64) ir.Ref {
				return m.T(ir.Add64, list[0], m.T(ir.MulWideU32, m.T(ir.And32, m.T(ir.Mul32, a, m.num(mul)), m.num(63)), m.num(4)))
			}
			x, y := any(5), any(7)
			x0, x1, y0, y1 := m.T(ir.Lo32, x), m.T(ir.Hi32, x), m.T(ir.Lo32, y), m.T(ir.Hi32, y)
			p := m.Vector("p", ir.B1)
			m.To(p, ir.LtU32, a, m.num(1<<31))
			at := func(lo, hi ir.Ref) ir.Ref { return m.T(ir.Pack64, lo, hi) }
			load := func(r, a ir.Ref) {
				m.Emit(ir.Inst{Op: ir.Load, Dst: r, Args: [4]ir.Ref{a}, Size: 4, Align: 4, Space: ir.Global})
			}
			switch c {
			case "taken apart":
				load(d, at(x0, x1))
			case "chosen":
				load(d, at(m.T(ir.Sel32, p, x0, y0), m.T(ir.Sel32, p, x1, y1)))
			default:
				// Halves of which no 64-bit number is known.
				x0, x1 = m.T(ir.Xor32, x0, m.num(4)), m.T(ir.Or32, x1, m.T(ir.And32, tid, m.num(1<<20)))
				y0, y1 = m.T(ir.Xor32, y0, m.num(4)), m.T(ir.Or32, y1, m.T(ir.And32, tid, m.num(1<<20)))
				load(d, at(x0, x1))
				load(b, at(y0, y1))
				s := at(m.T(ir.Sel32, p, x0, y0), m.T(ir.Sel32, p, x1, y1))
				if c == "both" {
					b = m.T(ir.Add32, m.T(ir.Mul32, b, m.num(3)), d)
					load(d, s)
				} else {
					s = m.T(ir.Mul64, s, m.Const(ir.B64, 3))
					d = m.T(ir.Xor32, d, m.T(ir.Xor32, m.T(ir.Lo32, s), m.T(ir.Hi32, s)))
				}
			}
			m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(5)), m.T(ir.Add32, b, d))
			m.next(i, m.num(4), q, top)
			m.store(m.place(list[1], tid, 4), sum, ir.Global)
			f := m.finish()
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(256)), mem.Add("out", make([]byte, 4*lanes))
			return ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}) + fmt.Sprint(out.Data)
		})
	}
}

// TestChoiceOfFew selects between two half-words by a predicate that is uniform in the
// running lanes and was written only for them: by the interpreter, or under a guard. The
// wave's first lanes have exited.
func TestChoiceOfFew(t *testing.T) {
	t.Parallel()
	for _, set := range []string{
		"bar.red.or.pred %q, 0, %p;",
		"setp.eq.u32 %q, %r3, 1; setp.eq.u32 %g, %r3, 2; @!%g setp.ne.u32 %q, %r3, 1;",
	} {
		text := `.version 8.1
.target sm_90
.address_size 64
.visible .entry few(.param .u64 out, .param .u32 n)
{
	.reg .pred %e, %p, %q, %g;
	.reg .b16 %h;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r3, [n];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	setp.lt.u32 %e, %r2, 16;
	@%e exit;
	setp.gt.u32 %p, %r2, 3;
	` + set + `
	selp.b16 %h, 5, 7, %q;
	cvt.u32.u16 %r4, %h;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	st.global.b32 [%rd1], %r4;
	ret;
}
`
		agree(t, set, func(e sim.Engine) string {
			mem := sim.NewMemory()
			out := mem.Add("out", make([]byte, 256))
			param := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, out.Base), 4)
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Param: param}
			return fmt.Sprintln(ended(t, e, lift(t, text, "few"), l), out.Data)
		})
	}
}
