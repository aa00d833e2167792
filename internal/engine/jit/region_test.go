package jit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/sim"
)

// TestRegions has accesses of fewer lanes at first than later, of none or some of them, to
// memory that is smaller than the access of all lanes, is read-only, or has only been read.
// The region cached in the first iteration must not hide the effects of the next ones:
// faults, and the memory that is reported as written.
func TestRegions(t *testing.T) {
	t.Parallel()
	faults, ends := 0, 0
	for _, form := range []string{"one", "row", "any"} {
		for _, space := range []ir.Space{ir.Global, ir.Generic} {
			for _, store := range []bool{false, true} {
				for _, readOnly := range []bool{false, true} {
					for _, size := range []int{8, 64, 256} {
						for first := range 3 { // iterations: none, half of the lanes, all
							run := func(e sim.Engine) string {
								m := newMaker(t, "regions", 32)
								list := m.values("data", "table", "out")
								tid, x, i, lanes, go_, p := m.vec("tid"), m.vec("x"), m.vec("i"), m.vec("lanes"), m.Vector("go", ir.B1), m.Vector("p", ir.B1)
								m.Input(ir.ThreadIDX, tid, 0)
								top := m.NewLabel()
								m.Bind(top)
								idx := m.vec("idx")
								switch form {
								case "one":
									m.ins()
									m.To(idx, ir.Mov32, i)
								case "row":
									m.ins()
									m.To(idx, ir.Add32, tid, m.T(ir.Mul32, i, m.num(2)))
								default:
									m.load(idx, m.place(list[1], tid, 4), ir.Global)
								}
								m.ins()
								m.To(lanes, ir.Mul32, m.T(ir.Add32, i, m.num(uint64(first))), m.num(12))
								m.ins()
								m.To(go_, ir.LtU32, tid, lanes)
								m.load(x, list[0], space) // so it is the last one that was accessed
								m.ins()
								addr := m.place(list[0], idx, 4)
								m.Guard(go_, false)
								if store {
									m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, tid}, Size: 4, Align: 4, Space: space})
								} else {
									m.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{addr}, Size: 4, Align: 4, Space: space})
								}
								m.Guard(0, false)
								m.store(m.place(list[2], tid, 4), x, ir.Global)
								m.next(i, m.num(3), p, top)
								f := m.finish()
								mem := sim.NewMemory()
								mem.Add("before", make([]byte, 4096))
								table := make([]byte, 128)
								for k := range 32 {
									table[4*k] = byte(k * 5 % 32)
								}
								data, tab, out := mem.Add("data", noise(size)), mem.Add("table", table), mem.Add("out", make([]byte, 128))
								data.ReadOnly = readOnly
								mem.Add("behind", make([]byte, 4096))
								end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{data.Base, tab.Base, out.Base}})
								return fmt.Sprintln(end, data.Written(), tab.Written(), out.Written(), data.Data, out.Data)
							}
							want := run(interp.Engine{Portable: true})
							if want[:5] == "<nil>" {
								ends++
							} else {
								faults++
							}
							for tier, e := range tierEngines(t) {
								if got := run(e); got != want {
									t.Errorf("%s, %v, store %v, read-only %v, %d bytes, first %d, %s:\ngot  %.300s\nwant %.300s", form, space, store, readOnly, size, first, tier, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
	if faults < 50 || ends < 50 {
		t.Errorf("%d faults, %d ends", faults, ends)
	}
}

// TestExitApart deoptimises, because a sum wraps, while other lanes wait with values in
// registers.
func TestExitApart(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "aside", 32)
		list := m.values("in", "out")
		tid, v, w, y, p := m.vec("tid"), m.vec("v"), m.vec("w"), m.vec("y"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.load(v, m.place(list[0], tid, 4), ir.Global)
		m.ins()
		m.To(v, ir.Mul32, v, m.num(0x9e3779b1))
		m.ins()
		m.To(w, ir.Xor32, v, m.T(ir.Mul32, tid, m.num(77)))
		m.ins()
		m.To(p, ir.LtU32, m.num(15), m.T(ir.And32, tid, m.num(31)))
		l := m.NewLabel()
		m.branch(p, l)
		m.ins()
		m.To(y, ir.Lo32, m.T(ir.ShrU64, m.T(ir.CvtU64FromU32, m.T(ir.Add32, tid, m.num(1<<32-7))), m.num(3)))
		m.ins()
		m.To(w, ir.Add32, y, w)
		m.Bind(l)
		m.ins()
		m.To(v, ir.Add32, m.T(ir.Add32, v, y), m.T(ir.Mul32, w, m.num(3)))
		m.store(m.place(list[1], tid, 4), v, ir.Global)
		return m.finish()
	})
}

