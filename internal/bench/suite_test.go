package bench

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/genexamples"
	"example.org/crosslane/internal/short"
)

// TestSuite checks that every kernel has the results of plain Go on every available engine, with
// the same counts, and that a check finds a result with one wrong bit.
func TestSuite(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for i, k := range Suite() {
		names[k.Name] = true
		if !short.Every(i, 5) {
			continue
		}
		t.Run(k.ID(), func(t *testing.T) {
			t.Parallel()
			kernel, err := k.Load()
			if err != nil {
				t.Fatal(err)
			}
			// These are the least size, and one with so many blocks that several waves start at the
			// same time.
			sizes := []int{k.Min, k.Min}
			for range 12 {
				if g := k.Work(sizes[1]).Grid; g.X*max(g.Y, 1) >= 256 {
					break
				}
				sizes[1] *= 2
			}
			if !strings.HasPrefix(k.ID(), "launch") {
				onAll(t, k, kernel, sizes[1])
			}
			onAll(t, k, kernel, sizes[0])
		})
	}
	if len(names) < 20 {
		t.Errorf("%d kernels; 20 at least", len(names))
	}
}

// onAll runs a kernel at one size.
func onAll(t *testing.T, k *Kernel, kernel *crosslane.Kernel, n int) {
	t.Helper()
	counts := map[string]crosslane.Stats{}
	for _, engine := range []string{"interp", "jit-avx2", "jit-avx512"} {
		w := k.Work(n)
		name, native := EngineOf(engine)
		res, err := kernel.Run(t.Context(), crosslane.Launch{Grid: w.Grid, Block: w.Block, Args: w.Args, Engine: name, Native: native, Workers: 1})
		if err != nil && engine != "interp" && diag.Of(err)[0].Code == "bad-engine" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Findings) > 0 {
			t.Errorf("%s: finding: %v", engine, res.Findings[0])
		}
		if err := w.Check(); err != nil {
			t.Errorf("%s: %v", engine, err)
			continue
		}
		counts[engine] = res.Stats
		if c := counts["interp"]; c.WarpInstructions != res.Stats.WarpInstructions || c.LaneInstructions != res.Stats.LaneInstructions {
			t.Errorf("%s counts %d and %d instructions, the interpreter %d and %d", engine,
				res.Stats.WarpInstructions, res.Stats.LaneInstructions, c.WarpInstructions, c.LaneInstructions)
		}
		for _, b := range res.Buffers {
			if !b.Written {
				continue
			}
			// Some floats are compared with a tolerance, so the exponent is changed.
			b.Data[3] ^= 0x10
			if w.Check() == nil {
				t.Errorf("the check does not see that an element of %s is wrong", b.Name)
			}
		}
	}
}

// TestKernelsAreCurrent checks that the committed kernels are the output of the examples' compiler
// for the sources.
func TestKernelsAreCurrent(t *testing.T) {
	t.Parallel()
	short.Skip(t, "clang compiles the kernels")
	skip := t.Skipf
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		skip = t.Fatalf
	}
	recorded, err := os.ReadFile("../../examples/" + genexamples.CompilerFile)
	if err != nil {
		t.Fatal(err)
	}
	version, err := genexamples.Compiler(t.Context())
	if errors.Is(err, exec.ErrNotFound) {
		skip("no compiler to make the kernels again: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(recorded)); version != want {
		skip("the kernels were made by %q; here is %q", want, version)
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "sh", "kernels/gen.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := kernels.ReadDir("kernels")
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != len(committed) {
		t.Errorf("%d files are made, %d are committed", len(made), len(committed))
	}
	for _, f := range made {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := kernels.ReadFile("kernels/" + f.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the compiler makes: run go generate ./internal/bench (%v)", f.Name(), err)
		}
	}
}

// TestSample checks that a sample is in order, has both ends, and is not too large.
func TestSample(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 63, 64, 65, 20000, 1 << 20} {
		for _, cost := range []int{1, 100, 1 << 20} {
			count, last := 0, -1
			for i := range sample(n, cost) {
				if i <= last || i >= n {
					t.Fatalf("sample(%d, %d): %d behind %d", n, cost, i, last)
				}
				count, last = count+1, i
			}
			if n > 0 && (last != n-1 || count < min(n, 256-64)) || count > max(checked/cost, 256) {
				t.Errorf("sample(%d, %d): %d numbers, the last %d", n, cost, count, last)
			}
		}
	}
}

// TestFMA32 checks that fma32 rounds once. It uses sums that are exact in f64, and ties that are
// not.
func TestFMA32(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]float32{
		{3, 4, 5, 17},
		{0x1.000002p0, 0x1.000002p0, -0x1.000004p0, 0x1p-46},
		// The product is half a unit in the last place, except for a small part that f64's sum
		// drops.
		{0x1.000002p-12, 0x1.fffffcp-13, 0x1.000002p0, 0x1.000002p0},
		{-0x1.000002p-12, 0x1.fffffcp-13, -0x1.000002p0, -0x1.000002p0},
	} {
		if got := fma32(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("fma32(%x, %x, %x) is %x, want %x", c[0], c[1], c[2], got, c[3])
		}
	}
}
