package sel

import (
	"sync"

	"example.org/crosslane/internal/jit/x64"
)

// This file makes bitwise functions of three operands from their truth tables.
//
// Input: a truth table of 8 bits, and three operands.
// Output: one vpternlog with AVX-512, else the shortest sequence of and, or, xor and andnot.
// Invariant: bit 4a+2b+c of a table is the result for the bits a, b and c, as in PTX lop3.
// Example: table 0xe8 (majority) with AVX2 is computed in four steps from a, b and c.
// Literature: exhaustive search over truth tables (Knuth, The Art of Computer Programming, volume
// 4A, 7.1.2).

// A term is the last step of the shortest formula for a truth table. steps is the number of
// operations of that formula; a table that two operands share counts twice.
type term struct {
	op    uint8 // termLeaf and so on
	l, r  uint8 // the truth tables of the operands
	steps uint8
}

// The operations of a term. A leaf is a constant or one of the three operands.
const (
	termNone = iota
	termLeaf
	termAnd
	termOr
	termXor
	termAndNot
)

// terms has the shortest formula of each truth table. A search by rising number of steps finds it:
// every table that is new in a round is one operation on two earlier tables.
var terms = sync.OnceValue(func() *[256]term {
	t := &[256]term{0: {op: termLeaf}, 0xff: {op: termLeaf}, ta: {op: termLeaf}, tb: {op: termLeaf}, tc: {op: termLeaf}}
	known := []uint8{0, 0xff, ta, tb, tc} // in ascending order of steps
	for steps := uint8(1); len(known) < 256; steps++ {
		add := func(op, l, r, v uint8) {
			if t[v].op == termNone {
				t[v] = term{op, l, r, steps}
				known = append(known, v)
			}
		}
		n := len(known)
		for _, l := range known[:n] {
			for _, r := range known[:n] {
				if t[l].steps+t[r].steps+1 != steps {
					continue
				}
				add(termAnd, l, r, l&r)
				add(termOr, l, r, l|r)
				add(termXor, l, r, l^r)
				add(termAndNot, l, r, l&^r)
			}
		}
	}
	return t
})

// logic is the bitwise function of a, b and c with truth table lut: bit 4a+2b+c is the result for
// bits a, b and c, as in PTX lop3 and vpternlog.
func (x *ex) logic(lut uint8, a, b, c operand) operand {
	if !x.gp && x.g.avx512 {
		op := x64.VPTERNLOGD
		if x.n == 8 {
			op = x64.VPTERNLOGQ
		}
		return x.vec(x.g.v3i(op, x.reg(a), x.reg(b), x.reg(c), int64(lut)))
	}
	t := terms()
	// done has the tables that are already computed, so that a shared one is computed once.
	type function struct {
		table uint8
		is    operand
	}
	done := append(make([]function, 0, 16), function{0, x.k(0)}, function{0xff, x.ones()}, function{ta, a}, function{tb, b}, function{tc, c})
	var of func(v uint8) operand
	of = func(v uint8) operand {
		for i := range done {
			if done[i].table == v {
				return done[i].is
			}
		}
		l, r := of(t[v].l), of(t[v].r)
		var o operand
		switch {
		case t[v].op == termAnd:
			o = x.and(l, r)
		case t[v].op == termOr:
			o = x.or(l, r)
		case t[v].op == termAndNot:
			o = x.andNot(l, r)
		// xor with all ones is a complement.
		case t[v].r == 0xff:
			o = x.not(l)
		case t[v].l == 0xff:
			o = x.not(r)
		default:
			o = x.xor(l, r)
		}
		done = append(done, function{v, o})
		return o
	}
	return of(lut)
}

// lop3 is PTX lop3, whose truth table is an argument. If the table is not a constant, three levels
// of selection take the right bit of it: by c, then b, then a.
func lop3(x *ex, a [4]operand) operand {
	if a[3].num {
		return x.logic(uint8(a[3].imm), a[0], a[1], a[2])
	}
	// bit i of the table, spread over the element.
	bit := func(i uint64) operand { return x.shiftBy(sar, x.shiftBy(shl, a[3], 31-i), 31) }
	pick := func(p, yes, no operand) operand { return x.logic(ta&tb|^ta&tc, p, yes, no) }
	var by [4]operand
	for i := range by {
		by[i] = pick(a[2], bit(2*uint64(i)+1), bit(2*uint64(i)))
	}
	return pick(a[0], pick(a[1], by[3], by[2]), pick(a[1], by[1], by[0]))
}
