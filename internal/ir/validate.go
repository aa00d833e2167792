package ir

import (
	"fmt"
	"slices"
)

// Validate checks a function's structure: operand classes and types, block
// boundaries, branch targets, frame offsets. Builders call it; so does every tool
// that rewrites a function.
func (f *Func) Validate() error {
	if f.Lanes != 32 && f.Lanes != 64 {
		return fmt.Errorf("ir: %s: %d lanes, want 32 or 64", f.Name, f.Lanes)
	}
	for i := range f.Values {
		v := &f.Values[i]
		if i > 0 && (v.Off+v.Size(f.Lanes) > f.FrameSize || v.Off%v.Type.Bytes() != 0) {
			return fmt.Errorf("ir: %s: value %d (%s) at %d lies outside the frame of %d bytes or misaligned", f.Name, i, v.Name, v.Off, f.FrameSize)
		}
	}
	for _, table := range f.Tables { // once per table, because many branches may share one
		for _, t := range table {
			if t >= len(f.Blocks) {
				return fmt.Errorf("ir: %s: a table has block %d of %d", f.Name, t, len(f.Blocks))
			}
		}
	}
	next := 0
	for bi, b := range f.Blocks {
		if b.Start != next || b.End <= b.Start || b.End > len(f.Code) {
			return fmt.Errorf("ir: %s: block %d covers %d:%d, want start %d", f.Name, bi, b.Start, b.End, next)
		}
		next = b.End
		for i := b.Start; i < b.End; i++ {
			if f.Code[i].Op.EndsBlock() && i != b.End-1 {
				return fmt.Errorf("ir: %s: %s at %d is inside block %d", f.Name, f.Code[i].Op, i, bi)
			}
			if err := f.check(&f.Code[i]); err != nil {
				return fmt.Errorf("ir: %s: at %d (%s): %w", f.Name, i, f.Pos[f.Code[i].Pos].Text, err)
			}
		}
	}
	if next != len(f.Code) || len(f.Code) == 0 {
		return fmt.Errorf("ir: %s: blocks cover %d of %d instructions", f.Name, next, len(f.Code))
	}
	if last := &f.Code[len(f.Code)-1]; !last.endsFlow() {
		return fmt.Errorf("ir: %s: control runs past the end after %s", f.Name, last.Op)
	}
	return nil
}

// check checks one instruction.
func (f *Func) check(in *Inst) error {
	if int(in.Op) >= NumOps {
		return fmt.Errorf("operation %d does not exist", in.Op)
	}
	if in.Guard != 0 {
		if g := f.Val(in.Guard); g.Type != B1 || g.Scalar {
			return fmt.Errorf("guard %s is not a lane vector of b1", g.Name)
		}
	}
	for _, r := range []Ref{in.Dst, in.Dst2} {
		if r != 0 && f.Val(r).Kind == Const {
			return fmt.Errorf("%s writes a constant", in.Op)
		}
	}
	for _, r := range in.Shadow {
		if v := f.Val(r); r != 0 && v.Scalar {
			return fmt.Errorf("shadow %s is not a lane vector", v.Name)
		}
	}
	if in.Op.Pure() {
		return f.checkPure(in)
	}
	if in.Op.Meets() { // while the lane waits, other lanes run and overwrite temporaries
		for _, r := range slices.Concat(in.Args[:], in.Shadow[:]) {
			if r != 0 && f.Val(r).Kind == Temp {
				return fmt.Errorf("%s reads temporary %d, which does not keep while lanes wait", in.Op, r)
			}
		}
	}
	switch in.Op {
	case Collective:
		if in.Imm >= uint64(len(f.Collectives)) {
			return fmt.Errorf("description %d of %d", in.Imm, len(f.Collectives))
		}
	case Tensor:
		if in.Imm >= uint64(len(f.Tensors)) {
			return fmt.Errorf("description %d of %d", in.Imm, len(f.Tensors))
		}
	case Delay:
		if in.Imm >= uint64(len(f.Delays)) {
			return fmt.Errorf("description %d of %d", in.Imm, len(f.Delays))
		}
	case Observe:
		if f.NewObserver == nil || !in.Scalar {
			return fmt.Errorf("%s without an observer, or as a vector operation", in.Op)
		}
	case Claim:
		if in.Flags&Checked == 0 {
			return fmt.Errorf("%s that is not Checked", in.Op)
		}
	case Access:
		if r := in.Args[0]; r != 0 && f.Val(r).Type != B32 && f.Val(r).Type != B64 {
			return fmt.Errorf("%s: address of type %s", in.Op, f.Val(r).Type)
		}
	case Reach:
		if in.Args[0] == 0 || f.Val(in.Args[0]).Scalar != in.Scalar {
			return fmt.Errorf("%s: no undefined bits, or not of the operation's shape", in.Op)
		}
	case Bra, SBra:
		if in.Imm >= uint64(len(f.Blocks)) {
			return fmt.Errorf("branch to block %d of %d", in.Imm, len(f.Blocks))
		}
	case BraTable:
		if in.Imm >= uint64(len(f.Tables)) {
			return fmt.Errorf("branch through table %d of %d", in.Imm, len(f.Tables))
		}
		if v := f.Val(in.Args[0]); in.Args[0] == 0 || v.Type != B32 || v.Scalar {
			return fmt.Errorf("%s: the index is no lane vector of b32", in.Op)
		}
	case Splat:
		if !f.Val(in.Args[0]).Scalar || f.Val(in.Dst).Scalar || f.Val(in.Dst).Type != f.Val(in.Args[0]).Type {
			return fmt.Errorf("splat takes a scalar and makes a lane vector of the same type")
		}
	case Load, Store, Atomic:
		if t := f.Val(in.Args[0]).Type; t != B32 && t != B64 {
			return fmt.Errorf("%s: address of type %s", in.Op, t)
		}
		switch in.Size {
		case 1, 2, 4, 8:
		case 16:
			if in.Op != Atomic {
				return fmt.Errorf("%s of 16 bytes", in.Op)
			}
			for _, r := range [3]Ref{in.Args[1], in.Args[2], in.Dst} {
				if r != 0 && (int(r)+1 >= len(f.Values) || f.Val(r).Type != B64 || f.Val(r+1).Type != B64) {
					return fmt.Errorf("%s of 16 bytes: value %d is not the low half of a pair", in.Op, r)
				}
			}
		default:
			return fmt.Errorf("%s of %d bytes", in.Op, in.Size)
		}
		if in.Op != Load && f.Val(in.Args[0]).Scalar && !in.Scalar {
			return fmt.Errorf("%s: scalar address in a vector access", in.Op)
		}
	}
	return nil
}

// checkPure checks the types of a pure operation.
func (f *Func) checkPure(in *Inst) error {
	info := &Ops[in.Op]
	d := f.Val(in.Dst)
	if d.Type != info.Res || d.Scalar != in.Scalar || in.Dst == 0 {
		return fmt.Errorf("%s: destination is %s (scalar %v), want %s (scalar %v)", info.Name, d.Type, d.Scalar, info.Res, in.Scalar)
	}
	for i, t := range info.Args {
		a := f.Val(in.Args[i])
		if in.Args[i] == 0 || a.Type != t || a.Scalar != in.Scalar {
			return fmt.Errorf("%s: argument %d is %s (scalar %v), want %s (scalar %v)", info.Name, i, a.Type, a.Scalar, t, in.Scalar)
		}
	}
	return nil
}
