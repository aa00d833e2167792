package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// Registers of the guest have 32 bits. What is wider or narrower is put together of them
// in front of every operation, and taken apart behind it: an f64 of GCN3 is a Pack64 of
// two registers, and goes to two by Lo32 and Hi32. Where the parts come from one
// operation of the block the whole is still there, and where the same was put together
// before, that is. This file finds those: webs that hold what another one does.

// A part is an operation of the block in hand that changes the size of a value.
type resize struct {
	op   ir.Op
	args [2]webs.Web
	at   [2]int32 // where the arguments were written last, plus 1
}

// forwards is the analysis.
type copies struct {
	g     *gen
	last  []int32 // by web: the operation that wrote it last, plus 1
	from  int32   // the operation from which on the code cannot leave for good
	parts map[resize]webs.Web
}

// forwarded are the operations whose results may be there already.
func copiedValue(op ir.Op) bool {
	switch op {
	case ir.Pack64, ir.Lo32, ir.Hi32, ir.Lo16, ir.CvtU32FromU16, ir.Mov16, ir.Mov32, ir.Mov64:
		return true
	}
	return false
}

// forward finds the webs that hold what others do: g.twin. Between a web and its uses the
// code must not leave for good, as the interpreter would look for it in its home.
func (g *gen) propagateCopies() {
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

// operation looks at operation i.
func (f *copies) operation(i int) {
	g := f.g
	ops := &g.s.Ops[i]
	if g.mayExit(i) {
		f.from = int32(i)
		clear(f.parts)
	}
	for _, w := range ops.Args {
		f.used(w)
	}
	if ops.Ext > 0 {
		for _, w := range g.s.Ext[ops.Ext-1].Uses {
			f.used(w)
		}
		for _, w := range g.s.Ext[ops.Ext-1].Defs {
			f.last[w] = int32(i) + 1
		}
	}
	if copiedValue(g.f.Code[i].Op) {
		f.find(i)
	}
	f.last[ops.Dst], f.last[ops.Dst2] = int32(i)+1, int32(i)+1
}

// used says that a web is needed where the code is.
func (f *copies) used(w webs.Web) {
	if f.g.copyOf[w] != 0 && f.last[w] <= f.from {
		f.g.copyOf[w] = 0 // its home has to have it in between
	}
}

// find looks for the result of operation i, of whose kind some are forwarded.
func (f *copies) find(i int) {
	g := f.g
	in, ops := &g.f.Code[i], &g.s.Ops[i]
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

// there is the web that holds a part already; 0: there is none.
func (f *copies) there(p resize) webs.Web {
	if w := f.joined(p.op, p.args); w != 0 {
		return w
	}
	return f.parts[p]
}

// A choice is what an operation is done by: Sel64 of these.
type choice struct{ mask, yes, no webs.Web }

// chosen has operation i, a Pack64, choose between two whole values if both of its arguments
// are chosen by one mask between the halves of these.
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
				return // it is not any more what was chosen from
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

// chooses does the operation in hand as a choice, if it is one.
func (g *gen) chooses() bool {
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

// whole is the web of which the arguments of an operation are parts, so that it is what
// the operation makes; 0: there is none.
func (f *copies) joined(op ir.Op, args [2]webs.Web) webs.Web {
	g := f.g
	// of is the argument of the operation that has made w in this block.
	of := func(w webs.Web, by ir.Op) webs.Web {
		i := int(f.last[w]) - 1
		if i < int(f.from) || g.f.Code[i].Op != by || !f.once(i) {
			return 0
		}
		x := g.rep(g.s.Ops[i].Args[0])
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

// once reports whether the result of operation i is written by nobody else, for all lanes,
// and differs between them.
func (f *copies) once(i int) bool {
	g := f.g
	ops := &g.s.Ops[i]
	w := ops.Dst
	info := &g.s.Webs[w]
	return w != 0 && w != ops.Dst2 && info.Defs == 1 && info.Flags&(webs.Aliased|webs.Input|webs.Const) == 0 &&
		!ops.Merge && !g.mk.NeedMask(i) && g.sh.Web(w).Kind == shape.Varying
}

// rep is the web that holds what w does, and has a place.
func (g *gen) rep(w webs.Web) webs.Web {
	if g.copyOf != nil && g.copyOf[w] != 0 {
		return g.copyOf[w]
	}
	return w
}

// unread finds the operations whose results nobody reads, as what they were made for is
// there already.
func (g *gen) deadCopies() []bool {
	idle := lir.Cleared(&g.mem.idle, len(g.f.Code))
	if g.copyOf == nil {
		return idle
	}
	uses := lir.Cleared(&g.mem.ints, len(g.s.Webs))
	for w := range g.s.Webs {
		uses[w] = g.s.Webs[w].Uses
	}
	for i, c := range g.choices {
		uses[c.mask]++
		uses[c.yes]++
		uses[c.no]++
		for _, a := range g.s.Ops[i].Args {
			uses[a]--
		}
	}
	for i := len(g.f.Code) - 1; i >= 0; i-- {
		ops := &g.s.Ops[i]
		w := ops.Dst
		switch {
		case !g.f.Code[i].Op.Pure() || w == 0 || ops.Merge:
			continue
		case g.copyOf[w] != 0:
			uses[g.copyOf[w]] += uses[w]
		case uses[w] > 0 || g.s.Webs[w].Flags&(webs.Global|webs.Aliased) != 0:
			continue
		case g.f.Exec != 0 && g.writesExec(g.f.Code[i].Dst): // lanes are counted by it
			continue
		}
		idle[i] = true
		args := ops.Args
		if c, ok := g.choices[i]; ok {
			args = [4]webs.Web{c.mask, c.yes, c.no}
		}
		for _, a := range args {
			uses[a]--
		}
	}
	return idle
}
