package jit

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// turns is a kernel whose waves meet at barriers. The values that they find show that they have met, and
// that shared memory begins as 0. One thread may fault, or exit before the rest.
type turns struct {
	grid, block [3]uint32
	rounds      uint64
	spin        uint64 // iterations of a loop between barriers: large numbers use up time slices
	workers     int
	counted     bool   // all lanes count themselves in global memory
	trap, exit  uint64 // threads of the grid, plus 1; 0: none
	watched     bool   // observers look at all waves
	stray       uint64 // a thread of the grid, plus 1, that loads from elsewhere after a barrier; 0: none
	loud        int    // the watcher that is not calm, plus 1; 0: none
}

// watcher is an observer that reports Observe operations unless it is calm.
type watcher struct{ calm bool }

func (o *watcher) Start()     {}
func (o *watcher) Calm() bool { return o.calm }

func (o *watcher) At(imm uint64, frame []byte) []ir.Note {
	if o.calm {
		return nil
	}
	return []ir.Note{{Code: "watched", Args: [4]int32{int32(imm)}}}
}

func (o *watcher) Describe(n ir.Note) ir.NoteText {
	return ir.NoteText{Text: fmt.Sprint("seen ", n.Args[0])}
}

func (c *turns) threads() uint64 {
	return uint64(c.block[0]) * uint64(c.block[1]) * uint64(c.block[2])
}

func (c *turns) build(t *testing.T) *ir.Func {
	b := newMaker(t, "turns", 32)
	f := b.Func()
	f.SharedStatic = uint32(4 * c.threads())
	num, ins, vec := b.num, b.ins, b.vec
	x, y, z, blk, gid, sum, v, i, j, p := vec("x"), vec("y"), vec("z"), vec("blk"), vec("gid"), vec("sum"), vec("v"), vec("i"), vec("j"), b.Vector("p", ir.B1)
	for k, r := range []ir.Ref{x, y, z} {
		b.Input(ir.ThreadIDX+ir.InputKind(k), r, 0)
	}
	b.Input(ir.LinearBlockID, blk, 0)
	list := b.values("out", "count")
	out, count := list[0], list[1]
	ins()
	tid := b.T(ir.Add32, x, b.T(ir.Mul32, num(uint64(c.block[0])), b.T(ir.Add32, y, b.T(ir.Mul32, z, num(uint64(c.block[1]))))))
	b.To(gid, ir.Add32, tid, b.T(ir.Mul32, blk, num(c.threads())))
	at := vec("at")
	b.To(at, ir.Mul32, b.T(ir.Sub32, gid, b.T(ir.Mul32, blk, num(c.threads()))), num(4))
	if c.exit > 0 {
		ins()
		b.To(p, ir.EqU32, gid, num(c.exit-1))
		ins()
		b.Guard(p, false)
		b.Emit(ir.Inst{Op: ir.Exit})
		b.Guard(0, false)
	}
	again := b.NewLabel()
	b.Bind(again)
	ins()
	if c.watched {
		made := 0
		f.NewObserver = func() ir.Observer {
			made++
			return &watcher{calm: made != c.loud}
		}
		f.Observed = map[uint64]ir.Observed{7: {}}
		b.Emit(ir.Inst{Op: ir.Observe, Scalar: true, Imm: 7})
	}
	b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Shared})
	ins()
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, b.T(ir.Add32, v, b.T(ir.Add32, gid, num(1)))}, Size: 4, Align: 4, Space: ir.Shared})
	tally := func() {
		if c.counted {
			ins()
			b.Emit(ir.Inst{Op: ir.Atomic, Dst: vec("number"), Args: [4]ir.Ref{count, num(1)}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
		}
	}
	tally()
	ins()
	b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(31)), v)
	if c.spin > 0 {
		ins()
		b.To(j, ir.Mov32, num(0))
		loop := b.NewLabel()
		b.Bind(loop)
		ins()
		b.To(sum, ir.Add32, sum, j)
		b.next(j, num(c.spin), p, loop)
		tally()
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(7)), v)
	}
	b.barrier()
	ins() // of a thread of another wave
	other := b.T(ir.RemU32, b.T(ir.Add32, at, num(4*37)), num(4*c.threads()))
	b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{other}, Size: 4, Align: 4, Space: ir.Shared})
	ins()
	b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(3)), v)
	if c.stray > 0 {
		ins()
		b.To(p, ir.EqU32, gid, num(c.stray-1))
		ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{b.T(ir.Sel64, p, count, out)}, Size: 4, Align: 4, Space: ir.Global})
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(5)), v)
	}
	if c.trap > 0 {
		ins()
		b.To(p, ir.EqU32, gid, num(c.trap-1))
		ins()
		b.Guard(p, false)
		b.Emit(ir.Inst{Op: ir.Trap})
		b.Guard(0, false)
	}
	b.barrier()
	b.next(i, num(c.rounds), p, again)
	b.store(b.place(out, gid, 4), sum, ir.Global)
	return b.finish()
}

