package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
)

// launchAll makes the launches of a sweep, several at a time, and merges their findings. The result
// does not depend on how many run at a time.
func (a *app) launchAll(k kernel, l launchspec.Spec, s *sweep, budget time.Duration, c *checked) error {
	n := s.launches()
	c.planned = n
	// Each launch has buffers of its own, with a shadow and a copy of their original contents, and
	// a record of accesses. All of them stay within the limit.
	var bytes uint64
	for _, arg := range slices.Concat(l.Args, l.Buffers) {
		_ = arg.ReadHeader() // an error is reported when the buffer is made
		bytes += checkCopies * arg.Bytes()
	}
	l.RaceMemory = max(1, min(1<<30, (l.MaxMemory-min(bytes, l.MaxMemory))/8))
	at := 1
	if n > 1 {
		at = l.Workers
		if at == 0 {
			at = runtime.GOMAXPROCS(0)
		}
		if bytes += l.RaceMemory; bytes > 0 {
			at = int(min(uint64(at), max(l.MaxMemory/bytes, 1)))
		}
		l.Workers = 1
	}
	ctx, cancel := context.WithCancel(a.ctx)
	if budget > 0 {
		ctx, cancel = context.WithTimeout(a.ctx, budget)
	}
	defer cancel()
	var mu sync.Mutex
	next, done := 0, 0
	results := make([]diag.List, n)
	made := make([]bool, n)
	cut := n // the first launch that an interrupt ended
	var where error
	var wg sync.WaitGroup
	for range min(at, n) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n || ctx.Err() != nil {
					return
				}
				list, err := a.launchOne(ctx, k, l, s, i)
				mu.Lock()
				results[i], made[i] = list, err == nil
				if err == nil {
					done++
				} else if i < cut {
					cut, where = i, err
				}
				mu.Unlock()
			}
		})
	}
	stop := a.progress(n, func() int { mu.Lock(); defer mu.Unlock(); return done })
	wg.Wait()
	stop()
	if a.ctx.Err() != nil {
		c.stopped = true
		c.where = where
		// The findings until then are those of the only launch. A launch of a sweep that was cut short
		// would seem to lack findings that the other launches have.
		if n == 1 {
			made[0] = true
		}
	}
	c.ran = done
	c.merge(s, results, made)
	if done < n && !c.stopped {
		c.complete = false
		d := &diag.Diagnostic{Pos: diag.Pos{File: c.file}, Severity: diag.Note, Class: diag.Finding, Code: "budget-reached",
			Message: fmt.Sprintf("%d of %d launches were made in %s; nothing is known about the rest", done, n, budget), Remedy: "give more time with --budget, or sweep over fewer values"}
		c.list = append(c.list, d)
	}
	return nil
}

// checkCopies is how many times the bytes of buffers Check takes: the buffers, their undefined
// bits, and their contents before and after the run, for further runs.
const checkCopies = 4

// launchOne makes launch i, and returns its outcome. The error is that of a launch that an
// interrupt or the end of the budget cut short, and says where it was.
func (a *app) launchOne(ctx context.Context, k kernel, l launchspec.Spec, s *sweep, i int) (list diag.List, cut error) {
	l, err := s.apply(l, i)
	if err != nil {
		return diag.Of(err), nil
	}
	made, err := await(a, k.Name(), func() (*launchspec.Built, error) { return l.Build(k, checkCopies) })
	if a.ctx.Err() != nil {
		return nil, a.ctx.Err()
	}
	if err != nil {
		return diag.Of(err), nil
	}
	wants, err := l.Expectations(made.Buffers)
	if err != nil {
		return diag.Of(err), nil
	}
	launch := l.Launch(made)
	printed := &lastText{}
	launch.RaceMemory, launch.Stdout, launch.Skip = l.RaceMemory, printed, a.skip
	res, err := k.Check(ctx, launch)
	if res != nil {
		a.noteFallback(res)
		list = append(list, res.Findings...)
	}
	stopped := err != nil && slices.ContainsFunc(diag.Of(err), stopsRun)
	if stopped && s.launches() == 1 {
		printed.show(a.err)
	}
	if stopped && ctx.Err() != nil {
		return list, err
	}
	if err != nil {
		return append(list, diag.Of(err)...), nil
	}
	for _, w := range wants {
		if d := w.Compare(); d != nil {
			d.Kernel = k.Name()
			list = append(list, d)
		}
	}
	return list, nil
}

// stopsRun reports whether a diagnostic says that a run was stopped before its end.
func stopsRun(d *diag.Diagnostic) bool { return d.Class == diag.Timeout || d.Code == "cancelled" }

// lastText keeps the end of the text that a kernel prints. A check shows it only if the run is
// stopped before its end.
type lastText struct {
	text []byte
	more bool // the beginning is missing
}

// maxLastText is how much of the text lastText keeps, in bytes.
const maxLastText = 64 << 10

func (t *lastText) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if n := len(t.text) - maxLastText; n > 0 {
		t.text, t.more = append(t.text[:0], t.text[n:]...), true
	}
	return len(b), nil
}

// show writes the text after a line of its own.
func (t *lastText) show(w io.Writer) {
	if len(t.text) == 0 {
		return
	}
	head := "the kernel had printed:"
	if t.more {
		head = fmt.Sprintf("the kernel had printed, at last (%d bytes):", len(t.text))
	}
	// Nothing can be done if stderr cannot be written.
	_, _ = fmt.Fprintf(w, "%s\n%s\n", head, bytes.TrimSuffix(t.text, []byte("\n")))
}

// progress counts the launches on a terminal, until the function that it returns is
// called.
func (a *app) progress(n int, done func() int) (stop func()) {
	if n < 2 || !isTerminal(a.err) {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				fmt.Fprint(a.err, "\r\x1b[K")
				return
			case <-tick.C:
				d := done()
				const width = 30
				fmt.Fprintf(a.err, "\r[%-*s] %d of %d launches", width, strings.Repeat("#", d*width/n), d, n)
			}
		}
	}()
	return func() { close(end); <-ended }
}

// merge joins the findings of the launches. If several launches have the same finding, the first
// one's diagnostic is kept, with a list of the launches.
func (c *checked) merge(s *sweep, lists []diag.List, made []bool) {
	var ran []int
	for i := range lists {
		if made[i] {
			ran = append(ran, i)
		} else {
			lists[i] = nil
		}
	}
	c.sizes = map[*diag.Diagnostic][3]uint32{}
	for _, g := range results.Merge(lists, c.list) {
		g.Launches = s.describe(ran, g.Hits)
		c.list = append(c.list, g.Diagnostic)
		c.sizes[g.Diagnostic] = c.size(s, g.Hits[0])
	}
}

// size is the block of launch i.
func (c *checked) size(s *sweep, i int) [3]uint32 {
	for x, a := range s.axes {
		if a.kind == axisBlock {
			if d, err := launchspec.ParseDim("block", strings.ReplaceAll(a.values[s.value(i, x)], "x", ",")); err == nil {
				return [3]uint32{d.X, d.Y, d.Z}
			}
		}
	}
	return c.block
}
