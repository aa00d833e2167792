package jit

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"crosslane/internal/engine/interp"
	"crosslane/internal/ir"
	"crosslane/internal/jit/sel"
	"crosslane/internal/jit/shape"
	"crosslane/internal/jit/ssa"
	"crosslane/internal/jit/x64"
	"crosslane/internal/sim"
	"crosslane/lane"
)

// life is what the engine knows of where a wave's values are.
type life struct {
	fresh bool // nothing has run yet in this block of the grid
	valid bool // the values are in their registers and slots, not in their homes
	// landing is the block, plus 1, at whose end all lanes of the wave that run now have
	// waited: what the operation there has written is in its home, and land is where code
	// goes on that fetches it.
	landing int
	land    uint64
	waited  lane.Mask
	wrote   lane.Mask // the lanes that the operation acted for
}

// word is a control word of the frame.
func (p *native) word(w *sim.Wave, off int32) *uint64 {
	return (*uint64)(unsafe.Add(w.Base, int(p.lay.Control+off)))
}

func (p *native) pend(w *sim.Wave, b int) *lane.Mask {
	return (*lane.Mask)(unsafe.Add(w.Base, int(p.lay.Pend)+8*b))
}

// begin prepares the control words for a block.
func (p *native) begin(w *sim.Wave) {
	for b := range p.blocks {
		*p.pend(w, b) = 0
	}
	if len(w.Shared) > 0 {
		*p.word(w, sel.CtlShared) = uint64(uintptr(unsafe.Pointer(&w.Shared[0])))
	}
	for i := range 5 {
		n := uint64(0)
		if size := uint64(1) << i; uint64(len(w.Shared)) >= size {
			n = uint64(len(w.Shared)) - size + 1
		}
		*p.word(w, sel.CtlSharedEnd+8*int32(i)) = n
	}
}

// may reports whether machine code can run the wave as it is.
func (p *native) may(w *sim.Wave, s *life) bool {
	switch { // the launch is one for machine code: see interpreted
	case w.Watch:
		return false
	case w.Fragments() == 0 && w.Parked() == 0:
		return p.mask.Together(w.PC, nil, nil)
	case w.Parked() != 0 || p.sel.Alone && !s.valid:
		return false
	}
	var places []int
	if !w.EachFragment(func(pc int, _ lane.Mask) { places = append(places, pc) }) {
		return false
	}
	return p.mask.Together(w.PC, places, nil)
}

// run executes the wave's running fragment; see sim.Program.
func (p *native) run(k *Kernel, w *sim.Wave, base *interp.Program) sim.Stop {
	s := &w.Engine.(*state).life
	if !p.may(w, s) {
		p.leave(w, s)
		return base.Run(w)
	}
	entry := uint64(0)
	switch {
	case s.fresh && w.PC == 0:
		p.begin(w)
		entry = p.address(k, p.sel.Entry)
	case s.valid && s.landing > 0 && w.PC == s.landing && w.Active == s.waited:
		entry = s.land
	default:
		if s.valid && s.landing > 0 {
			p.leave(w, s)
		}
		if !s.valid {
			p.fill(w)
		}
		entry = p.address(k, p.sel.Blocks[w.PC])
	}
	s.fresh, s.valid, s.landing = false, true, 0
	for {
		p.importFragments(w)
		exit := p.enter(k, w, entry)
		w.PC = exit.Block
		switch exit.Kind {
		case sel.ExitCall:
			m := p.writeMask(w, exit.Inst)
			in := &w.Func.Code[exit.Inst]
			if !base.Exec(w, exit.Inst, m) {
				p.exportFragments(w)
				return sim.StopFault
			}
			p.refill(w, in, exit.Inst)
			entry = *p.word(w, sel.CtlEntry)
		case sel.ExitEnd:
			p.exportFragments(w)
			wrote := p.writeMask(w, p.ends[exit.Block])
			active, next := w.Active, exit.Block+1
			stop, goes := base.End(w, exit.Block)
			if !goes {
				if (stop == sim.StopMeet || stop == sim.StopBar) && w.Active == 0 {
					s.landing, s.land, s.waited, s.wrote = next, *p.word(w, sel.CtlEntry), active, wrote
				}
				if stop == sim.StopLimit || stop == sim.StopBudget { // it went on, and stops in front of the next block
					return p.stopBehind(w, s, stop, exit.Block, wrote)
				}
				return stop
			}
			if w.PC == next {
				entry = *p.word(w, sel.CtlEntry)
			} else {
				entry = p.address(k, p.sel.Blocks[w.PC])
			}
		case sel.ExitAside:
			return p.aside(w, s, exit, base)
		case sel.ExitBudget:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopBudget
		case sel.ExitSplit:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopDiverge
		case sel.ExitPend:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopLimit
		}
	}
}

