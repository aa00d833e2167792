package sim

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Places of global memory that many read, such as a table that all blocks use. Of each the
// first readers are kept one by one. The others are a chain, which places share that the
// same instructions read in the same order, so that it takes memory for instructions that
// were executed, and not for bytes. It keeps all lanes of the instruction in place of those
// that read just this place: such a read is only said to race if none of them comes before
// the write.

const (
	maxReads = 4       // readers of a place of global memory that are kept one by one
	maxWalk  = 1 << 16 // what a write may look at of a chain
)

// readNode is a read, and those before it.
type readNode struct {
	next, seg uint32
	pos       int32
	lanes     lane.Mask
}

type readKey struct {
	next, seg uint32
	pos       int32
}

// chains are those of a worker.
type chains struct {
	nodes []readNode // the first one is none
	known map[readKey]uint32
	last  struct { // what was looked for last
		readKey
		node uint32
	}
	walked struct { // what was compared last, and nothing raced
		node uint32
		clk  *clock
		wave *Wave
	}
}

// chain adds a read to a chain. If there is no memory left it stays as it is.
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
		const size = 80 // of a node and its entry in the map
		if uint64(len(k.nodes))*size > k.limit/4 || k.used+size > k.limit {
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

// withSet compares a write with reads.
func (x *racing) withSet(s *readSet, i int, addr uint64, at touched) {
	for _, r := range s.list {
		if !x.surely(r.seg) && !x.judge(r.seg, r.lanes, i) {
			x.clash(newTouch(r.seg, firstOf(r.lanes&^lane.Lane(i)), r.pos), ir.AccessRead, i, addr, at)
			return
		}
	}
	done := &x.k.walked
	if s.more == 0 || done.node == s.more && done.clk == x.g.clk && done.wave == x.w {
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
