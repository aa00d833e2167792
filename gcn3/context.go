package gcn3

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// This file finds where computed branches go. A wave's way through code with calls depends on the addresses
// in its registers: s_setpc_b64 goes back behind the call that left the address, and not
// behind any other. So blocks are followed once for each set of addresses of code that
// registers hold when control comes to them: a context. Addresses are followed through
// scalar arithmetic, v_writelane_b32 and v_readlane_b32, and scratch memory, where compilers
// keep return addresses.
//
// Numbers are followed too, as far as paths of one context agree on them: a stack pointer
// says which place in scratch memory is meant.
//
// Taken for granted is what calling conventions promise: nothing else overwrites a return
// address that is kept in scratch memory, and a function that calls itself gives back the
// stack pointer and the lanes of VGPRs that hold return addresses. A run does not rely on
// that: it looks at the address itself.

// A cell is a dword that is known: a scalar register or SCC, a lane of a VGPR, or a lane of a
// dword in scratch memory.
type cell struct {
	key cellKey
	known
}

type cellKey uint64

const (
	cellLanes   cellKey = 1 << 40 // VGPR number, lane
	cellScratch cellKey = 2 << 40 // descriptor's first register, offset, lane
)

func laneCell(vgpr uint16, lane uint32) cellKey {
	return cellLanes | cellKey(vgpr)<<8 | cellKey(lane&63)
}

// A world is what is known at a place, by key.
type world []cell

func (w world) find(k cellKey) (int, bool) {
	return slices.BinarySearchFunc(w, k, func(c cell, k cellKey) int { return cmp.Compare(c.key, k) })
}

func (w world) get(k cellKey) (known, bool) {
	if i, ok := w.find(k); ok {
		return w[i].known, true
	}
	return known{}, false
}

func (w *world) set(k cellKey, v known) {
	i, ok := w.find(k)
	if !ok {
		*w = slices.Insert(*w, i, cell{key: k})
	}
	(*w)[i].known = v
}

// forget drops the keys from lo up to hi, hi not among them.
func (w *world) forget(lo, hi cellKey) {
	i, _ := w.find(lo)
	j, _ := w.find(hi)
	*w = slices.Delete(*w, i, j)
}

// pair is what two registers hold together.
func (w world) pair(lo uint16) (v uint64, rel, ok bool) {
	a, okA := w.get(cellKey(lo))
	b, okB := w.get(cellKey(lo + 1))
	return uint64(a.v) | uint64(b.v)<<32, a.rel, okA && okB && a.rel == b.rel
}

// context is the part of a world that tells contexts apart.
func (w world) context() string {
	var b []byte
	for _, c := range w {
		if c.rel {
			b = binary.BigEndian.AppendUint64(b, uint64(c.key))
			b = binary.BigEndian.AppendUint32(b, c.v)
		}
	}
	return string(b)
}

// meet keeps what both know.
func (w *world) meet(o world) (changed bool) {
	n := len(*w)
	*w = slices.DeleteFunc(*w, func(c cell) bool {
		v, ok := o.get(c.key)
		return !ok || v != c.known
	})
	return len(*w) != n
}

// A ctxBlock is instructions that follow each other, in one context.
type ctxBlock struct {
	first   int32 // instruction
	context string
	at      world // before it
	n       int32 // instructions
	succ    []*ctxBlock
	hub     bool // it may go to all targets of computed branches
	queued  bool
	number  int // of its first node in a graph; -1: none yet
}

type blockKey struct {
	first   int32
	context string
}

// A summary is a function that calls itself, or has too many callers: it is followed once
// for all calls of one context, or for all. Its return address is a number of its own.
type summary struct {
	first    int32 // instruction
	link     uint16
	returns  map[blockKey]*summaryReturn
	order    []*summaryReturn
	returned map[*ctxBlock]bool // the blocks that end with a return
}

type summaryKey struct {
	first   int32
	link    uint16
	context string
}

// A summaryReturn is a place to which a summary returns.
type summaryReturn struct {
	first int32
	at    world
}

