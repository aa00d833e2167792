package race

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Synchronisation by strong accesses and fences.
//
// Input: strong accesses (strong), fences (order), with their scopes and orders.
// Output: races with plain accesses; clocks that releases leave at a place and acquires take from there.
// Invariant: an acquire joins a release only if it read from a place that the release wrote, and if the
// scope of the acquire reaches the block of the release (PTX 8.8, 8.9.4).
// Example: st a; fence.acq_rel.gpu; st.relaxed.gpu flag. The fence makes a promise of the lane's clock; the
// store puts it into the strongSet of flag. Another block: ld.relaxed.gpu flag; fence.acq_rel.gpu; ld a.
// The load sees the clock, the fence joins it, and the load of a is ordered.

// maxStrong is how many strong accesses to one place are remembered.
const maxStrong = 64

// strong handles an access that does not race with other strong ones (PTX 8.7). It looks for races with
// plain accesses, and acquires or releases the clocks that the access transports (PTX 8.8, 8.9.4).
func (w *wave) strong(in *ir.Inst, m lane.Mask) {
	x := racing{w: w, k: w.d, in: in, m: m, kind: ir.AccessKind(in.Align), size: uint64(in.Size), vector: true}
	var addr [64]uint64
	x.addresses(m, &addr)
	for rest := m; rest != 0; {
		// Consecutive lanes of a group that access the same place do so together.
		i := firstOf(rest)
		x.g = w.groupOf(i)
		who := lane.Lane(i)
		for j := i + 1; j < 64 && addr[j] == addr[i] && (rest & x.g.lanes).Has(j); j++ {
			who |= lane.Lane(j)
		}
		rest &^= who
		x.seg = w.segment(x.g, 0)
		at, ok := x.locate(in.Space, addr[i], x.size, who)
		if !ok {
			continue
		}
		if x.kind == ir.AccessRead && x.g.saw != [reaches]*clock{} {
			// Unspecified: a strong load after a load that saw a signal, without a fence between. It reads
			// data that the fence of the other side has published, and passes.
			knows := *x.g
			for _, saw := range knows.saw {
				knows.clk = knows.clk.join(saw)
			}
			x.g = &knows
		}
		if s := x.strongOne(i, addr[i], at, who); s != nil {
			w.signals(in, x.kind, who, s)
		}
	}
	x.finish()
}

// strongOne compares the access of lane i, and of lanes of its group that do the same, with the accesses
// before, and remembers it. It returns the strongSet of the first piece.
func (x *racing) strongOne(i int, addr uint64, at touched, who lane.Mask) (first *strongSet) {
	for end := at.off + x.size; at.off < end; {
		p := x.k.page(at.mem, at.size, at.off)
		if p == nil {
			return first
		}
		last := min(end, (at.off>>pageBits+1)<<pageBits)
		if !p.bytes && (at.off|last)&3 != 0 && !x.k.split(p) {
			return first
		}
		lo, hi := at.off&(1<<pageBits-1), at.off&(1<<pageBits-1)+last-at.off
		if !p.bytes {
			lo, hi = lo/4, hi/4
		}
		if p.strong == nil {
			x.k.used += 8 * uint64(len(p.cells))
			p.strong = make([]*strongSet, len(p.cells))
		}
		for c := lo; c < hi; c++ {
			cell := &p.cells[c]
			x.overwrites(p, c, i, at)
			if cell.w != 0 && !cell.w.either() {
				for j := range who.Lanes() {
					if !x.before(cell.w, j) {
						x.clash(cell.w, ir.AccessWrite, j, addr, at)
						x.note.looks = x.noted && x.kind == ir.AccessRead
					} else if x.k.judged.settled {
						break
					}
				}
			}
			if x.kind != ir.AccessRead && cell.r != 0 {
				for j := range who.Lanes() {
					x.withReads(cell, j, addr, at)
				}
			}
			s := p.strong[c]
			if s == nil {
				x.k.used += 128
				s = &strongSet{}
				if !x.shared {
					x.k.signals = append(x.k.signals, s)
				}
				p.strong[c] = s
			}
			if first == nil {
				first = s
				if cell.w.either() && x.kind != ir.AccessWrite {
					x.signalled(&x.k.segs[cell.w.seg()-1])
				}
			}
			x.remember(s, i, addr, at, who)
		}
		at.off = last
	}
	return first
}

