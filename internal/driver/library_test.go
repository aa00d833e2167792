//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/shim"
)

// python finds Python; the test is skipped where there is none.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no Python: ", err)
	}
	return path
}

// library compiles the driver library once for all tests; the test is skipped where there is no C compiler.
func library(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no C compiler: ", err)
	}
	folder, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

var built = sync.OnceValues(func() (string, error) {
	work, err := os.MkdirTemp("", "crosslane-library-")
	if err != nil {
		return "", err
	}
	return shim.Build(work)
})

// TestMain removes the library.
func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := built(); err == nil && code >= 0 {
		os.RemoveAll(filepath.Dir(folder))
	}
	os.Exit(code)
}

// compile compiles a C program of testdata against the library, with options for the compiler.
func compile(t *testing.T, folder, name string, options ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("cc", append(options, "-o", program, filepath.Join("testdata", name+".c"), "-L"+folder, "-lcuda")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A program in C on the driver API gets from each call what the API promises, without checks and with checks.
func TestHostProgram(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compile(t, folder, "host")
	for _, check := range []bool{false, true} {
		var mu sync.Mutex
		var found diag.List
		_, path := server(t, Options{Device: api.DeviceOptions{Check: check, Skip: []string{"leak"}}, Report: func(_ Client, d *diag.Diagnostic) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, d)
		}})
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || string(out) != "hi\nhi\n0 wrong\n" {
			t.Errorf("check %t: %v\n%s%s", check, err, out, stderr.String())
		}
		// The library names a missing function once. The log of a module that does not load is printed, unless the host takes it.
		for _, want := range []string{"cuTexRefCreate is not implemented", "the module is for sm_120; the device is sm_80"} {
			if strings.Count(stderr.String(), want) != 1 {
				t.Errorf("%q is not in\n%s", want, stderr.String())
			}
		}
		mu.Lock()
		var codes []string
		for _, d := range found {
			codes = append(codes, d.Code)
		}
		// The host makes these mistakes on purpose: a copy that is too long, a free of the middle, and the fault. With checks
		// there are also calls without a context, an allocation of nothing, launches that do not fit, and the use of a
		// stream and of a module that have ended.
		want := "copy-out-of-bounds bad-pointer out-of-bounds"
		if check {
			want = "bad-handle bad-handle bad-handle refused-call copy-out-of-bounds bad-pointer " + strings.Repeat("refused-call ", 4) + strings.Repeat("bad-handle ", 4) + "out-of-bounds"
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("check %t: found %s\n%v", check, got, found)
		}
		mu.Unlock()
	}
}

// Without a server every call says what to do.
func TestNoServer(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compile(t, folder, "host")
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET=", "LD_LIBRARY_PATH="+folder)
	out, _ := cmd.CombinedOutput()
	if !strings.Contains(string(out), "run the program with crosslane exec") {
		t.Errorf("%s", out)
	}
}
