package race

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// The lifetime of shared memory in clusters (PTX 2.2.2; CUDA C++ Programming Guide, "Distributed Shared Memory"). The blocks of a
// cluster are scheduled together, but they neither begin nor end together. An access to the shared memory of another block has to
// come after something that the other block did, and before its end.
//
// Input: accesses to shared memory of other blocks; the ends of blocks.
// Output: findings of the codes unstarted-block and exited-block.
// Invariant: the clock of a lane has epochs of another block only if the lane has acquired a release of it.
// Example: mapa, then st.shared::cluster with no barrier.cluster before: the other block may not have begun. The same store with
// no barrier after it: the other block may have exited.

// The codes of the findings.
const (
	CodeUnstarted = "unstarted-block"
	CodeExited    = "exited-block"
)

// blockName names a block of the launch.
func (k *Detector) blockName(block uint64) string {
	at := k.launch.Index(block)
	return fmt.Sprintf("block (%d,%d,%d)", at[0], at[1], at[2])
}

// visit looks whether the block whose shared memory lanes access has begun.
func (x *racing) visit(at touched, who lane.Mask) {
	if at.owner == nil || at.owner == x.w.own {
		return
	}
	if of := at.owner.waves[0].block; x.g.clk.of(of) == nil {
		if x.early == 0 {
			x.unborn = of
		}
		x.early |= who
	}
}

// reportEarly notes the accesses to memory of a block that may not have begun.
func (x *racing) reportEarly() {
	if x.early == 0 {
		return
	}
	w, pos := x.w, x.in.Pos
	f := sim.Finding{Severity: diag.Error, Lanes: x.early}
	if x.k.unseen(w.Wave, CodeUnstarted, pos) {
		f.Text = fmt.Sprintf("%s of wave %d accesses the shared memory of %s, which may not have begun: nothing orders the access after anything that the block does",
			lane.Lane(x.early.First()).Named(), w.ID, x.k.blockName(x.unborn))
		f.Section = "PTX 2.2.2; CUDA C++ Programming Guide, Distributed Shared Memory"
		f.Remedy = "put barrier.cluster.arrive and barrier.cluster.wait before the first access to the memory of another block"
	}
	x.k.note(w.Wave, CodeUnstarted, pos, f)
}

// End ends a block of a cluster: the accesses of other blocks to its memory have to come before the end of a lane of it.
func (k *block) End() {
	if !k.visited || k.d.over {
		return
	}
	var last *clock
	for _, w := range k.waves {
		last = last.join(w.releaseAll(^lane.Mask(0)).clk)
	}
	late := func(seg uint32, lanes lane.Mask, pos int32) {
		s := &k.d.segs[seg-1]
		if s.block == k.waves[0].block || k.d.launch.ClusterOf(s.block) != k.waves[0].cluster {
			return
		}
		if m := last.of(s.block); m != nil && s.known(&verdict{}, &m[s.wave], lanes, true) {
			return
		}
		k.d.lateAccess(s, lanes, pos, k.waves[0].block)
	}
	for _, p := range k.shared.pages {
		if p == nil {
			continue
		}
		for i := range p.cells {
			for _, t := range [...]touch{p.cells[i].w, p.cells[i].r} {
				if t.many() {
					for _, r := range k.d.sets[uint32(t)].list {
						late(r.seg, r.lanes, r.pos)
					}
				} else if t != 0 {
					late(t.seg(), lane.Lane(t.lane()), t.pos())
				}
			}
			if p.strong != nil && p.strong[i] != nil {
				for _, r := range p.strong[i].list {
					late(r.seg, r.lanes, r.pos)
				}
			}
		}
	}
}

// lateAccess notes an access of a segment to memory of a block that may have ended.
func (k *Detector) lateAccess(s *segment, lanes lane.Mask, pos int32, of uint64) {
	for _, b := range k.blocks {
		if b.waves[0].block != s.block || b.waves[0].cluster != k.launch.ClusterOf(of) {
			continue
		}
		w := b.waves[int(s.wave)%len(b.waves)]
		f := sim.Finding{Severity: diag.Error, Lanes: lanes}
		if k.unseen(w.Wave, CodeExited, pos) {
			f.Text = fmt.Sprintf("%s of wave %d of %s accesses the shared memory of %s, which may have exited: nothing orders the access before the end of the block",
				lane.Lane(lanes.First()).Named(), w.ID, k.blockName(s.block), k.blockName(of))
			f.Section = "PTX 2.2.2; CUDA C++ Programming Guide, Distributed Shared Memory"
			f.Remedy = "put barrier.cluster.arrive and barrier.cluster.wait after the last access to the memory of another block, before any thread of that block exits"
		}
		k.note(w.Wave, CodeExited, pos, f)
		return
	}
}
