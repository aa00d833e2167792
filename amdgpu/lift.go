package amdgpu

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// Code is machine code to lift.
type Code struct {
	Bytes []byte // little-endian dwords
	Entry int64  // offset of the kernel's first instruction in Bytes
	File  string // for messages
	// Place returns the source place of the instruction or data at an offset, from the assembler's
	// line table. It is nil, or returns false, for code without source: positions are then offsets,
	// and the text is the disassembled instruction.
	Source func(off int64) (line, col int, text string, ok bool)
	// Functions are the offsets of functions that the code may call through pointers. They matter
	// only if it does.
	Functions []int64
	// Function reports that the entry is that of a function, which is called, and not a kernel's.
	Function bool
	// Target is the chip; nil is GFX803.
	Target *Target
	// OneWave reports that no block has more lanes than a wave.
	OneWave bool
}

// Indexes of sim.Launch.Values: addresses that a launch must provide to kernels that Lift made, as
// ir.LaunchValue inputs.
const (
	ValueKernarg    = 0 // address of the kernarg segment
	ValueDispatch   = 1 // address of the HSA dispatch packet
	ValueQueue      = 2 // address of the HSA queue structure
	ValueCode       = 3 // address of Code.Bytes[0], for s_getpc_b64
	ValueDispatchID = 4 // the dispatch id
	ValueGDS        = 5 // address of the global data share, if the kernel uses it
	NumLaunchValues = 6
)

// Denorm is a MODE.DENORM field: it selects whether denormal inputs and outputs of float operations
// are kept. GCN3 ISA 6.4.
type Denorm uint8

// The values. Kernel descriptors and .amdhsa_float_denorm_mode_… use them too.
const (
	DenormFlush  Denorm = 0 // inputs and outputs become zero
	DenormInput  Denorm = 1 // bit: inputs are kept
	DenormOutput Denorm = 2 // bit: outputs are kept
	DenormKeep   Denorm = 3
)

// FloatMode is the part of the MODE register that a kernel descriptor sets. The
// zero value flushes everything; see DefaultMode.
type FloatMode struct {
	Denorm32    Denorm
	Denorm16_64 Denorm
	Round32     uint8 // 0: to nearest even, 1: up, 2: down, 3: toward zero
	Round16_64  uint8
	NoDX10Clamp bool // DX10_CLAMP is off: clamp keeps a NaN
	NoIEEE      bool // IEEE is off: see VMinModeF32 of package num, and omod
}

// DefaultMode is the mode of a kernel descriptor that LLVM's assembler makes
// without further directives: f32 denormals are flushed, f16 and f64 ones kept.
func DefaultMode() FloatMode { return FloatMode{Denorm32: DenormFlush, Denorm16_64: DenormKeep} }

// denorm returns the field for a type.
func (m FloatMode) denorm(t Type) Denorm {
	if t == F32 {
		return m.Denorm32
	}
	return m.Denorm16_64
}

// LiftOptions describe the start of the kernel, which the code does not contain.
type LiftOptions struct {
	Name     string     // name of the kernel
	Mode     FloatMode  // from the kernel descriptor
	Excp     uint8      // from the kernel descriptor: the initial exceptions of MODE.EXCP_EN
	Inputs   []ABIInput // initial values of registers, see ABI.Inputs
	LDSSize  uint32     // bytes of LDS that the kernel declares
	Scratch  uint32     // bytes of private memory per work-item
	ReqBlock [3]uint32  // required workgroup size, 0: any
	MaxBlock uint32     // largest workgroup size, 0: any
	AllowEnd bool       // control may run past the end of Bytes, where the wavefront then ends
	MinVGPRs int        // least number of VGPRs, for tools that read them
	VGPRs    int        // number of VGPRs in the kernel descriptor, which indexes can reach
	// Late delivers the results of memory instructions as late as s_waitcnt allows. It also gives
	// an instruction the old value of a register that it reads before its wait states have passed.
	// A function that waits for everything behaves the same with and without it.
	Late bool
	// DynamicStack reports that the calls' need of scratch memory is unknown.
	DynamicStack bool
	// Track, if not nil, makes the observer of the code's waves, or returns nil if there is nothing to
	// observe.
	Track func(x Lifting) Tracker
	// Declare, if not nil, may name further registers before the function is finished.
	Declare func(x Lifting)
}

// Decoded is an instruction of the code.
type Decoded struct {
	In        Inst
	Off, Next int64
	to        []int64 // known targets of a computed branch or fork
	Computed  bool    // its target is known only at run time
}

