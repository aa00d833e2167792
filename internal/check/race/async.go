package race

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Copies in progress. Their accesses belong to times of their own (slots), which advance with the groups
// that the lane makes of its copies. So a copy is not done when the lane goes on, but when a lane has
// waited for it. A clock has an epoch of each wave for each of these slots:
//
// Input: cp.async and bulk copies, commits and waits (PTX 9.7.9.26), fence.proxy.async.
// Output: clocks whose entries for the slots say how far copies are known to be done.
// Invariant: an entry of slotCopy or slotBulk grows only by a release or an acquire of a lane that has waited, not
// because the lane goes on. The lane itself knows from laneGroup.done how far it has waited.
// Example: cp.async; commit_group; ld of the destination: the load races with the copy, because nothing was
// waited for. After wait_group 0 the load of the same lane is ordered; that of another lane is after a bar.sync.
const (
	slotLane      = iota // accesses by the lanes themselves
	slotCopy             // cp.async, and bulk copies that complete a phase of an mbarrier object
	slotBulk             // writes of bulk copies of groups (PTX 9.7.9.26.6)
	slotBulkRead         // reads of these copies
	slotProduct          // reads of products of warpgroups (PTX 9.7.16)
	slotFence            // until which time fence.proxy.async has shown slotLane to the asynchronous proxy
	slotFenceCopy        // the same of slotCopy, for the copies of cp.async, which write as the generic proxy
	slotCount
)

// slotsOf returns how many slots the clocks of a function need.
func slotsOf(f *ir.Func) int {
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == ir.Bulk || in.Op == ir.Tensor || in.Op == ir.Collective && in.Order == ir.Warpgroup {
			return slotCount
		}
	}
	return slotCopy + 1
}

// slotOf returns the slot of an access.
func slotOf(o ir.Order, kind ir.AccessKind) int {
	switch {
	case o&ir.Async == 0 || kind == ir.AccessUpdate:
		return slotLane
	case o&ir.Proxy == 0:
		return slotCopy
	case o == ir.Warpgroup:
		return slotProduct
	case kind == ir.AccessRead:
		return slotBulkRead
	}
	return slotBulk
}

// copies handles the end of a group of copies, or a wait for groups (PTX 9.7.9.26.3, 9.7.9.26.6).
func (w *wave) copies(in *ir.Inst, m lane.Mask) {
	bulk := in.Order&ir.Proxy != 0
	if bulk && w.d.slots < slotCount {
		return // there are no copies
	}
	w.eachGroup(m, func(g *laneGroup) {
		open, from, to := &g.at, slotCopy, slotCopy
		if bulk {
			open, from, to = &g.bulk, slotBulk, slotBulkRead
			if in.Order&ir.Warpgroup == ir.Warpgroup {
				open, from, to = &g.product, slotProduct, slotProduct
			}
		}
		done := uint64(*open)
		switch {
		case in.Order&ir.Acquire == 0 || in.Order&ir.Strong != 0 && !bulk:
			*open++
			for s := from; s <= to; s++ {
				g.segs[s] = 0
			}
		case in.Imm < done:
			done -= in.Imm + 1
		default:
			done = 0
		}
		if in.Order&ir.Acquire == 0 {
			return
		}
		if bulk && in.Order&ir.Strong != 0 {
			from = slotBulkRead // PTX 9.7.9.26.6.2: .read
		}
		for s := from; s <= to; s++ {
			g.done[s] = max(g.done[s], uint32(done))
		}
	})
}

// finished returns a clock with the copies of lanes that these have waited for. A lane that has waited knows of its own copies
// only (PTX 9.7.9.26.3: "all prior cp.async-groups by the executing threads"); other lanes learn of them when the lane releases
// its accesses.
func (w *wave) finished(c *clock, lanes lane.Mask, done *[slotFence]uint32) *clock {
	for s := slotCopy; s < min(slotFence, w.d.slots); s++ {
		if done[s] == 0 {
			continue
		}
		n := w.ID + s*len(w.Waves)
		have := c.own[n]
		next := epoch{all: max(have.all, done[s])}
		if w.orAll(lanes) != ^lane.Mask(0) {
			next = have.with(lanes, done[s])
		}
		if !have.covers(&next) {
			c = c.set(n, next)
		}
	}
	return c
}

// fenceProxy handles fence.proxy.async (PTX 9.7.14.4): later bulk copies, started by any lane that is
// ordered after it, see the accesses of its lanes and those that come before them.
func (w *wave) fenceProxy(m lane.Mask) {
	n := len(w.Waves)
	if w.d.slots < slotCount {
		return
	}
	w.eachGroup(m, func(g *laneGroup) {
		all := g.clk.all
		shown := func(had []epoch) []epoch {
			own := slices.Clone(had)
			all.made += epochBytes * uint64(len(own))
			for i := range n {
				f := &own[slotFence*n+i]
				if *f = f.join(own[i]); f.lanes != nil {
					all.made += lanesBytes
				}
				f = &own[slotFenceCopy*n+i]
				if *f = f.join(own[slotCopy*n+i]); f.lanes != nil {
					all.made += lanesBytes
				}
			}
			return own
		}
		c := all.clock(g.clk.block, shown(g.clk.own), g.clk.others)
		for b := range w.d.launch.BlocksOf(w.cluster) {
			if had := c.of(b); b != w.block && had != nil {
				c.others = all.add(c.others, b, shown(had))
			}
		}
		f := &c.own[slotFence*n+w.ID]
		if *f = f.with(g.lanes, g.t); w.orAll(g.lanes) == ^lane.Mask(0) {
			*f = epoch{all: max(f.all, g.t)}
		}
		// The lane's own copies, as far as it has waited for them.
		if done := g.done[slotCopy]; done > 0 {
			f = &c.own[slotFenceCopy*n+w.ID]
			next := epoch{all: max(f.all, done)}
			if w.orAll(g.lanes) != ^lane.Mask(0) {
				next = f.with(g.lanes, done)
			}
			if !f.covers(&next) {
				*f = next
			}
		}
		g.clk = c
		g.advance()
	})
}

// genericCopies returns the instructions that copy as the generic proxy: cp.async, which loads and stores.
func genericCopies(f *ir.Func) map[int32]bool {
	loads, m := map[int32]bool{}, map[int32]bool{}
	for i := range f.Code {
		switch in := &f.Code[i]; {
		case in.Op == ir.Load:
			loads[in.Pos] = true
		case in.Op == ir.Store && in.Order&ir.Async != 0 && loads[in.Pos]:
			m[in.Pos] = true
		}
	}
	return m
}

// fenced reports whether a fence lies between a write to shared memory and an access of the asynchronous
// proxy. The write comes before the access.
//
// Unspecified: which lane has to execute the fence. Any fence on the way from the write to the access
// counts.
func (x *racing) fenced(t touch) bool {
	s := &x.k.segs[t.seg()-1]
	n := uint32(len(x.w.Waves))
	if x.shared && s.block == x.w.block && s.wave/n == slotCopy && x.k.generic[t.pos()] {
		return x.g.clk.own[slotFenceCopy*n+s.wave%n].of(t.lane()) >= s.t
	}
	if !x.shared || s.wave >= n || s.block != x.w.block && x.w.d.launch.ClusterOf(s.block) != x.w.cluster {
		return true // the write is by a block that has ended, or by a bulk copy, which a fence follows (PTX 9.7.9.26.2)
	}
	return x.g.clk.of(s.block)[slotFence*n+s.wave].of(t.lane()) >= s.t
}
