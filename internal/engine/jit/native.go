package jit

import (
	"maps"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/sel"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// native is what there is to know of a function in machine code when it runs. It is
// immutable, and does not refer to the function or what the translation made of it: the
// cache keeps it.
type native struct {
	lanes, blocks int
	width         int32 // bytes of a vector register
	ends          []int // by block: its last operation
	exits         []sel.Exit
	accesses      []sel.Access
	gone          []bool  // see mask.Masks.Gone
	nears         []int32 // frame offsets of words that belong to shared memory or region caches
	alone         bool    // see sel.Code
	fromMemory    bool    // see sel.Code
	relies        bool    // see sel.Code
	polls         bool    // see sel.Code
	pairs         mask.Pairs
	lay           sel.Layout
	frame         uint32
	enterAt       uint32   // offset in the code of the routine by which Go enters
	entryAt       uint32   // of where a wave starts,
	blockAt       []uint32 // and of each block
	passAt        uint32   // of where together waves start in one pass; 0: nowhere
	together      int
	startAt       uint32  // of the routine by which Go enters for a chain of waves; 0: there is no use in one
	pends         []int32 // the blocks at which lanes may be pending, in order
	plan          sweepPlan
	rows          bool // blocks may follow each other without Go

	forms  []form
	consts []x64.Const
	lists  []int32 // what there and asides name, as indices of forms
	live   []there // by block
	// asides are, by operation in front of which code leaves for good, what is needed from
	// there on.
	deoptimised map[int]there
	// undone are the operations of the guest that go before, of those that have some.
	undone map[int][]int
	// defs are the webs that the last operation of a block writes, by block.
	defs map[int][]webs.Web

	scribble *scribbler // nil: homes are left alone
}

// A form is a web in a place where the code has it, or part of one, or a constant in a
// register.
type form struct {
	ref   ir.Ref // whose home is that of the web
	high  ir.Ref // if the web has 64 bits in two homes: that of the upper half; see webs.Halves
	web   webs.Web
	kind  sel.Kind
	raw   bool
	unit  int32
	even  even // what the code knows of the web's lanes,
	steps shape.Steps
	every int32 // of Unit: after so many lanes the values repeat
	// others are, of Unit, lanes that have no register there: the code that goes on reads only
	// others, with which they are in steps. The interpreter wants all of them. See spreads.
	others lane.Mask
	of     int32 // the form that tells of no others
	at     int32 // offset in the frame of where it is while Go runs
	konst  int32 // index of consts, plus 1
	// known is the first lane's value of a web that has no place, for the code knows what it
	// holds: its kind is sel.NoPart.
	known uint64
}

// there is what is there at some place in the code: the forms lists[from:to].
type there struct {
	from int32
	webs int32 // the end of those of webs that the lanes there need; others hold what lanes elsewhere do, or constants
	to   int32
}

// size is how many bytes of memory it takes, about.
func (p *native) size() int {
	n := int(unsafe.Sizeof(*p)) + 8*len(p.ends) + len(p.exits)*int(unsafe.Sizeof(sel.Exit{})) + len(p.accesses)*int(unsafe.Sizeof(sel.Access{})) + p.pairs.Size() + 4*len(p.blockAt) + len(p.gone) + 4*len(p.nears) + 4*len(p.pends) + 8*len(p.plan.parts)
	for i := range p.exits {
		n += cap(p.exits[i].Gives) * int(unsafe.Sizeof(sel.Given{}))
	}
	n += len(p.forms)*int(unsafe.Sizeof(form{})) + len(p.consts)*int(unsafe.Sizeof(x64.Const{})) + 4*len(p.lists) + len(p.live)*int(unsafe.Sizeof(there{}))
	return n + 64*(len(p.deoptimised)+len(p.undone)+len(p.defs))
}

// A condenser makes a native of a translation.
type condenser struct {
	*translation
	n    *native
	form []int32 // by virtual register: index of forms, plus 1; -1: it is none

	known map[webs.Web]int32 // indices of forms
	seen  []int32            // by web: the last list that has it
	lists int32

	// Of webs with units that are alike: the lanes that have a register in this list; by web, and
	// which webs those are.
	have   []lane.Mask
	evens  []webs.Web
	spread map[spreading]int32 // indices of forms
}

// spreading is a form that tells of other lanes, too.
type spreading struct {
	form   int32
	others lane.Mask
}

// native is what is needed of a translation from now on.
func (t *translation) native(labels []int32) *native {
	f := t.ssa.IR
	n := &native{
		lanes: f.Lanes, blocks: len(f.Blocks), width: t.sel.Width, exits: t.sel.Exits, accesses: t.sel.Accesses, nears: t.sel.Nears,
		alone: t.sel.Alone, fromMemory: t.sel.FromMemory, relies: t.sel.Relies, polls: t.sel.Polls, pairs: t.mask.Pairs, gone: t.mask.Gone(), lay: t.lay, frame: uint32(t.sel.LIR.Slots + t.regs.Frame),
		enterAt: uint32(labels[t.sel.Enter]), entryAt: uint32(labels[t.sel.Entry]),
		ends: make([]int, len(f.Blocks)), blockAt: make([]uint32, len(f.Blocks)), live: make([]there, len(f.Blocks)),
	}
	if t.sel.Chains {
		n.startAt = uint32(labels[t.sel.Start])
		n.plan = t.planSweep()
		n.rows = t.canRow(&n.plan)
		if t.sel.Coarse != 0 {
			n.passAt, n.together = uint32(labels[t.sel.Coarse]), t.sel.Together
		}
	}
	for b := range f.Blocks {
		if t.mask.Overflow || t.mask.MaybePend(b) {
			n.pends = append(n.pends, int32(b))
		}
	}
	c := &condenser{translation: t, n: n, form: make([]int32, len(t.sel.LIR.VRegs)), known: map[webs.Web]int32{}, seen: make([]int32, len(t.ssa.Webs)),
		have: make([]lane.Mask, len(t.ssa.Webs)), spread: map[spreading]int32{}}
	needed := t.ssa.NewSet()
	for b, blk := range f.Blocks {
		n.ends[b] = blk.End - 1
		n.blockAt[b] = uint32(labels[t.sel.Blocks[b]])
		needed.Fill(t.ssa.LiveIn[b])
		n.live[b] = c.there(t.sel.BlockAt[b], needed)
		if defs := t.writes(blk.End - 1); len(defs) > 0 && f.Code[blk.End-1].Op.EndsBlock() {
			if n.defs == nil {
				n.defs = map[int][]webs.Web{}
			}
			n.defs[b] = defs
		}
	}
	c.deoptimised()
	for i := range n.exits {
		if x := &n.exits[i]; x.Kind == sel.ExitBar {
			x.LandAt = uint32(labels[x.Land])
		}
		for k := range n.exits[i].Gives {
			x := &n.exits[i].Gives[k]
			x.At = t.slotOf(t.regs.Place(x.Reg))
		}
	}
	return n
}

// writes are the webs that operation i writes.
func (t *translation) writes(i int) (l []webs.Web) {
	ops := &t.ssa.Ops[i]
	for _, w := range [2]webs.Web{ops.Dst, ops.Dst2} {
		if w != 0 {
			l = append(l, w)
		}
	}
	if ops.Ext > 0 {
		l = append(l, t.ssa.Ext[ops.Ext-1].Defs...)
	}
	return l
}

// there is what is there in front of instruction at of the list, of which the lanes need
// some webs.
func (c *condenser) there(at int, needed *webs.Set) there {
	n := c.n
	from := len(n.lists)
	to := from
	add := func(x int32, need bool) {
		n.lists = append(n.lists, x)
		if need {
			last := len(n.lists) - 1
			n.lists[to], n.lists[last] = n.lists[last], n.lists[to]
			to++
		}
	}
	c.lists++
	for _, r := range c.live.At(at) {
		if x := c.of(r) - 1; x >= 0 {
			w := n.forms[x].web
			c.seen[w] = c.lists
			if o := &n.forms[x]; o.kind == sel.Unit && o.alikes() {
				if c.have[w] == 0 {
					c.evens = append(c.evens, w)
				}
				c.have[w] |= c.unit(o)
			}
			add(x, w != 0 && needed.Has(w))
		}
	}
	if len(c.evens) > 0 {
		c.spreads(n.lists[from:to])
	}
	for w := range needed.All {
		if c.seen[w] == c.lists {
			continue
		}
		if x := c.knows(w); x >= 0 {
			add(x, true)
		}
	}
	return there{int32(from), int32(to), int32(len(n.lists))}
}

// unit is the lanes of which a vector register of a web holds values.
func (c *condenser) unit(o *form) (m lane.Mask) {
	per := c.n.unitLanes(o.value(c.ssa.IR))
	for first := int(o.unit) * per; first < c.n.lanes; first += int(o.every) {
		m |= (1<<uint(per) - 1) << uint(first)
	}
	return m
}

// spreads has the forms of a list tell of all lanes. What reads the first lane of each row, or of
// all, such as an access to memory does, reads but some of the registers of a web: the others are
// not there then.
func (c *condenser) spreads(list []int32) {
	n := c.n
	for k, x := range list {
		o := &n.forms[x]
		have := c.have[o.web]
		if have == 0 || o.kind != sel.Unit {
			continue
		}
		others := o.alike(int(o.unit)*n.unitLanes(o.value(c.ssa.IR))) & lane.All(n.lanes) &^ have
		if others == 0 {
			continue
		}
		c.have[o.web] |= others
		key := spreading{x, others}
		y, ok := c.spread[key]
		if !ok {
			y = int32(len(n.forms))
			n.forms = append(n.forms, *o)
			n.forms[y].others, n.forms[y].of = others, x
			c.spread[key] = y
		}
		list[k] = y
	}
	for _, w := range c.evens {
		c.have[w] = 0
	}
	c.evens = c.evens[:0]
}

// knows is the form of a web that has no register, for the code knows what it holds; -1:
// it does not.
func (c *condenser) knows(w webs.Web) int32 {
	x, ok := c.known[w]
	if !ok {
		x = -1
		ref, high := c.slotOwner(w)
		if k := c.sel.Known(w); k.Kind == shape.Affine && k.Known && int(ref) < c.ssa.Given {
			x = int32(len(c.n.forms))
			c.n.forms = append(c.n.forms, form{ref: ref, high: high, web: w, even: stepped, steps: k.Steps(), known: k.Base})
		}
		c.known[w] = x
	}
	return x
}

// home is the value whose home is that of a web, or that of its lower half; and that of its
// upper half, if it has two.
func (t *translation) slotOwner(w webs.Web) (ref, high ir.Ref) {
	if h, ok := t.ssa.Halves[w]; ok {
		return h.Low, h.High
	}
	return t.ssa.Webs[w].Ref, 0
}

// place is where in the frame a register's place is while Go runs.
func (t *translation) slotOf(at alloc.Place) int32 {
	if at.Reg == 0 {
		return at.Slot
	}
	switch n := int32(at.Reg.Num()); x64.ClassOf(at.Reg) {
	case x64.GPR:
		return t.lay.Control + sel.CtlGPR + 8*n
	case x64.Vec:
		return t.lay.Control + sel.CtlVec + 64*n
	default:
		return t.lay.Control + sel.CtlMask + 8*n
	}
}

// of is the form in a virtual register, as index plus 1.
func (c *condenser) of(r x64.Reg) int32 {
	i := r - x64.Virtual
	if x := c.form[i]; x != 0 {
		return max(x, 0)
	}
	c.form[i] = -1
	o := c.sel.Owner(r)
	at := c.regs.Place(r)
	f := form{web: o.Web, kind: o.Kind, raw: o.Raw, unit: o.Unit, steps: o.Steps, at: c.slotOf(at)}
	if o.Web != 0 && !c.ssa.Value(o.Web).Scalar && (c.ssa.Exec == nil || o.Kind != sel.Lanes) {
		f.even, f.steps = evenness(c.sel.Known(o.Web))
	}
	if o.Kind == sel.Unit {
		if f.every = o.Of * int32(c.n.unitLanes(c.ssa.Value(o.Web))); f.every < int32(c.n.lanes) && f.even == uneven {
			f.even = periodic
		}
	}
	if o.Web != 0 {
		if f.ref, f.high = c.slotOwner(o.Web); int(f.ref) >= c.ssa.Given {
			return 0 // nobody but the code knows of it
		}
	} else {
		switch k := c.sel.LIR.VRegs[i].Const; {
		case o.Kind == sel.Limit:
			c.n.consts = append(c.n.consts, x64.Const{Size: 8, Len: 8}) // 0
		case k == 0 || at.Reg == 0:
			return 0 // nothing that Go has to put there
		default:
			c.n.consts = append(c.n.consts, c.sel.LIR.Pool[k-1])
		}
		f.konst = int32(len(c.n.consts))
	}
	c.n.forms = append(c.n.forms, f)
	c.form[i] = int32(len(c.n.forms))
	return c.form[i]
}

// asides finds what is needed where code leaves for good.
func (c *condenser) deoptimised() {
	var blocks map[int][]*sel.Exit
	for i := range c.sel.Exits {
		if x := &c.sel.Exits[i]; x.Kind == sel.ExitDeopt {
			if blocks == nil {
				blocks, c.n.deoptimised = map[int][]*sel.Exit{}, map[int]there{}
			}
			blocks[x.Block] = append(blocks[x.Block], x)
		}
	}
	if blocks == nil {
		return
	}
	live, before := c.ssa.NewSet(), c.ssa.NewSet()
	for _, b := range slices.Sorted(maps.Keys(blocks)) { // so that it comes out the same every time
		c.ssa.Backward(b, live, func(i int, after *webs.Set) {
			for _, x := range blocks[b] {
				if x.Inst == i {
					before.Copy(after)
					c.ssa.Before(i, before)
					c.n.deoptimised[i] = c.there(x.At, before)
					c.undone(i)
				}
			}
		})
	}
}

// undone finds what is to be done in front of operation i where code leaves there.
func (c *condenser) undone(i int) {
	if c.n.undone[i] != nil {
		return
	}
	for _, u := range c.ssa.Undone {
		if i <= u.Ops[len(u.Ops)-1] || i > u.Until {
			continue
		}
		if c.n.undone == nil {
			c.n.undone = map[int][]int{}
		}
		c.n.undone[i] = append(c.n.undone[i], u.Ops...)
	}
	slices.Sort(c.n.undone[i]) // temporaries of one sum may be in the places of another's
}
