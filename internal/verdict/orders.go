package verdict

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/value"
)

// codeOrder is a result that depends on the schedule.
const codeOrder = "schedule-dependent"

// Limits of the further runs: how many instructions a run in another order may take beyond those of
// the first one (enough to recognise a livelock: see internal/sim/still.go), and how long a run may
// be that is repeated to find the instruction that stored an element.
const (
	orderFactor = 4
	orderExtra  = 1 << 23
	lookLimit   = 1 << 24
)

// way is one way to run a launch that the manual allows.
type way struct {
	p        *session.Prepared
	schedule api.Schedule
	late     bool // asynchronous work is done as late as the manual allows
}

// String describes the way, after "depends on …: 1 ".
func (w way) String() string {
	if w.late {
		return "with late work"
	}
	return "in the order " + string(w.schedule)
}

// flags are those of a command that runs the launch in this way.
func (w way) flags() string {
	if w.late {
		return "--adversarial"
	}
	return "--schedule " + string(w.schedule)
}

// of returns the launch as it runs in this way.
func (w way) of(l session.Launch) session.Launch {
	if l.Schedule = w.schedule; w.late {
		l.Engine = session.Interpreter
	}
	return l
}

// otherOrders are the schedules that Check compares with that of the launch.
func otherOrders(s api.Schedule) []api.Schedule {
	if s == "" || s == api.LowestPC {
		return []api.Schedule{api.Reversed, api.RandomSchedule(1)}
	}
	return []api.Schedule{api.LowestPC}
}

// lateWay returns the way in which asynchronous work is done late. ok is false if it cannot show anything that the race
// detector does not know. A lane waits for its groups unconditionally, and the detector knows when they end. But only
// the program decides what it does when a phase of an mbarrier object is not over.
func lateWay(k *session.Kernel, p *session.Prepared, s api.Schedule) (w way, ok bool) {
	if k.Module().ISA() != api.PTX {
		return w, false
	}
	type key struct{}
	late, err := k.Variant(key{}, func() (*session.Prepared, error) {
		fn := p.Fn.Delayed()
		if !slices.ContainsFunc(fn.Delays, func(d ir.DelayInfo) bool { return d.Until >= ir.Phases }) {
			return p, nil
		}
		return k.WithCode(p, fn)
	})
	return way{late, s, true}, err == nil && late.Fn.Late
}

// compareOrders runs the launch again in other ways, with the original contents of its buffers,
// and adds differences to the findings of the first run: in results, findings and faults. At the
// end the buffers hold the results of the first run. Results are not compared if the first run was
// cut short. If the first run has errors, the launch is not run in another way.
func compareOrders(k *session.Kernel, ctx context.Context, l session.Launch, before session.State, res *api.Result) {
	p, err := k.PrepareApart()
	if err != nil || slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		return // an error may be the cause, and comes first
	}
	first := way{p: p, schedule: cmp.Or(l.Schedule, api.LowestPC)}
	var others []way
	for _, s := range otherOrders(first.schedule) {
		others = append(others, way{p: p, schedule: s})
	}
	if late, ok := lateWay(k, p, first.schedule); ok {
		others = append(others, late)
	}
	after := session.StateOf(&l)
	defer after.Close()
	defer after.Restore()
	l.Stdout, l.Workers, l.Raced = io.Discard, 1, nil
	l.Limit = orderFactor*res.Stats.WarpInstructions + orderExtra
	for _, o := range others {
		if ctx.Err() != nil {
			return
		}
		before.Restore()
		again, err := k.Execute(ctx, o.p, o.of(l))
		if again == nil {
			return
		}
		found := again.Findings
		if err == nil && !o.late && slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code == sim.CodeUndefinedSource && !reported(res, d) }) {
			// The undefined bits, which are followed, decide whether it matters.
			before.Restore()
			tracked := o.of(l)
			tracked.Skip, tracked.Limit = append(slices.Clip(l.Skip), codeOrder), 0
			if checked, _ := checkIn(k, ctx, tracked); checked != nil {
				found = checked.Findings
			}
		}
		addFrom(first, o, found, res)
		if err != nil {
			for _, d := range diag.Of(err) {
				switch {
				case d.Class == diag.Fault && d.Code != sim.CodeCancelled:
					addFrom(first, o, diag.List{d}, res)
				case d.Code == sim.LimitReached:
					res.Findings = append(res.Findings, &diag.Diagnostic{Pos: diag.Pos{File: k.Module().File()}, Severity: diag.Note, Class: diag.Finding, Code: codeOrder, Kernel: k.Name(),
						Message: fmt.Sprintf("the results are not compared with those of a run with %s, which took more than %d instructions of warps, %d times as many as the first", o.flags(), l.Limit, orderFactor),
						Remedy:  fmt.Sprintf("run it with %s to see its results", o.flags())})
				}
			}
			continue
		}
		if d := difference(k, ctx, l, first, o, before, after, res); d != nil {
			if p.Origin != nil {
				p.Origin(diag.List{d})
			}
			res.Findings = append(res.Findings, d)
			return // one is enough
		}
	}
}

