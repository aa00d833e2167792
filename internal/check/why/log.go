package why

import (
	"sort"

	"example.org/crosslane/lane"
)

// An extent is the part of a wave or of memory that an event concerns: lanes or bytes.
type extent[E any] interface {
	join(E) E // the smallest extent that holds both
	meets(E) bool
}

// laneSet is an extent of lanes.
type laneSet lane.Mask

func (a laneSet) join(b laneSet) laneSet { return a | b }
func (a laneSet) meets(b laneSet) bool   { return a&b != 0 }

// bounds are the bytes from lo up to hi, without hi.
type bounds struct{ lo, hi uint64 }

func (a bounds) join(b bounds) bounds { return bounds{min(a.lo, b.lo), max(a.hi, b.hi)} }
func (a bounds) meets(b bounds) bool  { return a.lo < b.hi && b.lo < a.hi }

// An eventLog lists events in order, with the extent of each. It finds the last event that meets an
// extent in logarithmic time.
//
// Invariant: levels[0] holds the extents of the events. Element i of levels[k+1] joins the elements
// i·fanOut up to (i+1)·fanOut of levels[k].
// Example: with fanOut 2 and the lane sets {0} {1} {2} {3}: levels are [{0} {1} {2} {3}], [{0,1}
// {2,3}]. To find lane 1 from the end, before skips {2,3} with one test.
// Literature: this is a segment tree that only grows at its end.
type eventLog[E extent[E]] struct {
	events []int
	levels [][]E
}

const fanOut = 32

// add appends an event. Events come in increasing order.
func (l *eventLog[E]) add(n int, x E) {
	i := len(l.events)
	l.events = append(l.events, n)
	for k := 0; ; k, i = k+1, i/fanOut {
		if k == len(l.levels) {
			var first []E
			if k > 0 { // the first group of the level below is full, and this level does not hold it yet
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

// at returns the index of the first event that is not before event n.
func (l *eventLog[E]) at(n int) int { return sort.SearchInts(l.events, n) }

// before returns the index of the last event below index i that meets x; -1 if none does.
func (l *eventLog[E]) before(i int, x E) int {
	down := false
	for k := 0; i > 0; {
		// The rest of a group of level k is searched first. The groups before it are searched one level
		// up.
		if i%fanOut == 0 && k+1 < len(l.levels) && !down {
			k, i = k+1, i/fanOut
			continue
		}
		i, down = i-1, false
		switch {
		case !l.levels[k][i].meets(x):
		case k == 0:
			return i
		default: // an element of the group may meet x
			k, i, down = k-1, min((i+1)*fanOut, len(l.levels[k-1])), true
		}
	}
	return -1
}
