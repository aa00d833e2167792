package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// accessCase is a kernel that stores and loads neighbouring pieces of memory.
type accessCase struct {
	lanes, pieces, block int
	space                ir.Space
	size                 uint8
	align                uint16
	typ                  ir.Type
	signed               bool
	addr                 string // "row", "one", "any", "tiles", "rows", "runs"
	wide                 bool   // addresses of 64 bits
	stride               int
	imm                  int
	guard                string // "", "some", "none", "upper", "branch"
	store, uniform       bool
	atomic               ir.AtomicOp
	isAtomic, result     bool
	off                  uint64 // offset of the first access in the memory
	workers              int
	grid                 uint32
	window               uint64 // window of generic addresses
	volatile             bool   // stores are volatile
	mixed                bool   // every third address is outside the window
	stack                bool
	row, step            int  // for addr "tiles" and "rows": lanes of a tile row, and bytes from row to row; for "runs" see build
	crowded              bool // for addr "any": lanes are close together, and their accesses overlap partly
}

func (c accessCase) String() string { return fmt.Sprintf("%+v", struct{ c any }{c}) }

func (c *accessCase) blocks() uint32 {
	if c.grid > 0 {
		return c.grid
	}
	return 3
}

const accessBytes = 4096

func (c *accessCase) build(t *testing.T) *ir.Func {
	b := newMaker(t, "access", c.lanes)
	b.Func().SharedStatic = accessBytes
	b.Func().LocalSize = accessBytes / 4
	b.Func().Stack = c.stack
	k32, ins := b.num, b.ins
	tid, cta := b.vec("tid"), b.vec("cta")
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.BlockIDX, cta, 0)
	list := b.values("data", "out", "table")
	data, out, table := list[0], list[1], list[2]
	ins()
	var idx ir.Ref
	switch c.addr {
	case "row":
		idx = b.T(ir.Add32, b.T(ir.Mul32, b.T(ir.And32, tid, k32(uint64(c.lanes-1))), k32(uint64(c.stride))), k32(c.off))
		if c.stride < 0 {
			idx = b.T(ir.Add32, idx, k32(uint64(-c.stride*(c.lanes-1))))
		}
	case "tiles", "rows": // the step from row to row is known to the code, or not
		lane := b.T(ir.And32, tid, k32(uint64(c.lanes-1)))
		step := k32(uint64(c.step))
		if c.addr == "rows" {
			step = b.Vector("step", ir.B32)
			b.Input(ir.LaunchValue, step, 3)
		}
		x := b.T(ir.Mul32, b.T(ir.And32, lane, k32(uint64(c.row-1))), k32(uint64(c.stride)))
		y := b.T(ir.Mul32, b.T(ir.ShrU32, lane, k32(uint64(bits.TrailingZeros(uint(c.row))))), step)
		low := max(0, -c.stride*(c.row-1)) + max(0, -c.step*(c.lanes/c.row-1))
		idx = b.T(ir.Add32, b.T(ir.Add32, x, y), k32(c.off+uint64(low)))
	case "runs": // only the launch has the addresses of the lanes
		lane, s := b.T(ir.And32, tid, k32(uint64(c.lanes-1))), b.Vector("step", ir.B32)
		b.Input(ir.LaunchValue, s, 3)
		switch c.row {
		case 0:
			k := b.T(ir.And32, lane, b.T(ir.Sub32, s, k32(1)))
			idx = b.T(ir.Add32, b.T(ir.ShlWrap32, b.T(ir.Sub32, lane, k), k32(1)), k)
		case 1:
			idx = b.T(ir.Xor32, lane, s)
		case 2:
			idx = b.T(ir.And32, b.T(ir.Add32, lane, s), k32(uint64(c.lanes-1)))
		case 3:
			idx = b.T(ir.MinU32, lane, s)
		default:
			idx = b.T(ir.And32, lane, k32(7))
		}
		idx = b.T(ir.Mul32, idx, k32(uint64(c.stride)))
		if c.row == 4 {
			idx = b.T(ir.Add32, idx, b.T(ir.ShlWrap32, b.T(ir.ShrU32, lane, k32(3)), s))
		}
		idx = b.T(ir.Add32, idx, k32(c.off))
	case "one":
		idx = b.T(ir.Add32, b.T(ir.Mul32, cta, k32(uint64(c.size)*4)), k32(c.off))
	default:
		idx = b.Temp(ir.B32)
		b.Emit(ir.Inst{Op: ir.Load, Dst: idx, Args: [4]ir.Ref{b.place(table, tid, 4)}, Size: 4, Space: ir.Global})
		idx = b.T(ir.Add32, idx, k32(c.off))
	}
	if c.space == ir.Local || c.window == ir.LocalPTX { // private memory is smaller
		idx = b.T(ir.Add32, b.T(ir.And32, b.T(ir.Sub32, idx, k32(c.off)), k32(127)), k32(c.off))
	}
	typ := ir.B32
	if c.wide {
		typ = ir.B64
	}
	addr := b.Vector("addr", typ)
	switch {
	case !c.wide:
		b.To(addr, ir.Mov32, idx)
	case c.space == ir.Shared || c.space == ir.Param || c.space == ir.Local:
		b.To(addr, ir.CvtU64FromU32, idx)
	case c.mixed:
		third := b.T(ir.EqU32, b.T(ir.RemU32, tid, k32(3)), k32(0))
		b.To(addr, ir.Add64, b.T(ir.CvtU64FromU32, idx), b.T(ir.Sel64, third, data, b.Const(ir.B64, c.window)))
	case c.window != 0:
		b.To(addr, ir.Add64, b.T(ir.CvtU64FromU32, idx), b.Const(ir.B64, c.window))
	default:
		b.To(addr, ir.Add64, data, b.T(ir.CvtU64FromU32, idx))
	}
	if c.space == ir.Shared {
		ins()
		v := b.T(ir.Mul32, b.T(ir.Add32, tid, k32(77)), k32(0x9e3779b1))
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.Mul32, tid, k32(8)), b.T(ir.Pack64, v, b.T(ir.Not32, v))}, Size: 8, Space: ir.Shared})
	}
	if c.stack {
		ins()
		b.Emit(ir.Inst{Op: ir.HostCall, Dst: b.Vector("sp", ir.B32), Args: [4]ir.Ref{k32(accessBytes/4 + 256)}, Imm: ir.PushImm(200, 16)})
	}
	if c.space == ir.Local || c.window == ir.LocalPTX {
		for i := range 24 {
			ins()
			v := b.T(ir.Mul32, b.T(ir.Add32, tid, k32(uint64(77+i))), k32(0x9e3779b1))
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k32(0), b.T(ir.Pack64, v, b.T(ir.Not32, v))}, Size: 8, Space: ir.Local, Imm: uint64(8 * i)})
		}
	}
	ins()
	p := b.Vector("p", ir.B1)
	b.To(p, ir.NeU32, b.T(ir.And32, b.T(ir.Add32, tid, cta), k32(7)), k32(5))
	switch c.guard {
	case "none":
		b.To(p, ir.GtU32, tid, k32(1000))
	case "upper":
		b.To(p, ir.GeU32, b.T(ir.And32, tid, k32(uint64(c.lanes-1))), k32(3))
	}
	vals, got := make([]ir.Ref, c.pieces), make([]ir.Ref, c.pieces)
	for i := range vals {
		ins()
		vals[i], got[i] = b.Vector("v", c.typ), b.Vector("g", c.typ)
		from := b.T(ir.Add32, tid, k32(uint64(1+i*100)))
		if c.uniform {
			from = b.T(ir.Add32, cta, k32(uint64(1+i*100)))
		}
		v := b.T(ir.Mul32, from, k32(0x9e3779b1))
		switch c.typ {
		case ir.B8:
			b.To(vals[i], ir.CvtU8FromU32, v)
		case ir.B16:
			b.To(vals[i], ir.CvtU16FromU32, v)
		case ir.B32:
			b.To(vals[i], ir.Mov32, v)
		default:
			b.To(vals[i], ir.Pack64, v, b.T(ir.Xor32, v, k32(0x55aa55aa)))
		}
	}
	ins()
	b.Emit(ir.Inst{Op: ir.Fence})
	skip := b.NewLabel()
	switch c.guard {
	case "some", "none", "upper":
		ins()
		b.Guard(p, false)
	case "branch":
		ins()
		b.Guard(p, true)
		b.Bra(skip)
		b.Guard(0, false)
		ins()
	default:
		ins()
	}
	flags, signals := ir.Flags(0), ir.Flags(0)
	if c.signed {
		flags = ir.SignExtend
	}
	if c.volatile {
		signals = ir.Volatile
	}
	if c.isAtomic {
		in := ir.Inst{Op: ir.Atomic, Args: [4]ir.Ref{addr, vals[0]}, Size: c.size, Align: c.align, Space: c.space, Imm: ir.AtomicImm(c.atomic, int32(c.imm))}
		if c.result {
			in.Dst = got[0]
		}
		if c.atomic == ir.AtomCAS {
			in.Args[2] = vals[len(vals)-1]
		}
		b.Emit(in)
	} else {
		for pass := range 2 {
			for i := range vals {
				in := ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, vals[i]}, Size: c.size, Align: c.align, Space: c.space, Flags: signals, Imm: uint64(c.imm + i*int(c.size))}
				if i > 0 {
					in.Align = uint16(min(int(c.align), int(c.size)))
				}
				if pass == 1 {
					in.Op, in.Args[1], in.Dst, in.Flags = ir.Load, 0, got[i], flags
				}
				if pass == 1 || c.store {
					b.Emit(in)
				}
			}
			if pass == 0 {
				ins()
			}
		}
	}
	b.Guard(0, false)
	b.Bind(skip)
	if c.store && (c.space == ir.Local || c.window == ir.LocalPTX) { // the final content of private memory is part of the results
		for i := range got {
			ins()
			b.Emit(ir.Inst{Op: ir.Load, Dst: vals[i], Args: [4]ir.Ref{k32(0)}, Size: uint8(c.typ.Bytes()), Space: ir.Local, Imm: uint64(64 + 8*i)})
			ins()
			switch c.typ {
			case ir.B32:
				b.To(got[i], ir.Add32, got[i], vals[i])
			case ir.B64:
				b.To(got[i], ir.Add64, got[i], vals[i])
			}
		}
	}
	ins()
	o := b.Vector("o", ir.B64)
	i := b.T(ir.Add32, b.T(ir.Mul32, cta, k32(uint64(c.block))), tid)
	b.To(o, ir.Add64, out, b.T(ir.MulWideU32, i, k32(uint64(8*c.pieces))))
	for i, r := range got {
		ins()
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{o, r}, Size: uint8(c.typ.Bytes()), Space: ir.Global, Imm: uint64(8 * i)})
	}
	return b.finish()
}

