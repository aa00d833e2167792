package difftest

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	sample "example.org/crosslane/internal/short"
)

var (
	seeds  = flag.Int("difftest.seeds", 48, "kernels to make")
	first  = flag.Uint64("difftest.first", 1, "first seed")
	asCode = flag.Bool("difftest.native", true, "run kernels on machine code, too")
	reduce = flag.Bool("difftest.reduce", true, "make kernels that differ smaller")
	plain  = flag.Int("difftest.plain", 30, "kernels in C to make, for PTX only")
	keep   = flag.String("difftest.keep", "", "folder for the kernels that differ")
)

// batch is the number of kernels in a source file, so that one compiler start serves all of them.
const batch = 6

// common returns the flags of every compilation, which fix the behaviour that C leaves open.
func common() []string {
	return []string{"-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-Xclang", "-ffloat16-excess-precision=none", "-w"}
}

// A target is one way to compile a file of kernels for a device.
type target struct {
	name string
	ext  string
	args []string
}

func targets() []target {
	var l []target
	ptx := func(level, arch, version string) {
		l = append(l, target{"ptx-" + arch + level, ".ptx", []string{"--target=nvptx64-nvidia-cuda", "-march=" + arch,
			"-Xclang", "-target-feature", "-Xclang", "+" + version, level, "-S"}})
	}
	ptx("-O0", "sm_70", "ptx63")
	ptx("-O1", "sm_50", "ptx60")
	ptx("-O2", "sm_80", "ptx70")
	ptx("-O3", "sm_90", "ptx80")
	// This target has addresses of 32 bits.
	ptx("-O1", "sm_60", "ptx64")
	short := &l[len(l)-1]
	short.name += "-m32"
	short.args[0] = "--target=nvptx-nvidia-cuda"
	short.args = append(short.args, "-DNO128")
	gcn := func(level, version string, ext string, more ...string) {
		args := []string{"--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-Xclang", "-fdenormal-fp-math-f32=ieee",
			"-mcode-object-version=" + version, level}
		l = append(l, target{"gcn3" + level, ext, append(args, more...)})
	}
	// LLVM 22's SDWA pass treats the 16-bit shift v_ashrrev_i16 v, 8 as a sign-extended byte,
	// although its users rely on zeros in the upper half. Two levels run without the pass.
	//
	// From -O2 on, LLVM 22 also leaves registers undefined for some lanes if several cases of a
	// switch join after a call: a phi of a zero-extended index has no copy on the path from the
	// cases without the call. One kernel in fifty of a long run is affected.
	plain := []string{"-mllvm", "-amdgpu-sdwa-peephole=0"}
	// With version 5 and -O0, LLVM 22 uses a null pointer as the pointer of the implicit arguments
	// if a function makes a generic pointer of a private one.
	gcn("-O0", "4", ".hsaco")
	gcn("-O1", "5", ".s", "-S")
	gcn("-O2", "5", ".hsaco", plain...)
	gcn("-O3", "4", ".s", "-S")
	gcn("-Os", "6", ".hsaco", plain...)
	return l
}

// oracle skips a test that lacks a tool, unless oracles are required.
func oracle(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// TestRandomKernels checks that kernels from a list of seeds store the same values on the devices
// as in a compilation for this machine.
func TestRandomKernels(t *testing.T) {
	sample.Skip(t, "clang compiles the kernels")
	for _, tool := range []string{"clang-22", "ld.lld-22"} {
		if _, err := exec.LookPath(tool); err != nil {
			oracle(t, "%s is not installed: no compiler to compare with", tool)
		}
	}
	inBatches(*seeds, func(seeds []uint64) {
		var l []*program
		for _, s := range seeds {
			l = append(l, newProgram(s))
		}
		testBatch(t, l)
	})
}

// inBatches calls f for the seeds, several at a time, on all processors.
func inBatches(n int, f func(seeds []uint64)) {
	var wg sync.WaitGroup
	work := make(chan []uint64)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for l := range work {
				f(l)
			}
		})
	}
	var l []uint64
	for i := range n {
		l = append(l, *first+uint64(i))
		if len(l) == batch || i == n-1 {
			work <- l
			l = nil
		}
	}
	close(work)
	wg.Wait()
}

