package nvvm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/driver/request"
)

// dialects are the two forms of pointers, each with the tools that read it.
var dialects = []struct {
	name   string
	opaque bool
}{{"typed", false}, {"opaque", true}}

// requireTools skips a test where LLVM is missing.
func requireTools(t *testing.T, opaque bool) {
	t.Helper()
	if _, err := findTools(packages, opaque); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

var pointer = regexp.MustCompile(`(?:float|double|i\d+)\*|void \([^()]*\)\*`)

// inDialect writes a module, in which pointers have types, with opaque ones.
func inDialect(text string, opaque bool) []Module {
	if opaque {
		text = pointer.ReplaceAllString(text, "ptr")
	}
	return []Module{{Name: "m", Data: []byte(text)}}
}

// numba is how modules of Numba begin and end.
const (
	numbaHead = `target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"

declare i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
`
	numbaTail = `
!nvvm.annotations = !{!0}
!nvvmir.version = !{!1}
!1 = !{i32 1, i32 6, i32 3, i32 0}
`
)

// launch runs the kernel k of one warp with an output of n words.
func launch(t *testing.T, ptx []byte, n int) []uint32 {
	t.Helper()
	m, err := crosslane.Load(ptx, "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, ptx)
	}
	d, err := crosslane.NewDevice("sm_120", crosslane.DeviceOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	module, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := module.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint32, n)
	out, err := crosslane.Upload(d, "out", data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Launch(t.Context(), k, crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{out}}); err != nil {
		t.Fatalf("%v\n%s", err, ptx)
	}
	if err := crosslane.Download(d, data, out); err != nil {
		t.Fatal(err)
	}
	d.Free(out)
	for _, f := range d.Close() {
		t.Errorf("%s", f.Message)
	}
	return data
}

// A call of an intrinsic of NVVM, and what lane i gets from it, by the words of the manual of PTX.
var intrinsicCalls = []struct {
	name, result, args string
	want               func(i uint32) uint32 // the 32 bits, and the truth value in bit 31 where there is one
}{
	{"shfl.sync.i32", "pair", "i32 -1, i32 %mode0, i32 %square, i32 5, i32 31", func(uint32) uint32 { return pair(5*5+7, true) }},
	// Lanes of 8: the lane below has to be in the same eight lanes.
	{"shfl.sync.i32", "pair", "i32 -1, i32 %mode1, i32 %square, i32 3, i32 6144", func(i uint32) uint32 {
		if i%8 < 3 {
			return pair(i*i+7, false)
		}
		return pair((i-3)*(i-3)+7, true)
	}},
	{"shfl.sync.i32", "pair", "i32 -1, i32 %mode2, i32 %square, i32 30, i32 31", func(i uint32) uint32 {
		if i+30 > 31 {
			return pair(i*i+7, false)
		}
		return pair((i+30)*(i+30)+7, true)
	}},
	{"shfl.sync.i32", "pair", "i32 -1, i32 %mode3, i32 %square, i32 9, i32 31", func(i uint32) uint32 { return pair((i^9)*(i^9)+7, true) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode0, i1 %third", func(uint32) uint32 { return pair(0, false) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode1, i1 %third", func(uint32) uint32 { return pair(0, true) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode2, i1 %third", func(uint32) uint32 { return pair(0, false) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode2, i1 %small", func(uint32) uint32 { return pair(0, true) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode0, i1 %small", func(uint32) uint32 { return pair(0, true) }},
	{"vote.sync", "pair", "i32 -1, i32 %mode3, i1 %low", func(uint32) uint32 { return pair(0x7ff, false) }},
	{"match.any.sync.i32", "i32", "i32 -1, i32 %half", func(i uint32) uint32 { return 3 << (i &^ 1) }},
	{"match.any.sync.i64", "i32", "i32 -1, i64 %high", func(i uint32) uint32 { return uint32(0xf) << (i &^ 3) }},
	{"match.all.sync.i32", "pair", "i32 -1, i32 %half", func(uint32) uint32 { return pair(0, false) }},
	{"match.all.sync.i32", "pair", "i32 -1, i32 %mode3", func(uint32) uint32 { return pair(1<<31-1, true) }},
	// The low halves are equal and the high halves are not.
	{"match.all.sync.i64", "pair", "i32 -1, i64 %high", func(uint32) uint32 { return pair(0, false) }},
	{"match.all.sync.i64", "pair", "i32 -1, i64 77", func(uint32) uint32 { return pair(1<<31-1, true) }},
}

func pair(v uint32, p bool) uint32 {
	if p {
		return v&(1<<31-1) | 1<<31
	}
	return v & (1<<31 - 1)
}

// intrinsicsModule writes a kernel with all calls. The modes are loaded from variables, as they are in modules of Numba,
// which nothing has optimised.
func intrinsicsModule() string {
	var b strings.Builder
	b.WriteString(numbaHead)
	types := map[string]string{
		"shfl.sync.i32": "i32, i32, i32, i32, i32", "vote.sync": "i32, i32, i1", "match.any.sync.i32": "i32, i32", "match.any.sync.i64": "i32, i64",
		"match.all.sync.i32": "i32, i32", "match.all.sync.i64": "i32, i64",
	}
	for name, args := range types {
		result := "{i32, i1}"
		if strings.HasPrefix(name, "match.any") {
			result = "i32"
		}
		fmt.Fprintf(&b, "declare %s @\"llvm.nvvm.%s\"(%s)\n", result, name, args)
	}
	b.WriteString("define void @k(i32* %out) {\n  %i = call i32 @\"llvm.nvvm.read.ptx.sreg.tid.x\"()\n")
	for mode := range 4 {
		fmt.Fprintf(&b, "  %%at%d = alloca i32\n  store i32 %d, i32* %%at%[1]d\n  %%mode%[1]d = load i32, i32* %%at%[1]d\n", mode, mode)
	}
	b.WriteString(`  %ii = mul i32 %i, %i
  %square = add i32 %ii, 7
  %rest = urem i32 %i, 3
  %third = icmp eq i32 %rest, 0
  %small = icmp ult i32 %i, 1000
  %low = icmp ult i32 %i, 11
  %half = lshr i32 %i, 1
  %quarter = lshr i32 %i, 2
  %wide = zext i32 %quarter to i64
  %high = shl i64 %wide, 40
`)
	for n, c := range intrinsicCalls {
		value := fmt.Sprintf("%%r%d", n)
		if c.result == "pair" {
			fmt.Fprintf(&b, "  %%s%[1]d = call {i32, i1} @\"llvm.nvvm.%[2]s\"(%[3]s)\n  %%v%[1]d = extractvalue {i32, i1} %%s%[1]d, 0\n  %%p%[1]d = extractvalue {i32, i1} %%s%[1]d, 1\n", n, c.name, c.args)
			fmt.Fprintf(&b, "  %%z%[1]d = zext i1 %%p%[1]d to i32\n  %%h%[1]d = shl i32 %%z%[1]d, 31\n  %%l%[1]d = and i32 %%v%[1]d, 2147483647\n  %%r%[1]d = or i32 %%l%[1]d, %%h%[1]d\n", n)
		} else {
			fmt.Fprintf(&b, "  %s = call i32 @\"llvm.nvvm.%s\"(%s)\n", value, c.name, c.args)
		}
		fmt.Fprintf(&b, "  %%j%[1]d = add i32 %%i, %[2]d\n  %%a%[1]d = getelementptr i32, i32* %%out, i32 %%j%[1]d\n  store i32 %%r%[1]d, i32* %%a%[1]d\n", n, 32*n)
	}
	b.WriteString("  ret void\n}\n!0 = !{void (i32*)* @k, !\"kernel\", i32 1}" + numbaTail)
	return b.String()
}

// The intrinsics that LLVM does not have give what the manual says, with and without optimisation.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range intrinsicCalls {
		names[regexp.QuoteMeta(c.name)] = true
	}
	for _, name := range defined {
		if !names[name] && !regexp.MustCompile(`^(sqrt|fmax|fmin|__nv_fast_)`).MatchString(name) {
			t.Errorf("no case calls %s", name)
		}
	}
	for _, d := range dialects {
		for _, options := range [][]string{{"-arch=compute_80"}, {"-arch=compute_70", "-opt=0", "-g"}} {
			t.Run(d.name+strings.Join(options, ""), func(t *testing.T) {
				t.Parallel()
				requireTools(t, d.opaque)
				ptx, err := Compile(t.Context(), inDialect(intrinsicsModule(), d.opaque), options)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(ptx), ".func") {
					t.Errorf("a definition is left in the PTX:\n%s", ptx)
				}
				got := launch(t, ptx, 32*len(intrinsicCalls))
				for n, c := range intrinsicCalls {
					for i := range uint32(32) {
						if g, w := got[32*n+int(i)], c.want(i); g != w {
							t.Errorf("%s(%s), lane %d: 0x%08x, want 0x%08x", c.name, c.args, i, g, w)
						}
					}
				}
			})
		}
	}
}

// Several modules are linked; of a lazy one only what is needed. A module without functions, such as that in place
// of libdevice, may be there, too.
func TestLink(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			requireTools(t, d.opaque)
			modules := slices.Concat(
				inDialect(numbaHead+`declare i32 @double(i32)
declare i32 @lazy(i32)
define void @k(i32* %out) {
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %d = call i32 @double(i32 %i)
  %l = call i32 @lazy(i32 %d)
  %b = call i32 @__nv_brev(i32 %l)
  %a = getelementptr i32, i32* %out, i32 %i
  store i32 %b, i32* %a
  ret void
}
declare i32 @__nv_brev(i32)
!0 = !{void (i32*)* @k, !"kernel", i32 1}`+numbaTail, d.opaque),
				inDialect(numbaHead+"define linkonce_odr i32 @double(i32 %x) { \n %r = shl i32 %x, 1\n ret i32 %r\n}\n", d.opaque),
				inDialect("; empty\n", d.opaque),
				inDialect("\ndefine i32 @lazy(i32 %x) {\n %r = add i32 %x, 3\n ret i32 %r\n}\n\ndefine i32 @unused(i32 %x) {\n ret i32 %x\n}\n", d.opaque))
			modules[3].Lazy = true
			for _, options := range [][]string{{"-arch=compute_75"}, {"-arch=compute_75", "-opt=0"}} {
				ptx, err := Compile(t.Context(), modules, options)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(ptx), "unused") || !strings.Contains(string(ptx), ".target sm_75") {
					t.Errorf("%s", ptx)
				}
				for i, got := range launch(t, ptx, 32) {
					if want := bits.Reverse32(uint32(2*i + 3)); got != want {
						t.Errorf("lane %d: 0x%x, want 0x%x", i, got, want)
					}
				}
			}
		})
	}
}

