package programs_test

import (
	"context"
	"testing"
	"time"

	"crosslane"
	"crosslane/examples/programs"
)

// Check finds nothing in any program, and changes no result.
func TestCheckIsClean(t *testing.T) {
	t.Parallel()
	for _, p := range programs.All() {
		t.Run(p.Name+"/"+string(p.ISA), func(t *testing.T) {
			t.Parallel()
			for n, c := range p.Cases() {
				files := []string{p.Files[n%len(p.Files)]}
				if *long {
					files = p.Files
				}
				for _, file := range files {
					o := c.RunBy(context.Background(), load(t, p, file), func(l *crosslane.Launch) { l.Timeout = time.Minute }, (*crosslane.Kernel).Check)
					if err := c.Check(o); err != nil {
						t.Errorf("%s, %s: %v", file, c.Name, err)
					}
				}
			}
		})
	}
}
