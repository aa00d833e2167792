package race

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// The comparison of an access with the accesses before it.
//
// Input: ir.Access operations: plain accesses, strong accesses, fences and waits for copies.
// Output: findings of the codes race-shared, race-global, race-same-value and race-rounding.
// Invariant: a cell (shadow.go) holds the last plain write of a piece of memory and the plain reads since
// then. Any later access that races with an older one also races with one of these, or was reported before.
// Example: lane 0 stores a[1]; lane 1 loads a[1] with no barrier between. The cell of a[1] holds the store;
// its time is not in the clock of lane 1, so the load is reported.
//
// Strong accesses (atomic, volatile, relaxed) are kept apart from plain ones. They do not race with each
// other as long as their scopes reach (PTX 8.7). Two kinds of accesses are lost:
//
//   - reads of a place of global memory beyond the first ones, if no memory is left to keep chains of them;
//   - the older ones of more than 64 strong accesses to one place.
//
// Memory of a block is compared within the block only.

// racing is one Access that is being checked.
//
// Input: the operation, its lanes and their addresses.
// Output: bad, same, almost and stale, the lanes of races by severity, and one example (note); finish
// reports them.
// Invariant: cells are compared before they are changed, lane by lane in the order of lanes.
// Example: 32 lanes store different values to one word: every lane after lane 0 races with the lane before
// it.
type racing struct {
	w      *wave
	k      *Detector
	in     *ir.Inst
	g      *laneGroup
	m      lane.Mask // the lanes of the access
	shared bool
	slot   int  // the slot whose time it belongs to
	proxy  bool // it reads as the asynchronous proxy
	seg    uint32
	kind   ir.AccessKind
	size   uint64    // bytes
	vector bool      // Args[0] and Args[1] of the operation are the addresses and the stored values
	data   []byte    // otherwise the stored bytes, if they are known
	bad    lane.Mask // lanes that race
	same   lane.Mask // lanes that write the value that is there already
	almost lane.Mask // lanes that write nearly the value that another lane of the instruction writes
	stale  lane.Mask // lanes of a harmless race: see ir.Guess
	cells  bool      // it accesses Tensor Memory
	early  lane.Mask // lanes that access shared memory of a block that may not have begun
	unborn uint64    // the block of the first one of these
	unseen stale     // lanes that copy through a map that the tensormap proxy may not have seen
	note   clash     // an example: of the first lane of bad, or of a milder set
	noted  bool
}

// clash is an example of a race.
type clash struct {
	i     int   // the lane
	other touch // the other access, with one of its lanes
	kind  ir.AccessKind
	addr  uint64
	off   uint64
	size  uint64
	alloc *sim.Alloc
	owner *block
	scope bool // both are atomic, but a scope is too narrow
	looks bool // one is a plain store, the other a strong load
	step  bool // both are strong, by lanes of one wave
	some  bool // the lane of the other access is not known
	proxy bool // they are ordered, but no fence between the proxies separates them
	// tensor says that the memory is Tensor Memory.
	tensor bool
}

// Access checks whether an access that lanes are about to make races with earlier ones.
func (w *wave) Access(in *ir.Inst, m lane.Mask) {
	k := w.d
	if k.over && !k.endReported(w, in) || in.Space == ir.Local {
		return
	}
	if in.Args[0] == 0 {
		w.order(in, m)
		return
	}
	w.pos = in.Pos
	if in.Order&ir.Strong != 0 {
		w.Charge()
		w.strong(in, m)
		return
	}
	x := racing{w: w, k: k, in: in, m: m, kind: ir.AccessKind(in.Align), size: uint64(in.Size), vector: true}
	if in.Flags&ir.Guess != 0 && x.kind == ir.AccessRead && !k.guesses[in.Pos] {
		if k.guesses == nil {
			k.guesses = map[int32]bool{}
		}
		k.guesses[in.Pos] = true
	}
	if in.Order&ir.Async != 0 && x.kind == ir.AccessWrite {
		x.slot = slotCopy
	}
	for j := 0; j < len(w.groups) && m != 0; j++ {
		x.g = &w.groups[j]
		lanes := m & x.g.lanes
		m &^= lanes
		if lanes == 0 {
			continue
		}
		x.seg = w.segment(x.g, x.slot)
		x.lanes(lanes)
	}
	x.finish()
}

