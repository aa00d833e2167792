package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
)

// nearCase is a loop of accesses at a base, which the launch gives for each iteration, plus
// an index for each lane, from a table.
type nearCase struct {
	lanes, block, pieces int
	space                ir.Space
	size                 uint8
	align                uint16
	form                 string
	signed               bool
	shift                uint
	imm                  int
	guarded, store       bool
	moved                string // the register that is written between address and access: "", "index", "base"
	same                 bool   // the load overwrites the index
	twice                bool   // one address, two accesses
	bases                []int64
	bad                  int // lane and iteration of an index that is out of bounds or misaligned
	wild                 int64
}

const (
	nearBytes  = 4096
	nearRounds = 5
)

func (c *nearCase) build(t *testing.T) *ir.Func {
	b := newMaker(t, "near", c.lanes)
	b.Func().SharedStatic = nearBytes
	k32, ins := b.num, b.ins
	tid := b.vec("tid")
	b.Input(ir.ThreadIDX, tid, 0)
	given := b.values("data", "out", "table", "bases")
	out, table, bases := given[1], given[2], given[3]
	if c.space == ir.Shared {
		ins()
		v := b.T(ir.Mul32, b.T(ir.Add32, tid, k32(77)), k32(0x9e3779b1))
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.CvtU64FromU32, b.T(ir.Mul32, tid, k32(8))), b.T(ir.Pack64, v, v)}, Size: 8, Space: ir.Shared})
	}
	i, sum, idx, base, low, high := b.Vector("i", ir.B32), b.Vector("sum", ir.B32), b.Vector("idx", ir.B32), b.Vector("base", ir.B64), b.Vector("low", ir.B32), b.Vector("high", ir.B32)
	p, go_, addr := b.Vector("p", ir.B1), b.Vector("go", ir.B1), b.Vector("addr", ir.B64)
	ins()
	b.To(i, ir.Mov32, k32(0))
	ins()
	b.To(sum, ir.Mov32, tid)
	top := b.NewLabel()
	b.Bind(top)
	ins()
	row := b.T(ir.Add32, b.T(ir.Mul32, i, k32(uint64(c.block))), tid)
	b.Emit(ir.Inst{Op: ir.Load, Dst: idx, Args: [4]ir.Ref{b.T(ir.Add64, table, b.T(ir.MulWideU32, row, k32(8)))}, Size: 4, Space: ir.Global})
	ins()
	flag := b.Vector("flag", ir.B32)
	b.Emit(ir.Inst{Op: ir.Load, Dst: flag, Args: [4]ir.Ref{b.T(ir.Add64, table, b.T(ir.MulWideU32, row, k32(8)))}, Size: 4, Space: ir.Global, Imm: 4})
	ins()
	b.To(p, ir.NeU32, flag, k32(0))
	ins()
	b.Emit(ir.Inst{Op: ir.Load, Dst: base, Args: [4]ir.Ref{b.T(ir.Add64, bases, b.T(ir.MulWideU32, i, k32(8)))}, Size: 8, Space: ir.Global})
	ins()
	b.To(low, ir.Lo32, base)
	ins()
	b.To(high, ir.Hi32, base)
	wide, ext := ir.MulWideU32, ir.CvtU64FromU32
	if c.signed {
		wide, ext = ir.MulWideS32, ir.CvtS64FromS32
	}
	times := k32(1 << c.shift)
	ins()
	switch c.form {
	case "mul":
		b.To(addr, ir.Add64, base, b.T(wide, idx, times))
	case "add":
		b.To(addr, ir.Add64, b.T(wide, times, idx), base)
	case "mad":
		op := ir.MadWideU32
		if c.signed {
			op = ir.MadWideS32
		}
		b.To(addr, op, idx, times, base)
	case "shl":
		b.To(addr, ir.Add64, base, b.T(ir.Shl64, b.T(ext, idx), k32(uint64(c.shift))))
	default: // in halves
		upper := k32(0)
		if c.signed {
			upper = b.T(ir.ShrS32, idx, k32(31))
		}
		l, h := idx, upper
		if c.shift > 0 || c.signed {
			d := b.T(ir.ShlWrap64, b.T(ir.Pack64, idx, upper), k32(uint64(c.shift)))
			l, h = b.T(ir.Lo32, d), b.T(ir.Hi32, d)
		}
		carry := b.T(ir.AddC32, low, l)
		if c.guarded {
			carry = b.T(ir.AndP, carry, p)
		}
		lo := b.T(ir.Add32, low, l)
		b.To(addr, ir.Pack64, lo, b.T(ir.Addc32, high, h, carry))
	}
	switch c.moved {
	case "index":
		ins()
		b.To(idx, ir.Add32, idx, k32(1))
	case "base":
		ins()
		b.To(base, ir.Add64, base, b.Const(ir.B64, 8))
		ins()
		b.To(low, ir.Add32, low, k32(8))
	}
	typ := ir.B32
	if c.size == 8 {
		typ = ir.B64
	}
	guard := func() {
		if c.guarded {
			b.Guard(p, false)
		}
	}
	access := func(store bool) {
		ins()
		guard()
		for k := range c.pieces {
			in := ir.Inst{Args: [4]ir.Ref{addr}, Size: c.size, Align: c.align, Space: c.space, Imm: uint64(int64(c.imm + k*int(c.size)))}
			if k > 0 {
				in.Align = min(c.align, uint16(c.size))
			}
			if store {
				in.Op = ir.Store
				in.Args[1] = sum
				if typ == ir.B64 {
					in.Args[1] = b.T(ir.Pack64, sum, tid)
				}
			} else {
				in.Op, in.Dst = ir.Load, b.Vector("v", typ)
				if c.same && k == 0 && typ == ir.B32 {
					in.Dst = idx
				}
			}
			b.Emit(in)
			if !store {
				defer func() {
					ins()
					guard()
					v := in.Dst
					if typ == ir.B64 {
						v = b.T(ir.Xor32, b.T(ir.Lo32, v), b.T(ir.Hi32, v))
					}
					b.To(sum, ir.Add32, b.T(ir.Mul32, sum, k32(77)), v)
					b.Guard(0, false)
				}()
			}
		}
		b.Guard(0, false)
	}
	access(false)
	if c.twice {
		access(false)
	}
	if c.store {
		access(true)
	}
	b.next(i, k32(nearRounds), go_, top)
	b.store(b.place(out, tid, 4), sum, ir.Global)
	return b.finish()
}

