package jit

import (
	"math"
	"sync/atomic"
	"weak"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/sim"
)

// Program is a function that may run as machine code. It implements sim.Specialiser.
//
// Input: a function, and launches of it.
// Output: per launch the interpreter's program, or a running, which switches from the interpreter to machine
// code once that pays.
// Invariant: both may be used in one launch; Kernel.own marks the frames whose state belongs to a kernel.
// Example: a launch of one wave and ten instructions never pays, so it runs on the interpreter to its end.
type Program struct {
	*interp.Program
	e    *Engine
	f    *ir.Func
	mode Mode
}

// Specialise returns the program for a launch.
func (p *Program) Specialise(l *sim.Launch) (sim.Program, error) {
	if interpreted(l) {
		return p.Program, nil
	}
	k := p.key(l)
	r := &running{p: p, key: k}
	if p.mode.Eager {
		kernel, err := p.e.kernel(p.f, k)
		if err != nil && noRoom(err) {
			p.trouble(err)
			return p.Program, nil
		}
		if err != nil {
			return nil, err
		}
		r.kernel.Store(kernel)
		return r, nil
	}
	if kernel := p.e.cache.peek(k); kernel != nil && p.mode.After == 0 {
		r.kernel.Store(kernel)
		return r, nil
	}
	if p.mode.After > 0 {
		r.left.Store(p.mode.After)
		return r, nil
	}
	r.left.Store(pays(p.f))
	if waves(l) > math.MaxUint32 || int64(waves(l)) > pays(p.f)/4 {
		r.translate() // each wave runs at least some instructions
	}
	return r, nil
}

// interpreted reports whether a launch always runs on the interpreter: its schedule is not the usual one, or a
// function looks at memory between basic blocks (Look, Idle) or at every instruction that met. An exit from
// machine code for each of them would take longer than the interpreter.
func interpreted(l *sim.Launch) bool {
	return l.Schedule != (sim.Schedule{}) || l.Look != nil || l.Idle != 0 || l.Func.Met
}

// waves returns the number of waves of a launch.
func waves(l *sim.Launch) uint64 {
	lanes := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	n := uint64(l.Func.Lanes)
	return l.Blocks() * ((lanes + n - 1) / n)
}

// pays returns the number of wave instructions after which a translation pays. The interpreter has then taken
// about as long as the translation will take, so at worst the total time doubles.
func pays(f *ir.Func) int64 { return paysFixed + paysPerOp*int64(len(f.Code)) }

// The unit is one instruction of the interpreter, about 20 ns.
const (
	paysFixed = 2000 // mapping memory, tables
	paysPerOp = 120  // an operation takes about 2.5 µs to translate
)

// key returns the key of the code for a launch. Launches that differ only in properties on which the code does
// not rely have the same key.
func (p *Program) key(l *sim.Launch) key {
	return key{fn: weak.Make(p.f), geom: geometry(p.f, l, p.mode, p.e.half), tier: p.mode.Tier, given: l.Setup == nil, scribble: p.mode.Scribble}
}

// geometry returns the properties of launches of f on which code of a mode relies. half reports that the
// processor has instructions for f16.
func geometry(f *ir.Func, l *sim.Launch, m Mode, half bool) webs.Geometry {
	g := webs.Geometry{Lanes: f.Lanes, Block: l.Block, Exact: m.Exact || l.Inspect != nil, Tight: m.Tight}
	g.NoWrap = !g.Exact
	g.Passes = !g.Exact && (m.Passes || l.Blocks() >= manyBlocks)
	g.Half = half && !m.Wide && m.Tier != isa.AVX2
	for i := range g.Grid {
		// The grid becomes a bound of grid times block, so that a few classes cover all grids.
		for _, limit := range [...]uint64{1 << 24, 1 << 31} {
			if uint64(l.Grid[i])*uint64(l.Block[i]) <= limit {
				g.Grid[i] = uint32(limit / uint64(l.Block[i]))
				break
			}
		}
	}
	return g
}

