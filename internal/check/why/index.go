package why

import (
	"sort"

	"crosslane/internal/ir"
	"crosslane/lane"
)

// A spaceLog is the events that write one memory, with bounds, so that most of them need
// not be looked at.
type spaceLog struct {
	events []int
	lo, hi []uint64 // of each event's addresses
	far    []bounds // of each farStep of them
}

type bounds struct{ lo, hi uint64 }

const farStep = 128

func (s *spaceLog) add(n int, lo, hi uint64) {
	if len(s.events)%farStep == 0 {
		s.far = append(s.far, bounds{lo, hi})
	}
	b := &s.far[len(s.far)-1]
	b.lo, b.hi = min(b.lo, lo), max(b.hi, hi)
	s.events, s.lo, s.hi = append(s.events, n), append(s.lo, lo), append(s.hi, hi)
}

// rowStep is the greatest step of a row that cannot leave a space and come back.
const rowStep = 1 << 32

// finish makes the history ready for questions.
func (h *History) finish() {
	if h.indexed {
		return
	}
	h.indexed = true
	h.shared, h.local = map[uint64]*spaceLog{}, map[int32]*spaceLog{}
	accesses := 0
	for i := range h.waves {
		w := &h.waves[i]
		w.writes = make([]int, 0, w.count[kWrites]+w.count[kMet])
		w.branch = make([]int, 0, w.count[kBranch])
		accesses += w.count[kAccess]
	}
	h.global.events, h.global.lo, h.global.hi = make([]int, 0, accesses), make([]uint64, 0, accesses), make([]uint64, 0, accesses)
	for n := h.begin(); n < h.end(); n++ {
		e, d := h.event(n)
		w := &h.waves[e.wave]
		switch e.kind {
		case kWrites, kMet:
			w.writes = append(w.writes, n)
		case kExit:
			w.exits = append(w.exits, n)
		case kArrive:
			w.arrives = append(w.arrives, n)
		case kBranch:
			w.branch = append(w.branch, n)
		case kAccess:
			in := &h.Plan.f.Code[h.Plan.segs[e.seg].op]
			size := uint64(in.Size)
			if d[0] != 0 { // a row: its ends tell
				last := d[1] + d[2]*uint64(e.lanes.Count()-1)
				log, a := h.logOf(e.wave, in.Space, d[1])
				other, b := h.logOf(e.wave, in.Space, last)
				if log == other && (d[2] <= rowStep || -d[2] <= rowStep) {
					log.add(n, min(a, b), max(a, b)+size)
					break
				}
			}
			// Lanes may be in different spaces only through generic addresses.
			logs := map[*spaceLog]bounds{}
			h.addresses(n, func(l int, a uint64) bool {
				log, at := h.logOf(e.wave, in.Space, a)
				b, ok := logs[log]
				if !ok {
					b = bounds{at, at + size}
				}
				logs[log] = bounds{min(b.lo, at), max(b.hi, at+size)}
				return true
			})
			for log, b := range logs {
				log.add(n, b.lo, b.hi)
			}
		case kWrote:
			log, at := h.logOf(e.wave, ir.Space(d[0]), d[1])
			log.add(n, at, at+d[2])
		}
	}
}

// written are the events that wrote a register of a wave, by register. Of most waves
// nobody asks.
func (h *History) written(w *waveRun) map[ir.Ref][]int {
	if w.index != nil {
		return w.index
	}
	w.index = map[ir.Ref][]int{}
	for _, n := range w.writes {
		e, _ := h.event(n)
		if e.kind == kWrites {
			for _, x := range h.Plan.segs[e.seg].writes {
				w.index[x.ref] = append(w.index[x.ref], n)
			}
			continue
		}
		for _, r := range h.Plan.results(int(e.seg)) {
			if h.Plan.guest(r) {
				r = h.Plan.register(r)
				w.index[r] = append(w.index[r], n)
			}
		}
	}
	return w.index
}

// place is the space and offset of an address of the guest.
func (h *History) place(space ir.Space, addr uint64) (ir.Space, uint64) {
	return ir.Place(space, addr, h.mem.Wide())
}

