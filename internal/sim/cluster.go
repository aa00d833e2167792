package sim

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Clusters (PTX 2.2.2). The blocks of a cluster run on one worker and are in flight together, so that they may wait for each
// other and use each other's shared memory. An address of shared memory has the rank of its block in the bits from
// ir.RankShift on (Func.Ranked).
//
// Input: Launch.Cluster, and the blocks in the order of turns: all blocks of a cluster by rank, cluster after cluster.
// Output: the block and the offset of an address; the barrier of the cluster (PTX 9.7.14.3).
// Invariant: the storage of all blocks of a cluster is kept until the last one has ended.
// Example: with clusters of 2 blocks, 0x0100_0010 is byte 16 of the shared memory of the odd block.
//
// An arrival at the barrier does not wait. So each wave keeps the lanes that have arrived in the open phase (atCluster); lanes
// outside that set need not wait. atCluster is empty in all waves directly after a phase has opened.

// A cluster is a cluster of several blocks in flight.
type cluster struct {
	blocks  []*Block // by rank
	running int      // blocks that have not ended
}

// clusterDim is the size of a cluster in each dimension.
func (l *Launch) clusterDim() [3]uint32 {
	return [3]uint32{max(l.Cluster[0], 1), max(l.Cluster[1], 1), max(l.Cluster[2], 1)}
}

// clusterSize is the number of blocks of a cluster.
func (l *Launch) clusterSize() uint64 {
	c := l.clusterDim()
	return uint64(c[0]) * uint64(c[1]) * uint64(c[2])
}

// blockAt returns the linear index of the block whose turn is n.
func (l *Launch) blockAt(n uint64) uint64 {
	size := l.clusterSize()
	if size == 1 {
		return n
	}
	c := l.clusterDim()
	at, r := n/size, n%size
	x := [3]uint64{uint64(l.Grid[0] / c[0]), uint64(l.Grid[1] / c[1])}
	bx := at%x[0]*uint64(c[0]) + r%uint64(c[0])
	by := at/x[0]%x[1]*uint64(c[1]) + r/uint64(c[0])%uint64(c[1])
	bz := at/x[0]/x[1]*uint64(c[2]) + r/uint64(c[0])/uint64(c[1])
	return bx + uint64(l.Grid[0])*(by+uint64(l.Grid[1])*bz)
}

// turnOf returns the turn of the block with a linear index: blockAt in the other direction.
func (l *Launch) turnOf(block uint64) uint64 {
	size := l.clusterSize()
	if size == 1 {
		return block
	}
	c, i := l.clusterDim(), l.blockIndex(block)
	at := uint64(i[0]/c[0]) + uint64(l.Grid[0]/c[0])*(uint64(i[1]/c[1])+uint64(l.Grid[1]/c[1])*uint64(i[2]/c[2]))
	r := uint64(i[0]%c[0]) + uint64(c[0])*(uint64(i[1]%c[1])+uint64(c[1])*uint64(i[2]%c[2]))
	return at*size + r
}

// ClusterOf returns the number of the cluster of the block with a linear index, in the order of turns.
func (l *Launch) ClusterOf(block uint64) uint64 {
	if !l.Func.Ranked {
		return block
	}
	return l.turnOf(block) / l.clusterSize()
}

// RankOf returns the rank in its cluster of the block with a linear index.
func (l *Launch) RankOf(block uint64) uint64 {
	if !l.Func.Ranked {
		return 0
	}
	return l.turnOf(block) % l.clusterSize()
}

// BlocksOf yields the linear indices of the blocks of a cluster.
func (l *Launch) BlocksOf(cluster uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		size := uint64(1)
		if l.Func.Ranked {
			size = l.clusterSize()
		}
		for r := range size {
			if !yield(l.blockAt(cluster*size + r)) {
				return
			}
		}
	}
}

// SharedAt returns the block whose shared memory an address names, and the offset there; nil: no block of the cluster has that
// rank.
func (b *Block) SharedAt(addr uint64) (owner *Block, off uint64) {
	if !b.Launch.Func.Ranked {
		return b, addr
	}
	rank, off := addr>>ir.RankShift, addr&(1<<ir.RankShift-1)
	switch {
	case rank == b.rank:
		return b, off
	case b.cluster == nil || rank >= uint64(len(b.cluster.blocks)):
		return nil, off
	}
	return b.cluster.blocks[rank], off
}

// sharedFirst is the address of the block's own shared memory.
func (b *Block) sharedFirst() uint64 { return b.rank << ir.RankShift }

// clusterWaves returns the waves of all blocks of the cluster.
func (b *Block) clusterWaves() iter.Seq[*Wave] {
	return func(yield func(*Wave) bool) {
		alone := [1]*Block{b}
		blocks := alone[:]
		if b.cluster != nil {
			blocks = b.cluster.blocks
		}
		for _, o := range blocks {
			for _, w := range o.Waves {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// ClusterArrive lets lanes arrive. The last arrival of the cluster opens the next phase. Arrivals order accesses if they
// release (PTX 9.7.14.3: .release unless .relaxed is written).
func (w *Wave) ClusterArrive(in *ir.Inst, m lane.Mask) {
	w.atCluster |= m
	switch {
	case w.races == nil:
	case in.Order&ir.Release != 0:
		w.races.Arrive(ClusterBarrier, m)
	default:
		w.races.ArriveRelaxed(ClusterBarrier, m)
	}
	settleCluster(w)
}

// settleCluster opens the next phase if every lane that has not exited has arrived. It does not wait for
// lanes of Launch.Idle, which a trial has switched off.
func settleCluster(w *Wave) {
	for o := range w.clusterWaves() {
		if o.Live&^w.Launch.Idle&^o.atCluster != 0 {
			return
		}
	}
	for o := range w.clusterWaves() {
		o.atCluster, o.inCluster = 0, 0
	}
	if w.cluster != nil {
		w.Changes++ // blocks that wait look again
	}
	if w.blockRaces != nil {
		w.blockRaces.Open(ClusterBarrier, false)
	}
}

// ClusterDone returns the lanes whose phase is over. The lanes of m whose phase is not over wait for its
// end. Because lanes that exit may end a phase, it tests again.
func (w *Wave) ClusterDone(m lane.Mask) lane.Mask {
	if w.atCluster != 0 {
		settleCluster(w)
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
	for w := range b.clusterWaves() {
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
	for w := range b.clusterWaves() {
		if m := w.Live &^ b.Launch.Idle &^ w.atCluster; m != 0 && len(missing) < 4 {
			text := m.Named() + " of wave " + strconv.Itoa(w.ID)
			if w.Block != b {
				text += fmt.Sprintf(" of block (%d,%d,%d)", w.index[0], w.index[1], w.index[2])
			}
			missing = append(missing, text)
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
