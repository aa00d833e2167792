package jit

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// This file is the block runner: it runs the waves of a block one after another in machine code, without a
// return to package sim between them. Package sel describes how the code goes from one wave to the next.
//
// Input: a block whose waves have not begun.
// Output: either the block has ended, or its waves are in a state that package sim continues from.
// Invariant: counts of instructions, and the ends of time slices, which decide about them, are those of sim's own
// loop. That holds for waves that do not show their order. The moments at which waves change memory, and at
// which the block has used up its budget, may differ from sim's.
// Example: all four waves run to the barrier; the last one opens it, and all run to their end: one call of
// machine code. If wave 2 faults instead, breakUp rebuilds the states of waves 0 to 3, and sim goes on with
// wave 2.

// sweepPlan describes the frames that successive blocks reuse.
type sweepPlan struct {
	// parts are the ranges of the guest's part of the frame that the code itself writes: aliased webs.
	parts []sim.FrameRange
	// first reports that the code reads only the first lane of the inputs that differ between blocks.
	first bool
}

// planSweep finds the ranges that the code writes, and which lanes of the block's numbers it reads.
func (t *translation) planSweep() sweepPlan {
	f := t.ssa.IR
	plan := sweepPlan{first: true}
	input := make([]bool, len(f.Values))
	for _, in := range f.Inputs {
		switch in.Kind {
		case ir.BlockIDX, ir.BlockIDY, ir.BlockIDZ, ir.LinearBlockID:
			input[in.Dst] = !f.Val(in.Dst).Scalar
		}
	}
	// An operation that writes one of these inputs makes later reads unreliable.
	for i := range f.Code {
		if in := &f.Code[i]; input[in.Dst] || input[in.Dst2] {
			plan.first = false
		}
	}
	// A register with the lanes of one of these inputs reads more than the first lane.
	for w := 1; w < len(t.ssa.Webs); w++ {
		if input[t.ssa.Webs[w].Ref] {
			for x := range t.sel.Locations(webs.Web(w)) {
				plan.first = plan.first && x.Kind != abi.Unit
			}
		}
	}
	have := make([]bool, len(f.Values))
	var words []uint32
	inMemory := func(r ir.Ref) {
		if r == 0 || have[r] {
			return
		}
		have[r] = true
		v := f.Val(r)
		if at, end := v.Off/8, (v.Off+v.Size(f.Lanes)+7)/8; end <= f.GuestSize/8 {
			for ; at < end; at++ { // values may share words
				words = append(words, at)
			}
		}
		plan.first = plan.first && !input[r]
	}
	inMemory(f.Exec) // lanes are counted by it
	for w := 1; w < len(t.ssa.Webs); w++ {
		if info := &t.ssa.Webs[w]; info.Flags&webs.Aliased != 0 && info.Flags&webs.Const == 0 {
			inMemory(info.Ref)
		}
	}
	slices.Sort(words)
	for _, at := range slices.Compact(words) {
		if n := len(plan.parts); n > 0 && plan.parts[n-1].At+plan.parts[n-1].Words == at {
			plan.parts[n-1].Words++
			continue
		}
		plan.parts = append(plan.parts, sim.FrameRange{At: at, Words: 1})
	}
	return plan
}

// blockStorage is the engine's state of the storage of a block, which successive blocks of the grid use.
type blockStorage struct {
	kernel *Kernel
	ready  bool             // the frames are linked as a chain
	words  []*controls      // by wave
	frames []unsafe.Pointer // by wave
	vain   int              // calls, one after another, that did not reach the end of the block
	skip   int              // blocks that are left to package sim
	each   uint64           // instructions of the last block
	// given counts the coarsened bodies, one after another, that were given up; single is the number of blocks
	// that will begin without one.
	given, single int
	leads         []int // the waves that lead a coarsened body
}

// The code contains the length of a time slice.
var _ [0]struct{} = [sim.WaveQuantum - 1 - abi.Quantum]struct{}{}

// controls are the control words of a frame.
type controls [abi.CtlSize / 8]uint64