func (c *nearCase) run(t *testing.T, e sim.Engine, f *ir.Func) (data, out []byte, end string) {
	r := rand.New(rand.NewPCG(1, 2))
	mem := sim.NewMemory()
	mem.Add("before", make([]byte, 512))
	a := mem.Add("data", noise(nearBytes))
	start := int64(a.Base)
	if c.space == ir.Shared {
		start = 0
	}
	table, bases := make([]byte, nearRounds*c.block*8), make([]byte, nearRounds*8)
	for round := range nearRounds {
		base := c.bases[round]
		binary.LittleEndian.PutUint64(bases[8*round:], uint64(start+base))
		for l := range c.block {
			// An address in bounds, from which the index follows.
			at := int64(r.IntN(nearBytes/16)*16) - int64(c.imm)
			x := (at - base) >> c.shift
			if at := base + x<<c.shift + int64(c.imm); at < 0 || at > nearBytes-64 || !c.signed && x < 0 {
				x = max(0, (8-base-int64(c.imm))>>c.shift)
			}
			flag := uint32(1)
			if c.guarded && r.IntN(3) == 0 {
				flag, x = 0, int64(r.Uint32())
			}
			if round*c.block+l == c.bad {
				flag, x = 1, c.wild
			}
			binary.LittleEndian.PutUint32(table[8*(round*c.block+l):], uint32(x))
			binary.LittleEndian.PutUint32(table[8*(round*c.block+l)+4:], flag)
		}
	}
	o, tab, bs := mem.Add("out", make([]byte, c.block*4)), mem.Add("table", table), mem.Add("bases", bases)
	return a.Data, o.Data, ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(c.block), 1, 1}, Memory: mem, Values: []uint64{a.Base, o.Base, tab.Base, bs.Base}})
}

