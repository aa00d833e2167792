package sel

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// # Thread coarsening: one body for several waves
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
// its live values and becomes one that goes on at that block in its turn: see stop. The
// body is given up if the code would exit, lanes would diverge, or waves would go
// different ways.
//
// The loads of a body might depend on stores that an earlier wave of the group has not
// done yet. So a body begins with a comparison of region caches: no store of the
// function may reach the memory that the body loads. A store outside its region exits,
// and then no wave goes on from where the body has brought it.

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

// coarsened is a coarsened body that is being made.
type coarsened struct {
	g      *control
	waves  int
	bar    int          // the exit of the barrier after which it begins; -1: it begins at the start of waves
	code   []x64.Inst   // the list before coarsening
	at     []int32      // by label: its index in code; -1: it is not in code
	in     []bool       // by block: it is part of the body
	blocks []int32      // by block and one more: where it begins
	cold   []int32      // by instruction: the end of the cold region that begins here; -1: inside a cold region
	force  []bool       // by instruction: the body is given up here
	seen   []bool       // by instruction: control may reach it
	leads  []int32      // by instruction seen: the block, plus 1, before which the body ends; -1: it is given up; less: the exit of the barrier where it ends, plus 2, negative
	sure   []uint8      // by label: results of surely, two bits for each depth
	words  []int32      // frame offsets of words, 8 bytes each, of which the body has copies
	list   []int32      // the instructions of the body, in order
	live   []uint64     // by place in list: machine registers that are live before it
	varies []classes    // by virtual register: which waves share one,
	wordOf []classes    // by word: which waves share one copy,
	groups []classes    // and by place in list where a group begins: which waves share its execution
	loads  []extent     // the memory from which the body loads
	walks  []*induction // induction pointers with loads among these
	fence  []extent     // the memory to which the function stores,
	every  bool         // or it may store anywhere
	names  []bool       // by virtual register: the body names it,
	writes []bool       // or writes it; used after barriers
	across []bool       // by virtual register: it may be live where waves wait
	sunk   []int32      // instructions that are done at the end: see postpone
	isSunk []bool       // by virtual register: one of these writes it
}

// flagsBit stands for the flags in sets of machine registers, scratchBit for the
// scratch area of the frame.
const (
	flagsBit   = 1 << 63
	scratchBit = 1 << 62
)

// coarsen adds coarsened bodies to the code: one for the start of waves and one after
// each barrier, if they pay. It replaces nothing: the code for one wave stays, for
// groups that give up.
func (g *control) coarsen() {
	n := g.company()
	if n < 2 {
		return
	}
	code := g.fn.Code[:len(g.fn.Code)-g.out.Stubs]
	var list []*coarsened
	// One candidate at the start of waves, one after each barrier in a loop.
	for _, x := range append([]int{-1}, g.bars()...) {
		if p := (&coarsened{g: g, waves: n, bar: x, code: code}); p.plan() {
			list = append(list, p)
			if x >= 0 {
				g.out.Exits[x].Coarse = g.label()
			}
		}
	}
	if len(list) == 0 {
		return
	}
	// The stubs of the routines must stay at the end of the list.
	stubs := slices.Clone(g.fn.Code[len(code):])
	g.fn.Code = code
	for _, p := range list {
		if p.bar >= 0 && g.fn.Apart == 0 {
			g.fn.Apart = int32(len(g.fn.Code))
		}
		p.emit()
	}
	g.fn.Code = append(g.fn.Code, stubs...)
}

// company is the number of waves that a body could have, by the facts that are known
// before there is code; less than 2 if there is no loop, or if waves cannot follow each
// other without Go.
func (g *control) company() int {
	if !g.s.Geom.Passes || g.mk.Overflow || !g.out.Chains {
		return 0
	}
	// Without a loop a body saves less than its start costs.
	if !slices.ContainsFunc(g.s.Depth, func(d uint8) bool { return d > 0 }) {
		return 0
	}
	n := uint64(1)
	for _, x := range g.s.Geom.Block {
		n *= uint64(x)
	}
	// Halve the number of waves until the block has that many.
	most := maxTogether
	for most > 2 && int(n/uint64(g.f.Lanes)) < most {
		most /= 2
	}
	return int(min(n/uint64(g.f.Lanes), uint64(most)))
}

