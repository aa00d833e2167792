package ptx

import (
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
)

// This file holds the meanings of instructions that compute in each lane by itself.

// op returns the i-th operation of the meaning of the current variant.
func (l *lifter) op(i int) ir.Op { return l.v.code[i] }

// sources returns the values of all operands from index first on.
func (l *lifter) sources(first int) []ir.Ref {
	args := make([]ir.Ref, 0, 4)
	for i := first; i < len(l.v.ops); i++ {
		if l.v.ops[i].kind == opImm {
			args = append(args, l.b.Const(ir.B32, l.immediate(i)))
		} else {
			args = append(args, l.src(i))
		}
	}
	return args
}

// lanewise is d = op(a, b, …) in each lane.
func lanewise(tmpl string) meaning {
	return meaning{ops: []string{tmpl}, emit: func(l *lifter) {
		l.to(0, l.op(0), l.sources(1)...)
	}}
}

// packed16 applies an operation of 16 bits to both halves of 32-bit operands.
func packed16(tmpl string) meaning {
	return meaning{ops: []string{tmpl}, emit: func(l *lifter) {
		l.set(0, l.halves(l.op(0), ir.Lo16, ir.Hi16, ir.Pack32, l.sources(1)))
	}}
}

// packed32 applies an operation of 32 bits to both halves of 64-bit operands.
func packed32(tmpl string) meaning {
	return meaning{ops: []string{tmpl}, emit: func(l *lifter) {
		l.set(0, l.halves(l.op(0), ir.Lo32, ir.Hi32, ir.Pack64, l.sources(1)))
	}}
}

func (l *lifter) halves(op, lo, hi, pack ir.Op, args []ir.Ref) ir.Ref {
	var los, his []ir.Ref
	for _, a := range args {
		los = append(los, l.b.T(lo, a))
		his = append(his, l.b.T(hi, a))
	}
	return l.b.T(pack, l.b.T(op, los...), l.b.T(op, his...))
}

// three is min or max of three values (PTX 9.7.3.11): op(op(a, b), c) of the flushed operands; with
// .abs, of their magnitudes.
func three(tmpl string) meaning {
	return meaning{ops: []string{tmpl}, emit: func(l *lifter) {
		var x [3]ir.Ref
		for i := range x {
			x[i] = l.src(1 + i)
			if l.v.has("ftz") {
				x[i] = l.b.T(ir.FlushF32, x[i])
			}
			if l.v.has("abs") {
				x[i] = l.b.T(ir.AbsF32, x[i])
			}
		}
		l.to(0, l.op(0), l.b.T(l.op(0), x[0], x[1]), x[2])
	}}
}

// mixed is an operation of f32 with some operands of f16 or bf16 (PTX 9.7.5).
func mixed(tmpl string) meaning {
	return meaning{ops: []string{tmpl, "CvtF32From{T}"}, emit: func(l *lifter) {
		args := l.sources(1)
		for i := range args {
			if l.v.args[1+i] != F32 {
				args[i] = l.b.T(l.op(1), args[i])
			}
		}
		l.to(0, l.op(0), args...)
	}}
}

// carryFlag returns CC.CF (PTX 9.7.2); the first use creates it.
func (l *lifter) carryFlag() ir.Ref {
	if l.carry == 0 {
		l.carry = l.b.Vector("CC.CF", ir.B1)
	}
	return l.carry
}

// carry is an addition or subtraction that writes the carry flag (.cc), and reads it if in is set.
// sub marks a subtraction: its flag is the complement of the borrow, as if the complement of b were
// added (Errata E88). Chains of one kind do not see the difference; addc after sub.cc and subc
// after add.cc do.
//
// Values of 16 bits are added as 32-bit words. The flag is not written, and the low half of the sum
// depends only on the low halves of the operands.
func carry(value, flag string, in, sub bool) meaning {
	plan := func(v *variant) []string {
		if v.typ.Bits() == 16 {
			return []string{strings.Replace(value, "{n}", "32", 1), "CvtU16FromU32", "CvtU32FromU16"}
		}
		return []string{expand(value, v), expand(flag, v)}
	}
	return meaning{plan: plan, emit: func(l *lifter) {
		args := l.sources(1)
		half := l.v.typ.Bits() == 16
		if half {
			for i := range args {
				args[i] = l.b.T(l.op(2), args[i])
			}
		}
		if in {
			c := l.carryFlag()
			if sub {
				c = l.b.T(ir.NotP, c)
			}
			args = append(args, c)
		}
		var c ir.Ref
		if l.v.has("cc") {
			if c = l.b.T(l.op(1), args...); sub {
				c = l.b.T(ir.NotP, c)
			}
		}
		// d may be a or b, and the flag was read before this point: compute both results, then
		// write.
		d := l.b.T(l.op(0), args...)
		if c != 0 {
			l.b.Move(l.carryFlag(), c)
		}
		if half {
			d = l.b.T(l.op(1), d)
		}
		l.set(0, d)
	}}
}

