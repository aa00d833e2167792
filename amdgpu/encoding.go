package amdgpu

import "fmt"

// An encoding is the bit layout of one row in one of its encodings. It is derived from the row and
// the formats when the table is built.
type encoding struct {
	row    *Row
	enc    Enc
	dwords int
	base   uint64 // the encoding and opcode bits
	used   uint64 // base and every field that the row uses; other bits must be 0
	fields []BitField
	ops    []opField // one per operand of the row
	mods   []modField
}

// opField is the place of an operand.
type opField struct {
	BitField // Width 0: no bits, the operand is implied
	form     form
	// bits of the operand's modifiers, 0: not legal
	neg, abs, sext uint64
}

// modField is the place of a modifier.
type modField struct {
	BitField
	mod ModID
}

// form is the way an operand is encoded.
type form uint8

const (
	formVGPR    form = iota // 8 bits: a VGPR
	formSrc9                // 9 bits: scalar code, constant, or 256 + VGPR
	formSrc8                // 8 bits: scalar code or constant
	formSGPR                // 7 or 8 bits: scalar code
	formSGPR9               // 9 bits: scalar code
	formBase                // SMEM base: scalar code / 2
	formRsrc                // buffer resource: scalar code / 4
	formSOff                // SMEM offset: 20 bits, or a scalar code
	formImm                 // an immediate, sign-extended
	formUImm                // an immediate, zero-extended
	formLiteral             // the dword after the instruction
	formVCC                 // always VCC
	formAttr                // 8 bits: attribute, channel below it
	formAttrLow             // 8 bits: attribute, channel above it
	formExport              // 8 bits: a VGPR, or off if EN has no bit for it
)

// Encoding returns the row's layout in an encoding, nil if it has none.
func (r *Row) Encoding(e Enc) *encoding { return r.encs[e] }

// build lays out the row's encodings.
func (r *Row) build() {
	if r.target.DPP == DPPNone && r.Encs.Has(EncDPP) {
		*r = r.noDPP(r.target.Name + " has no DPP")
	}
	if r.target.SDWA == SDWANone && r.Encs.Has(EncSDWA) {
		*r = r.noSDWA(r.target.Name + " has no SDWA")
	}
	if len(r.Operands) > MaxOperands {
		panic("amdgpu: " + r.Name + " has too many operands")
	}
	for e := E32; e <= EncSDWA; e++ {
		if r.Encs.Has(e) {
			r.encs[e] = r.layOut(e)
		}
	}
}

// layOut computes one encoding.
func (r *Row) layOut(e Enc) *encoding {
	f := r.Format
	op := uint64(r.Op)
	if e == E64 {
		f, op = VOP3A, uint64(r.vop3Op())
		for _, s := range r.Operands {
			if s.Field == FieldVCC && s.Dst && r.Format != VOPC {
				f = VOP3B
			}
		}
	}
	if f == VOP3A && r.operand(ClassAttr) >= 0 {
		f = formatInterp
	}
	layout := &r.target.layouts[f]
	x := &encoding{row: r, enc: e, dwords: int(layout.dwords)}
	for _, b := range layout.fields {
		// DS has either OFFSET, or its two halves OFFSET0 and OFFSET1.
		two := r.Flags.Has(FlagTwoOffsets)
		switch b.ID {
		case fieldMod + FieldID(ModOffset0), fieldMod + FieldID(ModOffset1):
			if !two {
				continue
			}
		case fieldMod + FieldID(ModOffset):
			if two {
				continue
			}
		}
		x.fields = append(x.fields, b)
	}
	switch e {
	case EncDPP:
		x.addSecond(FormatDPP, regDPP)
	case EncSDWA:
		x.addSecond(FormatSDWA, regSDWA)
	}
	for _, b := range x.fields {
		switch b.ID {
		case FieldEnc:
			x.base |= b.Value << b.Lo
			x.used |= b.mask()
		case FieldOp:
			x.base |= op << b.Lo
			x.used |= b.mask()
		}
	}
	for i := range r.Operands {
		x.ops = append(x.ops, x.operand(&r.Operands[i]))
	}
	for _, m := range r.modifiers(e) {
		b := x.field(fieldMod + FieldID(m))
		x.used |= b.mask()
		x.mods = append(x.mods, modField{b, m})
	}
	return x
}

