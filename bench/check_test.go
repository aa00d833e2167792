package bench

import (
	"context"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/examples/programs"
)

// BenchmarkCheck is what checks cost: the processor time of Check by that of Run, for all
// cases of a program, once everything is compiled. It follows undefined bits ("times"),
// races too ("races"), and runs in other orders too ("all").
func BenchmarkCheck(b *testing.B) {
	races := []string{"race-shared", "race-global", "race-same-value"}
	ways := []struct {
		metric string
		run    func(*crosslane.Kernel, context.Context, crosslane.Launch) (*crosslane.Result, error)
		skip   []string
	}{
		{"", (*crosslane.Kernel).Run, nil},
		{"times", (*crosslane.Kernel).Check, append(races, "schedule-dependent")},
		{"races", (*crosslane.Kernel).Check, []string{"schedule-dependent"}},
		{"all", (*crosslane.Kernel).Check, nil},
	}
	for _, p := range programs.All() {
		for i, file := range p.Files {
			if testing.Short() && i%4 != 0 {
				continue
			}
			b.Run(file, func(b *testing.B) {
				m, err := p.Load(file)
				if err != nil {
					b.Fatal(err)
				}
				cases := p.Cases()
				spent := make([]time.Duration, len(ways))
				all := func(n int) {
					way := &ways[n]
					timed := func(k *crosslane.Kernel, ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
						start := cpuTime()
						res, err := way.run(k, ctx, l)
						spent[n] += cpuTime() - start
						return res, err
					}
					for _, c := range cases {
						if o := c.RunBy(context.Background(), m, func(l *crosslane.Launch) { l.Workers, l.Skip = 1, way.skip }, timed); o.Err != nil && diag.Of(o.Err)[0].Class != diag.Fault {
							b.Fatal(o.Err)
						}
					}
				}
				for n := range ways {
					all(n)
				}
				clear(spent)
				for b.Loop() {
					for n := range ways {
						all(n)
					}
				}
				for n := 1; n < len(ways); n++ {
					b.ReportMetric(float64(spent[n])/float64(spent[0]), ways[n].metric)
				}
				b.ReportMetric(float64(spent[0])/1e6/float64(b.N), "run-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
