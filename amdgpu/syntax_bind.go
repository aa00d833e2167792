package amdgpu

import (
	"fmt"
	"math"
	"strings"
)

// bindOperand binds an operand as written to an operand of the row.
func (p *parser) bindOperand(x *encoding, in *Inst, i int, y *synOp) (Operand, *synErr) {
	f, s := &x.ops[i], &p.row.Operands[i]
	n := operandDwords(in, s, f)
	if s.Field == FieldVADDR && in.Row.Format == MIMG {
		return p.bindImageAddr(x, i, y)
	}
	switch {
	case y.off:
		if s.Field == FieldVADDR {
			return Operand{}, errorf(y.col, "with offen or idxen the address is a VGPR")
		}
		return Operand{}, errorf(y.col, "off cannot stand here")
	case y.isField, isImmClass(s.Kind):
		return p.bindImm(f, s, y)
	case s.Kind == ClassLit && y.num:
		o, e := p.bindConst(f, s, y, true)
		return o, e
	case y.num && s.Kind == ClassSOff:
		if y.symbolic {
			return Operand{}, p.t.notKnown(s.Kind, y.col, y.text, y.why)
		}
		if y.float || y.neg || y.abs || y.val < 0 || y.val > 0xfffff {
			return Operand{}, errorf(y.col, "the offset is a number from 0 to 0xfffff or a scalar register, found %s", y.text)
		}
		return Imm(y.val), nil
	}
	o := y.reg
	if y.num {
		switch f.form {
		case formSrc8, formSrc9:
			if s.Kind != ClassVGPR {
				break
			}
			fallthrough
		default:
			return Operand{}, p.misfit(x, i, y, n)
		}
		var e *synErr
		if o, e = p.bindConst(f, s, y, false); e != nil {
			return o, e
		}
	} else {
		o.Neg, o.Abs, o.Sext = y.neg, y.abs, y.sext
		if o.Kind == KindSpecial {
			o.Dwords = uint8(n)
		}
	}
	if (o.Neg && f.neg == 0 || o.Abs && f.abs == 0) && !y.num || o.Sext && f.sext == 0 {
		return o, p.noModifier(x, i, y)
	}
	if !f.accepts(p.t, s, &o, n) || o.Kind == KindLiteral && x.dwords > 1 {
		return o, p.misfit(x, i, y, n)
	}
	return o, nil
}

func isImmClass(c Class) bool {
	switch c {
	case ClassAttr, ClassParam, ClassTarget, ClassSImm16, ClassEndImm, ClassLabel, ClassWait, ClassMsg, ClassHWReg, ClassGPRIdx, ClassProbe:
		return true
	}
	return false
}

// noModifier explains why -x, |x| or sext(x) is illegal here.
func (p *parser) noModifier(x *encoding, i int, y *synOp) *synErr {
	s := &p.row.Operands[i]
	switch {
	case y.sext:
		return errorf(y.col, "sext is for integer sources of SDWA instructions").as("bad-modifier")
	case s.Dst:
		return errorf(y.col, "a destination takes no modifier").as("bad-modifier")
	case !s.Type.IsFloat():
		return errorf(y.col, "this operand of %s is %v: only float operands take - and | |", p.row.Name, s.Type).as("bad-modifier")
	case x.enc == E32 && p.row.Encoding(E64) != nil:
		return errorf(y.col, "the e32 encoding takes no - and | |").as("bad-modifier").try("write %s_e64", p.row.Name)
	case y.abs:
		return errorf(y.col, "the encoding of %s has no room for | |", p.row.Name).as("bad-modifier")
	}
	return errorf(y.col, "this operand takes no - and | |").as("bad-modifier")
}

