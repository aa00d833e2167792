// Package coarsen makes bodies that run several waves at once (thread coarsening).
//
// Input: the list of instructions of the function, on virtual registers, before
// allocation.
// Output: a coarsened body of its first blocks: every instruction once for each wave of
// a group, on registers of its own; instructions with equal results in several waves
// once for these.
// Invariant: a coarsened body has no effect that is visible outside before its end. So
// it may be given up anywhere: then the waves of the group begin alone, one after
// another.
// Example: for 4 waves, `VFMADD v1, v2, v3` becomes four VFMADD on v1.0 to v1.3; the
// loop counter, which is uniform and equal in all waves, is decremented once.
// Literature: Magni, Dubach and O'Boyle, A large-scale cross-architecture evaluation of
// thread-coarsening (SC 2013).
//
// A wave waits for its own results; several waves in one body hide that latency. So the
// waves of a block begin in groups, if they have a loop at their start. Parameters,
// counters of loops and tests of these are equal in all waves and exist once.
//
// A coarsened body is made from the list of instructions, not from operations: rules do
// not see it. It ends before the blocks that have an effect. There every wave stores
// its live values and becomes one that goes on at that block in its turn: see chain.go
// of package sel. The body is given up if the code would exit, lanes would diverge, or
// waves would go different ways.
//
// The loads of a body might depend on stores that an earlier wave of the group has not
// done yet. So a body begins with a comparison of region caches: no store of the
// function may reach the memory that the body loads. A store outside its region exits,
// and then no wave goes on from where the body has brought it.
//
// The files follow each other: coarsen.go chooses the instructions, live.go and classes.go
// analyse them, choose.go and order.go decide whether the body pays, write.go emits it.
// memory.go and bars.go have the memory of bodies, and bodies after barriers.
package coarsen

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// maxTogether is the largest number of waves in a coarsened body. It is mostLong if the
// code of one wave has more than longPass instructions: larger bodies take long to
// translate and gain little.
const (
	maxTogether = 8
	mostLong    = 4
	longPass    = 160
)

// maxPass bounds the number of instructions of one wave: in longer code a wave has
// independent instructions to fill its waiting time.
const maxPass = 2400

// maxRegions bounds the pairs of regions that a body compares at its start.
const maxRegions = 32

// coarseChunk is the number of consecutive instructions of one wave, before the next
// wave's turn.
const coarseChunk = 16

// body is a coarsened body that is being made.
type body struct {
	g     *Selection
	waves int
	bar   int // the exit of the barrier after which it begins; -1: it begins at the start of waves
	source
	course
	sharing
	reach
	rest
}

// source is the list before coarsening.
type source struct {
	code   []x64.Inst
	at     []int32 // by label: its index in code; -1: it is not in code
	blocks []int32 // by block and one more: where it begins
	cold   []int32 // by instruction: the end of the cold region that begins here; -1: inside a cold region
}

// course says which instructions the body has.
type course struct {
	in    []bool   // by block: it is part of the body
	force []bool   // by instruction: the body is given up here
	seen  []bool   // by instruction: control may reach it
	leads []int32  // by instruction seen: the block, plus 1, before which the body ends; -1: it is given up; less: the exit of the barrier where it ends, plus 2, negative
	sure  []uint8  // by label: results of surely, two bits for each depth
	list  []int32  // the instructions of the body, in order
	live  []uint64 // by place in list: machine registers that are live before it
}

// sharing says which waves share a value.
type sharing struct {
	words  []int32   // frame offsets of words, 8 bytes each, of which the body has copies
	varies []classes // by virtual register: which waves share one,
	wordOf []classes // by word: which waves share one copy,
	groups []classes // and by place in list where a group begins: which waves share its execution
}

// reach is the memory that the body and the function access.
type reach struct {
	loads []extent // the memory from which the body loads
	walks []int    // induction pointers with loads among these
	fence []extent // the memory to which the function stores,
	every bool     // or it may store anywhere
}

// rest has the facts about registers where waves wait. Only bodies after barriers need it.
type rest struct {
	names  []bool  // by virtual register: the body names it,
	writes []bool  // or writes it
	across []bool  // by virtual register: it may be live where waves wait
	sunk   []int32 // instructions that are done at the end: see postpone
	isSunk []bool  // by virtual register: one of these writes it
}

