package asm

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/gcn3"
)

// Explain explains one instruction, or a mnemonic by an example. Errors are diag.Lists.
func Explain(src string, opt gcn3.ExplainOptions) (*gcn3.Explanation, error) {
	if e, ok := gcn3.ExplainMnemonic(src, opt); ok {
		return e, nil
	}
	insts, diags := AssembleInsts(src, "")
	if diags.Err() != nil {
		return nil, diags
	}
	if len(insts) != 1 {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "there are %d instructions, want 1", len(insts))}
	}
	return gcn3.ExplainInst(&insts[0].Inst, opt)
}