const (
	ctlCounter = (abi.CtlGPR + 8*14) / 8
	ctlActive  = (abi.CtlGPR + 8*15) / 8
	notYet     = math.MaxUint64
)

// RunBlock implements sim.BlockRunner.
func (r *running) RunBlock(b *sim.Block) (from int, ended bool) {
	k := r.kernel.Load()
	if k == nil || k.native == nil || k.native.startAt == 0 || k.native.apart(b) {
		return 0, false
	}
	keep := b.SweepKeep()
	s, ok := (*keep).(*blockStorage)
	if !ok || s.kernel != k {
		s = &blockStorage{kernel: k}
		*keep = s
	}
	// Blocks that did not end in the runner recently are left to package sim for a while.
	if s.skip > 0 {
		s.skip--
		return 0, false
	}
	for row := uint64(1); ; {
		patience := b.Budget()
		if patience == 0 {
			return 0, false
		}
		// row is the number of blocks that may run one after another in this call.
		from, ended = k.native.runBlock(k, b, s, patience, row)
		if !ended {
			break
		}
		s.vain = 0
		if row = b.Again(k.native.inRow(s, patience)); row == 0 {
			return from, true
		}
	}
	if s.vain++; s.vain >= 8 {
		s.vain, s.skip = 4, 64 // each block seems to have an obstacle; try again later
	}
	return from, false
}

// chain links the frames of a block's waves, so that machine code finds the next wave's frame in the control
// words of the one before.
func (p *native) chain(k *Kernel, b *sim.Block, s *blockStorage) {
	s.words, s.frames = s.words[:0], s.frames[:0]
	for _, w := range b.Waves {
		k.own(w)
		p.begin(w)
		s.frames = append(s.frames, w.Base)
		s.words = append(s.words, (*controls)(unsafe.Add(w.Base, int(p.lay.Control))))
	}
	for i, c := range s.words {
		c[abi.CtlNext/8] = 0
		if i+1 < len(s.words) {
			c[abi.CtlNext/8] = uint64(uintptr(s.frames[i+1]))
		}
		// The control words that stay the same for all blocks.
		c[abi.CtlLive/8] = uint64(b.Waves[i].First())
		c[abi.CtlTurn/8] = uint64(uintptr(s.frames[0]))
		c[abi.CtlPrev/8] = uint64(uintptr(s.frames[(i+len(s.frames)-1)%len(s.frames)]))
	}
}

// Machine code may run several blocks of the grid one after another. They are expected to take at most maxRow
// instructions, and are at most maxBlocks.
const (
	maxRow    = 1 << 15
	maxBlocks = 64
)

// inRow returns how many blocks may follow each other without a return to Go. It assumes that they take as many
// instructions as the last block.
func (p *native) inRow(s *blockStorage, patience uint64) uint64 {
	// The first block of a run has no measured length yet.
	if !p.rows || s.each == 0 {
		return 1
	}
	return max(1, min(maxBlocks, min(maxRow, patience/2)/s.each))
}

// follow prepares the waves of a block for a run of successive blocks: it saves the words of the frame that the
// code must restore before each further block.
func (p *native) follow(b *sim.Block, s *blockStorage, blocks uint64) {
	if !p.rows {
		return
	}
	lead := s.words[0]
	lead[abi.CtlAhead/8] = blocks - 1
	lead[abi.CtlIndex/8], lead[abi.CtlBlock/8] = b.Number()%uint64(b.Launch.Grid[0]), b.Number()
	for i, c := range s.words {
		if c[abi.CtlRow/8] = 0; blocks == 1 {
			continue
		}
		c[abi.CtlRow/8], c[abi.CtlBegin/8] = uint64(uintptr(s.frames[0])), c[abi.CtlResume/8]
		// Each pair is an address and the word to be restored there before the next block.
		parts := (*[2 * abi.MaxParts]uint64)(unsafe.Pointer(&c[abi.CtlParts/8]))
		n := 0
		for _, part := range p.plan.parts {
			for j := range part.Words {
				at := unsafe.Add(s.frames[i], 8*(part.At+j))
				parts[n], parts[n+1] = uint64(uintptr(at)), *(*uint64)(at)
				n += 2
			}
		}
		for ; n < len(parts); n += 2 { // the unused pairs: each writes a word to itself
			parts[n] = uint64(uintptr(unsafe.Pointer(&parts[n+1])))
		}
	}
}

