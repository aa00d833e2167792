package bench

import (
	"context"
	"testing"
	"time"

	"crosslane"
	"crosslane/diag"
	"crosslane/examples/programs"
)

// BenchmarkCheck is what following undefined bits costs: the processor time of Check by
// that of Run, for all cases of a program, once everything is compiled.
func BenchmarkCheck(b *testing.B) {
	for _, p := range programs.All() {
		for _, file := range p.Files {
			b.Run(file, func(b *testing.B) {
				text, err := programs.Text(file)
				if err != nil {
					b.Fatal(err)
				}
				m, err := crosslane.Load(text, file, p.ISA)
				if err != nil {
					b.Fatal(err)
				}
				all := func(run func(*crosslane.Kernel, context.Context, crosslane.Launch) (*crosslane.Result, error), cases []programs.Case) (d time.Duration) {
					timed := func(k *crosslane.Kernel, ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
						start := cpuTime()
						res, err := run(k, ctx, l)
						d += cpuTime() - start
						return res, err
					}
					for _, c := range cases {
						if o := c.RunBy(context.Background(), m, func(l *crosslane.Launch) { l.Workers, l.Skip = 1, []string{"schedule-dependent"} }, timed); o.Err != nil && diag.Of(o.Err)[0].Class != diag.Fault {
							b.Fatal(o.Err)
						}
					}
					return d
				}
				cases := p.Cases()
				all((*crosslane.Kernel).Run, cases)
				all((*crosslane.Kernel).Check, cases)
				var run, check time.Duration
				for b.Loop() {
					run += all((*crosslane.Kernel).Run, cases)
					check += all((*crosslane.Kernel).Check, cases)
				}
				b.ReportMetric(float64(check)/float64(run), "times")
				b.ReportMetric(float64(run)/1e6/float64(b.N), "run-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
