// Package jit is the native engine: it runs functions of the IR as machine code, and runs operations without
// machine code in the interpreter.
//
// Input: a function of the IR that the interpreter has compiled, and a launch.
// Output: a sim.Program that stops for the same reasons as the interpreter's, with the same results and counts,
// unless the function shows the order in which its waves run.
// Invariant: the interpreter can continue after each exit; an exit brings the guest registers that live there
// to their frame slots.
// Example: a kernel of 200 operations runs on the interpreter for about 26,000 instructions; then it is
// translated, and each wave enters the code at its next time slice.
//
// A Program runs on the interpreter until that has taken as long as the translation would (see Mode.Eager).
// Then it is translated for the geometry of the launch and for the instruction set of the processor. The
// interpreter and the code work on the same frames.
//
// Literature: Hölzle, Chambers and Ungar, Debugging optimized code with dynamic deoptimization (PLDI 1992).
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

// Options configure an Engine. The zero value is a good choice.
type Options struct {
	// Code is the number of bytes of machine code that the engine keeps; 0: DefaultCode. Code that runs may
	// take the same number again. A function that needs more runs on the interpreter.
	Code int
	// Arena is the memory for code; nil: an arena that shares its pages with other engines. Tests pass an arena
	// that refuses.
	Arena *exec.Arena
	Mode  Mode // the mode of Compile
}

// DefaultCode is the number of bytes of machine code that an Engine keeps.
const DefaultCode = 16 << 20

// Mode selects how a function runs.
type Mode struct {
	// Tier is the instruction set of the code; None: the best one that the processor has.
	Tier isa.Tier
	// Exact makes every guest register hold the interpreter's value at the end of every basic block. It is
	// slow. A launch that looks at waves (Inspect of sim.Launch) is exact in any case.
	Exact bool
	// Eager translates functions before they run, however long that takes, and makes it an error if a function
	// cannot be translated. There is one exception: if there is no room for the code, the function runs on the
	// interpreter, and Trouble is called.
	Eager bool
	// Passes lets the waves of small launches, too, begin in a coarsened body: see package coarsen.
	Passes bool
	// Wide computes f16 in f32, even if the processor has instructions for f16.
	Wide bool
	// Scribble is for tests only. It deoptimises and enters again without need, and writes nonsense to frame
	// slots of registers that no operation is known to read. An operation that reads one nevertheless then
	// differs from the interpreter. Exact code is not changed.
	Scribble bool
	// Tight is for tests only. It makes one limit of the analyses as low as if functions were much larger.
	Tight webs.Limit
	// After is the number of wave instructions that the interpreter runs before a function that is not Eager is
	// translated; 0: as many as pays returns.
	After int64
	// Trouble, if set, receives the reason why a function that is worth a translation runs on the interpreter.
	// Several goroutines may call it at the same time.
	Trouble func(error)
}

// Engine makes programs and keeps their code. It is safe for concurrent use.
type Engine struct {
	mode  Mode
	best  isa.Tier
	half  bool // the processor has instructions for f16
	arena *exec.Arena
	cache *cache
	// code is the limit of the bytes of machine code of one function.
	code int
	// translate makes the code of a function; see translate.go. Tests replace it.
	translate func(e *Engine, f *ir.Func, k key) (*Kernel, error)
}

// New returns an engine. Its error is the reason why machine code cannot run on this machine.
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
	// If the system refuses executable memory, New reports it, not the first launch.
	if err := probe(); err != nil {
		return nil, err
	}
	return e, nil
}

// tierError returns an error if the processor does not have a tier.
func (e *Engine) tierError(t isa.Tier) error {
	if t <= e.best {
		return nil
	}
	return fmt.Errorf("machine code for %s needs %s", t, strings.Join(exec.Detect().Missing, ", "))
}

// Name returns "jit".
func (e *Engine) Name() string { return "jit" }

// Best returns the best tier of this processor.
func (e *Engine) Best() isa.Tier { return e.best }

// Compile prepares a function, in the mode of the engine's options. Like the interpreter's Compile it enlarges
// f's frame, so it must be called before f is launched.
func (e *Engine) Compile(f *ir.Func) (sim.Program, error) {
	p, err := interp.Engine{}.Compile(f)
	if err != nil {
		return nil, err
	}
	return e.Program(f, p.(*interp.Program), e.mode)
}

// Program returns a program for a function that the interpreter has compiled.
func (e *Engine) Program(f *ir.Func, p *interp.Program, m Mode) (*Program, error) {
	if err := e.tierError(m.Tier); err != nil {
		return nil, err
	}
	if m.Tier == isa.None {
		m.Tier = e.best
	}
	return &Program{Program: p, e: e, f: f, mode: m}, nil
}

// kernel returns the code for a key of function f, from the cache or new.
func (e *Engine) kernel(f *ir.Func, k key) (*Kernel, error) {
	return e.cache.get(f, k, transient, func() (*Kernel, error) { return e.guarded(f, k) })
}

// transient reports whether a second attempt may succeed after an error.
func transient(err error) bool { return errors.Is(err, exec.ErrFull) }

// A tooLargeError reports that the code of a function is larger than the room for it.
type tooLargeError struct{ ops, code int }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("its %d operations come to more machine code than is kept (%d KB)", e.ops, e.code>>10)
}

// noRoom reports whether an error means that there is no room for code. The function then runs on the
// interpreter, in every mode.
func noRoom(err error) bool {
	var large *tooLargeError
	return errors.As(err, &large) || errors.Is(err, exec.ErrFull)
}

// guarded calls translate and turns a panic into an error, so that a mistake in the translation does not end
// the process: the interpreter can run every function.
func (e *Engine) guarded(f *ir.Func, k key) (kernel *Kernel, err error) {
	defer func() {
		if p := recover(); p != nil {
			kernel, err = nil, fmt.Errorf("translating it failed, which is a mistake of Crosslane's: %v", p)
		}
	}()
	return e.translate(e, f, k)
}
