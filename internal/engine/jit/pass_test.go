package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// together is a kernel that begins with loops and then stores. Waves begin in a coarsened
// body, as long as the kernel does not do anything that forbids it; some of these kernels do,
// in some wave, at some block.
type together struct {
	seed  uint64
	lanes int
	grid  uint32
	block [3]uint32
	bars  bool // a loop has barriers, and shared memory is used
}

// build builds the kernel; equal seeds give equal kernels.
func (c *together) build(t *testing.T) *ir.Func {
	r := rand.New(rand.NewPCG(c.seed, 7))
	b := newMaker(t, "together", c.lanes)
	b.Func().SharedStatic = 4096
	threads := uint64(c.block[0]) * uint64(c.block[1]) * uint64(c.block[2])
	num, ins, vec := b.num, b.ins, b.vec
	x, y, blk, lane, wave := vec("x"), vec("y"), vec("blk"), vec("lane"), vec("wave")
	b.Input(ir.ThreadIDX, x, 0)
	b.Input(ir.ThreadIDY, y, 0)
	b.Input(ir.LinearBlockID, blk, 0)
	b.Input(ir.LaneID, lane, 0)
	b.Input(ir.WaveID, wave, 0)
	list := b.values("in", "out")
	in, out := list[0], list[1]
	p, q, i, gid, at := b.Vector("p", ir.B1), b.Vector("q", ir.B1), vec("i"), vec("gid"), vec("at")
	wide := b.Vector("wide", ir.B64)
	ins()
	b.To(gid, ir.Add32, b.T(ir.Add32, x, b.T(ir.Mul32, y, num(uint64(c.block[0])))), b.T(ir.Mul32, blk, num(threads)))
	var v [4]ir.Ref
	begin := []ir.Ref{gid, blk, wave, lane, x, y}
	if r.IntN(2) == 0 {
		begin = []ir.Ref{blk, lane, y} // waves diverge later
	}
	for k := range v {
		v[k] = vec(fmt.Sprint("v", k))
		ins()
		b.To(v[k], ir.Add32, begin[r.IntN(len(begin))], num(uint64(r.IntN(1000))))
	}
	ins()
	b.To(wide, ir.CvtU64FromU32, gid)
	any := func() ir.Ref { return []ir.Ref{v[0], v[1], v[2], v[3], i, gid, num(r.Uint64N(1 << 32))}[r.IntN(7)] }
	address := func(of ir.Ref, n ir.Ref) ir.Ref { return b.place(of, n, 4) }
	tid := vec("tid")
	ins()
	b.To(tid, ir.Add32, x, b.T(ir.Mul32, y, num(uint64(c.block[0]))))
	shared := func(n ir.Ref) ir.Ref { return b.T(ir.Mul32, n, num(4)) }
	load := func() {
		if c.bars && r.IntN(3) > 0 {
			n := tid
			switch r.IntN(4) {
			case 0:
				n = num(uint64(r.IntN(int(threads))))
			case 1:
				n = b.T(ir.RemU32, b.T(ir.Add32, tid, num(uint64(c.lanes))), num(threads))
			case 2:
				n = b.T(ir.And32, i, num(31))
			}
			b.Emit(ir.Inst{Op: ir.Load, Dst: v[r.IntN(4)], Args: [4]ir.Ref{shared(n)}, Size: 4, Align: 4, Space: ir.Shared})
			return
		}
		from, n := in, gid
		switch r.IntN(11) {
		case 0, 1: // uniform in the block
			n = blk
		case 8, 9: // equal in some waves
			n = x
		case 10:
			n = y
		case 2:
			n = b.T(ir.And32, v[r.IntN(4)], num(63))
		case 3: // a value that other waves store
			from = out
		case 4:
			from, n = out, b.T(ir.RemU32, b.T(ir.Add32, gid, num(1)), num(threads*uint64(c.grid)))
		}
		b.Emit(ir.Inst{Op: ir.Load, Dst: v[r.IntN(4)], Args: [4]ir.Ref{address(from, n)}, Size: 4, Align: 4, Space: ir.Global})
	}
	// rare is a condition that holds in one wave of one block, or in one lane there.
	rare := func() {
		w := gid
		n := r.Uint64N(threads * uint64(c.grid))
		if r.IntN(3) == 0 {
			w, n = b.T(ir.ShrU32, gid, num(5)), n>>5
		}
		b.To(p, ir.EqU32, w, num(n))
	}
	step := func() {
		ins()
		d := v[r.IntN(4)]
		switch r.IntN(12) {
		case 0:
			b.To(d, ir.Mul32, any(), any())
		case 1:
			b.To(d, ir.AddF32, any(), any())
		case 2:
			b.To(d, ir.MinS32, any(), any())
		case 3:
			b.To(q, ir.LtU32, any(), any())
		case 4:
			b.To(d, ir.Sel32, q, any(), any())
		case 5:
			if c.lanes == 64 {
				b.To(d, ir.SubF32, any(), any())
				break
			}
			b.Emit(ir.Inst{Op: ir.ShflSync, Dst: d, Args: [4]ir.Ref{any(), num(1 << r.IntN(5)), num(31), num(0xffffffff)}, Imm: 3})
		case 6:
			b.To(wide, ir.Add64, wide, b.T(ir.MulWideU32, any(), any()))
		case 7:
			b.To(d, ir.CvtU32FromU64, b.T(ir.ShrU64, wide, num(uint64(r.IntN(40)))))
		case 8:
			b.Guard(q, r.IntN(2) > 0)
			b.To(d, ir.Xor32, any(), any())
			b.Guard(0, false)
		case 9:
			b.To(d, ir.DivU32, any(), any())
		default:
			b.To(d, ir.Add32, any(), any())
		}
	}
	kept := vec("kept")
	ins()
	b.To(kept, ir.Add32, v[r.IntN(4)], num(5))
	odd := r.IntN(3) == 0
	loads := r.IntN(3) == 0
	walks := r.IntN(3) == 0
	uneven := r.IntN(2) == 0
	ptr, by, bound := b.Vector("ptr", ir.B64), b.Vector("by", ir.B64), b.Vector("bound", ir.B32)
	loop := func(n uint64) {
		ins()
		b.To(i, ir.Mov32, num(0))
		ins()
		b.To(bound, ir.Mov32, num(n))
		if r.IntN(4) == 0 { // the number of iterations differs between waves, or almost
			ins()
			b.To(bound, ir.Add32, bound, b.T(ir.ShrU32, b.T(ir.And32, wave, num(uint64(1<<r.IntN(3)))), num(uint64(r.IntN(3)))))
		}
		if walks {
			ins()
			b.To(ptr, ir.Add64, in, b.T(ir.MulWideU32, []ir.Ref{gid, x, y}[r.IntN(3)], num(4)))
		}
		ins()
		b.To(by, ir.Mov64, b.Const(ir.B64, 4))
		again := b.NewLabel()
		b.Bind(again)
		late, to := v[r.IntN(4)], v[r.IntN(4)]
		if uneven {
			ins()
			b.To(to, ir.Add32, late, num(1))
		}
		for range 1 + r.IntN(8) {
			step()
		}
		if uneven { // from the second iteration on it differs between waves
			ins()
			b.To(late, ir.Add32, late, gid)
		}
		if walks {
			ins()
			b.Emit(ir.Inst{Op: ir.Load, Dst: v[r.IntN(4)], Args: [4]ir.Ref{ptr}, Size: 4, Align: 4, Space: ir.Global})
			ins()
			if !uneven {
				b.To(ptr, ir.Add64, ptr, b.Const(ir.B64, 4))
			} else {
				b.To(ptr, ir.Add64, ptr, by)
				ins()
				b.To(by, ir.Sub64, b.Const(ir.B64, 4), by)
			}
		}
		if r.IntN(4) == 0 { // whole waves take different paths, or all the same one
			past := b.NewLabel()
			ins()
			b.To(p, ir.LtU32, wave, num(uint64(r.IntN(10))))
			ins()
			b.Guard(p, r.IntN(2) > 0)
			b.Bra(past)
			b.Guard(0, false)
			step()
			b.Bind(past)
		}
		if loads && r.IntN(2) == 0 {
			ins()
			load()
		}
		if odd && r.IntN(2) == 0 {
			past := b.NewLabel()
			ins()
			rare()
			switch r.IntN(4) {
			case 0:
				ins()
				b.Guard(p, false)
				b.Emit(ir.Inst{Op: ir.Trap})
				b.Guard(0, false)
			case 1: // some lanes leave
				ins()
				b.Guard(p, false)
				b.Emit(ir.Inst{Op: ir.Exit})
				b.Guard(0, false)
			case 2: // out of range
				ins()
				b.Guard(p, false)
				b.Emit(ir.Inst{Op: ir.Load, Dst: v[0], Args: [4]ir.Ref{b.T(ir.CvtU64FromU32, num(64))}, Size: 4, Align: 4, Space: ir.Global})
				b.Guard(0, false)
			default:
				ins()
				b.Guard(p, true)
				b.Bra(past)
				b.Guard(0, false)
				step()
				b.Bind(past)
			}
		}
		b.next(i, bound, p, again)
	}
	rounds := func() uint64 {
		if r.IntN(8) == 0 {
			return uint64(1000 + r.IntN(1200)) // time slices end
		}
		return uint64(1 + r.IntN(40))
	}
	store := func() {
		ins()
		b.To(at, ir.Mov32, gid)
		if r.IntN(6) == 0 { // an address from which another wave loads
			b.To(at, ir.RemU32, b.T(ir.Add32, gid, num(uint64(c.lanes))), num(threads*uint64(c.grid)))
		}
		to := out
		if r.IntN(8) == 0 {
			to = in
		}
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{address(to, at), v[r.IntN(4)]}, Size: 4, Align: 4, Space: ir.Global})
		if r.IntN(3) == 0 { // the order of waves
			ins()
			b.Emit(ir.Inst{Op: ir.Atomic, Dst: v[r.IntN(4)], Args: [4]ir.Ref{b.T(ir.Add64, in, b.T(ir.MulWideU32, num(0), num(4))), num(1)}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
			ins()
			b.To(v[r.IntN(4)], ir.Xor32, any(), any())
		}
	}
	meet := func() {
		ins()
		b.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync)})
	}
	if c.bars {
		loads = r.IntN(4) > 0
		round, more := vec("round"), b.NewLabel()
		ins()
		b.To(round, ir.Mov32, num(0))
		b.Bind(more)
		for range 1 + r.IntN(2) {
			ins()
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{shared(tid), v[r.IntN(4)]}, Size: 4, Align: 4, Space: ir.Shared})
			meet()
			for range r.IntN(4) {
				ins()
				load()
			}
			if r.IntN(2) == 0 {
				loop(rounds() % 200)
			} else {
				for range 12 {
					step()
				}
				ins()
				load()
			}
			if r.IntN(8) > 0 {
				meet()
			}
			if r.IntN(3) == 0 {
				loop(rounds()) // time slices end
			}
			if r.IntN(3) == 0 {
				store()
			}
		}
		b.next(round, num(2+r.Uint64N(5)), p, more)
	}
	for range 3 {
		if loads {
			ins()
			load()
		}
	}
	loop(rounds())
	if r.IntN(2) == 0 {
		loop(rounds())
	}
	store()
	if r.IntN(3) == 0 {
		meet()
	}
	if r.IntN(2) == 0 {
		loop(rounds())
	}
	for k := range v {
		ins()
		b.To(v[0], ir.Add32, b.T(ir.Mul32, v[0], num(31)), v[k])
	}
	ins()
	b.To(v[0], ir.Add32, b.T(ir.Xor32, v[0], kept), b.T(ir.CvtU32FromU64, wide))
	store()
	b.store(address(out, gid), v[0], ir.Global)
	return b.finish()
}

