package amdgpu

// Format is a machine encoding, GCN3 ISA chapter 13.
type Format uint8

// The formats. DPP and SDWA are the second dwords of VOP1, VOP2 and VOPC.
const (
	FormatNone Format = iota
	SOP2
	SOPK
	SOP1
	SOPC
	SOPP
	SMEM
	VOP2
	VOP1
	VOPC
	VOP3A
	VOP3B
	FormatDS
	FLAT
	MUBUF
	MTBUF
	VINTRP
	MIMG
	FormatEXP
	FormatDPP
	FormatSDWA
	// formatInterp is the VOP3A of interpolation: SRC0 holds an attribute.
	formatInterp
	numFormats
)

// FieldID names a field of an encoding.
type FieldID uint8

// The fields, named as in the manual.
const (
	FieldNone     FieldID = iota
	FieldEnc              // the bits that identify the format
	FieldOp               // the opcode
	FieldReserved         // must be 0
	FieldSSRC0            // scalar source
	FieldSSRC1            // scalar source
	FieldSDST             // scalar destination; also the mask destination of VOP3B
	FieldSIMM16           // 16-bit immediate
	FieldLit              // the dword after the instruction
	FieldSBASE            // SMEM: pair or quad of SGPRs
	FieldSDATA            // SMEM: data
	FieldSOFFSET          // SMEM: OFFSET; MUBUF and MTBUF: SOFFSET
	FieldIMM              // SMEM: OFFSET is an immediate
	FieldSRC0             // vector source
	FieldVSRC1            // VGPR
	FieldSRC1             // vector source, VOP3
	FieldSRC2             // vector source, VOP3
	FieldVDST             // vector destination
	FieldVCC              // VCC, which takes no bits
	FieldABS              // |x| of the three sources, VOP3A
	FieldNEG              // -x of the three sources, VOP3
	FieldADDR             // DS and FLAT: address
	FieldDATA             // FLAT's DATA, DS's DATA0
	FieldDATA1            // DS
	FieldVADDR            // MUBUF and MTBUF: address
	FieldVDATA            // MUBUF and MTBUF: data
	FieldSRSRC            // MUBUF and MTBUF: quad of SGPRs
	FieldSRC0Sext         // SDWA
	FieldSRC0Neg          // DPP, SDWA
	FieldSRC0Abs          // DPP, SDWA
	FieldSRC1Sext         // SDWA
	FieldSRC1Neg          // DPP, SDWA
	FieldSRC1Abs          // DPP, SDWA
	FieldVSRC             // VINTRP: VGPR, or the parameter that v_interp_mov reads
	FieldATTR             // VINTRP: attribute
	FieldATTRCHAN         // VINTRP: its channel
	FieldSSAMP            // MIMG: quad of SGPRs, the sampler
	FieldTGT              // EXP: target of the data
	FieldEXP0             // EXP: data
	FieldEXP1             // EXP
	FieldEXP2             // EXP
	FieldEXP3             // EXP
	fieldMod              // fieldMod + ModID is the field of a modifier
	numFieldIDs   = fieldMod + FieldID(NumMods)
)

// A BitField is a named range of bits of an encoding. Bit 0 is the lowest bit of
// the first dword; bit 32 the lowest bit of the second.
type BitField struct {
	Name  string
	ID    FieldID
	Lo    uint8  // lowest bit
	Width uint8  // number of bits
	Value uint64 // for FieldEnc: its fixed value
}

// mask returns the field's bits in place.
func (b BitField) mask() uint64 { return (1<<b.Width - 1) << b.Lo }

// get extracts the field from an instruction.
func (b BitField) get(w uint64) uint64 { return w >> b.Lo & (1<<b.Width - 1) }

// layout describes one format.
type layout struct {
	name    string
	section string
	dwords  uint8
	fields  []BitField
}

func enc(lo, width uint8, value uint64) BitField {
	return BitField{"ENCODING", FieldEnc, lo, width, value}
}

func opc(lo, width uint8) BitField { return BitField{"OP", FieldOp, lo, width, 0} }

func fld(name string, id FieldID, lo, width uint8) BitField {
	return BitField{name, id, lo, width, 0}
}

// res is a run of bits that the manual reserves; Decode accepts only 0 there.
func res(lo, width uint8) BitField { return BitField{"0", FieldReserved, lo, width, 0} }

func mod(name string, m ModID, lo, width uint8) BitField {
	return BitField{name, fieldMod + FieldID(m), lo, width, 0}
}