// misfit explains why an operand is illegal in its place.
func (p *parser) misfit(x *encoding, i int, y *synOp, n int) *synErr {
	f, s := &x.ops[i], &p.row.Operands[i]
	r := y.reg
	what := map[FieldID]string{FieldSRC0: "src0", FieldVSRC1: "src1", FieldSRC1: "src1", FieldSRC2: "src2"}[f.ID]
	switch {
	case (x.enc == EncDPP || x.enc == EncSDWA) && what != "" && r.Kind != KindVGPR:
		name := "DPP"
		if x.enc == EncSDWA {
			name = "SDWA"
		}
		return errorf(y.col, "%s needs a VGPR as %s, found %s", name, what, y.text).try("move the value to a VGPR first")
	case r.Kind == KindVGPR && f.takesVGPR(s) && int(r.Dwords) != n,
		r.Kind == KindSGPR && !f.takesVGPR(s) && int(r.Dwords) != n,
		r.Kind == KindSGPR && f.form == formSrc9 && s.Kind == ClassSrc && int(r.Dwords) != n:
		e := errorf(y.col, "this operand of %s has %d bits, so %s, found %s", p.row.Name, 32*n, registers(n), y.text)
		if f.ID == FieldVDATA && p.row.Format == MIMG {
			e.remedy = "dmask selects the components, one register each; tfe adds one"
		}
		return e
	case f.form == formVCC:
		return errorf(y.col, "the e32 encoding has vcc here, found %s", y.text).try("write %s_e64", p.row.Name)
	case y.num && x.dwords > 1 && (f.form == formSrc9 || f.form == formSrc8):
		return errorf(y.col, "%s takes no literal, only inline constants (-16 to 64, 0.5, 1.0, 2.0, 4.0, their negatives and 0.15915494), found %s", p.row.Name, y.text).
			try("move the literal to a register first")
	case y.num && f.form == formVGPR && f.Width == 8 && s.Kind == ClassSrc:
		return errorf(y.col, "%s of the e32 encoding is a VGPR, and the e64 encoding takes no literal, found %s", what, y.text).try("exchange the sources, or move the literal to a register first")
	}
	want := map[form]string{formVGPR: "a VGPR", formSrc8: "a scalar register or constant", formSGPR: "a scalar register", formSGPR9: "a scalar register",
		formBase: "a scalar register", formRsrc: "a scalar register", formSOff: "a scalar register or offset"}[f.form]
	if f.form == formSrc9 {
		want = "a VGPR, scalar register or constant"
		if s.Kind == ClassVGPR {
			want = "a VGPR"
		} else if s.Kind == ClassLane {
			want = "a scalar register or inline constant"
		}
	}
	if want == "" {
		want = "a number"
	}
	e := errorf(y.col, "%s is expected, found %s", want, y.text)
	if s.Dst && i > 0 && r.Kind == KindVGPR {
		e.try("the second operand of %s is the carry or flag that it writes, such as vcc", p.row.Name)
	}
	if s.Dst && i == 0 && r.Kind == KindVGPR && s.Kind == ClassSMask {
		e.try("the first operand of %s is the mask that it writes, such as vcc", p.row.Name)
	}
	if s.Dst && r.Kind == KindVGPR && s.Kind == ClassSDst {
		e.try("%s writes one value for all lanes, to a scalar register", p.row.Name)
	}
	return e
}

func registers(n int) string {
	if n == 1 {
		return "one register"
	}
	if n < 9 {
		return [...]string{"no", "", "two", "three", "four", "five", "six", "seven", "eight"}[n] + " registers"
	}
	return fmt.Sprintf("%d registers", n)
}

