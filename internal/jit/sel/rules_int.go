package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the integer operations that are formulas of a few steps.
//
// Input: the operands of an operation, in vectors or in general registers.
// Output: the result in the same place.
// Invariant: a formula uses only methods of ex, which exist for both places and all
// sizes; so it is written once.
// Example: VMed3U32 is max(min(a, b), min(max(a, b), c)).

// all is a rule on elements of n bytes, for vectors and general registers.
func all(n uint8, f formula) intRule { return intRule{n: n, f: f} }

// vecs is a rule on elements of n bytes, for vectors only.
func vecs(n uint8, f formula) intRule { return intRule{n: n, f: f, only: onlyVec} }

// The operations that are one method, as formulas.
func add2(x *ex, a [4]operand) operand { return x.add(a[0], a[1]) }
func sub2(x *ex, a [4]operand) operand { return x.sub(a[0], a[1]) }
func and2(x *ex, a [4]operand) operand { return x.and(a[0], a[1]) }
func or2(x *ex, a [4]operand) operand  { return x.or(a[0], a[1]) }
func xor2(x *ex, a [4]operand) operand { return x.xor(a[0], a[1]) }
func not1(x *ex, a [4]operand) operand { return x.not(a[0]) }
func neg1(x *ex, a [4]operand) operand { return x.neg(a[0]) }

func abs1(x *ex, a [4]operand) operand { return x.abs(a[0]) }

// min2 is the minimum of two arguments.
func min2(signed bool) formula {
	return func(x *ex, a [4]operand) operand { return x.minimum(signed, a[0], a[1]) }
}

// max2 is the maximum of two arguments.
func max2(signed bool) formula {
	return func(x *ex, a [4]operand) operand { return x.maximum(signed, a[0], a[1]) }
}

// relu is max(0, f).
func relu(f formula) formula {
	return func(x *ex, a [4]operand) operand { return x.maximum(true, f(x, a), x.k(0)) }
}

// three is f of the first two arguments, then of the result and the third.
func three(f formula) formula {
	return func(x *ex, a [4]operand) operand { return f(x, [4]operand{f(x, a), a[2]}) }
}

// med3 is max(min(a, b), min(max(a, b), c)).
func med3(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		lo, hi := x.minimum(signed, a[0], a[1]), x.maximum(signed, a[0], a[1])
		return x.maximum(signed, lo, x.minimum(signed, hi, a[2]))
	}
}

// absdiff is |a - b|, as the difference of the greater and the lesser.
func absdiff(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		return x.sub(x.maximum(signed, a[0], a[1]), x.minimum(signed, a[0], a[1]))
	}
}

// plus is f(a, b) + c.
func plus(f formula) formula {
	return func(x *ex, a [4]operand) operand { return x.add(f(x, a), a[2]) }
}

// plusSat is f(a, b) + c, saturated.
func plusSat(f, sat formula) formula {
	return func(x *ex, a [4]operand) operand { return sat(x, [4]operand{f(x, a), a[2]}) }
}

// addSatU is a + min(b, ^a), which saturates without a comparison.
func addSatU(x *ex, a [4]operand) operand {
	return x.add(a[0], x.minimum(false, a[1], x.not(a[0])))
}

// subSatU is max(a, b) - b.
func subSatU(x *ex, a [4]operand) operand { return x.sub(x.maximum(false, a[0], a[1]), a[1]) }

// addOverflow has its sign set if a + b = s is outside the signed range.
func (x *ex) addOverflow(a, b, s operand) operand { return x.logic((ta^tc)&(tb^tc), a, b, s) }

// subOverflow has its sign set if a - b = s is outside the signed range.
func (x *ex) subOverflow(a, b, s operand) operand { return x.logic((ta^tb)&(ta^tc), a, b, s) }

// addSatS is a + b, saturated to the signed range.
func addSatS(x *ex, a [4]operand) operand {
	s := x.add(a[0], a[1])
	return x.saturated(a[0], s, x.addOverflow(a[0], a[1], s))
}

// subSatS is a - b, saturated to the signed range.
func subSatS(x *ex, a [4]operand) operand {
	s := x.sub(a[0], a[1])
	return x.saturated(a[0], s, x.subOverflow(a[0], a[1], s))
}

// saturated is s; if the sign of over is set, it is the end of the signed range on the
// side of a's sign.
func (x *ex) saturated(a, s, over operand) operand {
	return x.sel(x.negative(over), x.xor(x.shiftBy(sar, a, x.bits()-1), x.top()), s)
}

