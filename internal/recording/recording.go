// Package recording keeps the steps of a launch: Record runs a launch and keeps what each instruction of
// chosen blocks did; a Recording answers what the state was before any step, who wrote a value last, and why.
//
// Input: a kernel, a launch, and bounds.
// Output: a Recording.
// Invariant: the run is the one that the interpreter makes with one worker, so the same launch gives the same
// steps each time. Steps that a bound left out are found by a further run (Around).
// Example: Step(14) is "shfl.sync" with the lanes that it read; At(15, 0) has the registers after it.
package recording

import (
	"context"
	"io"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// A Recording is a recorded launch. It is for one goroutine at a time.
type Recording struct {
	k      *session.Kernel
	launch session.Launch
	o      api.RecordOptions
	blocks map[uint64]bool

	h      *why.History
	plan   *why.Plan
	p      *session.Prepared
	mem    *session.Memory
	sim    *sim.Launch
	res    *api.Result
	before session.State
	kept   snapshot

	waves    []why.WaveInfo
	first    int
	steps    int
	findings []api.RecordedFinding
	at       map[int][]int // findings by step
	places   map[int32]api.Location
	bars     map[int32]ir.Ref  // see barrier
	edges    map[int][]edge    // by wave, see callsOf; nil: not read yet
	types    map[ir.Ref]string // see registerType
	undef    bool
}

// Record is crosslane.Kernel.Record.
func Record(ctx context.Context, k *session.Kernel, l api.Launch, o api.RecordOptions) (*Recording, error) {
	return RecordOn(ctx, k, session.Launch{Launch: l}, o)
}

// RecordOn is Record of a launch that may be in a Resident. The memory of the Resident is as before when it returns.
func RecordOn(ctx context.Context, k *session.Kernel, l session.Launch, o api.RecordOptions) (*Recording, error) {
	if l.Adversarial {
		d := k.Errorf("bad-launch", "a recording holds the intended values, not results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	l.Engine, l.Native, l.Workers = "interp", "", 1
	r := &Recording{k: k.LaidOut(&l.Launch), launch: l, o: o, blocks: map[uint64]bool{}, places: map[int32]api.Location{}, at: map[int][]int{}}
	if r.o.Limit <= 0 {
		r.o.Limit = api.DefaultHistory
	}
	if r.o.Memory <= 0 {
		r.o.Memory = api.DefaultRecordMemory
	}
	if err := r.chooseBlocks(); err != nil {
		return nil, err
	}
	r.before = session.StateOf(&l)
	defer r.before.Close()
	if l.On != nil {
		defer r.before.Restore()
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	if o.Check {
		if err := r.check(ctx); err != nil {
			return nil, err
		}
	}
	return r, r.index(ctx)
}

// chooseBlocks checks the blocks of the options.
func (r *Recording) chooseBlocks() error {
	l := &r.launch
	g := [3]uint64{uint64(max(l.Grid.X, 1)), uint64(max(l.Grid.Y, 1)), uint64(max(l.Grid.Z, 1))}
	list := r.o.Blocks
	if len(list) == 0 {
		list = []api.Dim3{{}}
	}
	for _, b := range list {
		if uint64(b.X) >= g[0] || uint64(b.Y) >= g[1] || uint64(b.Z) >= g[2] {
			d := r.k.Errorf("bad-target", "block %d,%d,%d is not in the grid of %d,%d,%d", b.X, b.Y, b.Z, g[0], g[1], g[2])
			d.Remedy = "name blocks by their index, from 0 on"
			return diag.List{d}
		}
		r.blocks[uint64(b.X)+g[0]*(uint64(b.Y)+g[1]*uint64(b.Z))] = true
	}
	return nil
}

// run makes the launch that is recorded.
func (r *Recording) run(ctx context.Context) error {
	plain, err := r.k.Prepare(false)
	if err != nil {
		return err
	}
	fn, plan := why.InstrumentSteps(plain.Fn)
	if r.p, err = r.k.WithCode(plain, fn); err != nil {
		return err
	}
	r.plan = plan
	r.h = &why.History{Plan: plan, Blocks: r.blocks, Limit: r.o.Limit}
	r.h.From, r.h.Closed = r.o.From, r.takeAll
	r.kept.init(r.o.Memory)
	r.p.Watch = func(mem *session.Memory, s *sim.Launch) {
		r.mem, r.sim = mem, s
		s.Recorder, s.Inspect = r.h, r.takeWave
	}
	res, err := r.k.Execute(ctx, r.p, r.launch)
	if res == nil {
		return err
	}
	if ctx.Err() != nil {
		return err
	}
	r.res = res
	res.Findings = append(res.Findings, diag.Of(err)...)
	r.takeAll()
	return nil
}

// again makes the launch once more, from the same contents of memory. Afterwards the memory is as it was.
func (r *Recording) again(do func(l session.Launch)) {
	after := session.StateOf(&r.launch)
	defer after.Close()
	defer after.Restore()
	r.before.Restore()
	l := r.launch
	l.Stdout, l.Stalled = io.Discard, nil
	do(l)
}

// index reads what later questions need.
func (r *Recording) index(ctx context.Context) (err error) {
	if r.waves, err = r.h.Waves(ctx); err != nil {
		return err
	}
	if r.first, r.steps, err = r.h.Steps(ctx); err != nil {
		return err
	}
	if r.findings == nil {
		for _, d := range r.res.Findings {
			r.findings = append(r.findings, api.RecordedFinding{Finding: d, Steps: []int{}})
		}
	}
	r.locateFaults()
	for i := range r.findings {
		f := &r.findings[i]
		slices.Sort(f.Steps)
		f.Steps = slices.Compact(f.Steps)
		f.Steps = slices.DeleteFunc(f.Steps, func(n int) bool { return n < r.first || n >= r.first+r.steps })
		for _, n := range f.Steps {
			r.at[n] = append(r.at[n], i)
		}
	}
	return nil
}

// record is the launch as package provenance explains values of it.
func (r *Recording) record() *provenance.Record {
	return &provenance.Record{Kernel: r.k, Plan: r.plan, History: r.h, Memory: r.mem, Launch: r.sim, Initial: r.initial}
}
