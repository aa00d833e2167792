package poison

import (
	"math"

	"example.org/crosslane/internal/ir"
)

// A domain is the range of values of an argument for which the manual defines the result of a pure
// operation: from least to most, as unsigned numbers.
type domain struct {
	arg         int
	least, most uint64
}

// domains holds the operations whose result is not defined for all arguments.
var domains = map[ir.Op]domain{
	// PTX 9.7.1.9, 9.7.1.10: division by zero yields an unspecified, machine-specific value.
	ir.DivU16: nonZero, ir.DivS16: nonZero, ir.DivU32: nonZero, ir.DivS32: nonZero, ir.DivU64: nonZero, ir.DivS64: nonZero,
	ir.RemU16: nonZero, ir.RemS16: nonZero, ir.RemU32: nonZero, ir.RemS32: nonZero, ir.RemU64: nonZero, ir.RemS64: nonZero,
	// PTX 9.7.1.18: base ranges from 0 to 31.
	ir.Fns: {arg: 1, most: 31},
}

var nonZero = domain{arg: 1, least: 1, most: math.MaxUint64}

// beyond returns the set of a result because of an argument outside its domain: all bits if the
// argument is outside. It returns 0 if the argument is a constant inside, or the operation has no
// domain.
func (p *tracker) beyond(in *ir.Inst) ir.Ref {
	d, ok := domains[in.Op]
	if !ok {
		return 0
	}
	t, r := ir.Ops[in.Op].Args[d.arg], in.Args[d.arg]
	if v := p.f.Val(r); v.Kind == ir.Const && d.least <= v.Const&ones(t) && v.Const&ones(t) <= d.most {
		return 0
	}
	below := three{ir.LtU16, ir.LtU32, ir.LtU64}.of(t)
	var out ir.Ref
	if d.least > 0 {
		out = p.op(in.Scalar, below, r, p.konst(t, in.Scalar, d.least))
	}
	if d.most < ones(t) {
		out = p.join(out, p.op(in.Scalar, below, p.konst(t, in.Scalar, d.most), r))
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
