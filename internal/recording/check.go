package recording

import (
	"context"
	"math"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/lane"
)

// check adds what further runs of the launch find: the undefined bits of registers, the findings of Check, and the
// steps in which these are seen.
func (r *Recording) check(ctx context.Context) (err error) {
	r.again(func(l session.Launch) { err = r.undefined(ctx, l) })
	if err != nil {
		return err
	}
	var list diag.List
	r.again(func(l session.Launch) {
		res, e := verdict.CheckOn(ctx, r.k, l)
		if res == nil {
			err = e
			return
		}
		list = append(append(list, res.Findings...), diag.Of(e)...)
	})
	if err != nil || ctx.Err() != nil {
		return firstOf(err, ctx.Err())
	}
	r.findings = []api.RecordedFinding{}
	for _, d := range list {
		r.findings = append(r.findings, api.RecordedFinding{Finding: d, Steps: []int{}})
	}
	r.again(func(l session.Launch) { err = r.locate(ctx, l) })
	return err
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// undefined runs the launch with the sets of undefined bits of all registers.
func (r *Recording) undefined(ctx context.Context, l session.Launch) error {
	fn, shadow := poison.Track(r.p.Fn, poison.Options{Quiet: true})
	q, err := r.k.WithCode(r.p, fn)
	if err != nil {
		return err
	}
	q.Track = true
	second := r.h.Second(fn, shadow)
	q.Watch = func(_ *session.Memory, s *sim.Launch) { s.Recorder = second }
	if res, err := r.k.Execute(ctx, q, l); res == nil {
		return err
	}
	r.undef = second.Same()
	return ctx.Err()
}

// An occurrence of a finding: the step that was current, and the step that would be next.
type occurrence struct {
	code  string
	pos   int32
	total int
}

// maxOccurrences bounds the steps of all findings.
const maxOccurrences = 1 << 20

// locate runs the launch as Check does, and notes the steps in which findings are seen.
func (r *Recording) locate(ctx context.Context, l session.Launch) error {
	checked, err := verdict.Prepared(r.k, l)
	if err != nil {
		return err
	}
	// The steps are those of the function before it is tracked: its instructions are the same.
	fn, plan := why.InstrumentSteps(checked.Fn)
	q, err := r.k.WithCode(checked, fn)
	if err != nil {
		return err
	}
	h := &why.History{Plan: plan, Blocks: r.blocks, Limit: r.o.Limit}
	h.From = math.MaxInt
	seen := map[occurrence]bool{}
	q.Watch = func(_ *session.Memory, s *sim.Launch) {
		s.Recorder = h
		s.Seen = func(w *sim.Wave, code string, pos int32, _ lane.Mask) {
			if r.blocks[w.Number()] && len(seen) < maxOccurrences {
				seen[occurrence{code, pos, h.Total}] = true
			}
		}
	}
	type key struct {
		code string
		pos  diag.Pos
	}
	index := map[key]int{}
	for i, f := range r.findings {
		index[key{f.Finding.Code, f.Finding.Pos}] = i
	}
	noted := map[*diag.Diagnostic]int32{}
	l.Noted = func(d *diag.Diagnostic, pos int32) { noted[d] = pos }
	if res, err := r.k.Execute(ctx, q, l); res == nil {
		return err
	}
	byPos := map[occurrence]int{} // by code and guest position: the finding
	for d, pos := range noted {
		if i, ok := index[key{d.Code, d.Pos}]; ok {
			byPos[occurrence{d.Code, pos, 0}] = i
		}
	}
	first, count, err := r.h.Steps(ctx)
	if err != nil {
		return err
	}
	for o := range seen {
		i, ok := byPos[occurrence{o.code, o.pos, 0}]
		if !ok {
			continue
		}
		// An instruction that only writes registers counts its step when it ends.
		step := o.total - 1
		if n := o.total; n >= first && n < first+count && r.samePlace(ctx, n, &checked.Fn.Pos[o.pos]) && (step < first || !r.samePlace(ctx, step, &checked.Fn.Pos[o.pos])) {
			step = n
		}
		r.findings[i].Steps = append(r.findings[i].Steps, step)
	}
	return ctx.Err()
}

// samePlace reports whether a step is one of the instruction at a position of the checked function.
func (r *Recording) samePlace(ctx context.Context, n int, at *ir.Pos) bool {
	_, pos, _, err := r.h.Where(ctx, n)
	if err != nil {
		return false
	}
	p := &r.sim.Func.Pos[pos]
	return p.Line == at.Line && p.Col == at.Col && p.Off == at.Off
}

// locateFaults finds the steps of what ended the run: the last one of the wave at that place.
func (r *Recording) locateFaults() {
	for i := range r.findings {
		f := &r.findings[i]
		d := f.Finding
		if len(f.Steps) > 0 || d.Class != diag.Fault && d.Class != diag.Timeout {
			continue
		}
		for w := range r.waves {
			if r.sim.Index(r.waves[w].Block) != d.Block || r.waves[w].ID != d.Wave {
				continue
			}
			steps, err := r.h.StepsOf(context.Background(), w)
			if err != nil {
				return
			}
			for _, n := range slices.Backward(steps) {
				_, pos, _, _ := r.h.Where(context.Background(), n)
				p := r.location(pos)
				if p.Line == d.Pos.Line && (d.Pos.Line > 0 || d.Pos.HasOff && p.Offset == d.Pos.Off) {
					f.Steps = append(f.Steps, n)
					break
				}
			}
		}
	}
}
