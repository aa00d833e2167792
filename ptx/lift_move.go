package ptx

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// mov copies registers, constants, special registers and addresses, and packs and unpacks vectors
// (PTX 9.7.9.3, 9.7.9.4).
var mov = meaning{emit: emitMov, check: checkMov, copies: true}

// checkMov checks the operands of mov: scalars, whole vectors, and packing or unpacking.
func checkMov(c *checker, in *Instr, v *variant) {
	d, a, t := &in.Args[0], &in.Args[1], v.typ
	ds, as := &opSpec{name: "d", dst: true}, &opSpec{name: "a"}
	if a.Kind == KindVector || d.Kind == KindVector || a.wholeVector() != d.wholeVector() {
		checkPack(c, in, t, d, a)
		return
	}
	if d.wholeVector() {
		// The other operand is a vector register of the same shape.
		r, s := d.Reg(), a.Reg()
		if a.Kind != KindReg || s == nil || s.Vec != r.Vec || !fits(r.Type, t, false) || !fits(s.Type, t, false) {
			c.bad(in, as, a, fmt.Sprintf("a .v%d register of .%s", r.Vec, t))
		}
		return
	}
	c.dest(in, ds, d, t, false)
	switch a.Kind {
	case KindVar, KindIndex, KindSymOff:
		if f := a.Func(); f != nil {
			c.errorf(a.Pos, diag.Input, codeOperand, "operand a of %s is the function %s with an offset; the address of a function stands alone", in.Op, f.Name)
			return
		}
		if t.Float() || t.Bits() < 16 || t.Bits() > 64 {
			c.errorf(a.Pos, diag.Input, codeType, "operand a of %s is the address of %s, want .u32 or .u64", in.Op, a.Name)
		} else if vr := a.Var(); vr != nil && vr.Space == SpaceReg {
			c.bad(in, as, a, "a register or a variable in memory")
		} else if vr != nil {
			c.paramAddress(in, a, vr)
		}
	case KindFunc:
		if f := a.Func(); t.Float() || t.Bits() < 32 || t.Bits() > 64 {
			c.errorf(a.Pos, diag.Input, codeType, "operand a of %s is the address of %s, want .u32 or .u64", in.Op, a.Name)
		} else if f != nil && f.Entry {
			c.errorf(a.Pos, diag.Unsupported, codeNotLifted, "%s takes the address of the kernel %s: launching kernels from kernels is not supported", in.Op, a.Name)
		}
	case KindLabel:
		c.bad(in, as, a, "a value")
	default:
		c.source(in, as, a, t, false)
	}
}

// checkPack checks a vector expression against the scalar operand.
func checkPack(c *checker, in *Instr, t Type, d, a *Operand) {
	vec, other, name := a, d, "a"
	if d.Kind == KindVector || d.wholeVector() {
		vec, other, name = d, a, "d"
	}
	parts := vec.elements()
	n := len(parts)
	if n != 2 && n != 4 || t.Bits()%n != 0 || !t.Untyped() && !t.Integer() && !t.Float() {
		c.errorf(vec.Pos, diag.Input, codeOperand, "operand %s of %s is a vector of %d, want one of 2 or 4 parts", name, in.Op, n)
		return
	}
	if !t.Untyped() && c.m.Version != (Version{}) {
		// PTX 9.7.9.4: only .b16, .b32, .b64 and .b128 are packed and unpacked.
		c.errorf(vec.Pos, diag.Input, codeOperand, "operand %s of %s is a vector, which only .b16, .b32, .b64 and .b128 take", name, in.Op).Remedy = fmt.Sprintf("write mov.b%d", t.Bits())
		return
	}
	elem := bitsType(t.Bits() / n)
	if elem == NoType {
		c.errorf(vec.Pos, diag.Input, codeOperand, "operand %s of %s: .%s has no %d parts", name, in.Op, t, n)
		return
	}
	s := &opSpec{name: name, dst: vec == d}
	if vec == d && !slices.ContainsFunc(parts, func(o Operand) bool { return o.Kind != KindSink }) {
		// PTX 9.7.9.4: at least one element is a register.
		c.bad(in, s, vec, "at least one register")
		return
	}
	for i := range parts {
		if vec == d {
			c.dest(in, s, &parts[i], elem, false)
		} else {
			c.source(in, s, &parts[i], elem, false)
		}
	}
	switch {
	case vec == a:
		c.dest(in, &opSpec{name: "d", dst: true}, other, t, false)
	case other.Kind == KindVector || other.wholeVector():
		c.bad(in, &opSpec{name: "a"}, other, fmt.Sprintf("a .%s register", t))
	default:
		c.source(in, &opSpec{name: "a"}, other, t, false)
	}
}

