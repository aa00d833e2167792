package compilers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each request for machine code becomes one for PTX; all else stays.
func TestNVCCArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"--version", "--version"},
		{"-cubin a.cu -o b.cubin", "-ptx a.cu -o b.cubin"},
		{"-gencode=arch=compute_120,code=sm_120 --cubin -I x /t/kern.v1.cu", "-gencode=arch=compute_120,code=compute_120 -ptx -I x /t/kern.v1.cu -o kern.v1.cubin"},
		{"-cubin -arch sm_80 --output-file=o a.cu", "-ptx -arch sm_80 --output-file=o a.cu"},
		{"-ptx -arch=sm_80 a.cu", "-ptx -arch=sm_80 a.cu"},
		{"-gencode arch=compute_80,code=sm_80 a.cu", "-gencode arch=compute_80,code=compute_80 a.cu"},
		{"--generate-code arch=compute_80,code=[sm_80,sm_86] -c a.cu", "--generate-code arch=compute_80,code=compute_80 -c a.cu"},
		{"-gencode arch=compute_80,code=[compute_80,sm_80] -c a.cu", "-gencode arch=compute_80,code=compute_80 -c a.cu"},
		{"-gencode arch=compute_80,code=lto_80 -c a.cu", "-gencode arch=compute_80,code=lto_80 -c a.cu"},
		{"-arch=compute_80 -code=sm_80,sm_86 a.cu", "-arch=compute_80 -code=compute_80 a.cu"},
		{"-code sm_80 -arch compute_80 a.cu", "-code compute_80 -arch compute_80 a.cu"},
		{"-arch=sm_80 a.cu -o a", "-arch=sm_80 a.cu -o a"},
		{"-Xcompiler -cubin -D -cubin a.cu", "-Xcompiler -cubin -D -cubin a.cu"},
		{"-gencode=arch=compute_80,code=sm_80 --cubin --device-link a.o -o a.cubin", "-gencode=arch=compute_80,code=sm_80 --cubin --device-link a.o -o a.cubin"},
		{"-cubin -o", "-ptx -o"},
		{"", ""},
	} {
		if got := strings.Join(NVCCArguments(strings.Fields(tt[0])), " "); got != tt[1] {
			t.Errorf("%s\n got %s\nwant %s", tt[0], got, tt[1])
		}
	}
}

// The nvcc of the user compiles: the one that it names, that of its toolkit, or that of its path. Without one the
// variables stay as they are.
func TestNVCCFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "bin", "nvcc")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(installed[0]); err == nil {
		t.Skip("the machine has a toolkit")
	}
	e := Environment{Audit: "/c/audit.so", NVCC: "/c/nvcc"}
	for _, tt := range []struct{ env, real string }{
		{"PATH=/nowhere", ""},
		{"PATH=/nowhere CUDA_PATH=" + folder, file},
		{"PATH=" + filepath.Dir(file) + ":/bin", file},
		{"PATH=bin:" + folder, ""},
		{"NVCC=ccache+nvcc PATH=" + filepath.Dir(file), "ccache nvcc"},
		{"NVCC=/c/nvcc " + RealNVCC + "=/real/nvcc", "/real/nvcc"},
	} {
		env := strings.Fields(tt.env)
		for i := range env {
			env[i] = strings.ReplaceAll(env[i], "+", " ")
		}
		got := e.Apply(env)
		if has := slices.Contains(got, "NVCC=/c/nvcc") && slices.Contains(got, RealNVCC+"="+tt.real); has != (tt.real != "") {
			t.Errorf("%q: %q, want %q", env, got, tt.real)
		}
		if n := strings.Count(strings.Join(got, "\n"), "NVCC="); tt.real != "" && n != 2 {
			t.Errorf("%q: %q", env, got)
		}
	}
	if got := (Environment{NVCC: "/a b/nvcc"}).nvccSettings([]string{"NVCC=nvcc"}); got != nil {
		t.Errorf("a name with a blank is given: %q", got)
	}
}
