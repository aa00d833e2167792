package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A Branched is the outcome of a BraTable for the running fragment.
type Branched uint8

// The outcomes.
const (
	BranchTogether Branched = iota // all active lanes go on at w.PC
	BranchSplit                    // the lanes went to several places: as after Split
	BranchFault                    // w.Fault is set
)

// BranchTable sends lanes of the running fragment to the blocks that a table and their indices name. The
// remaining active lanes go on with the next block. If there are several targets, the lanes at the one with
// the lowest program counter become the running fragment.
func (w *Wave) BranchTable(in *ir.Inst, lanes lane.Mask) Branched {
	if lanes == 0 {
		w.PC++
		return BranchTogether
	}
	table := w.Func.Tables[in.Imm]
	v := &w.Func.Values[in.Args[0]]
	index := (*[64]uint32)(unsafe.Add(w.Base, v.Off))
	// The usual case: all active lanes have the same index.
	if n, same := w.uniform(in.Args[0], lanes); same && lanes == w.Active {
		if n >= uint32(len(table)) || table[n] < 0 {
			w.badBranch(in, lanes, table)
			return BranchFault
		}
		w.PC = table[n]
		return BranchTogether
	}
	// All indices are checked before a lane moves, so that a fault leaves the wave unchanged.
	for i := range lanes.Lanes() {
		if n := index[i&63]; n >= uint32(len(table)) || table[n] < 0 {
			w.badBranch(in, lanes, table)
			return BranchFault
		}
	}
	w.add(w.PC+1, w.Active&^lanes, false)
	// Each target becomes a fragment.
	for rest := lanes; rest != 0; {
		n := index[bits.TrailingZeros64(uint64(rest))&63]
		var same lane.Mask
		for i := range rest.Lanes() {
			if table[index[i&63]] == table[n] {
				same |= lane.Lane(i)
			}
		}
		w.add(table[n], same, false)
		rest &^= same
	}
	// The lowest fragment runs on.
	low := 0
	for i := range w.frags {
		if w.frags[i].pc < w.frags[low].pc {
			low = i
		}
	}
	w.PC, w.Active = w.frags[low].pc, w.frags[low].lanes
	w.frags = slices.Delete(w.frags, low, low+1)
	return BranchSplit
}

// badBranch makes the fault of lanes whose index names no block.
func (w *Wave) badBranch(in *ir.Inst, lanes lane.Mask, table []int) {
	var bad lane.Mask
	for i := range lanes.Lanes() {
		if n := w.Get(in.Args[0], i); n >= uint64(len(table)) || table[n] < 0 {
			bad |= lane.Lane(i)
		}
	}
	i := bad.First()
	f := &Fault{Code: CodeBadBranch, Pos: in.Pos, Lanes: bad}
	if in.Args[1] == 0 {
		f.Text = fmt.Sprintf("lane %d branches to target %d of %d", i, w.Get(in.Args[0], i), len(table))
		f.Remedy = "check the index before the branch: a target outside the list is undefined"
	} else {
		a := w.Get(in.Args[1], i)
		f.Code = CodeBadCall
		f.Text = fmt.Sprintf("lane %d calls address %#x, which is no function", i, a)
		if n := ir.FuncNumber(a); n < uint64(len(w.Func.Functions)) {
			f.Text = fmt.Sprintf("lane %d calls %s, which has other parameters or results than the call, is no target in its list, or has no body that can run here", i, w.Func.Functions[n])
		}
		f.Remedy = "check where the pointer comes from: an uninitialised or overwritten one may call any address"
	}
	w.Fault = f
}
