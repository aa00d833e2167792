// Package plan finds the cheapest instructions for a lane map, or for a reduction or scan over the
// lanes of a wave, and proves each answer by running its text.
//
// The instructions come from the rows that move lanes, with the maps that package lane gives to their
// controls. The space of single instructions is small, so that it is enumerated: gfx803 has 1,314
// different maps, PTX 4,236. Longer sequences are searched in the order of their cost, within bounds
// that count work and not time. No answer is believed: its text is assembled and run on lanes whose
// values tell where they come from, and the check of all paths has to find no missing wait.
package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/draw"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// mostAnswers is the largest number of answers that a plan has.
const mostAnswers = 4

// preferences lists the values of PlanOptions.Prefer.
func preferences() []string { return []string{"latency", "throughput", "no-lds", "registers"} }

// Plan finds sequences for a goal. The error is a diag.List: class Input for a goal or an option that
// is not understood, Unsupported for targets that Crosslane does not run and for goals without a
// sequence within the bound.
func Plan(ctx context.Context, text string, o api.PlanOptions) (*api.Plan, error) {
	p := &api.Plan{Goal: strings.Join(strings.Fields(text), " "), Target: o.Target, Prefer: cmp.Or(o.Prefer, "latency"), Answers: []api.PlanAnswer{}}
	if !slices.Contains(preferences(), p.Prefer) {
		return nil, bad("prefer one of "+strings.Join(preferences(), ", "), "there is no preference %q", o.Prefer)
	}
	pl := &planner{ctx: ctx, out: p}
	if err := pl.target(o.Target); err != nil {
		return nil, err
	}
	active := lane.All(pl.n)
	if o.Active != nil {
		active = lane.Mask(*o.Active)
		if active == 0 || active&^lane.All(pl.n) != 0 {
			return nil, bad("", "the mask of active lanes is %#x, want some of the lanes 0 to %d", *o.Active, pl.n-1)
		}
	}
	p.Active, pl.active = active.Hex(pl.n), active
	if err := pl.plan(text, active); err != nil {
		return nil, err
	}
	return p, nil
}

// planner makes one plan.
type planner struct {
	ctx    context.Context
	out    *api.Plan
	n      int
	active lane.Mask
	sm     int // of a PTX target
}

// target reads the name of a target.
func (p *planner) target(name string) error {
	if name == "" {
		return bad("name one: sm_80, gfx803", "there is no target")
	}
	if name == amdgpu.GFX803.Name {
		p.out.ISA, p.n = api.GCN3, amdgpu.GFX803.WaveSize
		return nil
	}
	if t, ok := ptx.ParseTarget(name); ok {
		p.out.ISA, p.n, p.sm = api.PTX, lane.WarpLanes, t.SM
		if len(ptx.Shuffles(t.SM)) == 0 {
			return unsupported("choose sm_30 or later", "%s has no instruction that moves a register between lanes", name)
		}
		return nil
	}
	return unsupported("the targets are gfx803 and those of PTX, such as sm_80", "the target %q is not supported", name)
}

func unsupported(remedy, format string, args ...any) error {
	d := diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", format, args...)
	d.Remedy = remedy
	return diag.List{d}
}

// plan finds and proves the sequences.
func (p *planner) plan(text string, active lane.Mask) error {
	if done, err := p.template(text); done {
		return err
	}
	g, err := parseGoal(text, p.n)
	if err != nil {
		return err
	}
	g.active = active
	for i := range g.n {
		if !active.Has(i) {
			g.want[i] = free
		}
	}
	p.out.About, p.out.Notes, p.out.Map = g.about, g.notes, g.want.text(g.n)
	p.picture(g)
	return p.answers(p.measureAll(moveSequences(g, p.out.ISA == api.GCN3)), func(_ *measured, r *run) (api.PlanProof, error) { return proveMap(p.ctx, r, g) })
}

// template finds and proves the sequences of a computation; done is false if the goal is none.
func (p *planner) template(text string) (done bool, err error) {
	w := &words{text: strings.TrimSpace(text), list: strings.Fields(strings.ToLower(text)), n: p.n}
	for _, c := range templateList() {
		if len(w.list) == 0 || w.list[0] != c.name {
			continue
		}
		if p.active != lane.All(p.n) {
			return true, unsupported("leave --active out", "%s needs all lanes to be active", c.name)
		}
		w.list = w.list[1:]
		t := &templates{isa: p.out.ISA, n: p.n, sm: p.sm, d: fullPTX()}
		if t.gcn3() {
			t.d = fullGCN3()
		}
		list, err := c.list(t, w)
		if err == nil && len(w.list) > 0 {
			err = bad(c.form, "%s: %q is not understood", c.name, strings.Join(w.list, " "))
		}
		if err != nil {
			return true, err
		}
		p.out.About = t.about
		return true, p.answers(p.measureAll(list), func(m *measured, r *run) (api.PlanProof, error) { return proveTemplate(p.ctx, r, m.check) })
	}
	return false, nil
}

