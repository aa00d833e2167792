package amdgpu

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/lane"
)

// operands explains the operands in the order of the text.
func (x *explainer) operands() {
	src := 0
	dst := 0
	for i := range x.in.Row.Operands {
		s, o := &x.in.Row.Operands[i], &x.in.Ops[i]
		p := ExplainedPart{Text: string(Printer{}.appendOperand(nil, x.in, i)), Writes: s.Dst, Meaning: x.operandMeaning(i)}
		if p.Text == "" {
			continue // not written: the result of an atomic without glc
		}
		switch {
		case s.Dst && dst == 0:
			p.Name = "D"
			dst++
		case s.Dst:
			p.Name = "D.mask"
		case s.Field == FieldADDR && !x.in.Row.Flags.Has(FlagSwizzle):
			p.Name = "ADDR"
		case s.Field == FieldVADDR:
			p.Name = "ADDR"
		case s.Field == FieldDATA, s.Field == FieldVDATA:
			p.Name = "DATA0"
		case s.Field == FieldDATA1:
			p.Name = "DATA1"
		default:
			p.Name = fmt.Sprintf("S%d", src)
			src++
		}
		if o.Kind != KindImm {
			p.Type = s.Type.String()
		}
		x.e.Operands = append(x.e.Operands, p)
	}
}

// operandMeaning describes an operand and its purpose.
func (x *explainer) operandMeaning(i int) string {
	s, o := &x.in.Row.Operands[i], &x.in.Ops[i]
	f := x.in.Row.Flags
	switch s.Kind {
	case ClassWait:
		return x.t.waitMeaning(o.Imm)
	case ClassLabel:
		return fmt.Sprintf("branch distance: %+d dwords from the next instruction", int16(o.Imm))
	case ClassSMask:
		if s.Dst {
			return "a mask, bit i for lane i; the bits of lanes outside EXEC are written 0"
		}
		return "a mask, bit i for lane i"
	case ClassLane:
		if s.Field == FieldSRC1 {
			return fmt.Sprintf("the lane select, modulo %d", x.t.WaveSize)
		}
	case ClassSImm16:
		if v := int16(o.Imm); s.Type == I16 && v < 0 {
			return fmt.Sprintf("%d, sign-extended to 32 bits", v)
		}
	case ClassSOff:
		return "byte offset that is added to the base"
	case ClassAttr:
		return "the attribute and its channel"
	case ClassParam:
		return "which of the attribute's three parameters"
	case ClassTarget:
		return "where the data go: a render target, depth, nowhere, a position or a parameter"
	}
	if o.Kind == KindOff {
		return "none"
	}
	var t []string
	switch {
	case s.Dst:
		t = append(t, resultMeaning(x.in, s, o))
	case s.Field == FieldADDR && x.in.Row.Unit == UnitFlat:
		t = append(t, "64-bit address in each lane")
	case s.Field == FieldADDR && f.Has(FlagCrossLane) && !f.Has(FlagSwizzle):
		t = append(t, "byte address in each lane: bits [7:2] of address + offset are the other lane")
	case s.Field == FieldADDR && !f.Has(FlagSwizzle) && x.in.Row.Sem == nil && f.Has(FlagGDSOnly) && !f.Has(FlagReturn):
		t = append(t, "the count that the unit is given")
	case s.Field == FieldADDR && !f.Has(FlagSwizzle):
		t = append(t, "byte address in LDS in each lane")
	case s.Field == FieldVADDR && x.in.Row.Format == MIMG:
		t = append(t, fmt.Sprintf("the address in each lane: it begins here and has %d to %d VGPRs, as the image needs", s.Type.Dwords(), x.in.Row.MaxAddr))
	case s.Field == FieldVADDR:
		t = append(t, map[bool]string{true: "index in each lane", false: "byte offset in each lane"}[x.in.Has(ModIdxen)])
		if x.in.Has(ModIdxen) && x.in.Has(ModOffen) {
			t[0] = "index, then byte offset, in each lane"
		}
	case s.Field == FieldSRSRC && x.in.Row.Format == MIMG:
		t = append(t, "the image's resource descriptor")
	case s.Field == FieldSRSRC:
		t = append(t, "the buffer's resource descriptor")
	case s.Field == FieldSSAMP:
		t = append(t, "the sampler")
	case s.Field == FieldSOFFSET && x.in.Row.Unit == UnitVMEM:
		t = append(t, "byte offset, the same for all lanes")
	case s.Field == FieldSBASE:
		t = append(t, "base address; its low two bits are ignored")
	case o.Kind == KindVGPR:
		t = append(t, "the value of each lane")
	case o.Kind == KindSGPR:
		t = append(t, "a scalar, the same for all lanes")
		if x.in.Row.Unit == UnitSALU {
			t[0] = "a scalar"
		}
	case o.IsConst():
		t = append(t, constMeaning(s.Type, o))
	}
	if x.in.Enc == EncDPP && s.Field == FieldSRC0 {
		t = append(t, "moved by DPP: "+lane.DPPCtrl(x.in.Mod(ModDPPCtrl)).Describe())
	}
	if f.Has(FlagSwizzle) && s.Field == FieldADDR {
		t = append(t, "moved by the pattern")
	}
	if o.Abs {
		t = append(t, "its absolute value")
	}
	if o.Neg {
		t = append(t, "negated")
	}
	if o.Sext {
		t = append(t, "sign-extended from the selected part")
	}
	if !s.Dst && f.Has(FlagReversed) && s.Field == FieldSRC0 {
		t = append(t, "reversed: it is the second operand of the operation")
	}
	return strings.Join(t, "; ")
}

