package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// lift returns the function of a kernel in PTX, for waves with fragments that merge where
// they can.
func lift(t testing.TB, text, name string) *ir.Func {
	t.Helper()
	m, list := ptx.Parse(t.Name()+".ptx", text)
	if list != nil {
		t.Fatal(list)
	}
	l, err := ptx.Lift(m, name)
	if err != nil {
		t.Fatal(err)
	}
	l.Func.Converge()
	return l.Func
}

// spinDone is a kernel in which some lanes exit while other lanes of their wave still spin
// for a lock. After the loop, which lanes leave one by one, they exchange words with an
// atomic operation. Its code differs if all lanes of a wave are known to be there.
const spinDone = `.version 8.1
.target sm_90
.address_size 64
.visible .entry spin(.param .u64 locks, .param .u64 sums, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<12>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [locks];
	ld.param.u64 %rd2, [sums];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	mul.lo.u32 %r6, %r5, 7;
	rem.u32 %r7, %r6, %r1;
	mul.wide.u32 %rd3, %r7, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
SPIN:
	atom.global.exch.b32 %r8, [%rd4], 1;
	setp.ne.b32 %p, %r8, 0;
	@%p bra SPIN;
	ld.volatile.global.b32 %r9, [%rd5];
	mad.lo.u32 %r10, %r9, 3, %r5;
	atom.global.exch.b32 %r11, [%rd4], 0;
	nanosleep.u32 1;
	nanosleep.u32 1;
	st.volatile.global.b32 [%rd5], %r10;
	ret;
}
`

// TestLateSpin enters the code at every time slice of a launch in which lanes have exited
// while other lanes spin. The lanes that were to come last may be the first to end. Code that
// relies on all lanes being there must not be entered.
func TestLateSpin(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) string {
		f := lift(t, spinDone, "spin")
		mem := sim.NewMemory()
		locks, sums := mem.Add("locks", make([]byte, 20)), mem.Add("sums", make([]byte, 20))
		param := make([]byte, 20)
		put := func(at int, x uint64, n int) {
			for i := range n {
				param[at+i] = byte(x >> (8 * i))
			}
		}
		put(0, locks.Base, 8)
		put(8, sums.Base, 8)
		put(16, 5, 4)
		end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{96, 1, 1}, Memory: mem, Param: param})
		return fmt.Sprintln(end, locks.Data, sums.Data)
	}
	want := run(interp.Engine{Portable: true})
	step := int64(1)
	if testing.Short() {
		step = 29
	}
	for tier := range tierEngines(t) {
		for after := int64(1); after < 1000; after += step {
			e, err := New(Options{Mode: Mode{Tier: tier, After: after}})
			if err != nil {
				t.Fatal(err)
			}
			if got := run(e); got != want {
				t.Fatalf("%s, after %d:\ngot  %s\nwant %s", tier, after, got, want)
			}
		}
	}
}

// late runs a function on engines that enter the code after a number of instructions, and
// expects the interpreter's results. native checks a property of the kernel without which the
// test would prove nothing.
func late(t *testing.T, build func() *ir.Func, blocks, block uint32, afters []int64, native func(k *Kernel) bool) {
	t.Helper()
	run := func(e sim.Engine, f *ir.Func) string {
		mem := sim.NewMemory()
		n := int(4 * blocks * block)
		in, out := mem.Add("in", noise(n)), mem.Add("out", make([]byte, n))
		end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}})
		return fmt.Sprintln(end, out.Data)
	}
	want := run(interp.Engine{Portable: true}, build())
	for tier, e := range tierEngines(t) {
		f := build()
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		k, err := e.kernel(f, p.(*Program).key(&sim.Launch{Func: f, Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{block, 1, 1}}))
		if err != nil {
			t.Fatal(err)
		}
		if !native(k) {
			t.Errorf("%s: the code is not what the test is about", tier)
		}
		for _, after := range afters {
			e, err := New(Options{Mode: Mode{Tier: tier, After: after}})
			if err != nil {
				t.Fatal(err)
			}
			if got := run(e, build()); got != want {
				t.Errorf("%s, after %d:\ngot  %.300s\nwant %.300s", tier, after, got, want)
			}
		}
	}
}

