package fix

import (
	"cmp"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/ptx"
)

// ProposeFixes is crosslane.ProposeFixes.
func ProposeFixes(src []byte, file string) (*api.FixResult, error) {
	if session.IsFat(src) {
		d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "foreign-file", "the file is an NVIDIA fat binary or holds some; fixes are made in text")
		d.Remedy = "write the PTX to a file with crosslane dis, and fix that"
		return nil, diag.List{d}
	}
	var found diag.List
	m, err := session.Load(src, file, api.PTX)
	if err != nil {
		// A feature that was removed from the language is an error of loading, and may have a fix.
		found = diag.Of(err)
		if !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return len(d.Fixes) > 0 }) {
			return nil, err
		}
	} else {
		found = append(slices.Clone(m.Warnings()), ptx.Deprecated(m.PTX())...)
		for _, k := range m.Kernels() {
			r, err := verdict.CheckStatic(k)
			if err != nil {
				continue // the kernel uses an unsupported instruction, which run reports
			}
			found = append(found, r.Findings...)
		}
	}
	r := &api.FixResult{Proposed: true}
	var edits []diag.Edit
	why := map[int]string{} // by line
	seen := map[string]bool{}
	for _, d := range found {
		if seen[d.Error()] {
			continue
		}
		seen[d.Error()] = true
		if len(d.Fixes) == 0 {
			if d.Severity > diag.Note {
				r.Left = append(r.Left, d)
			}
			continue
		}
		fix := d.Fixes[0]
		if !slices.ContainsFunc(fix.Edits, func(e diag.Edit) bool { return meetsAny(e, edits) }) {
			edits = append(edits, fix.Edits...)
			why[fix.Edits[0].Pos.Line] = fix.Message
		}
	}
	slices.SortStableFunc(edits, func(a, b diag.Edit) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	text, ok := diag.Fix{Edits: edits}.Apply(string(src))
	if !ok { // a byte order mark shifts the first line
		text = string(src)
	}
	r.Text = []byte(text)
	was, is := strings.Split(string(src), "\n"), strings.Split(text, "\n")
	for i := range was {
		if len(was) == len(is) && was[i] != is[i] {
			r.Edits = append(r.Edits, api.FixEdit{Line: i + 1, Old: strings.TrimSpace(was[i]), New: strings.TrimSpace(is[i]), Why: why[i+1]})
		}
	}
	return r, nil
}

// meetsAny reports whether an edit is at the place of another one.
func meetsAny(e diag.Edit, list []diag.Edit) bool {
	for _, o := range list {
		if e.Pos.Line == o.Pos.Line && e.Pos.Col <= o.Pos.Col+len(o.Old) && o.Pos.Col <= e.Pos.Col+len(e.Old) {
			return true
		}
	}
	return false
}
