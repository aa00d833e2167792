package poison

import (
	"cmp"
	"slices"

	"crosslane/internal/ir"
)

func sortByOffset(f *ir.Func, l []ir.Ref) {
	slices.SortStableFunc(l, func(a, b ir.Ref) int { return cmp.Compare(f.Val(a).Off, f.Val(b).Off) })
}

// emit appends an operation of the shadow.
func (p *pass) emit(in ir.Inst) {
	in.Pos = p.pos
	p.out.Code = append(p.out.Code, in)
}

// v computes on lane vectors into a scratch value.
func (p *pass) v(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, false)
	in := ir.Inst{Op: op, Dst: d}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// s computes on scalars into a scratch value.
func (p *pass) s(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, true)
	in := ir.Inst{Op: op, Dst: d, Scalar: true}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// or joins two shadows of lane vectors.
func (p *pass) or(a, b ir.Ref) ir.Ref {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return p.v(ir.OrP, a, b)
}

// orS joins two scalars of B1.
func (p *pass) orS(a, b ir.Ref) ir.Ref {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return p.s(ir.OrP, a, b)
}

// of returns the shadow of an operand, 0 if it is defined.
func (p *pass) of(r ir.Ref) ir.Ref {
	if r == 0 {
		return 0
	}
	switch p.f.Val(r).Kind {
	case ir.Const:
		return 0
	case ir.Temp:
		return p.temps[r]
	}
	return p.shadow[r]
}

// bit returns a scalar of B1: whether any bit of a scalar's shadow of type t is
// set. 0 if none can be.
func (p *pass) bit(s ir.Ref, t ir.Type) ir.Ref {
	if s == 0 {
		return 0
	}
	switch t {
	case ir.B8:
		return p.s(ir.NeU8, s, p.konst(t, true, 0))
	case ir.B16:
		return p.s(ir.NeU16, s, p.konst(t, true, 0))
	case ir.B32:
		return p.s(ir.NeU32, s, p.konst(t, true, 0))
	case ir.B64:
		return p.s(ir.NeU64, s, p.konst(t, true, 0))
	}
	return s
}

// bitOf is bit of a scalar operand.
func (p *pass) bitOf(r ir.Ref) ir.Ref {
	if r == 0 {
		return 0
	}
	return p.bit(p.of(r), p.f.Val(r).Type)
}

// spread makes a scalar's shadow of type t from one bit: all bits or none.
func (p *pass) spread(b ir.Ref, t ir.Type) ir.Ref {
	if b == 0 || t == ir.B1 {
		return b
	}
	if t == ir.B8 {
		return p.s(ir.CvtU8FromU16, p.spread(b, ir.B16))
	}
	op := map[ir.Type]ir.Op{ir.B16: ir.Sel16, ir.B32: ir.Sel32, ir.B64: ir.Sel64}[t]
	return p.s(op, b, p.konst(t, true, ones(t)), p.konst(t, true, 0))
}

// splat makes the shadow of a lane vector from one bit.
func (p *pass) splat(b ir.Ref) ir.Ref {
	if b == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Splat, Dst: d, Args: [4]ir.Ref{b}})
	return d
}

// put writes the shadow of a result: before the result itself, under its guard.
func (p *pass) put(dst, s ir.Ref) {
	if dst == 0 || p.always[dst] {
		return
	}
	v := p.f.Val(dst)
	if v.Kind == ir.Temp {
		if s != 0 && p.out.Values[s].Kind == ir.Guest {
			// The register may be written while the temporary is in use.
			s = p.copied(s)
		}
		p.temps[dst] = s
		return
	}
	d := p.shadow[dst]
	t := p.out.Values[d].Type
	if s == 0 {
		s = p.konst(t, v.Scalar, 0)
	}
	move := map[ir.Type]ir.Op{ir.B1: ir.MovB1, ir.B8: ir.Mov8, ir.B16: ir.Mov16, ir.B32: ir.Mov32, ir.B64: ir.Mov64}[t]
	in := ir.Inst{Op: move, Dst: d, Args: [4]ir.Ref{s}, Scalar: v.Scalar}
	if v.Scalar || p.at.Guard == 0 {
		p.emit(in)
		return
	}
	g := p.of(p.at.Guard)
	if g == d {
		g = p.copied(g)
	}
	in.Guard, in.GuardNot = p.at.Guard, p.at.GuardNot
	p.emit(in)
	if g != 0 {
		p.emit(ir.Inst{Op: ir.OrP, Dst: d, Args: [4]ir.Ref{d, g}})
	}
}