// emitMov emits a copy, a pack or an unpack.
func emitMov(l *lifter) {
	d, a, t := &l.in.Args[0], &l.in.Args[1], l.v.typ
	switch {
	case d.Kind == KindVector || d.wholeVector() && !a.wholeVector():
		l.unpack(d.elements(), a, t)
		return
	case a.Kind == KindVector || a.wholeVector() && !d.wholeVector():
		l.pack(d, a.elements(), t)
		return
	case d.Kind != KindReg:
		return
	}
	switch a.Kind {
	case KindVar, KindIndex, KindSymOff:
		l.b.Move(l.reg(d), l.addressValue(a, irType(t), false))
	case KindFunc:
		l.b.Move(l.reg(d), l.b.Const(irType(t), l.funcAddress(a.Func())))
	case KindSpecial:
		l.b.Move(l.reg(d), l.specialValue(a, irType(t)))
	case KindReg:
		from, to := l.regRefs(a), l.regRefs(d)
		if len(from) == 1 && len(to) == 1 {
			l.b.Move(to[0], from[0])
			return
		}
		// Two whole vectors or .b128 registers are either disjoint or the same, so no element is
		// overwritten before it is read.
		for i := range min(len(to), len(from)) {
			l.b.Move(to[i], from[i])
		}
	default:
		if t == B128 {
			l.unsupportedOperand(a)
			return
		}
		l.b.Move(l.reg(d), l.value(a, t))
	}
}

// movVector copies a vector element by element. The source is a vector register, a list or a vector
// special register; the destination is a vector register or a list (PTX 6.4.3, 10.12).
var movVector = meaning{emit: emitMovVector, check: checkMovVector}

// checkMovVector checks that destination and source have the same number of elements.
func checkMovVector(c *checker, in *Instr, v *variant) {
	d, a := &in.Args[0], &in.Args[1]
	ds, as := &opSpec{name: "d", dst: true}, &opSpec{name: "a"}
	to, from := d.elements(), a.elements()
	if !slices.ContainsFunc(to, func(o Operand) bool { return o.Kind != KindSink }) {
		c.bad(in, ds, d, "at least one register")
		return
	}
	// Unlike loads and stores, mov accepts no wider registers (PTX 9.4.1).
	for i := range to {
		c.dest(in, ds, &to[i], v.typ, false)
		c.source(in, as, &from[i], v.typ, false)
	}
}

// emitMovVector copies the elements of a vector.
func emitMovVector(l *lifter) {
	to, from := l.in.Args[0].elements(), l.in.Args[1].elements()
	// The lists may share registers: read all elements, then write.
	vals := make([]ir.Ref, len(from))
	for i := range from {
		if to[i].Kind == KindReg {
			vals[i] = l.copyOf(l.value(&from[i], l.v.typ))
		}
	}
	for i := range to {
		if to[i].Kind == KindReg {
			l.b.Move(l.reg(&to[i]), vals[i])
		}
	}
}

// regRefs returns all values of a register operand.
func (l *lifter) regRefs(o *Operand) []ir.Ref {
	if o.Comp != "" {
		return []ir.Ref{l.reg(o)}
	}
	return l.refs(o.Reg())
}

// pack joins parts into one value, the first part in the lowest bits.
func (l *lifter) pack(d *Operand, parts []Operand, t Type) {
	if d.Kind != KindReg {
		return
	}
	n := len(parts)
	bits := t.Bits() / n
	if t == B128 {
		l.packWide(d, parts)
		return
	}
	whole := irType(t)
	var sum ir.Ref
	for i := range parts {
		if parts[i].Kind == KindSink {
			continue
		}
		elem := bitsType(bits)
		p := l.value(&parts[i], elem)
		op, ok := resizeOp(l.typeOf(p), whole, false)
		if !ok {
			l.unsupportedOperand(&parts[i])
			return
		}
		p = l.b.T(op, p)
		if i > 0 {
			p = l.b.T(l.shiftOp(whole, true), p, l.b.Const(ir.B32, uint64(i*bits)))
		}
		if sum == 0 {
			sum = p
		} else {
			sum = l.b.T(l.orOp(whole), sum, p)
		}
	}
	if sum == 0 {
		sum = l.b.Const(whole, 0)
	}
	l.b.Move(l.reg(d), sum)
}

