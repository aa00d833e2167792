package why

import (
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Second returns the History of a second run, which adds the undefined bits of registers to h. The run is that of the
// function t, the instrumented function with sets of undefined bits; shadow maps each register to its set.
// The runs make the same events. From the first event on that differs, nothing is added: see Same.
func (h *History) Second(t *ir.Func, shadow map[ir.Ref]ir.Ref) *History {
	p := *h.Plan
	p.at = map[*ir.Inst]int{}
	k := 0
	for i := range t.Code {
		if in := &t.Code[i]; numbered(in) && k < len(p.order) {
			p.at[in] = p.order[k]
			k++
		}
	}
	h.atStart, h.undefined = map[int32][]uint64{}, map[undefinedKey][]uint64{}
	s := &History{Plan: &p, Blocks: h.Blocks, Limit: h.Limit, shadow: shadow}
	s.From, s.main, s.same = h.From, h, true
	return s
}

// Same reports whether all events of a second run were those of the first.
func (h *History) Same() bool { return h.same && h.end() == h.main.end() }

// startUndefined keeps the undefined bits of all registers now as those of the wave's start.
func (h *History) startUndefined(w *sim.Wave, id int32) {
	f := h.Plan.f
	frame := make([]uint64, (f.GuestSize+7)/8)
	for r, s := range h.shadow {
		// The sets have the layout of the registers: see poison.Track.
		base := unsafe.Add(w.Ptr(s), -int(f.Val(r).Off))
		copy(frame, unsafe.Slice((*uint64)(base), len(frame)))
		break
	}
	h.main.atStart[id] = frame
}

// added compares the event that was just made with that of the first run, and adds its undefined bits to it.
func (h *History) added(w *sim.Wave) {
	n := h.end() - 1
	if !h.same || n >= h.main.end() {
		h.same = false
		return
	}
	e, _ := h.event(n)
	x, _ := h.main.event(n)
	if e.kind != x.kind || e.seg != x.seg || e.wave != x.wave || e.lanes != x.lanes {
		h.same = false
		return
	}
	add := func(r ir.Ref) {
		s := h.shadow[r]
		if s == 0 {
			return
		}
		words := unsafe.Slice((*uint64)(w.Ptr(s)), h.Plan.size(r))
		// A scalar of 4 bytes has other bytes after it.
		if v := h.Plan.f.Val(r); v.Scalar && v.Type != ir.B64 {
			if u := element(v, words, 0); u != 0 {
				h.main.undefined[undefinedKey{n, r}] = []uint64{u}
			}
			return
		}
		if slices.ContainsFunc(words, func(u uint64) bool { return u != 0 }) {
			h.main.undefined[undefinedKey{n, r}] = slices.Clone(words)
		}
	}
	switch e.kind {
	case kWrites:
		for i := range h.Plan.segs[e.seg].writes {
			add(h.Plan.segs[e.seg].writes[i].ref)
		}
	case kMet:
		for _, r := range h.Plan.results(int(e.seg)) {
			if h.Plan.guest(r) {
				add(h.Plan.register(r))
			}
		}
	}
}

// FillUndefined adds to the values of a graph the undefined bits that a second run found.
func (h *History) FillUndefined(g *Graph) {
	if h.undefined == nil {
		return
	}
	for _, n := range g.Nodes {
		if n.Kind != Executed {
			continue
		}
		for i := range n.Value {
			v := &n.Value[i]
			words := h.undefined[undefinedKey{n.Event, v.Ref}]
			if words == nil {
				continue
			}
			val := h.Plan.f.Val(v.Ref)
			if val.Scalar {
				v.Undef = []uint64{element(val, words, 0)}
				continue
			}
			for l := range v.Lanes.Lanes() {
				v.Undef = append(v.Undef, element(val, words, l))
			}
		}
	}
}