// run runs the case and returns the content of memory, and the error and statistics as text.
func (c *accessCase) run(t *testing.T, e sim.Engine, f *ir.Func) (data, out []byte, end string) {
	r := rand.New(rand.NewPCG(1, 2))
	raw, table := noise(accessBytes), make([]byte, 4*c.block)
	span := int(c.size) * c.pieces
	unit := max(int(c.align), 1)
	for i := range c.block {
		x := r.IntN((accessBytes-2*span)/unit) * unit
		switch {
		case c.crowded:
			x = 64 + r.IntN(2*span/unit)*unit
		case i%4 == 1:
			x = 64 // many lanes at one address
		}
		table[4*i], table[4*i+1] = byte(x), byte(x>>8)
	}
	mem := sim.NewMemory()
	a := mem.Add("data", raw)
	o := mem.Add("out", make([]byte, 3*c.block*8*c.pieces))
	tab := mem.Add("table", table)
	l := &sim.Launch{Grid: [3]uint32{c.blocks(), 1, 1}, Block: [3]uint32{uint32(c.block), 1, 1}, Memory: mem, Values: []uint64{a.Base, o.Base, tab.Base, uint64(c.step)}, Param: raw, Stack: 256, Workers: c.workers}
	return a.Data, o.Data, ended(t, e, f, l)
}

