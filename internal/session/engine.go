package session

import (
	"errors"
	"sync/atomic"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// The engines.
const (
	engineAuto = "auto"
	// Interpreter runs everything that Crosslane supports.
	Interpreter = "interp"
	engineJIT   = "jit"
)

// Engines returns the names of the engines that can run on this machine.
func Engines() []string {
	list := []string{Interpreter}
	if _, err := new(native).engine(); err == nil {
		list = append(list, engineJIT)
	}
	return list
}

// Compile prepares a function for all engines. It is done once for each function, before
// the first launch.
func Compile(fn *ir.Func) (sim.Program, error) { return interp.Engine{}.Compile(fn) }

// choice is the engine of a launch.
type choice struct {
	program  sim.Program
	asked    bool                  // the launch names it
	fallback atomic.Pointer[error] // why the native engine does not run, although it would pay or was requested
}

func (c *choice) fellBack(err error) { c.fallback.CompareAndSwap(nil, &err) }

// choose finds the engine for a launch.
func (k *Kernel) choose(p *Prepared, l *Launch) (*choice, error) {
	if err := l.Native.Check(); err != nil {
		return nil, diag.List{k.Errorf("bad-launch", "%v", err)}
	}
	c := &choice{program: p.Prog, asked: l.Engine == engineJIT}
	switch l.Engine {
	case Interpreter:
		return c, nil
	case "", engineAuto:
		// Code that tracks undefined bits and races calls out at every access to memory, and is at
		// least twice as long: machine code seldom makes up for that.
		if p.Track || p.Races {
			return c, nil
		}
	case engineJIT:
	default:
		return nil, k.badEngine("there is no engine %q here", l.Engine)
	}
	prog, err := sim.Program(nil), errSwitchedOff
	switch {
	case p.Fn.Ranked:
		err = errRanked
	case p.Fn.Late:
		err = errDelayed
	case l.Native != api.NativeOff:
		prog, err = k.m.native.program(p, l, c)
	}
	switch {
	case err == nil:
		c.program = prog
	case c.asked:
		return nil, k.badEngine("the engine jit cannot run: %v", err)
	case !errors.Is(err, errSwitchedOff) && !errors.Is(err, errRanked) && !errors.Is(err, errDelayed): // no choice of the user makes code for these
		c.fellBack(err)
	}
	return c, nil
}

// errSwitchedOff is the reason when the user has switched machine code off.
var errSwitchedOff = errors.New("machine code is switched off")

// errRanked is the reason of a launch with clusters.
var errRanked = errors.New("machine code does not know clusters of several blocks")

// errDelayed is the reason of a launch whose asynchronous operations are done late.
var errDelayed = errors.New("machine code does asynchronous operations at once, and the launch delays them")

func (k *Kernel) badEngine(format string, args ...any) error {
	d := k.Errorf("bad-engine", format, args...)
	d.Class, d.Remedy = diag.Unsupported, "the engines are auto, interp and, where machine code can run, jit"
	return diag.List{d}
}

// stats are the figures of a run.
func (c *choice) stats(st sim.Stats) api.Stats {
	s := api.Stats{Engine: Interpreter, WarpInstructions: st.WaveInstructions, LaneInstructions: st.LaneInstructions,
		Blocks: st.Blocks, Native: st.Native, CalledOut: st.CalledOut}
	err := c.fallback.Load()
	// Machine code does not run in other orders than the ordinary one.
	if c.asked && err == nil && (st.WaveInstructions == 0 || st.CalledOut > 0) || st.Native > 0 {
		s.Engine = engineJIT
	}
	if err != nil {
		s.Fallback = (*err).Error()
	}
	return s
}
