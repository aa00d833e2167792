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

// A meeting is an access to pieces of memory. Its operations on tags go from piece to piece, so that machine code does those of all pieces at
// once; each is done for all pieces before the next. So lanes that meet at different pieces find each other as those that meet at one piece do.
type meeting struct {
	*ir.Inst         // its lanes
	kind             ir.AccessKind
	writers, readers ir.Ref   // the addresses of the tags; readers 0: no other access of the interval, or of the launch, writes (or reads)
	offs             []uint64 // of the pieces, added to both
	align            uint16   // of the address of the first tag
	global           bool     // blocks share the memory
	updates          bool     // the atomics of the memory commute
	copies           bool     // a store that its thread has to wait for
}

// meet emits the comparisons, and leaves the tags.
func (w *writer) meet(x *meeting) {
	if x.kind != ir.AccessRead && x.readers != 0 {
		for _, tag := range w.tags(x.readers, x) {
			w.suspect(w.conflict(tag, x.global), x.Inst)
		}
	}
	if x.kind == ir.AccessUpdate && x.updates {
		for _, off := range x.offs {
			w.update(x.writers, off, x.Inst, x.global)
		}
		return
	}
	tags := w.tags(x.writers, x)
	for _, tag := range tags {
		switch {
		case x.kind != ir.AccessRead:
			w.suspect(w.conflict(tag, x.global), x.Inst)
			if w.Copies && !x.global {
				w.suspect(w.underWay(tag, x.copies), x.Inst)
			}
		case x.global:
			w.suspect(w.conflict(tag, true), x.Inst)
		default:
			w.suspect(w.unwritten(tag), x.Inst)
		}
	}
	if x.kind == ir.AccessRead {
		w.read(x)
	} else {
		w.write(x, tags)
	}
}

// tags loads the tags of all pieces.
func (w *writer) tags(at ir.Ref, x *meeting) []ir.Ref {
	list := make([]ir.Ref, len(x.offs))
	for n := range list {
		list[n] = w.temp(ir.B32)
		if x.Guard != 0 {
			w.set(ir.Mov32, list[n], w.konst(ir.B32, 0))
		}
	}
	for n, off := range x.offs {
		w.emit(ir.Inst{Op: ir.Load, Dst: list[n], Args: [4]ir.Ref{at}, Imm: off, Size: 4, Align: x.alignOf(n), Space: ir.Global, Guard: x.Guard, GuardNot: x.GuardNot})
	}
	return list
}

// alignOf is the alignment of the tag of piece n.
func (x *meeting) alignOf(n int) uint16 {
	if n == 0 {
		return max(x.align, 4)
	}
	return 4
}

// leave stores the tags of all pieces in the lanes in which one of them differs from what it was. Lanes that look again and again change no memory.
func (w *writer) leave(at ir.Ref, x *meeting, was []ir.Ref, next func(n int) ir.Ref) {
	var changed ir.Ref
	for n, tag := range was {
		w.or(&changed, w.v(ir.NeU32, tag, next(n)))
	}
	changed = w.under(changed, x.Inst)
	for n, off := range x.offs {
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: x.alignOf(n), Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, next(n)}, Guard: changed})
	}
}

// or adds lanes to a set of lanes; 0 is the empty set.
func (w *writer) or(have *ir.Ref, more ir.Ref) {
	if *have != 0 {
		more = w.v(ir.OrP, *have, more)
	}
	*have = more
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
func (w *writer) write(x *meeting, tags []ir.Ref) {
	next := w.now
	if x.copies {
		next = w.cp.now
	}
	if x.global {
		for _, off := range x.offs {
			w.store(x.writers, off, next, x.Inst)
		}
		for _, tag := range w.tags(x.writers, x) {
			w.suspect(w.v(ir.NeU32, tag, next), x.Inst)
		}
		return
	}
	fresh := func(tag ir.Ref) ir.Ref { // the lanes whose block has not written it
		return w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32))
	}
	if x.kind == ir.AccessUpdate {
		for _, tag := range tags {
			w.suspect(fresh(tag), x.Inst)
		}
	}
	// A store to shared memory is no change that other blocks can see, so its tag must not be one again and
	// again: else a block that waits for another one would seem to work.
	w.leave(x.writers, x, tags, func(int) ir.Ref { return next })
	for _, tag := range w.tags(x.writers, x) {
		w.suspect(w.v(ir.NeU32, tag, next), x.Inst)
	}
	if w.o.Full && x.kind == ir.AccessWrite {
		var some, count ir.Ref
		for _, tag := range tags {
			lanes := fresh(tag)
			one := w.v(ir.Sel32, lanes, w.konst(ir.B32, 1), w.konst(ir.B32, 0))
			if w.or(&some, lanes); count != 0 {
				one = w.v(ir.Add32, count, one)
			}
			count = one
		}
		if len(tags) == 1 {
			count = w.konst(ir.B32, 1)
		}
		w.emit(ir.Inst{Op: ir.Atomic, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0),
			Args: [4]ir.Ref{w.counts, count}, Guard: w.under(some, x.Inst)})
	}
}

// read leaves the tags of a load.
func (w *writer) read(x *meeting) {
	if x.readers == 0 {
		return
	}
	was := w.tags(x.readers, x)
	next := make([]ir.Ref, len(was))
	several := w.v(ir.Or32, w.now, w.konst(ir.B32, many))
	for n, old := range was {
		other := w.v(ir.Sub32, w.v(ir.Xor32, old, w.now), w.konst(ir.B32, 1))
		next[n] = w.v(ir.Sel32, w.v(ir.LtU32, other, w.konst(ir.B32, many)), several, w.now)
		if x.global {
			// No block has the lowest tag of the launch.
			next[n] = w.v(ir.Sel32, w.other(old), w.value(ValueBase, ir.B32), next[n])
		}
	}
	// If a lane that looks again and again changed memory, a livelock would never be seen.
	w.leave(x.readers, x, was, func(n int) ir.Ref { return next[n] })
	for n, tag := range w.tags(x.readers, x) {
		mixed := w.v(ir.NeU32, tag, next[n])
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: x.offs[n], Args: [4]ir.Ref{x.readers, several}, Guard: w.under(mixed, x.Inst)})
	}
}
