// Package jit is the native engine: it runs functions of the IR as machine code, and
// leaves to the interpreter what has none.
//
// A Program runs on the interpreter until that has taken as long as translating would
// (see Mode.Eager); then it is translated, for the geometry of the launch and for what
// the processor has, and its waves go on in machine code at their next turn. Both work
// on the same frames.
package jit

import (
	"errors"
	"fmt"
	"strings"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
)

// Options are what an Engine is made with. The zero value is good.
type Options struct {
	// Code is how many bytes of machine code the engine keeps; 0: DefaultCode. Code in use
	// may come to as much again. A function of which there would be more is left to the
	// interpreter.
	Code int
	// Arena is the memory for code; nil: one whose pages lie among those of other engines.
	// Tests give one that refuses.
	Arena *exec.Arena
	Mode  Mode // of Compile
}

// DefaultCode is how many bytes of machine code an Engine keeps.
const DefaultCode = 16 << 20

// Mode says how a function is run.
type Mode struct {
	// Tier is what the code may use; None: the best that the processor has.
	Tier isa.Tier
	// Exact makes every register of the guest hold at the end of every basic block what it
	// holds in the interpreter. It costs speed. A launch that looks at waves (sim.Launch's
	// Inspect) has it in any case.
	Exact bool
	// Eager has functions translated before they run, whatever that costs, and makes it
	// an error if they cannot be; but those for whose code there is no room run on the
	// interpreter, and Trouble is told.
	Eager bool
	// Passes has the waves of small launches, too, begin in passes: see package sel.
	Passes bool
	// Wide has f16 computed in f32 also where the processor has instructions for f16.
	Wide bool
	// Spoil is for tests only. Machine code is left and entered again where it need not be,
	// and where it is, registers that nobody is known to read hold nonsense: whoever reads
	// them all the same differs from the interpreter. Exact code is left alone.
	Scribble bool
	// Tight is for tests only: that limit of the analyses is as low as if functions were much larger.
	Tight webs.Limit
	// After is how many instructions of a launch's waves the interpreter runs before the
	// function is translated, if it is not Eager; 0: as many as pay for it.
	After int64
	// Trouble, if set, is told why a function that pays for translation runs on the
	// interpreter all the same. Several goroutines may call it.
	Trouble func(error)
}

// Engine makes programs and keeps their code. It is safe for concurrent use.
type Engine struct {
	mode  Mode
	best  isa.Tier
	half  bool // the processor has instructions for f16
	arena *exec.Arena
	cache *cache
	// code is how many bytes of machine code there may be of a function.
	code int
	// translate makes the code of a function; see translate.go.
	translate func(e *Engine, f *ir.Func, k key) (*Kernel, error)
}

// New returns an engine. The error says why machine code cannot run here.
func New(o Options) (*Engine, error) {
	cpu := exec.Detect()
	if cpu.Best == isa.None {
		return nil, fmt.Errorf("machine code needs %s", strings.Join(cpu.Missing, ", "))
	}
	if o.Code <= 0 {
		o.Code = DefaultCode
	}
	probe := exec.Probe
	if o.Arena == nil {
		o.Arena = exec.SharingArena(2*o.Code + 1<<20)
	} else {
		probe = o.Arena.Probe
	}
	e := &Engine{mode: o.Mode, best: cpu.Best, half: cpu.Half, arena: o.Arena, cache: newCache(o.Code), code: o.Code, translate: translate}
	if err := e.tierError(o.Mode.Tier); err != nil {
		return nil, err
	}
	// Where code is refused it shall be known now.
	if err := probe(); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Engine) tierError(t isa.Tier) error {
	if t <= e.best {
		return nil
	}
	return fmt.Errorf("machine code for %s needs %s", t, strings.Join(exec.Detect().Missing, ", "))
}

// Name returns "jit".
func (e *Engine) Name() string { return "jit" }

// Best is the best tier of this processor.
func (e *Engine) Best() isa.Tier { return e.best }

// Compile prepares a function in the mode of the engine's options. Like the
// interpreter's it enlarges f's frame, so it must be called before f is launched.
func (e *Engine) Compile(f *ir.Func) (sim.Program, error) {
	p, err := interp.Engine{}.Compile(f)
	if err != nil {
		return nil, err
	}
	return e.Program(f, p.(*interp.Program), e.mode)
}

// Program makes a program of a function that the interpreter has compiled.
func (e *Engine) Program(f *ir.Func, p *interp.Program, m Mode) (*Program, error) {
	if err := e.tierError(m.Tier); err != nil {
		return nil, err
	}
	if m.Tier == isa.None {
		m.Tier = e.best
	}
	return &Program{Program: p, e: e, f: f, mode: m}, nil
}

// kernel returns the code for a key of function f.
func (e *Engine) kernel(f *ir.Func, k key) (*Kernel, error) {
	return e.cache.get(f, k, transient, func() (*Kernel, error) { return e.guarded(f, k) })
}

// transient reports whether an error may not come again.
func transient(err error) bool { return errors.Is(err, exec.ErrFull) }

// A tooLargeError says that the code of a function comes to more than there is room for.
type tooLargeError struct{ ops, code int }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("its %d operations come to more machine code than is kept (%d KB)", e.ops, e.code>>10)
}

// noRoom reports whether an error says that there is no room for code. The interpreter runs
// the function then, whoever asked for what.
func noRoom(err error) bool {
	var large *tooLargeError
	return errors.As(err, &large) || errors.Is(err, exec.ErrFull)
}

// guarded is translate, of which a mistake shall not end the process: the interpreter
// can run every function.
func (e *Engine) guarded(f *ir.Func, k key) (kernel *Kernel, err error) {
	defer func() {
		if p := recover(); p != nil {
			kernel, err = nil, fmt.Errorf("translating it failed, which is a mistake of Crosslane's: %v", p)
		}
	}()
	return e.translate(e, f, k)
}