// TestLateApart enters waves whose lanes wait at several places, each with its own values; or
// at so many places that the code is not made for it, so that they must merge first.
func TestLateApart(t *testing.T) {
	t.Parallel()
	var places int
	build := func() *ir.Func {
		const values = 8
		m := newMaker(t, "apart", 32)
		list := m.values("in", "out")
		tid, lane, i, p := m.vec("tid"), m.vec("lane"), m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.LaneID, lane, 0)
		var v [values]ir.Ref
		for k := range v {
			v[k] = m.vec(fmt.Sprint("v", k))
			m.load(v[k], m.place(list[0], m.T(ir.Xor32, tid, m.num(uint64(k))), 4), ir.Global)
		}
		there := make([]ir.Label, places)
		for k := range there {
			there[k] = m.NewLabel()
			m.ins()
			m.To(p, ir.EqU32, lane, m.num(uint64(k*7%places)))
			m.branch(p, there[k])
			m.ins()
			m.To(v[k%values], ir.Add32, v[k%values], m.num(uint64(k)))
		}
		end := m.NewLabel()
		for k := range there {
			m.Bind(there[k])
			m.ins()
			m.To(i, ir.Mov32, m.num(0))
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.To(v[k%values], ir.Mad32, v[k%values], m.num(uint64(2*k+3)), v[(k+1)%values])
			m.next(i, m.num(3), p, top)
			m.ins()
			m.Bra(end)
		}
		m.Bind(end)
		for k := range v[1:] {
			m.ins()
			m.To(v[0], ir.Mad32, v[0], m.num(31), v[k+1])
		}
		m.store(m.place(list[1], tid, 4), v[0], ir.Global)
		return m.finish()
	}
	var afters []int64
	step := int64(11)
	if testing.Short() {
		step = 50
	}
	for n := int64(1); n < 400; n += step {
		afters = append(afters, n)
	}
	for _, places = range []int{12, 60} {
		late(t, build, 1, 32, afters, func(k *Kernel) bool { return k.native.alone == (places == 60) })
	}
}

// TestLateExec enters waves in which EXEC has inactive lanes. A value that the code has once
// for all lanes was written by the interpreter for the active lanes only.
func TestLateExec(t *testing.T) {
	t.Parallel()
	build := func() *ir.Func {
		m := newMaker(t, "exec", 64)
		f := m.Func()
		off := m.Reserve(8)
		bits := m.View("exec", ir.B64, true, off)
		exec := m.View("exec", ir.B1, false, off)
		m.Input(ir.ActiveMask0, bits, 0)
		f.Exec = exec
		tid, v, sum := m.vec("tid"), m.vec("v"), m.vec("sum")
		list := m.values("in", "out")
		i, x, more := m.Scalar("i", ir.B32), m.Scalar("x", ir.B32), m.Scalar("more", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		guarded := func(d ir.Ref, op ir.Op, args ...ir.Ref) {
			m.ins()
			m.Guard(exec, false)
			m.To(d, op, args...)
			m.Guard(0, false)
		}
		guarded(v, ir.Mov32, m.num(77))
		guarded(sum, ir.Add32, tid, v)
		some := m.Vector("some", ir.B1)
		m.ins()
		m.To(some, ir.LtU32, m.num(23), tid)
		m.ins()
		m.To(exec, ir.AndP, exec, some)
		m.ins()
		m.To(x, ir.Mov32, m.SConst(ir.B32, 5))
		m.ins()
		m.To(i, ir.Mov32, m.SConst(ir.B32, 0))
		top := m.NewLabel()
		m.Bind(top)
		m.ins()
		y := m.Splat(x)
		m.Guard(exec, false)
		m.To(v, ir.Mov32, y) // inactive lanes keep their values
		m.Guard(0, false)
		m.ins()
		m.To(x, ir.Add32, x, m.SConst(ir.B32, 9))
		again := m.NewLabel()
		j := m.Scalar("j", ir.B32)
		m.ins()
		m.To(j, ir.Mov32, m.SConst(ir.B32, 0))
		m.Bind(again)
		guarded(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(3)), v)
		m.ins()
		m.To(j, ir.Add32, j, m.SConst(ir.B32, 1))
		m.ins()
		m.To(more, ir.LtU32, j, m.SConst(ir.B32, 9000))
		m.ins()
		m.SBra(again, more, false)
		m.ins()
		m.To(i, ir.Add32, i, m.SConst(ir.B32, 1))
		m.ins()
		m.To(more, ir.LtU32, i, m.SConst(ir.B32, 3))
		m.ins()
		m.SBra(top, more, false)
		m.ins()
		m.Guard(exec, false)
		m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[1], tid, 4), sum}, Size: 4, Align: 4, Space: ir.Global})
		m.Guard(0, false)
		return m.endWave()
	}
	late(t, build, 1, 64, []int64{1, 20_000, 60_000}, func(k *Kernel) bool {
		for i := range k.native.fills {
			switch o := &k.native.fills[i]; o.Kind {
			case abi.Splat, abi.Single, abi.Base:
				if o.konst == 0 {
					return true
				}
			}
		}
		return false
	})
}

