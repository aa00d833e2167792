package ptx

import (
	"math/bits"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// stackSave copies the stack pointer, an address of private memory (PTX 9.7.18.1).
var stackSave = meaning{emit: func(l *lifter) { l.set(0, l.stackPointer()) }}

// stackPointer returns the stack pointer with the width of the instruction's type.
func (l *lifter) stackPointer() ir.Ref {
	if irType(l.v.typ) == ir.B64 {
		return l.b.T(ir.CvtU64FromU32, l.stack())
	}
	return l.stack()
}

// stackRestore sets the stack pointer (PTX 9.7.18.2).
var stackRestore = meaning{stack: true, emit: func(l *lifter) {
	l.b.Emit(ir.Inst{Op: ir.HostCall, Dst: l.stack(), Args: [4]ir.Ref{l.stack(), l.src(0)}, Imm: uint64(ir.HostPop)})
}}

// allocaMeaning allocates memory on the stack (PTX 9.7.18.3). The size is rounded so that the stack
// pointer stays aligned for the frames of callees.
var allocaMeaning = meaning{stack: true, emit: func(l *lifter) {
	align := uint64(8)
	if len(l.in.Args) > 2 {
		align = l.in.Args[2].Val
	}
	l.b.Emit(ir.Inst{Op: ir.HostCall, Dst: l.stack(), Args: [4]ir.Ref{l.stack(), l.b.Splat(l.src(1))}, Imm: ir.PushImm(0, uint32(max(align, l.align, 16)))})
	l.set(0, l.stackPointer())
}, check: func(c *checker, in *Instr, v *variant) {
	if len(in.Args) < 3 {
		return
	}
	if a := in.Args[2].Val; bits.OnesCount64(a) != 1 || a > 1<<23 {
		c.errorf(in.Args[2].Pos, diag.Input, codeImmediate, "operand align of %s is %d, want a power of two up to 2^23", in.Op, int64(a)).Section = "PTX 9.7.18.3"
	}
}}