// arithmetic is a kernel whose instructions depend on the options.
const arithmetic = numbaHead + `define void @k(float* %p, float %a, float %b) {
  %d = fdiv float %a, %b
  %s = call float @llvm.sqrt.f32(float %b)
  %m = fmul float %d, %s
  %f = fadd float %m, %a
  store float %f, float* %p
  ret void
}
declare float @llvm.sqrt.f32(float)
!0 = !{void (float*, float, float)* @k, !"kernel", i32 1}` + numbaTail

// Each option changes the instructions that it is about.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		for _, c := range []struct{ options, want string }{
			{"", "div.rn.f32 sqrt.rn.f32 fma.rn.f32"},
			{"-fma=1", "div.rn.f32 sqrt.rn.f32 fma.rn.f32"},
			{"-fma=0", "div.rn.f32 sqrt.rn.f32 mul.rn.f32 add.rn.f32"},
			{"-opt=0", "div.rn.f32 sqrt.rn.f32 mul.rn.f32 add.rn.f32"},
			{"-opt=0 -fma=1", "div.rn.f32 sqrt.rn.f32 fma.rn.f32"},
			{"-ftz=1", "div.rn.ftz.f32 sqrt.rn.ftz.f32 fma.rn.ftz.f32"},
			{"-prec-div=0", "div.full.f32 sqrt.rn.f32 fma.rn.f32"},
			{"-prec-sqrt=0", "div.rn.f32 sqrt.approx.f32 fma.rn.f32"},
			{"-prec-div=0 -prec-sqrt=0 -ftz=1 -fma=0", "div.full.ftz.f32 sqrt.approx.ftz.f32 mul.rn.ftz.f32 add.rn.ftz.f32"},
		} {
			t.Run(d.name+" "+c.options, func(t *testing.T) {
				t.Parallel()
				requireTools(t, d.opaque)
				ptx, err := Compile(t.Context(), inDialect(arithmetic, d.opaque), strings.Fields(c.options))
				if err != nil {
					t.Fatal(err)
				}
				got := strings.Join(regexp.MustCompile(`(div|sqrt|mul|add|fma)\.[\w.]*f32`).FindAllString(string(ptx), -1), " ")
				if got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		}
	}
}