// reportSkipped returns how many blocks ended before the one that ran last, and reports them to package sim.
func (p *native) reportSkipped(b *sim.Block, s *blockStorage, blocks uint64) uint64 {
	if blocks == 1 {
		return 0
	}
	n := blocks - 1 - uint64(max(int32(s.words[0][abi.CtlAhead/8]), 0))
	b.Skipped(n)
	return n
}

// canRow reports whether a block leaves the frames as the next block must find them, except for the words that
// machine code restores; see package sel.
func (t *translation) canRow(plan *sweepPlan) bool {
	f := t.ssa.IR
	// Stacks grow and differ between blocks, and without EXEC no part of the frame may be
	// written.
	if !t.sel.Rows || !plan.first || f.Stack || f.Exec == 0 && len(plan.parts) > 0 {
		return false
	}
	words := uint32(0)
	for _, part := range plan.parts {
		words += part.Words
		for _, in := range f.Inputs {
			if v := f.Val(in.Dst); in.Kind >= ir.BlockIDX && in.Kind <= ir.BlockIDZ || in.Kind == ir.LinearBlockID {
				if at, end := v.Off/8, (v.Off+v.Size(f.Lanes)+7)/8; at < part.At+part.Words && part.At < end {
					return false
				}
			}
		}
	}
	return words <= abi.MaxParts
}

// runBlock runs a block, and if it ends further ones, up to blocks in all. See sim.BlockRunner.
func (p *native) runBlock(k *Kernel, b *sim.Block, s *blockStorage, patience, blocks uint64) (from int, ended bool) {
	patience = min(patience, math.MaxUint32/2) // counters never wrap around
	// In a round each wave of the block runs for one time slice at most. A slice ends with a basic block, so
	// it may exceed the quantum by one block.
	round := uint64(len(b.Waves)) * uint64(sim.WaveQuantum+len(b.Launch.Func.Code))
	if patience < round {
		return 0, false
	}
	rounds := patience / round // how many rounds the block may still run
	// If only the runner has used the frames, their links and constants are still valid.
	ready := s.ready && b.Clean()
	if !ready {
		p.chain(k, b, s)
		s.ready = true
	}
	entry := p.address(k, p.entryAt)
	b.Ready(ready, p.plan.parts, p.plan.first)
	if b.Waves[0].Func.Stack {
		for _, w := range b.Waves {
			p.stack(w)
		}
	}
	for _, c := range s.words {
		c[abi.CtlExit/8], c[abi.CtlLanes/8], c[abi.CtlLast/8], c[abi.CtlChanged/8] = notYet, 0, start, 0
		c[abi.CtlResume/8], c[abi.CtlClock/8], c[abi.CtlOpen/8] = entry, start, 0
		c[ctlCounter], c[ctlActive] = (sim.WaveQuantum-1)<<32|start, c[abi.CtlLive/8]
	}
	p.lead(k, b, s)
	p.follow(b, s, blocks)
	s.words[0][abi.CtlBails/8] = 0
	behind := -1 // the exit of the last barrier that all waves have passed; -1: none
	n := len(s.words)
	lead := s.words[0] // the frame of the first wave has the words of the block; see package sel
	for first := 0; ; {
		// The words by which the code opens barriers itself; see package sel.
		lead[abi.CtlFirst/8], lead[abi.CtlBehind/8] = uint64(uintptr(s.frames[first])), uint64(behind)
		lead[abi.CtlBoth/8], lead[abi.CtlAny/8] = math.MaxUint64, 0
		lead[abi.CtlRounds/8] = min(rounds, maxSlices/uint64(n)) - 1 // one round comes before the first barrier
		k.code.Call(p.startAt, s.frames[first])
		for behind = int(lead[abi.CtlBehind/8]); uintptr(s.frames[first]) != uintptr(lead[abi.CtlFirst/8]); {
			first = (first + n - 1) % n // machine code has opened a barrier
		}
		p.led(s)
		passed := p.reportSkipped(b, s, blocks)
		done, bars, at := 0, 0, uint64(notYet)
		for j := range n {
			i := (first + j) % n
			x := s.words[i][abi.CtlExit/8]
			// Count the waves that ended and those that wait at one and the same barrier.
			switch p.exits[x].Kind {
			case abi.ExitDone:
				done++
			case abi.ExitBar:
				if at == notYet || at == x {
					at = x
					bars++
				}
			default:
				if passed > 0 {
					p.before(b, s, j+1)
				}
				return p.breakUp(b, s, first, j, behind), false
			}
		}
		// All waves have ended: the block is done.
		if done == n {
			if first > 0 { // the chain begins with wave 0 again
				s.words[first-1][abi.CtlNext/8] = uint64(uintptr(s.frames[first]))
				s.words[n-1][abi.CtlNext/8] = 0
			}
			s.each = p.total(b, s) / (passed + 1)
			return 0, true
		}
		// The wave that comes to a barrier last opens it, and its time slice goes on.
		last := (first + n - 1) % n
		c := s.words[last]
		rounds = (patience - min(patience, s.used())) / round
		// Some waves ended and some wait, or the run must stop, or a budget is used up:
		// package sim decides.
		if bars < n || b.Stopped() || int64(c[ctlCounter]) < 0 || rounds == 0 {
			return p.breakUp(b, s, first, n, behind), false
		}
		// All waves wait at one barrier, so it opens here.
		behind = int(at)
		for i, c := range s.words {
			if i != last {
				c[ctlCounter] = (sim.WaveQuantum-1)<<32 | uint64(uint32(c[ctlCounter]))
			}
		}
		// The rest of the waves follow in their order.
		c[abi.CtlNext/8] = uint64(uintptr(s.frames[first]))
		first = last
		s.words[(first+n-1)%n][abi.CtlNext/8] = 0
	}
}

