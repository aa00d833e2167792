package programs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/short"
)

// Check finds nothing in any program, and changes no result.
func TestCheckIsClean(t *testing.T) {
	t.Parallel()
	for _, p := range short.Sample(programs.All(), 9) {
		t.Run(p.Name+"/"+string(p.ISA), func(t *testing.T) {
			t.Parallel()
			for n, c := range p.Cases() {
				files := []string{p.Files[n%len(p.Files)]}
				if *long {
					files = p.Files
				}
				for _, file := range files {
					o := c.RunBy(context.Background(), load(t, p, file), func(l *crosslane.Launch) { l.Timeout = time.Minute }, checkWarnings)
					if err := c.Check(o); err != nil {
						t.Errorf("%s, %s: %v", file, c.Name, err)
					}
				}
			}
		})
	}
}

// checkWarnings is Check without notes: places that atomics give out depend on the order,
// which is told.
func checkWarnings(k *crosslane.Kernel, ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	res, err := k.Check(ctx, l)
	if res != nil {
		res.Findings = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	return res, err
}
