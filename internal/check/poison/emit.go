package poison

import "example.org/crosslane/internal/ir"

// emit appends an operation of the shadow.
func (p *tracker) emit(in ir.Inst) {
	in.Pos = p.pos
	p.out.Code = append(p.out.Code, in)
}

// v computes on lane vectors into a scratch value.
func (p *tracker) v(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, false)
	in := ir.Inst{Op: op, Dst: d}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// s computes on scalars into a scratch value.
func (p *tracker) s(op ir.Op, args ...ir.Ref) ir.Ref {
	d := p.temp(ir.Ops[op].Res, true)
	in := ir.Inst{Op: op, Dst: d, Scalar: true}
	copy(in.Args[:], args)
	p.emit(in)
	return d
}

// or joins two shadows of lane vectors.
func (p *tracker) or(a, b ir.Ref) ir.Ref {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return p.v(ir.OrP, a, b)
}

// of returns the shadow of an operand, 0 if it is defined.
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

// splat makes the shadow of a lane vector from one bit.
func (p *tracker) splat(b ir.Ref) ir.Ref {
	if b == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Splat, Dst: d, Args: [4]ir.Ref{b}})
	return d
}

func (p *tracker) copied(s ir.Ref) ir.Ref {
	v := p.out.Values[s]
	return p.op(v.Scalar, moves[v.Type], s)
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

func selectBits(t ir.Type) ir.Op {
	return map[ir.Type]ir.Op{ir.B1: ir.SelP, ir.B16: ir.Sel16, ir.B32: ir.Sel32, ir.B64: ir.Sel64}[t]
}

// ofAll is the shadow of what lanes make together: undefined in all of them if it is in
// one. It sees the lanes of the wave that execute the operation together; the shadow of
// those that come to a barrier by another way is not known here.
func (p *tracker) ofAll(in *ir.Inst, s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Vote, Imm: uint64(ir.VoteAny), Dst2: d, Args: [4]ir.Ref{s}, Guard: in.Guard, GuardNot: in.GuardNot})
	return d
}

// v32 emits a cross-lane operation into a scratch lane vector.
func (p *tracker) v32(in ir.Inst) ir.Ref {
	in.Dst = p.temp(ir.B32, false)
	p.emit(in)
	return in.Dst
}

// party is the shadow of who takes part in a cross-lane operation of 64 lanes: a
// undefined bit of EXEC decides for every reader whether that lane can be read.
func (p *tracker) party(in *ir.Inst) ir.Ref { return p.splat(p.any(p.of(in.Guard))) }

// any returns a scalar of B1: whether a lane of 64 is marked.
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