// layoutsGFX8 holds the formats' bit pictures, GCN3 ISA chapter 13.
var layoutsGFX8 = [numFormats]layout{
	//  31 30 | 29    23 | 22   16 | 15    8 | 7     0
	//   1 0  |   OP     |  SDST   |  SSRC1  |  SSRC0
	SOP2: {"SOP2", "SOP2", 1, []BitField{
		enc(30, 2, 0b10), opc(23, 7), fld("SDST", FieldSDST, 16, 7), fld("SSRC1", FieldSSRC1, 8, 8), fld("SSRC0", FieldSSRC0, 0, 8)}},
	//  31  28 | 27   23 | 22   16 | 15              0
	//  1 0 1 1|   OP    |  SDST   |      SIMM16
	SOPK: {"SOPK", "SOPK", 1, []BitField{
		enc(28, 4, 0b1011), opc(23, 5), fld("SDST", FieldSDST, 16, 7), fld("SIMM16", FieldSIMM16, 0, 16)}},
	//  31            23 | 22   16 | 15    8 | 7     0
	//  1 0 1 1 1 1 1 0 1|  SDST   |   OP    |  SSRC0
	SOP1: {"SOP1", "SOP1", 1, []BitField{
		enc(23, 9, 0b101111101), fld("SDST", FieldSDST, 16, 7), opc(8, 8), fld("SSRC0", FieldSSRC0, 0, 8)}},
	//  31            23 | 22   16 | 15    8 | 7     0
	//  1 0 1 1 1 1 1 1 0|   OP    |  SSRC1  |  SSRC0
	SOPC: {"SOPC", "SOPC", 1, []BitField{
		enc(23, 9, 0b101111110), opc(16, 7), fld("SSRC1", FieldSSRC1, 8, 8), fld("SSRC0", FieldSSRC0, 0, 8)}},
	//  31            23 | 22   16 | 15              0
	//  1 0 1 1 1 1 1 1 1|   OP    |      SIMM16
	SOPP: {"SOPP", "SOPP", 1, []BitField{
		enc(23, 9, 0b101111111), opc(16, 7), fld("SIMM16", FieldSIMM16, 0, 16)}},
	//  31      26 | 25     18 | 17  | 16  | 15 13 | 12    6 | 5     0 ‖ 63  52 | 51         32
	//  1 1 0 0 0 0|    OP     | IMM | GLC |   0   |  SDATA  |  SBASE  ‖   0    |   OFFSET
	SMEM: {"SMEM", "SMEM", 2, []BitField{
		enc(26, 6, 0b110000), opc(18, 8), fld("IMM", FieldIMM, 17, 1), mod("GLC", ModGLC, 16, 1), res(13, 3),
		fld("SDATA", FieldSDATA, 6, 7), fld("SBASE", FieldSBASE, 0, 6), res(52, 12), fld("OFFSET", FieldSOFFSET, 32, 20)}},
	//  31 | 30   25 | 24   17 | 16    9 | 8     0
	//   0 |   OP    |  VDST   |  VSRC1  |  SRC0
	VOP2: {"VOP2", "VOP2", 1, []BitField{
		enc(31, 1, 0), opc(25, 6), fld("VDST", FieldVDST, 17, 8), fld("VSRC1", FieldVSRC1, 9, 8), fld("SRC0", FieldSRC0, 0, 9)}},
	//  31          25 | 24   17 | 16    9 | 8     0
	//  0 1 1 1 1 1 1 1|  VDST   |   OP    |  SRC0
	VOP1: {"VOP1", "VOP1", 1, []BitField{
		enc(25, 7, 0b0111111), fld("VDST", FieldVDST, 17, 8), opc(9, 8), fld("SRC0", FieldSRC0, 0, 9)}},
	//  31          25 | 24   17 | 16    9 | 8     0
	//  0 1 1 1 1 1 0  |   OP    |  VSRC1  |  SRC0
	VOPC: {"VOPC", "VOPC", 1, []BitField{
		enc(25, 7, 0b0111110), opc(17, 8), fld("VSRC1", FieldVSRC1, 9, 8), fld("SRC0", FieldSRC0, 0, 9)}},
	//  31      26 | 25   16 | 15  | 14 11 | 10 8 | 7    0 ‖ 63 61 | 60 59 | 58  50 | 49  41 | 40  32
	//  1 1 0 1 0 0|   OP    |CLAMP|   0   | ABS  |  VDST  ‖  NEG  | OMOD  |  SRC2  |  SRC1  |  SRC0
	VOP3A: {"VOP3A", "VOP3", 2, []BitField{
		enc(26, 6, 0b110100), opc(16, 10), mod("CLAMP", ModClamp, 15, 1), res(11, 4), fld("ABS", FieldABS, 8, 3), fld("VDST", FieldVDST, 0, 8),
		fld("NEG", FieldNEG, 61, 3), mod("OMOD", ModOMod, 59, 2), fld("SRC2", FieldSRC2, 50, 9), fld("SRC1", FieldSRC1, 41, 9), fld("SRC0", FieldSRC0, 32, 9)}},
	//  31      26 | 25   16 | 15  | 14        8 | 7     0 ‖ 63 61 | 60 59 | 58  50 | 49  41 | 40  32
	//  1 1 0 1 0 0|   OP    |CLAMP|    SDST     |  VDST   ‖  NEG  | OMOD  |  SRC2  |  SRC1  |  SRC0
	VOP3B: {"VOP3B", "VOP3", 2, []BitField{
		enc(26, 6, 0b110100), opc(16, 10), mod("CLAMP", ModClamp, 15, 1), fld("SDST", FieldSDST, 8, 7), fld("VDST", FieldVDST, 0, 8),
		fld("NEG", FieldNEG, 61, 3), mod("OMOD", ModOMod, 59, 2), fld("SRC2", FieldSRC2, 50, 9), fld("SRC1", FieldSRC1, 41, 9), fld("SRC0", FieldSRC0, 32, 9)}},
	//  31      26 | 25 | 24   17 | 16  | 15      8 | 7       0 ‖ 63  56 | 55  48 | 47  40 | 39  32
	//  1 1 0 1 1 0| 0  |   OP    | GDS |  OFFSET1  |  OFFSET0  ‖  VDST  | DATA1  | DATA0  |  ADDR
	FormatDS: {"DS", "LDS and GDS", 2, []BitField{
		enc(26, 6, 0b110110), res(25, 1), opc(17, 8), mod("GDS", ModGDS, 16, 1), mod("OFFSET", ModOffset, 0, 16),
		mod("OFFSET1", ModOffset1, 8, 8), mod("OFFSET0", ModOffset0, 0, 8),
		fld("VDST", FieldVDST, 56, 8), fld("DATA1", FieldDATA1, 48, 8), fld("DATA0", FieldDATA, 40, 8), fld("ADDR", FieldADDR, 32, 8)}},
	//  31      26 | 25 | 24   18 | 17  | 16  | 15          0 ‖ 63  56 | 55 48 | 47  40 | 39  32
	//  1 1 0 1 1 1| 0  |   OP    | SLC | GLC |       0       ‖  VDST  |   0   |  DATA  |  ADDR
	FLAT: {"FLAT", "FLAT", 2, []BitField{
		enc(26, 6, 0b110111), res(25, 1), opc(18, 7), mod("SLC", ModSLC, 17, 1), mod("GLC", ModGLC, 16, 1), res(0, 16),
		fld("VDST", FieldVDST, 56, 8), res(48, 8), fld("DATA", FieldDATA, 40, 8), fld("ADDR", FieldADDR, 32, 8)}},
	//  31      26 | 25 | 24   18 | 17  | 16  | 15 | 14  | 13    | 12    | 11      0 ‖ 63    56 | 55  | 54 53 | 52  48 | 47  40 | 39  32
	//  1 1 1 0 0 0| 0  |   OP    | SLC | LDS | 0  | GLC | IDXEN | OFFEN |  OFFSET  ‖ SOFFSET  | TFE |   0   | SRSRC  | VDATA  | VADDR
	MUBUF: {"MUBUF", "MUBUF", 2, []BitField{
		enc(26, 6, 0b111000), res(25, 1), opc(18, 7), mod("SLC", ModSLC, 17, 1), mod("LDS", ModLDS, 16, 1), res(15, 1), mod("GLC", ModGLC, 14, 1),
		mod("IDXEN", ModIdxen, 13, 1), mod("OFFEN", ModOffen, 12, 1), mod("OFFSET", ModOffset, 0, 12),
		fld("SOFFSET", FieldSOFFSET, 56, 8), mod("TFE", ModTFE, 55, 1), res(53, 2), fld("SRSRC", FieldSRSRC, 48, 5), fld("VDATA", FieldVDATA, 40, 8), fld("VADDR", FieldVADDR, 32, 8)}},
	//  31      26 | 25 23 | 22 19 | 18 15 | 14  | 13    | 12    | 11      0 ‖ 63    56 | 55  | 54  | 53 | 52  48 | 47  40 | 39  32
	//  1 1 1 0 1 0| NFMT  | DFMT  |  OP   | GLC | IDXEN | OFFEN |  OFFSET  ‖ SOFFSET  | TFE | SLC | 0  | SRSRC  | VDATA  | VADDR
	MTBUF: {"MTBUF", "MTBUF", 2, []BitField{
		enc(26, 6, 0b111010), mod("NFMT", ModNFmt, 23, 3), mod("DFMT", ModDFmt, 19, 4), opc(15, 4), mod("GLC", ModGLC, 14, 1),
		mod("IDXEN", ModIdxen, 13, 1), mod("OFFEN", ModOffen, 12, 1), mod("OFFSET", ModOffset, 0, 12),
		fld("SOFFSET", FieldSOFFSET, 56, 8), mod("TFE", ModTFE, 55, 1), mod("SLC", ModSLC, 54, 1), res(53, 1), fld("SRSRC", FieldSRSRC, 48, 5), fld("VDATA", FieldVDATA, 40, 8), fld("VADDR", FieldVADDR, 32, 8)}},
	//  63    60 | 59     56 | 55 | 54 | 53 | 52 | 51        | 50 49 | 48    40  | 39  32
	//  ROW_MASK | BANK_MASK | S1A| S1N| S0A| S0N| BOUND_CTRL|   0   | DPP_CTRL  |  SRC0
	FormatDPP: {"DPP", "VOP_DPP", 1, []BitField{
		mod("ROW_MASK", ModRowMask, 60, 4), mod("BANK_MASK", ModBankMask, 56, 4), fld("SRC1_ABS", FieldSRC1Abs, 55, 1), fld("SRC1_NEG", FieldSRC1Neg, 54, 1),
		fld("SRC0_ABS", FieldSRC0Abs, 53, 1), fld("SRC0_NEG", FieldSRC0Neg, 52, 1), mod("BOUND_CTRL", ModBoundCtrl, 51, 1), res(49, 2),
		mod("DPP_CTRL", ModDPPCtrl, 40, 9), fld("SRC0", FieldSRC0, 32, 8)}},
	//  63 62 | 61 | 60 | 59 | 58  56  | 55 54 | 53 | 52 | 51 | 50  48  | 47 46 | 45  | 44  43   | 42  40 | 39  32
	//    0   | S1A| S1N| S1S| SRC1_SEL|   0   | S0A| S0N| S0S| SRC0_SEL|   0   |CLAMP|DST_UNUSED| DST_SEL|  SRC0
	FormatSDWA: {"SDWA", "VOP_SDWA", 1, []BitField{
		res(62, 2), fld("SRC1_ABS", FieldSRC1Abs, 61, 1), fld("SRC1_NEG", FieldSRC1Neg, 60, 1), fld("SRC1_SEXT", FieldSRC1Sext, 59, 1), mod("SRC1_SEL", ModSrc1Sel, 56, 3), res(54, 2),
		fld("SRC0_ABS", FieldSRC0Abs, 53, 1), fld("SRC0_NEG", FieldSRC0Neg, 52, 1), fld("SRC0_SEXT", FieldSRC0Sext, 51, 1), mod("SRC0_SEL", ModSrc0Sel, 48, 3), res(46, 2),
		mod("CLAMP", ModClamp, 45, 1), mod("DST_UNUSED", ModDstUnused, 43, 2), mod("DST_SEL", ModDstSel, 40, 3), fld("SRC0", FieldSRC0, 32, 8)}},
	//  31          26 | 25    18 | 17 16 | 15    10 | 9      8 | 7     0
	//  1 1 0 1 0 1    |   VDST   |  OP   |   ATTR   | ATTRCHAN |  VSRC
	VINTRP: {"VINTRP", "VINTRP", 1, []BitField{
		enc(26, 6, 0b110101), fld("VDST", FieldVDST, 18, 8), opc(16, 2), fld("ATTR", FieldATTR, 10, 6), fld("ATTRCHAN", FieldATTRCHAN, 8, 2), fld("VSRC", FieldVSRC, 0, 8)}},
	//  31      26 | 25  | 24  18 | 17  | 16  | 15   | 14 | 13  | 12    | 11   8 | 7 0 ‖ 63  | 62 58 | 57  53 | 52  48 | 47  40 | 39  32
	//  1 1 1 1 0 0| SLC |   OP   | LWE | TFE | R128 | DA | GLC | UNORM | DMASK  |  0  ‖ D16 |   0   | SSAMP  | SRSRC  | VDATA  | VADDR
	MIMG: {"MIMG", "MIMG", 2, []BitField{
		enc(26, 6, 0b111100), mod("SLC", ModSLC, 25, 1), opc(18, 7), mod("LWE", ModLWE, 17, 1), mod("TFE", ModTFE, 16, 1), mod("R128", ModR128, 15, 1),
		mod("DA", ModDA, 14, 1), mod("GLC", ModGLC, 13, 1), mod("UNORM", ModUnorm, 12, 1), mod("DMASK", ModDMask, 8, 4), res(0, 8),
		mod("D16", ModD16, 63, 1), res(58, 5), fld("SSAMP", FieldSSAMP, 53, 5), fld("SRSRC", FieldSRSRC, 48, 5), fld("VDATA", FieldVDATA, 40, 8), fld("VADDR", FieldVADDR, 32, 8)}},
	//  31      26 | 25 13 | 12 | 11   | 10    | 9   4 | 3  0 ‖ 63  56 | 55  48 | 47  40 | 39  32
	//  1 1 0 0 0 1|   0   | VM | DONE | COMPR |  TGT  |  EN  ‖ VSRC3  | VSRC2  | VSRC1  | VSRC0
	FormatEXP: {"EXP", "EXP", 2, []BitField{
		enc(26, 6, 0b110001), res(13, 13), mod("VM", ModVM, 12, 1), mod("DONE", ModDone, 11, 1), mod("COMPR", ModCompr, 10, 1), fld("TGT", FieldTGT, 4, 6), mod("EN", ModEN, 0, 4),
		fld("VSRC3", FieldEXP3, 56, 8), fld("VSRC2", FieldEXP2, 48, 8), fld("VSRC1", FieldEXP1, 40, 8), fld("VSRC0", FieldEXP0, 32, 8)}},
	//  31      26 | 25   16 | 15  | 14 11 | 10 8 | 7    0 ‖ 63 61 | 60 59 | 58  50 | 49  41 | 40   | 39    38 | 37  32
	//  1 1 0 1 0 0|   OP    |CLAMP|   0   | ABS  |  VDST  ‖  NEG  | OMOD  |  SRC2  |  SRC1  | HIGH | ATTRCHAN |  ATTR
	formatInterp: {"VOP3A", "VINTRP", 2, []BitField{
		enc(26, 6, 0b110100), opc(16, 10), mod("CLAMP", ModClamp, 15, 1), res(11, 4), fld("ABS", FieldABS, 8, 3), fld("VDST", FieldVDST, 0, 8),
		fld("NEG", FieldNEG, 61, 3), mod("OMOD", ModOMod, 59, 2), fld("SRC2", FieldSRC2, 50, 9), fld("SRC1", FieldSRC1, 41, 9),
		mod("HIGH", ModHigh, 40, 1), fld("ATTRCHAN", FieldATTRCHAN, 38, 2), fld("ATTR", FieldATTR, 32, 6)}},
}

