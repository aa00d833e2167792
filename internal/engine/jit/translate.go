package jit

import (
	"fmt"
	"slices"
	"sync"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/sel"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/sim"
)

// translate makes the code of a function for a key. Each step is a package below internal/jit; their README
// lists them.
//
// Input: a function, and the key that says for which launches and which tier.
// Output: installed machine code, and the tables that describe it (native).
// Invariant: an error leaves no code behind; the interpreter then runs the function.
// Example: webs.Build, shape.Analyze, sel.Select, alloc.Run, x64's Encode, then install.
//
// # Entering and exiting
//
// Each value has a register or a slot of the frame for its whole life. Machine code can therefore be entered at
// every block, with every fragment of the wave, as long as no other engine has run the wave since the last
// exit. An operation without machine code is called out: the interpreter executes it, and its operands and
// results go through frame slots, which are the places that package ir gives them. If the wave is in a state
// for which the code was not made, for instance with deferred lanes, the interpreter runs it for a while. All
// values are then written to their frame slots first, and read from there later.
func translate(e *Engine, f *ir.Func, k key) (*Kernel, error) {
	m, _ := scratches.Get().(*scratch)
	if m == nil {
		m = new(scratch)
	}
	m.limit(e.code)
	defer m.free()
	n, code, err := m.compile(f, k)
	if err != nil {
		return nil, err
	}
	if len(code) > e.code {
		return nil, &tooLargeError{len(f.Code), e.code}
	}
	c, err := e.install(code)
	if err != nil {
		return nil, err
	}
	return &Kernel{code: c, frame: n.frame, native: n, run: runNative}, nil
}

// runNative is Kernel.run of code that translate has made.
func runNative(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop { return k.native.run(k, w, p) }

// A translation is a function on its way to machine code: the results of all steps so far.
type translation struct {
	ssa  *webs.Func
	mask *mask.Masks
	sel  *abi.Code
	regs *alloc.Result
	live *alloc.Live   // the registers that are live where Go may look
	kept *alloc.Parked // the registers that need not be stored where waves wait
	lay  abi.Layout
}

// scratch is memory that successive translations reuse.
type scratch struct {
	ssa   webs.Scratch
	sel   sel.Scratch
	alloc alloc.Scratch
	asm   x64.Assembler
	// points are the instructions of the list at which the live registers are needed later.
	points []int
	// code is the approximate limit of bytes of machine code; 0: no limit. An instruction takes about 300 bytes
	// of memory during the translation.
	code int
}

// scratches holds each *scratch that is not in use. It is memory without content, so the package has no state
// that matters. An Engine cannot own it: it belongs to a module, and most modules translate one function. With
// a pool per Engine the first translation would allocate 100 to 150 KB, and would take an eighth to a fifth
// longer.
var scratches sync.Pool

// limit sets the approximate number of bytes of machine code that a function may have.
func (m *scratch) limit(code int) {
	m.code = code
	m.sel.Most = code / instBytes
}

// maxScratch is the approximate number of bytes that are worth keeping for the next translation.
const maxScratch = 8 << 20

// free keeps the memory for another translation, unless it is larger than maxScratch.
func (m *scratch) free() {
	if m.ssa.Size()+m.sel.Size()+m.alloc.Size() <= maxScratch {
		scratches.Put(m)
	}
}

// round rounds n up to a multiple of to, a power of two.
func round(n, to uint32) uint32 { return (n + to - 1) &^ (to - 1) }

// compile makes machine code of a function. The bytes are valid until the next call.
func (m *scratch) compile(f *ir.Func, k key) (*native, []byte, error) {
	t, list, err := m.assemble(f, k.geom, k.tier)
	if err != nil {
		return nil, nil, err
	}
	code, err := m.asm.Encode(list, t.sel.LIR.Pool)
	if err != nil {
		return nil, nil, fmt.Errorf("jit: %w", err)
	}
	n := t.native(code.Labels)
	if k.scribble {
		n.scribble = t.scribbler(n.defs)
		if err := t.complete(n); err != nil {
			return nil, nil, fmt.Errorf("jit: %w", err)
		}
	}
	return n, code.Bytes, nil
}

// liveRegs lists the machine registers that are live before an instruction of the list, and the constants among
// them.
func (t *translation) liveRegs(at int) []abi.Held {
	var list []abi.Held
	for _, v := range t.live.At(at) {
		r := t.regs.Place(v).Reg
		if r == 0 {
			continue
		}
		h := abi.Held{Reg: r, Len: 8, Stored: t.kept.Stored(at-1, v)}
		if v := &t.sel.LIR.VRegs[v-x64.Virtual]; v.Const != 0 && v.Class != x64.Mask {
			h.Const, h.Len = v.Const, v.Len
		}
		list = append(list, h)
	}
	return list
}

// saved returns the frame offset of a register while its wave waits, and whether the register is live there.
func (t *translation) saved(p abi.SavedReg) (disp int32, lives bool) {
	if !slices.Contains(t.live.At(p.At), p.Reg) {
		return 0, false
	}
	return t.slotOf(t.regs.Place(p.Reg)), true
}

// instBytes is the approximate number of bytes of a machine instruction.
const instBytes = 8

// assemble makes the machine instructions of a function. The results are valid until the next call, except
// those of packages shape and mask.
func (m *scratch) assemble(f *ir.Func, g webs.Geometry, tier isa.Tier) (*translation, []x64.Inst, error) {
	if m.code > 0 && len(f.Code) > m.code/instBytes {
		return nil, nil, &tooLargeError{len(f.Code), m.code}
	}
	t := &translation{ssa: m.ssa.Build(f, g)}
	sh := shape.Analyze(t.ssa)
	t.mask = sh.Masks
	ctl := round(f.FrameSize, 64)
	t.lay = abi.Layout{Control: int32(ctl), Pend: int32(ctl) + abi.CtlSize}
	t.lay.Caches = t.lay.Pend + 8*int32(len(f.Blocks))
	t.sel = m.sel.Select(t.ssa, sh, t.mask, tier, t.lay)
	if t.sel.TooLarge {
		return nil, nil, &tooLargeError{len(f.Code), m.code}
	}
	t.sel.LIR.Slots = int32(round(uint32(t.sel.Frame), 64))
	var err error
	if t.regs, err = m.alloc.Run(t.sel.LIR, tier); err != nil {
		return nil, nil, fmt.Errorf("jit: %w", err)
	}
	m.points = t.sel.Points(m.points[:0])
	t.live, t.kept = t.regs.Live(m.points), t.regs.Parked()
	t.sel.Sparing(t.regs.Registers(), t.lay.Control)
	list := append(t.regs.Code[:len(t.regs.Code)-t.sel.Stubs], t.sel.Routines...)
	t.sel.Settle(list, t.saved)
	list = append(list, t.sel.Parks(list, t.lay.Control, t.liveRegs)...)
	m.alloc.Reuse(list)
	return t, list, nil
}
