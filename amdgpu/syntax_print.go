package amdgpu

import (
	"fmt"
	"strconv"
)

// Print returns the instruction's text as LLVM's disassembler prints it, with single
// spaces: "v_add_f32_dpp v1, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1".
//
// Some of LLVM's forms lose bits that have no effect (a swizzle pattern with several spellings,
// unused bits of s_waitcnt). A Printer with Exact keeps them.
func Print(in *Inst) string { return Printer{}.Print(in) }

// A Printer prints instructions.
type Printer struct {
	// Exact makes the text always assemble to the same bytes.
	Exact bool
	// Label returns the text of a branch target that is dist dwords after the next instruction; nil
	// or "" prints the number.
	Label func(dist int64) string
}

// Print returns the instruction's text.
func (p Printer) Print(in *Inst) string { return string(p.Append(nil, in)) }

// Append appends the instruction's text to b.
func (p Printer) Append(b []byte, in *Inst) []byte {
	x := in.encoding()
	if x == nil {
		return fmt.Appendf(b, "<%v>", in.Check())
	}
	b = in.appendMnemonic(b)
	if p.Exact && len(x.ops) == 0 && in.Enc == E64 {
		b = append(b, "_e64"...)
	}
	sep := " "
	for i := range x.ops {
		n := len(b)
		b = append(b, sep...)
		start := len(b)
		if b = p.appendOperand(b, in, exportSlot(in, i)); len(b) == start {
			b = b[:n]
			continue
		}
		if sep = ", "; x.ops[i].ID == FieldTGT {
			sep = " "
		}
	}
	for i := range x.mods {
		b = append(b, ' ')
		start := len(b)
		if b = p.appendModifier(b, in, x.mods[i].mod); len(b) == start {
			b = b[:start-1]
		}
	}
	return b
}

// Mnemonic returns the mnemonic with the encoding suffix that LLVM prints. There is no suffix if
// the row has only one encoding or no operands, and for SDWA comparisons.
func (in *Inst) Mnemonic() string { return string(in.appendMnemonic(make([]byte, 0, 48))) }

func (in *Inst) appendMnemonic(b []byte) []byte {
	r := in.Row
	b = append(b, r.Name...)
	if r.Encs == E32.Set() || len(r.Operands) == 0 || r.Format == VOPC && in.Enc == EncSDWA {
		return b
	}
	return append(append(b, '_'), in.Enc.String()...)
}

// appendOperand appends the text of one operand, nothing if it has none.
func (p Printer) appendOperand(b []byte, in *Inst, i int) []byte {
	o := &in.Ops[i]
	if o.Kind == KindNone {
		return b
	}
	start, end := len(b), ""
	if o.Sext {
		b, end = append(b, "sext("...), ")"
	}
	if o.Neg {
		// The constant -1 differs from neg(1).
		if o.IsConst() && !o.Abs {
			b, end = append(b, "neg("...), ")"+end
		} else {
			b = append(b, '-')
		}
	}
	if o.Abs {
		b, end = append(b, '|'), "|"+end
	}
	n := len(b)
	if b = p.appendValue(b, in, i); len(b) == n {
		return b[:start]
	}
	return append(b, end...)
}

// appendValue appends an operand without its input modifiers.
func (p Printer) appendValue(b []byte, in *Inst, i int) []byte {
	o, s := &in.Ops[i], &in.Row.Operands[i]
	switch o.Kind {
	case KindVGPR:
		return appendRange(b, "v", int(o.Reg), int(o.Dwords))
	case KindSGPR:
		return in.Row.target.appendSGPR(b, o.Reg, int(o.Dwords))
	case KindSpecial:
		return append(b, specialName(o.Reg)...)
	case KindInline:
		return p.appendInline(b, o, s.Type, readsF16(in.Row))
	case KindLiteral:
		return p.appendLiteral(b, o, s, readsF16(in.Row))
	case KindImm:
		return p.appendImm(b, in, o, s)
	case KindOff:
		return append(b, "off"...)
	}
	return b
}

// appendHex appends 0x and the digits of v.
func appendHex(b []byte, v uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), v, 16)
}

// appendInline appends an inline constant. names prints float constants by value for a 16-bit
// integer type too.
func (p Printer) appendInline(b []byte, o *Operand, t Type, names bool) []byte {
	switch {
	case o.Reg < inlineFloat0:
		return strconv.AppendInt(b, o.Imm, 10)
	case t.Is16() && !p.Exact && !names:
		return appendHex(b, o.Bits(t))
	case o.Reg == inlineFloatN && t.Dwords() == 2:
		return append(b, "0.15915494309189532"...)
	}
	return append(b, inlineFloats[o.Reg-inlineFloat0].text...)
}

// readsF16 reports whether the row has an f16 source. LLVM then prints float constants by value for
// its 16-bit integer sources too.
func readsF16(r *Row) bool {
	for i := range r.Operands {
		if s := &r.Operands[i]; s.Type == F16 && !s.Dst {
			return true
		}
	}
	return false
}

