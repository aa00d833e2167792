package sel

import "example.org/crosslane/internal/jit/x64"

// This file has the building blocks of rules that convert floats.
//
// Input: the lanes of an operation in vector registers, in elements of one size.
// Output: the lanes in elements of another size, or other numbers.
// Invariant: a rule works on as many lanes as g.len has elements of the operation's widest type. If
// a step needs larger elements, the lanes are in several vectors (pieces), in order. If it needs
// smaller ones, they are in the low part of a shorter vector.
// Example: with AVX2, 8 f32 are one vector; as f64 they are two pieces of 4 lanes, as f16 half a
// vector.

// pieces are vectors of n bytes each that together hold the lanes of an operation, in order.
type pieces struct {
	n uint8
	v []x64.Reg
}

// each applies f to every piece, with vectors of n bytes.
func (p pieces) each(g *arithmetic, f func(x x64.Reg) x64.Reg) pieces {
	d := pieces{n: p.n}
	for _, x := range p.v {
		d.v = append(d.v, g.sized(p.n, func() x64.Reg { return f(x) }))
	}
	return d
}

// piecesOf returns the lanes x of an operation, elements of from bytes, in pieces with elements of
// to bytes. op extends the elements in the low part of a register; it is not used if from equals
// to. wide is the size of the operation's widest type.
func (g *arithmetic) piecesOf(op x64.Op, x x64.Reg, from, to, wide uint8) pieces {
	if to <= wide {
		p := pieces{n: g.len / wide * to, v: []x64.Reg{x}}
		if from == to {
			return p
		}
		return p.each(g, func(x x64.Reg) x64.Reg { return g.v1(op, x) })
	}
	p := pieces{n: g.len}
	for i := range to / wide {
		p.v = append(p.v, g.piece8(x, int32(g.len/to*from), int32(i)))
	}
	return p.each(g, func(x x64.Reg) x64.Reg { return g.v1(op, x) })
}

// narrow drops the upper bytes of the elements of p, of from bytes each, and returns elements of to
// bytes in the low part of one register.
func (p pieces) narrow(g *lowering, from, to uint8) x64.Reg {
	if from != to {
		p = p.each(&g.arithmetic, func(x x64.Reg) x64.Reg { return g.drop(x, from, to) })
	}
	return g.join(p.v, int32(p.n/from*to))
}

// drop is ex.trunc for vectors of 16 bytes, too: vpshufb moves the low bytes of each element
// together.
func (g *lowering) drop(x x64.Reg, from, to uint8) x64.Reg {
	if g.avx512 || g.len > 16 {
		return g.ex(from).trunc(to, operand{reg: x}).reg
	}
	idx := make([]byte, 16)
	for i := range idx {
		idx[i] = 0x80
		if j := uint8(i); j < 16/from*to {
			idx[i] = j/to*from + j%to
		}
	}
	return g.v2(x64.VPSHUFB, x, g.table(idx))
}

// odd rounds to odd. Its arguments are one exact result rounded down and rounded up; if they
// differ, the result is the one whose last bit is set. A second rounding, to a format with at least
// two bits less, then gives the result of a single rounding. If the two are -0 and +0, it is +0.
// Literature: Boldo and Melquiond, emulation of FMA and correctly rounded sums (2008).
func (g *arithmetic) odd(down, up x64.Reg) x64.Reg {
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: x64.VPTESTMD, Len: g.len, Dst: k, A: down, B: g.c32(1)})
		return g.pick32(k, up, down)
	}
	d := g.vec()
	g.emit(x64.Inst{Op: x64.VBLENDVPS, Len: g.len, Dst: d, A: up, B: down, C: g.vi(x64.VPSLLDImm, down, 31)})
	return d
}

// odd64 is odd for f64, for AVX2 only.
func (g *arithmetic) odd64(down, up x64.Reg) x64.Reg {
	d := g.vec()
	g.emit(x64.Inst{Op: x64.VBLENDVPD, Len: g.len, Dst: d, A: up, B: down, C: g.vi(x64.VPSLLQImm, down, 63)})
	return d
}

