package amdgpu

import (
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A Value is the result of an expression.
type Value struct {
	Int int64
	// Symbolic reports that the value is not final yet, or may change when the object is linked. As
	// an operand it always becomes a literal dword.
	Symbolic bool
	// Label reports that Int is an offset in the section of the instruction. A branch target is
	// then relative to ParseOptions.PC.
	Label bool
	// Why is the reason why a symbolic value is not known, as the end of a sentence: ": symbol x is
	// undefined".
	Why string
}

// ParseOptions describe the surroundings of the text for ParseInst.
type ParseOptions struct {
	// Pos is the position of the text's first byte; errors are relative to it.
	Pos diag.Pos
	// PC is the instruction's offset in its section, in bytes.
	PC int64
	// Eval evaluates an expression that is not a plain number. If it is nil, there are none.
	Eval func(expr string) (Value, error)
	// Target is the chip; nil is GFX803.
	Target *Target
	// Earlier accepts the names that LLVM 3.9 to 5 had for instructions of gfx8.
	Earlier bool
	// Note receives notes about spellings that no manual has, for an instruction without errors. If
	// it is nil, they are dropped.
	Note func(*diag.Diagnostic)
}

// ParseInst parses one instruction in LLVM's syntax, without label or comment. Mnemonics
// may carry an encoding suffix (_e32, _e64, _dpp, _sdwa). Without a suffix, it chooses the shortest
// encoding that can express the instruction, as LLVM does.
//
// An error is a *diag.Diagnostic at the column of the operand or modifier at fault, with one of the
// codes "unknown-instruction", "syntax", "bad-operand" and "bad-modifier".
func ParseInst(text string, opt ParseOptions) (Inst, error) {
	p := parser{scanner: scanner{s: text}, opt: opt, t: opt.Target.OrDefault()}
	in, e := p.inst()
	if e != nil {
		return Inst{}, p.diagnostic(e)
	}
	if opt.Note != nil {
		for _, n := range p.notes {
			d := p.diagnostic(n)
			d.Class, d.Severity = diag.Finding, diag.Note
			opt.Note(d)
		}
	}
	return in, nil
}

// diagnostic returns an error or note with its place in the file.
func (p *parser) diagnostic(e *synErr) *diag.Diagnostic {
	pos := p.opt.Pos
	if pos.Col > 0 {
		pos.Col += e.col
	} else {
		pos.Col = e.col + 1
	}
	d := diag.Errorf(pos, diag.Input, e.code, "%s", e.msg)
	d.Remedy = e.remedy
	if p.opt.Pos.Line == 0 {
		d.Source = p.s
	}
	if p.row != nil {
		d.Section = p.row.Section()
	}
	return d
}

// parser holds the parsed pieces of one instruction.
type parser struct {
	scanner
	opt    ParseOptions
	t      *Target
	row    *Row
	forced bool
	enc    Enc
	ops    []synOp
	mods   []synMod
	notes  []*synErr
	// trailing reports that a comma follows the last operand.
	trailing bool
}

// note records that a spelling is LLVM's own, with the usual spelling.
func (p *parser) note(col int, remedy, format string, args ...any) {
	e := errorf(col, format, args...).as(CodeBeyond)
	e.remedy = remedy
	p.notes = append(p.notes, e)
}

// CodeBeyond is the code of notes about spellings that no manual has.
const CodeBeyond = "beyond-manual"

// synMod is a modifier as written.
type synMod struct {
	col  int
	id   ModID
	val  int
	text string
}

// inst parses the text.
func (p *parser) inst() (Inst, *synErr) {
	p.space()
	start := p.pos
	m := p.ident()
	p.pos += len(m)
	if p.row, p.enc, p.forced = p.t.lookUpSuffixed(strings.ToLower(m)); p.row == nil {
		if p.row, p.enc, p.forced = p.earlier(strings.ToLower(m)); p.row == nil {
			return Inst{}, p.unknown(start, m)
		}
	}
	if p.forced && p.row.Encoding(p.enc) == nil && !(p.enc == E64 && p.row.Format >= VOP3A && p.row.Format <= VOP3B) {
		e := errorf(start, "%s", p.row.refusal(p.enc))
		return Inst{}, e.try("write %s", p.row.Name)
	}
	if p.forced && p.enc == E32 && (p.row.Format == VOP3A || p.row.Format == VOP3B) && p.row.operand(ClassLane) < 0 {
		// v_readlane_b32 and v_writelane_b32 were VOP2 before GCN3.
		e := errorf(start, "%s has no _e32 encoding: its only one is _e64", p.row.Name)
		return Inst{}, e.try("write %s", p.row.Name)
	}
	if e := p.list(); e != nil {
		return Inst{}, e
	}
	return p.choose(start)
}

// unknown reports a mnemonic without a row, and a similar mnemonic.
func (p *parser) unknown(col int, m string) *synErr {
	if m == "" {
		return errorf(col, "a mnemonic is expected").as("syntax")
	}
	e := errorf(col, "%s is no GCN3 instruction", m).as("unknown-instruction")
	base := strings.ToLower(m)
	for _, s := range []string{"_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"} {
		base = strings.TrimSuffix(base, s)
	}
	if gpu, here := p.t.foreignName(base); gpu != "" {
		e.msg = m + " is no GCN3 instruction but one of " + gpu
		if here != "" {
			e.try("write %s", here)
		}
		return e
	}
	if i := strings.LastIndexByte(base, '_'); i > 0 && p.t.LookUp(base[:i]) != nil {
		return e.try("the suffixes of %s are _e32, _e64, _sdwa and _dpp", base[:i])
	}
	if best := diag.Nearest(base, p.t.Mnemonics()); best != "" {
		return e.try("did you mean %s?", best)
	}
	return e
}

// list parses the operands and modifiers. A comma between two operands may be missing, and one may
// follow the last, as in LLVM.
func (p *parser) list() *synErr {
	comma := true  // an operand may follow
	behind := true // the previous item was an operand
	for p.peek() != 0 {
		if ok, e := p.modifier(); e != nil {
			return e
		} else if ok {
			comma = p.take(",") || comma && len(p.ops) == 0
			behind = false
			continue
		}
		if !comma {
			if !behind || !p.operandFollows() {
				return p.stray()
			}
			if len(p.ops) != 1 || p.row.operand(ClassTarget) != 0 { // exp mrt0 v0, … is usual
				p.note(p.pos, "write a comma between operands", "no comma stands before this operand")
			}
		}
		if len(p.ops) > MaxOperands {
			return errorf(p.pos, "%s has %d operands", p.row.Name, len(p.row.Operands))
		}
		op, e := p.operand()
		if e != nil {
			return e
		}
		p.ops = append(p.ops, op)
		behind = true
		col := p.pos
		if comma = p.take(","); comma && p.peek() == 0 {
			p.trailing = true
			p.note(col, "leave it out", "a comma stands after the last operand")
		}
	}
	return nil
}

// choose tries the encodings that the text allows, shortest first. It reports the error of the
// encoding that accepted most operands.
func (p *parser) choose(start int) (Inst, *synErr) {
	var tries []Enc
	dpp := p.has(ModDPPCtrl, ModRowMask, ModBankMask, ModBoundCtrl)
	sdwa := p.has(ModDstSel, ModDstUnused, ModSrc0Sel, ModSrc1Sel) || slices.ContainsFunc(p.ops, func(o synOp) bool { return o.sext })
	switch {
	case p.forced && p.row.Encoding(p.enc) == nil:
		tries = []Enc{E32} // v_mad_f32_e64: VOP3 is its only encoding
	case p.forced:
		tries = []Enc{p.enc}
	case dpp:
		tries = []Enc{EncDPP}
	case sdwa:
		tries = []Enc{EncSDWA}
	default:
		tries = []Enc{E32, E64}
		if p.has(ModClamp) {
			tries = append(tries, EncSDWA) // some clamps have no other encoding
		}
	}
	var worst *synErr
	for _, e := range tries {
		x := p.row.Encoding(e)
		if x == nil {
			if len(tries) > 1 {
				continue
			}
			worst = errorf(p.modCol(start), "%s", p.row.refusal(e)).as("bad-modifier")
			continue
		}
		in, err := p.bind(x, start)
		if err == nil {
			return in, nil
		}
		if worst == nil || (worst.code == "bad-modifier" || err.col >= worst.col) && e != EncSDWA {
			worst = err
		}
	}
	return Inst{}, worst
}

// has reports whether one of the modifiers was written.
func (p *parser) has(ids ...ModID) bool {
	return slices.ContainsFunc(p.mods, func(m synMod) bool { return slices.Contains(ids, m.id) })
}

// modCol returns the column of the first modifier, or col if there is none.
func (p *parser) modCol(col int) int {
	if len(p.mods) > 0 {
		return p.mods[0].col
	}
	return col
}

// bind makes an instruction in the encoding x from the parsed text.
func (p *parser) bind(x *encoding, start int) (Inst, *synErr) {
	in := Inst{Row: p.row, Enc: x.enc}
	if e := p.bindMods(x, &in, start); e != nil {
		return in, e
	}
	if x.modifier(ModEN) != nil {
		if e := p.bindExport(&in); e != nil {
			return in, e
		}
	}
	n := 0 // number of operands used
	for i := range x.ops {
		f, s := &x.ops[i], &p.row.Operands[i]
		if f.absent(&in, s) {
			in.Ops[i] = absentOperand(s)
			if s.Field != FieldVADDR {
				continue
			}
			if n >= len(p.ops) || !p.ops[n].off {
				if n < len(p.ops) {
					return in, errorf(p.ops[n].col, "without offen and idxen the address is off").try("write off, or add offen or idxen")
				}
			}
			n++
			continue
		}
		if n >= len(p.ops) {
			o, ok := defaultOperand(x, s, i)
			if !ok && p.trailing {
				return in, errorf(len(p.s), "an operand is expected after the comma").as("syntax")
			} else if !ok {
				return in, errorf(len(p.s), "%s needs %s, found %d", p.row.Name, p.plural(x, &in), len(p.ops))
			}
			in.Ops[i] = o
			continue
		}
		o, e := p.bindOperand(x, &in, i, &p.ops[n])
		if e != nil {
			return in, e
		}
		in.Ops[i] = o
		n++
	}
	if n < len(p.ops) {
		return in, errorf(p.ops[n].col, "%s has %s, found %d", p.row.Name, p.plural(x, &in), len(p.ops))
	}
	if e := p.oneLiteral(&in); e != nil {
		return in, e
	}
	if msg, op := in.checkAt(); msg != "" {
		e := errorf(p.blame(&in, op, start), "%s: %s", p.row.Name, strings.TrimPrefix(msg, p.row.Name+" "))
		if msg == p.t.busMessage() {
			e.remedy = "move one of them to a VGPR first"
		}
		return in, e
	}
	return in, nil
}

// oneLiteral refuses a literal beside one with an unknown value: both would share one dword, and
// the final value may differ from the present placeholder.
func (p *parser) oneLiteral(in *Inst) *synErr {
	literals := 0
	for i := range in.Ops {
		if in.Ops[i].Kind == KindLiteral {
			literals++
		}
	}
	if literals < 2 {
		return nil
	}
	for i := range p.ops {
		if o := &p.ops[i]; o.symbolic {
			return errorf(o.col, "only one literal fits, and the value of %s is not known yet%s", o.text, o.why)
		}
	}
	return nil
}

// blame finds the column of an operand, or of the mnemonic if op is -1.
func (p *parser) blame(in *Inst, op, start int) int {
	if op < 0 {
		return start
	}
	n := 0
	for _, o := range in.Ops[:op] {
		if o.Kind != KindNone {
			n++
		}
	}
	if n >= len(p.ops) {
		return start
	}
	return p.ops[n].col
}

// plural describes the expected number of operands.
func (p *parser) plural(x *encoding, in *Inst) string {
	n := 0
	for i := range x.ops {
		s := &p.row.Operands[i]
		if !x.ops[i].absent(in, s) || s.Field == FieldVADDR {
			n++
		}
	}
	return [...]string{"no operand", "1 operand", "2 operands", "3 operands", "4 operands", "5 operands", "6 operands"}[n]
}

// defaultOperand returns the value of an operand that may be omitted at the end.
func defaultOperand(x *encoding, s *Spec, i int) (Operand, bool) {
	switch {
	case s.Kind == ClassEndImm, s.Kind == ClassSOff && x.row.Flags&(FlagLoad|FlagStore) != 0:
		return Imm(0), true
	case x.enc == E32 && s.Kind == ClassSMask && x.row.Flags.Has(FlagModBits) && i == len(x.ops)-1:
		return S(RegVCC, 2), true
	}
	return Operand{}, false
}
