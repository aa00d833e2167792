package programs_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/short"
)

var allFiles = flag.Bool("programs.all", false, "run every file of every program on every engine, not only one in eight")

// Every program does the same on every engine: results to the byte, findings, what it
// prints, and on one worker how many instructions it takes.
func TestEveryEngine(t *testing.T) {
	t.Parallel()
	choices, n := difftest.Choices(), 0
	for _, p := range short.Sample(programs.All(), 13) {
		cases := p.Cases()
		for i, file := range p.Files {
			if n++; n%8 != 0 && i > 0 && !*allFiles {
				continue
			}
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				m := load(t, p, file)
				for _, c := range cases {
					var want *programs.Outcome
					for _, how := range choices {
						name := fmt.Sprintf("%s, %s %s, %d workers", c.Name, how.Engine, how.Native, how.Workers)
						o := c.Run(context.Background(), m, func(l *crosslane.Launch) {
							l.Engine, l.Native, l.Workers, l.Timeout = how.Engine, how.Native, how.Workers, 20*time.Second
						})
						if err := c.Check(o); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						if want == nil {
							want = o
						}
						if how.Workers > 1 {
							continue // the order of atomics of blocks may show
						}
						for i, b := range o.Buffers {
							if !bytes.Equal(b.Data, want.Buffers[i].Data) {
								t.Errorf("%s: %s differs from the first engine's", name, b.Name)
							}
						}
						if o.Stdout != want.Stdout || fmt.Sprint(o.Findings) != fmt.Sprint(want.Findings) {
							t.Errorf("%s: printed or found something else than the first engine", name)
						}
						for i, s := range o.Stats {
							if w := want.Stats[i]; s.WarpInstructions != w.WarpInstructions || s.LaneInstructions != w.LaneInstructions {
								t.Errorf("%s: step %d takes %d instructions of warps and %d of lanes, want %d and %d", name, i, s.WarpInstructions, s.LaneInstructions, w.WarpInstructions, w.LaneInstructions)
							}
						}
					}
				}
			})
		}
	}
}
