package sel

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the language in which integer rules are written.
//
// Input: a formula, a Go function over operands, independent of the place of its operands.
// Output: instructions on lane vectors, or on general registers: each step of the formula becomes
// an instruction of the place (ex) that evaluates it.
// Invariant: one formula gives both rules of an operation, and both give the same bits for each
// element. Numbers (operand.num) are folded, and never cost an instruction.
// Example: func(x *ex, a [4]operand) operand { return x.sub(x.and(a[0], a[1]), x.k(1)) }
// Literature: Carette, Kiselyov and Shan, Finally tagless, partially evaluated (JFP 2009).

// ex is a place where formulas are evaluated: on elements of n bytes, in vectors of the generator's
// length or in general registers.
type ex struct {
	g  *lowering
	gp bool  // general registers, else vectors
	n  uint8 // bytes of an element
}

// A formula computes the result of an operation. Arguments narrower than n are in the low part of a
// register, as the vector rules get them.
type formula func(x *ex, a [4]operand) operand

// An intRule is a formula with the size of its elements.
type intRule struct {
	n    uint8
	f    formula
	only uint8 // onlyVec or onlyGPR if the formula serves one table only; 0: both
}

const (
	onlyVec = 1
	onlyGPR = 2
)

// vrule makes the rule for lane vectors. Arguments that are constants become numbers.
func (r intRule) vrule() vrule {
	return vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		x := g.ex(r.n)
		info := &ir.Ops[g.in.Op] // its types give the sizes of arguments and result
		var o [4]operand
		for k, t := range info.Args {
			o[k] = operand{reg: a[k]}
			if v, ok := g.fixed(k); ok && t != ir.B1 {
				o[k] = operand{imm: v & sizeMask(uint8(t.Bytes())), num: true}
			}
		}
		d := r.f(x, o)
		if info.Res == ir.B1 {
			return d.reg
		}
		return x.sized(uint8(info.Res.Bytes())).reg(d)
	}}
}

// grule makes the rule for general registers. Predicates among the arguments become 1 or 0.
func (r intRule) grule() grule {
	return func(g *lowering, n uint8, d x64.Reg, a [4]operand) {
		x := &g.exes[1][index(r.n)]
		for k, t := range ir.Ops[g.in.Op].Args {
			switch {
			case t == ir.B1 && a[k].num:
				a[k] = operand{reg: g.regOf(imm(a[k].imm&1), 4)}
			case t == ir.B1:
				a[k] = x.flag(a[k].reg)
			case a[k].num:
				a[k].imm &= sizeMask(uint8(t.Bytes()))
			}
		}
		g.put(d, n, r.f(x, a))
	}
}

// fixed returns argument k of the operation in hand if it is a constant, of the function or by its
// shape.
func (g *lowering) fixed(k int) (uint64, bool) {
	w := g.ops.Args[k]
	if v, ok := g.constant1(w); ok {
		return v, true
	}
	if s := g.sh.Web(w); s.IsConst() { // by its shape
		return s.Base, true
	}
	return 0, false
}

// intRules joins the rules of all integer operations, and panics if an operation has two.
func intRules() map[ir.Op]intRule {
	all := map[ir.Op]intRule{}
	for _, m := range []map[ir.Op]intRule{basicInt, bitInt, sizeRules(), mulInt, divInt, packedInt, placeInt} {
		for op, r := range m {
			if all[op].f != nil {
				panic("sel: two rules for " + op.String())
			}
			all[op] = r
		}
	}
	return all
}

// vecRules and gprRules select the rules of a family for one of the two tables.
func vecRules(m map[ir.Op]intRule) map[ir.Op]vrule {
	t := map[ir.Op]vrule{}
	for op, r := range m {
		if r.only != onlyGPR {
			t[op] = r.vrule()
		}
	}
	return t
}

func gprRules(m map[ir.Op]intRule) map[ir.Op]grule {
	t := map[ir.Op]grule{}
	for op, r := range m {
		if r.only != onlyVec {
			t[op] = r.grule()
		}
	}
	return t
}

