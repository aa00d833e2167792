package static

import "slices"

// divergence holds the consequences of branches at which the lanes of a wave may part.
//
// Input: the branches at which lanes may part, one by one (add), with the reason: known by lane or not,
// evident or not.
// Output: join, dark, open, evident and loop, by block.
// Invariant: the region of a branch is all blocks that control reaches from it before its immediate
// postdominator. Lanes are apart in the region, and together again at its end.
// Example: "if p goto L; A; L:" with p unknown: A is dark (only some lanes may execute it), L is a
// join.
// Literature: Coutinho et al., Divergence analysis and optimizations (PACT 2011).
type divergence struct {
	g *graph
	s *ssa
	// join marks the blocks at which lanes that parted come together, so that values that come together
	// there may differ. meets holds, for the blocks at the end of a region, the edges on which the lanes of
	// each branch come: only values of these edges come together. Lanes on other edges went another way at
	// an earlier branch, whose region ends there, too, or does not part them.
	join  []bool
	meets [][]gathering
	// dark marks the blocks that only a part of the wave's lanes may reach, for reasons that are not
	// known. open marks the dark blocks whose reason evidently differs from lane to lane. cause is the
	// branch of an open block, and parts the branch of a block whose lanes are known.
	dark, open   []bool
	cause, parts []int32 // the block that ends with the branch, plus 1; 0: none
	// evident marks the blocks in which lanes are apart, or meet again, because of values that differ
	// between lanes.
	evident []bool
	// loop numbers the smallest loop around a block that lanes may leave in different iterations; 0:
	// none. sure is the same for loops that lanes evidently leave so.
	loop, sure []int32
	size       []int32 // by loop
	known      map[int32]branching
	loops      []lanesLoop
	label      []int32 // by block, in the region of the branch in hand
	stamp      []int32 // label is of this region
	marks      int32
	work       int
	overflow   bool
}

// A gathering is the end of the region of a branch: the edges to the block, of graph.pred, on which lanes
// come from the branch. If cyclic, the region is a loop, which lanes leave in different iterations; inner
// are then the phis of the block, by number, that get a value of the loop on one of these edges.
type gathering struct {
	branch int32
	edges  []int32
	cyclic bool
	inner  []int32
}

// A branching is a branch at which lanes may part: byLane if each lane's way is known, evident if its
// condition differs between lanes.
type branching struct{ byLane, evident bool }

// A lanesLoop is a loop that certain lanes leave at a branch and the remaining lanes never leave there.
// Only the lanes that stay iterate again.
type lanesLoop struct {
	branch int32
	region []int32
	stay   []int // the successors that lead back to the branch
}

// maxRegions bounds the time that is spent on the blocks between branches and their joins.
const maxRegions = 50 << 20

// newDivergence returns the state without any divergent branch.
func newDivergence(g *graph, s *ssa) *divergence {
	n := len(g.f.Blocks)
	return &divergence{g: g, s: s, join: make([]bool, n), meets: make([][]gathering, n), dark: make([]bool, n), open: make([]bool, n), evident: make([]bool, n), cause: make([]int32, n), parts: make([]int32, n), loop: make([]int32, n), sure: make([]int32, n), size: []int32{0}, known: map[int32]branching{}, label: make([]int32, n), stamp: make([]int32, n)}
}

