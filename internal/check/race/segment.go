package race

import "example.org/crosslane/lane"

// The order of two accesses.
//
// Input: a segment, which holds an earlier access, and the clock of a lane group.
// Output: before, surely and judge: whether the earlier access comes before an access of the group.
// Invariant: an access belongs to the segment of its wave, its slot and its time, and never changes it.
// Example: wave 0 stores at time 3. A lane of wave 1 whose clock holds 3 or more for wave 0 comes after the
// store.

// segment is an interval of a wave's time, between two releases, in which it accessed memory.
type segment struct {
	block uint64
	wave  uint32 // plus the slot times the number of waves
	t     uint32
	rel   [2]*clock // on GCN3: the release of a store to the block and to the device
}

// verdict remembers the last comparison of a segment with a lane group. Many pieces of memory were touched
// by the same segment.
type verdict struct {
	seg     uint32
	clk     *clock
	wave    *wave
	shared  bool
	settled bool // all lanes of the segment come before the group
	never   bool // no lane of the segment comes before it
}

// segment returns the number of the current segment of a group in a slot, and makes it if need be.
func (w *wave) segment(g *laneGroup, slot int) uint32 {
	at, t, wave := &g.segs[slot], g.t, uint32(w.ID+slot*len(w.Waves))
	switch slot {
	case slotCopy:
		t = g.at
	case slotBulk, slotBulkRead:
		t = g.bulk
	case slotProduct:
		t = g.product
	}
	if *at == 0 {
		k := w.d
		k.used += 32
		s := segment{block: w.block, wave: wave, t: t}
		if w.Func.Exec != 0 {
			s.rel[0] = g.rel[inBlock].by(w, g.lanes)
			if s.rel[1] = s.rel[0]; g.rel[inGrid] != g.rel[inBlock] {
				s.rel[1] = g.rel[inGrid].by(w, g.lanes)
			}
			k.count()
		}
		k.segs = append(k.segs, s)
		*at = uint32(len(k.segs))
	}
	return *at
}

// inPipeline reports whether an access to Tensor Memory is by a product, copy or shift of tcgen05. Those of a thread are done in order,
// and those of threads that tcgen05.fence orders (PTX 9.7.17.6.4).
//
// Unspecified: a copy behind a product that still reads the cells, and products of other shapes; they count as in order, too.
// Products of different threads without a fence between them are not reported.
func (x *racing) inPipeline(t touch) bool {
	return x.k.segs[t.seg()-1].wave/uint32(len(x.w.Waves)) == slotCopy
}

// before reports whether the access of touch t comes before the access of lane i.
func (x *racing) before(t touch, i int) bool {
	if x.cells && x.slot == slotCopy && x.inPipeline(t) {
		return true
	}
	v := &x.k.judged
	if v.seg == t.seg() && v.clk == x.g.clk && v.wave == x.w && v.shared == x.shared {
		if v.settled {
			return true
		}
		if v.never {
			return false
		}
	}
	return x.judge(t.seg(), lane.Lane(t.lane()), i)
}

// judge reports whether the accesses of some lanes in a segment come before the access of lane i. The
// program order decides within a lane, the program order of all lanes within a wave in lockstep, and the
// clock otherwise. Shared memory of a cluster that has ended orders everything.
func (x *racing) judge(seg uint32, lanes lane.Mask, i int) bool {
	s := &x.k.segs[seg-1]
	w := x.w
	v := &x.k.judged
	*v = verdict{seg: seg, clk: x.g.clk, wave: w, shared: x.shared}
	if s.block == w.block {
		if s.wave == uint32(w.ID) {
			if w.lockstep {
				v.settled = true
				return true
			}
			lanes &^= lane.Lane(i) // the program order
		} else if x.shared && x.slot == slotCopy && s.wave == uint32(w.ID+len(w.Waves)) {
			lanes &^= lane.Lane(i)
		}
		if slot := int(s.wave) / len(w.Waves); int(s.wave)%len(w.Waves) == w.ID && slot >= slotCopy && slot < slotFence && x.g.done[slot] >= s.t {
			lanes &^= lane.Lane(i) // the lane has waited for its own copies
		}
		return s.known(v, &x.g.clk.own[s.wave], lanes, s.wave != uint32(w.ID) && s.wave < uint32(len(w.Waves)))
	}
	if x.shared && w.d.launch.ClusterOf(s.block) != w.cluster {
		v.settled = true // the block has ended
		return true
	}
	m := x.g.clk.of(s.block)
	if m == nil {
		v.never = true
		return false
	}
	return s.known(v, &m[s.wave], lanes, true)
}

// surely reports whether all accesses of a segment of the own block come before the group's access. If it
// returns false, judge has to decide.
func (x *racing) surely(seg uint32) bool {
	s := &x.k.segs[seg-1]
	return s.block == x.w.block && x.g.clk.own[s.wave].all >= s.t
}

// known reports whether the time of a segment is in epoch m for the given lanes. It records in v a verdict
// for all lanes; alike says that a negative verdict holds for all lanes, too.
func (s *segment) known(v *verdict, m *epoch, lanes lane.Mask, alike bool) bool {
	if m.lanes == nil || m.all >= s.t {
		v.settled = m.all >= s.t
		v.never = !v.settled && alike
		return v.settled || lanes == 0
	}
	for i := range lanes.Lanes() {
		if m.of(i) < s.t {
			return false
		}
	}
	return true
}

// someBefore reports whether the access of at least one of several lanes comes before the access of lane i.
func (x *racing) someBefore(r *readers, i int) bool {
	if x.k.judged.never {
		return false
	}
	for j := range r.lanes.Lanes() {
		if x.judge(r.seg, lane.Lane(j), i) {
			return true
		}
	}
	return false
}
