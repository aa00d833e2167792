package lir

import (
	"math/bits"

	"example.org/crosslane/internal/jit/x64"
)

// A Piecer orders code by pieces of a wave, to shorten the lives of registers.
//
// Input: straight-line code in which each guest operation is one run of instructions, one for
// each register of its value; the piece of lanes to which each register belongs.
// Output: the same instructions in another order: all operations for the first lanes, then
// all for the next lanes.
// Invariant: the order of dependent instructions (by registers, memory or flags) stays, so
// all results stay the same.
// Example: a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3 becomes a0 b0 c0 a1 b1 c1 a2 b2 c2 a3 b3 c3:
// then one piece of a and b is live at a time, not four.
//
// Labels, jumps, calls and the like stay where they are; the code between them is a stretch.
// The piece of an instruction follows from the registers that hold lanes of guest values. An
// instruction for all lanes is placed when it is needed, and one that combines pieces as soon
// as possible.
//
// Literature: list scheduling for register pressure, for instance Goodman and Hsu, Code
// scheduling and register allocation in large basic blocks (ICS 1988).
type Piecer struct {
	fn   *Func
	own  []uint16 // see Order
	room int

	// By register: the node that wrote it last, and the last link of the nodes that have read
	// it since. They count from base and floor on, so that they need not be cleared for each
	// stretch.
	write, read []int32
	holds       []uint16 // by register: the pieces of the value that it holds, if write counts
	links       []link
	base, floor int32
	seen        []int32 // by register: the last stretch that names it
	stretches   int32

	// The nodes of the current stretch: its instructions, in their order, and fences.
	nodes        []node
	preds, succs []int32
	deps         dependence
	group        [MaxPieces][]int32
	ready        []int32
	out          []x64.Inst
	rounds       int32
	steps        int
}

// MaxPieces is the largest number of pieces.
const MaxPieces = 16

// A link is an element of a linked list of nodes.
type link struct{ node, next int32 }

// A node is an instruction, or a fence, which comes after some nodes and before some other nodes.
type node struct {
	pred, predEnd int32 // its parts of preds and succs
	succ, succEnd int32
	missing       int32 // number of predecessors that have not been placed
	blocked       int32 // the round in which it was last found to wait
	bits          uint16
	done          bool
}

// maxLinks is the number of links that are kept after their stretch.
const maxLinks = 1 << 18

// maxStretch is the largest number of instructions that are ordered together.
const maxStretch = 1 << 12

// Order orders the code of fn. own holds, by virtual register, the pieces of the lanes that
// it holds, as bits; 0 if its value is for all lanes. There are n pieces, and about room
// vector registers for their values. Labels, jumps and calls stay where they are.
func (p *Piecer) Order(fn *Func, own []uint16, n, room int) {
	if n < 2 || n > MaxPieces {
		return
	}
	p.fn, p.own, p.room = fn, own, room
	nr := len(fn.VRegs) + int(x64.Virtual)
	p.write, p.read, p.holds, p.seen = Cleared(&p.write, nr), Cleared(&p.read, nr), Cleared(&p.holds, nr), Cleared(&p.seen, nr)
	p.links, p.base, p.floor, p.stretches = append(p.links[:0], link{}), 0, 1, 0
	code := fn.Code
	for i := 0; i < len(code); {
		if !movable(&code[i]) {
			i++
			continue
		}
		k, named := i, 0
		p.stretches++
		for k < len(code) && k-i < maxStretch && movable(&code[k]) {
			if named <= room {
				named += p.names(&code[k])
			}
			k++
		}
		if k-i >= 4*n && named > room {
			p.stretch(i, k, n)
		}
		i = k
	}
	p.fn, p.own = nil, nil
	if nr > maxKept { // so much memory is seldom needed
		*p = Piecer{} // it is seldom so much
	}
}

// maxKept is the number of registers up to which memory is kept.
const maxKept = 1 << 16

// movable reports whether an instruction may change places with instructions that do not
// depend on it.
func movable(in *x64.Inst) bool {
	kind := partsIn(in).kind
	return kind&loose != 0 && in.Label == 0 && (kind&acts != 0 || in.Dst != 0) || in.Op == x64.NOP
}

