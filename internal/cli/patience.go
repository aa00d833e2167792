package cli

import (
	"fmt"
	"io"
	"time"
)

// patienceAfter is the time after which a command that runs a kernel first reports that it still
// runs. It reports again when twice the time has passed.
const patienceAfter = time.Minute

// patient makes a command without a time limit report now and then that it still runs: a kernel may
// have a loop that does not end, and a log has no other sign of life. On a terminal the line of the
// run shows it. stop ends that.
func (a *app) patient(limit time.Duration, quiet bool) (stop func()) {
	if limit > 0 || quiet || a.drawsLines() {
		return func() {}
	}
	tick := time.NewTicker(time.Second)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		stillRunning(a.err, time.Now(), tick.C, done)
	}()
	return func() {
		tick.Stop()
		close(done)
		<-gone
	}
}

// stillRunning writes a line after patienceAfter, after twice that, and so on, until done is
// closed.
func stillRunning(w io.Writer, start time.Time, ticks <-chan time.Time, done <-chan struct{}) {
	next := patienceAfter
	for {
		select {
		case now := <-ticks:
			passed := now.Sub(start)
			if passed < next {
				continue
			}
			for passed >= next {
				next *= 2
			}
			// Nothing can be done if stderr cannot be written.
			_, _ = fmt.Fprintf(w, "still running after %s; --timeout DURATION would end it and report where its lanes are\n", roughly(passed))
		case <-done:
			return
		}
	}
}
