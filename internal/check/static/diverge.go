package static

// divergence is what follows from branches at which the lanes of a wave may part.
type divergence struct {
	g *graph
	// join marks the blocks where lanes come together that parted, so that what comes
	// together there may differ.
	join []bool
	// dark marks the blocks that some lanes of a wave may get to and others not, for
	// reasons that are not known; open those where it does depend on what differs from
	// lane to lane. cause is the branch of one that is open, and parts of one whose lanes
	// are known.
	dark, open   []bool
	cause, parts []int32 // the block that ends with it, counted from 1
	// evident marks where lanes are apart, or meet again, for what differs in them.
	evident []bool
	// loop numbers the smallest loop around a block that lanes may leave at different
	// times; 0: none.
	loop     []int32
	size     []int32 // by loop
	known    map[int32]branching
	loops    []lanesLoop
	label    []int32 // by block, in the region of the branch in hand
	stamp    []int32 // label is of this region
	marks    int32
	work     int
	overflow bool
}

// A branching is a branch at which lanes may part: known by lane, and evident.
type branching struct{ byLane, evident bool }

// A lanesLoop is a loop that certain lanes leave at a branch, and the others never. Who
// comes round again are those only.
type lanesLoop struct {
	branch int32
	region []int32
	stay   []int // the successors that lead round
}

// maxRegions limits the time spent on the blocks between branches and their joins.
const maxRegions = 50 << 20

func newDivergence(g *graph) *divergence {
	n := len(g.f.Blocks)
	return &divergence{g: g, join: make([]bool, n), dark: make([]bool, n), open: make([]bool, n), evident: make([]bool, n), cause: make([]int32, n), parts: make([]int32, n), loop: make([]int32, n), size: []int32{0}, known: map[int32]branching{}, label: make([]int32, n), stamp: make([]int32, n)}
}

// add notes that lanes may part at the end of block b: for reasons that are known by
// lane, or else in the dark. It reports whether that is news.
func (d *divergence) add(b int32, byLane, evident bool) bool {
	now := branching{byLane: byLane, evident: evident}
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
	end := int32(d.g.post.Idom[b])
	n := int32(len(d.g.f.Blocks))
	// The region: what control reaches before it comes to the end.
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
		// Where the sides meet before the end, every block with several ways in counts.
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
		d.join[end] = true
		d.evident[end] = d.evident[end] || evident
	}
	if cyclic {
		if byLane {
			d.loops = append(d.loops, lanesLoop{branch: b, region: region, stay: d.staying(b, region)})
		}
		d.size = append(d.size, int32(len(region)))
		for _, x := range region {
			if l := d.loop[x]; l == 0 || d.size[l] > int32(len(region)) {
				d.loop[x] = int32(len(d.size) - 1)
			}
		}
	}
	return true
}

// staying are the successors of b from which control comes back to b within the region.
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

// giveUp takes everything for divergent.
func (d *divergence) giveUp() {
	d.overflow = true
	d.size = append(d.size, 1)
	for b := range d.join {
		d.join[b], d.dark[b] = true, true
		// A loop of its own each: nothing is the same elsewhere.
		d.loop[b] = int32(b + 1)
	}
}