// packWide packs two parts, or four of 32 bits, into a .b128 register, which consists of two values
// of 64 bits.
func (l *lifter) packWide(d *Operand, parts []Operand) {
	elem := bitsType(128 / len(parts))
	vals := make([]ir.Ref, len(parts))
	for i := range parts {
		vals[i] = l.value(&parts[i], elem)
	}
	if len(vals) == 4 {
		vals = []ir.Ref{l.b.T(ir.Pack64, vals[0], vals[1]), l.b.T(ir.Pack64, vals[2], vals[3])}
	}
	for i, r := range l.refs(d.Reg()) {
		l.b.Move(r, vals[i])
	}
}

// unpack splits a value into parts, the lowest bits first.
func (l *lifter) unpack(parts []Operand, a *Operand, t Type) {
	if t == B128 {
		refs := l.refs(a.Reg())
		for i := range parts {
			if parts[i].Kind != KindReg {
				continue
			}
			r := refs[i*len(refs)/len(parts)]
			if len(parts) == 4 {
				r = l.b.T([...]ir.Op{ir.Lo32, ir.Hi32}[i&1], r)
			}
			l.b.Move(l.reg(&parts[i]), r)
		}
		return
	}
	bits := t.Bits() / len(parts)
	whole := irType(t)
	v := l.value(a, t)
	elem := irType(bitsType(bits))
	// The value's register may be among the parts: extract all parts, then write.
	out := make([]ir.Ref, len(parts))
	for i := range parts {
		if parts[i].Kind != KindReg {
			continue
		}
		p := v
		if i > 0 {
			p = l.b.T(l.shiftOp(whole, false), v, l.b.Const(ir.B32, uint64(i*bits)))
		}
		out[i] = l.cut(p, elem)
	}
	for i := range parts {
		if out[i] != 0 {
			l.b.Move(l.reg(&parts[i]), out[i])
		}
	}
}

// shiftOp returns the operation that shifts a value of type t left or right.
func (l *lifter) shiftOp(t ir.Type, left bool) ir.Op {
	switch {
	case t == ir.B16 && left:
		return ir.Shl16
	case t == ir.B16:
		return ir.ShrU16
	case t == ir.B32 && left:
		return ir.Shl32
	case t == ir.B32:
		return ir.ShrU32
	case left:
		return ir.Shl64
	}
	return ir.ShrU64
}

func (l *lifter) orOp(t ir.Type) ir.Op {
	switch t {
	case ir.B16:
		return ir.Or16
	case ir.B32:
		return ir.Or32
	}
	return ir.Or64
}

// cvta converts an address of a space, in a register or of a variable, to a generic address (PTX
// 9.7.9.21).
var cvta = meaning{
	emit: func(l *lifter) {
		a, t := &l.in.Args[1], irType(l.v.typ)
		d := l.dst(0)
		if d == nil {
			return
		}
		if a.Var() != nil {
			l.b.Move(l.reg(d), l.addressValue(a, t, true))
			return
		}
		w, ok := l.convertible(t)
		if !ok {
			return
		}
		v := l.value(a, l.v.typ)
		if w == 0 {
			l.b.Move(l.reg(d), v)
			return
		}
		l.b.To(l.reg(d), l.addOp(t), v, l.b.Const(t, w))
	},
	check: func(c *checker, in *Instr, v *variant) {
		c.dest(in, &opSpec{name: "d", dst: true}, &in.Args[0], v.typ, false)
		a := &in.Args[1]
		if a.Kind == KindVar || a.Kind == KindIndex || a.Kind == KindSymOff {
			if d := a.Var(); d != nil && d.Space != spaceOf(v.mod("space")) {
				c.errorf(a.Pos, diag.Input, codeSpace, "%s converts an address of %s, but %s is a %s variable", in.Op, spaceOf(v.mod("space")), d.Name, d.Space)
			}
			return
		}
		c.source(in, &opSpec{name: "a"}, a, v.typ, false)
	},
}

