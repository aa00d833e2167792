package jit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// useKernel builds a kernel that uses operations, with each of their arguments in a random
// form.
type useKernel struct {
	*maker
	r     *rand.Rand
	lanes int
	ex    ir.Ref // EXEC, with 64 lanes
	tid   ir.Ref
	vals  []ir.Ref  // the launch values: the addresses of the results and the input, and six numbers
	sc    []ir.Ref  // the same as scalars
	guard [3]ir.Ref // guards that hold in all lanes, in none, and in some
	desc  []string  // a description of each use
	at    uint64    // offset of the next results
	note  string    // of the current use
}

// useBytes is the number of bytes of a use's results.
const useBytes = 512

// hardNumbers are at the limits of types, of bit counts, and of kinds of floats.
var hardNumbers = []uint64{0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 17, 24, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 0x7f80, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x10000, 0x3c00, 0x7c00, 0x7c01, 0x7e00, 0xfe55, 0xfc00, 0x03ff, 0x7f, 0x80,
	0x00080004, 0x3f800000, 0x7f800000, 0xff800000, 0x7f800001, 0xffc12345, 0x807fffff, 0x00800000, 0x4f000000, 0x4f800000, 0xcf000000, 0x5f000000, 1<<31 - 1, 1 << 31, 0x80000001, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 33, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1<<31, 1<<64 - 1<<31 - 1, 1<<64 - 1<<32, 1<<64 - 16, 1<<64 - 2, 1<<64 - 1,
	0x7ff0000000000000, 0x7ff0000000000001, 0xfff8000000000123, 0x000fffffffffffff, 0x8000000000000001, 0x43e0000000000000, 0x41efffffffe00000, 0xc1e0000000200000, 0x3ff0000000000000}

// edge returns a hard number of a type.
func (k *useKernel) edge(t ir.Type) uint64 {
	m := ^uint64(0)
	if t != ir.B64 {
		m = 1<<(8*t.Bytes()) - 1
	}
	if t == ir.B1 {
		return k.r.Uint64() & 1
	}
	switch k.r.IntN(4) {
	case 0:
		return enginetest.RandomValue(k.r, t)
	case 1:
		return (1<<k.r.IntN(64) + uint64(k.r.IntN(3)) - 1) & m
	}
	return hardNumbers[k.r.IntN(len(hardNumbers))] & m
}

// step begins an instruction for the active lanes.
func (k *useKernel) step() {
	k.ins()
	k.Guard(k.ex, false)
}

// narrow converts a 64-bit value to type t; both are vectors, or both are scalars.
func (k *useKernel) narrow(x ir.Ref, t ir.Type, scalar bool) ir.Ref {
	do, c := k.T, k.Const
	if scalar {
		do, c = k.S, k.SConst
	}
	switch t {
	case ir.B64:
		return x
	case ir.B32:
		return do(ir.Lo32, x)
	case ir.B16:
		return do(ir.Lo16, do(ir.Lo32, x))
	case ir.B8:
		return do(ir.CvtU8FromU32, do(ir.Lo32, x))
	}
	return do(ir.NeU32, do(ir.And32, do(ir.Lo32, x), c(ir.B32, 1)), c(ir.B32, 0))
}

