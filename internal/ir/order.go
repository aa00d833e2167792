package ir

import (
	"container/heap"
	"slices"
)

// Converge lays the blocks out so that lanes that diverge at a branch reconverge at the join,
// although the scheduling rule is "the lowest block first". That requires three properties. A
// block comes after all blocks from which control goes forward to it. The exit targets of a loop
// come after the loop. Lanes that end an iteration of a loop at several places come together before
// the next iteration. Compilers do not always emit code in that order, and hardware does not
// need it, because it has the joins.
//
// Input: a function whose lanes are switched by control flow, not yet compiled by an engine.
// Output: the same function with its blocks reordered, and with a latch block for each loop with
// several back edges.
// Invariant: every lane executes the same instructions; only the block order and the branches
// change.
// Example: blocks A→B, A→C, B→D, C→D in the order A B D C become A B C D.
// Literature: topological order of the forward edges; loops from back edges to dominators (Aho,
// Sethi and Ullman).
//
// If the layout already has these properties, nothing changes. Functions whose lanes EXEC switches
// are unchanged.
func (f *Func) Converge() {
	if f.Exec != 0 || len(f.Blocks) < 3 || f.Code[len(f.Code)-1].falls() {
		return
	}
	g := newFlowGraph(f)
	if !g.loops() || g.inOrder() {
		return
	}
	g.rebuild(g.sorted())
}

// maxLoopWork bounds the time for finding loops; functions that need more are unchanged.
const maxLoopWork = 1 << 22

// flowGraph is the control flow of a function. Its nodes are the blocks; then, for every loop with
// several back edges, a latch, the block at which these meet; then, for each loop, a node that
// represents the end of the loop.
type flowGraph struct {
	f     *Func
	succ  [][]int
	preds [][]int
	back  map[[2]int]bool // edges back to the start of a loop
	over  map[[2]int]bool // those back edges that lead through a latch
	latch []int           // by latch: the loop's first block
	after [][]int         // forward edges, by node
}

// newFlowGraph finds the edges and, by depth-first search, the back edges.
func newFlowGraph(f *Func) *flowGraph {
	n := len(f.Blocks)
	g := &flowGraph{f: f, succ: make([][]int, n), preds: make([][]int, n), back: map[[2]int]bool{}, over: map[[2]int]bool{}, after: make([][]int, n)}
	state := make([]uint8, n) // 1: on the current path, 2: done
	at := make([]int, n)      // number of successors visited
	stack := []int{0}
	g.succ[0] = f.successors(0, nil)
	state[0] = 1
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		if at[b] == len(g.succ[b]) {
			state[b] = 2
			stack = stack[:len(stack)-1]
			continue
		}
		s := g.succ[b][at[b]]
		at[b]++
		g.preds[s] = append(g.preds[s], b)
		switch state[s] {
		case 0:
			state[s] = 1
			g.succ[s] = f.successors(s, nil)
			stack = append(stack, s)
		case 1:
			g.back[[2]int{b, s}] = true
		}
	}
	return g
}

// loops finds the loops and makes the forward edges. It returns false if that would take too long.
func (g *flowGraph) loops() bool {
	n := len(g.f.Blocks)
	dom := g.f.dominators()
	ends := map[int][]int{} // by first block
	for e := range g.back {
		if dom.Dominates(e[1], e[0]) {
			ends[e[1]] = append(ends[e[1]], e[0])
		}
	}
	for b, list := range g.succ {
		for _, s := range list {
			if !g.back[[2]int{b, s}] {
				g.after[b] = append(g.after[b], s)
			}
		}
	}
	heads := make([]int, 0, len(ends))
	for h := range ends {
		heads = append(heads, h)
	}
	slices.Sort(heads)
	node := func() int {
		g.after = append(g.after, nil)
		return len(g.after) - 1
	}
	latchOf := map[int]int{} // node by first block
	for _, h := range heads {
		several := slices.DeleteFunc(slices.Clone(ends[h]), func(u int) bool {
			return g.f.Code[g.f.Blocks[u].End-1].Op == BraTable // several branches may share its target table
		})
		if len(several) < 2 {
			continue
		}
		l := node()
		latchOf[h] = l
		g.latch = append(g.latch, h)
		slices.Sort(several)
		for _, u := range several {
			g.over[[2]int{u, h}] = true
			g.after[u] = append(g.after[u], l)
		}
	}
	in := make([]int, n) // the last loop, counted from 1, that contained a block
	work := 0
	for i, h := range heads {
		body := []int{h}
		in[h] = i + 1
		add := func(u int) {
			if in[u] != i+1 {
				in[u] = i + 1
				body = append(body, u)
			}
		}
		for _, u := range ends[h] {
			add(u)
		}
		for j := 1; j < len(body); j++ {
			for _, p := range g.preds[body[j]] {
				add(p)
			}
		}
		if work += len(body); work > maxLoopWork {
			return false
		}
		end := node()
		for _, u := range ends[h] {
			g.after[u] = append(g.after[u], end)
		}
		if l := latchOf[h]; l > 0 {
			g.after[l] = append(g.after[l], end)
		}
		for _, u := range body {
			for _, s := range g.succ[u] {
				if in[s] != i+1 && !g.back[[2]int{u, s}] {
					g.after[end] = append(g.after[end], s)
				} else if in[s] != i+1 && latchOf[s] > 0 {
					g.after[end] = append(g.after[end], latchOf[s])
				}
			}
		}
	}
	return true
}