// sizeMask has the bits of an element of n bytes.
func sizeMask(n uint8) uint64 { return 1<<(8*uint(n)) - 1 }

// index is the index of elements of n bytes in the tables of this file: 0 to 3 for 1, 2, 4 and 8.
func index(n uint8) int { return bits.TrailingZeros8(n) & 3 }

// imm is a number as an operand.
func imm(v uint64) operand { return operand{imm: v, num: true} }

// k is the number v, cut to an element.
func (x *ex) k(v uint64) operand { return imm(v & sizeMask(x.n)) }

// ones, sign and top are numbers: all bits, the sign bit, and the greatest signed element. bits is
// the number of bits of an element. vec is an operand in a vector or mask register.
func (x *ex) ones() operand         { return x.k(1<<64 - 1) }
func (x *ex) bits() uint64          { return 8 * uint64(x.n) }
func (x *ex) sign() operand         { return x.k(1 << (x.bits() - 1)) }
func (x *ex) top() operand          { return x.k(1<<(x.bits()-1) - 1) }
func (x *ex) vec(r x64.Reg) operand { return operand{reg: r} }

// sized is the same place with elements of n bytes.
func (x *ex) sized(n uint8) *ex { return &x.g.exes[b2i(x.gp)][index(n)] }

// ex is the place of vectors with elements of n bytes.
func (g *lowering) ex(n uint8) *ex { return &g.exes[0][index(n)] }

// findExes makes the eight places.
func (g *lowering) findExes() {
	for gp := range g.exes {
		for i := range g.exes[gp] {
			g.exes[gp][i] = ex{g: g, gp: gp == 1, n: 1 << i}
		}
	}
}

// reg returns the register that holds an operand; a number becomes a constant.
func (x *ex) reg(o operand) x64.Reg {
	switch {
	case !o.num:
		return o.reg
	case x.gp:
		return x.g.regOf(operand{imm: o.imm & sizeMask(x.n), num: true}, x.n)
	}
	return x.g.constant(o.imm&sizeMask(x.n), x.n)
}

// held returns an operand that is in a register. It may be taken as elements of another size,
// whereas a number is only right for its own size.
func (x *ex) held(o operand) operand { return operand{reg: x.reg(o)} }

// alu is an operation of two operands: the instructions for vectors, by size of the elements, those
// for general registers (r with a register, ri with an immediate), and the function of numbers.
type alu struct {
	v        [4]x64.Op
	r, ri    x64.Op
	commutes bool
	fold     func(a, b uint64) uint64
}

var (
	aluAdd = alu{[4]x64.Op{x64.VPADDB, x64.VPADDW, x64.VPADDD, x64.VPADDQ}, x64.ADD, x64.ADDImm, true, func(a, b uint64) uint64 { return a + b }}
	aluSub = alu{[4]x64.Op{x64.VPSUBB, x64.VPSUBW, x64.VPSUBD, x64.VPSUBQ}, x64.SUB, x64.SUBImm, false, func(a, b uint64) uint64 { return a - b }}
	aluAnd = alu{[4]x64.Op{x64.VPANDD, x64.VPANDD, x64.VPANDD, x64.VPANDQ}, x64.AND, x64.ANDImm, true, func(a, b uint64) uint64 { return a & b }}
	aluOr  = alu{[4]x64.Op{x64.VPORD, x64.VPORD, x64.VPORD, x64.VPORQ}, x64.OR, x64.ORImm, true, func(a, b uint64) uint64 { return a | b }}
	aluXor = alu{[4]x64.Op{x64.VPXORD, x64.VPXORD, x64.VPXORD, x64.VPXORQ}, x64.XOR, x64.XORImm, true, func(a, b uint64) uint64 { return a ^ b }}
)

// two emits an operation of two operands, or folds it.
func (x *ex) two(o *alu, a, b operand) operand {
	if a.num && b.num {
		return x.k(o.fold(a.imm, b.imm))
	}
	// A number as second operand is an immediate, or a constant that may be a memory operand.
	if a.num && o.commutes {
		a, b = b, a
	}
	if !x.gp {
		return x.vec(x.g.v2(o.v[index(x.n)], x.reg(a), x.reg(b)))
	}
	d := x.g.gpr(x.n)
	x.g.put(d, x.n, a)
	x.g.apply(o.r, o.ri, x.n, d, b)
	return operand{reg: d}
}

