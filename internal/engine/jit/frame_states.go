package jit

import (
	"fmt"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/lane"
)

// This file checks frame states, in the test mode that scribbles on frame slots.
//
// Input: the frame state of each block and of each operation at which the code deoptimises.
// Output: an error if a frame state lacks lanes of a web that the interpreter needs.
// Invariant: a correct translation has complete frame states at all places, whether an exit is taken there or
// not.
// Example: block 3 needs web a, whose registers hold lanes 0 to 15 and 16 to 31. If the state lists
// only the first, the error names a and block 3.

// complete reports the first frame state that lacks something.
func (t *translation) complete(n *native) error {
	deoptimised := map[int]abi.State{} // by operation
	for i := range n.exits {
		if x := &n.exits[i]; x.Kind == abi.ExitDeopt {
			deoptimised[x.Inst] = x.State
		}
	}
	needed, before := t.ssa.NewSet(), t.ssa.NewSet()
	for b, reached := range t.reached() {
		if !reached {
			continue
		}
		before.Fill(t.ssa.LiveIn[b])
		if err := t.completeAt(n, n.states[b], before); err != nil {
			return fmt.Errorf("the frame state of block %d %w", b, err)
		}
		var err error
		t.ssa.Needed(b, needed, func(i int, after *webs.Set) {
			if l, ok := deoptimised[i]; ok {
				before.Copy(after)
				t.ssa.Before(i, before)
				if e := t.completeAt(n, l, before); e != nil && err == nil {
					err = fmt.Errorf("the frame state of operation %d %w", i, e)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reached returns the blocks that control can reach.
func (t *translation) reached() []bool {
	seen := make([]bool, len(t.ssa.IR.Blocks))
	todo := []int32{0}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		todo = append(todo, t.ssa.Succs[b]...)
	}
	return seen
}

// completeAt checks one frame state. needed are the webs that the interpreter reads from there on.
func (t *translation) completeAt(n *native, l abi.State, needed *webs.Set) error {
	have := map[ir.Ref]lane.Mask{}
	for _, x := range n.of(l) {
		switch r := &n.recipes[x]; r.Kind {
		case abi.Repeat:
			ops := &t.ssa.Ops[r.Inst]
			for _, w := range [...]webs.Web{ops.Dst, ops.Dst2} {
				low, high := t.slots(w)
				have[low], have[high] = ^lane.Mask(0), ^lane.Mask(0)
			}
		case abi.Unit:
			for first := int(r.Unit) * n.unitLanes(r.Type); first < n.lanes; first += int(r.Of) * n.unitLanes(r.Type) {
				have[r.Ref] |= lane.All(n.unitLanes(r.Type)) << uint(first)
			}
		case abi.RowBase:
			have[r.Ref] |= r.Steps.TileRow(int(r.Unit))
		default:
			have[r.Ref] |= ^lane.Mask(0)
		}
	}
	all := lane.All(n.lanes)
	for w := range needed.All {
		low, high := t.slots(w)
		for _, ref := range [...]ir.Ref{low, high} {
			if ref == 0 || int(ref) >= t.ssa.Given || t.ssa.IR.Val(ref).Kind == ir.Const || t.sel.InSlot(w) {
				continue
			}
			if have[ref]&all != all {
				return fmt.Errorf("has lanes %s of %s, web %d, %v", have[ref]&all, t.ssa.Value(w).Name, w, t.sel.Known(w))
			}
		}
	}
	return nil
}
