package gcn3

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// track decides which instructions a run has to observe, and how. If all paths wait for everything,
// it observes none.
func (x *lifter) track(code Code, insts []decoded, hub []int64) {
	p := newTracking(code, insts, func(off int64) idxState {
		if s, ok := x.modes[off]; ok && s.idx != idxUnknown {
			return s.idx
		}
		return idxOff
	})
	g := newFlowGraph(insts, hub, code.Entry)
	bad := p.suspect(&g, nil)
	all, some := false, false
	if slices.ContainsFunc(bad, func(b suspects) bool { return b.unsaid }) {
		p.barriers = map[int32]bool{}
		for i, b := range bad {
			if b.unsaid && !code.OneWave && p.readBehind(&g, int32(i)) {
				p.barriers[int32(i)], all = true, true
			}
		}
	}
	for _, b := range bad {
		all = all || b.flight || b.rules != 0
		some = some || b.flat
		p.rests = p.rests || b.rules != 0
	}
	if !all && !some {
		return
	}
	p.late, p.light = x.opt.Late, !all
	p.sgpr, p.vgpr = x.sgpr, x.vgpr
	for i := range p.facts {
		f := &p.facts[i]
		flat := f.flies && insts[i].in.Row.Unit == UnitFlat
		// Every instruction counts as a wait state.
		f.watch = p.rests || all && (bad[i].flight || p.barriers[int32(i)] || f.waits || f.class != numClasses) || bad[i].flat || flat || f.waits && f.leave[flyFlat.field()] == 0
		if p.late {
			x.shadows(p, i, bad[i].rules)
			if bad[i].rules != 0 && p.overwrites(i) {
				if x.overtaken == nil {
					x.overtaken = map[int]bool{}
				}
				x.overtaken[i-1] = true
			}
		}
	}
	x.tracked = p
	x.b.Func().NewObserver = func() ir.Observer { return &tracker{p: p} }
}

// overwrites reports whether an instruction overwrites the data of a wide store directly before it,
// and nothing else that the store reads.
func (p *tracking) overwrites(i int) bool {
	if i == 0 || p.insts[i-1].next != p.insts[i].off {
		return false
	}
	store, f := &p.facts[i-1], &p.facts[i]
	data := store.left[trailStore]
	if len(data) == 0 || f.shifts() {
		return false
	}
	over := false
	for _, w := range f.writes {
		for _, s := range data {
			over = over || w.overlaps(s)
		}
		for _, r := range store.reads {
			if w.overlaps(r.regRun) && !slices.Contains(data, r.regRun) {
				return false
			}
		}
	}
	return over && !slices.ContainsFunc(f.writes, func(w use) bool { return w.overlaps(regRun{RegEXEC, 2}) })
}

// overtake emits a store and the instruction after it in the other order, so that the store reads
// the value that the instruction has written. A branch to the second instruction finds it in its
// place.
func (x *lifter) overtake(code Code, insts []decoded, i int) error {
	store, over := &insts[i], &insts[i+1]
	x.observe(i, 0)
	pos := x.enter(code, over)
	x.observe(i+1, 0)
	if err := x.one(code, over, pos, i+1); err != nil {
		return err
	}
	x.observe(i+1, 1)
	pos = x.enter(code, store)
	if err := x.one(code, store, pos, i); err != nil {
		return err
	}
	x.observe(i, 1)
	if _, ok := x.labels[over.off]; !ok {
		x.done = true
		return x.rest(insts, i+1, pos)
	}
	x.b.SBra(x.label(over.next), 0, false)
	return nil
}

// shadows reserves memory for the registers that the instruction reads too soon.
func (x *lifter) shadows(p *tracking, i int, rules uint32) {
	f := &p.facts[i]
	for _, u := range f.rules {
		r, uses := u.rule, u.uses
		rule := &p.rules[r]
		if rules>>r&1 == 0 || rule.after == trailStore {
			continue
		}
		for _, s := range uses {
			size := uint32(4)
			switch {
			case s.lo >= regHW0:
				if s.lo != regHW0+hwRegMode || setsReg(&p.insts[i].in) {
					continue // the manual does not specify the effect of s_setreg on a value that another instruction wrote
				}
				p.mode = x.b.Func().Val(x.modeReg()).Off
			case s.lo >= regVGPR0:
				size = 256
			}
			f.shadows = append(f.shadows, shadow{s, r, x.b.Reserve(size * uint32(s.n))})
		}
	}
}

// observe emits an observation of the wave for the tracker; after is 1 after the instruction.
func (x *lifter) observe(i int, after uint64) {
	if x.tracked == nil || !x.tracked.facts[i].watch {
		return
	}
	if after == 1 && (!x.tracked.late || !x.tracked.facts[i].flies) {
		return
	}
	x.b.Guard(0, false)
	imm := uint64(i)<<1 | after
	x.b.Emit(ir.Inst{Op: ir.Observe, Scalar: true, Imm: imm})
	if x.tracked.late {
		return
	}
	fn, f := x.b.Func(), &x.tracked.facts[i]
	if fn.Observed == nil {
		fn.Observed = map[uint64]ir.Observed{}
	}
	o := ir.Observed{Refs: [2]ir.Ref{x.exec}}
	if f.isFlat && f.flies {
		o.Address = x.vreg(f.flat + 1)
	}
	shifted := func(u use) bool { return u.shift != shiftNone }
	if slices.ContainsFunc(f.reads, shifted) || slices.ContainsFunc(f.writes, shifted) {
		o.Refs[1] = x.sreg(RegM0, 1)
	}
	fn.Observed[imm] = o
}

// readShadows lets the operations from number start on read the shadows of the instruction in place
// of the registers.
func (x *lifter) readShadows(i, start int) {
	if x.tracked == nil {
		return
	}
	fn := x.b.Func()
	for _, s := range x.tracked.facts[i].shadows {
		first, _, ok := x.tracked.at(s.lo)
		last, size, _ := x.tracked.at(s.lo + s.n - 1)
		if !ok {
			continue
		}
		moved := map[ir.Ref]ir.Ref{}
		reads := x.tracked.rules[s.rule].reads
		swap := func(r *ir.Ref) {
			v := *fn.Val(*r)
			if *r == 0 || v.Kind != ir.Guest || v.Off < first || v.Off+v.Size(64) > last+size || reads == readsBits && v.Type == ir.B1 {
				return
			}
			if moved[*r] == 0 {
				moved[*r] = x.b.View("", v.Type, v.Scalar, s.off+v.Off-first)
			}
			*r = moved[*r]
		}
		for k := start; k < len(fn.Code); k++ {
			in := &fn.Code[k]
			if reads == readsMoved {
				if in.Op == ir.DPPRead {
					swap(&in.Args[0])
				}
				continue
			}
			for a := range in.Args {
				swap(&in.Args[a])
			}
			swap(&in.Guard)
		}
	}
}
