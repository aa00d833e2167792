package hazard

import (
	"slices"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/ir"
)

// observing is the tracker of a function that is being lifted.
type observing struct {
	x         amdgpu.Lifting
	b         *ir.Builder
	p         *tracking
	overtaken map[int]bool // stores whose data the next instruction overwrites first
}

// Track decides which instructions a run has to observe, and how. If all paths wait for everything,
// it observes none and returns nil. It is a value for LiftOptions.Track.
func Track(x amdgpu.Lifting) amdgpu.Tracker {
	code, insts := x.Code(), x.Program().Insts
	p := newTracking(code, insts, x.Indexing)
	o := &observing{x: x, b: x.Builder(), p: p}
	g := x.Program().PlainGraph(code.Entry)
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
		return nil
	}
	p.late, p.light = x.Late(), !all
	p.sgpr, p.vgpr = x.Files()
	for i := range p.facts {
		f := &p.facts[i]
		flat := f.flies && insts[i].In.Row.Unit == amdgpu.UnitFlat
		// Every instruction counts as a wait state.
		f.watch = p.rests || all && (bad[i].flight || p.barriers[int32(i)] || f.waits || f.class != numClasses) || bad[i].flat || flat || f.waits && f.leave[flyFlat.field()] == 0
		if p.late {
			o.reserve(i, bad[i].rules)
			if bad[i].rules != 0 && p.overwrites(i) {
				if o.overtaken == nil {
					o.overtaken = map[int]bool{}
				}
				o.overtaken[i-1] = true
			}
		}
	}
	o.b.Func().NewObserver = func() ir.Observer { return &tracker{p: p} }
	return o
}

// Overtaken implements Tracker.
func (o *observing) Overtaken(i int) bool { return o.overtaken[i] }

// overwrites reports whether an instruction overwrites the data of a wide store directly before it,
// and nothing else that the store reads.
func (p *tracking) overwrites(i int) bool {
	if i == 0 || p.insts[i-1].Next != p.insts[i].Off {
		return false
	}
	store, f := &p.facts[i-1], &p.facts[i]
	data := store.left[amdgpu.TrailStore]
	if len(data) == 0 || f.shifts() {
		return false
	}
	over := false
	for _, w := range f.writes {
		for _, s := range data {
			over = over || w.Overlaps(s)
		}
		for _, r := range store.reads {
			if w.Overlaps(r.RegRun) && !slices.Contains(data, r.RegRun) {
				return false
			}
		}
	}
	return over && !slices.ContainsFunc(f.writes, func(w use) bool { return w.Overlaps(amdgpu.Run(amdgpu.RegEXEC, 2)) })
}

// reserve reserves memory for the registers that the instruction reads too soon.
func (o *observing) reserve(i int, rules uint32) {
	p := o.p
	f := &p.facts[i]
	for _, u := range f.rules {
		r, uses := u.rule, u.uses
		rule := &p.rules[r]
		if rules>>r&1 == 0 || rule.After == amdgpu.TrailStore {
			continue
		}
		for _, s := range uses {
			size := uint32(4)
			switch {
			case s.Lo >= amdgpu.RegHW0:
				if s.Lo != amdgpu.RegHW0+amdgpu.HWRegMode || amdgpu.SetsHWReg(&p.insts[i].In) {
					continue // the manual does not specify the effect of s_setreg on a value that another instruction wrote
				}
				p.mode = o.b.Func().Val(o.x.Mode()).Off
			case s.Lo >= amdgpu.RegVGPR0:
				size = p.chip.RowBytes()
			}
			f.shadows = append(f.shadows, shadow{s, r, o.b.Reserve(size * uint32(s.N))})
		}
	}
}

// Observe implements Tracker.
func (o *observing) Observe(i int, after bool) {
	f := &o.p.facts[i]
	if !f.watch || after && (!o.p.late || !f.flies) {
		return
	}
	o.b.Guard(0, false)
	imm := uint64(i) << 1
	if after {
		imm |= 1
	}
	o.b.Emit(ir.Inst{Op: ir.Observe, Scalar: true, Imm: imm})
	if o.p.late {
		return
	}
	fn := o.b.Func()
	if fn.Observed == nil {
		fn.Observed = map[uint64]ir.Observed{}
	}
	seen := ir.Observed{Refs: [2]ir.Ref{o.x.Exec()}}
	if f.isFlat && f.flies {
		seen.Address = o.x.VGPR(f.flat + 1)
	}
	shifted := func(u use) bool { return u.shift != shiftNone }
	if slices.ContainsFunc(f.reads, shifted) || slices.ContainsFunc(f.writes, shifted) {
		seen.Refs[1] = o.x.SGPR(amdgpu.RegM0, 1)
	}
	fn.Observed[imm] = seen
}

// Lifted implements Tracker: the operations from number start on read the shadows of the
// instruction in place of the registers.
func (o *observing) Lifted(i, start int) {
	fn := o.b.Func()
	for _, s := range o.p.facts[i].shadows {
		first, _, ok := o.p.at(s.Lo)
		last, size, _ := o.p.at(s.Lo + s.N - 1)
		if !ok {
			continue
		}
		moved := map[ir.Ref]ir.Ref{}
		reads := o.p.rules[s.rule].Reads
		swap := func(r *ir.Ref) {
			v := *fn.Val(*r)
			if *r == 0 || v.Kind != ir.Guest || v.Off < first || v.Off+v.Size(o.p.chip.WaveSize) > last+size || reads == amdgpu.ReadsBits && v.Type == ir.B1 {
				return
			}
			if moved[*r] == 0 {
				moved[*r] = o.b.View("", v.Type, v.Scalar, s.off+v.Off-first)
			}
			*r = moved[*r]
		}
		for k := start; k < len(fn.Code); k++ {
			in := &fn.Code[k]
			if reads == amdgpu.ReadsMoved {
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
