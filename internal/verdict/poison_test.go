package verdict

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/session/sessiontest"
)

// Instrumented kernels behave like the plain ones: the same memory, findings, faults and
// instruction counts, for every example kernel.
func TestPoisonChangesNothing(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".ptx" && ext != ".hsaco" {
			continue
		}
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := session.Load(data, file, api.Auto)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range m.Kernels() {
				plain, err := k.Prepare(false)
				if err != nil {
					t.Fatalf("%s: %v", k.Name(), err)
				}
				marked := *plain
				marked.Fn, _ = poison.Track(plain.Fn, poison.Options{Quiet: true})
				marked.Track = true
				if err := marked.Fn.Validate(); err != nil {
					t.Fatal(err)
				}
				if marked.Prog, err = session.Compile(marked.Fn); err != nil {
					t.Fatal(err)
				}
				want, got := sessiontest.Outcome(t, k, plain), sessiontest.Outcome(t, k, &marked)
				if want != got {
					t.Errorf("%s: instrumented:\n%s\nplain:\n%s", k.Name(), got, want)
				}
				for v, o := range map[variant]poison.Options{tracked: {}, followed: {Way: true}, settled: {Defined: true}} {
					marked, err := prepareTracked(k, v, o)
					if err != nil {
						t.Fatal(err)
					}
					if err := marked.Fn.Validate(); err != nil {
						t.Fatal(err)
					}
					if got := sessiontest.Outcome(t, k, marked); want != got {
						t.Errorf("%s: tracked:\n%s\nplain:\n%s", k.Name(), got, want)
					}
				}
			}
		})
	}
}