func (p *pass) copied(s ir.Ref) ir.Ref {
	v := p.out.Values[s]
	move := map[ir.Type]ir.Op{ir.B1: ir.MovB1, ir.B8: ir.Mov8, ir.B16: ir.Mov16, ir.B32: ir.Mov32, ir.B64: ir.Mov64}[v.Type]
	if v.Scalar {
		return p.s(move, s)
	}
	return p.v(move, s)
}

// inst emits the shadow's operations for one operation, then the operation.
func (p *pass) inst(in ir.Inst) {
	if in.Pos != p.pos {
		p.pos = in.Pos
		clear(p.temps)
		clear(p.used)
	}
	p.at = &in
	switch {
	case in.Op == ir.Load || in.Op == ir.Atomic:
		// These may fault: the shadow is written after the result.
		s := p.loaded(&in)
		p.out.Code = append(p.out.Code, in)
		p.put(in.Dst, s)
		if in.Op == ir.Atomic && in.Size == 16 && in.Dst != 0 {
			p.put(in.Dst+1, s) // the high half
		}
		return
	case in.Op.Pure() && in.Scalar:
		p.put(in.Dst, p.pureScalar(&in))
	case in.Op.Pure():
		p.put(in.Dst, p.pureVector(&in))
	default:
		p.special(&in)
	}
	p.out.Code = append(p.out.Code, in)
}

// pureVector is the shadow of an operation on lane vectors, lane by lane.
func (p *pass) pureVector(in *ir.Inst) ir.Ref {
	a, b, c := p.of(in.Args[0]), p.of(in.Args[1]), p.of(in.Args[2])
	switch in.Op {
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelF32, ir.SelF64, ir.SelP:
		// (p, x, y): what is not selected does not matter.
		if b == 0 && c == 0 || b == c {
			return p.or(a, b)
		}
		return p.or(a, p.v(ir.SelP, in.Args[0], p.orZero(b), p.orZero(c)))
	case ir.Xor16, ir.Xor32, ir.Xor64, ir.XorP, ir.Sub16, ir.Sub32, ir.Sub64:
		if in.Args[0] == in.Args[1] {
			return 0
		}
	case ir.AndP, ir.OrP, ir.And16, ir.And32, ir.And64, ir.Or16, ir.Or32, ir.Or64:
		return p.absorbing(in, a, b)
	}
	s := p.or(a, b)
	if n := len(ir.Ops[in.Op].Args); n > 2 {
		s = p.or(s, c)
		if n > 3 {
			s = p.or(s, p.of(in.Args[3]))
		}
	}
	return s
}

func (p *pass) orZero(s ir.Ref) ir.Ref {
	if s == 0 {
		return p.konst(ir.B1, false, 0)
	}
	return s
}

// absorbing is the shadow of and, whose result is 0 where one operand is a defined
// 0, and of or, with all ones for 0.
func (p *pass) absorbing(in *ir.Inst, a, b ir.Ref) ir.Ref {
	s := p.or(a, b)
	if s == 0 {
		return 0
	}
	t := ir.Ops[in.Op].Res
	element := uint64(0)
	switch in.Op {
	case ir.OrP, ir.Or16, ir.Or32, ir.Or64:
		element = ones(t)
	}
	for i, other := range [2]ir.Ref{b, a} {
		// Where the other operand is defined already, this one decides nothing new.
		mine := p.of(in.Args[i])
		if other == 0 {
			continue
		}
		x := p.f.Val(in.Args[i])
		if x.Kind == ir.Const {
			if x.Const == element {
				return 0
			}
			continue
		}
		decides := p.equals(in.Args[i], t, element)
		if mine != 0 {
			decides = p.v(ir.AndP, decides, p.v(ir.NotP, mine))
		}
		s = p.v(ir.AndP, s, p.v(ir.NotP, decides))
	}
	return s
}

// equals compares a lane vector with a constant.
func (p *pass) equals(r ir.Ref, t ir.Type, v uint64) ir.Ref {
	if t == ir.B1 {
		if v != 0 {
			return r
		}
		return p.v(ir.NotP, r)
	}
	op := map[ir.Type]ir.Op{ir.B16: ir.EqU16, ir.B32: ir.EqU32, ir.B64: ir.EqU64}[t]
	return p.v(op, r, p.konst(t, false, v))
}

