package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Every fix of a missing wait fits the text, and with one after another the check is clean.
func TestSuggestedWaits(t *testing.T) {
	t.Parallel()
	files := []string{"examples/gcn3/missing_wait.s", "examples/gcn3/dpp_scan_hazard.s"}
	more, _ := filepath.Glob("examples/bad/gcn3/wait*.s")
	made := 0
	for _, file := range append(files, more...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		clean := false
		for range 30 {
			m, err := crosslane.Load([]byte(text), file, crosslane.GCN3)
			if err != nil {
				t.Fatalf("%s: %v\n%s", file, err, text)
			}
			reports, err := m.CheckStatic()
			if err != nil {
				t.Fatal(err)
			}
			var first *diag.Diagnostic
			n := 0
			for _, r := range reports {
				for _, d := range r.Findings {
					if d.Severity < diag.Error {
						continue
					}
					if len(d.Fixes) != 1 {
						t.Fatalf("%s: %v has no fix", file, d)
					}
					if first == nil {
						first = d
					}
					n++
				}
			}
			if clean = n == 0; clean {
				break
			}
			mended, ok := first.Fixes[0].Apply(text)
			if !ok {
				t.Fatalf("%s: %v does not fit", file, first.Fixes)
			}
			text = mended
			made++
		}
		if !clean {
			t.Errorf("%s: still not clean:\n%s", file, text)
		}
	}
	if made < 5 {
		t.Errorf("%d fixes were made", made)
	}
}

// A run's findings have the fixes of the check without one.
func TestSuggestedInRun(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("examples/bad/gcn3/wait-states_dpp_first_step.s")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"alone":          src,
		"behind a label": bytes.Replace(src, []byte("  v_add_f32 v6, v6, v6 row_shr:1"), []byte("here: v_add_f32 v6, v6, v6 row_shr:1"), 1),
		"nop":            bytes.Replace(src, []byte("  v_add_f32 v6, v6, v6 row_shr:1"), []byte("  s_nop 0 // too short\n  v_add_f32 v6, v6, v6 row_shr:1"), 1),
	} {
		m, err := crosslane.Load(text, "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := m.Kernel("")
		check := func(k *crosslane.Kernel) (found diag.List) {
			res, err := k.Check(t.Context(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.Slice("in", make([]float32, 64)), crosslane.Slice("out", make([]float32, 64))}})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range res.Findings {
				if d.Code == "wait-states" {
					found = append(found, d)
				}
			}
			return found
		}
		found := check(k)
		if len(found) != 1 || len(found[0].Fixes) != 1 {
			t.Fatalf("%s: %v %+v", name, found, found)
		}
		mended, ok := found[0].Fixes[0].Apply(string(text))
		if !ok {
			t.Fatalf("%s: %v", name, found[0].Fixes)
		}
		if name == "nop" && !strings.Contains(mended, "  s_nop 1 // too short\n") {
			t.Errorf("%s", mended)
		}
		m, err = crosslane.Load([]byte(mended), "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, mended)
		}
		k, _ = m.Kernel("")
		if found := check(k); found != nil {
			t.Errorf("%s: %v\n%s", name, found, mended)
		}
	}
}