// addOvf reports whether a + b is outside the signed range.
func addOvf(x *ex, a [4]operand) operand {
	return x.negative(x.addOverflow(a[0], a[1], x.add(a[0], a[1])))
}

// subOvf reports whether a - b is outside the signed range.
func subOvf(x *ex, a [4]operand) operand {
	return x.negative(x.subOverflow(a[0], a[1], x.sub(a[0], a[1])))
}

// addC is the carry of a + b: the sum is less than a.
func addC(x *ex, a [4]operand) operand { return x.cmp(cmpLT, false, x.add(a[0], a[1]), a[0]) }

// addc is a + b + c with a carry c; subb is a - b - c with a borrow c.
func addc(x *ex, a [4]operand) operand { return x.inc(x.add(a[0], a[1]), a[2]) }
func subb(x *ex, a [4]operand) operand { return x.dec(x.sub(a[0], a[1]), a[2]) }

// carry is the carry of a + b + c, if s is that sum: a and b are set, or one of them is
// set and s is not (in the top bit).
func (x *ex) carry(a, b, s operand) operand { return x.negative(x.logic(ta&tb|(ta|tb)&^tc, a, b, s)) }

// borrow is the borrow of a - b - c, if s is that difference.
func (x *ex) borrow(a, b, s operand) operand {
	return x.negative(x.logic(tb&^ta|(tb|^ta&0xff)&tc, a, b, s))
}

// addCC is the carry of a + b + c; subBB is the borrow of a - b - c.
func addCC(x *ex, a [4]operand) operand { return x.carry(a[0], a[1], addc(x, a)) }
func subBB(x *ex, a [4]operand) operand { return x.borrow(a[0], a[1], subb(x, a)) }

// addcSat is a + b + c, saturated to all ones.
func addcSat(x *ex, a [4]operand) operand {
	s := addc(x, a)
	return x.sel(x.carry(a[0], a[1], s), x.ones(), s)
}

// subbSat is a - b - c, saturated to 0.
func subbSat(x *ex, a [4]operand) operand {
	s := subb(x, a)
	return x.sel(x.mnot(x.borrow(a[0], a[1], s)), s, x.k(0))
}

// truth is the rule of a bitwise operation on n arguments by its truth table, as in
// lop3.
func truth(lut uint8, n int) formula {
	return func(x *ex, a [4]operand) operand {
		o := [3]operand{a[0], a[0], a[0]}
		copy(o[:], a[:n])
		return x.logic(lut, o[0], o[1], o[2])
	}
}

// The truth tables of the arguments.
const (
	ta = x64.Truth1
	tb = x64.Truth2
	tc = x64.Truth3
)

// cnot is 1 if a is 0, else 0.
func cnot(x *ex, a [4]operand) operand { return x.one(x.cmp(cmpEQ, false, a[0], x.k(0))) }

// compares is a comparison of two arguments as a predicate.
func compares(pred int64, signed bool) formula {
	return func(x *ex, a [4]operand) operand { return x.cmp(pred, signed, a[0], a[1]) }
}

// selects is b if predicate a is set, else c.
func selects(x *ex, a [4]operand) operand { return x.sel(a[0], a[1], a[2]) }

// slct is a where c >= 0, else b; c has 4 bytes.
func slct(x *ex, a [4]operand) operand {
	return x.sel(x.negative(x.ext(true, 4, a[2])), a[1], a[0])
}

// abs is |a|.
func (x *ex) abs(a operand) operand {
	if !x.gp && (x.n < 8 || x.g.avx512) {
		return x.vec(x.g.v1([4]x64.Op{x64.VPABSB, x64.VPABSW, x64.VPABSD, x64.VPABSQ}[index(x.n)], x.reg(a)))
	}
	m := x.spread(x.negative(a))
	return x.sub(x.xor(a, m), m)
}