// testBatch compares the programs of one source file on some of the targets.
func testBatch(t *testing.T, l []*program) {
	b := &bench{dir: t.TempDir(), programs: l}
	if err := b.prepare(t.Context(), nil); err != nil {
		t.Errorf("seeds %d...: %v", l[0].seed, err)
		return
	}
	all := targets()
	turn := int(l[0].seed / batch)
	ptx, gcn := all[:5], all[5:]
	seen := map[*program]bool{}
	for _, tg := range []target{ptx[turn%5], ptx[(turn+1+turn/5%4)%5], gcn[turn%5], gcn[(turn+1+turn/5%4)%5]} {
		for _, f := range b.compare(t.Context(), tg) {
			if !seen[f.program] {
				report(t, f)
			}
			seen[f.program] = true
		}
	}
}

// report describes a difference, with a smaller kernel that shows it, too.
func report(t *testing.T, f failure) {
	if !*reduce || f.program == nil {
		seed := "a file"
		if f.program != nil {
			seed = fmt.Sprint("seed ", f.program.seed)
		}
		t.Errorf("%s, %s: %v", seed, f.target.name, f.err)
		return
	}
	r, err := smaller(t, f)
	text := f.program.render(r)
	t.Errorf("seed %d, %s: %v\nsmaller: %v\n%s", f.program.seed, f.target.name, f.err, err, f.program.essence(r))
	if *keep != "" {
		name := filepath.Join(*keep, fmt.Sprintf("%d-%s.c", f.program.seed, f.target.name))
		head := fmt.Sprintf("// %s: %v\n", f.target.name, strings.ReplaceAll(err.Error(), "\n", " "))
		head += fmt.Sprintf("// %s %s\n", strings.Join(f.target.args, " "), strings.Join(f.program.features.args(), " "))
		if err := os.WriteFile(name, []byte(head+prelude()+text+hostMain([]*program{f.program})), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// A failure is a program whose results on a target differ from those on the host.
type failure struct {
	program *program // nil: the whole file
	target  target
	err     error
	kind    string
}

// A bench is a source file of programs and their results on the host.
type bench struct {
	dir      string
	features features
	source   string
	programs []*program
	in       []uint32
	want     []byte
}

// input returns the input, which is the same for every program. Half of its values are edges.
func input() []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]uint32, inSize)
	edges := []uint32{0, 1, 2, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x00800000, 0x00000001, 0x4f000000, 0xcf000000}
	for i := range in {
		switch r.IntN(4) {
		case 0:
			in[i] = edges[r.IntN(len(edges))]
		case 1:
			in[i] = uint32(r.IntN(1000)) - 500
		default:
			in[i] = r.Uint32()
		}
	}
	return in
}

// prepare writes the source, compiles it for the host and runs it there.
func (b *bench) prepare(ctx context.Context, r reduction) error {
	var w strings.Builder
	w.WriteString(prelude())
	for _, p := range b.programs {
		w.WriteString(p.render(r))
	}
	w.WriteString(hostMain(b.programs))
	b.source = filepath.Join(b.dir, "k.c")
	if err := os.WriteFile(b.source, []byte(w.String()), 0o666); err != nil {
		return err
	}
	exe := filepath.Join(b.dir, "host")
	// Optimisation is off, so that host and device share as few steps of the compiler as possible.
	args := append([]string{"-DHOST", "-O0", "-std=gnu17", "-x", "c", b.source, "-o", exe, "-lm"}, common()...)
	args = append(args, b.features.args()...)
	if err := command(ctx, args); err != nil {
		return err
	}
	b.in = input()
	c := exec.CommandContext(ctx, exe)
	c.WaitDelay = time.Second
	data, err := binary.Append(nil, binary.LittleEndian, b.in)
	if err != nil {
		return err
	}
	c.Stdin = bytes.NewReader(data)
	if b.want, err = c.Output(); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return nil
}