// TestExitSunk deoptimises between the computation of an address and a base+index access,
// which does not use it: the interpreter needs the address.
func TestExitSunk(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "late", 32)
		list := m.values("in", "out")
		tid, v, y, idx, addr := m.vec("tid"), m.vec("v"), m.vec("y"), m.vec("idx"), m.Vector("addr", ir.B64)
		m.Input(ir.ThreadIDX, tid, 0)
		m.load(idx, m.place(list[0], tid, 4), ir.Global)
		m.ins()
		m.To(idx, ir.And32, idx, m.num(63))
		m.ins()
		m.To(addr, ir.Add64, list[0], m.T(ir.MulWideU32, idx, m.num(4)))
		m.ins()
		m.To(y, ir.Lo32, m.T(ir.ShrU64, m.T(ir.CvtU64FromU32, m.T(ir.Add32, tid, m.num(1<<32-7))), m.num(3)))
		m.load(v, addr, ir.Global)
		m.ins()
		m.To(v, ir.Add32, v, y)
		m.store(m.place(list[1], tid, 4), v, ir.Global)
		return m.finish()
	})
}

// TestExitThenEnter deoptimises because an index wraps, and enters the code again after a
// barrier or where lanes have diverged. The extended index is not affine then, although the
// code derives it from the first lane.
func TestExitThenEnter(t *testing.T) {
	t.Parallel()
	for _, op := range []ir.Op{ir.CvtU64FromU32, ir.CvtS64FromS32} {
		for _, part := range []bool{false, true} {
			aside(t, func() *ir.Func {
				m := newMaker(t, "behind", 32)
				list := m.values("in", "out")
				tid, v, wide, p := m.vec("tid"), m.vec("v"), m.Vector("wide", ir.B64), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.load(v, m.place(list[0], tid, 4), ir.Global)
				m.ins()
				m.To(wide, op, m.T(ir.Add32, tid, m.num(1<<31-7)))
				if op == ir.CvtU64FromU32 {
					m.ins()
					m.To(wide, op, m.T(ir.Mul32, tid, m.num(0x9e3779b1)))
				}
				l := m.NewLabel()
				if part {
					m.ins()
					m.To(p, ir.EqU32, m.T(ir.And32, v, m.num(1)), m.num(0))
					m.branch(p, l)
				} else {
					m.barrier()
				}
				m.ins()
				m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 8, Args: [4]ir.Ref{m.place(list[1], tid, 8), wide}})
				m.Bind(l)
				return m.finish()
			})
		}
	}
}

