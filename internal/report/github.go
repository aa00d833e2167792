package report

import (
	"fmt"
	"io"
	"strings"

	"example.org/crosslane/diag"
)

// GitHub writes workflow commands, which GitHub shows as annotations of the lines ("Workflow
// commands for GitHub Actions"): ::error file=F,line=L,col=C,title=T::MESSAGE. The line is that of
// the source language, if its file exists.
func (r *Report) GitHub(w io.Writer) error {
	var b strings.Builder
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	prop := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range r.counted() {
		kind := map[diag.Severity]string{diag.Note: "notice", diag.Warning: "warning", diag.Error: "error"}[f.Severity]
		b.WriteString("::" + kind + " ")
		at := f.Pos
		text := []string{headline(f.Message)}
		// GitHub does not show an annotation of a line outside the repository.
		if origin, ok := f.Origin(); ok && r.Line != nil {
			if _, known := r.Line(origin.File, origin.Line); known {
				at = origin
				text = append(text, "at: "+clean(f.Pos.String()))
			}
		}
		if at.File != "" {
			b.WriteString("file=" + prop.Replace(URI(clean(at.File))) + ",")
		}
		if at.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", at.Line)
		}
		if at.Col > 0 {
			fmt.Fprintf(&b, "col=%d,", at.Col)
		}
		text = append(text, details(f)...)
		b.WriteString("title=" + prop.Replace("crosslane "+f.Code) + "::" + data.Replace(strings.Join(text, "\n")) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