// addSecond adds the dword of DPP or SDWA. SRC0 of the first dword holds the code that announces
// it, and the real SRC0 is in the added dword.
func (x *encoding) addSecond(f Format, code uint64) {
	for i, b := range x.fields {
		if b.ID == FieldSRC0 {
			x.fields[i] = BitField{"SRC0", FieldEnc, b.Lo, b.Width, code}
		}
	}
	x.fields = append(x.fields, x.row.target.layouts[f].fields...)
	x.dwords++
}

// field finds a field by its name.
func (x *encoding) field(id FieldID) BitField {
	for _, b := range x.fields {
		if b.ID == id {
			return b
		}
	}
	panic(fmt.Sprintf("amdgpu: %s_%v has no field %d", x.row.Name, x.enc, id))
}

// operand places one operand.
func (x *encoding) operand(s *Spec) opField {
	id := s.Field
	if x.enc == E64 {
		// VOP3 names the fields of the short formats differently.
		switch {
		case id == FieldVSRC1, id == FieldVSRC:
			id = FieldSRC1
		case id == FieldVCC && s.Dst && x.row.Format == VOPC:
			id = FieldVDST
		case id == FieldVCC && s.Dst:
			id = FieldSDST
		case id == FieldVCC:
			id = FieldSRC2
		}
	}
	var o opField
	switch id {
	case FieldVCC:
		return opField{form: formVCC}
	case FieldLit:
		return opField{form: formLiteral}
	}
	o.BitField = x.field(id)
	o.form = formOf(s.Kind, o.Width, id)
	if id == FieldATTR {
		// The channel field is beside the attribute field.
		c := x.field(FieldATTRCHAN)
		o.form = formAttr
		if c.Lo > o.Lo {
			o.form = formAttrLow
		}
		o.Lo, o.Width = min(o.Lo, c.Lo), o.Width+c.Width
	}
	x.used |= o.mask()
	if id == FieldSOFFSET && x.row.Format == SMEM {
		o.form = formSOff
		x.used |= x.field(FieldIMM).mask()
	}
	x.operandModifiers(s, id, &o)
	return o
}

// formOf derives an operand's form from its class and the width of its field.
func formOf(c Class, width uint8, id FieldID) form {
	switch c {
	case ClassVGPR, ClassSrc:
		if width == 9 {
			return formSrc9
		}
		return formVGPR
	case ClassSSrc, ClassSConst:
		return formSrc8
	case ClassLane:
		return formSrc9
	case ClassSDst, ClassSReg, ClassSMask:
		switch {
		case id == FieldSBASE:
			return formBase
		case id == FieldSRSRC, id == FieldSSAMP:
			return formRsrc
		case width == 9:
			return formSGPR9
		}
		return formSGPR
	case ClassSImm16, ClassLabel:
		return formImm
	case ClassExport:
		return formExport
	}
	return formUImm
}

// operandModifiers finds the bits of neg, abs and sext. Float sources have neg and abs in VOP3
// (VOP3B has no abs bits), DPP and SDWA. Integer sources have sext in SDWA. GCN3 ISA 13, VOP3A,
// VOP3B, VOP_DPP, VOP_SDWA.
func (x *encoding) operandModifiers(s *Spec, id FieldID, o *opField) {
	interp := s.Kind == ClassVGPR && x.row.operand(ClassAttr) >= 0
	if s.Dst || s.Kind != ClassSrc && !interp || unitOf(x.row.Format) != UnitVALU {
		return
	}
	float := s.Type.IsFloat() || x.row.Flags.Has(FlagModBits)
	var bits [3]FieldID // neg, abs, sext
	switch {
	case x.enc == EncDPP && float, x.enc == EncSDWA && float:
		bits = [3]FieldID{FieldSRC0Neg, FieldSRC0Abs}
		if id == FieldVSRC1 {
			bits = [3]FieldID{FieldSRC1Neg, FieldSRC1Abs}
		}
	case x.enc == EncSDWA:
		bits = [3]FieldID{2: FieldSRC0Sext}
		if id == FieldVSRC1 {
			bits = [3]FieldID{2: FieldSRC1Sext}
		}
	case x.enc == E64 || x.row.Format == VOP3A || x.row.Format == VOP3B:
		if !float {
			return
		}
		n := id - FieldSRC1 + 1
		if id == FieldSRC0 {
			n = 0
		}
		for _, b := range x.fields {
			switch b.ID {
			case FieldNEG:
				o.neg = 1 << (b.Lo + uint8(n))
			case FieldABS:
				o.abs = 1 << (b.Lo + uint8(n))
			}
		}
	}
	for i, p := range []*uint64{&o.neg, &o.abs, &o.sext} {
		if bits[i] != FieldNone {
			*p = x.field(bits[i]).mask()
		}
	}
	x.used |= o.neg | o.abs | o.sext
}