// TestExitExec deoptimises with inactive lanes in EXEC, before an operation that switches
// off more lanes. The instructions count for the lanes that were active. If fault is set, the
// interpreter faults after it, in the same block.
func TestExitExec(t *testing.T) {
	t.Parallel()
	for _, fault := range []bool{false, true} {
		aside(t, func() *ir.Func {
			m := newMaker(t, "exec", 64)
			exec := m.exec()
			list := m.values("in", "out")
			tid, v, y, p := m.vec("tid"), m.vec("v"), m.vec("y"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, tid, 0)
			guarded := func(f func()) {
				m.Guard(exec, false)
				f()
				m.Guard(0, false)
			}
			only := func(op ir.Op, n uint64) {
				m.ins()
				m.To(p, op, tid, m.num(n))
				m.ins()
				m.To(exec, ir.AndP, exec, p)
			}
			lo, hi, again := m.vec("lo"), m.vec("hi"), m.vec("again") // an address in two registers
			m.ins()
			whole := m.place(list[0], tid, 4)
			guarded(func() {
				m.To(lo, ir.Lo32, whole)
				m.To(hi, ir.Hi32, whole)
			})
			guarded(func() { m.load(v, m.place(list[0], tid, 4), ir.Global) })
			only(ir.GtU32, 4)
			m.ins()
			guarded(func() { m.To(v, ir.Xor32, v, tid) })
			m.ins()
			wide := m.T(ir.CvtU64FromU32, m.T(ir.Add32, tid, m.num(1<<32-7)))
			low := m.T(ir.Lo32, m.T(ir.ShrU64, wide, m.num(3)))
			guarded(func() { m.To(y, ir.Mov32, low) })
			m.ins()
			guarded(func() { m.To(v, ir.Add32, v, y) })
			only(ir.LtU32, 50)
			m.ins()
			guarded(func() { m.To(v, ir.Mul32, v, m.num(3)) })
			only(ir.NeU32, 40)
			guarded(func() { m.load(again, m.T(ir.Pack64, lo, hi), ir.Global) })
			m.ins()
			guarded(func() { m.To(v, ir.Add32, v, again) })
			to := m.place(list[1], tid, 4)
			if fault {
				to = m.T(ir.ShlWrap64, to, m.num(1))
			}
			guarded(func() { m.store(to, v, ir.Global) })
			return m.endWave()
		})
	}
}

// aside runs a kernel for which machine code must deoptimise.
func aside(t *testing.T, build func() *ir.Func) {
	t.Helper()
	const threads = 128
	agree(t, "aside", func(e sim.Engine) string {
		mem := sim.NewMemory()
		in, out := mem.Add("in", noise(4*threads)), mem.Add("out", make([]byte, 8*threads))
		end := ended(t, e, build(), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}})
		return fmt.Sprintln(end, out.Data)
	})
	for tier, e := range tierEngines(t) {
		k := translated(t, e, build(), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1}})
		if !slices.ContainsFunc(k.native.exits, func(x abi.Exit) bool { return x.Kind == abi.ExitDeopt }) {
			t.Errorf("%s: the code is not left for good", tier)
		}
	}
}

// TestExitHalves deoptimises in some iteration of a loop in which an address of two
// registers is one 64-bit web: the interpreter finds both halves.
func TestExitHalves(t *testing.T) {
	t.Parallel()
	build := func() *ir.Func {
		m := newMaker(t, "halves", 64)
		exec := m.exec()
		list := m.values("in", "out")
		tid, lo, hi, v, y, sum := m.vec("tid"), m.vec("lo"), m.vec("hi"), m.vec("v"), m.vec("y"), m.vec("sum")
		i, far, more := m.Scalar("i", ir.B32), m.Scalar("far", ir.B32), m.Scalar("more", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		guarded := func(f func()) {
			m.Guard(exec, false)
			f()
			m.Guard(0, false)
		}
		set := func(whole ir.Ref) {
			guarded(func() {
				m.To(lo, ir.Lo32, whole)
				m.To(hi, ir.Hi32, whole)
			})
		}
		m.ins()
		set(m.place(list[0], m.T(ir.And32, m.T(ir.Mul32, tid, m.num(13)), m.num(63)), 4))
		top := m.NewLabel()
		m.Bind(top)
		m.ins() // in iteration 2 the sums wrap between the lanes
		m.To(far, ir.Mul32, i, m.SConst(ir.B32, 0x7ffffffd))
		m.ins()
		low := m.T(ir.Lo32, m.T(ir.ShrU64, m.T(ir.CvtU64FromU32, m.T(ir.Add32, tid, m.Splat(far))), m.num(3)))
		guarded(func() { m.To(y, ir.Mov32, low) })
		m.ins()
		at := m.T(ir.Pack64, lo, hi)
		guarded(func() {
			m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Global})
		})
		m.ins()
		set(m.T(ir.Add64, m.T(ir.Pack64, lo, hi), m.Const(ir.B64, 4)))
		m.ins()
		x := m.T(ir.Add32, m.T(ir.Mad32, sum, m.num(3), v), y)
		guarded(func() { m.To(sum, ir.Mov32, x) })
		m.ins()
		m.To(i, ir.Add32, i, m.SConst(ir.B32, 1))
		m.ins()
		m.To(more, ir.LtU32, i, m.SConst(ir.B32, 6))
		m.ins()
		m.SBra(top, more, false)
		guarded(func() { m.store(m.place(list[1], tid, 4), sum, ir.Global) })
		return m.endWave()
	}
	aside(t, build)
}

