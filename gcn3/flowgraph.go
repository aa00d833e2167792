package gcn3

import (
	"cmp"
	"slices"
)

// flowGraph holds the control flow between nodes. A node is an instruction, or an instruction in
// one context (context.go); nodes are in the order of their instructions. One more node after them
// stands for the targets of computed branches.
type flowGraph struct {
	succ, pred [][]int32
	inst       []int32 // instruction of each node; nil: the node's own number
	n          int     // number of nodes that are instructions
	entry      int32   // -1: none
	index      offsetIndex
}

// real reports whether a node is an instruction.
func (g *flowGraph) real(node int32) bool { return int(node) < g.n }

// at returns the instruction of a node.
func (g *flowGraph) at(node int32) int32 {
	if g.inst == nil {
		return node
	}
	return g.inst[node]
}

// link finishes the graph: it computes pred from succ.
func (g *flowGraph) link() {
	count := make([]int32, len(g.succ))
	all := 0
	for _, l := range g.succ {
		for _, to := range l {
			count[to]++
		}
		all += len(l)
	}
	room := make([]int32, all)
	g.pred = make([][]int32, len(g.succ))
	for i, n := range count {
		g.pred[i], room = room[:0:n], room[n:]
	}
	for i, l := range g.succ {
		for _, to := range l {
			g.pred[to] = append(g.pred[to], int32(i))
		}
	}
}

// newFlowGraph returns the graph of instructions, in which every computed branch goes to all of the
// hub.
func newFlowGraph(insts []decoded, hub []int64, entry int64) flowGraph {
	n := len(insts)
	g := flowGraph{succ: make([][]int32, n+1), n: n, entry: -1, index: indexOf(insts)}
	if i, ok := g.index.at(entry); ok {
		g.entry = int32(i)
	}
	room := make([]int32, 0, 2*n+len(hub)+16)
	link := func(to []int64) []int32 {
		from := len(room)
		for _, off := range to {
			i, ok := g.index.at(off)
			if off == hubOff {
				i, ok = n, true
			}
			if ok && !slices.Contains(room[from:], int32(i)) { // the end of the code is no target
				room = append(room, int32(i))
			}
		}
		return room[from:len(room):len(room)]
	}
	var next []int64
	for i := range insts {
		next = successors(next[:0], &insts[i])
		g.succ[i] = link(next)
	}
	g.succ[n] = link(hub)
	g.link()
	return g
}

// graph returns the graph of the program, with contexts if it has any.
func (p *program) graph(code Code) flowGraph {
	if p.ways != nil {
		return p.ways.graph()
	}
	return newFlowGraph(p.insts, nil, code.Entry)
}

// graph returns the graph of instructions in their contexts.
func (x *contexts) graph() flowGraph {
	g := flowGraph{index: x.index, entry: -1}
	if x.entry == nil {
		return g
	}
	hubs := func(b *ctxBlock) (list []*ctxBlock) {
		for _, off := range x.hub {
			if i, ok := x.index.at(off); ok {
				list = append(list, x.blocks[blockKey{first: int32(i)}])
			}
		}
		return list
	}
	// Collect the reachable blocks and their nodes.
	blocks := []*ctxBlock{x.entry}
	seen := map[*ctxBlock]bool{x.entry: true}
	hub := false
	for k := 0; k < len(blocks); k++ {
		next := blocks[k].succ
		if blocks[k].hub && !hub {
			hub = true
			next = append(slices.Clip(next), hubs(blocks[k])...)
		}
		for _, b := range next {
			if !seen[b] {
				seen[b] = true
				blocks = append(blocks, b)
			}
		}
	}
	type node struct {
		b *ctxBlock
		k int32
	}
	var nodes []node
	for _, b := range blocks {
		for k := range b.n {
			nodes = append(nodes, node{b, k})
		}
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.b.first+a.k, b.b.first+b.k), cmp.Compare(a.b.context, b.b.context), cmp.Compare(a.k, b.k))
	})
	g.n = len(nodes)
	number := make(map[node]int32, len(nodes))
	for i, d := range nodes {
		number[d] = int32(i)
		g.inst = append(g.inst, d.b.first+d.k)
	}
	g.succ = make([][]int32, g.n+1)
	heads := func(list []*ctxBlock) (l []int32) {
		for _, b := range list {
			l = append(l, number[node{b, 0}])
		}
		return l
	}
	for i, d := range nodes {
		if d.k+1 < d.b.n {
			g.succ[i] = []int32{number[node{d.b, d.k + 1}]}
			continue
		}
		g.succ[i] = heads(d.b.succ)
		if d.b.hub {
			g.succ[i] = append(g.succ[i], int32(g.n))
		}
	}
	if hub {
		g.succ[g.n] = heads(hubs(nil))
	}
	g.entry = number[node{x.entry, 0}]
	g.link()
	return g
}

// folded returns the graph of the n instructions without contexts.
func (g *flowGraph) folded(n int) flowGraph {
	if g.inst == nil {
		return *g
	}
	f := flowGraph{succ: make([][]int32, n+1), n: n, entry: -1, index: g.index}
	to := func(node int32) int32 {
		if g.real(node) {
			return g.inst[node]
		}
		return int32(n)
	}
	if g.entry >= 0 {
		f.entry = to(g.entry)
	}
	for i, l := range g.succ {
		from := to(int32(i))
		for _, s := range l {
			if t := to(s); !slices.Contains(f.succ[from], t) {
				f.succ[from] = append(f.succ[from], t)
			}
		}
	}
	f.link()
	return f
}

// search looks at the nodes after node i, over all paths, and returns the first one for which visit
// reports found; -1 if there is none, or if limit nodes were seen. It does not continue after a
// node for which visit reports end.
func (g *flowGraph) search(i int32, limit int, visit func(inst int) (found, end bool)) int {
	seen := map[int32]bool{}
	todo := slices.Clone(g.succ[i])
	for len(todo) > 0 && len(seen) < limit {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[j] {
			continue
		}
		seen[j] = true
		if g.real(j) {
			found, end := visit(int(g.at(j)))
			if found {
				return int(g.at(j))
			}
			if end {
				continue
			}
		}
		todo = append(todo, g.succ[j]...)
	}
	return -1
}
