//go:build linux && amd64

package compilers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/internal/driver/nvvm"
)

// asCommand makes this program the command that the stand-in for libnvvm runs.
func asCommand() {
	if len(os.Args) != 2 || os.Args[1] != "nvvm" {
		return
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "LD_") {
			fmt.Fprintln(os.Stderr, "the command has", v)
		}
	}
	if err := nvvm.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// withToolkit returns an environment whose toolkit runs this program, and the path of its libnvvm.
func withToolkit(t *testing.T) (e Environment, libnvvm string) {
	t.Helper()
	_, work := prepared(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if e, err = Prepare(filepath.Join(work, "cache"), self, runtimeLibraries(t)); err != nil {
		t.Fatal(err)
	}
	return e, filepath.Join(e.Home, "nvvm/lib64/libnvvm.so.4")
}

const kernelText = `target triple = "nvptx64-nvidia-cuda"
define void @k(i32* %p) {
  store i32 7, i32* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
`

// A program in C uses all functions of the stand-in for libnvvm.
func TestLibNVVM(t *testing.T) {
	t.Parallel()
	e, libnvvm := withToolkit(t)
	file := filepath.Join(t.TempDir(), "k.ll")
	if err := os.WriteFile(file, []byte(kernelText), 0o600); err != nil {
		t.Fatal(err)
	}
	client := clientOfNVVM(t)
	if _, err := exec.LookPath("llc-14"); err != nil && os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "" {
		t.Skip("LLVM 14 is not installed: ", err)
	}
	const head = `version 1.6
IR 1.6, debug 3.0
LLVM 7
create: NVVM_SUCCESS
empty: NVVM_ERROR_NO_MODULE_IN_PROGRAM
no result: NVVM_ERROR_INVALID_INPUT
add: NVVM_SUCCESS
add: NVVM_SUCCESS
add: NVVM_ERROR_INVALID_INPUT
`
	const tail = "destroy: NVVM_SUCCESS\nnone: NVVM_ERROR_INVALID_PROGRAM, NVVM_ERROR_INVALID_PROGRAM\n"
	got := output(t, e, nil, client, libnvvm, file, "-arch=compute_80")
	if !strings.HasPrefix(got, head+"verify: NVVM_SUCCESS\ncompile: NVVM_SUCCESS\nlog: 1 \nPTX of right length\n") || !strings.HasSuffix(got, tail) ||
		!strings.Contains(got, ".target sm_80") || !strings.Contains(got, ".visible .entry k(") {
		t.Error(got)
	}
	got = output(t, e, nil, client, libnvvm, file, "-no-such")
	log := "crosslane: the option -no-such of libnvvm is not supported"
	want := head + fmt.Sprintf("verify: NVVM_ERROR_INVALID_OPTION\ncompile: NVVM_ERROR_INVALID_OPTION\nlog: %d %s\n", len(log)+1, log) + tail
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// A command that does not answer is an error, too.
	other, work := prepared(t)
	if _, err := os.Stat(filepath.Join(work, "cache")); err != nil {
		t.Fatal(err)
	}
	got = output(t, other, nil, client, filepath.Join(other.Home, "nvvm/lib64/libnvvm.so.4"), file)
	if !strings.Contains(got, "compile: NVVM_ERROR_COMPILATION\n") || !strings.Contains(got, "/nvvm/bin/crosslane-nvvm ended with status ") {
		t.Error(got)
	}
}

// clientOfNVVM compiles testdata/nvvm_client.c.
func clientOfNVVM(t *testing.T) string {
	t.Helper()
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("cc", "-w", "-o", client, "testdata/nvvm_client.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return client
}

// Only programs without a toolkit get the one of the cache.
func TestToolkitOffered(t *testing.T) {
	t.Parallel()
	e := Environment{Audit: "/a.so", Home: "/c/cuda"}
	offer := e.offered()
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{nil, offer},
		{[]string{"CUDA_HOME="}, offer},
		{[]string{"CUDA_HOME=/mine"}, "/mine"},
		{[]string{"CUDA_PATH=/mine"}, ""},
		{[]string{"NUMBAPRO_NVVM=/mine/libnvvm.so"}, ""},
	} {
		got := ""
		for _, v := range e.Apply(tt.env) {
			if value, ok := strings.CutPrefix(v, "CUDA_HOME="); ok {
				got += value
			}
		}
		if got != tt.want {
			t.Errorf("%q: CUDA_HOME is %q, want %q", tt.env, got, tt.want)
		}
	}
	// The commands of a shell do the same.
	script := strings.Join(e.Exports(), "\n") + "\necho \"$CUDA_HOME\"\n"
	for _, tt := range []struct{ env, want string }{{"X=", offer}, {"CUDA_HOME=/mine", "/mine"}, {"CUDA_PATH=/mine", ""}, {"CUDA_HOME=", offer}} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Env = []string{tt.env, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.env, out, err, tt.want)
		}
	}
}

// Debian's Numba, which has a CUDA target of its own, runs without a package of NVIDIA. The results are those of numpy.
func TestDebianNumba(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if _, err := os.Stat("/usr/lib/python3/dist-packages/numba/cuda"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal("python3-numba of Debian 12 is not installed: ", err)
		}
		t.Skip("python3-numba is not installed: ", err)
	}
	e, _ := withToolkit(t)
	if e.offered() == "" {
		t.Skip("this machine has a toolkit of NVIDIA")
	}
	e.Set["NUMBA_CACHE_DIR"] = t.TempDir()
	env := []string{"CROSSLANE_SOCKET=" + serve(t, "sm_89"), "LD_LIBRARY_PATH=" + driverLibrary(t), "NUMBA_CUDA_DRIVER=" + filepath.Join(driverLibrary(t), "libcuda.so.1")}
	for _, program := range []string{"../../../examples/hosts/numba_scan.py", "testdata/debian_numba.py"} {
		got := output(t, e, env, python, "-W", "ignore", program)
		if !regexp.MustCompile(`(?m)right$`).MatchString(got) || strings.Contains(got, "wrong") {
			t.Errorf("%s: %s", program, got)
		}
	}
}