// arg returns an argument of a type: a constant, uniform, affine, random, or a value that
// exists already.
func (k *useKernel) arg(t ir.Type, have map[ir.Type][]ir.Ref, scalar bool) ir.Ref {
	c := k.Const
	if scalar {
		c = k.SConst
	}
	if l := have[t]; len(l) > 0 && k.r.IntN(8) == 0 {
		k.note += " same"
		return l[k.r.IntN(len(l))]
	}
	if k.r.IntN(3) == 0 {
		v := k.edge(t)
		k.note += fmt.Sprintf(" const %#x", v)
		return c(t, v)
	}
	if scalar {
		k.note += " sv"
		return k.narrow(k.sc[2+k.r.IntN(6)], t, true)
	}
	i := k.r.IntN(6)
	u := k.vals[2+i]
	place := k.Vector("arg", t)
	mv := func(x ir.Ref) ir.Ref {
		k.Move(place, x)
		return place
	}
	switch k.r.IntN(6) {
	case 0, 1: // uniform
		k.note += fmt.Sprintf(" uni%d", i)
		if t == ir.B1 {
			if k.r.IntN(2) == 0 {
				return mv(k.T(ir.LtU64, u, k.Const(ir.B64, k.edge(ir.B64))))
			}
		}
		return mv(k.narrow(u, t, false))
	case 2, 3: // affine
		if t == ir.B1 {
			k.note += " cmp"
			return mv(k.T(ir.LtU32, k.tid, k.num(uint64(k.r.IntN(80)))))
		}
		ops := map[ir.Type][3]ir.Op{ir.B64: {ir.Mul64, ir.Add64}, ir.B32: {ir.Mul32, ir.Add32}, ir.B16: {ir.Mul16, ir.Add16}}
		ty := t
		if ty == ir.B8 {
			ty = ir.B16
		}
		idx := k.tid
		switch k.r.IntN(5) {
		case 0:
			idx = k.T(ir.And32, k.tid, k.num(uint64(1<<k.r.IntN(6)-1)))
			k.note += " row"
		case 1:
			idx = k.T(ir.ShrU32, k.tid, k.num(uint64(k.r.IntN(6))))
			k.note += " step"
		}
		switch ty {
		case ir.B64:
			idx = k.T(ir.CvtU64FromU32, idx)
		case ir.B16:
			idx = k.T(ir.Lo16, idx)
		}
		st := k.edge(ty)
		if k.r.IntN(3) == 0 {
			st = uint64(k.r.IntN(9)) - 4
		}
		base := k.narrow(u, ty, false)
		b := fmt.Sprint("uni", i)
		if k.r.IntN(2) == 0 {
			e := k.edge(ty)
			base = k.Const(ty, e)
			b = fmt.Sprintf("%#x", e)
		}
		k.note += fmt.Sprintf(" aff(%s+%#x)", b, st)
		x := k.T(ops[ty][1], k.T(ops[ty][0], idx, k.Const(ty, st)), base)
		if t == ir.B8 {
			x = k.T(ir.Lo8, x)
		}
		return mv(x)
	}
	// from memory
	k.note += " var"
	n := uint64(max(1, t.Bytes()))
	if t == ir.B1 {
		n = 4
	}
	off := uint64(k.r.IntN(16)) * 64 * 8
	to := place
	if t == ir.B1 {
		to = k.Temp(ir.B32)
	}
	k.Emit(ir.Inst{Op: ir.Load, Dst: to, Args: [4]ir.Ref{k.place(k.vals[1], k.tid, n)}, Size: uint8(n), Align: uint16(n), Space: ir.Global, Imm: off})
	if t == ir.B1 {
		k.To(place, ir.LtU32, to, k.num(1<<31))
	}
	return place
}

// newUses begins a kernel.
func newUses(t *testing.T, lanes int, r *rand.Rand) *useKernel {
	k := &useKernel{maker: newMaker(t, "uses", lanes), r: r, lanes: lanes}
	if lanes == 64 {
		k.ex = k.exec()
	}
	for i := range 8 {
		s := k.Scalar("s", ir.B64)
		v := k.Vector("u", ir.B64)
		k.Input(ir.LaunchValue, s, uint64(i))
		k.Input(ir.LaunchValue, v, uint64(i))
		k.sc, k.vals = append(k.sc, s), append(k.vals, v)
	}
	k.tid = k.vec("tid")
	k.Input(ir.ThreadIDX, k.tid, 0)
	return k
}