// run returns all results of a run, as text.
func (c *together) run(t *testing.T, e sim.Engine, f *ir.Func) string {
	n := 4 * int(c.grid*c.block[0]*c.block[1]*c.block[2])
	mem := sim.NewMemory()
	in := mem.Add("in", make([]byte, n+4*64))
	for i := range in.Data {
		in.Data[i] = byte(i * 37)
	}
	out := mem.Add("out", make([]byte, n))
	end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{c.grid, 1, 1}, Block: c.block, Memory: mem, Values: []uint64{in.Base, out.Base}, Checks: sim.Checks{Hints: true}})
	return fmt.Sprintln(end, in.Data, out.Data)
}

func TestPasses(t *testing.T) {
	testPasses(t, false, func(n *native) int { return int(n.passAt) })
}

// TestPassesBehindBarriers: waves continue in a coarsened body after barriers.
func TestPassesBehindBarriers(t *testing.T) {
	testPasses(t, true, func(n *native) (some int) {
		for i := range n.exits {
			some |= int(n.exits[i].Coarse)
		}
		return some
	})
}

// testPasses compares kernels, some of which have coarsened bodies.
func testPasses(t *testing.T, bars bool, has func(*native) int) {
	t.Parallel()
	n := uint64(400)
	if testing.Short() {
		n = 16
	}
	passes := map[string]int{}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 8))
		c := &together{seed: seed, lanes: 32 << r.IntN(2), grid: 8, block: [3]uint32{uint32(32 * (2 + r.IntN(8))), 1, 1}, bars: bars}
		switch r.IntN(6) {
		case 0:
			c.block[0] += uint32(r.IntN(32)) // the last wave is partial
		case 1:
			c.block = [3]uint32{16, uint32(1 + r.IntN(12)), 1}
		case 2, 3: // waves share rows or columns
			c.block = [3]uint32{uint32(32 * (1 + r.IntN(4))), uint32(1 + r.IntN(8)), 1}
		case 4:
			c.block = [3]uint32{uint32(8 * (1 + r.IntN(16))), uint32(2 + r.IntN(6)), 1}
		}
		f := c.build(t)
		want := c.run(t, interp.Engine{Portable: true}, f)
		for tier, e := range tierEngines(t) {
			got := c.run(t, e, f)
			l := &sim.Launch{Func: f, Grid: [3]uint32{c.grid, 1, 1}, Block: c.block}
			p, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			k, err := e.kernel(f, p.(*Program).key(l))
			if err != nil {
				t.Fatal(err)
			}
			pass := has(k.native)
			if pass != 0 {
				passes[tier.String()]++
			}
			if got != want {
				k.native.passAt = 0
				at := 0
				for got[:at] == want[:at] {
					at++
				}
				at = max(at-20, 0)
				t.Errorf("%+v, %s, passes %v, alone the same: %v\ngot  ...%.100s\nwant ...%.100s", *c, tier, pass != 0, c.run(t, e, f) == want, got[at:], want[at:])
			}
		}
	}
	for tier, k := range passes {
		if k < int(n)/16 {
			t.Errorf("%s: of %d kernels %d have passes", tier, n, k)
		}
	}
	t.Log(passes)
}

