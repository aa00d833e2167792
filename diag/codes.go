package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:generate go run ./gen

// A Code documents one diagnostic code.
type Code struct {
	Code     string
	Class    Class
	Severity Severity // unless the text of a diagnostic says otherwise
	Doc      string   // what it means, one paragraph
	Remedy   string   // what to do about it
	// Example is a command line that yields the diagnostic, followed by the files it
	// needs, each after a line "-- NAME --". A test runs it.
	Example string
}

// Codes returns the registry, ordered by code.
func Codes() []Code {
	all := slices.Concat(inputCodes(), guestCodes(), callCodes(), staticCodes(), checkCodes(), poisonCodes())
	slices.SortFunc(all, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// LookupCode finds a code's documentation.
func LookupCode(code string) (Code, bool) {
	for _, c := range Codes() {
		if c.Code == code {
			return c, true
		}
	}
	return Code{}, false
}

// WriteReference writes the registry as the reference page in Markdown.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`<!-- Generated from package diag by go generate ./diag. Do not edit. -->
# Diagnostics

Every message ends in its code, in brackets. A finding is about the guest program;
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
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", printable(strings.TrimSpace(c.Example)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