// madCarry is mad.cc and madc: the low or high half of a product plus c, with carry out of the
// addition. If in is set, the carry flag is added too (PTX 9.7.2.5, 9.7.2.6).
func madCarry(in bool) meaning {
	return meaning{ops: []string{"Mul{n}", "MulHi{T}", "Addc{n}", "AddCC{n}"}, emit: func(l *lifter) {
		t := l.op(0)
		if l.v.has("mode") && l.v.mod("mode") == "hi" {
			t = l.op(1)
		}
		product := l.b.T(t, l.src(1), l.src(2))
		cin := l.b.Const(ir.B1, 0)
		if in {
			cin = l.carryFlag()
		}
		c := l.src(3)
		d := l.b.T(l.op(2), product, c, cin)
		if l.v.has("cc") {
			out := l.b.T(l.op(3), product, c, cin)
			l.b.Move(l.carryFlag(), out)
		}
		l.set(0, d)
	}}
}

// lop3Bool is lop3 with a predicate result: p = (d != 0) BoolOp q (PTX 9.7.8.6).
var lop3Bool = meaning{ops: []string{"Lop3", "{BoolOp}P"}, emit: func(l *lifter) {
	d := l.b.T(l.op(0), l.src(1), l.src(2), l.src(3), l.b.Const(ir.B32, l.immediate(4)))
	var p ir.Ref
	if l.pair(0) != 0 {
		p = l.b.T(l.op(1), l.b.T(ir.NeU32, d, l.b.Const(ir.B32, 0)), l.src(5))
	}
	l.set(0, d)
	if p != 0 {
		l.b.Move(l.pair(0), p) // written last, because it may be the guard
	}
}}

// planCompare names the comparison and the operation that combines its result. Flushing does not
// change whether an operand is a number; compared flushes f16 operands.
func planCompare(v *variant) []string {
	cmp := "{CmpOp}{T}{ftz}"
	if c := v.mod("CmpOp"); c == "num" || c == "nan" || v.typ == F16 || v.typ == F16x2 || v.typ == F64 {
		cmp = "{CmpOp}{T}"
	}
	if v.has("BoolOp") {
		return []string{cmp, "{BoolOp}P"}
	}
	return []string{cmp}
}

// compared returns the operands of a comparison, flushed if .ftz requires it.
func (l *lifter) compared() (a, b ir.Ref) {
	a, b = l.src(1), l.src(2)
	if l.v.typ == F16 && l.v.has("ftz") {
		a, b = l.b.T(ir.FlushF16, a), l.b.T(ir.FlushF16, b)
	}
	return a, b
}

// signHalf is neg or abs of f16 values: it flips or clears signs; with .ftz it first flushes
// subnormal values.
func signHalf(op16 string) meaning {
	return meaning{ops: []string{op16}, emit: func(l *lifter) {
		a := l.src(1)
		one := func(h ir.Ref) ir.Ref {
			if l.v.has("ftz") {
				h = l.b.T(ir.FlushF16, h)
			}
			return l.b.T(l.op(0), h)
		}
		if l.typeOf(a) == ir.B16 {
			l.set(0, one(a))
			return
		}
		l.to(0, ir.Pack32, one(l.b.T(ir.Lo16, a)), one(l.b.T(ir.Hi16, a)))
	}}
}

// checkCombined checks the predicate with which setp and set combine their result. The vendor's
// assembler takes no constant for it in forms of bf16.
func checkCombined(c *checker, in *Instr, v *variant) {
	n := len(v.ops) - 1
	if v.has("BoolOp") && in.Args[n].Kind == KindInt && slices.ContainsFunc(v.mods, func(m string) bool { return strings.HasPrefix(m, "bf16") }) {
		c.bad(in, &v.ops[n], &in.Args[n], "a predicate register")
	}
}

