package poison

import "example.org/crosslane/internal/ir"

// A bitRule says how the undefined bits of a pure operation's result follow from those of its operands.
type bitRule uint8

const (
	ruleAll    bitRule = iota // all or nothing
	ruleMoved                 // the operation itself, applied to the sets
	ruleJoined                // the union: a bit depends on the same bit of the operands
	ruleCarry
	ruleAnd
	ruleOr   // as ruleAnd, with inverted operands and result
	ruleAndN // the second operand is inverted
	ruleOrN
	ruleShift // the first operand is moved by the remaining operands, which have to be defined
	ruleSel
	ruleEq
	ruleLt // a < b and a >= b
	ruleGt // a > b and a <= b
	ruleLtS
	ruleGtS
	ruleMoved2 // the first two operands are moved by the remaining operands
)

// bitRules holds the operations that are not all or nothing.
var bitRules = func() map[ir.Op]bitRule {
	m := map[ir.Op]bitRule{}
	set := func(r bitRule, ops ...ir.Op) {
		for _, op := range ops {
			m[op] = r
		}
	}
	set(ruleMoved, ir.Mov8, ir.Mov16, ir.Mov32, ir.Mov64, ir.MovB1, ir.Pack64, ir.Pack32, ir.Pack16, ir.Lo32, ir.Hi32, ir.Lo16, ir.Hi16, ir.Lo8, ir.Hi8,
		ir.B2U32, ir.B2Mask32, ir.Brev32, ir.Brev64,
		ir.CvtU8FromU16, ir.CvtU8FromU32, ir.CvtU8FromU64, ir.CvtU16FromU8, ir.CvtU16FromU32, ir.CvtU16FromU64,
		ir.CvtU32FromU8, ir.CvtU32FromU16, ir.CvtU32FromU64, ir.CvtU64FromU8, ir.CvtU64FromU16, ir.CvtU64FromU32,
		ir.CvtS16FromS8, ir.CvtS32FromS8, ir.CvtS32FromS16, ir.CvtS64FromS8, ir.CvtS64FromS16, ir.CvtS64FromS32)
	// A sign that is flipped or cleared keeps its undefinedness.
	set(ruleJoined, ir.Not16, ir.Not32, ir.Not64, ir.NotP, ir.Xor16, ir.Xor32, ir.Xor64, ir.XorP, ir.Xnor32, ir.Xnor64)
	set(ruleCarry, ir.Add16, ir.Add32, ir.Add64, ir.Sub16, ir.Sub32, ir.Sub64, ir.Neg16, ir.Neg32, ir.Neg64,
		ir.Mul16, ir.Mul32, ir.Mul64, ir.Mad16, ir.Mad32, ir.Mad64)
	set(ruleAnd, ir.And16, ir.And32, ir.And64, ir.AndP, ir.Nand32, ir.Nand64)
	set(ruleOr, ir.Or16, ir.Or32, ir.Or64, ir.OrP, ir.Nor32, ir.Nor64)
	set(ruleAndN, ir.AndN32, ir.AndN64)
	set(ruleOrN, ir.OrN32, ir.OrN64)
	set(ruleShift, ir.Shl16, ir.Shl32, ir.Shl64, ir.ShrU16, ir.ShrU32, ir.ShrU64, ir.ShrS16, ir.ShrS32, ir.ShrS64,
		ir.ShlWrap16, ir.ShlWrap32, ir.ShlWrap64, ir.ShrUWrap16, ir.ShrUWrap32, ir.ShrUWrap64, ir.ShrSWrap16, ir.ShrSWrap32, ir.ShrSWrap64,
		ir.BfeU32, ir.BfeU64, ir.BfeS32, ir.BfeS64, ir.VBfeU32, ir.VBfeI32, ir.SBfeU32, ir.SBfeI32, ir.SBfeU64, ir.SBfeI64)
	set(ruleMoved2, ir.ShfLClamp, ir.ShfLWrap, ir.ShfRClamp, ir.ShfRWrap, ir.Prmt, ir.Bfi32, ir.Bfi64, ir.VAlignbitB32, ir.VAlignbyteB32)
	set(ruleSel, ir.Sel16, ir.Sel32, ir.Sel64, ir.SelF32, ir.SelF64, ir.SelP)
	set(ruleEq, ir.EqU16, ir.EqU32, ir.EqU64, ir.NeU16, ir.NeU32, ir.NeU64, ir.EqS16, ir.EqS32, ir.EqS64, ir.NeS16, ir.NeS32, ir.NeS64)
	set(ruleLt, ir.LtU16, ir.LtU32, ir.LtU64, ir.GeU16, ir.GeU32, ir.GeU64)
	set(ruleGt, ir.GtU16, ir.GtU32, ir.GtU64, ir.LeU16, ir.LeU32, ir.LeU64)
	set(ruleLtS, ir.LtS16, ir.LtS32, ir.LtS64, ir.GeS16, ir.GeS32, ir.GeS64)
	set(ruleGtS, ir.GtS16, ir.GtS32, ir.GtS64, ir.LeS16, ir.LeS32, ir.LeS64)
	return m
}()

