package screen

import (
	"cmp"
	"maps"
	"slices"

	"example.org/crosslane/internal/ir"
)

// The loads of read-only memory, for lists of what a launch has accessed.
//
// Input: the loads of a group (bounds.go), which are all executed if one is.
// Output: one tag for each run of adjacent bytes that the group loads.
// Invariant: of two runs with the same first byte the longer one has the higher tag, and the higher tag stays. So the
// tags tell all bytes, and a lane that looks again and again changes no memory.
// Example: loads at [r8], [r8+4], [r8+8], [r8+12] are one mark of 16 bytes at r8.

// A Mark is loads of adjacent bytes that leave one tag.
type Mark struct {
	Pos   int32  // the instruction that loads the first byte
	Bytes uint32 // how many bytes they load
	tag   ir.Ref // the constant that is its number
}

// marks leaves the tags of a group of loads, at its first one.
func (w *writer) marks(g *group, in *ir.Inst, base int, grain uint8) {
	slices.SortFunc(g.loads, func(a, b piece) int { return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high)) })
	low := g.loads[0].low // the addresses of all loads are multiples of the grain
	tags := w.tagsOf(in.Args[0], uint64(low), grain, grain)
	at := w.v(ir.Add64, tags.addr, w.value(OfBase(base, BaseR), ir.B64))
	used := maps.Clone(w.used)
	for n := 0; n < len(g.loads); {
		run := g.loads[n]
		for n++; n < len(g.loads) && g.loads[n].low <= run.high; n++ {
			run.high = max(run.high, g.loads[n].high)
		}
		for t := range w.used { // the scratch values of the last run are free
			w.used[t] = used[t]
		}
		m := Mark{Pos: run.pos, Bytes: uint32(run.high - run.low), tag: w.add(ir.Value{Type: ir.B32, Kind: ir.Const})}
		w.made = append(w.made, m)
		tag := w.v(ir.Add32, w.value(ValueBase, ir.B32), m.tag)
		off := tags.off + Tagged(uint64(run.low-low), grain)
		fresh := w.v(ir.LtU32, w.load(at, off, 0, in), tag)
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, tag}, Guard: w.under(fresh, in)})
	}
}

// numberMarks gives the marks their numbers, from 1 on.
func (w *writer) numberMarks() []Mark {
	slices.SortStableFunc(w.made, func(a, b Mark) int { return cmp.Compare(a.Bytes, b.Bytes) })
	for i, m := range w.made {
		w.out.Values[m.tag].Const = uint64(i + 1)
	}
	return w.made
}
