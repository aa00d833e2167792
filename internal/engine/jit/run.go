package jit

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// life is the engine's record of the places of a wave's values.
//
// Input: a running fragment of a wave, at the start of a block.
// Output: a sim.Stop, with the wave's fragments, masks and counts as the interpreter would leave them.
// Invariant: if valid, the saved registers and slots hold the values, except the results at a landing and webs that
// live in frame slots; other frame slots may be stale. If not valid, the frame slots hold the values.
// Example: code waits in a shuffle for other lanes (ExitEnd). The values stay in registers, and landing names
// the block after it. If the lanes meet, the code continues at land. If the interpreter must run instead,
// exitAll writes the frame slots first.
type life struct {
	fresh bool // nothing has run yet in this block of the grid
	left  bool // the running fragment has exited the code, and the exit has not been handled yet
	valid bool // the values are in their registers and slots, and frame slots may be stale
	// landing is the block, plus 1, at the end of which all running lanes of the wave have waited; 0: none. The
	// operation there has written its results to their frame slots, and the code at land reads them from there.
	landing int
	land    uint64
	waited  lane.Mask
	// came are the lanes that came to that operation. Its results are in their frame slots for all of these
	// lanes, also for lanes on which it has not acted, because the code stores the old values before the exit.
	// The registers may not hold the results any more, because the code at land loads them again.
	came lane.Mask
}

// word returns a control word of the frame.
func (p *native) word(w *sim.Wave, off int32) *uint64 {
	return (*uint64)(unsafe.Add(w.Base, int(p.lay.Control+off)))
}

// pend returns the pending mask of block b.
func (p *native) pend(w *sim.Wave, b int) *lane.Mask {
	return (*lane.Mask)(unsafe.Add(w.Base, int(p.lay.Pend)+8*b))
}

// begin prepares the control words for a block of the grid.
func (p *native) begin(w *sim.Wave) {
	*p.word(w, abi.CtlInitial) = uint64(w.Initial)
	for _, b := range p.pends {
		*p.pend(w, int(b)) = 0
	}
	*p.word(w, abi.CtlNext), *p.word(w, abi.CtlRow) = 0, 0
	s := w.Engine.(*state)
	if s.given && s.shared == unsafe.SliceData(w.Shared) {
		return // the same waves run all blocks of a launch
	}
	s.given, s.shared = true, unsafe.SliceData(w.Shared)
	for _, off := range p.nears {
		p.forget(w, off)
	}
	if len(w.Shared) > 0 {
		*p.word(w, abi.CtlShared) = uint64(uintptr(unsafe.Pointer(&w.Shared[0])))
	}
	p.bounds(w, abi.CtlSharedEnd, uint64(len(w.Shared)))
	if l := w.LocalLayout(); l.Ptr != nil && l.Step*uint64(p.lanes) <= math.MaxInt32 {
		*p.word(w, abi.CtlLocal) = uint64(uintptr(l.Ptr))
		p.bounds(w, abi.CtlLocalEnd, l.Static)
		for i := range uint64(p.lanes) {
			*(*uint32)(unsafe.Add(unsafe.Pointer(p.word(w, abi.CtlLocalOffsets)), 4*i)) = uint32(i * l.Step)
		}
	}
	*p.word(w, abi.CtlCrowd) = 1
	if w.Alone() {
		*p.word(w, abi.CtlCrowd) = 0
	}
	for i := range p.accesses {
		if in := &w.Func.Code[p.accesses[i].Inst]; in.Space == ir.Param && in.Op == ir.Load {
			p.refill(w, in, p.accesses[i].Inst) // the address of parameters is known before the first access
		}
	}
}

// bounds fills five words from off on: for accesses of 1, 2, 4, 8 and 16 bytes, the first offset in a memory of
// n bytes that is too large.
func (p *native) bounds(w *sim.Wave, off int32, n uint64) {
	for i := range 5 {
		end := uint64(0)
		if size := uint64(1) << i; n >= size {
			end = n - size + 1
		}
		*p.word(w, off+8*int32(i)) = end
	}
}

// stack writes the current extent of the lanes' stacks to the control words.
func (p *native) stack(w *sim.Wave) {
	if !w.Func.Stack {
		return
	}
	if l := w.LocalLayout(); *p.word(w, abi.CtlLocal) != 0 {
		*p.word(w, abi.CtlStackLow) = l.Low
		p.bounds(w, abi.CtlStackEnd, l.Top-l.Low)
	}
}

