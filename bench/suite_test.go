package bench

import (
	"context"
	"testing"
	"time"

	"crosslane"
	"crosslane/diag"
	suite "crosslane/internal/bench"
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
