package diag

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestCodes(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, c := range Codes() {
		if !form.MatchString(c.Code) || seen[c.Code] {
			t.Errorf("code %q is malformed or stands twice", c.Code)
		}
		seen[c.Code] = true
		if !strings.HasSuffix(c.Doc, ".") || !strings.HasSuffix(c.Remedy, ".") || strings.Contains(c.Doc, "\n") {
			t.Errorf("%s: documentation and remedy are sentences in one paragraph", c.Code)
		}
		if got, ok := LookupCode(c.Code); !ok || got.Doc != c.Doc {
			t.Errorf("%s is not found", c.Code)
		}
	}
	if _, ok := LookupCode("nonsense"); ok {
		t.Error("nonsense is found")
	}
}

// Every page is of a code, once, and Page has the parts and no line of prose beyond 80
// columns.
func TestPages(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	coverage, err := os.ReadFile("../docs/reference/ptx-coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages() {
		if strings.HasPrefix(p.section, "PTX ") { // a section that instructions of the table are in
			for _, n := range regexp.MustCompile(`\b9\.[0-9.]*[0-9]`).FindAllString(p.section, -1) {
				if !regexp.MustCompile(`(?m)^(\| |## )` + regexp.QuoteMeta(n) + `[ .]`).Match(coverage) {
					t.Errorf("%s: no instruction is in PTX %s", p.code, n)
				}
			}
		}
		c, ok := LookupCode(p.code)
		if !ok || seen[p.code] || c.Good != p.good {
			t.Errorf("%s: no code, or twice", p.code)
		}
		seen[p.code] = true
		text := c.Page()
		prose, examples, ok := strings.Cut(text, "\nWrong:\n")
		if !ok || !strings.Contains(examples, "\nRight:\n    crosslane ") || !strings.Contains(prose, "\n\nRemedy: ") {
			t.Errorf("%s:\n%s", p.code, text)
		}
		for _, l := range strings.Split(prose, "\n") {
			if len(l) > 80 {
				t.Errorf("%s: %d columns: %s", p.code, len(l), l)
			}
		}
	}
}

// The reference page in the repository is the one that the registry makes.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/reference/diagnostics.md")
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reference/diagnostics.md is not current (%v): run go generate ./diag", err)
	}
}

// A change of an example finds the text that it replaces, and every code about the guest program
// has an example that is wrong and one that is right.
func TestChanges(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range changes() {
		code, ok := LookupCode(c.code)
		if !ok || seen[c.code] {
			t.Errorf("%s: no code, or twice", c.code)
		}
		seen[c.code] = true
		for i := 0; i < len(c.edits); i += 2 {
			if !strings.Contains(code.Example, c.edits[i]) {
				t.Errorf("%s: no %q in the example", c.code, c.edits[i])
			}
		}
	}
	for _, c := range Codes() {
		if c.Class != Finding && c.Class != Fault || c.Code == "cancelled" { // which only a caller of the API meets
			continue
		}
		if c.Example == "" || c.Good == "" {
			t.Errorf("%s lacks an example", c.Code)
		}
	}
}