// tierEngines returns engines of all tiers that the processor has.
func tierEngines(t *testing.T) map[isa.Tier]*Engine {
	m := map[isa.Tier]*Engine{}
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		if e, err := New(Options{Mode: Mode{Tier: tier, Eager: true, Passes: true}}); err == nil {
			m[tier] = e
		}
	}
	if len(m) == 0 {
		t.Skip("the processor lacks AVX2")
	}
	return m
}

// TestAccesses compares accesses of all kinds, also out of bounds, with the interpreter's.
func TestAccesses(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	engines := tierEngines(t)
	n := 0
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for range 500 {
		c := accessCase{lanes: pick(32, 32, 64), pieces: pick(1, 1, 2, 3, 4), size: uint8(pick(1, 2, 4, 4, 8))}
		c.block = c.lanes*2 - pick(0, 5)
		c.space = []ir.Space{ir.Global, ir.Generic, ir.Shared, ir.Constant, ir.Param, ir.Local}[r.IntN(6)]
		c.align = uint16(pick(1, int(c.size), int(c.size)))
		if c.pieces&(c.pieces-1) == 0 && r.IntN(2) == 0 {
			c.align = uint16(int(c.size) * c.pieces)
		}
		for c.typ = []ir.Type{ir.B8, ir.B16, ir.B32, ir.B64}[r.IntN(4)]; c.typ.Bytes() < uint32(c.size); {
			c.typ++
		}
		c.signed = r.IntN(2) == 0
		c.addr = []string{"row", "row", "row", "one", "any"}[r.IntN(5)]
		c.wide = c.space != ir.Shared && c.space != ir.Param && c.space != ir.Local || r.IntN(2) == 0
		c.stride = int(c.size) * pick(1, 1, c.pieces, c.pieces, c.pieces, -1, -c.pieces, 2, 3, 8, -2, 0)
		if c.align > uint16(c.size) && r.IntN(4) > 0 {
			c.stride = int(c.align) * pick(1, 1, 1, 2, -1)
		}
		c.imm = pick(0, 0, 16, -16, 48)
		c.guard = []string{"", "", "some", "none", "branch"}[r.IntN(5)]
		c.store = r.IntN(2) == 0 && c.space != ir.Param && c.space != ir.Constant
		c.uniform = r.IntN(3) == 0
		c.off = 64
		if r.IntN(5) == 0 { // some lanes are out of bounds
			c.off = uint64(pick(0, 8, 1, 3, accessBytes-64, accessBytes-8, accessBytes-256, accessBytes-500, 1<<31, 1<<32-16))
		}
		if c.space == ir.Generic && r.IntN(2) == 0 {
			c.window = []uint64{ir.LocalPTX, ir.SharedWindow}[r.IntN(2)]
			c.mixed = r.IntN(6) == 0
		}
		if (c.space == ir.Local || c.window == ir.LocalPTX) && r.IntN(4) == 0 {
			c.off = uint64(pick(accessBytes/4-64, accessBytes/4-4, accessBytes/4+40, accessBytes/4+100))
		}
		c.crowded = r.IntN(3) == 0
		c.stack = r.IntN(8) == 0
		if c.volatile = r.IntN(6) == 0; c.volatile && r.IntN(3) == 0 {
			c.workers, c.grid = 2, 1
		}
		if (c.space == ir.Local || c.window == ir.LocalPTX) && r.IntN(3) == 0 {
			c.stack, c.off = true, accessBytes/4+64
		}
		c.compare(t, engines, true)
		if n++; t.Failed() {
			t.Fatalf("after %d cases", n)
		}
	}
}

