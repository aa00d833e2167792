package examples

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/genexamples"
	"example.org/crosslane/internal/short"
)

// oracle skips a test that cannot run for want of a tool, unless oracles are
// required here.
func oracle(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// The committed files equal the recorded compiler's output for the sources.
func TestCompiledFilesAreCurrent(t *testing.T) {
	t.Parallel()
	short.Skip(t, "clang compiles the examples")
	recorded, err := os.ReadFile(genexamples.CompilerFile)
	if err != nil {
		t.Fatal(err)
	}
	version, err := genexamples.Compiler(t.Context())
	if errors.Is(err, exec.ErrNotFound) {
		oracle(t, "no compiler to make the examples again: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(recorded)); version != want {
		oracle(t, "the examples were made by %q; here is %q: run go generate ./examples", want, version)
	}
	out := t.TempDir()
	steps := genexamples.Steps()
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "1" {
		// For programs as code objects only those of one version, which takes half the time.
		steps = slices.DeleteFunc(steps, func(s genexamples.Step) bool {
			return strings.HasPrefix(s.Output, "programs/gcn3/") && !strings.HasSuffix(s.Output, "_v5.hsaco")
		})
	}
	if err := genexamples.BuildSteps(t.Context(), steps, ".", out); err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		want, err := os.ReadFile(filepath.Join(out, s.Output))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(s.Output)
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s makes of %s: run go generate ./examples", s.Output, s.Tool, s.Source)
		}
	}
}

// Every file in ptx and gcn3 is either an output of a step or written by hand.
func TestNoStrayFiles(t *testing.T) {
	t.Parallel()
	known := map[string]bool{
		"ptx/legacy_scan.ptx":    true,
		"ptx/sync_scan.ptx":      true,
		"ptx/shift128.ptx":       true,
		"ptx/matmul_mma.ptx":     true,
		"gcn3/dpp_scan.s":        true,
		"gcn3/dpp_scan_hazard.s": true,
		"gcn3/missing_wait.s":    true,
		"gcn3/saxpy_v2.s":        true,
	}
	for _, s := range genexamples.Steps() {
		if known[s.Output] {
			t.Errorf("%s is made twice", s.Output)
		}
		known[s.Output] = true
	}
	for _, pattern := range []string{"ptx/*", "gcn3/*", "programs/ptx/*", "programs/gcn3/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, f := range files {
			if !known[filepath.ToSlash(f)] {
				t.Errorf("%s: nothing makes it", f)
			}
		}
	}
}
