package webs

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
)

// Set is a set of webs, one bit each.
type Set struct{ words []uint64 }

// NewSet returns an empty set for the webs of the function.
func (f *Func) NewSet() *Set { return &Set{make([]uint64, (len(f.Webs)+63)/64)} }

// Has reports whether the set contains a web.
func (s *Set) Has(w Web) bool { return s.words[w>>6]>>(uint(w)&63)&1 != 0 }

// Add adds a web.
func (s *Set) Add(w Web) { s.words[w>>6] |= 1 << (uint(w) & 63) }

// Remove removes a web.
func (s *Set) Remove(w Web) { s.words[w>>6] &^= 1 << (uint(w) & 63) }

// Len returns the number of webs.
func (s *Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// All calls yield for every web in ascending order; it is for range loops.
func (s *Set) All(yield func(Web) bool) {
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			if !yield(Web(i<<6 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Fill makes the set equal to the webs of a list.
func (s *Set) Fill(l []Web) {
	clear(s.words)
	for _, w := range l {
		s.Add(w)
	}
}

// Copy makes the set equal to another set of the same function.
func (s *Set) Copy(t *Set) { copy(s.words, t.words) }

// Before turns the webs that are live after instruction i into the webs that are live before
// it: it removes the definitions and adds the uses. Webs that are never in live sets, for
// example constants, stay out. Before does not add EXEC, which is read at the end of a block;
// see Backward.
func (f *Func) Before(i int, live *Set) {
	o := &f.Ops[i]
	if o.Dst != 0 {
		live.Remove(o.Dst)
	}
	if o.Dst2 != 0 {
		live.Remove(o.Dst2)
	}
	var e *Ext
	if o.Ext != 0 {
		e = &f.Ext[o.Ext-1]
		for _, w := range e.Defs {
			live.Remove(w)
		}
	}
	for _, w := range o.Args {
		f.enter(live, w)
	}
	f.enter(live, o.Guard)
	if o.Merge {
		f.enter(live, o.Dst)
	}
	if o.Merge2 {
		f.enter(live, o.Dst2)
	}
	if e != nil {
		for _, w := range e.Uses {
			f.enter(live, w)
		}
	}
}

// enter adds a web to a set, if sets may hold it.
func (f *Func) enter(live *Set, w Web) {
	if f.tracked(w) {
		live.Add(w)
	}
}

// Backward visits the instructions of a block from the last to the first, and calls visit
// with the webs that are live after each. At the end live holds the webs that are live before
// the first. EXEC is live where the block counts its lanes: before the operation that ends
// the block, or at the very end if none does.
func (f *Func) Backward(block int, live *Set, visit func(i int, after *Set)) {
	f.backward(block, live, visit, false)
}

// Needed is Backward without faint webs: a pure operation reads nothing if its results are not
// needed after it.
//
// Example: a = b + 1; c = a * 2, and nothing reads c. a is live before the second operation, and not
// needed.
// Literature: Giegerich, Möncke and Wilhelm, Invariance of approximative semantics with respect to
// program transformation (1981).
func (f *Func) Needed(block int, live *Set, visit func(i int, after *Set)) {
	f.backward(block, live, visit, true)
}

// faint reports whether operation i is pure and its results are not in a set of needed webs. A write of
// EXEC is never faint: the lanes of later instructions are counted by it.
func (f *Func) faint(i int, needed *Set) bool {
	o, in := &f.Ops[i], &f.IR.Code[i]
	dead := func(w Web, r ir.Ref) bool {
		return w == 0 || f.tracked(w) && !needed.Has(w) && (f.IR.Exec == 0 || !f.IR.Overlap(r, f.IR.Exec))
	}
	return in.Op.Pure() && o.Ext == 0 && dead(o.Dst, in.Dst) && dead(o.Dst2, in.Dst2)
}

// backward is Backward, or Needed.
func (f *Func) backward(block int, live *Set, visit func(i int, after *Set), needed bool) {
	live.Fill(f.LiveOut[block])
	b := f.IR.Blocks[block]
	exec := f.Exec != nil
	if exec && !f.IR.Code[b.End-1].Op.EndsBlock() {
		f.enter(live, f.Exec[block])
		exec = false
	}
	for i := b.End - 1; i >= b.Start; i-- {
		visit(i, live)
		if !needed || !f.faint(i, live) {
			f.Before(i, live)
		}
		if exec { // lanes are counted before the operation that ends the block
			f.enter(live, f.Exec[block])
			exec = false
		}
	}
}
