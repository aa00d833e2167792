package gcn3

// Format is a machine encoding, GCN3 ISA chapter 12. FormatDPP and FormatSDWA
// describe the second dword of those encodings.
type Format uint8

// The formats.
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
	VINTRP
	FormatDS
	MUBUF
	MTBUF
	MIMG
	EXP
	FLAT
	FormatDPP
	FormatSDWA
	numFormats
)

// FieldID names a field of an encoding that an operand can be in.
type FieldID uint8

// The fields, named as in the manual.
const (
	FieldNone FieldID = iota
	// FieldEnc holds the bits that tell the format; FieldOp the opcode.
	FieldEnc
	FieldOp
	FieldZero // reserved: must be zero
	FieldSSRC0
	FieldSSRC1
	FieldSDST // scalar destination; also the mask destination of VOP3B
	FieldSIMM16
	FieldLit // the dword after the instruction
	FieldSBASE
	FieldSDATA
	FieldSOFFSET // SMEM: OFFSET; MUBUF: SOFFSET
	FieldIMM     // SMEM: OFFSET is an immediate
	FieldSRC0
	FieldVSRC1 // 8 bits: VGPR
	FieldSRC1  // 9 bits
	FieldSRC2
	FieldVDST
	FieldVCC // implied VCC: takes no bits
	FieldABS
	FieldNEG
	FieldADDR
	FieldDATA // FLAT's DATA, DS's DATA0
	FieldDATA1
	FieldVADDR
	FieldVDATA
	FieldSRSRC
	FieldSSAMP
	FieldVSRC
	FieldATTR
	FieldCHAN
	FieldTGT
	FieldVSRC2
	FieldVSRC3
	FieldSRC0Sext // DPP, SDWA: bits of the second dword
	FieldSRC0Neg
	FieldSRC0Abs
	FieldSRC1Sext
	FieldSRC1Neg
	FieldSRC1Abs
	// FieldMod + ModID is the field of a modifier.
	FieldMod
)