// Lift turns the code that is reachable from the entry into IR: a wave of the chip. Its registers
// are guest values with the names of the assembler.
//
// Input: machine code with an entry, and the options of a kernel descriptor.
// Output: an ir.Func.
// Invariant: an instruction without a meaning that control can reach is an error, never skipped.
// Example: `v_add_u32 v1, vcc, v2, v3` becomes, under EXEC, `v1 = Add32 v2, v3` and `vcc = AddC32
// v2, v3`.
//
// Scalar registers are one array of 128 dwords, so s5, s[4:5], vcc and the masks in them are views
// of the same bytes; see package ir.
//
// A call is followed if its address is computed from s_getpc_b64 and constants, as compilers do.
// Any other call may go to Code.Functions and to addresses that the code computes that way; a
// return may go to the instructions after calls. An instruction without a meaning here is an error
// of class Unsupported, but only if control can reach it.
//
// With LiftOptions.Track the function also observes its waves, if the code may use a result without
// having waited for it, or may break a rule of wait states.
//
// Errors are *diag.Diagnostic.
func Lift(code Code, opt LiftOptions) (*ir.Func, error) {
	prog, err := Follow(code, opt.AllowEnd)
	if err != nil {
		return nil, err
	}
	insts, hub := prog.Insts, prog.Hub
	chip := code.Target.OrDefault()
	x := &lifter{t: chip, b: ir.NewBuilder(opt.Name, chip.WaveSize), opt: &opt, views: map[view]ir.Ref{}, codeLabels: codeLabels{labels: map[int64]ir.Label{}}}
	f := x.b.Func()
	f.File, f.SharedStatic, f.LocalSize = code.File, opt.LDSSize, opt.Scratch
	f.StackUp = opt.DynamicStack
	f.ReqBlock, f.MaxBlock = opt.ReqBlock, opt.MaxBlock
	x.code, x.insts, x.prog = code, insts, prog
	x.layout(insts)
	x.b.Input(ir.ActiveMask0, x.exec, 0)
	for _, in := range opt.Inputs {
		x.input(in)
	}
	var next []int64
	for i := range insts {
		next = successors(next[:0], &insts[i])
		for _, to := range next {
			if to != insts[i].Next && to != hubOff {
				x.label(to)
			}
		}
	}
	x.hub = hub
	for _, to := range hub {
		x.label(to)
	}
	if len(insts) > 0 && insts[0].Off != code.Entry {
		x.b.At(code.Pos(&insts[0]))
		x.b.SBra(x.label(code.Entry), 0, false)
	}
	x.modes = modes(insts, hub, code.Entry, opt.Mode)
	x.ldsLimited = ldsLimited(insts)
	if opt.Track != nil {
		x.tracker = opt.Track(Lifting{x})
	}
	for i := range insts {
		if err := x.inst(code, insts, i); err != nil {
			return nil, err
		}
	}
	x.end(code, insts)
	if opt.Declare != nil {
		opt.Declare(Lifting{x})
	}
	fn, err := x.b.Finish()
	if err != nil {
		return nil, diag.Errorf(diag.Pos{File: code.File}, diag.Unsupported, "internal", "kernel %s: %v", opt.Name, err)
	}
	return fn, nil
}

// layout makes the register files, as large as the code needs, and the registers that the lifter
// always needs.
func (x *lifter) layout(insts []Decoded) {
	vgprs := max(1, x.opt.MinVGPRs)
	for i := range insts {
		if r := insts[i].In.Row; r.GPRIdx == IdxOn || r.Flags.Has(FlagIndirect) && IsVALU(r) {
			vgprs = max(vgprs, min(x.opt.VGPRs, x.t.VGPRs))
		}
		for _, o := range insts[i].In.Operands() {
			if o.Kind == KindVGPR {
				vgprs = max(vgprs, int(o.Reg)+int(o.Dwords))
			}
		}
	}
	for _, in := range x.opt.Inputs {
		if in.VGPR {
			vgprs = max(vgprs, int(in.Reg)+1)
		}
	}
	x.vgprs = vgprs
	x.sgpr = x.b.Reserve(scalarCodes * 4)
	x.vgpr = x.b.Reserve(uint32(vgprs) * x.t.RowBytes())
	x.scc = x.b.Scalar("scc", ir.B1)
	x.exec = x.maskReg(RegEXEC)
	x.b.Func().Exec = x.exec
}

// input initialises a register at the start of a wave.
func (x *lifter) input(in ABIInput) {
	switch {
	case in.VGPR:
		x.b.Input(in.Kind, x.vreg(in.Reg), in.Imm)
	case in.Reg == RegEXEC && in.Kind == ir.ActiveMask0:
		x.b.Input(in.Kind, x.exec, in.Imm)
	default:
		x.b.Input(in.Kind, x.sreg(in.Reg, in.Dwords), in.Imm)
	}
}

// label returns the label of the instruction at an offset.
func (x *lifter) label(off int64) ir.Label {
	l, ok := x.labels[off]
	if !ok {
		l = x.b.NewLabel()
		x.labels[off] = l
	}
	return l
}

