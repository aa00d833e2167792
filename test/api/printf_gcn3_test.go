package api_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// printKernel prints with OpenCL's printf. __printf_alloc is the function of device libraries;
// INDEX is the place in the hidden arguments that holds the buffer's address.
const printKernel = `
int printf(__constant const char *, ...);
__global char *__printf_alloc(uint bytes) {
  __global char *p = (__global char *)((__constant ulong *)__builtin_amdgcn_implicitarg_ptr())[INDEX];
  uint size = ((__global uint *)p)[1];
  uint old = *(volatile __global uint *)p;
  for (;;) {
    if (8 + old + bytes > size) return 0;
    uint was = old;
    if (__opencl_atomic_compare_exchange_strong((__global atomic_uint *)p, &was, old + bytes, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)) break;
    old = was;
  }
  return p + 8 + old;
}
__kernel void print(__global int *out, int a, float f) {
  int i = __builtin_amdgcn_workitem_id_x();
  if (i % 40 == 0) {
    printf("%d: %5.2f|%s|%c|%u|%x\n", i + a, f, "text", 'q', -1, 255);
    printf("bare\t%%\n");
  }
  if (i == 80) {
    printf("%v4d %v2f %v3hhx %v8hd\n", (int4)(1, -2, 3, 4), (float2)(0.5f, -1.5f), (uchar3)(1, 2, 255), (short8)(1, -1, 2, 3, 4, 5, 6, 7));
    printf("%ld %lu %e %g\n", -5L, ~0UL, 12345.678f, 1.0 / 3.0);
    printf("a:5 \\ \"%-6s|%.2s|%p\n", "ab", "xyz", (__global void *)0);
  }
  out[i] = i;
}
__kernel void wide(__global int *out) {
  for (int j = 0; j < 5; j++) printf("%65535d\n", j);
  out[0] = 1;
}
__kernel void fill(__global int *out) {
  for (int j = 0; j < 300; j++) printf("%v16d\n", (int16)(j));
  out[0] = 1;
}
`

func compileCL(t *testing.T, source string, version int, args ...string) []byte {
	t.Helper()
	short.Skip(t, "clang compiles the kernels")
	clang, err := exec.LookPath("clang-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("clang-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("clang-22 is not installed")
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, "k.cl"), filepath.Join(dir, "k.co")
	if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-w",
		fmt.Sprintf("-mcode-object-version=%d", version), "-o", out, src}, args...)
	if b, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		t.Fatalf("clang-22: %v\n%s", err, b)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func runCL(t *testing.T, data []byte, kernel string, lanes uint32, args ...crosslane.Arg) (*crosslane.Result, error) {
	t.Helper()
	m, err := crosslane.Load(data, "k.co", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	return k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: lanes}, Args: args})
}

// The texts that kernels print with OpenCL's printf, in every version of code objects.
func TestPrintfGCN3(t *testing.T) {
	t.Parallel()
	line := func(i int) string { return fmt.Sprintf("%d: %5.2f|text|q|4294967295|ff\nbare\t%%\n", i+1000, 2.25) }
	last := "1,-2,3,4 0.500000,-1.500000 1,2,ff 1,-1,2,3,4,5,6,7\n-5 18446744073709551615 1.234568e+04 0.333333\na:5 \\ \"ab    |xy|(nil)\n"
	for version, level := range map[int]string{4: "-O0", 5: "-O1", 6: "-O2"} { // -O0 for version 4 only: Errata E107
		index := "-DINDEX=9"
		if version == 4 {
			index = "-DINDEX=3"
		}
		data := compileCL(t, printKernel, version, level, index)
		out := make([]int32, 100)
		res, err := runCL(t, data, "print", 100, crosslane.Slice("out", out), crosslane.Int(1000), crosslane.Float(2.25))
		if err != nil {
			t.Fatalf("version %d, %s: %v", version, level, err)
		}
		// Lanes print in an order of the scheduler's; each call's text is in one piece.
		for _, want := range append(strings.SplitAfter(line(0)+line(40)+line(80)+last, "\n"), "1,-2,3,4 0.5") {
			if !strings.Contains(res.Output, want) {
				t.Fatalf("version %d, %s: the kernel prints\n%s\nwithout\n%s", version, level, res.Output, want)
			}
		}
		if n := strings.Count(res.Output, "\n"); n != 9 {
			t.Errorf("version %d, %s: %d lines\n%s", version, level, n, res.Output)
		}
		if out[99] != 99 || len(res.Findings) != 0 {
			t.Errorf("version %d, %s: %v", version, level, res.Findings)
		}
	}
}

// A full buffer, and a service that is not provided, are reported; a kernel that requests an
// address and does not use it runs.
func TestPrintfGCN3Limits(t *testing.T) {
	t.Parallel()
	data := compileCL(t, printKernel, 5, "-O1", "-DINDEX=9")
	out := make([]int32, 1)
	res, err := runCL(t, data, "fill", 256, crosslane.Slice("out", out))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Findings) != 1 || res.Findings[0].Code != "bad-printf" || !strings.Contains(res.Findings[0].Message, "the printf buffer is full") {
		t.Errorf("76,800 lines: %v", res.Findings)
	}
	if n := strings.Count(res.Output, "\n"); n != (4<<20-16)/68 {
		t.Errorf("%d lines", n)
	}
	// 1280 lines of 64 KiB.
	res, err = runCL(t, data, "wide", 256, crosslane.Slice("out", out))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Findings) != 1 || res.Findings[0].Code != "bad-printf" || !strings.Contains(res.Findings[0].Message, "there is too much text: the records from byte 8192 of the printf buffer on, which holds 10240, are left out") {
		t.Errorf("80 MiB: %v", res.Findings)
	}
	if len(res.Output) != 64<<20 {
		t.Errorf("%d bytes", len(res.Output))
	}
	// The 8th hidden argument of version 4 and later is the host calls' buffer.
	hostcall := `__kernel void ask(__global ulong *out, int use) {
  __global ulong *p = (__global ulong *)((__constant ulong *)__builtin_amdgcn_implicitarg_ptr())[INDEX];
  out[0] = (ulong)p;
  if (use) out[1] = *p;
}`
	for what, index := range map[string]string{"hidden_hostcall_buffer": "-DINDEX=10", "hidden_heap_v1": "-DINDEX=12", "hidden_printf_buffer": "-DINDEX=9"} {
		data := compileCL(t, hostcall, 5, "-O1", index)
		ask := make([]uint64, 2)
		_, err := runCL(t, data, "ask", 1, crosslane.Slice("out", ask), crosslane.Int(0))
		if what == "hidden_printf_buffer" { // the argument is there only in files that print
			if err != nil || ask[0] != 0 {
				t.Errorf("%s: %#x, %v", what, ask[0], err)
			}
			continue
		}
		if err != nil || ask[0] == 0 {
			t.Errorf("%s, not used: address %#x, %v", what, ask[0], err)
		}
		_, err = runCL(t, data, "ask", 1, crosslane.Slice("out", ask), crosslane.Int(1))
		list := diag.Of(err)
		if len(list) != 1 || list[0].Code != "not-provided" || list[0].Class != diag.Unsupported || !strings.Contains(err.Error(), what) {
			t.Errorf("%s, used: %v", what, err)
		}
	}
}
