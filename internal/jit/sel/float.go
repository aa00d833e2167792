package sel

import "example.org/crosslane/internal/jit/x64"

// This file has the building blocks of rules for floats. Vectors are of f32; double.go has the same
// for f64.
//
// Input: vector registers of f32, of g.len bytes.
// Output: vector registers, or masks: a mask register with AVX-512, else a vector of ones and
// zeros.
// Invariant: results have the bits of the functions of package num that the comments name.
// Example: ftz(x) with AVX-512 is `vfpclassps k1, x, subnormal; vpandd d{k1}, x, sign`.

// Predicates of vcmpps (Intel SDM, CMPPS, table 3-1). Those that also hold for unordered operands
// end in u.
const (
	cmpfEQ  = 0x00
	cmpfLT  = 0x01
	cmpfLE  = 0x02
	cmpfUN  = 0x03
	cmpfNEu = 0x04
	cmpfGEu = 0x05
	cmpfGTu = 0x06
	cmpfORD = 0x07
	cmpfEQu = 0x08
	cmpfLTu = 0x09
	cmpfLEu = 0x0a
	cmpfNE  = 0x0c
	cmpfGE  = 0x0d
	cmpfGT  = 0x0e
)

// Bits of f32.
const (
	signF32  = 1 << 31
	expF32   = 0x7f800000
	absF32   = 1<<31 - 1
	quietF32 = 1 << 22
	leastF32 = 1 << 23 // the least normal number
	oneF32   = 0x3f800000
	nanF32   = 0x7fffffff // the canonical NaN of PTX
	nanVF32  = 0xffc00000 // the canonical NaN of GCN3, and of the machine
	underOne = 0x3f7fffff
	twoTo126 = 0x7e800000
)

// Classes of vfpclassps (Intel SDM, VFPCLASSPS).
const (
	classQNaN = 1 << iota
	classPosZero
	classNegZero
	classPosInf
	classNegInf
	classSub
	classNeg // finite
	classSNaN

	classZero = classPosZero | classNegZero
	classInf  = classPosInf | classNegInf
	classNaN  = classQNaN | classSNaN
)

// round emits an instruction under the rounding rc and returns its result. With AVX-512 and vectors
// of 64 bytes the instruction itself has a rounding; else MXCSR is changed around it.
func (g *arithmetic) round(rc x64.Rounding, in x64.Inst) x64.Reg {
	if in.Len = g.len; in.Dst == 0 {
		in.Dst = g.vec()
	}
	switch {
	case rc == x64.Current:
		g.emit(in)
	case g.avx512 && g.len == 64:
		in.RC = rc
		g.emit(in)
	default:
		g.mxcsr(rc)
		g.emit(in)
		g.mxcsr(x64.Nearest)
	}
	return in.Dst
}

// ordered is v2 for floats if it matters which of two NaNs is the result: the first one. The
// allocator must not exchange the operands.
func (g *arithmetic) ordered(op x64.Op, a, b x64.Reg) x64.Reg {
	return g.round(x64.Current, x64.Inst{Op: op, A: a, B: b, Ordered: true})
}

// mxcsr sets the machine's rounding. Nearest restores the MXCSR that Go expects.
func (g *arithmetic) mxcsr(rc x64.Rounding) {
	const goes = 0x1f80 // all exceptions masked
	bits := [6]uint64{x64.Nearest: 0, x64.Down: 1, x64.Up: 2, x64.Zero: 3}[rc]
	g.emit(x64.Inst{Op: x64.LDMXCSR, Len: 4, HasMem: true, M: x64.Mem{Pool: g.number(goes | bits<<13)}})
}

// cmpf compares floats. The result is a mask register with AVX-512, else a vector mask.
func (g *arithmetic) cmpf(pred int64, a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2i(x64.VCMPPS, a, b, pred)
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VCMPPSK, Len: g.len, Dst: k, A: a, B: b, Imm: pred})
	return k
}

// gtd compares signed words: a > b.
func (g *arithmetic) gtd(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPCMPGTD, a, b)
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VPCMPD, Len: g.len, Dst: k, A: a, B: b, Imm: cmpGT})
	return k
}

// eqd compares words: a == b.
func (g *arithmetic) eqd(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPCMPEQD, a, b)
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VPCMPEQDK, Len: g.len, Dst: k, A: a, B: b})
	return k
}

// bitClear is the mask of the words of a that have none of the bits of b.
func (g *arithmetic) bitClear(a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPCMPEQD, g.v2(x64.VPAND, a, b), g.zero())
	}
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VPTESTNMD, Len: g.len, Dst: k, A: a, B: b})
	return k
}

// fpclass is the mask of the elements in one of some classes; for AVX-512 only.
func (g *arithmetic) fpclass(a x64.Reg, classes int64) x64.Reg {
	k := g.kreg()
	g.emit(x64.Inst{Op: x64.VFPCLASSPS, Len: g.len, Dst: k, B: a, Imm: classes})
	return k
}

// masks2 combines two masks of up to 16 elements: k is the operation on mask registers, v on
// vectors.
func (g *arithmetic) masks2(k, v x64.Op, a, b x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(v, a, b)
	}
	d := g.kreg()
	g.emit(x64.Inst{Op: k, Len: 8, Dst: d, A: a, B: b})
	return d
}

// maskOr and maskAnd combine two masks.
func (g *arithmetic) maskOr(a, b x64.Reg) x64.Reg  { return g.masks2(x64.KORW, x64.VPOR, a, b) }
func (g *arithmetic) maskAnd(a, b x64.Reg) x64.Reg { return g.masks2(x64.KANDW, x64.VPAND, a, b) }

