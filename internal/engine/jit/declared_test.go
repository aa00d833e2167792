package jit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// declaredCase is an access to shared memory with indices whose maximum the code shows. The
// declared size is just large enough for it, or just not.
type declaredCase struct {
	lanes, block, pieces int
	op                   ir.Op
	atomic               ir.AtomicOp
	asked, guarded       bool
	size                 uint8
	align                uint16
	form                 string // the way in which the address is computed
	mask                 uint64
	shift                uint
	base, imm            int
	less                 int // number of missing bytes
}

func (c *declaredCase) bytes() int {
	return int(c.mask)<<c.shift + c.base + c.imm + c.pieces*int(c.size) - c.less
}

// words returns the number of bytes of shared memory that each lane reads.
func (c *declaredCase) words() int { return (c.bytes() + c.lanes - 1) / c.lanes }

func (c *declaredCase) build(t *testing.T) *ir.Func {
	b := ir.NewBuilder("declared", c.lanes)
	b.Reserve(8)
	b.Func().MeetAnywhere = true
	b.Func().SharedStatic = uint32(c.bytes())
	line := 0
	ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
	k32 := func(x uint64) ir.Ref { return b.Const(ir.B32, x) }
	tid, table, out := b.Vector("tid", ir.B32), b.Vector("table", ir.B64), b.Vector("out", ir.B64)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.LaunchValue, table, 0)
	b.Input(ir.LaunchValue, out, 1)
	word := func(imm uint64) ir.Ref {
		ins()
		v := b.Vector(fmt.Sprintf("w%d", imm), ir.B32)
		b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{b.T(ir.Add64, table, b.T(ir.MulWideU32, tid, k32(16)))}, Size: 4, Space: ir.Global, Imm: imm})
		return v
	}
	idx, v, flag := word(0), word(4), word(8)
	p := b.Vector("p", ir.B1)
	ins()
	b.To(p, ir.NeU32, flag, k32(0))
	ins()
	i := b.T(ir.And32, idx, k32(c.mask))
	typ := ir.B64
	if c.form == "narrow" {
		typ = ir.B32
	}
	addr := b.Vector("addr", typ)
	base := b.Const(typ, uint64(c.base))
	switch c.form {
	case "wide":
		b.To(addr, ir.Add64, base, b.T(ir.MulWideU32, i, k32(1<<c.shift)))
	case "shl":
		b.To(addr, ir.Add64, b.T(ir.Shl64, b.T(ir.CvtU64FromU32, i), k32(uint64(c.shift))), base)
	case "mad":
		b.To(addr, ir.MadWideU32, i, k32(1<<c.shift), base)
	default:
		b.To(addr, ir.Add32, b.T(ir.Shl32, i, k32(uint64(c.shift))), base)
	}
	data := ir.B32
	if c.size == 8 {
		data = ir.B64
	}
	value := func(k int) ir.Ref {
		x := b.T(ir.Add32, v, k32(uint64(k)*0x01010101))
		if data == ir.B64 {
			return b.T(ir.Pack64, x, tid)
		}
		return x
	}
	var found []ir.Ref
	if c.guarded {
		ins()
		for k := range c.pieces {
			found = append(found, b.Vector(fmt.Sprintf("f%d", k), data))
		}
		b.Guard(p, false)
	}
	ins()
	var values []ir.Ref
	for k := range c.pieces {
		values = append(values, value(k))
	}
	for k := range c.pieces {
		in := ir.Inst{Op: c.op, Args: [4]ir.Ref{addr}, Size: c.size, Align: c.align, Space: ir.Shared, Imm: uint64(c.imm + k*int(c.size))}
		if k > 0 {
			in.Align = min(c.align, uint16(c.size))
		}
		if c.op != ir.Load {
			in.Args[1] = values[k]
		}
		if c.op == ir.Atomic {
			in.Imm = ir.AtomicImm(c.atomic, int32(c.imm))
		}
		if c.op == ir.Load || c.asked {
			if !c.guarded {
				found = append(found, b.Vector(fmt.Sprintf("f%d", k), data))
			}
			in.Dst = found[k]
		}
		b.Emit(in)
	}
	b.Guard(0, false)
	store := func(at int, x ir.Ref) {
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.Add64, out, b.T(ir.MulWideU32, tid, k32(4))), x}, Size: 4, Space: ir.Global, Imm: uint64(at * c.lanes * 4)})
	}
	ins()
	sum := v
	for _, f := range found {
		if data == ir.B64 {
			f = b.T(ir.Xor32, b.T(ir.Lo32, f), b.T(ir.Hi32, f))
		}
		sum = b.T(ir.Add32, b.T(ir.Mul32, sum, k32(77)), f)
	}
	store(0, sum)
	for at := range c.words() { // the final content of shared memory
		ins()
		x := b.Vector(fmt.Sprintf("x%d", at), ir.B32)
		place := b.T(ir.MinU32, b.T(ir.Add32, tid, k32(uint64(at*c.lanes))), k32(uint64(c.bytes()-1)))
		b.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{place}, Size: 1, Space: ir.Shared})
		store(at+1, x)
	}
	ins()
	b.Emit(ir.Inst{Op: ir.Exit})
	f, err := b.Finish()
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return f
}