// signalled lets a lane see the release of a store that may be strong.
func (x *racing) signalled(from *segment) {
	w := x.w
	if from.block == w.block {
		w.eachGroup(^lane.Mask(0), func(g *laneGroup) { g.saw[inBlock] = g.saw[inBlock].join(from.rel[0]) })
	} else if from.rel[1] != nil {
		w.eachGroup(^lane.Mask(0), func(g *laneGroup) { g.saw[inGrid] = g.saw[inGrid].join(from.rel[1]) })
	}
}

// withReads compares a write with the plain reads of a piece.
func (x *racing) withReads(c *cell, i int, addr uint64, at touched) {
	if c.r.many() {
		x.withSet(&x.k.sets[uint32(c.r)], i, addr, at)
	} else if !x.before(c.r, i) {
		x.clash(c.r, ir.AccessRead, i, addr, at)
	}
}

// remember adds a strong access of lane i and further lanes to those of its piece. If the scope of an
// access does not reach the other one's block, it is not strong towards it (PTX 8.5, 8.7).
func (x *racing) remember(s *strongSet, i int, addr uint64, at touched, who lane.Mask) {
	reach, write := x.w.reach(x.in.Order), x.kind != ir.AccessRead
	if x.in.Flags&ir.Data != 0 && !x.w.lockstep {
		x.inStep(s, i, addr, at, who)
	}
	if n := len(s.list); n > 0 {
		if r := &s.list[n-1]; r.seg == x.seg && r.pos == x.in.Pos {
			r.lanes |= who
			return
		}
	}
	for n := range s.list {
		r := &s.list[n]
		if !write && !r.write || x.w.within(x.k.segs[r.seg-1].block, min(reach, r.reach)) || x.judge(r.seg, r.lanes, i) {
			continue
		}
		x.clash(newTouch(r.seg, firstOf(r.lanes), r.pos), ir.AccessUpdate, i, addr, at)
		if x.noted {
			x.note.scope = true
		}
		break
	}
	if len(s.list) == maxStrong {
		s.lost = true
		copy(s.list, s.list[1:])
		s.list = s.list[:maxStrong-1]
	}
	s.list = append(s.list, readers{seg: x.seg, pos: x.in.Pos, lanes: who, read: x.kind != ir.AccessWrite, write: write, reach: reach, data: x.in.Flags&ir.Data != 0 && x.kind != ir.AccessUpdate})
}

// inStep compares a volatile load or store of data with those of other lanes of the wave. Only their running
// in step orders them, and from sm_70 on they need not run in step.
//
// Unspecified: strong accesses do not race (PTX 8.7.1), so the value is one of the stored ones; the
// hardware decides which. If loads wait for a value, that is intended; so is an access that says .relaxed,
// which only the form of an atomic object has.
func (x *racing) inStep(s *strongSet, i int, addr uint64, at touched, who lane.Mask) {
	for n := len(s.list) - 1; n >= 0; n-- {
		r := &s.list[n]
		if !r.data || r.write == (x.kind == ir.AccessWrite) {
			continue
		}
		if from := &x.k.segs[r.seg-1]; from.block != x.w.block || from.wave != uint32(x.w.ID) {
			continue
		}
		for j := range who.Lanes() {
			if others := r.lanes &^ lane.Lane(j); others != 0 && !x.judge(r.seg, others, j) {
				kind := ir.AccessRead
				if r.write {
					kind = ir.AccessWrite
				}
				x.clash(newTouch(r.seg, firstOf(others), r.pos), kind, j, addr, at)
				x.note.step = x.noted
				return
			}
		}
	}
}

// signals lets lanes of a group acquire by a strong read, and release by a strong write, as far as scopes
// and orders allow: one lane after another, if they write.
func (w *wave) signals(in *ir.Inst, kind ir.AccessKind, who lane.Mask, s *strongSet) {
	if kind == ir.AccessRead {
		w.hear(in, who, s)
		return
	}
	g := w.groupOf(firstOf(who))
	if s.to == [reaches]*clock{} && in.Order&ir.Release == 0 && g.rel == [reaches]promise{} {
		return // there is no clock to release
	}
	for i := range who.Lanes() {
		w.Charge()
		if kind != ir.AccessWrite {
			w.hear(in, lane.Lane(i), s)
		}
		w.strongWrite(in, kind, i, s)
	}
}
