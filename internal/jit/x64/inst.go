// Package x64 describes and encodes the machine instructions of amd64 that the native
// engine uses: BMI, AVX2, FMA, F16C and AVX-512 (F, BW, DQ, VL).
//
// One table row per form of an instruction says its operands and its encoding; the
// encoder, the text of --dump asm and the register allocator read it. Nothing else
// switches on an Op.
package x64

// A Reg is a register. 0 is none. Machine registers come first; from Virtual on they are
// virtual ones, which package alloc replaces.
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

	V0 Reg = 17 // V0 to V31: xmm, ymm or zmm, as the instruction's Len says
	K0 Reg = 49 // K0 to K7

	Virtual Reg = 64
)

// Class is what a register holds.
type Class uint8

// The classes.
const (
	NoClass Class = iota
	GPR
	Vec
	Mask
)

// ClassOf is the class of a machine register.
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

// Num is the number of a machine register in its class, 0 to 31.
func (r Reg) Num() uint8 {
	switch ClassOf(r) {
	case GPR:
		return uint8(r - RAX)
	case Vec:
		return uint8(r - V0)
	}
	return uint8(r - K0)
}

// Rounding is the rounding of one instruction (EVEX embedded rounding, which needs
// operands in registers of 64 bytes and suppresses exceptions).
type Rounding uint8

// The roundings.
const (
	Current Rounding = iota // as MXCSR says
	Nearest
	Down
	Up
	Zero
	SAE // as MXCSR says, with exceptions suppressed: what instructions that do not round take
)

// Mem is an operand in memory: Base+Index*Scale+Disp, or a constant of the pool.
type Mem struct {
	Base, Index Reg // of VSIB (gathers and scatters) Index is a vector
	Disp        int32
	// Pool, if not 0, is the constant Pool-1 of the function's pool, which lies behind the
	// code and is addressed relative to the instruction pointer; with Disp added.
	Pool  int32
	Scale uint8
	// Bcst: the operand is one element, which the instruction broadcasts (EVEX only).
	Bcst bool
}

// Label is a place in the code: a branch target. 0 is none.
type Label int32

// Inst is one machine instruction. What its operands are and which are read, its Op's
// Info says. Functions of millions of instructions are translated: the order of the fields
// is such that one takes 64 bytes.
type Inst struct {
	Op  Op
	Len uint8 // of vectors: 16, 32 or 64 bytes; of GPR operations: 4 or 8 bytes (1, 2 for some)
	// Z: lanes without a bit in K become 0 instead of keeping Dst's.
	Z      bool
	HasMem bool
	// Ordered: A and B may not be exchanged, even if the Op commutes, since of two NaNs the
	// first is the result.
	Ordered bool
	// Either: A and B may be exchanged, though the Op does not say so: it does not matter which of
	// two NaNs is the result. They are factors; where one of them is in Dst, the Op changes, too.
	Either bool
	RC     Rounding
	Dst    Reg
	A      Reg   // the first source, if there are two (VEX.vvvv)
	B      Reg   // the last source, unless M is it
	C      Reg   // a register in the immediate (vblendvps)
	K      Reg   // the mask that writes are under; 0: none
	M      Mem   // of loads and folded operands the last source; of stores the destination
	Label  Label // of jumps, labels and entries
	Imm    int64
}
