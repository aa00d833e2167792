package api

import (
	"fmt"

	"example.org/crosslane/diag"
)

// A StaticReport is the result of CheckStatic for one kernel, without a run.
type StaticReport struct {
	Kernel string
	ISA    ISA
	// Findings are errors (certainly wrong, whenever control gets there), warnings and notes
	// (possibly wrong, not followed, assumed, or needless). Each names the kernel.
	Findings diag.List
	// Proved is how many pairs of GCN3 instructions that must not come too close do not, on all
	// paths that could be followed. AtLeast reports that there are more, not counted.
	Proved  int
	AtLeast bool
	// For PTX: the operations across lanes and the barriers that control can reach, and how many of
	// them are proved: all lanes that the membermask names arrive, and all lanes of a warp come to
	// the barrier together.
	Meets, MeetsProved, Barriers, BarriersProved int
	// Registers holds, for PTX and if StaticOptions ask for it, the registers whose lanes hold the same
	// value, or values in equal steps, in the order of the instructions.
	Registers []RegisterShape
}

// StaticOptions configure CheckStaticWith.
type StaticOptions struct {
	// Block is the shape that blocks have, in threads; zero: that of .reqntid, or any.
	Block Dim3
	// Registers asks for StaticReport.Registers.
	Registers bool
}

// A RegisterShape says how the lanes of a register differ where an instruction of PTX names it: lane i
// holds the value of lane 0 plus i times Stride, modulo the size of the register. It holds for the
// lanes that execute the instruction together, in all executions by warps of which all lanes exist.
type RegisterShape struct {
	Line, Col int // of the instruction's opcode, 1-based; Col counts bytes
	Register  string
	// Written says that the value is that after the instruction; otherwise it is what the instruction
	// reads.
	Written bool
	// Known reports that Base is the value of lane 0, in all waves.
	Known bool
	Base  uint64
	// Stride is 0 if all lanes hold the same value.
	Stride int64
	// Rows reports that the shape is only certain in blocks that are rows of whole warps.
	Rows bool
}

// A PortReport is the result of Portability for one kernel, or for a PTX module.
type PortReport struct {
	Kernel string // "": the whole module
	Target string
	// Findings are errors, for features that the target lacks (not-on-target), and notes, for code
	// that assumes another number of lanes in a wave (lane-count).
	Findings diag.List
	Summary  string // how much of the code moves as it is, in a sentence
}

// FixOptions configure FixWaits.
type FixOptions struct {
	// Minimal takes out s_nop and s_waitcnt that nothing needs, and shortens s_nop.
	Minimal bool
	// Include and Symbols are those of LoadOptions. Included files stay as they are.
	Include func(name string) ([]byte, error)
	Symbols map[string]int64
}

// A FixEdit is one change of a line.
type FixEdit struct {
	Line int    // in the original text; for an insertion, the line before which it goes
	Old  string // "" for an insertion
	New  string // "" for a removal
	Why  string
}

// FixResult is a text in which missing waits have been inserted.
type FixResult struct {
	Text  []byte
	Edits []FixEdit
	// Left lists findings that could not be fixed and code that could not be followed. If it holds
	// no errors, CheckStatic of Text has none.
	Left diag.List
	// Needless are notes on waits that no instruction needs; lines are those of the original text.
	Needless diag.List
	// Proposed reports that Edits are proposals, made by ProposeFixes.
	Proposed bool
}

// String describes the edit.
func (e FixEdit) String() string {
	switch {
	case e.Old == "":
		return fmt.Sprintf("%s inserted: %s", e.New, e.Why)
	case e.New == "":
		return fmt.Sprintf("%s removed: %s", e.Old, e.Why)
	}
	return fmt.Sprintf("%s instead of %s: %s", e.New, e.Old, e.Why)
}
