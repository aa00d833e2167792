package sel

import (
	"regexp"
	"sync"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// Input: one operation of the IR.
// Output: its rule for lane vectors, or none.
// Invariant: each operation is in one table of one family only; joined panics if two
// tables have it.
// Example: ir.Add32: simple(x64.VPADDD).

// vrules are the rules for lane vectors, by operation. All tables are made at their
// first use, so processes that translate nothing do not pay for them.
var vrules = sync.OnceValue(func() []vrule {
	t := joined(basicRules, f32Rules(), oneF32s, approxRules(), gcnFloats(), f64Rules(), convertRules(), halfRules(), convertOthers(), gcnHalves(), narrowRules(), vecRules(intRules()))
	// The canonical NaN results whichever of two NaNs comes first, so float operations
	// commute too.
	commutes := regexp.MustCompile(`^((Add|Mul|Min|Max|MinNaN|MaxNaN)F32(R[ZMP])?(Ftz)?(Sat)?|(Add|Mul|And|Or|Xor|MinS|MinU|MaxS|MaxU)32)$`)
	for op := range t {
		t[op].commutes = commutes.MatchString(ir.Op(op).String())
	}
	return t
})

// joined merges the rules of several families into one table by operation.
func joined[R any](families ...map[ir.Op]R) []R {
	t := make([]R, ir.NumOps)
	done := map[ir.Op]bool{}
	for _, f := range families {
		for op, r := range f {
			if done[op] {
				panic("sel: two rules for " + op.String())
			}
			t[op], done[op] = r, true
		}
	}
	return t
}

// simple is a rule of one instruction with two sources.
func simple(op x64.Op) vrule {
	return vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.v2(op, a[0], a[1]) }}
}

// same is the rule of a plain copy.
func same() vrule {
	return vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return a[0] }}
}

// The comparison predicates of vpcmp.
const (
	cmpEQ = 0
	cmpLT = 1
	cmpLE = 2
	cmpNE = 4
	cmpGE = 5
	cmpGT = 6
)

// blend is b in the elements of mask k, else a; elements have e bytes. With AVX2, k is
// a vector.
func (g *emitter) blend(k, a, b x64.Reg, e uint8) x64.Reg {
	d := g.vec()
	if !g.avx512 {
		g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: g.len, Dst: d, A: a, B: b, C: k})
		return d
	}
	op := [9]x64.Op{1: x64.VPBLENDMB, 2: x64.VPBLENDMW, 4: x64.VPBLENDMD, 8: x64.VPBLENDMQ}[e]
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b, K: k})
	return d
}

// basicRules has moves, sums, bitwise operations and selections.
var basicRules = map[ir.Op]vrule{
	ir.Mov8: same(), ir.Mov16: same(), ir.Mov32: {carries: 1, fn: same().fn}, ir.Mov64: same(),
	ir.Add32: simple(x64.VPADDD), ir.Add64: simple(x64.VPADDQ), ir.Sub32: simple(x64.VPSUBD), ir.Sub64: simple(x64.VPSUBQ),
	ir.And32: logic(x64.VPAND, x64.VPANDD), ir.And64: logic(x64.VPAND, x64.VPANDQ),
	ir.Or32: logic(x64.VPOR, x64.VPORD), ir.Or64: logic(x64.VPOR, x64.VPORQ),
	ir.Xor32: logic(x64.VPXOR, x64.VPXORD), ir.Xor64: logic(x64.VPXOR, x64.VPXORQ),
	ir.Sel32: {carries: 6, fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.blend(a[0], a[2], a[1], 4) }},
	ir.Sel64: {fn: func(g *lowering, a [4]x64.Reg) x64.Reg { return g.blend(a[0], a[2], a[1], 8) }},
}

// logic is a rule of a bitwise operation, which has one name for AVX2 and another for
// AVX-512.
func logic(vex, evex x64.Op) vrule {
	return vrule{fn: func(g *lowering, a [4]x64.Reg) x64.Reg {
		if g.avx512 {
			return g.v2(evex, a[0], a[1])
		}
		return g.v2(vex, a[0], a[1])
	}}
}
