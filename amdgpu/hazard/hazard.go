// Package hazard finds the waits that GCN3 code lacks. The hardware leaves two duties to the program:
// wait states between certain instructions (GCN3 ISA 4.5), and s_waitcnt before the result of a memory
// instruction is used (GCN3 ISA 4.4).
//
// Track observes the waves of a run, and CheckStatic follows all paths without a run. CheckOther and
// CheckRegisters find further mistakes that are visible without a run: an M0 that was never written, a
// DPP instruction that leaves an old value in some lanes, registers beyond those of the descriptor.
//
// For example, v_mov_b32 v1, v0 and then v_mov_b32 v2, v1 row_shr:1 need two wait states between them,
// such as s_nop 1: DPP would read the old v1.
//
// The rules themselves are data of package amdgpu, and the assembler does not take part. Compilers insert
// waits in the same way: see GCNHazardRecognizer and SIInsertWaitcnts of LLVM.
package hazard

import (
	"fmt"

	"example.org/crosslane/internal/ir"
)

// whereText returns the place of an instruction, for messages.
func whereText(p ir.Pos) string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("offset %#x", p.Off)
}
