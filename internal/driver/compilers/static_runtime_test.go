//go:build linux && amd64

package compilers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runtimeVariable names the folder of the runtime libraries (src/static_runtime.h).
const runtimeVariable = "CROSSLANE_RUNTIME"

// cc runs the C compiler.
func cc(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("cc", append([]string{"-w", "-O1"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("cc %q: %v\n%s", args, err, out)
	}
}

// counterparts makes runtime libraries of three major versions and returns the variable that names their folder.
func counterparts(t *testing.T) (variable string) {
	t.Helper()
	folder := t.TempDir()
	for version, soname := range map[string]string{"11": "libcudart.so.11.0", "12": "libcudart.so.12", "13": "libcudart.so.13"} {
		cc(t, "-shared", "-fPIC", "-DMAJOR="+version, "-Wl,-soname,"+soname, "-o", filepath.Join(folder, soname), "testdata/counterpart.c")
	}
	return runtimeVariable + "=" + folder
}

// calls is the output of the calls of testdata/static_client.c; VERSION stands for the version of the runtime.
const calls = `registered image
own 2
malloc 17 image
malloc 18
launch kernel 1 2 3, 4 5 6, 42, 7, stream
mixed 1 2.5 3 4.5 5 6 7 8 9 ten
version VERSION, seven, short 3, free 0
crosslane: cudaFutureCall of the CUDA runtime is not supported; it returns 801
future 801 801
`

// A program that holds a static runtime calls the counterpart of its version in its place, with all arguments. A
// function without a counterpart is named once, and a function of the program itself is left alone. Each function of the
// runtime would abort the program, as it does without the auditing library and in a program without symbols.
func TestStaticRuntime(t *testing.T) {
	t.Parallel()
	e, _ := prepared(t)
	variable := counterparts(t)
	for version, option := range map[string]string{"11": "-DMAJOR_11", "12": "-DMAJOR_12", "13": "-DMAJOR_13"} {
		program := filepath.Join(t.TempDir(), "program")
		cc(t, option, "-o", program, "testdata/static_client.c", "testdata/static_runtime.c")
		compare(t, output(t, e, []string{variable}, program), strings.ReplaceAll(calls, "VERSION", version))
	}
	for name, args := range map[string][]string{
		"fixed":    {"-no-pie"},
		"exported": {"-rdynamic"},
		"endbr":    {"-fcf-protection=full"},
		"large":    {"-fno-plt", "-mcmodel=medium"},
	} {
		program := filepath.Join(t.TempDir(), name)
		cc(t, append(args, "-o", program, "testdata/static_client.c", "testdata/static_runtime.c")...)
		compare(t, output(t, e, []string{variable}, program), strings.ReplaceAll(calls, "VERSION", "13"))
	}
	program := filepath.Join(t.TempDir(), "program")
	cc(t, "-o", program, "testdata/static_client.c", "testdata/static_runtime.c")
	if err := exec.Command(program).Run(); err == nil || !strings.Contains(err.Error(), "abort") {
		t.Errorf("without the auditing library the program ends with %v, want an abort", err)
	}
	cc(t, "-s", "-o", program, "testdata/static_client.c", "testdata/static_runtime.c")
	cmd := exec.Command(program)
	cmd.Env = e.Apply([]string{variable})
	if err := cmd.Run(); err == nil || !strings.Contains(err.Error(), "abort") {
		t.Errorf("without symbols the program ends with %v, want an abort", err)
	}
}

// The replacement holds in threads, in children, in programs that replace the process, and in objects that are opened and
// closed a hundred times, which leaves no memory behind.
func TestStaticRuntimeAgain(t *testing.T) {
	t.Parallel()
	e, _ := prepared(t)
	env := []string{counterparts(t)}
	folder := t.TempDir()
	program, plugin := filepath.Join(folder, "program"), filepath.Join(folder, "plugin.so")
	cc(t, "-o", program, "testdata/static_client.c", "testdata/static_runtime.c")
	cc(t, "-shared", "-fPIC", "-fvisibility=hidden", "-DPLUGIN", "-DMAJOR_12", "-o", plugin, "testdata/static_client.c", "testdata/static_runtime.c")
	compare(t, output(t, e, env, program, "threads"), "threads")
	compare(t, output(t, e, env, program, "fork"), "forks")
	compare(t, output(t, e, env, program, "exec", "100"), "execs")
	compare(t, output(t, e, env, program, plugin), strings.ReplaceAll(calls, "VERSION", "12")+"0 more mappings")
}

// A runtime library of another folder is replaced as well. A program on a library with the same functions, and a library
// that only some of the anchors are in, are left alone.
func TestRuntimeLibrary(t *testing.T) {
	t.Parallel()
	e, _ := prepared(t)
	env := []string{counterparts(t)}
	folder := t.TempDir()
	program, other := filepath.Join(folder, "program"), filepath.Join(folder, "libcudart.so.13.9")
	cc(t, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13", "-o", other, "testdata/static_runtime.c")
	// Only an RPATH comes before LD_LIBRARY_PATH.
	cc(t, "-o", program, "testdata/static_client.c", "-Wl,-rpath,"+folder+",--disable-new-dtags,--unresolved-symbols=ignore-all", other)
	if err := exec.Command("ln", "-s", other, filepath.Join(folder, "libcudart.so.13")).Run(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	if err := cmd.Run(); err == nil || !strings.Contains(err.Error(), "abort") {
		t.Errorf("without the auditing library the program ends with %v, want an abort", err)
	}
	cmd = exec.Command(program)
	cmd.Env = e.Apply(env)
	out, err := cmd.CombinedOutput()
	if !strings.HasPrefix(string(out), "registered image\n") || err == nil {
		// cudaFutureCall is in neither library.
		t.Errorf("got %v and\n%s", err, out)
	}
	partial := filepath.Join(folder, "partial")
	cc(t, "-o", partial, "testdata/static_partial.c")
	compare(t, output(t, e, env, partial), "own 1 2")
}