// TestRowAccesses is TestAccesses for lanes in tile rows.
func TestRowAccesses(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	engines := tierEngines(t)
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for n := range 500 {
		c := accessCase{lanes: pick(32, 64), pieces: pick(1, 1, 2, 4), size: uint8(pick(1, 4, 4, 4, 8))}
		c.block = c.lanes*2 - pick(0, 0, 5)
		c.space = []ir.Space{ir.Global, ir.Generic, ir.Shared, ir.Shared}[r.IntN(4)]
		c.align = uint16(pick(1, int(c.size), int(c.size)))
		for c.typ = []ir.Type{ir.B8, ir.B32, ir.B64}[r.IntN(3)]; c.typ.Bytes() < uint32(c.size); {
			c.typ++
		}
		if r.IntN(2) == 0 {
			c.typ = map[uint8]ir.Type{1: ir.B8, 4: ir.B32, 8: ir.B64}[c.size]
		}
		c.addr = []string{"tiles", "rows"}[r.IntN(2)]
		c.wide = c.space != ir.Shared || r.IntN(2) == 0
		size := int(c.size)
		c.row = pick(2, 4, 8, 8, 16, 16, 32)
		c.stride = size * pick(1, 1, 1, 0, 0, -1, 2, c.pieces)
		c.step = size * pick(0, 0, 1, c.row, 2*c.row, 33, 9, -1, -c.row)
		c.imm = pick(0, 0, 16, -16, 48)
		c.guard = []string{"", "", "some", "none", "branch"}[r.IntN(5)]
		c.store = r.IntN(2) == 0
		c.uniform = r.IntN(4) == 0
		c.off = 64
		if r.IntN(5) == 0 { // some lanes are out of bounds
			c.off = uint64(pick(0, 8, 1, 3, accessBytes-64, accessBytes-8, accessBytes-256, accessBytes-500, 1<<31, 1<<32-16))
		}
		if r.IntN(3) == 0 { // the last lanes are just in bounds, or not
			abs := func(x int) int { return max(x, -x) }
			end := (c.row-1)*abs(c.stride) + (c.lanes/c.row-1)*abs(c.step) + c.pieces*size + c.imm
			c.off = uint64(accessBytes-end+size*pick(0, 0, 0, 1, 2, c.row)) & (1<<32 - 1)
			if c.align == 1 {
				c.off += uint64(pick(0, 1, 3))
			}
		}
		c.compare(t, engines, true)
		if t.Failed() {
			t.Fatalf("after %d cases", n)
		}
	}
}

