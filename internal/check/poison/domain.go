package poison

import "example.org/crosslane/internal/ir"

// beyond returns the set of a result because of an argument outside its domain: all bits if the
// argument is outside. It returns 0 if the argument is a constant inside, or the operation has no
// domain.
func (p *tracker) beyond(in *ir.Inst) ir.Ref {
	d, ok := ir.DomainOf(in.Op)
	if !ok {
		return 0
	}
	t, r := ir.Ops[in.Op].Args[d.Arg], in.Args[d.Arg]
	if v := p.f.Val(r); v.Kind == ir.Const && d.Least <= v.Const&ones(t) && v.Const&ones(t) <= d.Most {
		return 0
	}
	below := three{ir.LtU16, ir.LtU32, ir.LtU64}.of(t)
	var out ir.Ref
	if d.Least > 0 {
		out = p.op(in.Scalar, below, r, p.konst(t, in.Scalar, d.Least))
	}
	if d.Most < ones(t) {
		out = p.join(out, p.op(in.Scalar, below, p.konst(t, in.Scalar, d.Most), r))
	}
	return p.all(out, ir.Ops[in.Op].Res)
}

// claim makes the bits undefined that an ir.Claim names: a register, or a range of memory (discard).
func (p *tracker) claim(in *ir.Inst) {
	switch ir.ClaimKind(in.Size) {
	case ir.ClaimUndefined:
		v := p.f.Val(in.Args[1])
		p.put(in.Args[1], p.konst(v.Type, v.Scalar, ones(v.Type)))
	case ir.ClaimDiscard:
		const size = 8
		set := p.konst(ir.B64, false, ones(ir.B64))
		for off := range uint64(in.Align) / size {
			s := ir.Inst{Op: ir.Store, Args: [4]ir.Ref{in.Args[0], set}, Imm: in.Imm + off*size, Size: size, Space: in.Space, Guard: in.Guard, GuardNot: in.GuardNot}
			p.memory(ir.ReachInto, &s, set)
			p.emit(shadowAccess(&s))
		}
	}
}