// TestExitNaN deoptimises after the last of some sums that are NaNs. The code does not
// canonicalise NaNs that are not visible, but the interpreter, which stores them, does.
func TestExitNaN(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "nan", 32)
		list := m.values("in", "out")
		tid, v, x, y, i, p := m.vec("tid"), m.vec("v"), m.vec("x"), m.vec("y"), m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.load(x, m.place(list[0], tid, 4), ir.Global)
		m.ins()
		m.To(x, ir.Or32, x, m.num(0x7fc00001))
		m.ins()
		m.To(v, ir.Mov32, m.num(0))
		top := m.NewLabel()
		m.Bind(top)
		m.ins()
		m.To(v, ir.AddF32, v, x)
		m.ins() // in the last iteration the sums wrap between the lanes
		far := m.T(ir.Add32, tid, m.T(ir.Mul32, i, m.num(0x7ffffffd)))
		m.To(y, ir.Lo32, m.T(ir.ShrU64, m.T(ir.CvtU64FromU32, far), m.num(3)))
		m.next(i, m.num(3), p, top)
		m.store(m.place(list[1], tid, 8), v, ir.Global)
		m.store(m.T(ir.Add64, m.place(list[1], tid, 8), m.Const(ir.B64, 4)), y, ir.Global)
		return m.finish()
	})
}

// freed is a kernel of which one lane stores to memory from malloc, by one instruction,
// before and after the memory is freed.
const freed = `.version 8.1
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry freed()
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p, %r1, 7;
	@%p bra DONE;
	call (%rd1), malloc, (64);
	mov.u32 %r2, 0;
LOOP:
	st.global.u32 [%rd1+4], %r2;
	setp.ne.u32 %p, %r2, 2;
	@%p bra ON;
	call free, (%rd1);
ON:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, 5;
	@%p bra LOOP;
DONE:
	ret;
}
`

// TestFreed: the code caches the region of an instruction's last store, but not if the memory
// may be freed while the kernel runs.
func TestFreed(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) string {
		return ended(t, e, lift(t, freed, "freed"), &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: sim.NewMemory(), Heap: 1 << 12})
	}
	want := run(interp.Engine{Portable: true})
	if !strings.Contains(want, "which was freed") {
		t.Fatal(want)
	}
	for tier, e := range tierEngines(t) {
		if got := run(e); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tier, got, want)
		}
	}
}

// TestExitBaseIndex extends an index that wraps, into a register with a varying web, because
// elsewhere it holds a loaded value. There is no check for that, so the sum directly after it
// is not affine. Another index makes the code deoptimise.
func TestExitBaseIndex(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "near", 32)
		list := m.values("in", "out")
		tid, width, wide, sum, p := m.vec("tid"), m.vec("width"), m.Vector("wide", ir.B64), m.Vector("sum", ir.B64), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.GridDimX, width, 0)
		end := m.NewLabel()
		m.ins()
		m.Emit(ir.Inst{Op: ir.Load, Dst: wide, Args: [4]ir.Ref{m.place(list[0], m.T(ir.And32, tid, m.num(31)), 8)}, Size: 8, Align: 4, Space: ir.Global})
		m.ins()
		m.To(p, ir.EqU32, width, m.num(77))
		m.branch(p, end)
		m.ins()
		m.To(wide, ir.CvtU64FromU32, m.T(ir.Mul32, tid, m.num(0x9e3779b1)))
		m.ins()
		m.To(sum, ir.Add64, wide, m.Const(ir.B64, 5))
		m.ins()
		m.To(sum, ir.Add64, sum, m.T(ir.CvtU64FromU32, m.T(ir.Add32, tid, m.num(1<<32-7))))
		m.Bind(end)
		m.ins()
		m.To(wide, ir.Xor64, wide, sum)
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 8, Args: [4]ir.Ref{m.place(list[1], tid, 8), wide}})
		return m.finish()
	})
}
