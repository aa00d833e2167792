package cli

import (
	"bytes"
	"testing"
	"time"
)

// TestStillRunning: a line after one minute, two, four, and none in between or after the end.
func TestStillRunning(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ticks, done, gone := make(chan time.Time), make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() {
		defer close(gone)
		stillRunning(&out, start, ticks, done)
	}()
	for _, s := range []int{1, 59, 60, 61, 119, 121, 600, 601, 959, 960} {
		ticks <- start.Add(time.Duration(s) * time.Second)
	}
	close(done)
	<-gone
	const end = "; --timeout DURATION would end it and report where its lanes are\n"
	want := "still running after 1 min 00 s" + end + "still running after 2 min 01 s" + end + "still running after 10 min 00 s" + end + "still running after 16 min 00 s" + end
	if out.String() != want {
		t.Errorf("%q, want\n%q", out.String(), want)
	}
}

// TestPatient: with a time limit, or with --quiet, a command is silent.
func TestPatient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit time.Duration
		quiet bool
	}{{time.Second, false}, {0, true}, {0, false}} {
		var out bytes.Buffer
		a := &app{err: &out}
		a.patient(c.limit, c.quiet)()
		if out.Len() > 0 {
			t.Errorf("limit %s, quiet %v: %q", c.limit, c.quiet, out.String())
		}
	}
}
