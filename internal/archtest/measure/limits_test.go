package measure

import (
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/short"
)

// figures reads the packages once for all tests.
var figures = sync.OnceValues(func() ([]Figure, error) { return All("../../..") })

// TestLimits keeps the figures of this repository. A limit may be lowered, and never raised.
func TestLimits(t *testing.T) {
	t.Parallel()
	short.Skip(t, "it reads all packages")
	list, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{
		"most methods on a type":          137,
		"most fields in a type":           25,
		"files of .":                      12,
		"against the order of files of .": 6,
		"words without referent, simulator, checks and native engine":       0.1,
		"words without referent, all packages":                              0.1,
		"sentences that open inverted, simulator, checks and native engine": 1,
		"sentences that open inverted, all packages":                        4,
		"lines of README.md":       150,
		"lines of ARCHITECTURE.md": 200,
	}
	least := map[string]float64{"lines of comments in the native engine": 15}
	seen := 0
	for _, f := range list {
		if m, ok := most[f.Name]; ok {
			if seen++; f.Value > m {
				t.Errorf("%s: %.2f, at most %.2f %s", f.Name, f.Value, m, f.Which)
			}
		}
		if m, ok := least[f.Name]; ok {
			if seen++; f.Value < m {
				t.Errorf("%s: %.2f, at least %.2f", f.Name, f.Value, m)
			}
		}
		if strings.HasPrefix(f.Name, "other meanings of ") && f.Value > 0 {
			t.Errorf("%s: %s. GLOSSARY.md says what the word means", f.Name, f.Which)
		}
	}
	if seen != len(most)+len(least) {
		t.Errorf("%d of %d figures are measured", seen, len(most)+len(least))
	}
}
