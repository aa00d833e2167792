package race

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Tensor maps that the kernel writes (PTX 9.7.14.4, 9.7.14.17). Copies read a map through the tensormap proxy. It sees a write only if
// the writer releases it to the proxy, and the copying side acquires the 128 bytes of the map, behind the write and before the
// copy.
//
// Input: fences of the tensormap proxy, reads of maps by copies.
// Output: findings of the code tensormap-stale.
// Invariant: an entry of maps names a write of a place that was released before, and the acquires that come after it.
// Example: cp_fenceproxy writes a map and releases it; bar.sync; a copy through the map. Without
// fence.proxy.tensormap::generic.acquire in between, the copy may use what was there before.

// CodeStaleMap is the code of the findings.
const CodeStaleMap = "tensormap-stale"

// mapPiece is a piece of a map, as one write left it.
type mapPiece struct {
	mem *shadowMem
	off uint64 // a multiple of 4
	w   touch
}

// maxAcquires bounds the acquires that are kept for one piece: further ones are taken for known.
const maxAcquires = 256

// stale is what a copy of a map lacks.
type stale struct {
	lanes    lane.Mask
	write    touch
	released bool
}

// releaseMaps handles the release of a fence of the tensormap proxy.
func (g *laneGroup) releaseMaps(in *ir.Inst) {
	if in.Order&ir.Maps != 0 && in.Order&ir.Release != 0 {
		g.maps = promise{g.clk, g.t}
	}
}

// acquire handles an acquire of the piece of a map by lane i: later copies see its last write if that was released before.
func (x *racing) acquire(at touched, off uint64, c *cell, i int) {
	if c.w == 0 || !x.before(c.w, i) || !x.released(c.w) {
		return
	}
	if x.k.maps == nil {
		x.k.maps = map[mapPiece][]touch{}
	}
	key := mapPiece{at.mem, off, c.w}
	if list := x.k.maps[key]; len(list) < maxAcquires && x.k.take(8) {
		x.k.maps[key] = append(list, newTouch(x.seg, i, x.in.Pos))
	}
}

// released reports whether the writer of a piece, or a lane of its block that knows of the write, has released it to the proxy.
// The answer is yes for writes of a block that has ended.
func (x *racing) released(w touch) bool {
	s := &x.k.segs[w.seg()-1]
	for _, b := range x.k.blocks {
		n := uint32(len(b.waves))
		if b.waves[0].block != s.block || s.wave >= n {
			continue
		}
		for id, of := range b.waves {
			for j := range of.groups {
				g := &of.groups[j]
				if g.maps.clk == nil {
					continue
				}
				if own := uint32(id) == s.wave && g.lanes>>w.lane()&1 != 0; own && g.maps.t >= s.t || !own && g.maps.clk.own[s.wave].of(w.lane()) >= s.t {
					return true
				}
			}
		}
		return false
	}
	return true
}

// copyReads looks whether the proxy sees a piece of a map that lane i copies by.
func (x *racing) copyReads(at touched, off uint64, c *cell, i int) {
	if c.w == 0 || !x.before(c.w, i) { // that is a race
		return
	}
	list := x.k.maps[mapPiece{at.mem, off, c.w}]
	for _, a := range list {
		if x.before(a, i) {
			return
		}
	}
	if len(list) == maxAcquires || x.k.over {
		return
	}
	if x.unseen.lanes == 0 {
		x.unseen.write, x.unseen.released = c.w, x.released(c.w)
	}
	x.unseen.lanes |= lane.Lane(i)
}

// reportStale notes the copies through maps that the proxy may not have seen.
func (x *racing) reportStale() {
	if x.unseen.lanes == 0 {
		return
	}
	w, pos := x.w, x.in.Pos
	f := sim.Finding{Severity: diag.Error, Lanes: x.unseen.lanes}
	if x.k.unseen(w.Wave, CodeStaleMap, pos) {
		missing, remedy := "no fence acquires it for the tensormap proxy between the two",
			"put fence.proxy.tensormap::generic.acquire.gpu [map], 128 between the write and the copy, in a thread that is ordered behind the write"
		if !x.unseen.released {
			missing, remedy = "no fence releases it to the tensormap proxy",
				"write the map with tensormap.cp_fenceproxy, or put fence.proxy.tensormap::generic.release.gpu behind the write, and fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the copy"
		}
		f.Text = fmt.Sprintf("%s of wave %d uses a tensor map that the kernel has written, and %s: the copy may use an older map",
			lane.Lane(x.unseen.lanes.First()).Named(), w.ID, missing)
		f.Section, f.Remedy = "PTX 9.7.14.4, 9.7.14.17", remedy
		at, src := sim.Where(w.Func, x.unseen.write.pos())
		f.Related = []diag.Related{{Pos: at, Source: src, Message: w.Func.Pos[x.unseen.write.pos()].Name + " writes the map"}}
	}
	x.k.note(w.Wave, CodeStaleMap, pos, f)
}
