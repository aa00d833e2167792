package why

import (
	"context"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Memory returns the graph of size bytes of global memory at an address, as they are after the launch.
// The root's items are the pieces. It fails only if the context ends.
func (h *History) Memory(ctx context.Context, addr, size uint64) (*Graph, error) {
	if err := h.finish(ctx); err != nil {
		return nil, err
	}
	s := h.slicer(ctx)
	root := s.add(&Node{Kind: Executed, Event: h.end(), Pos: -1, Store: true, Space: ir.Global, Items: []Item{{Addr: addr, Size: size}}})
	t := &task{node: root, time: h.end(), access: -1}
	if len(h.waves) == 0 {
		s.end(root, Memory, 0, 0, &Node{Kind: Initial, Space: ir.Global, Items: []Item{{Addr: addr, Size: size}}})
		return s.g, nil
	}
	s.load(t, ir.Global, []Item{{Addr: addr, Size: size}}, h.end())
	return s.run()
}

// A Query asks for the values that the instructions of a source line wrote.
type Query struct {
	At    func(p *ir.Pos) bool
	Block uint64
	Wave  int
	Lane  int // -1: the first lane that executed it
	Nth   int // which execution, from 1; 0: the last one
}

// Executions returns the events of the instructions that a query selects, in order, and the lane: that
// of the query, or the first that executed one. It fails only if the context ends. A kWrites event
// counts for the lanes that it wrote, any other event for the lanes that executed it.
func (h *History) Executions(ctx context.Context, q Query) (found []int, l int, err error) {
	if err := h.finish(ctx); err != nil {
		return nil, 0, err
	}
	l = q.Lane
	for n := h.begin(); n < h.end(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		e, d := h.event(n)
		w := &h.waves[e.wave]
		if !w.full || w.block != q.Block || q.Wave >= 0 && w.id != q.Wave || e.kind != kWrites && e.kind != kMet && e.kind != kAccess {
			continue
		}
		pos := int32(0)
		m := e.lanes
		switch e.kind {
		case kMet:
			pos = h.Plan.f.Code[e.seg].Pos
		default:
			pos = h.Plan.segs[e.seg].pos
		}
		if !q.At(&h.Plan.f.Pos[pos]) {
			continue
		}
		if e.kind == kWrites {
			m = 0
			for _, x := range h.Plan.segs[e.seg].writes {
				wrote := lane.Mask(d[0])
				if h.Plan.f.Val(x.ref).Scalar {
					wrote = lane.All(h.Plan.f.Lanes)
				}
				m |= wrote
				d = d[1+h.Plan.size(x.ref):]
			}
			if h.Plan.f.Exec == 0 {
				m &= e.lanes
			}
		}
		if m == 0 || l >= 0 && !m.Has(l) {
			continue
		}
		if l < 0 {
			l = m.First()
		}
		found = append(found, n)
	}
	return found, l, nil
}

// Registers returns the graph of the registers that event n wrote in lane l; for a store, the graph of
// the stored value. It fails only if the context ends.
func (h *History) Registers(ctx context.Context, n, l int) (*Graph, error) {
	if err := h.finish(ctx); err != nil {
		return nil, err
	}
	s := h.slicer(ctx)
	e, d := h.event(n)
	w, _ := s.need(n)
	m := lane.Lane(l)
	switch e.kind {
	case kWrites:
		for _, x := range h.Plan.segs[e.seg].writes {
			got := lane.Mask(d[0])
			if h.Plan.f.Val(x.ref).Scalar {
				w.regs.add(x.ref, 1)
			} else {
				w.regs.add(x.ref, got&m)
			}
			d = d[1+h.Plan.size(x.ref):]
		}
	case kMet:
		for _, r := range h.Plan.results(int(e.seg)) {
			if h.Plan.guest(r) {
				w.regs.add(h.Plan.register(r), m)
			}
		}
	default:
		w.lanes |= m
	}
	return s.run()
}

// WaveOf returns the block and the wave of an event.
func (h *History) WaveOf(n int) (block uint64, wave int) {
	e, _ := h.event(n)
	return h.waves[e.wave].block, h.waves[e.wave].id
}

// Truncated reports whether the history has forgotten events.
func (h *History) Truncated() bool { return h.first > 0 }

// Events returns the number of records that have been made.
func (h *History) Events() int { return h.end() }
