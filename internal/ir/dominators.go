package ir

// Successors appends the blocks that may follow a block to out. Where an Exit or a Trap
// ends the lanes of a guard, the block behind it follows.
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
	// Idom is the immediate dominator of each block; -1: it is the entry, or cannot be
	// reached.
	Idom []int
	// A block dominates those whose enter lies from its own enter up to its leave,
	// exclusively. Blocks that nothing leads to have no such numbers: leave is 0.
	enter, leave []int
}

// Dominates reports whether every way from the entry to b leads through a. It is
// false for blocks that cannot be reached.
func (t *DomTree) Dominates(a, b int) bool {
	return t.leave[b] > 0 && t.enter[a] <= t.enter[b] && t.enter[b] < t.leave[a]
}

// dominators finds the dominator tree by the algorithm of Lengauer and Tarjan ("A Fast
// Algorithm for Finding Dominators in a Flowgraph", its simple form). Algorithms that
// walk up the tree for every edge are shorter, and take a minute for a kernel of some
// hundred thousand blocks that each may leave to its end.
func (f *Func) dominators() *DomTree { return Dominators(len(f.Blocks), 0, f.successors) }

// Dominators finds the dominator tree of a graph of n blocks, by the same algorithm; succ
// appends the successors of a block to out.
func Dominators(n, entry int, succ func(b int, out []int) []int) *DomTree {
	parent := make([]int, n) // in the depth-first tree
	preds := make([][]int, n)
	number := make([]int, n) // a block's place in order
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

	// From here on blocks go by their numbers; up[v] is -1 for roots of the forest.
	m := len(order)
	semi, best, up, idom := make([]int, m), make([]int, m), make([]int, m), make([]int, m)
	bucket, next := make([]int, m), make([]int, m) // lists of blocks by semidominator, -1 ends one
	for v := range m {
		semi[v], best[v], up[v], bucket[v] = v, v, -1, -1
	}
	var path []int
	// eval returns, of the blocks from v up to below its root, one with the least
	// semidominator, and shortens the way.
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
