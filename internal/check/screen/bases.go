package screen

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// The values of the launch from which addresses are computed.
//
// Input: a function.
// Output: for each access to global memory a Base.
// Invariant: none. A base is a guess, which the bounds of each access confirm when the form runs.
// Example: rd1 = load.param [0]; rd2 = rd1 + 4*tid; an access at rd2 has the parameter at 0 as its base.

// maxSources is how many values a base may have; more is no base.
const maxSources = 4

// findBases finds the base of each access to global memory. It returns the reason why one has none.
func (k *Kernel) findBases() string {
	f := k.f
	sources := []Source{}
	of := make([]uint64, len(f.Values)) // a bit per source
	number := func(s Source) uint64 {
		i := slices.Index(sources, s)
		if i < 0 {
			if len(sources) == 64 {
				return 0
			}
			i, sources = len(sources), append(sources, s)
		}
		return 1 << i
	}
	for _, in := range f.Inputs {
		if in.Kind == ir.LaunchValue {
			of[in.Dst] |= number(Source{At: in.Imm})
		}
	}
	// Addresses that pass through shared or private memory have the sources of all that is stored there. Which one an
	// access gets does not matter: its bounds are compared.
	var stored [2]uint64
	memory := func(in *ir.Inst) *uint64 {
		switch {
		case in.Size != 8:
		case in.Space == ir.Shared:
			return &stored[0]
		case in.Space == ir.Local:
			return &stored[1]
		}
		return nil
	}
	// result returns the sources of the result of an operation.
	result := func(in *ir.Inst) (s uint64) {
		switch a := in.Args; in.Op {
		case ir.Load:
			if m := memory(in); m != nil {
				s = *m
			}
			if in.Space == ir.Param && in.Size == 8 && f.Val(a[0]).Kind == ir.Const {
				s = number(Source{Param: true, At: f.Val(a[0]).Const + in.Offset()})
			}
		case ir.Mov64, ir.Splat, ir.Sub64:
			s = of[a[0]]
		case ir.Add64:
			s = of[a[0]] | of[a[1]]
		case ir.Sel64:
			s = of[a[1]] | of[a[2]]
		case ir.MadWideU32, ir.MadWideS32, ir.Mad64:
			s = of[a[2]]
		}
		return s
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Code {
			in := &f.Code[i]
			if in.Op == ir.Store && f.Val(in.Args[1]).Type == ir.B64 {
				if m := memory(in); m != nil && *m|of[in.Args[1]] != *m {
					*m |= of[in.Args[1]]
					changed = true
				}
			}
			if in.Dst == 0 || f.Val(in.Dst).Type != ir.B64 {
				continue
			}
			s := result(in)
			if f.Val(in.Dst).Kind == ir.Temp {
				of[in.Dst] = s // it lives in this instruction only
			} else if of[in.Dst]|s != of[in.Dst] {
				of[in.Dst] |= s
				changed = true
			}
		}
	}
	bits := []uint64{} // of the bases
	for i := range f.Code {
		in := &f.Code[i]
		if in.Dst != 0 && f.Val(in.Dst).Type == ir.B64 && f.Val(in.Dst).Kind == ir.Temp {
			of[in.Dst] = result(in)
		}
		if !isTold(in) || in.Space == ir.Shared {
			continue
		}
		s := of[in.Args[0]]
		if s == 0 || f.Val(in.Args[0]).Kind == ir.Const || f.Val(in.Args[0]).Type != ir.B64 {
			return "an address that does not come from a parameter"
		}
		b := slices.Index(bits, s)
		if b < 0 {
			x := Base{Least: maxUnit}
			for n, source := range sources {
				if s>>n&1 != 0 {
					x.Sources = append(x.Sources, source)
				}
			}
			if len(x.Sources) > maxSources {
				return "an address that comes from many parameters"
			}
			b, bits, k.Bases = len(bits), append(bits, s), append(k.Bases, x)
		}
		k.base[i] = b
		x := &k.Bases[b]
		x.Least = min(x.Least, k.told[i].unit)
		if kindOf(in) != ir.AccessUpdate {
			strong := strong(in)
			x.Strong, x.Weak = x.Strong || strong, x.Weak || !strong
		}
		switch kindOf(in) {
		case ir.AccessRead:
			x.Loads, x.Lone = true, x.Lone || !k.paired[i]
			x.loadPos = appendNew(x.loadPos, in.Pos)
		case ir.AccessWrite:
			x.Stores = true
			x.storePos = appendNew(x.storePos, in.Pos)
		case ir.AccessUpdate:
			x.Updates.add(k.told[i].update, in)
			x.storePos = appendNew(x.storePos, in.Pos)
		}
	}
	return ""
}

// strong reports whether an access that was told is strong in the scope of the device.
func strong(in *ir.Inst) bool { return in.Order&ir.Strong != 0 && in.Order&ir.Device != 0 }

func appendNew(list []int32, p int32) []int32 {
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}
