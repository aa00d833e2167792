package sim

import (
	"bytes"
	"math"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Races: accesses to the same bytes, one of them a write, that nothing orders (PTX 8.7.1).
// If Launch.Races is set, ir.Access operations, which internal/check/race places before the
// accesses of the guest, are compared with what was done to the same memory before. Whether
// two accesses are ordered follows from the clocks of race_clock.go and not from the order
// in which this run did them, so that one run finds the races of all of its orders.
//
// Of each place the last plain write and the plain reads since then are kept, and apart from
// them the strong accesses (atomic, volatile, relaxed), which do not race with each other
// as long as their scopes reach (PTX 8.7). What is not seen:
//
//   - reads of a place of global memory beyond the first ones, if no memory is left to keep
//     chains of them;
//   - the older ones of more than 64 strong accesses of one place.
//
// Memory of a block is compared within the block only.

// races is what the blocks of a worker know together.
type races struct {
	segs []segment
	sets []readSet
	chains
	free   []uint32 // sets that nobody uses
	slots  int      // moments of a wave in a clock
	limit  uint64   // bytes
	used   uint64
	over   bool
	ended  bool // and it was told
	judged verdict
	pairs  map[racePair]bool // what has been found
	// stepped is where lanes of a wave were found to exchange data in step, by the buffer; nil
	// stands for shared memory.
	stepped map[*Alloc]int32
	guesses map[int32]bool // the instructions whose loads are guesses: see ir.Guess
	// Clocks, the places that have them, and what of their memory is in used, as it was
	// when so much had been made.
	clocks        *clocks
	signals       []*strongSet
	kept, counted uint64
	promised      [2]struct { // by waves in lockstep, the last ones
		promise
		wave *Wave
		clk  *clock
	}
}

// segment is a time of a wave in which it accessed memory.
type segment struct {
	block uint64
	wave  uint32 // and the slot, times the number of waves
	t     uint32
	rel   [2]*clock // of lockstep waves: what a store releases to the block and to the device
}

// verdict remembers what was found of a segment and a group: many pieces of memory have
// been touched by the same.
type verdict struct {
	seg     uint32
	clk     *clock
	wave    *Wave
	shared  bool
	settled bool // before the group, whichever lanes
	never   bool // not before it, whichever lanes
}

// segment is the number of the time of a group.
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

// racing is one Access in hand.
type racing struct {
	w      *Wave
	k      *races
	in     *ir.Inst
	g      *laneGroup
	m      lane.Mask // the lanes of the access
	shared bool
	slot   int  // whose time it is part of
	proxy  bool // it reads as the asynchronous proxy
	seg    uint32
	kind   ir.AccessKind
	size   uint64    // bytes
	vector bool      // Args[0] and Args[1] of the operation are addresses and what is stored
	data   []byte    // else what is stored, if that is known
	bad    lane.Mask // lanes that race
	same   lane.Mask // lanes that write what is there
	almost lane.Mask // lanes that write nearly what another lane of the instruction does
	stale  lane.Mask // lanes of a race that does no harm: see ir.Guess
	note   clash     // of the first one of bad, or of what is milder
	noted  bool
}

// clash is an example of a race.
type clash struct {
	i     int   // the lane
	other touch // the other one, by a lane
	kind  ir.AccessKind
	addr  uint64
	off   uint64
	size  uint64
	alloc *Alloc
	scope bool // both are atomic, but a scope is too narrow
	looks bool // one is a plain store, the other a strong load
	step  bool // both are strong, and of lanes of one wave
	some  bool // the lane of the other one is not known
	proxy bool // they are ordered, but no fence is between the proxies
}

// before reports whether what touch t stands for comes before what lane i does.
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

// judge reports whether what some lanes did in a segment comes before what lane i does.
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
			lanes &^= lane.Lane(i) // the order of the program
		} else if x.shared && x.slot == slotCopy && s.wave == uint32(w.ID+len(w.Waves)) {
			lanes &^= lane.Lane(i)
		}
		return s.known(v, &x.g.clk.own[s.wave], lanes, s.wave != uint32(w.ID) && s.wave < uint32(len(w.Waves)))
	}
	if x.shared {
		v.settled = true // of a block that is over
		return true
	}
	m := x.g.clk.of(s.block)
	if m == nil {
		v.never = true
		return false
	}
	return s.known(v, &m[s.wave], lanes, true)
}

// surely reports whether all that some lanes of the own block did in a segment comes before
// what the group does; false means that judge has to look.
func (x *racing) surely(seg uint32) bool {
	s := &x.k.segs[seg-1]
	return s.block == x.w.block && x.g.clk.own[s.wave].all >= s.t
}

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

