// Package lir is the code of a kernel between instruction selection and encoding: machine
// instructions of package x64 on virtual registers.
//
// Input: instructions, appended by package sel.
// Output: a Func, which package alloc reads; its blocks (Cut), its order by pieces (Piecer),
// and checks (Verify).
// Invariant: each virtual register is written before it is read, on every path from the start
// or an ENTRY; merges under a mask may read a register that was never written.
// Example: VPADDD.64 %3, %1, %2 adds two virtual vector registers of 64 bytes.
//
// A Func is a list of instructions in the order of their layout; only cold regions are moved
// by the encoder, after the rest. There are no explicit blocks: control enters at labels and
// entries, and leaves at jumps and returns. Besides machine instructions the list holds the
// pseudo-instructions of package x64:
//
//	LABEL      Label is here.
//	ENTRY      Label is here, and Go may enter: no virtual register holds a value yet; the code
//	           after it loads them. The allocator loads registers for pool constants that are
//	           live here.
//	COLD, HOT  the code between them seldom runs. A cold region is entered by a jump to a
//	           LABEL at its start, and left by a JMP or a RET at its end.
//	STATE      the operands of a frame state. Go may look at the place before, a LABEL or the
//	           call of an exit, and needs the virtual registers that State returns.
//	UNDEF      Dst (a virtual register) holds an unspecified value from here on.
//	EDGE       control may go to Label from here, by ways that are not in the list.
package lir

import "example.org/crosslane/internal/jit/x64"

// VReg describes a virtual register. All writes to it go to one place: a machine register, or
// a slot of the frame.
type VReg struct {
	Class x64.Class
	Len   uint8 // bytes: 4 or 8 of GPR; 16, 32 or 64 of Vec; 8 of Mask
	// Const, if not 0, reports that the register always holds Pool[Const-1]. The allocator
	// may load it at any place, or use the memory of the pool. No instruction of the list
	// writes it.
	Const int32
	// OwnSlot, if not 0, is a frame offset that may serve as the register's slot: no other
	// code writes it while the register is live.
	OwnSlot int32
	// Filled reports that Go fills the register at Func.Fills.
	Filled bool
}

// Const is a constant of the pool.
type Const = x64.Const

// Func is the code.
type Func struct {
	Name  string
	Names map[x64.Reg]string // names of virtual registers for printing; not all have one
	Code  []x64.Inst
	VRegs []VReg // VRegs[i] describes register x64.Virtual+i
	Pool  []Const
	// States holds the operands of the STATE instructions: see State.
	States []State
	// StateRegs is the storage of States.
	StateRegs []x64.Reg
	// Weights are expected numbers of executions, each from one place of the list on;
	// ascending by At.
	Weights []Weight
	// Parks are calls, by index in Code and ascending, at which waves wait for other waves. A
	// register that is live after a call is loaded there, and stored before it if it has been
	// written since the last call.
	Parks []int32
	// Fills are indices in Code, ascending. Control may come there from outside, after Go has
	// filled each register with Filled separately. A register that was a copy of another one
	// may differ from it there.
	Fills []int32
	// Apart, if not 0, is an index in Code. A register that lives only from there on shares
	// no slot with a register before it, because those slots hold values of waves that wait.
	Apart  int32
	Labels int32 // labels are 1..Labels
	Slots  int32 // frame offset of the area for spilled registers, aligned to 64

	numbers map[uint64]int32 // see Number
}

// State is a frame state: the registers StateRegs[From:To].
type State struct{ From, To int32 }

// State returns the operands of a STATE instruction.
func (fn *Func) State(in *x64.Inst) []x64.Reg {
	s := fn.States[in.Imm]
	return fn.StateRegs[s.From:s.To]
}

// AddState returns the STATE instruction of the registers that have been appended to StateRegs since
// that had from elements.
func (fn *Func) AddState(from int) x64.Inst {
	fn.States = append(fn.States, State{int32(from), int32(len(fn.StateRegs))})
	return x64.Inst{Op: x64.STATE, Imm: int64(len(fn.States) - 1)}
}

// Weight is the number of executions of code, relative to the start of the function.
type Weight struct {
	At     int32 // index in Code
	Factor float32
}
