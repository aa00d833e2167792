package ir

// Apart holds the gaps between variables that are laid out apart from each other. The bytes of a
// gap belong to no variable.
type Apart struct {
	Shared, Local []Gap
	// Vars are the variables of private memory. Variables of functions that do not run at the same
	// time may share bytes, and one of them may lie in the gap of another.
	Vars []Variable
}

// A Gap is the bytes between two variables.
type Gap struct {
	From, To       uint32
	Bytes          uint32   // number of these bytes that exist only because of the gap
	Behind, Before Variable // Before has no name if no variable follows the gap
}

// Gap returns the gap that bytes of shared or private memory overlap, or nil.
func (a *Apart) Gap(space Space, at, size uint64) *Gap {
	list := a.Shared
	if space == Local {
		list = a.Local
		for _, v := range a.Vars {
			if at >= uint64(v.Off) && at+size <= uint64(v.Off)+uint64(v.Size) {
				return nil
			}
		}
	}
	for i := range list {
		if g := &list[i]; at < uint64(g.To) && at+size > uint64(g.From) && at+size > at {
			return g
		}
	}
	return nil
}

// GapBytes returns how many of the first n bytes of shared or private memory exist only for gaps.
func (f *Func) GapBytes(space Space, n uint64) (bytes uint64) {
	var list []Gap
	switch {
	case f.Apart == nil:
	case space == Shared:
		list = f.Apart.Shared
	case space == Local:
		list = f.Apart.Local
	}
	for _, g := range list {
		if uint64(g.To) <= n {
			bytes += uint64(g.Bytes)
		}
	}
	return bytes
}

// Declared returns SharedStatic without gaps.
func (f *Func) Declared() uint32 {
	return f.SharedStatic - uint32(f.GapBytes(Shared, uint64(f.SharedStatic)))
}
