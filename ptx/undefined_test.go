package ptx

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

const (
	checksPage   = "../docs/checks.md"
	undefinedTop = "<!-- What follows is generated from the rows: go generate ./ptx -->\n"
	undefinedEnd = "<!-- end of what is generated -->\n"
)

// mnemonics returns the mnemonics whose rows state a fact, in order.
func mnemonics() (facts []Undefined, of map[Undefined][]string) {
	of = map[Undefined][]string{}
	for _, f := range Forms() {
		for _, u := range f.Undefined {
			if of[u] == nil {
				facts = append(facts, u)
			}
			if !slices.Contains(of[u], f.Mnemonic) {
				of[u] = append(of[u], f.Mnemonic)
			}
		}
	}
	slices.SortStableFunc(facts, func(a, b Undefined) int { return strings.Compare(of[a][0], of[b][0]) })
	return facts, of
}

// undefinedTable returns the table of docs/checks.md.
func undefinedTable() string {
	var b strings.Builder
	b.WriteString("| instructions | the manual leaves undefined | finding |\n|---|---|---|\n")
	facts, of := mnemonics()
	for _, u := range facts {
		by := "none: " + u.Reason
		if u.Code != "" {
			by = "`" + u.Code + "`"
		}
		b.WriteString("| " + strings.Join(of[u], ", ") + " | " + u.Text + " | " + by + " |\n")
	}
	return b.String()
}

// TestUndefinedIsReported checks that each fact that explain states has a documented finding, or a
// reason why there is none, and that the page of checks lists them all.
func TestUndefinedIsReported(t *testing.T) {
	facts, of := mnemonics()
	if len(facts) < 35 {
		t.Errorf("only %d facts", len(facts))
	}
	reported := 0
	for _, u := range facts {
		switch {
		case u.Code == "" && len(u.Reason) < 20:
			t.Errorf("%s: %q is neither reported nor excused", of[u][0], u.Text)
		case u.Code != "":
			reported++
			if c, ok := diag.LookupCode(u.Code); !ok {
				t.Errorf("%s: %q: there is no code %q", of[u][0], u.Text, u.Code)
			} else if c.Class == diag.Input {
				t.Errorf("%s: %q: %s is no finding of a run", of[u][0], u.Text, u.Code)
			}
		}
	}
	if n := len(facts) - reported; n > 5 {
		t.Errorf("%d facts are not reported", n)
	}
	data, err := os.ReadFile(checksPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), undefinedTop)
	_, after, ok2 := strings.Cut(rest, undefinedEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", checksPage)
	}
	want := before + undefinedTop + undefinedTable() + undefinedEnd + after
	switch {
	case want == string(data):
	case *update:
		if err := os.WriteFile(checksPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not current: go generate ./ptx", checksPage)
	}
}