// TestNear compares base+index accesses with the interpreter's.
func TestNear(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	engines := tierEngines(t)
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	yes := func(n int) bool { return r.IntN(n) == 0 }
	whole, nears := 0, 0
	for n := range 600 {
		c := nearCase{lanes: pick(32, 32, 64), pieces: pick(1, 1, 2, 4), size: uint8(pick(4, 4, 8)), shift: uint(pick(0, 1, 2, 2, 2, 3)), signed: yes(2), bad: -1}
		c.block = c.lanes*2 - pick(0, 0, 5)
		c.space = []ir.Space{ir.Global, ir.Generic, ir.Shared}[r.IntN(3)]
		c.form = []string{"mul", "add", "mad", "shl", "halves", "halves"}[r.IntN(6)]
		c.align = uint16(pick(1, 1<<c.shift, int(c.size)))
		if c.pieces*int(c.size) > 16 {
			c.pieces = 2
		}
		c.imm = pick(0, 0, 0, 16, -16, 4)
		c.guarded, c.store, c.same, c.twice = yes(2), yes(3), yes(4), yes(4)
		if yes(6) {
			c.moved = []string{"index", "base"}[r.IntN(2)]
		}
		usual := int64(pick(0, 0, 16, 1024, 4080))
		for range nearRounds {
			x := usual
			if yes(4) {
				x = int64(pick(0, 8, 256, -16, -256, 2048, -13, 2, 1<<33, -1<<33))
				if x < -1<<32 || x > 1<<32 {
					x += int64(pick(0, 16, 1024))
				}
			}
			if yes(10) {
				// Possibly no index is in bounds.
			} else if x > nearBytes && !c.signed || x > 1<<31<<c.shift-1 || x < -1<<31<<c.shift {
				x = usual
			}
			c.bases = append(c.bases, x)
		}
		if c.space == ir.Shared {
			for i, x := range c.bases {
				c.bases[i] = max(x, 0)
			}
		}
		if yes(3) {
			c.bad = r.IntN(nearRounds * c.block)
			c.wild = int64(pick(nearBytes, nearBytes>>c.shift, nearBytes>>c.shift-1, -1, -4, 1<<31-1, 1<<31, 1<<32-256>>c.shift, 1<<30, 3, 9, 66, 35))
		}
		want, wantOut, wantEnd := c.run(t, interp.Engine{Portable: true}, c.build(t))
		if bytes.HasPrefix([]byte(wantEnd), []byte("<nil>")) {
			whole++
		}
		for tier, e := range engines {
			f := c.build(t)
			data, out, end := c.run(t, e, f)
			if end != wantEnd || !bytes.Equal(data, want) || !bytes.Equal(out, wantOut) {
				t.Fatalf("case %d, %s: %+v: ended with %s, want %s; memory equal: %v, results: %v", n, tier, c, end, wantEnd, bytes.Equal(data, want), bytes.Equal(out, wantOut))
			}
			k, _, err := new(scratch).assemble(f, nearGeometry(&c), tier)
			if err != nil {
				t.Fatal(err)
			}
			nears += len(k.sel.Nears)
		}
	}
	if whole < 200 || nears < 600 {
		t.Errorf("%d cases came to their end, %d accesses were of a base and an index", whole, nears)
	}
}

func nearGeometry(c *nearCase) webs.Geometry {
	return webs.Geometry{Lanes: c.lanes, Block: [3]uint32{uint32(c.block), 1, 1}, Grid: [3]uint32{1, 1, 1}}
}

// TestNearRows has indices that are equal in all lanes of a tile row, and different in the
// next row, of elements that are smaller than the load: some are misaligned. In the first
// iteration only the lanes of the first row load.
func TestNearRows(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) string {
		m := newMaker(t, "rows", 32)
		list := m.values("in", "out")
		tid, y, v, i, p := m.vec("tid"), m.vec("y"), m.vec("v"), m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.ThreadIDY, y, 0)
		top := m.NewLabel()
		m.Bind(top)
		m.ins()
		m.To(p, ir.LeU32, y, i)
		m.ins()
		at := m.T(ir.Add64, list[0], m.T(ir.MulWideU32, y, m.num(2)))
		m.Guard(p, false)
		m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Global})
		m.Guard(0, false)
		m.next(i, m.num(3), p, top)
		m.store(m.place(list[1], m.T(ir.Mad32, y, m.num(16), tid), 4), v, ir.Global)
		f := m.finish()
		mem := sim.NewMemory()
		in, out := mem.Add("in", noise(64)), mem.Add("out", make([]byte, 128))
		return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{16, 2, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}), out.Data)
	}
	want := run(interp.Engine{Portable: true})
	if !strings.Contains(want, "misaligned") {
		t.Fatal(want)
	}
	for tier, e := range tierEngines(t) {
		if got := run(e); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tier, got, want)
		}
	}
}
