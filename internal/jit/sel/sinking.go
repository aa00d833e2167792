package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// This file sinks operations into the exits that need their results, and leaves out operations whose
// results nothing needs.
//
// Input: the operations of a block; copies and base+index accesses, whose code does not read all
// operands; and the webs that the interpreter needs where the code deoptimises.
// Output: facts.sunk and facts.dead.
// Invariant: a sunk operation reads nothing that is written between it and the last exit that needs
// its result.
// Example: `%a = Add64 %p, (CvtS64FromS32 %i) << 2` is the address of a base+index access. %a is computed only
// before the interpreter does the access, or where the code deoptimises and the interpreter needs %a later.
// Literature: sinking into cold paths is partial dead code elimination (Knoop, Rüthing
// and Steffen, PLDI 1994).

// sinking is the state of findSunk: the facts about the part of the block after an
// operation.
type sinking struct {
	hot  []bool  // by web: the code needs it there
	cold []int32 // by web: the last operation with an exit that may need it, plus 1
	next []int32 // by web: the first operation there that writes it, plus 1
	used []webs.Web
}

// use notes w as a web with facts to clear at the end.
func (l *sinking) use(w webs.Web) { l.used = append(l.used, w) }

// findSunk finds the sunk operations of the function. It goes through each block backwards.
func (g *planner) findSunk() {
	n := len(g.s.Webs)
	g.sunk, g.dead = nil, lir.Cleared(&g.mem.dead, len(g.f.Code))
	g.findWanted()
	if g.s.Geom.Exact || g.s.TooLarge {
		return
	}
	l := &g.mem.sinking
	l.hot, l.cold, l.next, l.used = lir.Cleared(&l.hot, n), lir.Cleared(&l.cold, n), lir.Cleared(&l.next, n), l.used[:0]
	g.sunk, g.sunkAt = make([]bool, len(g.f.Code)), make([]int32, n)
	for _, blk := range g.f.Blocks {
		for i := blk.End - 1; i >= blk.Start; i-- {
			g.sinkOne(l, i)
		}
		for _, w := range l.used {
			l.hot[w], l.cold[w], l.next[w] = false, 0, 0
		}
		l.used = l.used[:0]
	}
}

// findWanted finds, for each operation at which the code may deoptimise, the webs that the interpreter
// needs from there on. The code itself may not need all of them.
func (g *planner) findWanted() {
	g.wanted = nil
	var before, needed *webs.Set
	for b, blk := range g.f.Blocks {
		leaves := false
		for i := blk.Start; i < blk.End; i++ {
			leaves = leaves || g.mayDeoptimise(i)
		}
		if !leaves {
			continue
		}
		if g.wanted == nil {
			g.wanted, before, needed = map[int][]webs.Web{}, g.s.NewSet(), g.s.NewSet()
		}
		g.s.Needed(b, needed, func(i int, after *webs.Set) {
			if g.mayDeoptimise(i) {
				before.Copy(after)
				g.s.Before(i, before)
				var l []webs.Web
				for w := range before.All {
					l = append(l, w)
				}
				g.wanted[i] = l
			}
		})
	}
}

// sinkOne adds the facts about operation i, and decides whether it is sunk.
func (g *planner) sinkOne(l *sinking, i int) {
	in, o := &g.f.Code[i], &g.s.Ops[i]
	hot := func(w webs.Web) {
		w = g.rep(w)
		l.hot[w] = true
		l.use(w)
	}
	cold := func(w webs.Web, at int32) {
		w = g.rep(w)
		l.cold[w] = max(l.cold[w], at)
		l.use(w)
	}
	switch {
	case g.rep(o.Dst) != o.Dst: // a copy: there is no code for it
	// A calm observer is not called, so its operands are needed in the call-out only.
	case in.Op == ir.Observe && canObserve(&g.facts, i):
		for _, w := range o.Args {
			cold(w, int32(i)+1)
		}
		cold(o.Guard, int32(i)+1)
		if o.Ext > 0 {
			for _, w := range g.s.Ext[o.Ext-1].Uses {
				cold(w, int32(i)+1)
			}
		}
	case g.isDead(l, i):
		g.sunk[i], g.dead[i] = true, true
	case g.maySink(l, i):
		g.sunk[i] = true
		g.sunkAt[o.Dst] = int32(i) + 1
		// A sunk operation passes the need of its result on to its arguments.
		if at := l.cold[o.Dst]; at > 0 {
			for _, w := range o.Args {
				cold(w, at)
			}
			cold(o.Guard, at)
			if c := g.sh.Carry(i, 2); c != 0 {
				cold(c, at)
			}
		}
		if o.Ext > 0 { // an exit before it needs them: see webs.Repeat
			for _, w := range g.s.Ext[o.Ext-1].Uses {
				hot(w)
			}
		}
	default:
		args := o.Args
		if c, ok := g.choices[i]; ok {
			args = [4]webs.Web{c.mask, c.yes, c.no}
		}
		// The code of a base+index access needs base and index; only its call-out needs the address.
		if x := g.baseIndexes[i]; x != nil {
			cold(args[0], int32(i)+1)
			args[0] = 0
			for _, w := range [...]webs.Web{x.base[0], x.base[1], x.index, x.parts[0], x.parts[1]} {
				hot(w)
			}
		}
		for _, w := range args {
			hot(w)
		}
		hot(o.Guard)
		if c := g.sh.Carry(i, 2); c != 0 {
			hot(c)
		}
		if o.Merge {
			hot(o.Dst)
		}
		if o.Merge2 {
			hot(o.Dst2)
		}
		if o.Ext > 0 {
			for _, w := range g.s.Ext[o.Ext-1].Uses {
				hot(w)
			}
		}
	}
	if g.mayDeoptimise(i) {
		for _, w := range g.wanted[i] {
			cold(w, int32(i)+1)
		}
	}
	for _, w := range append(g.lists(i), o.Dst, o.Dst2) {
		l.next[w] = int32(i) + 1
		l.use(w)
	}
}

