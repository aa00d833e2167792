package jit

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// This file is the test mode that scribbles on frame slots. A frame slot is right only when the interpreter
// continues there, and only if the interpreter may read it. An exit that fails to write a slot is hard to see:
// mostly the slot is right all the same, from an earlier time slice, or both hold zero.
//
// Input: a wave whose values are in machine registers.
// Output: nonsense in all frame slots that must not be read now, and additional exits.
// Invariant: the results of a correct engine do not change.
// Example: an exit does not write a slot that the interpreter reads next. The interpreter then computes with
// 0xdeadbee7…, and the results differ from the reference.

// A scribbler lists the frame slots that hold no value while machine code runs. It never changes: random
// choices depend only on where the wave is.
type scribbler struct {
	refs []ir.Ref
	// ends lists, by block, the frame slots that its last operation writes.
	ends map[int][]ir.Ref
}

// scribbler returns the frame slots that may be overwritten; nil if the interpreter or an observer may read all
// of them at any time. defs are the slots that the last operations of blocks write.
func (t *translation) scribbler(defs map[int][]ir.Ref) *scribbler {
	f := t.ssa.IR
	if t.ssa.Geom.Exact || f.Steps != nil || f.NewObserver != nil && f.Observed == nil {
		return nil
	}
	s := &scribbler{ends: defs}
	kept := []ir.Ref{f.Exec}
	for w := 1; w < len(t.ssa.Webs); w++ {
		if x := &t.ssa.Webs[w]; x.Flags&webs.Aliased != 0 && int(x.Ref) < t.ssa.Given {
			kept = append(kept, x.Ref)
		}
	}
	seen := map[ir.Ref]bool{0: true}
	for w := 1; w < len(t.ssa.Webs); w++ {
		if t.ssa.Webs[w].Flags&(webs.Aliased|webs.Const) != 0 {
			continue
		}
		low, high := t.slots(webs.Web(w))
		for _, r := range [2]ir.Ref{low, high} {
			if !seen[r] && int(r) < t.ssa.Given && f.Val(r).Kind != ir.Const && !overlaps(f, r, kept) {
				seen[r] = true
				s.refs = append(s.refs, r)
			}
		}
	}
	return s
}

// overlaps reports whether the frame slot of a value shares bytes with that of a value in the list.
func overlaps(f *ir.Func, r ir.Ref, list []ir.Ref) bool {
	return slices.ContainsFunc(list, func(x ir.Ref) bool {
		return x != 0 && int(x) < len(f.Values) && f.Val(x).Kind != ir.Const && f.Overlap(r, x)
	})
}

// scribbleSlots writes nonsense to the frame slots that hold no value now. If the wave waits before block
// landing, the operation before it has already written its results, and they stay; landing 0: it does not wait.
func (p *native) scribbleSlots(w *sim.Wave, landing int) {
	if p.scribble == nil {
		return
	}
	var kept []ir.Ref
	if landing > 0 {
		kept = append(kept, p.scribble.ends[landing-1]...)
	}
	w.EachParked(func(pc int, _ lane.Mask) { kept = append(kept, reads(w.Func, p.ends[pc])...) })
	for _, r := range p.scribble.refs {
		if !overlaps(w.Func, r, kept) {
			nonsense(w, r)
		}
	}
}

// reads returns the values that operation i reads after the lanes that wait in it have met.
func reads(f *ir.Func, i int) []ir.Ref {
	in := &f.Code[i]
	l := append([]ir.Ref{in.Guard}, in.Args[:]...)
	l = append(l, in.Shadow[:]...)
	if in.Op == ir.Tensor {
		l = append(l, f.Listed(in)...)
	}
	if in.Op == ir.Collective {
		c := &f.Collectives[in.Imm]
		l = append(append(append(l, c.Src...), c.SrcShadow...), c.OwnShadow)
	}
	return l
}

// nonsense writes a pattern that no program computes to all lanes of a frame slot.
func nonsense(w *sim.Wave, r ir.Ref) {
	v, n := w.Func.Val(r), w.Func.Lanes
	if v.Type == ir.B1 && !v.Scalar {
		w.SetMask(r, 0x5555555555555555&lane.All(n))
		return
	}
	if v.Scalar {
		n = 1
	}
	for i := range n {
		w.Set(r, i, 0xdeadbee7deadbee7+uint64(i)*0x1000300010003)
	}
}

// interrupted reports whether the interpreter is to run a wave that could continue in machine code. In some
// other cases it only writes the frame slots, and machine code then reads them again.
func (p *native) interrupted(w *sim.Wave, s *life) bool {
	if p.scribble == nil || !s.valid {
		return false
	}
	switch n := chance(w); {
	case n < 3:
		return true
	case n < 6:
		p.exitAll(w, s)
	}
	return false
}

// apart reports whether the waves of a block are to run one by one. The block runner returns to Go only at rare
// events, so waves in it would not be interrupted.
func (p *native) apart(b *sim.Block) bool {
	return p.scribble != nil && (b.Number()+uint64(len(p.scribble.refs)))%2 == 0
}

// chance returns a number from 0 to 15 that depends only on where a wave is. A launch on one worker therefore
// does the same each time.
func chance(w *sim.Wave) uint64 {
	x := w.Number()<<40 ^ w.Clock<<16 ^ uint64(w.PC)<<6 ^ uint64(w.ID)
	x = (x ^ x>>29) * 0x9e3779b97f4a7c15
	return x >> 60
}
