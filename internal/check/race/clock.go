package race

import (
	"math/bits"
	"slices"

	"example.org/crosslane/lane"
)

// Happens-before relation by vector clocks. The time of a lane is a number that grows when the lane
// releases its accesses: at barriers, fences and stores that signal. A clock holds, for each lane, the time
// until which the accesses of that lane come before those of the owner of the clock. The lanes of a wave
// mostly have the same time and the same clock. So a wave keeps both once for each group of lanes that
// agree, and a clock has one time for all lanes of a wave, with separate times only if they differ.
//
// Input: releases and acquires of lanes: barriers, fences, strong stores and loads.
// Output: the clock of each lane group; judge (segment.go) compares accesses with it.
// Invariant: clocks are never written once they are made; join returns one of its operands if it holds
// both.
// Example: wave 0 stores at time 3, then both waves come to a barrier. releaseAll puts 3 into the signal
// and begins time 4; learn joins the signal into the clock of wave 1, whose entry for wave 0 becomes 3.
//
// Literature: Fidge, Timestamps in message-passing systems that preserve the partial ordering (1988);
// Mattern, Virtual time and global states of distributed systems (1989).

// epoch holds the times of the lanes of one wave.
type epoch struct {
	all   uint32
	lanes *[32]uint32 // the times of single lanes, if they differ, which happens only on PTX; all is then their minimum
}

// of is the time of lane i.
func (m *epoch) of(i int) uint32 {
	if m.lanes != nil {
		return m.lanes[i&31]
	}
	return m.all
}

// covers reports whether no lane's time in m is before its time in o.
func (m *epoch) covers(o *epoch) bool {
	if o.lanes == nil {
		return m.all >= o.all
	}
	if m.lanes == nil {
		for _, t := range o.lanes {
			if m.all < t {
				return false
			}
		}
		return true
	}
	if m.lanes == o.lanes {
		return true
	}
	for i := range o.lanes {
		if m.lanes[i] < o.lanes[i] {
			return false
		}
	}
	return true
}

// join returns the later one of two epochs, lane by lane.
func (m epoch) join(o epoch) epoch {
	switch {
	case m.covers(&o):
		return m
	case o.covers(&m):
		return o
	}
	var t [32]uint32
	least := ^uint32(0)
	for i := range t {
		t[i] = max(m.of(i), o.of(i))
		least = min(least, t[i])
	}
	return epoch{least, &t}
}

// with returns m with at least the time t for the given lanes.
func (m epoch) with(lanes lane.Mask, t uint32) epoch {
	var n [32]uint32
	if m.lanes != nil {
		n = *m.lanes
	} else {
		for i := range n {
			n[i] = m.all
		}
	}
	for i := range (lanes & lane.All(32)).Lanes() {
		n[i&31] = max(n[i&31], t)
	}
	least := n[0]
	for _, have := range n {
		least = min(least, have)
	}
	return epoch{least, &n}
}

// clock is the happens-before set of a lane of a block: the epochs of the waves of its own block, one slot
// after another, and those of other blocks.
type clock struct {
	all    *clocks
	block  uint64
	own    []epoch
	others *happensBefore // possibly also of the own block, as other blocks have seen it
	id     uint64
}

// join returns the clock of an owner of c after it acquires d. It returns c or d if that one holds both.
func (c *clock) join(d *clock) *clock {
	if d == nil || c == d {
		return c
	}
	if c == nil {
		return d
	}
	last := c.all.recallClock(c, d)
	if last.a != c || last.b != d {
		*last = joinedClock{c, d, c.joinAnew(d)}
	}
	return last.out
}

// joinAnew is join without the memory of earlier answers.
func (c *clock) joinAnew(d *clock) *clock {
	all, own, others := c.all, c.own, c.others
	if others != d.others {
		own, others = all.epochs(own, all.find(d.others, c.block)), all.join(others, d.others)
	}
	if d.block == c.block {
		own = all.epochs(own, d.own)
	} else {
		others = all.add(others, d.block, d.own)
	}
	switch {
	case sameEpochs(own, c.own) && others == c.others:
		return c
	case d.block == c.block && sameEpochs(own, d.own) && others == d.others:
		return d
	}
	return all.clock(c.block, own, others)
}

