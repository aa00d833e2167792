package sim

import (
	"encoding/binary"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The events of a launch that a race detector needs. This package looks for no races. It reports which
// lanes access which memory, and which events order these accesses. Launch.Races receives the reports;
// internal/check/race is the detector.
//
// Input: ir.Access and ir.ClaimReadOnly operations, which instrumentation has added; the accesses that this
// package does itself; rendezvous and barriers.
// Output: calls of the interfaces below, on the goroutine of the worker.
// Invariant: a report comes before its access is done, so that memory still has the old contents. In each
// phase of a barrier the waves arrive, the barrier opens, and the lanes leave, in this order.
// Example: wave 0 stores to shared memory, and wave 1 loads the bytes after bar.sync 0. The reports are
// Access of wave 0, Arrive(0) of both waves, Open(0), Leave(0) of both waves, Access of wave 1.

// A RaceDetector compares the accesses of a launch. It serves one launch, of one worker.
type RaceDetector interface {
	// Block returns the receiver of the events in one block's storage. Several blocks of the grid use a
	// storage one after another. Func, Launch, Shared and Waves of the storage are set and stay.
	Block(b *Block) BlockRaces
}

// BlockRaces receives the events of one block after another.
type BlockRaces interface {
	// Start begins the block of that linear index. None of its lanes has run.
	Start(block uint64)
	// Wave returns the receiver of the events of one wave.
	Wave(id int) WaveRaces
	// Open ends the phase of a barrier. A barrier is whole if it waits for all waves of the block, and not
	// for a number of lanes.
	Open(barrier int, whole bool)
	// Exit is called when all lanes of the block have exited.
	Exit()
	// End ends the block. It is called in clusters of several blocks, whose other blocks may run.
	End()
}

// WaveRaces receives the events of one wave.
type WaveRaces interface {
	// Access is called by an ir.Access operation: before lanes access memory, at a fence, and at a wait for
	// copies.
	Access(in *ir.Inst, lanes lane.Mask)
	// ReadOnly is called when lanes read memory that must not change during the launch.
	ReadOnly(in *ir.Inst, lanes lane.Mask)
	// Operation begins the accesses of an operation that this package does itself. It may return nil if the
	// detector does not look for races any longer.
	Operation(in ir.Inst, kind ir.AccessKind) OperationRaces
	// Sync is called when lanes have met at an operation that orders their accesses.
	Sync(lanes lane.Mask)
	// Arrive is called when lanes arrive at a barrier, also if they do not wait there.
	Arrive(barrier int, lanes lane.Mask)
	// ArriveRelaxed is called when lanes arrive at a barrier, and only fences that they have executed order their accesses.
	ArriveRelaxed(barrier int, lanes lane.Mask)
	// Leave is called when lanes go on behind a barrier that has opened. Their later accesses come after the
	// accesses of the lanes that arrived in the last phase that has ended. It may be called several times.
	Leave(barrier int, lanes lane.Mask)
}

// OperationRaces receives the accesses of one operation.
type OperationRaces interface {
	// Touch is called before lane i accesses n bytes. data holds the stored bytes; nil: not known, or a read.
	Touch(i int, space ir.Space, addr, n uint64, data []byte)
	// End is called when the operation is done, or has faulted.
	End()
}

// ClusterBarrier is the number of the cluster's barrier for a RaceDetector. The barriers of the block have
// the lower numbers.
const ClusterBarrier = numBarriers

// Access performs an Access operation.
func (w *Wave) Access(in *ir.Inst, m lane.Mask) {
	if w.races == nil {
		return
	}
	if in.Scalar {
		m = lane.Lane(0)
	}
	w.beyondAll(in, m)
	w.races.Access(in, m)
	w.breathe()
}

// breathe follows slow work of a check: if the launch has to end, so does the time slice.
func (w *Wave) breathe() {
	if w.Launch.breath.slow() && w.Launch.stop.Load() != nil {
		w.Budget = min(w.Budget, 0)
	}
}

// ownAccesses are the accesses of one operation that this package does itself: rows and tiles of matrices,
// bulk copies, and services of the runtime.
type ownAccesses struct {
	w    *Wave
	in   *ir.Inst
	kind ir.AccessKind
	to   OperationRaces // nil: there is no detector, or the operation moves undefined bits
}

// accesses begins the accesses of an operation.
func (w *Wave) accesses(in *ir.Inst, kind ir.AccessKind) (x ownAccesses) {
	if w.races != nil && in.Flags&ir.Undefined == 0 {
		x = ownAccesses{w, in, kind, w.races.Operation(*in, kind)}
	}
	return x
}

// touch reports an access of lane i, before it is done.
func (x *ownAccesses) touch(i int, space ir.Space, addr, n uint64, data []byte) {
	if x.to == nil || n == 0 {
		return
	}
	if x.w.Func.Apart != nil {
		x.w.beyondOne(x.in, x.kind, i, space, addr, n)
	}
	x.to.Touch(i, space, addr, n, data)
}

// bytes returns the lowest n bytes of v, for a store.
func (x *ownAccesses) bytes(v, n uint64) []byte {
	if x.to == nil || x.kind == ir.AccessRead {
		return nil
	}
	return binary.LittleEndian.AppendUint64(nil, v)[:n]
}

// end ends the operation.
func (x *ownAccesses) end() {
	if x.to != nil {
		x.to.End()
	}
}

// touch reports an access of the runtime, for the lane that called it.
func (c *hostCall) touch(kind ir.AccessKind, addr, n uint64) {
	if c.w.races != nil && c.fault == nil {
		x := c.w.accesses(c.access(kind == ir.AccessWrite), kind)
		x.touch(c.lane, ir.Generic, addr, n, nil)
		x.end()
	}
}