// TestSharedEnds is TestAccesses for pairs of lanes at the end of shared memory. An access of
// a row of two lanes may have any size there, for instance 12 bytes, for which no bound is
// prepared.
func TestSharedEnds(t *testing.T) {
	t.Parallel()
	engines := tierEngines(t)
	for _, size := range []int{4, 8} {
		typ := map[int]ir.Type{4: ir.B32, 8: ir.B64}[size]
		for _, stride := range short.Sample([]int{1, 2, 3, 5, 7, 4, -4, 8, -8, 12, 16}, 6) {
			for _, pieces := range []int{1, 2} {
				inside := map[bool]int{}
				for off := accessBytes - 40; off <= accessBytes; off++ {
					c := accessCase{lanes: 32, block: 32, grid: 1, pieces: pieces, size: uint8(size), align: 1, typ: typ, space: ir.Shared, addr: "tiles", row: 2, stride: stride, off: uint64(off)}
					if off%size == 0 && stride%size == 0 {
						c.align = uint16(size)
					}
					inside[!c.compare(t, engines, false)]++
				}
				if span := max(stride, -stride) + pieces*size; inside[true] != 40-span+1 {
					t.Errorf("pieces of %d bytes, %d of them, %d apart: %d places are inside, want %d", size, pieces, stride, inside[true], 40-span+1)
				}
			}
		}
	}
}

