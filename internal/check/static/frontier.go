package static

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Bounds of the fast way to find the definition that reaches a block. Beyond them, the definition is
// found by going back block by block.
const (
	maxFrontier = 8 << 20 // entries of all dominance frontiers
	maxDefs     = 32      // blocks that write a register
	maxJoins    = 256     // blocks at which the definitions come together
)

// frontiers returns the dominance frontiers of all blocks; nil if they are too large.
//
// Input: the dominator tree. Output: for block x, the blocks j with a predecessor that x dominates
// while x does not strictly dominate j.
// Example: "if p {A} else {B}; C": the frontier of A and of B is C.
// Literature: Cooper, Harvey and Kennedy, A simple, fast dominance algorithm (Rice University, 2001).
func frontiers(g *graph) [][]int32 {
	df := make([][]int32, len(g.f.Blocks))
	total := 0
	for _, b := range g.order {
		if len(g.pred[b]) < 2 && (b != 0 || len(g.pred[b]) == 0) {
			continue
		}
		stop := int32(g.dom.Idom[b])
		for _, e := range g.pred[b] {
			for x := e.from; x != stop && x >= 0; x = int32(g.dom.Idom[x]) {
				if n := len(df[x]); n > 0 && df[x][n-1] == b {
					break // all blocks above have it, too
				}
				df[x] = append(df[x], b)
				if total++; total > maxFrontier {
					return nil
				}
			}
		}
	}
	return df
}

// joins returns the blocks at whose start several definitions of r may come together: the iterated
// dominance frontier of its definitions. ok is false if there are too many.
func (s *ssa) joins(r ir.Ref) (list []int32, ok bool) {
	if s.df == nil {
		return nil, false
	}
	if l, ok := s.joined[r]; ok {
		return l, l != nil
	}
	list = []int32{}
	defer func() {
		if !ok {
			list = nil
		}
		s.joined[r] = list
	}()
	defs := s.defs[s.start[r]:s.start[r+1]]
	if len(defs) > maxDefs {
		return nil, false
	}
	work := []int32{0} // the entry, where r has its initial value
	for _, d := range defs {
		work = append(work, d.block)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if len(s.df[b]) > 8*maxJoins {
			return nil, false
		}
		for _, j := range s.df[b] {
			if !slices.Contains(list, j) {
				if len(list) == maxJoins {
					return nil, false
				}
				list = append(list, j)
				work = append(work, j)
			}
		}
	}
	return list, true
}

// nearest finds the definition of r that reaches the start of block b: the closest block that dominates
// b and is a join of r or defines r. It is a phi at the start of from if join is true, else the last
// definition in from. from is -1 if only the initial value reaches b.
func (s *ssa) nearest(r ir.Ref, b int32, joins []int32) (from int32, join bool) {
	if slices.Contains(joins, b) {
		return b, true
	}
	best, isJoin := int32(-1), false
	closer := func(x int32, j bool) {
		if x != b && s.g.dom.Dominates(int(x), int(b)) && (best < 0 || best != x && s.g.dom.Dominates(int(best), int(x))) {
			best, isJoin = x, j
		}
	}
	for _, d := range s.defs[s.start[r]:s.start[r+1]] {
		closer(d.block, false)
	}
	for _, j := range joins {
		if j != best {
			closer(j, true)
		}
	}
	return best, isJoin
}
