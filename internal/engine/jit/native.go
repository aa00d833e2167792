package jit

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// native is the run-time description of a function's code: where to enter it, and the frame state of each block
// and exit.
//
// Input: a translation (condenser makes the native of it).
// Output: tables that run.go, entry_guard.go and block_runner.go read at run time.
// Invariant: a native is immutable. It holds no reference to the function or to the translation, because the
// cache keeps it.
// Example: block 3 needs webs a and b. live[3] then lists two forms: a is in vector register 5, lanes 8 to 15,
// and b is affine with its base in a general register. An exit to block 3 writes the two frame slots from these
// forms; an entry reads them.
//
// Literature: Briggs, Cooper and Torczon, Rematerialization (PLDI 1992), for forms without a register.
type native struct {
	lanes, blocks int
	width         int32 // bytes of a vector register
	ends          []int // by block: the index of its last operation
	exits         []abi.Exit
	accesses      []abi.Access
	gone          []bool  // see mask.Masks.Gone
	nears         []int32 // frame offsets of words that are derived from shared memory or region caches
	alone         bool    // see abi.Code
	fromMemory    bool    // see abi.Code
	relies        bool    // see abi.Code
	polls         bool    // see abi.Code
	pairs         mask.Pairs
	lay           abi.Layout
	frame         uint32
	pends         []int32 // the blocks at which lanes may be pending, in layout order
	plan          sweepPlan
	rows          bool // one call may run several blocks of the grid
	entryPoints
	frameStates

	scribble *scribbler // nil: frame slots are not scribbled on
}

// entryPoints are the code offsets at which the code is entered.
type entryPoints struct {
	enterAt  uint32   // of the routine by which Go enters
	entryAt  uint32   // at which a wave starts,
	blockAt  []uint32 // and of each block
	passAt   uint32   // at which together waves start in a coarsened body; 0: there is none
	together int
	startAt  uint32 // of the routine by which Go enters for a chain of waves; 0: chains gain nothing
}

// frameStates are the frame states of the code: how the interpreter gets its frame.
type frameStates struct {
	forms  []form
	consts []x64.Const
	lists  []int32 // indices of forms: the lists of live and deoptimised
	live   []there // by block
	// deoptimised is the frame state of each operation at which the code deoptimises: the webs that are live
	// before it.
	deoptimised map[int]there
	// defs lists the webs that the last operation of a block writes, by block.
	defs map[int][]webs.Web
}

// A form is a rematerialisation recipe: it says where a web, or a part of it, is in the saved state, and how
// the lanes follow from it. A form may also be a constant in a register.
type form struct {
	ref   ir.Ref // the value that has the web's frame slot
	high  ir.Ref // if the web is a fused pair with two frame slots: the value of the upper half; see webs.Halves
	web   webs.Web
	kind  abi.Kind
	raw   bool
	unit  int32
	even  even // the relation between the web's lanes on which the code relies,
	steps shape.Steps
	every int32 // of Unit: the lane period
	// others, of Unit, are lanes that have no register at this place, because the code reads only lanes from
	// which they follow by steps. The interpreter needs all lanes. See spreads.
	others lane.Mask
	of     int32 // the form from which this one was made, which lacks these lanes
	at     int32 // frame offset of its register or slot while Go runs
	konst  int32 // index of consts, plus 1
	// known is the first lane's value of a web that needs no register, because it is a constant plus steps. Its
	// kind is abi.NoPart.
	known uint64
}

// there is a frame state: the forms lists[from:to] at one place in the code.
type there struct {
	from int32
	webs int32 // end of the forms of webs that the lanes at this place need; the rest are constants, or belong to lanes elsewhere
	to   int32
}

