package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// This file propagates copies.
//
// Registers of the guest have 32 bits. A wider or narrower operand is put together before an
// operation, and a wider or narrower result is taken apart after it: an f64 of GCN3 is a Pack64 of
// two registers, and becomes two registers by Lo32 and Hi32. If both halves come from one operation
// of the block, the f64 is still there. If an equal Pack64 came before in the block, its result is
// there, too.
//
// Input: the operations of a block, with webs.
// Output: facts.copyOf: for each web, another one that holds the same value and has a place;
// facts.choices.
// Invariant: the copy and its original have equal values from the definition of the copy to its last
// use. If the code deoptimises there, Go writes the copy's frame slot from the registers of the original:
// the frame state has that recipe.
// Example: d = AddF64 a, b; x = Lo32 d; y = Hi32 d; e = Pack64 x, y. e is a copy of d.
// Literature: copy propagation and local value numbering (Muchnick 1997).

// A resize is an operation of the block in hand that changes the size of a value, with its
// arguments: the key of the value table.
type resize struct {
	op   ir.Op
	args [2]webs.Web
	at   [2]int32 // the last write of each argument, plus 1
}

// copies is the state of the analysis.
type copies struct {
	g     *planner
	last  []int32 // by web: the last operation that wrote it, plus 1
	from  int32   // the start of the block
	parts map[resize]webs.Web
}

// copiedValue lists the operations whose results may be there already.
func copiedValue(op ir.Op) bool {
	switch op {
	case ir.Pack64, ir.Lo32, ir.Hi32, ir.Lo16, ir.CvtU32FromU16, ir.Mov16, ir.Mov32, ir.Mov64:
		return true
	}
	return false
}

// propagateCopies finds the webs that hold the value of another web: facts.copyOf. In Exact mode, or if
// the function is too large, there are none.
func (g *planner) propagateCopies() {
	if g.s.Geom.Exact || g.s.TooLarge {
		g.copyOf = nil
		return
	}
	g.copyOf = lir.Cleared(&g.mem.copyOf, len(g.s.Webs))
	f := &copies{g: g, last: lir.Cleared(&g.mem.ints, len(g.s.Webs))}
	for _, blk := range g.f.Blocks {
		clear(f.parts)
		f.from = int32(blk.Start)
		for i := blk.Start; i < blk.End; i++ {
			f.operation(i)
		}
	}
}

// operation analyses operation i.
func (f *copies) operation(i int) {
	g := f.g
	ops := &g.s.Ops[i]
	if ops.Ext > 0 {
		for _, w := range g.s.Ext[ops.Ext-1].Defs {
			f.last[w] = int32(i) + 1
		}
	}
	if copiedValue(g.f.Code[i].Op) {
		f.find(i)
	}
	f.last[ops.Dst], f.last[ops.Dst2] = int32(i)+1, int32(i)+1
}

// find looks for a web that already holds the result of operation i, an operation of copiedValue.
// If there is none, the result itself enters the table for later operations.
func (f *copies) find(i int) {
	g := f.g
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	// Only temporaries of this block qualify: the frame slot of a guest register may be read
	// elsewhere.
	if in.Scalar || !f.once(i) || g.s.Webs[ops.Dst].Flags&(webs.Temporary|webs.Global) != webs.Temporary {
		return
	}
	p := resize{op: in.Op}
	for k := range ir.Ops[in.Op].Args {
		w := g.rep(ops.Args[k])
		if g.s.Has(w, webs.Aliased) {
			return
		}
		p.args[k], p.at[k] = w, f.last[w]
	}
	w := f.there(p)
	if w == 0 && in.Op == ir.Pack64 {
		f.chosen(i, p.args)
	}
	switch {
	case w == 0:
		if f.parts == nil {
			f.parts = map[resize]webs.Web{}
		}
		f.parts[p] = ops.Dst
	case g.typ(w) == g.typ(ops.Dst):
		g.copyOf[ops.Dst] = w
	}
}

// there returns the web that already holds the value of a resize; 0 if there is none.
func (f *copies) there(p resize) webs.Web {
	if w := f.joined(p.op, p.args); w != 0 {
		return w
	}
	return f.parts[p]
}

