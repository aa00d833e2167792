package why

import (
	"context"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// RegisterNamed returns the register of a name; 0: the function has none.
func (h *History) RegisterNamed(name string) ir.Ref {
	for i := range h.Plan.f.Values {
		if v := &h.Plan.f.Values[i]; i > 0 && v.Kind == ir.Guest && v.Name == name {
			return ir.Ref(i)
		}
	}
	return 0
}

// number returns the number of a step of a wave in the launch; -1 for k = -1.
func (h *History) number(l *waveLine, k int32) int {
	if k < 0 {
		return -1
	}
	return int(l.steps[k].number) + h.steps.first
}

// LastWrite returns the last step before a step that wrote any bit of a lane of a register of a wave;
// -1: no kept one did. A result of a rendezvous counts from the time at which it came.
func (h *History) LastWrite(ctx context.Context, number, wave int, r ir.Ref, lane1 int) (int, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return -1, err
	}
	time, err := h.Time(ctx, number)
	if err != nil {
		return -1, err
	}
	id := h.recordedWaves()[wave]
	best, at := -1, lane.Mask(0)
	h.writers(id, r, lane1, func(log *eventLog[laneSet], m laneSet) {
		if i := log.before(log.at(time), m); i >= 0 && log.events[i] > best {
			best, at = log.events[i], lane.Mask(m)
		}
	})
	if best < 0 {
		return -1, nil
	}
	return h.number(t.waves[id], h.stepOf(t.waves[id], best, at)), nil
}

// NextWrite is LastWrite in the other direction: the first step from a step on, itself included.
func (h *History) NextWrite(ctx context.Context, number, wave int, r ir.Ref, lane1 int) (int, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return -1, err
	}
	time, err := h.Time(ctx, number)
	if err != nil {
		return -1, err
	}
	id := h.recordedWaves()[wave]
	best, at := -1, lane.Mask(0)
	h.writers(id, r, lane1, func(log *eventLog[laneSet], m laneSet) {
		for i := log.at(time); i < len(log.events) && (best < 0 || log.events[i] < best); i++ {
			if log.levels[0][i]&m != 0 {
				best, at = log.events[i], lane.Mask(m)
			}
		}
	})
	if best < 0 {
		return -1, nil
	}
	return h.number(t.waves[id], h.stepOf(t.waves[id], best, at)), nil
}

// writers calls do with the log of each register that shares bits with a lane of r, and the lanes that do.
func (h *History) writers(id int32, r ir.Ref, i int, do func(log *eventLog[laneSet], m laneSet)) {
	first, count := h.frameBits(r, i)
	for _, o := range h.Plan.overlapping(r) {
		lo, hi := h.overlap(o, first, count)
		if m := lane.All(hi) &^ lane.All(lo); m != 0 {
			do(h.written(&h.waves[id], o), laneSet(m))
		}
	}
}

// A StoreAt is a store to a byte of memory.
type StoreAt struct {
	Step  int    // -1: it is not a kept step of a recorded wave
	Block uint64 // of the wave that stored
	Wave  int    // in its block
	Lane  int
}

// LastStore returns the last store to the bytes of m before a step; ok is false if there is none that is kept. To the
// private memory of a lane only that lane stores.
func (h *History) LastStore(ctx context.Context, number int, m *MemoryAt) (s StoreAt, ok bool, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return s, false, err
	}
	time, err := h.Time(ctx, number)
	if err != nil {
		return s, false, err
	}
	log, first := h.logAt(m)
	if log == nil {
		return s, false, nil
	}
	best := memHit{n: -1}
	at, size := first+m.Base, uint64(len(m.Data))
	for size > 0 {
		n := min(size, 64)
		reads := []memRead{{m.Lane, at, n, ^uint64(0) >> (64 - n)}}
		for _, x := range h.stores(log, time, reads, m.Space == ir.Local) {
			if x.n > best.n {
				best = x
			}
		}
		at, size = at+n, size-n
	}
	if best.n < 0 {
		return s, false, nil
	}
	e, _ := h.event(best.n)
	w := &h.waves[e.wave]
	s = StoreAt{Step: -1, Block: w.block, Wave: w.id, Lane: best.lane}
	if l := t.waves[e.wave]; w.full && l != nil {
		s.Step = h.number(l, h.stepOf(l, best.n, lane.Lane(best.lane)))
	}
	return s, true, nil
}

// EventOf returns the event of a step that holds what it wrote, for Registers: the last one that wrote
// registers, else its last store; -1: it wrote nothing.
func (h *History) EventOf(ctx context.Context, number int) (int, error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return -1, err
	}
	ref := t.order[number-h.steps.first]
	best, store := -1, -1
	for _, n := range h.eventsOf(t.waves[ref.wave], ref.k) {
		switch e, _ := h.event(n); e.kind {
		case kWrites, kMet:
			best = n
		case kAccess:
			store = n
		}
	}
	if best < 0 {
		best = store
	}
	return best, nil
}

// NodeSteps returns the steps to which the values of a node of a graph belong: the wave, by its place in Waves, and the numbers
// of the steps among the steps of the wave. Of a rendezvous there is a step for each fragment that arrived. There is none if the
// node is no execution, or its steps are not kept.
func (h *History) NodeSteps(ctx context.Context, n *Node) (wave int, steps []int, err error) {
	t, err := h.timeline(ctx)
	if err != nil || n.Kind != Executed || n.Event < h.begin() || n.Event >= h.end() {
		return -1, nil, err
	}
	e, _ := h.event(n.Event)
	if e.wave < 0 || !slices.Contains(h.recordedWaves(), e.wave) {
		return -1, nil, nil
	}
	l := t.waves[e.wave]
	lanes := n.Lanes
	if lanes == 0 {
		lanes = e.lanes
	}
	for lanes != 0 {
		at := lanes & -lanes
		k := h.stepOf(l, n.Event, at)
		if k < 0 || int(k) >= len(l.steps) {
			return -1, nil, nil
		}
		steps = append(steps, int(k))
		lanes &^= h.stepLanes(l, k) | at
	}
	slices.Sort(steps)
	return h.waveNumber(e.wave), slices.Compact(steps), nil
}

// Writes reports whether a step writes a register, or another view of it, in a lane; nil: in any lane.
func (h *History) Writes(ctx context.Context, number int, r ir.Ref, l *int) (found bool, err error) {
	t, err := h.timeline(ctx)
	if err != nil {
		return false, err
	}
	ref := t.order[number-h.steps.first]
	line := t.waves[ref.wave]
	lanes := h.stepLanes(line, ref.k)
	for _, n := range h.eventsOf(line, ref.k) {
		e, _ := h.event(n)
		h.written1(n, func(x ir.Ref, m lane.Mask, _, _ []uint64) {
			if e.kind == kMet {
				m &= lanes
			}
			switch {
			case m == 0 || !h.Plan.same(x, r) && !h.Plan.shares(x, r):
			case l == nil || h.Plan.f.Val(x).Scalar:
				found = true
			default:
				first, count := h.frameBits(r, *l)
				lo, hi := h.overlap(x, first, count)
				found = found || m&(lane.All(hi)&^lane.All(lo)) != 0
			}
		})
	}
	return found, nil
}
