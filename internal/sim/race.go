package sim

import (
	"bytes"
	"math"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A race is two accesses to the same bytes, one of them a write, that no synchronisation orders (PTX
// 8.7.1). If Launch.Races is set, internal/check/race places ir.Access operations before the accesses of
// the guest. Each is compared with the accesses that were made to the same memory before. The clocks of
// race_clock.go decide whether two accesses are ordered, not the order in which this run executed them. So
// one run finds the races of all its orders.
//
// Input: ir.Access operations: plain accesses, strong accesses, fences and waits for copies.
// Output: findings of the codes race-shared, race-global, race-same-value and race-rounding.
// Invariant: a cell (race_shadow.go) holds the last plain write of a piece of memory and the plain reads
// since then. Any later access that races with an older one also races with one of these, or was reported
// before.
// Example: lane 0 stores a[1]; lane 1 loads a[1] with no barrier between. The cell of a[1] holds the store;
// its time is not in the clock of lane 1, so the load is reported.
//
// Literature: Flanagan and Freund, FastTrack (PLDI 2009); Lamport, Time, clocks, and the ordering of events
// in a distributed system (CACM 1978).
//
// Strong accesses (atomic, volatile, relaxed) are kept apart from plain ones. They do not race with each
// other as long as their scopes reach (PTX 8.7). Two kinds of accesses are lost:
//
//   - reads of a place of global memory beyond the first ones, if no memory is left to keep chains of them;
//   - the older ones of more than 64 strong accesses to one place.
//
// Memory of a block is compared within the block only.

// races is the state of the detector that the blocks of a worker share.
type races struct {
	segs []segment
	sets []readSet
	chains
	free   []uint32 // indices of unused sets
	slots  int      // epochs of a wave in a clock
	limit  uint64   // bytes that the detector may use
	used   uint64
	over   bool // the memory is used up
	ended  bool // and a finding has reported it
	judged verdict
	pairs  map[racePair]bool // pairs of instructions that were found to race
	// stepped maps a buffer to the instruction at which lanes of a wave were found to exchange data in
	// step. The key nil is shared memory.
	stepped map[*Alloc]int32
	guesses map[int32]bool // the instructions whose loads are guesses: see ir.Guess
	// The clocks, the places that hold signals, the share of their memory in used (kept), and the value of
	// clocks.made at that count (counted).
	clocks        *clocks
	signals       []*strongSet
	kept, counted uint64
	promised      [2]struct { // the last promises of waves in lockstep, with their clocks
		promise
		wave *Wave
		clk  *clock
	}
}

// segment is an interval of a wave's time, between two releases, in which it accessed memory.
type segment struct {
	block uint64
	wave  uint32 // plus the slot times the number of waves
	t     uint32
	rel   [2]*clock // on GCN3: the release of a store to the block and to the device
}

// verdict remembers the last comparison of a segment with a lane group. Many pieces of memory were touched
// by the same segment.
type verdict struct {
	seg     uint32
	clk     *clock
	wave    *Wave
	shared  bool
	settled bool // all lanes of the segment come before the group
	never   bool // no lane of the segment comes before it
}

// segment returns the number of the current segment of a group in a slot, and makes it if need be.
func (w *Wave) segment(g *laneGroup, slot int) uint32 {
	at, t, wave := &g.segs[slot], g.t, uint32(w.ID+slot*len(w.Waves))
	switch slot {
	case slotCopy:
		t = g.at
	case slotBulk, slotBulkRead:
		t = g.bulk
	}
	if *at == 0 {
		k := w.races
		k.used += 32
		s := segment{block: w.block, wave: wave, t: t}
		if w.Func.Exec != 0 {
			s.rel[0] = g.rel.by(w, g.lanes)
			if s.rel[1] = s.rel[0]; g.relDevice != g.rel {
				s.rel[1] = g.relDevice.by(w, g.lanes)
			}
			k.count()
		}
		k.segs = append(k.segs, s)
		*at = uint32(len(k.segs))
	}
	return *at
}

// racing is one Access that is being checked.
//
// Input: the operation, its lanes and their addresses.
// Output: bad, same, almost and stale, the lanes of races by severity, and one example (note); finish
// reports them.
// Invariant: cells are compared before they are changed, lane by lane in the order of lanes.
// Example: 32 lanes store different values to one word: every lane after lane 0 races with the lane before
// it.
type racing struct {
	w      *Wave
	k      *races
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
	alloc *Alloc
	scope bool // both are atomic, but a scope is too narrow
	looks bool // one is a plain store, the other a strong load
	step  bool // both are strong, by lanes of one wave
	some  bool // the lane of the other access is not known
	proxy bool // they are ordered, but no fence between the proxies separates them
}

// before reports whether the access of touch t comes before the access of lane i.
func (x *racing) before(t touch, i int) bool {
	v := &x.k.judged
	if v.seg == t.seg() && v.clk == x.g.clk && v.wave == x.w && v.shared == x.shared {
		if v.settled {
			return true
		}
		if v.never {
			return false
		}
	}
	return x.judge(t.seg(), lane.Lane(t.lane()), i)
}

// judge reports whether the accesses of some lanes in a segment come before the access of lane i. The
// program order decides within a lane, the program order of all lanes within a wave in lockstep, and the
// clock otherwise. Shared memory of a block that has ended orders everything.
func (x *racing) judge(seg uint32, lanes lane.Mask, i int) bool {
	s := &x.k.segs[seg-1]
	w := x.w
	v := &x.k.judged
	*v = verdict{seg: seg, clk: x.g.clk, wave: w, shared: x.shared}
	if s.block == w.block {
		if s.wave == uint32(w.ID) {
			if w.lockstep() {
				v.settled = true
				return true
			}
			lanes &^= lane.Lane(i) // the program order
		} else if x.shared && x.slot == slotCopy && s.wave == uint32(w.ID+len(w.Waves)) {
			lanes &^= lane.Lane(i)
		}
		return s.known(v, &x.g.clk.own[s.wave], lanes, s.wave != uint32(w.ID) && s.wave < uint32(len(w.Waves)))
	}
	if x.shared {
		v.settled = true // the block has ended
		return true
	}
	m := x.g.clk.of(s.block)
	if m == nil {
		v.never = true
		return false
	}
	return s.known(v, &m[s.wave], lanes, true)
}

// surely reports whether all accesses of a segment of the own block come before the group's access. If it
// returns false, judge has to decide.
func (x *racing) surely(seg uint32) bool {
	s := &x.k.segs[seg-1]
	return s.block == x.w.block && x.g.clk.own[s.wave].all >= s.t
}

// known reports whether the time of a segment is in epoch m for the given lanes. It records in v a verdict
// for all lanes; alike says that a negative verdict holds for all lanes, too.
func (s *segment) known(v *verdict, m *epoch, lanes lane.Mask, alike bool) bool {
	if m.lanes == nil || m.all >= s.t {
		v.settled = m.all >= s.t
		v.never = !v.settled && alike
		return v.settled || lanes == 0
	}
	for i := range lanes.Lanes() {
		if m.of(i) < s.t {
			return false
		}
	}
	return true
}

// Access checks whether an access that lanes are about to make races with earlier ones.
func (w *Wave) Access(in *ir.Inst, m lane.Mask) {
	k := w.races
	if k == nil {
		return
	}
	if in.Scalar {
		m = lane.Lane(0)
	}
	w.beyondAll(in, m)
	if k.over && !k.endReported(w, in) || in.Space == ir.Local {
		return
	}
	if in.Args[0] == 0 {
		w.order(in, m)
		return
	}
	if in.Order&ir.Strong != 0 {
		w.dear += slowCost
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
	alloc *Alloc
}

// locate finds the memory of an access. ok is false if it does not exist, is read-only, private, or a
// parameter.
func (w *Wave) locate(space ir.Space, addr, n uint64) (p touched, ok bool) {
	switch space, addr = w.Resolve(space, addr); space {
	case ir.Local, ir.Param:
		return p, false
	case ir.Shared:
		if size := uint64(len(w.Shared)); addr > size || size-addr < n {
			return p, false
		}
		return touched{mem: &w.sharedRace, size: len(w.Shared), off: addr, start: addr}, true
	}
	a := w.lastRace
	if a == nil || addr-a.Base > uint64(len(a.Data)) || uint64(len(a.Data))-(addr-a.Base) < n {
		if a = w.Mem.Find(addr, n); a == nil {
			return p, false
		}
		w.lastRace = a
	}
	return touched{mem: &a.race, size: len(a.Data), off: addr - a.Base, start: addr - a.Base, alloc: a}, !a.ReadOnly
}

// one checks the plain access of lane i. The set who holds lane i and the lanes that read at the same address.
func (x *racing) one(i int, space ir.Space, addr uint64, who lane.Mask) {
	w, in := x.w, x.in
	at, ok := w.locate(space, addr, x.size)
	if !ok {
		return
	}
	x.shared = at.alloc == nil
	me := newTouch(x.seg, i, in.Pos)
	if in.Order&ir.Either != 0 {
		me |= 1 << eitherAt
	}
	for end := at.off + x.size; at.off < end; {
		p := x.k.page(at.mem, at.size, at.off)
		if p == nil {
			return
		}
		last := min(end, (at.off>>racePage+1)<<racePage)
		if !p.bytes && (at.off|last)&3 != 0 && !x.k.split(p) {
			return
		}
		lo, hi := at.off&(1<<racePage-1), at.off&(1<<racePage-1)+last-at.off
		if !p.bytes {
			lo, hi = lo/4, hi/4
		}
		for c := lo; c < hi; c++ {
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
		} else if x.proxy && !x.fenced(c.w) {
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

// twice reports whether t belongs to another lane of the same instruction, which stores another value at
// the same place. The value there is then undefined, even in lockstep.
func (x *racing) twice(t touch, i int, addr uint64) bool {
	if t.pos() != x.in.Pos || t.lane() == i || x.in.Scalar || !x.vector || !x.m.Has(t.lane()) || !x.w.lockstep() {
		return false
	}
	s := &x.k.segs[t.seg()-1]
	return s.block == x.w.block && s.wave == uint32(x.w.ID) && x.addr(t.lane()) == x.addr(i) && x.w.Get(x.in.Args[1], t.lane()) != x.w.Get(x.in.Args[1], i)
}

// addr is the address of lane i in a vector access.
func (x *racing) addr(i int) uint64 { return x.w.Address(x.in.Args[0], i, x.in.Imm) }

// harmless reports whether a write stores the value that the other write has stored.
func (x *racing) harmless(t touch, i int, at touched) bool {
	if x.slot != 0 {
		return false
	}
	data := x.w.Shared
	if at.alloc != nil {
		data = at.alloc.Data
	}
	if !x.vector {
		return x.data != nil && bytes.Equal(x.data, data[at.start:][:len(x.data)])
	}
	if x.in.Args[1] == 0 {
		return false
	}
	n := uint(x.size)
	mask := ^uint64(0) >> (64 - 8*min(n, 8))
	mine := x.w.Get(x.in.Args[1], i) & mask
	s := &x.k.segs[t.seg()-1]
	if t.pos() == x.in.Pos && s.block == x.w.block && s.wave == uint32(x.w.ID) && x.m.Has(t.lane()) && t.lane() != i && x.addr(t.lane()) == x.addr(i) {
		// Another lane of the same instruction, whose store has not been done yet.
		return x.w.Get(x.in.Args[1], t.lane())&mask == mine
	}
	for j := range uint64(n) {
		if at.start+j >= uint64(len(data)) || data[at.start+j] != byte(mine>>(8*j)) {
			return false
		}
	}
	return true
}

// nearly reports whether the stores of lane i and of another lane of the same instruction are
// floating-point numbers that differ by rounding only.
func (x *racing) nearly(t touch, i int) bool {
	if x.in.Flags&ir.Rounded == 0 || !x.vector || x.kind != ir.AccessWrite || t.pos() != x.in.Pos || t.lane() == i || !x.m.Has(t.lane()) || x.addr(t.lane()) != x.addr(i) {
		return false
	}
	if s := &x.k.segs[t.seg()-1]; s.block != x.w.block || s.wave != uint32(x.w.ID) {
		return false
	}
	a, b := x.w.Get(x.in.Args[1], t.lane()), x.w.Get(x.in.Args[1], i)
	var p, q, part float64
	switch x.size {
	case 4:
		p, q, part = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b))), 0x1p-16
	case 8:
		p, q, part = math.Float64frombits(a), math.Float64frombits(b), 0x1p-40
	default:
		return false
	}
	return math.Abs(p-q) <= part*max(math.Abs(p), math.Abs(q)) // NaN: false
}

// guess reports whether a clash is part of a compare-and-swap loop: the first load of the value to compare,
// and an atomic.
func (x *racing) guess(t touch, kind ir.AccessKind) bool {
	switch x.kind {
	case ir.AccessRead:
		return x.in.Flags&ir.Guess != 0 && x.in.Order == 0 && kind == ir.AccessUpdate
	case ir.AccessUpdate:
		return kind == ir.AccessRead && x.k.guesses[t.pos()]
	}
	return false
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
		x.note = clash{i: i, other: t, kind: kind, addr: addr, off: at.start, size: x.size, alloc: at.alloc}
	}
}

// looked reports whether lane i has looked at a place by strong loads before. Its store then is like one to
// a volatile variable, and does not race with stores of the same kind.
func (x *racing) looked(s *strongSet, i int) bool {
	for n := range s.list {
		if r := &s.list[n]; r.read && (x.judge(r.seg, r.lanes, i) || x.someBefore(r, i)) {
			return true
		}
	}
	return false
}

// someBefore reports whether the access of at least one of several lanes comes before the access of lane i.
func (x *racing) someBefore(r *readers, i int) bool {
	if x.k.judged.never {
		return false
	}
	for j := range r.lanes.Lanes() {
		if x.judge(r.seg, lane.Lane(j), i) {
			return true
		}
	}
	return false
}

// withStrong compares a plain access with the strong ones at its place.
func (x *racing) withStrong(s *strongSet, me touch, i int, addr uint64, at touched) {
	if me.either() {
		return
	}
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
			return // it saw the earlier ones, in the coherence order of this place
		}
	}
}
