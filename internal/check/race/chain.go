package race

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Places of global memory that many lanes read, for instance a table that all blocks use. The first readers
// of each place are kept one by one. The further readers form a chain. Places that the same instructions
// read in the same order share their chain, so that chains take memory per executed instruction, not per
// byte. A chain keeps all lanes of an instruction instead of the lanes that read one place. That read
// counts as a race only if none of these lanes comes before the write.
//
// Input: reads beyond maxReads of one place (chain), and a write to it (withSet).
// Output: the number of the chain's last node; a clash of the write.
// Invariant: the key (next, seg, pos) determines a node, so that equal lists of reads are one list (hash
// consing), and different lists share their common older part.
// Example: 1,000 warps read table[0..31] with one load. All 32 words share one chain of 996 nodes.

const (
	maxReads = 4       // readers of a place of global memory that are kept one by one
	maxWalk  = 1 << 16 // steps that a write may take along a chain
)

// readNode is one read of a chain, and the link to the reads before it.
type readNode struct {
	next, seg uint32
	pos       int32
	lanes     lane.Mask
}

// readKey identifies a node.
type readKey struct {
	next, seg uint32
	pos       int32
}

// chains holds the nodes of a worker.
type chains struct {
	nodes []readNode // index 0 is unused
	known map[readKey]uint32
	last  struct { // the last look-up
		readKey
		node uint32
	}
	walked struct { // the last chain that was compared without a race
		node uint32
		clk  *clock
		wave *wave
	}
}

// chain adds a read to a chain and returns the new chain. If no memory is left, it returns the old one.
func (x *racing) chain(next, seg uint32, pos int32) uint32 {
	k := x.k
	key := readKey{next, seg, pos}
	lanes := x.m & x.g.lanes
	if k.last.readKey == key && k.last.node != 0 {
		k.nodes[k.last.node].lanes |= lanes
		return k.last.node
	}
	n := k.known[key]
	if n == 0 {
		const size = 80 // bytes of a node and its entry in the map
		if uint64(len(k.nodes))*size > k.limit/4 || k.used+size > k.limit {
			k.forgot = true
			return next
		}
		if k.known == nil {
			k.known, k.nodes = map[readKey]uint32{}, make([]readNode, 1)
		}
		k.used += size
		n = uint32(len(k.nodes))
		k.nodes = append(k.nodes, readNode{next: next, seg: seg, pos: pos})
		k.known[key] = n
	}
	k.nodes[n].lanes |= lanes
	k.last.readKey, k.last.node = key, n
	return n
}

// withSet compares a write of lane i with the reads of a place.
func (x *racing) withSet(s *readSet, i int, addr uint64, at touched) {
	for _, r := range s.list {
		if !x.surely(r.seg) && !x.judge(r.seg, r.lanes, i) {
			x.clash(newTouch(r.seg, firstOf(r.lanes&^lane.Lane(i)), r.pos), ir.AccessRead, i, addr, at)
			return
		}
	}
	if s.more == 0 {
		return
	}
	done := &x.k.walked
	x.k.forgot = true // a node of a chain stands for lanes that may not all have read this place
	if done.node == s.more && done.clk == x.g.clk && done.wave == x.w {
		return
	}
	all := true
	for n, left := s.more, maxWalk; n != 0 && left > 0; {
		r := &x.k.nodes[n]
		switch {
		case x.surely(r.seg):
		case x.judge(r.seg, r.lanes, i):
			all = all && x.k.judged.settled
		default:
			l := readers{seg: r.seg, pos: r.pos, lanes: r.lanes}
			if own := &x.k.segs[r.seg-1]; !(own.block == x.w.block && own.wave == uint32(x.w.ID) && r.lanes.Has(i)) && !x.someBefore(&l, i) {
				had := x.bad != 0
				x.clash(newTouch(r.seg, firstOf(r.lanes), r.pos), ir.AccessRead, i, addr, at)
				x.note.some = x.note.some || !had
				return
			}
			all = false
			left -= 64
		}
		n, left = r.next, left-1
	}
	if all {
		done.node, done.clk, done.wave = s.more, x.g.clk, x.w
	}
}