// maxSlices is how many time slices the waves of a block may have, together, before Go looks whether the run
// has to stop.
const maxSlices = 1 << 11

// used returns how many instructions the waves of the block have run since Go began the chain.
func (s *blockStorage) used() (n uint64) {
	for _, c := range s.words {
		n += uint64(start - uint32(c[ctlCounter]))
	}
	return n
}

// lead lets groups of waves begin together in a coarsened body, each led by its first wave. If a store is made
// that the coarsened body did not make, the waves that have not had their turn must begin alone: see package
// coarsen.
func (p *native) lead(k *Kernel, b *sim.Block, s *blockStorage) {
	if s.leads = s.leads[:0]; p.passAt == 0 {
		return
	}
	if s.single > 0 {
		s.single--
		return
	}
	for i := 0; i+p.together <= len(b.Waves); i += p.together {
		if b.Waves[i+p.together-1].Initial != lane.All(p.lanes) {
			break
		}
		c := s.words[i]
		c[abi.CtlResume/8], c[abi.CtlVain/8] = p.address(k, p.passAt), 0
		s.leads = append(s.leads, i)
	}
}

// led checks whether coarsened bodies were given up. If that happens often, the waves of the next blocks begin
// alone.
func (p *native) led(s *blockStorage) {
	for _, i := range s.leads {
		if s.words[i][abi.CtlVain/8] == 0 {
			s.given = 0
			continue
		}
		if s.given++; s.given >= maxGiven {
			s.given, s.single = maxGiven-1, alone
		}
	}
	s.leads = s.leads[:0]
}

// After maxGiven coarsened bodies that were given up, one after another, the waves of the next alone blocks
// begin alone.
const (
	maxGiven = 4
	alone    = 64
)

// total accounts for a block that has ended, and returns its instructions.
func (p *native) total(b *sim.Block, s *blockStorage) (n uint64) {
	changed, lanes := uint64(0), uint64(0)
	for i, c := range s.words {
		x, y := p.counted(b.Waves[i], c)
		n, lanes = n+x, lanes+y
		changed |= c[abi.CtlChanged/8]
	}
	b.Waves[0].Ran(n, lanes, 0)
	b.Waves[0].Native(n)
	if changed != 0 {
		b.Changed()
	}
	return n
}