// names returns the number of vector registers that an instruction is the first of its
// stretch to name.
func (p *Piecer) names(in *x64.Inst) (n int) {
	for _, r := range [...]x64.Reg{in.Dst, in.A, in.B} {
		if r < x64.Virtual || p.seen[r] == p.stretches {
			continue
		}
		p.seen[r] = p.stretches
		if v := &p.fn.VRegs[r-x64.Virtual]; v.Class == x64.Vec && v.Const == 0 {
			n++
		}
	}
	return n
}

// stretch orders code[i:k].
func (p *Piecer) stretch(i, k, n int) {
	code := p.fn.Code[i:k]
	before := p.live(code, 0)
	if before <= p.room {
		return // there is room for all pieces at once
	}
	p.nodes = Cleared(&p.nodes, len(code))
	p.preds = p.preds[:0]
	p.deps = dependence{accs: p.deps.accs[:0], setters: p.deps.setters[:0], flagged: Cleared(&p.deps.flagged, len(code))}
	p.flags(code, i)
	var ops Operands
	for j := range code {
		ops.Of(&code[j])
		p.depend(int32(j), &code[j], &ops)
	}
	p.base += int32(len(code)) + 1
	if p.floor = int32(len(p.links)); p.floor > maxLinks {
		clear(p.read)
		p.links, p.floor = p.links[:1], 1
	}
	p.successors()
	p.adopt(len(code))
	if width := p.width(code, n); width < n {
		p.schedule(code, n, width)
		if after := p.live(p.out, 0); after <= p.room || after <= before { // values that several pieces share may live longer than before
			copy(code, p.out)
		}
	}
}

// successors computes succs, the inverse of preds.
func (p *Piecer) successors() {
	nodes := p.nodes
	for _, q := range p.preds {
		nodes[q].succEnd++
	}
	at := int32(0)
	for i := range nodes {
		nd := &nodes[i]
		nd.missing = nd.predEnd - nd.pred
		count := nd.succEnd
		nd.succ, nd.succEnd = at, at
		at += count
	}
	p.succs = Cleared(&p.succs, len(p.preds))
	for i := range nodes {
		for _, q := range p.preds[nodes[i].pred:nodes[i].predEnd] {
			p.succs[nodes[q].succEnd] = int32(i)
			nodes[q].succEnd++
		}
	}
}

// adopt assigns an instruction without a piece to the only piece that uses its result, if
// there is only one.
func (p *Piecer) adopt(n int) {
	for i := n - 1; i >= 0; i-- {
		nd := &p.nodes[i]
		if nd.bits != 0 {
			continue
		}
		var one uint16
		for _, s := range p.succs[nd.succ:nd.succEnd] {
			switch b := p.nodes[s].bits; {
			case int(s) >= n:
			case b == 0:
				one = 1<<MaxPieces - 1
			default:
				one |= b
			}
		}
		if bits.OnesCount16(one) == 1 {
			nd.bits = one
		}
	}
}

// width returns the number of pieces to work on at a time: as many as registers allow,
// because instructions of different pieces do not wait for each other.
func (p *Piecer) width(code []x64.Inst, n int) int {
	most := p.live(code, 1)
	width := 1
	for width < n && 2*width*max(most, 1) <= p.room {
		width *= 2
	}
	return width
}

// live returns the largest number of registers that are live at one time, of those that some
// pieces name; of all instructions if pieces is 0.
func (p *Piecer) live(code []x64.Inst, pieces uint16) int {
	p.stretches++
	live, most := 0, 0
	count := func(r x64.Reg) {
		if r < x64.Virtual || p.seen[r] == p.stretches {
			return
		}
		if v := &p.fn.VRegs[r-x64.Virtual]; v.Class != x64.Vec || v.Const != 0 {
			return
		}
		p.seen[r] = p.stretches
		live++ // live up to its first use; the scan runs backwards
		most = max(most, live)
	}
	for j := len(code) - 1; j >= 0; j-- {
		in := &code[j]
		if pieces != 0 && p.nodes[j].bits&pieces == 0 {
			continue
		}
		info := in.Op.Info()
		if r := in.Dst; r >= x64.Virtual && p.seen[r] == p.stretches && !in.ReadsDst() {
			p.seen[r] = 0
			live--
		} else {
			count(in.Dst)
		}
		if info.A != x64.NoClass {
			count(in.A)
		}
		count(in.B)
		count(in.C)
	}
	return most
}

