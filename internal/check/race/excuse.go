package race

import (
	"bytes"
	"math"

	"example.org/crosslane/internal/ir"
)

// Races that are milder than most: stores of equal values, stores that differ by rounding, and loads whose
// value a compare-and-swap checks.
//
// Input: an access that races, and the other one.
// Output: the set of racing that the lane belongs to: same, almost, stale, or bad for the rest.
// Example: two lanes store 1 to one word: harmless returns true, and the finding is a note.

// twice reports whether t belongs to another lane of the same instruction, which stores another value at
// the same place. The value there is then undefined, even in lockstep.
func (x *racing) twice(t touch, i int, addr uint64) bool {
	if t.pos() != x.in.Pos || t.lane() == i || x.in.Scalar || !x.vector || !x.m.Has(t.lane()) || !x.w.lockstep {
		return false
	}
	s := &x.k.segs[t.seg()-1]
	return s.block == x.w.block && s.wave == uint32(x.w.ID) && x.addr(t.lane()) == x.addr(i) && x.w.Get(x.in.Args[1], t.lane()) != x.w.Get(x.in.Args[1], i)
}

// addr is the address of lane i in a vector access.
func (x *racing) addr(i int) uint64 { return x.w.Address(x.in.Args[0], i, x.in.Imm) }

// harmless reports whether a write stores the value that the other write has stored.
func (x *racing) harmless(t touch, i int, at touched) bool {
	if x.slot != 0 { // the other copy may not be done; only one of the same instruction surely writes the same
		s := &x.k.segs[t.seg()-1]
		if t.pos() != x.in.Pos || !x.m.Has(t.lane()) || s.block != x.w.block || s.wave%uint32(len(x.w.Waves)) != uint32(x.w.ID) {
			return false
		}
	}
	data := x.w.Shared
	if at.alloc != nil {
		data = at.alloc.Data
	}
	if !x.vector {
		return x.data != nil && bytes.Equal(x.data, data[at.start:][:len(x.data)])
	}
	if x.in.Args[1] == 0 {
		return false
	}
	n := uint(x.size)
	mask := ^uint64(0) >> (64 - 8*min(n, 8))
	mine := x.w.Get(x.in.Args[1], i) & mask
	s := &x.k.segs[t.seg()-1]
	if t.pos() == x.in.Pos && s.block == x.w.block && s.wave == uint32(x.w.ID) && x.m.Has(t.lane()) && t.lane() != i && x.addr(t.lane()) == x.addr(i) {
		// Another lane of the same instruction, whose store has not been done yet.
		return x.w.Get(x.in.Args[1], t.lane())&mask == mine
	}
	for j := range uint64(n) {
		if at.start+j >= uint64(len(data)) || data[at.start+j] != byte(mine>>(8*j)) {
			return false
		}
	}
	return true
}

// nearly reports whether the stores of lane i and of another lane of the same instruction are
// floating-point numbers that differ by rounding only.
func (x *racing) nearly(t touch, i int) bool {
	if x.in.Flags&ir.Rounded == 0 || !x.vector || x.kind != ir.AccessWrite || t.pos() != x.in.Pos || t.lane() == i || !x.m.Has(t.lane()) || x.addr(t.lane()) != x.addr(i) {
		return false
	}
	if s := &x.k.segs[t.seg()-1]; s.block != x.w.block || s.wave != uint32(x.w.ID) {
		return false
	}
	a, b := x.w.Get(x.in.Args[1], t.lane()), x.w.Get(x.in.Args[1], i)
	var p, q, part float64
	switch x.size {
	case 4:
		p, q, part = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b))), 0x1p-16
	case 8:
		p, q, part = math.Float64frombits(a), math.Float64frombits(b), 0x1p-40
	default:
		return false
	}
	return math.Abs(p-q) <= part*max(math.Abs(p), math.Abs(q)) // NaN: false
}

// guess reports whether a clash is part of a compare-and-swap loop: the first load of the value to compare,
// and an atomic.
func (x *racing) guess(t touch, kind ir.AccessKind) bool {
	switch x.kind {
	case ir.AccessRead:
		return x.in.Flags&ir.Guess != 0 && x.in.Order == 0 && kind == ir.AccessUpdate
	case ir.AccessUpdate:
		return kind == ir.AccessRead && x.k.guesses[t.pos()]
	}
	return false
}

// looked reports whether lane i has looked at a place by strong loads before. Its store then is like one to
// a volatile variable, and does not race with stores of the same kind.
func (x *racing) looked(s *strongSet, i int) bool {
	for n := range s.list {
		if r := &s.list[n]; r.read && (x.judge(r.seg, r.lanes, i) || x.someBefore(r, i)) {
			return true
		}
	}
	return false
}
