package amdgpu

import (
	"cmp"
	"container/heap"
	"slices"
)

// FlowGraph holds the control flow between nodes. A node is an instruction, or an instruction in
// one context (context.go); nodes are in the order of their instructions. One more node after them
// stands for the targets of computed branches.
type FlowGraph struct {
	Succ, Pred [][]int32
	inst       []int32 // instruction of each node; nil: the node's own number
	N          int     // number of nodes that are instructions
	Entry      int32   // -1: none
	Index      OffsetIndex
}

// Real reports whether a node is an instruction.
func (g *FlowGraph) Real(node int32) bool { return int(node) < g.N }

// At returns the instruction of a node.
func (g *FlowGraph) At(node int32) int32 {
	if g.inst == nil {
		return node
	}
	return g.inst[node]
}

// link finishes the graph: it computes pred from succ.
func (g *FlowGraph) link() {
	count := make([]int32, len(g.Succ))
	all := 0
	for _, l := range g.Succ {
		for _, to := range l {
			count[to]++
		}
		all += len(l)
	}
	room := make([]int32, all)
	g.Pred = make([][]int32, len(g.Succ))
	for i, n := range count {
		g.Pred[i], room = room[:0:n], room[n:]
	}
	for i, l := range g.Succ {
		for _, to := range l {
			g.Pred[to] = append(g.Pred[to], int32(i))
		}
	}
}

// newFlowGraph returns the graph of instructions, in which every computed branch goes to all of the
// hub.
func newFlowGraph(insts []Decoded, hub []int64, entry int64) FlowGraph {
	n := len(insts)
	g := FlowGraph{Succ: make([][]int32, n+1), N: n, Entry: -1, Index: NewOffsetIndex(insts)}
	if i, ok := g.Index.At(entry); ok {
		g.Entry = int32(i)
	}
	room := make([]int32, 0, 2*n+len(hub)+16)
	link := func(to []int64) []int32 {
		from := len(room)
		for _, off := range to {
			i, ok := g.Index.At(off)
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
		g.Succ[i] = link(next)
	}
	g.Succ[n] = link(hub)
	g.link()
	return g
}

// Graph returns the graph of the program, with contexts if it has any.
func (p *Program) Graph(code Code) FlowGraph {
	if p.ways != nil {
		return p.ways.graph()
	}
	return newFlowGraph(p.Insts, nil, code.Entry)
}

// graph returns the graph of instructions in their contexts.
func (x *contexts) graph() FlowGraph {
	g := FlowGraph{Index: x.index, Entry: -1}
	if x.entry == nil {
		return g
	}
	hubs := func(b *ctxBlock) (list []*ctxBlock) {
		for _, off := range x.hub {
			if i, ok := x.index.At(off); ok {
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
	g.N = len(nodes)
	number := make(map[node]int32, len(nodes))
	for i, d := range nodes {
		number[d] = int32(i)
		g.inst = append(g.inst, d.b.first+d.k)
	}
	g.Succ = make([][]int32, g.N+1)
	heads := func(list []*ctxBlock) (l []int32) {
		for _, b := range list {
			l = append(l, number[node{b, 0}])
		}
		return l
	}
	for i, d := range nodes {
		if d.k+1 < d.b.n {
			g.Succ[i] = []int32{number[node{d.b, d.k + 1}]}
			continue
		}
		g.Succ[i] = heads(d.b.succ)
		if d.b.hub {
			g.Succ[i] = append(g.Succ[i], int32(g.N))
		}
	}
	if hub {
		g.Succ[g.N] = heads(hubs(nil))
	}
	g.Entry = number[node{x.entry, 0}]
	g.link()
	return g
}

// Folded returns the graph of the n instructions without contexts.
func (g *FlowGraph) Folded(n int) FlowGraph {
	if g.inst == nil {
		return *g
	}
	f := FlowGraph{Succ: make([][]int32, n+1), N: n, Entry: -1, Index: g.Index}
	to := func(node int32) int32 {
		if g.Real(node) {
			return g.inst[node]
		}
		return int32(n)
	}
	if g.Entry >= 0 {
		f.Entry = to(g.Entry)
	}
	for i, l := range g.Succ {
		from := to(int32(i))
		for _, s := range l {
			if t := to(s); !slices.Contains(f.Succ[from], t) {
				f.Succ[from] = append(f.Succ[from], t)
			}
		}
	}
	f.link()
	return f
}

// Search looks at the nodes after node i, over all paths, and returns the first one for which visit
// reports found; -1 if there is none, or if limit nodes were seen. It does not continue after a
// node for which visit reports end.
func (g *FlowGraph) Search(i int32, limit int, visit func(inst int) (found, end bool)) int {
	seen := map[int32]bool{}
	todo := slices.Clone(g.Succ[i])
	for len(todo) > 0 && len(seen) < limit {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[j] {
			continue
		}
		seen[j] = true
		if g.Real(j) {
			found, end := visit(int(g.At(j)))
			if found {
				return int(g.At(j))
			}
			if end {
				continue
			}
		}
		todo = append(todo, g.Succ[j]...)
	}
	return -1
}

// An OffsetIndex finds instructions by their offset in dwords; an entry is the number of the
// instruction plus one.
type OffsetIndex []int32

// NewOffsetIndex makes the index of instructions.
func NewOffsetIndex(insts []Decoded) OffsetIndex {
	end := int64(0)
	for i := range insts {
		end = max(end, insts[i].Off)
	}
	x := make(OffsetIndex, end/4+1)
	for i := range insts {
		x[insts[i].Off/4] = int32(i + 1)
	}
	return x
}

// At returns the number of the instruction at an offset.
func (x OffsetIndex) At(off int64) (i int, ok bool) {
	if off < 0 || off/4 >= int64(len(x)) || off&3 != 0 || x[off/4] == 0 {
		return 0, false
	}
	return int(x[off/4]) - 1, true
}

// A Worklist is a heap of places to visit, the lowest first. Code mostly runs forward, so the state
// before a join is mostly complete when the join is visited.
type Worklist[T int32 | int64] []T

// Next removes the lowest place, with all its repetitions.
func (o *Worklist[T]) Next() T {
	n := heap.Pop(o).(T)
	for len(*o) > 0 && (*o)[0] == n {
		heap.Pop(o)
	}
	return n
}

func (o Worklist[T]) Len() int { return len(o) }

func (o Worklist[T]) Less(i, j int) bool { return o[i] < o[j] }

func (o Worklist[T]) Swap(i, j int) { o[i], o[j] = o[j], o[i] }

func (o *Worklist[T]) Push(x any) { *o = append(*o, x.(T)) }

func (o *Worklist[T]) Pop() any {
	n := len(*o) - 1
	x := (*o)[n]
	*o = (*o)[:n]
	return x
}
