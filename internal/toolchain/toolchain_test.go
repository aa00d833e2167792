package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The folder has what clang looks for. A folder with other contents is left alone; one of ours is written anew.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	program := "/a folder/it's crosslane"
	for range 2 {
		if err := Write(dir, program, Libraries{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"include/cuda.h", "include/cuda_runtime.h", "include/crt/math_functions.hpp", "nvvm/libdevice/libdevice.10.bc", "version.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{"ptxas": "ptxas --crosslane-image", "fatbinary": "fatbinary", "nvlink": "nvlink"} {
		text, err := os.ReadFile(filepath.Join(dir, "bin", name))
		if err != nil || string(text) != "#!/bin/sh\nexec '/a folder/it'\\''s crosslane' "+want+" \"$@\"\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "lib64")); err == nil {
		t.Error("there is a folder of libraries without libraries")
	}
	other := t.TempDir()
	file := filepath.Join(other, "mine")
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(other, program, Libraries{}); !errors.Is(err, ErrForeign) {
		t.Errorf("a folder with another file: %v", err)
	}
	if list, err := os.ReadDir(other); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	// Libraries are copied, with the links that linkers look for.
	if err := Write(dir, program, Libraries{Runtime: file, Driver: file}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libcudart.so", "libcudart.so.12", "libcuda.so", "libcuda.so.1"} {
		if text, err := os.ReadFile(filepath.Join(dir, "lib64", name)); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// oracle finds a program that a test compares with.
func oracle(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("%s is not installed, but CROSSLANE_REQUIRE_ORACLES is 1", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

// LLVM reads the empty module.
func TestOracleBitcode(t *testing.T) {
	t.Parallel()
	dis := oracle(t, "llvm-dis-22")
	cmd := exec.Command(dis, "-o", "-", "-")
	cmd.Stdin = bytes.NewReader(emptyModule())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "target triple = \"nvptx64-nvidia-gpulibs\"\n") || strings.Contains(string(out), "define") {
		t.Errorf("%v\n%s", err, out)
	}
}

// include12 is the folder of NVIDIA's headers of CUDA 12.
func include12(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "crosslane-oracles", "cuda-12.9.79", "nvidia", "cuda_runtime", "include")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("%v, but CROSSLANE_REQUIRE_ORACLES is 1; .ci/run install_tools installs it", err)
		}
		t.Skip("the headers of CUDA 12 are not installed; .ci/run install_tools installs them")
	}
	return dir
}

// What the headers declare.
var (
	enumerator = regexp.MustCompile(`(?m)^\t((?:cuda|CU)\w+) = [\dx]+,`)
	macro      = regexp.MustCompile(`(?m)^#define (cuda\w+) .`)
	function   = regexp.MustCompile(`(?m)^(cudaError_t|CUresult|const char \*)\s*(cuda\w+|cu[A-Z]\w+)\((.*)\);$`)
)

// The numbers, the structures and the functions are those of NVIDIA's headers. Both sets of headers go through the compiler.
func TestOracleHeaders(t *testing.T) {
	t.Parallel()
	nvidia, clang := include12(t), oracle(t, "clang++-22")
	read := func(name string) []byte {
		text, err := headers.ReadFile("include/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	types := slices.Concat(read("device_types.h"), read("driver_types.h"), read("texture_types.h"))
	api, driver, numbers, pointers := append(read("cuda_runtime_api.h"), read("texture_types.h")...), read("cuda.h"), read("crosslane_driver_numbers.h"), read("cudaTypedefs.h")
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#include <stddef.h>\n#include \"cuda_runtime_api.h\"\n#include \"cudaTypedefs.h\"\n#include \"device_types.h\"\n#include \"texture_types.h\"\nint main() {\n")
	count := map[string]int{}
	say := func(kind, what, format string) {
		count[kind]++
		fmt.Fprintf(&b, "\tprintf(\"%%s %%lld\\n\", %q, (long long)(%s));\n", what, format)
	}
	for _, m := range slices.Concat(enumerator.FindAllSubmatch(types, -1), macro.FindAllSubmatch(types, -1), enumerator.FindAllSubmatch(numbers, -1)) {
		say("number", string(m[1]), string(m[1]))
	}
	// The types of the driver API carry no "struct" before their names.
	for _, m := range regexp.MustCompile(`(?sm)^typedef (?:struct|union) \w+ \{(.*?)^\} (\w+);`).FindAllSubmatch(driver, -1) {
		name := string(m[2])
		say("structure", name, "sizeof("+name+")")
		body := regexp.MustCompile(`(?s)\{.*?\}`).ReplaceAll(m[1], nil) // members of structures within
		for _, word := range regexp.MustCompile(`(\w+)(?:\[\d+\])?\s*[,;]`).FindAllSubmatch(body, -1) {
			if member := string(word[1]); member != "reserved" {
				say("member", name+"."+member, "offsetof("+name+", "+member+")")
			}
		}
	}
	for _, name := range []string{"cudaDeviceProp", "cudaPointerAttributes", "cudaMemcpy3DParms", "cudaPitchedPtr", "cudaExtent", "cudaPos", "cudaKernelNodeParams", "cudaMemsetParams", "cudaHostNodeParams", "cudaMemAllocNodeParams", "cudaKernelNodeParamsV2", "cudaMemcpyNodeParams", "cudaMemsetParamsV2", "cudaHostNodeParamsV2", "cudaChildGraphNodeParams", "cudaEventWaitNodeParams", "cudaEventRecordNodeParams", "cudaMemAllocNodeParamsV2", "cudaMemFreeNodeParams", "cudaConditionalNodeParams", "cudaFuncAttributes", "cudaMemLocation", "cudaMemAccessDesc", "cudaMemPoolProps", "cudaTextureDesc"} {
		i := bytes.Index(types, []byte("struct "+name+" {"))
		if i < 0 {
			t.Fatalf("there is no %s", name)
		}
		body, _, _ := bytes.Cut(types[i+len("struct "+name+" {"):], []byte("}"))
		say("structure", name, "sizeof(struct "+name+")")
		for _, word := range regexp.MustCompile(`(\w+)(?:\[\d+\])?\s*[,;]`).FindAllSubmatch(body, -1) {
			if member := string(word[1]); member != "reserved" {
				say("member", name+"."+member, "offsetof(struct "+name+", "+member+")")
			}
		}
	}
	say("structure", "cudaLaunchConfig_t", "sizeof(cudaLaunchConfig_t)")
	say("structure", "cudaGraphExecUpdateResultInfo", "sizeof(cudaGraphExecUpdateResultInfo)")
	say("structure", "cudaGraphEdgeData", "sizeof(cudaGraphEdgeData)")
	say("structure", "cudaGraphNodeParams", "sizeof(struct cudaGraphNodeParams)")
	for _, member := range []string{"kernel", "memcpy", "memset", "host", "graph", "eventWait", "eventRecord", "alloc", "free", "conditional", "reserved2"} {
		say("member", "cudaGraphNodeParams."+member, "offsetof(struct cudaGraphNodeParams, "+member+")")
	}
	say("structure", "cudaResourceDesc", "sizeof(cudaResourceDesc)")
	say("structure", "cudaLaunchAttribute", "sizeof(cudaLaunchAttribute)")
	say("structure", "cudaIpcMemHandle_t", "sizeof(cudaIpcMemHandle_t)")
	b.WriteString("}\n")
	// A second declaration of a function must agree with the first.
	for _, m := range function.FindAllSubmatch(slices.Concat(api, driver), -1) {
		count["function"]++
		args := regexp.MustCompile(` CROSSLANE_DEFAULT\([^)]*\)`).ReplaceAllString(string(m[3]), "")
		fmt.Fprintf(&b, "extern \"C\" %s %s(%s);\n", m[1], m[2], args)
	}
	// So must the pointers to functions of the driver.
	for _, m := range regexp.MustCompile(`(?m)^typedef __typeof__\((\w+)\) (.*);$`).FindAllSubmatch(pointers, -1) {
		for name := range strings.SplitSeq(string(m[2]), ", ") {
			count["pointer"]++
			fmt.Fprintf(&b, "static_assert(__is_same(%s, decltype(&%s)), \"\");\n", name[1:], m[1])
		}
	}
	if count["number"] < 700 || count["member"] < 180 || count["function"] < 230 || count["pointer"] < 240 {
		t.Fatalf("the headers were not read: %v", count)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "compare.cpp"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	// NVIDIA's package has no crt/host_defines.h.
	if err := os.MkdirAll(filepath.Join(dir, "crt"), 0o777); err != nil {
		t.Fatal(err)
	}
	defines := "#define __align__(n) __attribute__((aligned(n)))\n#define __builtin_align__(a) __align__(a)\n#define __device_builtin__\n#define __device_builtin_texture_type__\n#define __device_builtin_surface_type__\n" +
		"#define __cudart_builtin__\n#define __host__\n#define __device__\n#define __CUDA_ARCH_HAS_FEATURE__(x) 0\n#define CUDARTAPI\n#define CUDARTAPI_CDECL\n#define CUDACB\n"
	for _, name := range []string{"host_defines.h", "host_config.h"} {
		if err := os.WriteFile(filepath.Join(dir, "crt", name), []byte(defines), 0o666); err != nil {
			t.Fatal(err)
		}
		defines = ""
	}
	output := func(name string, includes ...string) string {
		args := []string{"-w", "-o", filepath.Join(dir, name)}
		for _, i := range includes {
			args = append(args, "-I", i)
		}
		if out, err := exec.Command(clang, append(args, filepath.Join(dir, "compare.cpp"))...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%.3000s", name, err, out)
		}
		out, err := exec.Command(filepath.Join(dir, name)).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want, got := strings.Split(output("nvidia", dir, nvidia), "\n"), strings.Split(output("own", "include"), "\n")
	for i, line := range want {
		if i >= len(got) || got[i] != line {
			t.Errorf("%s, in NVIDIA's headers %s", got[min(i, len(got)-1)], line)
		}
	}
}

// The headers of numbers of 16 bits have every function that NVIDIA's have.
func TestOracleNames(t *testing.T) {
	t.Parallel()
	nvidia, clang := include12(t), oracle(t, "clang++-22")
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "cuda"), "crosslane", Libraries{}); err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^__CUDA_(?:HOSTDEVICE_)?(?:FP16|BF16)_DECL__ [\w ]+?[ *](\w+)\(`)
	for header, least := range map[string]int{"cuda_fp16.h": 190, "cuda_bf16.h": 190} {
		text, err := os.ReadFile(filepath.Join(nvidia, header))
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		if len(names) < least {
			t.Errorf("%s: %d names were read", header, len(names))
		}
		var b strings.Builder
		fmt.Fprintf(&b, "#include <%s>\nnamespace names {\n", header)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(&b, "using ::%s;\n", name)
		}
		b.WriteString("}\n")
		file := filepath.Join(dir, header+".cu")
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(clang, "-x", "cuda", "--cuda-path="+filepath.Join(dir, "cuda"), "--offload-arch=sm_90", "-fsyntax-only", "-ferror-limit=0", file)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.3000s", header, err, out)
		}
	}
}