// latest returns the join of the release at a place and the release of a lane that has acquired it, as in
// chains of blocks. The result is then the lane's own clock, and nothing is copied.
func latest(told, mine *clock) *clock {
	if told == nil || mine == nil || !mine.covers(told) {
		return told.join(mine)
	}
	return mine
}

// released is latest for the release at a place and a promise of some lanes. If the place knows the promise
// except for the time of these lanes, no clock is made for the promise. That is usual for lanes that wait
// for a lock: each releases the clock that the lane before it has released.
func (p promise) released(told *clock, w *wave, lanes lane.Mask) *clock {
	switch {
	case p.clk == nil:
		return told
	case told == nil || p.clk.covers(told):
		return p.by(w, lanes)
	case p.t == 0 || !told.covers(p.clk):
		return told.join(p.by(w, lanes))
	}
	have := told.of(w.block)
	if p.known(&have[w.ID], w, lanes) {
		return told
	}
	if told.block == w.block {
		return told.set(w.ID, p.epoch(have[w.ID], w, lanes))
	}
	next := slices.Clone(have)
	next[w.ID] = p.epoch(have[w.ID], w, lanes)
	told.all.made += epochBytes * uint64(len(next))
	if next[w.ID].lanes != nil {
		told.all.made += lanesBytes
	}
	return told.all.clock(told.block, told.own, told.all.add(told.others, w.block, next))
}

// covers reports whether c holds every epoch of d.
func (c *clock) covers(d *clock) bool {
	return coverEpochs(c.of(d.block), d.own) && c.all.covers(c.others, d.others, c.own, c.block)
}

// of returns the epochs of a block that the clock holds.
func (c *clock) of(block uint64) []epoch {
	if block == c.block {
		return c.own
	}
	return c.all.find(c.others, block)
}

// set returns a copy of the clock with another epoch at index i of the own block.
func (c *clock) set(i int, m epoch) *clock {
	d := c.all.clock(c.block, slices.Clone(c.own), c.others)
	d.own[i] = m
	c.all.made += epochBytes * uint64(len(d.own))
	if m.lanes != nil {
		c.all.made += lanesBytes
	}
	return d
}

// promise is the release by a fence: a clock, and the own time of the lanes until which their accesses
// belong to the release.
type promise struct {
	clk *clock
	t   uint32
}

// by returns the promise of one set of lanes as a clock.
func (p promise) by(w *wave, lanes lane.Mask) *clock {
	if p.clk == nil || p.t == 0 {
		return p.clk
	}
	if w.lockstep {
		return w.d.by(p, w)
	}
	return p.clk.set(w.ID, p.epoch(p.clk.own[w.ID], w, lanes))
}

// epoch returns m with the time of the promise for some lanes of a wave.
func (p promise) epoch(m epoch, w *wave, lanes lane.Mask) epoch {
	if w.lockstep {
		return epoch{all: max(m.all, p.t)}
	}
	return m.with(lanes, p.t)
}

// known reports whether m holds the time of the promise for some lanes of a wave.
func (p promise) known(m *epoch, w *wave, lanes lane.Mask) bool {
	if m.all >= p.t || w.lockstep {
		return m.all >= p.t
	}
	for i := range lanes.Lanes() {
		if m.of(i) < p.t {
			return false
		}
	}
	return true
}

// laneGroup is a set of lanes of a wave with the same time and the same clock.
type laneGroup struct {
	lanes   lane.Mask
	t       uint32            // time
	at      uint32            // number of the open group of copies
	bulk    uint32            // number of the open group of bulk copies
	product uint32            // number of the open group of products of a warpgroup
	done    [slotFence]uint32 // by slot: until which of these numbers each lane has waited for its own copies
	clk     *clock
	segs    [slotFence]uint32 // 1 + segment of the time of each slot; 0: not yet
	// rel holds the release of the last fence of each reach. saw holds the signals that relaxed loads have seen, by the reach
	// of a fence that would acquire them.
	rel [reaches]promise
	saw [reaches]*clock
	// maps is the last release to the tensormap proxy.
	maps promise
}

