package why

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Which bits of the values of a graph are undefined, a second run tells: that of the
// instrumented function with package poison's sets of undefined bits. Its records are the
// same, so that an event has the same number, and the set of what it wrote lies beside it.

// A probe is an event of which the undefined bits are wanted.
type probe struct {
	pos   int32
	nodes []*Node
}

// Probe makes History one of a second run, which fills Value.Undef of a graph. t is the
// instrumented function with sets of undefined bits, and shadow are these.
func (p *Plan) Probe(g *Graph, blocks map[uint64]bool, t *ir.Func, shadow map[ir.Ref]ir.Ref) *History {
	q := *p
	q.at = map[*ir.Inst]int{}
	k := 0
	for i := range t.Code {
		if in := &t.Code[i]; numbered(in) && k < len(p.order) {
			q.at[in] = p.order[k]
			k++
		}
	}
	h := &History{Plan: &q, Blocks: blocks, Limit: 1 << 20, shadow: shadow, probes: map[int]*probe{}}
	for _, n := range g.Nodes {
		if n.Kind == Executed && len(n.Value) > 0 {
			pr := h.probes[n.Event]
			if pr == nil {
				pr = &probe{pos: n.Pos}
				h.probes[n.Event] = pr
			}
			pr.nodes = append(pr.nodes, n)
		}
	}
	return h
}

// numbered reports whether the Recorder is told of an operation by its address.
func numbered(in *ir.Inst) bool {
	return in.Flags&ir.Undefined == 0 && (in.Op.Meets() || in.Op == ir.Bar || in.Op == ir.HostCall || in.Op == ir.Bulk || in.Op == ir.Collective)
}

// probed fills the values of the event that has just been recorded.
func (h *History) probed(w *sim.Wave, pos int32) {
	p := h.probes[h.end()-1]
	if p == nil || p.pos != pos {
		return
	}
	for _, n := range p.nodes {
		for i := range n.Value {
			v := &n.Value[i]
			s := h.shadow[v.Ref]
			if s == 0 {
				continue
			}
			val := h.Plan.f.Val(v.Ref)
			data := unsafe.Slice((*uint64)(w.Ptr(s)), h.Plan.size(v.Ref))
			v.Undef = v.Undef[:0]
			if val.Scalar {
				v.Undef = append(v.Undef, element(val, data, 0))
				continue
			}
			for l := range v.Lanes.Lanes() {
				v.Undef = append(v.Undef, element(val, data, l))
			}
		}
	}
}
