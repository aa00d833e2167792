package screen

import "example.org/crosslane/internal/ir"

// Atomics.
//
// Input: an atomic of 4 or 8 bytes.
// Output: the comparisons before it, and the tags that it leaves.
// Invariant: atomics on a word commute, or one thread at a time has the word. So the order of lanes, waves and
// blocks shows in no value that a load or an atomic reads.
// Example: "red.add [p], v" in all threads, a barrier, "ld [p]" in one thread of the only block.
//
// Two atomics commute if nothing reads their old values and both apply one function to memory, or functions of
// one family (addition, a minimum, …). If all atomics of an allocation do, an allocation with nothing but
// atomics of the scope of the device has no tags: any two of its accesses are strong, and atomics alone never race
// (PTX 8.7.1). Otherwise the tag of writers also says that the last accesses of the word were atomics:
//
//   - updated: those of one block, which has accessed the word in other ways before;
//   - pure: those of one block, and the launch has stored to the word in no other way;
//   - the lowest tag of the launch: those of several blocks, likewise.
//
// A load or a store takes them for tags of other threads. The tag of a store stays if the thread that stored
// updates the word in the same interval: another thread conflicts with the store.
//
// Atomics of different functions do not commute. They are taken for stores, which no other access of the interval may meet.
// A kernel with an atomic whose old value is read, or that does not commute with itself, is not screened.

// The numbers of threads in tags of writers that stand for atomics. No block has so many threads.
const (
	updated = many - 1
	pure    = many - 2
)

// Updates is what the atomics of a base, or of shared memory, have in common.
type Updates struct {
	Any    bool
	Mixed  bool // they have different functions
	Narrow bool // one of them has the scope of a block
	f      function
}

// function is what atomics that commute do to memory.
type function struct {
	op   ir.AtomicOp
	size uint8
	a, b uint64 // the operands, if they matter
}

// add adds an atomic, with its ir.Access.
func (u *Updates) add(x function, in *ir.Inst) {
	u.join(Updates{Any: true, Narrow: !strong(in), f: x})
}

// Join adds the atomics of another base of the same allocation.
func (u *Updates) Join(other Updates) {
	if other.Any {
		u.join(other)
	}
}

func (u *Updates) join(other Updates) {
	if !u.Any {
		*u = other
		return
	}
	u.Mixed = u.Mixed || other.Mixed || u.f != other.f
	u.Narrow = u.Narrow || other.Narrow
}

// Class is the class that the atomics add to an allocation.
func (u *Updates) Class() Class {
	switch {
	case !u.Any:
		return Unused
	case u.Mixed:
		return ReadWrite
	case u.Narrow:
		return Updated | WriteOnly // so that it has tags
	}
	return Updated
}

// functionOf returns the function of an atomic. ok is false if it does not commute with itself.
func functionOf(f *ir.Func, in *ir.Inst) (x function, ok bool) {
	if in.Dst2 != 0 || in.Dst != 0 && f.Read(in.Dst) {
		return x, false
	}
	x = function{op: ir.AtomicOp(in.Imm >> 32), size: in.Size}
	switch x.op {
	case ir.AtomAdd, ir.AtomMinU, ir.AtomMinS, ir.AtomMaxU, ir.AtomMaxS, ir.AtomAnd, ir.AtomOr, ir.AtomXor:
		return x, true
	case ir.AtomExch, ir.AtomCAS, ir.AtomInc, ir.AtomDec:
		// With the same operands each of them does the same.
		a, b := f.Val(in.Args[1]), f.Val(in.Args[2])
		if a.Kind != ir.Const || in.Args[2] != 0 && b.Kind != ir.Const {
			return x, false
		}
		mask := ^uint64(0) >> (64 - 8*uint(in.Size))
		x.a, x.b = a.Const&mask, b.Const&mask
		return x, true
	}
	return x, false
}

// update emits the comparisons of an atomic that commutes with the others of the word, and leaves its tag.
func (w *writer) update(at ir.Ref, off uint64, in *ir.Inst, global bool) {
	tag := w.load(at, off, 0, in)
	id := w.v(ir.And32, tag, w.konst(ir.B32, many))
	x := w.v(ir.Sub32, w.v(ir.Xor32, tag, w.now), w.konst(ir.B32, 1))
	stored := w.v(ir.AndP, w.v(ir.LtU32, x, w.konst(ir.B32, many)), w.v(ir.LtU32, id, w.konst(ir.B32, pure)))
	w.suspect(stored, in) // by another thread in this interval
	own := w.v(ir.LtU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32))
	all := w.v(ir.Or32, w.now, w.konst(ir.B32, many))
	next := w.v(ir.Sub32, all, w.konst(ir.B32, many-updated))
	switch {
	case !global:
		w.suspect(w.v(ir.NotP, own), in) // the block has not written it
	case !strong(in):
		w.suspect(w.other(tag), in)
	default:
		base := w.value(ValueBase, ir.B32)
		only := w.v(ir.EqU32, id, w.konst(ir.B32, pure))
		several := w.v(ir.OrP, only, w.v(ir.EqU32, tag, base))
		w.suspect(w.v(ir.AndP, w.other(tag), w.v(ir.NotP, several)), in)
		first := w.v(ir.Sub32, all, w.konst(ir.B32, many-pure))
		others := w.v(ir.Sel32, w.v(ir.LtU32, tag, base), first, base)
		next = w.v(ir.Sel32, own, w.v(ir.Sel32, only, first, next), others)
	}
	next = w.v(ir.Sel32, w.v(ir.EqU32, tag, w.now), tag, next)
	// A lane that looks again and again changes no memory.
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, next}, Guard: w.under(w.v(ir.NeU32, tag, next), in)})
}

// markUpdate leaves the tag of an atomic on an allocation that has nothing else.
func (w *writer) markUpdate(at ir.Ref, off uint64, in *ir.Inst) {
	base := w.value(ValueBase, ir.B32)
	fresh := w.v(ir.LtU32, w.load(at, off, 0, in), base)
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, base}, Guard: w.under(fresh, in)})
}

// Strong reports whether a tag of writers of a launch says that all stores to the word were atomics of the scope of the
// device.
func Strong(tag, lowest uint32) bool { return tag == lowest || tag&many == pure }