// inOrder reports whether the layout already has the properties.
func (g *flowGraph) inOrder() bool {
	n := len(g.f.Blocks)
	if len(g.latch) > 0 {
		return false
	}
	// The place of a node that is no block is the last place that leads to it.
	place := make([]int, len(g.after))
	for b := range n {
		place[b] = b
		for _, s := range g.after[b] {
			if s >= n {
				place[s] = max(place[s], b)
			}
		}
	}
	for b, list := range g.after {
		for _, s := range list {
			if s < n && s <= place[b] {
				return false
			}
		}
	}
	return true
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// sorted returns the blocks and latches in the new order. Among all blocks that may come next, it
// takes the one that comes first in the code, so that little moves. If no order is right, as in a
// loop with two entries, it takes the first remaining block.
func (g *flowGraph) sorted() []int {
	n, blocks := len(g.after), len(g.f.Blocks)+len(g.latch)
	waits := make([]int, n)
	for _, list := range g.after {
		for _, s := range list {
			waits[s]++
		}
	}
	done := make([]bool, n)
	ready := &intHeap{}
	for b := range blocks {
		if waits[b] == 0 && b > 0 {
			heap.Push(ready, b)
		}
	}
	order := make([]int, 0, blocks)
	first := 0
	var place func(b int)
	place = func(b int) {
		done[b] = true
		if b < blocks {
			order = append(order, b)
		}
		for _, s := range g.after[b] {
			waits[s]--
			switch {
			case waits[s] > 0 || done[s]:
			case s >= blocks:
				place(s) // this node leads to blocks only
			default:
				heap.Push(ready, s)
			}
		}
	}
	place(0)
	for len(order) < blocks {
		b := -1
		for ready.Len() > 0 && b < 0 {
			if b = heap.Pop(ready).(int); done[b] {
				b = -1
			}
		}
		if b < 0 {
			for done[first] {
				first++
			}
			b = first
		}
		place(b)
	}
	return order
}

// falls reports whether control may continue with the next block after the last instruction of a
// block.
func (in *Inst) falls() bool {
	switch in.Op {
	case Bra, BraTable, Exit, Trap:
		return in.Guard != 0
	case SBra:
		return in.Args[0] != 0
	case EndWave:
		return false
	}
	return true
}

// rebuild writes the blocks and latches in a new order, with branches in place of former
// fall-throughs.
func (g *flowGraph) rebuild(order []int) {
	f, n := g.f, len(g.f.Blocks)
	latchOf := map[int]int{}
	for i, h := range g.latch {
		latchOf[h] = n + i
	}
	// to returns the target of an edge, with latches taken into account.
	to := func(b, s int) int {
		if g.over[[2]int{b, s}] {
			return latchOf[s]
		}
		return s
	}
	at := make([]int, n+len(g.latch)) // new index by node
	var code []Inst
	var blocks []Block
	start := 0
	finish := func() {
		blocks = append(blocks, Block{start, len(code)})
		start = len(code)
	}
	for i, b := range order {
		at[b] = len(blocks)
		if b >= n {
			h := g.latch[b-n]
			code = append(code, Inst{Op: Bra, Imm: uint64(h), Pos: f.Code[f.Blocks[h].Start].Pos})
			finish()
			continue
		}
		code = append(code, f.Code[f.Blocks[b].Start:f.Blocks[b].End]...)
		last := &code[len(code)-1]
		if last.Op == Bra || last.Op == SBra {
			last.Imm = uint64(to(b, int(last.Imm)))
		}
		if !last.falls() {
			finish()
			continue
		}
		if next := to(b, b+1); i+1 == len(order) || order[i+1] != next {
			if last.Op.EndsBlock() {
				finish()
			}
			code = append(code, Inst{Op: Bra, Imm: uint64(next), Pos: code[len(code)-1].Pos})
		}
		finish()
	}
	for i := range code {
		if in := &code[i]; in.Op == Bra || in.Op == SBra {
			in.Imm = uint64(at[in.Imm])
		}
	}
	for _, t := range f.Tables {
		for i, s := range t {
			if s >= 0 {
				t[i] = at[s]
			}
		}
	}
	f.Code, f.Blocks = code, blocks
}
