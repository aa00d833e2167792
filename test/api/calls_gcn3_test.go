package api_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

const callsKernel = `
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
struct s1 { uchar a; };
struct s2 { ushort a; };
struct s4 { uchar a, b; ushort c; };
struct s8 { uint a; ushort b; uchar c, d; };
__kernel void structs(__global ulong *out, struct s1 p, struct s2 q, struct s4 r, struct s8 s, ulong t) {
  out[0] = p.a; out[1] = q.a; out[2] = r.a; out[3] = r.b; out[4] = r.c;
  out[5] = s.a; out[6] = s.b; out[7] = s.c; out[8] = s.d; out[9] = t;
}
typedef uint (*op)(uint);
static uint even(uint n);
static uint odd(uint n);
__constant op again[2] = {even, odd}; // OpenCL has no recursion otherwise
__attribute__((noinline)) static uint even(uint n) {
  volatile uint a[64];
  for (int i = 0; i < 64; i++) a[i] = n + i;
  uint below = n ? again[(n - 1) % 2](n - 1) : 0;
  return below + a[n % 64] - n % 64;
}
__attribute__((noinline)) static uint odd(uint n) {
  volatile uint a[32];
  for (int i = 0; i < 32; i++) a[i] = 2 * n + i;
  return again[(n - 1) % 2](n - 1) + a[n % 32] - n % 32;
}
__kernel void recurse(__global uint *out, uint n) {
  uint i = __builtin_amdgcn_workitem_id_x();
  out[i] = again[(n + i) % 2](n + i);
}
__attribute__((noinline)) static uint add(uint a) { return a + 1000; }
__attribute__((noinline)) static uint twice(uint a) { return a * 2; }
__attribute__((noinline)) static uint flip(uint a) { return ~a; }
__constant op table[3] = {add, twice, flip};
__kernel void choose(__global uint *out) {
  uint i = __builtin_amdgcn_workitem_id_x();
  out[i] = table[i % 3](i);
}
`

// A structure by value is a buffer of its bytes, of 1, 2, 4 and 8 bytes too; a number of
// 8 bytes stays an address.
func TestStructuresGCN3(t *testing.T) {
	t.Parallel()
	data := compileCL(t, callsKernel, 6, "-O1")
	out := make([]uint64, 10)
	args := []crosslane.Arg{crosslane.Slice("out", out), crosslane.Slice("p", []uint8{0x11}), crosslane.Slice("q", []uint8{0x22, 0x33}),
		crosslane.Slice("r", []uint8{0x44, 0x55, 0x66, 0x77}), crosslane.Slice("s", []uint32{0x8899aabb, 0xff11ccdd}), crosslane.Slice("t", []uint64{0x1234567})}
	if _, err := runCL(t, data, "structs", 1, args...); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{0x11, 0x3322, 0x44, 0x55, 0x7766, 0x8899aabb, 0xccdd, 0x11, 0xff} {
		if out[i] != want {
			t.Errorf("member %d is %#x, want %#x", i, out[i], want)
		}
	}
	if out[9] == 0 || out[9] == 0x1234567 {
		t.Errorf("the buffer for a ulong gives %#x, want its address", out[9])
	}
	args[3] = crosslane.Slice("r", []uint8{1, 2, 3})
	if _, err := runCL(t, data, "structs", 1, args...); err == nil || !strings.Contains(err.Error(), "argument 4: the buffer has 3 bytes, the parameter 4") {
		t.Errorf("3 bytes for a structure of 4: %v", err)
	}
	// Files that HIP makes name no types.
	untold := bytes.Replace(data, []byte("struct s4"), []byte("something"), 1)
	args[3] = crosslane.Slice("r", []uint8{1, 2, 3, 4})
	if _, err := runCL(t, untold, "structs", 1, args...); err != nil || out[2] != 1 || out[3] != 2 || out[4] != 0x403 {
		t.Errorf("a structure of unknown type is %#x, %v", out[2:5], err)
	}
	args[3] = crosslane.Slice("r", []uint8{1, 2, 3})
	if _, err := runCL(t, untold, "structs", 1, args...); err == nil || !strings.Contains(diag.Of(err)[0].Remedy, "give a scalar of 4 bytes, or if it is a structure, a buffer of 4 bytes") {
		t.Errorf("3 bytes for a structure of unknown type: %v", err)
	}
}

// A kernel whose calls need a stack of unknown size (USES_DYNAMIC_STACK) has Launch.Stack bytes a
// lane, 64 KiB by default.
func TestDynamicStackGCN3(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load(compileCL(t, callsKernel, 6, "-O1"), "k.co", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("recurse")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		depth int64
		stack uint32
		fits  bool // frames have 256 and 128 bytes, and some
	}{{50, 0, true}, {400, 0, false}, {400, 512 << 10, true}, {50, 4096, false}} {
		out := make([]uint32, 70)
		_, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 70}, Stack: c.stack, Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(c.depth)}})
		if !c.fits {
			if err == nil || diag.Of(err)[0].Class != diag.Fault {
				t.Errorf("depth %d, %d bytes: %v", c.depth, c.stack, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("depth %d, %d bytes: %v", c.depth, c.stack, err)
			continue
		}
		for i, got := range out {
			n := uint32(c.depth) + uint32(i)
			want := uint32(0)
			for l := range n + 1 { // an even level adds its number, an odd one twice that
				want += l << (l % 2)
			}
			if got != want {
				t.Fatalf("depth %d: lane %d has %d, want %d", c.depth, i, got, want)
			}
		}
	}
}

// Functions that only a table names are found without the file's symbols.
func TestFunctionTableGCN3(t *testing.T) {
	t.Parallel()
	data := compileCL(t, callsKernel, 6, "-O1")
	file := filepath.Join(t.TempDir(), "k.co")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	strip, err := exec.LookPath("llvm-strip-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("llvm-strip-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("llvm-strip-22 is not installed")
	}
	if b, err := exec.Command(strip, file).CombinedOutput(); err != nil {
		t.Fatalf("llvm-strip-22: %v\n%s", err, b)
	}
	stripped, err := os.ReadFile(file)
	if err != nil || len(stripped) >= len(data) {
		t.Fatal("nothing was stripped", err)
	}
	for name, data := range map[string][]byte{"whole": data, "stripped": stripped} {
		out := make([]uint32, 100)
		if _, err := runCL(t, data, "choose", 100, crosslane.Slice("out", out)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, got := range out {
			if want := [3]uint32{uint32(i) + 1000, uint32(i) * 2, ^uint32(i)}[i%3]; got != want {
				t.Fatalf("%s: lane %d has %#x, want %#x", name, i, got, want)
			}
		}
	}
}
