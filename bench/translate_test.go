package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// BenchmarkTranslate measures what it takes to make machine code of the suite's kernels, by
// operation of the IR: of each file, and of all. The least is the sum of the least time of each
// kernel, which is what it takes where nobody else uses the processor's caches and units.
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
	modules := map[string]*ptx.Module{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		modules[file], _ = ptx.Parse(file, string(data))
	}
	run := func(name string, files ...string) {
		b.Run(name, func(b *testing.B) {
			// StopTimer and StartTimer would stop all goroutines and empty their caches of memory.
			var clock, cpu time.Duration
			var least []time.Duration // of each kernel
			ops := 0
			for b.Loop() {
				ops = 0
				var programs []*jit.Program
				var launches []*sim.Launch
				for _, file := range files {
					for _, f := range lifted(b, modules[file]) {
						p, err := e.Compile(f)
						if err != nil {
							b.Fatal(err)
						}
						ops += len(f.Code)
						programs = append(programs, p.(*jit.Program))
						launches = append(launches, &sim.Launch{Func: f, Grid: [3]uint32{64, 1, 1}, Block: [3]uint32{128, 1, 1}})
					}
				}
				start, user := time.Now(), cpuTime()
				for i, p := range programs {
					one := time.Now()
					if _, err := p.Specialise(launches[i]); err != nil {
						b.Fatal(err)
					}
					if d := time.Since(one); i == len(least) {
						least = append(least, d)
					} else {
						least[i] = min(least[i], d)
					}
				}
				clock += time.Since(start)
				cpu += cpuTime() - user
			}
			all := float64(b.N) * float64(ops)
			b.ReportMetric(float64(clock)/all, "ns/op-of-IR")
			var undisturbed time.Duration
			for _, d := range least {
				undisturbed += d
			}
			b.ReportMetric(float64(undisturbed)/float64(ops), "least-ns/op-of-IR")
			if cpu > 0 {
				b.ReportMetric(float64(cpu)/all, "cpu-ns/op-of-IR")
			}
		})
	}
	for _, file := range files {
		run(filepath.Base(file), file)
	}
	run("all", files...)
}

// lifted are the kernels of a module, as they are before a launch.
func lifted(b *testing.B, m *ptx.Module) (list []*ir.Func) {
	for _, it := range m.Items {
		fn, ok := it.(*ptx.Func)
		if !ok || !fn.Entry || fn.Body() == nil {
			continue
		}
		l, err := ptx.Lift(m, fn.Name)
		if err != nil {
			b.Fatal(err)
		}
		l.Func.FoldConstants()
		l.Func.Converge()
		list = append(list, l.Func)
	}
	return list
}
