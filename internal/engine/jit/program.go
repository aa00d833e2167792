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

// Program is a function that may run as machine code. It implements sim.Specialiser;
// what is not specialised runs on the interpreter.
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
		r.translate() // every wave runs some instructions
	}
	return r, nil
}

// interpreted reports whether a launch is none for machine code: its lanes run in
// another order than the usual one, or somebody looks at memory between blocks of code, or at all
// that instructions do: leaving machine code for that takes longer than the interpreter.
func interpreted(l *sim.Launch) bool {
	return l.Schedule != (sim.Schedule{}) || l.Look != nil || l.Idle != 0 || l.Func.Met
}

func waves(l *sim.Launch) uint64 {
	lanes := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	n := uint64(l.Func.Lanes)
	return l.Blocks() * ((lanes + n - 1) / n)
}

// pays is after how many instructions of waves it pays to translate a function: the
// interpreter has then taken about as long as translating takes.
func pays(f *ir.Func) int64 { return paysFixed + paysPerOp*int64(len(f.Code)) }

// The measure is in instructions of the interpreter, of about 20 ns.
const (
	paysFixed = 2000 // mapping memory, tables
	paysPerOp = 120  // operations take about 2.5 µs to translate
)

// key is what code for a launch is made for. Launches that differ in what the code does
// not rely on have one key.
func (p *Program) key(l *sim.Launch) key {
	return key{fn: weak.Make(p.f), geom: geometry(p.f, l, p.mode, p.e.half), tier: p.mode.Tier, given: l.Setup == nil, scribble: p.mode.Scribble}
}

// geometry is what code of a mode relies on in launches of f. half says that the processor has
// instructions for f16.
func geometry(f *ir.Func, l *sim.Launch, m Mode, half bool) webs.Geometry {
	g := webs.Geometry{Lanes: f.Lanes, Block: l.Block, Exact: m.Exact || l.Inspect != nil, Tight: m.Tight}
	g.NoWrap = !g.Exact
	g.Passes = !g.Exact && (m.Passes || l.Blocks() >= manyBlocks)
	g.Half = half && !m.Wide && m.Tier != isa.AVX2
	for i := range g.Grid {
		// Bounds for the products of grid and block, so that few classes serve all grids.
		for _, limit := range [...]uint64{1 << 24, 1 << 31} {
			if uint64(l.Grid[i])*uint64(l.Block[i]) <= limit {
				g.Grid[i] = uint32(limit / uint64(l.Block[i]))
				break
			}
		}
	}
	return g
}

// manyBlocks is from how many blocks on waves begin in passes: code for that takes about as
// long to translate as the rest.
const manyBlocks = 128

// running is a Program in a launch.
type running struct {
	p      *Program
	key    key
	kernel atomic.Pointer[Kernel] // nil: the interpreter runs
	left   atomic.Int64           // instructions until it pays to translate
}

// Run runs the wave's running fragment: as machine code if there is some, and this is a
// fragment for it.
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

// Leave puts the registers of the guest where the interpreter looks for them: see sim.Leaver.
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

// FrameBytes makes frames large enough at once if the code is there.
func (r *running) FrameBytes() uint32 {
	if k := r.kernel.Load(); k != nil {
		return k.frame
	}
	return 0
}

// translate makes the code. Other workers go on in the interpreter meanwhile. It is tried
// once: if it cannot be, the interpreter runs to the end.
func (r *running) translate() {
	r.left.Store(-1)
	k, err := r.p.e.kernel(r.p.f, r.key)
	if err != nil {
		r.p.trouble(err)
		return
	}
	r.kernel.Store(k)
}

// trouble tells why the interpreter runs.
func (p *Program) trouble(err error) {
	if p.mode.Trouble != nil {
		p.mode.Trouble(err)
	}
}

// own makes the wave's state that of the kernel.
func (k *Kernel) own(w *sim.Wave) *state {
	s, ok := w.Engine.(*state)
	if ok && s.kernel == k {
		return s
	}
	// Those of the block's waves come together, one allocation for all.
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

// Start is called when a wave starts a block of the grid.
func (r *running) Start(w *sim.Wave) {
	if k := r.kernel.Load(); k != nil {
		k.own(w).life = life{fresh: true}
	}
}

// state is what the engine keeps about a wave.
type state struct {
	life life
	// given says that the control words say where the block's memory is, shared, and what
	// else stays the same for all blocks.
	given  bool
	shared *byte
	kernel *Kernel // whose part of the frame it is
}
