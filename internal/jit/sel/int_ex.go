package sel

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file holds what integer rules are written with. A rule is a formula over operands
// that knows nothing of where they are: an ex makes of each step an instruction on lane
// vectors, or one on general registers, so that one formula is both rules of an operation.

// ex is a place where formulas are computed: on elements of n bytes, in vectors of the
// generator's length or in general registers.
type ex struct {
	g  *gen
	gp bool  // general registers
	n  uint8 // bytes of an element
}

// A formula computes the result of an operation. Arguments narrower than n are as rules of
// vectors get them: in the low part of a register.
type formula func(x *ex, a [4]operand) operand

// An intRule is a formula with the size of the elements that it is about.
type intRule struct {
	n    uint8
	f    formula
	only uint8 // onlyVec, onlyGPR, or 0: both
}

const (
	onlyVec = 1
	onlyGPR = 2
)

// vrule makes the rule for lane vectors.
func (r intRule) vrule() vrule {
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg {
		x := g.ex(r.n)
		info := &ir.Ops[g.in.Op]
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

// grule makes the rule for general registers. Predicates among the arguments are 1 or 0.
func (r intRule) grule() grule {
	return func(g *gen, n uint8, d x64.Reg, a [4]operand) {
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

// fixed is argument k of the operation in hand if it is a constant.
func (g *gen) fixed(k int) (uint64, bool) {
	w := g.ops.Args[k]
	if v, ok := g.constant1(w); ok {
		return v, true
	}
	if s := g.sh.Web(w); s.IsConst() {
		return s.Base, true
	}
	return 0, false
}

// intRules are the rules of all integer operations.
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

// vecRules and gprRules are the rules of a family for the two tables.
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

// sizeMask has all bits of an element of n bytes.
func sizeMask(n uint8) uint64 { return 1<<(8*uint(n)) - 1 }

// index is the row of a table by size of elements.
func index(n uint8) int { return bits.TrailingZeros8(n) & 3 }

func imm(v uint64) operand { return operand{imm: v, num: true} }

// k is the number v as an element.
func (x *ex) k(v uint64) operand { return imm(v & sizeMask(x.n)) }

func (x *ex) ones() operand         { return x.k(1<<64 - 1) }
func (x *ex) bits() uint64          { return 8 * uint64(x.n) }
func (x *ex) sign() operand         { return x.k(1 << (x.bits() - 1)) }
func (x *ex) top() operand          { return x.k(1<<(x.bits()-1) - 1) }
func (x *ex) vec(r x64.Reg) operand { return operand{reg: r} }

// sized is the same place for elements of n bytes.
func (x *ex) sized(n uint8) *ex { return &x.g.exes[b2i(x.gp)][index(n)] }

// ex is the place for vectors of elements of n bytes.
func (g *gen) ex(n uint8) *ex { return &g.exes[0][index(n)] }

// findExes makes all places.
func (g *gen) findExes() {
	for gp := range g.exes {
		for i := range g.exes[gp] {
			g.exes[gp][i] = ex{g: g, gp: gp == 1, n: 1 << i}
		}
	}
}

// reg is an operand in a register.
func (x *ex) reg(o operand) x64.Reg {
	switch {
	case !o.num:
		return o.reg
	case x.gp:
		return x.g.regOf(operand{imm: o.imm & sizeMask(x.n), num: true}, x.n)
	}
	return x.g.constant(o.imm&sizeMask(x.n), x.n)
}

// held is an operand that is no number, so that it may be taken for elements of other sizes.
func (x *ex) held(o operand) operand { return operand{reg: x.reg(o)} }

// alu is an operation of two operands: on vectors by size of elements, on general
// registers, and on numbers.
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

// two does an operation of two operands.
func (x *ex) two(o *alu, a, b operand) operand {
	if a.num && b.num {
		return x.k(o.fold(a.imm, b.imm))
	}
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
		return x.and(a, x.k(^b.imm))
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

// Whether counts are what they have to be.
const (
	clamps = iota // a count that is too large shifts everything out
	wraps         // counts are taken modulo the number of bits
	exact         // there are none that are too large
)

// shift shifts a by c, an element too.
func (x *ex) shift(kind int, a, c operand, how int) operand {
	if how == wraps && !(x.gp && !c.num) { // general shifts wrap by themselves
		c, how = x.and(c, x.k(x.bits()-1)), exact
	}
	if c.num {
		return x.shiftBy(kind, a, c.imm)
	}
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
	if kind == sar && x.n == 8 && !x.g.avx512 {
		if how == clamps {
			c = x.lesser(c, x.k(63))
		}
		m := x.shift(shr, x.sign(), c, exact)
		return x.sub(x.xor(x.shift(shr, a, c, exact), m), m)
	}
	op := [3][2]x64.Op{{x64.VPSLLVD, x64.VPSLLVQ}, {x64.VPSRLVD, x64.VPSRLVQ}, {x64.VPSRAVD, x64.VPSRAVQ}}[kind][x.n/8]
	if x.n == 2 {
		op = [3]x64.Op{x64.VPSLLVW, x64.VPSRLVW, x64.VPSRAVW}[kind]
	}
	return x.vec(x.g.v2(op, x.reg(a), x.reg(c)))
}

// shiftBy shifts a by a number of bits.
func (x *ex) shiftBy(kind int, a operand, c uint64) operand {
	switch {
	case c == 0:
		return a
	case c >= x.bits() && kind != sar:
		return x.k(0)
	case c >= x.bits():
		c = x.bits() - 1
	}
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
	op := [3][4]x64.Op{{0, x64.VPSLLWImm, x64.VPSLLDImm, x64.VPSLLQImm}, {0, x64.VPSRLWImm, x64.VPSRLDImm, x64.VPSRLQImm}, {0, x64.VPSRAWImm, x64.VPSRADImm, x64.VPSRAQImm}}[kind][index(x.n)]
	return x.vec(x.g.vi(op, a.reg, int64(c)))
}

// conditions are the conditional instructions by predicate: unsigned and signed.
var conditions = map[int64][2]struct{ set, cmov x64.Op }{
	cmpEQ: {{x64.SETE, x64.CMOVE}, {x64.SETE, x64.CMOVE}},
	cmpNE: {{x64.SETNE, x64.CMOVNE}, {x64.SETNE, x64.CMOVNE}},
	cmpLT: {{x64.SETB, x64.CMOVB}, {x64.SETL, x64.CMOVL}},
	cmpLE: {{x64.SETBE, x64.CMOVBE}, {x64.SETLE, x64.CMOVLE}},
	cmpGE: {{x64.SETAE, x64.CMOVAE}, {x64.SETGE, x64.CMOVGE}},
	cmpGT: {{x64.SETA, x64.CMOVA}, {x64.SETG, x64.CMOVG}},
}

// flags compares in general registers.
func (x *ex) flags(a, b operand) {
	r := x.reg(a)
	if b.small(x.n) {
		x.g.emit(x64.Inst{Op: x64.CMPImm, Len: x.n, B: r, Imm: b.imm32(x.n)})
		return
	}
	x.g.emit(x64.Inst{Op: x64.CMP, Len: x.n, A: r, B: x.reg(b)})
}

// cmp is the mask of where a pred b; in general registers 1 or 0.
func (x *ex) cmp(pred int64, signed bool, a, b operand) operand {
	if x.gp {
		d := x.g.gpr(4)
		x.g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: Acc})
		x.flags(a, b)
		x.g.emit(x64.Inst{Op: conditions[pred][b2i(signed)].set, Len: 1, Dst: Acc})
		x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: Acc})
		return operand{reg: d}
	}
	p, q := x.reg(a), x.reg(b)
	i := index(x.n)
	if x.g.avx512 {
		d := x.g.kreg()
		op := [2][4]x64.Op{{x64.VPCMPUB, x64.VPCMPUW, x64.VPCMPUD, x64.VPCMPUQ}, {x64.VPCMPB, x64.VPCMPW, x64.VPCMPD, x64.VPCMPQ}}[b2i(signed)][i]
		x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, A: p, B: q, Imm: pred})
		return x.vec(d)
	}
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
	if !signed && x.n < 8 { // a <= b: the lesser is a
		m := x.vec(x.g.v2(eq, x.g.v2(minOps[0][i], p, q), p))
		if pred == cmpGT {
			return x.mnot(m)
		}
		return m
	}
	if !signed {
		p, q = x.reg(x.xor(a, x.sign())), x.reg(x.xor(b, x.sign()))
	}
	m := x.vec(x.g.v2(gt, p, q))
	if pred == cmpLE {
		return x.mnot(m)
	}
	return m
}