// bindImm binds a number to an immediate field.
func (p *parser) bindImm(f *opField, s *Spec, y *synOp) (Operand, *synErr) {
	if !y.num || y.float || y.neg || y.abs || y.sext {
		return Operand{}, errorf(y.col, "a number is expected, found %s", y.text)
	}
	if !y.isField && (s.Kind == ClassAttr || s.Kind == ClassParam || s.Kind == ClassTarget) {
		return Operand{}, errorf(y.col, "a name is expected, found %s", y.text)
	}
	if s.Kind == ClassLabel && y.label {
		return p.bindLabel(y)
	}
	if y.symbolic {
		return Operand{}, p.t.notKnown(s.Kind, y.col, y.text, y.why)
	}
	v := y.val
	lo, hi := p.immRange(f, s)
	if v < lo || v > hi {
		return Operand{}, errorf(y.col, "the number must be from %d to %d, found %s", lo, hi, y.text)
	}
	if f.form == formImm && s.Type != U16 {
		return Imm(int64(int16(v))), nil
	}
	return Imm(v & hi), nil
}

// notKnown reports an expression whose value is not known, in an operand that needs it now.
func (t *Target) notKnown(c Class, col int, text, why string) *synErr {
	sc := scanner{s: text}
	if name := sc.ident(); name == text {
		switch c {
		case ClassWait:
			for _, f := range t.Counters {
				if f.Name == name {
					return errorf(col+len(name), "( is expected after %s", name).as("syntax")
				}
			}
		case ClassHWReg:
			return errorf(col, "%s is no hardware register of %s", name, t.Family).try("%s", t.remedyHWReg())
		case ClassMsg:
			var names []string
			for _, m := range t.messages {
				names = append(names, m.name)
			}
			return errorf(col, "%s is no message of %s", name, t.Family).try("the names are %s", strings.Join(names, ", "))
		}
	}
	return errorf(col, "expected a number that is known here%s", why)
}

func (t *Target) remedyHWReg() string {
	return "the names are HW_REG_" + strings.Join(t.HWRegs[1:], ", HW_REG_")
}

// bindLabel converts a branch target to a distance.
func (p *parser) bindLabel(y *synOp) (Operand, *synErr) {
	d := y.val - (p.opt.PC + 4)
	if d%4 != 0 {
		return Operand{}, errorf(y.col, "the branch target is no multiple of 4 bytes away")
	}
	if d /= 4; d < -0x8000 || d > 0x7fff {
		return Operand{}, errorf(y.col, "the branch target is %d dwords away, the limit is -32768 to 32767", d)
	}
	return Imm(d), nil
}

// immRange returns the range of numbers that the text may have for a field. 16-bit fields accept
// signed and unsigned numbers, unless only one makes sense.
func (p *parser) immRange(f *opField, s *Spec) (lo, hi int64) {
	hi = 1<<f.Width - 1
	switch {
	case s.Kind == ClassGPRIdx:
		return 0, 15
	case s.Kind == ClassEndImm, s.Kind == ClassProbe, s.Kind == ClassSImm16 && s.Type == U16 && p.row.Format == SOPK,
		s.Kind == ClassMsg, s.Kind == ClassHWReg:
		return 0, hi
	}
	return -0x8000, hi
}

// bindConst converts a constant to an inline constant or a literal, as an operand of the given
// type.
func (p *parser) bindConst(f *opField, s *Spec, y *synOp, literal bool) (Operand, *synErr) {
	t := s.Type
	if y.symbolic && s.Field != FieldLit && (t.Dwords() != 1 || t.Is16()) {
		// The literal of 32 bits that is filled in later would have another value: -5 in 32 bits is
		// not -5 in 64 bits. LLVM refuses it too.
		return Operand{}, errorf(y.col, "an operand of type %v needs a number that is known here%s", t, y.why)
	}
	if t.Is16() && readsF16(p.row) {
		t = F16 // as in LLVM, for v_ldexp_f16
	}
	keep := f.neg != 0 || f.abs != 0 // the encoding has bits for the modifiers
	if (y.neg || y.abs) && !keep && !(s.Type.IsFloat() && p.row.Encoding(E64) != nil) {
		return Operand{}, p.noModifier(p.row.Encoding(E32), p.specIndex(s), y)
	}
	if keep && (y.neg && f.neg == 0 || y.abs && f.abs == 0) {
		return Operand{}, errorf(y.col, "the encoding of %s has no room for | |", p.row.Name).as("bad-modifier")
	}
	v, ok := constBits(t, y)
	if !ok {
		return Operand{}, errorf(y.col, "%s does not fit an operand of type %v", y.text, t)
	}
	if !keep && (y.neg || y.abs) {
		v = v.modified(t, y)
	}
	o := Literal(v.literal)
	if s.Field == FieldLit && t == F16 && !y.float && !y.lit {
		// The constant of v_madmk_f16 and v_madak_f16 keeps the sign of an integer in the high
		// half, as in LLVM; other f16 literals do not.
		o = Literal(uint32(y.val))
	}
	if !y.lit && !literal && v.inline {
		o = Inline(int(v.code))
	} else if !v.fits {
		return o, errorf(y.col, "%s does not fit a 32-bit literal", y.text)
	}
	if keep {
		o.Neg, o.Abs = y.neg, y.abs
	}
	return o, nil
}

