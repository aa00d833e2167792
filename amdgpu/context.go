package amdgpu

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// This file finds the targets of computed branches. The path of a wave through code with calls
// depends on the addresses in its registers: s_setpc_b64 returns to the call that left the address,
// and to no other call. So a block is followed once for each set of code addresses that registers
// hold on entry to it: a context. Addresses are followed through scalar arithmetic, through
// v_writelane_b32 and v_readlane_b32, and through scratch memory, where compilers keep return
// addresses.
//
// Input: the decoded instructions, and the targets to assume for branches with unknown addresses.
// Output: the targets of each computed branch, and whether there may be more (open).
// Invariant: known values hold on every path of one context.
// Example: f is called at A and at B. f's s_setpc_b64 is followed twice, once with each return
// address.
// Literature: context-sensitive analysis with call strings and summaries (Sharir and Pnueli 1981).
//
// Numbers are followed too, as far as the paths of one context agree on them: a stack pointer
// determines which place in scratch memory an access means.
//
// The analysis relies on two promises of calling conventions. Nothing else overwrites a return
// address that is kept in scratch memory. A recursive function restores the stack pointer and the
// lanes of VGPRs that hold return addresses. A run does not rely on them: it reads the address
// itself.

// A cell is a dword with a known value: a scalar register or SCC, a lane of a VGPR, or a lane of a
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

// A world holds the known values at a place, sorted by key.
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

// forget drops the keys from lo up to hi, hi not included.
func (w *world) forget(lo, hi cellKey) {
	i, _ := w.find(lo)
	j, _ := w.find(hi)
	*w = slices.Delete(*w, i, j)
}

// pair returns the 64-bit value of two consecutive registers.
func (w world) pair(lo uint16) (v uint64, rel, ok bool) {
	a, okA := w.get(cellKey(lo))
	b, okB := w.get(cellKey(lo + 1))
	return uint64(a.v) | uint64(b.v)<<32, a.rel, okA && okB && a.rel == b.rel
}

// context returns the part of a world that distinguishes contexts.
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

// meet keeps the values on which both worlds agree.
func (w *world) meet(o world) (changed bool) {
	n := len(*w)
	*w = slices.DeleteFunc(*w, func(c cell) bool {
		v, ok := o.get(c.key)
		return !ok || v != c.known
	})
	return len(*w) != n
}

// A ctxBlock is a run of consecutive instructions in one context.
type ctxBlock struct {
	first   int32 // index of the first instruction
	context string
	at      world // the world before the block
	n       int32 // number of instructions
	succ    []*ctxBlock
	hub     bool // it may branch to all targets of computed branches
	queued  bool
	number  int // number of its first node in a graph; -1: none yet
}

type blockKey struct {
	first   int32
	context string
}