// usesOf builds a kernel with uses of an operation.
func usesOf(t *testing.T, op ir.Op, lanes, uses int, r *rand.Rand) *useKernel {
	k := newUses(t, lanes, r)
	k.guard = [3]ir.Ref{k.Vector("all", ir.B1), k.Vector("none", ir.B1), k.Vector("some", ir.B1)}
	k.step()
	k.To(k.guard[0], ir.NeU64, k.vals[0], k.Const(ir.B64, 1))
	k.To(k.guard[1], ir.EqU64, k.vals[0], k.Const(ir.B64, 1))
	k.To(k.guard[2], ir.NeU32, k.T(ir.And32, k.T(ir.Mul32, k.tid, k.num(0x9e3779b1)), k.num(0x10000)), k.num(0))
	if lanes == 64 && r.IntN(2) == 0 {
		k.step()
		k.Guard(0, false)
		k.To(k.ex, ir.AndP, k.ex, k.guard[2])
	}
	info := &ir.Ops[op]
	for range uses {
		k.note = ""
		k.step()
		scalar := r.IntN(4) == 0
		have := map[ir.Type][]ir.Ref{}
		var args []ir.Ref
		if scalar {
			k.Guard(0, false)
			k.note = " SCALAR"
		}
		for _, ty := range info.Args {
			a := k.arg(ty, have, scalar)
			have[ty] = append(have[ty], a)
			args = append(args, a)
		}
		var d ir.Ref
		var dd ir.Ref
		if scalar {
			d = k.Scalar("d", info.Res)
			k.step()
			k.Guard(0, false)
			k.To(d, op, args...)
			k.step()
			x := d
			if info.Res == ir.B1 {
				x = k.S(ir.Sel32, d, k.SConst(ir.B32, 1), k.SConst(ir.B32, 0))
			}
			dd = k.Splat(x)
		} else {
			d = k.Vector("d", info.Res)
			if r.IntN(3) == 0 {
				for _, a := range args { // alias
					v := k.Func().Val(a)
					if v.Type == info.Res && v.Kind == ir.Guest && !v.Scalar {
						d = a
						k.note += " alias"
						break
					}
				}
			}
			old := k.Const(info.Res, k.edge(info.Res))
			isArg := false
			for _, a := range args {
				isArg = isArg || a == d
			}
			if !isArg {
				switch r.IntN(3) {
				case 0:
					k.Move(d, old)
				case 1:
					k.Move(d, k.narrow(k.vals[2], info.Res, false))
				case 2:
					k.Move(d, k.narrow(k.T(ir.CvtU64FromU32, k.tid), info.Res, false))
				}
			}
			k.step()
			g, not := ir.Ref(0), r.IntN(2) == 0
			if n := r.IntN(6); n < len(k.guard) {
				g = k.guard[n]
				k.note += fmt.Sprint(" guard ", n, not)
				if k.ex != 0 {
					x := g
					if not {
						x = k.T(ir.NotP, g)
					}
					k.Guard(k.T(ir.AndP, x, k.ex), false)
				} else {
					k.Guard(g, not)
				}
			}
			k.To(d, op, args...)
			k.step()
			dd = d
			if info.Res == ir.B1 {
				dd = k.T(ir.Sel32, d, k.num(1), k.num(0))
			}
		}
		n := uint64(k.Func().Val(dd).Type.Bytes())
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.place(k.vals[0], k.tid, n), dd}, Size: uint8(n), Align: uint16(n), Space: ir.Global, Imm: k.at})
		k.desc = append(k.desc, k.note)
		k.at += useBytes
	}
	return k
}

// hardInput returns memory full of hard numbers.
func hardInput(r *rand.Rand) []byte {
	raw := make([]byte, 17*512)
	for i := 0; i+8 <= len(raw); i += 8 {
		var v uint64
		switch r.IntN(5) {
		case 0:
			v = hardNumbers[r.IntN(len(hardNumbers))]
		case 1:
			v = enginetest.RandomValue(r, ir.B32) | enginetest.RandomValue(r, ir.B32)<<32
		case 2:
			v = enginetest.RandomValue(r, ir.B64)
		case 3:
			for j := range 4 {
				v |= enginetest.RandomValue(r, ir.B16) << (16 * j)
			}
		case 4:
			v = hardNumbers[r.IntN(len(hardNumbers))]&0xffffffff | hardNumbers[r.IntN(len(hardNumbers))]<<32
		}
		for b := range 8 {
			raw[i+b] = byte(v >> (8 * b))
		}
	}
	return raw
}

