//go:build !js

package session

import (
	"sync"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// native is the native engine of a module: the code of its kernels lives as long as it
// does. The zero native is ready.
type native struct {
	once  sync.Once
	e     *jit.Engine
	err   error       // why there is none
	arena *exec.Arena // set by tests; nil: the engine's own
}

// engine returns the engine, or why machine code cannot run here.
func (n *native) engine() (*jit.Engine, error) {
	n.once.Do(func() {
		n.e, n.err = jit.New(jit.Options{Arena: n.arena})
	})
	return n.e, n.err
}

// program makes a launch's program for the native engine.
func (n *native) program(p *Prepared, l *Launch, c *choice) (sim.Program, error) {
	e, err := n.engine()
	if err != nil {
		return nil, err
	}
	mode := jit.Mode{Eager: c.asked || l.Screening != nil && l.Screening.translationPays(), Trouble: c.fellBack}
	if l.Native != "" {
		if mode.Tier, err = isa.ParseTier(string(l.Native)); err != nil {
			return nil, err
		}
	}
	prog, ok := p.Prog.(*interp.Program)
	if !ok {
		return p.Prog, nil // a program that a test made
	}
	return e.Program(p.Fn, prog, mode)
}
