// Package try runs a few instructions on one warp or wave, with registers that the caller sets.
package try

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Limits of a scratchpad run.
const (
	tryTimeout  = 10 * time.Second
	trySource   = 1 << 20  // bytes of instructions
	trySteps    = 1000     // instructions that can be traced
	tryShared   = 64 << 10 // bytes of shared memory
	tryStack    = 4 << 10  // bytes of a lane's stack
	tryLocal    = 1 << 20  // bytes of private memory of a lane
	tryGlobal   = 64 << 20 // bytes of global variables
	tryFileName = "try"    // in positions
)

// A snippet is a scratchpad program in IR form.
type snippet struct {
	fn       *ir.Func
	regs     []snippetReg // the written ones in the order of writing, then the rest
	find     func(name string) (snippetReg, bool)
	warnings diag.List
	global   uint64 // bytes of variables in global memory
	bind     func(s *sim.Launch, mem *session.Memory) error
}

// A snippetReg is a register of a snippet. A register of several pieces (the GCN3
// pair v[2:3]) has its low piece first.
type snippetReg struct {
	name    string
	pieces  []ir.Ref
	typ     string
	float   bool
	written bool
}

// Try runs a few instructions, separated by semicolons, on one wave of 32 (PTX) or 64 (GCN3) lanes,
// without a kernel around them. Registers are declared by use; those to which o.Set gives no value
// are uninitialised. Lanes outside o.Exec are inactive, not exited. There are 64 KiB of shared
// memory, and only the global memory that the instructions declare.
//
// The result holds the registers after the last instruction, with the lanes that are uninitialised
// or came from undefined behaviour marked as poison, and the findings. The error is a diag.List:
// class Input for text that does not parse or fit, Unsupported, Fault for accesses outside memory,
// traps and deadlocks, or Timeout after ten seconds. After a Fault or Timeout the result is not nil
// and shows the registers as they were then.
func Try(ctx context.Context, src string, o api.TryOptions) (*api.TryResult, error) {
	if len(src) > trySource {
		return nil, tryError("bad-argument", "", "%d bytes of instructions; at most %d are allowed", len(src), trySource)
	}
	isa := o.ISA
	if isa == api.Auto {
		isa = detectSnippet(src)
	}
	var sn *snippet
	var err error
	switch isa {
	case api.PTX:
		sn, err = ptxSnippet(src)
	case api.GCN3:
		sn, err = gcn3Snippet(src)
	default:
		return nil, tryError("bad-argument", "the instruction sets are ptx and gcn3", "there is no instruction set %q", isa)
	}
	if err != nil {
		return nil, err
	}
	if sn.fn.SharedStatic > tryShared || sn.fn.LocalSize > tryLocal || sn.global > tryGlobal {
		return nil, tryError("bad-argument", fmt.Sprintf("declare at most %d bytes of shared memory, %d of local and %d of global memory", tryShared, tryLocal, tryGlobal),
			"the instructions declare %d bytes of shared, %d of local and %d of global memory", sn.fn.SharedStatic, sn.fn.LocalSize, sn.global)
	}
	show, err := sn.shown(o.Show)
	if err != nil {
		return nil, err
	}
	set, err := sn.settings(o.Set)
	if err != nil {
		return nil, err
	}
	res := &api.TryResult{ISA: isa, Lanes: sn.fn.Lanes}
	if o.Trace {
		if err := sn.trace(ctx, o, show, set, res); err != nil {
			return nil, err
		}
	}
	wave, findings, err := sn.run(ctx, sn.fn, o.Exec, set)
	if wave == nil {
		if l := diag.Of(err); len(l) > 0 && l[0].Class == diag.Timeout {
			return res, err // stopped before the wave began
		}
		return nil, err
	}
	res.Registers = wave.registers(show)
	res.Findings = append(slices.Clone(sn.warnings), findings...)
	// There is one wave, and no kernel to name.
	for _, d := range append(slices.Clone(res.Findings), diag.Of(err)...) {
		d.Kernel, d.Blocks = "", 0
	}
	return res, err
}

func tryError(code, remedy, format string, args ...any) error {
	d := diag.Errorf(diag.Pos{}, diag.Input, code, format, args...)
	d.Remedy = remedy
	return diag.List{d}
}

// detectSnippet detects the instruction set from the first mnemonic: those of GCN3 have underscores
// and no dots.
func detectSnippet(src string) api.ISA {
	word := strings.TrimLeft(src, " \t\r\n")
	if i := strings.IndexAny(word, " \t\r\n;"); i >= 0 {
		word = word[:i]
	}
	for _, unit := range []string{"v_", "s_", "ds_", "flat_", "buffer_", "tbuffer_", "image_", "exp"} {
		if strings.HasPrefix(word, unit) && !strings.Contains(word, ".") {
			return api.GCN3
		}
	}
	return api.PTX
}

