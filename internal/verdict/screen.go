package verdict

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/check/screen"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Screening: a run of a cheap form of the kernel on the native engine comes before the check. If it is clean, the check
// would find nothing, and its results are the results. Otherwise the memory is put back and the check runs.
//
// Input: a launch that is to be checked.
// Output: its result, or nil: the check has to run.
// Invariant: the report is the same with and without screening.
// Example: a tiled matrix product takes one run of machine code instead of one that follows undefined bits and races.

// screenState is what Check remembers about a kernel from launch to launch.
type screenState struct {
	mu        sync.Mutex
	kernel    *screen.Kernel // nil: it cannot be screened
	words     bool           // loads of shared memory look at tags: a block did not write all of it
	intervals int
	misses    int                   // runs in a row that were not clean
	skip      int                   // launches that are not screened
	judged    int                   // launches that have told whether threads load much in a row
	short     bool                  // they do not
	listed    int                   // launches whose accesses are noted while they run, because the last list took another run
	same      bool                  // the form takes stores of equal values for no suspicion
	notes     map[sameKey]diag.List // what the check finds in such launches
}

// sameKey is what the notes of stores of equal values depend on: see package screen.
type sameKey struct {
	ways        uint64
	grid, block api.Dim3
	shared      uint32
	skip        string
}

type screenKey struct{}

// Limits of screening.
const (
	minIntervals = 64
	maxIntervals = 1 << 15
	leastMemory  = 1 << 26 // a launch that allows the race detector less asks how far it comes
	maxSkip      = 64      // launches that are not screened after runs that were not clean
	minJudged    = 4       // launches that tell whether threads load much in a row
	maxListed    = 64      // launches that note their accesses after one that did not
	maxKeys      = 64      // launches of a kernel whose notes are kept
)

// stateOf returns the state of a kernel; its field kernel is nil if the kernel cannot be screened.
func screenStateOf(k *session.Kernel, p *session.Prepared) *screenState {
	return k.Keep(screenKey{}, func() any {
		s := &screenState{intervals: minIntervals}
		if kernel, why := screen.Of(p.Checked); why == "" {
			s.kernel = kernel
			s.words = !kernel.Quiet
		}
		return s
	}).(*screenState)
}

// screened runs the launch in its screening form; nil: the check has to run. seen is what it accessed, for an audit.
func (c *check) screened(l session.Launch) (clean *api.Result, seen footprint) {
	if l.Unscreened || l.Engine == "interp" || l.Native == api.NativeOff || l.Cooperative || l.Schedule != "" && l.Schedule != api.LowestPC ||
		l.Undefined != "" && l.Undefined != api.UndefinedOwn || l.Dump != nil || l.RaceMemory != 0 && l.RaceMemory < leastMemory {
		return nil, nil
	}
	p, err := c.k.PrepareApart()
	if err != nil || p.PTX == nil {
		return nil, nil
	}
	s := screenStateOf(c.k, p)
	c.screening = s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kernel == nil {
		return nil, nil
	}
	if s.skip > 0 {
		s.skip--
		return nil, nil
	}
	// A run that is not clean has to be undone, whatever it has written.
	x := &session.Screening{Kernel: s.kernel, Full: !s.words, Footprint: l.Raced != nil, Starts: c.before.Unlimited}
	x.Runs = session.Runs{Try: !s.short, Prompt: s.judged < minJudged || l.Listed}
	switch {
	case l.Raced == nil || l.Listed || c.willAudit() || l.Look != nil:
	case s.listed > 0:
		s.listed--
	default:
		x.Runs.Again = again(c.k, context.WithoutCancel(c.ctx), l, s)
	}
	if s.kernel.Barriers || s.kernel.Copies {
		x.Intervals = s.intervals
	}
	var met sameKey
	if s.same {
		met = sameKey{grid: l.Grid, block: l.Block, shared: l.Shared, skip: strings.Join(l.Skip, ",")}
		x.Same, x.Known = true, func(ways uint64) bool {
			met.ways = ways
			_, ok := s.notes[met]
			return ok
		}
	}
	l.Screening = x
	ctx := c.ctx
	if l.Stalled != nil {
		// The host acts once, beside the check. It may change memory in ways that tags cannot stand.
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		l.Stalled = func() sim.HostState {
			stop()
			return sim.HostMay
		}
	}
	if auditOf(c.ctx) != nil {
		l.Engine = "jit"
	}
	if device := l.Raced; device != nil && c.willAudit() {
		l.Raced = func(r session.Ranger, fn *ir.Func) {
			seen.add(r, fn)
			device(r, fn)
		}
	}
	res, err := c.k.Execute(ctx, p, l)
	if x.Clean && err == nil && res != nil {
		s.misses, s.short = 0, s.short || x.Runs.Short
		switch now, never := x.Judges(); {
		case now:
			s.judged++
		case never:
			s.judged = minJudged
		}
		if x.Met {
			res.Findings = append(res.Findings, copies(s.notes[met])...)
		}
		return res, seen
	}
	if !session.Unscreened(err) {
		return nil, nil // the launch is refused, as the check will say
	}
	c.before.Restore()
	switch {
	case x.Met:
		c.learn = func(notes diag.List, alone bool) {
			if alone {
				s.keep(met, notes)
			} else {
				s.missed()
			}
		}
	case x.Started:
		s.missed()
		c.learn = func(notes diag.List, alone bool) {
			if alone && len(notes) > 0 && !s.same && s.kernel.Same() {
				s.same, s.misses, s.skip = true, 0, 0
			}
		}
	}
	return nil, nil
}