// A summary is a function that is followed once for all calls of one context, or for all calls.
// Recursive functions and functions with too many callers have summaries. A special number stands
// for the return address.
type summary struct {
	first    int32 // index of the first instruction
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

// linkBase is the first number that stands for the return address of a summary; it belongs to the
// caller of the entry.
const (
	linkBase = int64(1) << 40
	linkHigh = uint32(linkBase >> 32) // the upper half
)

// contexts is the state of the analysis.
type contexts struct {
	insts     []Decoded
	index     OffsetIndex
	hub       []int64 // possible targets of computed branches with an unknown address
	callees   []int64 // possible targets of calls with an unknown address
	function  bool    // the entry is a function
	starts    []bool
	live      []liveSet
	blocks    map[blockKey]*ctxBlock
	perStart  map[int32]int
	room      int // number of blocks that may still be made
	todo      []*ctxBlock
	entry     *ctxBlock
	summaries []*summary
	bySummary map[summaryKey]int
	lifted    map[int32]*lifter
	// The result, by instruction: the targets of computed branches, and whether there may be more.
	targets map[int32]map[int64]bool
	open    map[int32]bool
}

// If a kernel has more than manyBlocks blocks, or a function more than manyContexts contexts,
// further calls use summaries. Above four times these numbers, addresses are forgotten.
const (
	manyBlocks   = 4000
	manyContexts = 100
)

// newContexts follows the code from its entry. hub and callees are the assumed targets of branches
// and calls with an unknown address.
func newContexts(insts []Decoded, code Code, hub []int64) *contexts {
	x := &contexts{insts: insts, index: NewOffsetIndex(insts), hub: hub, callees: callees(insts, hub, code), function: code.Function, blocks: map[blockKey]*ctxBlock{},
		perStart: map[int32]int{}, room: 4 * manyBlocks, bySummary: map[summaryKey]int{}, lifted: map[int32]*lifter{}, targets: map[int32]map[int64]bool{}, open: map[int32]bool{}}
	first, ok := x.index.At(code.Entry)
	if !ok {
		return x
	}
	x.findStarts(code.Entry)
	x.live = liveScalars(insts, x.index, hub)
	var at world
	x.summaries = []*summary{{first: int32(first), returned: map[*ctxBlock]bool{}}} // the caller of the entry
	if code.Function {
		at.set(stackPointer, known{v: 1 << 24})
		link := func(r uint16) {
			at.set(cellKey(r), known{0, true})
			at.set(cellKey(r+1), known{linkHigh, true})
		}
		link(30) // by the calling convention, or by the function's own use
		for i := range insts {
			if o := &insts[i].In.Ops[0]; IsReturn(&insts[i].In) && o.Kind == KindSGPR && o.Reg != stackPointer && o.Reg < RegVCC {
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

// findStarts marks the instructions at which blocks begin.
func (x *contexts) findStarts(entry int64) {
	x.starts = make([]bool, len(x.insts))
	start := func(off int64) {
		if i, ok := x.index.At(off); ok {
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
		if len(next) == 1 && next[0] == d.Next && i+1 < len(x.insts) && x.insts[i+1].Off == d.Next {
			continue
		}
		for _, to := range next {
			start(to)
		}
		start(d.Next)
	}
}

// block returns the block at an instruction, in a world. It is followed if the world adds something
// new.
func (x *contexts) block(first int32, w world) *ctxBlock {
	w = slices.Clone(w)
	live := &x.live[first]
	for i := range w {
		if c := &w[i]; c.rel && c.key < 128 && !live.has(uint16(c.key)) {
			c.key = ^cellKey(0) // the register is dead
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
		if i, ok := x.index.At(off); ok { // the end of the code is no target
			add(x.block(int32(i), w))
		}
	}
	for i := b.first; ; i++ {
		d := &x.insts[i]
		b.n++
		f := d.In.Row.Flags
		switch {
		case IsCall(&d.In):
			x.call(b, i, w, add)
			return
		case d.Computed && !isFork(&d.In) && !isJoin(&d.In):
			x.jump(b, i, w, add)
			return
		}
		x.step(&w, i)
		if f.Has(FlagBranch) && !f.Has(FlagIndirect) || len(d.to) > 0 {
			for _, to := range successors(nil, d) {
				if to != hubOff && to != d.Next {
					goTo(to)
				}
			}
		}
		if d.Computed {
			x.toHub(b, i)
		}
		if stops(&d.In) {
			if slices.Contains(d.to, d.Next) {
				goTo(d.Next)
			}
			return
		}
		next := int(i) + 1
		if next == len(x.insts) || x.insts[next].Off != d.Next || x.starts[next] {
			goTo(d.Next)
			return
		}
	}
}

// toHub lets a block branch to all targets of computed branches.
func (x *contexts) toHub(b *ctxBlock, i int32) {
	x.open[i], b.hub = true, true
	for _, off := range x.hub {
		if k, ok := x.index.At(off); ok {
			x.block(int32(k), nil)
		}
	}
}

// target records a target of a computed branch, and finds the instruction there.
func (x *contexts) target(i int32, off int64) (to int32, ok bool) {
	if x.insts[i].Computed {
		if x.targets[i] == nil {
			x.targets[i] = map[int64]bool{}
		}
		x.targets[i][off] = true
	}
	k, ok := x.index.At(off)
	return int32(k), ok
}

// call follows s_swappc_b64: D = address of the next instruction; the target is S0.
func (x *contexts) call(b *ctxBlock, i int32, w world, add func(*ctxBlock)) {
	d := &x.insts[i]
	to, ok := int64(0), false
	if len(d.to) > 0 {
		to, ok = d.to[0], true
	} else if o := &d.In.Ops[1]; o.Kind == KindSGPR {
		v, rel, known := w.pair(o.Reg)
		to, ok = int64(v), known && rel && int64(v) < linkBase
	}
	link := d.In.Ops[0].Reg
	enter := func(first int32) {
		if n := x.summaryOf(w, first, link); n >= 0 {
			add(x.callSummary(n, d, w))
			return
		}
		if x.room <= 3*manyBlocks || x.perStart[first] >= manyContexts {
			add(x.callSummary(x.summary(summaryKey{first, link, ""}), d, w))
			return
		}
		if outstandingCall(w, d.Next) {
			add(x.callSummary(x.summary(summaryKey{first, link, w.context()}), d, w))
			return
		}
		c := slices.Clone(w)
		c.set(cellKey(link), known{uint32(d.Next), true})
		c.set(cellKey(link+1), known{uint32(uint64(d.Next) >> 32), true})
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
		if k, ok := x.index.At(off); ok {
			enter(int32(k))
		}
	}
}

// outstandingCall reports whether a return address is saved outside the scalar registers: the
// function that it belongs to has not returned, and is called again.
func outstandingCall(w world, off int64) bool {
	for _, c := range w {
		if c.key >= cellLanes && c.rel && c.v == uint32(off) {
			return true
		}
	}
	return false
}

// summaryOf returns the summary of a function that has not returned and calls itself again; -1 if
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

// summary returns the summary of a function, by its number.
func (x *contexts) summary(key summaryKey) int {
	n, ok := x.bySummary[key]
	if !ok {
		n = len(x.summaries)
		x.bySummary[key] = n
		x.summaries = append(x.summaries, &summary{first: key.first, link: key.link, returns: map[blockKey]*summaryReturn{}, returned: map[*ctxBlock]bool{}})
	}
	return n
}

// callSummary calls a function that is followed once for all calls of a kind.
func (x *contexts) callSummary(n int, d *Decoded, w world) *ctxBlock {
	s := x.summaries[n]
	first, link := s.first, s.link
	if back, ok := x.index.At(d.Next); ok {
		// Registers that the convention lets the function change are unknown after the call.
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

// jump follows s_setpc_b64, which is mostly a return. Scratch memory above the stack pointer is
// dead afterwards.
func (x *contexts) jump(b *ctxBlock, i int32, w world, add func(*ctxBlock)) {
	o := &x.insts[i].In.Ops[0]
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
					x.target(i, x.insts[r.first].Off)
					add(x.block(r.first, r.at))
				}
				return
			}
		}
	}
	x.toHub(b, i)
}

// callees returns the possible targets of computed calls. Addresses that only calls leave are not
// among them.
func callees(insts []Decoded, hub []int64, code Code) []int64 {
	left := map[int64]bool{}
	for i := range insts {
		if IsCall(&insts[i].In) {
			left[insts[i].Next] = true
		}
	}
	for _, off := range code.Functions {
		delete(left, off)
	}
	list := []int64{}
	for _, off := range hub {
		if !left[off] {
			list = append(list, off)
		}
	}
	return list
}