// toHalf converts f32 to f16, in the low half of a register.
func (g *arithmetic) toHalf(x x64.Reg, rc x64.Rounding) x64.Reg {
	return g.vi(x64.VCVTPS2PH, x, [6]int64{x64.Current: 0, x64.Down: 1, x64.Up: 2, x64.Zero: 3}[rc])
}

// toBrain converts f32 to bf16, in the upper half of each word; the lower half is arbitrary. NaNs
// must have no bits in the lower half, because a carry out of it could make another number of them.
func (g *arithmetic) toBrain(x x64.Reg, rc x64.Rounding) x64.Reg {
	switch rc {
	case x64.Zero:
		return x
	case x64.Current: // ties to even; a carry may move into the exponent
		even := g.and(g.vi(x64.VPSRLDImm, x, 16), g.c32(1))
		return g.v2(x64.VPADDD, g.v2(x64.VPADDD, x, g.c32(0x7fff)), even)
	}
	// Directed rounding grows the magnitude of one sign: up is all ones for the numbers of that
	// sign.
	up := g.vi(x64.VPSRADImm, x, 31)
	if rc == x64.Up {
		up = g.xor(up, g.c32(1<<32-1))
	}
	return g.v2(x64.VPADDD, x, g.and(up, g.c32(0xffff)))
}

// brains converts f32 with any NaNs to bf16, in the lower half of each word.
func (g *arithmetic) brains(x x64.Reg, rc x64.Rounding) x64.Reg {
	return g.vi(x64.VPSRLDImm, g.toBrain(g.canonical(x, 32, 0x7fff0000), rc), 16)
}

// intsOf32 converts f32 to integers of some bits, rounded by mode and limited to their range, in
// the low bits of words.
func (g *arithmetic) intsOf32(x x64.Reg, bits uint, signed bool, mode int64) x64.Reg {
	cvt, cvtU := x64.VCVTTPS2DQ, x64.VCVTTPS2UDQ
	switch mode {
	case toNearest:
		cvt, cvtU = x64.VCVTPS2DQ, x64.VCVTPS2UDQ
	case toFloor, toCeil:
		x = g.roundTo(x, mode)
	}
	switch {
	case bits < 32: // the conversion makes 1<<31 of a NaN, whose low bits are 0
		lo, hi := limits(bits, signed)
		x = g.v2(x64.VMAXPS, g.f32(float32(lo)), x)
		return g.v1(cvt, g.v2(x64.VMINPS, g.f32(float32(hi)), x))
	// With a mask, NaNs become 0. Values that are too large need the greatest integer.
	case signed && g.avx512:
		d := g.vec()
		g.emit(x64.Inst{Op: cvt, Len: g.len, Dst: d, B: x, K: g.cmpf(cmpfORD, x, x), Z: true})
		return g.pick32(g.cmpf(cmpfGE, x, g.f32(1<<31)), d, g.c32(1<<31-1))
	// The machine makes 1<<31 of a value out of range: xor with all ones makes that 1<<31-1 if it
	// was too large.
	case signed:
		d := g.xor(g.v1(cvt, x), g.cmpf(cmpfGE, x, g.f32(1<<31)))
		return g.and(d, g.cmpf(cmpfORD, x, x))
	}
	x = g.v2(x64.VMAXPS, x, g.zero())
	if g.avx512 {
		return g.v1(cvtU, x)
	}
	// Without an unsigned conversion: from 1<<31 on the first conversion sets only the sign, and
	// the second converts the rest.
	d := g.v1(cvt, x)
	rest := g.v1(cvt, g.v2(x64.VSUBPS, x, g.f32(1<<31)))
	d = g.or(d, g.and(rest, g.vi(x64.VPSRADImm, d, 31)))
	return g.or(d, g.cmpf(cmpfGE, x, g.f32(1<<32)))
}

