//go:build linux && amd64

package runtime_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver"
	"example.org/crosslane/internal/driver/runtime"
	"example.org/crosslane/internal/driver/shim"
	"example.org/crosslane/internal/fatbin/fatbintest"
)

// folders are those of the driver library and of the runtime libraries.
type folders struct{ work, driver, runtime string }

var built = sync.OnceValues(func() (f folders, err error) {
	if f.work, err = os.MkdirTemp("", "crosslane-runtime-"); err != nil {
		return f, err
	}
	if f.driver, err = shim.Build(f.work); err != nil {
		return f, err
	}
	f.runtime, err = runtime.Build(f.work, f.driver)
	return f, err
})

// TestMain removes the libraries.
func TestMain(m *testing.M) {
	code := m.Run()
	if f, err := built(); err == nil {
		os.RemoveAll(f.work)
	}
	os.Exit(code)
}

// libraries compiles the libraries once for all tests; the test is skipped where there is no C compiler.
func libraries(t *testing.T) folders {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no C compiler: ", err)
	}
	f, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// serve starts a server with a device sm_80 and returns the environment of its programs.
func serve(t *testing.T, f folders) []string {
	t.Helper()
	return serveWith(t, f, driver.Options{Target: "sm_80"})
}

// serveWith is serve with options.
func serveWith(t *testing.T, f folders, o driver.Options) []string {
	t.Helper()
	s, err := driver.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() {
		l.Close()
		s.Close()
	})
	return append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+f.driver+":"+f.runtime)
}

// compile compiles a program or library of testdata against the runtime library of a version.
func compile(t *testing.T, f folders, v runtime.Version, name string, options ...string) string {
	t.Helper()
	return compileWith(t, filepath.Join(f.runtime, v.Soname), v, name, append(options, "-Wl,-rpath-link,"+f.driver)...)
}

// compileWith is compile with another library.
func compileWith(t *testing.T, library string, v runtime.Version, name string, options ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	args := append(options, fmt.Sprint("-DMAJOR=", v.Major), "-O1", "-Wall", "-pthread", "-o", out, "testdata/"+name+".c", library, "-ldl")
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// run runs a program and returns what it prints.
func run(t *testing.T, env []string, program string, args ...string) (stdout, stderr string) {
	t.Helper()
	var e strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = env, &e
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s%s", err, out, e.String())
	}
	return string(out), e.String()
}

// A program that registers kernels and variables as the start-up code of nvcc does gets from each call what the API
// promises: launches, errors, structures, threads, a child process, libraries that are opened and closed, a reset.
func TestProgram(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	for _, v := range runtime.Versions() {
		t.Run(v.Soname, func(t *testing.T) {
			t.Parallel()
			plugin := compile(t, f, v, "plugin", "-shared", "-fPIC")
			out, said := run(t, serve(t, f), compile(t, f, v, "program"), plugin)
			if out != "0 wrong\n" {
				t.Errorf("the program prints\n%s%s", out, said)
			}
			// The kernel that the image lacks and each function that is absent are said once.
			if n := strings.Count(said, "cudaArrayGetPlane is not implemented"); n != 1 {
				t.Errorf("the absent function is named %d times:\n%s", n, said)
			}
		})
	}
}

// The same program, linked with NVIDIA's library of each version, runs with Crosslane's: the versions of the symbols fit.
func TestOracleLinked(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range runtime.Versions() {
		library := filepath.Join(cache, "crosslane-oracles", map[int]string{
			11: "cuda-11.8.89/nvidia/cuda_runtime", 12: "cuda-12.9.79/nvidia/cuda_runtime", 13: "cuda-13.5.37/nvidia/cu13",
		}[v.Major], "lib", v.Soname)
		if _, err := os.Stat(library); err != nil {
			if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
				t.Fatalf("%v, but CROSSLANE_REQUIRE_ORACLES is 1; .ci/run install_tools installs it", err)
			}
			t.Skip("a library of the CUDA runtime is not installed; .ci/run install_tools installs it")
		}
		plugin := compileWith(t, library, v, "plugin", "-shared", "-fPIC")
		if out, said := run(t, serve(t, f), compileWith(t, library, v, "program"), plugin); out != "0 wrong\n" || strings.Contains(said, "version information") {
			t.Errorf("%s: the program prints\n%s%s", v.Soname, out, said)
		}
	}
}

// A program without PTX is told so, with the remedy, once.
func TestMachineCodeOnly(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	v := runtime.Versions()[1]
	_, said := run(t, serve(t, f), compile(t, f, v, "program", "-DCODE_KIND=2"), "", "machine code")
	if n := strings.Count(said, "built without PTX: add code=compute_70, as in nvcc -gencode arch=compute_70,code=compute_70"); n != 1 {
		t.Errorf("the remedy is said %d times:\n%s", n, said)
	}
}