// add, sub, neg, and, or, xor and not are the operations of Go on elements. and and or drop an
// operand that changes nothing.
func (x *ex) add(a, b operand) operand { return x.two(&aluAdd, a, b) }
func (x *ex) sub(a, b operand) operand { return x.two(&aluSub, a, b) }
func (x *ex) neg(a operand) operand    { return x.sub(x.k(0), a) }

func (x *ex) and(a, b operand) operand {
	switch {
	case b.num && b.imm&sizeMask(x.n) == sizeMask(x.n):
		return a
	case a.num && a.imm&sizeMask(x.n) == sizeMask(x.n):
		return b
	}
	return x.two(&aluAnd, a, b)
}

func (x *ex) or(a, b operand) operand {
	switch {
	case b.num && b.imm == 0:
		return a
	case a.num && a.imm == 0:
		return b
	}
	return x.two(&aluOr, a, b)
}

func (x *ex) xor(a, b operand) operand { return x.two(&aluXor, a, b) }

func (x *ex) not(a operand) operand {
	// General registers have an instruction of their own, without an immediate.
	if x.gp && !a.num {
		d := x.g.gpr(x.n)
		x.g.put(d, x.n, a)
		x.g.emit(x64.Inst{Op: x64.NOT, Len: x.n, Dst: d})
		return operand{reg: d}
	}
	return x.xor(a, x.ones())
}

// andNot is a &^ b.
func (x *ex) andNot(a, b operand) operand {
	switch {
	case b.num:
		return x.and(a, x.k(^b.imm)) // the complement is folded
	case x.gp:
		d := x.g.gpr(x.n)
		x.g.emit(x64.Inst{Op: x64.ANDN, Len: x.n, Dst: d, A: b.reg, B: x.reg(a)})
		return operand{reg: d}
	case x.n == 8:
		return x.vec(x.g.v2(x64.VPANDNQ, b.reg, x.reg(a)))
	}
	return x.vec(x.g.v2(x64.VPANDND, b.reg, x.reg(a)))
}

// The kinds of shifts.
const (
	shl = iota
	shr // unsigned
	sar // signed
)

// The guarantees of the caller about shift counts.
const (
	clamps = iota // a count that is too large shifts all bits out
	wraps         // counts are taken modulo the number of bits
	exact         // no count is too large
)

// shift shifts a by c, an element like a.
func (x *ex) shift(kind int, a, c operand, how int) operand {
	if how == wraps && !(x.gp && !c.num) { // shifts of general registers wrap by themselves
		c, how = x.and(c, x.k(x.bits()-1)), exact
	}
	if c.num {
		return x.shiftBy(kind, a, c.imm)
	}
	// shlx, shrx and sarx take the count modulo the size. With clamps an arithmetic shift therefore
	// limits its count, and a logical one replaces its result by 0 if the count is too large.
	if x.gp {
		op := [3]x64.Op{x64.SHLX, x64.SHRX, x64.SARX}[kind]
		d := x.g.gpr(x.n)
		if how == clamps && kind == sar {
			c = x.lesser(c, x.k(x.bits()-1))
		}
		x.g.emit(x64.Inst{Op: op, Len: x.n, Dst: d, A: x.reg(a), B: c.reg})
		if how != clamps || kind == sar {
			return operand{reg: d}
		}
		return x.choose(cmpLT, false, c, x.k(x.bits()), operand{reg: d}, x.k(0))
	}
	// AVX2 has no arithmetic shift of 64 bits: shift unsigned, then extend the shifted sign bit m
	// with (v^m)-m.
	if kind == sar && x.n == 8 && !x.g.avx512 {
		// m has one bit, at the place to which the sign bit moves.
		if how == clamps {
			c = x.lesser(c, x.k(63))
		}
		m := x.shift(shr, x.sign(), c, exact)
		return x.sub(x.xor(x.shift(shr, a, c, exact), m), m)
	}
	// Shifts of vectors by vectors clamp by themselves.
	op := [3][2]x64.Op{{x64.VPSLLVD, x64.VPSLLVQ}, {x64.VPSRLVD, x64.VPSRLVQ}, {x64.VPSRAVD, x64.VPSRAVQ}}[kind][x.n/8]
	if x.n == 2 {
		op = [3]x64.Op{x64.VPSLLVW, x64.VPSRLVW, x64.VPSRAVW}[kind]
	}
	return x.vec(x.g.v2(op, x.reg(a), x.reg(c)))
}