// A choice is the Sel64 that an operation is replaced by: yes in the lanes of mask, else no.
type choice struct{ mask, yes, no webs.Web }

// chosen replaces operation i, a Pack64 of two Sel32 under one mask, by one Sel64, if the 64-bit
// values of which the Sel32 choose the halves are there. args are the arguments of the Pack64.
func (f *copies) chosen(i int, args [2]webs.Web) {
	g := f.g
	var c choice
	var halves [2]resize
	for k, w := range args {
		at := int(f.last[w]) - 1
		if at < int(f.from) || g.f.Code[at].Op != ir.Sel32 || !f.once(at) {
			return
		}
		ops := &g.s.Ops[at]
		m := ops.Args[0]
		if k > 0 && m != c.mask || g.s.Has(m, webs.Aliased) || f.last[m] > int32(at) {
			return
		}
		c.mask = m
		for h := range halves {
			halves[h].op = ir.Pack64
			x := g.rep(ops.Args[1+h])
			if f.last[x] > int32(at) {
				return // the value that the Sel32 chose has been overwritten
			}
			halves[h].args[k], halves[h].at[k] = x, f.last[x]
		}
	}
	if c.yes, c.no = f.there(halves[0]), f.there(halves[1]); c.yes == 0 || c.no == 0 {
		return
	}
	if g.choices == nil {
		g.choices = map[int]choice{}
	}
	g.choices[i] = c
}

// chooses emits the operation in hand as a Sel64, if chosen has replaced it.
func (g *lowering) chooses() bool {
	c, ok := g.choices[g.at]
	if !ok {
		return false
	}
	in, ops := *g.in, *g.ops
	in.Op, ops.Args = ir.Sel64, [4]webs.Web{c.mask, c.yes, c.no}
	g.in, g.ops = &in, &ops
	g.vector(false)
	return true
}

// joined returns the web that the operation's arguments are the halves of, or the original of a
// move, so that its value is the operation's result; 0 if there is none.
func (f *copies) joined(op ir.Op, args [2]webs.Web) webs.Web {
	g := f.g
	// The argument of the operation `by` that has made w in this block; 0 if another operation made
	// it.
	of := func(w webs.Web, by ir.Op) webs.Web {
		i := int(f.last[w]) - 1
		if i < int(f.from) || g.f.Code[i].Op != by || !f.once(i) {
			return 0
		}
		x := g.rep(g.s.Ops[i].Args[0])
		// The source must still have the value that it had when its half was taken.
		if at := int(f.last[x]) - 1; at < int(f.from) || at > i || !f.once(at) || g.s.Ops[at].Dst != x {
			return 0
		}
		return x
	}
	switch op {
	case ir.Pack64:
		if w := of(args[0], ir.Lo32); w != 0 && w == of(args[1], ir.Hi32) {
			return w
		}
	case ir.Lo16:
		return of(args[0], ir.CvtU32FromU16)
	case ir.Mov16, ir.Mov32, ir.Mov64:
		if at := int(f.last[args[0]]) - 1; at >= int(f.from) && f.once(at) && g.s.Ops[at].Dst == args[0] {
			return args[0]
		}
	}
	return 0
}

// once reports whether operation i is the only definition of its result, defines all lanes, and its
// result may differ between lanes.
func (f *copies) once(i int) bool {
	g := f.g
	ops := &g.s.Ops[i]
	w := ops.Dst
	info := &g.s.Webs[w]
	return w != 0 && w != ops.Dst2 && info.Defs == 1 && info.Flags&(webs.Aliased|webs.Input|webs.Const) == 0 &&
		!ops.Merge && !g.mk.NeedMask(i) && g.sh.Web(w).Kind == shape.Varying
}

// rep returns the web that holds the value of w and has a place: w itself, or the web it is a copy
// of.
func (g *facts) rep(w webs.Web) webs.Web {
	if g.copyOf != nil && g.copyOf[w] != 0 {
		return g.copyOf[w]
	}
	return w
}