// Add adds coarsened bodies to the code: one for the start of waves and one after each barrier, if
// they pay. It replaces nothing: the code for one wave stays, for groups that give up.
func Add(g *Selection) {
	n := g.company()
	if n < 2 {
		return
	}
	code := g.Fn.Code[:len(g.Fn.Code)-g.Code.Stubs]
	var list []*body
	// One candidate at the start of waves, one after each barrier in a loop.
	for _, x := range append([]int{-1}, g.bars()...) {
		if p := (&body{g: g, waves: n, bar: x, source: source{code: code}}); p.plan() {
			list = append(list, p)
			if x >= 0 {
				g.Code.Exits[x].Coarse = g.label()
			}
		}
	}
	if len(list) == 0 {
		return
	}
	// The stubs of the routines must stay at the end of the list.
	stubs := slices.Clone(g.Fn.Code[len(code):])
	g.Fn.Code = code
	for _, p := range list {
		if p.bar >= 0 && g.Fn.Apart == 0 {
			g.Fn.Apart = int32(len(g.Fn.Code))
		}
		p.emit()
	}
	g.Fn.Code = append(g.Fn.Code, stubs...)
}

// company is the number of waves that a body could have, by the facts that are known
// before there is code; less than 2 if there is no loop, or if waves cannot follow each
// other without Go.
func (g *Selection) company() int {
	if !g.Webs.Geom.Passes || g.Masks.Overflow || !g.Code.Chains {
		return 0
	}
	// Without a loop a body saves less than its start costs.
	if !slices.ContainsFunc(g.Webs.Depth, func(d uint8) bool { return d > 0 }) {
		return 0
	}
	n := uint64(1)
	for _, x := range g.Webs.Geom.Block {
		n *= uint64(x)
	}
	// Halve the number of waves until the block has that many.
	most := maxTogether
	for most > 2 && int(n/uint64(g.Webs.IR.Lanes)) < most {
		most /= 2
	}
	return int(min(n/uint64(g.Webs.IR.Lanes), uint64(most)))
}

// plan finds the instructions of the body, and reports whether it pays. Each analysis
// may remove a block or give up at an instruction; then the earlier analyses are repeated.
func (p *body) plan() bool {
	g := p.g
	p.at = make([]int32, g.Fn.Labels+1)
	for l := range p.at {
		p.at[l] = -1
	}
	n := len(p.code)
	p.cold, p.force = make([]int32, n), make([]bool, n)
	// Index the labels and the cold regions.
	open := -1
	for i := range p.code {
		in := &p.code[i]
		if open >= 0 {
			p.cold[i] = -1
		}
		switch in.Op {
		case x64.LABEL, x64.ENTRY:
			p.at[in.Label] = int32(i)
		case x64.COLD:
			open = i
		case x64.HOT:
			p.cold[open], open = int32(i), -1
		}
	}
	p.blocks = make([]int32, len(g.Webs.IR.Blocks)+1)
	for b := range g.Webs.IR.Blocks {
		p.blocks[b] = p.at[g.Arrivals[b]]
	}
	p.blocks[len(g.Webs.IR.Blocks)] = p.at[g.Arrivals[len(g.Webs.IR.Blocks)]]
	p.in = make([]bool, len(g.Webs.IR.Blocks))
	if p.bar < 0 {
		p.stores()
	}
	// Each round may shrink the body; the analyses below depend on each other, so they
	// start again.
	at, first := p.begins()
	for b := range p.in {
		p.in[b] = p.may(b)
	}
	for range 16 {
		if !p.in[first] {
			return false
		}
		p.findCode()
		if p.bar >= 0 && !p.onlyBarriers() {
			return false
		}
		p.shorten()
		if len(p.list) == 0 || len(p.list) > maxPass {
			return false
		}
		if p.list[0] < at {
			return false // a loop goes back to code before the start of the list
		}
		if p.bar >= 0 {
			p.sink()
		}
		if !p.copied() {
			continue
		}
		if !p.loops() && (p.bar < 0 || g.Webs.Depth[first] == 0 || len(p.list) < leastBar) {
			return false
		}
		if p.lives() && p.postpone() && p.vary() {
			return p.bar < 0 && p.choose() || p.bar >= 0 && p.named() && p.room()
		}
	}
	return false
}