// TestPassUnknown: waves load the values that the wave before stores, by an operation whose
// addresses machine code does not know. It ends the block runner, and waves begin alone. The
// same loop on memory that is never stored runs in a coarsened body.
func TestPassUnknown(t *testing.T) {
	t.Parallel()
	const block, grid = 256, 4
	for _, stored := range []bool{true, false} {
		m := newMaker(t, "unknown", 32)
		list := m.values("in", "out", "other")
		x, blk, gid, v, sum, i, p := m.vec("x"), m.vec("blk"), m.vec("gid"), m.vec("v"), m.vec("sum"), m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, x, 0)
		m.Input(ir.LinearBlockID, blk, 0)
		m.ins()
		m.To(gid, ir.Mad32, blk, m.num(block), x)
		top := m.NewLabel()
		m.Bind(top)
		m.load(v, m.place(list[0], gid, 4), ir.Global)
		m.ins()
		m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(3)), v)
		m.next(i, m.num(5), p, top)
		m.ins()
		to, far := list[0], uint64(1<<33)
		if !stored {
			to, far = list[2], 0
		}
		// The words of the next wave come after the wave's own.
		m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.T(ir.Sub64, m.place(to, m.T(ir.Add32, gid, m.num(32)), 4), m.Const(ir.B64, far)), sum}, Size: 4, Align: 4, Space: ir.Global, Imm: far})
		m.store(m.place(list[1], gid, 4), sum, ir.Global)
		f := m.finish()
		agree(t, fmt.Sprint("stored ", stored), func(e sim.Engine) string {
			const n = 4 * (grid*block + 32)
			mem := sim.NewMemory()
			in, out, other := mem.Add("in", noise(n)), mem.Add("out", make([]byte, n)), mem.Add("other", make([]byte, n))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base, other.Base}})
			return fmt.Sprintln(end, in.Data, out.Data, other.Data)
		})
		for tier, e := range tierEngines(t) {
			k := translated(t, e, f, &sim.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}})
			if !stored && k.native.passAt == 0 {
				t.Errorf("%s: there is no pass", tier)
			}
		}
	}
}

