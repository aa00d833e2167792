package sim

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A Sweeper is a Program that can run the waves of a block one after another by itself, as
// long as they do nothing but run to their ends or wait for each other at barriers: the
// turns of this package cost more than short waves do.
//
// The block has begun, but its waves have not: of their frames the engine knows whether
// they are as they shall be. Sweep calls Ready, which prepares the frames,
// before it runs them. If all have ended, ended is true, and nothing else matters. Else Sweep
// calls Late, then puts every wave where it is, by Take, Exit and Wait, in the order of
// their turns; from is the first wave that has not had its turn in the round at hand: it
// goes on with the turn that it is in, or begins one.
type BlockRunner interface {
	Program
	RunBlock(b *Block) (from int, ended bool)
}

// sweeps returns the program if it is a Sweeper, and the launch is one that nobody looks at.
func (l *Launch) sweeps() BlockRunner {
	s, ok := l.program.(BlockRunner)
	if !ok || l.Setup != nil || l.Inspect != nil || l.Recorder != nil || l.Races != 0 || l.Track || l.Look != nil ||
		l.Idle != 0 || l.Schedule != (Schedule{}) || l.Func.NewObserver != nil && l.Func.Observed == nil || len(l.Func.Steps) > 0 {
		return nil
	}
	return s
}

// begin starts the waves, unless a Sweeper does, and tells where to go on; late: in the middle of
// a round.
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

// calm reports whether the observers of the waves begin as such that see nothing unless Go
// runs an Observe operation, which a Sweeper leaves to package sim.
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

func (b *Block) startWaves() {
	for _, w := range b.Waves {
		w.clean = false
		clear(w.last)
		w.start()
	}
}

// Stopped reports whether the run is to end.
func (b *Block) Stopped() bool { return b.Launch.stop.Load() != nil }

// Patience is how many instructions the waves of the block may run before Sweep has to let
// the others of the worker have a look at it.
func (b *Block) Budget() uint64 {
	n := b.Worker.budget
	if limit := b.Launch.Limit; limit > 0 {
		n = min(n, limit-min(limit, b.stats.WaveInstructions))
	}
	return n
}

// Wrapped says that the wave in hand is in the round behind the one in which the last barrier
// was opened. It comes behind Late.
func (b *Block) Wrapped() { b.grace = graceRounds - 1 }

// Again is called by Sweep when all waves of the block have ended. If it returns a number b is the
// next block of the grid now, to be swept as well: its worker would begin that one next, and
// nothing stands against doing so at once. As at the beginning of Sweep its waves have not
// begun, and Sweep may return without having run them. The number is of the blocks of a row of
// the grid, at most most, that its worker runs one after another from this one on: see Passed.
func (b *Block) Again(most uint64) uint64 {
	k, l := b.Worker, b.Launch
	if len(k.resident) != 1 || k.plain || k.admit > 0 || b.stuck != 0 || b.barred || l.Limit > 0 || l.stop.Load() != nil || !b.unobserved() {
		return 0
	}
	if len(b.Shared) > 0 || !l.text.idle || b.Waves[0].Local != nil {
		most = 1
	}
	if k.ahead == 0 {
		k.reserve(most)
	}
	n, ok := k.take()
	if !ok {
		return 0
	}
	b.began()
	b.ended()
	b.start(n)
	b.fresh = false
	b.before, b.changed = k.stats.WaveInstructions, k.changes
	return min(1+k.ahead, most, uint64(l.Grid[0])-n%uint64(l.Grid[0]))
}

// Passed says that Sweep has run n blocks, b and those behind it of those that Again spoke of:
// b is the one behind them now. Observers are as they were when b began, for they were calm.
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

// Earlier says that of the instructions that have been accounted for, or are about to be before
// the turn ends in which Sweep returns, n are of blocks that have passed.
func (b *Block) Earlier(n uint64) { b.before += n }

