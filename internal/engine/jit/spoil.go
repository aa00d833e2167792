package jit

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// The home of a register is right only where the interpreter goes on, and only if it may read
// it then. A home that should have been written and was not mostly holds what is right all the
// same, from a turn before, or zero as the register does. In a program that is spoilt (see
// Mode.Spoil) it holds nonsense, and whoever reads it differs from the reference. To get there
// more often, waves leave machine code where they need not, and come back.

// A spoiler knows the homes that hold nothing while machine code runs. It never changes: what
// is done at random is a matter of where the wave is.
type scribbler struct {
	refs []ir.Ref
	// ends are, by block, the homes of what its last operation writes.
	ends map[int][]ir.Ref
}

// spoiler finds the homes that may be spoilt; nil: the interpreter, or an observer, may look at
// all of them at any time. The webs of defs are what the last operations of blocks write.
func (t *translation) scribbler(defs map[int][]webs.Web) *scribbler {
	f := t.ssa.IR
	if t.ssa.Geom.Exact || f.Steps != nil || f.NewObserver != nil && f.Observed == nil {
		return nil
	}
	s := &scribbler{ends: map[int][]ir.Ref{}}
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
		low, high := t.slotOwner(webs.Web(w))
		for _, r := range [2]ir.Ref{low, high} {
			if !seen[r] && int(r) < t.ssa.Given && f.Val(r).Kind != ir.Const && !overlaps(f, r, kept) {
				seen[r] = true
				s.refs = append(s.refs, r)
			}
		}
	}
	for b, list := range defs {
		for _, w := range list {
			low, high := t.slotOwner(w)
			s.ends[b] = append(s.ends[b], low, high)
		}
	}
	return s
}

// overlaps reports whether the home of a value has bytes of that of another one.
func overlaps(f *ir.Func, r ir.Ref, list []ir.Ref) bool {
	v := f.Val(r)
	for _, x := range list {
		if x == 0 || int(x) >= len(f.Values) {
			continue
		}
		if o := f.Val(x); o.Kind != ir.Const && o.Off < v.Off+v.Size(f.Lanes) && v.Off < o.Off+o.Size(f.Lanes) {
			return true
		}
	}
	return false
}

// spoilHomes writes nonsense to the homes that hold nothing now. If the wave waits in front of
// block landing, what the operation before it has written is there already; 0: it does not.
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

// reads are the values that operation i reads when the lanes that wait in it have met.
func reads(f *ir.Func, i int) []ir.Ref {
	in := &f.Code[i]
	l := append([]ir.Ref{in.Guard}, in.Args[:]...)
	l = append(l, in.Shadow[:]...)
	if in.Op == ir.Collective {
		c := &f.Collectives[in.Imm]
		l = append(append(append(l, c.Src...), c.SrcShadow...), c.OwnShadow)
	}
	return l
}

// nonsense writes to all lanes of a home what no program computes.
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

// interrupted reports whether the interpreter is to run a wave whose values machine code has,
// and that could go on there. At other times the values go home and machine code fetches them.
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

// apart reports whether the waves of a block are to run one by one: in a sweep they come to Go,
// which interrupts them, only if something happens.
func (p *native) apart(b *sim.Block) bool {
	return p.scribble != nil && (b.Number()+uint64(len(p.scribble.refs)))%2 == 0
}

// chance is a number from 0 to 15 that depends on where a wave is, and on nothing else: so a
// launch on one worker does the same each time.
func chance(w *sim.Wave) uint64 {
	x := w.Number()<<40 ^ w.Clock<<16 ^ uint64(w.PC)<<6 ^ uint64(w.ID)
	x = (x ^ x>>29) * 0x9e3779b97f4a7c15
	return x >> 60
}