// inst lifts one instruction.
func (x *lifter) inst(code Code, insts []Decoded, i int) error {
	d := &insts[i]
	if x.done {
		x.done = false
		return nil
	}
	if l, ok := x.labels[d.Off]; ok {
		x.b.Bind(l)
	}
	pos := x.enter(code, d)
	if x.tracker != nil && x.tracker.Overtaken(i) {
		return x.overtake(code, insts, i)
	}
	x.observe(i, false)
	if err := x.one(code, d, pos, i); err != nil {
		return err
	}
	x.observe(i, true)
	return x.rest(insts, i, pos)
}

// rest continues after an instruction. Code that was reached in pieces may have a gap or an overlap
// at a place where control falls through.
func (x *lifter) rest(insts []Decoded, i int, pos ir.Pos) error {
	if d := &insts[i]; !stops(&d.In) && (i+1 == len(insts) || insts[i+1].Off != d.Next) {
		x.b.At(ir.Pos{Line: pos.Line, Col: pos.Col, Off: d.Next, Text: "(continued)", Name: pos.Name})
		x.b.SBra(x.label(d.Next), 0, false)
	}
	return nil
}

// enter makes an instruction the current one.
func (x *lifter) enter(code Code, d *Decoded) ir.Pos {
	pos := code.Pos(d)
	x.b.At(pos)
	x.in, x.off, x.next, x.to, x.computed, x.why = &d.In, d.Off, d.Next, d.to, d.Computed, ""
	x.mode, x.dyn, x.idx = x.opt.Mode, false, IndexOff
	if s, ok := x.modes[d.Off]; ok {
		x.mode, x.dyn, x.idx = s.mode, !s.known, s.idx
	}
	return pos
}

// one emits the operations of the current instruction.
func (x *lifter) one(code Code, d *Decoded, pos ir.Pos, i int) error {
	start := len(x.b.Func().Code)
	switch {
	case d.In.Row.Sem == nil:
		why := "it has no meaning here yet"
		if d.In.Row.Why != "" {
			why = d.In.Row.Why
		}
		return code.unsupported(d, pos, why)
	case x.idx == IndexOff || !IsVALU(d.In.Row):
		x.meaning()
	case x.idx == IndexUnknown:
		x.unsupported("whether GPR indexing is on, or for which operands, differs between the paths that lead here, or M0 is written while it is on")
	default:
		x.indexed()
	}
	if x.why != "" {
		return code.unsupported(d, pos, x.why)
	}
	if x.tracker != nil {
		x.tracker.Lifted(i, start)
	}
	return nil
}

// meaning emits the operations of the instruction's meaning.
func (x *lifter) meaning() {
	x.mask = x.exec
	if in := x.in; in.Enc == EncDPP && !(in.Mod(ModRowMask) == 15 && in.Mod(ModBankMask) == 15 && in.Has(ModBoundCtrl)) {
		x.mask = x.b.Temp(ir.B1)
		x.b.Emit(ir.Inst{Op: ir.DPPMask, Dst: x.mask, Args: [4]ir.Ref{x.exec}, Imm: x.dppImm()})
	}
	x.in.Row.Sem(x)
}

// end ends the wave at the place where control may run past the last byte.
func (x *lifter) end(code Code, insts []Decoded) {
	end := int64(len(code.Bytes))
	l, ok := x.labels[end]
	if !ok && len(insts) > 0 {
		return
	}
	if ok {
		x.b.Bind(l)
	}
	x.b.At(ir.Pos{Off: end, Text: "(end)", Name: "(end)"})
	x.b.Emit(ir.Inst{Op: ir.EndWave, Scalar: true})
}

// Pos returns an instruction's position.
func (c *Code) Pos(d *Decoded) ir.Pos {
	p := ir.Pos{Off: d.Off, Name: d.In.Mnemonic(), Section: d.In.Row.Section(), Result: d.In.Row.result()}
	if c.Source != nil {
		if line, col, text, ok := c.Source(d.Off); ok {
			p.Line, p.Col, p.Text = line, col, text
		}
	}
	if p.Text == "" {
		p.Text = Print(&d.In)
	}
	return p
}

// result is the type of the first destination; of an instruction without one, that of its data.
func (r *Row) result() string {
	t := TNone
	for _, o := range r.Operands {
		if o.Dst {
			t = o.Type
			break
		}
		if o.Field == FieldDATA || o.Field == FieldVDATA {
			t = o.Type
		}
	}
	switch t {
	case TNone:
		return ""
	case U24:
		return "u32"
	case I24:
		return "s32"
	case I16, I32, I64:
		return "s" + t.String()[1:]
	}
	return t.String()
}

// DiagPos returns the position in the form of diagnostics.
func (c *Code) DiagPos(p ir.Pos) diag.Pos {
	return diag.Pos{File: c.File, Line: p.Line, Col: p.Col, Off: p.Off, HasOff: true}
}

func (c *Code) unsupported(d *Decoded, p ir.Pos, why string) error {
	e := diag.Errorf(c.DiagPos(p), diag.Unsupported, "unsupported-instruction", "%s at offset %#x: %s", d.In.Mnemonic(), d.Off, why)
	e.Source = p.Text
	e.Section = d.In.Row.Section()
	return e
}
