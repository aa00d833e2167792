package sim

import (
	"runtime"
	"time"
)

// breath is what a launch notes to share its thread: WebAssembly has one, for all goroutines and for
// the page or the worker that it lives in.
type breath struct {
	instructions int       // since the last look at the clock
	slows        int       // slow works of a check
	last         time.Time // when the host last had the thread
}

const (
	breathInstructions = 1 << 14               // instructions of waves between two looks at the clock
	breathSlow         = 1 << 4                // slow works of a check between two looks; one may take milliseconds
	breathPeriod       = 50 * time.Millisecond // time between two turns of the host
)

// share lets other goroutines run, such as the time limit of the launch, and from time to time the
// host, which may have a message that stops the launch. instructions is how many the wave has just run.
func (b *breath) share(instructions int) {
	runtime.Gosched()
	b.instructions += instructions + 1
	if b.instructions < breathInstructions {
		return
	}
	b.instructions = 0
	switch now := time.Now(); {
	case b.last.IsZero():
		b.last = now
	case now.Sub(b.last) > breathPeriod:
		// If all goroutines sleep, the host gets the thread. The sleep is longer than the scheduler takes to see that they do:
		// else it finds the time over, and the host never gets it.
		time.Sleep(time.Millisecond)
		b.last = time.Now()
	}
}

// slow notes a slow work of a check, such as the races of an access, and reports whether it has let others run: a time slice with
// many of them may take a second.
func (b *breath) slow() bool {
	if b.slows++; b.slows%breathSlow != 0 {
		return false
	}
	b.share(breathInstructions)
	return true
}
