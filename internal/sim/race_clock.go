package sim

import (
	"math/bits"
	"slices"

	"example.org/crosslane/lane"
)

// Who knows what: vector clocks. A lane's time is a number that grows when it releases
// what it has done: at barriers, fences and stores that signal. A clock says, for each
// lane, until which time its accesses come before whoever holds the clock. The lanes of a
// wave have mostly the same time and the same clock, so that a wave keeps both once for
// each group of lanes that agree, and a clock has one time for a whole wave, with lanes
// apart only where they differ. Clocks are never written once they are made.

// moment is the time of the lanes of one wave.
type epoch struct {
	all   uint32
	lanes *[32]uint32 // if they differ, as only those of PTX do; then all is their least
}

func (m *epoch) of(i int) uint32 {
	if m.lanes != nil {
		return m.lanes[i&31]
	}
	return m.all
}

// covers reports whether m is nowhere before o.
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

// join is the later one of two moments, lane by lane.
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

// with is m with the time t for the given lanes.
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

// clock is what a lane of a block knows: of the waves of its own block, for one slot
// after the other, and of other blocks.
type clock struct {
	all    *clocks
	block  uint64
	own    []epoch
	others *happensBefore // and it may be of the own block, what others have known of it
	id     uint64
}

// join is what somebody who holds c knows after learning of d: one of the two if it holds
// all.
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

// joinAnew is join of two clocks whose answer is not remembered.
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

// latest is the join of what has been released to a place and what a lane releases that
// has acquired it, as chains of blocks do: then it is the lane's, and nothing is copied.
func latest(told, mine *clock) *clock {
	if told == nil || mine == nil || !mine.covers(told) {
		return told.join(mine)
	}
	return mine
}

