package shape_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/ptx"
)

// kernels lifts the kernels of PTX files.
func kernels(tb testing.TB, pattern string) []*ir.Func {
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: no files, %v", pattern, err)
	}
	var l []*ir.Func
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		m, _ := ptx.Parse(name, string(src))
		if m == nil {
			tb.Fatalf("%s does not parse", name)
		}
		for _, f := range m.Entries() {
			k, err := ptx.Lift(m, f.Name)
			if err != nil {
				continue // examples of mistakes
			}
			k.Func.Converge()
			k.Func.FoldConstants()
			l = append(l, k.Func)
		}
	}
	return l
}

// BenchmarkAnalyze measures the analyses of a function, per operation.
func BenchmarkAnalyze(b *testing.B) {
	for _, pattern := range []string{"../../bench/kernels/sha256.ptx", "../../bench/kernels/matmul.ptx", "../../bench/kernels/bfs.ptx", "../../../examples/ptx/*.ptx"} {
		b.Run(filepath.Base(pattern), func(b *testing.B) {
			l := kernels(b, pattern)
			n := 0
			for _, f := range l {
				n += len(f.Code)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range l {
					shape.Analyze(webs.Build(f, webs.Geometry{Block: [3]uint32{256, 1, 1}}))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/operation")
		})
	}
}