// With -ftz=1 the fast functions of libdevice flush subnormal numbers, so they are not the builtins of Crosslane.
func TestFastFunctions(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		requireTools(t, d.opaque)
		for name, want := range map[string]string{
			"cosf": "cos.approx.ftz.f32", "sinf": "sin.approx.ftz.f32", "tanf": "sin.approx.ftz.f32 cos.approx.ftz.f32 div.approx.ftz.f32",
			"expf": "mul.rn.ftz.f32 0f3FB8AA3B ex2.approx.ftz.f32", "exp10f": "mul.rn.ftz.f32 0f40549A78 ex2.approx.ftz.f32",
			"logf": "lg2.approx.ftz.f32 mul.rn.ftz.f32 0f3F317218", "log2f": "lg2.approx.ftz.f32", "log10f": "lg2.approx.ftz.f32 mul.rn.ftz.f32 0f3E9A209B",
			"powf": "lg2.approx.ftz.f32 mul.rn.ftz.f32 ex2.approx.ftz.f32", "fdividef": "div.approx.ftz.f32", "sqrtf": "sqrt.rn.ftz.f32",
		} {
			t.Run(d.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				function := "__nv_fast_" + name
				if name == "sqrtf" {
					function = "__nv_sqrtf"
				}
				types, args := "float", "float %a"
				if name == "powf" || name == "fdividef" {
					types, args = "float, float", "float %a, float %b"
				}
				text := fmt.Sprintf("declare float @%q(%s)\ndefine void @k(float* %%p, float %%a, float %%b) {\n  %%r = call float @%[1]q(%[3]s)\n  store float %%r, float* %%p\n  ret void\n}\n", function, types, args)
				ptx, err := Compile(t.Context(), inDialect(text, d.opaque), []string{"-ftz=1", "-fma=0"})
				if err != nil {
					t.Fatal(err)
				}
				got := strings.Join(regexp.MustCompile(`(?:[a-z0-9]+\.(?:approx|rn)|mul)\.[\w.]*f32|0f[0-9A-F]{8}`).FindAllString(string(ptx), -1), " ")
				if strings.ReplaceAll(got, "mul.ftz", "mul.rn.ftz") != want {
					t.Errorf("%s, want %s\n%s", got, want, ptx)
				}
				// Without the option the function is a builtin; square roots are instructions in any case.
				if ptx, err = Compile(t.Context(), inDialect(text, d.opaque), nil); err != nil {
					t.Fatal(err)
				}
				if builtin := strings.Contains(string(ptx), function); builtin == (name == "sqrtf") || strings.Contains(string(ptx), "ftz") {
					t.Errorf("%s", ptx)
				}
			})
		}
	}
}

