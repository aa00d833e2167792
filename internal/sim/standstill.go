package sim

import (
	"cmp"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// Proof of a livelock. A block stands still if each of its lanes that can run goes round in a loop that
// looks at memory, changes none, and comes back to the state in which it began. The state is registers,
// places and barriers, as far as they decide where lanes go and how they change memory. The next round of
// that block equals the last one, until memory changes. If all blocks of the launch stand still at the same
// time, and no other block can be started, nothing can change memory any more. The launch is then in a
// livelock, in any order of lanes, warps and blocks.
//
// This file tries a block: it runs each fragment until it is where it was, operation by operation, so that
// it sees every effect on memory. The guest makes progress meanwhile as in any other turn. Four kinds of
// loops never count as standing still: a loop that counts its rounds, one in which a clock decides, one that looks
// at memory which the host may change, and one with an operation that this file does not support.
//
// Input: a block that has been seen waiting.
// Output: standsStill; if true, the looks of each wave, for the message.
// Invariant: true is returned only if the deciding registers, fragments, parked lanes and barriers recur,
// no byte of memory changed in between, and each lane that can run has looked at memory or come to a
// barrier.
// Example: lane 0 spins on lock while lane 1, which holds it, spins on ready, which no lane will store. Both
// loops recur after one round, so the block stands still.
//
// Literature: Brent, an improved Monte Carlo factorization algorithm (BIT 1980), for comparing with a state
// that is taken anew after 1, 2, 4, … rounds.

// A Stepper is a Program whose operations can be executed one at a time: see interp.Program.
type Stepper interface {
	Program
	Exec(w *Wave, i int, m lane.Mask) bool
	Tally(i int) int
	End(w *Wave, b int) (Stop, bool)
}

// An Exiter is a Program that may keep registers of the guest outside its frame between the time slices of
// a wave.
type Exiter interface {
	Program
	// Exit writes those registers to the frame, so that a Stepper can go on. It returns false if it cannot.
	Exit(w *Wave) bool
}

// trialRounds is how often each fragment of a block is run in a trial.
const trialRounds = 32

// trialBlocks is how many basic blocks a fragment may run in one round of the first trial; trialMost is the
// bound for any trial.
const (
	trialBlocks = 1 << 12
	trialMost   = 1 << 20
)

// trial is an attempt to prove that a block stands still.
type trial struct {
	b       *Block
	step    Stepper
	most    int  // basic blocks that a fragment may run in one round
	void    bool // an operation was done that a trial does not support
	changed bool // memory has changed
	waves   []trialWave
	looked  bool   // the current fragment has looked at memory
	met     bool   // the current fragment has come to a barrier
	old     []kept // bytes that the current store will overwrite
}

// trialWave is the state of a wave that later rounds are compared with, and the events since then.
type trialWave struct {
	frame     []uint64
	frags     []frag
	parked    []parked
	live      lane.Mask
	atCluster lane.Mask
	ran       []bool         // the basic blocks that have run
	lanes     lane.Mask      // lanes that have run
	sighted   lane.Mask      // lanes of fragments that have looked at memory or come to a barrier
	private   map[*byte]byte // the private memory that was written, and its contents before
	looks     []look
}

// kept is the contents of memory before a store.
type kept struct {
	at  unsafe.Pointer
	n   int
	was [16]byte
}

// standsStill reports whether the block stands still. most bounds the basic blocks of a fragment in a
// round. If the result is false, the block may have run on, and its fault may be set.
func (b *Block) standsStill(most int) bool {
	l := b.Launch
	step, ok := l.Program.(Stepper)
	if !ok || l.Look != nil || l.Func.NewObserver != nil && l.Func.Observed == nil {
		return false
	}
	leaver, _ := l.program.(Exiter)
	for _, w := range b.Waves {
		w.Active = 0
		if leaver != nil && !leaver.Exit(w) {
			return false
		}
	}
	t := &trial{b: b, step: step, most: most, waves: make([]trialWave, len(b.Waves))}
	bars := t.remember()
	// The state is compared with a remembered one, which is taken anew after 1, 2, 4, … rounds. So a loop
	// recurs if its start-up and its period are at most half of trialRounds.
	next := 1
	for round := 1; round <= trialRounds; round++ {
		for _, w := range b.Waves {
			if !t.round(w) {
				if t.changed {
					b.published()
				}
				return false
			}
		}
		// A recurrence proves standing still only if every lane that runs has looked at memory that it
		// waits for.
		if bars == t.bars() && t.recurs() {
			looks := 0
			for i, w := range b.Waves {
				w.looks = t.waves[i].looks
				looks += len(w.looks)
			}
			// A block may only wait for its cluster; the looks that keep it there are those of another block.
			return !t.blind() && (looks > 0 || b.cluster != nil)
		}
		if round == next {
			next *= 2
			bars = t.remember()
		}
	}
	return false
}

// published declares that the block has changed memory.
func (b *Block) published() {
	b.changes++
	b.Launch.still.changed()
}

// barState is the state that decides the next event of a barrier.
type barState struct {
	inUse, all, any    bool
	mode               ir.BarMode
	count, total, popc uint32
	waves              uint64
}

// bars returns the states of all barriers of the block that are in use.
func (t *trial) bars() (s [numBarriers]barState) {
	for i := range t.b.bars {
		if x := &t.b.bars[i]; x.inUse {
			s[i] = barState{true, x.all, x.any, x.mode, x.count, x.total, x.popc, x.waves}
		}
	}
	return s
}

// remember makes the current state the one that later rounds are compared with.
func (t *trial) remember() [numBarriers]barState {
	for i, w := range t.b.Waves {
		x := &t.waves[i]
		x.frame = append(x.frame[:0], w.frame[:w.Func.GuestSize/8]...)
		x.frags, x.parked = sortedFrags(w.frags), sortedParked(w.parked)
		x.live, x.atCluster, x.lanes, x.sighted, x.looks = w.Live, w.atCluster, 0, 0, x.looks[:0]
		x.private = nil
		if x.ran == nil {
			x.ran = make([]bool, len(w.Func.Blocks))
		}
		clear(x.ran)
	}
	return t.bars()
}

// sortedFrags returns a copy of fragments in a fixed order, without the marks of deferred ones.
func sortedFrags(list []frag) []frag {
	list = slices.Clone(list)
	for i := range list {
		list[i].deferred = false
	}
	slices.SortFunc(list, func(x, y frag) int { return cmp.Or(cmp.Compare(x.pc, y.pc), cmp.Compare(x.lanes, y.lanes)) })
	return list
}

// sortedParked returns a copy of parked sets in a fixed order.
func sortedParked(list []parked) []parked {
	list = slices.Clone(list)
	for i := range list {
		list[i].waited = false // matters for findings only
	}
	slices.SortFunc(list, func(x, y parked) int { return cmp.Or(cmp.Compare(x.pc, y.pc), cmp.Compare(x.lanes, y.lanes)) })
	return list
}

// round runs each fragment of a wave until it is where it was, or waits. It returns false if the trial has
// failed.
func (t *trial) round(w *Wave) bool {
	for _, f := range sortedFrags(w.frags) {
		i := slices.IndexFunc(w.frags, func(o frag) bool { return o.pc == f.pc && o.lanes == f.lanes })
		if i < 0 {
			continue // it has merged with other lanes
		}
		// The fragment runs alone: the other fragments are taken out of the wave meanwhile.
		aside := slices.Delete(slices.Clone(w.frags), i, i+1)
		w.frags = append(w.frags[:0], f)
		t.looked, t.met = false, false
		back := t.around(w, f, aside)
		if t.looked || t.met {
			t.waves[w.ID].sighted |= f.lanes
		}
		for _, o := range aside {
			w.add(o.pc, o.lanes, false)
		}
		w.Active = 0
		if !back {
			return false
		}
	}
	return true
}

// around runs the lanes of f, which are the only fragment of the wave now, until all of them that still run
// are back at the place of f, with lanes that have waited for them. aside holds the other lanes of the
// wave.
func (t *trial) around(w *Wave, f frag, aside []frag) bool {
	limit := len(w.Func.Blocks)
	if !w.Func.MeetAnywhere { // below sm_70 lanes do not pass lanes that wait for them
		for _, o := range aside {
			if o.pc > f.pc {
				limit = min(limit, o.pc)
			}
		}
	}
	for n := 0; n < t.most; n++ {
		low := -1
		for i := range w.frags {
			if low < 0 || w.frags[i].pc < w.frags[low].pc {
				low = i
			}
		}
		if low < 0 || n > 0 && len(w.frags) == 1 && w.frags[0].pc == f.pc {
			return true
		}
		run := w.frags[low]
		if run.pc >= limit || n&255 == 255 && w.Launch.stop.Load() != nil {
			return false
		}
		w.frags = slices.Delete(w.frags, low, low+1)
		alone := len(aside) == 0 && len(w.frags) == 0 && len(w.parked) == 0
		stop, ok := t.run(w, run, alone)
		if w.Fault != nil || stop == StopFault {
			if w.Fault != nil {
				w.Fault.Block, w.Fault.Wave = w.block, w.ID
				t.b.fault = w.Fault
			}
			return false
		}
		w.add(w.PC, w.Active, false) // an empty set, if they wait or have ended
		if !ok {
			return false
		}
	}
	return false
}

// run executes a basic block for the lanes of f. ok is false if the trial has failed.
func (t *trial) run(w *Wave, f frag, alone bool) (stop Stop, ok bool) {
	fn := w.Func
	x := &t.waves[w.ID]
	x.ran[f.pc] = true
	x.lanes |= f.lanes
	w.PC, w.Active, w.Budget, w.Limit, w.StopBack = f.pc, f.lanes, 1<<30, 1<<30, false
	blk := fn.Blocks[f.pc]
	end := blk.End
	if fn.Code[end-1].Op.EndsBlock() {
		end--
		t.allow(w, &fn.Code[end], alone)
	}
	for i := blk.Start; i < end; i++ {
		if n := t.step.Tally(i); n > 0 {
			w.Count(n, w.Mask(fn.Exec))
		}
		if !t.do(w, i, alone) {
			return StopFault, false
		}
	}
	stop, _ = t.step.End(w, f.pc)
	return stop, !t.void && !t.changed
}

// writeMask returns the lanes for which an operation acts.
func (w *Wave) writeMask(in *ir.Inst) lane.Mask { return w.guarded(in, w.Active) }

// guarded returns the lanes of m for which the guard of an operation holds.
func (f *ValueFrame) guarded(in *ir.Inst, m lane.Mask) lane.Mask {
	if in.Guard == 0 {
		return m
	}
	g := f.Mask(in.Guard)
	if in.GuardNot {
		g = ^g
	}
	return m & g
}

// do executes operation i of the function for lanes, and observes its effect on memory.
func (t *trial) do(w *Wave, i int, alone bool) bool {
	in := &w.Func.Code[i]
	m := w.writeMask(in)
	if m == 0 && !in.Scalar || in.Op.Pure() || in.Flags&ir.Undefined != 0 {
		if in.Op == ir.MbarDone || in.Op == ir.MbarDoneParity {
			t.waitsFor(w, in)
		}
		return t.step.Exec(w, i, m)
	}
	var seen look
	looks := false
	w.updated = false
	switch in.Op {
	case ir.Load, ir.Atomic:
		t.void = t.void || w.hostChanges(in, m)
		seen, looks = w.lookAt(in, m)
	case ir.Store:
		t.beforeStore(w, in, m)
	default:
		t.allow(w, in, alone)
	}
	if !t.step.Exec(w, i, m) {
		return false
	}
	switch {
	case w.updated:
		t.changed = true
	case looks:
		t.looked = true
		t.waves[w.ID].saw(w, in, seen)
	}
	for j := range t.old {
		o := &t.old[j]
		t.changed = t.changed || string(unsafe.Slice((*byte)(o.at), o.n)) != string(o.was[:o.n])
	}
	t.old = t.old[:0]
	return true
}

// allow lets a trial fail if it does not support an operation. alone says that all lanes of the wave that
// can run or wait are running together.
func (t *trial) allow(w *Wave, in *ir.Inst, alone bool) {
	switch in.Op {
	case ir.Nop, ir.Splat, ir.LaneBit, ir.Fail, ir.Yield, ir.Fence, ir.DPPRead, ir.DPPMask, ir.DSSwizzle, ir.DSPermute, ir.DSBpermute,
		ir.ReadLane, ir.ReadFirstLane, ir.WriteLane, ir.Observe, ir.Record, ir.Reach, ir.Access, ir.Claim,
		ir.ShflSync, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.ElectSync, ir.WarpSync, ir.Clock,
		ir.Bra, ir.SBra, ir.BraTable, ir.Exit, ir.EndWave, ir.Trap:
	case ir.Bar, ir.WaveBar:
		t.met = true
	case ir.ClusterDone:
		t.looked = true // at the barrier of the cluster
	case ir.Shfl, ir.Vote, ir.ActiveMask:
		// They observe which lanes run together, and the order of lanes decides that.
		t.void = t.void || !alone
	case ir.Collective:
		k := w.Func.Collectives[in.Imm].Matrix.Kind
		t.void = t.void || k == matrix.StoreRows || k == matrix.StoreTile || k.TensorMemory()
	case ir.HostCall:
		s, _, _ := ir.HostFields(in.Imm)
		t.void = t.void || s != ir.HostPush && s != ir.HostPop
	default:
		t.void = true
	}
}

// beforeStore keeps the bytes that a store will overwrite.
func (t *trial) beforeStore(w *Wave, in *ir.Inst, m lane.Mask) {
	if in.Scalar {
		m = 1
	}
	size := uint64(in.Size)
	for i := range m.Lanes() {
		addr := w.Address(in.Args[0], i, in.Offset())
		p, _, _, _ := w.find(in, addr, size, i, true)
		if p == nil || size > 16 {
			t.void = true // it faults
			return
		}
		if space, _ := w.Resolve(in.Space, addr); space == ir.Local {
			x := &t.waves[w.ID]
			if x.private == nil {
				x.private = map[*byte]byte{}
			}
			for _, b := range pointers(p, int(size)) {
				if _, ok := x.private[b]; !ok {
					x.private[b] = *b
				}
			}
			continue
		}
		k := kept{at: p, n: int(size)}
		copy(k.was[:], unsafe.Slice((*byte)(p), k.n))
		t.old = append(t.old, k)
	}
}

// pointers returns pointers to each of n bytes at p.
func pointers(p unsafe.Pointer, n int) []*byte {
	list := make([]*byte, n)
	for i := range list {
		list[i] = (*byte)(unsafe.Add(p, i))
	}
	return list
}

// recurs reports whether the block is in the state of remember again, and all lanes that can run have run
// since.
func (t *trial) recurs() bool {
	for i, w := range t.b.Waves {
		x := &t.waves[i]
		if w.Live != x.live || w.atCluster != x.atCluster || !slices.Equal(sortedFrags(w.frags), x.frags) || !slices.Equal(sortedParked(w.parked), x.parked) {
			return false
		}
		for _, f := range w.frags {
			if f.lanes&^x.lanes != 0 {
				return false
			}
		}
		for p, was := range x.private {
			if *p != was {
				return false
			}
		}
	}
	for i, w := range t.b.Waves {
		if !t.waves[i].same(w) {
			return false
		}
	}
	return true
}

// blind reports whether some lanes that can run have neither looked at memory nor come to a barrier since
// remember.
func (t *trial) blind() bool {
	for i, w := range t.b.Waves {
		if slices.ContainsFunc(w.frags, func(f frag) bool { return f.lanes&^t.waves[i].sighted != 0 }) {
			return true
		}
	}
	return false
}

// same reports whether the registers of a wave that decide its behaviour have the values of remember.
func (x *trialWave) same(w *Wave) bool {
	var lanes lane.Mask
	for _, f := range w.frags {
		lanes |= f.lanes
	}
	for i := range w.parked {
		lanes |= w.parked[i].lanes
	}
	// On GCN3 all lanes count: v_readlane_b32 reads lanes that EXEC switches off, and EXEC may change.
	if w.Func.Exec != 0 {
		lanes = w.full
	}
	before := unsafe.Pointer(unsafe.SliceData(x.frame))
	list, ok := deciding(w.Func, x.ran)
	if !ok {
		return false
	}
	for _, r := range list {
		v := w.Func.Val(r)
		was := unsafe.Add(before, v.Off)
		if v.Scalar {
			if w.get(v, 0) != Element(v, was, 0) {
				return false
			}
			continue
		}
		for i := range lanes.Lanes() {
			if w.get(v, i) != Element(v, was, i) {
				return false
			}
		}
	}
	return true
}
