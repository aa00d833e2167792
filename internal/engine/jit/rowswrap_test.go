package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestRowsWrap adds an extended index that wraps to a value that differs from tile row to
// tile row. In the first iteration of a loop it does not wrap, in the second one it does.
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

// TestCellRows is TestExitCell with a register whose other values are affine in tile rows.
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

// fewRows is a kernel with one address per tile row. The first lanes of rows exit, and the
// rest use their addresses.
const fewRows = `.version 8.1
.target sm_90
.address_size 64
.visible .entry few(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .pred %%e, %%g, %%h;
	.reg .b32 %%r<9>;
	.reg .b64 %%rd<6>;
	ld.param.u64 %%rd1, [in];
	ld.param.u64 %%rd2, [out];
	ld.param.u32 %%r3, [n];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%tid.y;
	mad.lo.u32 %%r4, %%r2, 16, %%r1;
	mul.wide.u32 %%rd3, %%r4, 4;
	add.s64 %%rd2, %%rd2, %%rd3;
	mov.u32 %%r7, 7;
	mul.lo.u32 %%r6, %%r2, %%r3;
	mul.wide.u32 %%rd4, %%r3, 8;
	setp.lt.u32 %%e, %%r1, 4;
	setp.eq.u32 %%g, %%r3, 2;
	setp.eq.u32 %%h, %%r3, 1;
	%s
	ld.global.u32 %%r7, [%%rd1];
L:
	st.global.b32 [%%rd2], %%r7;
	ret;
}
`

// TestFewRows: if the first lane of a tile row has exited, or is elsewhere, its register
// still has the value of its row.
func TestFewRows(t *testing.T) {
	t.Parallel()
	const address = "add.u32 %r6, %r6, %r1; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd1, %rd1, %rd3; "
	for _, how := range []string{
		address + "@%e exit; @!%g add.s64 %rd1, %rd1, %rd4;",
		address + "@%e exit; @!%g setp.eq.u32 %h, %r3, 5; @%h add.s64 %rd1, %rd1, %rd4;",
		"@%e bra L; add.u32 %r5, %r2, 1; fns.b32 %r5, 0x7f3, 0, %r5; mad.lo.u32 %r6, %r5, 7, %r6; " + address,
	} {
		agree(t, how, func(e sim.Engine) string {
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(4096)), mem.Add("out", make([]byte, 256))
			param := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in.Base), out.Base)
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 4, 1}, Memory: mem, Param: binary.LittleEndian.AppendUint32(param, 5)}
			return fmt.Sprintln(ended(t, e, lift(t, fmt.Sprintf(fewRows, how), "few"), l), out.Data)
		})
	}
}
