package sim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The scheduler of lanes. It decides which lanes of a wave run next and when fragments merge.
//
// Input: the fragments of a wave (frags), the lanes that wait (parked), and the reason why an engine
// stopped.
// Output: the running fragment: PC, Active, Budget, and Limit, the block at which it must stop to merge.
// Invariant: each live lane outside Launch.Idle is in exactly one fragment, in one parked set, or in
// Active. No two fragments of frags have the same pc. The fragment that is lowest in layout order runs,
// unless it is deferred.
// Example: frags = {3: lanes 16–31}, {5: lanes 0–15}. pick chooses block 3; take sets Limit = 5; when the
// engine reaches block 5, add merges both sets into {5: lanes 0–31}.
//
// Literature: Diamos et al., SIMD re-convergence at thread frontiers (MICRO 2011).

// frag is a set of lanes at one place.
type frag struct {
	pc       int // basic block
	lanes    lane.Mask
	deferred bool // not chosen to run, because it was spinning
}

// parked is a set of lanes that wait.
type parked struct {
	pc      int // the block at whose last instruction they wait
	lanes   lane.Mask
	members lane.Mask // for a rendezvous: the membermask that they gave
	bar     int       // for a barrier: its number
	counted bool      // its wave has arrived at the barrier
	waited  bool      // when it arrived, some lanes of its rendezvous were elsewhere
}

// inst is the instruction at which the lanes wait.
func (p *parked) inst(f *ir.Func) *ir.Inst { return &f.Code[f.Blocks[p.pc].End-1] }

// park makes lanes wait. From sm_70 on they join the lanes that wait at the same place for the same event.
// Below sm_70 the order of arrival matters, so the sets stay apart.
func (w *Wave) park(p parked) {
	if w.Func.MeetAnywhere {
		for i := range w.parked {
			if q := &w.parked[i]; q.pc == p.pc && q.members == p.members && q.bar == p.bar && !q.counted {
				q.lanes |= p.lanes
				return
			}
		}
	}
	w.parked = append(w.parked, p)
}

// Wave is one wave of the block in flight. Engines read and write its frame and
// the fields of the running fragment.
type Wave struct {
	*Block
	ID int
	// The first cache lines hold the fields that every instruction needs.
	Running
	Budget int // guest instructions left
	Clock  uint64
	Mem    *Memory
	Last   *Alloc // the allocation of the last access
	Fault  *Fault
	laneSets
	ValueFrame
	watch
	privateMemory
	// Engine is the data that the engine keeps about the wave. It lives as long as the wave does: for
	// several blocks, one after another.
	Engine any

	atCluster lane.Mask // arrived at the cluster's barrier, in the phase that is open
	inCluster lane.Mask // lanes of atCluster that have been told to wait for the end of the phase
	generic   bool      // the last generic address was one of shared memory
	clean     bool      // only a BlockRunner has run in the frame since it was prepared
	quantum   int       // the rest of the budget for the next time slice; below 0: used up; 0: a full one
	observers
	laneOrder
	fragments
}

// ValueFrame holds the values of a wave.
type ValueFrame struct {
	Func     *ir.Func
	Base     unsafe.Pointer // the frame; see the contract in package ir
	full     lane.Mask      // all lanes, also those that do not exist
	frame    []uint64
	image    []uint64   // the guest's part of the frame at the start of every block, without the zeros at its ends
	imageAt  int        // the word of the frame at which the image begins
	perBlock []ir.Input // inputs that differ from block to block
}

// laneSets are the lanes of a wave by their state.
type laneSets struct {
	Initial lane.Mask // lanes that exist
	Live    lane.Mask // lanes of Initial that have not exited
	Dead    lane.Mask // all lanes of the wave that are not in Live
}

// Running is the running fragment.
type Running struct {
	Active   lane.Mask
	PC       int  // basic block
	Limit    int  // stop at the end of a block when PC >= Limit
	StopBack bool // stop after a branch back
}

// observers follow what the wave does.
type observers struct {
	races    WaveRaces        // the part of Launch.Races for this wave; nil: there is no detector
	last     map[uint32]int32 // the step that last wrote undefined bits to a guest value, by frame offset; with Func.Steps
	observer ir.Observer
	met      [1]Meeting // for the launch's Recorder
}

