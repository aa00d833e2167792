package screen

import "example.org/crosslane/internal/ir"

// The comparison of an access with the tags of a piece of memory, and the tags that it leaves.
//
// Input: an access of some lanes, and the tags of the piece: of its last writer, and of its last readers.
// Output: suspicion of lanes, and new tags.
// Invariant: if no lane is suspicious, then a barrier, or the program of one thread, orders the access after each access
// before it that one of the two writes. What a tag says, and what an access of a thread may meet:
//
//	tag of the last writer           load   store   atomic   copy
//	a launch before this one         yes*   yes     yes*     yes
//	this thread, this interval       yes    yes     yes      yes
//	another thread, this interval    no     no      no       no
//	this block, an interval before   yes    yes     yes      yes
//	another block                    no     no      no       no
//	a copy of this thread, done      yes    yes     -        yes
//	a copy of this thread, not done  no     no      -        yes
//	a copy that the block knows done yes    yes     -        yes
//	a copy of another thread         no     no      -        no
//
// *: not in shared memory, where it has not been written. A tag of readers forbids other threads of the interval, and other
// blocks, to write. update.go has the tags of atomics that commute. Lanes of one access that meet at a piece, and one of which
// writes, are suspicious.
// Example: a load meets the tag of another block: suspicious, whatever the order of the run was.

// A meeting is an access to a piece of memory.
type meeting struct {
	*ir.Inst         // its lanes
	kind             ir.AccessKind
	writers, readers ir.Ref // the addresses of the tags; readers 0: no other access of the interval, or of the launch, writes (or reads)
	off              uint64 // is added to both
	global           bool   // blocks share the memory
	updates          bool   // the atomics of the memory commute
	copies           bool   // a store that its thread has to wait for
}

// meet emits the comparisons, and leaves the tags.
func (w *writer) meet(x *meeting) {
	if x.kind != ir.AccessRead && x.readers != 0 {
		w.suspect(w.conflict(w.load(x.readers, x.off, 0, x.Inst), x.global), x.Inst)
	}
	if x.kind == ir.AccessUpdate && x.updates {
		w.update(x.writers, x.off, x.Inst, x.global)
		return
	}
	tag := w.load(x.writers, x.off, 0, x.Inst)
	switch {
	case x.kind != ir.AccessRead:
		w.suspect(w.conflict(tag, x.global), x.Inst)
		if w.Copies && !x.global {
			w.suspect(w.underWay(tag, x.copies), x.Inst)
		}
		w.write(x, tag)
	case x.global:
		w.suspect(w.conflict(tag, true), x.Inst)
		w.read(x)
	default:
		w.suspect(w.unwritten(tag), x.Inst)
		w.read(x)
	}
}

// unwritten returns the lanes for which a tag of shared memory is neither one of an interval before this one nor one of
// the thread itself.
func (w *writer) unwritten(tag ir.Ref) ir.Ref {
	before := w.v(ir.And32, w.v(ir.Sub32, w.now, w.start), w.konst(ir.B32, ^uint64(many)))
	late := w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), before)
	late = w.v(ir.AndP, late, w.v(ir.NeU32, tag, w.now))
	if w.Copies {
		late = w.v(ir.AndP, late, w.v(ir.NotP, w.arrived(w.v(ir.Sub32, tag, w.cp.first))))
	}
	return late
}

// conflict returns the lanes for which a tag is one of another thread in the same interval or, if blocks share the
// memory, one of another block in the same launch.
func (w *writer) conflict(tag ir.Ref, global bool) ir.Ref {
	x := w.v(ir.Sub32, w.v(ir.Xor32, tag, w.now), w.konst(ir.B32, 1))
	same := w.v(ir.LtU32, x, w.konst(ir.B32, many))
	if !global {
		return same
	}
	return w.v(ir.OrP, same, w.other(tag))
}

// other returns the lanes for which a tag is one of another block in the same launch.
func (w *writer) other(tag ir.Ref) ir.Ref {
	launch := w.v(ir.GeU32, tag, w.value(ValueBase, ir.B32))
	return w.v(ir.AndP, launch, w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32)))
}

// write leaves the tags of a store. Lanes of the store that meet at a word conflict.
func (w *writer) write(x *meeting, tag ir.Ref) {
	next := w.now
	if x.copies {
		next = w.cp.now
	}
	if x.global {
		w.store(x.writers, x.off, next, x.Inst)
		w.suspect(w.v(ir.NeU32, w.load(x.writers, x.off, 0, x.Inst), next), x.Inst)
		return
	}
	fresh := w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32)) // the block has not written it
	if x.kind == ir.AccessUpdate {
		w.suspect(fresh, x.Inst)
	}
	// A store to shared memory is no change that other blocks can see, so its tag must not be one again and
	// again: else a block that waits for another one would seem to work.
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: x.off, Args: [4]ir.Ref{x.writers, next}, Guard: w.under(w.v(ir.NeU32, tag, next), x.Inst)})
	w.suspect(w.v(ir.NeU32, w.load(x.writers, x.off, 0, x.Inst), next), x.Inst)
	if w.o.Full && x.kind == ir.AccessWrite {
		w.emit(ir.Inst{Op: ir.Atomic, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0),
			Args: [4]ir.Ref{w.counts, w.konst(ir.B32, 1)}, Guard: w.under(fresh, x.Inst)})
	}
}

// read leaves the tags of a load.
func (w *writer) read(x *meeting) {
	at, off, in, global := x.readers, x.off, x.Inst, x.global
	if at == 0 {
		return
	}
	old := w.load(at, off, 0, in)
	other := w.v(ir.Sub32, w.v(ir.Xor32, old, w.now), w.konst(ir.B32, 1))
	several := w.v(ir.Or32, w.now, w.konst(ir.B32, many))
	tag := w.v(ir.Sel32, w.v(ir.LtU32, other, w.konst(ir.B32, many)), several, w.now)
	if global {
		// No block has the lowest tag of the launch.
		tag = w.v(ir.Sel32, w.other(old), w.value(ValueBase, ir.B32), tag)
	}
	// A lane that looks again and again changes no memory: else a livelock would never be seen.
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, tag}, Guard: w.under(w.v(ir.NeU32, old, tag), in)})
	mixed := w.v(ir.NeU32, w.load(at, off, 0, in), tag)
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, several}, Guard: w.under(mixed, in)})
}
