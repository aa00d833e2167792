package why

import (
	"context"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// rowStep is the greatest step of addresses in equal steps that cannot leave a memory space and come
// back to it.
const rowStep = 1 << 32

// checkEvery is the number of events between two looks at the context.
const checkEvery = 1 << 12

// finish builds the indices that questions use: events by wave and kind, and stores by memory. It does
// so once. It fails only if the context ends.
func (h *History) finish(ctx context.Context) error {
	if h.indexed {
		return nil
	}
	h.shared, h.local = map[uint64]*spaceLog{}, map[int32]*spaceLog{}
	for i := range h.waves {
		w := &h.waves[i]
		w.writes = make([]int, 0, w.count[kWrites]+w.count[kMet])
		w.branch = make([]int, 0, w.count[kBranch])
	}
	for n := h.begin(); n < h.end(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, d := h.event(n)
		w := &h.waves[e.wave]
		switch e.kind {
		case kWrites, kMet:
			w.writes = append(w.writes, n)
		case kExit:
			w.exits.add(n, laneSet(e.lanes))
		case kArrive:
			w.arrives = append(w.arrives, n)
		case kBranch:
			w.branch = append(w.branch, n)
			if w.branchOf == nil { // for most waves only stores are kept
				w.branchOf = map[int32]*eventLog[laneSet]{}
			}
			if w.branchOf[e.seg] == nil {
				w.branchOf[e.seg] = &eventLog[laneSet]{}
			}
			w.branchOf[e.seg].add(n, laneSet(e.lanes))
		case kAccess:
			in := &h.Plan.f.Code[h.Plan.segs[e.seg].op]
			size := uint64(in.Size)
			if d[0] != 0 { // addresses in equal steps: both ends give the bounds
				last := d[1] + d[2]*uint64(e.lanes.Count()-1)
				log, a := h.logOf(e.wave, in.Space, d[1])
				other, b := h.logOf(e.wave, in.Space, last)
				// Both ends lie in one memory and the steps are small, so all lanes lie there.
				if log == other && (d[2] <= rowStep || -d[2] <= rowStep) {
					log.add(n, bounds{min(a, b), max(a, b) + size}, e.lanes.Count(), size)
					break
				}
			}
			// Only generic addresses can put lanes into different spaces.
			logs := map[*spaceLog]bounds{}
			h.addresses(n, func(l int, a uint64) bool {
				log, at := h.logOf(e.wave, in.Space, a)
				b, ok := logs[log]
				if !ok {
					b = bounds{at, at + size}
				}
				logs[log] = b.join(bounds{at, at + size})
				return true
			})
			for log, b := range logs {
				log.add(n, b, e.lanes.Count(), size)
			}
		case kWrote:
			log, at := h.logOf(e.wave, ir.Space(d[0]), d[1])
			log.add(n, bounds{at, at + d[2]}, 1, d[2])
		}
	}
	h.indexed = true
	return nil
}

// written returns the events that wrote a register of a wave, with the lanes that they wrote. The index
// of a wave is built at its first question, because few waves are asked about.
func (h *History) written(w *waveRun, r ir.Ref) *eventLog[laneSet] {
	if w.index == nil {
		w.index = map[ir.Ref]*eventLog[laneSet]{}
		for _, n := range w.writes {
			e, _ := h.event(n)
			if e.kind == kWrites {
				for _, x := range h.Plan.segs[e.seg].writes {
					h.wroteTo(w, n, x.ref)
				}
				continue
			}
			for _, r := range h.Plan.results(int(e.seg)) {
				if h.Plan.guest(r) {
					h.wroteTo(w, n, h.Plan.register(r))
				}
			}
		}
	}
	if w.index[r] == nil {
		w.index[r] = &eventLog[laneSet]{}
	}
	return w.index[r]
}

// wroteTo adds event n to the log of a register. A scalar register counts as lane 0.
func (h *History) wroteTo(w *waveRun, n int, r ir.Ref) {
	log := w.index[r]
	if log == nil {
		log = &eventLog[laneSet]{}
		w.index[r] = log
	}
	m, _ := h.recorded(n, r)
	if m != 0 && h.Plan.f.Val(r).Scalar {
		m = 1
	}
	log.add(n, laneSet(m))
}

// resolve returns the space of a guest address and its offset there.
func (h *History) resolve(space ir.Space, addr uint64) (ir.Space, uint64) {
	return h.Plan.f.Windows.Resolve(space, addr, h.mem.Wide())
}

// logOf returns the log of the memory that an address of a wave belongs to, and the offset in it.
// Shared memory has a log per cluster, local memory one per wave.
func (h *History) logOf(wave int32, space ir.Space, addr uint64) (*spaceLog, uint64) {
	sp, at := h.resolve(space, addr)
	switch sp {
	case ir.Shared:
		c := h.launch.ClusterOf(h.waves[wave].block)
		if h.shared[c] == nil {
			h.shared[c] = &spaceLog{}
		}
		return h.shared[c], at
	case ir.Local:
		if h.local[wave] == nil {
			h.local[wave] = &spaceLog{}
		}
		return h.local[wave], at
	}
	return &h.global, at
}

// logAt returns the log of a memory, and the first offset of the memory there; nil: nothing writes it.
func (h *History) logAt(m *MemoryAt) (*spaceLog, uint64) {
	switch m.Space {
	case ir.Shared:
		return h.shared[h.launch.ClusterOf(m.Block)], h.launch.RankOf(m.Block) << ir.RankShift
	case ir.Local:
		return h.local[h.recordedWaves()[m.Wave]], 0
	}
	return &h.global, 0
}

// A hit is an event that wrote lanes of a register.
type hit struct {
	n     int
	ref   ir.Ref
	lanes lane.Mask
}

// before finds the events that wrote lanes of a register before event n. left are the lanes that no
// recorded event wrote. If no other view of the register's bytes is ever written, one log answers;
// otherwise bits looks at each lane.
func (h *History) before(wave int32, n int, r ir.Ref, lanes lane.Mask) (hits []hit, left lane.Mask) {
	w := &h.waves[wave]
	over := h.Plan.overlapping(r)
	v := h.Plan.f.Val(r)
	if v.Scalar {
		lanes = 1
	}
	// The only view: one log has the answer for all lanes at once.
	if len(over) == 1 && h.Plan.same(over[0], r) {
		log := h.written(w, over[0])
		for i := log.at(n); lanes != 0; {
			if i = log.before(i, laneSet(lanes)); i < 0 {
				break
			}
			m := lane.Mask(log.levels[0][i]) & lanes
			hits = append(hits, hit{log.events[i], over[0], m})
			lanes &^= m
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

// frameBits returns the first bit of lane i of a value in the frame, and the number of its bits.
func (h *History) frameBits(r ir.Ref, i int) (first, n uint32) {
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

// overlap returns the range of lanes of a value that may overlap count bits of the frame from first on;
// lane 0 for a scalar.
func (h *History) overlap(r ir.Ref, first, count uint32) (lo, hi int) {
	if h.Plan.f.Val(r).Scalar {
		return 0, 1
	}
	f, c := h.frameBits(r, 0)
	return max(0, (int(first)-int(f))/int(c)), max(0, min(h.Plan.f.Lanes, (int(first+count)-int(f)+int(c)-1)/int(c)))
}

// bits finds the events that wrote the bits of one lane of a register before event n, through all views
// of these bytes, and joins their values. rest are the bits that no event wrote.
func (h *History) bits(wave int32, n int, r ir.Ref, i int) (hits []hit, rest, value uint64) {
	w := &h.waves[wave]
	first, count := h.frameBits(r, i)
	need := ^uint64(0) >> (64 - count)
	over := h.Plan.overlapping(r)
	logs, at := make([]*eventLog[laneSet], len(over)), make([]int, len(over))
	lanesOf := make([]laneSet, len(over)) // the lanes that may overlap
	for k, o := range over {
		logs[k] = h.written(w, o)
		lo, hi := h.overlap(o, first, count)
		lanesOf[k] = laneSet(lane.All(hi) &^ lane.All(lo))
		at[k] = logs[k].before(logs[k].at(n), lanesOf[k])
	}
	for need != 0 {
		best := -1
		for k := range over {
			if at[k] >= 0 && (best < 0 || logs[k].events[at[k]] > logs[best].events[at[best]]) {
				best = k
			}
		}
		if best < 0 {
			break
		}
		// The last event of all views decides about the bits that it wrote.
		o := over[best]
		ev := logs[best].events[at[best]]
		at[best] = logs[best].before(at[best], lanesOf[best])
		m, data := h.recorded(ev, o)
		got := lane.Mask(0)
		ov := h.Plan.f.Val(o)
		lo, hi := h.overlap(o, first, count)
		for j := lo; j < hi; j++ {
			if !ov.Scalar && !m.Has(j) || m == 0 {
				continue
			}
			f, c := h.frameBits(o, j)
			for b := max(f, first); b < min(f+c, first+count); b++ {
				bit := uint64(1) << (b - first)
				// A later event has written this bit.
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

// valueBefore returns the value of lane i of a register before event n; false if it is not recorded.
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

// initial returns the value of lane i of a register at the wave's start.
func (h *History) initial(w *waveRun, r ir.Ref, i int) uint64 {
	v := h.Plan.f.Val(r)
	if len(w.frame) == 0 {
		return 0
	}
	first, n := h.frameBits(r, i)
	x := w.frame[first/64] >> (first % 64)
	if s := first % 64; s+n > 64 && int(first/64)+1 < len(w.frame) {
		x |= w.frame[first/64+1] << (64 - s)
	}
	if v.Type == ir.B1 && v.Scalar {
		return x & 1
	}
	return x & (^uint64(0) >> (64 - n))
}
