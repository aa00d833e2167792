package webs

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
)

// number gives webs their final numbers, in the order of the code, and computes the live
// sets.
//
// Input: operands that hold nodes of the union-find structure (builder.parent), or negated
// references.
// Output: operands that hold webs; Func.Webs with flags, versions and counts; LiveIn and
// LiveOut; Inputs.
// Invariant: one root with one view is one web; a root with mixed views is one Aliased web
// per Value.
// Example: nodes 4 and 9 have root 4. Both operands become web 2, %r1.0, if 4 is the second
// root in the code.
func (b *builder) number() {
	f, fn := b.f, b.fn
	fn.Webs = b.m.infos.take(len(f.Code) + len(b.globals) + 8)[:1]
	webOf := b.m.webs.take(len(b.parent)) // by root: its web; 0: none yet
	fixed := b.m.webs.take(len(f.Values)) // by Value: the web of a constant or an aliased Value
	version := b.m.ints.take(int(b.vars.n))
	// web returns the web of an operand. w is a node, or the negated reference of a value
	// without one.
	web := func(w Web, r ir.Ref) Web {
		if w == 0 {
			return 0
		}
		v := &f.Values[r]
		var root int32
		at := &fixed[r]
		if w > 0 {
			root = b.root(int32(w))
			// A root with one view is one web. A mixed root becomes one aliased web per
			// Value.
			if b.view[root] != mixed {
				at = &webOf[root]
			}
		}
		if *at != 0 {
			return *at
		}
		*at = Web(len(fn.Webs))
		info := WebInfo{Ref: r}
		switch {
		case v.Kind == ir.Const:
			info.Flags, info.Const = Const, v.Const
		case at == &fixed[r]:
			info.Flags = Aliased
		default:
			info.Version = version[b.vars.first[r]]
			version[b.vars.first[r]]++
		}
		if v.Kind == ir.Temp {
			info.Flags |= Temporary
		}
		fn.Webs = append(fn.Webs, info)
		return *at
	}
	// use and def also count the operand.
	use := func(w Web, r ir.Ref) Web {
		w = web(w, r)
		fn.Webs[w].Uses++
		return w
	}
	def := func(w Web, r ir.Ref) Web {
		w = web(w, r)
		fn.Webs[w].Defs++
		return w
	}
	for i := range fn.Ops {
		in, o := &f.Code[i], &fn.Ops[i]
		for k, a := range in.Args {
			if a != 0 {
				o.Args[k] = use(o.Args[k], a)
			}
		}
		if o.Guard != 0 {
			o.Guard = use(o.Guard, in.Guard)
		}
		if o.Dst != 0 {
			o.Dst = def(o.Dst, in.Dst)
			// A merge reads the old value, so it is a use, too.
			if o.Merge {
				fn.Webs[o.Dst].Uses++
			}
		}
		if o.Dst2 != 0 {
			o.Dst2 = def(o.Dst2, in.Dst2)
			if o.Merge2 {
				fn.Webs[o.Dst2].Uses++
			}
		}
		if o.Ext != 0 {
			e := &fn.Ext[o.Ext-1]
			for k, r := range e.UseRefs {
				e.Uses[k] = use(e.Uses[k], r)
			}
			for k, r := range e.DefRefs {
				e.Defs[k] = def(e.Defs[k], r)
			}
		}
	}
	// EXEC is read at the end of each block.
	for bi := range fn.Exec {
		fn.Exec[bi] = use(fn.Exec[bi], f.Exec)
	}
	b.liveSets(webOf)
	b.inputs(webOf, fixed)
}

// liveSets computes the sets of live webs from the live variables. At the end of a block
// without successors only the registers of Exact mode are live.
func (b *builder) liveSets(webOf []Web) {
	fn, n := b.fn, len(b.f.Blocks)
	seen := b.m.ints.take(len(fn.Webs))
	mark := int32(0)
	arena := b.m.webs.take(len(b.parent))[:0]
	fn.LiveIn, fn.LiveOut = b.m.lives.take(n), b.m.lives.take(n)
	for bi := range n {
		mark++
		from := len(arena)
		node := b.entry[bi]
		for _, x := range b.in[bi*b.words : (bi+1)*b.words] {
			// The nodes of a block's live variables have successive numbers from b.entry on.
			for k := bits.OnesCount64(x); k > 0; k-- {
				if w := b.liveWeb(webOf, node); w != 0 && seen[w] != mark {
					seen[w] = mark
					arena = append(arena, w)
					fn.Webs[w].Flags |= Global
					if bi == 0 {
						fn.Webs[w].Flags |= Input
					}
				}
				node++
			}
		}
		slices.Sort(arena[from:])
		fn.LiveIn[bi] = arena[from:len(arena):len(arena)]
	}
	for bi := range n {
		succs := fn.Succs[bi]
		// The common case needs no list of its own.
		if len(succs) == 1 {
			fn.LiveOut[bi] = fn.LiveIn[succs[0]]
			continue
		}
		mark++
		most := len(b.last[bi])
		for _, s := range succs {
			most += len(fn.LiveIn[s])
		}
		out := b.m.webs.take(most)[:0]
		add := func(w Web) {
			if w != 0 && seen[w] != mark {
				seen[w] = mark
				out = append(out, w)
			}
		}
		for _, s := range succs {
			for _, w := range fn.LiveIn[s] {
				add(w)
			}
		}
		for _, node := range b.last[bi] {
			add(b.liveWeb(webOf, int32(node)))
		}
		slices.Sort(out)
		fn.LiveOut[bi] = out
	}
}

// liveWeb returns the web of a node; 0 if it is in memory, or no instruction uses it.
func (b *builder) liveWeb(webOf []Web, node int32) Web {
	root := b.root(node)
	if b.view[root] == mixed {
		return 0
	}
	return webOf[root]
}

// inputs finds the webs of the launch's inputs. An input is dropped if the code reads it in
// another form, for example one half of a pair of registers.
func (b *builder) inputs(webOf, fixed []Web) {
	// byVar holds, by variable, the web that is live at the start of the function.
	byVar := b.m.webs.take(int(b.vars.n))
	b.eachLive(0, func(x varID, node int32) { byVar[x] = b.liveWeb(webOf, node) })
	for i, in := range b.f.Inputs {
		r := in.Dst
		if b.vars.count[r] == 0 {
			continue
		}
		if w := fixed[r]; w != 0 && b.vars.pinned[r] {
			b.fn.Inputs[i] = w
			continue
		}
		w := byVar[b.vars.first[r]]
		if w == 0 {
			continue
		}
		// The web must be accessed with the slot and size of the input.
		if x, y := b.fn.Value(w), b.f.Val(r); x.Off == y.Off && x.Size(b.f.Lanes) == y.Size(b.f.Lanes) {
			b.fn.Inputs[i] = w
		}
	}
}