// namedSpace returns the space that the instruction names. .param means the kernel's parameters
// (.param::entry), even in a function.
func (l *lifter) namedSpace() ir.Space {
	s := spaceOf(l.v.mod("space"))
	if s == SpaceParam {
		return ir.Param
	}
	return l.irSpace(s)
}

// convertible returns the window of the instruction's space, if addresses of type t can be
// converted to generic ones and back.
func (l *lifter) convertible(t ir.Type) (w uint64, ok bool) {
	s := l.namedSpace()
	w, ok = l.window(s, t)
	if !ok {
		l.errorf(l.in.Pos, diag.Unsupported, codeNotLifted, "%s: generic addresses of the %s space are not supported", l.in.Op, s)
		return 0, false
	}
	return w, true
}

// cvtaTo converts a generic address to an address of a space.
var cvtaTo = meaning{emit: func(l *lifter) {
	t := irType(l.v.typ)
	w, ok := l.convertible(t)
	if !ok {
		return
	}
	if w == 0 {
		l.set(0, l.src(1))
		return
	}
	l.to(0, pick(t == ir.B64, ir.Sub64, ir.Sub32), l.src(1), l.b.Const(t, w))
}}

// isspacep tests whether a generic address lies in a space's window (PTX 9.7.9.20).
var isspacep = meaning{
	emit: func(l *lifter) {
		a := l.value(&l.in.Args[1], addrType(&l.in.Args[1]))
		w, ok := l.window(l.namedSpace(), l.typeOf(a))
		if ok && w != 0 && l.typeOf(a) == ir.B32 {
			n := l.b.T(ir.ShrU32, a, l.b.Const(ir.B32, ir.Window32Bits))
			l.set(0, l.b.T(ir.EqU32, n, l.b.Const(ir.B32, w>>ir.Window32Bits)))
			return
		}
		if l.typeOf(a) != ir.B64 {
			l.errorf(l.in.Pos, diag.Unsupported, codeNotLifted, "%s is not supported for this address size", l.in.Op)
			return
		}
		high := l.b.T(ir.And64, a, l.b.Const(ir.B64, ir.WindowMask))
		in := func(w uint64) ir.Ref { return l.b.T(ir.EqU64, high, l.b.Const(ir.B64, w&ir.WindowMask)) }
		at := l.b.T(ir.Sub64, a, l.b.Const(ir.B64, ir.ConstantWindow))
		constant := l.b.T(ir.LtU64, at, l.b.Const(ir.B64, ir.ConstantEnd-ir.ConstantWindow))
		switch spaceOf(l.v.mod("space")) {
		case SpaceConst:
			l.set(0, constant)
		case SpaceParam, SpaceShared, SpaceLocal:
			is := in(w)
			if l.b.Func().Ranked && spaceOf(l.v.mod("space")) == SpaceShared && l.v.mod("space") != "shared::cluster" {
				// Only the block's own memory is in .shared::cta.
				is = l.b.T(ir.AndP, is, l.b.T(ir.EqU32, rankOf(l, a, true), clusterInput(l, ir.ClusterRank)))
			}
			l.set(0, is)
		default:
			// The window of the kernel's parameters lies within the window of global memory.
			l.set(0, l.b.T(ir.AndP, l.b.T(ir.OrP, in(0), in(ir.ParamPTX)), l.b.T(ir.NotP, constant)))
		}
	},
	check: func(c *checker, in *Instr, v *variant) {
		s, a := &opSpec{name: "a"}, &in.Args[1]
		switch t := addrType(a); {
		case a.Kind == KindInt && c.m.Version != (Version{}), a.Kind == KindSum, a.Kind == KindSymOff:
			// Errata E137: the operand is a number, or the address of a variable in its own space.
			c.source(in, s, a, t, false)
		case a.Kind != KindReg || a.Reg() != nil && (!a.Reg().Type.Integer() || a.Reg().Vec != 0 || a.Reg().Type.Bits() != t.Bits()):
			c.bad(in, s, a, "a 32-bit or 64-bit register")
		}
	},
}

// addrType returns the type of an address operand without a written type: the type of its register,
// or the type of all addresses.
func addrType(o *Operand) Type {
	if o.Kind == KindSum {
		o = &o.List[0]
	}
	if r := o.Reg(); r != nil && r.Type.Bits() == 32 {
		return U32
	}
	return U64
}