// manyBlocks is the number of blocks from which waves begin in a coarsened body. To translate that body takes
// about as long as to translate the rest.
const manyBlocks = 128

// running is a Program in a launch.
type running struct {
	p      *Program
	key    key
	kernel atomic.Pointer[Kernel] // nil: the interpreter runs
	left   atomic.Int64           // instructions until a translation pays; below 0: it was tried
}

// Run executes the wave's running fragment: as machine code if there is a kernel that can run it, otherwise in
// the interpreter, and counts the instructions until a translation pays.
func (r *running) Run(w *sim.Wave) sim.Stop {
	k := r.kernel.Load()
	switch {
	case k == nil:
		before := w.Clock
		stop := r.p.Program.Run(w)
		if n := int64(w.Clock-before) + 1; r.left.Load() >= 0 && r.left.Add(-n) < 0 {
			r.translate()
		}
		return stop
	case w.Watch && k.native == nil:
		return r.p.Program.Run(w)
	}
	k.own(w)
	return k.run(k, w, r.p.Program)
}

// Exit writes the guest registers to their frame slots for the interpreter; see sim.Exiter. It reports false if
// an exit of the running fragment has not been handled yet.
func (r *running) Exit(w *sim.Wave) bool {
	k := r.kernel.Load()
	if k == nil {
		return true
	}
	s, ok := w.Engine.(*state)
	if !ok || s.kernel != k {
		return true // the interpreter has run it so far
	}
	if k.native == nil {
		return true // the kernel of a test, which keeps them there
	}
	if s.life.left {
		return false
	}
	k.native.exitAll(w, &s.life)
	return true
}

// FrameBytes returns the frame size that the code needs, so that frames need not grow later; 0 if there is no
// code.
func (r *running) FrameBytes() uint32 {
	if k := r.kernel.Load(); k != nil {
		return k.frame
	}
	return 0
}

// translate makes the code. Other workers continue in the interpreter meanwhile. There is one attempt: if it
// fails, the interpreter runs the launch to its end.
func (r *running) translate() {
	r.left.Store(-1)
	k, err := r.p.e.kernel(r.p.f, r.key)
	if err != nil {
		r.p.trouble(err)
		return
	}
	r.kernel.Store(k)
}

// trouble reports why the interpreter runs.
func (p *Program) trouble(err error) {
	if p.mode.Trouble != nil {
		p.mode.Trouble(err)
	}
}

// own makes the wave's engine state that of the kernel, and enlarges its frame.
func (k *Kernel) own(w *sim.Wave) *state {
	s, ok := w.Engine.(*state)
	if ok && s.kernel == k {
		return s
	}
	// All waves of the block get their state in one allocation.
	all := make([]state, len(w.Waves))
	for i, x := range w.Waves {
		if s, ok := x.Engine.(*state); !ok || s.kernel != k {
			x.Grow(k.frame)
			all[i].kernel = k
			x.Engine = &all[i]
		}
	}
	return w.Engine.(*state)
}

// Start resets the state of a wave that starts a block of the grid.
func (r *running) Start(w *sim.Wave) {
	if k := r.kernel.Load(); k != nil {
		k.own(w).life = life{fresh: true}
	}
}

// state is the engine's state of a wave.
type state struct {
	life life
	// given reports that the control words hold the address of the block's shared memory, which is shared, and
	// all other values that are the same for all blocks.
	given  bool
	shared *byte
	kernel *Kernel // the kernel to which the frame's control words belong
}

// Home writes the wave's registers to their frame slots, where Wave.Get finds them. The wave can continue
// afterwards. An Exact engine writes all registers of all lanes that have not exited; any other engine writes
// the registers that are still live.
func (r *running) Home(w *sim.Wave) {
	if s, ok := w.Engine.(*state); ok && s.kernel.native != nil {
		s.kernel.native.exitAll(w, &s.life)
	}
}