// may reports whether the code can run the wave in its present state.
func (p *native) may(w *sim.Wave, s *life) bool {
	switch { // the launch is one for machine code: see interpreted
	case w.Watch, !p.mayBeGone(w):
		return false
	case w.Fragments() == 0 && w.Parked() == 0:
		return p.pairs.Together(w.PC, nil, nil)
	case w.Parked() != 0 || p.alone && !s.valid:
		return false
	}
	var places []int
	if !w.EachFragment(func(pc int, _ lane.Mask) { places = append(places, pc) }) {
		return false
	}
	return p.pairs.Together(w.PC, places, nil)
}

// mayBeGone reports whether the code may run although some lanes of the wave have exited. Lanes that do not
// spin may overtake lanes that do, and exit before them, where the analysis does not expect it.
func (p *native) mayBeGone(w *sim.Wave) bool {
	if p.gone == nil || w.Live == lane.All(p.lanes) {
		return true
	}
	ok := p.gone[w.PC]
	w.AllFragments(func(pc int, _ lane.Mask) { ok = ok && p.gone[pc] })
	return ok
}

// run executes the wave's running fragment; see sim.Program.
//
// Input: a wave, and its life.
// Output: the reason to stop. Each round of the loop enters the code and handles one exit.
// Invariant: before enter, all fragments are pending masks; before a return to sim, they are fragments again.
// Example: ExitCall executes one operation in the interpreter, then the code continues after it.
func (p *native) run(k *Kernel, w *sim.Wave, base *interp.Program) sim.Stop {
	s := &w.Engine.(*state).life
	entry := uint64(0)
	left := s.left
	s.left = false
	if left {
		// RunBlock has exited the code for this fragment; the loop handles that exit.
	} else if !p.may(w, s) || p.interrupted(w, s) {
		p.exitAll(w, s)
		return base.Run(w)
	}
	switch {
	case left:
	// The wave starts a block of the grid: its registers begin with the inputs.
	case s.fresh && w.PC == 0:
		p.begin(w)
		entry = p.address(k, p.entryAt)
	// All lanes that waited have met and go on together: the code continues where it stopped.
	case s.valid && s.landing > 0 && w.PC == s.landing && w.Active == s.waited:
		entry = s.land
	default:
		// Only some of the lanes that waited go on, or elsewhere: the frame slots become
		// valid first.
		if s.valid && s.landing > 0 {
			p.exitAll(w, s)
		}
		if !s.valid {
			if !p.entryGuard(w) {
				return base.Run(w)
			}
			p.fillAll(w)
			p.scribbleSlots(w, 0)
		}
		entry = p.address(k, p.blockAt[w.PC])
	}
	s.fresh, s.valid, s.landing = false, true, 0
	for {
		if !left {
			p.importFragments(w)
			p.enter(k, w, entry)
		}
		left = false
		exit := p.exited(w)
		w.PC = exit.Block
		if exit.Kind != abi.ExitDeopt { // values that the operation reads
			p.writeSlots(w, exit.State, lane.All(p.lanes))
		}
		switch exit.Kind {
		// A call-out: the interpreter executes one operation.
		case abi.ExitCall:
			m := p.writeMask(w, exit.Inst)
			in := &w.Func.Code[exit.Inst]
			w.CalledOut(in)
			if !base.Exec(w, exit.Inst, m) {
				p.exportFragments(w)
				return sim.StopFault
			}
			p.refill(w, in, exit.Inst)
			entry = *p.word(w, abi.CtlEntry)
		// The operation that ends the block is executed by the interpreter.
		case abi.ExitEnd:
			p.exportFragments(w)
			w.CalledOut(&w.Func.Code[p.ends[exit.Block]])
			active, next := w.Active, exit.Block+1
			stop, goes := base.End(w, exit.Block)
			if goes {
				p.refill(w, &w.Func.Code[p.ends[exit.Block]], p.ends[exit.Block])
			}
			if !goes {
				if (stop == sim.StopMeet || stop == sim.StopBar) && w.Active == 0 {
					s.landing, s.land, s.waited, s.came = next, *p.word(w, abi.CtlEntry), active, active
				}
				if stop == sim.StopLimit || stop == sim.StopBudget { // the wave went on, and stops before the next block
					return p.stopBehind(w, s, stop, exit.Block, active)
				}
				return stop
			}
			if w.PC == next {
				entry = *p.word(w, abi.CtlEntry)
			} else {
				entry = p.address(k, p.blockAt[w.PC])
			}
		// The lanes have exited.
		case abi.ExitDone:
			w.PC++
			if w.Func.Exec != 0 {
				w.Exit(w.Live)
			} else {
				w.Exit(w.Active)
			}
			return sim.StopExit
		// The wave waits at a barrier.
		case abi.ExitBar:
			active := w.Active
			w.Wait(&w.Func.Code[exit.Inst], active)
			p.constants(w, exit.Block+1)
			s.landing, s.land, s.waited, s.came = exit.Block+1, p.address(k, exit.LandAt), active, active
			return sim.StopBar
		// A run-time check failed.
		case abi.ExitDeopt:
			return p.deoptimise(w, s, exit, base)
		// The time slice is used up.
		case abi.ExitBudget:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopBudget
		// The time slice is used up, and the lanes diverged just before.
		case abi.ExitSplit:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopDiverge
		// Lanes may be pending before block To; package sim selects the next fragment.
		case abi.ExitPend:
			w.PC = exit.To
			p.exportFragments(w)
			return sim.StopLimit
		}
	}
}