// logOf finds the memory that an address of a wave's lane is in.
func (h *History) logOf(wave int32, space ir.Space, addr uint64) (*spaceLog, uint64) {
	sp, at := h.place(space, addr)
	switch sp {
	case ir.Shared:
		b := h.waves[wave].block
		if h.shared[b] == nil {
			h.shared[b] = &spaceLog{}
		}
		return h.shared[b], at
	case ir.Local:
		if h.local[wave] == nil {
			h.local[wave] = &spaceLog{}
		}
		return h.local[wave], at
	}
	return &h.global, at
}

// A hit is a write of a register that an earlier question was answered by.
type hit struct {
	n     int
	ref   ir.Ref
	lanes lane.Mask
}

// before finds what wrote lanes of a register before event n; left are the lanes for which
// nothing is known to have.
func (h *History) before(wave int32, n int, r ir.Ref, lanes lane.Mask) (hits []hit, left lane.Mask) {
	w := &h.waves[wave]
	over := h.Plan.overlapping(r)
	v := h.Plan.f.Val(r)
	if v.Scalar {
		lanes = 1
	}
	if len(over) == 1 && h.Plan.same(over[0], r) {
		list := h.written(w)[over[0]]
		for i := sort.SearchInts(list, n) - 1; i >= 0 && lanes != 0; i-- {
			m, _ := h.recorded(list[i], over[0])
			if v.Scalar && m != 0 {
				m = 1
			}
			if m &= lanes; m != 0 {
				hits = append(hits, hit{list[i], over[0], m})
				lanes &^= m
			}
		}
		return hits, lanes
	}
	for i := range lanes.Lanes() {
		hs, rest, _ := h.bits(wave, n, r, i)
		hits = append(hits, hs...)
		if rest != 0 {
			left |= lane.Lane(i)
		}
	}
	return hits, left
}

// span is where lane i of a value lies: its first bit in the frame, and how many.
func (h *History) span(r ir.Ref, i int) (first, n uint32) {
	v := h.Plan.f.Val(r)
	switch {
	case v.Scalar && v.Type == ir.B1:
		return 8 * v.Off, 1
	case v.Scalar:
		return 8 * v.Off, 8 * v.Type.Bytes()
	case v.Type == ir.B1:
		return 8*v.Off + uint32(i), 1
	}
	return 8 * (v.Off + uint32(i)*v.Type.Bytes()), 8 * v.Type.Bytes()
}

// bits finds what wrote the bits of one lane of a register, through all its views, and
// puts their values together; rest are the bits that nothing wrote.
func (h *History) bits(wave int32, n int, r ir.Ref, i int) (hits []hit, rest, value uint64) {
	w := &h.waves[wave]
	first, count := h.span(r, i)
	need := ^uint64(0) >> (64 - count)
	over := h.Plan.overlapping(r)
	at := make([]int, len(over))
	h.written(w)
	for k, o := range over {
		at[k] = sort.SearchInts(w.index[o], n) - 1
	}
	for need != 0 {
		best := -1
		for k, o := range over {
			if at[k] >= 0 && (best < 0 || w.index[o][at[k]] > w.index[over[best]][at[best]]) {
				best = k
			}
		}
		if best < 0 {
			break
		}
		o := over[best]
		ev := w.index[o][at[best]]
		at[best]--
		m, data := h.recorded(ev, o)
		got := lane.Mask(0)
		ov := h.Plan.f.Val(o)
		lanes := h.Plan.f.Lanes
		if ov.Scalar {
			lanes = 1
		}
		lo, hi := 0, lanes
		if !ov.Scalar { // the lanes that may overlap
			f0, c0 := h.span(o, 0)
			lo = max(0, (int(first)-int(f0))/int(c0))
			hi = min(lanes, (int(first+count)-int(f0)+int(c0)-1)/int(c0))
		}
		for j := lo; j < hi; j++ {
			if !ov.Scalar && !m.Has(j) || m == 0 {
				continue
			}
			f, c := h.span(o, j)
			for b := max(f, first); b < min(f+c, first+count); b++ {
				bit := uint64(1) << (b - first)
				if need&bit == 0 {
					continue
				}
				need &^= bit
				got |= lane.Lane(j)
				value |= (element(ov, data, j) >> (b - f) & 1) << (b - first)
			}
		}
		if got != 0 {
			hits = append(hits, hit{ev, o, got})
		}
	}
	return hits, need, value
}

