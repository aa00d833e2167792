package programs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/genexamples"
	"example.org/crosslane/internal/short"
)

// staticErrors checks a file without a launch and fails on findings that are errors: a
// compiler's output has none. It returns what is less grave.
func staticErrors(t *testing.T, m *crosslane.Module, file string) (milder diag.List) {
	t.Helper()
	reports, err := m.CheckStatic()
	if err != nil {
		if diag.Of(err)[0].Class != diag.Unsupported {
			t.Errorf("%s: %v", file, err)
		}
		return nil
	}
	for _, r := range reports {
		if err := r.Findings.Err(); err != nil {
			t.Errorf("%s: %s: %v", file, r.Kernel, err)
		}
		milder = append(milder, r.Findings...)
	}
	return milder
}

// What is compiled for PTX is clean without a launch too; root's tests have GCN3.
func TestStaticIsClean(t *testing.T) {
	t.Parallel()
	for _, p := range programs.All() {
		if p.ISA != crosslane.PTX {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for n, file := range p.Files {
				if !*long && n%4 != len(p.Name)%4 {
					continue
				}
				for _, d := range staticErrors(t, load(t, p, file), file) {
					t.Logf("%s: %v", file, d)
				}
			}
		})
	}
}

// Two more levels of optimisation than those of the committed files: nothing is found, with
// and without a launch, and the results are the same.
func TestOtherLevels(t *testing.T) {
	t.Parallel()
	short.Skip(t, "clang compiles the programs")
	if _, err := genexamples.Compiler(t.Context()); errors.Is(err, exec.ErrNotFound) {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no compiler for other levels: %v", err)
	}
	out := t.TempDir()
	few := []string{"scan", "reduce", "stencil", "structs", "wave64"}
	built := map[string]string{} // by name and folder of a program: what was made
	var steps []genexamples.Step
	for i, s := range genexamples.Steps() {
		last := len(s.Args) - 1
		at := slices.Index(s.Args, "-O3")
		if !strings.HasPrefix(s.Output, "programs/") || at < 0 || last < 0 {
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(s.Output), "_")
		if !*long && (!slices.Contains(few, name) || !strings.Contains(s.Output, "_sm_70.") && !strings.Contains(s.Output, "_v5.")) {
			continue
		}
		level := []string{"O2", "Os"}[i%2]
		s.Args = slices.Clone(s.Args)
		s.Args[at] = "-" + level
		s.Output = strings.Replace(s.Output, "_O3_", "_"+level+"_", 1)
		steps = append(steps, s)
		built[s.Output] = name
	}
	if err := genexamples.BuildSteps(t.Context(), steps, "..", out); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range programs.All() {
		folder := "programs/" + string(p.ISA) + "/"
		for _, s := range steps {
			if built[s.Output] != p.Name || !strings.HasPrefix(s.Output, folder) {
				continue
			}
			checked++
			t.Run(s.Output, func(t *testing.T) {
				text, err := os.ReadFile(filepath.Join(out, s.Output))
				if err != nil {
					t.Fatal(err)
				}
				m, err := crosslane.Load(text, s.Output, p.ISA)
				if err != nil {
					t.Fatal(err)
				}
				staticErrors(t, m, s.Output)
				for _, c := range p.Cases() {
					o := c.RunBy(context.Background(), m, func(l *crosslane.Launch) { l.Timeout = time.Minute }, (*crosslane.Kernel).Check)
					if err := c.Check(o); err != nil {
						t.Errorf("%s: %v", c.Name, err)
					}
				}
			})
		}
	}
	if checked == 0 || checked != len(steps) {
		t.Errorf("%d of %d files were checked", checked, len(steps))
	}
}
