package jit

import (
	"errors"
	"runtime"
	"time"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/sim"
)

// Kernel is the code of a function. It holds no reference to the function, because the cache must not keep a
// function alive: it drops the code when the function is freed.
type Kernel struct {
	code   *exec.Code
	frame  uint32  // bytes that a frame needs
	native *native // nil in tests of the engine
	// run executes the wave's running fragment in the code; it is sim.Program's Run. The interpreter's program
	// executes the operations that have no machine code.
	run func(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop
}

// size returns the approximate number of bytes of memory that the kernel takes.
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

// install puts code into the engine's arena. The arena may be full because code that the cache has dropped is
// not collected yet; then install drops half of the cache, runs the garbage collector and tries again.
func (e *Engine) install(code []byte) (*exec.Code, error) {
	for try := 0; ; try++ {
		c, err := e.arena.Map(code)
		if err == nil || !errors.Is(err, exec.ErrFull) || try == 3 {
			return c, err
		}
		e.cache.halve()
		runtime.GC()
		time.Sleep(time.Millisecond) // the runtime frees code on a goroutine of its own
	}
}
