package static

import "example.org/crosslane/internal/ir"

// A graph is the control flow of a function. Blocks that control cannot reach have no predecessors and
// no place in order.
type graph struct {
	f     *ir.Func
	succ  [][]int32
	pred  [][]edge
	order []int32 // reachable blocks in reverse postorder
	rank  []int32 // by block: its index in order; -1: not reachable
	loops bool    // control may go back
	dom   *ir.DomTree
	// post is the tree of postdominators; block number len(f.Blocks) is the common end of all lanes.
	// Traps end the run and lead nowhere, so that a condition that an assertion checks does not count
	// as divergence.
	post *ir.DomTree
}

// An edge is the edge from a block to its successor number i.
type edge struct{ from, i int32 }

// newGraph builds the graph and both dominator trees.
func newGraph(f *ir.Func) *graph {
	n := len(f.Blocks)
	g := &graph{f: f, succ: make([][]int32, n), pred: make([][]edge, n), rank: make([]int32, n)}
	var buf []int
	for b := range n {
		buf = f.Successors(b, buf[:0])
		list := make([]int32, len(buf))
		for i, s := range buf {
			list[i] = int32(s)
		}
		g.succ[b] = list
		g.rank[b] = -1
	}
	// Postorder without recursion, because a kernel may have a block per instruction.
	at := make([]int32, n)
	seen := make([]bool, n)
	stack := []int32{0}
	seen[0] = true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		if int(at[b]) == len(g.succ[b]) {
			g.order = append(g.order, b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := g.succ[b][at[b]]
		at[b]++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, s)
		}
	}
	for i, j := 0, len(g.order)-1; i < j; i, j = i+1, j-1 {
		g.order[i], g.order[j] = g.order[j], g.order[i]
	}
	for i, b := range g.order {
		g.rank[b] = int32(i)
		for k, s := range g.succ[b] {
			g.pred[s] = append(g.pred[s], edge{b, int32(k)})
			g.loops = g.loops || g.rank[s] >= 0
		}
	}
	g.dom = ir.Dominators(n, 0, f.Successors)
	var ends []int32
	for _, b := range g.order {
		switch in := g.last(b); in.Op {
		case ir.Exit, ir.EndWave:
			ends = append(ends, b)
		}
	}
	g.post = ir.Dominators(n+1, n, func(b int, out []int) []int {
		if b == n {
			for _, e := range ends {
				out = append(out, int(e))
			}
			return out
		}
		for _, e := range g.pred[b] {
			out = append(out, int(e.from))
		}
		return out
	})
	return g
}

// controls reports whether the branch at the end of block x, which dominates b, decides whether control
// reaches b. It does not if b lies on all ways from x to the end, or after a block that does.
func (g *graph) controls(x, b int32) bool {
	end := g.post.Idom[x]
	return !g.post.Dominates(int(b), int(x)) && (end < 0 || end == len(g.f.Blocks) || !g.dom.Dominates(end, int(b)))
}

// last returns the last instruction of a block.
func (g *graph) last(b int32) *ir.Inst { return &g.f.Code[g.f.Blocks[b].End-1] }

// onlyExits reports whether a block consists of an unconditional exit.
func (g *graph) onlyExits(b int32) bool {
	bl := g.f.Blocks[b]
	in := &g.f.Code[bl.Start]
	return bl.End-bl.Start == 1 && in.Op == ir.Exit && in.Guard == 0
}
