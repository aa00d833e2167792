package crosslane

import (
	"context"

	"example.org/crosslane/internal/explain"
	"example.org/crosslane/internal/plan"
)

// Explain explains one instruction of either instruction set. The error is a
// diag.List of class Input or Unsupported.
func Explain(instr string, o ExplainOptions) (*Explanation, error) {
	return explain.Explain(instr, o)
}

// Family returns the forms of a family of instructions, nil if the name is unknown.
func Family(name string, isa ISA) *FamilyPage { return explain.Family(name, isa) }

// Plan finds the cheapest instructions for a lane map, a reduction or a scan on a target. The goal is
// a pattern ("xor 16", "transpose 8x8", "reduce min s32"), a list of source lanes, a call of a CUDA
// or HIP shuffle, or an instruction of either instruction set. The text of every answer was run on values that show where they come from.
//
// The error is a diag.List: class Input for a goal or an option that is not understood, Unsupported
// for a target that is not supported and for a goal without a sequence within the bound.
func Plan(ctx context.Context, goal string, o PlanOptions) (*PlanResult, error) {
	return plan.Plan(ctx, goal, o)
}
