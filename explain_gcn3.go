package crosslane

import "crosslane/diag"

func explainGCN3(instr string, o ExplainOptions) (*Explanation, error) {
	return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "GCN3 instructions cannot be explained yet")}
}