// valueBefore is what lane i of a register held before event n.
func (h *History) valueBefore(wave int32, n int, r ir.Ref, i int) (uint64, bool) {
	w := &h.waves[wave]
	v := h.Plan.f.Val(r)
	if over := h.Plan.overlapping(r); len(over) == 1 && h.Plan.same(over[0], r) {
		hits, left := h.before(wave, n, r, lane.Lane(i))
		if left == 0 && len(hits) > 0 {
			_, data := h.recorded(hits[0].n, over[0])
			return element(v, data, i), true
		}
		return h.initial(w, r, i), h.first == 0 && w.full
	}
	_, rest, value := h.bits(wave, n, r, i)
	if rest != 0 {
		value |= h.initial(w, r, i) & rest
	}
	return value, rest == 0 || h.first == 0 && w.full
}

// initial is what a register held when the wave started.
func (h *History) initial(w *waveRun, r ir.Ref, i int) uint64 {
	v := h.Plan.f.Val(r)
	if len(w.frame) == 0 {
		return 0
	}
	first, n := h.span(r, i)
	x := w.frame[first/64] >> (first % 64)
	if s := first % 64; s+n > 64 && int(first/64)+1 < len(w.frame) {
		x |= w.frame[first/64+1] << (64 - s)
	}
	if v.Type == ir.B1 && v.Scalar {
		return x & 1
	}
	return x & (^uint64(0) >> (64 - n))
}

// A memHit is a store that wrote bytes that a lane reads.
type memHit struct {
	n, lane int    // the event and its lane
	reader  int    // the lane that reads
	lo, hi  uint64 // the bytes of the memory
}

// A memRead is the bytes that a lane reads.
type memRead struct {
	lane int
	addr uint64 // in its space
	size uint64
	need uint64 // the bytes that are still looked for
}

// stores finds the last stores before event n of what lanes of a wave read. What is left
// of a read's need nobody stored. Bytes of local memory are those of the reader's lane.
func (h *History) stores(log *spaceLog, n int, reads []memRead, local bool) (hits []memHit) {
	if log == nil || len(reads) == 0 {
		return nil
	}
	lo, hi := reads[0].addr, reads[0].addr+reads[0].size
	open := 0
	for _, r := range reads {
		lo, hi = min(lo, r.addr), max(hi, r.addr+r.size)
		if r.need != 0 {
			open++
		}
	}
	for i := sort.SearchInts(log.events, n) - 1; i >= 0 && open > 0; i-- {
		if b := log.far[i/farStep]; b.lo >= hi || b.hi <= lo {
			i -= i % farStep
			continue
		}
		if log.lo[i] >= hi || log.hi[i] <= lo {
			continue
		}
		ev := log.events[i]
		e, d := h.event(ev)
		take := func(l int, a, size uint64) {
			for k := range reads {
				r := &reads[k]
				if r.need == 0 || local && l != r.lane || a >= r.addr+r.size || a+size <= r.addr {
					continue
				}
				from, to := max(a, r.addr), min(a+size, r.addr+r.size)
				m := (uint64(1)<<(to-r.addr) - 1) &^ (uint64(1)<<(from-r.addr) - 1)
				if r.need&m == 0 {
					continue
				}
				if r.need &^= m; r.need == 0 {
					open--
				}
				hits = append(hits, memHit{n: ev, lane: l, reader: r.lane, lo: from, hi: to})
			}
		}
		if e.kind == kWrote {
			_, at := h.place(ir.Space(d[0]), d[1])
			take(e.lanes.First(), at, d[2])
			continue
		}
		in := &h.Plan.f.Code[h.Plan.segs[e.seg].op]
		// Lanes act in order: of several that write the same bytes the last one stays.
		type at struct {
			l int
			a uint64
		}
		var all []at
		h.addresses(ev, func(l int, a uint64) bool {
			sp, x := h.place(in.Space, a)
			if other, _ := h.logOf(e.wave, in.Space, a); other == log && (sp != ir.Local) == !local && x < hi && x+uint64(in.Size) > lo {
				all = append(all, at{l, x})
			}
			return true
		})
		for k := len(all) - 1; k >= 0; k-- {
			take(all[k].l, all[k].a, uint64(in.Size))
		}
	}
	return hits
}
