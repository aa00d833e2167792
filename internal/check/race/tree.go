package race

import (
	"unsafe"

	"example.org/crosslane/lane"
)

// The epochs of other blocks in a clock. In a chain of blocks, for instance one atomic operation of each,
// the last block comes after all of them. A copy of all epochs for each block would take memory in the
// square of their number. So the epochs are a persistent tree over the digits of the block number. Two
// trees that differ in one block share all nodes except those on the path to it, and joins and comparisons
// skip shared nodes.
//
// Input: add of the epochs of one block, and joins of two trees.
// Output: a tree that holds the later epoch of each block; covers, the comparison of two trees.
// Invariant: nodes are never written once they are made; a tree is found equal by its pointer.
// Example: block 17 = digits 1, 1. add copies the root and its child 1, and makes one leaf; the other 15
// children of each are shared.
//
// Literature: Driscoll et al., Making data structures persistent (JCSS 1989).

const (
	knownBits = 4 // bits of a block's number for each level
	knownKids = 1 << knownBits
)

// happensBefore holds the epochs of some blocks; nil: of none.
type happensBefore struct {
	kids   []*happensBefore // one per value of the next digit; nil: this is a leaf
	epochs []epoch          // in a leaf: the epochs of one block
	id     uint64
}

// joined remembers an answer of join. At a barrier of the grid all blocks ask for the same join.
type joined struct{ a, b, out *happensBefore }

// joinedClock remembers an answer of clock.join. Lanes that wait for the same lock acquire the same release
// one after another. With one answer for all of them they stay one group, and the join is computed once.
type joinedClock struct{ a, b, out *clock }

// clocks is the state that all clocks of a worker share.
type clocks struct {
	shift int // the bit at which the first digit of a block's number begins
	// made is the number of bytes taken for clocks; work is the number of tree nodes that were visited.
	made, work uint64
	ids        uint64
	memo       []joined // made on first use
	memoClocks [1 << 8]joinedClock
}

// clock makes a clock.
func (s *clocks) clock(block uint64, own []epoch, others *happensBefore) *clock {
	s.ids++
	s.made += clockBytes
	return &clock{all: s, block: block, own: own, others: others, id: s.ids}
}

// recallClock returns the entry for the join of a and b.
func (s *clocks) recallClock(a, b *clock) *joinedClock {
	return &s.memoClocks[hash(a.id, b.id)%uint64(len(s.memoClocks))]
}

// hash mixes two ids into an index.
func hash(a, b uint64) uint64 { return (a*0x9e3779b97f4a7c15 ^ b*0xc2b2ae3d27d4eb4f) >> 32 }

// recall returns the entry for the join of two trees.
func (s *clocks) recall(a, b *happensBefore) *joined {
	if s.memo == nil {
		s.memo = make([]joined, 1<<13)
	}
	return &s.memo[hash(a.id, b.id)%uint64(len(s.memo))]
}

// newClocks makes the shared state for a grid of that many blocks.
func newClocks(blocks uint64) *clocks {
	c := &clocks{}
	for c.shift+knownBits < 64 && blocks-1>>c.shift >= knownKids {
		c.shift += knownBits
	}
	return c
}

// Estimates of the memory of a clock, of a node without its children, of an epoch, and of the times of
// lanes.
const (
	clockBytes = 80
	nodeBytes  = 56
	epochBytes = 16
	lanesBytes = 128
)

// find returns the epochs of a block, or nil.
func (s *clocks) find(k *happensBefore, block uint64) []epoch {
	for at := s.shift; k != nil && k.kids != nil; at -= knownBits {
		k = k.kids[block>>at%knownKids]
	}
	if k == nil {
		return nil
	}
	return k.epochs
}

// add returns k joined with the epochs m of a block.
func (s *clocks) add(k *happensBefore, block uint64, m []epoch) *happensBefore {
	return s.addAt(k, block, m, s.shift)
}

// addAt is add at the level of the digit at bit at.
func (s *clocks) addAt(k *happensBefore, block uint64, m []epoch, at int) *happensBefore {
	s.work++
	if at < 0 {
		var had []epoch
		if k != nil {
			had = k.epochs
		}
		joined := s.epochs(had, m)
		if k != nil && sameEpochs(joined, had) {
			return k
		}
		return s.leaf(joined)
	}
	var next *happensBefore
	i := block >> at % knownKids
	if k != nil {
		next = k.kids[i]
	}
	kid := s.addAt(next, block, m, at-knownBits)
	if k != nil && kid == next {
		return k
	}
	n := s.node()
	if k != nil {
		copy(n.kids, k.kids)
	}
	n.kids[i] = kid
	return n
}

// node makes an inner node without children.
func (s *clocks) node() *happensBefore {
	s.ids++
	s.made += nodeBytes + 8*knownKids
	return &happensBefore{kids: make([]*happensBefore, knownKids), id: s.ids}
}

// leaf makes a leaf.
func (s *clocks) leaf(m []epoch) *happensBefore {
	s.ids++
	s.made += nodeBytes
	return &happensBefore{epochs: m, id: s.ids}
}

// join returns the later epochs of a and b: one of the two if it holds both.
func (s *clocks) join(a, b *happensBefore) *happensBefore {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	s.work++
	if a.kids == nil {
		switch m := s.epochs(a.epochs, b.epochs); {
		case sameEpochs(m, a.epochs):
			return a
		case sameEpochs(m, b.epochs):
			return b
		default:
			return s.leaf(m)
		}
	}
	last := s.recall(a, b)
	if last.a == a && last.b == b {
		return last.out
	}
	out := s.joinKids(a, b)
	*last = joined{a, b, out}
	return out
}

