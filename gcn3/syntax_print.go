package gcn3

import (
	"fmt"
	"strings"
)

// Print returns the instruction's text as LLVM's disassembler for gfx803 prints
// it, with single spaces: "v_add_f32_dpp v1, v0, v0 row_shr:1 row_mask:0xf
// bank_mask:0xf bound_ctrl:1".
//
// Some of LLVM's forms lose bits that have no effect (a swizzle pattern that can
// be written in several ways, unused bits of s_waitcnt). A Printer with Exact
// keeps them.
func Print(in *Inst) string { return Printer{}.Print(in) }

// A Printer prints instructions.
type Printer struct {
	// Exact makes the text assemble to the same bytes, always.
	Exact bool
	// Label returns the text of a branch target that lies dist dwords after the
	// next instruction; nil or "" prints the number.
	Label func(dist int64) string
}

// Print returns the instruction's text.
func (p Printer) Print(in *Inst) string {
	x := in.encoding()
	if x == nil {
		return fmt.Sprintf("<%v>", in.Check())
	}
	var b strings.Builder
	b.WriteString(in.Mnemonic())
	if p.Exact && len(in.Operands()) == 0 && in.Enc == E64 {
		b.WriteString("_e64")
	}
	sep := " "
	for i := range in.Operands() {
		t := p.operand(in, i)
		if t == "" {
			continue
		}
		b.WriteString(sep + t)
		sep = ", "
	}
	for i := range x.mods {
		if t := p.modifier(in, x.mods[i].mod); t != "" {
			b.WriteString(" " + t)
		}
	}
	return b.String()
}

// Mnemonic returns the mnemonic with the encoding suffix that LLVM prints: none
// where there is one encoding only or no operands, and none for SDWA comparisons.
func (in *Inst) Mnemonic() string {
	r := in.Row
	if r.Encs == E32.Set() || len(r.Operands) == 0 || r.Format == VOPC && in.Enc == EncSDWA {
		return r.Name
	}
	return r.Name + "_" + in.Enc.String()
}

// operand returns the text of one operand.
func (p Printer) operand(in *Inst, i int) string {
	o := &in.Ops[i]
	t := p.value(in, i)
	if t == "" {
		return ""
	}
	if o.Abs {
		t = "|" + t + "|"
	}
	if o.Neg {
		// -1 is another constant than neg(1).
		if o.IsConst() && !o.Abs {
			t = "neg(" + t + ")"
		} else {
			t = "-" + t
		}
	}
	if o.Sext {
		t = "sext(" + t + ")"
	}
	return t
}

func (p Printer) value(in *Inst, i int) string {
	o, s := &in.Ops[i], &in.Row.Operands[i]
	switch o.Kind {
	case KindVGPR:
		return regRange("v", int(o.Reg), int(o.Dwords))
	case KindSGPR:
		return sgprName(o.Reg, int(o.Dwords))
	case KindSpecial:
		return specialName(o.Reg)
	case KindInline:
		return p.inline(o, s.Type, readsF16(in.Row))
	case KindLiteral:
		return p.literal(o, s)
	case KindImm:
		return p.imm(in, o, s)
	case KindOff:
		return "off"
	}
	return ""
}

// inline prints an inline constant. names says that float constants are printed
// as such for a 16-bit integer type too.
func (p Printer) inline(o *Operand, t Type, names bool) string {
	switch {
	case o.Reg < inlineFloat0:
		return fmt.Sprint(o.Imm)
	case t.Is16() && !p.Exact && !names:
		return fmt.Sprintf("0x%x", o.Bits(t))
	case o.Reg == inlineFloatN && t.Dwords() == 2:
		return "0.15915494309189532"
	}
	return inlineFloats[o.Reg-inlineFloat0].text
}

// readsF16 reports whether the row has an f16 source. LLVM then prints float
// constants as such for its 16-bit integer sources too.
func readsF16(r *Row) bool {
	for i := range r.Operands {
		if s := &r.Operands[i]; s.Type == F16 && !s.Dst {
			return true
		}
	}
	return false
}

