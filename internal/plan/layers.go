package plan

import (
	"math/bits"
	"slices"

	"example.org/crosslane/lane"
)

// layers searches for sequences of DPP moves with row and bank masks in which a move may write over
// what the moves before it wrote.
//
// It goes from the end to the beginning. The last move writes only wanted values; the moves before it
// may write anything into these lanes. So the set of lanes that the chosen moves write is all that
// the rest of the search depends on, and a set that another one contains is dropped.
type layers struct {
	moves []layer
	need  lane.Mask // the lanes that have a wanted value
}

// A layer is a DPP move, seen from the goal.
type layer struct {
	move         *dppMove
	right, wrong lane.Mask // the lanes that get a wanted value, and those that get another one
	rightBanks   int
}

// A stage is the end of a sequence.
type stage struct {
	written lane.Mask // the lanes that its moves write
	first   patch     // its first move
	rest    *stage    // nil: nothing
}

// mostStages bounds the stages of one length that the search keeps: those that write the most lanes.
const mostStages = 64

func makeLayers(d *dictionary, want *lanes, need lane.Mask) *layers {
	l := &layers{need: need}
	for k := range d.dpp {
		x := layer{move: &d.dpp[k]}
		for i, w := range want[:d.n] {
			switch s := x.move.m[i]; {
			case s == keep, w == free:
			case s == w:
				x.right |= lane.Lane(i)
				x.rightBanks |= 1 << (i % 16 / 4)
			default:
				x.wrong |= lane.Lane(i)
			}
		}
		if x.right != 0 {
			l.moves = append(l.moves, x)
		}
	}
	return l
}

// before lists the patches that may stand before a stage, without those that write less than another
// one.
func (l *layers) before(written lane.Mask) []patch {
	var out []patch
	masks := dppLanes()
	for k := range l.moves {
		x := &l.moves[k]
		if x.right&^written == 0 {
			continue
		}
		wrong := x.wrong &^ written
		var good [4]int // by row of 16 lanes: the banks in which no lane gets a wrong value
		for r := range good {
			w := uint64(wrong) >> (16 * r) & 0xffff
			w |= w >> 1
			w |= w >> 2
			good[r] = x.rightBanks &^ int(w&1|w>>3&2|w>>6&4|w>>9&8)
		}
		for rows := 1; rows < 16; rows++ {
			banks := x.rightBanks
			for r := range good {
				if rows>>r&1 != 0 {
					banks &= good[r]
				}
			}
			w := x.right & masks[rows][banks] &^ written
			if w == 0 || slices.ContainsFunc(out, func(q patch) bool { return w&^q.writes == 0 }) {
				continue
			}
			out = append(slices.DeleteFunc(out, func(q patch) bool { return q.writes&^w == 0 }), patch{x.move, rows, banks, w})
		}
	}
	return out
}

// longer returns the stages that are longer by one move.
func (l *layers) longer(list []*stage) []*stage {
	var all []*stage
	for _, s := range list {
		for _, p := range l.before(s.written) {
			all = append(all, &stage{s.written | p.writes, p, s})
		}
	}
	slices.SortStableFunc(all, func(a, b *stage) int { return b.written.Count() - a.written.Count() })
	var out []*stage
	for _, s := range all {
		if len(out) == mostStages {
			break
		}
		if !slices.ContainsFunc(out, func(o *stage) bool { return s.written&^o.written == 0 }) {
			out = append(out, s)
		}
	}
	return out
}

// patches lists the moves of a stage, first move first. If none writes over another one, they are in
// the order of their lowest lanes.
func (l *layers) patches(s *stage) []patch {
	var list []patch
	for ; s.rest != nil; s = s.rest {
		list = append(list, s.first)
	}
	for _, p := range list {
		enabled := lane.DPPLanes(uint8(p.rows), uint8(p.banks))
		for k := range l.moves {
			if x := &l.moves[k]; x.move == p.move && x.wrong&enabled != 0 {
				return list
			}
		}
	}
	slices.SortStableFunc(list, func(a, b patch) int {
		return bits.TrailingZeros64(uint64(a.writes)) - bits.TrailingZeros64(uint64(b.writes))
	})
	return list
}