// addFrom adds findings of a run in another order that the first run did not have.
func addFrom(first, other way, list diag.List, res *api.Result) {
	for _, d := range list {
		if reported(res, d) {
			continue
		}
		d.Related = append(slices.Clip(d.Related), diag.Related{Message: fmt.Sprintf("seen with %s, not with %s; either is allowed", other.flags(), first.flags())})
		res.Findings = append(res.Findings, d)
	}
}

// reported reports whether the result has a finding of this code at this place.
func reported(res *api.Result, d *diag.Diagnostic) bool {
	return slices.ContainsFunc(res.Findings, func(f *diag.Diagnostic) bool { return f.Code == d.Code && f.Pos == d.Pos })
}

// difference looks for results that are not those of the first run.
func difference(k *session.Kernel, ctx context.Context, l session.Launch, first, other way, before, after session.State, res *api.Result) *diag.Diagnostic {
	var buf session.Change
	at, count := 0, 0
	for _, b := range after.Changes(res.Buffers) {
		if bytes.Equal(b.Data, b.Old) {
			continue
		}
		t := value.Type(b.Type)
		for i := range len(b.Data) / t.Size() {
			if value.Get(t, b.Data, i) == value.Get(t, b.Old, i) {
				continue
			}
			if buf.Buffer == nil {
				buf, at = b, i
			}
			count++
		}
	}
	if buf.Buffer == nil {
		return nil
	}
	t := value.Type(buf.Type)
	got, want := value.Get(t, buf.Data, at), value.Get(t, buf.Old, at)
	show := func(bits uint64) string {
		if s := value.Format(t, bits); !buf.Untyped && value.Format(t, got) != value.Format(t, want) {
			return s
		}
		return "0x" + value.Hex(t, bits)
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf("; %d elements differ in all", count)
	}
	d := &diag.Diagnostic{
		Pos: diag.Pos{File: k.Module().File()}, Severity: diag.Error, Class: diag.Finding, Code: codeOrder, Kernel: k.Name(),
		Section: "PTX 8 (memory consistency model)",
		Remedy:  "synchronise the store with the read: a barrier between warps, *.sync with a full mask in a warp, an atomic across blocks; " + other.flags() + " runs in the other order",
	}
	on := "the order in which lanes, warps and blocks run"
	one := first.String()
	if other.late {
		on, one = "when asynchronous work is done", "with work done at once"
		d.Section = "PTX 9.7.14.16.19, 9.7.9.26"
		d.Remedy = "go on only when mbarrier.test_wait or try_wait has returned true: branch back to it while it returns false; " + other.flags() + " runs with late work"
	}
	if k.Module().ISA() == api.GCN3 {
		d.Section = "GCN3 ISA, s_barrier"
	}
	text := fmt.Sprintf("%s depends on %s: %s %s, %s %s%s", buf.Element(at), on, show(want), one, show(got), other, more)
	p := first.p
	if ops := sim.OrderOps(p.Fn); len(ops) > 0 {
		// An atomic, or a clock, may show the order intentionally.
		d.Severity = diag.Note
		d.Remedy = "no change is needed if any of these results is acceptable"
		d.Pos, d.Source = sim.Where(p.Fn, ops[0])
		d.Message = fmt.Sprintf("%s: its result depends on the order by its nature: %s", p.Fn.Pos[ops[0]].Name, text)
		return d
	}
	if res.Stats.WarpInstructions <= lookLimit {
		d.Related = storedBy(k, ctx, l, first, one, before, buf.Buffer, at, d)
		d.Related = append(d.Related, storedBy(k, ctx, l, other, other.String(), before, buf.Buffer, at, d)...)
	}
	d.Message = text
	return d
}

// storedBy runs the launch once more to see which instruction stores an element last. The
// first that it finds is the place of d.
func storedBy(k *session.Kernel, ctx context.Context, l session.Launch, w way, how string, before session.State, b *api.Buffer, at int, d *diag.Diagnostic) []diag.Related {
	before.Restore()
	size := value.Type(b.Type).Size()
	p := w.p
	l = w.of(l)
	l.LookAt = b
	l.Look = &sim.Look{Pos: -1, Data: make([]byte, size), Addr: uint64(at * size)}
	if _, err := k.Execute(ctx, p, l); err != nil {
		return nil
	}
	look := l.Look
	if look.Pos < 0 {
		return []diag.Related{{Message: "no instruction stores it " + how}}
	}
	pos, src := sim.Where(p.Fn, look.Pos)
	name := p.Fn.Pos[look.Pos].Name
	if d.Source == "" {
		d.Pos, d.Source, d.Block, d.Wave, d.Blocks, d.Count = pos, src, look.Block, look.Wave, 1, 1
		d.Lanes = look.Lanes.String()
	}
	near := ""
	if !look.Sure {
		near = " or an instruction near it"
	}
	tie := ""
	if look.Lanes.Count() > 1 {
		tie = ": any of them may win"
	}
	return []diag.Related{{Pos: pos, Source: src, Message: fmt.Sprintf("%s %s%s stores it last, %s of wave %d of block (%d,%d,%d)%s",
		how, name, near, look.Lanes.Named(), look.Wave, look.Block[0], look.Block[1], look.Block[2], tie)}}
}

// wants reports whether the launch looks for findings of this code.
func wants(l *session.Launch, code string) bool { return !slices.Contains(l.Skip, code) }