// The greatest and the least of two numbers are instructions, with the options that they have.
func TestMinMax(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		requireTools(t, d.opaque)
		for _, c := range []struct{ function, kind, options, want string }{
			{"fmaxf", "float", "", "max.f32"}, {"fminf", "float", "-ftz=1", "min.ftz.f32"}, {"fmax", "double", "-ftz=1", "max.f64"}, {"fmin", "double", "", "min.f64"},
		} {
			text := strings.NewReplacer("FUNCTION", c.function, "KIND", c.kind).Replace("declare KIND @\"__nv_FUNCTION\"(KIND, KIND)\n" +
				"define void @k(KIND* %p, KIND %a, KIND %b) {\n  %r = call KIND @\"__nv_FUNCTION\"(KIND %a, KIND %b)\n  store KIND %r, KIND* %p\n  ret void\n}\n")
			ptx, err := Compile(t.Context(), inDialect(text, d.opaque), strings.Fields(c.options))
			if err != nil || !strings.Contains(string(ptx), "\t"+c.want+" ") || strings.Contains(string(ptx), "__nv_") {
				t.Errorf("%s %s: %v\n%s", d.name, c.function, err, ptx)
			}
		}
	}
}

// The declaration is that of Numba, which gives sincos a result. The angle is 0 or pi, so the bits are known.
func TestSinCos(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			requireTools(t, d.opaque)
			ptx, err := Compile(t.Context(), inDialect(numbaHead+`declare i8* @"__nv_sincospif"(float, float*, float*)
define void @k(i32* %out) {
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %s = alloca float
  %c = alloca float
  %bit = and i32 %i, 1
  %x = uitofp i32 %bit to float
  %".7" = call i8* @"__nv_sincospif"(float %x, float* %s, float* %c)
  %cos = load float, float* %c
  %sin = load float, float* %s
  %sum = fadd float %sin, %cos
  %r = bitcast float %sum to i32
  %a = getelementptr i32, i32* %out, i32 %i
  store i32 %r, i32* %a
  ret void
}
!0 = !{void (i32*)* @k, !"kernel", i32 1}`+numbaTail, d.opaque), []string{"-arch=compute_80"})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range launch(t, ptx, 32) {
				if want := math.Float32bits(float32(1 - 2*(i&1))); got != want {
					t.Errorf("lane %d: 0x%x, want 0x%x", i, got, want)
				}
			}
		})
	}
}

