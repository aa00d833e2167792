package sel

import "example.org/crosslane/internal/jit/x64"

// This file changes the sizes of elements.
//
// Input: elements of some bytes, in the low part of a vector register or in a general register.
// Output: elements of more or fewer bytes, in the same order, in the low part of a register.
// Invariant: the part of a register above its elements is arbitrary.
// Example: with AVX2, x.trunc(1) of eight words is vpshufb in each half, then the halves are
// joined.

// ext extends elements of from bytes, which fill the low part of a register, to elements of x, with
// their sign or with zeros.
func (x *ex) ext(signed bool, from uint8, a operand) operand {
	switch {
	case a.num && signed:
		s := 64 - 8*uint64(from)
		return x.k(uint64(int64(a.imm<<s) >> s))
	case a.num || from == x.n:
		return a
	case x.gp && signed:
		d := x.g.gpr(8)
		x.g.emit(x64.Inst{Op: x64.MOVSXD, Len: 8, Dst: d, B: a.reg})
		return operand{reg: d}
	case x.gp:
		return x.zx(a)
	}
	return x.vec(x.g.v1(extOps[b2i(signed)][index(from)][index(x.n)], a.reg))
}

// extOps and truncOps are indexed by the sizes before and after; extOps by sign first.
var (
	extOps = [2][4][4]x64.Op{
		{{0, x64.VPMOVZXBW, x64.VPMOVZXBD, x64.VPMOVZXBQ}, {0, 0, x64.VPMOVZXWD, x64.VPMOVZXWQ}, {0, 0, 0, x64.VPMOVZXDQ}},
		{{0, x64.VPMOVSXBW, x64.VPMOVSXBD, x64.VPMOVSXBQ}, {0, 0, x64.VPMOVSXWD, x64.VPMOVSXWQ}, {0, 0, 0, x64.VPMOVSXDQ}},
	}
	truncOps = [4][4]x64.Op{{}, {x64.VPMOVWB}, {x64.VPMOVDB, x64.VPMOVDW}, {x64.VPMOVQB, x64.VPMOVQW, x64.VPMOVQD}}
)

// trunc returns the low bytes of elements, in the low part of a register.
func (x *ex) trunc(to uint8, a operand) operand {
	if a.num || x.gp || to == x.n {
		return a
	}
	if x.g.avx512 {
		return x.vec(x.g.v1(truncOps[index(x.n)][index(to)], a.reg))
	}
	if x.n == 8 && to == 4 {
		return x.vec(x.g.v2(x64.VPERMD, x.dwords(0, 2), a.reg))
	}
	// vpshufb works inside each half of the register. It moves the elements of a half together:
	// those of the upper half to their final position or, if they take less than 4 bytes, after the
	// place of the lower half's elements.
	idx := make([]byte, 32)
	per := 16 / x.n * to // bytes of the result that come from one half
	for i := range idx {
		// A byte of the table with its top bit set gives 0.
		idx[i] = 0x80
	}
	for h := range uint8(2) {
		at := uint8(0)
		if per < 4 {
			at = h * per
		}
		for i := range 16 / x.n {
			for b := range to {
				idx[16*h+at+i*to+b] = i*x.n + b
			}
		}
	}
	r := x.g.v2(x64.VPSHUFB, a.reg, x.g.table(idx))
	// Join the results of the halves.
	switch per {
	case 8:
		r = x.g.vi(x64.VPERMQImm, r, 0x08)
	case 4:
		r = x.g.v2(x64.VPERMD, x.dwords(0, 4), r)
	default:
		hi := x.g.reg(x64.Vec, 16)
		x.g.emit(x64.Inst{Op: x64.VEXTRACTI128, Len: 32, Dst: hi, B: r, Imm: 1})
		d := x.g.reg(x64.Vec, 16)
		x.g.emit(x64.Inst{Op: x64.VPOR, Len: 16, Dst: d, A: r, B: hi})
		r = d
	}
	return x.vec(r)
}

// dwords is a table for vpermd: the words from, from+step and so on; it wraps at the end of the
// vector.
func (x *ex) dwords(from, step int) x64.Reg {
	t := make([]byte, x.g.len)
	for i, d := 0, from; i < len(t); i, d = i+4, d+step {
		t[i] = byte(d % (len(t) / 4))
	}
	return x.g.table(t)
}

// highHalf returns the elements of the upper half of a vector, in the low part of a register.
func (x *ex) highHalf(a operand) operand {
	if a.num {
		return a
	}
	op := x64.VEXTRACTI128
	if x.g.len == 64 {
		op = x64.VEXTRACTI64X4
	}
	d := x.g.reg(x64.Vec, x.g.len/2)
	x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: a.reg, Imm: 1})
	return x.vec(d)
}

// halves computes f on elements of twice the size: it extends the arguments, half a vector at a
// time, and truncates and joins the results.
func (x *ex) halves(signed bool, f func(y *ex, a []operand) operand, a ...operand) operand {
	y := x.sized(2 * x.n)
	var part [2]x64.Reg
	for h := range part {
		b := make([]operand, len(a))
		for i, o := range a {
			if h == 1 {
				o = x.highHalf(o)
			}
			b[i] = y.ext(signed, x.n, o)
		}
		part[h] = x.reg(y.trunc(x.n, f(y, b)))
	}
	return x.vec(x.joinHalves(part[0], part[1]))
}

// joinHalves makes a vector of the low halves of two registers.
func (x *ex) joinHalves(lo, hi x64.Reg) x64.Reg {
	op := x64.VINSERTI128
	if x.g.len == 64 {
		op = x64.VINSERTI64X4
	}
	return x.g.v2i(op, lo, hi, 1)
}

// narrow runs f on shorter vectors: on the low parts of registers that hold elements of n bytes, in
// an operation whose widest type has wide bytes.
func (x *ex) narrow(wide uint8, f func(y *ex) operand) operand {
	was := x.g.len
	x.g.len = was / wide * x.n
	o := f(x)
	if o.num {
		o = x.vec(x.reg(o))
	}
	x.g.len = was
	return o
}

// oddDwords takes the words at even places from even and those at odd places from odd.
func (x *ex) oddDwords(even, odd operand) operand {
	if !x.g.avx512 {
		return x.vec(x.g.v2i(x64.VPBLENDD, even.reg, odd.reg, 0xaa))
	}
	g := x.g
	k := g.chunk(g.constOf(constKey{bits: 0xaaaaaaaa, size: 8, len: 8, gpr: true}), g.len/4, 4, 0)
	return x.vec(g.blend(k, even.reg, odd.reg, 4))
}