// resultMeaning describes a destination.
func resultMeaning(in *Inst, s *Spec, o *Operand) string {
	what := "receives the result"
	if in.Row.Flags.Has(FlagTied) {
		what = "is read, too, and receives the result"
	}
	switch {
	case o.Kind != KindVGPR:
		return what
	case s.Type.Is16():
		return what + " in its low half; the high half becomes 0; lanes that are not updated keep their value"
	}
	return what + "; lanes that are not updated keep their value"
}

// constMeaning shows a constant's bits and value.
func constMeaning(t Type, o *Operand) string {
	kind := "inline constant"
	if o.Kind == KindLiteral {
		kind = "literal, one more dword"
	}
	b := o.Bits(t)
	switch t {
	case F32:
		return fmt.Sprintf("%s: %#08x = %g", kind, b, math.Float32frombits(uint32(b)))
	case F64:
		return fmt.Sprintf("%s: %#016x = %g", kind, b, math.Float64frombits(b))
	}
	return fmt.Sprintf("%s: %#x", kind, b)
}

// waitMeaning decodes s_waitcnt.
func (t *Target) waitMeaning(simm int64) string {
	vm, exp, lgkm := t.WaitCounts(simm)
	var l []string
	one := func(i, n int, what string) {
		if name := t.Counters[i].Name; n < t.Counters[i].Max() {
			l = append(l, fmt.Sprintf("%s(%d): until at most %d %s are outstanding", name, n, n, what))
		}
	}
	one(0, vm, "vector memory operations")
	one(1, exp, "exports and GDS operations")
	one(2, lgkm, "LDS, scalar memory and message operations")
	if len(l) == 0 {
		return "waits for nothing"
	}
	return strings.Join(l, "; ")
}

// modifiers explains the modifiers that have an effect.
func (x *explainer) modifiers() {
	in := x.in
	enc := in.encoding()
	for i := range enc.mods {
		m := enc.mods[i].mod
		text := string(Printer{}.appendModifier(nil, in, m))
		meaning := x.modMeaning(m)
		if meaning == "" || text == "" && m != ModBoundCtrl {
			continue
		}
		x.e.Modifiers = append(x.e.Modifiers, ExplainedPart{Name: m.Name(), Text: text, Meaning: meaning})
	}
}

