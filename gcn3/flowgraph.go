package gcn3

import (
	"cmp"
	"slices"
)

// flowGraph is where control goes between nodes. A node is an instruction, or an instruction
// in one context (context.go); nodes are in the order of their instructions. Behind them is
// one that stands for the targets of computed branches.
type flowGraph struct {
	succ, pred [][]int32
	inst       []int32 // of each node; nil: its number
	n          int     // nodes that are instructions
	entry      int32   // -1: none
	index      offsetIndex
}

// real reports whether a node is an instruction.
func (g *flowGraph) real(node int32) bool { return int(node) < g.n }

// at is the instruction of a node.
func (g *flowGraph) at(node int32) int32 {
	if g.inst == nil {
		return node
	}
	return g.inst[node]
}

// link finishes the graph: pred from succ.
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

// newFlowGraph is the graph of instructions: all computed branches go to all of the hub.
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
			if ok && !slices.Contains(room[from:], int32(i)) { // the end of the code is nowhere
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

// graph is the graph of the program, with contexts where it has some.
func (p *program) graph(code Code) flowGraph {
	if p.ways != nil {
		return p.ways.graph()
	}
	return newFlowGraph(p.insts, nil, code.Entry)
}

// graph is the graph of instructions in their contexts.
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
	// The blocks that can be reached, and their nodes.
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

// folded is the graph of instructions without contexts, of n.
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

// search finds a node behind node i, over all paths, of which visit says that it is the one;
// -1 if there is none, or it is farther than limit nodes. Behind those that end a path it does
// not look.
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
