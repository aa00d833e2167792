package examples

import (
	"context"
	"fmt"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/short"
)

// Every kernel does the same on every engine, on one worker and on two: results,
// findings, and how many instructions it takes.
func TestEveryEngine(t *testing.T) {
	t.Parallel()
	choices := difftest.Choices()
	for n, l := range short.Sample(allLaunches(), 3) {
		for _, file := range l.files {
			t.Run(fmt.Sprintf("%s/%s/%d", file, l.name, n), func(t *testing.T) {
				t.Parallel()
				k := l.load(t, file)
				var first crosslane.Stats
				for i, how := range choices {
					name := fmt.Sprintf("%s %s, %d workers", how.Engine, how.Native, how.Workers)
					var res *crosslane.Result
					got, findings, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (r *crosslane.Result, err error) {
						res, err = k.Run(ctx, how)
						return res, err
					}, how)
					if err != nil || len(findings) > 0 {
						t.Errorf("%s: %v %v", name, err, findings)
						continue
					}
					l.compare(t, got)
					if i == 0 {
						first = res.Stats
					}
					// The instructions spent on waiting for blocks of other workers vary.
					if s := res.Stats; how.Workers == 1 && (s.WarpInstructions != first.WarpInstructions || s.LaneInstructions != first.LaneInstructions) {
						t.Errorf("%s: %d instructions of warps and %d of lanes, want %d and %d", name, s.WarpInstructions, s.LaneInstructions, first.WarpInstructions, first.LaneInstructions)
					}
					if t.Failed() {
						t.Fatal(name)
					}
				}
			})
		}
	}
}
