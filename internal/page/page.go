// Package page is the engine room of the page in the browser: it answers the page's requests about a program, its launches and
// its recordings. It knows neither HTTP nor JavaScript: the hosts are the command web and the WebAssembly module.
package page

import (
	"context"
	"errors"
	"runtime"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/page/ask"
)

// Limits bound what one request may take.
type Limits struct {
	Text    int           // bytes of a program with its files
	Memory  uint64        // bytes of all buffers of a launch
	History int64         // bytes of a recording
	Time    time.Duration // of a request, if it names no limit
	MaxTime time.Duration // that a request may name
	Live    int           // recordings that are kept
}

// DefaultLimits are those of a host of its own machine; a browser's tab has less.
func DefaultLimits() Limits {
	return Limits{Text: 16 << 20, Memory: 1 << 30, History: 64 << 20, Time: 10 * time.Second, MaxTime: 10 * time.Minute, Live: 4}
}

// SmallLimits are those of a browser's tab.
func SmallLimits() Limits {
	return Limits{Text: 8 << 20, Memory: 64 << 20, History: 16 << 20, Time: 10 * time.Second, MaxTime: 10 * time.Minute, Live: 4}
}

// Options say what a page is opened with.
type Options struct {
	Limits  Limits
	Native  bool // machine code runs here, and not WebAssembly
	Engine  crosslane.Native
	Program *Program // that the page shows at first; nil: none
	Launch  *Launch
}

// A Page answers the requests of one page. Its methods are for any number of goroutines.
type Page struct {
	*ask.Desk
	o     Options
	work  chan struct{} // a token for each request that loads or runs a program
	shelf shelf
}

// New makes a page.
func New(o Options) *Page {
	p := &Page{Desk: ask.NewDesk(), o: o, work: make(chan struct{}, max(1, min(2, runtime.GOMAXPROCS(0))))}
	p.shelf.limit = max(1, o.Limits.Live)
	for name, op := range map[string]ask.Op{
		"hello": p.hello, "kernels": op(p, p.kernels), "source": op(p, p.source), "run": op(p, p.run), "check": op(p, p.check), "static": op(p, p.static),
		"fix": op(p, p.fix), "try": p.try, "examples": p.examples,
		"record": op(p, p.record), "drop": p.drop, "steps": p.steps, "outline": p.outline, "state": p.state, "memory": p.memory, "why": p.why,
		"lastwrite": p.lastWrite, "nextwrite": p.nextWrite, "laststore": p.lastStore, "query": p.query,
	} {
		p.Add(name, op)
	}
	return p
}

// hello is what the page is told first.
type hello struct {
	Version   string      `json:"version"`
	Native    bool        `json:"native"`
	ISA       []string    `json:"isa"`
	Ops       []string    `json:"ops"`
	Program   *Program    `json:"program,omitempty"`
	Launch    *Launch     `json:"launch,omitempty"`
	Recording *recorded   `json:"recording,omitempty"`
	Limits    limitsShown `json:"limits"`
}

type limitsShown struct {
	Text      int   `json:"text"`
	Memory    int64 `json:"memory"`
	History   int64 `json:"history"`
	TimeMS    int64 `json:"time_ms"`
	MaxTimeMS int64 `json:"max_time_ms"`
	Live      int   `json:"recordings"`
	Steps     int   `json:"steps"`
}

func (p *Page) hello(_ context.Context, params []byte) (any, error) {
	var none struct{}
	if err := ask.Params(params, &none); err != nil {
		return nil, err
	}
	l := &p.o.Limits
	return &hello{
		Version: crosslane.Version, Native: p.o.Native, ISA: []string{"ptx", "gcn3"}, Ops: p.Ops(), Program: p.o.Program, Launch: p.o.Launch,
		Recording: p.shelf.opened(),
		Limits: limitsShown{Text: l.Text, Memory: int64(l.Memory), History: l.History, TimeMS: l.Time.Milliseconds(), MaxTimeMS: l.MaxTime.Milliseconds(),
			Live: l.Live, Steps: maxSteps},
	}, nil
}

// task is the parameters of a request about a program.
type task struct {
	Program *Program    `json:"program"`
	Launch  *Launch     `json:"launch"`
	Options taskOptions `json:"options"`
}

type taskOptions struct {
	TimeoutMS int         `json:"timeout_ms"` // 0: the host's
	Check     *bool       `json:"check"`      // of record: also undefined bits and findings; nil: true
	Blocks    [][3]uint32 `json:"blocks"`     // of record; none: block 0,0,0
	From      int         `json:"from"`       // of record: the first step that is kept
	Limit     int64       `json:"limit"`      // of record: bytes
}

// op makes an operation of a function that works on a program: it bounds the time, and how many run at the same time.
func op[T any](p *Page, do func(ctx context.Context, t *task) (T, error)) ask.Op {
	return func(ctx context.Context, params []byte) (any, error) {
		var t task
		if err := ask.Params(params, &t); err != nil {
			return nil, err
		}
		if t.Program == nil {
			return nil, usage("params: program is missing")
		}
		if err := t.Program.open(p.o.Limits.Text); err != nil {
			return nil, err
		}
		limit, err := p.limit(t.Options.TimeoutMS)
		if err != nil {
			return nil, err
		}
		return within(ctx, p, limit, func(ctx context.Context) (T, error) { return do(ctx, &t) })
	}
}

// limit is the time limit of a request.
func (p *Page) limit(ms int) (time.Duration, error) {
	most := p.o.Limits.MaxTime
	if ms < 0 || ms > int(most.Milliseconds()) {
		return 0, usage("timeout_ms is 0 to %d, found %d", most.Milliseconds(), ms)
	}
	if ms == 0 {
		return p.o.Limits.Time, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// A run ends with its own limit, and says how far it came. What else a request does may take late longer; the request's answer is awaited
// for last then. So a request ends half a second after its limit.
const (
	late = 400 * time.Millisecond
	last = 100 * time.Millisecond
)

// within does the work of a request when its turn comes. If it does not end in time, its answer is no longer waited for; the next
// request waits until it has ended.
func within[T any](ctx context.Context, p *Page, limit time.Duration, do func(context.Context) (T, error)) (any, error) {
	select {
	case p.work <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	timed, cancel := context.WithTimeoutCause(context.WithValue(ctx, limitKey{}, limit), limit+late, errLate)
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { cancel(); <-p.work }()
		v, err := do(timed)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			return r.v, nil
		}
		return nil, timely(ctx, timed, limit, r.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timed.Done():
		select {
		case r := <-done: // it ended at the same time
			if r.err == nil {
				return r.v, nil
			}
			return nil, timely(ctx, timed, limit, r.err)
		case <-time.After(last):
			return nil, timely(ctx, timed, limit, timed.Err())
		}
	}
}

var errLate = errors.New("the time limit of the request")

type limitKey struct{}

// limitOf is the time limit of the request that is being answered.
func limitOf(ctx context.Context) time.Duration {
	d, _ := ctx.Value(limitKey{}).(time.Duration)
	return d
}

// timely gives the end of a request's time its name.
func timely(ctx, timed context.Context, limit time.Duration, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(context.Cause(timed), errLate) {
		d := diag.Errorf(diag.Pos{}, diag.Timeout, "timeout", "the time limit of %s was reached", limit)
		d.Remedy = "raise timeout_ms, or ask for less"
		return d
	}
	return err
}

func usage(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{}, diag.Input, "usage", format, args...)
}

func quoted(s string) string { return input.Quoted(s) }