// deoptimise exits to the interpreter before operation exit.Inst: it writes the frame slots from the frame
// state, repeats operations (abi.Repeat), and runs the rest of the block. The interpreter then runs the fragment until it
// stops.
func (p *native) deoptimise(w *sim.Wave, s *life, exit *abi.Exit, base *interp.Program) sim.Stop {
	p.scribbleSlots(w, 0)
	p.writeSlots(w, exit.State, w.Active)
	p.exportFragments(w)
	w.AllFragments(func(pc int, lanes lane.Mask) {
		p.writeSlots(w, p.states[pc], lanes)
	})
	s.valid, s.landing = false, 0
	for _, x := range p.of(exit.State) {
		if r := &p.recipes[x]; r.Kind == abi.Repeat {
			base.Exec(w, int(r.Inst), p.writeMask(w, int(r.Inst))) // a pure operation, which never faults
		}
	}
	last := p.ends[exit.Block]
	ends := w.Func.Code[last].Op.EndsBlock()
	for i := exit.Inst; i < last || i == last && !ends; i++ {
		if n := base.Tally(i); n > 0 {
			w.Count(n, w.Mask(w.Func.Exec))
		}
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

// stopBehind records a stop after the operation at the end of block b. Its results are in their frame slots,
// for lanes came, and the code must load them when it continues.
func (p *native) stopBehind(w *sim.Wave, s *life, stop sim.Stop, b int, came lane.Mask) sim.Stop {
	s.landing, s.land, s.waited, s.came = b+1, *p.word(w, abi.CtlEntry), w.Active, came
	if w.PC != b+1 {
		s.landing = 0 // a branch, which writes no value
	}
	return stop
}

// address returns the address of the code at an offset.
func (p *native) address(k *Kernel, at uint32) uint64 {
	return uint64(k.code.Addr()) + uint64(at)
}

// start is the low half of Counter when Go enters: instructions count down from it.
const start = math.MaxUint32

// enter runs machine code from an address on.
func (p *native) enter(k *Kernel, w *sim.Wave, entry uint64) {
	p.stack(w)
	*p.word(w, abi.CtlEntry) = entry
	*p.word(w, abi.CtlLanes), *p.word(w, abi.CtlLast), *p.word(w, abi.CtlChanged) = 0, start, 0
	counter, active := p.word(w, abi.CtlGPR+8*int32(abi.Counter.Num())), p.word(w, abi.CtlGPR+8*int32(abi.Active.Num()))
	*p.word(w, abi.CtlOpen) = 0
	if !w.Calm() {
		*p.word(w, abi.CtlOpen) = 1
	}
	*p.word(w, abi.CtlTurn), *p.word(w, abi.CtlFirst) = uint64(uintptr(w.Base)), 0
	*counter = uint64(int64(w.Budget-1))<<32 | start
	*active = uint64(w.Active)
	*p.word(w, abi.CtlLive) = uint64(w.Live)
	*p.word(w, abi.CtlClock) = w.Clock + start
	k.code.Call(p.enterAt, w.Base)
}

// exited accounts for the instructions that machine code ran, and returns the exit it took.
func (p *native) exited(w *sim.Wave) *abi.Exit {
	counter, active := p.word(w, abi.CtlGPR+8*int32(abi.Counter.Num())), p.word(w, abi.CtlGPR+8*int32(abi.Active.Num()))
	clock := w.Clock + start
	left := uint32(*counter)
	running := lane.Mask(*active)
	counted := running
	if w.Func.Exec != 0 {
		running, counted = w.Active, w.Mask(w.Func.Exec)
	}
	lanes := *p.word(w, abi.CtlLanes) + uint64(uint32(*p.word(w, abi.CtlLast))-left)*uint64(counted.Count())
	w.Active = running
	w.Ran(uint64(start-left), lanes, int(int32(*counter>>32))+1)
	w.Native(uint64(start - left))
	w.Clock += *p.word(w, abi.CtlClock) - clock // reading the clock advances it
	if *p.word(w, abi.CtlChanged) != 0 {
		w.Changes++
	}
	return &p.exits[uint32(*p.word(w, abi.CtlExit))]
}

// writeMask returns the lanes on which operation i acts.
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

// importFragments turns the wave's other fragments into pending masks.
func (p *native) importFragments(w *sim.Wave) {
	if w.Fragments() == 0 {
		return
	}
	w.TakeFragments(func(pc int, lanes lane.Mask) { *p.pend(w, pc) |= lanes })
}

// exportFragments turns pending masks into fragments. A mask at the running fragment's place becomes part of
// that fragment.
func (p *native) exportFragments(w *sim.Wave) {
	w.Limit, w.StopBack = math.MaxInt, false
	for _, b := range p.pends {
		b := int(b)
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

// refill makes the region cache of an access describe the memory that the interpreter has just accessed.
func (p *native) refill(w *sim.Wave, in *ir.Inst, i int) {
	switch in.Op {
	case ir.Load, ir.Store, ir.Atomic, ir.Collective:
	default:
		return
	}
	a := p.access(i)
	if a == nil {
		return
	}
	size := uint64(in.Size)
	r := w.Region(in, size)
	if in.Op != ir.Load && !(in.Op == ir.Collective && len(w.Func.Collectives[in.Imm].Dst) > 0) {
		r = w.RegionForStore(in, size)
	}
	// Memory of the heap may be freed, so its region is not cached.
	if !w.Lasting() {
		return
	}
	c := (*[4]uint64)(unsafe.Add(w.Base, int(a.Cache)))
	if a.NearCache != 0 {
		p.forget(w, a.NearCache)
	}
	if r.Ptr == nil || r.Max+size < a.Before+a.Span || w.Func.NewObserver != nil && in.Space == ir.Generic && r.Lo&ir.WindowMask != 0 {
		*c = [4]uint64{}
		return
	}
	// The fourth word of the cache records whether other workers may see the memory.
	others := uint64(1)
	if r.Private {
		others = 0
	}
	// The first lane's address may lie from Before bytes above the start to Span bytes below the end.
	*c = [4]uint64{r.Lo + a.Before, r.Max + size - a.Span - a.Before + 1, uint64(uintptr(r.Ptr)) + a.Before, others}
	// The block's other waves will probably touch the same memory, so an empty cache of theirs gets it too.
	kernel := w.Engine.(*state).kernel
	for _, x := range w.Waves {
		if s, ok := x.Engine.(*state); ok && s.kernel == kernel && x != w {
			if o := (*[4]uint64)(unsafe.Add(x.Base, int(a.Cache))); o[abi.CacheCount/8] == 0 {
				*o = *c
			}
		}
	}
}

// forget invalidates the words that the code has derived from a region cache: no memory ends at the highest
// address, so the comparison with it fails.
func (p *native) forget(w *sim.Wave, off int32) {
	*(*[3]uint64)(unsafe.Add(w.Base, int(off))) = [3]uint64{math.MaxUint64}
}

// access returns the region cache of operation i by binary search; nil if it has none.
func (p *native) access(i int) *abi.Access {
	list := p.accesses
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

// eachPlace calls f for each place at which lanes of the wave are, with these lanes. Parked lanes count as
// being at the block after the one in which they wait.
func (p *native) eachPlace(w *sim.Wave, f func(pc int, lanes lane.Mask)) {
	f(w.PC, w.Active)
	w.AllFragments(f)
	w.EachParked(func(pc int, lanes lane.Mask) { f(pc+1, lanes) })
}

// exitAll writes all values to their frame slots, so that the interpreter can continue.
func (p *native) exitAll(w *sim.Wave, s *life) {
	s.fresh = false
	if !s.valid {
		return
	}
	s.valid = false
	p.scribbleSlots(w, s.landing)
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks || lanes == 0 {
			return // all lanes of this place wait elsewhere
		}
		var written []ir.Ref // slots that the operation before this place has written
		if s.landing > 0 && pc == s.landing {
			written = p.defs[s.landing-1]
		}
		for _, x := range p.of(p.states[pc]) {
			r, lanes := &p.recipes[x], lanes
			if slices.Contains(written, r.Ref) {
				lanes &^= s.came
			}
			p.writeSlot(w, r, lanes)
		}
	})
	s.landing = 0
}

// of returns the recipes of a state, as indices of recipes.
func (p *native) of(s abi.State) []int32 { return p.lists[s.From:s.To] }

// writeSlots writes the frame slots of a state for some lanes.
func (p *native) writeSlots(w *sim.Wave, s abi.State, lanes lane.Mask) {
	for _, x := range p.of(s) {
		p.writeSlot(w, &p.recipes[x], lanes)
	}
}

// writeSlot follows a recipe for some lanes. It is the inverse of fetch. Operations that are repeated come later;
// see deoptimise.
func (p *native) writeSlot(w *sim.Wave, r *recipe, lanes lane.Mask) {
	at := unsafe.Add(w.Base, int(r.at))
	x := r.Number
	switch r.Kind {
	case abi.Repeat:
		return
	case abi.Lanes:
		m := *(*lane.Mask)(at)
		if p.lanes == 32 {
			m = lane.Mask(uint32(m))
		}
		w.SetMask(r.Ref, w.Mask(r.Ref)&^lanes|m&lanes)
		return
	case abi.Unit:
		n := p.unitLanes(r.Type)
		for first := int(r.Unit) * n; first < p.lanes; first += int(r.Of) * n {
			for i := range n {
				if lanes.Has(first + i) {
					w.Set(r.Ref, first+i, r.element(at, i)>>r.Shift)
				}
			}
		}
		return
	case abi.Known:
	case abi.RowBase:
		lanes &= r.Steps.TileRow(int(r.Unit))
		x = r.element(at, 0)
	default:
		x = r.element(at, 0)
	}
	// One number and steps.
	v := &w.Func.Values[r.Ref]
	switch {
	case v.Scalar:
		w.Set(r.Ref, 0, x>>r.Shift)
	case v.Type == ir.B64 && r.Shift == 0 && r.Steps.Tile == 0 && lanes == lane.All(p.lanes): // the frequent case
		slot := unsafe.Add(w.Base, int(v.Off))
		for i := range p.lanes {
			*(*uint64)(unsafe.Add(slot, 8*i)) = x
			x += r.Steps.Stride
		}
	default:
		for i := range lanes.Lanes() {
			w.Set(r.Ref, i, (x+r.Steps.At(i))>>r.Shift)
		}
	}
}

// element returns element i of the register of a recipe, which is at p. NaNs become canonical if the part is raw.
func (r *recipe) element(p unsafe.Pointer, i int) uint64 {
	if r.Type == ir.B1 {
		return uint64(*(*uint32)(p) & 1)
	}
	x := sim.Element(&ir.Value{Type: r.Type}, p, i)
	if r.Raw && r.Type == ir.B32 && x<<33>>33 > 0x7f800000 {
		return 0x7fffffff
	}
	return x
}

// unitLanes returns the number of lanes of a type that a vector register holds.
func (p *native) unitLanes(t ir.Type) int {
	return min(p.lanes, int(p.width)/int(t.Bytes()))
}

// fillAll loads the saved registers and slots from the frame slots, for all places of the wave.
func (p *native) fillAll(w *sim.Wave) {
	p.begin(w)
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks || lanes == 0 {
			return
		}
		// Go fills only the webs that lanes at this place need. Lanes elsewhere need the rest.
		for _, x := range p.needed(pc) {
			p.fetch(w, &p.fills[x], lanes)
		}
		p.constants(w, pc)
	})
}

// constants puts the constants that block b needs into their registers. The code does not store them when a
// wave waits.
func (p *native) constants(w *sim.Wave, b int) {
	for _, x := range p.fillLists[p.entries[b].webs:p.entries[b].to] {
		p.constant(w, &p.fills[x])
	}
}

// needed returns the fills of the webs that the lanes at block b need, as indices of fills.
func (p *native) needed(b int) []int32 { return p.fillLists[p.entries[b].from:p.entries[b].webs] }

// constant puts one constant into its register.
func (p *native) constant(w *sim.Wave, o *fill) {
	k := &p.consts[o.konst-1]
	dst := unsafe.Slice((*byte)(unsafe.Add(w.Base, int(o.at))), max(int(k.Len), 8))[:k.Len]
	if k.Size == 0 {
		copy(dst, k.Data[:])
		return
	}
	var first [8]byte
	binary.LittleEndian.PutUint64(first[:], k.Bits)
	for n := copy(dst, first[:k.Size]); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// put writes element i of a register at p.
func put(p unsafe.Pointer, t ir.Type, i int, x uint64) {
	switch t {
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