// minOps and maxOps are by sign and size.
var (
	minOps = [2][4]x64.Op{{x64.VPMINUB, x64.VPMINUW, x64.VPMINUD, x64.VPMINUQ}, {x64.VPMINSB, x64.VPMINSW, x64.VPMINSD, x64.VPMINSQ}}
	maxOps = [2][4]x64.Op{{x64.VPMAXUB, x64.VPMAXUW, x64.VPMAXUD, x64.VPMAXUQ}, {x64.VPMAXSB, x64.VPMAXSW, x64.VPMAXSD, x64.VPMAXSQ}}
)

func (x *ex) minimum(signed bool, a, b operand) operand {
	if x.gp || x.n == 8 && !x.g.avx512 {
		return x.choose(cmpLT, signed, a, b, a, b)
	}
	return x.vec(x.g.v2(minOps[b2i(signed)][index(x.n)], x.reg(a), x.reg(b)))
}

func (x *ex) maximum(signed bool, a, b operand) operand {
	if x.gp || x.n == 8 && !x.g.avx512 {
		return x.choose(cmpGT, signed, a, b, a, b)
	}
	return x.vec(x.g.v2(maxOps[b2i(signed)][index(x.n)], x.reg(a), x.reg(b)))
}

// lesser is the minimum of unsigned elements, of which those of 8 bytes are less than 1<<63,
// or are not more than 1<<32-1 by half.
func (x *ex) lesser(a, b operand) operand {
	if !x.gp && x.n == 8 && !x.g.avx512 {
		return x.choose(cmpLT, true, a, b, a, b)
	}
	return x.minimum(false, a, b)
}