// touched is the memory of a lane's access.
type touched struct {
	mem   *shadowMem
	size  int // the bytes of the memory
	off   uint64
	start uint64 // off at the beginning of the access
	alloc *sim.Alloc
	owner *block // of shared memory: its block
	// tensor says that it is Tensor Memory.
	tensor bool
}

// locate finds the memory of an access. ok is false if it does not exist, is read-only, private, or a
// parameter.
func (w *wave) locate(space ir.Space, addr, n uint64) (p touched, ok bool) {
	switch space, addr = w.Resolve(space, addr); space {
	case ir.Local, ir.Param:
		return p, false
	case ir.Shared:
		owner, off := w.SharedAt(addr)
		if owner == nil {
			return p, false
		}
		if at := off - ir.TensorFirst; off >= ir.TensorFirst && at < ir.TensorSize && ir.TensorSize-at >= n {
			of := w.d.blocks[owner]
			return touched{mem: &of.tensor, size: ir.TensorSize, off: off - ir.TensorFirst, start: off - ir.TensorFirst, owner: of, tensor: true}, true
		}
		if size := uint64(len(owner.Shared)); off > size || size-off < n {
			return p, false
		}
		of := w.own
		if owner != w.Block {
			of = w.d.blocks[owner]
			of.visited = true
		}
		return touched{mem: &of.shared, size: len(owner.Shared), off: off, start: off, owner: of}, true
	}
	a := w.last
	if a == nil || addr-a.Base > uint64(len(a.Data)) || uint64(len(a.Data))-(addr-a.Base) < n {
		if a = w.Mem.Find(addr, n); a == nil {
			return p, false
		}
		w.last, w.shadow = a, w.d.shadowOf(a)
	}
	if a.ReadOnly {
		w.readConstant(a, addr-a.Base, n)
		return p, false
	}
	return touched{mem: w.shadow, size: len(a.Data), off: addr - a.Base, start: addr - a.Base, alloc: a}, true
}

// locate finds the memory of the access of some lanes, see wave.locate.
func (x *racing) locate(space ir.Space, addr, n uint64, who lane.Mask) (touched, bool) {
	at, ok := x.w.locate(space, addr, n)
	if ok {
		x.shared, x.cells = at.alloc == nil, at.tensor
		x.visit(at, who)
	}
	return at, ok
}

// shadowOf returns the shadow of an allocation.
func (k *Detector) shadowOf(a *sim.Alloc) *shadowMem {
	s := k.shadows[a]
	if s == nil {
		s = &shadowMem{}
		k.shadows[a] = s
	}
	return s
}

// one checks the plain access of lane i. The set who holds lane i and the lanes that read at the same address.
func (x *racing) one(i int, space ir.Space, addr uint64, who lane.Mask) {
	in := x.in
	at, ok := x.locate(space, addr, x.size, who)
	if !ok {
		return
	}
	me := newTouch(x.seg, i, in.Pos)
	if in.Order&ir.Either != 0 {
		me |= 1 << eitherAt
	}
	for end := at.off + x.size; at.off < end; {
		p := x.k.page(at.mem, at.size, at.off)
		if p == nil {
			return
		}
		last := min(end, (at.off>>pageBits+1)<<pageBits)
		if !p.bytes && (at.off|last)&3 != 0 && !x.k.split(p) {
			return
		}
		lo, hi := at.off&(1<<pageBits-1), at.off&(1<<pageBits-1)+last-at.off
		if !p.bytes {
			lo, hi = lo/4, hi/4
		}
		for c := lo; c < hi; c++ {
			if in.Order&ir.Maps != 0 {
				off := at.off &^ (1<<pageBits - 1)
				if p.bytes {
					off += c &^ 3
				} else {
					off += 4 * c
				}
				if in.Order&ir.Acquire != 0 {
					x.acquire(at, off, &p.cells[c], i)
					continue
				}
				x.copyReads(at, off, &p.cells[c], i)
			}
			x.overwrites(p, c, i, at)
			if s := p.strong; s != nil && s[c] != nil {
				if me.either() && p.cells[c].w.either() && x.looked(s[c], i) {
					p.cells[c].w = 0
				}
				for j := range who.Lanes() {
					x.withStrong(s[c], me, j, addr, at)
				}
			}
			if x.kind == ir.AccessRead {
				x.read(&p.cells[c], me, i, who, addr, at)
			} else {
				x.write(&p.cells[c], me, i, addr, at)
			}
		}
		at.off = last
	}
}