// shiftBy shifts a by a known number of bits.
func (x *ex) shiftBy(kind int, a operand, c uint64) operand {
	// Counts that are too large leave no bits, or copies of the sign.
	switch {
	case c == 0:
		return a
	case c >= x.bits() && kind != sar:
		return x.k(0)
	case c >= x.bits():
		c = x.bits() - 1
	}
	// Fold: the element is shifted in its own size, an arithmetic shift with its sign at bit 63.
	if a.num {
		switch kind {
		case shl:
			return x.k(a.imm << c)
		case shr:
			return x.k(a.imm & sizeMask(x.n) >> c)
		}
		s := 64 - x.bits()
		return x.k(uint64(int64(a.imm<<s) >> (s + c)))
	}
	if x.gp {
		d := x.g.gpr(x.n)
		x.g.put(d, x.n, a)
		x.g.ri([3]x64.Op{x64.SHLImm, x64.SHRImm, x64.SARImm}[kind], x.n, d, int64(c))
		return operand{reg: d}
	}
	// AVX2 has no arithmetic shift of 64 bits: hi has the right upper words, lo the right lower
	// words.
	if kind == sar && x.n == 8 && !x.g.avx512 {
		hi := x.g.vi(x64.VPSRADImm, a.reg, int64(min(c, 31)))
		var lo x64.Reg
		if c < 32 {
			lo = x.g.vi(x64.VPSRLQImm, a.reg, int64(c))
		} else {
			lo = a.reg
			if c > 32 {
				lo = x.g.vi(x64.VPSRADImm, a.reg, int64(c-32))
			}
			lo = x.g.vi(x64.VPSHUFD, lo, 0xf5)
		}
		return x.vec(x.g.v2i(x64.VPBLENDD, lo, hi, 0xaa))
	}
	// No tier has vector shifts of bytes.
	op := [3][4]x64.Op{{0, x64.VPSLLWImm, x64.VPSLLDImm, x64.VPSLLQImm}, {0, x64.VPSRLWImm, x64.VPSRLDImm, x64.VPSRLQImm}, {0, x64.VPSRAWImm, x64.VPSRADImm, x64.VPSRAQImm}}[kind][index(x.n)]
	return x.vec(x.g.vi(op, a.reg, int64(c)))
}

// conditions are the conditional instructions by predicate: unsigned, signed.
var conditions = map[int64][2]struct{ set, cmov x64.Op }{
	cmpEQ: {{x64.SETE, x64.CMOVE}, {x64.SETE, x64.CMOVE}},
	cmpNE: {{x64.SETNE, x64.CMOVNE}, {x64.SETNE, x64.CMOVNE}},
	cmpLT: {{x64.SETB, x64.CMOVB}, {x64.SETL, x64.CMOVL}},
	cmpLE: {{x64.SETBE, x64.CMOVBE}, {x64.SETLE, x64.CMOVLE}},
	cmpGE: {{x64.SETAE, x64.CMOVAE}, {x64.SETGE, x64.CMOVGE}},
	cmpGT: {{x64.SETA, x64.CMOVA}, {x64.SETG, x64.CMOVG}},
}

// flags compares in general registers and sets the flags.
func (x *ex) flags(a, b operand) {
	// A constant that is too long for an immediate is loaded.
	r := x.reg(a)
	if b.small(x.n) { // it fits into an immediate
		x.g.emit(x64.Inst{Op: x64.CMPImm, Len: x.n, B: r, Imm: b.imm32(x.n)})
		return
	}
	x.g.emit(x64.Inst{Op: x64.CMP, Len: x.n, A: r, B: x.reg(b)})
}