// clamp brings a signed element into a range.
func (x *ex) clamp(a operand, lo, hi int64) operand {
	return x.maximum(true, x.minimum(true, a, x.k(uint64(hi))), x.k(uint64(lo)))
}

// sel is a where the mask m is set, else b.
func (x *ex) sel(m, a, b operand) operand {
	if x.gp {
		d := x.g.gpr(x.n)
		x.g.put(d, x.n, b)
		p := x.reg(a)
		x.g.emit(x64.Inst{Op: x64.TEST, Len: 4, A: m.reg, B: m.reg})
		x.g.emit(x64.Inst{Op: x64.CMOVNE, Len: x.n, Dst: d, B: p})
		return operand{reg: d}
	}
	if b.num && b.imm == 0 {
		return x.where(m, a)
	}
	return x.vec(x.g.blend(m.reg, x.reg(b), x.reg(a), x.n))
}

// where is a where the mask m is set, else 0.
func (x *ex) where(m, a operand) operand {
	if x.gp {
		return x.sel(m, a, x.k(0))
	}
	d := x.g.vec()
	if !x.g.avx512 {
		x.g.emit(x64.Inst{Op: x64.VPAND, Len: x.g.len, Dst: d, A: m.reg, B: x.reg(a)})
		return x.vec(d)
	}
	op := [4]x64.Op{x64.VMOVDQU8, x64.VMOVDQU16, x64.VMOVDQU32, x64.VMOVDQU64}[index(x.n)]
	x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: x.reg(a), K: m.reg, Z: true})
	return x.vec(d)
}

