package api_test

import (
	"context"
	"testing"

	"example.org/crosslane"
)

// The cost of Check next to that of Run, with one worker each.
func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct {
		file, kernel string
		grid, block  crosslane.Dim3
		args         func() []crosslane.Arg
	}{
		{"examples/ptx/matmul.ptx", "matmul", crosslane.Dim3{X: 16, Y: 16}, crosslane.Dim3{X: 16, Y: 16}, squares},
		{"examples/gcn3/matmul.hsaco", "matmul", crosslane.Dim3{X: 16, Y: 16}, crosslane.Dim3{X: 16, Y: 16}, squares},
		{"examples/ptx/sha256.ptx", "sha256", crosslane.Dim3{X: 64}, crosslane.Dim3{X: 64}, digests},
		{"examples/gcn3/sha256.hsaco", "sha256", crosslane.Dim3{X: 64}, crosslane.Dim3{X: 64}, digests},
	} {
		m, err := crosslane.LoadFile(c.file)
		if err != nil {
			b.Fatal(err)
		}
		k, err := m.Kernel(c.kernel)
		if err != nil {
			b.Fatal(err)
		}
		for name, run := range map[string]func(context.Context, crosslane.Launch) (*crosslane.Result, error){"run": k.Run, "check": k.Check} {
			b.Run(c.file+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if res, err := run(context.Background(), crosslane.Launch{Grid: c.grid, Block: c.block, Args: c.args(), Workers: 1}); err != nil || len(res.Findings) > 0 {
						b.Fatal(err, res)
					}
				}
			})
		}
	}
}

func squares() []crosslane.Arg {
	const n = 256
	buf := func(name string) *crosslane.Buffer { return crosslane.Slice(name, make([]float32, n*n)) }
	return []crosslane.Arg{buf("a"), buf("b"), buf("c"), crosslane.Int(n), crosslane.Int(n), crosslane.Int(n)}
}

func digests() []crosslane.Arg {
	const n = 64 * 64
	return []crosslane.Arg{crosslane.Slice("messages", make([]uint32, 16*n)), crosslane.Slice("digests", make([]uint32, 8*n)), crosslane.Int(n)}
}