// cmp is the mask of the elements for which a pred b holds; in general registers it is 1 or 0.
func (x *ex) cmp(pred int64, signed bool, a, b operand) operand {
	if x.gp {
		// Acc is cleared before the comparison, because setcc only writes one byte.
		d := x.g.gpr(4)
		x.g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: abi.Acc})
		x.flags(a, b)
		x.g.emit(x64.Inst{Op: conditions[pred][b2i(signed)].set, Len: 1, Dst: abi.Acc})
		x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: abi.Acc})
		return operand{reg: d}
	}
	// Vectors: AVX-512 compares by any predicate into a mask register.
	p, q := x.reg(a), x.reg(b)
	i := index(x.n)
	if x.g.avx512 {
		d := x.g.kreg()
		op := [2][4]x64.Op{{x64.VPCMPUB, x64.VPCMPUW, x64.VPCMPUD, x64.VPCMPUQ}, {x64.VPCMPB, x64.VPCMPW, x64.VPCMPD, x64.VPCMPQ}}[b2i(signed)][i]
		x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, A: p, B: q, Imm: pred})
		return x.vec(d)
	}
	// AVX2 only compares for equality and for signed greater; the other predicates are made of these two.
	eq := [4]x64.Op{x64.VPCMPEQB, x64.VPCMPEQW, x64.VPCMPEQD, x64.VPCMPEQQ}[i]
	gt := [4]x64.Op{x64.VPCMPGTB, x64.VPCMPGTW, x64.VPCMPGTD, x64.VPCMPGTQ}[i]
	switch pred {
	case cmpEQ:
		return x.vec(x.g.v2(eq, p, q))
	case cmpNE:
		return x.mnot(x.cmp(cmpEQ, signed, a, b))
	case cmpLT:
		return x.cmp(cmpGT, signed, b, a)
	case cmpGE:
		return x.cmp(cmpLE, signed, b, a)
	}
	if !signed && x.n < 8 { // a <= b if the minimum is a
		m := x.vec(x.g.v2(eq, x.g.v2(minOps[0][i], p, q), p))
		if pred == cmpGT {
			return x.mnot(m)
		}
		return m
	}
	// Without an unsigned comparison of 64 bits: flip the signs.
	if !signed {
		p, q = x.reg(x.xor(a, x.sign())), x.reg(x.xor(b, x.sign()))
	}
	m := x.vec(x.g.v2(gt, p, q))
	if pred == cmpLE {
		return x.mnot(m)
	}
	return m
}

// minOps and maxOps are indexed by sign and by size.
var (
	minOps = [2][4]x64.Op{{x64.VPMINUB, x64.VPMINUW, x64.VPMINUD, x64.VPMINUQ}, {x64.VPMINSB, x64.VPMINSW, x64.VPMINSD, x64.VPMINSQ}}
	maxOps = [2][4]x64.Op{{x64.VPMAXUB, x64.VPMAXUW, x64.VPMAXUD, x64.VPMAXUQ}, {x64.VPMAXSB, x64.VPMAXSW, x64.VPMAXSD, x64.VPMAXSQ}}
)

// minimum is the lesser of two elements.
func (x *ex) minimum(signed bool, a, b operand) operand {
	// General registers, and AVX2 for 64 bits, have no instruction for it.
	if x.gp || x.n == 8 && !x.g.avx512 {
		return x.choose(cmpLT, signed, a, b, a, b)
	}
	return x.vec(x.g.v2(minOps[b2i(signed)][index(x.n)], x.reg(a), x.reg(b)))
}

// maximum is the greater of two elements.
func (x *ex) maximum(signed bool, a, b operand) operand {
	if x.gp || x.n == 8 && !x.g.avx512 {
		return x.choose(cmpGT, signed, a, b, a, b)
	}
	return x.vec(x.g.v2(maxOps[b2i(signed)][index(x.n)], x.reg(a), x.reg(b)))
}

