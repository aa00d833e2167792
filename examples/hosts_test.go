package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestHosts runs and checks the host programs in Python, as docs/hosts.md says. CROSSLANE_CUDA_PYTHON is a Python with the
// packages that they name. Each has to be right, without a warning or an error.
func TestHosts(t *testing.T) {
	python := os.Getenv("CROSSLANE_CUDA_PYTHON")
	switch {
	case python == "none":
		t.Skip("CROSSLANE_CUDA_PYTHON is none: the packages take 800 MB")
	case python == "" && os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "":
		t.Fatal("CROSSLANE_REQUIRE_ORACLES is set, and CROSSLANE_CUDA_PYTHON is not. It names a Python with the packages that examples/hosts/*.py need, or it is none")
	case python == "":
		t.Skip("CROSSLANE_CUDA_PYTHON names no Python with the packages that examples/hosts/*.py need")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("host programs run on Linux on amd64")
	}
	crosslane := filepath.Join(t.TempDir(), "crosslane")
	if out, err := exec.Command("go", "build", "-o", crosslane, "example.org/crosslane/cmd/crosslane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, device, file string) (stdout, stderr string, err error) {
		t.Helper()
		cmd := exec.Command(crosslane, "exec", "--check", "--device", device, "--", python, file)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		err = cmd.Run()
		return out.String(), errs.String(), err
	}
	clean := regexp.MustCompile(`exec: (nothing found|\d+ notes?) in \d+ launch`)
	files, err := filepath.Glob("hosts/*.py")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, device := range []string{"sm_80", "sm_120"} {
		for _, file := range files {
			t.Run(device+"/"+filepath.Base(file), func(t *testing.T) {
				out, errs, err := run(t, device, file)
				if err != nil || !strings.HasSuffix(out, ": right\n") || !clean.MatchString(errs) {
					t.Errorf("%v\n%s\n%s", err, out, errs)
				}
			})
		}
	}

	// The second stream copies and frees the memory without waiting for the first.
	text, err := os.ReadFile("hosts/cuda_bindings_pool.py")
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.py")
	changed := regexp.MustCompile(`(?m)^.*cuStreamWaitEvent.*\n`).ReplaceAll(text, nil)
	if err := os.WriteFile(bad, changed, 0o600); err != nil || len(changed) == len(text) {
		t.Fatal(err)
	}
	_, errs, err := run(t, "sm_80", bad)
	for _, want := range []string{"bad.py:54: error: a copy to the host in stream 2", "[stream-race]", "[freed-in-use]"} {
		if err == nil || !strings.Contains(errs, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, errs)
		}
	}
}
