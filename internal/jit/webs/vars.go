package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// A varID numbers a variable, the unit of the data-flow analysis: a Value, or a piece of
// several Values that overlap.
//
// Input: the values of a function, with their offsets in the frame.
// Output: vars, the variables of each Value.
// Invariant: two Values share a variable exactly if their frame slots overlap.
// Example: s2, s[2:3] and the mask in s[2:3] consist of two variables. The first one is s2.
type varID = int32

// vars holds the variables of a function. A Value consists of count[ref] variables from
// first[ref] on; a constant has none.
type vars struct {
	n      int32
	first  []varID
	count  []uint8
	region []int32 // by Value: equal for Values with the same slot and size; 0: it overlaps no other Value
	pinned []bool  // by Value: it always stays in memory
	guest  []bool  // by variable: it belongs to a guest register
}

// maxPieces is the largest number of variables of a Value; Values with more stay in memory.
const maxPieces = 8

// findVars computes the variables: it cuts groups of overlapping Values at each start and end
// of a Value.
func findVars(f *ir.Func, m *Scratch) *vars {
	n := len(f.Values)
	v := &vars{first: m.ints.take(n), count: m.bytes.take(n), region: m.ints.take(n), pinned: m.bools.take(n)}
	pinAll := opaque(f)
	guests := m.words.take(n)[:0] // Off<<32 + ref
	for i := 1; i < n; i++ {
		switch f.Values[i].Kind {
		case ir.Temp:
			v.first[i], v.count[i] = v.n, 1
			v.n++
		case ir.Guest:
			guests = append(guests, uint64(f.Values[i].Off)<<32|uint64(i))
			v.pinned[i] = pinAll
		}
	}
	temps := v.n
	slices.Sort(guests)
	var cuts []uint32
	for i := 0; i < len(guests); {
		// A group is a run of Values in which each one overlaps an earlier one.
		x := &f.Values[uint32(guests[i])]
		end := x.Off + x.Size(f.Lanes)
		j := i + 1
		for j < len(guests) && uint32(guests[j]>>32) < end {
			y := &f.Values[uint32(guests[j])]
			end = max(end, y.Off+y.Size(f.Lanes))
			j++
		}
		// A Value that overlaps no other one is one variable, and needs no region.
		if j == i+1 {
			r := uint32(guests[i])
			v.first[r], v.count[r] = v.n, 1
			v.n++
			i = j
			continue
		}
		// The group is cut at each start and end; two neighbouring cuts bound a variable.
		cuts = cuts[:0]
		for _, g := range guests[i:j] {
			y := &f.Values[uint32(g)]
			cuts = append(cuts, y.Off, y.Off+y.Size(f.Lanes))
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for k, g := range guests[i:j] {
			r := uint32(g)
			y := &f.Values[r]
			from, _ := slices.BinarySearch(cuts, y.Off)
			to, _ := slices.BinarySearch(cuts, y.Off+y.Size(f.Lanes))
			v.first[r] = v.n + int32(from)
			v.count[r] = uint8(min(to-from, maxPieces))
			// Too many pieces: the whole group stays in memory.
			if to-from > maxPieces {
				for _, q := range guests[i:j] {
					v.pinned[uint32(q)] = true
				}
			}
			v.region[r] = int32(firstAt(f, guests[i:j], k))
		}
		v.n += int32(len(cuts) - 1)
		i = j
	}
	v.guest = m.bools.take(int(v.n))
	for i := temps; i < v.n; i++ {
		v.guest[i] = true
	}
	if f.Exec == 0 {
		v.pinScalars(f)
	}
	return v
}

// firstAt returns the first Value of a group with the offset and size of the Value at index
// k. The group is in the order of offsets. The result identifies the region of these Values.
func firstAt(f *ir.Func, group []uint64, k int) ir.Ref {
	x := &f.Values[uint32(group[k])]
	for k > 0 && uint32(group[k-1]>>32) == x.Off {
		k--
	}
	for f.Values[uint32(group[k])].Size(f.Lanes) != x.Size(f.Lanes) {
		k++
	}
	return ir.Ref(uint32(group[k]))
}

// pinScalars keeps written scalars in memory. Lanes on different paths share a scalar: a
// write changes it for the whole wave, so the flow graph of one lane does not describe it.
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
	// A Value that shares a variable with a written scalar stays in memory, too.
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
