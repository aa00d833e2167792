package gcn3

import (
	"fmt"
	"maps"
	"slices"

	"crosslane/diag"
	"crosslane/internal/ir"
)

// Code is machine code to lift.
type Code struct {
	Bytes []byte // little-endian dwords
	Entry int64  // offset of the kernel's first instruction in Bytes
	File  string // for messages
	// Place tells where the instruction or data at an offset stands in the source, from the
	// assembler's line table. It is nil, or returns false, for code without source:
	// positions are then offsets, and the text is the disassembled instruction.
	Place func(off int64) (line, col int, text string, ok bool)
	// Functions are the offsets where functions begin, which code may call through
	// pointers. They matter only if it does.
	Functions []int64
	// OneWave says that blocks have no more lanes than a wave.
	OneWave bool
}

// Indexes of sim.Launch.Values: addresses that a launch must provide to kernels
// that Lift made, as ir.LaunchValue inputs.
const (
	ValueKernarg    = 0 // address of the kernarg segment
	ValueDispatch   = 1 // address of the HSA dispatch packet
	ValueQueue      = 2 // address of the HSA queue structure
	ValueCode       = 3 // address of Code.Bytes[0], for s_getpc_b64
	ValueDispatchID = 4 // the dispatch id
	ValueGDS        = 5 // address of the global data share, if the kernel uses it
	NumLaunchValues = 6
)

// Denorm is a MODE.DENORM field: whether denormal inputs and outputs of float
// operations are kept. GCN3 ISA 6.4.
type Denorm uint8

// The values, which kernel descriptors and .amdhsa_float_denorm_mode_… use too.
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

// denorm returns the field that concerns a type.
func (m FloatMode) denorm(t Type) Denorm {
	if t == F32 {
		return m.Denorm32
	}
	return m.Denorm16_64
}

// LiftOptions say what the code cannot: how the kernel is started.
type LiftOptions struct {
	Name     string     // the kernel's
	Mode     FloatMode  // from the kernel descriptor
	Excp     uint8      // from there: the exceptions that MODE.EXCP_EN begins with
	Inputs   []ABIInput // initial values of registers, see ABI.Inputs
	LDSSize  uint32     // bytes of LDS that the kernel declares
	Scratch  uint32     // bytes of private memory per work-item
	ReqBlock [3]uint32  // required workgroup size, 0: any
	MaxBlock uint32     // greatest workgroup size, 0: any
	AllowEnd bool       // control may run past the end of Bytes: the wavefront ends there
	MinVGPRs int        // VGPRs that exist at least, for tools that look at them
	VGPRs    int        // VGPRs that the kernel descriptor asks for, which indexes reach
	// Late delivers the results of memory instructions as late as s_waitcnt allows, and
	// gives what is read before its wait states have passed the value of before. A
	// function that waits for everything does the same in either case.
	Late bool
	// DynamicStack says that calls need more scratch memory than anybody knows.
	DynamicStack bool
}

// decoded is an instruction of the code.
type decoded struct {
	in        Inst
	off, next int64
	to        []int64 // of computed branches and forks: where they go, if that is known
	computed  bool    // it goes to an address that is known only when it runs
}

// Lift turns the code that is reachable from the entry into IR: a wave of 64 lanes
// whose registers are guest values, named as the assembler names them.
//
// Scalar registers are one array of 128 dwords, so that s5, s[4:5], vcc and the
// masks in them are views of the same bytes; see package ir.
//
// Calls are followed if their addresses are computed from s_getpc_b64 and constants,
// as compilers do; others may go to Code.Functions and to addresses that the code
// computes so, returns to the instructions after calls. What has no meaning here is an
// error of class Unsupported, but only if it can be reached.
//
// Where the code may use a result without having waited for it, or may break a rule of
// wait states, the function observes every wave and notes where it does.
//
// Errors are *diag.Diagnostic.
func Lift(code Code, opt LiftOptions) (*ir.Func, error) { return lift(code, opt, nil) }