// linkBase is where numbers begin that stand for the return addresses of summaries; the
// first one is that of whoever called the entry.
const (
	linkBase = int64(1) << 40
	linkHigh = uint32(linkBase >> 32) // of the upper half
)

// contexts is the analysis.
type contexts struct {
	insts     []decoded
	index     offsetIndex
	hub       []int64 // where computed branches may go, if nobody knows better
	callees   []int64 // where calls may go
	function  bool    // the entry is a function
	starts    []bool
	live      []liveSet
	blocks    map[blockKey]*ctxBlock
	perStart  map[int32]int
	room      int // how many blocks may still be made
	todo      []*ctxBlock
	entry     *ctxBlock
	summaries []*summary
	bySummary map[summaryKey]int
	lifted    map[int32]*lifter
	// What came out, by instruction: the places that computed branches go to, and whether
	// there may be more.
	targets map[int32]map[int64]bool
	open    map[int32]bool
}

// Calls beyond so many blocks of a kernel, or so many contexts of a function, are followed by
// summaries. Beyond four times as many, addresses are forgotten.
const (
	manyBlocks   = 4000
	manyContexts = 100
)

// newContexts follows the code from its entry. hub and callees are the targets of branches
// and calls whose address does not show.
func newContexts(insts []decoded, code Code, hub []int64) *contexts {
	x := &contexts{insts: insts, index: indexOf(insts), hub: hub, callees: callees(insts, hub, code), function: code.Function, blocks: map[blockKey]*ctxBlock{},
		perStart: map[int32]int{}, room: 4 * manyBlocks, bySummary: map[summaryKey]int{}, lifted: map[int32]*lifter{}, targets: map[int32]map[int64]bool{}, open: map[int32]bool{}}
	first, ok := x.index.at(code.Entry)
	if !ok {
		return x
	}
	x.findStarts(code.Entry)
	x.live = liveScalars(insts, x.index, hub)
	var at world
	x.summaries = []*summary{{first: int32(first), returned: map[*ctxBlock]bool{}}} // of whoever called the entry
	if code.Function {
		at.set(stackPointer, known{v: 1 << 24})
		link := func(r uint16) {
			at.set(cellKey(r), known{0, true})
			at.set(cellKey(r+1), known{linkHigh, true})
		}
		link(30) // by the calling convention, or as the function itself has it
		for i := range insts {
			if o := &insts[i].in.Ops[0]; isReturn(&insts[i].in) && o.Kind == KindSGPR && o.Reg != stackPointer && o.Reg < RegVCC {
				link(o.Reg)
			}
		}
	}
	x.entry = x.block(int32(first), at)
	for len(x.todo) > 0 {
		n := len(x.todo) - 1
		b := x.todo[n]
		x.todo = x.todo[:n]
		b.queued = false
		x.run(b)
	}
	return x
}

// stackPointer is s32, by the calling convention (AMDGPUUsage, "Call Convention").
const stackPointer = 32

func (x *contexts) findStarts(entry int64) {
	x.starts = make([]bool, len(x.insts))
	start := func(off int64) {
		if i, ok := x.index.at(off); ok {
			x.starts[i] = true
		}
	}
	start(entry)
	for _, off := range x.hub {
		start(off)
	}
	var room []int64
	for i := range x.insts {
		d := &x.insts[i]
		next := successors(room[:0], d)
		room = next
		if len(next) == 1 && next[0] == d.next && i+1 < len(x.insts) && x.insts[i+1].off == d.next {
			continue
		}
		for _, to := range next {
			start(to)
		}
		start(d.next)
	}
}