// may reports whether block b may be part of the body. All its code that is not cold
// must be without effects.
func (p *body) may(b int) bool {
	g := p.g
	blk := g.Webs.IR.Blocks[b]
	loads, walks := len(p.loads), len(p.walks)
	for i := blk.Start; i < blk.End; i++ {
		// Gathers in loops do not wait for each other and need many registers, so
		// several waves gain nothing.
		in := &g.Webs.IR.Code[i]
		if in.Op == ir.Load && in.Space != ir.Param && (p.bar < 0 && (g.Webs.Depth[b] > 0 && !g.OneBase(i) || !p.mayLoad(i)) || in.Flags != 0) {
			return false
		}
		if in.Op == ir.Collective && in.Args[0] != 0 && p.bar < 0 {
			return false // an earlier wave might not have stored its memory yet
		}
	}
	for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
		if p.cold[i] >= 0 && p.code[i].Op == x64.COLD {
			i = p.cold[i]
			continue
		}
		// An instruction with an effect: the loads that this block added do not count.
		if !p.ok(&p.code[i]) && p.barrier(i) == 0 {
			p.loads, p.walks = p.loads[:loads], p.walks[:walks]
			return false
		}
	}
	return true
}

// ok reports whether an instruction may be part of a body: it changes nothing except
// registers, the scratch area, and words of the frame that may be copied.
func (p *body) ok(in *x64.Inst) bool {
	switch in.Op {
	// Pseudo instructions have no effect.
	case x64.LABEL, x64.STATE, x64.UNDEF, x64.NOP, x64.COLD, x64.HOT, x64.EDGE, x64.ALIGN:
		return true
	case x64.SUB:
		// The budget: account emits its own code for it.
		if in.Dst == abi.Counter {
			return in.HasMem && in.M.Pool != 0
		}
	case x64.TEST:
		if in.A == abi.Counter && in.B == abi.Counter {
			return true
		}
	case x64.JMPReg, x64.CALLLabel, x64.ENTRY, x64.RET, x64.UD2, x64.MFENCE:
		return false
	}
	info := in.Op.Info()
	if info.Jump {
		return p.at[in.Label] >= 0
	}
	if info.Ends || info.Pseudo || (info.Defs|info.Uses)>>abi.Frame.Num()&1 != 0 {
		return false
	}
	var ops lir.Operands
	ops.Of(in)
	for _, o := range ops.Slice() {
		switch {
		case o.Reg >= x64.Virtual:
		case o.Role&lir.Write != 0 && registers>>o.Reg&1 != 0:
			return false
		}
	}
	if !in.HasMem || in.M.Pool != 0 {
		return in.Op != x64.PUSH && in.Op != x64.POP
	}
	if info.DstMem {
		return in.M.Base == abi.Frame && in.M.Index == 0 && (p.frame(in) == frameScratch || p.mayOwn(in))
	}
	return in.M.Base != abi.Frame || p.frame(in) != frameOther
}

// where is a part of the frame, as far as waves share it.
type where uint8

const (
	frameOther   where = iota
	frameSame          // equal in all waves of the block
	frameOwn           // a frame slot of the wave
	frameWord          // a word of which a body has a copy for every wave
	frameScratch       // the scratch area
)

// frame is the part of the frame that an instruction accesses.
func (p *body) frame(in *x64.Inst) where {
	g := p.g
	off := in.M.Disp
	rel := off - g.Layout.Control
	switch {
	case p.owns(in):
		return frameWord
	case off >= 0 && rel < 0:
		return p.frameUse(in)
	case in.M.Index != 0:
		return frameOther
	// Control words that all waves of a block share.
	case rel == abi.CtlInitial, rel >= abi.CtlShared && rel < abi.CtlWords, rel == abi.CtlCrowd, rel == abi.CtlOpen:
		return frameSame
	case off >= g.Layout.Pend && off < g.Code.Frame: // no lanes are pending, and region caches describe the same memory for all waves
		return frameSame
	case rel >= abi.CtlScratch && rel < abi.CtlLocal:
		return frameScratch
	}
	return frameOther
}

// frameUse says whether a frame slot that an instruction reads is equal in all waves:
// at the start of waves all slots are, except inputs that differ.
func (p *body) frameUse(in *x64.Inst) where {
	if p.bar >= 0 {
		return frameOwn // the waves have run and stored different values
	}
	// Thread indices are inputs that differ between waves.
	if len(p.inputs(p.frameRange(in))) > 0 {
		return frameOwn
	}
	return frameSame
}