// run runs the kernel with memory and launch values, and returns how it ended and its
// results.
func (k *useKernel) run(e sim.Engine, f *ir.Func, block uint32, in []byte, values []uint64) (string, []byte) {
	g := *f
	mem := sim.NewMemory()
	out, data := mem.Add("out", make([]byte, k.at)), mem.Add("in", bytes.Clone(in))
	l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: append([]uint64{out.Base, data.Base}, values...)}
	return ended(k.t, e, &g, l), out.Data
}

// done ends the kernel.
func (k *useKernel) done() *ir.Func {
	if k.lanes == 64 {
		return k.endWave()
	}
	return k.finish()
}

// compare compares the kernel's results on all engines, in blocks of a number of lanes.
func (k *useKernel) compare(t *testing.T, engines map[isa.Tier]*Engine, what string, block uint32) {
	t.Helper()
	f := k.done()
	in := hardInput(k.r)
	var values []uint64
	for range 6 {
		v := k.edge(ir.B64)
		if k.r.IntN(3) == 0 {
			v = enginetest.RandomValue(k.r, ir.B32)
		}
		values = append(values, v)
	}
	want, data := k.run(interp.Engine{Portable: true}, f, block, in, values)
	for tier, e := range engines {
		got, has := k.run(e, f, block, in, values)
		if got != want {
			t.Errorf("%s, %s: ends with %s, want %s", what, tier, got, want)
		}
		for u, desc := range k.desc {
			if a, b := data[u*useBytes:][:useBytes], has[u*useBytes:][:useBytes]; !bytes.Equal(a, b) {
				t.Errorf("%s, %s, %d lanes, %d there, values %#x:%s:\ngot  %x\nwant %x", what, tier, k.lanes, block, values, desc, b, a)
			}
		}
	}
}

// TestArgumentForms runs every operation with arguments of all forms, under guards, into
// registers that hold another value or an argument.
func TestArgumentForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	engines := tierEngines(t)
	for op := range ir.Op(ir.NumOps) {
		info := &ir.Ops[op]
		if info.Fn == nil || len(info.Args) == 0 {
			continue
		}
		lanes := []int{32, 64}[op&1]
		usesOf(t, op, lanes, 24, rand.New(rand.NewPCG(1, uint64(op)))).compare(t, engines, info.Name, uint32(lanes))
		if t.Failed() {
			return
		}
	}
}

