// Package report writes the findings of a check in the forms that other programs read: SARIF,
// GitHub's annotations, JUnit and compute-sanitizer's text. It also finds the findings that do not
// count: those that a comment in the source excuses, and those of a baseline file.
package report

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A Report is the result of one check.
type Report struct {
	Version  string // version of Crosslane
	File     string // the checked file
	Kernel   string // "" if unknown
	Lanes    int    // lanes of a wave
	Findings []*Finding
	// Line returns a line of a file, if it is known; may be nil.
	Line func(file string, line int) (string, bool)
}

// A Finding is a diagnostic with its effect on the check.
type Finding struct {
	*diag.Diagnostic
	// Fails reports that the check fails because of it: its severity is at or above the threshold.
	Fails bool
	// By is the source of an excuse: "", "comment" or "baseline"; Reason is its reason.
	By, Reason string
	// ID recognises the finding in a later version of the file; see Identify.
	ID string
	// Size is the block of the launch that showed it.
	Size [3]uint32
}

// Counts reports whether the finding counts, that is, is not excused.
func (f *Finding) Counts() bool { return f.By == "" }

// IsFinding reports whether a diagnostic is about the guest program, and not about the input or a
// limit of Crosslane.
func IsFinding(d *diag.Diagnostic) bool {
	return d.Class == diag.Finding || d.Class == diag.Fault || d.Class == diag.Timeout
}

// New makes findings of diagnostics, in the order of their places in the file.
func New(list diag.List, atLeast diag.Severity) []*Finding {
	out := make([]*Finding, 0, len(list))
	for _, d := range list {
		// A fault, and a part that could not be checked, fails at every threshold.
		out = append(out, &Finding{Diagnostic: d, Fails: d.Severity >= atLeast || d.Severity == diag.Error && d.Class != diag.Finding})
	}
	slices.SortStableFunc(out, func(a, b *Finding) int {
		switch p, q := a.Pos, b.Pos; {
		case p.File != q.File:
			return strings.Compare(p.File, q.File)
		case p.Line != q.Line:
			return p.Line - q.Line
		case p.Col != q.Col:
			return p.Col - q.Col
		case p.Off < q.Off:
			return -1
		case p.Off > q.Off:
			return 1
		}
		return strings.Compare(a.Code, b.Code)
	})
	identify(out)
	return out
}

// identify gives every finding its ID: a digest of the code, the file's own name, the kernel, the
// source line without its blanks, and the index among equal findings of the file. Lines that are
// added elsewhere, lanes and launches do not change it, nor does the spelling of the path.
func identify(list []*Finding) {
	seen := map[string]int{}
	for _, f := range list {
		text := strings.Join(strings.Fields(f.Source), " ")
		if text == "" {
			text = f.Message
		}
		key := strings.Join([]string{f.Code, filepath.Base(f.Pos.File), f.Kernel, text}, "\x00")
		same := key + "\x00" + absolute("", f.Pos.File)
		n := seen[same]
		seen[same]++
		sum := sum256(fmt.Appendf([]byte(key), "\x00%d", n))
		f.ID = hex.EncodeToString(sum[:8])
	}
}

// absolute returns the whole path of a file that is named relative to a folder, "" for the current
// one. An empty name or a name that is no file is unchanged.
func absolute(folder, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	if path, err := filepath.Abs(filepath.Join(folder, file)); err == nil {
		return path
	}
	return file
}

// URI returns a file's name for reports: relative to the current folder if it is below that, with
// slashes.
func URI(file string) string {
	if filepath.IsAbs(file) {
		if wd, err := filepath.Abs("."); err == nil {
			if rel, err := filepath.Rel(wd, file); err == nil && !strings.HasPrefix(rel, "..") {
				file = rel
			}
		}
	}
	if file == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// counted returns the findings that are not excused.
func (r *Report) counted() []*Finding {
	var out []*Finding
	for _, f := range r.Findings {
		if f.Counts() {
			out = append(out, f)
		}
	}
	return out
}

// headline returns a message's first line, for formats with a headline.
func headline(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return clean(first)
}

// details returns the lines below the headline.
func details(f *Finding) []string {
	var out []string
	add := func(label, s string) {
		if s != "" && s != "none" {
			out = append(out, label+": "+s)
		}
	}
	if _, more, ok := strings.Cut(f.Message, "\n"); ok {
		out = append(out, strings.Split(strings.TrimRight(more, "\n"), "\n")...)
	}
	add("lanes", f.Lanes)
	add("where", f.Where())
	add("launches", f.Launches)
	for _, r := range f.Related {
		add("note", position(r.Pos)+r.Message)
	}
	add("remedy", f.Remedy)
	for _, x := range f.Fixes {
		add("fix", x.String())
	}
	add("see", f.Section)
	for i := range out {
		out[i] = clean(out[i])
	}
	return out
}

func position(p diag.Pos) string {
	if !p.IsValid() {
		return ""
	}
	return p.String() + ": "
}

// clean replaces unprintable characters: terminals and parsers read the reports.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
