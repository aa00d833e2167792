package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has rules that change the size of elements for all vector registers of a
// value at once.
//
// Input: all vector registers of the arguments.
// Output: all vector registers of the result.
// Invariant: the result equals that of the rule for one register.
// Example: Lo32 of two registers of 8-byte elements is one VPERMI2D, instead of two
// truncations and a join.
//
// Two neighbouring registers are taken apart or interleaved in fewer steps together
// than one after another (see vrule).

// A wholeRule makes the vector registers of a result from those of the arguments. It
// returns nil if the rule for one register is better.
type wholeRule func(g *lowering, a [4][]x64.Reg) []x64.Reg

// wholeRules are the rules by operation; each operation has a rule for one register
// too.
var wholeRules = map[ir.Op]wholeRule{
	ir.Lo32: func(g *lowering, a [4][]x64.Reg) []x64.Reg { return g.everyOther(a[0], 0) },
	ir.Hi32: func(g *lowering, a [4][]x64.Reg) []x64.Reg { return g.everyOther(a[0], 1) },
	ir.Pack64: func(g *lowering, a [4][]x64.Reg) []x64.Reg {
		if _, ok := g.fixed(1); ok {
			return nil
		}
		return g.interleaved(a[0], a[1])
	},
}

// byWholeRule does the operation in hand by its wholeRule, and reports whether it did.
func (g *lowering) byWholeRule() bool {
	rule := wholeRules[g.in.Op]
	if rule == nil {
		return false
	}
	var a [4][]x64.Reg
	for k := range ir.Ops[g.in.Op].Args {
		a[k] = g.vectorOf(g.ops.Args[k])
	}
	start := len(g.fn.Code)
	first := x64.Virtual + x64.Reg(len(g.fn.VRegs))
	d := rule(g, a)
	for u, r := range d {
		g.defineUnit(g.ops.Dst, int32(u), r, start, first)
	}
	return d != nil
}

// picked are the words with indices idx of the concatenation of two vectors. It needs
// AVX-512.
func (g *arithmetic) picked(idx func(i int) int, lo, hi x64.Reg) x64.Reg {
	t := make([]byte, g.w)
	for i := 0; i < len(t); i += 4 {
		t[i] = byte(idx(i / 4))
	}
	return g.v3(x64.VPERMI2D, g.table(t), lo, hi)
}

// everyOther is every other word of pairs of vectors, beginning with word from.
func (g *arithmetic) everyOther(a []x64.Reg, from int) []x64.Reg {
	d := make([]x64.Reg, len(a)/2)
	for i := range d {
		lo, hi := a[2*i], a[2*i+1]
		if g.avx512 {
			d[i] = g.picked(func(i int) int { return 2*i + from }, lo, hi)
			continue
		}
		const even, inOrder = 0x88, 0xd8
		d[i] = g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, lo, hi, int64(even+from*0x55)), inOrder)
	}
	return d
}

// interleaved has the words of a at even and those of b at odd places.
func (g *arithmetic) interleaved(a, b []x64.Reg) []x64.Reg {
	d := make([]x64.Reg, 0, 2*len(a))
	n := int(g.w) / 4
	for i := range a {
		if g.avx512 {
			for from := 0; from < n; from += n / 2 {
				d = append(d, g.picked(func(i int) int { return from + i/2 + i%2*n }, a[i], b[i]))
			}
			continue
		}
		const apart = 0xd8 // words that belong together move into the same half of both
		p, q := g.vi(x64.VPERMQImm, a[i], apart), g.vi(x64.VPERMQImm, b[i], apart)
		d = append(d, g.v2(x64.VPUNPCKLDQ, p, q), g.v2(x64.VPUNPCKHDQ, p, q))
	}
	return d
}