// schedule writes the instructions in the new order to out. It serves the groups of pieces in
// turn. If no group can continue, the first instruction that is left is placed: all its
// predecessors come before it.
func (p *Piecer) schedule(code []x64.Inst, n, width int) {
	groups := (n + width - 1) / width
	var at [MaxPieces]int
	for g := range groups {
		p.group[g] = p.group[g][:0]
	}
	for j := range code {
		if g := p.groupOf(int32(j), width); g >= 0 && code[j].Op != x64.NOP {
			p.group[g] = append(p.group[g], int32(j))
		}
	}
	p.out, p.rounds, p.steps = p.out[:0], 0, 16*len(p.nodes)
	low := 0
	for {
		p.rounds++
		some, left := false, false
		for g := range groups {
			list := p.group[g]
			for at[g] < len(list) && (p.nodes[list[at[g]]].done || p.need(list[at[g]], code, width, 0)) {
				some = true
				at[g]++
			}
			left = left || at[g] < len(list)
		}
		if some && left && p.steps > 0 {
			continue
		}
		// The first instruction that is left has no predecessor that is left.
		for low < len(code) && (p.nodes[low].done || code[low].Op == x64.NOP) {
			low++
		}
		if low == len(code) {
			break
		}
		p.put(int32(low), code, width)
		for (!left || p.steps <= 0) && low < len(code) {
			if !p.nodes[low].done && code[low].Op != x64.NOP {
				p.put(int32(low), code, width)
			}
			low++
		}
	}
	for len(p.out) < len(code) {
		p.out = append(p.out, x64.Inst{Op: x64.NOP})
	}
}

// groupOf returns the group of pieces to which a node belongs; -1 if it belongs to none or to
// several.
func (p *Piecer) groupOf(j int32, width int) int {
	b := p.nodes[j].bits
	if b == 0 {
		return -1
	}
	g := bits.TrailingZeros16(b) / width
	if (bits.Len16(b)-1)/width != g {
		return -1
	}
	return g
}

// maxNeed bounds the depth of the recursion of need.
const maxNeed = 64

// need places node j if that is possible now: if it waits only for instructions for all
// pieces that can be placed now. These are placed before it.
func (p *Piecer) need(j int32, code []x64.Inst, width, depth int) bool {
	nd := &p.nodes[j]
	if nd.missing > 0 {
		if nd.blocked == p.rounds || depth > maxNeed {
			return false
		}
		for _, q := range p.preds[nd.pred:nd.predEnd] {
			p.steps--
			if !p.nodes[q].done && (p.groupOf(q, width) >= 0 || !p.need(q, code, width, depth+1)) {
				nd.blocked = p.rounds
				return false
			}
		}
	}
	p.put(j, code, width)
	return true
}

// gathers reports whether an instruction of several pieces should be placed as soon as
// possible: its result needs no vector register, and afterwards the registers of its operands
// are free.
func (p *Piecer) gathers(in *x64.Inst) bool {
	return in.Dst < x64.Virtual || p.fn.VRegs[in.Dst-x64.Virtual].Class != x64.Vec
}

// put places node j, and the instructions of several pieces for which it was the last
// predecessor.
func (p *Piecer) put(j int32, code []x64.Inst, width int) {
	p.ready = append(p.ready[:0], j)
	for len(p.ready) > 0 {
		j = p.ready[len(p.ready)-1]
		p.ready = p.ready[:len(p.ready)-1]
		nd := &p.nodes[j]
		if nd.done {
			continue
		}
		nd.done = true
		if int(j) < len(code) && code[j].Op != x64.NOP {
			p.out = append(p.out, code[j])
		}
		for _, s := range p.succs[nd.succ:nd.succEnd] {
			to := &p.nodes[s]
			if to.missing--; to.missing == 0 && (int(s) >= len(code) || to.bits != 0 && p.groupOf(s, width) < 0 && p.gathers(&code[s])) {
				p.ready = append(p.ready, s)
			}
		}
	}
}