// aside runs a block from some operation on, and what comes behind it, in the interpreter.
func (p *native) aside(w *sim.Wave, s *life, exit *sel.Exit, base *interp.Program) sim.Stop {
	live := p.ssa.NewSet()
	p.ssa.Backward(exit.Block, live, func(i int, after *ssa.Set) {
		if i != exit.Inst {
			return
		}
		before := p.ssa.NewSet()
		after.All(func(web ssa.Web) bool { before.Add(web); return true })
		p.ssa.Before(i, before)
		for _, r := range p.regs.LiveAt(exit.At) {
			if o := &p.sel.Owners[r-x64.Virtual]; o.Web != 0 && before.Has(o.Web) {
				p.home(w, r, o, w.Active)
				before.Remove(o.Web)
			}
		}
		before.All(func(web ssa.Web) bool { // the code knows what these hold
			if k := p.sel.Known(web); k.Kind == shape.Affine && k.Known {
				for i := range w.Active.Lanes() {
					w.Set(p.ssa.Webs[web].Ref, i, k.Base+uint64(i)*k.Stride)
				}
			}
			return true
		})
	})
	p.exportFragments(w)
	w.AllFragments(func(pc int, lanes lane.Mask) {
		for _, r := range p.liveAt(pc).webs {
			p.home(w, r, &p.sel.Owners[r-x64.Virtual], lanes)
		}
		p.homeKnown(w, pc, s, lanes)
	})
	s.valid, s.landing = false, 0
	last := p.ends[exit.Block]
	ends := w.Func.Code[last].Op.EndsBlock()
	for i := exit.Inst; i < last || i == last && !ends; i++ {
		if !base.Exec(w, i, p.writeMask(w, i)) {
			return sim.StopFault
		}
	}
	stop, goes := base.End(w, exit.Block)
	if goes {
		return base.Run(w)
	}
	return stop
}

// stopBehind is called when the operation at the end of block b is done and the wave
// stops behind it: what it wrote is in its home and must be fetched before anything else.
func (p *native) stopBehind(w *sim.Wave, s *life, stop sim.Stop, b int, wrote lane.Mask) sim.Stop {
	s.landing, s.land, s.waited, s.wrote = b+1, *p.word(w, sel.CtlEntry), w.Active, wrote
	if w.PC != b+1 {
		s.landing = 0 // a branch, which writes nothing
	}
	return stop
}

func (p *native) address(k *Kernel, l x64.Label) uint64 {
	return uint64(k.code.Addr()) + uint64(p.labels[l])
}

// enter runs machine code from an address on and accounts for what it did.
func (p *native) enter(k *Kernel, w *sim.Wave, entry uint64) *sel.Exit {
	const start = math.MaxUint32
	*p.word(w, sel.CtlEntry) = entry
	*p.word(w, sel.CtlLanes), *p.word(w, sel.CtlLast), *p.word(w, sel.CtlChanged) = 0, start, 0
	counter, active := p.word(w, sel.CtlGPR+8*int32(sel.Counter.Num())), p.word(w, sel.CtlGPR+8*int32(sel.Active.Num()))
	*p.word(w, sel.CtlOpen) = 0
	if !w.Calm() {
		*p.word(w, sel.CtlOpen) = 1
	}
	*counter = uint64(int64(w.Budget-1))<<32 | start
	*active = uint64(w.Active)
	clock := w.Clock + start
	*p.word(w, sel.CtlClock) = clock
	k.code.Call(uint32(p.labels[p.sel.Enter]), w.Base)
	left := uint32(*counter)
	running := lane.Mask(*active)
	counted := running
	if w.Func.Exec != 0 {
		running, counted = w.Active, w.Mask(w.Func.Exec)
	}
	lanes := *p.word(w, sel.CtlLanes) + uint64(uint32(*p.word(w, sel.CtlLast))-left)*uint64(counted.Count())
	w.Active = running
	w.Ran(uint64(start-left), lanes, int(int32(*counter>>32))+1)
	w.Clock += *p.word(w, sel.CtlClock) - clock // what reading it adds
	if *p.word(w, sel.CtlChanged) != 0 {
		w.Changes++
	}
	return &p.sel.Exits[uint32(*p.word(w, sel.CtlExit))]
}

