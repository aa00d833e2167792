package sim

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Shadows of cross-lane operations. Instrumentation (internal/check/poison) keeps a mark for every lane of
// every value. If a value comes from another lane, its mark does too, and only this package has the lane
// map.
//
// Input: the marks of the operands (Shadow[0], Shadow[1]) and the lane map of the operation.
// Output: the marks of the results (Shadow[2], Shadow[3]).
// Example: lane 3 of shfl.bfly reads lane 2, which is marked: lane 3 of the result is marked.

// noShadow is the Shadow of an operation without marks.
var noShadow [4]ir.Ref

// sourceShadow returns the marks of Args[0].
func (f *ValueFrame) sourceShadow(in *ir.Inst) lane.Mask { return f.marks(in.Shadow[0]) }

// marks returns the lanes with a mark in r; none if r is 0.
func (f *ValueFrame) marks(r ir.Ref) lane.Mask {
	if r == 0 {
		return 0
	}
	return f.bitsOf(r)
}

// mark writes the marks of a result: bad, and those of each lane's own b, c and membermask.
func (f *ValueFrame) mark(in *ir.Inst, r ir.Ref, lanes, bad lane.Mask) {
	if r != 0 {
		f.setBits(r, lanes, bad|f.marks(in.Shadow[1]))
	}
}

// shadowShuffle marks the lanes that read a marked lane, those that read a lane that they must not read,
// and those that are not in their own membermask. The predicate does not depend on the value of the source
// lane (PTX 9.7.9.6), so it does not receive the source's mark.
func (w *Wave) shadowShuffle(in *ir.Inst, poison lane.Mask, from *[32]uint8, lanes, valid, members lane.Mask) {
	out := lanes &^ members
	if !w.originates(in.Pos) {
		out, valid = 0, w.full
	}
	bad := out
	if s := in.Shadow[2]; s != 0 && in.Shadow[0] != 0 && w.Func.Val(s).Type == ir.B32 {
		// Bit by bit: each reader receives the undefined bits of its source.
		var words [32]uint32
		own := w.marks(in.Shadow[1]) | out
		src, dst := (*[32]uint32)(w.Ptr(in.Shadow[0])), (*[32]uint32)(w.Ptr(s))
		for i := range lanes.Lanes() {
			switch j := int(from[i&31]); {
			case own.Has(i) || !valid.Has(j):
				words[i&31] = 1<<32 - 1
			case poison.Has(j):
				words[i&31] = src[j&31]
			}
		}
		for i := range lanes.Lanes() {
			dst[i&31] = words[i&31]
		}
		w.mark(in, in.Shadow[3], lanes, out)
		return
	}
	for i := range lanes.Lanes() {
		if j := int(from[i&31]); poison.Has(j) || !valid.Has(j) {
			bad |= lane.Lane(i)
		}
	}
	w.mark(in, in.Shadow[2], lanes, bad)
	w.mark(in, in.Shadow[3], lanes, out)
}

// shadowFold marks the results of a fold over voters: all lanes if the value of a voter is marked, and
// lanes that are not in their own membermask.
func (w *Wave) shadowFold(in *ir.Inst, poison, lanes, voters lane.Mask) {
	if in.Shadow == noShadow {
		return
	}
	bad := lanes &^ voters
	if !w.originates(in.Pos) {
		bad = 0
	}
	if poison&voters != 0 {
		bad = lanes
	}
	w.mark(in, in.Shadow[2], lanes, bad)
	w.mark(in, in.Shadow[3], lanes, bad)
}