// size returns the approximate number of bytes of memory of the tables.
func (p *native) size() int {
	n := int(unsafe.Sizeof(*p)) + 8*len(p.ends) + len(p.exits)*int(unsafe.Sizeof(abi.Exit{})) + len(p.accesses)*int(unsafe.Sizeof(abi.Access{})) + p.pairs.Size() + 4*len(p.blockAt) + len(p.gone) + 4*len(p.nears) + 4*len(p.pends) + 8*len(p.plan.parts)
	for i := range p.exits {
		n += cap(p.exits[i].Gives)*int(unsafe.Sizeof(abi.Given{})) + 8*cap(p.exits[i].Again)
	}
	n += len(p.forms)*int(unsafe.Sizeof(form{})) + len(p.consts)*int(unsafe.Sizeof(x64.Const{})) + 4*len(p.lists) + len(p.live)*int(unsafe.Sizeof(there{}))
	return n + 64*(len(p.deoptimised)+len(p.defs))
}

// A condenser extracts a native from a translation. It merges equal forms, so that lists are short.
type condenser struct {
	*translation
	n    *native
	form []int32 // by virtual register: index of forms, plus 1; -1: the register has no form

	known map[webs.Web]int32 // by web without a register: index of forms; -1: its value is not known
	seen  []int32            // by web: the number of the last list that has it
	lists int32

	// have holds, per web with Unit registers that determine each other, the lanes that have a register in the
	// current list; evens lists these webs.
	have   []lane.Mask
	evens  []webs.Web
	spread map[spreading]int32 // indices of forms
}

// spreading identifies a form that also gives further lanes.
type spreading struct {
	form   int32
	others lane.Mask
}

// native returns the run-time description of a translation. labels are the code offsets of its labels.
func (t *translation) native(labels []int32) *native {
	f := t.ssa.IR
	n := &native{
		lanes: f.Lanes, blocks: len(f.Blocks), width: t.sel.Width, exits: t.sel.Exits, accesses: t.sel.Accesses, nears: t.sel.Nears,
		alone: t.sel.Alone, fromMemory: t.sel.FromMemory, relies: t.sel.Relies, polls: t.sel.Polls, pairs: t.mask.Pairs, gone: t.mask.Gone(), lay: t.lay, frame: uint32(t.sel.LIR.Slots + t.regs.Frame),
		ends:        make([]int, len(f.Blocks)),
		entryPoints: entryPoints{enterAt: uint32(labels[t.sel.Enter]), entryAt: uint32(labels[t.sel.Entry]), blockAt: make([]uint32, len(f.Blocks))},
		frameStates: frameStates{live: make([]there, len(f.Blocks))},
	}
	// Chains, and several blocks without Go, are possible only if waves may end or wait in
	// the code.
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
		if x := &n.exits[i]; x.Kind == abi.ExitBar {
			x.LandAt = uint32(labels[x.Land])
		}
		for k := range n.exits[i].Gives {
			x := &n.exits[i].Gives[k]
			x.At = t.slotOf(t.regs.Place(x.Reg))
		}
	}
	return n
}

// writes returns the webs that operation i writes.
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

