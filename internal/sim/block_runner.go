package sim

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A BlockRunner is a Program that can run the waves of a block one after another by itself. It may do so as
// long as the waves only run to their ends or wait for each other at barriers. For short waves, the time
// slices of this package cost more than the waves themselves.
//
// Input: a block that has begun while its waves have not. Their frames may hold values of an earlier block.
// Output: ended, true if all waves have ended; nothing else matters then. Else RunBlock has called BeginAll
// and has put every wave where it is, by Take, Exit and Wait, in the order of their turns. from is the
// first wave that has not had its turn in the current round: it continues its time slice, or begins one.
// Each wave has used as much of its time slice as in the loop of this package, because that shows in the counts
// of instructions: see Continue.
// Invariant: RunBlock calls Ready, which prepares the frames, before it runs a wave.
// Example: a block of 4 waves; waves 0 and 1 reach a barrier and wave 2 needs the interpreter. RunBlock
// calls BeginAll, parks waves 0 and 1 by Wait, places wave 2 by Take, and returns 2, false.
type BlockRunner interface {
	Program
	RunBlock(b *Block) (from int, ended bool)
}

// sweeps returns the program if it is a BlockRunner, and no option of the launch observes single waves,
// makes some lanes idle or changes the order of execution; else nil.
func (l *Launch) sweeps() BlockRunner {
	s, ok := l.program.(BlockRunner)
	if !ok || l.Setup != nil || l.Inspect != nil || l.Recorder != nil || l.Races != nil || l.Track || l.Look != nil ||
		l.Idle != 0 || l.Schedule != (Schedule{}) || l.Func.NewObserver != nil && l.Func.Observed == nil || len(l.Func.Steps) > 0 {
		return nil
	}
	return s
}

// begin starts the waves, unless a BlockRunner does. from is the wave to go on with; late says that it is
// in the middle of a round.
func (b *Block) begin() (from int, late bool) {
	if s := b.sweeper; s != nil && !b.plain && b.unobserved() {
		from, ended := s.RunBlock(b)
		if ended {
			return len(b.Waves), false
		}
		if b.begun {
			b.begun = false
			return from, true
		}
	}
	b.startWaves()
	return 0, false
}

// unobserved reports whether the observers of the waves see nothing unless an Observe operation runs in Go,
// which a BlockRunner leaves to package sim. It starts the observers.
func (b *Block) unobserved() bool {
	if b.Launch.Func.NewObserver == nil {
		return true
	}
	for _, w := range b.Waves {
		if w.observer.Start(); !w.Calm() {
			return false
		}
	}
	return true
}

// startWaves starts all waves of the block at the first basic block.
func (b *Block) startWaves() {
	for _, w := range b.Waves {
		w.clean = false
		clear(w.last)
		w.start()
	}
}

// Stopped reports whether the run has to end.
func (b *Block) Stopped() bool { return b.Launch.stop.Load() != nil }

// Budget is how many instructions the waves of the block may run before RunBlock has to return to the
// scheduler of blocks.
func (b *Block) Budget() uint64 {
	n := b.Worker.budget
	if limit := b.Launch.Limit; limit > 0 {
		n = min(n, limit-min(limit, b.stats.WaveInstructions))
	}
	return n
}

// Again makes b the next block of the grid, without returning to the worker. RunBlock calls it when all
// waves of the block have ended. It returns 0 if the worker would not begin that block at once. As at the
// beginning of RunBlock, the waves of the new block have not begun, and RunBlock may return without having
// run them. The result counts blocks of one row of the grid, at most most, that this worker runs one after
// another from this one on: see Skipped.
func (b *Block) Again(most uint64) uint64 {
	k, l := b.Worker, b.Launch
	if len(k.resident) != 1 || b.cluster != nil || k.plain || k.admit > 0 || b.stuck != 0 || b.barred || l.Limit > 0 || l.stop.Load() != nil || !b.unobserved() {
		return 0
	}
	if len(b.Shared) > 0 || !l.text.idle || b.Waves[0].Local != nil {
		most = 1
	}
	// A run of consecutive blocks is reserved, so that the engine can go through a row of the grid.
	if k.ahead == 0 {
		k.reserve(most)
	}
	n, ok := k.take()
	if !ok {
		return 0
	}
	b.ended()
	b.start(n)
	b.fresh = false
	b.before = k.stats.WaveInstructions
	return min(1+k.ahead, most, uint64(l.Grid[0])-n%uint64(l.Grid[0]))
}

// Skipped declares that RunBlock has run n blocks: b and the blocks after it that Again has granted. b then
// is the block after them. The observers are as they were when b began, because they were calm.
func (b *Block) Skipped(n uint64) {
	k := b.Worker
	k.ahead -= n
	k.following += n
	k.stats.Blocks += n
	if e := b.Launch.Ended; e != nil {
		e.Add(n)
	}
	b.start(b.block + n)
	b.fresh = false
}

// Clean reports whether only RunBlock has run in the frames of the block's waves since the last call of
// Ready.
func (b *Block) Clean() bool { return b.Waves[0].clean }

// Changed declares that waves have changed memory that other blocks can see.
func (b *Block) Changed() { b.changes++ }

// SweepKeep is the place where an engine keeps its data about the storage of a block.
func (b *Block) SweepKeep() *any { return &b.runner }