// String returns the format's name in the manual.
func (f Format) String() string { return layoutsGFX8[f].name }

// Section names the section of the manual that describes the format's instructions.
func (f Format) Section() string { return sections[f] }

var sections = func() (l [numFormats]string) {
	for f := range l {
		l[f] = "GCN3 ISA 12, " + layoutsGFX8[f].section + " instructions"
	}
	return l
}()

// Fields returns the format's bit fields, in the manual's order from left to right. FormatDPP and
// FormatSDWA describe the second dword, bits 32 to 63.
func (f Format) Fields() []BitField { return append([]BitField(nil), layoutsGFX8[f].fields...) }

// Fields returns the bit fields of a whole instruction of this row in one of its
// encodings, highest bit of each dword first; nil if the row lacks that encoding.
// A literal dword, if there is one, follows them.
func (r *Row) Fields(e Enc) []BitField {
	if x := r.encs[e]; x != nil {
		return append([]BitField(nil), x.fields...)
	}
	return nil
}

// A FieldValue is a bit field with its value.
type FieldValue struct {
	BitField
	Bits uint64
}

// FieldValues returns the bit fields of an instruction with their values, in the order of
// Row.Fields; a literal dword follows as bits 32 to 63. It fails if the instruction cannot be
// encoded.
func (in *Inst) FieldValues() ([]FieldValue, error) {
	b, err := Encode(in)
	if err != nil {
		return nil, err
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	x := in.encoding()
	vs := make([]FieldValue, 0, len(x.fields)+1)
	for _, f := range x.fields {
		vs = append(vs, FieldValue{f, f.get(w)})
	}
	if len(b) > 4*x.dwords {
		lit := BitField{"LITERAL", FieldLit, 32, 32, 0}
		vs = append(vs, FieldValue{lit, lit.get(w)})
	}
	return vs, nil
}