// Clean reports whether nothing but Sweep has run in the frames of the block's waves since
// the last one.
func (b *Block) Clean() bool { return b.Waves[0].clean }

// Changed says that waves have changed memory that other blocks can see.
func (b *Block) Changed() { b.changes++ }

// SweepKeep is where an engine keeps what it knows of the storage of a block.
func (b *Block) SweepKeep() *any { return &b.runner }

// Ready prepares the frames and the private memory of the waves for Sweep, which calls it
// before it runs them. Frames are as blocks leave them: clean says that of the guest's part
// nothing but the parts given has been written since the last Ready. first says that only
// the first lane's element of inputs that differ between blocks will be looked at, unless
// Late is called; nothing else writes those of lanes.
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

// A Part is a range of a frame, in whole words.
type FrameRange struct{ At, Words uint32 }

// restore gives a part of the frame what it holds at the start of every block.
func (w *Wave) restore(p FrameRange) {
	for i := int(p.At); i < int(p.At+p.Words); i++ {
		x := uint64(0)
		if j := i - w.imageAt; j >= 0 && j < len(w.image) {
			x = w.image[j]
		}
		w.frame[i] = x
	}
}

// BlockInputs are the inputs that differ between blocks.
func (w *Wave) BlockInputs() []ir.Input { return w.perBlock }

// blockInputs fills them: all elements, or only the first.
func (w *Wave) blockInputs(first bool) {
	for _, in := range w.perBlock {
		if x := w.blockInput(in); first {
			w.Set(in.Dst, 0, x)
		} else {
			w.Fill(in.Dst, x)
		}
	}
}

func (w *Wave) blockInput(in ir.Input) uint64 {
	if in.Kind == ir.LinearBlockID {
		return w.block
	}
	return uint64(w.index[in.Kind-ir.BlockIDX])
}

// startFrame gives the guest's part of the frame what it holds at the start of every block,
// but for the inputs that differ. In a launch of one block nobody has touched it when it
// starts; see startAnew.
func (w *Wave) startFrame() {
	if w.Launch.Blocks() == 1 {
		return
	}
	guest := w.frame[:w.Func.GuestSize/8]
	clear(guest[:w.imageAt])
	clear(guest[w.imageAt+copy(guest[w.imageAt:], w.image):])
}

// startAnew starts a wave whose frame a Sweeper may have written to, though nothing of it has run:
// machine code may do what several waves begin with, and then leave.
func (w *Wave) startAnew() {
	if w.Launch.Blocks() == 1 { // there is no image
		clear(w.frame[:w.Func.GuestSize/8])
		w.perBlock = w.perBlock[:0]
		w.firstInputs()
	}
	w.start()
}

// Late makes all waves of the block ones that have begun: at the first basic block, with
// all lanes. The first ran waves are those that Sweep has begun to run, whose frames stay as
// they are.
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
				if !w.Func.Val(in.Dst).Scalar { // what is one is there, or something newer
					w.Fill(in.Dst, w.blockInput(in))
				}
			}
		}
		w.startLanes()
	}
}

// Continue gives the wave's next turn what is left of a quantum; if that is nothing the turn ends
// as one that work has used up. changed says that it has changed what others see in the part of the
// turn that has been.
func (w *Wave) Continue(quantum int, changed bool) {
	if w.quantum = quantum; quantum <= 0 {
		w.quantum = -1
	}
	w.hasChanged = changed
}

// First is the lanes that run at the start of a block.
func (w *Wave) First() lane.Mask {
	if w.Func.Exec != 0 {
		return w.full
	}
	return w.Initial
}

// Take makes the wave's only fragment, which has all its lanes, the running one, at basic
// block pc.
func (w *Wave) Take(pc int) {
	w.take(0, waveQuantum)
	w.PC = pc
}

// Frame is the address of the wave's frame.
func (w *Wave) Frame() uint64 { return uint64(uintptr(unsafe.Pointer(w.Base))) }