func (p *parser) specIndex(s *Spec) int {
	for i := range p.row.Operands {
		if &p.row.Operands[i] == s {
			return i
		}
	}
	return 0
}

// constant is a constant with its possible encodings.
type constant struct {
	bits    uint64 // in the width of the operand's type
	inline  bool   // there is an inline constant, code
	code    uint16
	fits    bool // there is a literal
	literal uint32
}

// constBits evaluates a constant for an operand of type t. Integers are bits of the operand's
// width, except in f64 operands: these accept small integers unchanged, and other 32-bit integers
// as their high dword. Floats are converted.
func constBits(t Type, y *synOp) (constant, bool) {
	if y.float {
		return floatBits(t, y.f)
	}
	v := y.val
	c := constant{bits: uint64(v)}
	switch {
	case y.lit:
		if v < math.MinInt32 || v > math.MaxUint32 {
			return c, false
		}
		return constant{bits: uint64(uint32(v)), fits: true, literal: uint32(v)}, true
	case t.Dwords() == 2:
		c.code, c.inline = inlineBits(uint64(v), t)
		if hi, ok := inlineBits(uint64(v)<<32, t); !c.inline && ok && t == F64 && v >= 0 && v <= math.MaxUint32 {
			c.code, c.inline, c.bits = hi, true, uint64(v)<<32
		}
		c.fits = v >= math.MinInt32 && v <= math.MaxUint32
		c.literal = uint32(v)
		return c, c.inline || c.fits
	case t == F16:
		if v < math.MinInt16 || v > math.MaxUint16 {
			return c, false
		}
	case t.Is16():
		// 0xffff is no other spelling of -1 here: LLVM makes it a literal.
		c.code, c.inline = inlineCode(v)
		c.fits, c.literal = true, uint32(v)
		return c, v >= math.MinInt16 && v <= math.MaxUint16
	case v < math.MinInt32 || v > math.MaxUint32:
		return c, false
	}
	c.code, c.inline = inlineBits(uint64(v), t)
	c.fits, c.literal = true, uint32(v)
	if t == F16 {
		c.literal &= 0xffff
	}
	return c, true
}

// floatBits converts a float constant to the operand's width.
func floatBits(t Type, f float64) (constant, bool) {
	var c constant
	switch {
	case t.Dwords() == 2:
		c.bits = math.Float64bits(f)
		c.code, c.inline = inlineBits(c.bits, F64)
		// The literal is the high dword; the low dword becomes 0.
		c.literal, c.fits = uint32(c.bits>>32), t == F64
	case t.Is16():
		h, ok := float16FromFloat64(f)
		if !ok {
			return c, false
		}
		c.bits = uint64(h)
		c.code, c.inline = inlineBits(c.bits, F16)
		c.literal, c.fits = uint32(h), t == F16
	default:
		g := float32(f)
		if math.IsInf(float64(g), 0) && !math.IsInf(f, 0) || math.Abs(f) < 0x1p-126 && float64(g) != f {
			return c, false // overflow, or too small to be exact
		}
		c.bits = uint64(math.Float32bits(g))
		c.code, c.inline = inlineBits(c.bits, F32)
		c.literal, c.fits = uint32(c.bits), true
	}
	return c, c.inline || c.fits
}

