package jit

import (
	"fmt"
	"slices"
	"sync"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/sel"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/sim"
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

// A translation is a function on its way to machine code.
type translation struct {
	ssa  *webs.Func
	mask *mask.Masks
	sel  *sel.Code
	regs *alloc.Result
	live *alloc.Live   // where Go may look
	kept *alloc.Parked // what need not be stored where waves wait
	lay  sel.Layout
}

// scratch is memory that translations use one after the other.
type scratch struct {
	ssa   webs.Scratch
	sel   sel.Scratch
	alloc alloc.Scratch
	asm   x64.Assembler
	// points are the instructions of the list in front of which it matters what lives.
	points []int
	// code is how many bytes of machine code there may be, about; 0: any number. An instruction
	// takes some 300 bytes of memory while it is made.
	code int
}

// scratches are the *scratch that nobody uses: memory, which says nothing, so that the package
// is as good as without state. Nobody else could own it: an Engine belongs to a module, and most
// modules translate one function. With a pool in each the first translation would make 100 to
// 150 KB anew and take an eighth to a fifth longer.
var scratches sync.Pool

// limit says that functions may have at most about so many bytes of machine code.
func (m *scratch) limit(code int) {
	m.code = code
	m.sel.Most = code / instBytes
}

// maxScratch is how many bytes are worth keeping for the next translation, about.
const maxScratch = 8 << 20

// free keeps the memory for another translation, unless it is much.
func (m *scratch) free() {
	if m.ssa.Size()+m.sel.Size()+m.alloc.Size() <= maxScratch {
		scratches.Put(m)
	}
}

func round(n, to uint32) uint32 { return (n + to - 1) &^ (to - 1) }

// compile makes machine code of a function. The bytes are there up to the next call only.
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
	}
	return n, code.Bytes, nil
}

// liveRegs are the registers that hold what lives in front of an instruction of the list.
func (t *translation) liveRegs(at int) []sel.Held {
	var list []sel.Held
	for _, v := range t.live.At(at) {
		r := t.regs.Place(v).Reg
		if r == 0 {
			continue
		}
		h := sel.Held{Reg: r, Len: 8, Stored: t.kept.Stored(at-1, v)}
		if v := &t.sel.LIR.VRegs[v-x64.Virtual]; v.Const != 0 && v.Class != x64.Mask {
			h.Const, h.Len = v.Const, v.Len
		}
		list = append(list, h)
	}
	return list
}

// saved is where in a frame a register is while its wave waits, if it lives there.
func (t *translation) saved(p sel.SavedReg) (disp int32, lives bool) {
	if !slices.Contains(t.live.At(p.At), p.Reg) {
		return 0, false
	}
	return t.slotOf(t.regs.Place(p.Reg)), true
}

// instBytes is about how many bytes a machine instruction takes.
const instBytes = 8

// assemble makes the machine instructions of a function. All but what belongs to packages
// shape and mask is there up to the next call only.
func (m *scratch) assemble(f *ir.Func, g webs.Geometry, tier isa.Tier) (*translation, []x64.Inst, error) {
	if m.code > 0 && len(f.Code) > m.code/instBytes {
		return nil, nil, &tooLargeError{len(f.Code), m.code}
	}
	t := &translation{ssa: m.ssa.Build(f, g)}
	sh := shape.Analyze(t.ssa)
	t.mask = sh.Masks
	ctl := round(f.FrameSize, 64)
	t.lay = sel.Layout{Control: int32(ctl), Pend: int32(ctl) + sel.CtlSize}
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
