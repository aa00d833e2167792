package sim

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Shadows of cross-lane operations. Instrumentation (internal/check/poison) keeps a
// mark for every lane of every value; where a value comes from another lane, its
// mark does too, and only this package knows from which.

var noShadow [4]ir.Ref

// sourceShadow returns the marks of Args[0].
func (w *Wave) sourceShadow(in *ir.Inst) lane.Mask { return w.marks(in.Shadow[0]) }

func (w *Wave) marks(r ir.Ref) lane.Mask {
	if r == 0 {
		return 0
	}
	return w.bitsOf(r)
}

// mark writes the marks of a result: bad, and what each lane's own b, c and
// membermask contribute.
func (w *Wave) mark(in *ir.Inst, r ir.Ref, lanes, bad lane.Mask) {
	if r != 0 {
		w.setBits(r, lanes, bad|w.marks(in.Shadow[1]))
	}
}

// shadowShuffle marks the lanes that read a marked lane or one that they may not
// read, and those that are not in their own membermask. The predicate says nothing
// about the source lane (PTX 9.7.9.6), so the source's mark does not reach it.
func (w *Wave) shadowShuffle(in *ir.Inst, poison lane.Mask, from *[32]uint8, lanes, valid, members lane.Mask) {
	out := lanes &^ members
	if !w.originates(in.Pos) {
		out, valid = 0, w.full
	}
	bad := out
	if s := in.Shadow[2]; s != 0 && in.Shadow[0] != 0 && w.Func.Val(s).Type == ir.B32 {
		// Bit by bit: what each reader gets of its source's undefined bits.
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

// shadowFold marks the results of a fold over voters: for all lanes if the value of
// any voter is marked, and for lanes that are not in their own membermask.
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
