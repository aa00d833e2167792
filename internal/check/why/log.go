package why

import (
	"sort"

	"example.org/crosslane/lane"
)

// An extent is what events concern: lanes, or memory.
type extent[E any] interface {
	join(E) E // both
	meets(E) bool
}

// laneSet is lanes as an extent.
type laneSet lane.Mask

func (a laneSet) join(b laneSet) laneSet { return a | b }
func (a laneSet) meets(b laneSet) bool   { return a&b != 0 }

// bounds are the bytes from lo on, up to hi.
type bounds struct{ lo, hi uint64 }

func (a bounds) join(b bounds) bounds { return bounds{min(a.lo, b.lo), max(a.hi, b.hi)} }
func (a bounds) meets(b bounds) bool  { return a.lo < b.hi && b.lo < a.hi }

// An eventLog is events in their order with what each concerns. It finds the last one that
// meets something in a time that grows with the logarithm of their number: level k+1 joins
// fanOut extents of level k.
type eventLog[E extent[E]] struct {
	events []int
	levels [][]E
}

const fanOut = 32

// add appends an event, which is later than those before.
func (l *eventLog[E]) add(n int, x E) {
	i := len(l.events)
	l.events = append(l.events, n)
	for k := 0; ; k, i = k+1, i/fanOut {
		if k == len(l.levels) {
			var first []E
			if k > 0 { // one part of the level below is full, and has not been told here
				part := l.levels[k-1][:fanOut]
				first = append(first, part[0])
				for _, y := range part[1:] {
					first[0] = first[0].join(y)
				}
			}
			l.levels = append(l.levels, first)
		}
		if i < len(l.levels[k]) {
			l.levels[k][i] = l.levels[k][i].join(x)
		} else {
			l.levels[k] = append(l.levels[k], x)
		}
		if i < fanOut && k+1 == len(l.levels) {
			return
		}
	}
}

// at is the place of the first event that is not before event n.
func (l *eventLog[E]) at(n int) int { return sort.SearchInts(l.events, n) }

// before is the place of the last event below place i that meets x; -1: none does.
func (l *eventLog[E]) before(i int, x E) int {
	down := false
	for k := 0; i > 0; {
		// The rest of a part of level k is looked through, then what is in front of it, above.
		if i%fanOut == 0 && k+1 < len(l.levels) && !down {
			k, i = k+1, i/fanOut
			continue
		}
		i, down = i-1, false
		switch {
		case !l.levels[k][i].meets(x):
		case k == 0:
			return i
		default: // one of the part may meet it
			k, i, down = k-1, min((i+1)*fanOut, len(l.levels[k-1])), true
		}
	}
	return -1
}