// findCode finds the code that belongs to the body: it follows control from the start,
// and sets seen, and leads where the body ends or is given up.
func (p *body) findCode() {
	n := len(p.code)
	g := p.g
	p.seen, p.leads, p.sure = make([]bool, n), make([]int32, n), make([]uint8, g.Fn.Labels+1)
	stop := map[x64.Label]int32{}
	for b, in := range p.in {
		if !in {
			stop[g.Arrivals[b]], stop[g.Code.Blocks[b]] = int32(b)+1, int32(b)+1
		}
	}
	first, _ := p.begins()
	stack := []int32{first}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for int(i) < n && !p.seen[i] {
			in := &p.code[i]
			p.seen[i] = true
			if in.Op == x64.LABEL && stop[in.Label] != 0 {
				p.leads[i] = stop[in.Label]
				break
			}
			if x := p.barrier(i); x != 0 {
				p.leads[i] = -1 - x
				break
			}
			// Control reaches an instruction with an effect outside the chosen blocks:
			// give up here.
			if p.force[i] || !p.ok(in) {
				p.leads[i] = -1
				break
			}
			info := in.Op.Info()
			switch {
			case in.Op == x64.COLD:
				i = p.cold[i]
			case in.Op == x64.EDGE:
			case info.Jump:
				stack = append(stack, p.at[in.Label])
			}
			if info.Ends {
				i = int32(n)
			}
			i++
		}
	}
}

// gives reports whether control that reaches label l certainly gives the body up.
func (p *body) gives(l x64.Label) bool { return p.surely(l, maxFollowed) }

// maxFollowed is the number of jumps that gives follows.
const maxFollowed = 4

// surely is gives, following at most depth jumps. The result is cached for all labels
// on the path, up to the next call of findCode.
func (p *body) surely(l x64.Label, depth int) (sure bool) {
	if depth == 0 {
		return false
	}
	// Two bits per depth: the result is known; the result is true.
	known, is := uint8(1)<<(2*depth-2), uint8(2)<<(2*depth-2)
	from := p.at[l]
	i := from
way:
	for ; int(i) < len(p.code); i++ {
		in := &p.code[i]
		switch info := in.Op.Info(); {
		case in.Op == x64.LABEL && p.sure[in.Label]&known != 0:
			sure = p.sure[in.Label]&is != 0
			break way
		case p.leads[i] != 0:
			sure = p.leads[i] == -1
			break way
		case in.Op == x64.EDGE:
		case in.Op == x64.COLD:
			i = p.cold[i]
		case in.Op == x64.JMP:
			sure = p.surely(in.Label, depth-1)
			break way
		case info.Ends, info.Jump && !p.surely(in.Label, depth-1):
			break way
		}
	}
	for k := from; k <= i && int(k) < len(p.code); k++ {
		switch in := &p.code[k]; in.Op {
		case x64.LABEL:
			if p.sure[in.Label] |= known; sure {
				p.sure[in.Label] |= is
			}
		case x64.COLD:
			k = p.cold[k]
		}
	}
	return sure
}

// shorten makes the list of instructions. Code on paths that certainly give up is left
// out: jumps to it go to the common end.
func (p *body) shorten() {
	p.list = p.list[:0]
	open, gone := -1, false
	for i := range p.code {
		in := &p.code[i]
		switch in.Op {
		case x64.COLD:
			open, gone = len(p.list), false
			p.list = append(p.list, int32(i))
			continue
		case x64.HOT:
			// A cold region without instructions is dropped.
			if gone = false; open == len(p.list)-1 {
				p.list = p.list[:open]
			} else {
				p.list = append(p.list, int32(i))
			}
			continue
		case x64.LABEL:
			gone = p.seen[i] && p.leads[i] == 0 && p.gives(in.Label)
		}
		if !p.seen[i] || gone || in.Op == x64.NOP || in.Op == x64.EDGE || in.Op == x64.STATE {
			continue
		}
		p.list = append(p.list, int32(i))
	}
}

// loops reports whether the body has a backward jump.
func (p *body) loops() bool {
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump && p.at[in.Label] < i && p.seen[p.at[in.Label]] && p.leads[p.at[in.Label]] == 0 {
			return true
		}
	}
	return false
}

// branches reports whether a group that differs between waves goes to different places
// of the body by its last instruction and by no other: then the waves have to agree on
// the direction.
func (p *body) branches(k, end int) bool {
	for _, i := range p.list[k : end-1] {
		// A jump inside the group would leave it halfway.
		if in := &p.code[i]; in.Op.Info().Jump && !p.gives(in.Label) {
			return false
		}
	}
	in := &p.code[p.list[end-1]]
	return in.Op.Info().Jump && in.Op != x64.JMP && !p.gives(in.Label)
}

// remove takes the block of instruction i out of the body. If i is out-of-line code,
// the body is given up at i instead.
func (p *body) remove(i int32) {
	if p.cold[i] >= 0 && i >= p.blocks[0] && i < p.blocks[len(p.in)] {
		b, _ := slices.BinarySearch(p.blocks, i+1)
		p.in[b-1] = false
		return
	}
	p.force[i] = true
}