// lift is Lift; more, if not nil, may declare views before the function is finished.
func lift(code Code, opt LiftOptions, more func(x *lifter)) (*ir.Func, error) {
	insts, hub, err := reachable(code, opt.AllowEnd)
	if err != nil {
		return nil, err
	}
	x := &lifter{b: ir.NewBuilder(opt.Name, 64), opt: &opt, views: map[view]ir.Ref{}, labels: map[int64]ir.Label{}}
	f := x.b.Func()
	f.File, f.SharedStatic, f.LocalSize = code.File, opt.LDSSize, opt.Scratch
	f.StackUp = opt.DynamicStack
	f.ReqBlock, f.MaxBlock = opt.ReqBlock, opt.MaxBlock
	x.insts = insts
	x.layout(insts)
	x.b.Input(ir.ActiveMask0, x.exec, 0)
	for _, in := range opt.Inputs {
		x.input(in)
	}
	var next []int64
	for i := range insts {
		next = successors(next[:0], &insts[i])
		for _, to := range next {
			if to != insts[i].next && to != hubOff {
				x.label(to)
			}
		}
	}
	x.hub = hub
	for _, to := range hub {
		x.label(to)
	}
	if len(insts) > 0 && insts[0].off != code.Entry {
		x.b.At(code.pos(&insts[0]))
		x.b.SBra(x.label(code.Entry), 0, false)
	}
	x.modes = modes(insts, hub, code.Entry, opt.Mode)
	x.ldsLimited = ldsLimited(insts)
	x.track(code, insts, hub)
	for i := range insts {
		if err := x.inst(code, insts, i); err != nil {
			return nil, err
		}
	}
	x.end(code, insts)
	if more != nil {
		more(x)
	}
	fn, err := x.b.Finish()
	if err != nil {
		return nil, diag.Errorf(diag.Pos{File: code.File}, diag.Unsupported, "internal", "kernel %s: %v", opt.Name, err)
	}
	return fn, nil
}

