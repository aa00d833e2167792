package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./gen

// A Code documents one diagnostic code.
type Code struct {
	Code     string
	Class    Class
	Severity Severity // unless the text of a diagnostic says otherwise
	Doc      string   // the meaning, one paragraph
	Remedy   string   // the remedy
	// Example is a command line that yields the diagnostic, followed by the files it
	// needs, each after a line "-- NAME --". A test runs it.
	Example string
	// Section is the section of the manual, and Good an example in the form of Example that avoids
	// the mistake of Example; a test runs it too. Both may be "".
	Section, Good string
	// Host reports that the code is about a host program. Example and Good are then bodies of Go functions,
	// which a test of devices runs; with InC of C functions, which a test of the driver library runs.
	Host, InC bool
}

// Codes returns the registry, ordered by code.
func Codes() []Code { return slices.Clone(registry()) }

// registry makes the codes once; no caller writes to them.
var registry = sync.OnceValue(func() []Code {
	all := withPages(slices.Concat(
		inputCodes(), guestCodes(), callCodes(), staticCodes(), staticPTXCodes(), warpgroupCodes(), tensorMemoryCodes(), checkCodes(), poisonCodes(),
		syncCodes(), raceCodes(),
		portCodes(), hostCodes(),
	))
	slices.SortFunc(all, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	return all
})

// LookupCode finds a code's documentation.
func LookupCode(code string) (Code, bool) {
	all := registry()
	if i, ok := slices.BinarySearchFunc(all, code, func(c Code, code string) int { return strings.Compare(c.Code, code) }); ok {
		return all[i], true
	}
	return Code{}, false
}

// WriteReference writes the registry as the reference page in Markdown.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`<!-- Generated from package diag by go generate ./diag. Do not edit. -->
# Diagnostics

Every message ends with its code, in brackets. A finding is about the guest program;
exit codes follow from the class and come from errors only, not from warnings and
notes.

| code | class | severity | exit |
|---|---|---|---|
`)
	for _, c := range Codes() {
		exit := "0"
		if c.Severity == Error {
			exit = fmt.Sprint(c.Class.ExitCode())
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", c.Code, c.Code, c.Class, c.Severity, exit)
	}
	for _, c := range Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n**Remedy.** %s\n", c.Code, c.Doc, c.Remedy)
		if c.Section != "" {
			fmt.Fprintf(&b, "\n**Manual.** %s.\n", c.Section)
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", printable(strings.TrimSpace(c.Example)))
		}
		if c.Good != "" {
			fmt.Fprintf(&b, "\nRight:\n\n```\n%s\n```\n", printable(strings.TrimSpace(c.Good)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Page writes one code's page as text of at most 80 columns, examples aside: its meaning, the
// manual's section, the remedy, an example that is wrong and one that is right.
func (c Code) Page() string {
	var b strings.Builder
	what := c.Class.String() + ", " + c.Severity.String()
	if c.Severity == Error {
		what += fmt.Sprintf(", exit status %d", c.Class.ExitCode())
	}
	fmt.Fprintf(&b, "%s (%s)\n\n%s\n\n%s\n", c.Code, what, wrap(c.Doc), wrap("Remedy: "+c.Remedy))
	if c.Section != "" {
		b.WriteString("\n" + wrap("Manual: "+c.Section+".") + "\n")
	}
	for _, e := range []struct{ head, text string }{{"Wrong", c.Example}, {"Right", c.Good}} {
		if e.text != "" {
			fmt.Fprintf(&b, "\n%s:\n    %s\n", e.head, strings.ReplaceAll(printable(strings.TrimSpace(e.text)), "\n", "\n    "))
		}
	}
	return b.String()
}

// wrap breaks a paragraph into lines of at most 80 columns.
func wrap(s string) string {
	var b strings.Builder
	col := 0
	for i, w := range strings.Fields(s) {
		switch {
		case i == 0:
		case col+1+len(w) > 80:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += len(w)
	}
	return b.String()
}

// printable shortens long lines and shows control characters, for the page.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if len(l) > 160 {
			l = l[:60] + " ... " + l[len(l)-60:]
		}
		var b strings.Builder
		for _, r := range l {
			if r < ' ' && r != '\t' || r == 0x7f {
				fmt.Fprintf(&b, "\\x%02x", r)
			} else {
				b.WriteRune(r)
			}
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}