// setp: t = a CmpOp b; p = BoolOp(t, c); q = BoolOp(!t, c) (PTX 9.7.6.2).
var setp = meaning{plan: planCompare, check: checkCombined, emit: func(l *lifter) {
	a, b := l.compared()
	q := l.pair(0)
	if q == 0 && !l.v.has("BoolOp") {
		l.to(0, l.op(0), a, b)
		return
	}
	t := l.b.T(l.op(0), a, b)
	if !l.v.has("BoolOp") {
		l.setBoth(t, q, l.b.T(ir.NotP, t))
		return
	}
	c := l.src(3)
	if q == 0 {
		l.to(0, l.op(1), t, c)
		return
	}
	p := l.b.T(l.op(1), t, c)
	l.setBoth(p, q, l.b.T(l.op(1), l.b.T(ir.NotP, t), c))
}}

// setpPacked is setp of both halves: p = BoolOp(a[0:15] CmpOp b[0:15], c), and q the
// same of the upper halves (PTX 9.7.7.2).
var setpPacked = meaning{plan: planCompare, check: checkCombined, emit: func(l *lifter) {
	p, q := l.comparedHalves(ir.Lo16), l.pair(0)
	if q == 0 {
		l.set(0, p)
		return
	}
	l.setBoth(p, q, l.comparedHalves(ir.Hi16))
}}

// setBoth writes operand 0 and a second predicate. If one of them guards the instruction, it is
// written last, because the guard applies to both writes.
func (l *lifter) setBoth(val, second, secondVal ir.Ref) {
	if g := l.in.Guard; g != nil && l.reg(&g.Reg) != second {
		l.b.Move(second, secondVal)
		l.set(0, val)
		return
	}
	l.set(0, val)
	l.b.Move(second, secondVal)
}

// set: setp with a numeric result: all ones or zero, 1.0 or 0.0 (PTX 9.7.6.1).
var set = meaning{plan: planCompare, check: checkCombined, emit: func(l *lifter) {
	a, b := l.compared()
	t := l.b.T(l.op(0), a, b)
	if l.v.has("BoolOp") {
		t = l.b.T(l.op(1), t, l.src(3))
	}
	d := l.v.args[0]
	yes := ^uint64(0)
	switch d {
	case F32:
		yes = 0x3f800000
	case F16:
		yes = 0x3c00
	case BF16:
		yes = 0x3f80
	}
	sel, it := ir.Sel32, irType(d)
	if it == ir.B16 {
		sel = ir.Sel16
	}
	l.to(0, sel, t, l.b.Const(it, yes), l.b.Const(it, 0))
}}

// setPacked is set of both halves: each half of d becomes all ones or zero, or 1.0 or 0.0 in the
// type of the sources (PTX 9.7.7.1).
var setPacked = meaning{plan: planCompare, check: checkCombined, emit: func(l *lifter) {
	yes := uint64(0xffff)
	switch l.v.args[0] {
	case F16x2:
		yes = 0x3c00
	case BF16x2:
		yes = 0x3f80
	}
	compare := func(part ir.Op) ir.Ref {
		return l.b.T(ir.Sel16, l.comparedHalves(part), l.b.Const(ir.B16, yes), l.b.Const(ir.B16, 0))
	}
	lo := compare(ir.Lo16)
	l.to(0, ir.Pack32, lo, compare(ir.Hi16))
}}

// comparedHalves compares the low or the high halves of operands 1 and 2 and combines
// the result with operand 3.
func (l *lifter) comparedHalves(part ir.Op) ir.Ref {
	half := func(i int) ir.Ref {
		h := l.b.T(part, l.src(i))
		if l.v.has("ftz") {
			h = l.b.T(ir.FlushF16, h)
		}
		return h
	}
	t := l.b.T(l.op(0), half(1), half(2))
	if l.v.has("BoolOp") {
		t = l.b.T(l.op(1), t, l.src(3))
	}
	return t
}

// selp: d = c ? a : b.
var selp = meaning{ops: []string{"Sel{n}"}, emit: func(l *lifter) {
	l.to(0, l.op(0), l.src(3), l.src(1), l.src(2))
}}

// slct: d = (c >= 0) ? a : b; with .f32, -0.0 selects a and NaN selects b
// (PTX 9.7.6.4).
var slct = meaning{ops: []string{"Sel{n}"}, emit: func(l *lifter) {
	c, zero := l.src(3), l.b.Const(ir.B32, 0)
	ge := ir.GeS32
	if l.v.args[3] == F32 {
		ge = ir.GeF32
		if l.v.has("ftz") {
			ge = ir.GeF32Ftz
		}
	}
	l.to(0, l.op(0), l.b.T(ge, c, zero), l.src(1), l.src(2))
}}
