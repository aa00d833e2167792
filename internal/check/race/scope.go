package race

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Scopes (PTX 8.5). A release orders what it publishes before an acquire that reads from it, if the scope of each of the two
// reaches the block of the other one: they are morally strong (PTX 8.7).
//
// Input: strong accesses and fences, with their scopes and orders.
// Output: the clocks that releases leave at a place, and that acquires take from there.
// Invariant: a place keeps its releases by reach; an acquire takes those of its own block, those of the cluster if both sides
// reach the cluster, and those of the grid if both sides reach the grid.
// Example: block 0 of a cluster of two does atom.release.cluster. An ld.acquire.cluster in block 1 takes its clock; an
// ld.acquire.cta there does not, and neither does an ld.acquire.gpu in another cluster.

// A reach is the set of blocks that a scope names.
type reach uint8

const (
	inBlock   reach = iota
	inCluster       // in launches with clusters of several blocks only
	inGrid
	reaches
)

// reach returns the reach of an order.
func (w *wave) reach(o ir.Order) reach {
	switch {
	case o&ir.Device != 0:
		return inGrid
	case o&ir.InCluster != 0 && w.Func.Ranked:
		return inCluster
	}
	return inBlock
}

// within reports whether a block lies in the reach r of the wave.
func (w *wave) within(block uint64, r reach) bool {
	return block == w.block || r == inGrid || r == inCluster && w.d.launch.ClusterOf(block) == w.cluster
}

// releases holds what strong writes to a place have released.
type releases struct {
	to             [reaches]*clock
	block, cluster uint64          // to which to[inBlock] and to[inCluster] belong
	from           [reaches]uint64 // the last block that released with this reach
	mix            [reaches]bool   // several blocks did
}

// hear lets lanes of a group acquire by a strong read of a place. Without .acquire, a later fence acquires.
func (w *wave) hear(in *ir.Inst, who lane.Mask, s *strongSet) {
	if s.to == [reaches]*clock{} {
		return
	}
	// The clocks, by the reach that an acquire needs for them.
	var seen [reaches]*clock
	if s.block == w.block {
		seen[inBlock] = s.to[inBlock]
	}
	mine := w.reach(in.Order)
	for r := inCluster; r < reaches; r++ {
		if s.to[r] == nil || r == inCluster && s.cluster != w.cluster {
			continue
		}
		if s.mix[r] || s.from[r] == w.block {
			seen[inBlock] = seen[inBlock].join(s.to[r])
		}
		if !s.mix[r] && s.from[r] == w.block {
			continue
		}
		need := r
		if r == inGrid && w.Func.Ranked && !s.mix[r] && w.d.launch.ClusterOf(s.from[r]) == w.cluster {
			need = inCluster
		}
		if need <= mine && seen[inBlock] != s.to[r] {
			seen[need] = seen[need].join(s.to[r])
		}
	}
	g := w.groupOf(firstOf(who))
	// An acquire joins the clocks now. A relaxed read keeps them for a later fence.
	if in.Order&ir.Acquire != 0 {
		c := g.clk
		for _, clk := range seen {
			c = c.join(clk)
		}
		if c != g.clk {
			w.eachGroup(who, func(g *laneGroup) { g.clk = c })
		}
		return
	}
	saw := g.saw
	for r, clk := range seen {
		saw[r] = saw[r].join(clk)
	}
	if saw != g.saw {
		w.eachGroup(who, func(g *laneGroup) { g.saw = saw })
	}
}

// strongWrite lets lane i release by a strong write to a place.
func (w *wave) strongWrite(in *ir.Inst, kind ir.AccessKind, i int, s *strongSet) {
	g := w.groupOf(i)
	// A relaxed write releases the promises of earlier fences; a release its own clock and time.
	rel := g.rel
	if in.Order&ir.Release != 0 {
		own := promise{w.finished(g.clk, lane.Lane(i), &g.done), g.t}
		if in.Order&ir.Async != 0 {
			n := w.ID + slotCopy*len(w.Waves)
			c := own.by(w, lane.Lane(i))
			own = promise{clk: c.set(n, c.own[n].with(lane.Lane(i), g.at))}
		}
		rel = [reaches]promise{own, own, own}
	}
	for r := w.reach(in.Order) + 1; r < reaches; r++ {
		rel[r] = promise{}
	}
	if !w.Func.Ranked {
		rel[inCluster] = promise{}
	}
	// A plain store begins a new release sequence; an atomic continues the one that is there (PTX 8.8).
	if kind == ir.AccessWrite {
		s.releases = releases{block: w.block, cluster: w.cluster, from: [reaches]uint64{w.block, w.block, w.block}}
	}
	if rel[inBlock].clk != nil {
		if s.block != w.block {
			s.to[inBlock], s.block = nil, w.block
		}
		if rel[inBlock] != rel[inCluster] && rel[inBlock] != rel[inGrid] { // else every lane that reads it reads the wider one, too
			s.to[inBlock] = rel[inBlock].released(s.to[inBlock], w, lane.Lane(i))
		}
	}
	if rel[inCluster].clk != nil && s.cluster != w.cluster {
		s.to[inCluster], s.cluster, s.mix[inCluster] = nil, w.cluster, false
	}
	for r := inCluster; r < reaches; r++ {
		if rel[r].clk == nil || r == inCluster && rel[r] == rel[inGrid] {
			continue
		}
		s.mix[r] = s.mix[r] || s.to[r] != nil && s.from[r] != w.block
		s.to[r], s.from[r] = rel[r].released(s.to[r], w, lane.Lane(i)), w.block
	}
	w.d.count()
	if in.Order&ir.Release != 0 {
		w.eachGroup(lane.Lane(i), func(g *laneGroup) {
			g.advance()
			if in.Order&ir.Async != 0 {
				g.at, g.segs[slotCopy] = g.at+1, 0
			}
		})
	}
}

// order handles a fence, or a wait for copies.
func (w *wave) order(in *ir.Inst, m lane.Mask) {
	if in.Order&ir.Async != 0 {
		w.copies(in, m)
		return
	}
	if in.Order&ir.Proxy != 0 {
		w.fenceProxy(m)
	}
	to := w.reach(in.Order)
	w.eachGroup(m, func(g *laneGroup) {
		// Acquire: join the signals that relaxed reads have seen since the last fence.
		if in.Order&ir.Acquire != 0 {
			for r := range to + 1 {
				g.clk, g.saw[r] = g.clk.join(g.saw[r]), nil
			}
		}
		g.releaseMaps(in)
		released := g.segs[0] == 0 && g.rel[inBlock].clk == g.clk && g.rel[inBlock].t+1 == g.t
		for r := range to {
			released = released && (g.rel[r+1] == g.rel[r])
		}
		if in.Order&ir.Release == 0 || released {
			return
		}
		// Release: later strong writes publish this clock; a new time begins, so that accesses after the
		// fence are not part of it.
		p := promise{w.finished(g.clk, g.lanes, &g.done), g.t}
		for r := range to + 1 {
			g.rel[r] = p
		}
		g.advance()
	})
}