// TestAtomics is TestAccesses for atomics.
func TestAtomics(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	engines := tierEngines(t)
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	narrow := []ir.AtomicOp{ir.AtomAddF32, ir.AtomOf(ir.AddF32), ir.AtomOf(ir.MinU32)}
	for n := range 300 {
		c := accessCase{lanes: pick(32, 32, 64), pieces: pick(1, 2), size: uint8(pick(4, 4, 8)), isAtomic: true}
		c.block = c.lanes*2 - pick(0, 5)
		c.space = []ir.Space{ir.Global, ir.Generic, ir.Shared}[r.IntN(3)]
		c.align = uint16(c.size)
		c.typ = ir.B32
		if c.size == 8 {
			c.typ = ir.B64
		}
		c.atomic = ir.AtomicOp(r.IntN(int(ir.AtomDec) + 1))
		switch {
		case r.IntN(5) > 0:
		case c.size == 4:
			c.atomic = narrow[r.IntN(len(narrow))]
		default:
			c.atomic = ir.AtomOf(ir.MaxU64)
		}
		c.addr = []string{"row", "one", "any", "any"}[r.IntN(4)]
		c.wide = c.space != ir.Shared || r.IntN(2) == 0
		c.stride = int(c.size) * pick(1, 1, -1, 2, 0)
		c.imm = pick(0, 0, 16, -16)
		c.guard = []string{"", "", "some", "none", "branch"}[r.IntN(5)]
		c.uniform = r.IntN(3) == 0
		c.result = r.IntN(3) > 0
		c.off = 64
		if c.workers = pick(1, 1, 2); c.workers > 1 && c.addr != "row" {
			c.result = false // the order of blocks is not defined
			c.atomic = []ir.AtomicOp{ir.AtomAdd, ir.AtomSub, ir.AtomMinU, ir.AtomMaxS, ir.AtomAnd, ir.AtomOr, ir.AtomXor}[r.IntN(7)]
		}
		if c.workers > 1 && c.addr == "row" {
			c.grid = 1
		}
		if r.IntN(6) == 0 {
			c.off = uint64(pick(0, 1, accessBytes-64, 1<<31))
			if c.workers > 1 {
				c.off = 64
			}
		}
		c.compare(t, engines, true)
		if t.Failed() {
			t.Fatalf("after %d cases", n)
		}
	}
}

// compare runs the case on all engines, and reports whether it ends with a fault.
func (c *accessCase) compare(t *testing.T, engines map[isa.Tier]*Engine, native bool) (faults bool) {
	t.Helper()
	f := c.build(t)
	data, out, end := c.run(t, interp.Engine{Portable: true}, f)
	faults = !strings.HasPrefix(end, "<nil>")
	for tier, e := range engines {
		f := c.build(t)
		d, o, got := c.run(t, e, f)
		switch {
		case c.workers > 1 && strings.Contains(end, "error"):
			// The progress of the other lanes is random.
			if !strings.Contains(got, "error") {
				t.Errorf("%s, %s: ended with %s, want %s", c, tier, got, end)
			}
		case got != end:
			t.Errorf("%s, %s: ended with %s, want %s", c, tier, got, end)
		case !bytes.Equal(d, data):
			for i := range d {
				if d[i] != data[i] {
					t.Errorf("%s, %s: byte %d of the memory is %#x, want %#x", c, tier, i, d[i], data[i])
					break
				}
			}
		case !bytes.Equal(o, out):
			for i := range o {
				if o[i] != out[i] {
					t.Errorf("%s, %s: byte %d of the results is %#x, want %#x", c, tier, i, o[i], out[i])
					break
				}
			}
		}
		if !native {
			continue
		}
		k, _, err := new(scratch).assemble(f, webs.Geometry{Lanes: c.lanes, Block: [3]uint32{uint32(c.block), 1, 1}, Grid: [3]uint32{3, 1, 1}}, tier)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Code {
			if op := f.Code[i].Op; !k.sel.Native[i] && (op == ir.Load || op == ir.Store || op == ir.Atomic || op == ir.Fence) {
				t.Errorf("%s, %s: %s is left to the interpreter", c, tier, op)
			}
		}
	}
	return faults
}