// maskLess is b without a.
func (g *arithmetic) maskLess(a, b x64.Reg) x64.Reg { return g.masks2(x64.KANDNW, x64.VPANDN, a, b) }

// maskNot is the complement of a mask of up to 16 elements.
func (g *arithmetic) maskNot(a x64.Reg) x64.Reg {
	if !g.avx512 {
		return g.v2(x64.VPXOR, a, g.c32(1<<32-1))
	}
	d := g.kreg()
	g.emit(x64.Inst{Op: x64.KNOTW, Len: 8, Dst: d, B: a})
	return d
}

// and, or, xor and andn (b without the bits of a) are bitwise operations on vectors.
func (g *arithmetic) and(a, b x64.Reg) x64.Reg  { return g.bitwise(x64.VPAND, x64.VPANDD, a, b) }
func (g *arithmetic) or(a, b x64.Reg) x64.Reg   { return g.bitwise(x64.VPOR, x64.VPORD, a, b) }
func (g *arithmetic) xor(a, b x64.Reg) x64.Reg  { return g.bitwise(x64.VPXOR, x64.VPXORD, a, b) }
func (g *arithmetic) andn(a, b x64.Reg) x64.Reg { return g.bitwise(x64.VPANDN, x64.VPANDND, a, b) }

// bitwise chooses the encoding: EVEX can use masks and all 32 registers, VEX exists without
// AVX-512.
func (g *arithmetic) bitwise(vex, evex x64.Op, a, b x64.Reg) x64.Reg {
	if g.avx512 {
		return g.v2(evex, a, b)
	}
	return g.v2(vex, a, b)
}

// abs clears the signs.
func (g *arithmetic) abs(a x64.Reg) x64.Reg { return g.and(a, g.c32(absF32)) }

// pick32 is b in the elements that the mask k selects, else a.
func (g *arithmetic) pick32(k, a, b x64.Reg) x64.Reg { return g.blend(k, a, b, 4) }

// signOf is b with the signs of a.
func (g *arithmetic) signOf(a, b x64.Reg) x64.Reg {
	if g.avx512 {
		const choose = 0xca // the first operand chooses between the second and the third
		return g.v3i(x64.VPTERNLOGD, g.c32(signF32), a, b, choose)
	}
	s := g.c32(signF32)
	return g.v2(x64.VPOR, g.v2(x64.VPAND, s, a), g.v2(x64.VPANDN, s, b))
}

// ftz is num.FlushF32: a subnormal number becomes a zero of its sign.
func (g *arithmetic) ftz(a x64.Reg) x64.Reg {
	if g.avx512 {
		k := g.fpclass(a, classSub)
		d := g.vec()
		g.move(d, a)
		g.emit(x64.Inst{Op: x64.VPANDD, Len: g.len, Dst: d, A: a, B: g.c32(signF32), K: k})
		return d
	}
	// An exponent of 0 means zero or subnormal; the mask then clears all bits but the sign.
	none := g.v2(x64.VPCMPEQD, g.v2(x64.VPAND, a, g.c32(expF32)), g.zero())
	return g.v2(x64.VPANDN, g.v2(x64.VPAND, none, g.c32(absF32)), a)
}

// ftzAll is ftz of the first n arguments of the operation in hand. Arguments that are never
// subnormal stay as they are, and equal arguments are flushed once.
func (g *lowering) ftzAll(a [4]x64.Reg, n int) [4]x64.Reg {
	b := a
	for i := range n {
		switch {
		case g.normal[g.ops.Args[i]]:
		case i > 0 && a[i] == a[0]:
			b[i] = b[0]
		default:
			b[i] = g.ftz(a[i])
		}
	}
	return b
}

// sat is num.SatF32. It relies on vmaxps and vminps: they return their second source if one source
// is a NaN or both are zeros.
func (g *arithmetic) sat(a x64.Reg) x64.Reg {
	return g.v2(x64.VMINPS, g.v2(x64.VMAXPS, a, g.zero()), g.c32(oneF32))
}

// quiet makes signalling NaNs quiet: the product with 1 is the same number.
func (g *arithmetic) quiet(a x64.Reg) x64.Reg { return g.v2(x64.VMULPS, a, g.c32(oneF32)) }

// roundTo rounds to integers; mode is the immediate of vroundps.
func (g *arithmetic) roundTo(a x64.Reg, mode int64) x64.Reg {
	const inexact = 8 // no exception for inexact results
	if g.avx512 {
		return g.vi(x64.VRNDSCALEPS, a, mode|inexact)
	}
	return g.vi(x64.VROUNDPS, a, mode|inexact)
}

// The modes of roundTo.
const (
	toNearest = 0
	toFloor   = 1
	toCeil    = 2
	toTrunc   = 3
)

// Responses of vfixupimmps (Intel SDM, VFIXUPIMMPS, table 5-20). A table has four bits per token,
// the class of the source; the token constants are the shifts.
const (
	fixKeep    = 0 // the destination
	fixSource  = 1
	fixQuiet   = 2 // the source as a quiet NaN
	fixNaN     = 3 // the machine's NaN
	fixNegInf  = 4
	fixPosInf  = 5
	fixZero    = 8
	tokenQNaN  = 4 * 0
	tokenSNaN  = 4 * 1
	tokenZero  = 4 * 2
	tokenNInf  = 4 * 4
	tokenPInf  = 4 * 5
	tokenNeg   = 4 * 6
	fixAllNaNs = fixQuiet<<tokenQNaN | fixQuiet<<tokenSNaN
)

// fixup returns d with some elements replaced: table has a response for the class of the element of
// a. It is for AVX-512 only.
func (g *arithmetic) fixup(d, a x64.Reg, table uint32) x64.Reg {
	return g.v3i(x64.VFIXUPIMMPS, d, a, g.c32(table), 0)
}
