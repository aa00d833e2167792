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

	"example.org/crosslane/internal/driver"
	"example.org/crosslane/internal/driver/runtime"
	"example.org/crosslane/internal/driver/shim"
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
	s, err := driver.NewServer(driver.Options{Target: "sm_80"})
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
	out := filepath.Join(t.TempDir(), name)
	args := append(options, fmt.Sprint("-DMAJOR=", v.Major), "-O1", "-Wall", "-pthread", "-o", out, "testdata/"+name+".c",
		filepath.Join(f.runtime, v.Soname), "-ldl", "-Wl,-rpath-link,"+f.driver)
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
			if n := strings.Count(said, "cudaMallocArray is not implemented"); n != 1 {
				t.Errorf("the absent function is named %d times:\n%s", n, said)
			}
		})
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
