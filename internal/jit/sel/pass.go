package sel

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// # Several waves in one pass
//
// A wave waits for its own results. So the waves of a block begin in groups, if they have a
// loop at their start: a pass is a second body of the blocks from the first on, in which
// every instruction stands once for each wave of the group, on registers of its own. What is
// the same in all of them (parameters, counters of loops, tests of these) is there once.
//
// A pass is made of the list of instructions, not of operations: rules know nothing of it. It
// ends in front of the blocks that do something others can see, and there every wave
// stores what lives and becomes one that goes on there when its turn comes: see stop. As
// nothing has been done until then, a pass may be given up anywhere, wherever the code would
// leave, lanes would part, or waves go different ways. Then the waves of the group begin once
// more, one after another.
//
// What a pass loads, an earlier wave of the group might have stored before. So a pass begins
// with a look at the region caches: no store of the function may reach what it loads. A
// store that leaves its region leaves the code, and nobody goes on as a pass has left it.

// maxTogether is how many waves a pass has at most, and mostLong how many if its code has more
// than longPass instructions for one: more take long to translate, and gain little.
const (
	maxTogether = 8
	mostLong    = 4
	longPass    = 160
)

// maxPass is how many instructions for one wave a pass has at most: in longer code a wave has
// other things to do while it waits.
const maxPass = 2400

// maxRegions bounds the pairs of regions that a pass compares at its start.
const maxRegions = 32

// passChunk is after how many instructions of one wave it is the next one's turn.
const coarseChunk = 16

// A pass is one that is being made.
type coarsened struct {
	g      *gen
	waves  int
	bar    int          // the exit of the barrier behind which it begins; -1: it is at the start of waves
	code   []x64.Inst   // all there was before
	at     []int32      // by label: its index; -1: it is in none of it
	in     []bool       // by block: it is part of the pass
	blocks []int32      // by block and one more: where it begins
	cold   []int32      // by instruction: the end of the cold region that begins here; -1: it is in one
	force  []bool       // by instruction: the pass is given up here
	seen   []bool       // by instruction: control may come here
	leads  []int32      // by instruction seen: the block, plus 1, in front of which the pass ends; -1: it is given up; less: the exit of the barrier where it ends, plus 2, negative
	sure   []uint8      // by label: what surely has found out, two bits for each depth
	words  []int32      // frame offsets of the words, 8 bytes each, that the pass has copies of
	list   []int32      // the instructions of the pass, in order
	live   []uint64     // by place in list: machine registers that hold something in front of it
	varies []classes    // by virtual register: for which waves there is one,
	wordOf []classes    // by word: for which there is one copy,
	groups []classes    // and by place in list where a group begins: for which it does the same
	loads  []extent     // what the pass loads from
	walks  []*induction // whose loads are among these
	fence  []extent     // what the function stores to,
	every  bool         // or anywhere
	names  []bool       // by virtual register: the pass names it,
	writes []bool       // or writes it; behind barriers
	across []bool       // by virtual register: it may live where waves wait
	sunk   []int32      // instructions that are done at the end; see postpone
	isSunk []bool       // by virtual register: one of these changes it
}

// flagsBit stands for the flags in sets of machine registers, scratchBit for the scratch
// area of the frame.
const (
	flagsBit   = 1 << 63
	scratchBit = 1 << 62
)