// command runs the compiler.
func command(ctx context.Context, args []string) error {
	out, err := exec.CommandContext(ctx, "clang-22", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("clang-22 %s: %w\n%.1200s", strings.Join(args, " "), err, out)
	}
	return nil
}

// compare runs every program of the file on a target.
func (b *bench) compare(ctx context.Context, tg target) []failure {
	file := filepath.Join(b.dir, tg.name+tg.ext)
	args := []string{"-x", "cl", "-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt"}
	if b.features.plain {
		args = append([]string{"-x", "c", "-std=gnu17", "-fno-math-errno"}, b.features.args()...)
	}
	args = append(append(append(args, b.source, "-o", file), tg.args...), common()...)
	if err := command(ctx, args); err != nil {
		if b.features.plain && strings.Contains(err.Error(), "error in backend") {
			// LLVM 22 fails on some programs with short pointers or with f16 in a wide register.
			return nil
		}
		return []failure{{target: tg, err: err, kind: "compiler"}}
	}
	m, err := crosslane.LoadFile(file)
	if err != nil {
		return []failure{{target: tg, err: err, kind: "load"}}
	}
	if err := static(m); err != nil {
		return []failure{{target: tg, err: err, kind: "static"}}
	}
	var l []failure
	want := b.want
	for _, p := range b.programs {
		n := p.outSize()
		out, acc := want[:8*n], want[8*n:8*n+4*accSize]
		want = want[8*n+4*accSize:]
		kind, err := b.compareOne(ctx, tg, m, p, out, acc)
		if err != nil && tg.name == "gcn3-O0" && strings.Contains(err.Error(), "[bad-call]") {
			// With -O0, LLVM 22 branches over more than 128 KB through s[30:31], which hold the
			// return address.
			continue
		}
		if err != nil {
			l = append(l, failure{p, tg, err, kind})
		}
	}
	return l
}

// static checks a module without a launch. Compiled code must violate no rule, above all about
// waits. A file that cannot be checked in this way is no error.
func static(m *crosslane.Module) error {
	reports, err := m.CheckStatic()
	if err != nil && diag.Of(err)[0].Class == diag.Unsupported {
		return nil
	}
	for _, r := range reports {
		if err == nil {
			err = r.Findings.Err()
		}
	}
	return err
}

// compareOne runs a program on the interpreter, and unless -difftest.native=false on every engine.
func (b *bench) compareOne(ctx context.Context, tg target, m *crosslane.Module, p *program, wantOut, wantAcc []byte) (string, error) {
	for _, how := range Choices() {
		if how.Schedule = p.schedule(); how.Workers > 1 || how.Engine != "interp" && (how.Schedule != "" || !*asCode) {
			continue // the interpreter also runs lanes in orders other than the usual one
		}
		if kind, err := b.compareOn(ctx, how, tg, m, p, wantOut, wantAcc); kind != "" {
			if how.Engine != "interp" {
				kind, err = fmt.Sprintf("%s on %s %s", kind, how.Engine, how.Native), fmt.Errorf("%s %s: %w", how.Engine, how.Native, err)
			}
			return kind, err
		}
	}
	return "", nil
}

