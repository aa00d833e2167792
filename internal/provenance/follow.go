package provenance

import (
	"context"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// A Record is a recorded launch whose values can be explained without running it again.
type Record struct {
	Kernel  *session.Kernel
	Plan    *why.Plan
	History *why.History
	Memory  *session.Memory
	Launch  *sim.Launch
	// Initial returns the contents that an allocation had at the start; nil: they are not known.
	Initial func(a *sim.Alloc) []byte
	// Steps returns the steps of a node for its member Steps; nil: there are none.
	Steps func(ctx context.Context, n *why.Node) []int
}

// Explain returns the provenance of what an event wrote in a lane. missing are blocks whose history it needs.
func (r *Record) Explain(ctx context.Context, event, lane int, at string, res *api.Result) (p *api.Provenance, missing []uint64, err error) {
	x := r.run()
	g, err := r.History.Registers(ctx, event, lane)
	if err != nil {
		return nil, nil, x.stopped(ctx, err)
	}
	r.History.FillUndefined(g)
	for _, n := range g.Nodes {
		for _, it := range n.Items {
			if a := r.Memory.Find(it.Addr, max(it.Size, 1)); a != nil && x.initial[a] == nil {
				x.initial[a] = r.Initial(a)
			}
		}
	}
	p, err = x.provenance(ctx, g, at, res)
	if err != nil {
		return nil, nil, x.stopped(ctx, err)
	}
	x.markUndefined(p, g, 0)
	for i, n := range g.Nodes {
		if r.Steps != nil && len(g.Missing) == 0 {
			p.Nodes[i].Steps = r.Steps(ctx, n)
		}
	}
	return p, g.Missing, nil
}

// Absent describes a lane that takes no part in an exchange.
func (r *Record) Absent(a *why.AbsentLane) api.AbsentLane { return r.run().absent(a) }

func (r *Record) run() *whyRun {
	return &whyRun{k: r.Kernel, plan: r.Plan, history: r.History, mem: r.Memory, launch: r.Launch, initial: map[*sim.Alloc][]byte{}}
}

// TypeOf is the type in which a result of an instruction is best read.
func TypeOf(at *ir.Pos, v *ir.Value) string { return typeOf(at, v) }

// Show is the text of a value of such a type.
func Show(t string, bits uint64) string { return showAs(t, bits) }

// PlainText is the text of an instruction without irrelevant details of its spelling.
func PlainText(p *ir.Pos) string { return plainText(p) }