// TestPassExec: with EXEC, the coarsened body keeps EXEC and the count of lanes separately
// for every wave, also in successive blocks.
func TestPassExec(t *testing.T) {
	t.Parallel()
	step := uint64(1)
	if testing.Short() {
		step = 5
	}
	for seed := uint64(0); seed < 64; seed += step {
		bars := seed >= 40 // waves also continue after barriers
		r := rand.New(rand.NewPCG(seed, 9))
		b := ir.NewBuilder("exec", 64)
		f := b.Func()
		off := b.Reserve(8)
		all := b.View("all", ir.B64, true, off)
		exec := b.View("exec", ir.B1, false, off)
		b.Input(ir.ActiveMask0, all, 0)
		f.Exec = exec
		line := 0
		ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
		num := func(x uint64) ir.Ref { return b.Const(ir.B32, x) }
		x, blk, v, gid := b.Vector("x", ir.B32), b.Vector("blk", ir.B32), b.Vector("v", ir.B32), b.Vector("gid", ir.B32)
		out, p := b.Vector("out", ir.B64), b.Vector("p", ir.B1)
		i, more := b.Scalar("i", ir.B32), b.Scalar("more", ir.B1)
		b.Input(ir.ThreadIDX, x, 0)
		b.Input(ir.LinearBlockID, blk, 0)
		b.Input(ir.LaunchValue, out, 0)
		// Two registers, and both as one value: they stay in memory. Their contents may be
		// equal in several waves.
		off = b.Reserve(8)
		pair, low, high := b.View("pair", ir.B64, true, off), b.View("low", ir.B32, true, off), b.View("high", ir.B32, true, off+4)
		given := []ir.InputKind{ir.WaveID, ir.BlockIDX}[r.IntN(2)]
		b.Input(given, []ir.Ref{low, high}[r.IntN(2)], 0)
		words := func() {
			for range r.IntN(4) {
				d, a := low, high
				if r.IntN(2) == 0 {
					d, a = high, low
				}
				ins()
				switch r.IntN(4) {
				case 0:
					b.To(d, ir.Add32, a, b.SConst(ir.B32, r.Uint64N(100)))
				case 1:
					b.To(d, ir.Mul32, d, b.SConst(ir.B32, 5))
				case 2:
					b.To(pair, ir.Add64, pair, b.SConst(ir.B64, r.Uint64N(1<<40)))
				default:
					y := b.Splat(d)
					b.Guard(exec, false)
					b.To(v, ir.Xor32, v, y)
					b.Guard(0, false)
				}
			}
		}
		ins()
		b.To(gid, ir.Mad32, blk, num(256), x)
		narrow := func() {
			of, below := gid, uint64(100+r.IntN(156))
			if bars { // other ones each time
				of, below = b.T(ir.Add32, v, gid), 250
			}
			ins()
			b.To(p, ir.LtU32, b.T(ir.And32, b.T(ir.Mul32, of, num(2654435761)), num(255)), num(below))
			ins()
			b.To(exec, ir.AndP, exec, p)
		}
		inside := r.IntN(2) == 0
		f.SharedStatic = 1024
		shared := func(op ir.Op, n, v ir.Ref) {
			in := ir.Inst{Op: op, Dst: v, Args: [4]ir.Ref{b.T(ir.Mul32, b.T(ir.And32, n, num(255)), num(4))}, Size: 4, Align: 4, Space: ir.Shared}
			if op == ir.Store {
				in.Dst, in.Args[1] = 0, v
			}
			ins()
			b.Guard(exec, false)
			b.Emit(in)
			b.Guard(0, false)
		}
		u := b.Vector("u", ir.B32)
		loop := func(rounds ir.Ref) {
			ins()
			b.To(i, ir.Mov32, b.SConst(ir.B32, 0))
			again := b.NewLabel()
			b.Bind(again)
			ins()
			b.Guard(exec, false)
			b.To(v, ir.Add32, b.T(ir.Mul32, v, num(5)), gid)
			b.Guard(0, false)
			words()
			if bars {
				shared(ir.Load, b.T(ir.Add32, x, num(64)), u)
				ins()
				b.Guard(exec, false)
				b.To(v, ir.Xor32, v, u)
				b.Guard(0, false)
			}
			if inside {
				narrow()
			}
			ins()
			b.To(i, ir.Add32, i, b.SConst(ir.B32, 1))
			ins()
			b.To(more, ir.LtU32, i, rounds)
			ins()
			b.SBra(again, more, false)
		}
		store := func() {
			ins()
			b.Guard(exec, false)
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.Add64, out, b.T(ir.MulWideU32, gid, num(4))), v}, Size: 4, Align: 4, Space: ir.Global})
			b.Guard(0, false)
		}
		words()
		loop(b.SConst(ir.B32, 3+seed))
		narrow()
		loop(b.SConst(ir.B32, 3+seed))
		wave := b.Scalar("wave", ir.B32)
		b.Input(ir.WaveID, wave, 0)
		if bars {
			loop(wave)
			j, again := b.Scalar("j", ir.B32), b.NewLabel()
			ins()
			b.To(j, ir.Mov32, b.SConst(ir.B32, 0))
			b.Bind(again)
			shared(ir.Store, x, v)
			ins()
			b.Emit(ir.Inst{Op: ir.WaveBar})
			loop(b.SConst(ir.B32, 3+seed))
			ins()
			b.Emit(ir.Inst{Op: ir.WaveBar})
			ins()
			b.To(j, ir.Add32, j, b.SConst(ir.B32, 1))
			ins()
			b.To(more, ir.LtU32, j, b.SConst(ir.B32, 4))
			ins()
			b.SBra(again, more, false)
		}
		store()
		if r.IntN(2) == 0 { // the waves run different numbers of instructions
			loop(wave)
			store()
		}
		ins()
		b.Emit(ir.Inst{Op: ir.EndWave})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		run := func(e sim.Engine) string {
			mem := sim.NewMemory()
			out := mem.Add("out", make([]byte, 4*40*256))
			end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{40, 1, 1}, Block: [3]uint32{256, 1, 1}, Memory: mem, Values: []uint64{out.Base}, Checks: sim.Checks{Hints: true}})
			return fmt.Sprintln(end, out.Data)
		}
		want := run(interp.Engine{Portable: true})
		for tier, e := range tierEngines(t) {
			if got := run(e); got != want {
				t.Errorf("seed %d, %s:\ngot  %.300s\nwant %.300s", seed, tier, got, want)
			}
			p, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			l := &sim.Launch{Func: f, Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{256, 1, 1}}
			if k, err := e.kernel(f, p.(*Program).key(l)); bars {
				if err != nil || !slices.ContainsFunc(k.native.exits, func(e abi.Exit) bool { return e.Coarse != 0 }) {
					t.Errorf("seed %d, %s: there is no pass behind a barrier (%v)", seed, tier, err)
				}
			} else if err != nil || k.native.passAt == 0 || !k.native.rows && given == ir.WaveID {
				t.Errorf("seed %d, %s: there is no pass, or no row of blocks (%v)", seed, tier, err)
			}
		}
	}
}