// TestRegisterPool runs random operations on a pool of registers of all types, in a loop or
// not. The operations of one program have few types, so that one operation reads the results
// of another.
func TestRegisterPool(t *testing.T) {
	t.Parallel()
	engines := tierEngines(t)
	kinds := []string{"", "F16x2", "16", "8", "32", "64", "F32", "F64", "P"}
	favourites := []ir.Op{ir.Pack64, ir.Lo32, ir.Hi32, ir.Lo16, ir.CvtU32FromU16, ir.Mov32, ir.Mov64, ir.Mov16, ir.Pack32, ir.Hi16, ir.Sel32, ir.Sel64, ir.MovB1, ir.AndP, ir.NotP, ir.CvtU64FromU32, ir.CvtS64FromS32, ir.Add32, ir.Add64, ir.Shl32, ir.LtU32, ir.NeU64}
	for seed := range short.Of(uint64(90), 30) {
		r := rand.New(rand.NewPCG(seed, 80))
		kind := kinds[r.IntN(len(kinds))]
		var list []ir.Op
		for op := range ir.Op(ir.NumOps) {
			if info := &ir.Ops[op]; info.Fn != nil && len(info.Args) > 0 && strings.HasSuffix(info.Name, kind) {
				list = append(list, op)
			}
		}
		lanes := []int{32, 64}[seed&1]
		k := newUses(t, lanes, r)
		types := []ir.Type{ir.B32, ir.B32, ir.B32, ir.B32, ir.B32, ir.B32, ir.B64, ir.B64, ir.B64, ir.B64, ir.B16, ir.B16, ir.B16, ir.B8, ir.B8, ir.B1, ir.B1, ir.B1}
		pool := map[ir.Type][]ir.Ref{}
		var regs []ir.Ref
		for _, ty := range types {
			k.step()
			v := k.Vector("r", ty)
			k.Move(v, k.arg(ty, nil, false))
			pool[ty] = append(pool[ty], v)
			regs = append(regs, v)
		}
		rounds := uint64(0)
		i, p := k.vec("i"), k.Vector("lp", ir.B1)
		var top ir.Label
		sp := k.Scalar("sp", ir.B1)
		if r.IntN(2) == 0 {
			rounds = uint64(2 + r.IntN(3))
			top = k.NewLabel()
			k.Bind(top)
		}
		var what []string
		for range 20 {
			op := list[r.IntN(len(list))]
			if r.IntN(3) == 0 {
				op = favourites[r.IntN(len(favourites))]
			}
			info := &ir.Ops[op]
			k.step()
			var args []ir.Ref
			d := fmt.Sprint(info.Name)
			for _, ty := range info.Args {
				if r.IntN(5) == 0 {
					v := k.edge(ty)
					args = append(args, k.Const(ty, v))
					d += fmt.Sprintf(" %#x", v)
				} else {
					x := pool[ty][r.IntN(len(pool[ty]))]
					args = append(args, x)
					d += fmt.Sprintf(" %d", x)
				}
			}
			if r.IntN(3) == 0 {
				g, not := pool[ir.B1][r.IntN(3)], r.IntN(2) == 0
				d += fmt.Sprintf(" guard %d %v", g, not)
				if k.ex != 0 {
					if not {
						g = k.T(ir.NotP, g)
					}
					k.Guard(k.T(ir.AndP, g, k.ex), false)
				} else {
					k.Guard(g, not)
				}
			}
			to := pool[info.Res][r.IntN(len(pool[info.Res]))]
			move := r.IntN(3) == 0
			if move {
				k.Move(to, k.T(op, args...))
				d += " moved"
			} else {
				k.To(to, op, args...)
			}
			what = append(what, d+fmt.Sprintf(" -> %d", to))
		}
		if rounds > 0 {
			k.step()
			k.To(i, ir.Add32, i, k.num(1))
			if lanes == 32 {
				k.To(p, ir.LtU32, i, k.num(rounds))
				k.branch(p, top)
			} else {
				si := k.Scalar("si", ir.B32)
				k.step()
				k.Guard(0, false)
				k.To(si, ir.Add32, si, k.SConst(ir.B32, 1))
				k.step()
				k.Guard(0, false)
				k.To(sp, ir.LtU32, si, k.SConst(ir.B32, rounds))
				k.step()
				k.Guard(0, false)
				k.SBra(top, sp, false)
			}
		}
		for _, v := range regs {
			k.step()
			x := v
			if k.Func().Val(v).Type == ir.B1 {
				x = k.T(ir.Sel32, v, k.num(1), k.num(0))
			}
			n := uint64(k.Func().Val(x).Type.Bytes())
			k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.place(k.vals[0], k.tid, n), x}, Size: uint8(n), Align: uint16(n), Space: ir.Global, Imm: k.at})
			k.at += useBytes
			k.desc = append(k.desc, fmt.Sprintf(" register %d after %q", v, what))
		}
		block := uint32(lanes)
		if r.IntN(3) == 0 {
			block = uint32(1 + r.IntN(lanes))
		}
		k.compare(t, engines, fmt.Sprint("seed ", seed), block)
		if t.Failed() {
			return
		}
	}
}