// told is latest of what has been released to a place and what some lanes promise. Of a
// promise that is known but for the time of these lanes no clock is made: so it is with
// lanes that wait for a lock, of which each releases what the one before it has.
func (p promise) released(told *clock, w *Wave, lanes lane.Mask) *clock {
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

// covers reports whether c knows all that d knows.
func (c *clock) covers(d *clock) bool {
	return coverEpochs(c.of(d.block), d.own) && c.all.covers(c.others, d.others, c.own, c.block)
}

// of is what the clock knows of a block.
func (c *clock) of(block uint64) []epoch {
	if block == c.block {
		return c.own
	}
	return c.all.find(c.others, block)
}

// set is a copy of the clock in which one moment of the own block is another one.
func (c *clock) set(i int, m epoch) *clock {
	d := c.all.clock(c.block, slices.Clone(c.own), c.others)
	d.own[i] = m
	c.all.made += epochBytes * uint64(len(d.own))
	if m.lanes != nil {
		c.all.made += lanesBytes
	}
	return d
}

// promise is what lanes release by a fence: a clock, and their own time until which what
// they have done is part of it.
type promise struct {
	clk *clock
	t   uint32
}

// by is the promise of one set of lanes as a clock.
func (p promise) by(w *Wave, lanes lane.Mask) *clock {
	if p.clk == nil || p.t == 0 {
		return p.clk
	}
	if w.lockstep() {
		return w.races.by(p, w)
	}
	return p.clk.set(w.ID, p.epoch(p.clk.own[w.ID], w, lanes))
}

// moment is m with the time of the promise for some lanes of a wave.
func (p promise) epoch(m epoch, w *Wave, lanes lane.Mask) epoch {
	if w.lockstep() {
		return epoch{all: max(m.all, p.t)}
	}
	return m.with(lanes, p.t)
}

// known reports whether m has the time of the promise for some lanes of a wave.
func (p promise) known(m *epoch, w *Wave, lanes lane.Mask) bool {
	if m.all >= p.t || w.lockstep() {
		return m.all >= p.t
	}
	for i := range lanes.Lanes() {
		if m.of(i) < p.t {
			return false
		}
	}
	return true
}

// laneGroup is lanes of a wave that have the same time and know the same.
type laneGroup struct {
	lanes lane.Mask
	t     uint32 // time
	at    uint32 // number of the group of copies that is open
	bulk  uint32 // the same of bulk copies
	clk   *clock
	segs  [slotFence]uint32 // 1 + segment of the time of each slot; 0: not yet
	// What a fence has released: to the block, and to the device. What relaxed loads have
	// seen that a fence would acquire: of the own block, and of others.
	rel, relDevice promise
	saw, sawOthers *clock
}

// lockstep reports whether the lanes of the wave do one instruction after another
// together, so that they are ordered among themselves: on GCN3, and below sm_70, where
// programs rely on it.
func (w *Wave) lockstep() bool { return w.Func.Exec != 0 || !w.Func.MeetAnywhere }

// startRace begins a block: its lanes know nothing of each other.
func (b *Block) startRace() {
	base := b.races.clocks.clock(b.block, make([]epoch, b.races.slots*len(b.Waves)), nil)
	for _, w := range b.Waves {
		w.groups = append(w.groups[:0], laneGroup{lanes: ^lane.Mask(0), t: 1, at: 1, bulk: 1, clk: base})
	}
	b.cluster, b.clusterDone = signal{}, signal{}
	for _, p := range b.sharedRace.pages {
		if p != nil {
			p.strong = nil
		}
	}
}

// eachGroup calls f for the groups that the lanes make up, after parting them from the
// others of theirs.
func (w *Wave) eachGroup(m lane.Mask, f func(g *laneGroup)) {
	if w.lockstep() {
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

// mergeGroups puts groups together that know the same. Only those that have changed may have
// come to do so.
func (w *Wave) mergeGroups(changed uint64) {
	for i := 0; i < len(w.groups); i++ {
		for j := i + 1; j < len(w.groups); j++ {
			if changed>>i&1 == 0 {
				if j += bits.TrailingZeros64(changed >> j); j >= len(w.groups) {
					break
				}
			}
			a, b := &w.groups[i], &w.groups[j]
			if a.clk != b.clk || a.t != b.t || a.at != b.at || a.bulk != b.bulk || a.rel != b.rel || a.relDevice != b.relDevice || a.saw != b.saw || a.sawOthers != b.sawOthers {
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

// groupOf is the group that a lane is in.
func (w *Wave) groupOf(i int) *laneGroup {
	for j := range w.groups {
		if w.groups[j].lanes.Has(i) {
			return &w.groups[j]
		}
	}
	return &w.groups[0]
}

// pass ends the time of a group.
func (g *laneGroup) advance() { g.t, g.segs[0] = g.t+1, 0 }

// all is what lanes of the wave, whichever they are, have done and know, as what they
// release at a barrier; their times are over. Also what their fences have promised and
// seen: a fence of one thread, a barrier and a signal of another one are a usual pattern.
func (w *Wave) releaseAll(m lane.Mask) (all signal) {
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
		all.clk = all.clk.join(g.clk)
		all.rel = all.rel.join(g.rel.by(w, g.lanes&m))
		all.relDevice = all.relDevice.join(g.relDevice.by(w, g.lanes&m))
		all.saw, all.sawOthers = all.saw.join(g.saw), all.sawOthers.join(g.sawOthers)
	}
	if all.clk == nil {
		return all
	}
	own := epoch{all: latest}
	if !same && !w.lockstep() {
		own = all.clk.own[w.ID].with(m, latest)
	}
	all.clk = all.clk.set(w.ID, own)
	w.eachGroup(m, func(g *laneGroup) { g.t, g.segs[0] = latest+1, 0 })
	return all
}

// signal is what is released at a barrier.
type signal struct{ clk, rel, relDevice, saw, sawOthers *clock }

func (s signal) join(o signal) signal {
	return signal{s.clk.join(o.clk), s.rel.join(o.rel), s.relDevice.join(o.relDevice), s.saw.join(o.saw), s.sawOthers.join(o.sawOthers)}
}

// learn lets lanes acquire what others have released at a barrier.
func (w *Wave) learn(m lane.Mask, s signal) {
	if s.clk == nil {
		return
	}
	w.eachGroup(m, func(g *laneGroup) {
		g.clk = g.clk.join(s.clk)
		if s.rel != nil {
			g.rel = promise{clk: s.rel.join(g.rel.by(w, g.lanes))}
		}
		if s.relDevice != nil {
			g.relDevice = promise{clk: s.relDevice.join(g.relDevice.by(w, g.lanes))}
		}
		g.saw, g.sawOthers = g.saw.join(s.saw), g.sawOthers.join(s.sawOthers)
	})
}

// orAll is all lanes of the wave, if those given are all that have not exited.
func (w *Wave) orAll(m lane.Mask) lane.Mask {
	if w.Live&^m == 0 {
		return ^lane.Mask(0)
	}
	return m
}

// syncWarp is bar.warp.sync, which orders the accesses of its members (PTX 9.7.14.2). Of
// shuffles and votes the manual does not say so.
func (w *Wave) syncWarp(m lane.Mask) {
	if w.races != nil {
		m = w.orAll(m)
		w.learn(m, w.releaseAll(m))
	}
}

// barrierRace adds what lanes that have exited did to what a barrier of the whole block
// orders.
//
// Unspecified: whether it does. Nothing else could order it.
func (k *Block) barrierRace(b *barrier) {
	for _, w := range k.Waves {
		if w.Live == 0 && b.count == 0 {
			b.released = b.released.join(w.releaseAll(^lane.Mask(0)))
		}
	}
}

// firstOf is the lowest lane of a mask, 0 if there is none.
func firstOf(m lane.Mask) int { return bits.TrailingZeros64(uint64(m)) & 63 }