// read compares a read with the last write of a piece and remembers it.
func (x *racing) read(c *cell, me touch, i int, who lane.Mask, addr uint64, at touched) {
	// The last write, if there is one, has to come before this read.
	if c.w != 0 {
		if !x.before(c.w, i) {
			x.clash(c.w, ir.AccessWrite, i, addr, at)
		} else if x.proxy && !x.cells && !x.fenced(c.w) {
			x.clash(c.w, ir.AccessWrite, i, addr, at)
			x.note.proxy = true
		} else if !x.k.judged.settled {
			for j := range (who &^ lane.Lane(i)).Lanes() {
				if !x.before(c.w, j) {
					x.clash(c.w, ir.AccessWrite, j, addr, at)
				}
			}
		}
	}
	x.reads(c, me, i, who)
}

// reads remembers a read. One read is kept in the cell; several become a readSet.
func (x *racing) reads(c *cell, me touch, i int, who lane.Mask) {
	switch {
	case c.r.many():
		s := &x.k.sets[uint32(c.r)]
		if n := len(s.list); n > 0 && s.list[n-1].seg == me.seg() && s.list[n-1].pos == me.pos() {
			s.list[n-1].lanes |= who
			return
		}
		x.add(s, me, who)
	case who == lane.Lane(i) && (c.r == 0 || c.r == me || x.before(c.r, i)):
		c.r = me
	default:
		n := x.k.newSet()
		s := &x.k.sets[n]
		s.list, s.more = s.list[:0], 0
		if old := c.r; old != 0 {
			s.list = append(s.list, readers{seg: old.seg(), pos: old.pos(), lanes: lane.Lane(old.lane())})
		}
		x.add(s, me, who)
		c.r = touch(n) | 1<<manyAt
	}
}

// add adds a read to a set, and keeps the set small: it prunes ordered reads, or moves them to a chain.
func (x *racing) add(s *readSet, me touch, who lane.Mask) {
	seg, pos := me.seg(), me.pos()
	for n := len(s.list) - 1; n >= 0; n-- {
		if l := &s.list[n]; l.seg == seg && l.pos == pos {
			l.lanes |= who
			return
		}
	}
	// Sets stay short: a set of shared memory is pruned when its length doubles; a set of global memory has
	// maxReads entries and then a chain.
	switch n := len(s.list); {
	case x.shared && n >= 16 && n&(n-1) == 0:
		x.prune(s, firstOf(who))
	case !x.shared && n >= maxReads:
		if s.more != 0 && x.k.nodes[s.more].seg == seg && x.k.nodes[s.more].pos == pos {
			return
		}
		if s.more == 0 || x.surely(x.k.nodes[s.more].seg) {
			x.prune(s, firstOf(who))
		}
		if len(s.list) >= maxReads {
			s.more = x.chain(s.more, seg, pos)
			return
		}
	}
	if len(s.list) == cap(s.list) {
		x.k.used += 24 * uint64(max(4, len(s.list)))
	}
	s.list = append(s.list, readers{seg: seg, pos: pos, lanes: who})
}

