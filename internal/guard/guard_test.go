package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// A recorder is a testing.TB that records its failures.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.text += format + args[3].(string) }

func (r *recorder) Name() string { return "TestX" }

func TestCompare(t *testing.T) {
	short.Skip(t, "a short run compares only a sample, and writes none")
	file := filepath.Join(t.TempDir(), "hashes.txt")
	compare := func(texts ...string) string {
		names := []string{"a", "b c", "d/e"}
		x := New(names)
		for i, s := range texts {
			x.Set(t, names[i], s)
		}
		r := &recorder{TB: t}
		x.Compare(r, file)
		return r.text
	}
	*update = true
	compare("one", "two", "three")
	*update = false
	if s := compare("one", "two", "three"); s != "" {
		t.Errorf("the same texts: %s", s)
	}
	if s := compare("one", "two ", "three"); !strings.Contains(s, "b c") || strings.Contains(s, "d/e") {
		t.Errorf("another text: %q", s)
	}
	if s := compare("one", "two"); !strings.Contains(s, "d/e") {
		t.Errorf("a text less: %q", s)
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "\n") != 3 {
		t.Errorf("%q, %v", data, err)
	}
}