// Code of a program that cannot be loaded is a finding that names the file, because the program may ignore the
// error. It is found once, and the library does not say it again. Code that the device runs has none.
func TestUnusable(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	v := runtime.Versions()[2] // the code is that of all versions
	for _, kind := range []string{"-DCODE_KIND=2", "-DCODE_KIND=1"} {
		var mu sync.Mutex
		var found diag.List
		o := driver.Options{Target: "sm_80", Report: func(_ driver.Client, d *diag.Diagnostic) {
			mu.Lock()
			defer mu.Unlock()
			if d.Class != diag.Finding {
				found = append(found, d)
			}
		}}
		program, args := compile(t, f, v, "program", kind), []string{"", "machine code"}
		if kind == "-DCODE_KIND=1" {
			args = []string{compile(t, f, v, "plugin", "-shared", "-fPIC")}
		}
		_, said := run(t, serveWith(t, f, o), program, args...)
		mu.Lock()
		if kind == "-DCODE_KIND=1" {
			if len(found) != 0 {
				t.Errorf("code that runs is found: %v", found)
			}
		} else if len(found) != 1 || found[0].Code != "no-ptx" || found[0].Pos.File != program || found[0].Severity != diag.Error {
			t.Errorf("found %v, want no-ptx of %s once", found, program)
		}
		mu.Unlock()
		if strings.Contains(said, "PTX") {
			t.Errorf("the library says what the finding says:\n%s", said)
		}
	}
}

// kernel is a module whose kernel k stores what a function of the name f returns; text is the rest of the module.
func kernel(target, text string) []byte {
	return []byte(".version 8.0\n.target " + target + "\n.address_size 64\n" + text + `
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<2>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [p]; call (%r1), f; st.global.u32 [%rd1], %r1; ret;
}
`)
}

// function is the function f, which returns v.
func function(v int) string {
	return fmt.Sprintf(".visible .func (.param .b32 r) f()\n{\nst.param.b32 [r], %d; ret;\n}\n", v)
}

// A fat binary with several targets gives the one that fits the device. Those of relocatable code are linked; one with
// machine code alone is left out.
func TestUnits(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	v := runtime.Versions()[2]
	program, env := compile(t, f, v, "units"), serve(t, f)
	const outside = ".extern .func (.param .b32 r) f();\n"
	text := func(sm int, data []byte) fatbintest.Entry { return fatbintest.Text(sm, string(data)) }
	code := fatbintest.Entry{Kind: fatbintest.Cubin, SM: 80, Data: []byte("\x7fELF .text.k")}
	frame := kernel("sm_70", function(9))
	for name, c := range map[string]struct {
		units  [][]byte // one: an image; more: the inputs of the linker
		stdout string
		stderr string
	}{
		"oldest": {[][]byte{fatbintest.Write(text(75, kernel("sm_75", function(75))), text(90, kernel("sm_90", function(90))), code)}, "0 75\n", ""},
		"newest": {[][]byte{fatbintest.Write(text(90, kernel("sm_90", function(90))), text(80, kernel("sm_80", function(80))), text(70, kernel("sm_70", function(70))))}, "0 80\n", ""},
		"zstd":   {[][]byte{fatbintest.Write(fatbintest.Entry{Kind: fatbintest.PTX, SM: 70, Flags: fatbintest.Zstd, Data: fatbintest.ZstdRaw(frame), Plain: len(frame)})}, "0 9\n", ""},
		"linked": {[][]byte{
			fatbintest.Write(code, text(80, kernel("sm_80", outside))), fatbintest.Write(code),
			fatbintest.Write(text(80, []byte(".version 8.0\n.target sm_80\n.address_size 64\n"+function(7)))),
		}, "0 7\n", ""},
		"missing": {[][]byte{fatbintest.Write(text(80, kernel("sm_80", outside))), fatbintest.Write(code)}, "801 0\n", ""}, // the launch says which function is missing
		"newer":   {[][]byte{fatbintest.Write(text(90, kernel("sm_90", function(90))))}, "209 0\n", "the fat binary has no PTX for sm_80; it has PTX for sm_90"},
		"code":    {[][]byte{fatbintest.Write(code), fatbintest.Write(code)}, "209 0\n", ""},
	} {
		var files []string
		for i, u := range c.units {
			files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
			if err := os.WriteFile(files[i], u, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, said := run(t, env, program, files...)
		if out != c.stdout || !strings.Contains(said, c.stderr) {
			t.Errorf("%s: the program prints %q and %q, want %q and %q", name, out, said, c.stdout, c.stderr)
		}
	}
}

// Findings about calls of the runtime show the calls of the program, and none of the runtime.
func TestCallers(t *testing.T) {
	t.Parallel()
	f := libraries(t)
	program := compile(t, f, runtime.Versions()[2], "mistakes", "-g", "-O0")
	for _, args := range [][]string{nil, {"right"}} {
		var mu sync.Mutex
		found := map[string]string{}
		env := serveWith(t, f, driver.Options{Target: "sm_80", Device: api.DeviceOptions{Check: true}, Report: func(_ driver.Client, d *diag.Diagnostic) {
			mu.Lock()
			defer mu.Unlock()
			var calls []string
			for _, r := range d.Related {
				calls = append(calls, fmt.Sprintf("%s:%d %s", filepath.Base(r.Pos.File), r.Pos.Line, r.Message))
			}
			found[d.Code] = fmt.Sprintf("%s:%d %s\n%s", filepath.Base(d.Pos.File), d.Pos.Line, d.Message, strings.Join(calls, "\n"))
		}})
		run(t, env, program, args...)
		want := map[string]string{"copy-out-of-bounds": "mistakes.c:17", "refused-call": "mistakes.c:19", "double-free": "mistakes.c:24"}
		if args != nil {
			want = nil
		}
		mu.Lock()
		for code, line := range want {
			if !strings.Contains(found[code], line) || strings.Contains(found[code], "libcudart") {
				t.Errorf("%s: want a call at %s and none of the runtime:\n%s", code, line, found[code])
			}
		}
		if len(found) != len(want) {
			t.Errorf("with %q the findings are %v", args, found)
		}
		mu.Unlock()
	}
}