// TestLateRows enters waves with values that are affine in tile rows, after the first lane of
// every tile row exited before these were computed.
func TestLateRows(t *testing.T) {
	t.Parallel()
	build := func() *ir.Func {
		m := newMaker(t, "rows", 32)
		list := m.values("in", "out")
		tid, width, idx, v, sum, i, p := m.vec("tid"), m.vec("width"), m.vec("idx"), m.vec("v"), m.vec("sum"), m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.GridDimX, width, 0)
		end, top := m.NewLabel(), m.NewLabel()
		m.ins()
		m.To(p, ir.EqU32, m.T(ir.And32, tid, m.num(15)), m.num(0))
		m.branch(p, end)
		m.ins()
		x, y := m.T(ir.And32, tid, m.num(15)), m.T(ir.ShrU32, tid, m.num(4))
		m.To(idx, ir.Add32, x, m.T(ir.Mul32, y, m.T(ir.Add32, width, m.num(9))))
		m.Bind(top)
		m.load(v, m.place(list[0], idx, 4), ir.Global)
		m.ins()
		m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(3)), v)
		m.barrier() // ends time slices
		m.next(i, m.num(20), p, top)
		m.store(m.place(list[1], tid, 4), sum, ir.Global)
		m.Bind(end)
		return m.finish()
	}
	late(t, build, 2, 64, []int64{1, 30, 100, 150}, func(k *Kernel) bool {
		for i := range k.native.fills {
			if o := &k.native.fills[i]; o.even == rowsOnly && o.Kind == abi.Unit {
				return true
			}
		}
		return false
	})
}

// TestLateHalves enters waves of which the code has a number of two registers in one web; at
// an exit it writes both halves.
func TestLateHalves(t *testing.T) {
	t.Parallel()
	build := func() *ir.Func {
		m := newMaker(t, "halves", 64)
		exec := m.exec()
		list := m.values("in", "out")
		tid, lo, hi, v, sum := m.vec("tid"), m.vec("lo"), m.vec("hi"), m.vec("v"), m.vec("sum")
		i, more := m.Scalar("i", ir.B32), m.Scalar("more", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		set := func(whole ir.Ref) {
			m.Guard(exec, false)
			m.To(lo, ir.Lo32, whole)
			m.To(hi, ir.Hi32, whole)
			m.Guard(0, false)
		}
		m.ins()
		set(m.place(list[0], m.T(ir.And32, m.T(ir.Mul32, tid, m.num(13)), m.num(63)), 4))
		top := m.NewLabel()
		m.Bind(top)
		m.ins()
		at := m.T(ir.Pack64, lo, hi)
		m.Guard(exec, false)
		m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Global})
		m.Guard(0, false)
		m.ins()
		next := m.T(ir.Add64, m.T(ir.Pack64, lo, hi), m.Const(ir.B64, 4))
		set(next)
		m.ins()
		y := m.T(ir.Add32, m.T(ir.Mul32, sum, m.num(3)), v)
		m.Guard(exec, false)
		m.To(sum, ir.Mov32, y)
		m.Guard(0, false)
		m.barrier() // ends time slices
		m.ins()
		m.To(i, ir.Add32, i, m.SConst(ir.B32, 1))
		m.ins()
		m.To(more, ir.LtU32, i, m.SConst(ir.B32, 20))
		m.ins()
		m.SBra(top, more, false)
		m.ins()
		m.Guard(exec, false)
		m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.place(list[1], tid, 4), sum}, Size: 4, Align: 4, Space: ir.Global})
		m.Guard(0, false)
		return m.endWave()
	}
	late(t, build, 1, 128, []int64{1, 30, 100, 150}, func(k *Kernel) bool {
		for i := range k.native.fills {
			if k.native.fills[i].high != 0 {
				return true
			}
		}
		return false
	})
}