// writeMask is the lanes that operation i acts for.
func (p *native) writeMask(w *sim.Wave, i int) lane.Mask {
	in := &w.Func.Code[i]
	m := w.Active
	if in.Guard != 0 {
		g := w.Mask(in.Guard)
		if in.GuardNot {
			g ^= lane.All(p.lanes)
		}
		m &= g
	}
	return m
}

// importFragments makes the wave's other fragments pending masks.
func (p *native) importFragments(w *sim.Wave) {
	if w.Fragments() == 0 {
		return
	}
	w.TakeFragments(func(pc int, lanes lane.Mask) { *p.pend(w, pc) |= lanes })
}

// exportFragments makes pending masks fragments. Those at the running fragment's place are
// part of it.
func (p *native) exportFragments(w *sim.Wave) {
	w.Limit, w.StopBack = math.MaxInt, false
	for b := range p.blocks {
		m := *p.pend(w, b)
		if m == 0 {
			continue
		}
		*p.pend(w, b) = 0
		w.AddFragment(b, m)
		if b > w.PC {
			w.Limit = min(w.Limit, b)
		} else {
			w.StopBack = true
		}
	}
}

// refill makes the region cache of the access that the interpreter has just done fit its
// memory.
func (p *native) refill(w *sim.Wave, in *ir.Inst, i int) {
	if in.Op != ir.Load && in.Op != ir.Store && in.Op != ir.Atomic {
		return
	}
	a := p.access(i)
	if a == nil {
		return
	}
	size := uint64(in.Size)
	r := w.Region(in, size)
	if in.Op != ir.Load {
		r = w.RegionForStore(in, size)
	}
	if !w.Lasting() {
		return
	}
	c := (*[4]uint64)(unsafe.Add(w.Base, int(a.Cache)))
	if r.Ptr == nil || r.Max+size < a.Before+a.Span || w.Func.NewObserver != nil && in.Space == ir.Generic && r.Lo&ir.WindowMask != 0 {
		*c = [4]uint64{}
		return
	}
	others := uint64(1)
	if r.Private {
		others = 0
	}
	// The first lane's address may lie from Before bytes above the start to Span bytes
	// below the end.
	*c = [4]uint64{r.Lo + a.Before, r.Max + size - a.Span - a.Before + 1, uint64(uintptr(r.Ptr)) + a.Before, others}
}

// access finds the region cache of operation i.
func (p *native) access(i int) *sel.Access {
	list := p.sel.Accesses
	lo, hi := 0, len(list)
	for lo < hi {
		if m := (lo + hi) / 2; list[m].Inst < i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(list) && list[lo].Inst == i {
		return &list[lo]
	}
	return nil
}

// eachPlace calls f for the lanes of the wave by place.
func (p *native) eachPlace(w *sim.Wave, f func(pc int, lanes lane.Mask)) {
	f(w.PC, w.Active)
	w.AllFragments(f)
	w.EachParked(func(pc int, lanes lane.Mask) { f(pc+1, lanes) })
}

// leave puts all values in their homes, for the interpreter to go on.
func (p *native) leave(w *sim.Wave, s *life) {
	s.fresh = false
	if !s.valid {
		return
	}
	s.valid = false
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks {
			return
		}
		for _, r := range p.liveAt(pc).webs {
			o := &p.sel.Owners[r-x64.Virtual]
			lanes := lanes
			if s.landing > 0 && pc == s.landing && p.writes(s.landing-1, o.Web) {
				lanes &^= s.wrote // theirs is there already
			}
			p.home(w, r, o, lanes)
		}
		p.homeKnown(w, pc, s, lanes)
	})
	s.landing = 0
}

