package amdgpu

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestErrors checks the errors of testdata/errors.golden. A line is
//
//	text // ERROR "regexp" at "the part of the text that the caret shows"
func TestErrors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/errors.golden")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("^(.*) // ERROR `(.*)` at `(.*)`$")
	n := 0
	for i, l := range strings.Split(string(data), "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("errors.golden:%d: %q is no error line", i+1, l)
		}
		n++
		in, err := ParseInst(m[1], ParseOptions{Pos: diag.Pos{File: "f.s", Line: 3, Col: 11}})
		if err == nil {
			t.Errorf("%s: assembled as %s", m[1], Print(&in))
			continue
		}
		d := diag.Of(err)[0]
		if !regexp.MustCompile(m[2]).MatchString(d.Message) {
			t.Errorf("%s: error %q, want %q", m[1], d.Message, m[2])
		}
		if got := m[1][min(len(m[1]), d.Pos.Col-11):]; !strings.HasPrefix(got, m[3]) || m[3] == "" && got != "" {
			t.Errorf("%s: %s: the caret is at %q, want %q", m[1], d.Message, got, m[3])
		}
	}
	if n < 60 {
		t.Errorf("%d error lines", n)
	}
}
