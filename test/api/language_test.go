package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// A text that has to be compiled first is named, with a command that compiles it; GCN3 assembly
// with a mistake stays GCN3 assembly.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, code, message, remedy string }{
		{"k.cu", "struct View { const float* data; };\n__global__ void k(View v) {}", "unknown-kind", "this is CUDA C++", "nvcc -ptx -lineinfo k.cu"},
		{"<stdin>", "template <typename T>\n__global__ void k(T* p) { p[0] = 1; }", "unknown-kind", "this is CUDA C++", "nvcc -ptx -lineinfo FILE"},
		{"k.hip", "#include <hip/hip_runtime.h>\n__global__ void k() {}", "unknown-kind", "this is HIP C++", "hipcc"},
		{"k", "#include <hip/hip_runtime.h>\n__global__ void k() {}", "unknown-kind", "this is HIP C++", "hipcc"},
		{"k.cl", "__kernel void k(__global int* p) { p[get_global_id(0)] = 1; }", "unknown-kind", "this is OpenCL C", "-x cl -S k.cl"},
		{"k.txt", "kernel void k(global int* p) {}", "unknown-kind", "this is OpenCL C", "-x cl"},
		{"k.ll", "; ModuleID = 'k'\ntarget triple = \"nvptx64-nvidia-cuda\"\ndefine void @k() {\n  ret void\n}", "unknown-kind", "this is LLVM IR", "llc"},
		{"k.py", "import triton\n\n@triton.jit\ndef k(x):\n    pass", "unknown-kind", "this is Python", "Triton"},
		{"host.cpp", "#include <vector>\nint main() {}", "unknown-kind", "this is C or C++", "a compiler"},
		{"notes.txt", "No kernel is in here.", "unknown-kind", "neither PTX", "--isa"},
		// Assembly with a mistake, and names of the source in its comments.
		{"k.s", "; __global__ void k(float*)\n// import numpy\n\tv_foo_b32 v1, v2\n", "unknown-instruction", "v_foo_b32", ""},
		{"k.s", "k:\n\tv_mov_b32 v1\n", "", "v_mov_b32", ""},
		{"k.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.nonsense\n", "", "nonsense", ""},
	} {
		_, err := crosslane.Load([]byte(c.text), c.file, crosslane.Auto)
		list := diag.Of(err)
		if len(list) == 0 {
			t.Errorf("%s: %q loads", c.file, c.text)
			continue
		}
		if d := list[0]; c.code != "" && d.Code != c.code || c.code == "" && d.Code == "unknown-kind" || !strings.Contains(d.Message, c.message) || !strings.Contains(d.Remedy, c.remedy) || c.code == "unknown-kind" && len(list) != 1 {
			t.Errorf("%s: %q: %v (%s)", c.file, c.text, err, d.Remedy)
		}
	}
	// With --isa gcn3 the mistakes of the assembly are told.
	if _, err := crosslane.Load([]byte("__global__ void k() {}"), "k.cu", crosslane.GCN3); diag.Of(err)[0].Code == "unknown-kind" {
		t.Error(err)
	}
}
