package jit

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
)

// walkCase is a loop over memory: a load address and a store address move by steps, and are
// sometimes set again.
type walkCase struct {
	lanes, block   int
	space          ir.Space
	uniform        bool     // all lanes have one address
	stride         int      // otherwise the step between lanes
	step, step2    int64    // of the two addresses; 0: the launch's step
	given          uint64   // the launch's step
	grows          bool     // the launch's step changes in the loop
	offs           [3]int   // offsets of two loads and a store
	size, align    [3]uint8 // the same
	trips          int
	start, start2  int64 // in the memory
	start3         int64 // the first address when it is set again
	rounds         int   // how often that happens, and the loop begins again
	seldom         bool  // it moves in a quarter of the iterations, under a guard, and not at first
	guarded, apart bool  // it moves under a guard, or lanes diverge in the loop
	volatile       bool  // an operation is called out
	double         bool  // the first address moves twice
}

const walkBytes = 1 << 14

func (c *walkCase) build(t *testing.T) *ir.Func {
	b := newMaker(t, "walk", c.lanes)
	k32 := func(x int) ir.Ref { return b.num(uint64(x)) }
	k64 := func(x int64) ir.Ref { return b.Const(ir.B64, uint64(x)) }
	ins := b.ins
	tid, cta := b.vec("tid"), b.vec("cta")
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.BlockIDX, cta, 0)
	list := b.values("data", "out", "given")
	data, out, given := list[0], list[1], list[2]
	p, q, i := b.Vector("p", ir.B64), b.Vector("q", ir.B64), b.Vector("i", ir.B32)
	sum, x, y, odd, pr, go_ := b.Vector("sum", ir.B32), b.Vector("x", ir.B64), b.Vector("y", ir.B64), b.Vector("odd", ir.B32), b.Vector("pr", ir.B1), b.Vector("go", ir.B1)
	place := func(off int64) ir.Ref {
		if c.uniform {
			return k64(off)
		}
		return b.T(ir.Add64, k64(off), b.T(ir.MulWideS32, b.T(ir.And32, tid, k32(c.lanes-1)), k32(c.stride)))
	}
	ins()
	b.To(q, ir.Add64, data, place(c.start2))
	j := b.Vector("j", ir.B32)
	ins()
	b.To(j, ir.Mov32, k32(0))
	ins()
	b.To(sum, ir.Mov32, tid)
	ins()
	b.To(odd, ir.Mov32, k32(0))
	round, top := b.NewLabel(), b.NewLabel()
	b.Bind(round)
	ins()
	b.To(p, ir.Add64, data, b.T(ir.Sel64, b.T(ir.EqU32, j, k32(0)), place(c.start), place(c.start3)))
	ins()
	b.To(i, ir.Mov32, k32(0))
	b.Bind(top)
	load := func(k int, d, a ir.Ref) {
		ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{a}, Size: c.size[k], Align: uint16(c.align[k]), Space: c.space, Imm: uint64(int64(c.offs[k]))})
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, k32(77)), b.T(ir.Lo32, d))
	}
	load(0, x, p)
	if c.apart {
		ins()
		b.To(pr, ir.EqU32, b.T(ir.And32, b.T(ir.Add32, tid, i), k32(3)), k32(1))
		skip := b.NewLabel()
		b.branch(pr, skip)
		load(1, y, p)
		b.Bind(skip)
	} else {
		load(1, y, p)
	}
	ins()
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{q, b.T(ir.Pack64, sum, i)}, Size: c.size[2], Align: uint16(c.align[2]), Space: c.space, Imm: uint64(int64(c.offs[2]))})
	if c.volatile {
		ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: odd, Args: [4]ir.Ref{data}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
	}
	move := func(a ir.Ref, step int64) {
		ins()
		if c.guarded {
			b.Guard(go_, false)
		}
		if step == 0 {
			b.To(a, ir.Add64, a, given)
		} else {
			b.To(a, ir.Add64, k64(step), a)
		}
		b.Guard(0, false)
	}
	ins()
	when := ir.NeU32
	if c.seldom {
		when = ir.EqU32
	}
	b.To(go_, when, b.T(ir.And32, i, k32(3)), k32(2))
	move(p, c.step)
	if c.double {
		load(1, y, p)
		move(p, c.step)
	}
	move(q, c.step2)
	if c.grows {
		ins()
		b.To(given, ir.Sub64, given, k64(8))
	}
	b.next(i, k32(c.trips), pr, top)
	b.next(j, k32(c.rounds), pr, round)
	b.store(b.place(out, b.T(ir.Mad32, cta, k32(c.block), tid), 4), sum, ir.Global)
	return b.finish()
}

func (c *walkCase) run(t *testing.T, e sim.Engine, f *ir.Func) (data, out []byte, end string) {
	mem := sim.NewMemory()
	a := mem.Add("data", noise(walkBytes))
	o := mem.Add("out", make([]byte, 2*c.block*4))
	return a.Data, o.Data, ended(t, e, f, &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{uint32(c.block), 1, 1}, Memory: mem, Values: []uint64{a.Base, o.Base, c.given}})
}