// An unsupported option or function is refused by its name, with the result that libnvvm has for it.
func TestRefused(t *testing.T) {
	t.Parallel()
	requireTools(t, false)
	requireTools(t, true)
	const other = "\ndefine void @k() {\n  call void @llvm.nvvm.no.such.thing(i32 1)\n  ret void\n}\ndeclare void @llvm.nvvm.no.such.thing(i32)\n"
	typed := "\ndefine void @t(i32* %p) {\n  ret void\n}\n"
	opaque := "\ndefine void @o(ptr %p) {\n  ret void\n}\n"
	for _, c := range []struct {
		modules []Module
		options string
		result  int
		log     string
	}{
		{nil, "", noModule, "the program has no module"},
		{[]Module{{Name: "m", Data: []byte(typed), Lazy: true}}, "", noModule, "the program has no module"},
		{inDialect(typed, false), "-fma=2", invalidOption, "the option -fma=2 does not have a value that libnvvm knows"},
		{inDialect(typed, false), "-arch=sm_80", invalidOption, "the option -arch=sm_80 "},
		{inDialect(typed, false), "-arch=compute_80 -maxrregcount=32", invalidOption, "the option -maxrregcount=32 of libnvvm is not supported"},
		{inDialect(typed, false), "-arch=compute_10", invalidOption, "has no architecture for -arch=compute_10"},
		{inDialect(other, false), "", compilation, "does not have llvm.nvvm.no.such.thing, which the program calls"},
		{inDialect("target triple = \"nvptx-nvidia-cuda\"\n"+typed, false), "", invalidIR, `the module m is for the target "nvptx-nvidia-cuda"`},
		{inDialect("target triple = \"x86_64-linux\"\n"+typed, false), "", invalidIR, `the module m is for the target "x86_64-linux"`},
		{append(inDialect(typed, false), inDialect(opaque, true)...), "", invalidIR, "some modules have typed pointers and others have opaque ones"},
		{inDialect("\ndefine void @k( {\n", false), "", compilation, "error: expected"},
		{inDialect("; nothing\n", false), "", compilation, "the modules define nothing"},
	} {
		_, err := Compile(t.Context(), c.modules, strings.Fields(c.options))
		var e *Error
		if !errors.As(err, &e) || e.Result != c.result || !strings.Contains(e.Log, c.log) {
			t.Errorf("%q: %v, want %d %s", c.options, err, c.result, c.log)
		}
	}
	// The right twins.
	for _, m := range [][]Module{inDialect(typed, false), inDialect(opaque, true)} {
		if _, err := Compile(t.Context(), m, []string{"-arch=compute_80", "-generate-line-info", "-gen-lto"}); err != nil {
			t.Error(err)
		}
		if err := Verify(t.Context(), m, nil); err != nil {
			t.Error(err)
		}
	}
	var e *Error
	if err := Verify(t.Context(), inDialect("\ndefine i32 @k() {\n  ret void\n}\n", false), nil); !errors.As(err, &e) || e.Result != invalidIR {
		t.Error(err)
	}
}

