package programs

import (
	"fmt"
	"slices"
)

// A sparse matrix, or a graph without values: what row r has is at first[r] to
// first[r+1].
type sparse struct {
	first, col []uint32
	val        []float32
}

// randomSparse makes n rows of up to most entries; some rows are empty.
func randomSparse(w *words, n, most int) (s sparse) {
	s.first = []uint32{0}
	for range n {
		for range max(0, w.below(most+3)-2) {
			s.col = append(s.col, uint32(w.below(n)))
		}
		s.first = append(s.first, uint32(len(s.col)))
	}
	s.val = w.floats(len(s.col))
	return s
}

func (s *sparse) edges(r int) (from, to uint32) { return s.first[r], s.first[r+1] }

// levels gives the distance of every vertex from a source, and the vertices at each
// distance.
func (s *sparse) levels(source uint32) (level []int32, frontiers [][]uint32) {
	level = constant(len(s.first)-1, int32(-1))
	level[source] = 0
	for at := []uint32{source}; len(at) > 0; {
		frontiers = append(frontiers, at)
		var next []uint32
		for _, v := range at {
			for _, to := range s.col[s.first[v]:s.first[v+1]] {
				if level[to] < 0 {
					level[to] = level[v] + 1
					next = append(next, to)
				}
			}
		}
		at = next
	}
	return level, frontiers
}

func graphCases() []Case {
	w := words(30)
	g := randomSparse(&w, 120, 4)
	const source = 7
	levels, frontiers := g.levels(source)
	if len(frontiers) < 4 {
		panic(fmt.Sprintf("programs: the graph has %d levels", len(frontiers)))
	}
	first, edges := in("first", g.first), in("edges", g.col)
	start := constant(120, int32(-1))
	start[source] = 0
	level := &Buffer{Name: "level", Data: start, Want: levels}
	// The order within a frontier depends on who comes first.
	frontier := in("frontier", []uint32{source})
	var all []Step
	for d, f := range frontiers {
		var want []uint32
		if d+1 < len(frontiers) {
			want = frontiers[d+1]
		}
		next := &Buffer{Name: fmt.Sprint("frontier", d+1), Data: make([]uint32, 120), Unordered: true}
		next.Want = append(slices.Clone(want), make([]uint32, 120-len(want))...)
		count := out("count", []uint32{uint32(len(want))})
		all = append(all, Step{Kernel: "bfs_level", Grid: x(2), Block: x(32),
			Args: []any{first, edges, level, frontier, uint32(len(f)), next, count, int32(d + 1)}})
		frontier = next
	}
	block := &Buffer{Name: "level", Data: constant(120, int32(-1)), Want: levels}

	// Components: few enough edges that several are left.
	const n, m = 100, 70
	a, b := make([]uint32, m), make([]uint32, m)
	least := fill(n, func(i int) uint32 { return uint32(i) })
	for i := range a {
		a[i], b[i] = uint32(w.below(n)), uint32(w.below(n))
	}
	for changed := true; changed; {
		changed = false
		for i := range a {
			p, q := &least[a[i]], &least[b[i]]
			if *p != *q {
				*p, *q, changed = min(*p, *q), min(*p, *q), true
			}
		}
	}
	parent := &Buffer{Name: "parent", Data: fill(n, func(i int) uint32 { return uint32(i) }), Want: least}

	mat := randomSparse(&w, 50, 70)
	v := w.floats(50)
	chain := fill(50, func(r int) (s float32) {
		for i, to := mat.edges(r); i < to; i++ {
			s = fma32(mat.val[i], v[mat.col[i]], s)
		}
		return s
	})
	tree := fill(50, func(r int) float32 {
		part := make([]float32, 32)
		from, to := mat.edges(r)
		for i := from; i < to; i++ {
			part[(i-from)%32] += float32(mat.val[i] * v[mat.col[i]])
		}
		return treeSum(part)
	})
	matrix := []any{in("first", mat.first), in("col", mat.col), in("val", mat.val), in("x", v)}
	return []Case{
		steps("bfs by levels", all...),
		one("bfs in a block", "bfs_block", x(1), x(64), first, edges, block, uint32(source)),
		steps("components",
			Step{Kernel: "join", Grid: x(3), Block: x(32), Args: []any{in("a", a), in("b", b), parent, uint32(m)}},
			Step{Kernel: "flatten", Grid: x(4), Block: x(32), Args: []any{parent, uint32(n)}}),
		one("spmv by threads", "spmv_thread", x(1), x(64), append(slices.Clone(matrix), out("y", chain), uint32(50))...),
		one("spmv by warps", "spmv_warp", x(13), x(128), append(slices.Clone(matrix), out("y", tree), uint32(50))...),
	}
}