// laneOrder is the order in which lanes act.
type laneOrder struct {
	random   bool // an order other than the usual one
	reversed bool // that order is the reverse one
	parts    bool // lanes that run together may be separated
}

// fragments are the lanes of a wave that do not run now, by their places.
type fragments struct {
	frags    []frag
	parked   []parked
	overtook bool // in this block, lanes ran while other lanes were ready at a lower place
}

// Ptr is the address of a value in the frame.
func (f *ValueFrame) Ptr(r ir.Ref) unsafe.Pointer { return unsafe.Add(f.Base, f.Func.Values[r].Off) }

// element is Get without a call for the most frequent lane vectors.
func (f *ValueFrame) element(v *ir.Value, i int) uint64 {
	if v.Type == ir.B32 && !v.Scalar {
		return uint64(*(*uint32)(unsafe.Add(f.Base, v.Off+4*uint32(i))))
	}
	return f.get(v, i)
}

// Get reads one element of a value; for a scalar the lane does not matter.
func (f *ValueFrame) Get(r ir.Ref, i int) uint64 { return f.get(&f.Func.Values[r], i) }

// get reads one element of a value of the wave's frame.
func (f *ValueFrame) get(v *ir.Value, i int) uint64 { return Element(v, unsafe.Add(f.Base, v.Off), i) }

// Element reads one element of a value whose bytes are at p.
func Element(v *ir.Value, p unsafe.Pointer, i int) uint64 {
	if v.Scalar {
		i = 0
	}
	switch v.Type {
	case ir.B1:
		if v.Scalar {
			return uint64(*(*uint32)(p) & 1)
		}
		return *(*uint64)(p) >> uint(i) & 1
	case ir.B8:
		return uint64(*(*uint8)(unsafe.Add(p, i)))
	case ir.B16:
		return uint64(*(*uint16)(unsafe.Add(p, 2*i)))
	case ir.B32:
		return uint64(*(*uint32)(unsafe.Add(p, 4*i)))
	}
	return *(*uint64)(unsafe.Add(p, 8*i))
}

// Set writes one element of a value.
func (f *ValueFrame) Set(r ir.Ref, i int, x uint64) {
	v := &f.Func.Values[r]
	p := unsafe.Add(f.Base, v.Off)
	if v.Scalar {
		i = 0
	}
	switch v.Type {
	case ir.B1:
		if v.Scalar {
			*(*uint32)(p) = uint32(x & 1)
			return
		}
		m := (*uint64)(p)
		*m = *m&^(1<<uint(i)) | (x&1)<<uint(i)
	case ir.B8:
		*(*uint8)(unsafe.Add(p, i)) = uint8(x)
	case ir.B16:
		*(*uint16)(unsafe.Add(p, 2*i)) = uint16(x)
	case ir.B32:
		*(*uint32)(unsafe.Add(p, 4*i)) = uint32(x)
	case ir.B64:
		*(*uint64)(unsafe.Add(p, 8*i)) = x
	}
}

// Fill writes all elements of a value.
func (f *ValueFrame) Fill(r ir.Ref, x uint64) {
	v := &f.Func.Values[r]
	switch {
	case v.Scalar:
		f.Set(r, 0, x)
	case v.Type == ir.B1:
		f.SetMask(r, lane.Mask(-(x&1))&f.full)
	case v.Type == ir.B32:
		d := unsafe.Slice((*uint64)(f.Ptr(r)), f.Func.Lanes/2)
		x = x<<32 | x&math.MaxUint32
		for i := range d {
			d[i] = x
		}
	default:
		for i := range f.Func.Lanes {
			f.Set(r, i, x)
		}
	}
}

// Mask reads a lane vector of B1, or a scalar of B64, as a mask.
func (f *ValueFrame) Mask(r ir.Ref) lane.Mask { return *(*lane.Mask)(f.Ptr(r)) }

// SetMask writes a lane vector of B1, or a scalar of B64, as a mask.
func (f *ValueFrame) SetMask(r ir.Ref, m lane.Mask) { *(*lane.Mask)(f.Ptr(r)) = m }

