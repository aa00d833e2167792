package jit

import (
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// native is the run-time description of a function's code: where to enter it, and the frame state of each block
// and exit.
//
// Input: a translation (condenser makes the native of it).
// Output: tables that run.go, entry_guard.go and block_runner.go read at run time.
// Invariant: a native is immutable. It holds no reference to the function or to the translation, because the
// cache keeps the native.
// Example: block 3 needs webs a and b. states[3] then lists two recipes: a is in vector register 5, and b is
// affine with its base in a general register. An exit to block 3 writes the two frame slots by these recipes.
// entries[3] lists the fills by which an entry reads them.
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
	exitTables
	entryTables

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

// exitTables say how the interpreter gets its frame: the frame states of the code.
type exitTables struct {
	recipes []recipe
	lists   []int32     // indices of recipes: see abi.State
	states  []abi.State // by block
	// defs lists the frame slots that the last operation of a block writes, by block.
	defs map[int][]ir.Ref
}

// entryTables say how the code gets its registers.
type entryTables struct {
	fills     []fill
	consts    []x64.Const
	fillLists []int32      // indices of fills: see entryFills
	entries   []entryFills // by block
}

// A recipe is an abi.Recipe with the place of its register.
type recipe struct {
	abi.Recipe
	at int32 // frame offset of the register or slot while Go runs
}

// A fill says how a register is filled from frame slots when Go enters the code. If konst is not 0, the
// register gets a constant.
type fill struct {
	abi.Location
	low, high ir.Ref // the values that have the web's frame slots; high is 0 unless the web is a fused pair
	even      even   // the relation between the web's lanes on which the code relies
	steps     shape.Steps
	every     int32 // of Unit: the lane period
	at        int32 // frame offset of its register or slot while Go runs
	konst     int32 // index of consts, plus 1
}

// entryFills are the fills fillLists[from:to] at the start of a block: first those of the webs that the lanes
// there need, up to webs, then constants.
type entryFills struct{ from, webs, to int32 }

// size returns the approximate number of bytes of memory of the tables.
func (p *native) size() int {
	n := int(unsafe.Sizeof(*p)) + 8*len(p.ends) + len(p.exits)*int(unsafe.Sizeof(abi.Exit{})) + len(p.accesses)*int(unsafe.Sizeof(abi.Access{})) + p.pairs.Size() + 4*len(p.blockAt) + len(p.gone) + 4*len(p.nears) + 4*len(p.pends) + 8*len(p.plan.parts)
	n += len(p.recipes)*int(unsafe.Sizeof(recipe{})) + 4*len(p.lists) + len(p.states)*int(unsafe.Sizeof(abi.State{}))
	n += len(p.fills)*int(unsafe.Sizeof(fill{})) + len(p.consts)*int(unsafe.Sizeof(x64.Const{})) + 4*len(p.fillLists) + len(p.entries)*int(unsafe.Sizeof(entryFills{}))
	return n + 64*len(p.defs)
}

// A condenser extracts a native from a translation.
type condenser struct {
	*translation
	n     *native
	fill  []int32 // by virtual register: index of fills, plus 1; -1: Go does not fill it
	live  []int32 // by virtual register: the number of the last entry at which it lives
	entry int32
}

// native returns the run-time description of a translation. labels are the code offsets of its labels.
func (t *translation) native(labels []int32) *native {
	f := t.ssa.IR
	n := &native{
		lanes: f.Lanes, blocks: len(f.Blocks), width: t.sel.Width, exits: t.sel.Exits, accesses: t.sel.Accesses, nears: t.sel.Nears,
		alone: t.sel.Alone, fromMemory: t.sel.FromMemory, relies: t.sel.Relies, polls: t.sel.Polls, pairs: t.mask.Pairs, gone: t.mask.Gone(), lay: t.lay, frame: uint32(t.sel.LIR.Slots + t.regs.Frame),
		ends:        make([]int, len(f.Blocks)),
		entryPoints: entryPoints{enterAt: uint32(labels[t.sel.Enter]), entryAt: uint32(labels[t.sel.Entry]), blockAt: make([]uint32, len(f.Blocks))},
		exitTables:  exitTables{lists: slices.Clone(t.sel.Lists), states: t.sel.States},
		entryTables: entryTables{entries: make([]entryFills, len(f.Blocks))},
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
	n.recipes = make([]recipe, len(t.sel.Recipes))
	for i := range t.sel.Recipes {
		x := recipe{Recipe: t.sel.Recipes[i]}
		if x.Reg != 0 {
			x.at = t.slotOf(t.regs.Place(x.Reg))
		}
		n.recipes[i] = x
	}
	c := &condenser{translation: t, n: n, fill: make([]int32, len(t.sel.LIR.VRegs)), live: make([]int32, len(t.sel.LIR.VRegs))}
	for b, blk := range f.Blocks {
		n.ends[b] = blk.End - 1
		n.blockAt[b] = uint32(labels[t.sel.Blocks[b]])
		n.entries[b] = c.enter(b)
		if f.Code[blk.End-1].Op.EndsBlock() {
			for _, w := range t.writes(blk.End - 1) {
				if n.defs == nil {
					n.defs = map[int][]ir.Ref{}
				}
				low, high := t.slots(w)
				n.defs[b] = append(n.defs[b], low)
				if high != 0 {
					n.defs[b] = append(n.defs[b], high)
				}
			}
		}
	}
	for i := range n.exits {
		if x := &n.exits[i]; x.Kind == abi.ExitBar {
			x.LandAt = uint32(labels[x.Land])
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

// enter returns the fills with which Go enters at block b: of the registers that live there.
func (c *condenser) enter(b int) entryFills {
	n := c.n
	x := entryFills{from: int32(len(n.fillLists))}
	c.entry++
	live := c.translation.live.At(c.sel.BlockAt[b])
	for _, r := range live {
		c.live[r-x64.Virtual] = c.entry
	}
	for _, w := range c.ssa.LiveIn[b] {
		for p := range c.sel.Locations(w) {
			if c.live[p.Reg-x64.Virtual] == c.entry {
				if i := c.of(w, p); i > 0 {
					n.fillLists = append(n.fillLists, i-1)
				}
			}
		}
	}
	x.webs = int32(len(n.fillLists))
	for _, r := range live {
		if i := c.constant(r); i > 0 {
			n.fillLists = append(n.fillLists, i-1)
		}
	}
	x.to = int32(len(n.fillLists))
	return x
}

// slots returns the value that has the frame slot of a web. If the web is a fused pair, that is the value
// of the lower half, and high is the value of the upper half.
func (t *translation) slots(w webs.Web) (ref, high ir.Ref) {
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

// of returns the fill of a part of web w as its index plus 1; 0 if Go does not fill it, because the web is a
// temporary without a frame slot.
func (c *condenser) of(w webs.Web, p abi.Location) int32 {
	i := p.Reg - x64.Virtual
	if x := c.fill[i]; x != 0 {
		return max(x, 0)
	}
	c.fill[i] = -1
	f := fill{Location: p, at: c.slotOf(c.regs.Place(p.Reg))}
	if f.low, f.high = c.slots(w); int(f.low) >= c.ssa.Given {
		return 0
	}
	// Only the lanes of vectors are related; under EXEC a mask register says nothing about
	// inactive lanes.
	if !c.ssa.Value(w).Scalar && (c.ssa.Exec == nil || p.Kind != abi.Lanes) {
		f.even, f.steps = evenness(c.sel.Known(w))
	}
	if p.Kind == abi.Unit {
		if f.every = p.Of * int32(c.n.unitLanes(p.Type)); f.every < int32(c.n.lanes) && f.even == uneven {
			f.even = periodic
		}
	}
	c.n.fills = append(c.n.fills, f)
	c.fill[i] = int32(len(c.n.fills))
	return c.fill[i]
}

// constant returns the fill of a register that holds a constant, or a limit, as its index plus 1; 0 if register r
// is neither.
func (c *condenser) constant(r x64.Reg) int32 {
	i, at := r-x64.Virtual, c.regs.Place(r)
	if x := c.fill[i]; x != 0 {
		if x > 0 && c.n.fills[x-1].konst == 0 {
			return 0
		}
		return max(x, 0)
	}
	switch k := c.sel.LIR.VRegs[i].Const; {
	case slices.Contains(c.sel.Limits, r):
		c.n.consts = append(c.n.consts, x64.Const{Size: 8, Len: 8}) // 0
	case k == 0 || at.Reg == 0:
		return 0 // Go has no constant to put there
	default:
		c.n.consts = append(c.n.consts, c.sel.LIR.Pool[k-1])
	}
	c.n.fills = append(c.n.fills, fill{at: c.slotOf(at), konst: int32(len(c.n.consts))})
	c.fill[i] = int32(len(c.n.fills))
	return c.fill[i]
}
