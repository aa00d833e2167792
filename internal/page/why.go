package page

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"example.org/crosslane"
	"example.org/crosslane/internal/page/ask"
	"example.org/crosslane/internal/value"
)

// maxNodes is the greatest number of nodes of a provenance in one answer: those next to the value. The rest only shows as cells.
const maxNodes = 4000

// whyShown is the answer of why. Nodes are the steps of the nodes of the provenance, by their numbers; Cells are the steps of all nodes
// in order, each with the lanes that matter.
type whyShown struct {
	Step       int                   `json:"step"` // that wrote the value
	Lane       int                   `json:"lane"`
	Provenance *crosslane.Provenance `json:"provenance"`
	More       int                   `json:"more,omitempty"` // how many nodes are left out of the provenance
	Text       string                `json:"text"`
	Nodes      map[string][]int      `json:"nodes"`
	Cells      [][2]any              `json:"cells"`
	Path       *pathShown            `json:"path,omitempty"` // missing: none was asked for, or there is none
}

// pathShown is how a value reaches the one that is explained: the nodes on a shortest way, and their cells.
type pathShown struct {
	Nodes []int    `json:"nodes"`
	Cells [][2]any `json:"cells"`
}

func (p *Page) why(ctx context.Context, params []byte) (any, error) {
	var q struct {
		Rec      int    `json:"rec"`
		Step     int    `json:"step"`
		Lane     int    `json:"lane"`
		Register string `json:"register"`
		Buffer   string `json:"buffer"`
		Index    int    `json:"index"`
		Wave     *int   `json:"wave"`
		All      bool   `json:"all"`   // fold nothing in the text
		Depth    int    `json:"depth"` // of the text; 0: all
		TimeMS   int    `json:"timeout_ms"`
		// Path, if it is there, names a value by a step and a lane: the answer says how it reaches the one that is explained.
		Path *struct {
			Step int `json:"step"`
			Lane int `json:"lane"`
		} `json:"path"`
	}
	if err := ask.Params(params, &q); err != nil {
		return nil, err
	}
	limit, err := p.limit(q.TimeMS)
	if err != nil {
		return nil, err
	}
	k, err := p.shelf.find(q.Rec)
	if err != nil {
		return nil, err
	}
	return within(ctx, p, limit, func(ctx context.Context) (*whyShown, error) {
		k.mu.Lock()
		defer k.mu.Unlock()
		step, lane := q.Step, q.Lane
		var err error
		switch {
		case q.Buffer != "":
			step, lane, err = k.lastStoreOf(q.Step, q.Buffer, q.Index)
		case q.Register != "":
			step, err = k.writeOf(q.Step, q.Wave, q.Register, lane)
		}
		if err != nil {
			return nil, err
		}
		prov, err := k.rec.Why(ctx, step, lane)
		if err != nil {
			return nil, err
		}
		out := &whyShown{Step: step, Lane: lane, Provenance: prov, Text: prov.Text(crosslane.WhyView{All: q.All, Depth: max(q.Depth, 0)})}
		if out.Cells, err = k.cells(prov.Nodes); err != nil {
			return nil, err
		}
		g := newGraph(prov)
		if q.Path != nil {
			if out.Path, err = k.path(g, q.Path.Step, q.Path.Lane); err != nil {
				return nil, err
			}
		}
		out.keep(g)
		return out, nil
	})
}

// lastStoreOf is the step and the lane that stored an element of a buffer last, before a step.
func (k *kept) lastStoreOf(step int, buffer string, index int) (at, lane int, err error) {
	m := memoryRange{Name: buffer}
	typ := value.Type(cmp.Or(k.typeOf(&m), "u8"))
	if index < 0 {
		return 0, 0, usage("why: the index of an element is at least 0, found %d", index)
	}
	m.Offset, m.Size = index*typ.Size(), typ.Size()
	s, ok, err := k.rec.LastStore(step, m.of())
	switch {
	case err != nil:
		return 0, 0, err
	case !ok:
		return 0, 0, usage("why: no step before %d stored %s[%d]", step, buffer, index)
	case s.Step < 0:
		d := usage("why: block %d,%d,%d stored %s[%d], and it is not recorded", s.Block.X, s.Block.Y, s.Block.Z, buffer, index)
		d.Remedy = "record this block"
		return 0, 0, d
	}
	return s.Step, s.Lane, nil
}

