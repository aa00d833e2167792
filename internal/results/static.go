package results

import (
	"fmt"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// StaticSummary says what a check without a launch has proved; "" if there is nothing to say.
func StaticSummary(r *crosslane.StaticReport) string {
	if r.ISA == crosslane.PTX {
		return staticPTX(r)
	}
	if r.Findings.Err() != nil {
		return ""
	}
	least, s, paths := "", "s", "all paths"
	for _, d := range r.Findings {
		if d.Severity == diag.Warning {
			paths = "the paths that could be followed"
		}
	}
	if r.AtLeast {
		least = "at least "
	}
	if r.Proved == 1 {
		s = ""
	}
	return fmt.Sprintf("proved: %s%d pair%s on %s", least, r.Proved, s, paths)
}

// staticPTX summarises a static check of PTX: the operations that it has examined, and how many of
// them hold on all paths.
func staticPTX(r *crosslane.StaticReport) string {
	part := func(n, proved int, noun string) string {
		return fmt.Sprintf("%s, %d of them proved on all paths", Numbered(n, noun), proved)
	}
	var parts []string
	if r.Meets > 0 {
		parts = append(parts, part(r.Meets, r.MeetsProved, "cross-lane operation"))
	}
	if r.Barriers > 0 {
		parts = append(parts, part(r.Barriers, r.BarriersProved, "barrier"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "checked: " + strings.Join(parts, "; ")
}

// Numbered is a number and its noun: "2 errors", "9 launches".
func Numbered(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "h"), strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
