package sim

import (
	"crosslane/internal/ir"
	"crosslane/lane"
)

// Shadows of cross-lane operations. Instrumentation (internal/check/poison) keeps a
// mark for every lane of every value; where a value comes from another lane, its
// mark does too, and only this package knows from which. Before the operation the
// instrumented code has set the marks of the results to what the reading lane
// itself contributes (its b, c and membermask); here the sources' are added.

var noShadow [3]ir.Ref

// sourceShadow returns the marks of Args[0].
func (w *Wave) sourceShadow(in *ir.Inst) lane.Mask {
	if in.Shadow[0] == 0 {
		return 0
	}
	return w.Mask(in.Shadow[0])
}

// mark adds marks to a shadow.
func (w *Wave) mark(r ir.Ref, m lane.Mask) {
	if r != 0 {
		*(*lane.Mask)(w.Ptr(r)) |= m
	}
}

// shadowShuffle marks the lanes that read a marked lane or one that they may not
// read, and those that are not in their own membermask. The predicate says nothing
// about the source lane (PTX 9.7.9.6), so the source's mark does not reach it.
func (w *Wave) shadowShuffle(in *ir.Inst, poison lane.Mask, from *[32]uint8, lanes, valid, members lane.Mask) {
	out := lanes &^ members
	bad := out
	for i := range lanes.Lanes() {
		if j := int(from[i&31]); poison.Has(j) || !valid.Has(j) {
			bad |= lane.Lane(i)
		}
	}
	w.mark(in.Shadow[1], bad)
	w.mark(in.Shadow[2], out)
}

// shadowFold marks the results of a fold over voters: for all lanes if the value of
// any voter is marked, and for lanes that are not in their own membermask.
func (w *Wave) shadowFold(in *ir.Inst, poison, lanes, voters lane.Mask) {
	if in.Shadow == noShadow {
		return
	}
	bad := lanes &^ voters
	if poison&voters != 0 {
		bad = lanes
	}
	w.mark(in.Shadow[1], bad)
	w.mark(in.Shadow[2], bad)
}