// joinKids is join of two inner nodes.
func (s *clocks) joinKids(a, b *happensBefore) *happensBefore {
	var kids [knownKids]*happensBefore
	isA, isB := true, true
	for i := range kids {
		kids[i] = s.join(a.kids[i], b.kids[i])
		isA, isB = isA && kids[i] == a.kids[i], isB && kids[i] == b.kids[i]
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	n := s.node()
	copy(n.kids, kids[:])
	return n
}

// covers reports whether a holds every epoch of b. own holds the epochs of block, the own block of the
// clock that a belongs to.
func (s *clocks) covers(a, b *happensBefore, own []epoch, block uint64) bool {
	return s.coversAt(a, b, own, block, s.shift)
}

// coversAt is covers at one level. own is nil if block is not below it.
func (s *clocks) coversAt(a, b *happensBefore, own []epoch, block uint64, at int) bool {
	if a == b || b == nil {
		return true
	}
	s.work++
	if at < 0 {
		have := own
		if own == nil && a != nil {
			have = a.epochs
		}
		return coverEpochs(have, b.epochs)
	}
	if a == nil && own == nil {
		return false
	}
	if own == nil {
		if last := s.recall(a, b); last.a == a && last.b == b {
			return last.out == a
		}
	}
	for i, kid := range b.kids {
		var of *happensBefore
		if a != nil {
			of = a.kids[i]
		}
		mine := own
		if block>>at%knownKids != uint64(i) {
			mine = nil
		}
		if !s.coversAt(of, kid, mine, block, at-knownBits) {
			return false
		}
	}
	if own == nil {
		*s.recall(a, b) = joined{a, b, a}
	}
	return true
}

// coverEpochs reports whether a holds every epoch of b, wave by wave.
func coverEpochs(a, b []epoch) bool {
	if sameEpochs(a, b) {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	for i := range b {
		if !a[i].covers(&b[i]) {
			return false
		}
	}
	return true
}

// epochs returns the later epochs of two clocks for one block: one of the two if it holds both.
func (s *clocks) epochs(a, b []epoch) []epoch {
	if len(b) == 0 || sameEpochs(a, b) {
		return a
	}
	switch {
	case len(a) == 0:
		return b
	case coverEpochs(a, b):
		return a
	case coverEpochs(b, a):
		return b
	}
	c := make([]epoch, len(a))
	s.made += epochBytes * uint64(len(c))
	for i := range a {
		c[i] = a[i].join(b[i])
		if c[i].lanes != nil && c[i].lanes != a[i].lanes && c[i].lanes != b[i].lanes {
			s.made += lanesBytes
		}
	}
	return c
}

// sameEpochs reports whether two lists are the same memory.
func sameEpochs(a, b []epoch) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// census counts the bytes of clocks that places and segments keep alive. It leaves out the few clocks of
// the waves and barriers of the blocks in flight.
type census struct {
	seen  map[unsafe.Pointer]bool
	bytes uint64
}

// first reports whether an object has not been counted yet.
func (c *census) first(p unsafe.Pointer) bool {
	if c.seen[p] {
		return false
	}
	c.seen[p] = true
	return true
}

func (c *census) clock(k *clock) {
	if k == nil || !c.first(unsafe.Pointer(k)) {
		return
	}
	c.bytes += clockBytes
	c.epochs(k.own)
	c.tree(k.others)
}

func (c *census) epochs(m []epoch) {
	if len(m) == 0 || !c.first(unsafe.Pointer(&m[0])) {
		return
	}
	c.bytes += epochBytes * uint64(len(m))
	for i := range m {
		if m[i].lanes != nil && c.first(unsafe.Pointer(m[i].lanes)) {
			c.bytes += lanesBytes
		}
	}
}

func (c *census) tree(k *happensBefore) {
	if k == nil || !c.first(unsafe.Pointer(k)) {
		return
	}
	c.bytes += nodeBytes
	c.epochs(k.epochs)
	c.bytes += 8 * uint64(len(k.kids))
	for _, kid := range k.kids {
		c.tree(kid)
	}
}

// count accounts for the clocks that are kept. The census takes time, and memory of its own. It runs when
// as many bytes may be new as were kept or are left, and at least a sixteenth of the limit.
func (k *Detector) count() {
	if k.clocks.made-k.counted < max(k.limit/16, min(k.kept, k.limit-min(k.used, k.limit))) {
		return
	}
	c := census{seen: map[unsafe.Pointer]bool{}}
	for i := range k.segs {
		c.clock(k.segs[i].rel[0])
		c.clock(k.segs[i].rel[1])
	}
	for _, s := range k.signals {
		for _, to := range s.to {
			c.clock(to)
		}
	}
	k.counted, k.used, k.kept = k.clocks.made, k.used-k.kept+c.bytes, c.bytes
	k.over = k.over || k.used > k.limit
}

// by returns the promise of all lanes of a wave in lockstep as a clock. The wave's segments, and the places
// to which it releases, mostly ask for the same one.
func (k *Detector) by(p promise, w *wave) *clock {
	for n := range k.promised {
		if last := &k.promised[n]; last.promise == p && last.wave == w {
			return last.clk
		}
	}
	k.promised[1] = k.promised[0]
	last := &k.promised[0]
	last.promise, last.wave = p, w
	last.clk = p.clk.set(w.ID, p.epoch(p.clk.own[w.ID], w, ^lane.Mask(0)))
	return last.clk
}