// measureAll measures sequences; those that do not assemble are mistakes of this package, and the
// proof of the rest goes on.
func (p *planner) measureAll(list []sequence) []*measured {
	var out []*measured
	for _, s := range list {
		m, err := p.measure(s)
		if err == nil && len(m.finds) == 0 {
			out = append(out, m)
		}
	}
	return out
}

// prologue writes the sources of a GCN3 sequence.
func prologue(s sequence) []string {
	if s.inputs > 1 {
		return []string{"v_mov_b32_e32 v2, v2", writesSource}
	}
	return []string{writesSource}
}

// text is what the proof runs: on GCN3 between the instructions around a sequence. An empty text of PTX
// names no register, so that a copy of the result stands for it.
func (m *measured) text(isa api.ISA) []string {
	switch {
	case isa == api.GCN3:
		return slices.Concat(prologue(m.sequence), m.code, []string{readsResult})
	case len(m.code) == 0:
		return []string{"mov.b32 %r1, %r1;"}
	}
	return m.code
}

func (p *planner) measure(s sequence) (*measured, error) {
	return measure(p.out.ISA, s)
}

// measure gives a sequence its waits and its cost.
func measure(isa api.ISA, s sequence) (*measured, error) {
	if isa == api.GCN3 {
		return measureGCN3(s, prologue(s), []string{readsResult})
	}
	return measurePTX(s)
}

// errBound is the error of a goal for which no sequence was found.
func (p *planner) errBound() error {
	if p.out.Prefer == "no-lds" {
		return unsupported("prefer latency to allow the LDS hardware", "%s: no sequence without LDS was found within the bound", p.out.Goal)
	}
	return unsupported("let more lanes be active, or get any value (*)", "%s: no sequence was found within the bound", p.out.Goal)
}

// answers chooses the sequences that no other one dominates, proves them and writes them to the plan.
// A sequence whose proof fails is no answer.
func (p *planner) answers(list []*measured, prove func(m *measured, r *run) (api.PlanProof, error)) error {
	less := p.order()
	slices.SortStableFunc(list, less)
	if p.out.Prefer == "no-lds" {
		list = slices.DeleteFunc(list, func(m *measured) bool { return m.cost.LDS > 0 })
	}
	var failed error
	var front []*measured
	for _, m := range list {
		if len(front) == mostAnswers {
			break
		}
		if slices.ContainsFunc(front, func(f *measured) bool { return dominates(&f.cost, &m.cost) }) {
			continue
		}
		r := &run{isa: p.out.ISA, n: p.n, active: p.active, text: m.text(p.out.ISA)}
		proof, err := prove(m, r)
		if err != nil {
			if p.ctx.Err() != nil || len(diag.Of(err)) > 0 && diag.Of(err)[0].Class == diag.Timeout {
				return err
			}
			failed = fmt.Errorf("%s: the proof of %q failed: %w", p.out.Goal, m.how, err)
			continue
		}
		front = append(front, m)
		p.out.Answers = append(p.out.Answers, api.PlanAnswer{How: m.how, Code: m.code, Ran: r.text, Cost: m.cost, Reasons: append([]string{}, m.reasons...), Proof: proof})
	}
	if len(front) == 0 {
		if failed != nil {
			return diag.List{diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "%v", failed)}
		}
		return p.errBound()
	}
	return nil
}

// order returns the comparison that the preference asks for.
func (p *planner) order() func(a, b *measured) int {
	return func(a, b *measured) int {
		x, y := &a.cost, &b.cost
		latency := cmp.Or(cmp.Compare(x.Latency, y.Latency), cmp.Compare(x.Issue, y.Issue), cmp.Compare(x.Instructions, y.Instructions), cmp.Compare(x.Registers+x.Scalars, y.Registers+y.Scalars))
		switch p.out.Prefer {
		case "throughput":
			return cmp.Or(cmp.Compare(x.Issue, y.Issue), latency)
		case "registers":
			return cmp.Or(cmp.Compare(x.Registers, y.Registers), cmp.Compare(x.Scalars, y.Scalars), latency)
		}
		return latency
	}
}

// dominates reports whether a is at least as good as b in everything.
func dominates(a, b *api.PlanCost) bool {
	return a.Latency <= b.Latency && a.Issue <= b.Issue && a.LDS <= b.LDS && a.Registers <= b.Registers && a.Scalars <= b.Scalars
}

// picture draws the map of the goal.
func (p *planner) picture(g *goal) {
	m := lane.NewMap(g.n)
	for i, s := range g.want[:g.n] {
		switch {
		case s >= 0:
			m.Src[i] = lane.Source(s)
		case s == zero:
			m.Src[i] = lane.Zero
		}
	}
	p.out.Picture = func() []byte {
		sub := []string{g.about}
		if len(p.out.Answers) > 0 {
			sub = append(sub, p.out.Answers[0].Code...)
		}
		return draw.SVG(&m, draw.Options{Title: p.out.Goal + " on " + p.out.Target, Subtitle: sub[:min(len(sub), 8)], Inactive: lane.All(g.n) &^ g.active})
	}
}
