package crosslane

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/sim"
)

// undefinedEnd reports whether a node of a graph stands for an undefined value.
func (x *whyRun) undefinedEnd(n *why.Node) bool {
	switch n.Kind {
	case why.Absent, why.Unwritten, why.UnwrittenMem:
		return true
	case why.Initial:
		for _, it := range n.Items {
			if a := x.mem.Find(it.Addr, it.Size); a != nil && a.Uninitialised {
				return true
			}
		}
	}
	return false
}

// undefined finds the undefined bits of a graph's values and those of the element that was
// requested. If the graph has an undefined end, the launch runs once more, as Check runs it.
func (x *whyRun) undefined(ctx context.Context, p *prepared, l Launch, g *why.Graph) (root uint64, err error) {
	if !slices.ContainsFunc(g.Nodes, x.undefinedEnd) {
		return 0, nil
	}
	q := *p
	q.track = true
	fn, shadow := poison.Track(p.fn, poison.Options{Quiet: true})
	if q.prog, err = compile(fn); err != nil {
		return 0, nil
	}
	q.fn = fn
	h := x.plan.Probe(g, x.blocks, fn, shadow)
	var mem *memory
	q.watch = func(m *memory, s *sim.Launch) { mem, s.Recorder = m, h }
	after := stateOf(&l)
	defer after.restore()
	x.before.restore()
	l.Stdout = io.Discard
	_, err = x.k.run(ctx, &q, l) // a fault comes at the same place as before
	if slices.ContainsFunc(diag.Of(err), outOfTime) {
		return 0, err
	}
	if mem == nil || x.buffer == nil {
		return 0, nil
	}
	size := uint64(x.buffer.Type.Size())
	return mem.allocs[x.buffer].Undefined(uint64(x.o.Index)*size, size), nil
}

// markUndefined marks the nodes of a provenance that are undefined, and gives the root the reason.
// A store has the undefined bits of the value that it stores.
func (x *whyRun) markUndefined(p *Provenance, g *why.Graph, root uint64) {
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
		if o.Kind == KindElement {
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
	if r.Kind == KindElement {
		p.UndefinedBits = root
	} else if len(r.Values) > 0 && len(r.Values[0].Undefined) > 0 {
		p.UndefinedBits = r.Values[0].Undefined[0]
	}
	p.Reason = p.undefinedReason()
}

// undefinedReason names the ends that make the root undefined.
func (p *Provenance) undefinedReason() string {
	seen := make([]bool, len(p.Nodes))
	seen[p.Root] = true
	queue := []int{p.Root}
	var lanes []int
	var memory = map[string][]ProvenanceElement{}
	var names, out []string
	if r := &p.Nodes[p.Root]; r.Kind == KindElement && len(r.From) == 1 && p.Nodes[r.From[0].Node].Kind == KindInput {
		return "nothing wrote it"
	}
	for len(queue) > 0 {
		n := &p.Nodes[queue[0]]
		queue = queue[1:]
		switch n.Kind {
		case KindAbsentLanes:
			for _, a := range n.Absent {
				lanes = append(lanes, a.Lane)
			}
		case KindUnwrittenRegister:
			if s := n.Name + ", which nothing wrote"; !slices.Contains(out, s) {
				out = append(out, s)
			}
		case KindUnwrittenMemory, KindInput:
			name := n.Name
			if n.Kind == KindUnwrittenMemory {
				name += " memory"
			}
			if memory[name] == nil {
				names = append(names, name)
			}
			memory[name] = append(memory[name], n.Elements...)
		}
		for _, e := range n.From {
			if e.Role != "control" && e.Role != "rounds" && !seen[e.Node] && p.Nodes[e.Node].Undefined {
				seen[e.Node] = true
				queue = append(queue, e.Node)
			}
		}
	}
	if len(lanes) > 0 {
		slices.Sort(lanes)
		lanes = slices.Compact(lanes)
		is := "are"
		if len(lanes) == 1 {
			is = "is"
		}
		out = append([]string{lanesText(lanes) + ", which " + is + " absent"}, out...)
	}
	for _, name := range names {
		var idx []int
		for _, e := range memory[name] {
			idx = append(idx, e.Index)
		}
		slices.Sort(idx)
		out = append(out, fmt.Sprintf("%s[%s], which nothing wrote", name, rangesText(slices.Compact(idx))))
	}
	if len(out) > 3 {
		out = append(out[:2], fmt.Sprintf("%d more", len(out)-2))
	}
	if len(out) == 0 {
		return ""
	}
	return "it depends on " + strings.Join(out, "; and on ")
}

// undefinedText is the part of the first line about a value that is undefined.
func (p *Provenance) undefinedText(width int) string {
	if !p.Undefined {
		return ""
	}
	s := ", undefined"
	if b := p.UndefinedBits; b != 0 && b != ^uint64(0)>>(64-max(width, 1)) {
		s += " in " + bitsText(b)
	}
	if p.Reason != "" {
		s += ": " + p.Reason
	}
	return s
}

// bitsText is "bit 3" or "bits 0..7, 9".
func bitsText(b uint64) string {
	var l []int
	for b != 0 {
		l = append(l, bits.TrailingZeros64(b))
		b &= b - 1
	}
	if len(l) == 1 {
		return fmt.Sprintf("bit %d", l[0])
	}
	return "bits " + rangesText(l)
}

// undefinedMark lists the lanes in which a value of a line is undefined.
func undefinedMark(v *ProvenanceValue) string {
	var l []int
	var all uint64
	for i, b := range v.Undefined {
		if all |= b; b != 0 && i < len(v.Lanes) {
			l = append(l, v.Lanes[i])
		}
	}
	switch {
	case all == 0:
		return ""
	case len(v.Bits) == 1 || len(l) == len(v.Lanes):
		return ", undefined"
	}
	return ", undefined in " + lanesText(l)
}
