package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The barrier of the cluster (PTX 9.7.14.3); a cluster has one block. An arrival does not wait. So each
// wave keeps the lanes that have arrived in the open phase (atCluster); lanes outside that set need not
// wait.
//
// Input: ClusterArrive and ClusterDone of lanes, and lanes that exit.
// Output: ClusterDone, the lanes that may go on.
// Invariant: atCluster is empty in all waves directly after a phase has opened.
// Example: all 64 lanes of two waves arrive; the last arrival clears atCluster, and all lanes may go on.

// ClusterArrive lets lanes arrive. The last arrival of the block opens the next phase.
func (w *Wave) ClusterArrive(m lane.Mask) {
	w.atCluster |= m
	if w.races != nil {
		w.races.Arrive(ClusterBarrier, m)
	}
	w.settleCluster()
}

// settleCluster opens the next phase if every lane that has not exited has arrived. It does not wait for
// lanes of Launch.Idle, which a trial has switched off.
func (w *Wave) settleCluster() {
	for _, o := range w.Waves {
		if o.Live&^w.Launch.Idle&^o.atCluster != 0 {
			return
		}
	}
	for _, o := range w.Waves {
		o.atCluster, o.inCluster = 0, 0
	}
	if w.blockRaces != nil {
		w.blockRaces.Open(ClusterBarrier, false)
	}
}

// ClusterDone returns the lanes whose phase is over. The lanes of m whose phase is not over wait for its
// end. Because lanes that exit may end a phase, it tests again.
func (w *Wave) ClusterDone(m lane.Mask) lane.Mask {
	if w.atCluster != 0 {
		w.settleCluster()
	}
	w.inCluster |= m & w.atCluster
	if w.races != nil {
		w.races.Leave(ClusterBarrier, w.Live&^w.atCluster)
	}
	return ^w.atCluster
}

// clusterStuck reports whether no lane can open the phase for which lanes wait: all lanes that have not
// arrived wait at barriers or for members of a mask, and no lane runs that could release them.
func (b *Block) clusterStuck() bool {
	missing := false
	for _, w := range b.Waves {
		live := w.Live &^ b.Launch.Idle
		missing = missing || live&^w.atCluster != 0
		// Lanes that wait for the phase, or that are parked, cannot open it.
		live &^= w.inCluster
		for i := range w.parked {
			live &^= w.parked[i].lanes
		}
		if live != 0 {
			return false
		}
	}
	return missing
}

// clusterWaits describes, for a deadlock, the lanes that wait for the cluster, their places, and the
// missing lanes.
func (b *Block) clusterWaits() (list []diag.Related) {
	var missing []string
	for _, w := range b.Waves {
		if m := w.Live &^ b.Launch.Idle &^ w.atCluster; m != 0 && len(missing) < 4 {
			missing = append(missing, m.Named()+" of wave "+strconv.Itoa(w.ID))
		}
	}
	for _, w := range b.Waves {
		frags := slices.Clone(w.frags) // their order depends on the engine
		slices.SortFunc(frags, func(x, y frag) int { return x.pc - y.pc })
		for _, x := range frags {
			m := x.lanes & w.inCluster
			blk := w.Func.Blocks[x.pc]
			code := w.Func.Code[blk.Start:blk.End]
			i := slices.IndexFunc(code, func(in ir.Inst) bool { return in.Op == ir.ClusterDone })
			if m == 0 || i < 0 || len(list) == 4 {
				continue
			}
			pos, src := where(w.Func, code[i].Pos)
			list = append(list, related(pos, fmt.Sprintf("%s: %s for %s to arrive", w.Func.Pos[code[i].Pos].Name, m.Do(w.waits()), strings.Join(missing, ", ")), src))
		}
	}
	return list
}
