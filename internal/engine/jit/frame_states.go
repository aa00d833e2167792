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
// Example: block 3 needs web a, whose registers hold lanes 0 to 15 and 16 to 31. If only the first register is
// live there, the error names a and block 3.

// complete reports the first frame state that lacks something.
func (t *translation) complete(n *native) error {
	again := map[int][]int{} // by operation
	for i := range n.exits {
		if x := &n.exits[i]; x.Kind == abi.ExitDeopt {
			again[x.Inst] = x.Again
		}
	}
	needed, before := t.ssa.NewSet(), t.ssa.NewSet()
	for b, reached := range t.reached() {
		if !reached {
			continue
		}
		before.Fill(t.ssa.LiveIn[b])
		if err := t.completeAt(n, n.live[b], before, nil); err != nil {
			return fmt.Errorf("the frame state of block %d %w", b, err)
		}
		var err error
		t.ssa.Needed(b, needed, func(i int, after *webs.Set) {
			if l, ok := n.deoptimised[i]; ok {
				before.Copy(after)
				t.ssa.Before(i, before)
				if e := t.completeAt(n, l, before, again[i]); e != nil && err == nil {
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

// completeAt checks one frame state. needed are the webs that the interpreter reads from there on; again are
// the operations that it does first.
func (t *translation) completeAt(n *native, l there, needed *webs.Set, again []int) error {
	have := map[webs.Web]lane.Mask{}
	for _, i := range again {
		ops := &t.ssa.Ops[i]
		have[ops.Dst], have[ops.Dst2] = ^lane.Mask(0), ^lane.Mask(0)
	}
	for _, x := range n.needed(l) {
		o := &n.forms[x]
		switch o.kind {
		case abi.Unit:
			have[o.web] |= n.unit(o, o.value(t.ssa.IR)) | o.others
		case abi.RowBase:
			have[o.web] |= o.alike(int(o.unit) << o.steps.Tile)
		default:
			have[o.web] |= ^lane.Mask(0)
		}
	}
	all := lane.All(n.lanes)
	for w := range needed.All {
		ref, _ := t.slotOwner(w)
		if v := t.ssa.IR.Val(ref); int(ref) >= t.ssa.Given || v.Kind == ir.Const || t.sel.InSlot(w) {
			continue
		}
		if have[w]&all != all {
			return fmt.Errorf("has lanes %s of %s, web %d, %v", have[w]&all, t.ssa.Value(w).Name, w, t.sel.Known(w))
		}
	}
	return nil
}
