package report

import (
	"fmt"
	"io"
	"strings"

	"crosslane/diag"
)

// GitHub writes workflow commands, which GitHub shows as annotations of the lines
// ("Workflow commands for GitHub Actions"): ::error file=F,line=L,col=C,title=T::MESSAGE.
func (r *Report) GitHub(w io.Writer) error {
	var b strings.Builder
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	prop := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range r.counted() {
		kind := map[diag.Severity]string{diag.Note: "notice", diag.Warning: "warning", diag.Error: "error"}[f.Severity]
		b.WriteString("::" + kind + " ")
		if f.Pos.File != "" {
			b.WriteString("file=" + prop.Replace(URI(clean(f.Pos.File))) + ",")
		}
		if f.Pos.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", f.Pos.Line)
		}
		if f.Pos.Col > 0 {
			fmt.Fprintf(&b, "col=%d,", f.Pos.Col)
		}
		text := append([]string{headline(f.Message)}, details(f)...)
		b.WriteString("title=" + prop.Replace("crosslane "+f.Code) + "::" + data.Replace(strings.Join(text, "\n")) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
