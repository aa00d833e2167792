package amdgpu

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/diag"
)

// Encode returns the instruction's 4, 8 or 12 bytes. An instruction that breaks a rule of its
// encoding is an error: a *diag.Diagnostic without position, with code "illegal-operand".
func Encode(in *Inst) ([]byte, error) {
	if msg := in.Check(); msg != "" {
		return nil, diag.Errorf(diag.Pos{}, diag.Input, "illegal-operand", "%s", msg)
	}
	x := in.encoding()
	w := x.base
	for i := range x.mods {
		m := &x.mods[i]
		w |= uint64(in.Mods[m.mod]) << m.Lo
	}
	b := make([]byte, 4*x.dwords, 12)
	var lit *Operand
	for i := range x.ops {
		f, o := &x.ops[i], &in.Ops[i]
		if o.Kind == KindLiteral {
			lit = o
		}
		w |= f.encode(x, o)
	}
	binary.LittleEndian.PutUint32(b, uint32(w))
	if x.dwords == 2 {
		binary.LittleEndian.PutUint32(b[4:], uint32(w>>32))
	}
	if lit != nil {
		b = binary.LittleEndian.AppendUint32(b, uint32(lit.Imm))
	}
	return b, nil
}

// encode returns the operand's bits in the instruction.
func (f *opField) encode(x *encoding, o *Operand) uint64 {
	var v uint64
	switch o.Kind {
	case KindVGPR:
		v = uint64(o.Reg)
		if f.form == formSrc9 {
			v += RegVGPR0
		}
	case KindSGPR:
		v = uint64(o.Reg)
		switch f.form {
		case formBase:
			v /= 2
		case formRsrc:
			v /= 4
		}
	case KindInline, KindSpecial:
		v = uint64(o.Reg)
	case KindLiteral:
		v = regLiteral
	case KindImm:
		v = uint64(o.Imm)
		if f.form == formSOff {
			v |= 1 << 63 // moved to IMM below
		}
		if f.form == formAttrLow {
			v = v>>2 | v&3<<6
		}
	}
	if f.Width == 0 {
		return 0
	}
	w := v << f.Lo & f.mask()
	if f.form == formSOff && v>>63 != 0 {
		w |= x.field(FieldIMM).mask()
	}
	if o.Neg {
		w |= f.neg
	}
	if o.Abs {
		w |= f.abs
	}
	if o.Sext {
		w |= f.sext
	}
	return w
}

// Check returns the rule that an instruction breaks, or "" if it can be encoded.
func (in *Inst) Check() string {
	msg, _ := in.checkAt()
	return msg
}

// checkAt is Check with the index of the operand at fault, or -1.
func (in *Inst) checkAt() (msg string, op int) {
	if in.Row == nil {
		return "no instruction", -1
	}
	x := in.encoding()
	if x == nil {
		return in.Row.refusal(in.Enc), -1
	}
	var known uint64
	for i := range x.mods {
		m := &x.mods[i]
		known |= 1 << m.mod
		if uint64(in.Mods[m.mod]) >= 1<<m.Width {
			return fmt.Sprintf("%s is %d, but has %d bits", m.Name, in.Mods[m.mod], m.Width), -1
		}
	}
	for m := range in.Mods {
		if in.Mods[m] != 0 && known>>m&1 == 0 {
			return fmt.Sprintf("%s takes no %s in its %v encoding", in.Row.Name, ModID(m).Name(), in.Enc), -1
		}
	}
	for i := range in.Ops {
		if i >= len(x.ops) {
			if in.Ops[i] != (Operand{}) {
				return fmt.Sprintf("%s has %d operands", in.Row.Name, len(x.ops)), i
			}
			continue
		}
		if msg := x.checkOperand(in, i); msg != "" {
			return msg, i
		}
	}
	return x.check(in)
}

// refusal returns the reason why a row lacks an encoding.
func (r *Row) refusal(e Enc) string {
	why := ""
	switch e {
	case EncDPP:
		why = r.NoDPP
	case EncSDWA:
		why = r.NoSDWA
	}
	if why != "" {
		why = ": " + why
	}
	return fmt.Sprintf("%s has no %v encoding%s", r.Name, e, why)
}

