package jit

import (
	"bytes"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestStepsGone extends a number that wraps between lanes, and cancels its steps in the same
// operation.
func TestStepsGone(t *testing.T) {
	t.Parallel()
	for _, op := range []ir.Op{ir.AddWideU32, ir.MadWideU32, ir.MadWideS32} {
		for _, n := range []uint64{0, 5, 0xfffffff0, 0x7ffffff0} {
			build := func() *ir.Func {
				b := newMaker(t, "k", 32)
				tid, v := b.vec("tid"), b.Vector("v", ir.B64)
				b.Input(ir.ThreadIDX, tid, 0)
				given := b.values("out", "n")
				b.ins()
				a := b.T(ir.Add32, tid, b.T(ir.Lo32, given[1]))
				back := b.T(ir.Sub64, b.Const(ir.B64, 0), b.T(ir.CvtU64FromU32, tid))
				if op == ir.AddWideU32 {
					b.To(v, op, a, back)
				} else {
					b.To(v, op, a, b.num(1), back)
				}
				b.ins()
				b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.place(given[0], tid, 8), v}, Size: 8, Align: 8, Space: ir.Global})
				return b.finish()
			}
			run := func(e sim.Engine) ([]byte, string) {
				mem := sim.NewMemory()
				out := mem.Add("out", make([]byte, 256))
				end := ended(t, e, build(), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{out.Base, n}})
				return out.Data, end
			}
			want, wantEnd := run(interp.Engine{})
			for tier, e := range tierEngines(t) {
				if got, end := run(e); !bytes.Equal(got, want) || end != wantEnd {
					t.Errorf("%s, %s, %#x: %s, want %s\n%x\n%x", tier, op, n, end, wantEnd, got, want)
				}
			}
		}
	}
}

// TestExtended16 extends 16-bit numbers that wrap from one lane to the next.
func TestExtended16(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		op   ir.Op
		name string
	}{{ir.CvtU32FromU16, "u32.u16"}, {ir.CvtS32FromS16, "s32.s16"}, {ir.MulWideU16, "mulu"}, {ir.MulWideS16, "muls"}} {
		for _, n := range []uint64{0, 5, 0xfff0, 0x7ff0, 0xfffffff0} {
			build := func() *ir.Func {
				b := newMaker(t, "k", 32)
				tid, v := b.vec("tid"), b.vec("v")
				b.Input(ir.ThreadIDX, tid, 0)
				given := b.values("out", "n")
				b.ins()
				a := b.T(ir.Add16, b.T(ir.Lo16, tid), b.T(ir.CvtU16FromU64, given[1]))
				if len(ir.Ops[x.op].Args) > 1 {
					b.To(v, x.op, a, b.Const(ir.B16, 3))
				} else {
					b.To(v, x.op, a)
				}
				b.ins()
				b.To(v, ir.Add32, v, b.num(1))
				b.store(b.place(given[0], tid, 4), v, ir.Global)
				return b.finish()
			}
			run := func(e sim.Engine) ([]byte, string) {
				mem := sim.NewMemory()
				out := mem.Add("out", make([]byte, 128))
				end := ended(t, e, build(), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{out.Base, n}})
				return out.Data, end
			}
			want, wantEnd := run(interp.Engine{})
			for tier, e := range tierEngines(t) {
				if got, end := run(e); !bytes.Equal(got, want) || end != wantEnd {
					t.Errorf("%s, %s, %#x: %s, want %s\n%x\n%x", tier, x.name, n, end, wantEnd, got, want)
				}
			}
		}
	}
}

// rowsExtended loads at a base plus four times an index that is affine in tile rows. The
// index is the first or the second factor.
func rowsExtended(t *testing.T, op ir.Op, second bool) *ir.Func {
	b := newMaker(t, "k", 32)
	x, y, tid, at := b.vec("x"), b.vec("y"), b.vec("tid"), b.vec("at")
	i, p, n, w := b.vec("i"), b.Vector("p", ir.B1), b.vec("m"), b.vec("w")
	v, from := b.Vector("v", ir.B64), b.Vector("f", ir.B64)
	b.Input(ir.ThreadIDX, x, 0)
	b.Input(ir.ThreadIDY, y, 0)
	given := b.values("out", "n", "width", "from", "in")
	b.ins()
	b.To(tid, ir.Mad32, y, b.num(16), x)
	b.ins()
	b.To(i, ir.Mov32, b.num(0))
	b.ins()
	b.To(n, ir.Mov32, b.num(0))
	b.ins()
	b.To(from, ir.Mov64, given[4])
	top := b.NewLabel()
	b.Bind(top) // in the first iteration Go finds the region of the memory
	b.ins()
	b.To(at, ir.Mad32, y, b.T(ir.Lo32, given[2]), b.T(ir.Add32, x, n))
	args := []ir.Ref{at, b.num(4)}
	if second {
		args = []ir.Ref{b.num(4), at}
	}
	if op == ir.MadWideU32 {
		args = append(args, from)
	}
	b.ins()
	b.To(v, op, args...)
	if op != ir.MadWideU32 {
		b.ins()
		b.To(v, ir.Add64, v, from)
	}
	b.load(w, v, ir.Global)
	b.store(b.place(given[0], tid, 4), w, ir.Global)
	b.ins()
	b.To(n, ir.Lo32, given[1])
	b.ins()
	b.To(from, ir.Mov64, given[3])
	b.next(i, b.num(2), p, top)
	return b.finish()
}

// TestRowsExtended multiplies indices that wrap inside a tile row, as the first or the second
// factor: the lanes after the wrap are far from the rest.
func TestRowsExtended(t *testing.T) {
	t.Parallel()
	for _, op := range []ir.Op{ir.MulWideU32, ir.MadWideU32, ir.MulWideS32} {
		for _, second := range []bool{false, true} {
			for _, n := range []uint64{0, 5, 0xfffffff8, 0x7ffffff8} {
				run := func(e sim.Engine) ([]byte, string) {
					mem := sim.NewMemory()
					in, out := mem.Add("in", noise(4096)), mem.Add("out", make([]byte, 256))
					from := in.Base - 4*n
					if op == ir.MulWideS32 {
						from = in.Base - uint64(4*int64(int32(n)))
					}
					end := ended(t, e, rowsExtended(t, op, second), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 2, 1}, Memory: mem, Values: []uint64{out.Base, n, 0, from, in.Base}})
					return out.Data, end
				}
				want, wantEnd := run(interp.Engine{})
				for tier, e := range tierEngines(t) {
					if got, end := run(e); !bytes.Equal(got, want) || end != wantEnd {
						t.Errorf("%s, %s, second %v, %#x: %s, want %s\n%x\n%x", tier, op, second, n, end, wantEnd, got, want)
					}
				}
			}
		}
	}
}