// TestInduction compares loops over memory, many of which end out of bounds, with the
// interpreter's.
func TestInduction(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	engines := tierEngines(t)
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	yes := func(n int) bool { return r.IntN(n) == 0 }
	walks := 0
	for n := range 500 {
		c := walkCase{lanes: pick(32, 32, 64), space: ir.Global, uniform: yes(2), stride: pick(4, 8, 4, -4, 16, 12), trips: pick(5, 40, 100, 300)}
		c.block = c.lanes*2 - pick(0, 0, 5)
		if yes(2) {
			c.space = ir.Generic
		}
		c.step, c.step2 = int64(pick(4, 8, 16, 128, 0, 0, -4, 6)), int64(pick(8, 4, 0, 128, 64))
		c.given = uint64(int64(pick(4, 8, 64, 128, 0, -8, 1, 1<<20, 1<<62)))
		c.grows, c.guarded, c.apart, c.volatile, c.double = yes(4), yes(4), yes(4), yes(6), yes(4)
		c.seldom = c.guarded && yes(2)
		c.rounds = pick(1, 2, 3)
		for k := range c.offs {
			c.offs[k] = pick(0, 0, 4, 8, 16, -8, 128, 1024)
			c.size[k] = uint8(pick(4, 4, 8))
			if k < 2 || c.space == ir.Global {
				c.align[k] = uint8(pick(4, int(c.size[k]), 1))
			}
		}
		c.start, c.start2 = int64(pick(256, 260, 512, 2, 0, 4, walkBytes-600)), int64(pick(256, 512, 1024, walkBytes-2048))
		c.start3 = int64(pick(256, 260, 0, 2, 4, walkBytes-600))
		if yes(3) { // the first access finds a limit that is too high for the second, larger one
			c.align = [3]uint8{1, 4, 1}
			c.size[1], c.offs[0], c.offs[1] = 4, pick(8, 16), pick(0, -8)
			c.start, c.step = 512, int64(pick(4, 8, 0, 0))
			c.given = uint64(pick(1, 2, 4, 8))
			c.rounds, c.trips, c.apart = 2, 5, false
		}
		want, wantOut, wantEnd := c.run(t, interp.Engine{Portable: true}, c.build(t))
		for tier, e := range engines {
			f := c.build(t)
			data, out, end := c.run(t, e, f)
			if end != wantEnd || !bytes.Equal(data, want) || !bytes.Equal(out, wantOut) {
				t.Fatalf("case %d, %s: %+v: ended with %s, want %s; memory equal: %v, results: %v", n, tier, c, end, wantEnd, bytes.Equal(data, want), bytes.Equal(out, wantOut))
			}
			k, _, err := new(scratch).assemble(f, webs.Geometry{Lanes: c.lanes, Block: [3]uint32{uint32(c.block), 1, 1}, Grid: [3]uint32{2, 1, 1}}, tier)
			if err != nil {
				t.Fatal(err)
			}
			walks += len(k.sel.Limits)
		}
	}
	if walks < 400 {
		t.Errorf("%d addresses that only move on were found", walks)
	}
}

// TestExitInduction deoptimises before an induction pointer is set to other memory, below its old
// place, and enters the code again after a barrier: the hoisted bounds check must be computed
// again.
func TestExitInduction(t *testing.T) {
	t.Parallel()
	aside(t, func() *ir.Func {
		m := newMaker(t, "walk", 32)
		list := m.values("in", "out")
		tid, at, i, j, v, sum, y := m.vec("tid"), m.Vector("at", ir.B64), m.vec("i"), m.vec("j"), m.vec("v"), m.vec("sum"), m.vec("y")
		p, odd := m.Vector("p", ir.B1), m.Vector("odd", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		outer, inner := m.NewLabel(), m.NewLabel()
		m.Bind(outer)
		m.ins() // in iteration 2 the sums wrap between the lanes
		far := m.T(ir.Add32, tid, m.T(ir.Mul32, j, m.num(0x7ffffffd)))
		m.To(y, ir.Lo32, m.T(ir.ShrU64, m.T(ir.CvtU64FromU32, far), m.num(3)))
		m.ins()
		m.To(odd, ir.EqU32, m.T(ir.And32, j, m.num(1)), m.num(1))
		m.ins()
		m.To(at, ir.Add64, m.T(ir.Sel64, odd, list[1], list[0]), m.T(ir.MulWideU32, m.T(ir.And32, tid, m.num(63)), m.num(4)))
		m.ins()
		m.To(i, ir.Mov32, m.num(0))
		m.Bind(inner)
		m.load(v, at, ir.Global)
		m.ins()
		m.To(at, ir.Add64, at, m.Const(ir.B64, 4))
		m.ins()
		m.To(sum, ir.Add32, m.T(ir.Mad32, sum, m.num(3), v), y)
		m.barrier()
		m.next(i, m.num(5), p, inner)
		m.next(j, m.num(4), p, outer)
		m.store(m.place(list[1], tid, 4), sum, ir.Global)
		return m.finish()
	})
}