// TestAtomicSlices: the waves of a block take turns at words that all of them change, or leave
// unchanged. The values that they find depend on the cost of an atomic, and on the rule that
// an atomic that changes nothing is a look.
func TestAtomicSlices(t *testing.T) {
	t.Parallel()
	build := func(op ir.AtomicOp, space ir.Space) *ir.Func {
		b := newMaker(t, "turns", 32)
		b.Func().SharedStatic = 64
		c, ins := b.num, b.ins
		tid, out, i, p, sum, old := b.vec("tid"), b.values("out")[0], b.vec("i"), b.Vector("p", ir.B1), b.vec("sum"), b.vec("old")
		b.Input(ir.ThreadIDX, tid, 0)
		again := b.NewLabel()
		b.Bind(again)
		ins()
		in := ir.Inst{Op: ir.Atomic, Dst: old, Args: [4]ir.Ref{out, b.T(ir.Xor32, tid, c(5))}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(op, 0)}
		if space == ir.Shared {
			in.Space, in.Args[0] = ir.Shared, b.T(ir.And32, tid, c(12))
		}
		b.Emit(in)
		ins()
		b.To(sum, ir.Add32, b.T(ir.Mul32, sum, c(0x9e3779b1)), old)
		bound := b.vec("bound")
		ins()
		b.To(bound, ir.Add32, c(2500), tid)
		b.next(i, bound, p, again)
		b.store(b.place(out, b.T(ir.Add32, tid, c(16)), 4), sum, ir.Global)
		return b.finish()
	}
	run := func(e sim.Engine, f *ir.Func) string {
		mem := sim.NewMemory()
		a := mem.Add("out", make([]byte, 1024))
		end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{96, 1, 1}, Memory: mem, Values: []uint64{a.Base}})
		return fmt.Sprintln(end, a.Data)
	}
	for _, op := range []ir.AtomicOp{ir.AtomAdd, ir.AtomMaxU, ir.AtomExch, ir.AtomInc} {
		for _, space := range []ir.Space{ir.Global, ir.Shared} {
			want := run(interp.Engine{Portable: true}, build(op, space))
			for tier, e := range tierEngines(t) {
				if got := run(e, build(op, space)); got != want {
					t.Errorf("atomic %d, %s, %s: lanes find other values than with the interpreter", op, space, tier)
				}
			}
		}
	}
}

// TestAtomicsTogether: several workers add to the same words.
func TestAtomicsTogether(t *testing.T) {
	t.Parallel()
	b := newMaker(t, "together", 32)
	c, ins := b.num, b.ins
	tid, out, i, p := b.vec("tid"), b.values("out")[0], b.vec("i"), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, tid, 0)
	again := b.NewLabel()
	b.Bind(again)
	for k, op := range []ir.AtomicOp{ir.AtomAdd, ir.AtomInc} {
		ins()
		at := b.T(ir.Add64, out, b.T(ir.MulWideU32, b.T(ir.And32, b.T(ir.Mul32, tid, tid), c(12)), c(1)))
		v := c(1)
		if op == ir.AtomInc {
			v = c(1<<32 - 1)
		}
		b.Emit(ir.Inst{Op: ir.Atomic, Args: [4]ir.Ref{at, v}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(op, int32(32*k))})
		ins()
		b.Emit(ir.Inst{Op: ir.Atomic, Args: [4]ir.Ref{out, v}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(op, int32(32*k+16))})
	}
	b.next(i, c(300), p, again)
	f := b.finish()
	for tier, e := range tierEngines(t) {
		mem := sim.NewMemory()
		a := mem.Add("out", make([]byte, 64))
		end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{40, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: 4})
		const each = 300 * 40 * 64
		for k := range 2 {
			sum := uint32(0)
			for j := range 4 {
				sum += binary.LittleEndian.Uint32(a.Data[32*k+4*j:])
			}
			if one := binary.LittleEndian.Uint32(a.Data[32*k+16:]); sum != each || one != each {
				t.Errorf("%s: operation %d was done %d and %d times, want %d; the run ended with %s", tier, k, sum, one, each, end)
			}
		}
	}
}