// limits are the least and the greatest integer of a number of bits.
func limits(bits uint, signed bool) (lo, hi float64) {
	if signed {
		return -float64(uint64(1) << (bits - 1)), float64(uint64(1)<<(bits-1) - 1)
	}
	return 0, float64(uint64(1)<<bits - 1)
}

// wordsOf64 converts f64 to integers of up to 32 bits, in the low bits of words in the low half of
// a register. A NaN becomes 0 with nanIsZero, else 1<<(bits-1).
func (g *lowering) wordsOf64(x x64.Reg, bits uint, signed bool, mode int64, nanIsZero bool) x64.Reg {
	cvt, cvtU := x64.VCVTTPD2DQ, x64.VCVTTPD2UDQ
	switch mode {
	case toNearest:
		cvt, cvtU = x64.VCVTPD2DQ, x64.VCVTPD2UDQ
	case toFloor, toCeil:
		x = g.roundTo64(x, mode)
	}
	lo, hi := limits(bits, signed)
	was := x
	if g.avx512 && signed && bits == 32 && nanIsZero { // the conversion makes 1<<31 of values that are too small
		d := g.vec()
		g.emit(x64.Inst{Op: cvt, Len: g.len, Dst: d, B: g.v2(x64.VMINPD, x, g.f64(hi)), K: g.cmpd(cmpfORD, x, x), Z: true})
		return d
	}
	x = g.v2(x64.VMINPD, g.v2(x64.VMAXPD, x, g.f64(lo)), g.f64(hi)) // a NaN becomes lo
	switch {
	case signed && nanIsZero:
		x = g.pick64(g.cmpd(cmpfUN, was, was), x, g.zero())
	case !signed && !nanIsZero:
		x = g.pick64(g.cmpd(cmpfUN, was, was), x, g.f64(float64(uint64(1)<<(bits-1))))
	}
	switch {
	case signed || bits < 32:
		return g.v1(cvt, x)
	case g.avx512:
		return g.v1(cvtU, x)
	}
	if mode == toTrunc {
		x = g.roundTo64(x, mode)
	}
	// Adding 1<<52 puts the integer into the low bits of the mantissa.
	return g.drop(g.v2(x64.VADDPD, x, g.f64(1<<52)), 8, 4)
}

// longsOf64 converts f64 to integers of 64 bits. A NaN becomes 1<<63.
func (g *arithmetic) longsOf64(x x64.Reg, signed bool, mode int64) x64.Reg {
	if mode != toTrunc && (mode != toNearest || !g.avx512) {
		x = g.roundTo64(x, mode)
	}
	was := x
	if !signed {
		x = g.v2(x64.VMAXPD, x, g.zero())
	}
	var d x64.Reg
	switch {
	case g.avx512:
		op := [2][2]x64.Op{1: {x64.VCVTTPD2QQ, x64.VCVTPD2QQ}, 0: {x64.VCVTTPD2UQQ, x64.VCVTPD2UQQ}}[b2i(signed)][b2i(mode == toNearest)]
		d = g.v1(op, x)
		if !signed {
			return g.pick64(g.cmpd(cmpfUN, was, was), d, g.c64(1<<63))
		}
		return g.pick64(g.cmpd(cmpfGE, x, g.f64(1<<63)), d, g.c64(1<<63-1))
	case mode == toTrunc:
		x = g.roundTo64(x, toTrunc)
	}
	// Without conversions of 64 bits: compute the upper and the lower words separately, as the low
	// bits of numbers with a suitable exponent.
	hi := g.roundTo64(g.v2(x64.VMULPD, x, g.f64(0x1p-32)), toFloor)
	lo := g.sub(hi, g.f64(1<<32), x)
	hi = g.v2(x64.VADDPD, hi, g.f64(intoF64))
	lo = g.v2(x64.VADDPD, lo, g.f64(1<<52))
	d = g.v2i(x64.VPBLENDD, g.vi(x64.VPSLLQImm, hi, 32), lo, 0x55)
	if !signed {
		d = g.or(d, g.cmpd(cmpfGE, x, g.f64(1<<64)))
		return g.pick64(g.cmpd(cmpfUN, was, was), d, g.c64(1<<63))
	}
	d = g.pick64(g.cmpd(cmpfGE, x, g.f64(1<<63)), d, g.c64(1<<63-1))
	return g.pick64(g.cmpd(cmpfGE, x, g.f64(-1<<63)), g.c64(1<<63), d) // NaNs become 1<<63, too
}

