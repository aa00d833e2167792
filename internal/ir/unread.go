package ir

// Results that no operation reads.
//
// Input: a function.
// Output: whether the value of a register is read anywhere.
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
	}
}
