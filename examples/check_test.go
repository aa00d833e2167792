package examples

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// Check finds nothing in any kernel, and changes no result.
func TestCheckIsClean(t *testing.T) {
	t.Parallel()
	for _, l := range short.Sample(allLaunches(), 3) {
		for _, file := range l.files {
			t.Run(file+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				got, findings, err := l.runBy(t, l.load(t, file).Check, crosslane.Launch{})
				for _, f := range findings {
					if f.Severity > diag.Note { // places that atomics give out depend on the order, which is told
						t.Errorf("finding: %v", f)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				l.compare(t, got)
			})
		}
	}
}

// Results need no contents before the launch, but for counters that kernels add to: without one,
// the findings of Check lead back to it.
func TestResultsNeedNoContents(t *testing.T) {
	t.Parallel()
	counters, sums := 0, 0
	for _, l := range allLaunches() {
		results := map[string]bool{}
		for _, a := range l.args {
			if b, ok := a.(buffer); ok && b.want != nil {
				results[b.name] = !slices.ContainsFunc(elementBits(b.data), func(x uint64) bool { return x != 0 })
			}
		}
		for _, file := range l.files {
			k := l.load(t, file)
			_, findings, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
				for _, a := range how.Args {
					if b, ok := a.(*crosslane.Buffer); ok {
						b.Uninitialised = results[b.Name]
					}
				}
				how.Skip = []string{"schedule-dependent"}
				return k.Check(ctx, how)
			}, crosslane.Launch{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				switch {
				case l.kernel == "compact_unordered" && f.Code == "poison-store" && strings.Contains(f.Message, `reach "counter"`): // the sum
					sums++
				case l.kernel == "compact_unordered" && f.Code == "poison-address" && len(f.Related) > 0 && strings.Contains(f.Related[0].Message, `reads "counter" where nothing has been written`): // its uses
					counters++
				default:
					t.Errorf("%s: %v", l.name, f)
				}
			}
		}
	}
	if counters != 3 || sums != 3 {
		t.Errorf("%d findings of counters and %d of their sums, want one in each file", counters, sums)
	}
}

// The check without a launch has no errors either.
func TestStaticIsClean(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, l := range allLaunches() {
		for _, file := range l.files {
			if seen[file] {
				continue
			}
			seen[file] = true
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := crosslane.Load(text, file, crosslane.Auto)
			if err != nil {
				t.Fatal(err)
			}
			reports, err := m.CheckStatic()
			if err != nil && diag.Of(err)[0].Class != diag.Unsupported {
				t.Errorf("%s: %v", file, err)
			}
			for _, r := range reports {
				if err := r.Findings.Err(); err != nil {
					t.Errorf("%s: %s: %v", file, r.Kernel, err)
				}
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d files", len(seen))
	}
}