// homeKnown puts what the code knows without a register in its home, for lanes at the start
// of a block.
func (p *native) homeKnown(w *sim.Wave, pc int, s *life, lanes lane.Mask) {
	for _, k := range p.liveAt(pc).known {
		lanes := lanes
		if s.landing > 0 && pc == s.landing && p.writes(s.landing-1, k.web) {
			lanes &^= s.waited
		}
		ref := p.ssa.Webs[k.web].Ref
		if w.Func.Values[ref].Scalar {
			w.Set(ref, 0, k.base)
			continue
		}
		for i := range lanes.Lanes() {
			w.Set(ref, i, k.base+uint64(i)*k.stride)
		}
	}
}

// writes reports whether the operation at the end of block b writes a web.
func (p *native) writes(b int, web ssa.Web) bool {
	ops := &p.ssa.Ops[p.ends[b]]
	if ops.Dst == web || ops.Dst2 == web {
		return true
	}
	if ops.Ext > 0 {
		for _, d := range p.ssa.Ext[ops.Ext-1].Defs {
			if d == web {
				return true
			}
		}
	}
	return false
}

// place is where a virtual register is in the saved state.
func (p *native) place(w *sim.Wave, r x64.Reg) unsafe.Pointer {
	at := p.regs.Place(r)
	if at.Reg == 0 {
		return unsafe.Add(w.Base, int(at.Slot))
	}
	off := p.lay.Control
	switch x64.ClassOf(at.Reg) {
	case x64.GPR:
		off += sel.CtlGPR + 8*int32(at.Reg.Num())
	case x64.Vec:
		off += sel.CtlVec + 64*int32(at.Reg.Num())
	default:
		off += sel.CtlMask + 8*int32(at.Reg.Num())
	}
	return unsafe.Add(w.Base, int(off))
}

// A there is the virtual registers that hold something at the start of a block. A web may
// have several forms, of which only those that are still needed are there.
type there struct {
	all  []x64.Reg
	webs []x64.Reg // of all, those of webs that the lanes there need; others hold what lanes elsewhere do
	// known are webs that are needed there and have no register, for the code knows what
	// they hold.
	known []knownWeb
}

type knownWeb struct {
	web          ssa.Web
	base, stride uint64
}

// liveAt is what is there at the start of a block.
func (p *native) liveAt(pc int) *there {
	if l := p.live[pc].Load(); l != nil {
		return l
	}
	l := &there{all: p.regs.LiveAt(p.sel.BlockAt[pc])}
	for _, r := range l.all {
		if w := p.sel.Owners[r-x64.Virtual].Web; w != 0 && slices.Contains(p.ssa.LiveIn[pc], w) {
			l.webs = append(l.webs, r)
		}
	}
	for _, w := range p.ssa.LiveIn[pc] {
		has := func(r x64.Reg) bool { return p.sel.Owners[r-x64.Virtual].Web == w }
		if k := p.sel.Known(w); k.Kind == shape.Affine && k.Known && !slices.ContainsFunc(l.webs, has) {
			l.known = append(l.known, knownWeb{w, k.Base, k.Stride})
		}
	}
	p.live[pc].Store(l)
	return l
}

