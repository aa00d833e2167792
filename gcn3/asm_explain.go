package gcn3

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
)

// Explain explains one instruction, or a mnemonic by an example. Errors are diag.Lists.
func Explain(src string, opt ExplainOptions) (*Explanation, error) {
	if e, ok := explainRow(src, opt); ok {
		return e, nil
	}
	insts, diags := AssembleInsts(src, "")
	if diags.Err() != nil {
		return nil, diags
	}
	if len(insts) != 1 {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "there are %d instructions, want 1", len(insts))}
	}
	return ExplainInst(&insts[0].Inst, opt)
}

// explainRow explains a mnemonic without operands by an example.
func explainRow(src string, opt ExplainOptions) (e *Explanation, ok bool) {
	m := strings.ToLower(strings.TrimSpace(src))
	r, enc, forced := lookUpSuffixed(m)
	if r == nil {
		return nil, false
	}
	if forced && r.Encoding(enc) == nil {
		enc = E32
	}
	in, ok := r.Specimen(enc)
	if !ok {
		return nil, false
	}
	if _, err := ParseInst(m, ParseOptions{}); err == nil {
		return nil, false // its operands are optional
	}
	e, err := ExplainInst(&in, opt)
	if err != nil {
		return nil, false
	}
	e.Notes = append([]string{fmt.Sprintf("the operands are an example; write the instruction to see another, such as '%s'", e.Instr)}, e.Notes...)
	return e, true
}