// there returns the frame state before instruction at of the list. needed are the webs that the lanes at this
// place read; their forms come first. A needed web without a register gets a form if its value is known; see
// knows.
func (c *condenser) there(at int, needed *webs.Set) there {
	n := c.n
	from := len(n.lists)
	to := from
	add := func(x int32, need bool) {
		n.lists = append(n.lists, x)
		if need {
			last := len(n.lists) - 1
			// Needed forms are kept at the front of the list.
			n.lists[to], n.lists[last] = n.lists[last], n.lists[to]
			to++
		}
	}
	c.lists++
	for _, r := range c.live.At(at) {
		if x := c.of(r) - 1; x >= 0 {
			w := n.forms[x].web
			c.seen[w] = c.lists
			if o := &n.forms[x]; o.kind == abi.Unit && o.alikes() {
				if c.have[w] == 0 {
					c.evens = append(c.evens, w)
				}
				c.have[w] |= n.unit(o, o.value(c.ssa.IR))
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

// unit returns the lanes of a Unit register of a value, and their repetitions after the lane period.
func (p *native) unit(o *form, v *ir.Value) (m lane.Mask) {
	per := p.unitLanes(v)
	for first := int(o.unit) * per; first < p.lanes; first += int(o.every) {
		m |= (1<<uint(per) - 1) << uint(first)
	}
	return m
}

// spreads extends the forms of a list so that together they give all lanes. A frame state lists
// only the first of registers that follow from each other. The other registers of the web may be dead and have no
// form, although the interpreter needs their lanes.
func (c *condenser) spreads(list []int32) {
	n := c.n
	for k, x := range list {
		o := &n.forms[x]
		have := c.have[o.web]
		if have == 0 || o.kind != abi.Unit {
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

// knows returns the form of a web that has no register because its lanes are a known constant plus steps; -1 if
// the web's value is not known.
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

// slotOwner returns the value that has the frame slot of a web. If the web is a fused pair, that is the value
// of the lower half, and high is the value of the upper half.
func (t *translation) slotOwner(w webs.Web) (ref, high ir.Ref) {
	if h, ok := t.ssa.Halves[w]; ok {
		return h.Low, h.High
	}
	return t.ssa.Webs[w].Ref, 0
}

// slotOf returns the frame offset that holds a register or slot while Go runs.
func (t *translation) slotOf(at alloc.Place) int32 {
	if at.Reg == 0 {
		return at.Slot
	}
	switch n := int32(at.Reg.Num()); x64.ClassOf(at.Reg) {
	case x64.GPR:
		return t.lay.Control + abi.CtlGPR + 8*n
	case x64.Vec:
		return t.lay.Control + abi.CtlVec + 64*n
	default:
		return t.lay.Control + abi.CtlMask + 8*n
	}
}

// of returns the form in a virtual register as its index plus 1; 0 if the register has none.
func (c *condenser) of(r x64.Reg) int32 {
	i := r - x64.Virtual
	if x := c.form[i]; x != 0 {
		return max(x, 0)
	}
	c.form[i] = -1
	o := c.sel.Owner(r)
	at := c.regs.Place(r)
	f := form{web: o.Web, kind: o.Kind, raw: o.Raw, unit: o.Unit, steps: o.Steps, at: c.slotOf(at)}
	// Only the lanes of vectors are related; under EXEC a mask register says nothing about
	// inactive lanes.
	if o.Web != 0 && !c.ssa.Value(o.Web).Scalar && (c.ssa.Exec == nil || o.Kind != abi.Lanes) {
		f.even, f.steps = evenness(c.sel.Known(o.Web))
	}
	if o.Kind == abi.Unit {
		if f.every = o.Of * int32(c.n.unitLanes(c.ssa.Value(o.Web))); f.every < int32(c.n.lanes) && f.even == uneven {
			f.even = periodic
		}
	}
	if o.Web != 0 {
		if f.ref, f.high = c.slotOwner(o.Web); int(f.ref) >= c.ssa.Given {
			return 0 // a temporary: it has no frame slot
		}
	} else {
		// A register without a web is interesting only if Go must fill it: a constant, or a
		// limit.
		switch k := c.sel.LIR.VRegs[i].Const; {
		case o.Kind == abi.Limit:
			c.n.consts = append(c.n.consts, x64.Const{Size: 8, Len: 8}) // 0
		case k == 0 || at.Reg == 0:
			return 0 // Go has no constant to put there
		default:
			c.n.consts = append(c.n.consts, c.sel.LIR.Pool[k-1])
		}
		f.konst = int32(len(c.n.consts))
	}
	c.n.forms = append(c.n.forms, f)
	c.form[i] = int32(len(c.n.forms))
	return c.form[i]
}

// deoptimised computes the frame states of the exits that deoptimise.
func (c *condenser) deoptimised() {
	needed := c.ssa.NewSet()
	for i := range c.n.exits {
		x := &c.n.exits[i]
		if x.Kind != abi.ExitDeopt {
			continue
		}
		if c.n.deoptimised == nil {
			c.n.deoptimised = map[int]there{}
		}
		needed.Fill(x.Webs)
		c.n.deoptimised[x.Inst] = c.there(x.At, needed)
		x.Webs = nil // the forms replace them
	}
}
