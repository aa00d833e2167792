package poison

import "example.org/crosslane/internal/ir"

// emit appends an operation on sets, with the position of the guest instruction in hand.
func (p *tracker) emit(in ir.Inst) {
	in.Pos = p.pos
	p.out.Code = append(p.out.Code, in)
}

// v emits an operation on lane vectors and returns its result, a scratch value.
func (p *tracker) v(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, false)
	in := ir.Inst{Op: op, Dst: d}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// s emits an operation on scalars and returns its result, a scratch value.
func (p *tracker) s(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, true)
	in := ir.Inst{Op: op, Dst: d, Scalar: true}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// or returns the union of two lane vectors of B1.
func (p *tracker) or(a, b ir.Ref) ir.Ref {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return p.v(ir.OrP, a, b)
}

// of returns the set of an operand; 0 if all bits are defined.
func (p *tracker) of(r ir.Ref) ir.Ref {
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

// splat returns a lane vector of B1 from one scalar bit.
func (p *tracker) splat(b ir.Ref) ir.Ref {
	if b == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Splat, Dst: d, Args: [4]ir.Ref{b}})
	return d
}

// copied returns a copy of a set.
func (p *tracker) copied(s ir.Ref) ir.Ref {
	v := p.out.Values[s]
	return p.op(v.Scalar, moves[v.Type], s)
}

// logic holds the bitwise operations for one width.
type logic struct{ and, or, not ir.Op }

// logicOf returns the bitwise operations for a type.
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

// selectBits returns the select operation for a type.
func selectBits(t ir.Type) ir.Op {
	return map[ir.Type]ir.Op{ir.B1: ir.SelP, ir.B16: ir.Sel16, ir.B32: ir.Sel32, ir.B64: ir.Sel64}[t]
}

// ofAll returns the set of a value that lanes compute together: undefined in all of them if it is
// undefined in one. It covers the lanes of the wave that execute the operation together. The sets of
// lanes that reach a barrier on another way are not known here.
func (p *tracker) ofAll(in *ir.Inst, s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Vote, Imm: uint64(ir.VoteAny), Dst2: d, Args: [4]ir.Ref{s}, Guard: in.Guard, GuardNot: in.GuardNot})
	return d
}

// v32 emits a cross-lane operation and returns its result, a scratch lane vector.
func (p *tracker) v32(in ir.Inst) ir.Ref {
	in.Dst = p.temp(ir.B32, false)
	p.emit(in)
	return in.Dst
}

// party returns the mark of an operation across 64 lanes whose participants are not known: an undefined
// bit of EXEC marks every reader, because it decides whether that lane can be read.
func (p *tracker) party(in *ir.Inst) ir.Ref { return p.splat(p.any(p.of(in.Guard))) }

// any returns a scalar of B1: whether any of 64 lanes is marked.
func (p *tracker) any(s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	if p.anyMask == 0 {
		p.anyMask = p.addGuest("", ir.B1, false)
		v := p.out.Values[p.anyMask]
		v.Type, v.Scalar = ir.B64, true
		p.anyBits = p.add(v)
	}
	p.emit(ir.Inst{Op: ir.MovB1, Dst: p.anyMask, Args: [4]ir.Ref{s}})
	return p.s(ir.NeU64, p.anyBits, p.konst(ir.B64, true, 0))
}