// again returns a function that lists the accesses of a launch by another run of it. Nothing has changed the memory since, and the
// launch does not load what it stores: so the run accesses the same bytes, and stores the same values.
func again(k *session.Kernel, ctx context.Context, l session.Launch, s *screenState) func(yield func(a *sim.Alloc, r race.Range)) {
	l.Args, l.Params = slices.Clone(l.Args), slices.Clone(l.Params)
	l.Listed, l.Stdout, l.Stalled, l.Ended, l.Detected, l.Noted, l.Finished = true, io.Discard, nil, nil, nil, nil, nil
	return func(yield func(a *sim.Alloc, r race.Range)) {
		s.mu.Lock()
		s.listed = maxListed
		s.mu.Unlock()
		l.Raced = func(r session.Ranger, _ *ir.Func) { r.Ranges(yield) }
		_, _ = checkIn(k, ctx, l) // the findings are those of the first run
	}
}

// learned tells the next screening runs of the kernel what the check of this launch has found.
func (c *check) learned(res *api.Result, err error) {
	if c.learn == nil {
		return
	}
	s := c.screening
	s.mu.Lock()
	defer s.mu.Unlock()
	c.learn(res.Findings, err == nil && !slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code != race.CodeSameValue }))
}

// keep remembers the notes of a launch.
func (s *screenState) keep(key sameKey, notes diag.List) {
	if len(s.notes) >= maxKeys {
		clear(s.notes)
	}
	if s.notes == nil {
		s.notes = map[sameKey]diag.List{}
	}
	s.notes[key] = copies(notes)
	s.misses = 0
}

// copies returns copies of findings, which callers add to.
func copies(list diag.List) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		c := *d
		c.Related = slices.Clone(d.Related)
		out[i] = &c
	}
	return out
}

// missed changes the way of the next runs, after one that was not clean.
func (s *screenState) missed() {
	switch s.misses++; {
	case !s.words:
		s.words = true
	case (s.kernel.Barriers || s.kernel.Copies) && s.intervals < maxIntervals:
		s.intervals *= 8
	default:
		s.skip = min(1<<min(s.misses, 16), maxSkip)
	}
}

// Screen runs a launch in its screening form alone, for tests. clean is the answer; tried says that it ran.
func Screen(ctx context.Context, k *session.Kernel, l session.Launch, words bool) (clean, tried bool, why string) {
	p, err := k.PrepareApart()
	if err != nil || p.PTX == nil {
		return false, false, "no PTX"
	}
	kernel, why := screen.Of(p.Checked)
	if why != "" {
		return false, false, why
	}
	l.Screening = &session.Screening{Kernel: kernel, Full: !words, Intervals: minIntervals, Footprint: l.Raced != nil, Runs: session.Runs{Try: true}}
	l.Skip = nil
	_, err = k.Execute(ctx, p, l)
	return err == nil && l.Screening.Clean, l.Screening.Started, l.Screening.Why
}

// ScreenSame runs a launch in the form for stores of equal values alone, for tests. It returns the run, or why there is none.
func ScreenSame(ctx context.Context, k *session.Kernel, l session.Launch) (x *session.Screening, why string) {
	p, err := k.PrepareApart()
	if err != nil || p.PTX == nil {
		return nil, "no PTX"
	}
	kernel, why := screen.Of(p.Checked)
	if why != "" {
		return nil, why
	}
	if !kernel.Same() {
		return nil, "no form for stores of equal values"
	}
	x = &session.Screening{Kernel: kernel, Intervals: minIntervals, Same: true, Known: func(uint64) bool { return true }}
	l.Screening = x
	if _, err = k.Execute(ctx, p, l); err != nil {
		return x, x.Why
	}
	return x, ""
}