// passes adds passes to the code, where they pay.
func (g *gen) coarsen() {
	n := g.company()
	if n < 2 {
		return
	}
	code := g.fn.Code[:len(g.fn.Code)-g.out.Stubs]
	var list []*coarsened
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

// company is how many waves could be in a pass by what is known before there is any code.
func (g *gen) company() int {
	if !g.s.Geom.Passes || g.mk.Overflow || !g.out.Chains {
		return 0
	}
	if !slices.ContainsFunc(g.s.Depth, func(d uint8) bool { return d > 0 }) {
		return 0
	}
	n := uint64(1)
	for _, x := range g.s.Geom.Block {
		n *= uint64(x)
	}
	most := maxTogether
	for most > 2 && int(n/uint64(g.f.Lanes)) < most {
		most /= 2
	}
	return int(min(n/uint64(g.f.Lanes), uint64(most)))
}

// plan finds what the pass consists of, and reports whether it pays.
func (p *coarsened) plan() bool {
	g := p.g
	p.at = make([]int32, g.fn.Labels+1)
	for l := range p.at {
		p.at[l] = -1
	}
	n := len(p.code)
	p.cold, p.force = make([]int32, n), make([]bool, n)
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
			return false // a loop goes back to code before that, where the list would begin
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

// may reports whether block b may be part of the pass: all code of it that is not cold.
func (p *coarsened) may(b int) bool {
	g := p.g
	blk := g.f.Blocks[b]
	loads, walks := len(p.loads), len(p.walks)
	for i := blk.Start; i < blk.End; i++ {
		// Gathers in loops do not wait for each other, and want many registers.
		in := &g.f.Code[i]
		if in.Op == ir.Load && in.Space != ir.Param && (p.bar < 0 && (g.s.Depth[b] > 0 && !g.oneBase(i) || !p.mayLoad(i)) || in.Flags != 0) {
			return false
		}
		if in.Op == ir.Collective && in.Args[0] != 0 && p.bar < 0 {
			return false // the waves before might store what it loads
		}
	}
	for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
		if p.cold[i] >= 0 && p.code[i].Op == x64.COLD {
			i = p.cold[i]
			continue
		}
		if !p.ok(&p.code[i]) && p.barrier(i) == 0 {
			p.loads, p.walks = p.loads[:loads], p.walks[:walks]
			return false
		}
	}
	return true
}

// registers are those that have a meaning for all code.
const registers = 1<<Frame | 1<<Active | 1<<Counter | 1<<x64.RSP | 1<<x64.RBP

// ok reports whether an instruction may be part of a pass: it changes nothing but registers
// and the scratch area.
func (p *coarsened) ok(in *x64.Inst) bool {
	switch in.Op {
	case x64.LABEL, x64.KEEP, x64.NOP, x64.COLD, x64.HOT, x64.EDGE, x64.ALIGN:
		return true
	case x64.SUB:
		if in.Dst == Counter {
			return in.HasMem && in.M.Pool != 0
		}
	case x64.TEST:
		if in.A == Counter && in.B == Counter {
			return true
		}
	case x64.JMPReg, x64.CALLLabel, x64.ENTRY, x64.RET, x64.UD2, x64.MFENCE:
		return false
	}
	info := in.Op.Info()
	if info.Jump {
		return p.at[in.Label] >= 0
	}
	if info.Ends || info.Pseudo || (info.Defs|info.Uses)>>Frame.Num()&1 != 0 {
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
		return in.M.Base == Frame && in.M.Index == 0 && (p.frame(in) == frameScratch || p.mayOwn(in))
	}
	return in.M.Base != Frame || p.frame(in) != frameOther
}

// where says what part of the frame is read.
type where uint8

const (
	frameOther   where = iota
	frameSame          // the same for all waves of the block
	frameOwn           // a home
	frameWord          // a word that a pass has a copy of for every wave
	frameScratch       // the scratch area
)

// frame is what part of the frame an instruction reads.
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
	case rel == CtlInitial, rel >= CtlShared && rel < CtlWords, rel == CtlCrowd, rel == CtlOpen:
		return frameSame
	case off >= g.lay.Pend && off < g.caches: // nobody is pending, and caches are about memory
		return frameSame
	case rel >= CtlScratch && rel < CtlLocal:
		return frameScratch
	}
	return frameOther
}

// home tells whether an instruction reads what waves of a block have in common.
func (p *coarsened) frameUse(in *x64.Inst) where {
	if p.bar >= 0 {
		return frameOwn // they have run
	}
	if len(p.inputs(p.frameRange(in))) > 0 {
		return frameOwn
	}
	return frameSame
}

// walk finds the code that belongs to the pass.
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

