package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.org/crosslane/diag"
)

// TestBaselinePaths checks that a baseline matches every spelling of the kernel's path, from every
// folder.
func TestBaselinePaths(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a/k.ptx", "b/k.ptx"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	findings := func(file string) []*Finding {
		return New(diag.List{{Pos: diag.Pos{File: file, Line: 3}, Severity: diag.Error, Code: "deadlock", Source: "bar.sync 0;"}}, diag.Error)
	}
	t.Chdir(folder)
	var b bytes.Buffer
	if err := WriteBaseline(&b, "base.json", findings("a/k.ptx")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		chdir, base, file string
		excused           bool
	}{
		{".", "base.json", "a/k.ptx", true},
		{".", "base.json", "./a/../a/k.ptx", true},
		{".", "base.json", filepath.Join(folder, "a", "k.ptx"), true},
		{"a", "../base.json", "k.ptx", true},
		{"b", "../base.json", "../a/k.ptx", true},
		{".", "base.json", "b/k.ptx", false},
		{"b", "../base.json", "k.ptx", false},
	} {
		t.Chdir(filepath.Join(folder, c.chdir))
		known, err := ReadBaseline(c.base, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		list := findings(c.file)
		known.Apply(list)
		if got := !list[0].Counts(); got != c.excused {
			t.Errorf("in %s: %s: excused %v, want %v", c.chdir, c.file, got, c.excused)
		}
	}
}
