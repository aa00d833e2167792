package jit

import (
	"fmt"
	"sync/atomic"

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

// translate makes the code of a function for a key. See the packages below internal/jit,
// one for each step.
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
func translate(e *Engine, f *ir.Func, k key) (*Kernel, error) {
	n, code, err := compile(f, k.geom, k.tier)
	if err != nil {
		return nil, err
	}
	c, err := e.place(code)
	if err != nil {
		return nil, err
	}
	return &Kernel{code: c, frame: n.frame, native: n, run: runNative}, nil
}

// runNative is Kernel.run of code that translate has made.
func runNative(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop { return k.native.run(k, w, p) }

// native is what there is to know of a function in machine code. It is immutable.
type native struct {
	lanes, blocks int
	ends          []int // by block: its last operation
	ssa           *ssa.Func
	mask          *mask.Masks
	sel           *sel.Code
	regs          *alloc.Result
	lay           sel.Layout

	labels []int32 // offsets in the code, by label
	frame  uint32
	live   []atomic.Pointer[there] // by block: see liveAt
}

func round(n, to uint32) uint32 { return (n + to - 1) &^ (to - 1) }

// compile makes machine code of a function.
func compile(f *ir.Func, g ssa.Geometry, tier exec.Tier) (*native, []byte, error) {
	n, list, err := assemble(f, g, tier)
	if err != nil {
		return nil, nil, err
	}
	code, err := x64.Encode(list, n.sel.LIR.Pool)
	if err != nil {
		return nil, nil, fmt.Errorf("jit: %w", err)
	}
	n.labels = code.Labels
	return n, code.Bytes, nil
}

// assemble makes the machine instructions of a function.
func assemble(f *ir.Func, g ssa.Geometry, tier exec.Tier) (*native, []x64.Inst, error) {
	t := sel.AVX2
	if tier == exec.AVX512 {
		t = sel.AVX512
	}
	n := &native{lanes: f.Lanes, blocks: len(f.Blocks), live: make([]atomic.Pointer[there], len(f.Blocks))}
	for _, b := range f.Blocks {
		n.ends = append(n.ends, b.End-1)
	}
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
		return nil, nil, fmt.Errorf("jit: %w", err)
	}
	n.frame = uint32(n.sel.LIR.Slots + n.regs.Frame)
	// The last instruction stands for the routines.
	return n, append(n.regs.Code[:len(n.regs.Code)-1], n.sel.Routines...), nil
}
