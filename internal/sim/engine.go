package sim

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The optional interfaces of an engine beyond Program, and the requests that it may make to a Wave.

// A Specialiser is a Program that can be improved for one launch, whose grid, block, arguments and options
// are then given.
type Specialiser interface {
	Program
	// Specialise returns the program that runs in place of this one. Run calls it once, before it makes
	// workers. An error ends the run before it starts.
	Specialise(l *Launch) (Program, error)
}

// A FrameSizer is a Program that needs larger frames than Func.FrameSize. The added bytes are 0 when the
// wave is made; after that only the engine touches them.
type FrameSizer interface {
	Program
	FrameBytes() uint32
}

// A Starter is a Program whose Start is called whenever a wave starts: once for each block that the wave
// runs. Its frame is ready then.
type Starter interface {
	Program
	Start(w *Wave)
}

// frameBytes is the size of the launch's frames.
func (l *Launch) frameBytes() uint32 {
	n := l.Func.FrameSize
	if s, ok := l.program.(FrameSizer); ok {
		n = max(n, s.FrameBytes())
	}
	return n
}

// frameWords is the number of words of 8 bytes in a frame.
func (l *Launch) frameWords() int { return int(l.frameBytes()+7)/8 + 1 }

// frameStride is the distance, in words, between the frames of a block.
func (l *Launch) frameStride() int {
	const line = Align / 8
	return (l.frameWords() + line - 1) / line * line
}

// Align is the alignment, in bytes, of frames, of the shared memory of blocks and of the
// private memory of lanes: a cache line, and the longest vector register.
const Align = 64

// alignedWords makes n words that begin at a multiple of Align.
func alignedWords(n int) []uint64 {
	const line = Align / 8
	w := make([]uint64, n+line-1)
	skip := int(-uintptr(unsafe.Pointer(&w[0])) % Align / 8)
	return w[skip : skip+n : skip+n]
}

// alignedBytes makes n bytes that begin at a multiple of Align. The last word may be read and written as a
// word of 8 bytes.
func alignedBytes(n uint64) []byte {
	if n == 0 {
		return []byte{}
	}
	w := alignedWords(int((n + 7) / 8))
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w))[:n]
}

// Grow makes the wave's frame at least n bytes large. The frame may move: Base changes. The added bytes are
// 0.
func (f *ValueFrame) Grow(n uint32) {
	if words := int(n+7)/8 + 1; words > len(f.frame) {
		frame := alignedWords(words)
		copy(frame, f.frame)
		f.frame, f.Base = frame, unsafe.Pointer(&frame[0])
	}
}

// Fragments is how many fragments the wave has beside the running one.
func (s *fragments) Fragments() int { return len(s.frags) }

// EachFragment calls f for the fragments beside the running one. If one of them is deferred, it calls f for
// none and returns false.
func (s *fragments) EachFragment(f func(pc int, lanes lane.Mask)) bool {
	for i := range s.frags {
		if s.frags[i].deferred {
			return false
		}
	}
	s.AllFragments(f)
	return true
}

// Overtook reports whether, in this block of the grid, lanes of the wave have run while other lanes were
// ready at a lower place. Those had been deferred, because they were spinning. From then on lanes that come
// together may be in different iterations of a loop.
func (s *fragments) Overtook() bool { return s.overtook }

// AllFragments calls f for all fragments beside the running one, deferred or not.
func (s *fragments) AllFragments(f func(pc int, lanes lane.Mask)) {
	for i := range s.frags {
		f(s.frags[i].pc, s.frags[i].lanes)
	}
}

// EachParked calls f for the lanes that wait at the end of basic blocks.
func (s *fragments) EachParked(f func(pc int, lanes lane.Mask)) {
	for i := range s.parked {
		f(s.parked[i].pc, s.parked[i].lanes)
	}
}

// Ran accounts for guest instructions that machine code ran: n instructions, the sum of their lanes, and
// the rest of the budget.
func (w *Wave) Ran(n, lanes uint64, budget int) {
	w.Budget = budget
	w.Clock += n
	w.stats.WaveInstructions += n
	w.stats.LaneInstructions += lanes
}

// Lasting reports whether the allocation of the last access stays until the launch ends: it is not on the
// device's heap.
func (w *Wave) Lasting() bool { return w.Last == nil || !w.Last.heap }

// TakeFragments gives all fragments beside the running one to f, in no defined order, and removes them from
// the wave. The engine then has to schedule them as this package does, or to put them back with
// AddFragment. If one of them is deferred, TakeFragments takes none and returns false.
//
// Limit and StopBack of the running fragment still come from the fragments that were taken.
func (s *fragments) TakeFragments(f func(pc int, lanes lane.Mask)) bool {
	for i := range s.frags {
		if s.frags[i].deferred {
			return false
		}
	}
	for i := range s.frags {
		f(s.frags[i].pc, s.frags[i].lanes)
	}
	s.frags = s.frags[:0]
	return true
}

// AddFragment puts lanes at basic block pc, and merges them with the lanes that are there. They are not
// part of the running fragment.
func (s *fragments) AddFragment(pc int, lanes lane.Mask) { s.add(pc, lanes, false) }

// Parked returns the lanes that wait at a rendezvous or a barrier.
func (s *fragments) Parked() lane.Mask {
	var m lane.Mask
	for i := range s.parked {
		m |= s.parked[i].lanes
	}
	return m
}

// Straying reports whether the wave's fragments run in an order other than the usual one: not the lowest
// program counter first, or not until they meet.
func (w *Wave) Straying() bool { return w.strays() }

// LaunchInput returns the value of an input that is the same in all lanes of all waves of the launch. ok is
// false if the input is not of that kind.
func (l *Launch) LaunchInput(in ir.Input) (x uint64, ok bool) {
	if in.Kind.ByBlock() {
		return 0, false
	}
	switch in.Kind {
	case ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ,
		ir.LaneID, ir.WaveID, ir.WaveInfo, ir.ActiveMask0:
		return 0, false
	}
	return l.input(in, 0), true
}
