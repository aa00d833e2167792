package plan

import (
	"math/bits"
	"slices"

	"example.org/crosslane/lane"
)

// A patch is a DPP move whose masks enable some rows and banks: it writes lanes of the result and
// leaves the rest alone.
type patch struct {
	move        *dppMove
	rows, banks int
	writes      lane.Mask // the lanes that it sets, free ones included
}

// patches returns the moves from the source register that write only wanted values,
// without those that another one contains.
func patches(d *dictionary, want *lanes) []patch {
	var all []patch
	for k := range d.dpp {
		m := &d.dpp[k]
		var good [4]int // by rows of 16 lanes: the banks in which no lane gets a wrong value
		var useful lane.Mask
		filled := 0 // the banks in which a lane gets its source
		for i := range d.n {
			if i%4 == 0 {
				good[i/16] |= 1 << (i % 16 / 4)
			}
			switch s := m.m[i]; {
			case s == keep, want[i] == free:
			case s == want[i]:
				useful |= lane.Lane(i)
				filled |= 1 << (i % 16 / 4)
			default:
				good[i/16] &^= 1 << (i % 16 / 4)
			}
		}
		if useful == 0 {
			continue
		}
		for rows := 1; rows < 16; rows++ {
			banks := filled
			for r := range 4 {
				if rows>>r&1 != 0 {
					banks &= good[r]
				}
			}
			if w := useful & lane.DPPLanes(uint8(rows), uint8(banks)); w != 0 {
				all = append(all, patch{m, rows, banks, w})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b patch) int { return b.writes.Count() - a.writes.Count() })
	var out []patch
	for _, p := range all {
		if !slices.ContainsFunc(out, func(q patch) bool { return p.writes&^q.writes == 0 }) {
			out = append(out, p)
		}
	}
	return out
}

// cover returns the least number of patches, at most most, that together write all lanes of need;
// nil if there are none. work bounds the search and is counted down.
func cover(list []patch, need lane.Mask, most int, work *int) []patch {
	var pick []patch
	var search func(need lane.Mask, left int) bool
	search = func(need lane.Mask, left int) bool {
		if need == 0 {
			return true
		}
		if left == 0 || *work < 0 {
			return false
		}
		first := lane.Mask(1) << bits.TrailingZeros64(uint64(need))
		for i := range list {
			*work--
			if list[i].writes&first == 0 {
				continue
			}
			pick = append(pick, list[i])
			if search(need&^list[i].writes, left-1) {
				return true
			}
			pick = pick[:len(pick)-1]
		}
		return false
	}
	for n := 1; n <= most; n++ {
		pick = pick[:0]
		if search(need, n) {
			return pick
		}
	}
	return nil
}