// compareOn runs a program on one engine.
func (b *bench) compareOn(ctx context.Context, how crosslane.Launch, tg target, m *crosslane.Module, p *program, wantOut, wantAcc []byte) (string, error) {
	k, err := m.Kernel(p.name)
	if err != nil {
		return "kernel", err
	}
	out, acc := make([]uint64, p.outSize()), make([]uint32, accSize)
	for i := range acc {
		acc[i] = 0x1234567 * uint32(i)
	}
	how.Grid = crosslane.Dim3{X: uint32(p.grid[0]), Y: uint32(p.grid[1])}
	how.Block = crosslane.Dim3{X: uint32(p.block[0]), Y: uint32(p.block[1])}
	how.Args = []crosslane.Arg{crosslane.Slice("in", slices.Clone(b.in)), crosslane.Slice("out", out), crosslane.Slice("acc", acc), crosslane.Int(int64(p.n))}
	how.Timeout = time.Minute
	res, err := k.Run(ctx, how)
	if err != nil {
		kind := "error"
		if l := diag.Of(err); p.features.dynamic && tg.ext != ".ptx" && l.ExitCode() == diag.Unsupported.ExitCode() {
			// Calls with a computed target are refused by name as unsupported on GCN3.
			return "", nil
		} else if slices.Contains(tg.args, "--target=nvptx-nvidia-cuda") && l.ExitCode() == diag.Unsupported.ExitCode() {
			// Generic addresses of private memory are refused by name as unsupported if they have
			// 32 bits.
			return "", nil
		}
		for _, d := range diag.Of(err) {
			kind += " " + d.Code
		}
		return kind, err
	}
	if len(res.Findings) > 0 {
		return "finding " + res.Findings[0].Code, res.Findings[0]
	}
	for i, v := range out {
		if w := binary.LittleEndian.Uint64(wantOut[8*i:]); v != w {
			return "value", fmt.Errorf("out[%d] (lane %d, value %d) = %#x, want %#x", i, i/(len(p.outs)+1), i%(len(p.outs)+1), v, w)
		}
	}
	for i, v := range acc {
		if w := binary.LittleEndian.Uint32(wantAcc[4*i:]); v != w {
			return "value", fmt.Errorf("acc[%d] = %#x, want %#x", i, v, w)
		}
	}
	return "", nil
}

// smaller leaves out the parts of a program that its failure does not need. The error is that of
// the smaller program.
func smaller(t *testing.T, f failure) (reduction, error) {
	r, last := reduction{}, f.err
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	b := &bench{dir: t.TempDir(), features: f.program.features, programs: []*program{f.program}}
	fails := func(r reduction) bool {
		if err := b.prepare(ctx, r); err != nil {
			return false
		}
		l := b.compare(ctx, f.target)
		if len(l) != 1 || l[0].kind != f.kind {
			return false
		}
		last = l[0].err
		return true
	}
	if !fails(r) {
		return r, last // the program does not fail alone
	}
	for _, stmts := range []bool{true, false, false} {
		for changed := true; changed && ctx.Err() == nil; {
			changed = false
			var all []*node
			roots := append([]*node(nil), f.program.outs...)
			for _, ph := range f.program.phases {
				roots = append(roots, ph.body...)
			}
			for _, fn := range f.program.funcs {
				roots = append(append(roots, fn.body...), fn.out)
			}
			for _, n := range roots {
				n.walk(r, func(n *node) {
					if n.stmt == stmts && r[n.id] == 0 && (stmts || len(n.kids) > 0) {
						all = append(all, n)
					}
				})
			}
			for _, n := range all {
				for _, how := range []int{dropped, operand} {
					if n.stmt && how == operand || r[n.id] != 0 {
						continue
					}
					next := maps.Clone(r)
					next[n.id] = how
					if fails(next) {
						r, changed = next, true
					}
				}
			}
			if !stmts {
				break
			}
		}
	}
	return r, last
}

// TestProgramsAreTheirSeeds checks that a kernel depends only on its seed.
func TestProgramsAreTheirSeeds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		if a, b := newProgram(seed).render(nil), newProgram(seed).render(nil); a != b {
			t.Errorf("seed %d gives two kernels", seed)
		}
		f := features{plain: true, wide: seed%2 == 0}
		if a, b := makeProgram(seed, f).render(nil), makeProgram(seed, f).render(nil); a != b {
			t.Errorf("seed %d gives two kernels in C", seed)
		}
	}
}
