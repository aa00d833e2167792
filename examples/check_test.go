package examples

import (
	"testing"

	"crosslane"
)

// Check finds nothing in any kernel, and changes no result.
func TestCheckIsClean(t *testing.T) {
	t.Parallel()
	for _, l := range allLaunches() {
		for _, file := range l.files {
			t.Run(file+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				got, findings, err := l.runBy(t, l.load(t, file).Check, crosslane.Launch{})
				for _, f := range findings {
					t.Errorf("finding: %v", f)
				}
				if err != nil {
					t.Fatal(err)
				}
				l.compare(t, got)
			})
		}
	}
}
