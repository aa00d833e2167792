package asm

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// Explain explains one instruction, or a mnemonic by an example. Errors are diag.Lists.
func Explain(src string, opt amdgpu.ExplainOptions) (*amdgpu.Explanation, error) {
	if e, ok := amdgpu.ExplainMnemonic(src, opt); ok {
		return e, nil
	}
	insts, diags := AssembleInsts(src, "")
	if diags.Err() != nil {
		return nil, diags
	}
	if len(insts) != 1 {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "there are %d instructions, want 1", len(insts))}
	}
	return amdgpu.ExplainInst(&insts[0].Inst, opt)
}