// add notes that lanes may part at the end of block b. It reports whether this changes anything.
func (d *divergence) add(b int32, byLane, evident bool) bool {
	now := branching{byLane: byLane, evident: evident}
	// A branch that was known by lane in an earlier round may have become unknown.
	if was, ok := d.known[b]; ok {
		now.byLane = now.byLane && was.byLane
		now.evident = now.evident || was.evident
		if now == was {
			return false
		}
	}
	d.known[b] = now
	byLane, evident = now.byLane, now.evident
	if d.overflow {
		return false
	}
	// Lanes are together again at the immediate postdominator.
	end := int32(d.g.post.Idom[b])
	n := int32(len(d.g.f.Blocks))
	// The region: the blocks that control reaches before the end. label is the successor of b from
	// which a block was reached first.
	var region []int32
	conflict := false
	label := d.label
	d.marks++
	reach := func(s, l int32) {
		if s == n {
			return
		}
		switch {
		case s == end:
		case d.stamp[s] != d.marks:
			d.stamp[s], label[s] = d.marks, l
			region = append(region, s)
		case label[s] != l:
			conflict = true
		}
	}
	for _, s := range d.g.succ[b] {
		reach(s, s)
	}
	for k := 0; k < len(region); k++ {
		x := region[k]
		d.work += 1 + len(d.g.succ[x])
		for _, s := range d.g.succ[x] {
			reach(s, label[x])
		}
	}
	if d.work > maxRegions {
		d.giveUp()
		return true
	}
	cyclic := false
	for _, x := range region {
		cyclic = cyclic || x == b
		// If the sides meet before the end, every block of the region with several incoming edges
		// counts as a join.
		if conflict && len(d.g.pred[x]) > 1 {
			d.join[x] = true
		}
		d.dark[x] = d.dark[x] || !byLane
		if !evident {
			continue
		}
		d.evident[x] = true
		if byLane {
			d.parts[x] = b + 1
		} else if !d.open[x] {
			d.open[x], d.cause[x] = true, b+1
		}
	}
	if end >= 0 && end < n {
		d.meet(end, b, cyclic)
		d.evident[end] = d.evident[end] || evident
	}
	// The region contains b itself: lanes may leave this loop in different iterations.
	if cyclic {
		if byLane {
			d.loops = append(d.loops, lanesLoop{branch: b, region: region, stay: d.staying(b, region)})
		}
		d.size = append(d.size, int32(len(region)))
		for _, x := range region {
			// The smallest region around a block counts.
			d.smaller(d.loop, x)
			if evident {
				d.smaller(d.sure, x)
			}
		}
	}
	return true
}

// smaller notes that the loop that was found last is around a block, if it is smaller than the one that was noted before.
func (d *divergence) smaller(loops []int32, b int32) {
	last := int32(len(d.size) - 1)
	if l := loops[b]; l == 0 || d.size[l] > d.size[last] {
		loops[b] = last
	}
}

// meet notes that the lanes of branch b, whose region has been labelled, come together at block end.
func (d *divergence) meet(end, b int32, cyclic bool) {
	m := gathering{branch: b, cyclic: cyclic}
	for i, e := range d.g.pred[end] {
		if e.from == b || d.stamp[e.from] == d.marks {
			m.edges = append(m.edges, int32(i))
		}
	}
	d.work += len(d.g.pred[end])
	if cyclic {
		for _, k := range d.s.phisOf[end] {
			d.work += len(m.edges)
			if slices.ContainsFunc(m.edges, func(i int32) bool { return d.inRegion(d.s.phis[k].ops[i]) }) {
				m.inner = append(m.inner, k)
			}
		}
	}
	if i := slices.IndexFunc(d.meets[end], func(m gathering) bool { return m.branch == b }); i >= 0 {
		d.meets[end][i] = m
		return
	}
	d.meets[end] = append(d.meets[end], m)
}

// inRegion reports whether a definition lies in the region that has been labelled.
func (d *divergence) inRegion(o id) bool {
	b := d.s.blockOf(o)
	return b >= 0 && d.stamp[b] == d.marks
}

// staying returns the successors of b from which control comes back to b within the region.
func (d *divergence) staying(b int32, region []int32) (stay []int) {
	back := map[int32]bool{b: true}
	for list := []int32{b}; len(list) > 0; {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		for _, e := range d.g.pred[x] {
			if d.stamp[e.from] == d.marks && !back[e.from] {
				back[e.from] = true
				list = append(list, e.from)
			}
		}
		d.work++
	}
	for k, s := range d.g.succ[b] {
		if back[s] {
			stay = append(stay, k)
		}
	}
	return stay
}

// giveUp marks all blocks as divergent.
func (d *divergence) giveUp() {
	d.overflow = true
	d.size = append(d.size, 1)
	for b := range d.join {
		d.join[b], d.dark[b] = true, true
		// Each block counts as a loop of its own, so no shared value holds in another block.
		d.loop[b] = int32(b + 1)
	}
}
