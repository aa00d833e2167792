package cli

import (
	"fmt"
	"strings"

	"example.org/crosslane"
)

// showFidelity prints how exact a run was: the opcodes that were not exact, and the number of the
// rest.
func (a *app) showFidelity(res *crosslane.Result) {
	if res.ISA != crosslane.PTX {
		fmt.Fprintf(a.out, "fidelity: known of PTX instructions only\n")
		return
	}
	width, exact := 0, 0
	for _, f := range res.Fidelity {
		if f.Class == "exact" {
			exact++
		}
		if f.Class != "exact" || len(f.Ignored) > 0 {
			width = max(width, len(f.Opcode))
		}
	}
	fmt.Fprintf(a.out, "fidelity: %d of %d opcodes exact\n", exact, len(res.Fidelity))
	for _, f := range res.Fidelity {
		text := f.Class
		if f.Bound != "" {
			text += ": " + f.Bound
		}
		if len(f.Ignored) > 0 {
			text += "; " + strings.Join(f.Ignored, " ") + " without effect"
		}
		if text != "exact" {
			fmt.Fprintf(a.out, "  %-*s  %s (%s)\n", width, f.Opcode, text, sites(f.Sites))
		}
	}
}

// sites is how many instructions of the source have an opcode.
func sites(n int) string {
	if n == 1 {
		return "1 site"
	}
	return fmt.Sprintf("%d sites", n)
}
