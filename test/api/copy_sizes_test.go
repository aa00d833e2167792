package api_test

import (
	"bytes"
	"fmt"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/test/kit"
)

// cp.async copies as many bytes as its source size says, and zeros behind them, for all sizes. It reads nothing behind the
// source size: the source ends there.
func TestCopySizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{4, 8, 16} {
		for n := range size + 1 {
			cop := "ca"
			if size == 16 {
				cop = "cg"
			}
			// Lane i copies i+n+1 bytes modulo size+1: all sizes, and the last lane n.
			body := fmt.Sprintf("mul.lo.u32 %%r1, %%id, %[1]d;\ncvt.u64.u32 %%rd1, %%r1;\nadd.s64 %%rd2, %%p0, %%rd1;\nadd.s64 %%rd3, %%p1, %%rd1;\nmov.u32 %%r2, dst;\nadd.u32 %%r2, %%r2, %%r1;\n"+
				"add.u32 %%r3, %%id, %[2]d;\nrem.u32 %%r3, %%r3, %[3]d;\ncp.async.%[4]s.shared.global [%%r2], [%%rd2], %[1]d, %%r3;\ncp.async.wait_all;\n", size, n+(size+1)*32-31, size+1, cop)
			for at := 0; at < size; at += 4 {
				body += fmt.Sprintf("ld.shared.u32 %%r4, [%%r2+%[1]d];\nst.global.u32 [%%rd3+%[1]d], %%r4;\n", at)
			}
			source, want := make([]byte, 31*size+n), make([]byte, 32*size)
			for i := range source {
				source[i] = byte(i*7 + 1)
			}
			for i := range 32 {
				copy(want[i*size:(i+1)*size], source[i*size:min(i*size+(i+n+(size+1)*32-31)%(size+1), len(source))])
			}
			for _, engine := range []string{"interp", "jit"} {
				out := make([]byte, 32*size)
				k := kernelOf(t, kit.Kernel("sm_80", 2, ".shared .align 16 .b8 dst[512];\n"+body))
				l := crosslane.Launch{Block: crosslane.Dim3{X: 32}, Engine: engine, Args: []crosslane.Arg{crosslane.Slice("source", bytes.Clone(source)), crosslane.Slice("out", out)}}
				run := (*crosslane.Kernel)(k).Run
				if engine == "interp" {
					l.Engine, run = "", (*crosslane.Kernel)(k).Check
				}
				res, err := run(t.Context(), l)
				if err != nil || len(res.Findings) > 0 {
					t.Fatalf("size %d, n %d: %v %v", size, n, err, res)
				}
				if !bytes.Equal(out, want) {
					t.Errorf("size %d, n %d, %s: %v, want %v", size, n, engine, out, want)
				}
			}
		}
	}
}
