package crosslane

import "example.org/crosslane/internal/explain"

// Explain explains one instruction of either instruction set. The error is a
// diag.List of class Input or Unsupported.
func Explain(instr string, o ExplainOptions) (*Explanation, error) {
	return explain.Explain(instr, o)
}

// Family returns the forms of a family of instructions, nil if the name is unknown.
func Family(name string, isa ISA) *FamilyPage { return explain.Family(name, isa) }
