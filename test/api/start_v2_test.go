package api_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"example.org/crosslane"
)

// The registers of kernels of code object version 2, whose code is
// codeobject/testdata/v2.s: s12, s13 flat scratch, s14 private size, s15 the number of
// workgroups (those in y and z are beyond the 16th register), s16 to s18 workgroup, s19
// its info.
func TestStartV2(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("codeobject/testdata/v2.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("file", func(t *testing.T) { startV2(t, data) })
	text, err := crosslane.Disassemble(data, "v2.co")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(text, ".amd_kernel_code_t\n") != 2 {
		t.Errorf("the kernels' structures are not printed:\n%s", text)
	}
	again, l := crosslane.Assemble([]byte(text), "v2.s", crosslane.AsmOptions{})
	if again == nil {
		t.Fatal(l)
	}
	t.Run("disassembled and assembled", func(t *testing.T) { startV2(t, again) })
	t.Run("text", func(t *testing.T) { startV2(t, []byte(text)) })
}

func startV2(t *testing.T, data []byte) {
	m, err := crosslane.Load(data, "v2.co", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, grid crosslane.Dim3, args ...crosslane.Arg) []uint32 {
		t.Helper()
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, 16*1024)
		args = append([]crosslane.Arg{crosslane.Slice("out", out)}, args...)
		if _, err := k.Run(context.Background(), crosslane.Launch{Grid: grid, Block: crosslane.Dim3{X: 5, Y: 3, Z: 2}, Args: args}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	check := func(out []uint32, n, row int, want uint32) {
		t.Helper()
		if got := out[row*1024+n]; got != want {
			t.Fatalf("work-item %d: value %d is %#x, want %#x", n, row, got, want)
		}
	}
	out := run("all", crosslane.Dim3{X: 4})
	for n := range 120 {
		l, g := n%30, uint32(n/30)
		for row, w := range []uint32{0, 40, 40, 4, g, 0, 0, 1 | 1<<31, 20, 1, uint32(l % 5), uint32(l / 5 % 3), uint32(l / 15)} {
			check(out, n, row, w)
		}
	}
	out = run("counts", crosslane.Dim3{X: 2, Y: 3, Z: 4}, crosslane.Int(200), crosslane.Int(77777))
	for n := range 60 {
		for row, w := range []uint32{2, 3, 4, 200, 77777} {
			check(out, n, row, w)
		}
	}
}