// before accounts for the waves from number ran on. They have not begun in this block, so their counters are of
// earlier blocks.
func (p *native) before(b *sim.Block, s *blockStorage, ran int) {
	for i, w := range b.Waves[min(ran, len(b.Waves)):] {
		c := s.words[ran+i]
		if c[abi.CtlResume/8] != c[abi.CtlBegin/8] { // it has only been in a coarsened body
			const before = abi.CtlBefore / 8
			c[ctlCounter], c[abi.CtlLanes/8], c[abi.CtlLast/8] = c[before], c[before+1], c[before+2]
		}
		n, lanes := p.counted(w, c)
		w.Ran(n, lanes, 0)
		w.Native(n)
	}
}

// counted returns how many instructions a wave has run, and for how many lanes in all.
func (p *native) counted(w *sim.Wave, c *controls) (n, lanes uint64) {
	left := uint32(c[ctlCounter])
	counted := c[ctlActive]
	if x := w.Func.Exec; x != 0 {
		counted = uint64(w.Mask(x))
	}
	return uint64(start - left), c[abi.CtlLanes/8] + uint64(uint32(c[abi.CtlLast/8])-left)*uint64(bits.OnesCount64(counted))
}

// breakUp turns the waves of the block into waves that package sim can continue. They run in turn from wave
// first on. The first n have ended or wait at a barrier. The next wave, if there is one, has left the code for
// another reason. The waves after that have not run since the barrier behind; if behind is -1, they have not
// run at all.
func (p *native) breakUp(b *sim.Block, s *blockStorage, first, n, behind int) (from int) {
	s.ready = false
	count := len(b.Waves)
	ran := count // from wave 0 on
	if behind < 0 {
		ran = min(n+1, count)
	}
	b.BeginAll(ran, p.plan.first)
	// From here on the waves are those of package sim: each gets its place, its counts and
	// its lanes.
	f := b.Waves[0].Func
	wait := func(w *sim.Wave, exit int) {
		e := &p.exits[exit]
		w.Take(e.Block)
		w.Engine.(*state).life = life{valid: true, landing: e.Block + 1, land: p.address(w.Engine.(*state).kernel, e.LandAt), waited: w.Active, came: w.Active}
		w.Wait(&f.Code[e.Inst], w.Active)
	}
	left := -1
	if n < count {
		left = (first + n) % count
	}
	changed := uint64(0)
	for _, c := range s.words {
		changed |= c[abi.CtlChanged/8]
	}
	if changed != 0 {
		b.Changed()
	}
	for i, w := range b.Waves {
		c := s.words[i]
		c[abi.CtlNext/8], c[abi.CtlRow/8] = 0, 0
		if i >= ran || i == left {
			continue
		}
		n, lanes := p.counted(w, c)
		w.Ran(n, lanes, 0)
		w.Native(n)
		w.Clock += c[abi.CtlClock/8] - start
	}
	if behind >= 0 {
		for i, w := range b.Waves {
			wait(w, behind)
			if (i+count-first)%count > n { // the waves up to n have run on since
				p.constants(w, p.exits[behind].Block+1)
			}
		}
	}
	for j := range n {
		i := (first + j) % count
		w, exit := b.Waves[i], int(s.words[i][abi.CtlExit/8])
		if p.exits[exit].Kind == abi.ExitBar {
			wait(w, exit)
			p.constants(w, p.exits[exit].Block+1)
			continue
		}
		w.Engine.(*state).life = life{}
		w.Take(p.exits[exit].Block)
		w.Exit(w.Live)
	}
	if left >= 0 {
		b.Waves[left].Engine.(*state).life = life{valid: true, left: true}
		return left
	}
	// The time slice of the last wave goes on, if it has opened a barrier: see sim.Wave.Continue.
	from = (first + n - 1) % count
	if b.Waves[from].Live == 0 {
		return from + 1 // the rest of its time slice would go to another block
	}
	rest := int(int32(s.words[from][ctlCounter]>>32)) + 1
	b.Waves[from].Continue(rest)
	return from
}
