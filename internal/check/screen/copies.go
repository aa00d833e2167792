package screen

import "example.org/crosslane/internal/ir"

// Copies that a thread waits for: cp.async.
//
// Input: copies to shared memory, commits of groups, and waits for groups (PTX 9.7.9.26.3).
// Output: tags of copies, and what the threads know to be done.
// Invariant: a copy has the tag of its thread and group. A thread may use what it has copied after it has waited for the
// group. Another thread may after a barrier, if all threads of the block have come there after they had waited for as many
// groups of their own, and these are more than the number of the copy's group. A thread that ends has waited for all its copies.
// Example: cp.async in group 3; commit_group; wait_group 0: 4 groups are done; bar.sync: the block knows that 4 groups of each thread
// are done; a load of the copy with the tag of group 3 in any thread is no suspicion.
//
// The tags of copies are the upper half of those of a block: the first is firstCopy, and there are half of them.

// copying is the registers of a thread.
type copying struct {
	half   ir.Ref // how many tags of copies there are
	first  ir.Ref // the first one of the block
	now    ir.Ref // the tag of a copy of the thread's open group
	issued ir.Ref // the thread has copied in fewer groups, times the tags of one
	done   ir.Ref // it has waited for so many, times the tags of one
	known  ir.Ref // and the whole block for so many of each thread
	at     ir.Ref // where the threads of the block compare these numbers
	waited ir.Ref // the thread comes from a barrier
}

// beginCopies sets the registers of a thread.
func (w *writer) beginCopies(thread ir.Ref) {
	w.cp.half, w.cp.first, w.cp.now = w.guest("tags of copies", ir.B32), w.guest("first tag of copies", ir.B32), w.guest("tag of copies", ir.B32)
	w.cp.issued, w.cp.done, w.cp.known = w.guest("groups with copies", ir.B32), w.guest("groups waited for", ir.B32), w.guest("groups known", ir.B32)
	w.cp.at, w.cp.waited = w.guest("groups at a barrier", ir.B64), w.guest("comes from a barrier", ir.B1)
	w.set(ir.NeU32, w.cp.waited, thread, thread)
	w.set(ir.ShrU32, w.cp.half, w.value(ValueStride, ir.B32), w.konst(ir.B32, 1))
	w.set(ir.Add32, w.cp.first, w.start, w.cp.half)
	w.set(ir.Or32, w.cp.now, w.cp.first, thread)
	for _, r := range []ir.Ref{w.cp.issued, w.cp.done, w.cp.known} {
		w.set(ir.Mov32, r, w.konst(ir.B32, 0))
	}
}

// committed returns how many groups a thread has committed, times the tags of one.
func (w *writer) committed() ir.Ref {
	return w.v(ir.And32, w.v(ir.Sub32, w.cp.now, w.cp.first), w.konst(ir.B32, ^uint64(many)))
}

// setUnder sets a register in the lanes of an operation.
func (w *writer) setUnder(dst, value ir.Ref, in *ir.Inst) {
	w.emit(ir.Inst{Op: ir.Mov32, Dst: dst, Args: [4]ir.Ref{value}, Guard: in.Guard, GuardNot: in.GuardNot})
}

// order is the end of a group of copies, or a wait for groups. Other fences order nothing for a form.
func (w *writer) order(in *ir.Inst) {
	if !w.Copies || in.Order&ir.Async == 0 {
		return
	}
	have := w.committed()
	next := w.v(ir.Add32, have, w.konst(ir.B32, 1<<ThreadBits))
	all := in.Order&ir.Acquire != 0 && in.Order&ir.Strong != 0
	if in.Order&ir.Acquire != 0 {
		n := min(in.Imm, 1<<(31-ThreadBits)-1) << ThreadBits
		done := w.v(ir.Sub32, have, w.konst(ir.B32, n))
		if all {
			done = next
		} else if n > 0 {
			done = w.v(ir.Sel32, w.v(ir.LtU32, have, w.konst(ir.B32, n)), w.konst(ir.B32, 0), done)
		}
		w.setUnder(w.cp.done, w.v(ir.Sel32, w.v(ir.LtU32, w.cp.done, done), done, w.cp.done), in)
	}
	if all || in.Order&ir.Acquire == 0 {
		w.suspect(w.v(ir.GeU32, next, w.cp.half), in) // there are no more tags
		w.setUnder(w.cp.now, w.v(ir.Add32, w.cp.now, w.konst(ir.B32, 1<<ThreadBits)), in)
	}
}

// issue notes that a thread copies, and has to wait.
func (w *writer) issue(in *ir.Inst) {
	w.setUnder(w.cp.issued, w.v(ir.Add32, w.committed(), w.konst(ir.B32, 1<<ThreadBits)), in)
}

// arrived returns the lanes that may use a copy, of which copy is the tag less the first one of copies.
func (w *writer) arrived(copy ir.Ref) ir.Ref {
	return w.v(ir.OrP, w.v(ir.LtU32, copy, w.cp.known), w.v(ir.AndP, w.v(ir.LtU32, copy, w.cp.done), w.mine(copy)))
}

// mine returns the lanes whose thread is that of a tag of a copy.
func (w *writer) mine(copy ir.Ref) ir.Ref {
	return w.v(ir.EqU32, w.v(ir.And32, w.v(ir.Xor32, copy, w.cp.now), w.konst(ir.B32, many)), w.konst(ir.B32, 0))
}

// underWay returns the lanes that may not store to a word with a tag of a writer. A thread may copy again to where it copies.
func (w *writer) underWay(tag ir.Ref, again bool) ir.Ref {
	copy := w.v(ir.Sub32, tag, w.cp.first)
	may := w.v(ir.LtU32, copy, w.cp.known)
	mine := w.mine(copy)
	if !again {
		mine = w.v(ir.AndP, mine, w.v(ir.LtU32, copy, w.cp.done))
	}
	return w.v(ir.AndP, w.v(ir.LtU32, copy, w.cp.half), w.v(ir.NotP, w.v(ir.OrP, may, mine)))
}

// shareDone shows the other threads of the block, before a barrier, how many groups a thread has waited for; agree compares after it.
// Two words serve barriers by turns, so that a thread that is late finds the word of its barrier.
func (w *writer) shareDone() {
	turn := w.v(ir.And32, w.v(ir.ShrU32, w.now, w.konst(ir.B32, ThreadBits-2)), w.konst(ir.B32, 4))
	w.set(ir.Add64, w.cp.at, w.value(ValueGroups, ir.B64), w.v(ir.CvtU64FromU32, turn))
	w.store(w.cp.at, 0, w.cp.done, &ir.Inst{})
	w.set(ir.EqU32, w.cp.waited, w.now, w.now)
}

// agree is suspicious of threads that have waited for another number of groups than others at the barrier from which they come.
func (w *writer) agree() {
	came := &ir.Inst{Guard: w.cp.waited}
	w.suspect(w.v(ir.NeU32, w.load(w.cp.at, 0, 0, came), w.cp.done), came)
	w.setUnder(w.cp.known, w.cp.done, came)
	w.set(ir.NeU32, w.cp.waited, w.now, w.now)
}
