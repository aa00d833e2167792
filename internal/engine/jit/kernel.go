package jit

import (
	"errors"
	"runtime"
	"time"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/sim"
)

// Kernel is the code of a function. It does not refer to the function: the cache keeps
// it no longer than that lives.
type Kernel struct {
	code   *exec.Code
	frame  uint32  // bytes that frames need
	native *native // nil in tests of the engine
	// run runs a wave's running fragment in the code, as sim.Program's Run does. The
	// interpreter's program is for what the code leaves to it.
	run func(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop
}

// size is how many bytes of memory the kernel takes, about.
func (k *Kernel) size() int {
	if k.code == nil {
		return 0
	}
	n := k.code.Size()
	if k.native != nil {
		n += k.native.size()
	}
	return n
}

// place puts code into the engine's memory. If that is full, because code that the cache
// has dropped is still waiting to be collected, it makes room.
func (e *Engine) install(code []byte) (*exec.Code, error) {
	for try := 0; ; try++ {
		c, err := e.arena.Map(code)
		if err == nil || !errors.Is(err, exec.ErrFull) || try == 3 {
			return c, err
		}
		e.cache.halve()
		runtime.GC()
		time.Sleep(time.Millisecond) // the runtime frees on a goroutine of its own
	}
}
