package ssa

import (
	"cmp"
	"slices"

	"crosslane/internal/ir"
)

// A variable is what data flow is followed for: a Value, or a piece of several that
// overlap. s2, s[2:3] and the mask in s[2:3] are made of two pieces, of which the first
// is s2.
type varID = int32

// vars are the variables of a function. A Value is count[ref] variables from first[ref]
// on; constants have none.
type vars struct {
	n      int32
	first  []varID
	count  []uint8
	region []int32 // by Value: the same for those at the same place with the same size; 0: it overlaps nothing
	pinned []bool  // by Value: in memory, whatever happens
	guest  []bool  // by variable: of a register
}

// maxPieces is how many pieces a Value may have.
const maxPieces = 8

// findVars makes the variables.
func findVars(f *ir.Func) *vars {
	n := len(f.Values)
	v := &vars{first: make([]varID, n), count: make([]uint8, n), region: make([]int32, n), pinned: make([]bool, n)}
	pinAll := opaque(f)
	guests := make([]ir.Ref, 0, n)
	for i := 1; i < n; i++ {
		switch f.Values[i].Kind {
		case ir.Temp:
			v.first[i], v.count[i] = v.n, 1
			v.n++
		case ir.Guest:
			guests = append(guests, ir.Ref(i))
			v.pinned[i] = pinAll
		}
	}
	temps := v.n
	slices.SortFunc(guests, func(a, b ir.Ref) int { return cmp.Compare(f.Values[a].Off, f.Values[b].Off) })
	var cuts []uint32
	for i := 0; i < len(guests); {
		// Values that overlap, one with the next, are a group.
		x := &f.Values[guests[i]]
		end := x.Off + x.Size(f.Lanes)
		j := i + 1
		for j < len(guests) && f.Values[guests[j]].Off < end {
			y := &f.Values[guests[j]]
			end = max(end, y.Off+y.Size(f.Lanes))
			j++
		}
		if j == i+1 {
			v.first[guests[i]], v.count[guests[i]] = v.n, 1
			v.n++
			i = j
			continue
		}
		cuts = cuts[:0]
		for _, r := range guests[i:j] {
			y := &f.Values[r]
			cuts = append(cuts, y.Off, y.Off+y.Size(f.Lanes))
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		regions := map[[2]uint32]int32{}
		for _, r := range guests[i:j] {
			y := &f.Values[r]
			from, _ := slices.BinarySearch(cuts, y.Off)
			to, _ := slices.BinarySearch(cuts, y.Off+y.Size(f.Lanes))
			v.first[r] = v.n + int32(from)
			v.count[r] = uint8(min(to-from, maxPieces))
			if to-from > maxPieces {
				for _, q := range guests[i:j] {
					v.pinned[q] = true
				}
			}
			k := [2]uint32{y.Off, y.Off + y.Size(f.Lanes)}
			if regions[k] == 0 {
				regions[k] = int32(r)
			}
			v.region[r] = regions[k]
		}
		v.n += int32(len(cuts) - 1)
		i = j
	}
	v.guest = make([]bool, v.n)
	for i := temps; i < v.n; i++ {
		v.guest[i] = true
	}
	if f.Exec == 0 {
		v.pinScalars(f)
	}
	return v
}

// pinScalars keeps in memory the scalars that lanes on different ways share: a scalar is
// written once for the wave, whatever lanes are there.
func (v *vars) pinScalars(f *ir.Func) {
	var written []ir.Ref
	for i := range f.Code {
		for _, r := range [2]ir.Ref{f.Code[i].Dst, f.Code[i].Dst2} {
			if r != 0 && f.Values[r].Kind == ir.Guest && f.Values[r].Scalar && !v.pinned[r] {
				v.pinned[r] = true
				written = append(written, r)
			}
		}
	}
	if len(written) == 0 {
		return
	}
	piece := make([]bool, v.n)
	for _, r := range written {
		for k := range v.count[r] {
			piece[v.first[r]+int32(k)] = true
		}
	}
	for i := range f.Values {
		if f.Values[i].Kind != ir.Guest || i == 0 {
			continue
		}
		for k := range v.count[i] {
			v.pinned[i] = v.pinned[i] || piece[v.first[i]+int32(k)]
		}
	}
}
