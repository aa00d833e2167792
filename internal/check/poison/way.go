package poison

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// steps returns the registers that every guest instruction reads and writes, with their sets. package
// sim needs them to record trails.
func (p *tracker) steps() []ir.Step {
	steps := make([]ir.Step, len(p.f.Pos))
	for i := range p.f.Code {
		in := &p.f.Code[i]
		if in.Op == ir.Claim {
			continue
		}
		s := &steps[in.Pos]
		src := append(in.Args[:], in.Guard)
		dst := []ir.Ref{in.Dst, in.Dst2}
		src = append(src, p.f.Listed(in)...)
		if in.Op == ir.Collective {
			dst = append(dst, p.f.Collectives[in.Imm].Dst...)
		}
		for _, r := range src {
			if set := p.shadow[r]; set != 0 && r != p.f.Exec && !slices.Contains(s.Src, r) {
				s.Src, s.SrcSet = append(s.Src, r), append(s.SrcSet, set)
			}
		}
		if in.Dst != 0 && in.Guard != 0 && in.Guard != p.f.Exec && p.f.Val(in.Dst).Kind == ir.Guest && p.shadow[in.Dst] != 0 {
			s.Keeps = append(s.Keeps, in.Dst)
		}
		for _, r := range dst {
			if set := p.shadow[r]; set != 0 && !slices.Contains(s.Dst, r) {
				s.Dst, s.DstSet = append(s.Dst, r), append(s.DstSet, set)
			}
		}
	}
	return steps
}

// step emits the note that a guest instruction has been executed, after its last operation. For an
// operation that ends a block, stepLate does so at the start of the next block.
func (p *tracker) step(i int, end bool) {
	pos := p.f.Code[i].Pos
	if !p.Way || p.f.Code[i].Op.EndsBlock() || !end && p.f.Code[i+1].Pos == pos {
		return
	}
	p.note(pos)
}

// stepLate is step for an operation that ended the block before and waited for lanes.
func (p *tracker) stepLate(start int) {
	if p.Way && start > 0 && p.f.Code[start-1].Op.EndsBlock() && (p.f.Code[start-1].Op.Meets() || p.f.Code[start-1].Op == ir.Bar) {
		p.note(p.f.Code[start-1].Pos)
	}
}

// note emits the record of a step, if the instruction writes a register.
func (p *tracker) note(pos int32) {
	if s := p.out.Steps[pos]; len(s.Dst) > 0 {
		p.out.Code = append(p.out.Code, ir.Inst{Op: ir.Reach, Size: uint8(ir.ReachStep), Args: [4]ir.Ref{p.konst(ir.B1, false, 0)}, Guard: p.f.Exec, Pos: pos})
	}
}

// memory emits the record of an access, if ways are recorded.
func (p *tracker) memory(kind ir.ReachKind, in *ir.Inst, what ir.Ref) {
	if !p.Way {
		return
	}
	size := min(in.Size, 8)
	r := ir.Inst{Op: ir.Reach, Size: uint8(kind), Args: [4]ir.Ref{what, in.Args[0]}, Imm: in.Offset(), Space: in.Space, Align: uint16(size), Guard: in.Guard, GuardNot: in.GuardNot, Scalar: in.Scalar}
	if what == 0 || p.out.Values[what].Scalar != in.Scalar {
		r.Args[0] = p.konst(ir.B1, in.Scalar, 0)
	}
	p.emit(r)
}