// run returns all results of a run, as text.
func (c *turns) run(t *testing.T, ctx context.Context, e sim.Engine, edit func(*sim.Launch)) string {
	f := c.build(t)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	blocks := uint64(c.grid[0]) * uint64(c.grid[1]) * uint64(c.grid[2])
	mem := sim.NewMemory()
	out := mem.Add("out", make([]byte, 4*blocks*c.threads()))
	count := mem.Add("count", make([]byte, 64))
	l := &sim.Launch{Func: f, Program: p, Grid: c.grid, Block: c.block, Memory: mem, Values: []uint64{out.Base, count.Base}, Workers: max(c.workers, 1), Checks: sim.Checks{Hints: true}, Hooks: sim.Hooks{Ended: new(atomic.Uint64)}}
	if edit != nil {
		edit(l)
	}
	st, list, err := sim.Run(ctx, l)
	if err != nil && c.workers > 1 {
		return fmt.Sprintln(err) // other blocks may have run or not
	}
	st.CalledOut, st.Native = 0, 0
	seen := ""
	for _, d := range list {
		seen += fmt.Sprintf("%d times in %d blocks; ", d.Count, d.Blocks)
	}
	return seen + fmt.Sprintln(st, l.Ended.Load(), list, err, out.Data, count.Data)
}