// eachGroup calls f for the groups that consist of lanes of m. It splits groups with other lanes first.
func (w *wave) eachGroup(m lane.Mask, f func(g *laneGroup)) {
	if w.lockstep {
		m = ^lane.Mask(0)
	}
	changed := uint64(0) // groups, of which there are at most as many as lanes
	for i, n := 0, len(w.groups); i < n; i++ {
		if g := &w.groups[i]; g.lanes&m != 0 && g.lanes&^m != 0 {
			rest := *g
			rest.lanes &^= m
			g.lanes &= m
			w.groups = append(w.groups, rest)
		}
		if g := &w.groups[i]; g.lanes&m != 0 {
			f(g)
			changed |= 1 << i
		}
	}
	w.mergeGroups(changed)
}

// mergeGroups merges groups with equal state. Only groups that have changed may have become equal.
func (w *wave) mergeGroups(changed uint64) {
	for i := 0; i < len(w.groups); i++ {
		for j := i + 1; j < len(w.groups); j++ {
			if changed>>i&1 == 0 {
				if j += bits.TrailingZeros64(changed >> j); j >= len(w.groups) {
					break
				}
			}
			a, b := &w.groups[i], &w.groups[j]
			if a.clk != b.clk || a.t != b.t || a.at != b.at || a.bulk != b.bulk || a.product != b.product || a.done != b.done || a.rel != b.rel || a.saw != b.saw || a.maps != b.maps {
				continue
			}
			a.lanes |= b.lanes
			for s := range a.segs {
				a.segs[s] = max(a.segs[s], b.segs[s])
			}
			last := len(w.groups) - 1
			w.groups[j] = w.groups[last]
			w.groups = w.groups[:last]
			changed = changed&^(1<<j|1<<last) | changed>>last&1<<j
			j--
		}
	}
}

// groupOf returns the group of a lane.
func (w *wave) groupOf(i int) *laneGroup {
	for j := range w.groups {
		if w.groups[j].lanes.Has(i) {
			return &w.groups[j]
		}
	}
	return &w.groups[0]
}

// advance ends the time of a group.
func (g *laneGroup) advance() { g.t, g.segs[0] = g.t+1, 0 }

// releaseAll returns the release of some lanes at a barrier: their accesses, the accesses that come before
// them, and the releases and signals of their fences. Their time ends. Fences count because a usual pattern
// is a fence of one thread, a barrier, and a signal of another thread.
func (w *wave) releaseAll(m lane.Mask) (all signal) {
	latest := uint32(0)
	same := true
	for i := range w.groups {
		g := &w.groups[i]
		if g.lanes&m == 0 {
			same = false
			continue
		}
		same = same && g.lanes&^m == 0
		latest = max(latest, g.t)
		all.clk = all.clk.join(w.finished(g.clk, g.lanes&m, &g.done))
		for r := range reaches {
			all.rel[r] = all.rel[r].join(g.rel[r].by(w, g.lanes&m))
			all.saw[r] = all.saw[r].join(g.saw[r])
		}
	}
	if all.clk == nil {
		return all
	}
	own := epoch{all: latest}
	if !same && !w.lockstep {
		own = all.clk.own[w.ID].with(m, latest)
	}
	all.clk = all.clk.set(w.ID, own)
	w.eachGroup(m, func(g *laneGroup) { g.t, g.segs[0] = latest+1, 0 })
	return all
}

// signal is the release of lanes at a barrier.
type signal struct {
	clk      *clock
	rel, saw [reaches]*clock
}

func (s signal) join(o signal) signal {
	s.clk = s.clk.join(o.clk)
	for r := range reaches {
		s.rel[r], s.saw[r] = s.rel[r].join(o.rel[r]), s.saw[r].join(o.saw[r])
	}
	return s
}

// learn lets lanes acquire the release of other lanes at a barrier.
func (w *wave) learn(m lane.Mask, s signal) {
	if s.clk == nil {
		return
	}
	w.eachGroup(m, func(g *laneGroup) {
		g.clk = g.clk.join(s.clk)
		for r, rel := range s.rel {
			if rel != nil {
				g.rel[r] = promise{clk: rel.join(g.rel[r].by(w, g.lanes))}
			}
			g.saw[r] = g.saw[r].join(s.saw[r])
		}
	})
}

// firstOf returns the lowest lane of a mask, 0 if it is empty.
func firstOf(m lane.Mask) int { return bits.TrailingZeros64(uint64(m)) & 63 }
