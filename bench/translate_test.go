package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"crosslane/internal/engine/jit"
	"crosslane/internal/sim"
	"crosslane/ptx"
)

// BenchmarkTranslate measures what it takes to make machine code of the suite's kernels, by
// operation of the IR.
func BenchmarkTranslate(b *testing.B) {
	files, err := filepath.Glob("../internal/bench/kernels/*.ptx")
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	// One engine, as a process has; every translation is of functions that it has not seen.
	e, err := jit.New(jit.Options{Mode: jit.Mode{Eager: true}})
	if err != nil {
		b.Skip(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(file), func(b *testing.B) {
			m, _ := ptx.Parse(file, string(data))
			ops, cpu := 0, time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				ops = 0
				var programs []*jit.Program
				var launches []*sim.Launch
				for _, it := range m.Items {
					fn, ok := it.(*ptx.Func)
					if !ok || !fn.Entry || fn.Body == nil {
						continue
					}
					l, err := ptx.Lift(m, fn.Name)
					if err != nil {
						b.Fatal(err)
					}
					f := l.Func
					f.FoldConstants()
					f.Converge()
					p, err := e.Compile(f)
					if err != nil {
						b.Fatal(err)
					}
					ops += len(f.Code)
					programs = append(programs, p.(*jit.Program))
					launches = append(launches, &sim.Launch{Func: f, Grid: [3]uint32{64, 1, 1}, Block: [3]uint32{128, 1, 1}})
				}
				b.StartTimer()
				start := cpuTime()
				for i, p := range programs {
					if _, err := p.Specialise(launches[i]); err != nil {
						b.Fatal(err)
					}
				}
				cpu += cpuTime() - start
			}
			if cpu > 0 {
				b.ReportMetric(float64(cpu)/float64(b.N)/float64(ops), "cpu-ns/op-of-IR")
			}
		})
	}
}