// three is an operation for 16, 32 and 64 bits.
type three [3]ir.Op

// of returns the operation for a type.
func (o three) of(t ir.Type) ir.Op {
	switch t {
	case ir.B16:
		return o[0]
	case ir.B32:
		return o[1]
	}
	return o[2]
}

var (
	undefAnd   = three{ir.UndefAnd16, ir.UndefAnd32, ir.UndefAnd64}
	undefCarry = three{ir.UndefCarry16, ir.UndefCarry32, ir.UndefCarry64}
	undefAny   = three{ir.UndefAny16, ir.UndefAny32, ir.UndefAny64}
	undefEq    = three{ir.UndefEq16, ir.UndefEq32, ir.UndefEq64}
	undefLtU   = three{ir.UndefLtU16, ir.UndefLtU32, ir.UndefLtU64}
	undefLtS   = three{ir.UndefLtS16, ir.UndefLtS32, ir.UndefLtS64}
	undefSel   = three{ir.UndefSel16, ir.UndefSel32, ir.UndefSel64}
)

// pureBits returns the set of the result of a pure operation, for defined and undefined operands.
func (p *tracker) pureBits(in *ir.Inst) ir.Ref {
	info := &ir.Ops[in.Op]
	var u [4]ir.Ref
	defined := true
	for i := range info.Args {
		u[i] = p.of(in.Args[i])
		defined = defined && u[i] == 0
	}
	beyond := p.beyond(in)
	if defined {
		return beyond
	}
	return p.join(p.definedBits(in, info, u), beyond)
}

