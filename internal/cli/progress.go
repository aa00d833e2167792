package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// progress is the line that shows on a terminal how far a run has come. It erases itself.
type progress struct {
	w     io.Writer
	total uint64
	ended *atomic.Uint64 // blocks
	shown int            // characters on the line
}

// When a run is long enough for a line, and how often it changes.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// watchRun shows how far a launch has come, if it takes long and standard error is a terminal. The
// launch counts its blocks in the counter, which is nil if no line is shown; stop takes the line
// away.
func (a *app) watchRun(blocks uint64, quiet bool) (ended *atomic.Uint64, stop func()) {
	if quiet || !a.drawsLines() {
		return nil, func() {}
	}
	p := &progress{w: a.err, total: blocks, ended: new(atomic.Uint64)}
	tick := time.NewTicker(progressEvery)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		p.follow(time.Now(), tick.C, done)
	}()
	return p.ended, func() {
		tick.Stop()
		close(done)
		<-gone
	}
}

// drawsLines reports whether standard error is a terminal on which a line can erase itself.
func (a *app) drawsLines() bool { return os.Getenv("TERM") != "dumb" && isTerminal(a.err) }

// follow draws the line at every tick, from progressAfter on, until done is closed.
func (p *progress) follow(start time.Time, ticks <-chan time.Time, done <-chan struct{}) {
	defer p.erase()
	for {
		select {
		case now := <-ticks:
			if passed := now.Sub(start); passed >= progressAfter {
				p.draw(p.line(passed))
			}
		case <-done:
			return
		}
	}
}

// line is the text that is shown after a time. It is narrower than 80 columns.
func (p *progress) line(passed time.Duration) string {
	n := p.ended.Load()
	part := float64(n) / float64(max(p.total, 1))
	const width = 20
	full := int(part * width)
	s := fmt.Sprintf("[%s%s] %3.0f%%  %s of %s blocks", strings.Repeat("#", full), strings.Repeat(".", width-full), 100*part, short(n), short(p.total))
	if n == 0 {
		return s + ", " + roughly(passed)
	}
	rate := float64(n) / passed.Seconds()
	speed := fmt.Sprintf("%.3g", rate)
	if rate >= 1000 {
		speed = short(uint64(rate))
	}
	left := float64(p.total-n) / rate
	if left > maxLeft {
		return s + fmt.Sprintf(", %s/s", speed)
	}
	return s + fmt.Sprintf(", %s/s, %s left", speed, roughly(time.Duration(left*float64(time.Second))))
}

// maxLeft is the most seconds of a run's remaining time that are shown.
const maxLeft = 1000 * 3600

// short is a number of at most seven characters.
func short(n uint64) string {
	if n < 1e7 {
		return fmt.Sprint(n)
	}
	v := float64(n) / 1e6
	unit := 0
	for ; v >= 999.5; v /= 1e3 {
		unit++
	}
	return fmt.Sprintf("%.3g%c", v, "MGTPE"[unit])
}

// roughly is a time for people, in whole seconds, minutes or hours.
func roughly(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
}

// draw replaces the line. Blanks cover the rest of a longer line, which every terminal understands.
func (p *progress) draw(s string) {
	// Nothing can be done if stderr cannot be written.
	_, _ = io.WriteString(p.w, "\r"+s+strings.Repeat(" ", max(p.shown-len(s), 0)))
	p.shown = len(s)
}

// erase takes the line away.
func (p *progress) erase() {
	if p.shown > 0 {
		_, _ = io.WriteString(p.w, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