// literal prints a literal. One that could be mistaken for an inline constant is
// wrapped in lit().
func (p Printer) literal(o *Operand, s *Spec) string {
	v := uint64(o.Imm)
	code, small := inlineBits(v, s.Type)
	switch {
	case s.Kind == ClassLit:
		// s_setreg_imm32 has no inline constant to confuse it with; madmk and madak
		// always print a number.
		if small && s.Type == B32 {
			c := Inline(int(code))
			return p.inline(&c, s.Type, true)
		}
		small = s.Type.Is16() && v>>16 != 0 && p.Exact
	case s.Type == F64:
		// The text's number is the high dword here, unless it is small.
		high, float := inlineBits(v<<32, F64)
		if float && !p.Exact {
			c := Inline(int(high))
			return p.inline(&c, F64, true)
		}
		small = (small || float) && p.Exact
	case s.Type.Is16() && v>>16 != 0 && p.Exact:
		if !small && s.Type != F16 && int64(int32(v)) == int64(int16(v)) {
			return fmt.Sprint(int16(v))
		}
		small = true
	case s.Type.Is16() && !small:
		v &= 0xffff
	}
	if small {
		return fmt.Sprintf("lit(0x%x)", v)
	}
	return fmt.Sprintf("0x%x", v)
}

// imm prints an immediate field.
func (p Printer) imm(in *Inst, o *Operand, s *Spec) string {
	v := int(o.Imm)
	switch s.Kind {
	case ClassLabel:
		if p.Label != nil {
			if t := p.Label(o.Imm); t != "" {
				return t
			}
		}
		return fmt.Sprint(v & 0xffff)
	case ClassEndImm:
		if v == 0 {
			return ""
		}
		return fmt.Sprint(v)
	case ClassSImm16:
		if in.Row.Format != SOPP || v > 64 {
			return fmt.Sprintf("0x%x", v&0xffff)
		}
		return fmt.Sprint(v)
	case ClassProbe:
		if v > 64 {
			return fmt.Sprintf("0x%x", v)
		}
		return fmt.Sprint(v)
	case ClassWait:
		if p.Exact && v&^waitAll != 0 {
			return fmt.Sprintf("0x%x", v)
		}
		return waitText(v)
	case ClassMsg:
		if p.Exact && v&^messageBits != 0 {
			return fmt.Sprint(v)
		}
		return messageText(v)
	case ClassHWReg:
		return hwRegText(v)
	case ClassGPRIdx:
		return gprIdxText(v)
	}
	return fmt.Sprintf("0x%x", v)
}

// modifier returns a modifier's text, "" if it need not be written.
func (p Printer) modifier(in *Inst, m ModID) string {
	v, info := in.Mod(m), modText[m]
	switch info.kind {
	case modFlag:
		if v != 0 {
			return info.name
		}
	case modDec:
		if v == 0 {
			return ""
		}
		if in.Row.Flags.Has(FlagSwizzle) {
			return "offset:" + p.swizzle(v)
		}
		return fmt.Sprintf("%s:%d", info.name, v)
	case modHex:
		return fmt.Sprintf("%s:0x%x", info.name, v)
	case modSel:
		return info.name + ":" + selName(v)
	case modUnused:
		return info.name + ":" + unusedName(v)
	case modOMod:
		return [...]string{"", "mul:2", "mul:4", "div:2"}[v&3]
	case modDPPCtrl:
		return dppText(v)
	case modBound:
		if v != 0 {
			return "bound_ctrl:1"
		}
	case modFormat:
		if m == ModDFmt {
			return formatText(v, in.Mod(ModNFmt))
		}
	}
	return ""
}

func (p Printer) swizzle(v int) string {
	t := swizzleText(v)
	if p.Exact && t != "" {
		if w, ok := parseSwizzle(t); !ok || w != v {
			t = ""
		}
	}
	if t == "" {
		return fmt.Sprint(v)
	}
	return t
}