// TestPassWaves: a value that lives only between two successive instructions takes no
// registers from other waves.
func TestPassWaves(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} { // each wave has its own number
		passWaves(t, own)
	}
}

func passWaves(t *testing.T, own bool) {
	b := newMaker(t, "sums", 32)
	tid, v, w, i, p := b.vec("tid"), b.vec("v"), b.vec("w"), b.vec("i"), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, tid, 0)
	out := b.values("out")[0]
	b.ins()
	b.To(v, ir.CvtF32FromU32, b.T(ir.And32, tid, b.num(7)))
	b.ins()
	b.To(w, ir.Mov32, b.num(5))
	if own {
		b.ins()
		b.To(w, ir.And32, b.T(ir.ShrU32, tid, b.num(5)), b.num(3))
	}
	b.ins()
	b.To(i, ir.Mov32, b.num(0))
	again := b.NewLabel()
	b.Bind(again)
	for d := uint64(16); d > 0; d /= 2 {
		x := b.vec("x")
		b.ins()
		b.Emit(ir.Inst{Op: ir.ShflSync, Dst: x, Args: [4]ir.Ref{v, b.num(d), b.num(31), b.num(1<<32 - 1)}, Imm: 3})
		b.ins()
		b.To(v, ir.Add32, v, x)
	}
	b.ins()
	b.To(v, ir.Add32, b.T(ir.Mul32, v, w), b.T(ir.And32, tid, b.num(3)))
	b.next(i, b.num(9), p, again)
	b.store(b.place(out, tid, 4), v, ir.Global)
	f := b.finish()
	launch := func() (*sim.Launch, *sim.Alloc) {
		mem := sim.NewMemory()
		buf := mem.Add("out", make([]byte, 4*256))
		return &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{256, 1, 1}, Memory: mem, Values: []uint64{buf.Base}, Checks: sim.Checks{Hints: true}}, buf
	}
	run := func(e sim.Engine) string {
		l, buf := launch()
		return fmt.Sprintln(ended(t, e, f, l), buf.Data)
	}
	want := run(interp.Engine{Portable: true})
	for tier, e := range tierEngines(t) {
		if got := run(e); got != want {
			t.Errorf("%s:\ngot  %.300s\nwant %.300s", tier, got, want)
		}
		c, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := launch()
		l.Func = f
		if k, err := e.kernel(f, c.(*Program).key(l)); err != nil || k.native.passAt == 0 || k.native.together != 8 && !(own && tier == isa.AVX2) {
			t.Errorf("%s, own %v: %d waves in a pass (%v)", tier, own, k.native.together, err)
		}
	}
}