// local reports whether operation i can be left out of the code at its place: it is pure, does not end its
// block, has no check, keeps no old value, does not write EXEC, and its only result is a web that lives in the
// block and that the code after it does not need.
func (g *planner) local(l *sinking, i int) bool {
	in, o := &g.f.Code[i], &g.s.Ops[i]
	w := o.Dst
	return w != 0 && !l.hot[w] && o.Dst2 == 0 && (o.Ext == 0 || len(g.s.Ext[o.Ext-1].Defs) == 0) && in.Op.Pure() && !in.Op.EndsBlock() && !o.Merge && !g.mayDeoptimise(i) &&
		g.s.Webs[w].Flags&(webs.Global|webs.Input|webs.Const|webs.Aliased) == 0 && (g.f.Exec == 0 || !g.writesExec(in.Dst))
}

// isDead reports whether nothing needs the result of operation i, neither the code nor an exit.
func (g *planner) isDead(l *sinking, i int) bool {
	return g.local(l, i) && l.cold[g.s.Ops[i].Dst] == 0 && g.s.Ops[i].Ext == 0
}

// maySink reports whether operation i can be sunk to the exits that need its result. The operation must
// be the only definition of its web.
func (g *planner) maySink(l *sinking, i int) bool {
	o := &g.s.Ops[i]
	w := o.Dst
	if !g.local(l, i) || g.s.Webs[w].Defs != 1 || g.mk.NeedMask(i) || g.how(i) == byCall {
		return false
	}
	if _, ok := g.choices[i]; ok { // its code reads other webs than its operands
		return false
	}
	at := l.cold[w]
	if at == 0 {
		return true
	}
	if sh := g.sh.Result(i); sh.Known && sh.Kind == shape.Affine {
		return false // the code would not read its arguments; only the interpreter after an exit would
	}
	// The webs that it reads must be unchanged at its last use.
	same := func(w webs.Web) bool {
		w = g.rep(w)
		return w == 0 || !g.s.Has(w, webs.Aliased) && (l.next[w] == 0 || l.next[w] >= at)
	}
	for _, a := range o.Args {
		if !same(a) {
			return false
		}
	}
	return same(o.Guard) && same(g.sh.Carry(i, 2))
}

// surface emits the sunk operations on which n operations, from the one in hand on,
// depend. The interpreter is about to do these n operations.
func (g *access) surface(n int) {
	if g.sunk == nil {
		return
	}
	var list []webs.Web
	for k := range n {
		g.piece(k, func() { g.eachUse(func(w webs.Web, _ ir.Ref) { list = append(list, w) }) })
	}
	g.compute(list)
}

// compute emits the sunk operations that make webs, in the order of the program.
func (g *access) compute(of []webs.Web) {
	if g.sunk == nil {
		return
	}
	var list []int
	var need func(w webs.Web)
	need = func(w webs.Web) {
		w = g.rep(w)
		i := int(g.sunkAt[w]) - 1
		if w == 0 || i < 0 || i >= g.at || slices.Contains(list, i) {
			return
		}
		// The operations that a sunk operation needs may be sunk too.
		list = append(list, i)
		for _, a := range g.s.Ops[i].Args {
			need(a)
		}
		need(g.s.Ops[i].Guard)
		need(g.sh.Carry(i, 2))
	}
	for _, w := range of {
		need(w)
	}
	slices.Sort(list)
	skip := g.skip
	g.skip = 0
	for _, i := range list {
		g.piece(i-g.at, func() { g.pure(g.pureHow(i)) })
	}
	g.skip = skip
}
