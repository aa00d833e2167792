package verdict

import (
	"context"
	"sync"

	"example.org/crosslane/api"
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
	misses    int // runs in a row that were not clean
	skip      int // launches that are not screened
}

type screenKey struct{}

// Limits of screening.
const (
	minIntervals = 64
	maxIntervals = 1 << 15
	leastMemory  = 1 << 26 // a launch that allows the race detector less asks how far it comes
	maxSkip      = 64      // launches that are not screened after runs that were not clean
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
	if s.kernel.Barriers || s.kernel.Copies {
		x.Intervals = s.intervals
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
	if device := l.Raced; device != nil && (auditOf(c.ctx) != nil || everywhere.Load() != nil) {
		l.Raced = func(r session.Ranger, fn *ir.Func) {
			seen.add(r, fn)
			device(r, fn)
		}
	}
	res, err := c.k.Execute(ctx, p, l)
	if x.Clean && err == nil && res != nil {
		s.misses = 0
		return res, seen
	}
	if !session.Unscreened(err) {
		return nil, nil // the launch is refused, as the check will say
	}
	c.before.Restore()
	if x.Started {
		s.missed()
	}
	return nil, nil
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
	l.Screening = &session.Screening{Kernel: kernel, Full: !words, Intervals: minIntervals, Footprint: l.Raced != nil}
	l.Skip = nil
	_, err = k.Execute(ctx, p, l)
	return err == nil && l.Screening.Clean, l.Screening.Started, l.Screening.Why
}