// shown finds the registers to return.
func (sn *snippet) shown(names []string) ([]snippetReg, error) {
	var out []snippetReg
	if names == nil {
		for _, r := range sn.regs {
			if r.written {
				out = append(out, r)
			}
		}
		return out, nil
	}
	for _, n := range names {
		r, ok := sn.find(n)
		if !ok {
			return nil, sn.noRegister(n)
		}
		out = append(out, r)
	}
	return out, nil
}

func (sn *snippet) noRegister(name string) error {
	var names []string
	for _, r := range sn.regs {
		names = append(names, r.name)
	}
	remedy := "the instructions use " + strings.Join(names, ", ")
	if len(names) == 0 {
		remedy = "the instructions use no registers"
	}
	return tryError("bad-argument", remedy, "the instructions have no register %s", name)
}

// A setting is a register's initial value, one element per lane and piece.
type setting struct {
	reg  snippetReg
	bits []uint64
}

// settings checks the initial values against the registers.
func (sn *snippet) settings(sets []api.TrySet) ([]setting, error) {
	var out []setting
	for _, s := range sets {
		r, ok := sn.find(s.Reg)
		if !ok {
			return nil, sn.noRegister(s.Reg)
		}
		bits, err := sn.convert(r, s)
		if err != nil {
			return nil, err
		}
		out = append(out, setting{r, bits})
	}
	return out, nil
}

// convert checks the values of a TrySet and widens them to the register.
func (sn *snippet) convert(r snippetReg, s api.TrySet) ([]uint64, error) {
	t := s.Type
	if t == "" {
		t = api.U32
	}
	n := 1
	v := sn.fn.Val(r.pieces[0])
	if !v.Scalar {
		n = sn.fn.Lanes
	}
	switch {
	case t.Size() == 0:
		return nil, tryError("bad-argument", "", "register %s: there is no type %q", s.Reg, t)
	case len(s.Bits) == 0:
		return nil, tryError("bad-argument", "give a value for each lane, or one for all", "register %s: no value", s.Reg)
	case len(s.Bits) > n:
		return nil, tryError("bad-argument", "", "register %s: %d values; it has %d", s.Reg, len(s.Bits), n)
	}
	pred := v.Type == ir.B1
	width := int(v.Type.Bytes()) * len(r.pieces)
	if !pred {
		// GCN3 has the 16-bit floats in the low halves of its registers.
		half := t.Size() == 2 && width == 4 && sn.fn.Lanes == 64
		float := strings.Contains(string(t), "f") && !half
		if s.Type != "" && (t.Size() > width || float && t.Size() != width) {
			return nil, tryError("bad-argument", fmt.Sprintf("give values of %d bytes", width), "register %s has %d bytes, a %s has %d", s.Reg, width, t, t.Size())
		}
	}
	out := make([]uint64, n)
	for i := range out {
		x := s.Bits[min(i, len(s.Bits)-1)]
		if size := uint(8 * t.Size()); size < 64 && s.Type != "" {
			x &= 1<<size - 1
			if t[0] == 's' {
				x = uint64(int64(x<<(64-size)) >> (64 - size))
			}
		}
		if pred {
			if x > 1 {
				return nil, tryError("bad-argument", "a predicate is 0 or 1", "register %s: the value %d", s.Reg, x)
			}
		} else if width < 8 {
			if s.Type == "" && x>>uint(8*width) != 0 {
				return nil, tryError("bad-argument", "", "register %s has %d bytes: %#x does not fit", s.Reg, width, x)
			}
			x &= 1<<uint(8*width) - 1
		}
		out[i] = x
	}
	return out, nil
}

// tryWave is a wave that has run, with its shadows.
type tryWave struct {
	*sim.Wave
	shadow map[ir.Ref]ir.Ref
}

