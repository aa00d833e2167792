package hiprtc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/driver/request"
)

// needClang skips a test where clang or lld is absent.
func needClang(t *testing.T) {
	t.Helper()
	for _, name := range []string{"clang-22", "ld.lld-22"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// Options of hiprtc and of nvcc choose the architecture; those that change what the result is are refused.
func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ options, target, want, arch, fails string }{
		{"", "gfx803", "", "gfx803", ""},
		{"-O1 --offload-arch=gfx900 -DA=b", "gfx803", "-O1 -DA=b", "gfx900", ""},
		{"--gpu-architecture=gfx803", "sm_89", "", "gfx803", ""},
		{"--gpu-architecture gfx803 -g", "", "-g", "gfx803", ""},
		{"-hip-pch --save-temps -Wall", "gfx803", "-Wall", "gfx803", ""},
		{"-g", "sm_89", "", "", `the architecture is "sm_89": give the option --offload-arch=gfx803`},
		{"-g -arch=sm_80", "gfx803", "", "", `the architecture is "sm_80"`},
		{"-fgpu-rdc", "gfx803", "", "", "the option -fgpu-rdc of hiprtc is not supported"},
		{"-o", "gfx803", "", "", "the option -o of hiprtc is not supported"},
	} {
		words, arch, err := translate(strings.Fields(c.options), c.target)
		if c.fails != "" {
			var e *Error
			if !errors.As(err, &e) || e.Result != invalidOption || !strings.Contains(e.Log, c.fails) {
				t.Errorf("%q: %v", c.options, err)
			}
			continue
		}
		if err != nil || strings.Join(words, " ") != c.want || arch != c.arch {
			t.Errorf("%q: %q %s %v", c.options, words, arch, err)
		}
	}
}

// The own header declares what kernels use without an include, with and without the device libraries of ROCm. Without them a
// function of the mathematics library is an error, and the log names the package.
func TestHeader(t *testing.T) {
	needClang(t)
	const uses = `
__constant__ float table[4] = {1, 2, 3, 4};
extern "C" __global__ __launch_bounds__(256) void k(float *p, int *q, unsigned long long *r, double *d, float4 *v)
{
	__shared__ float s[256];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x + blockIdx.y * gridDim.y + threadIdx.z;
	s[threadIdx.x] = sqrtf(p[i]) + fmaf(p[i], table[i & 3], fabsf(p[i])) + floorf(p[i]);
	__syncthreads();
	__threadfence();
	p[i] = s[255 - threadIdx.x] + __shfl(p[i], 3) + __shfl_up(p[i], 1) + __shfl_down(p[i], 1, 32) + __shfl_xor(p[i], 4);
	d[i] = __shfl_xor(d[i], 1) + sqrt(d[i]) + fma(d[i], d[i], d[i]);
	r[i] = __ballot(q[i] > 2) + __popcll(r[i]) + __activemask();
	q[i] = __any(q[i]) + __all(q[i]) + __popc(q[i]) + __clz(q[i]) + __ffs(q[i]) + min(q[i], 7) + max(q[i], 1) + __float_as_int(p[i]);
	atomicAdd(q, 1), atomicAdd(p, 1.0f), atomicAdd(d, 1.0), atomicMax(q, 3), atomicCAS(q, 1, 2), atomicExch(q, 5), atomicSub(q, 1), atomicAdd(r, 1ull);
	float4 w = make_float4(1, 2, 3, 4);
	v[i] = w;
	dim3 size(2, 3);
	q[i] += size.z + __umulhi(i, i) + __brev(i) + warpSize;
}
`
	compile := func(source string) (Compiled, error) {
		return Compile(context.Background(), Program{Target: "gfx803", Source: source, Options: []string{"-Werror", "-Wall"}})
	}
	const sine = `extern "C" __global__ void k(float *p) { p[0] = sinf(p[0]); }`
	folders := libraryFolders
	defer func() { libraryFolders = folders }()
	for _, list := range [][]string{folders, nil} {
		libraryFolders = list
		if c, err := compile(uses); err != nil || !bytes.HasPrefix(c.Code, []byte("\x7fELF")) || c.Log != "" {
			t.Errorf("libraries %q: %v %s", findLibraries(), err, c.Log)
		}
		c, err := compile(sine)
		if found := findLibraries() != ""; found && err != nil {
			t.Errorf("%v\n%s", err, c.Log)
		} else if !found && (err == nil || !strings.Contains(err.Error(), "'sinf'") || !strings.Contains(err.Error(), "apt-get install rocm-device-libs")) {
			t.Errorf("without libraries: %v", err)
		}
	}
}

// If there is no clang, the message names the packages.
func TestNoClang(t *testing.T) {
	old := versions
	versions = []int{7, 6}
	defer func() { versions = old }()
	_, err := Compile(context.Background(), Program{Target: "gfx803", Source: "int x;"})
	if err == nil || !strings.Contains(err.Error(), "from 6 to 7 was found: apt-get install clang-7 lld-7") {
		t.Errorf("%v", err)
	}
}

// Names are those of the symbols. The names of a kernel with quotes in LLVM IR, of a variable and of one that is missing.
func TestLowered(t *testing.T) {
	t.Parallel()
	const text = "@crosslane_lowered_1 = protected addrspace(4) constant ptr addrspacecast (ptr addrspace(1) @var to ptr), align 8\n" +
		"@crosslane_lowered_0 = constant ptr @\"a b\", align 8\n@llvm.used = global [1 x ptr] [ptr @crosslane_lowered_0]\n"
	if got, err := lowered([]byte(text), []string{"a", "var"}); err != nil || !slices.Equal(got, []string{"a b", "var"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := lowered([]byte(text), []string{"a", "var", "x"}); err == nil || !strings.Contains(err.Error(), `"x" names no kernel`) {
		t.Errorf("%v", err)
	}
	for _, e := range []string{"a; int b", "a\nb", "a{}"} {
		if err := write(t.TempDir(), Program{Source: "int x;", Expressions: []string{e}}); err == nil {
			t.Errorf("%q is taken", e)
		}
	}
}

// A request that is cut off anywhere is answered, and says so.
func TestServe(t *testing.T) {
	t.Parallel()
	var all []byte
	for _, s := range []string{"sm_80", "k.hip", "int x;"} {
		all = request.AppendText(all, s)
	}
	all = request.AppendText(request.AppendText(request.AppendNumber(all, 1), "a.h"), "int y;")
	all = request.AppendText(request.AppendNumber(all, 1), "-g")
	all = request.AppendText(request.AppendNumber(all, 1), "x")
	for n := range len(all) + 1 {
		var out bytes.Buffer
		if err := Serve(context.Background(), bytes.NewReader(all[:n]), &out); err != nil {
			t.Fatal(err)
		}
		r := request.Reader{Data: out.Bytes()}
		result, code, log := r.Number(), r.Text(), string(r.Text())
		want, text := uint64(invalidInput), "crosslane: the request is cut off"
		if n == len(all) {
			want, text = invalidOption, `the architecture is "sm_80"`
		}
		if result != want || len(code) > 0 || !strings.Contains(log, text) || r.Bad || len(r.Data) > 0 {
			t.Errorf("%d of %d bytes: %d %q", n, len(all), result, log)
		}
	}
}