// Ready prepares the frames and the private memory of the waves. RunBlock calls it before it runs them. If
// clean, the frames are as a block left them: since the last Ready, only the given parts of the guest's
// area have been written. If first, only the element of lane 0 of inputs that differ between blocks will be
// read, unless BeginAll is called; nothing else writes the elements of the other lanes.
func (b *Block) Ready(clean bool, parts []FrameRange, first bool) {
	for _, w := range b.Waves {
		if !clean || !w.clean {
			w.startFrame()
			w.clean = true
		} else {
			for _, p := range parts {
				w.restore(p)
			}
		}
		if w.Local != nil {
			w.clearLocal()
		}
	}
	if !first {
		for _, w := range b.Waves {
			w.blockInputs(false)
		}
		return
	}
	w := b.Waves[0]
	for _, in := range w.perBlock {
		x, v := w.blockInput(in), w.Func.Val(in.Dst)
		if v.Type != ir.B32 {
			for _, w := range b.Waves {
				w.Set(in.Dst, 0, x)
			}
			continue
		}
		for _, w := range b.Waves {
			*(*uint32)(unsafe.Add(w.Base, v.Off)) = uint32(x)
		}
	}
}

// A FrameRange is a range of a frame, in words of 8 bytes.
type FrameRange struct{ At, Words uint32 }

// restore gives a part of the frame the values that it holds at the start of every block.
func (f *ValueFrame) restore(p FrameRange) {
	for i := int(p.At); i < int(p.At+p.Words); i++ {
		x := uint64(0)
		if j := i - f.imageAt; j >= 0 && j < len(f.image) {
			x = f.image[j]
		}
		f.frame[i] = x
	}
}

// BlockInputs returns the inputs that differ between blocks.
func (f *ValueFrame) BlockInputs() []ir.Input { return f.perBlock }

// blockInputs fills the inputs that differ between blocks: all elements, or only the first.
func (w *Wave) blockInputs(first bool) {
	for _, in := range w.perBlock {
		if x := w.blockInput(in); first {
			w.Set(in.Dst, 0, x)
		} else {
			w.Fill(in.Dst, x)
		}
	}
}

// blockInput is the value of an input that differs between blocks.
func (w *Wave) blockInput(in ir.Input) uint64 {
	if in.Kind <= ir.BlockIDZ {
		return uint64(w.index[in.Kind-ir.BlockIDX])
	}
	switch c := w.Launch.clusterDim(); {
	case in.Kind == ir.LinearBlockID:
		return w.block
	case in.Kind == ir.ClusterRank:
		return w.rank
	case in.Kind == ir.SharedFirst:
		return w.rank << ir.RankShift
	case in.Kind <= ir.ClusterIDZ:
		d := in.Kind - ir.ClusterIDX
		return uint64(w.index[d] / c[d])
	default:
		d := in.Kind - ir.ClusterBlockIDX
		return uint64(w.index[d] % c[d])
	}
}

// startFrame gives the guest's part of the frame the values that it holds at the start of every block,
// except for the inputs that differ. In a launch of one block the frame is still untouched then; see
// startAnew.
func (w *Wave) startFrame() {
	if w.Launch.Blocks() == 1 {
		return
	}
	guest := w.frame[:w.Func.GuestSize/8]
	clear(guest[:w.imageAt])
	clear(guest[w.imageAt+copy(guest[w.imageAt:], w.image):])
}

// startAnew starts a wave that has not run but whose frame a BlockRunner may have written. Machine code may
// compute values that several waves begin with, and then exit to the interpreter.
func (w *Wave) startAnew() {
	if w.Launch.Blocks() == 1 { // there is no image
		clear(w.frame[:w.Func.GuestSize/8])
		w.perBlock = w.perBlock[:0]
		w.firstInputs()
	}
	w.start()
}

// BeginAll makes all waves of the block begin: at the first basic block, with all lanes. RunBlock has begun
// to run the first ran waves; their frames stay as they are. first is the argument that Ready had.
func (b *Block) BeginAll(ran int, first bool) {
	b.begun = true
	for i, w := range b.Waves {
		w.clean = false
		if i >= ran {
			w.startAnew()
			continue
		}
		if first {
			for _, in := range w.perBlock {
				if !w.Func.Val(in.Dst).Scalar { // a scalar is there already, or a newer value of it
					w.Fill(in.Dst, w.blockInput(in))
				}
			}
		}
		w.startLanes()
	}
}

// Continue gives the wave's next time slice the rest of a budget; 0 or less means that work has used it up. The
// rest is exact, because the end of a slice shows in the counts of instructions: lanes that use up a slice let
// the other lanes of their wave run past them.
func (w *Wave) Continue(quantum int) {
	if w.quantum = quantum; quantum <= 0 {
		w.quantum = -1
	}
}

// First returns the lanes that run at the start of a block.
func (w *Wave) First() lane.Mask {
	if w.Func.Exec != 0 {
		return w.full
	}
	return w.Initial
}

// Take makes the wave's only fragment, which has all its lanes, the running one, and moves it to basic
// block pc.
func (w *Wave) Take(pc int) {
	w.take(0, waveQuantum)
	w.PC = pc
}

// Frame is the address of the wave's frame.
func (f *ValueFrame) Frame() uint64 { return uint64(uintptr(unsafe.Pointer(f.Base))) }