// gives reports whether control that comes to a label gives the pass up for sure.
func (p *coarsened) gives(l x64.Label) bool { return p.surely(l, maxFollowed) }

// maxFollowed is how many jumps gives follows.
const maxFollowed = 4

// surely is what gives says, following depth jumps. What it finds out holds for all labels on
// the way, too, up to the next walk.
func (p *coarsened) surely(l x64.Label, depth int) (sure bool) {
	if depth == 0 {
		return false
	}
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

// shorten makes the list. Where the pass is given up nothing else is done.
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

// loops reports whether there is a way back in the pass.
func (p *coarsened) loops() bool {
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump && p.at[in.Label] < i && p.seen[p.at[in.Label]] && p.leads[p.at[in.Label]] == 0 {
			return true
		}
	}
	return false
}

// lives finds between which instructions machine registers hold something. It reports false,
// and takes blocks or code out of the pass, where that is so where control comes together.
func (p *coarsened) lives() bool {
	p.live = make([]uint64, len(p.list)+1)
	var ops lir.Operands
	now, fine := uint64(0), true
	for k := len(p.list) - 1; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		info := in.Op.Info()
		if p.leads[i] != 0 || in.Op == x64.LABEL || in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.JMP {
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

// first reports whether no instruction since control came together uses the scratch area
// before the one at place k of the list.
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

func (p *coarsened) inFrame(in *x64.Inst) bool {
	return in.HasMem && in.M.Pool == 0 && in.M.Base == Frame
}

func temporary(r x64.Reg) bool { return r > 0 && r < x64.Virtual && registers>>r&1 == 0 }

func implicit(set uint16) (m uint64) {
	for ; set != 0; set &= set - 1 {
		m |= 1 << (x64.RAX + x64.Reg(bits.TrailingZeros16(set)))
	}
	return m &^ registers
}

// group is the end of the instructions from place k of the list on that have to stay
// together, for there is something in machine registers between them.
func (p *coarsened) group(k int) int {
	for k++; k < len(p.list) && p.live[k] != 0; k++ {
	}
	return k
}

// branches reports whether a group that differs leads to different places of the pass by its
// last instruction, and by no other: waves have to agree about it.
func (p *coarsened) branches(k, end int) bool {
	for _, i := range p.list[k : end-1] {
		if in := &p.code[i]; in.Op.Info().Jump && !p.gives(in.Label) {
			return false
		}
	}
	in := &p.code[p.list[end-1]]
	return in.Op.Info().Jump && in.Op != x64.JMP && !p.gives(in.Label)
}

// remove takes the block of instruction i out of the pass, or if it is code aside, gives the
// pass up there.
func (p *coarsened) remove(i int32) {
	if p.cold[i] >= 0 && i >= p.blocks[0] && i < p.blocks[len(p.in)] {
		b, _ := slices.BinarySearch(p.blocks, i+1)
		p.in[b-1] = false
		return
	}
	p.force[i] = true
}

// choose decides how many waves there are, by the registers that they need.
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
		few := bases <= maxBases && len(p.loads)*len(p.fence)*p.waves <= maxRegions
		fit := vecs+min(same, 4)+temporaries <= regs
		// In short loops waiting costs more than some registers in memory do.
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

// shortLoop is how many vector instructions of one wave loops have whose latency two waves do not
// hide, by the suite's: of 10, 23 and 56 (matmul, shfl_reduce, matmul4) four waves take 12 to 30
// percent less, of 63 (shfl_scan) 20 percent more.
const shortLoop = 60

// inner is how many instructions of one wave in loops of the pass write vector registers.
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

// maxBases is how many general registers loops may need, some of which are memory then.
const maxBases = 10

// needs is how many vector registers, of what differs between waves and of other, and general
// registers live in loops of the pass, and are used there. Where control does not come together
// the instructions of a wave go on, and what lives between two of them does so once.
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

// busy are the registers that code in loops of the pass names.
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

// crosses reports whether nothing but webs, and limits of addresses, lives where the pass
// ends.
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