// appendLiteral appends a literal. A literal that could be read as an inline constant is wrapped in
// lit().
func (p Printer) appendLiteral(b []byte, o *Operand, s *Spec, names bool) []byte {
	v := uint64(o.Imm)
	switch {
	case s.Kind == ClassLit && s.Type == B32:
		// s_setreg_imm32 has no inline constant that could be confused with it.
		if code, ok := inlineBits(v, s.Type); ok {
			c := Inline(int(code))
			return p.appendInline(b, &c, s.Type, true)
		}
	case s.Kind == ClassLit:
		// madmk and madak always print a number.
		if s.Type.Is16() && v>>16 != 0 && p.Exact {
			return appendLit(b, v)
		}
	case s.Type == F64:
		// The number in the text is the high dword here, unless it is small.
		_, small := inlineBits(v, F64)
		high, float := inlineBits(v<<32, F64)
		switch {
		case float && !p.Exact:
			c := Inline(int(high))
			return p.appendInline(b, &c, F64, true)
		case p.Exact && (small || float):
			return appendLit(b, v)
		}
	case s.Type.Is16():
		// LLVM examines the low half of an f16 literal, and the whole of other literals. It then
		// prints the low half, unless that could be confused with another constant.
		t := B32
		if s.Type == F16 || names {
			t = F16
		}
		_, small := inlineBits(v, t)
		switch {
		case p.Exact && t != F16 && !small && v>>16 != 0 && int64(int32(v)) == int64(int16(v)):
			return strconv.AppendInt(b, int64(int16(v)), 10)
		case small || p.Exact && v>>16 != 0:
			return appendLit(b, v)
		}
		v &= 0xffff
	default:
		if _, small := inlineBits(v, s.Type); small {
			return appendLit(b, v)
		}
	}
	return appendHex(b, v)
}

func appendLit(b []byte, v uint64) []byte {
	return append(appendHex(append(b, "lit("...), v), ')')
}

// appendImm appends an immediate field.
func (p Printer) appendImm(b []byte, in *Inst, o *Operand, s *Spec) []byte {
	v := int(o.Imm)
	switch s.Kind {
	case ClassLabel:
		if p.Label != nil {
			if t := p.Label(o.Imm); t != "" {
				return append(b, t...)
			}
		}
		return strconv.AppendInt(b, int64(v&0xffff), 10)
	case ClassEndImm:
		if v == 0 {
			return b
		}
		return strconv.AppendInt(b, int64(v), 10)
	case ClassSImm16:
		if in.Row.Format != SOPP || v > 64 {
			return appendHex(b, uint64(v&0xffff))
		}
		return strconv.AppendInt(b, int64(v), 10)
	case ClassProbe:
		if v > 64 {
			return appendHex(b, uint64(v))
		}
		return strconv.AppendInt(b, int64(v), 10)
	case ClassWait:
		if p.Exact && v&^in.Row.target.waitAll != 0 {
			return appendHex(b, uint64(v))
		}
		return in.Row.target.appendWait(b, v)
	case ClassMsg:
		if p.Exact && v&^messageBits != 0 {
			return strconv.AppendInt(b, int64(v), 10)
		}
		return append(b, in.Row.target.messageText(v)...)
	case ClassHWReg:
		return append(b, in.Row.target.hwRegText(v)...)
	case ClassGPRIdx:
		return append(b, gprIdxText(v)...)
	case ClassAttr:
		return append(b, attrText(v)...)
	case ClassParam:
		return append(b, paramNames()[min(v, 2)]...)
	case ClassTarget:
		return append(b, targetText(v)...)
	}
	return appendHex(b, uint64(v))
}

// appendModifier appends a modifier's text, nothing if the text is optional.
func (p Printer) appendModifier(b []byte, in *Inst, m ModID) []byte {
	v, name := in.Mod(m), m.Name()
	switch m.kind() {
	case modFlag:
		if v != 0 {
			b = append(b, name...)
		}
	case modDec:
		if v == 0 {
			return b
		}
		b = append(append(b, name...), ':')
		if in.Row.Flags.Has(FlagSwizzle) {
			return p.appendSwizzle(b, v)
		}
		return strconv.AppendInt(b, int64(v), 10)
	case modMask:
		if v != 0 {
			return appendHex(append(append(b, name...), ':'), uint64(v))
		}
	case modHex:
		return appendHex(append(append(b, name...), ':'), uint64(v))
	case modSel:
		return append(append(append(b, name...), ':'), selName(v)...)
	case modUnused:
		return append(append(append(b, name...), ':'), unusedName(v)...)
	case modOMod:
		return append(b, [...]string{"", "mul:2", "mul:4", "div:2"}[v&3]...)
	case modDPPCtrl:
		return append(b, dppText(v)...)
	case modBound:
		if v != 0 {
			b = append(b, "bound_ctrl:1"...)
		}
	case modFormat:
		if m == ModDFmt {
			return append(b, formatText(v, in.Mod(ModNFmt))...)
		}
	}
	return b
}

// appendSwizzle appends a swizzle pattern, as a macro if possible.
func (p Printer) appendSwizzle(b []byte, v int) []byte {
	t := swizzleText(v, p.Exact)
	if t == "" {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return append(b, t...)
}