// Without LLVM the log names the package; commands without a version in their names are taken if their version is right.
func TestTools(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	none := folder + "/no-%d"
	for opaque, want := range map[bool]string{false: "typed pointers was found: apt-get install llvm-14", true: "opaque pointers was found: apt-get install llvm-22"} {
		if _, err := findTools(none, opaque); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, name := range needed {
		text := "#!/bin/sh\necho '  LLVM version 14.0.6'\n"
		if err := os.WriteFile(folder+"/"+name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := findTools(none, false); err != nil || got.major != 14 || got.path("opt") != "opt" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := findTools(none, true); err == nil || !strings.Contains(err.Error(), "; the command opt is of version 14: apt-get install llvm-22") {
		t.Error(err)
	}
	for _, name := range needed {
		if err := os.WriteFile(folder+"/"+name+"-15", []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := findTools(none, false); err != nil || got.major != 15 || got.path("opt") != "opt-15" {
		t.Errorf("%v, %v", got, err)
	}
}

// Bitcode is read, too. A module that is no more than the beginning of bitcode stands for libdevice.
func TestBitcode(t *testing.T) {
	t.Parallel()
	requireTools(t, false)
	cmd := exec.Command(fmt.Sprintf(packages, 14)+"/llvm-as", "-o", "-")
	cmd.Stdin = strings.NewReader(arithmetic)
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ptx, err := Compile(t.Context(), []Module{{Name: "m", Data: data}, {Data: bitcode, Lazy: true}}, []string{"-arch=compute_80"})
	if err != nil || !strings.Contains(string(ptx), "div.rn.f32") {
		t.Errorf("%v\n%s", err, ptx)
	}
}

func TestMarkConvergent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"define void @k() {\n", "define void @k() convergent {\n"},
		{"define linkonce_odr i32 @\"a(b\"(i32* byval({i8, i32}) align 8 %x) unnamed_addr #0 !dbg !3 {\n", "define linkonce_odr i32 @\"a(b\"(i32* byval({i8, i32}) align 8 %x) unnamed_addr convergent #0 !dbg !3 {\n"},
		{"declare i32 @f(i32)\ndeclare void @\"llvm.nvvm.barrier0\"()\n", "declare i32 @f(i32) convergent\ndeclare void @\"llvm.nvvm.barrier0\"()\n"},
		{"  call void @f()\n@g = global i32 0\n", "  call void @f()\n@g = global i32 0\n"},
	} {
		if got := string(markConvergent([]byte(c.text))); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// A function that may wait for other lanes is not moved into a branch.
func TestConvergent(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			requireTools(t, d.opaque)
			ptx, err := Compile(t.Context(), inDialect(numbaHead+`declare i32 @wait(i32) readnone willreturn nounwind
define void @k(i32* %out) {
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %x = call i32 @wait(i32 %i)
  %c = icmp ult i32 %i, 7
  br i1 %c, label %yes, label %end
yes:
  store i32 %x, i32* %out
  br label %end
end:
  ret void
}
!0 = !{void (i32*)* @k, !"kernel", i32 1}`+numbaTail, d.opaque), []string{"-arch=compute_80"})
			if err != nil {
				t.Fatal(err)
			}
			if call, branch := strings.Index(string(ptx), "call.uni"), strings.Index(string(ptx), "bra"); call < 0 || branch < call {
				t.Errorf("the call is in the branch:\n%s", ptx)
			}
		})
	}
}

// Equal calls in both branches of a condition stay apart: each tells the lanes of its branch.
func TestBranches(t *testing.T) {
	t.Parallel()
	vote := `call {i32, i1} @"llvm.nvvm.vote.sync"(i32 %mask, i32 3, i1 true)`
	for _, d := range dialects {
		for name, c := range map[string]struct{ call, value string }{
			"asm":  {`call i32 asm sideeffect "activemask.b32 $0;", "=r"()`, "add i32 %X, 0"},
			"vote": {vote, "extractvalue {i32, i1} %X, 0"},
		} {
			t.Run(d.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				requireTools(t, d.opaque)
				text := numbaHead + `declare {i32, i1} @"llvm.nvvm.vote.sync"(i32, i32, i1)
define void @k(i32* %out) {
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %bit = and i32 %i, 1
  %mask = shl i32 1431655765, %bit
  %c = icmp eq i32 %bit, 0
  %at = getelementptr i32, i32* %out, i32 %i
  br i1 %c, label %yes, label %no
yes:
  %x = ` + c.call + `
  %v = ` + strings.ReplaceAll(c.value, "%X", "%x") + `
  store i32 %v, i32* %at
  br label %end
no:
  %y = ` + c.call + `
  %w = ` + strings.ReplaceAll(c.value, "%X", "%y") + `
  store i32 %w, i32* %at
  br label %end
end:
  ret void
}
!0 = !{void (i32*)* @k, !"kernel", i32 1}` + numbaTail
				ptx, err := Compile(t.Context(), inDialect(text, d.opaque), []string{"-arch=compute_80"})
				if err != nil {
					t.Fatal(err)
				}
				for i, got := range launch(t, ptx, 32) {
					if want := uint32(0x55555555) << (i & 1); got != want {
						t.Fatalf("lane %d: 0x%x, want 0x%x\n%s", i, got, want, ptx)
					}
				}
			})
		}
	}
}

