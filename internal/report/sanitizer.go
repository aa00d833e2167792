package report

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"crosslane/diag"
)

// Sanitizer writes the text form of NVIDIA's compute-sanitizer, so that what reads
// that reads this: every line begins with =========, a record is a headline, "at",
// "by thread (x,y,z) in block (x,y,z)" and further lines, and the last line counts
// the errors.
func (r *Report) Sanitizer(w io.Writer) error {
	const mark = "========="
	var b strings.Builder
	b.WriteString(mark + " COMPUTE-SANITIZER\n")
	errs, warnings := 0, 0
	for _, f := range r.counted() {
		word := ""
		switch {
		case f.Severity == diag.Error || f.Fails:
			errs++
		case f.Severity == diag.Warning:
			warnings++
			word = "Warning: "
		default:
			word = "Note: "
		}
		b.WriteString(mark + " " + word + headline(f.Message) + " [" + f.Code + "]\n")
		at := ""
		if f.Kernel != "" {
			at = clean(f.Kernel) + "()"
			if f.Pos.HasOff {
				at += fmt.Sprintf("+%#x", f.Pos.Off)
			}
		}
		if f.Pos.File != "" {
			if at != "" {
				at += " in "
			}
			at += URI(clean(f.Pos.File))
			if f.Pos.Line > 0 {
				at += fmt.Sprintf(":%d", f.Pos.Line)
			}
		}
		if at != "" {
			b.WriteString(mark + "     at " + at + "\n")
		}
		if f.Blocks > 0 {
			t := r.thread(f)
			fmt.Fprintf(&b, "%s     by thread (%d,%d,%d) in block (%d,%d,%d)\n", mark, t[0], t[1], t[2], f.Diagnostic.Block[0], f.Diagnostic.Block[1], f.Diagnostic.Block[2])
		}
		for _, s := range details(f) {
			b.WriteString(mark + "     " + s + "\n")
		}
		b.WriteString(mark + "\n")
	}
	if errs == 0 && warnings > 0 {
		fmt.Fprintf(&b, "%s ERROR SUMMARY: 0 errors (%d warning%s)\n", mark, warnings, plural(warnings))
	} else {
		fmt.Fprintf(&b, "%s ERROR SUMMARY: %d error%s\n", mark, errs, plural(errs))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// thread is the first thread that shows a finding.
func (r *Report) thread(f *Finding) [3]uint32 {
	n := f.Wave * max(r.Lanes, 1)
	if mask, ok := diag.LaneSet(f.Lanes); ok && mask != 0 {
		n += bits.TrailingZeros64(mask)
	}
	x, y := max(int(f.Size[0]), 1), max(int(f.Size[1]), 1)
	return [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
