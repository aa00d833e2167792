package sel

import (
	"crosslane/internal/ir"
	"crosslane/internal/jit/x64"
)

// vrules are the rules for lane vectors, by operation.
var vrules = joined(basicRules, f32Rules(), oneF32s)

// joined makes a table by operation of the rules of several families.
func joined(families ...map[ir.Op]vrule) []vrule {
	t := make([]vrule, ir.NumOps)
	for _, f := range families {
		for op, r := range f {
			if t[op].fn != nil {
				panic("sel: two rules for " + op.String())
			}
			t[op] = r
		}
	}
	return t
}

// simple is a rule of one instruction with two sources.
func simple(op x64.Op) vrule {
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg { return g.v2(op, a[0], a[1]) }}
}

// same is a rule of a plain copy.
func same() vrule {
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg { return a[0] }}
}

// Comparison predicates of vpcmp.
const (
	cmpEQ = 0
	cmpLT = 1
	cmpLE = 2
	cmpNE = 4
	cmpGE = 5
	cmpGT = 6
)

// compareInt is a rule of an integer comparison of 4 or 8 bytes. Without mask registers
// there are only equal and signed greater.
func compareInt(pred int64, e uint8, signed bool) vrule {
	k := map[[2]bool]x64.Op{{false, false}: x64.VPCMPUD, {true, false}: x64.VPCMPD, {false, true}: x64.VPCMPUQ, {true, true}: x64.VPCMPQ}[[2]bool{signed, e == 8}]
	eq, gt := x64.VPCMPEQD, x64.VPCMPGTD
	sign := uint64(1) << 31
	if e == 8 {
		eq, gt, sign = x64.VPCMPEQQ, x64.VPCMPGTQ, 1<<63
	}
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg {
		if g.avx512 {
			d := g.kreg()
			g.emit(x64.Inst{Op: k, Len: g.len, Dst: d, A: a[0], B: a[1], Imm: pred})
			return d
		}
		x, y := a[0], a[1]
		if !signed && pred != cmpEQ && pred != cmpNE {
			c := g.constant(sign, e)
			x, y = g.v2(x64.VPXOR, x, c), g.v2(x64.VPXOR, y, c)
		}
		not := func(r x64.Reg) x64.Reg { return g.v2(x64.VPXOR, r, g.c32(1<<32-1)) }
		switch pred {
		case cmpEQ:
			return g.v2(eq, x, y)
		case cmpNE:
			return not(g.v2(eq, x, y))
		case cmpGT:
			return g.v2(gt, x, y)
		case cmpLT:
			return g.v2(gt, y, x)
		case cmpLE:
			return not(g.v2(gt, x, y))
		}
		return not(g.v2(gt, y, x))
	}}
}

// blend is b where the mask k is set, else a; elements have e bytes.
func (g *gen) blend(k, a, b x64.Reg, e uint8) x64.Reg {
	d := g.vec()
	if !g.avx512 {
		g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: g.len, Dst: d, A: a, B: b, C: k})
		return d
	}
	op := map[uint8]x64.Op{1: x64.VPBLENDMB, 2: x64.VPBLENDMW, 4: x64.VPBLENDMD, 8: x64.VPBLENDMQ}[e]
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b, K: k})
	return d
}

var basicRules = map[ir.Op]vrule{
	ir.Mov8: same(), ir.Mov16: same(), ir.Mov32: same(), ir.Mov64: same(),
	ir.Add32: simple(x64.VPADDD), ir.Add64: simple(x64.VPADDQ), ir.Sub32: simple(x64.VPSUBD), ir.Sub64: simple(x64.VPSUBQ),
	ir.And32: logic(x64.VPAND, x64.VPANDD), ir.And64: logic(x64.VPAND, x64.VPANDQ),
	ir.Or32: logic(x64.VPOR, x64.VPORD), ir.Or64: logic(x64.VPOR, x64.VPORQ),
	ir.Xor32: logic(x64.VPXOR, x64.VPXORD), ir.Xor64: logic(x64.VPXOR, x64.VPXORQ),
	ir.Mul32: simple(x64.VPMULLD),
	ir.Mad32: {fn: func(g *gen, a [4]x64.Reg) x64.Reg { return g.v2(x64.VPADDD, g.v2(x64.VPMULLD, a[0], a[1]), a[2]) }},
	ir.Sel32: {fn: func(g *gen, a [4]x64.Reg) x64.Reg { return g.blend(a[0], a[2], a[1], 4) }},
	ir.Sel64: {fn: func(g *gen, a [4]x64.Reg) x64.Reg { return g.blend(a[0], a[2], a[1], 8) }},
	ir.Shl32: simple(x64.VPSLLVD), ir.ShrU32: simple(x64.VPSRLVD), ir.ShrS32: simple(x64.VPSRAVD),
	ir.CvtU64FromU32: extended(x64.VPMOVZXDQ), ir.CvtS64FromU32: extended(x64.VPMOVZXDQ),
	ir.CvtS64FromS32: extended(x64.VPMOVSXDQ), ir.CvtU64FromS32: extended(x64.VPMOVSXDQ),

	ir.EqU32: compareInt(cmpEQ, 4, false), ir.NeU32: compareInt(cmpNE, 4, false), ir.LtU32: compareInt(cmpLT, 4, false),
	ir.LeU32: compareInt(cmpLE, 4, false), ir.GtU32: compareInt(cmpGT, 4, false), ir.GeU32: compareInt(cmpGE, 4, false),
	ir.EqS32: compareInt(cmpEQ, 4, true), ir.NeS32: compareInt(cmpNE, 4, true), ir.LtS32: compareInt(cmpLT, 4, true),
	ir.LeS32: compareInt(cmpLE, 4, true), ir.GtS32: compareInt(cmpGT, 4, true), ir.GeS32: compareInt(cmpGE, 4, true),
	ir.EqU64: compareInt(cmpEQ, 8, false), ir.NeU64: compareInt(cmpNE, 8, false), ir.LtU64: compareInt(cmpLT, 8, false),
	ir.LeU64: compareInt(cmpLE, 8, false), ir.GtU64: compareInt(cmpGT, 8, false), ir.GeU64: compareInt(cmpGE, 8, false),
	ir.EqS64: compareInt(cmpEQ, 8, true), ir.NeS64: compareInt(cmpNE, 8, true), ir.LtS64: compareInt(cmpLT, 8, true),
	ir.LeS64: compareInt(cmpLE, 8, true), ir.GtS64: compareInt(cmpGT, 8, true), ir.GeS64: compareInt(cmpGE, 8, true),
}

func extended(op x64.Op) vrule {
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg { return g.v1(op, a[0]) }}
}

// logic is a rule of a bitwise operation, which has another name for vectors of 64 bytes.
func logic(vex, evex x64.Op) vrule {
	return vrule{fn: func(g *gen, a [4]x64.Reg) x64.Reg {
		if g.avx512 {
			return g.v2(evex, a[0], a[1])
		}
		return g.v2(vex, a[0], a[1])
	}}
}