// lesser is the minimum of unsigned elements. Elements of 8 bytes must be less than 1<<63, because
// AVX2 only compares signed ones.
func (x *ex) lesser(a, b operand) operand {
	if !x.gp && x.n == 8 && !x.g.avx512 {
		return x.choose(cmpLT, true, a, b, a, b)
	}
	return x.minimum(false, a, b)
}

// clamp limits a signed element to a range.
func (x *ex) clamp(a operand, lo, hi int64) operand {
	return x.maximum(true, x.minimum(true, a, x.k(uint64(hi))), x.k(uint64(lo)))
}

// sel is a in the elements that the mask m selects, else b.
func (x *ex) sel(m, a, b operand) operand {
	if x.gp {
		d := x.g.gpr(x.n)
		x.g.put(d, x.n, b)
		// A constant is loaded before the flags are set.
		p := x.reg(a)
		x.g.emit(x64.Inst{Op: x64.TEST, Len: 4, A: m.reg, B: m.reg})
		x.g.emit(x64.Inst{Op: x64.CMOVNE, Len: x.n, Dst: d, B: p})
		return operand{reg: d}
	}
	// Masking with zeros is cheaper than a blend.
	if b.num && b.imm == 0 {
		return x.where(m, a)
	}
	return x.vec(x.g.blend(m.reg, x.reg(b), x.reg(a), x.n))
}

// where is a in the elements that the mask m selects, else 0.
func (x *ex) where(m, a operand) operand {
	if x.gp {
		return x.sel(m, a, x.k(0))
	}
	d := x.g.vec()
	if !x.g.avx512 {
		x.g.emit(x64.Inst{Op: x64.VPAND, Len: x.g.len, Dst: d, A: m.reg, B: x.reg(a)})
		return x.vec(d)
	}
	// A move with a mask that zeroes the other elements.
	op := [4]x64.Op{x64.VMOVDQU8, x64.VMOVDQU16, x64.VMOVDQU32, x64.VMOVDQU64}[index(x.n)]
	x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: x.reg(a), K: m.reg, Z: true})
	return x.vec(d)
}

// choose is c in the elements for which a pred b holds, else d. In general registers it needs no
// mask.
func (x *ex) choose(pred int64, signed bool, a, b, c, d operand) operand {
	// Vectors need the mask; general registers only need the flags.
	if !x.gp {
		return x.sel(x.cmp(pred, signed, a, b), c, d)
	}
	// Both values are in registers before the comparison sets the flags for the conditional move.
	r := x.g.gpr(x.n)
	p := x.reg(c)
	x.g.put(r, x.n, d)
	x.flags(a, b)
	x.g.emit(x64.Inst{Op: conditions[pred][b2i(signed)].cmov, Len: x.n, Dst: r, B: p})
	return operand{reg: r}
}

// mask2 combines two masks: k is the operation on mask registers, v on vectors, r on general
// registers.
func (x *ex) mask2(k, v, r x64.Op, a, b operand) operand {
	switch {
	case x.gp: // masks of general registers are 1 or 0
		d := x.g.gpr(4)
		x.g.move(d, a.reg)
		x.g.r2(r, 4, d, b.reg)
		return operand{reg: d}
	case x.g.avx512:
		d := x.g.kreg()
		x.g.emit(x64.Inst{Op: k, Len: 8, Dst: d, A: a.reg, B: b.reg})
		return x.vec(d)
	}
	return x.vec(x.g.v2(v, a.reg, b.reg))
}

// mand, mor, mxor and mnot combine masks.
func (x *ex) mand(a, b operand) operand { return x.mask2(x64.KANDQ, x64.VPAND, x64.AND, a, b) }
func (x *ex) mor(a, b operand) operand  { return x.mask2(x64.KORQ, x64.VPOR, x64.OR, a, b) }
func (x *ex) mxor(a, b operand) operand { return x.mask2(x64.KXORQ, x64.VPXOR, x64.XOR, a, b) }