func (c *declaredCase) run(t *testing.T, e sim.Engine, seed uint64) (out []byte, end string) {
	f := c.build(t)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	table := make([]byte, c.block*16)
	for l := range c.block {
		x := r.Uint32()
		if r.IntN(8) == 0 {
			x |= uint32(c.mask) // the maximum
		}
		binary.LittleEndian.PutUint32(table[16*l:], x)
		binary.LittleEndian.PutUint32(table[16*l+4:], r.Uint32())
		binary.LittleEndian.PutUint32(table[16*l+8:], r.Uint32()&1)
	}
	mem := sim.NewMemory()
	tab, o := mem.Add("table", table), mem.Add("out", make([]byte, 4*c.lanes*(c.words()+1)))
	l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(c.block), 1, 1}, Memory: mem, Values: []uint64{tab.Base, o.Base}, Workers: 1}
	st, _, err := sim.Run(context.Background(), l)
	return o.Data, fmt.Sprintf("%v %d %d", err, st.WaveInstructions, st.LaneInstructions)
}

// TestDeclared compares these accesses with the interpreter's.
func TestDeclared(t *testing.T) {
	t.Parallel()
	engines := tierEngines(t)
	cases := 500
	if testing.Short() {
		cases = 30
	}
	r := rand.New(rand.NewPCG(17, 18))
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	yes := func(n int) bool { return r.IntN(n) == 0 }
	whole, faults := 0, 0
	for n := range cases {
		c := declaredCase{lanes: pick(32, 32, 64), pieces: pick(1, 1, 2, 2, 4), size: uint8(pick(1, 2, 4, 4, 4, 8)), shift: uint(pick(0, 2, 2, 3)), base: pick(0, 0, 16, 8), imm: pick(0, 0, 16, 4)}
		c.op = []ir.Op{ir.Load, ir.Store, ir.Store, ir.Atomic}[r.IntN(4)]
		c.block = c.lanes - pick(0, 0, 0, 3)
		c.form = []string{"wide", "shl", "mad", "narrow"}[r.IntN(4)]
		c.mask = uint64(pick(0x3f, 0xff, 0xf, 7, 0x7c, 0x1fe))
		c.guarded = yes(3)
		if c.op == ir.Atomic {
			c.pieces, c.size, c.asked = 1, max(c.size, 4), yes(2)
			c.atomic = []ir.AtomicOp{ir.AtomAdd, ir.AtomMaxU, ir.AtomExch, ir.AtomXor}[r.IntN(4)]
			c.align = uint16(c.size)
		}
		if c.pieces*int(c.size) > 16 {
			c.pieces = 2
		}
		if whole := c.pieces * int(c.size); c.align == 0 && !yes(4) {
			c.align = uint16(pick(int(c.size), whole))
		}
		if c.op == ir.Store && c.pieces > 1 && yes(2) { // lanes overlap partly
			c.mask, c.shift, c.align = uint64(pick(3, 7, 0xf)), uint(bitsOf(uint16(c.size))), uint16(c.size)
		}
		if yes(2) && c.align > 1 { // as aligned as the declaration says
			c.shift = max(c.shift, uint(bitsOf(c.align)))
			c.base, c.imm = c.base&-int(c.align), c.imm&-int(c.align)
		}
		if yes(2) {
			c.less = pick(1, int(c.size), 4)
		}
		want, wantEnd := c.run(t, interp.Engine{Portable: true}, uint64(n))
		if strings.HasPrefix(wantEnd, "<nil>") {
			whole++
		} else if c.less > 0 {
			faults++
		}
		for tier, e := range engines {
			if out, end := c.run(t, e, uint64(n)); end != wantEnd || !bytes.Equal(out, want) {
				t.Fatalf("case %d, %s: %+v: ended with %s, want %s; results equal: %v", n, tier, c, end, wantEnd, bytes.Equal(out, want))
			}
		}
	}
	if whole < cases/4 || faults < cases/10 {
		t.Errorf("%d cases came to their end, %d to that of the memory", whole, faults)
	}
}

func bitsOf(align uint16) int {
	n := 0
	for ; align > 1; align >>= 1 {
		n++
	}
	return n
}
