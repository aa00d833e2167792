// Package jit is the native engine: it turns a function into machine code of amd64, for
// the geometry of a launch, and runs that on the frames of package sim.
//
// The steps are packages below internal/jit: ssa, shape and mask find out what is what,
// sel selects instructions, alloc gives them registers, x64 encodes them. This package
// puts them together, keeps the code, and goes in and out of it.
//
// # In and out
//
// All values live in registers, or slots of the frame, that belong to them for good; so
// machine code can be entered at any block, with any of the wave's fragments, as long as
// nobody else has run the wave since it was left. What it has no instructions for it
// leaves to the interpreter, one operation at a time: operands and results go through
// their homes, the places that package ir gives them in the frame. When the wave is in a
// state that the code was not made for, such as lanes that have been put aside, the
// interpreter runs it for a while; then all values go home first, and come back later.
package jit

import (
	"fmt"

	"crosslane/internal/engine/interp"
	"crosslane/internal/ir"
	"crosslane/internal/jit/alloc"
	"crosslane/internal/jit/exec"
	"crosslane/internal/jit/mask"
	"crosslane/internal/jit/sel"
	"crosslane/internal/jit/shape"
	"crosslane/internal/jit/ssa"
	"crosslane/internal/jit/x64"
	"crosslane/internal/sim"
)

// Engine is the native engine.
type Engine struct {
	Tier  exec.Tier
	Exact bool // all guest registers are the interpreter's whenever a wave stops
	Arena *exec.Arena
}

// Name returns "jit".
func (Engine) Name() string { return "jit" }

// Program is a function that has not been launched yet: its code depends on the launch.
type Program struct {
	*interp.Program
	e Engine
	f *ir.Func
}

// Compile prepares a function.
func (e Engine) Compile(f *ir.Func) (sim.Program, error) {
	p, err := interp.Engine{}.Compile(f)
	if err != nil {
		return nil, err
	}
	return &Program{Program: p.(*interp.Program), e: e, f: f}, nil
}

// Specialise makes the code for a launch.
func (p *Program) Specialise(l *sim.Launch) (sim.Program, error) {
	g := geometry(l, p.e.Exact || l.Inspect != nil)
	n, err := compile(p.f, g, p.e.Tier, p.Program)
	if err != nil {
		return nil, err
	}
	if n.code, err = p.e.Arena.Map(n.bytes); err != nil {
		return nil, err
	}
	n.bytes = nil
	return n, nil
}

// geometry is what of a launch code is made for.
func geometry(l *sim.Launch, exact bool) ssa.Geometry {
	return ssa.Geometry{Lanes: l.Func.Lanes, Block: l.Block, Exact: exact}
}

// native is a function in machine code. It is immutable.
type native struct {
	f    *ir.Func
	base *interp.Program
	ssa  *ssa.Func
	mask *mask.Masks
	sel  *sel.Code
	regs *alloc.Result
	lay  sel.Layout

	code   *exec.Code
	bytes  []byte
	labels []int32 // offsets in the code, by label
	frame  uint32
	parts  [][]x64.Reg // the virtual registers of each web
	texts  texts
}

// texts are what --dump prints.
type texts struct{ ssa, sel, alloc, asm string }

func round(n, to uint32) uint32 { return (n + to - 1) &^ (to - 1) }

// compile makes machine code of a function.
func compile(f *ir.Func, g ssa.Geometry, tier exec.Tier, base *interp.Program) (*native, error) {
	t := sel.AVX2
	if tier == exec.AVX512 {
		t = sel.AVX512
	}
	n := &native{f: f, base: base}
	n.ssa = ssa.Build(f, g)
	sh := shape.Analyze(n.ssa)
	n.mask = sh.Masks
	ctl := round(f.FrameSize, 64)
	n.lay = sel.Layout{Control: int32(ctl), Pend: int32(ctl) + sel.CtlSize}
	n.lay.Caches = n.lay.Pend + 8*int32(len(f.Blocks))
	n.sel = sel.Select(n.ssa, sh, n.mask, t, n.lay)
	n.sel.LIR.Slots = int32(round(uint32(n.sel.Frame), 64))
	var err error
	if n.regs, err = alloc.Run(n.sel.LIR, alloc.Tier(t)); err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	code, err := x64.Encode(append(n.regs.Code[:len(n.regs.Code)-1], n.sel.Routines...), n.sel.LIR.Pool)
	if err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	n.bytes, n.labels = code.Bytes, code.Labels
	n.frame = uint32(n.sel.LIR.Slots + n.regs.Frame)
	n.parts = make([][]x64.Reg, len(n.ssa.Webs))
	for i, o := range n.sel.Owners {
		if o.Web != 0 {
			n.parts[o.Web] = append(n.parts[o.Web], x64.Virtual+x64.Reg(i))
		}
	}
	return n, nil
}

// FrameBytes is the size of a frame.
func (p *native) FrameBytes() uint32 { return p.frame }
