// Package lir is the code of a kernel between instruction selection and encoding: machine
// instructions of package x64 on virtual registers.
//
// A Func is a list of instructions in the order in which they are laid out, but for cold
// regions, which the encoder moves behind the rest. There are no blocks: control enters
// at Labels and Entries, and leaves at jumps and returns. Besides machine instructions
// the list holds the pseudo-instructions of package x64:
//
//	LABEL      Label is here.
//	ENTRY      Label is here, and Go may enter: no virtual register holds anything but
//	           what the code behind it loads. Registers for constants of the pool that are
//	           live here are loaded by the allocator.
//	COLD, HOT  what lies between is seldom run. A cold region is entered by a jump to a
//	           LABEL at its start and left by a JMP or a RET at its end.
//	KEEP       A and B (virtual registers) are live up to here; Dst holds something from
//	           here on, no matter what.
//	EDGE       Control may go to Label from here, by ways that are not in the list.
package lir

import "example.org/crosslane/internal/jit/x64"

// VReg describes a virtual register. All writes of one go to the same place: a machine
// register, or a slot of the frame.
type VReg struct {
	Class x64.Class
	Len   uint8 // bytes: 4 or 8 of GPR; 16, 32 or 64 of Vec; 8 of Mask
	// Const, if not 0, says that the register always holds Pool[Const-1]: the allocator
	// may load it where it likes, or use the memory. Nothing in the list writes it.
	Const int32
	// Home, if not 0, is a place in the frame that nothing else writes while the register
	// is live and that may serve as its slot.
	OwnSlot int32
	// Filled says that the register is filled at Func.Fills.
	Filled bool
}

// Const is a constant of the pool.
type Const = x64.Const

// Func is the code.
type Func struct {
	Name  string
	Names map[x64.Reg]string // of virtual registers, for people: not all have one
	Code  []x64.Inst
	VRegs []VReg // VRegs[i] describes register x64.Virtual+i
	Pool  []Const
	// Weight is the expected number of executions of the code from a place of the list on:
	// ascending by At.
	Weights []Weight
	// Parks are calls, by index in Code and ascending, at which waves wait for others: what
	// lives in registers behind them is loaded there, and stored if it has been written
	// since the last one.
	Parks []int32
	// Fills are indices in Code, ascending: control may come there from elsewhere, with each
	// register that is Filled filled by itself. What was a copy of another one may be none there.
	Fills []int32
	// Apart, if not 0, is an index in Code: what lives only from there on has no slots that are
	// those of others in front of it. They hold what waves need that wait.
	Apart  int32
	Labels int32 // labels are 1..Labels
	Slots  int32 // frame offset of the area for spilled registers, aligned to 64
}

// Weight says how often code runs, relative to the function's start.
type Weight struct {
	At     int32 // index in Code
	Factor float32
}