// block is the block at an instruction, in a world; it is followed if that is news.
func (x *contexts) block(first int32, w world) *ctxBlock {
	w = slices.Clone(w)
	live := &x.live[first]
	for i := range w {
		if c := &w[i]; c.rel && c.key < 128 && !live.has(uint16(c.key)) {
			c.key = ^cellKey(0) // nobody reads it
		}
	}
	w = slices.DeleteFunc(w, func(c cell) bool { return c.key == ^cellKey(0) })
	key := blockKey{first, w.context()}
	b := x.blocks[key]
	if b == nil && key.context != "" && (x.room <= 0 || x.perStart[first] >= 4*manyContexts) {
		w = slices.DeleteFunc(w, func(c cell) bool { return c.rel })
		key.context = ""
		b = x.blocks[key]
	}
	if b == nil {
		b = &ctxBlock{first: first, context: key.context, at: w, number: -1}
		x.blocks[key] = b
		x.perStart[first]++
		x.room--
	} else if !b.at.meet(w) {
		return b
	}
	if !b.queued {
		b.queued = true
		x.todo = append(x.todo, b)
	}
	return b
}

// run follows a block to its end.
func (x *contexts) run(b *ctxBlock) {
	w := slices.Clone(b.at)
	b.succ, b.hub, b.n = b.succ[:0], false, 0
	add := func(to *ctxBlock) {
		if !slices.Contains(b.succ, to) {
			b.succ = append(b.succ, to)
		}
	}
	goTo := func(off int64) {
		if i, ok := x.index.at(off); ok { // the end of the code is nowhere
			add(x.block(int32(i), w))
		}
	}
	for i := b.first; ; i++ {
		d := &x.insts[i]
		b.n++
		f := d.in.Row.Flags
		switch {
		case isCall(&d.in):
			x.call(b, i, w, add)
			return
		case d.computed && !isFork(&d.in) && !isJoin(&d.in):
			x.jump(b, i, w, add)
			return
		}
		x.step(&w, i)
		if f.Has(FlagBranch) && !f.Has(FlagIndirect) || len(d.to) > 0 {
			for _, to := range successors(nil, d) {
				if to != hubOff && to != d.next {
					goTo(to)
				}
			}
		}
		if d.computed {
			x.toHub(b, i)
		}
		if stops(&d.in) {
			if slices.Contains(d.to, d.next) {
				goTo(d.next)
			}
			return
		}
		next := int(i) + 1
		if next == len(x.insts) || x.insts[next].off != d.next || x.starts[next] {
			goTo(d.next)
			return
		}
	}
}

// toHub lets a block go wherever computed branches may go.
func (x *contexts) toHub(b *ctxBlock, i int32) {
	x.open[i], b.hub = true, true
	for _, off := range x.hub {
		if k, ok := x.index.at(off); ok {
			x.block(int32(k), nil)
		}
	}
}

// target remembers where a computed branch goes, and finds the instruction there.
func (x *contexts) target(i int32, off int64) (to int32, ok bool) {
	if x.insts[i].computed {
		if x.targets[i] == nil {
			x.targets[i] = map[int64]bool{}
		}
		x.targets[i][off] = true
	}
	k, ok := x.index.at(off)
	return int32(k), ok
}

// call is s_swappc_b64: D = address of the next instruction; goes to S0.
func (x *contexts) call(b *ctxBlock, i int32, w world, add func(*ctxBlock)) {
	d := &x.insts[i]
	to, ok := int64(0), false
	if len(d.to) > 0 {
		to, ok = d.to[0], true
	} else if o := &d.in.Ops[1]; o.Kind == KindSGPR {
		v, rel, known := w.pair(o.Reg)
		to, ok = int64(v), known && rel && int64(v) < linkBase
	}
	link := d.in.Ops[0].Reg
	enter := func(first int32) {
		if n := x.summaryOf(w, first, link); n >= 0 {
			add(x.callSummary(n, d, w))
			return
		}
		if x.room <= 3*manyBlocks || x.perStart[first] >= manyContexts {
			add(x.callSummary(x.summary(summaryKey{first, link, ""}), d, w))
			return
		}
		if outstandingCall(w, d.next) {
			add(x.callSummary(x.summary(summaryKey{first, link, w.context()}), d, w))
			return
		}
		c := slices.Clone(w)
		c.set(cellKey(link), known{uint32(d.next), true})
		c.set(cellKey(link+1), known{uint32(uint64(d.next) >> 32), true})
		add(x.block(first, c))
	}
	if ok {
		if first, ok := x.target(i, to); ok {
			enter(first)
		}
		return
	}
	x.open[i] = true
	for _, off := range x.callees {
		if k, ok := x.index.at(off); ok {
			enter(int32(k))
		}
	}
}