// timeSlice runs the wave until no lane of it can run, or all its lanes only look at memory that does not
// change, or its budget is used up. It returns the fault, if there is one.
func (w *Wave) timeSlice() *Fault {
	quantum, runs := waveQuantum, math.MaxInt
	// A BlockRunner may have left the rest of a budget: see Continue.
	if w.quantum != 0 {
		quantum, w.quantum = w.quantum, 0
	}
	// A random schedule ends the slice after a few fragments, so that waves interleave finely.
	if w.rand != nil {
		runs = 1 + w.rand.IntN(8)
	}
	if w.strays() && !w.reversed {
		quantum = 1 + w.rand.IntN(1<<w.rand.IntN(13))
	}
	w.idle, w.busy, w.slept = 0, false, false
	last := w.Changes
	for ; len(w.frags) > 0 && runs > 0; runs-- {
		if w.rested() {
			// All fragments have had a turn.
			if w.idle > 0 && last == w.Changes {
				break
			}
			last = w.Changes
		}
		if quantum <= 0 {
			w.busy = !w.slept && !(w.spun && len(w.frags) == 1) // it may have been spinning before a barrier, which has opened
			break
		}
		// One fragment runs until it ends, waits, reaches the limit of another fragment, or uses up the
		// budget.
		w.take(w.pick(), quantum)
		before := w.Budget
		w.spun = false
		stop := w.run()
		quantum -= before - w.Budget
		w.Launch.breath.share(before - w.Budget)
		if w.Fault != nil {
			stop = StopFault // a rendezvous may fault for lanes that have been waiting
		}
		switch stop {
		case StopFault:
			w.Fault.Block, w.Fault.Wave = w.block, w.ID
			return w.Fault
		case StopExit, StopMeet, StopBar:
			// The active lanes have exited, or are parked.
		default:
			// A fragment that used up its budget is deferred, so that the other fragments have a turn.
			// Below sm_70 that would run past a join, which only a long wait justifies.
			rest := stop == StopBudget && (w.Func.MeetAnywhere || w.outs >= patientOuts)
			w.add(w.PC, w.Active, rest)
			if !rest && w.spun {
				return nil // below sm_70 the wave does not run past the lanes that wait for this fragment
			}
			if rest {
				w.outs = 0
			}
		}
		if w.Launch.stop.Load() != nil {
			break
		}
	}
	return nil
}

// take makes a fragment the running one and sets the limits at which it must stop.
func (w *Wave) take(cur, quantum int) {
	f := w.frags[cur]
	w.frags[cur] = w.frags[len(w.frags)-1]
	w.frags = w.frags[:len(w.frags)-1]
	w.overtook = w.overtook || slices.ContainsFunc(w.frags, func(o frag) bool { return o.pc < f.pc })
	w.PC, w.Active, w.Budget = f.pc, f.lanes, quantum
	w.Limit, w.StopBack = math.MaxInt, false
	switch {
	case !w.strays():
	case w.reversed:
		return
	default:
		w.partLanes()
		w.Budget = 1 + w.rand.IntN(quantum)
		if w.rand.IntN(2) > 0 {
			return // run past the other fragments, without waiting for them to join
		}
	}
	// The limits: stop where the next higher fragment waits. If a fragment is at or below this one, stop at
	// any branch back, because the lowest fragment then has to be chosen anew.
	for i := range w.frags {
		if pc := w.frags[i].pc; pc > f.pc {
			w.Limit = min(w.Limit, pc)
		} else {
			w.StopBack = true
		}
	}
}

// partLanes makes some lanes of a wave that runs together stay. From sm_70 on, lanes run in step only
// because of a *.sync operation; the absence of a divergent branch does not guarantee it.
func (w *Wave) partLanes() {
	if !w.parts || len(w.frags) > 0 || len(w.parked) > 0 {
		return
	}
	stay := w.Active & lane.Mask(w.rand.Uint64())
	if stay == 0 || stay == w.Active {
		return
	}
	w.Active &^= stay
	w.add(w.PC, stay, false)
}

// looksAround reports whether a function observes which lanes run together. That function has findings of
// its own; under an order that separates lanes, it would show only those.
func looksAround(f *ir.Func) bool {
	return slices.ContainsFunc(f.Code, func(in ir.Inst) bool {
		return in.Op == ir.ActiveMask || in.Op == ir.Shfl || in.Op == ir.Vote
	})
}

// Random reports whether lanes act in an order other than the usual one. PickLane gives the order.
func (w *Wave) Random() bool { return w.random }