// f32OfWords converts integers of 32 bits to f32.
func (g *arithmetic) f32OfWords(x x64.Reg, signed bool, rc x64.Rounding) x64.Reg {
	switch {
	case signed:
		return g.round(rc, x64.Inst{Op: x64.VCVTDQ2PS, B: x})
	case g.avx512:
		return g.round(rc, x64.Inst{Op: x64.VCVTUDQ2PS, B: x})
	}
	// Both halves are exact as f32, so one fused multiply-add rounds once.
	d := g.vec()
	g.move(d, g.v1(x64.VCVTDQ2PS, g.and(x, g.c32(0xffff))))
	hi := g.v1(x64.VCVTDQ2PS, g.vi(x64.VPSRLDImm, x, 16))
	return g.round(rc, x64.Inst{Op: x64.VFMADD231PS, Dst: d, A: hi, B: g.f32(1 << 16)})
}

// f64OfLongs converts integers of 64 bits to f64.
func (g *arithmetic) f64OfLongs(x x64.Reg, signed bool, rc x64.Rounding) x64.Reg {
	if g.avx512 {
		return g.round(rc, x64.Inst{Op: [2]x64.Op{1: x64.VCVTQQ2PD, 0: x64.VCVTUQQ2PD}[b2i(signed)], B: x})
	}
	// Each word becomes an exact f64 through the mantissa of 1<<52; the last step rounds once.
	const b52, b31 = 0x433 << 52, 1 << 31
	lo := g.v2(x64.VSUBPD, g.v2i(x64.VPBLENDD, g.c64(b52), x, 0x55), g.f64(1<<52))
	hi := g.vi(x64.VPSRLQImm, x, 32)
	if signed {
		hi = g.v2(x64.VSUBPD, g.xor(hi, g.c64(b52|b31)), g.f64(1<<52+1<<31))
	} else {
		hi = g.v2(x64.VSUBPD, g.or(hi, g.c64(b52)), g.f64(1<<52))
	}
	d := g.vec()
	g.move(d, lo)
	return g.round(rc, x64.Inst{Op: x64.VFMADD231PD, Dst: d, A: hi, B: g.f64(1 << 32)})
}

// f32OfLongs converts integers of 64 bits to f32, in the low half of a register. Without AVX-512
// the value goes through f64, rounded to odd, so that the second rounding is right.
func (g *arithmetic) f32OfLongs(x x64.Reg, signed bool, rc x64.Rounding) x64.Reg {
	if g.avx512 {
		return g.round(rc, x64.Inst{Op: [2]x64.Op{1: x64.VCVTQQ2PS, 0: x64.VCVTUQQ2PS}[b2i(signed)], B: x})
	}
	if rc == x64.Current {
		x = g.odd64(g.f64OfLongs(x, signed, x64.Down), g.f64OfLongs(x, signed, x64.Up))
	} else {
		x = g.f64OfLongs(x, signed, rc)
	}
	return g.round(rc, x64.Inst{Op: x64.VCVTPD2PS, B: x})
}

// closeTo returns a result of f that may be rounded once more by rc: f rounded to odd if rc is the
// rounding to nearest, else f rounded by rc. f makes f32.
func (g *arithmetic) closeTo(n uint8, rc x64.Rounding, f func(rc x64.Rounding) x64.Reg) x64.Reg {
	if rc != x64.Current {
		return f(rc)
	}
	down, up := f(x64.Down), f(x64.Up)
	return g.sized(n, func() x64.Reg { return g.odd(down, up) })
}