// writeOf is the step that wrote a register in a lane: step itself if it did, else the last one before it.
func (k *kept) writeOf(step int, wave *int, register string, lane int) (int, error) {
	first, n := k.rec.Bounds()
	if step >= first && step < first+n {
		s, err := k.rec.Step(step)
		if err != nil {
			return 0, err
		}
		if wave == nil {
			wave = &s.Wave
		}
		next, err := k.rec.NextWrite(step, *wave, register, lane)
		if err != nil {
			return 0, err
		}
		if next == step {
			return step, nil
		}
	}
	if wave == nil {
		return 0, usage("why: step %d is none of the recording; name the wave", step)
	}
	at, err := k.rec.LastWrite(step, *wave, register, lane)
	if err == nil && at < 0 {
		err = usage("why: no step up to %d wrote %s in lane %d", step, quoted(register), lane)
	}
	return at, err
}

// whyShown lays out a provenance.
// graph is a provenance by the numbers of its nodes.
type graph struct {
	prov *crosslane.Provenance
	byID map[int]*crosslane.ProvenanceNode
	// order are the numbers of the nodes that the value depends on, those next to it first; back leads from each to the one before it on
	// a shortest way.
	order []int
	back  map[int]int
}

func newGraph(prov *crosslane.Provenance) *graph {
	g := &graph{prov: prov, byID: make(map[int]*crosslane.ProvenanceNode, len(prov.Nodes)), order: []int{prov.Root}, back: map[int]int{prov.Root: -1}}
	for i := range prov.Nodes {
		g.byID[prov.Nodes[i].ID] = &prov.Nodes[i]
	}
	for i := 0; i < len(g.order); i++ {
		n := g.byID[g.order[i]]
		if n == nil {
			continue
		}
		for _, e := range n.From {
			if _, seen := g.back[e.Node]; !seen {
				g.back[e.Node] = n.ID
				g.order = append(g.order, e.Node)
			}
		}
	}
	return g
}

// keep leaves the first nodes in the provenance of an answer.
func (w *whyShown) keep(g *graph) {
	w.Nodes = map[string][]int{}
	nodes := g.prov.Nodes
	if len(nodes) > maxNodes {
		chosen := map[int]bool{}
		for _, id := range g.order[:min(maxNodes, len(g.order))] {
			chosen[id] = true
		}
		if w.Path != nil {
			for _, id := range w.Path.Nodes[:min(maxNodes, len(w.Path.Nodes))] {
				chosen[id] = true
			}
		}
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n crosslane.ProvenanceNode) bool { return !chosen[n.ID] })
		w.More = len(g.prov.Nodes) - len(nodes)
		short := *g.prov
		short.Nodes = nodes
		w.Provenance = &short
	}
	for i := range nodes {
		if n := &nodes[i]; len(n.Steps) > 0 {
			w.Nodes[strconv.Itoa(n.ID)] = n.Steps
		}
	}
}

// path finds a shortest way from a lane of a step to the value; nil: the value does not depend on it.
func (k *kept) path(g *graph, step, lane int) (*pathShown, error) {
	goal := slices.IndexFunc(g.prov.Nodes, func(n crosslane.ProvenanceNode) bool {
		return slices.Contains(n.Steps, step) && (len(n.Lanes) == 0 || slices.Contains(n.Lanes, lane))
	})
	if goal < 0 {
		return nil, nil
	}
	out := &pathShown{}
	var nodes []crosslane.ProvenanceNode
	id := g.prov.Nodes[goal].ID
	if _, ok := g.back[id]; !ok {
		return nil, nil
	}
	for ; id >= 0; id = g.back[id] {
		out.Nodes = append(out.Nodes, id)
		nodes = append(nodes, *g.byID[id])
	}
	var err error
	out.Cells, err = k.cells(nodes)
	return out, err
}

// cells are the steps of nodes in order, each with the lanes that matter.
func (k *kept) cells(nodes []crosslane.ProvenanceNode) ([][2]any, error) {
	cells := map[int]crosslane.Hex{}
	for i := range nodes {
		n := &nodes[i]
		var lanes crosslane.Hex
		for _, l := range n.Lanes {
			lanes |= 1 << uint(l)
		}
		for _, s := range n.Steps {
			here, scalar, err := k.rec.StepLanes(s)
			if err != nil {
				return nil, err
			}
			if !scalar {
				here &= lanes
			}
			cells[s] |= here
		}
	}
	out := make([][2]any, 0, len(cells))
	for _, s := range slices.Sorted(maps.Keys(cells)) {
		out = append(out, [2]any{s, cells[s]})
	}
	return out, nil
}