// modMeaning describes the effect of a modifier's value; "" for a value without effect.
func (x *explainer) modMeaning(m ModID) string {
	in := x.in
	v := in.Mod(m)
	switch m {
	case ModClamp:
		if v != 0 {
			return "the result is clamped: floats to 0..1 (NaN gives 0), integers to their range"
		}
	case ModOMod:
		return [...]string{"", "the result is doubled", "the result is multiplied by 4", "the result is halved"}[v&3]
	case ModDPPCtrl:
		return lane.DPPCtrl(v).Describe()
	case ModRowMask:
		return "rows that are updated: " + bitList(v, "none", "all four") + rowLanes(v, 16)
	case ModBankMask:
		return "banks of 4 lanes that are updated in each row: " + bitList(v, "none", "all four")
	case ModBoundCtrl:
		if v != 0 {
			return "BOUND_CTRL is 1 (bound_ctrl:0 is the older spelling): a lane without a valid source reads 0"
		}
		return "BOUND_CTRL is 0: a lane without a valid source is not updated"
	case ModDstSel:
		return "the result goes to " + partName(v) + " of D"
	case ModDstUnused:
		if in.Mod(ModDstSel) != 6 {
			return [...]string{"the rest of D becomes 0", "the rest of D: the sign above, zeros below", "the rest of D keeps its value", ""}[v&3]
		}
	case ModSrc0Sel:
		return "S0 is " + partName(v)
	case ModSrc1Sel:
		return "S1 is " + partName(v)
	case ModOffset:
		if in.Row.Flags.Has(FlagSwizzle) {
			return fmt.Sprintf("pattern %#04x, %s", v, lane.SwizzlePattern(v).Describe())
		}
		if v != 0 {
			if in.Row.Flags.Has(FlagCrossLane) {
				return fmt.Sprintf("%d bytes are added to the address: %d lanes", v, v/4)
			}
			return fmt.Sprintf("%d bytes are added to the address", v)
		}
	case ModOffset0, ModOffset1:
		if !in.Row.Flags.Has(FlagTwoOffsets) {
			return ""
		}
		unit := width(in.Row.Operands[len(in.Row.Operands)-1].Type)
		if in.Row.Flags.Has(FlagReturn) && !in.Row.Flags.Has(FlagAtomic) {
			unit = width(in.Row.Operands[0].Type) / 2
		}
		if in.Row.Flags.Has(FlagStride64) {
			unit *= 64
		}
		return fmt.Sprintf("%d bytes are added to the address: %d times %d", v*unit, v, unit)
	case ModGLC:
		if v != 0 && in.Row.Flags.Has(FlagAtomic) {
			return "the value before the operation is returned"
		}
		if v != 0 {
			return "the first-level cache is passed by"
		}
	case ModSLC:
		if v != 0 {
			return "streaming: the second-level cache need not keep it"
		}
	case ModTFE:
		if v != 0 {
			return "one more data VGPR receives the status: whether memory was resident"
		}
	case ModLDS:
		if v != 0 {
			return "the data go to LDS, at M0[15:0] + 4 * lane"
		}
	case ModOffen:
		if v != 0 {
			return "a VGPR has a byte offset"
		}
	case ModIdxen:
		if v != 0 {
			return "a VGPR has an index of elements"
		}
	case ModDMask:
		return fmt.Sprintf("components that are moved: %s; one data VGPR for each", maskLetters(v))
	case ModDFmt:
		return fmt.Sprintf("components of %s bits in memory, converted as %s", dataFormats()[v&15], numFormatNames()[in.Mod(ModNFmt)&7])
	case ModUnorm:
		if v != 0 {
			return "coordinates are in texels, not from 0 to 1"
		}
	case ModR128:
		if v != 0 {
			return "the resource descriptor has 128 bits, in the first four SGPRs"
		}
	case ModLWE:
		if v != 0 {
			return "a warning about the level of detail is returned as a status"
		}
	case ModDA:
		if v != 0 {
			return "the image is an array: the address has a slice"
		}
	case ModD16:
		if v != 0 {
			return "data of 16 bits, one in each dword"
		}
	case ModHigh:
		if v != 0 {
			return "the upper halves of the attribute's dwords"
		}
	case ModDone:
		if v != 0 {
			return "the last export of its kind"
		}
	case ModCompr:
		if v != 0 {
			return "two VGPRs with two halves each, instead of four with a dword"
		}
	case ModVM:
		if v != 0 {
			return "EXEC is the mask of valid pixels"
		}
	case ModGDS:
		if v != 0 {
			return "the global data share instead of LDS"
		}
	}
	return ""
}

// maskLetters names the components of DMASK.
func maskLetters(v int) string {
	t := ""
	for i, c := range "xyzw" {
		if v>>i&1 != 0 {
			t += string(c)
		}
	}
	if t == "" {
		return "none, which moves one VGPR"
	}
	return t
}

// bitList names the set bits of a mask of four.
func bitList(v int, none, all string) string {
	switch v & 15 {
	case 0:
		return none
	case 15:
		return all
	}
	var t []string
	for i := range 4 {
		if v>>i&1 != 0 {
			t = append(t, fmt.Sprint(i))
		}
	}
	return strings.Join(t, ", ")
}

// rowLanes names the lanes of the rows of a mask.
func rowLanes(v, n int) string {
	if v&15 == 0 || v&15 == 15 {
		return ""
	}
	var m lane.Mask
	for i := range 4 {
		if v>>i&1 != 0 {
			m |= lane.All(n) << (n * i)
		}
	}
	return fmt.Sprintf(" (lanes %s)", m)
}

// partName names an SDWA selection.
func partName(v int) string {
	shift, w := sdwaPart(v)
	switch w {
	case 8:
		return fmt.Sprintf("byte %d", shift/8)
	case 16:
		return fmt.Sprintf("word %d", shift/16)
	}
	return "the whole dword"
}