// choose is c where a pred b, else d.
func (x *ex) choose(pred int64, signed bool, a, b, c, d operand) operand {
	if !x.gp {
		return x.sel(x.cmp(pred, signed, a, b), c, d)
	}
	r := x.g.gpr(x.n)
	p := x.reg(c)
	x.g.put(r, x.n, d)
	x.flags(a, b)
	x.g.emit(x64.Inst{Op: conditions[pred][b2i(signed)].cmov, Len: x.n, Dst: r, B: p})
	return operand{reg: r}
}

func (x *ex) mask2(k, v, r x64.Op, a, b operand) operand {
	switch {
	case x.gp:
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

func (x *ex) mand(a, b operand) operand { return x.mask2(x64.KANDQ, x64.VPAND, x64.AND, a, b) }
func (x *ex) mor(a, b operand) operand  { return x.mask2(x64.KORQ, x64.VPOR, x64.OR, a, b) }
func (x *ex) mxor(a, b operand) operand { return x.mask2(x64.KXORQ, x64.VPXOR, x64.XOR, a, b) }

func (x *ex) mnot(a operand) operand {
	switch {
	case x.gp:
		return x.sized(4).xor(a, imm(1))
	case x.g.avx512:
		d := x.g.kreg()
		x.g.emit(x64.Inst{Op: x64.KNOTQ, Len: 8, Dst: d, B: a.reg})
		return x.vec(d)
	}
	return x.vec(x.g.v2(x64.VPXOR, a.reg, x.g.c32(1<<32-1)))
}

// flag is a predicate in a general register as 1 or 0.
func (x *ex) flag(r x64.Reg) operand {
	if x.g.in.Scalar {
		return operand{reg: r}
	}
	d := x.g.gpr(4)
	x.g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: Acc})
	x.g.test(r)
	x.g.emit(x64.Inst{Op: x64.SETNE, Len: 1, Dst: Acc})
	x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: Acc})
	return operand{reg: d}
}

// negative is the mask of elements whose sign is set.
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
	case x.n == 4:
		return x.vec(x.g.vi(x64.VPSRADImm, a.reg, 31))
	case x.n == 2:
		return x.vec(x.g.vi(x64.VPSRAWImm, a.reg, 15))
	}
	return x.cmp(cmpGT, true, x.k(0), a)
}

// spread is all ones where the mask m is set, else 0.
func (x *ex) spread(m operand) operand {
	switch {
	case x.gp:
		return x.neg(x.zx(m))
	case x.g.avx512:
		d := x.g.vec()
		op := [4]x64.Op{x64.VPMOVM2B, x64.VPMOVM2W, x64.VPMOVM2D, x64.VPMOVM2Q}[index(x.n)]
		x.g.emit(x64.Inst{Op: op, Len: x.g.len, Dst: d, B: m.reg})
		return x.vec(d)
	}
	return m
}

// one is 1 where the mask m is set, else 0.
func (x *ex) one(m operand) operand {
	if x.gp {
		return x.zx(m)
	}
	return x.where(m, x.k(1))
}

// zx is a register of 4 bytes as an element of a general register, which has zeros above.
func (x *ex) zx(a operand) operand {
	if a.num || x.n == 4 {
		return a
	}
	d := x.g.gpr(8)
	x.g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: a.reg})
	return operand{reg: d}
}

// inc and dec are a+1 and a-1 where the mask m is set, else a.
func (x *ex) inc(a, m operand) operand { return x.step(x64.VPADDD, x64.VPADDQ, &aluAdd, &aluSub, a, m) }
func (x *ex) dec(a, m operand) operand { return x.step(x64.VPSUBD, x64.VPSUBQ, &aluSub, &aluAdd, a, m) }

func (x *ex) step(op4, op8 x64.Op, by, back *alu, a, m operand) operand {
	switch {
	case x.gp:
		return x.two(by, a, x.zx(m))
	case !x.g.avx512: // the mask is -1
		return x.two(back, a, m)
	}
	d := x.g.vec()
	x.g.move(d, x.reg(a))
	x.g.emit(x64.Inst{Op: [2]x64.Op{op4, op8}[x.n/8], Len: x.g.len, Dst: d, A: d, B: x.reg(x.k(1)), K: m.reg})
	return x.vec(d)
}