// basicInt are the rules of addition, logic, comparison and selection.
var basicInt = map[ir.Op]intRule{
	ir.Add16: vecs(2, add2), ir.Sub16: vecs(2, sub2), ir.Neg16: vecs(2, neg1), ir.Neg32: vecs(4, neg1), ir.Neg64: vecs(8, neg1),
	ir.AbsS16: vecs(2, abs1), ir.AbsS32: all(4, abs1), ir.AbsS64: all(8, abs1),
	ir.AddSatS32: all(4, addSatS), ir.SubSatS32: all(4, subSatS),
	ir.AddSatU32: all(4, addSatU), ir.SubSatU32: all(4, subSatU), ir.AddSatU16: vecs(2, addSatU), ir.SubSatU16: vecs(2, subSatU),
	ir.AddC32: all(4, addC), ir.AddC64: all(8, addC), ir.Addc32: all(4, addc), ir.Addc64: all(8, addc), ir.AddCC32: all(4, addCC), ir.AddCC64: all(8, addCC),
	ir.SubB32: all(4, compares(cmpLT, false)), ir.SubB64: all(8, compares(cmpLT, false)), ir.Subb32: all(4, subb), ir.Subb64: all(8, subb), ir.SubBB32: all(4, subBB), ir.SubBB64: all(8, subBB),
	ir.AddOvfS32: all(4, addOvf), ir.SubOvfS32: all(4, subOvf), ir.AddcSatU32: all(4, addcSat), ir.SubbSatU32: all(4, subbSat),
	ir.AddWideU32: all(8, func(x *ex, a [4]operand) operand { return x.add(x.ext(false, 4, a[0]), a[1]) }),

	ir.And16: vecs(2, and2), ir.Or16: vecs(2, or2), ir.Xor16: vecs(2, xor2), ir.Not16: vecs(2, not1), ir.Not32: vecs(4, not1), ir.Not64: vecs(8, not1),
	ir.AndN32: all(4, func(x *ex, a [4]operand) operand { return x.andNot(a[0], a[1]) }),
	ir.AndN64: all(8, func(x *ex, a [4]operand) operand { return x.andNot(a[0], a[1]) }),
	ir.OrN32:  all(4, truth(ta|^tb&0xff, 2)), ir.OrN64: all(8, truth(ta|^tb&0xff, 2)),
	ir.Nand32: all(4, truth(^(ta&tb)&0xff, 2)), ir.Nand64: all(8, truth(^(ta&tb)&0xff, 2)),
	ir.Nor32: all(4, truth(^(ta|tb)&0xff, 2)), ir.Nor64: all(8, truth(^(ta|tb)&0xff, 2)),
	ir.Xnor32: all(4, truth(^(ta^tb)&0xff, 2)), ir.Xnor64: all(8, truth(^(ta^tb)&0xff, 2)),
	ir.VBfiB32: all(4, truth(ta&tb|^ta&tc, 3)),
	ir.Lop3:    all(4, lop3),
	ir.Cnot16:  vecs(2, cnot), ir.Cnot32: all(4, cnot), ir.Cnot64: all(8, cnot),

	ir.MinU16: vecs(2, min2(false)), ir.MinS16: vecs(2, min2(true)), ir.MaxU16: vecs(2, max2(false)), ir.MaxS16: vecs(2, max2(true)),
	ir.MinU32: vecs(4, min2(false)), ir.MinS32: vecs(4, min2(true)), ir.MaxU32: vecs(4, max2(false)), ir.MaxS32: vecs(4, max2(true)),
	ir.MinU64: vecs(8, min2(false)), ir.MinS64: vecs(8, min2(true)), ir.MaxU64: vecs(8, max2(false)), ir.MaxS64: vecs(8, max2(true)),
	ir.MinReluS32: all(4, relu(min2(true))), ir.MaxReluS32: all(4, relu(max2(true))),
	ir.VMin3U32: all(4, three(min2(false))), ir.VMin3I32: all(4, three(min2(true))), ir.VMax3U32: all(4, three(max2(false))), ir.VMax3I32: all(4, three(max2(true))),
	ir.VMed3U32: all(4, med3(false)), ir.VMed3I32: all(4, med3(true)),
	ir.SadU16: vecs(2, plus(absdiff(false))), ir.SadS16: vecs(2, plus(absdiff(true))), ir.SadU32: all(4, plus(absdiff(false))), ir.SadS32: all(4, plus(absdiff(true))),
	ir.SadU64: all(8, plus(absdiff(false))), ir.SadS64: all(8, plus(absdiff(true))), ir.VSadSatU32: all(4, plusSat(absdiff(false), addSatU)),
	ir.SAbsdiffI32: all(4, func(x *ex, a [4]operand) operand { return x.abs(x.sub(a[0], a[1])) }),

	ir.Sel16: vecs(2, selects), ir.Slct32: all(4, slct), ir.Slct64: all(8, slct),
	ir.B2U32:     all(4, func(x *ex, a [4]operand) operand { return x.one(a[0]) }),
	ir.B2Mask32:  all(4, func(x *ex, a [4]operand) operand { return x.spread(a[0]) }),
	ir.DsRsub32:  all(4, func(x *ex, a [4]operand) operand { return x.sub(a[1], a[0]) }),
	ir.DsRsub64:  all(8, func(x *ex, a [4]operand) operand { return x.sub(a[1], a[0]) }),
	ir.DsMskor32: all(4, truth(ta&^tb|tc, 3)), ir.DsMskor64: all(8, truth(ta&^tb|tc, 3)),
	ir.DsWrap32: all(4, func(x *ex, a [4]operand) operand {
		return x.choose(cmpGE, false, a[0], a[1], x.sub(a[0], a[1]), x.add(a[0], a[2]))
	}),

	ir.UndefAnd16: vecs(2, undefAnd), ir.UndefAnd32: all(4, undefAnd), ir.UndefAnd64: all(8, undefAnd),
	ir.UndefCarry16: vecs(2, undefCarry), ir.UndefCarry32: all(4, undefCarry), ir.UndefCarry64: all(8, undefCarry),
	ir.UndefAny16: vecs(2, undefAny), ir.UndefAny32: all(4, undefAny), ir.UndefAny64: all(8, undefAny),
	ir.UndefEq16: vecs(2, undefEq), ir.UndefEq32: all(4, undefEq), ir.UndefEq64: all(8, undefEq),
	ir.UndefLtU16: vecs(2, undefLt(false)), ir.UndefLtU32: all(4, undefLt(false)), ir.UndefLtU64: all(8, undefLt(false)),
	ir.UndefLtS16: vecs(2, undefLt(true)), ir.UndefLtS32: all(4, undefLt(true)), ir.UndefLtS64: all(8, undefLt(true)),
	ir.UndefSel16: vecs(2, undefSel), ir.UndefSel32: all(4, undefSel), ir.UndefSel64: all(8, undefSel),
}

