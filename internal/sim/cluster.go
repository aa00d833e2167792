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

// The barrier of the cluster (PTX 9.7.14.3): a cluster has one block. An arrival
// does not wait, so that each wave keeps the lanes that have arrived in the phase
// that is open; who is not among them need not wait.

// ClusterArrive lets lanes arrive. The last one of the block opens the next phase.
func (w *Wave) ClusterArrive(m lane.Mask) {
	w.atCluster |= m
	if w.races != nil {
		w.Block.cluster = w.Block.cluster.join(w.releaseAll(w.orAll(m)))
	}
	w.settleCluster()
}

// settleCluster opens the next phase if every lane that has not exited has arrived.
// Lanes that are switched off for a trial (Launch.Idle) are not waited for.
func (w *Wave) settleCluster() {
	for _, o := range w.Waves {
		if o.Live&^w.Launch.Idle&^o.atCluster != 0 {
			return
		}
	}
	for _, o := range w.Waves {
		o.atCluster, o.inCluster = 0, 0
	}
	w.Block.clusterDone, w.Block.cluster = w.Block.cluster, signal{}
}

// ClusterDone returns the lanes whose phase is over; those of m that it is not over for wait for
// that. Lanes that exit let others go on, so that it looks again.
func (w *Wave) ClusterDone(m lane.Mask) lane.Mask {
	if w.atCluster != 0 {
		w.settleCluster()
	}
	w.inCluster |= m & w.atCluster
	w.learn(w.orAll(w.Live&^w.atCluster), w.Block.clusterDone)
	return ^w.atCluster
}

// clusterStuck reports whether nobody can open the phase that lanes wait for: all that have not
// arrived wait at barriers or for members of a mask, and nobody runs that could let them go.
func (b *Block) clusterStuck() bool {
	missing := false
	for _, w := range b.Waves {
		live := w.Live &^ b.Launch.Idle
		missing = missing || live&^w.atCluster != 0
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

// clusterWaits says of a deadlock who waits for the cluster, where, and for whom.
func (b *Block) clusterWaits() (list []diag.Related) {
	var missing []string
	for _, w := range b.Waves {
		if m := w.Live &^ b.Launch.Idle &^ w.atCluster; m != 0 && len(missing) < 4 {
			missing = append(missing, m.Named()+" of wave "+strconv.Itoa(w.ID))
		}
	}
	for _, w := range b.Waves {
		frags := slices.Clone(w.frags) // their order tells how an engine has run them
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