// logic are the bitwise operations on scalars of one width.
type logic struct{ and, or, not ir.Op }

func logicOf(t ir.Type) logic {
	switch t {
	case ir.B1:
		return logic{ir.AndP, ir.OrP, ir.NotP}
	case ir.B16:
		return logic{ir.And16, ir.Or16, ir.Not16}
	case ir.B32:
		return logic{ir.And32, ir.Or32, ir.Not32}
	}
	return logic{ir.And64, ir.Or64, ir.Not64}
}

// pureScalar is the shadow of an operation on scalars: bit by bit where bits go
// their own way, else all bits if any bit of an operand is poisoned.
func (p *pass) pureScalar(in *ir.Inst) ir.Ref {
	info := &ir.Ops[in.Op]
	var s [4]ir.Ref
	defined := true
	for i := range info.Args {
		s[i] = p.of(in.Args[i])
		defined = defined && s[i] == 0
	}
	if defined {
		return 0
	}
	full := func(i int) ir.Ref { // as a value, not an expression
		if s[i] == 0 {
			return p.konst(info.Args[i], true, 0)
		}
		return s[i]
	}
	l := logicOf(info.Res)
	switch in.Op {
	case ir.Mov8, ir.Mov16, ir.Mov32, ir.Mov64, ir.MovB1, ir.Not16, ir.Not32, ir.Not64, ir.NotP:
		return s[0]
	case ir.Pack64, ir.Pack32:
		return p.s(in.Op, full(0), full(1))
	case ir.Lo32, ir.Hi32, ir.Lo16, ir.Hi16, ir.B2U32, ir.B2Mask32,
		ir.CvtU64FromU32, ir.CvtU32FromU64, ir.CvtU32FromU16, ir.CvtU16FromU32, ir.CvtU64FromU16, ir.CvtU16FromU64:
		return p.s(in.Op, s[0])
	case ir.Xor16, ir.Xor32, ir.Xor64, ir.XorP, ir.Xnor32, ir.Xnor64, ir.Sub32, ir.Sub64:
		if in.Args[0] == in.Args[1] {
			return 0
		}
		if in.Op == ir.Sub32 || in.Op == ir.Sub64 {
			break
		}
		return p.s(l.or, full(0), full(1))
	case ir.And16, ir.And32, ir.And64, ir.AndP, ir.Nand32, ir.Nand64:
		return p.absorbingBits(in, l, full(0), full(1), false, false)
	case ir.AndN32, ir.AndN64:
		return p.absorbingBits(in, l, full(0), full(1), false, true)
	case ir.Or16, ir.Or32, ir.Or64, ir.OrP, ir.Nor32, ir.Nor64:
		return p.absorbingBits(in, l, full(0), full(1), true, true)
	case ir.OrN32, ir.OrN64:
		return p.absorbingBits(in, l, full(0), full(1), true, false)
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelF32, ir.SelF64, ir.SelP:
		d := p.s(selectBits(info.Res), in.Args[0], full(1), full(2))
		if s[0] == 0 {
			return d
		}
		return p.s(l.or, d, p.spread(s[0], info.Res))
	}
	var any ir.Ref
	for i, t := range info.Args {
		any = p.orS(any, p.bit(s[i], t))
	}
	return p.spread(any, info.Res)
}

func selectBits(t ir.Type) ir.Op {
	return map[ir.Type]ir.Op{ir.B1: ir.SelP, ir.B16: ir.Sel16, ir.B32: ir.Sel32, ir.B64: ir.Sel64}[t]
}

// absorbingBits is the shadow of and (or of or, whose operands are seen inverted):
// a bit of the result is defined if both operands' bits are, or one is a defined 0.
func (p *pass) absorbingBits(in *ir.Inst, l logic, a, b ir.Ref, notA, notB bool) ir.Ref {
	seen := func(r ir.Ref, not bool) ir.Ref {
		if not {
			return p.s(l.not, r)
		}
		return r
	}
	open := func(r, s ir.Ref, not bool) ir.Ref { return p.s(l.or, seen(r, not), s) } // not a defined 0
	both := p.s(l.and, open(in.Args[0], a, notA), open(in.Args[1], b, notB))
	return p.s(l.and, p.s(l.or, a, b), both)
}