// Access looks whether an access that lanes are about to make races with what was done.
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

// place is where a lane's access is.
type touched struct {
	mem   *shadowMem
	size  int // of the memory
	off   uint64
	start uint64 // off, where the access begins
	alloc *Alloc
}

// locate finds the memory of an access; ok is false if it is none that others share.
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

// one is the plain access of lane i, or of several that read at the same address.
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

func (x *racing) read(c *cell, me touch, i int, who lane.Mask, addr uint64, at touched) {
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

// reads remembers a read.
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

// add adds a read to a set.
func (x *racing) add(s *readSet, me touch, who lane.Mask) {
	seg, pos := me.seg(), me.pos()
	for n := len(s.list) - 1; n >= 0; n-- {
		if l := &s.list[n]; l.seg == seg && l.pos == pos {
			l.lanes |= who
			return
		}
	}
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

// prune forgets reads of a set that come before what lane i does: who is after this one is
// after those, too.
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

func (x *racing) write(c *cell, me touch, i int, addr uint64, at touched) {
	if c.w != 0 && (!x.before(c.w, i) || x.twice(c.w, i, addr)) {
		if x.harmless(c.w, i, at) {
			x.same |= lane.Lane(i)
			x.example(c.w, ir.AccessWrite, i, addr, at)
		} else if x.nearly(c.w, i) {
			if x.almost == 0 && x.bad == 0 {
				x.noted = false // better an example of these than of equal values
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

// after compares a write with the reads of a piece, which it forgets.
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

// twice reports whether t is of another lane of the same instruction, to the same place:
// what is there then is not defined, in lockstep too.
func (x *racing) twice(t touch, i int, addr uint64) bool {
	if t.pos() != x.in.Pos || t.lane() == i || x.in.Scalar || !x.vector || !x.m.Has(t.lane()) || !x.w.lockstep() {
		return false
	}
	s := &x.k.segs[t.seg()-1]
	return s.block == x.w.block && s.wave == uint32(x.w.ID) && x.addr(t.lane()) == x.addr(i) && x.w.Get(x.in.Args[1], t.lane()) != x.w.Get(x.in.Args[1], i)
}

func (x *racing) addr(i int) uint64 { return x.w.Address(x.in.Args[0], i, x.in.Imm) }

// harmless reports whether a write stores what the other one has stored.
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
		// Another lane of the same instruction, which has not stored yet.
		return x.w.Get(x.in.Args[1], t.lane())&mask == mine
	}
	for j := range uint64(n) {
		if at.start+j >= uint64(len(data)) || data[at.start+j] != byte(mine>>(8*j)) {
			return false
		}
	}
	return true
}

// nearly reports whether a store of lane i and that of another lane of the same instruction store
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

// guess reports whether a clash is one of a compare-and-swap loop: the load of what is compared
// first, and an atomic.
func (x *racing) guess(t touch, kind ir.AccessKind) bool {
	switch x.kind {
	case ir.AccessRead:
		return x.in.Flags&ir.Guess != 0 && x.in.Order == 0 && kind == ir.AccessUpdate
	case ir.AccessUpdate:
		return kind == ir.AccessRead && x.k.guesses[t.pos()]
	}
	return false
}

// clash notes a race.
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

func (x *racing) example(t touch, kind ir.AccessKind, i int, addr uint64, at touched) {
	if !x.noted {
		x.noted = true
		x.note = clash{i: i, other: t, kind: kind, addr: addr, off: at.start, size: x.size, alloc: at.alloc}
	}
}

// looked reports whether lane i has looked at a place by strong loads. What it stores there
// then is what a volatile variable gets, and no race with stores of the same kind.
func (x *racing) looked(s *strongSet, i int) bool {
	for n := range s.list {
		if r := &s.list[n]; r.read && (x.judge(r.seg, r.lanes, i) || x.someBefore(r, i)) {
			return true
		}
	}
	return false
}

// someBefore reports whether the access of one of several lanes comes before what lane i
// does.
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

// withStrong compares a plain access with the strong ones of its place.
func (x *racing) withStrong(s *strongSet, me touch, i int, addr uint64, at touched) {
	if me.either() {
		return
	}
	for n := len(s.list) - 1; n >= 0; n-- {
		r := &s.list[n]
		lanes := r.lanes
		if s := &x.k.segs[r.seg-1]; r.read && lanes.Has(i) && s.block == x.w.block && s.wave == uint32(x.w.ID) {
			lanes &^= lane.Lane(i+1) - 1 // its own came after theirs, in the same instruction
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
			return // it saw those that came earlier, in the order of this place
		}
	}
}
