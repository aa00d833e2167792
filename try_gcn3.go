package crosslane

import "crosslane/diag"

// gcn3Snippet parses GCN3 instructions for Try.
func gcn3Snippet(src string) (*snippet, error) {
	return nil, diag.List{diag.Errorf(diag.Pos{File: tryFileName}, diag.Unsupported, "unsupported", "GCN3 instructions are not supported yet")}
}