// outstandingCall reports whether a return address is kept outside the scalar registers: the
// function that it belongs to has not returned, and is called again.
func outstandingCall(w world, off int64) bool {
	for _, c := range w {
		if c.key >= cellLanes && c.rel && c.v == uint32(off) {
			return true
		}
	}
	return false
}

// summaryOf is the summary of a function that has not returned, and calls itself again; -1 if
// there is none.
func (x *contexts) summaryOf(w world, first int32, link uint16) int {
	for _, c := range w {
		if c.key < cellLanes || !c.rel || c.v%linkHigh != 0 {
			continue
		}
		if n := int(c.v/linkHigh) - 1; n > 0 && n < len(x.summaries) && x.summaries[n].first == first && x.summaries[n].link == link {
			return n
		}
	}
	return -1
}

// summary is the summary of a function, by its number.
func (x *contexts) summary(key summaryKey) int {
	n, ok := x.bySummary[key]
	if !ok {
		n = len(x.summaries)
		x.bySummary[key] = n
		x.summaries = append(x.summaries, &summary{first: key.first, link: key.link, returns: map[blockKey]*summaryReturn{}, returned: map[*ctxBlock]bool{}})
	}
	return n
}

// callSummary calls a function that is followed once for such calls.
func (x *contexts) callSummary(n int, d *decoded, w world) *ctxBlock {
	s := x.summaries[n]
	first, link := s.first, s.link
	if back, ok := x.index.at(d.next); ok {
		// What the convention lets the function change is not known behind it.
		kept := slices.DeleteFunc(slices.Clone(w), func(c cell) bool {
			return c.key < stackPointer || c.key >= RegVCC && c.key < cellLanes || c.key == cellKey(link) || c.key == cellKey(link+1)
		})
		key := blockKey{int32(back), kept.context()}
		r := s.returns[key]
		if r == nil {
			r = &summaryReturn{int32(back), kept}
			s.returns[key] = r
			s.order = append(s.order, r)
			x.again(s)
		} else if r.at.meet(kept) {
			x.again(s)
		}
	}
	var c world
	v := linkBase * int64(n+1)
	c.set(stackPointer, known{v: 1 << 24})
	c.set(cellKey(link), known{uint32(v), true})
	c.set(cellKey(link+1), known{uint32(v >> 32), true})
	return x.block(first, c)
}

// again follows the returns of a summary once more.
func (x *contexts) again(s *summary) {
	var l []*ctxBlock
	for b := range s.returned {
		l = append(l, b)
	}
	slices.SortFunc(l, func(a, b *ctxBlock) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.context, b.context))
	})
	for _, b := range l {
		if !b.queued {
			b.queued = true
			x.todo = append(x.todo, b)
		}
	}
}

// jump is s_setpc_b64, a return mostly. What lies above the stack pointer is nobody's then.
func (x *contexts) jump(b *ctxBlock, i int32, w world, add func(*ctxBlock)) {
	o := &x.insts[i].in.Ops[0]
	if sp, ok := w.get(stackPointer); ok && !sp.rel {
		w = slices.DeleteFunc(w, func(c cell) bool {
			return c.key >= cellScratch && uint32(c.key>>8) >= sp.v
		})
	}
	if o.Kind == KindSGPR {
		if v, rel, ok := w.pair(o.Reg); ok && rel {
			n := int64(v)/linkBase - 1
			switch {
			case n < 0:
				if to, ok := x.target(i, int64(v)); ok {
					add(x.block(to, w))
				}
				return
			case int64(v)%linkBase == 0 && n < int64(len(x.summaries)):
				s := x.summaries[n]
				s.returned[b] = true
				for _, r := range s.order {
					x.target(i, x.insts[r.first].off)
					add(x.block(r.first, r.at))
				}
				return
			}
		}
	}
	x.toHub(b, i)
}
