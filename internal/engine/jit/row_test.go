package jit

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// row is a kernel of successive blocks that run without Go until one does something unusual:
// lanes exit early or diverge, a wave uses up its time slice, loads from elsewhere, or
// faults.
type row struct {
	grid, block [3]uint32
	workers     int
	exec        bool   // EXEC selects lanes
	exits       bool   // some lanes of every wave exit early
	parts       bool   // lanes repeat a loop different numbers of times
	loop        bool   // waves begin with a loop, in one coarsened body
	long        uint64 // a thread of the grid, plus 1, that takes many time slices; 0: none
	stray, trap uint64 // threads in the same form: one that loads from elsewhere, and one that faults
	counted     bool   // one lane of every 32 counts itself in global memory
	heavy, spin uint64 // from this block on, plus 1, waves repeat a loop, spin times; 0: none
	words       int    // with EXEC: number of additional words in memory
	clocked     bool   // waves read their clocks
	watched     bool   // observers look at all waves
	loud        int    // the watcher that is not calm, plus 1; 0: none
}

func (c *row) threads() uint64 {
	return uint64(c.block[0]) * uint64(c.block[1]) * uint64(c.block[2])
}

func (c *row) build(t *testing.T) *ir.Func {
	lanes := 32
	if c.exec {
		lanes = 64
	}
	b := ir.NewBuilder("row", lanes)
	b.Func().MeetAnywhere = true
	line := 0
	ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
	num := func(x uint64) ir.Ref { return b.Const(ir.B32, x) }
	vec := func(name string) ir.Ref { return b.Vector(name, ir.B32) }
	tid, x, y, linear, gid, sum, v, i, p := vec("tid"), vec("x"), vec("y"), vec("linear"), vec("gid"), vec("sum"), vec("v"), vec("i"), b.Vector("p", ir.B1)
	out, other := b.Vector("out", ir.B64), b.Vector("other", ir.B64)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.BlockIDX, x, 0)
	b.Input(ir.BlockIDY, y, 0)
	b.Input(ir.LinearBlockID, linear, 0)
	b.Input(ir.LaunchValue, out, 0)
	b.Input(ir.LaunchValue, other, 1)
	var exec ir.Ref
	if c.exec {
		off := b.Reserve(8)
		exec = b.View("exec", ir.B1, false, off)
		b.Input(ir.ActiveMask0, b.View("all", ir.B64, true, off), 0)
		b.Func().Exec = exec
	}
	guard := func(p ir.Ref) ir.Ref { // for the active lanes
		if c.exec {
			return b.T(ir.AndP, p, exec)
		}
		return p
	}
	ins()
	b.To(gid, ir.Add32, tid, b.T(ir.Mul32, linear, num(c.threads())))
	b.To(sum, ir.Add32, b.T(ir.Mul32, x, num(3)), b.T(ir.Mul32, y, num(1000)))
	if c.loop {
		n, more, again, k := i, p, b.NewLabel(), num
		if c.exec {
			n, more, k = b.Scalar("rounds", ir.B32), b.Scalar("again", ir.B1), func(x uint64) ir.Ref { return b.SConst(ir.B32, x) }
		}
		ins()
		b.To(n, ir.Mov32, k(5))
		b.Bind(again)
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(7)), gid)
		ins()
		b.To(n, ir.Sub32, n, k(1))
		ins()
		b.To(more, ir.NeU32, n, k(0))
		if c.exec {
			b.SBra(again, more, false)
		} else {
			b.Guard(more, false)
			b.Bra(again)
			b.Guard(0, false)
		}
	}
	if c.exits {
		ins()
		b.To(p, ir.NeU32, b.T(ir.And32, b.T(ir.Mul32, gid, num(7)), num(12)), num(4))
		ins()
		if c.exec {
			b.To(exec, ir.AndP, exec, p)
		} else {
			b.Guard(p, true)
			b.Emit(ir.Inst{Op: ir.Exit})
			b.Guard(0, false)
		}
	}
	if c.parts && !c.exec {
		ins()
		b.To(i, ir.And32, gid, num(3))
		again := b.NewLabel()
		b.Bind(again)
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(31)), gid)
		ins()
		b.To(i, ir.Add32, i, num(1<<32-1))
		ins()
		b.To(p, ir.LtS32, i, num(4))
		b.To(p, ir.AndP, p, b.T(ir.GtS32, i, num(0)))
		b.Guard(p, false)
		b.Bra(again)
		b.Guard(0, false)
	}
	if c.watched {
		ins()
		made := 0
		b.Func().NewObserver = func() ir.Observer {
			made++
			return &watcher{calm: made != c.loud}
		}
		b.Func().Observed = map[uint64]ir.Observed{7: {}}
		b.Emit(ir.Inst{Op: ir.Observe, Scalar: true, Imm: 7})
	}
	at := func(n uint64) ir.Ref { return b.T(ir.EqU32, gid, num(n-1)) }
	if c.long > 0 && !c.exec {
		ins()
		b.To(i, ir.Sel32, at(c.long), num(40000), num(1))
		again := b.NewLabel()
		b.Bind(again)
		ins()
		b.To(i, ir.Add32, i, num(1<<32-1))
		ins()
		b.To(p, ir.NeU32, i, num(0))
		ins()
		b.Guard(p, false)
		b.Bra(again)
		b.Guard(0, false)
	}
	if c.stray > 0 {
		ins()
		b.To(p, ir.EqU32, gid, num(c.stray-1))
		b.Guard(guard(b.T(ir.EqU32, num(0), num(0))), false)
		b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{b.T(ir.Sel64, p, other, out)}, Size: 4, Align: 4, Space: ir.Global})
		b.Guard(0, false)
		ins()
		b.To(sum, ir.Add32, sum, b.T(ir.And32, v, num(0x40000000)))
	}
	tally := func() {
		ins()
		b.Guard(guard(b.T(ir.EqU32, b.T(ir.And32, tid, num(31)), num(1))), false)
		b.Emit(ir.Inst{Op: ir.Atomic, Dst: vec("number"), Args: [4]ir.Ref{b.T(ir.Add64, other, b.Const(ir.B64, 8)), num(1)}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
		b.Guard(0, false)
	}
	if c.counted {
		tally()
	}
	if c.heavy > 0 {
		ins()
		past, again := b.NewLabel(), b.NewLabel()
		q, n, k := p, i, num
		if c.exec {
			q, n, k = b.Scalar("more", ir.B1), b.Scalar("n", ir.B32), func(x uint64) ir.Ref { return b.SConst(ir.B32, x) }
			linear = b.Scalar("first", ir.B32)
			b.Input(ir.LinearBlockID, linear, 0)
		}
		branch := func(l ir.Label) {
			ins()
			if c.exec {
				b.SBra(l, q, false)
				return
			}
			b.Guard(q, false)
			b.Bra(l)
			b.Guard(0, false)
		}
		b.To(q, ir.LtU32, linear, k(c.heavy-1))
		branch(past)
		ins()
		b.To(n, ir.Mov32, k(0))
		b.Bind(again)
		ins()
		b.To(n, ir.Add32, n, k(1))
		ins()
		b.To(q, ir.LtU32, n, k(c.spin))
		branch(again)
		b.Bind(past)
		tally()
	}
	for k := range c.words { // two registers, and both as one value: they stay in memory
		off := b.Reserve(8)
		pair, low, high := b.View("pair", ir.B64, true, off), b.View("low", ir.B32, true, off), b.View("high", ir.B32, true, off+4)
		ins()
		b.To(low, ir.Add32, high, b.SConst(ir.B32, uint64(k+3)))
		ins()
		b.To(pair, ir.Add64, pair, b.SConst(ir.B64, 7<<32|5))
		ins()
		y := b.Splat(low)
		b.Guard(exec, false)
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(3)), y)
		b.Guard(0, false)
	}
	if c.clocked {
		ins()
		b.Guard(guard(b.T(ir.EqU32, num(0), num(0))), false)
		b.Emit(ir.Inst{Op: ir.Clock, Dst: v})
		b.Guard(0, false)
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, num(5)), v)
	}
	if c.trap > 0 {
		ins()
		b.To(p, ir.EqU32, gid, num(c.trap-1))
		b.Guard(guard(p), false)
		b.Emit(ir.Inst{Op: ir.Trap})
		b.Guard(0, false)
	}
	ins()
	if c.exec {
		b.Guard(exec, false)
	}
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.Add64, out, b.T(ir.MulWideU32, gid, num(4))), sum}, Size: 4, Align: 4, Space: ir.Global})
	b.Guard(0, false)
	ins()
	if c.exec {
		b.Emit(ir.Inst{Op: ir.EndWave})
	} else {
		b.Emit(ir.Inst{Op: ir.Exit})
	}
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run returns all results of a run, as text.
func (c *row) run(t *testing.T, e sim.Engine) string {
	f := c.build(t)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	out := mem.Add("out", make([]byte, 4*uint64(c.grid[0])*uint64(c.grid[1])*uint64(c.grid[2])*c.threads()))
	other := mem.Add("other", []byte{1, 2, 3, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	l := &sim.Launch{Func: f, Program: p, Grid: c.grid, Block: c.block, Memory: mem, Values: []uint64{out.Base, other.Base}, Workers: max(c.workers, 1), Checks: sim.Checks{Hints: true}, Hooks: sim.Hooks{Ended: new(atomic.Uint64)}}
	st, list, err := sim.Run(context.Background(), l)
	if err != nil && c.workers > 1 {
		return fmt.Sprintln(err) // other blocks may have run or not
	}
	st.CalledOut, st.Native = 0, 0
	seen := ""
	for _, d := range list {
		seen += fmt.Sprintf("%d times in %d blocks; ", d.Count, d.Blocks)
	}
	return seen + fmt.Sprintln(st, l.Ended.Load(), list, err, out.Data, other.Data)
}

func TestRows(t *testing.T) {
	t.Parallel()
	wide, block := [3]uint32{150, 1, 1}, [3]uint32{128, 1, 1}
	cases := []row{
		{grid: wide, block: block, counted: true},
		{grid: [3]uint32{7, 5, 3}, block: block, counted: true},
		{grid: wide, block: [3]uint32{72, 1, 1}, counted: true},
		{grid: wide, block: block, exits: true, counted: true},
		{grid: wide, block: block, parts: true, counted: true},
		{grid: wide, block: block, exits: true, parts: true, workers: 2},
		{grid: wide, block: block, exits: true, long: 77*128 + 70, counted: true},
		{grid: wide, block: block, parts: true, stray: 100*128 + 70, counted: true},
		{grid: wide, block: block, exits: true, trap: 101*128 + 71, counted: true},
		{grid: wide, block: block, loop: true, counted: true},
		{grid: wide, block: block, loop: true, long: 77*128 + 6, counted: true}, // the other waves of its coarsened body begin again
		{grid: wide, block: block, loop: true, exits: true, long: 77*128 + 6, counted: true},
		{grid: wide, block: block, loop: true, stray: 100*128 + 6, counted: true},
		{grid: wide, block: block, loop: true, exits: true, stray: 100*128 + 6, counted: true},
		{grid: wide, block: block, loop: true, trap: 100*128 + 6, counted: true},
		{grid: wide, block: block, stray: 100*128 + 70, counted: true, watched: true},
		{grid: wide, block: block, counted: true, clocked: true},
		{grid: wide, block: block, counted: true, heavy: 100, spin: 2000}, // every block has new time slices
		{grid: wide, block: block, stray: 100*128 + 70, counted: true, watched: true, loud: 2},
		{grid: [3]uint32{1000, 1, 1}, block: [3]uint32{32, 1, 1}, trap: 700*32 + 3, workers: 2},
		{grid: [3]uint32{1000, 1, 1}, block: [3]uint32{32, 1, 1}, long: 300*32 + 3, workers: 3},
	}
	for _, c := range slices.Clone(cases) {
		if c.exec = true; c.workers == 0 {
			cases = append(cases, c)
		}
	}
	for words := range abi.MaxParts + 3 { // EXEC is one of them
		cases = append(cases, row{grid: wide, block: block, exec: true, words: words, counted: true})
	}
	for i := range cases {
		if !short.Every(i, 4) {
			continue
		}
		c := &cases[i]
		want := c.run(t, interp.Engine{Portable: true})
		for tier, e := range tierEngines(t) {
			if got := c.run(t, e); got != want {
				t.Errorf("%+v, %s:\ngot  %.700s\nwant %.700s", *c, tier, got, want)
			}
			if c.clocked {
				continue
			}
			f := c.build(t)
			p, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			if k, err := e.kernel(f, p.(*Program).key(&sim.Launch{Func: f, Grid: c.grid, Block: c.block})); err != nil || k.native.rows != (c.words < abi.MaxParts) {
				t.Errorf("%+v, %s: it is not as expected whether blocks can follow each other (%v)", *c, tier, err)
			}
		}
	}
}