func (x *ex) mnot(a operand) operand {
	switch {
	case x.gp: // 1 or 0
		return x.sized(4).xor(a, imm(1))
	case x.g.avx512:
		d := x.g.kreg()
		x.g.emit(x64.Inst{Op: x64.KNOTQ, Len: 8, Dst: d, B: a.reg})
		return x.vec(d)
	}
	return x.vec(x.g.v2(x64.VPXOR, a.reg, x.g.c32(1<<32-1)))
}

// flag is a predicate in a general register as 1 or 0. A lane mask counts as true if it is for an
// active lane: see lowering.test.
func (x *ex) flag(r x64.Reg) operand {
	if x.g.in.Scalar {
		return operand{reg: r} // it is 1 or 0 already
	}
	d := x.g.gpr(4)
	x.g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: abi.Acc})
	x.g.test(r)
	x.g.emit(x64.Inst{Op: x64.SETNE, Len: 1, Dst: abi.Acc})
	x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: abi.Acc})
	return operand{reg: d}
}

// negative is the mask of the elements whose sign bit is set.
func (x *ex) negative(a operand) operand {
	if a.num {
		a = operand{reg: x.reg(a)}
	}
	switch {
	case x.gp:
		return x.shiftBy(shr, a, x.bits()-1)
	case x.g.avx512:
		d := x.g.kreg()
		op := [4]x64.Op{x64.VPMOVB2M, x64.VPMOVW2M, x64.VPMOVD2M, x64.VPMOVQ2M}[index(x.n)]
		x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: a.reg})
		return x.vec(d)
	// AVX2 masks are vectors of ones and zeros: spread the sign bit over the element.
	case x.n == 4:
		return x.vec(x.g.vi(x64.VPSRADImm, a.reg, 31))
	case x.n == 2:
		return x.vec(x.g.vi(x64.VPSRAWImm, a.reg, 15))
	}
	return x.cmp(cmpGT, true, x.k(0), a)
}

// spread is all ones in the elements that the mask m selects, else 0.
func (x *ex) spread(m operand) operand {
	switch {
	case x.gp: // -1 or 0
		return x.neg(x.zx(m))
	case x.g.avx512:
		d := x.g.vec()
		op := [4]x64.Op{x64.VPMOVM2B, x64.VPMOVM2W, x64.VPMOVM2D, x64.VPMOVM2Q}[index(x.n)]
		x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: m.reg})
		return x.vec(d)
	}
	return m
}

// one is 1 in the elements that the mask m selects, else 0.
func (x *ex) one(m operand) operand {
	if x.gp {
		return x.zx(m)
	}
	return x.where(m, x.k(1))
}

// zx extends a register of 4 bytes with zeros to an element of a general register.
func (x *ex) zx(a operand) operand {
	// A move of 4 bytes clears the upper half.
	if a.num || x.n == 4 {
		return a
	}
	d := x.g.gpr(8)
	x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: a.reg})
	return operand{reg: d}
}

// inc and dec are a+1 and a-1 in the elements that the mask m selects, else a.
func (x *ex) inc(a, m operand) operand { return x.step(x64.VPADDD, x64.VPADDQ, &aluAdd, &aluSub, a, m) }
func (x *ex) dec(a, m operand) operand { return x.step(x64.VPSUBD, x64.VPSUBQ, &aluSub, &aluAdd, a, m) }

// step adds 1 under a mask by the operation `by`. A vector mask is -1, so the inverse operation
// `back` with the mask as operand does it.
func (x *ex) step(op4, op8 x64.Op, by, back *alu, a, m operand) operand {
	switch {
	case x.gp:
		return x.two(by, a, x.zx(m))
	case !x.g.avx512: // the mask is -1
		return x.two(back, a, m)
	}
	// AVX-512: an addition under the mask, to a copy of a.
	d := x.g.vec()
	x.g.move(d, x.reg(a))
	x.g.emit(x64.Inst{Op: [2]x64.Op{op4, op8}[x.n/8], Len: x.g.len, Dst: d, A: d, B: x.reg(x.k(1)), K: m.reg})
	return x.vec(d)
}
