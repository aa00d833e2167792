package provenance

import (
	"context"
	"io"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// undefinedEnd reports whether a node of a graph stands for an undefined value.
func (x *whyRun) undefinedEnd(n *why.Node) bool {
	switch n.Kind {
	case why.Absent, why.Unwritten, why.UnwrittenMem:
		return true
	case why.Initial:
		for _, it := range n.Items {
			a := x.mem.Find(it.Addr, it.Size)
			if a == nil {
				continue
			}
			bits, all := a.UndefinedBits()
			if all || bits != nil && slices.ContainsFunc(bits[it.Addr-a.Base:][:it.Size], func(b byte) bool { return b != 0 }) {
				return true
			}
		}
	}
	return false
}

// undefined finds the undefined bits of a graph's values and those of the element that was
// requested. If the graph has an undefined end, the launch runs once more, as Check runs it.
func (x *whyRun) undefined(ctx context.Context, p *session.Prepared, l session.Launch, g *why.Graph) (root uint64, err error) {
	if !slices.ContainsFunc(g.Nodes, x.undefinedEnd) {
		return 0, nil
	}
	fn, shadow := poison.Track(p.Fn, poison.Options{Quiet: true})
	q, err := x.k.WithCode(p, fn)
	if err != nil {
		return 0, nil
	}
	q.Track = true
	h := x.plan.Probe(g, x.blocks, fn, shadow)
	var mem *session.Memory
	q.Watch = func(m *session.Memory, s *sim.Launch) { mem, s.Recorder = m, h }
	after := session.StateOf(&l)
	defer after.Close()
	defer after.Restore()
	x.before.Restore()
	l.Stdout = io.Discard
	_, err = x.k.Execute(ctx, q, l) // a fault comes at the same place as before
	if slices.ContainsFunc(diag.Of(err), outOfTime) {
		return 0, err
	}
	if mem == nil || x.buffer == nil {
		return 0, nil
	}
	size := uint64(x.buffer.Type.Size())
	return mem.Allocs[x.buffer].Undefined(uint64(x.o.Index)*size, size), nil
}

// markUndefined marks the nodes of a provenance that are undefined, and gives the root the reason.
// A store has the undefined bits of the value that it stores.
func (x *whyRun) markUndefined(p *api.Provenance, g *why.Graph, root uint64) {
	if !slices.ContainsFunc(g.Nodes, x.undefinedEnd) {
		return
	}
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	event := func(i int) int { // ends come before their readers
		if g.Nodes[i].Kind != why.Executed {
			return -1
		}
		return g.Nodes[i].Event
	}
	slices.SortStableFunc(order, func(a, b int) int { return event(a) - event(b) })
	for _, i := range order {
		n, o := g.Nodes[i], &p.Nodes[i]
		if n.Kind != why.Executed {
			o.Undefined = x.undefinedEnd(n)
			continue
		}
		if o.Kind == api.KindElement {
			o.Undefined = root != 0
			continue
		}
		known := len(n.Value) > 0
		for k := range n.Value {
			v := &n.Value[k]
			if len(v.Undef) == 0 || len(v.Undef) != len(v.Bits) {
				known = false
				continue
			}
			if slices.ContainsFunc(v.Undef, func(b uint64) bool { return b != 0 }) {
				o.Undefined, o.Values[k].Undefined = true, v.Undef
			}
		}
		if !n.Store {
			continue
		}
		// The value that an atomic stores depends on the memory, too.
		for _, e := range n.Edges {
			if to := &p.Nodes[e.To]; (e.Role == why.Data && !known || e.Role == why.Memory) && to.Undefined {
				o.Undefined = true
			}
		}
	}
	r := &p.Nodes[p.Root]
	if p.Undefined = r.Undefined; !p.Undefined {
		return
	}
	if r.Kind == api.KindElement {
		p.UndefinedBits = root
	} else if len(r.Values) > 0 && len(r.Values[0].Undefined) > 0 {
		p.UndefinedBits = r.Values[0].Undefined[0]
	}
	p.Reason = p.UndefinedReason()
}
