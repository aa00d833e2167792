package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// An Ignore is a comment "crosslane:ignore CODE reason" in a source. It is about its own line. If
// the line holds only the comment, it is about the next line that holds more than a comment.
type Ignore struct {
	File      string
	Line, Col int // position of the comment's word
	Target    int // number of the line that it is about
	Code      string
	Reason    string
	Text      string // the line
	Used      bool
}

const ignoreWord = "crosslane:ignore"

// before matches the text that may precede the word directly: the beginning of a comment in either
// language.
var before = regexp.MustCompile(`(//|/\*|;)[ \t]*$`)

// ReadIgnores finds the comments in a text. Errors in them have class Input.
func ReadIgnores(file string, text []byte) ([]*Ignore, diag.List) {
	if !bytes.Contains(text, []byte(ignoreWord)) {
		return nil, nil // a large text is not split into lines
	}
	lines := strings.Split(string(text), "\n")
	var out []*Ignore
	var list diag.List
	for i, s := range lines {
		at := strings.Index(s, ignoreWord)
		if at < 0 {
			continue
		}
		m := before.FindStringIndex(s[:at])
		if m == nil {
			continue // the word is in a string, or in prose about it
		}
		text := strings.TrimRight(s, " \t\r")
		rest := strings.TrimSpace(strings.TrimSuffix(text[at+len(ignoreWord):], "*/"))
		codes, reason, _ := strings.Cut(rest, " ")
		bad := func(remedy, format string, args ...any) {
			d := diag.Errorf(diag.Pos{File: file, Line: i + 1, Col: at + 1}, diag.Input, "bad-ignore", "%s", ignoreWord+": "+fmt.Sprintf(format, args...))
			d.Source, d.Remedy = s, remedy
			list = append(list, d)
		}
		if codes == "" {
			bad("write // crosslane:ignore CODE reason", "no code")
			continue
		}
		if reason = strings.TrimSpace(reason); reason == "" {
			bad("say why the finding does no harm: // crosslane:ignore "+codes+" reason", "no reason is given")
			continue
		}
		target := i
		if strings.TrimSpace(s[:m[0]]) == "" {
			for target++; target < len(lines) && comment(lines[target]); target++ {
			}
		}
		for _, c := range strings.Split(codes, ",") {
			if _, ok := diag.LookupCode(c); !ok {
				bad("crosslane check --rules list shows the codes", "there is no code %q", c)
				continue
			}
			out = append(out, &Ignore{File: file, Line: i + 1, Col: at + 1, Target: target + 1, Code: c, Reason: reason, Text: s})
		}
	}
	return out, list
}

// comment reports whether a line is empty or holds only one comment.
func comment(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasPrefix(s, "//") || strings.HasPrefix(s, ";") || strings.HasPrefix(s, "/*") && strings.HasSuffix(s, "*/")
}

// Excuse marks the findings that comments excuse: at the instruction, at the source line of the
// instruction, or at a call that was inlined there.
func Excuse(list []*Finding, ignores []*Ignore) {
	for _, f := range list {
		if !IsFinding(f.Diagnostic) {
			continue
		}
		for _, g := range ignores {
			if g.Code == f.Code && g.about(f.Diagnostic) {
				g.Used = true
				f.By, f.Reason = "comment", g.Reason
			}
		}
	}
}

// about reports whether the comment is about the place of a diagnostic.
func (g *Ignore) about(d *diag.Diagnostic) bool {
	here := func(p diag.Pos) bool { return p.Line > 0 && p.Line == g.Target && p.File == g.File }
	return here(d.Pos) || slices.ContainsFunc(d.Related, func(r diag.Related) bool { return r.Origin && here(r.Pos) })
}

// Unused returns notes on the comments that excused nothing.
func Unused(file string, ignores []*Ignore) diag.List {
	var list diag.List
	for _, g := range ignores {
		if !g.Used {
			list = append(list, &diag.Diagnostic{
				Pos: diag.Pos{File: file, Line: g.Line, Col: g.Col}, Severity: diag.Note, Class: diag.Finding, Code: "unused-ignore", Source: g.Text,
				Message: fmt.Sprintf("%s: there is no finding of %s on line %d", ignoreWord, g.Code, g.Target),
				Remedy:  "remove the comment, unless other launches need it",
			})
		}
	}
	return list
}
