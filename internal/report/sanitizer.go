package report

import (
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"strings"

	"example.org/crosslane/diag"
)

// accessText matches the message of an access that faults.
var accessText = regexp.MustCompile(`(\w+) (\d+) bytes? at (\w+) address (0x[0-9a-f]+): `)

// raceText matches the message of two unordered accesses.
var raceText = regexp.MustCompile(`\b(reads|writes|updates) \d+ bytes? .* (has read|has written|has accessed atomically|writes at the same time)\b`)

// sanitized returns compute-sanitizer's headline for a finding, with the line that follows the
// thread's; "" if it has no headline of the same meaning.
func (r *Report) sanitized(f *Finding) (head, then string) {
	switch f.Code {
	case "out-of-bounds", "misaligned", "write-to-const":
		m := accessText.FindStringSubmatch(f.Message)
		if m == nil {
			return "", ""
		}
		space, verb := "global", map[string]string{"reads": "read", "writes": "write"}[m[1]]
		if verb == "" {
			verb = "atomic"
		}
		if m[3] == "shared" || m[3] == "local" {
			space = m[3]
		}
		then = "Access to " + m[4] + " is out of bounds"
		switch f.Code {
		case "misaligned":
			then = "Access to " + m[4] + " is misaligned"
		case "write-to-const":
			then = "Access to " + m[4] + " is to read-only memory"
		}
		return fmt.Sprintf("Invalid __%s__ %s of size %s bytes", space, verb, m[2]), then
	case "bad-barrier":
		return "Barrier error detected. Invalid arguments.", ""
	case "divergent-barrier":
		return "Barrier error detected. Divergent thread(s) in warp.", ""
	}
	return "", ""
}

// race writes a finding in racecheck's format: two accesses, and the number of their conflicts.
func (r *Report) race(f *Finding) (lines []string, ok bool) {
	m := raceText.FindStringSubmatch(f.Message)
	if !strings.HasPrefix(f.Code, "race-") || m == nil || len(f.Related) == 0 {
		return nil, false
	}
	word := map[string]string{"reads": "Read", "writes": "Write", "has read": "Read", "has written": "Write", "writes at the same time": "Write"}
	name := func(s string) string {
		if word[s] == "" {
			return "Atomic"
		}
		return word[s]
	}
	kind := "Error"
	if f.Severity != diag.Error && !f.Fails {
		kind = "Warning"
	}
	other := *f.Diagnostic
	other.Pos = f.Related[0].Pos
	n := max(f.Count, 1)
	return []string{
		fmt.Sprintf("%s: Race reported between %s access at %s", kind, name(m[1]), location(f.Diagnostic)),
		fmt.Sprintf("    and %s access at %s [%d hazard%s]", name(m[2]), location(&other), n, plural(int(min(n, 2)))),
	}, true
}

// location returns a place in compute-sanitizer's format: k()+0x40 in k.cu:7.
func location(d *diag.Diagnostic) string {
	at := ""
	if d.Kernel != "" {
		at = clean(d.Kernel) + "()"
		if d.Pos.HasOff {
			at += fmt.Sprintf("+%#x", d.Pos.Off)
		}
	}
	if d.Pos.File != "" {
		if at != "" {
			at += " in "
		}
		at += URI(clean(d.Pos.File))
		if d.Pos.Line > 0 {
			at += fmt.Sprintf(":%d", d.Pos.Line)
		}
	}
	return at
}

// Sanitizer writes the text format of NVIDIA's compute-sanitizer, for programs that parse it. Every
// line begins with =========. A record is a headline, "at", "by thread (x,y,z) in block (x,y,z)"
// and further lines, and the last line counts the errors. If memcheck, racecheck or synccheck have
// a headline for the finding, the record has that headline, and the message of the finding is one
// of the further lines.
func (r *Report) Sanitizer(w io.Writer) error {
	const mark = "========="
	var b strings.Builder
	b.WriteString(mark + " COMPUTE-SANITIZER\n")
	errs, warnings, raceErrors, raceWarnings := 0, 0, 0, 0
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
		own := headline(f.Message) + " [" + f.Code + "]"
		head, then := r.sanitized(f)
		race, isRace := r.race(f)
		switch {
		case isRace:
			head = race[0]
			b.WriteString(mark + " " + head + "\n" + mark + " " + race[1] + "\n")
			if strings.HasPrefix(head, "Error") {
				raceErrors++
			} else {
				raceWarnings++
			}
		case head != "":
			b.WriteString(mark + " " + word + head + "\n")
		default:
			b.WriteString(mark + " " + word + own + "\n")
		}
		if at := location(f.Diagnostic); at != "" && !isRace {
			b.WriteString(mark + "     at " + at + "\n")
		}
		if f.Blocks > 0 {
			t := r.thread(f)
			fmt.Fprintf(&b, "%s     by thread (%d,%d,%d) in block (%d,%d,%d)\n", mark, t[0], t[1], t[2], f.Diagnostic.Block[0], f.Diagnostic.Block[1], f.Diagnostic.Block[2])
		}
		if then != "" {
			b.WriteString(mark + "     " + then + "\n")
		}
		if head != "" {
			b.WriteString(mark + "     " + own + "\n")
		}
		for _, s := range details(f) {
			b.WriteString(mark + "     " + s + "\n")
		}
		b.WriteString(mark + "\n")
	}
	if n := raceErrors + raceWarnings; n > 0 {
		fmt.Fprintf(&b, "%s RACECHECK SUMMARY: %d hazard%s displayed (%d error%s, %d warning%s)\n", mark, n, plural(n), raceErrors, plural(raceErrors), raceWarnings, plural(raceWarnings))
	}
	if errs == 0 && warnings > 0 {
		fmt.Fprintf(&b, "%s ERROR SUMMARY: 0 errors (%d warning%s)\n", mark, warnings, plural(warnings))
	} else {
		fmt.Fprintf(&b, "%s ERROR SUMMARY: %d error%s\n", mark, errs, plural(errs))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// thread returns the first thread that shows a finding.
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