// modifiers returns the modifiers of one encoding in the order of the assembly text.
func (r *Row) modifiers(e Enc) []ModID {
	var ms []ModID
	add := func(on bool, m ...ModID) {
		if on {
			ms = append(ms, m...)
		}
	}
	switch {
	case e == EncDPP:
		add(true, ModDPPCtrl, ModRowMask, ModBankMask, ModBoundCtrl)
	case e == EncSDWA:
		add(true, ModClamp)
		add(r.Format != VOPC, ModDstSel, ModDstUnused)
		add(true, ModSrc0Sel)
		add(r.Format != VOP1, ModSrc1Sel)
	case e == E64, r.Format == VOP3A, r.Format == VOP3B:
		add(r.Flags.Has(FlagHigh), ModHigh)
		add(r.Flags.Has(FlagClamp), ModClamp)
		add(r.Flags.Has(FlagOMod), ModOMod)
	case r.Format == SMEM:
		add(r.Flags&(FlagLoad|FlagStore) != 0, ModGLC)
	case r.Format == FormatDS:
		add(r.Flags.Has(FlagTwoOffsets), ModOffset0, ModOffset1)
		add(!r.Flags.Has(FlagTwoOffsets) && (len(r.Operands) > 0 || r.Flags.Has(FlagGDSOnly)), ModOffset)
		add(!r.Flags.Has(FlagNoGDS), ModGDS)
	case r.Format == FLAT:
		add(true, ModGLC, ModSLC)
	case r.Format == MUBUF && r.Flags.Has(FlagLDSOnly):
		add(true, ModOffset, ModLDS, ModGLC, ModSLC)
	case (r.Format == MUBUF || r.Format == MTBUF) && len(r.Operands) > 0:
		add(r.Format == MTBUF, ModDFmt, ModNFmt)
		add(true, ModIdxen, ModOffen, ModOffset, ModGLC, ModSLC)
		add(r.Format == MUBUF && !r.Flags.Has(FlagStore), ModTFE)
		add(r.Flags.Has(FlagToLDS), ModLDS)
	case r.Format == MIMG:
		add(true, ModDMask, ModUnorm, ModGLC, ModSLC, ModR128, ModTFE, ModLWE, ModDA)
		add(r.Flags.Has(FlagD16), ModD16)
	case r.Format == FormatEXP:
		add(true, ModEN, ModDone, ModCompr, ModVM)
	}
	return ms
}

// operand returns the index of the first operand of a class, -1 if there is none.
func (r *Row) operand(c Class) int {
	for i := range r.Operands {
		if r.Operands[i].Kind == c {
			return i
		}
	}
	return -1
}

// encoding returns the layout of an instruction's encoding, nil if its row lacks it.
func (in *Inst) encoding() *encoding {
	if in.Row == nil || int(in.Enc) >= len(in.Row.encs) {
		return nil
	}
	return in.Row.encs[in.Enc]
}

// Size returns the instruction's length in bytes: 4, 8 or 12.
func (in *Inst) Size() int {
	n := 0
	if x := in.encoding(); x != nil {
		n = 4 * x.dwords
	}
	for _, o := range in.Operands() {
		if o.Kind == KindLiteral {
			return n + 4
		}
	}
	return n
}

// takes reports whether an encoding of the row has the modifier.
func (r *Row) takes(m ModID) bool {
	for _, x := range r.encs {
		if x != nil && x.modifier(m) != nil {
			return true
		}
	}
	return false
}

// modifier finds a modifier of the encoding.
func (x *encoding) modifier(m ModID) *modField {
	for i := range x.mods {
		if x.mods[i].mod == m {
			return &x.mods[i]
		}
	}
	return nil
}
