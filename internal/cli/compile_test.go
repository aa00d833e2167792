package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fakeNVCC stands for the compiler: it prints its arguments, writes the PTX next to it with the
// source's whole path in it, or fails if the source holds the word.
const fakeNVCC = `#!/bin/sh
out= file=
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	-*) echo "flag $1" >> "$(dirname "$0")/flags" ;;
	*) file=$1 ;;
	esac
	shift
done
if grep -q SLEEP "$file"; then sleep 60; fi
if grep -q WRONG "$file"; then
	i=0
	while [ $i -lt 100 ]; do echo "$file($i): error: this is wrong" >&2; i=$((i+1)); done
	exit 2
fi
case $file in /*) ;; *) file=$PWD/$file ;; esac
sed "s|SOURCE|$file|" "$(dirname "$0")/k.ptx" > "$out"
`

// Warp 1 reads a value that warp 0 writes; the source's line 4 is that of the store.
const compiledPTX = `.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z1kPf(.param .u64 _Z1kPf_param_0)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	.shared .b32 s[64];
	.loc 1 2 0
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d1, %r1, 4;
	mov.u64 %d2, s;
	add.u64 %d1, %d1, %d2;
	.loc 1 4 3
	st.shared.u32 [%d1], %r1;
	.loc 1 5 3
	xor.b32 %r2, %r1, 32;
	mul.wide.u32 %d3, %r2, 4;
	add.u64 %d3, %d3, %d2;
	ld.shared.u32 %r3, [%d3];
	st.shared.u32 [%d1], %r3;
	ret;
}
.file 1 "SOURCE"
`

// A CUDA file goes through the compiler that is installed, and findings are at its lines.
func TestCompile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a shell script")
	}
	bin, dir := t.TempDir(), t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "nvcc"), fakeNVCC, 0o700)
	write(filepath.Join(bin, "nvcc-11"), fakeNVCC, 0o700)
	write(filepath.Join(bin, "k.ptx"), compiledPTX, 0o600)
	write(filepath.Join(dir, "k.cu"), "// a kernel\n__global__ void k(float *o) {\n  // both\n  s[i] = i;\n  o = s[i ^ 32];\n}\n", 0o600)
	write(filepath.Join(dir, "-dash.cu"), "// a kernel\n__global__ void k(float *o) {\n}\n", 0o600)
	write(filepath.Join(dir, "wrong.cu"), "WRONG\n", 0o600)
	write(filepath.Join(dir, "slow.cu"), "SLEEP\n", 0o600)
	t.Chdir(dir)
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	launch := []string{"--grid", "1", "--block", "64", "--arg", "o:u32[1]"}
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{append([]string{"check", "k.cu"}, launch...), 1, []string{"k.cu:5:3: error: ", "[race-shared]", "  o = s[i ^ 32];", "at: k.cu.ptx:", "kernel k,"}},
		{append([]string{"check", filepath.Join(dir, "k.cu"), "--compiler", "nvcc-11 -arch=sm_90a -DX=1"}, launch...), 1, []string{filepath.Join(dir, "k.cu") + ":5:3: error: "}},
		{append([]string{"run", "--", "-dash.cu"}, launch...)[:3], 2, []string{"--grid"}},
		{append(append([]string{"run"}, launch...), "--", "-dash.cu"), 0, nil},
		{append([]string{"why", "k.cu", "--at", "20", "--lane", "3"}, launch...), 0, []string{"line 20", "st.shared.u32"}},
		{[]string{"kernels", "k.cu"}, 0, []string{"k(float*)", "k.cu.ptx: 1 kernel"}},
		{[]string{"init", "k.cu", "-o", "-"}, 0, []string{`"kernel"`}},
		{[]string{"check", "k.cu"}, 0, []string{"nothing found"}},
		{[]string{"check", "k.cu", "--compiler", "none"}, 2, []string{"this is CUDA C++", "[unknown-kind]", "nvcc -ptx -lineinfo k.cu"}},
		{[]string{"check", "k.cu", "--compiler", "gcc -O2"}, 2, []string{"--compiler for CUDA C++ is nvcc or clang++, with flags of it; found \"gcc\""}},
		{[]string{"check", "k.cu", "--compiler", "/nowhere/nvcc"}, 2, []string{"/nowhere/nvcc does not compile this CUDA C++", "no such file"}},
		{[]string{"check", "missing.cu"}, 2, []string{"missing.cu", "no such file"}},
		{[]string{"check", "wrong.cu"}, 2, []string{"nvcc does not compile this CUDA C++:", "wrong.cu(0): error: this is wrong", "… and 76 more lines", "nvcc -ptx -lineinfo -o wrong.cu.ptx wrong.cu", "[not-compiled]"}},
		{[]string{"check", "slow.cu", "--timeout", "200ms"}, 5, []string{"the time limit of 200ms was reached while nvcc compiled the file"}},
	} {
		code, stdout, stderr := runMain(t, c.args...)
		if code != c.code {
			t.Errorf("%q: exit status %d, want %d\n%s%s", c.args, code, c.code, stdout, stderr)
		}
		for _, w := range c.want {
			if !strings.Contains(stdout+stderr, w) {
				t.Errorf("%q: no %q in\n%s%s", c.args, w, stdout, stderr)
			}
		}
	}
	flags, err := os.ReadFile(filepath.Join(bin, "flags"))
	if err != nil || !strings.Contains(string(flags), "flag -arch=sm_90a\nflag -DX=1\nflag -ptx\nflag -lineinfo\n") {
		t.Errorf("the compiler was called with %q, %v", flags, err)
	}
	// Without one, the message names the language of the file.
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CUDA_PATH", "")
	if _, err := exec.LookPath("nvcc"); err == nil {
		t.Fatal("nvcc is found in an empty folder")
	}
	for _, args := range [][]string{{"check", "k.cu"}, {"run", "k.cu"}, {"why", "k.cu", "--at", "20"}} {
		if code, stdout, stderr := runMain(t, args...); code != 2 || !strings.Contains(stderr, "this is CUDA C++") || !strings.Contains(stderr, "[unknown-kind]") {
			t.Errorf("%q without a compiler: %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// runMain is one command.
func runMain(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, err bytes.Buffer
	code = Main(ctx, args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}