// predicateGPR are the rules of predicates as bits of general registers.
var predicateGPR = map[ir.Op]intRule{
	ir.SelP:      {n: 4, f: selects, only: onlyGPR},
	ir.UndefAndP: {n: 4, f: undefAnd, only: onlyGPR},
}

// undefAndP is UndefAndP for masks of lanes.
func undefAndP(g *lowering, n uint8, d x64.Reg, a [4]operand) {
	x := &g.exes[1][index(n)]
	g.put(d, n, undefAnd(x, a))
}

// The rules of undefined bits: arguments are a, ua, b, ub.

// undefAnd has the undefined bits of a & b. A bit of the result is defined if it is
// defined in both, or if one of them is a defined 0.
func undefAnd(x *ex, a [4]operand) operand {
	t := x.logic((ta|tc)&(tb|ta), a[1], a[0], a[3]) // (ua | ub) & (a | ua)
	return x.logic(ta&(tb|tc), t, a[2], a[3])
}

// undefCarry has the undefined bits of a sum: all bits from the lowest undefined one
// on.
func undefCarry(x *ex, a [4]operand) operand {
	u := x.or(a[0], a[1])
	return x.or(u, x.neg(u))
}

// undefAny is all ones if any bit of the arguments is undefined.
func undefAny(x *ex, a [4]operand) operand {
	return x.spread(x.cmp(cmpNE, false, x.or(a[0], a[1]), x.k(0)))
}

// undefEq reports whether a == b is undefined: some bits are, and no pair of defined
// bits differs.
func undefEq(x *ex, a [4]operand) operand {
	u := x.or(a[1], a[3])
	d := x.logic((ta^tb)&^tc, a[0], a[2], u)
	return x.mand(x.cmp(cmpNE, false, u, x.k(0)), x.cmp(cmpEQ, false, d, x.k(0)))
}

// undefLt reports whether a < b is undefined: it differs between the least a with the
// greatest b and the greatest a with the least b.
func undefLt(signed bool) formula {
	return func(x *ex, a [4]operand) operand {
		p, q := a[0], a[2]
		if signed { // the order of unsigned numbers
			p, q = x.xor(p, x.sign()), x.xor(q, x.sign())
		}
		lo := x.cmp(cmpLT, false, x.andNot(p, a[1]), x.or(q, a[3]))
		hi := x.cmp(cmpLT, false, x.or(p, a[1]), x.andNot(q, a[3]))
		return x.mxor(lo, hi)
	}
}

// undefSel has the undefined bits of a selection by an undefined predicate: bits that
// differ, or are undefined in either value.
func undefSel(x *ex, a [4]operand) operand {
	return x.or(x.logic(ta^tb|tc, a[0], a[2], a[1]), a[3])
}
