package jit

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestExitCell: the code deoptimises because an index wraps. The interpreter stores the
// extended index to private memory, and the code continues after a barrier. The loaded value
// is not affine then, although the code assumes that it is.
func TestExitCell(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "cell", 32)
		m.Func().LocalSize = 8
		list := m.values("in", "out")
		tid, wide, again := m.vec("tid"), m.Vector("wide", ir.B64), m.Vector("again", ir.B64)
		m.Input(ir.ThreadIDX, tid, 0)
		m.ins()
		m.To(wide, ir.CvtU64FromU32, m.T(ir.Mul32, tid, m.num(0x9e3779b1)))
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0), wide}})
		m.barrier()
		m.ins()
		m.Emit(ir.Inst{Op: ir.Load, Dst: again, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0)}})
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 8, Args: [4]ir.Ref{m.place(list[1], tid, 8), again}})
		return m.finish()
	})
}

// TestCellSteps loads values that lanes have stored to private memory: 64-bit numbers with
// any step from lane to lane. The first lanes do not take part.
func TestCellSteps(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine, step uint64) string {
		m := newMaker(t, "steps", 32)
		m.Func().LocalSize = 8
		out := m.values("out")[0]
		tid, again, p := m.vec("tid"), m.Vector("again", ir.B64), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		end := m.NewLabel()
		m.ins()
		x := m.T(ir.Add64, out, m.T(ir.Mul64, m.T(ir.CvtU64FromU32, tid), m.Const(ir.B64, step)))
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0), x}})
		m.ins()
		m.To(p, ir.LtU32, tid, m.num(5))
		m.branch(p, end)
		m.ins()
		m.Emit(ir.Inst{Op: ir.Load, Dst: again, Space: ir.Local, Size: 8, Args: [4]ir.Ref{m.num(0)}})
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 8, Args: [4]ir.Ref{m.place(out, tid, 8), again}})
		m.Bind(end)
		f := m.finish()
		mem := sim.NewMemory()
		a := mem.Add("out", make([]byte, 8*32))
		ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{a.Base}})
		for lane := range uint64(32) {
			want := a.Base + lane*step
			if lane < 5 {
				want = 0
			}
			if got := binary.LittleEndian.Uint64(a.Data[8*lane:]); got != want {
				t.Errorf("steps of %#x, %T: lane %d has %#x, want %#x", step, e, lane, got, want)
			}
		}
		return fmt.Sprint(a.Data)
	}
	for _, step := range []uint64{4, 1<<31 - 1, 1 << 31, 1<<32 + 12, 0x9e3779b97f4a7c15, 1 << 63, 1<<64 - 1<<31, 1<<64 - 1<<31 - 1, 1<<64 - 8} {
		agree(t, fmt.Sprintf("steps of %#x", step), func(e sim.Engine) string { return run(e, step) })
	}
}

// TestPoll: a wave loads, at one address for all lanes, a word that another worker changes
// all the time. The interpreter loads lane by lane, so lanes may read different values. If
// the code continues, it must not assume that they are equal.
func TestPoll(t *testing.T) {
	t.Parallel()
	const writes, rounds = 300_000, 3000
	build := func() *ir.Func {
		m := newMaker(t, "poll", 32)
		list := m.values("word", "out")
		tid, blk, i, x, v, odd, p := m.vec("tid"), m.vec("blk"), m.vec("i"), m.vec("x"), m.vec("v"), m.vec("odd"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.BlockIDX, blk, 0)
		load, end := m.NewLabel(), m.NewLabel()
		m.ins()
		m.To(p, ir.LtU32, m.num(0), blk)
		m.branch(p, load)
		top := m.NewLabel()
		m.Bind(top)
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 4, Align: 4, Flags: ir.Volatile, Args: [4]ir.Ref{list[0], i}})
		m.next(i, m.num(writes), p, top)
		m.ins()
		m.Bra(end)
		m.Bind(load)
		m.ins()
		m.Emit(ir.Inst{Op: ir.Load, Space: ir.Global, Size: 4, Align: 4, Flags: ir.Volatile, Dst: v, Args: [4]ir.Ref{list[0]}})
		m.ins()
		m.To(x, ir.Xor32, v, m.T(ir.Mul32, tid, tid))
		m.barrier() // ends time slices
		m.ins()
		m.To(odd, ir.Or32, odd, m.T(ir.Xor32, m.T(ir.Xor32, v, m.T(ir.Mul32, tid, tid)), x))
		m.next(i, m.num(rounds), p, load)
		m.store(m.place(list[1], m.T(ir.Mad32, blk, m.num(32), tid), 4), odd, ir.Global)
		m.Bind(end)
		return m.finish()
	}
	for tier := range tierEngines(t) {
		e, err := New(Options{Mode: Mode{Tier: tier, Eager: true, Scribble: true}})
		if err != nil {
			t.Fatal(err)
		}
		mem := sim.NewMemory()
		word, out := mem.Add("word", make([]byte, 4)), mem.Add("out", make([]byte, 4*96))
		ended(t, e, build(), &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{word.Base, out.Base}, Workers: 3})
		if slices.Max(out.Data) != 0 {
			t.Errorf("%s: what lanes have loaded is something else behind the barrier: %x", tier, out.Data)
		}
	}
}
