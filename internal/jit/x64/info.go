package x64

//go:generate go run example.org/crosslane/internal/jit/x64/gen

// Op is a machine instruction: a mnemonic with kinds of operands. The zero Op is NOP, which
// has no bytes.
type Op uint16

// A Size is the width of an operand in bytes, or its relation to the instruction's Len: 0 is
// Len itself; Half to Eighth are fractions of it.
type Size uint8

// The sizes that depend on Len.
const (
	Full    Size = 0
	Half    Size = 0x80 | 1
	Quarter Size = 0x80 | 2
	Eighth  Size = 0x80 | 3
)

// Of returns the size in bytes of an operand of an instruction with a Len.
func (s Size) Of(length uint8) int {
	switch {
	case s == Full:
		return int(length)
	// The low bits are the logarithm of the fraction.
	case s&0x80 != 0:
		return int(length) >> (s & 0x7f)
	}
	return int(s)
}

// Info describes an Op. Operands have the names of the fields of Inst.
type Info struct {
	enc encoding

	Dst, A, B, C                 Class // the classes of the operands that exist
	DstSize, ASize, BSize, CSize Size
	MemOperand
	Roles
	SetsFlags, ReadsFlags bool
	Imm                   uint8 // bytes of the immediate: 0, 1, 2, 4 or 8
	Lens                  uint8 // the legal Lens, or-ed; 0: Len has no meaning
	VectorForms
	Uses, Defs uint16 // implicit general registers, by number
	Jump       bool   // control may go to Label
	Ends       bool   // control never continues after it
	Pseudo     bool   // no bytes: NOP, LABEL, ENTRY, COLD, HOT, STATE, UNDEF, EDGE, ALIGN

	// Const is the name of the Op in this package, Name the mnemonic, and EVEXName the
	// mnemonic of the EVEX encoding if it differs.
	Const, Name, EVEXName string
}

// MemOperand describes the memory operand M.
type MemOperand struct {
	AMem, BMem, DstMem bool  // M may replace the operand
	MemOnly            bool  // and must
	MemEVEX            bool  // only in the EVEX encoding
	MemSize            Size  // without broadcast
	VSIB               bool  // M.Index is a vector
	IndexSize          Size  // of that vector
	Bcst               uint8 // bytes of the element that M.Bcst broadcasts; 0: no broadcast
}

// Roles say which operands an Op reads and writes, if their names do not say it.
type Roles struct {
	DstRead  bool // Dst is also a source
	AWrite   bool // A is a second destination, and no source
	BWrite   bool // B is a source and a destination
	KWrite   bool // K is a source and a destination
	Chooses  bool // K chooses between A and B: the old value of Dst does not matter
	Distinct bool // Dst, M.Index, and B or K must be different registers
	Commutes bool // A and B (or Dst and B, with DstRead) may be exchanged; of two NaNs the first is the result
}

// VectorForms describes the vector encodings of an Op, and what they allow.
type VectorForms struct {
	VEX, EVEX                     bool
	VEXLens                       uint8 // the legal Lens of the VEX encoding
	Maskable, MaskNeeded, Zeroing bool  // K is allowed, is required; Z is allowed
	Round, SAE                    bool  // RC may be a rounding (SAE: only SAE)
}

// The opcode maps, as in VEX.mmmmm; map 0 has the one-byte opcodes.
const (
	map0    = 0
	map0F   = 1
	map0F38 = 2
	map0F3A = 3
	map5    = 5 // of AVX512-FP16, like map 6
	map6    = 6
)

// The operand that a field of the encoding holds.
const (
	fNone = iota
	fDst
	fA
	fB
	fC
)

// The ways to compute the W bit of a prefix.
const (
	w0 = iota
	w1
	wLen // Len == 8
)

// The ways to compute the L bits of a prefix.
const (
	lLen = iota // by Len
	l0
	l1
)

// The special shapes of legacy instructions.
const (
	plain    = iota
	immALU   // 83 /n ib, 81 /n id, or 05+8n id of the accumulator
	immTest  // F7 /0 id, or A9 id
	immMul   // 6B ib or 69 id
	immShift // D1 /n, or C1 /n ib
	immMove  // B8+r id, REX.W C7 id, REX.W B8+r io
	opReg    // the register is in the opcode
	bare     // no ModRM
	fixed    // all bytes are in the table
	jump     // a displacement to a label
	leaLabel // ModRM with the displacement to a label
)

// A prefix is one of the two vector encodings.
type prefix struct {
	ok   bool
	pp   uint8 // 0, 66, F3, F2 as 0 to 3
	w, l uint8
}

// An encoding maps the fields of an Inst to bytes: Intel SDM volume 2, 2.1 to 2.7 and 3.1.1.
type encoding struct {
	shape              uint8
	reg, vvvv, rm, is4 uint8  // the operand in each field: fNone to fC
	digit              uint8  // ModRM.reg if reg is fNone
	mm, op, pp         uint8  // map and opcode; mandatory prefix of legacy instructions
	unit               uint8  // the unit of an 8-bit displacement, if it is not MemSize
	alt                uint8  // the opcode with ModRM.reg and rm exchanged, if there is one
	round8             bool   // embedded rounding with Len 8 only
	lock               bool   // F0
	rr                 uint8  // with registers only: exchange reg and rm, opcode ^ (rr-1)
	byteOp             bool   // Len 1 is opcode&^1
	wide               uint8  // legacy REX.W: w0, w1, wLen
	raw                uint32 // all bytes, of shape fixed
	rawLen             uint8
	vex, evex          prefix
}

// lastPseudo is the last Op that is no machine instruction.
const lastPseudo = ALIGN

// Ops is the number of Ops.
const Ops = len(table)

// Info returns the description of the Op. It must not be changed.
func (op Op) Info() *Info {
	if int(op) >= len(table) {
		return &table[NOP]
	}
	return &table[op]
}

// String returns the Op's name in this package.
func (op Op) String() string {
	if int(op) >= len(table) {
		return "Op(?)"
	}
	return table[op].Const
}