func TestMarkCalls(t *testing.T) {
	t.Parallel()
	const marks = " convergent nomerge"
	for _, c := range []struct{ before, after string }{
		{"  call void @\"llvm.nvvm.barrier0\"()", "\n"},
		{"  %\".3\" = call i32 @\"_ZN1f\"(i32 (i32)* @g, i32 %x)", ", !dbg !3\n"},
		{"  %a = tail call i32 asm sideeffect \"{ x (y; }\", \"=r,r\"(i32 %x)", " #3\n"},
		{"  %\".4\" = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"\n ()", "\n"}, // the form of llvmlite
		{"  %s = call {i32, i1} @crosslane.nvvm.shfl.sync.i32(i32 1)", "\n"},
	} {
		if got := string(markCalls([]byte(c.before + c.after))); got != c.before+marks+c.after {
			t.Errorf("%s", got)
		}
	}
	for _, text := range []string{
		"  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n", "  %r = call float @__nv_sinf(float %x)\n", "  call void @llvm.dbg.declare(metadata i32* %a, metadata !1, metadata !2)\n",
		"  %a = call i32 asm \"add $0, $1, 1;\", \"=r,r\"(i32 %x)\n", "  %r = call float @crosslane.nvvm.sqrt.rn.f(float %x)\n",
	} {
		if got := string(markCalls([]byte(text))); got != text {
			t.Errorf("%s", got)
		}
	}
}

// Accesses by a pointer that is converted from an address space have that address space.
func TestConversions(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			requireTools(t, d.opaque)
			text := numbaHead + `@words = internal addrspace(3) global [32 x i32] undef
@"con.stant" = internal addrspace(4) constant [2 x i32] [i32 5, i32 6]
declare i32* @"llvm.nvvm.ptr.shared.to.gen.p0i32.p3i32"(i32 addrspace(3)* %".1")
declare i32* @llvm.nvvm.ptr.constant.to.gen.p0i32.p4i32(i32 addrspace(4)*)
declare void @"llvm.nvvm.barrier0"()
define void @k(i32* %out) {
  ; this comment names a ptr , and one with i8* in it
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"()
  %s = call i32* @"llvm.nvvm.ptr.shared.to.gen.p0i32.p3i32"(i32 addrspace(3)* getelementptr ([32 x i32], [32 x i32] addrspace(3)* @words, i32 0, i32 0))
  %c = call i32* @llvm.nvvm.ptr.constant.to.gen.p0i32.p4i32(i32 addrspace(4)* getelementptr ([2 x i32], [2 x i32] addrspace(4)* @"con.stant", i32 0, i32 0))
  %at = getelementptr i32, i32* %s, i32 %i
  store i32 %i, i32* %at
  call void @"llvm.nvvm.barrier0"()
  %other = xor i32 %i, 31
  %from = getelementptr i32, i32* %s, i32 %other
  %v = load i32, i32* %from
  %bit = and i32 %i, 1
  %k = getelementptr i32, i32* %c, i32 %bit
  %w = load i32, i32* %k
  %p = mul i32 %v, %w
  %a = getelementptr i32, i32* %out, i32 %i
  store i32 %p, i32* %a
  ret void
}
!0 = !{void (i32*)* @k, !"kernel", i32 1}` + numbaTail
			if d.opaque {
				text = regexp.MustCompile(`(?:\[\d+ x i32\]|i32) (addrspace\(\d\))\*`).ReplaceAllString(text, "ptr $1")
				text = strings.NewReplacer("p0i32.p3i32", "p0.p3", "p0i32.p4i32", "p0.p4").Replace(text)
			}
			ptx, err := Compile(t.Context(), inDialect(text, d.opaque), []string{"-arch=compute_80"})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"st.shared.", "ld.shared.", "ld.const."} {
				if !strings.Contains(string(ptx), want) {
					t.Errorf("there is no %s in\n%s", want, ptx)
				}
			}
			for i, got := range launch(t, ptx, 32) {
				if want := uint32((i ^ 31) * (5 + i&1)); got != want {
					t.Errorf("lane %d: %d, want %d", i, got, want)
				}
			}
		})
	}
}

