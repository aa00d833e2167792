package ir

import "slices"

// Results that no operation reads, or whose readers only compute such results.
//
// Input: a function.
// Output: whether the value of a register is read anywhere; which loads stay Inst.Surplus.
// Invariant: false only if the bits of the register reach nothing: no operation names it, or bytes of it, as an
// operand.
// Example: compilers write "atom.add %r9, [p], 1" for an addition whose old value the program does not use.

// Read reports whether an operation reads a register, or one that shares bytes with it.
func (f *Func) Read(r Ref) bool {
	if f.Exec != 0 {
		return true // operations may compute the number of a register
	}
	d := f.Val(r)
	found := false
	read := func(x Ref) {
		if x == r {
			found = true
		} else if v := f.Val(x); x != 0 && v.Kind == Guest && d.Kind == Guest {
			found = found || v.Off < d.Off+d.Size(f.Lanes) && d.Off < v.Off+v.Size(f.Lanes)
		}
	}
	for i := range f.Code {
		if f.Code[i].operands(f, read); found {
			return true
		}
	}
	return false
}

// settleSurplus clears Inst.Surplus of the loads whose value may reach an operation that is not pure: memory,
// control or another lane. A front end sets it for each element of a vector that may be surplus.
//
// Each value is marked that an operation with an effect reads, then each value from which a marked one is
// computed, until nothing changes. The order of the operations does not matter, so a register that is read
// somewhere counts as read. If no element of a vector is used, all are as the program wants them: none is
// surplus. Values of a function that has such loads share no bytes.
func (f *Func) settleSurplus() {
	if !slices.ContainsFunc(f.Code, func(in Inst) bool { return in.Surplus }) {
		return
	}
	used := make([]bool, len(f.Values))
	more := true
	read := func(r Ref) {
		if r != 0 && !used[r] {
			used[r], more = true, true
		}
	}
	for more {
		more = false
		for i := len(f.Code) - 1; i >= 0; i-- {
			if in := &f.Code[i]; !in.Op.Pure() && in.Op != Splat && in.Op != LaneBit || used[in.Dst] || used[in.Dst2] {
				in.operands(f, read)
			}
		}
	}
	wanted := map[int32]bool{} // instructions that load an element that is used
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == Load && used[in.Dst] {
			wanted[in.Pos] = true
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		in.Surplus = in.Surplus && !used[in.Dst] && wanted[in.Pos]
	}
}

// operands calls read for each value that an operation may read; 0 may be among them.
func (in *Inst) operands(f *Func, read func(Ref)) {
	for i := range in.Args {
		read(in.Args[i])
		read(in.Shadow[i])
	}
	read(in.Guard)
	list := func(refs []Ref) {
		for _, r := range refs {
			read(r)
		}
	}
	switch in.Op {
	case Atomic:
		// An operand of 16 bytes is two successive values.
		if in.Size == 16 {
			for _, r := range in.Args[1:3] {
				if r != 0 {
					read(r + 1)
				}
			}
		}
	case Record:
		if in.Imm < uint64(len(f.Recorded)) {
			list(f.Recorded[in.Imm])
		}
	case Observe:
		if o, ok := f.Observed[in.Imm]; ok {
			read(o.Address)
			list(o.Refs[:])
		}
	case Collective:
		c := &f.Collectives[in.Imm]
		list(c.Src)
		list(c.SrcShadow)
		read(c.OwnShadow)
	case Tensor:
		list(f.Listed(in))
	case Delay:
		list(f.Delays[in.Imm].Kept)
	}
}