// home writes a form of a web to the web's home for some lanes.
func (p *native) home(w *sim.Wave, r x64.Reg, o *sel.Owner, lanes lane.Mask) {
	ref := p.ssa.Webs[o.Web].Ref
	v := &w.Func.Values[ref]
	at := p.place(w, r)
	switch o.Kind {
	case sel.Lanes:
		m := *(*lane.Mask)(at)
		if p.lanes == 32 {
			m = lane.Mask(uint32(m))
		}
		w.SetMask(ref, w.Mask(ref)&^lanes|m&lanes)
	case sel.Unit:
		n := p.unitLanes(v)
		first := int(o.Unit) * n
		for i := range n {
			if lanes.Has(first + i) {
				w.Set(ref, first+i, canonical(o, v, element(at, v, i)))
			}
		}
	case sel.Splat, sel.Single, sel.Base:
		x := canonical(o, v, element(at, v, 0))
		if v.Scalar {
			w.Set(ref, 0, x)
			return
		}
		for i := range lanes.Lanes() {
			w.Set(ref, i, x+uint64(i)*o.Stride)
		}
	}
}

// canonical is a value with the NaN that a raw one stands for.
func canonical(o *sel.Owner, v *ir.Value, x uint64) uint64 {
	if !o.Raw {
		return x
	}
	if v.Type == ir.B32 && x<<33>>33 > 0x7f800000 {
		return 0x7fffffff
	}
	return x
}

// element is element i of a value whose lanes are at p.
func element(p unsafe.Pointer, v *ir.Value, i int) uint64 {
	u := ir.Value{Type: v.Type}
	if v.Type == ir.B1 {
		return uint64(*(*uint32)(p) & 1)
	}
	return sim.Element(&u, p, i)
}

// unitLanes is how many lanes of a value a vector register holds.
func (p *native) unitLanes(v *ir.Value) int {
	return min(p.lanes, int(p.sel.Width)/int(v.Type.Bytes()))
}

// fill makes the saved state from the homes, for all places of the wave.
func (p *native) fill(w *sim.Wave) {
	p.begin(w)
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks || lanes == 0 {
			return
		}
		for _, r := range p.liveAt(pc).all {
			if o := &p.sel.Owners[r-x64.Virtual]; o.Web != 0 {
				p.fetch(w, r, o, lanes)
			} else {
				p.constant(w, r)
			}
		}
	})
}

// constant puts a constant in its register.
func (p *native) constant(w *sim.Wave, r x64.Reg) {
	c := p.sel.LIR.VRegs[r-x64.Virtual].Const
	if c == 0 || p.regs.Place(r).Reg == 0 {
		return
	}
	k := &p.sel.LIR.Pool[c-1]
	dst := unsafe.Slice((*byte)(p.place(w, r)), max(int(k.Len), 8))
	for i := range int(k.Len) {
		if k.Size == 0 {
			dst[i] = k.Data[i]
		} else {
			dst[i] = byte(k.Bits >> (8 * (i % int(k.Size))))
		}
	}
}

// fetch reads a form of a web from its home for some lanes, of which there is one.
func (p *native) fetch(w *sim.Wave, r x64.Reg, o *sel.Owner, lanes lane.Mask) {
	ref := p.ssa.Webs[o.Web].Ref
	v := &w.Func.Values[ref]
	at := p.place(w, r)
	first := bits.TrailingZeros64(uint64(lanes))
	switch o.Kind {
	case sel.Lanes:
		m := (*lane.Mask)(at)
		*m = *m&^lanes | w.Mask(ref)&lanes
	case sel.Unit:
		n := p.unitLanes(v)
		for i := range n {
			if l := int(o.Unit)*n + i; lanes.Has(l) {
				put(at, v, i, w.Get(ref, l))
			}
		}
	case sel.Single:
		put(at, v, 0, w.Get(ref, first))
	case sel.Base:
		put(at, v, 0, w.Get(ref, first)-uint64(first)*o.Stride)
	case sel.Splat:
		x := w.Get(ref, first)
		for i := range int(p.sel.Width) / int(v.Type.Bytes()) {
			put(at, v, i, x)
		}
	}
}

func put(p unsafe.Pointer, v *ir.Value, i int, x uint64) {
	switch v.Type {
	case ir.B8:
		*(*uint8)(unsafe.Add(p, i)) = uint8(x)
	case ir.B16:
		*(*uint16)(unsafe.Add(p, 2*i)) = uint16(x)
	case ir.B64:
		*(*uint64)(unsafe.Add(p, 8*i)) = x
	default:
		*(*uint32)(unsafe.Add(p, 4*i)) = uint32(x)
	}
}