// Debugging information becomes lines of PTX, with the whole name of the file.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			requireTools(t, d.opaque)
			ptx, err := Compile(t.Context(), inDialect(numbaHead+`define void @k(i32* %out) !dbg !6 {
  %i = call i32 @"llvm.nvvm.read.ptx.sreg.tid.x"(), !dbg !7
  %a = getelementptr i32, i32* %out, i32 %i, !dbg !7
  store i32 %i, i32* %a, !dbg !8
  ret void, !dbg !8
}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
!llvm.module.flags = !{!2, !3}
!llvm.dbg.cu = !{!4}
!2 = !{i32 2, !"Dwarf Version", i32 4}
!3 = !{i32 1, !"Debug Info Version", i32 3}
!4 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !5, producer: "Numba", isOptimized: false, emissionKind: FullDebug)
!5 = !DIFile(filename: "app.py", directory: "/some where")
!6 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !5, file: !5, line: 41, type: !9, isDefinition: true, unit: !4)
!7 = !DILocation(line: 42, column: 1, scope: !6)
!8 = !DILocation(line: 43, column: 1, scope: !6)
!9 = !DISubroutineType(types: !10)
!10 = !{null}`+numbaTail, d.opaque), []string{"-arch=compute_80", "-g", "-opt=0"})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`\.file\s+1 "/some where/app\.py"`, `\.loc\s+1 42 `, `\.loc\s+1 43 `} {
				if !regexp.MustCompile(want).Match(ptx) {
					t.Errorf("there is no %s in\n%s", want, ptx)
				}
			}
			launch(t, ptx, 32)
		})
	}
}

// Serve answers a request, and says so if it is cut off.
func TestServe(t *testing.T) {
	t.Parallel()
	requireTools(t, false)
	text := func(s string) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(len(s)))) + s }
	number := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	whole := number(1) + number(1) + text("-arch=compute_80") + number(1) + number(0) + text("m") + text(arithmetic)
	for n := range len(whole) + 1 {
		if n != len(whole) && n%97 != 0 {
			continue
		}
		var out strings.Builder
		if err := Serve(context.Background(), strings.NewReader(whole[:n]), &out); err != nil {
			t.Fatal(err)
		}
		r := request.Reader{Data: []byte(out.String())}
		result, ptx, log := r.Number(), string(r.Text()), string(r.Text())
		if n == len(whole) && (result != 0 || !strings.Contains(ptx, ".visible .entry k") || log != "" || r.Bad) ||
			n != len(whole) && (result != invalidInput || log != "crosslane: the request is cut off") {
			t.Errorf("%d of %d bytes: %d %s\n%s", n, len(whole), result, log, ptx)
		}
	}
}
