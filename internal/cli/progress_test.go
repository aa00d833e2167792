package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/crosslane"
)

// A screen is the contents of a terminal of 80 columns after writes to it: one line, and carriage
// returns.
type screen struct {
	mu    sync.Mutex
	cells []byte
	at    int
	seen  bytes.Buffer
}

func (*screen) IsTerminal() bool { return true }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Write(b)
	for _, c := range b {
		if c == '\r' {
			s.at = 0
			continue
		}
		for len(s.cells) <= s.at {
			s.cells = append(s.cells, ' ')
		}
		s.cells[s.at] = c
		s.at++
	}
	return len(b), nil
}

func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimRight(string(s.cells), " ")
}

// The line comes after a second, shows how far the run has come, and goes without a trace.
func TestProgress(t *testing.T) {
	t.Parallel()
	tty := &screen{}
	p := &progress{w: tty, total: 1000, ended: new(atomic.Uint64)}
	ticks, done, gone := make(chan time.Time), make(chan struct{}), make(chan struct{})
	start := time.Unix(1000, 0)
	go func() {
		defer close(gone)
		p.follow(start, ticks, done)
	}()
	// The second of two equal ticks is taken when the first has been drawn.
	tick := func(after time.Duration) string {
		ticks <- start.Add(after)
		ticks <- start.Add(after)
		return tty.shows()
	}
	for _, c := range []struct {
		after time.Duration
		ended uint64
		want  string
	}{
		{500 * time.Millisecond, 100, ""},
		{time.Second, 0, "[....................]   0%  0 of 1000 blocks, 1 s"},
		{2 * time.Second, 250, "[#####...............]  25%  250 of 1000 blocks, 125/s, 6 s left"},
		{150 * time.Second, 500, "[##########..........]  50%  500 of 1000 blocks, 3.33/s, 2 min 30 s left"},
		{90 * time.Minute, 900, "[##################..]  90%  900 of 1000 blocks, 0.167/s, 10 min 00 s left"},
		{3 * time.Hour, 1000, "[####################] 100%  1000 of 1000 blocks, 0.0926/s, 0 s left"},
	} {
		p.ended.Store(c.ended)
		if got := tick(c.after); got != c.want {
			t.Errorf("after %s:\n%q, want\n%q", c.after, got, c.want)
		}
	}
	close(done)
	<-gone
	if got := tty.shows(); got != "" || tty.at != 0 {
		t.Errorf("it leaves %q, column %d", got, tty.at)
	}
}

// The greatest grids fit a line.
func TestProgressWidth(t *testing.T) {
	t.Parallel()
	p := &progress{total: (1<<31 - 1) * 65535 * 65535, ended: new(atomic.Uint64)}
	for _, n := range []uint64{0, 1, 12345678901234567, p.total} {
		p.ended.Store(n)
		for _, d := range []time.Duration{time.Second, 59*time.Minute + 59*time.Second, 99 * time.Hour} {
			if s := p.line(d); len(s) >= 80 || strings.Contains(s, " -") {
				t.Errorf("%d columns: %s", len(s), s)
			}
		}
	}
}

// countingFake is a run that takes as long as the test needs.
type countingFake struct {
	fake
	run func(l crosslane.Launch)
}

type countingModule struct {
	module
	run func(l crosslane.Launch)
}

type countingKernel struct {
	kernel
	run func(l crosslane.Launch)
}

func (f countingFake) Load(data []byte, file string, o crosslane.LoadOptions) (module, error) {
	m, err := f.fake.Load(data, file, o)
	return countingModule{m, f.run}, err
}

func (m countingModule) Kernel(name string) (kernel, error) {
	k, err := m.module.Kernel(name)
	return countingKernel{k, m.run}, err
}

func (k countingKernel) Run(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	k.run(l)
	return k.kernel.Run(ctx, l)
}

// Blocks are counted only for a terminal; not with --quiet, nor in a terminal that cannot rewrite a
// line.
func TestProgressIsForTerminals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.txt")
	if err := os.WriteFile(file, []byte("kernel k nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		tty  bool
		term string
		more []string
		want bool
	}{
		{"a terminal", true, "xterm", nil, true},
		{"a pipe", false, "xterm", nil, false},
		{"--quiet", true, "xterm", []string{"--quiet"}, false},
		{"a dumb terminal", true, "dumb", nil, false},
	} {
		t.Setenv("TERM", c.term)
		var stdout, pipe bytes.Buffer
		counted := false
		api := countingFake{run: func(l crosslane.Launch) { counted = l.Ended != nil }}
		args := append([]string{"run", file, "--grid", "2,3", "--block", "1"}, c.more...)
		code := 0
		if tty := (&screen{}); c.tty {
			code = run(context.Background(), api, args, nil, &stdout, tty)
			if tty.shows() != "" {
				t.Errorf("%s: it leaves %q", c.name, tty.shows())
			}
		} else {
			code = run(context.Background(), api, args, nil, &stdout, &pipe)
		}
		if counted != c.want || code != 0 || pipe.Len() > 0 {
			t.Errorf("%s: blocks are counted: %v, want %v; status %d, %q", c.name, counted, c.want, code, pipe.String())
		}
	}
}
