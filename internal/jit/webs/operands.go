package webs

import "example.org/crosslane/internal/ir"

// role describes how an instruction uses its operands.
type role struct {
	guard          bool // it reads its Guard
	merge1, merge2 bool // lanes of Dst, Dst2 that are not written keep their values
}

// roleOf returns the role of an instruction. Pure operations write temporaries for all lanes:
// no operation reads lanes of a temporary that were not written.
func roleOf(f *ir.Func, in *ir.Inst) role {
	r := role{guard: in.Guard != 0}
	switch op := in.Op; {
	// Scalars are written once for the wave, regardless of the guard.
	case op.Pure():
		r.guard = r.guard && !in.Scalar && f.Values[in.Dst].Kind != ir.Temp
	case op == ir.Splat:
		r.guard = r.guard && f.Values[in.Dst].Kind != ir.Temp
	case op == ir.Load:
		r.guard = r.guard && !in.Scalar
	// These ignore the guard: they act once for the wave, or for all lanes.
	case op == ir.ReadLane, op == ir.ReadFirstLane, op == ir.DPPRead, op == ir.DPPMask, op == ir.Observe, op == ir.SBra:
		r.guard = false
	case op == ir.WriteLane:
		r.guard, r.merge1 = false, true // it writes one lane
	case op == ir.DSPermute:
		r.merge1 = true
	case op == ir.ElectSync:
		r.merge2 = true // there may be no lane to elect
	}
	r.merge1 = r.merge1 || r.guard
	r.merge2 = r.merge2 || r.guard
	return r
}

// extRefs appends the operands that no field of the instruction names. Package sim may write
// any bits of a shadow, and Reach clears the bits it has reported, so both are merged.
func extRefs(f *ir.Func, in *ir.Inst, merge bool, uses, defs []ir.Ref) ([]ir.Ref, []ir.Ref) {
	switch in.Op {
	case ir.Atomic:
		// An operand of 16 bytes is two values with successive references.
		if in.Size == 16 {
			for _, r := range [2]ir.Ref{in.Args[1], in.Args[2]} {
				if r != 0 {
					uses = append(uses, r+1)
				}
			}
			if in.Dst != 0 {
				defs = append(defs, in.Dst+1)
				if merge {
					uses = append(uses, in.Dst+1)
				}
			}
		}
		return uses, defs
	// Reach reads the shadow of its operand, and clears it.
	case ir.Reach:
		if a := in.Args[0]; a != 0 && f.Values[a].Kind == ir.Guest {
			uses, defs = append(uses, a), append(defs, a)
		}
		return uses, defs
	// A Record operation may read a list of temporaries.
	case ir.Record:
		if in.Imm < uint64(len(f.Recorded)) {
			uses = append(uses, f.Recorded[in.Imm]...)
		}
	// The observer reads an address and up to two values.
	case ir.Observe:
		o := f.Observed[in.Imm]
		for _, r := range [3]ir.Ref{o.Address, o.Refs[0], o.Refs[1]} {
			if r != 0 {
				uses = append(uses, r)
			}
		}
	case ir.Tensor:
		return append(uses, f.Listed(in)...), defs
	// A collective operation has lists of registers, and their shadows.
	case ir.Collective:
		c := &f.Collectives[in.Imm]
		for _, r := range c.Src {
			if r != 0 {
				uses = append(uses, r)
			}
		}
		for _, r := range c.Dst {
			if r != 0 {
				defs = append(defs, r)
				if merge {
					uses = append(uses, r)
				}
			}
		}
		for _, r := range c.SrcShadow {
			if r != 0 {
				uses = append(uses, r)
			}
		}
		if c.OwnShadow != 0 {
			uses = append(uses, c.OwnShadow)
		}
		for _, r := range c.DstShadow {
			if r != 0 {
				uses, defs = append(uses, r), append(defs, r)
			}
		}
	}
	// Shadows 0 and 1 are read only; 2 and 3 are those of the results.
	if in.Shadow != [4]ir.Ref{} {
		for k, r := range in.Shadow {
			if r == 0 {
				continue
			}
			uses = append(uses, r)
			if k >= 2 && f.Values[r].Kind != ir.Const {
				defs = append(defs, r)
			}
		}
	}
	return uses, defs
}

// hasExt reports whether extRefs may find operands.
func hasExt(in *ir.Inst) bool {
	switch in.Op {
	case ir.Atomic:
		return in.Size == 16
	case ir.Collective, ir.Tensor, ir.Reach, ir.Observe, ir.Record:
		return true
	}
	return !in.Op.Pure() && in.Shadow != [4]ir.Ref{}
}

// opaque reports whether the function has operations that may read or change every guest value.
func opaque(f *ir.Func) bool {
	if f.NewObserver != nil && f.Observed == nil || f.Steps != nil {
		return true
	}
	for i := range f.Code {
		if op := f.Code[i].Op; op == ir.Record || op == ir.Observe && f.Observed == nil {
			return true
		}
	}
	return false
}
