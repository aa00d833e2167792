package ir

// Successors appends the blocks that may follow a block to out. If an Exit or a Trap ends only the
// lanes of a guard, the next block follows too.
func (f *Func) Successors(bi int, out []int) []int { return f.successors(bi, out) }

// successors appends the blocks that may follow a block.
func (f *Func) successors(bi int, out []int) []int {
	last := &f.Code[f.Blocks[bi].End-1]
	switch last.Op {
	case Bra, SBra:
		out = append(out, int(last.Imm))
		if last.Op == Bra && last.Guard == 0 || last.Op == SBra && last.Args[0] == 0 {
			return out
		}
	case BraTable:
		for _, t := range f.Tables[last.Imm] {
			if t >= 0 {
				out = append(out, t)
			}
		}
		if last.Guard == 0 {
			return out
		}
	case Exit, Trap:
		if last.Guard == 0 {
			return out
		}
	case EndWave:
		return out
	}
	if bi+1 < len(f.Blocks) {
		out = append(out, bi+1)
	}
	return out
}

// DomTree is the dominator tree of a flow graph.
type DomTree struct {
	// Idom is the immediate dominator of each block; -1: the block is the entry, or cannot be
	// reached.
	Idom []int
	// A block dominates the blocks whose enter lies in the range from its own enter to its leave,
	// exclusive. The leave of an unreachable block is 0.
	enter, leave []int
}

// Dominates reports whether every path from the entry to b leads through a. It is false for blocks
// that cannot be reached.
func (t *DomTree) Dominates(a, b int) bool {
	return t.leave[b] > 0 && t.enter[a] <= t.enter[b] && t.enter[b] < t.leave[a]
}

// dominators finds the dominator tree with the algorithm of Lengauer and Tarjan ("A Fast Algorithm
// for Finding Dominators in a Flowgraph", TOPLAS 1979, its simple form). Algorithms that walk up
// the tree for every edge are shorter. They take a minute for a kernel of some hundred thousand
// blocks if each block may branch to the end.
func (f *Func) dominators() *DomTree { return Dominators(len(f.Blocks), 0, f.successors) }

// Dominators finds the dominator tree of a graph of n blocks, with the same algorithm. succ appends
// the successors of a block to out.
//
// Input: the graph and its entry.
// Output: the immediate dominators, and an interval numbering that answers Dominates in constant
// time.
// Invariant: the algorithm numbers blocks in depth-first preorder, so a dominator has the smaller
// number.
// Example: in 0→1, 0→2, 1→3, 2→3 the immediate dominator of 3 is 0.
func Dominators(n, entry int, succ func(b int, out []int) []int) *DomTree {
	parent := make([]int, n) // parent in the depth-first tree
	preds := make([][]int, n)
	number := make([]int, n) // index of a block in order
	for i := range number {
		number[i] = -1
	}
	var order, follow []int // order: the blocks in depth-first preorder
	for stack := []int{entry}; len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if number[b] >= 0 {
			continue
		}
		number[b] = len(order)
		order = append(order, b)
		follow = succ(b, follow[:0])
		for _, s := range follow {
			preds[s] = append(preds[s], b)
			if number[s] < 0 {
				parent[s] = b
				stack = append(stack, s)
			}
		}
	}

	// From here on v, w are numbers of blocks in preorder; up[v] is -1 for roots of the forest.
	m := len(order)
	semi, best, up, idom := make([]int, m), make([]int, m), make([]int, m), make([]int, m)
	bucket, next := make([]int, m), make([]int, m) // lists of blocks by semidominator, -1 ends one
	for v := range m {
		semi[v], best[v], up[v], bucket[v] = v, v, -1, -1
	}
	var path []int
	// eval returns a block with the least semidominator among the blocks from v up to, but without,
	// its root, and compresses the path.
	eval := func(v int) int {
		if up[v] < 0 {
			return v
		}
		path = path[:0]
		for x := v; up[up[x]] >= 0; x = up[x] {
			path = append(path, x)
		}
		for i := len(path) - 1; i >= 0; i-- {
			x := path[i]
			if a := best[up[x]]; semi[a] < semi[best[x]] {
				best[x] = a
			}
			up[x] = up[up[x]]
		}
		return best[v]
	}
	for w := m - 1; w > 0; w-- {
		for _, p := range preds[order[w]] {
			semi[w] = min(semi[w], semi[eval(number[p])])
		}
		next[w], bucket[semi[w]] = bucket[semi[w]], w
		p := number[parent[order[w]]]
		up[w] = p
		for v := bucket[p]; v >= 0; v = next[v] {
			idom[v] = p
			if u := eval(v); semi[u] < semi[v] {
				idom[v] = u
			}
		}
		bucket[p] = -1
	}
	for w := 1; w < m; w++ {
		if idom[w] != semi[w] {
			idom[w] = idom[idom[w]]
		}
	}

	size, free := make([]int, m), make([]int, m)
	for w := m - 1; w >= 0; w-- {
		size[w]++
		if w > 0 {
			size[idom[w]] += size[w]
		}
	}
	t := &DomTree{Idom: make([]int, n), enter: make([]int, n), leave: make([]int, n)}
	for b := range t.Idom {
		t.Idom[b] = -1
	}
	for w, b := range order {
		if w > 0 {
			t.Idom[b] = order[idom[w]]
			t.enter[b] = free[idom[w]]
			free[idom[w]] += size[w]
		}
		free[w] = t.enter[b] + 1
		t.leave[b] = t.enter[b] + size[w]
	}
	return t
}
