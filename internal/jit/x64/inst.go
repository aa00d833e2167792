// Package x64 describes and encodes the machine instructions of amd64 that the native engine
// uses: BMI, AVX2, FMA, F16C and AVX-512 (F, BW, DQ, VL).
//
// Input: instructions (Inst) on machine registers.
// Output: bytes (Encode), or text in Intel syntax (Text).
// Invariant: one table row per form of an instruction gives its operands and its encoding.
// The encoder, the text of --dump asm and the register allocator read the row; no other code
// switches on an Op.
// Example: Inst{Op: VPADDD, Len: 32, Dst: V0, A: V0 + 1, B: V0 + 2} is vpaddd ymm0, ymm1,
// ymm2.
package x64

// A Reg is a register. 0 is none. Machine registers come first; from Virtual on there are
// virtual registers, which package alloc replaces.
type Reg int32

// The machine registers.
const (
	NoReg Reg = 0

	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15

	V0 Reg = 17 // V0 to V31: xmm, ymm or zmm, by the instruction's Len
	K0 Reg = 49 // K0 to K7

	Virtual Reg = 64
)

// Class is the kind of a register.
type Class uint8

// The classes.
const (
	NoClass Class = iota
	GPR
	Vec
	Mask
)

// ClassOf returns the class of a machine register.
func ClassOf(r Reg) Class {
	switch {
	case r == NoReg || r >= Virtual:
		return NoClass
	case r < V0:
		return GPR
	case r < K0:
		return Vec
	}
	return Mask
}

// Num returns the number of a machine register in its class, 0 to 31.
func (r Reg) Num() uint8 {
	switch ClassOf(r) {
	case GPR:
		return uint8(r - RAX)
	case Vec:
		return uint8(r - V0)
	}
	return uint8(r - K0)
}

// Rounding is the rounding mode of one instruction (EVEX embedded rounding, which needs
// operands in registers of 64 bytes, and suppresses exceptions).
type Rounding uint8

// The roundings.
const (
	Current Rounding = iota // as in MXCSR
	Nearest
	Down
	Up
	Zero
	SAE // as in MXCSR, with exceptions suppressed: for instructions that do not round
)

// Mem is a memory operand: Base+Index*Scale+Disp, or a constant of the pool.
type Mem struct {
	Base, Index Reg // for VSIB (gathers and scatters) Index is a vector
	Disp        int32
	// Pool, if not 0, is the constant Pool-1 of the function's pool. The pool is after the
	// code and is addressed relative to the instruction pointer; Disp is added.
	Pool  int32
	Scale uint8
	// Bcst reports that the operand is one element, which the instruction broadcasts (EVEX
	// only).
	Bcst bool
}

// Label is a place in the code, a branch target. 0 is none.
type Label int32

// Inst is one machine instruction. Its Op's Info says which operands it has and which are
// read. Functions with millions of instructions are translated, so the fields are ordered to
// fit in 64 bytes.
type Inst struct {
	Op  Op
	Len uint8 // for vectors: 16, 32 or 64 bytes; for GPR operations: 4 or 8 bytes (1, 2 for some)
	// Z clears the lanes without a bit in K, instead of keeping those of Dst.
	Z      bool
	HasMem bool
	// Ordered forbids to exchange A and B even if the Op commutes, because of two NaNs the
	// first one is the result.
	Ordered bool
	// Either allows to exchange A and B although the Op does not: either of two NaNs may be
	// the result. A and B are factors; if one of them is in Dst, the Op changes, too.
	Either bool
	RC     Rounding
	Dst    Reg
	A      Reg   // the first source, if there are two (VEX.vvvv)
	B      Reg   // the last source, unless M is
	C      Reg   // a register in the immediate (vblendvps)
	K      Reg   // the mask of the write; 0: none
	M      Mem   // for loads and folded operands the last source; for stores the destination
	Label  Label // for jumps, labels and entries
	Imm    int64
}

// The truth tables of the three operands of VPTERNLOG, in the order destination, first source, second
// source. The table of a bitwise function is that function of these numbers (Intel SDM volume 2,
// VPTERNLOGD).
const (
	Truth1 = 0xf0
	Truth2 = 0xcc
	Truth3 = 0xaa
)