// modified applies neg and abs to a constant whose encoding has no bits for them.
func (c constant) modified(t Type, y *synOp) constant {
	width := 32
	switch {
	case t.Dwords() == 2:
		width = 64
	case t.Is16():
		width = 16
	}
	sign := uint64(1) << (width - 1)
	b := c.bits
	if width < 64 {
		b &= 1<<width - 1
	}
	if y.abs {
		b &^= sign
	}
	if y.neg {
		b ^= sign
	}
	exact := c.inline
	c.bits = b
	c.code, c.inline = inlineBits(b, t)
	c.literal = uint32(b)
	switch {
	case width == 64 && !y.float:
		// LLVM keeps the modifiers of a number that is given by its bits.
		c.inline, c.fits = false, false
	case width == 64:
		// A literal is the high dword. A constant that has a code without its sign must not lose
		// its low dword.
		c.literal, c.fits = uint32(b>>32), uint32(b) == 0 || !exact
	}
	return c
}

// bindMods sets the modifiers of an instruction, with the defaults of those that the text omits.
func (p *parser) bindMods(x *encoding, in *Inst, start int) *synErr {
	switch x.enc {
	case EncDPP:
		if !p.has(ModDPPCtrl) {
			return errorf(p.modCol(len(p.s)), "DPP needs a control").as("bad-modifier").try("add quad_perm:[…], row_shl:1 … row_bcast:31")
		}
		in.Mods[ModRowMask], in.Mods[ModBankMask] = 0xf, 0xf
	case EncSDWA:
		for i := range x.mods {
			switch x.mods[i].mod {
			case ModDstSel, ModSrc0Sel, ModSrc1Sel:
				in.Mods[x.mods[i].mod] = 6 // DWORD
			case ModDstUnused:
				in.Mods[ModDstUnused] = 2 // UNUSED_PRESERVE
			}
		}
	}
	for i := range x.mods {
		if x.mods[i].mod == ModDFmt {
			in.Mods[ModDFmt] = defaultDFmt
		}
	}
	for i := range p.mods {
		m := &p.mods[i]
		f := x.modifier(m.id)
		if f == nil && m.id == ModOffset && m.val == 0 && p.row.Format == FLAT {
			continue // gfx8's flat instructions have no offset; sources for both gfx8 and gfx9 write offset:0
		}
		if f == nil {
			return p.noSuchMod(x, m)
		}
		if m.val < 0 || m.val >= 1<<f.Width {
			return errorf(m.col, "%s takes 0 to %d, found %d", m.id.Name(), 1<<f.Width-1, m.val).as("bad-modifier")
		}
		in.Mods[m.id] = uint16(m.val)
	}
	return nil
}

// noSuchMod explains why a modifier is illegal here.
func (p *parser) noSuchMod(x *encoding, m *synMod) *synErr {
	e := errorf(m.col, "%s takes no %s", p.row.Name, m.text).as("bad-modifier")
	if e64 := p.row.Encoding(E64); x.enc != E64 && e64 != nil && e64.modifier(m.id) != nil {
		e = errorf(m.col, "%s takes no %s in its %v encoding", p.row.Name, m.text, x.enc).as("bad-modifier")
		if x.enc == E32 {
			e.remedy = "write " + p.row.Name + "_e64"
		}
	}
	if m.id == ModOffset && x.modifier(ModOffset0) != nil {
		e.remedy = "write offset0 and offset1, which count elements"
	}
	if m.id == ModOffset && p.row.Unit == UnitFlat {
		e.remedy = "add it to the address: flat instructions have offsets from gfx9 on"
	}
	return e
}