// run executes a function that has the snippet's values. The wave is nil only if it
// was not started; the error may also be the guest's fault.
func (sn *snippet) run(ctx context.Context, f *ir.Func, exec *uint64, sets []setting) (*tryWave, diag.List, error) {
	g, shadow := poison.Track(f, poison.Options{Quiet: true})
	prog, err := session.Compile(g)
	if err != nil {
		return nil, nil, diag.List{diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "%v", err)}
	}
	full := lane.All(f.Lanes)
	active := full
	if exec != nil {
		active = lane.Mask(*exec) & full
	}
	var wave *tryWave
	mem := session.NewMemory(true)
	l := &sim.Launch{
		Func: g, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(f.Lanes), 1, 1},
		Memory: mem.Memory, Workers: 1, Checks: sim.Checks{Track: true}, Limits: sim.Limits{Timeout: tryTimeout}, Dynamic: tryShared - f.SharedStatic, Stack: tryStack,
	}
	l.Setup = func(w *sim.Wave) {
		wave = &tryWave{w, shadow}
		for _, s := range sets {
			wave.set(s)
		}
		// If there is an EXEC register, it holds the active lanes.
		if f.Exec != 0 && exec != nil {
			w.SetMask(f.Exec, active)
			w.SetMask(shadow[f.Exec], 0)
		}
	}
	if f.Exec == 0 {
		l.Idle = full &^ active
	}
	if err := sn.bind(l, mem); err != nil {
		return nil, nil, err
	}
	_, findings, err := sim.Run(ctx, l)
	return wave, findings, err
}

// set gives a register its initial value and takes the poison off it.
func (w *tryWave) set(s setting) {
	for p, r := range s.reg.pieces {
		for i, x := range s.bits {
			if len(s.reg.pieces) > 1 {
				x = x >> uint(32*p) & 0xffffffff
			}
			w.Set(r, i, x)
			w.Wave.Set(w.shadow[r], i, 0)
		}
	}
}

// registers reads registers and their poison.
func (w *tryWave) registers(list []snippetReg) []api.Register {
	out := make([]api.Register, 0, len(list))
	for _, r := range list {
		n := w.Func.Lanes
		if w.Func.Val(r.pieces[0]).Scalar {
			n = 1
		}
		reg := api.Register{Name: r.name, Type: r.typ, Float: r.float, Lanes: n, Bits: make([]uint64, n), Undefined: make([]uint64, n)}
		for i := range n {
			for p, ref := range r.pieces {
				reg.Bits[i] |= w.Get(ref, i) << uint(32*p)
				reg.Undefined[i] |= w.Get(w.shadow[ref], i) << uint(32*p)
			}
			if reg.Undefined[i] != 0 {
				reg.Poison = append(reg.Poison, i)
			}
		}
		out = append(out, reg)
	}
	return out
}

// trace runs the first instruction, then the first two, and so on. Code with
// branches is cut in the order in which it is written.
func (sn *snippet) trace(ctx context.Context, o api.TryOptions, show []snippetReg, set []setting, res *api.TryResult) error {
	ends := stepEnds(sn.fn)
	if len(ends) > trySteps {
		return tryError("bad-argument", "trace fewer instructions", "%d instructions; at most %d can be traced", len(ends), trySteps)
	}
	for _, end := range ends {
		pos := sn.fn.Pos[sn.fn.Code[end-1].Pos]
		wave, _, err := sn.run(ctx, cut(sn.fn, end), o.Exec, set)
		if wave == nil {
			return err
		}
		res.Steps = append(res.Steps, api.TryStep{Text: pos.Text, Registers: wave.registers(show)})
		if err != nil {
			break // the whole run reports it, too
		}
	}
	return nil
}

// stepEnds returns, for every guest instruction in layout order, the index after
// its last operation.
func stepEnds(f *ir.Func) []int {
	var ends []int
	for i := range f.Code {
		if i+1 < len(f.Code) && f.Code[i+1].Pos == f.Code[i].Pos || strings.HasPrefix(f.Pos[f.Code[i].Pos].Text, "(") {
			continue
		}
		ends = append(ends, i+1)
	}
	return ends
}

// cut returns a function of the first n operations of f; the end follows them.
func cut(f *ir.Func, n int) *ir.Func {
	c := *f
	c.Code = slices.Clone(f.Code[:n])
	c.Pos = append(slices.Clone(f.Pos), ir.Pos{Text: "(end)", Name: "(end)"})
	end := ir.Inst{Op: ir.Exit, Pos: int32(len(c.Pos) - 1)}
	if f.Exec != 0 {
		end.Op, end.Scalar = ir.EndWave, true
	}
	c.Blocks = nil
	for _, b := range f.Blocks {
		if b.Start < n {
			c.Blocks = append(c.Blocks, ir.Block{Start: b.Start, End: min(b.End, n)})
		}
	}
	last := uint64(len(c.Blocks))
	for i := range c.Code {
		if op := c.Code[i].Op; op == ir.Bra || op == ir.SBra {
			c.Code[i].Imm = min(c.Code[i].Imm, last)
		}
	}
	c.Code = append(c.Code, end)
	c.Blocks = append(c.Blocks, ir.Block{Start: n, End: n + 1})
	return &c
}
