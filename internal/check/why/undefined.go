package why

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// A second run finds the undefined bits of a graph's values: that of the instrumented function with the
// sets of undefined bits of package poison. Its records are the same, so an event has the same number
// in both runs, and the set of a written register lies beside it in the frame.

// A probe is an event whose undefined bits are wanted, with the nodes that show it.
type probe struct {
	pos   int32
	nodes []*Node
}

// Probe returns the History of a second run, which fills Value.Undef of the values of g. t is the
// instrumented function with sets of undefined bits, and shadow maps each register to its set.
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

// numbered reports whether the Recorder receives the address of an operation, so that Plan.at needs it.
func numbered(in *ir.Inst) bool {
	return in.Flags&ir.Undefined == 0 && (in.Op.Meets() || in.Op == ir.Bar || in.Op == ir.HostCall || in.Op == ir.Bulk || in.Op == ir.Tensor || in.Op == ir.Collective)
}

// probed fills the values of the event that was just recorded.
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