// definedBits returns the set of the result, if the manual defines the result for these operands. An
// operation of a value with itself, as x ^ x, x - x or x == x, is defined in any case.
func (p *tracker) definedBits(in *ir.Inst, info *ir.Info, u [4]ir.Ref) ir.Ref {
	sc := in.Scalar
	rule := bitRules[in.Op]
	full := func(i int) ir.Ref { return p.full(u[i], info.Args[i], sc) }
	x, y := in.Args[0], in.Args[1]
	if x == y && len(info.Args) == 2 {
		switch rule {
		case ruleJoined:
			return 0 // x^x
		case ruleEq, ruleLt, ruleGt, ruleLtS, ruleGtS:
			return 0
		}
		switch in.Op {
		case ir.Sub16, ir.Sub32, ir.Sub64:
			return 0
		}
	}
	pair := func(o three, a, b int) ir.Ref {
		return p.op(sc, o.of(info.Args[0]), in.Args[a], full(a), in.Args[b], full(b))
	}
	switch rule {
	case ruleMoved:
		var args [4]ir.Ref
		for i := range info.Args {
			args[i] = full(i)
		}
		return p.op(sc, in.Op, args[:len(info.Args)]...)
	case ruleJoined:
		return p.join(u[0], u[1])
	case ruleCarry:
		a, b := u[0], p.join(u[1], u[2])
		return p.op(sc, undefCarry.of(info.Res), p.full(a, info.Res, sc), p.full(b, info.Res, sc))
	case ruleAnd:
		return p.andBits(sc, info.Res, x, full(0), y, full(1), false, false)
	case ruleAndN:
		return p.andBits(sc, info.Res, x, full(0), y, full(1), false, true)
	case ruleOr:
		return p.andBits(sc, info.Res, x, full(0), y, full(1), true, true)
	case ruleOrN:
		return p.andBits(sc, info.Res, x, full(0), y, full(1), true, false)
	case ruleShift, ruleMoved2:
		return p.shiftBits(in, info, rule, u)
	case ruleSel:
		t := info.Res
		var d ir.Ref
		if u[1] != 0 || u[2] != 0 {
			d = p.op(sc, selectBits(t), x, full(1), full(2))
		}
		if u[0] == 0 {
			return d
		}
		if t == ir.B1 {
			differ := p.join(p.op(sc, ir.XorP, y, in.Args[2]), p.join(u[1], u[2]))
			return p.join(d, p.op(sc, ir.AndP, u[0], differ))
		}
		// If the choice is undefined, a bit is defined only if both operands define it and agree.
		differ := p.op(sc, undefSel.of(t), y, full(1), in.Args[2], full(2))
		return p.op(sc, selectBits(t), u[0], differ, p.full(d, t, sc))
	case ruleEq:
		return pair(undefEq, 0, 1)
	case ruleLt:
		return pair(undefLtU, 0, 1)
	case ruleGt:
		return pair(undefLtU, 1, 0)
	case ruleLtS:
		return pair(undefLtS, 0, 1)
	case ruleGtS:
		return pair(undefLtS, 1, 0)
	}
	return p.anyBits2(in, info, u)
}

// anyBits2 is the rule all or nothing.
func (p *tracker) anyBits2(in *ir.Inst, info *ir.Info, u [4]ir.Ref) ir.Ref {
	var same, other ir.Ref // unions: of the sets of the result's type, and of the remaining sets as B1
	for i, t := range info.Args {
		// Sets of the result's type can be joined bit by bit; the rest is reduced to one bit first.
		if t == info.Res && t != ir.B8 {
			same = p.join(same, u[i])
			continue
		}
		other = p.join(other, p.some(u[i]))
	}
	switch {
	case info.Res == ir.B1:
		return p.join(same, other)
	case other == 0:
		return p.op(in.Scalar, undefAny.of(info.Res), same, same)
	case same == 0:
		return p.all(other, info.Res)
	}
	return p.all(p.join(p.some(same), other), info.Res)
}

// andBits is the rule of and: a bit is defined if one operand has a defined 0 there. The rule of or is
// the same with inverted operands.
func (p *tracker) andBits(sc bool, t ir.Type, a, ua, b, ub ir.Ref, notA, notB bool) ir.Ref {
	not := logicOf(t).not
	if notA {
		a = p.op(sc, not, a)
	}
	if notB {
		b = p.op(sc, not, b)
	}
	op := ir.UndefAndP
	if t != ir.B1 {
		op = undefAnd.of(t)
	}
	return p.op(sc, op, a, ua, b, ub)
}

// shiftBits is the rule of operations that move the bits of their first one or two operands by the
// remaining operands: the same operation on the sets. If a remaining operand has an undefined bit, all
// of the result is undefined.
func (p *tracker) shiftBits(in *ir.Inst, info *ir.Info, rule bitRule, u [4]ir.Ref) ir.Ref {
	n := 1
	if rule == ruleMoved2 {
		n = 2
	}
	var moving ir.Ref
	for i := n; i < len(info.Args); i++ {
		moving = p.join(moving, p.some(u[i]))
	}
	var args [4]ir.Ref
	some := false
	for i := range info.Args {
		if args[i] = in.Args[i]; i < n {
			args[i] = p.full(u[i], info.Args[i], in.Scalar)
			some = some || u[i] != 0
		}
	}
	var moved ir.Ref
	if some {
		moved = p.op(in.Scalar, in.Op, args[:len(info.Args)]...)
	}
	return p.join(moved, p.all(moving, info.Res))
}