// PickLane chooses one lane of a set, which is not empty, if Random.
func (w *Wave) PickLane(m uint64) int {
	if w.reversed {
		return bits.Len64(m) - 1
	}
	for n := w.rand.IntN(bits.OnesCount64(m)); n > 0; n-- {
		m &= m - 1
	}
	return bits.TrailingZeros64(m)
}

// strays reports whether the fragments of the wave run in an order other than the usual one. Below sm_70
// they do not: there the lanes of a warp come together again where code joins, and old code relies on it.
func (w *Wave) strays() bool { return w.random && w.Func.MeetAnywhere }

// rested reports whether all fragments were deferred, and if so makes them ready again.
func (s *fragments) rested() bool {
	for i := range s.frags {
		if !s.frags[i].deferred {
			return false
		}
	}
	for i := range s.frags {
		s.frags[i].deferred = false
	}
	return true
}

// pick chooses the fragment to run: the lowest program counter, except fragments that are deferred until
// the other ones have had their turn.
func (w *Wave) pick() int {
	last := w.strays() && w.reversed
	if w.strays() && !last {
		return w.rand.IntN(len(w.frags))
	}
	best := -1
	for i := range w.frags {
		if !w.frags[i].deferred && (best < 0 || last != (w.frags[i].pc < w.frags[best].pc)) {
			best = i
		}
	}
	return best
}

// add puts lanes at a basic block, and merges them with the fragment that is there. rest says that the
// lanes are deferred.
func (s *fragments) add(pc int, lanes lane.Mask, rest bool) {
	if lanes == 0 {
		return
	}
	for i := range s.frags {
		if s.frags[i].pc == pc {
			s.frags[i].lanes |= lanes
			s.frags[i].deferred = s.frags[i].deferred && rest
			return
		}
	}
	s.frags = append(s.frags, frag{pc: pc, lanes: lanes, deferred: rest})
}

// Split divides the running fragment at a branch: the lanes in taken go to target, the rest to the next
// block. The half with the lower program counter becomes the running fragment; the engine then returns
// StopDiverge.
func (w *Wave) Split(taken lane.Mask, target int) {
	next := w.PC + 1
	if target < next {
		w.add(next, w.Active&^taken, false)
		w.PC, w.Active = target, taken
		return
	}
	w.add(target, taken, false)
	w.PC, w.Active = next, w.Active&^taken
}

// Exit ends lanes of the running fragment. Lanes that wait for them may go on.
func (w *Wave) Exit(lanes lane.Mask) {
	w.Active &^= lanes
	w.Live &^= lanes
	w.Dead = w.full &^ w.Live
	if len(w.parked) > 0 {
		w.release()
	}
	w.exited()
}

// whereAre describes the places of the lanes in missing, for which other lanes wait.
func (w *Wave) whereAre(missing lane.Mask) string {
	var s []string
	for i := range w.parked {
		p := &w.parked[i]
		if m := p.lanes & missing; m != 0 {
			in := p.inst(w.Func)
			pos := w.Func.Pos[in.Pos]
			what := ""
			if in.Op.Meets() {
				what = fmt.Sprintf(" with membermask %s", p.members.Hex(32))
			}
			s = append(s, fmt.Sprintf("%s at %s%s%s", m.Do("is", "are"), pos.Name, LineOf(pos), what))
		}
	}
	if len(s) == 0 {
		return ""
	}
	return "; " + strings.Join(s, "; ")
}

// LineOf is the line of an instruction, or its offset if there is none.
func LineOf(p ir.Pos) string {
	if p.Line > 0 {
		return fmt.Sprintf(" (line %d)", p.Line)
	}
	return fmt.Sprintf(" (+%#x)", p.Off)
}

// related makes a place that a diagnostic shows beside its own.
func related(pos diag.Pos, msg, src string) diag.Related {
	return diag.Related{Pos: pos, Message: msg, Source: src}
}

// Count accounts for n guest instructions run by the given lanes.
func (w *Wave) Count(n int, lanes lane.Mask) {
	w.Budget -= n + 1 // a block costs 1 even if it counts no instruction, so that every loop ends
	w.Clock += uint64(n)
	w.stats.WaveInstructions += uint64(n)
	w.stats.LaneInstructions += uint64(n) * uint64(lanes.Count())
}