// prune forgets reads of a set that come before the access of lane i. An access that comes after that one
// comes after them, too.
func (x *racing) prune(s *readSet, i int) {
	kept := s.list[:0]
	for _, r := range s.list {
		if x.judge(r.seg, r.lanes, i) && (r.lanes&^lane.Lane(i) == 0 || x.k.judged.settled) {
			continue
		}
		kept = append(kept, r)
	}
	s.list = kept
}

// write compares a write with the last write and the reads of a piece, and replaces them.
func (x *racing) write(c *cell, me touch, i int, addr uint64, at touched) {
	if c.w != 0 && (!x.before(c.w, i) || x.twice(c.w, i, addr)) {
		if x.harmless(c.w, i, at) {
			x.same |= lane.Lane(i)
			x.example(c.w, ir.AccessWrite, i, addr, at)
		} else if x.nearly(c.w, i) {
			if x.almost == 0 && x.bad == 0 {
				x.noted = false // an example of these is better than one of equal values
			}
			x.almost |= lane.Lane(i)
			x.example(c.w, ir.AccessWrite, i, addr, at)
		} else {
			x.clash(c.w, ir.AccessWrite, i, addr, at)
		}
	}
	if c.r != 0 {
		x.after(c, i, addr, at)
	}
	c.w = me
}

// after compares a write with the reads of a piece, and forgets the reads.
func (x *racing) after(c *cell, i int, addr uint64, at touched) {
	if !c.r.many() {
		if !x.before(c.r, i) {
			x.clash(c.r, ir.AccessRead, i, addr, at)
		}
	} else {
		x.withSet(&x.k.sets[uint32(c.r)], i, addr, at)
		x.k.drop(c.r)
	}
	c.r = 0
}

// clash notes a race with touch t.
func (x *racing) clash(t touch, kind ir.AccessKind, i int, addr uint64, at touched) {
	if x.guess(t, kind) {
		if x.stale == 0 && x.bad == 0 && x.almost == 0 {
			x.noted = false
		}
		x.stale |= lane.Lane(i)
		x.example(t, kind, i, addr, at)
		return
	}
	if x.bad == 0 {
		x.noted = false // an example of a race is better than one of a harmless write
	}
	x.bad |= lane.Lane(i)
	x.example(t, kind, i, addr, at)
}

// example keeps the first race of an access as the one to show.
func (x *racing) example(t touch, kind ir.AccessKind, i int, addr uint64, at touched) {
	if !x.noted {
		x.noted = true
		x.note = clash{i: i, other: t, kind: kind, addr: addr, off: at.start, size: x.size, alloc: at.alloc, owner: at.owner, tensor: at.tensor}
	}
}

// withStrong compares a plain access with the strong ones at its place.
func (x *racing) withStrong(s *strongSet, me touch, i int, addr uint64, at touched) {
	if me.either() {
		return
	}
	x.k.forgot = x.k.forgot || s.lost
	// From the latest strong access backwards: a read among them that is ordered saw the accesses before
	// it.
	for n := len(s.list) - 1; n >= 0; n-- {
		r := &s.list[n]
		lanes := r.lanes
		if s := &x.k.segs[r.seg-1]; r.read && lanes.Has(i) && s.block == x.w.block && s.wave == uint32(x.w.ID) {
			lanes &^= lane.Lane(i+1) - 1 // its own load came after theirs, in the same instruction
		}
		ordered := x.judge(r.seg, lanes, i)
		if !ordered && (x.kind != ir.AccessRead || r.write) {
			kind := ir.AccessRead
			if r.write {
				kind = ir.AccessUpdate
			}
			x.clash(newTouch(r.seg, firstOf(lanes&^lane.Lane(i)), r.pos), kind, i, addr, at)
			x.note.looks = x.noted && !r.write
			return
		}
		if r.read && (ordered || x.someBefore(r, i)) {
			// It saw the earlier ones, in the coherence order of this place. In another order of execution it need not.
			x.k.forgot = x.k.forgot || slices.ContainsFunc(s.list[:n], func(e readers) bool {
				return (x.kind != ir.AccessRead || e.write) && !x.judge(e.seg, e.lanes, i)
			})
			return
		}
	}
}