// checkOperand checks that an operand fits its field.
func (x *encoding) checkOperand(in *Inst, i int) string {
	f, s, o := &x.ops[i], &x.row.Operands[i], &in.Ops[i]
	bad := func(format string, args ...any) string {
		return fmt.Sprintf("operand %d of %s: ", i+1, in.Row.Name) + fmt.Sprintf(format, args...)
	}
	if f.absent(in, s) {
		if *o != absentOperand(s) {
			return bad("it is not used here")
		}
		return ""
	}
	switch {
	case o.Neg && f.neg == 0, o.Abs && f.abs == 0:
		return bad("it takes no negation or absolute value in the %v encoding", in.Enc)
	case o.Sext && f.sext == 0:
		return bad("it takes no sext")
	}
	n := operandDwords(in, s, f)
	want := ""
	switch f.form {
	case formVGPR:
		want = "a VGPR"
	case formSrc9:
		want = "a VGPR, scalar register or constant"
		if s.Kind == ClassLane {
			want = "a scalar register or constant"
		} else if s.Kind == ClassVGPR {
			want = "a VGPR"
		}
	case formSrc8:
		want = "a scalar register or constant"
	case formSGPR, formSGPR9, formBase, formRsrc:
		want = "a scalar register"
	case formSOff:
		want = "a scalar register or a 20-bit offset"
	case formExport:
		want = "a VGPR or off"
	case formAttr, formAttrLow:
		want = "an attribute"
	case formImm, formUImm:
		want = fmt.Sprintf("a %d-bit number", f.Width)
	case formLiteral:
		want = "a 32-bit number"
	case formVCC:
		want = "vcc"
	}
	if !f.accepts(x.row.target, s, o, n) {
		if o.Kind == KindVGPR && f.takesVGPR(s) && int(o.Dwords) != n {
			return bad("it has %d VGPRs, but needs %d", o.Dwords, n)
		}
		if o.Kind == KindLiteral && want != "a 32-bit number" {
			return bad("it takes no literal in the %v encoding, only %s", in.Enc, want)
		}
		return bad("it must be %s", want)
	}
	return ""
}

func (f *opField) takesVGPR(s *Spec) bool {
	return f.form == formVGPR || f.form == formExport || f.form == formSrc9 && s.Kind != ClassLane
}

// accepts reports whether the field can hold the operand.
func (f *opField) accepts(t *Target, s *Spec, o *Operand, n int) bool {
	switch o.Kind {
	case KindVGPR:
		return f.takesVGPR(s) && int(o.Dwords) == n && int(o.Reg)+n <= t.VGPRs
	case KindSGPR:
		if int(o.Dwords) != n && f.form != formSOff || !t.sgprOK(o.Reg, int(o.Dwords)) {
			return false
		}
		switch f.form {
		case formSrc9:
			return s.Kind != ClassVGPR
		case formSOff:
			return o.Dwords == 1
		case formVCC:
			return o.Reg == RegVCC
		}
		return f.form == formSrc8 || f.form == formSGPR || f.form == formSGPR9 || f.form == formBase || f.form == formRsrc
	case KindInline:
		return (f.form == formSrc9 && s.Kind != ClassVGPR || f.form == formSrc8) && *o == withMods(Inline(int(o.Reg)), *o) &&
			(o.Reg >= 128 && o.Reg <= 208 || o.Reg >= inlineFloat0 && o.Reg <= inlineFloatN)
	case KindSpecial:
		if o.Reg < RegVCCZ || o.Reg > RegLDSDirect || int(o.Dwords) != n {
			return false
		}
		return f.form == formSrc9 && (s.Kind != ClassVGPR || o.Reg == RegLDSDirect) || f.form == formSrc8
	case KindLiteral:
		if o.Imm < 0 || o.Imm > 0xffffffff {
			return false
		}
		return f.form == formLiteral || f.form == formSrc8 && s.Kind == ClassSSrc || f.form == formSrc9 && s.Kind == ClassSrc
	case KindImm:
		switch f.form {
		case formImm:
			if s.Type == U16 {
				return o.Imm >= 0 && o.Imm <= 0xffff
			}
			return o.Imm >= -0x8000 && o.Imm <= 0x7fff
		case formUImm, formSOff, formAttr, formAttrLow:
			return o.Imm >= 0 && o.Imm < 1<<f.Width
		}
	}
	return false
}

// withMods returns o with the modifiers of m.
func withMods(o, m Operand) Operand {
	o.Neg, o.Abs, o.Sext = m.Neg, m.Abs, m.Sext
	return o
}
