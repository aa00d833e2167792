package bench

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	suite "example.org/crosslane/internal/bench"
)

// BenchmarkSuite runs the kernels of crosslane bench, each at a size that takes about 20 ms.
func BenchmarkSuite(b *testing.B) {
	for _, engine := range []string{"interp", "jit"} {
		for _, k := range suite.Suite() {
			b.Run(engine+"/"+k.ID(), func(b *testing.B) {
				m, err := suite.Measure(context.Background(), k, suite.Options{Engine: engine, Time: 20 * time.Millisecond, Count: 1})
				if err != nil && diag.Of(err)[0].Code == "bad-engine" {
					b.Skip(err)
				}
				if err != nil {
					b.Fatal(err)
				}
				kernel, err := k.Load()
				if err != nil {
					b.Fatal(err)
				}
				l := crosslane.Launch{Grid: m.Work.Grid, Block: m.Work.Block, Args: m.Work.Args, Engine: engine, Workers: 1}
				if k.Launches == "cold" {
					b.ReportMetric(m.Seconds*1e6, "µs/launch")
					return
				}
				measure(b, kernel, l)
			})
		}
	}
}

// BenchmarkTwoWorkers reports how many times as fast two workers are as one, of each kernel of
// crosslane bench at its full size. They take turns, so that what disturbs the machine for a
// while disturbs both: the median of the pairs, and the least time of one by the least of two,
// which is what it comes to where nobody else wants the second processor.
func BenchmarkTwoWorkers(b *testing.B) {
	for _, k := range suite.Suite() {
		if k.Launches != "" {
			continue
		}
		b.Run(k.ID(), func(b *testing.B) {
			n := k.Full
			if testing.Short() {
				n = max(k.Min, k.Full/8)
			}
			w := k.Work(n)
			kernel, err := k.Load()
			if err != nil {
				b.Fatal(err)
			}
			run := func(workers int) time.Duration {
				for _, r := range w.Reset {
					clear(r.Data)
				}
				start := time.Now()
				if _, err := kernel.Run(context.Background(), crosslane.Launch{Grid: w.Grid, Block: w.Block, Args: w.Args, Workers: workers}); err != nil {
					b.Fatal(err)
				}
				return time.Since(start)
			}
			run(1) // touches the memory, translates
			run(2)
			var ratios, ones, twos []float64
			for b.Loop() {
				one, two := float64(run(1)), float64(run(2))
				ratios, ones, twos = append(ratios, one/two), append(ones, one), append(twos, two)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-one-worker")
			b.ReportMetric(slices.Min(ones)/slices.Min(twos), "least-x-one-worker")
		})
	}
}
