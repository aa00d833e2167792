//go:build linux && amd64

package runtime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkAgain runs a program and an object of testdata/again.cu that build compiles: a hundred times threads, forks, programs
// that replace the process, and the object opened and closed. Nothing is left.
func checkAgain(t *testing.T, crosslane string, env []string, build func(t *testing.T, out string, options ...string)) {
	program, object := filepath.Join(t.TempDir(), "again"), filepath.Join(t.TempDir(), "again.so")
	build(t, program)
	build(t, object, "-DPLUGIN", "-shared")
	for _, mode := range []string{"threads", "fork", "open " + object, "exec 100 0"} {
		args := strings.Fields(mode)
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(crosslane, append([]string{"exec", "--device", "sm_80", "--leaks", "--", program}, args...)...)
			cmd.Env = env
			// Notes are modules: that of the program is there until it ends.
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "done\n") || strings.Contains(string(out), "error") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Programs of clang on the shared runtime leave nothing behind.
func TestAgainClang(t *testing.T) {
	t.Parallel()
	libraries(t) // there is a C compiler
	w := workshop(t)
	checkAgain(t, w.crosslane, w.env, func(t *testing.T, out string, options ...string) {
		w.compile(t, "again.cu", out, append(options, "-fPIC")...)
	})
}

// Nor do programs of nvcc, on the shared and on the static runtime.
func TestAgainNVCC(t *testing.T) {
	t.Parallel()
	nvcc := os.Getenv(nvccVariable)
	if nvcc == "" {
		t.Skip(nvccVariable + " names no nvcc; its packages have 125 MB")
	}
	crosslane, env := command(t)
	for _, kind := range []string{"shared", "static"} {
		t.Run(kind, func(t *testing.T) {
			checkAgain(t, crosslane, env, func(t *testing.T, out string, options ...string) {
				compileNVCC(t, env, nvcc, kind, "again.cu", out, append(options, "-Xcompiler", "-fPIC")...)
			})
		})
	}
}
