package ir

// Apart tells where variables lie that are apart from each other: what is between them
// belongs to none.
type Apart struct {
	Shared, Local []Gap
	// Vars are the variables of private memory. Those of functions that do not run at the
	// same time may share bytes, and one may lie where another one has its gap.
	Vars []Variable
}

// A Gap is the bytes between two variables.
type Gap struct {
	From, To       uint32
	Bytes          uint32   // of them, those that are not there if variables lie side by side
	Behind, Before Variable // Before has no name if there is none
}

// Gap returns the gap that bytes of shared or private memory touch, or nil.
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

// GapBytes is how many of the first n bytes of shared or private memory are there for the gaps
// only.
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

// Declared is SharedStatic without gaps.
func (f *Func) Declared() uint32 {
	return f.SharedStatic - uint32(f.GapBytes(Shared, uint64(f.SharedStatic)))
}