// layout makes the register files, as large as the code needs, and the registers
// that the lifter always needs.
func (x *lifter) layout(insts []decoded) {
	vgprs := max(1, x.opt.MinVGPRs)
	for i := range insts {
		if r := insts[i].in.Row; r.GPRIdx == IdxOn || r.Flags.Has(FlagIndirect) && isVALU(r) {
			vgprs = max(vgprs, min(x.opt.VGPRs, 256))
		}
		for _, o := range insts[i].in.Operands() {
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
	x.sgpr = x.b.Reserve(128 * 4)
	x.vgpr = x.b.Reserve(uint32(vgprs) * 64 * 4)
	x.scc = x.b.Scalar("scc", ir.B1)
	x.exec = x.maskReg(RegEXEC)
	x.b.Func().Exec = x.exec
}

// input fills a register at the start of a wave.
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

// label is the label of the instruction at an offset.
func (x *lifter) label(off int64) ir.Label {
	l, ok := x.labels[off]
	if !ok {
		l = x.b.NewLabel()
		x.labels[off] = l
	}
	return l
}

// inst lifts one instruction.
func (x *lifter) inst(code Code, insts []decoded, i int) error {
	d := &insts[i]
	if l, ok := x.labels[d.off]; ok {
		x.b.Bind(l)
	}
	pos := code.pos(d)
	x.b.At(pos)
	x.in, x.off, x.next, x.to, x.computed, x.why = &d.in, d.off, d.next, d.to, d.computed, ""
	x.mode, x.dyn, x.idx = x.opt.Mode, false, idxOff
	if s, ok := x.modes[d.off]; ok {
		x.mode, x.dyn, x.idx = s.mode, !s.known, s.idx
	}
	x.observe(i, 0)
	start := len(x.b.Func().Code)
	switch {
	case d.in.Row.Sem == nil:
		why := "it has no meaning here yet"
		if d.in.Row.Why != "" {
			why = d.in.Row.Why
		}
		return code.unsupported(d, pos, why)
	case x.idx == idxOff || !isVALU(d.in.Row):
		x.meaning()
	case x.idx == idxUnknown:
		x.unsupported("whether GPR indexing is on, or for which operands, differs between the paths that lead here, or M0 is written while it is on")
	default:
		x.indexed()
	}
	if x.why != "" {
		return code.unsupported(d, pos, x.why)
	}
	x.readShadows(i, start)
	x.observe(i, 1)
	// Code that was reached in pieces may have a gap, or overlap, where control falls
	// through.
	if !stops(&d.in) && (i+1 == len(insts) || insts[i+1].off != d.next) {
		x.b.At(ir.Pos{Line: pos.Line, Col: pos.Col, Off: d.next, Text: "(continued)", Name: pos.Name})
		x.b.SBra(x.label(d.next), 0, false)
	}
	return nil
}

// meaning emits what the instruction does.
func (x *lifter) meaning() {
	x.mask = x.exec
	if in := x.in; in.Enc == EncDPP && !(in.Mod(ModRowMask) == 15 && in.Mod(ModBankMask) == 15 && in.Has(ModBoundCtrl)) {
		x.mask = x.b.Temp(ir.B1)
		x.b.Emit(ir.Inst{Op: ir.DPPMask, Dst: x.mask, Args: [4]ir.Ref{x.exec}, Imm: x.dppImm()})
	}
	x.in.Row.Sem(x)
}

// end ends the wave where control may run past the last byte.
func (x *lifter) end(code Code, insts []decoded) {
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

// pos is an instruction's position.
func (c *Code) pos(d *decoded) ir.Pos {
	p := ir.Pos{Off: d.off, Name: d.in.Mnemonic(), Section: d.in.Row.Section()}
	if c.Place != nil {
		if line, col, text, ok := c.Place(d.off); ok {
			p.Line, p.Col, p.Text = line, col, text
		}
	}
	if p.Text == "" {
		p.Text = Print(&d.in)
	}
	return p
}

// diagPos is the same for diagnostics.
func (c *Code) diagPos(p ir.Pos) diag.Pos {
	return diag.Pos{File: c.File, Line: p.Line, Col: p.Col, Off: p.Off, HasOff: true}
}

func (c *Code) unsupported(d *decoded, p ir.Pos, why string) error {
	e := diag.Errorf(c.diagPos(p), diag.Unsupported, "unsupported-instruction", "%s at offset %#x: %s", d.in.Mnemonic(), d.off, why)
	e.Source = p.Text
	e.Section = d.in.Row.Section()
	return e
}

// branchTarget is the destination of a branch: SIMM16 counts dwords from the next
// instruction, GCN3 ISA 12, SOPP.
func branchTarget(in *Inst, next int64) int64 {
	i := len(in.Row.Operands) - 1
	return next + 4*int64(int16(in.Ops[i].Imm))
}

// stops reports whether control never goes on to the next instruction.
func stops(in *Inst) bool {
	f := in.Row.Flags
	return f.Has(FlagEnd) || f.Has(FlagBranch) && !f.Has(FlagCond) || f.Has(FlagIndirect) && in.Row.Unit == UnitBranch
}

// hubOff stands for the targets of all computed branches.
const hubOff = -1

// successors appends the offsets where control may go.
func successors(l []int64, d *decoded) []int64 {
	l = append(l, d.to...)
	if f := d.in.Row.Flags; f.Has(FlagBranch) && !f.Has(FlagIndirect) {
		l = append(l, branchTarget(&d.in, d.next))
	}
	if d.computed {
		l = append(l, hubOff)
	}
	if !stops(&d.in) {
		l = append(l, d.next)
	}
	return l
}

// reachable decodes what control can reach from the entry, in the order of
// offsets. hub are the targets of computed branches.
func reachable(code Code, allowEnd bool) (list []decoded, hub []int64, err error) {
	w := &walker{code: code, allowEnd: allowEnd, seen: make(places, len(code.Bytes)/4), taken: map[int64]bool{}, after: map[int64]bool{}, illegal: map[int64]bool{}}
	if err := w.follow(code.Entry); err != nil {
		return nil, nil, err
	}
	if w.pointers || w.jumps && len(w.after) == 0 {
		for _, off := range code.Functions {
			w.taken[off] = true
		}
		for n := -1; n != len(w.after); { // until nothing new is found
			n = len(w.after)
			for _, off := range slices.Sorted(maps.Keys(w.taken)) {
				if w.after[off] || !w.legal(off) {
					continue
				}
				w.after[off] = true
				if err := w.follow(off); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for i := 1; i < len(w.list); i++ {
		if w.list[i].off < w.list[i-1].off {
			slices.SortFunc(w.list, func(a, b decoded) int { return int(a.off - b.off) })
			break
		}
	}
	if w.jumps || w.pointers {
		hub = slices.Sorted(maps.Keys(w.after))
	}
	return w.list, hub, nil
}

// A walker follows control through code.
type walker struct {
	code     Code
	allowEnd bool
	list     []decoded
	seen     places
	taken    map[int64]bool // addresses that the code computes
	after    map[int64]bool // where computed branches go
	illegal  map[int64]bool // from where on no code can be decoded
	jumps    bool           // there are computed branches
	pointers bool           // there are calls of computed addresses
}

// places is a set of offsets of instructions, by dwords. Others are never in it: no instruction
// is there.
type places []bool

func (p places) valid(off int64) bool { return off >= 0 && off/4 < int64(len(p)) && off&3 == 0 }

func (p places) has(off int64) bool { return p.valid(off) && p[off/4] }

func (p places) add(off int64) {
	if p.valid(off) {
		p[off/4] = true
	}
}

// follow decodes what is reachable from an offset. Straight lines are followed from
// where they begin, so that the targets of calls are known.
func (w *walker) follow(off int64) error {
	type place struct {
		off  int64
		from *decoded // the instruction that leads here, nil for an entry
	}
	todo := []place{{off, nil}}
	for len(todo) > 0 {
		off, from := todo[len(todo)-1].off, todo[len(todo)-1].from
		todo = todo[:len(todo)-1]
		var fold *folder // made when there is something to follow
		for !w.seen.has(off) && (!w.allowEnd || off != int64(len(w.code.Bytes))) {
			w.seen.add(off)
			got, err := w.code.decode(off)
			if err != nil {
				return w.code.blame(err, from, off)
			}
			d := w.add(got)
			from = d
			if fold == nil && d.in.Row.Reads&PC != 0 && !isCall(&d.in) {
				fold = newFolder(w.taken) // s_getpc_b64
			}
			for _, to := range w.jump(d, fold) {
				todo = append(todo, place{to, d})
			}
			if fold != nil {
				// The registers that the instruction computes are relative to offset 0.
				fold.next(d)
			}
			if f := d.in.Row.Flags; f.Has(FlagBranch) && !f.Has(FlagIndirect) {
				todo = append(todo, place{branchTarget(&d.in, d.next), d})
			}
			if stops(&d.in) {
				break
			}
			off = d.next
		}
	}
	return nil
}

// add puts an instruction into the list and returns it there. When the list has moved it stays
// where it was, for those who look at it.
func (w *walker) add(d decoded) *decoded {
	if n := len(w.list); n == cap(w.list) { // twice as many: they are large
		w.list = slices.Grow(w.list, n+min(64, len(w.code.Bytes)/4+1))
	}
	w.list = append(w.list, d)
	return &w.list[len(w.list)-1]
}

// blame says at the instruction that leads to an offset outside the code that it does;
// other errors stay as they are.
func (c *Code) blame(err error, from *decoded, off int64) error {
	if from == nil {
		return err
	}
	for _, d := range diag.Of(err) {
		if d.Code != "code-outside" {
			continue
		}
		at := c.pos(from)
		d.Pos, d.Source = c.diagPos(at), at.Text
		if off == from.next {
			d.Message = fmt.Sprintf("control runs past the end of the code, %d bytes, behind %s", len(c.Bytes), from.in.Mnemonic())
			continue
		}
		d.Message = fmt.Sprintf("%s goes to offset %s, outside the code of %d bytes", from.in.Mnemonic(), signedHex(off), len(c.Bytes))
		d.Remedy = "branch to a label of the kernel"
	}
	return err
}

// jump finds out where a computed branch goes and returns what to follow.
func (w *walker) jump(d *decoded, fold *folder) []int64 {
	known := func(i int) (int64, bool) {
		if fold == nil {
			return 0, false
		}
		return fold.target(&d.in.Ops[i])
	}
	switch in := &d.in; {
	case isCall(in):
		w.after[d.next] = true
		if to, ok := known(1); ok {
			d.to = []int64{to}
		} else {
			d.computed, w.pointers = true, true
		}
		return append(d.to, d.next)
	case isReturn(in):
		if to, ok := known(0); ok {
			d.to = []int64{to}
		} else {
			d.computed, w.jumps = true, true
		}
		return d.to
	case isFork(in):
		if in.Row.Format == SOPK {
			d.to = []int64{branchTarget(in, d.next)}
		} else if to, ok := known(1); ok {
			d.to = []int64{to}
		} else {
			d.computed, w.jumps = true, true
		}
		d.to = append(d.to, d.next)
		for _, to := range d.to {
			w.after[to] = true
		}
		return d.to
	case isJoin(in):
		d.to = []int64{d.next}
		d.computed, w.jumps = true, true
		return d.to
	}
	return nil
}

// legal reports whether instructions can be decoded from an offset on, up to one that
// ends a straight line or is known.
func (w *walker) legal(off int64) bool {
	var line []int64
	for !w.seen.has(off) {
		d, err := w.code.decode(off)
		if err != nil || w.illegal[off] {
			for _, o := range line {
				w.illegal[o] = true
			}
			return false
		}
		if stops(&d.in) {
			return true
		}
		line = append(line, off)
		off = d.next
	}
	return true
}

// decode decodes the instruction at an offset.
func (c *Code) decode(off int64) (decoded, error) {
	if off < 0 || off >= int64(len(c.Bytes)) || off&3 != 0 {
		e := diag.Errorf(diag.Pos{File: c.File, Off: off, HasOff: true}, diag.Input, "code-outside",
			"control reaches offset %s, outside the code of %d bytes", signedHex(off), len(c.Bytes))
		e.Remedy = "end the kernel with s_endpgm"
		return decoded{}, e
	}
	in, n, err := DecodeAt(c.Bytes[off:], off)
	if err != nil {
		for _, d := range diag.Of(err) {
			d.Pos.File = c.File
			if c.Place != nil {
				if line, col, text, ok := c.Place(off); ok {
					d.Pos.Line, d.Pos.Col, d.Source = line, col, text
				}
			}
		}
		return decoded{}, err
	}
	return decoded{in: in, off: off, next: off + int64(n)}, nil
}

func signedHex(v int64) string {
	if v < 0 {
		return fmt.Sprintf("-%#x", -v)
	}
	return fmt.Sprintf("%#x", v)
}