// plan finds the instructions of the body, and reports whether it pays. Each analysis
// may remove a block or give up at an instruction; then the earlier analyses are repeated.
func (p *coarsened) plan() bool {
	g := p.g
	p.at = make([]int32, g.fn.Labels+1)
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
	p.blocks = make([]int32, len(g.f.Blocks)+1)
	for b := range g.f.Blocks {
		p.blocks[b] = p.at[g.arrivals[b]]
	}
	p.blocks[len(g.f.Blocks)] = p.at[g.deoptimised]
	p.in = make([]bool, len(g.f.Blocks))
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
		if !p.loops() && (p.bar < 0 || g.s.Depth[first] == 0 || len(p.list) < leastBar) {
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
func (p *coarsened) may(b int) bool {
	g := p.g
	blk := g.f.Blocks[b]
	loads, walks := len(p.loads), len(p.walks)
	for i := blk.Start; i < blk.End; i++ {
		// Gathers in loops do not wait for each other and need many registers, so
		// several waves gain nothing.
		in := &g.f.Code[i]
		if in.Op == ir.Load && in.Space != ir.Param && (p.bar < 0 && (g.s.Depth[b] > 0 && !g.oneBase(i) || !p.mayLoad(i)) || in.Flags != 0) {
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

// registers are the machine registers with one meaning in all code.
const registers = 1<<abi.Frame | 1<<abi.Active | 1<<abi.Counter | 1<<x64.RSP | 1<<x64.RBP

// ok reports whether an instruction may be part of a body: it changes nothing except
// registers, the scratch area, and words of the frame that may be copied.
func (p *coarsened) ok(in *x64.Inst) bool {
	switch in.Op {
	// Pseudo instructions have no effect.
	case x64.LABEL, x64.KEEP, x64.NOP, x64.COLD, x64.HOT, x64.EDGE, x64.ALIGN:
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
func (p *coarsened) frame(in *x64.Inst) where {
	g := p.g
	off := in.M.Disp
	rel := off - g.lay.Control
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
	case off >= g.lay.Pend && off < g.caches: // no lanes are pending, and region caches describe the same memory for all waves
		return frameSame
	case rel >= abi.CtlScratch && rel < abi.CtlLocal:
		return frameScratch
	}
	return frameOther
}

// frameUse says whether a frame slot that an instruction reads is equal in all waves:
// at the start of waves all slots are, except inputs that differ.
func (p *coarsened) frameUse(in *x64.Inst) where {
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
func (p *coarsened) findCode() {
	n := len(p.code)
	g := p.g
	p.seen, p.leads, p.sure = make([]bool, n), make([]int32, n), make([]uint8, g.fn.Labels+1)
	stop := map[x64.Label]int32{}
	for b, in := range p.in {
		if !in {
			stop[g.arrivals[b]], stop[g.out.Blocks[b]] = int32(b)+1, int32(b)+1
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
func (p *coarsened) gives(l x64.Label) bool { return p.surely(l, maxFollowed) }

// maxFollowed is the number of jumps that gives follows.
const maxFollowed = 4

// surely is gives, following at most depth jumps. The result is cached for all labels
// on the path, up to the next call of findCode.
func (p *coarsened) surely(l x64.Label, depth int) (sure bool) {
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
func (p *coarsened) shorten() {
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
		if !p.seen[i] || gone || in.Op == x64.NOP || in.Op == x64.EDGE {
			continue
		}
		p.list = append(p.list, int32(i))
	}
}

// loops reports whether the body has a backward jump.
func (p *coarsened) loops() bool {
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump && p.at[in.Label] < i && p.seen[p.at[in.Label]] && p.leads[p.at[in.Label]] == 0 {
			return true
		}
	}
	return false
}

// lives computes which machine registers are live between the instructions of the list.
// It reports false if one is live where control joins; then it has removed the block or
// the code there, because instructions with live machine registers between them cannot
// be interleaved.
func (p *coarsened) lives() bool {
	p.live = make([]uint64, len(p.list)+1)
	var ops lir.Operands
	now, fine := uint64(0), true
	for k := len(p.list) - 1; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		info := in.Op.Info()
		if p.leads[i] != 0 || in.Op == x64.LABEL || in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.JMP {
			// A live machine register at a join: its group has no boundary here.
			if now != 0 {
				fine = false
				p.remove(i)
			}
			now = 0
			continue
		}
		ops.Of(in)
		if info.SetsFlags {
			now &^= flagsBit
		}
		now &^= implicit(info.Defs)
		for _, o := range ops.Slice() {
			if o.Role&lir.Write != 0 && temporary(o.Reg) {
				now &^= 1 << o.Reg
			}
		}
		for _, o := range ops.Slice() {
			if o.Role&lir.Read != 0 && temporary(o.Reg) {
				now |= 1 << o.Reg
			}
		}
		now |= implicit(info.Uses)
		if info.ReadsFlags {
			now |= flagsBit
		}
		if p.inFrame(in) && p.frame(in) == frameScratch {
			if info.DstMem && p.first(k) {
				now &^= scratchBit
			} else {
				now |= scratchBit
			}
		}
		p.live[k] = now
	}
	return fine
}

// first reports whether the instruction at place k of the list is the first one after a
// join of control that uses the scratch area.
func (p *coarsened) first(k int) bool {
	for k--; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		switch {
		case p.leads[i] != 0 || in.Op == x64.LABEL || in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.JMP:
			return true
		case p.inFrame(in) && p.frame(in) == frameScratch:
			return false
		}
	}
	return true
}

// inFrame reports whether an instruction accesses the frame.
func (p *coarsened) inFrame(in *x64.Inst) bool {
	return in.HasMem && in.M.Pool == 0 && in.M.Base == abi.Frame
}

// temporary reports whether r is a machine register without a fixed meaning.
func temporary(r x64.Reg) bool { return r > 0 && r < x64.Virtual && registers>>r&1 == 0 }

// implicit is a set of machine registers in the representation of coarsened.live.
func implicit(set uint16) (m uint64) {
	for ; set != 0; set &= set - 1 {
		m |= 1 << (x64.RAX + x64.Reg(bits.TrailingZeros16(set)))
	}
	return m &^ registers
}

// group is the end of the group that begins at place k of the list. The instructions of
// a group have live machine registers between them and must stay together.
func (p *coarsened) group(k int) int {
	for k++; k < len(p.list) && p.live[k] != 0; k++ {
	}
	return k
}

// branches reports whether a group that differs between waves goes to different places
// of the body by its last instruction and by no other: then the waves have to agree on
// the direction.
func (p *coarsened) branches(k, end int) bool {
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
func (p *coarsened) remove(i int32) {
	if p.cold[i] >= 0 && i >= p.blocks[0] && i < p.blocks[len(p.in)] {
		b, _ := slices.BinarySearch(p.blocks, i+1)
		p.in[b-1] = false
		return
	}
	p.force[i] = true
}

// choose decides the number of waves by the registers that they need, and reports
// whether the body pays.
func (p *coarsened) choose() bool {
	g := p.g
	busy := p.busy()
	regs := 15
	if g.avx512 {
		regs = 31
	}
	const temporaries = 5
	for {
		vecs, same, bases := p.needs(busy)
		// The registers of all waves should fit beside some equal ones and temporaries.
		few := bases <= maxBases && len(p.loads)*len(p.fence)*p.waves <= maxRegions
		fit := vecs+min(same, 4)+temporaries <= regs
		// In short loops waiting costs more than some registers in memory.
		fit = fit || vecs <= regs+1 && !g.avx512 && p.inner() <= shortLoop
		if p.waves == 2 || few && fit && (p.waves <= mostLong || len(p.list) <= longPass) {
			return few && vecs <= 2*regs+2 && p.crosses()
		}
		p.waves /= 2 // the waves of a block are often a power of 2
		if !p.vary() {
			return false
		}
	}
}

// shortLoop is the largest number of vector instructions of one wave in loops for which
// two waves do not hide the latency. It was measured with the suite: with 10, 23 and 56
// instructions (matmul, shfl_reduce, matmul4) four waves take 12 to 30 percent less
// time, with 63 (shfl_scan) 20 percent more.
const shortLoop = 60

// inner is the number of instructions of one wave in loops of the body that write
// vector registers.
func (p *coarsened) inner() (n int) {
	for b, in := range p.in {
		if !in || p.g.s.Depth[b] == 0 {
			continue
		}
		from, _ := slices.BinarySearch(p.list, p.blocks[b])
		for _, i := range p.list[from:] {
			if i >= p.blocks[b+1] {
				break
			}
			if r := p.code[i].Dst; r != x64.NoReg && p.g.class(r) == x64.Vec {
				n++
			}
		}
	}
	return n
}

// maxBases is the largest number of general registers that loops may need; some of them
// are in memory then.
const maxBases = 10

// needs counts the registers that are live at the heads of loops of the body and are
// used there: vector registers that differ between waves, vector registers that are
// equal, and general registers. Inside a block the instructions of one wave follow each
// other, so a register that is live only between two of them counts once.
func (p *coarsened) needs(busy []bool) (vecs, same, bases int) {
	g := p.g
	target := make([]bool, len(p.code))
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump && !p.gives(in.Label) {
			target[p.at[in.Label]] = true
		}
	}
	for b := range p.in {
		if !p.in[b] || g.s.Depth[b] == 0 || !p.seen[p.at[g.out.Blocks[b]]] || !target[p.at[g.out.Blocks[b]]] && !target[p.at[g.arrivals[b]]] {
			continue
		}
		v, s, n := 0, 0, 0
		count := func(r x64.Reg) {
			c := p.varies[r-x64.Virtual]
			switch {
			case !busy[r-x64.Virtual]:
			case g.class(r) == x64.GPR:
				n += c.count(p.waves)
			case g.class(r) != x64.Vec:
			case c.differ():
				v += c.count(p.waves)
			default:
				s++
			}
		}
		for _, w := range g.s.LiveIn[b] {
			for r := range g.places[w].registers {
				count(r)
			}
		}
		for _, x := range g.paths {
			count(x.delta)
		}
		vecs, same, bases = max(vecs, v), max(same, s), max(bases, n)
	}
	return vecs, same, bases
}

// busy is the set of virtual registers that code in loops of the body names.
func (p *coarsened) busy() []bool {
	busy := make([]bool, len(p.g.fn.VRegs))
	var ops lir.Operands
	for b, in := range p.in {
		if !in || p.g.s.Depth[b] == 0 {
			continue
		}
		for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
			if !p.seen[i] || p.leads[i] != 0 || p.code[i].Op == x64.KEEP {
				continue
			}
			ops.Of(&p.code[i])
			for _, o := range ops.Slice() {
				if o.Reg >= x64.Virtual {
					busy[o.Reg-x64.Virtual] = true
				}
			}
		}
	}
	return busy
}

// crosses reports whether only webs and limits of induction pointers are live where the
// body ends. Only these are stored for the waves to go on.
func (p *coarsened) crosses() bool {
	g := p.g
	inside := make([]bool, len(g.fn.VRegs))
	var ops lir.Operands
	for _, i := range p.list {
		ops.Of(&p.code[i])
		for _, o := range ops.Slice() {
			if o.Reg >= x64.Virtual {
				inside[o.Reg-x64.Virtual] = true
			}
		}
	}
	for _, x := range g.paths {
		// Limits and distances are stored for each wave: see end.
		inside[x.limit-x64.Virtual], inside[x.delta-x64.Virtual] = false, false // see end
	}
	for b, in := range p.in {
		if in {
			continue
		}
		for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
			ops.Of(&p.code[i])
			for _, o := range ops.Slice() {
				if r := o.Reg - x64.Virtual; r >= 0 && inside[r] && g.fn.VRegs[r].Const == 0 && g.out.Owner(o.Reg).Web == 0 {
					return false
				}
			}
		}
	}
	return true
}