func TestRunBlock(t *testing.T) {
	t.Parallel()
	one := [3]uint32{1, 1, 1}
	cases := []turns{
		{grid: [3]uint32{9, 1, 1}, block: [3]uint32{128, 1, 1}, rounds: 3, counted: true},
		{grid: [3]uint32{5, 1, 1}, block: [3]uint32{72, 1, 1}, rounds: 2, counted: true}, // the last wave is partial
		{grid: [3]uint32{2, 3, 2}, block: [3]uint32{8, 5, 3}, rounds: 2, counted: true},
		{grid: [3]uint32{20, 1, 1}, block: [3]uint32{32, 1, 1}, rounds: 4, counted: true},
		{grid: [3]uint32{40, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 3, workers: 2},
		{grid: [3]uint32{3, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 3, counted: true, spin: 2000}, // time slices end in between
		{grid: [3]uint32{3, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 3, counted: true, spin: 6000},
		{grid: [3]uint32{3, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 6, counted: true, spin: 1800}, // and do not, because they begin again at barriers
		{grid: [3]uint32{7, 1, 1}, block: [3]uint32{128, 1, 1}, rounds: 3, counted: true, trap: 5*128 + 70},
		{grid: [3]uint32{40, 1, 1}, block: [3]uint32{128, 1, 1}, rounds: 3, workers: 2, trap: 25*128 + 70},
		{grid: [3]uint32{7, 1, 1}, block: [3]uint32{128, 1, 1}, rounds: 3, counted: true, exit: 4*128 + 70},
		{grid: [3]uint32{2, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 200, spin: 200}, // a block that runs for long
		{grid: [3]uint32{2, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 40, spin: 3000, counted: true},
		{grid: [3]uint32{2, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 200, spin: 700, counted: true},
		{grid: [3]uint32{9, 1, 1}, block: [3]uint32{160, 1, 1}, rounds: 3, stray: 5*160 + 70},
		{grid: [3]uint32{9, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 3, counted: true, watched: true},
		{grid: [3]uint32{9, 1, 1}, block: [3]uint32{96, 1, 1}, rounds: 3, counted: true, watched: true, loud: 2},
		{grid: one, block: [3]uint32{1, 1, 1}, rounds: 1, counted: true, exit: 1},
	}
	for i := range cases {
		c := &cases[i]
		want := c.run(t, context.Background(), interp.Engine{Portable: true}, nil)
		for tier, e := range tierEngines(t) {
			if got := c.run(t, context.Background(), e, nil); got != want {
				t.Errorf("%+v, %s:\ngot  %.700s\nwant %.700s", *c, tier, got, want)
			}
		}
	}
}

// TestRunBlockEnds ends runs from outside.
func TestRunBlockEnds(t *testing.T) {
	t.Parallel()
	c := &turns{grid: [3]uint32{1 << 12, 1, 1}, block: [3]uint32{64, 1, 1}, rounds: 2}
	many := &turns{grid: [3]uint32{1 << 17, 1, 1}, block: [3]uint32{64, 1, 1}, rounds: 2, workers: 2}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for tier, e := range tierEngines(t) {
		if got := c.run(t, gone, e, nil); !strings.Contains(got, "cancelled") {
			t.Errorf("%s: a cancelled run ends with %.200s", tier, got)
		}
		during, cancel := context.WithCancel(context.Background())
		defer cancel()
		ended, total := new(atomic.Uint64), uint64(many.grid[0])
		go func() {
			for ended.Load() < 100 {
				runtime.Gosched()
			}
			cancel()
		}()
		if got := many.run(t, during, e, func(l *sim.Launch) { l.Ended = ended }); !strings.Contains(got, "cancelled") && ended.Load() < total {
			t.Errorf("%s: a run that is cancelled after %d of %d blocks ends with %.200s", tier, ended.Load(), total, got)
		}
		small := &turns{grid: [3]uint32{1000, 1, 1}, block: [3]uint32{64, 1, 1}, rounds: 2}
		got := small.run(t, context.Background(), e, func(l *sim.Launch) { l.Limit = 5000 })
		if !strings.Contains(got, "5000 instructions were reached") {
			t.Errorf("%s: a limited run ends with %.200s", tier, got)
		}
	}
}

// TestRunBlockRest ends the block runner at a barrier, because a wave has exited before it, or
// because the time slice of the last wave, which opens it, is just used up. Otherwise the
// wave goes on with the rest of its time slice, and its clock is unchanged.
func TestRunBlockRest(t *testing.T) {
	t.Parallel()
	const block = 96
	run := func(e sim.Engine, gone, before, after uint64) string {
		m := newMaker(t, "rest", 32)
		list := m.values("out")
		tid, lane, wave, sum, v, i, p := m.vec("tid"), m.vec("lane"), m.vec("wave"), m.vec("sum"), m.vec("v"), m.vec("i"), m.Vector("p", ir.B1)
		blk := m.vec("blk")
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.LaneID, lane, 0)
		m.Input(ir.WaveID, wave, 0)
		m.Input(ir.LinearBlockID, blk, 0)
		mix := func() {
			m.ins()
			m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(31)), v)
		}
		clock := func() {
			m.ins()
			m.Emit(ir.Inst{Op: ir.Clock, Dst: v})
			mix()
		}
		spin := func(n uint64) {
			m.ins()
			m.To(i, ir.Mov32, m.num(0))
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.next(i, m.num(n), p, top)
		}
		end := m.NewLabel()
		m.ins()
		m.To(p, ir.EqU32, wave, m.num(gone))
		m.branch(p, end)
		clock()
		clock()
		spin(before)
		m.barrier()
		spin(after)
		clock()
		m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), sum, ir.Global)
		m.Bind(end)
		f := m.finish()
		mem := sim.NewMemory()
		out := mem.Add("out", make([]byte, 3*4*block))
		return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{out.Base}}), out.Data)
	}
	compare := func(gone, before, after uint64) {
		want := run(interp.Engine{Portable: true}, gone, before, after)
		for tier, e := range tierEngines(t) {
			if got := run(e, gone, before, after); got != want {
				t.Errorf("without wave %d, %d and %d rounds, %s:\ngot  %.700s\nwant %.700s", gone, before, after, tier, got, want)
			}
		}
	}
	compare(1, 3000, 3000)
	for n := uint64(sim.WaveQuantum/4 - 12); n <= sim.WaveQuantum/4; n++ { // an iteration costs 4
		compare(99, n, 1)
	}
}
