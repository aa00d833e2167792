//go:build linux && amd64

package runtime_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Without --device, a process gets the device that fits the code that it has loaded before its first call. It keeps the device
// after a reset; a process and its child choose for themselves; code that is opened later and needs a newer device is a finding.
func TestDeviceOfProcess(t *testing.T) {
	t.Parallel()
	libraries(t) // there is a C compiler
	w, dir := workshop(t), t.TempDir()
	newer := []string{"--no-offload-arch=sm_80", "--offload-arch=sm_120"}
	file := func(name string) string { return filepath.Join(dir, name) }
	w.compile(t, "auto.cu", file("old"))
	w.compile(t, "auto.cu", file("new"), newer...)
	w.compile(t, "auto.cu", file("old.so"), "-DPLUGIN", "-shared", "-fPIC")
	w.compile(t, "auto.cu", file("new.so"), append(newer, "-DPLUGIN", "-shared", "-fPIC")...)
	for _, c := range []struct{ program, mode, object, prints, says string }{
		{"old", "reset", "", "first: 8.9 64 cudaSuccess\nagain: 8.9 64 cudaSuccess\n", ""},
		{"new", "reset", "", "first: 12.0 64 cudaSuccess\nagain: 12.0 64 cudaSuccess\n", "the device is sm_120"},
		{"old", "fork", "", "child: 8.9 64 cudaSuccess\nparent: 8.9 64 cudaSuccess\n", ""},
		{"new", "fork", "", "child: 12.0 64 cudaSuccess\nparent: 12.0 64 cudaSuccess\n", "the device is sm_120"},
		{"old", "before", "new.so", "program: 12.0 64 cudaSuccess\nobject: 12.0 64 cudaSuccess\n", "new.so has PTX for sm_120"},
		{"old", "after", "old.so", "program: 8.9 64 cudaSuccess\nobject: 8.9 64 cudaSuccess\n", ""},
		{"old", "after", "new.so", "program: 8.9 64 cudaSuccess\nobject: 8.9 0 cudaErrorNoKernelImageForDevice\n", "[no-ptx]"},
		{"new", "after", "old.so", "program: 12.0 64 cudaSuccess\nobject: 12.0 64 cudaSuccess\n", "the device is sm_120"},
	} {
		t.Run(strings.Join([]string{c.program, c.mode, c.object}, " "), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(w.crosslane, "exec", "--check", "--", file(c.program), c.mode, file(c.object))
			var stdout, stderr bytes.Buffer
			cmd.Env, cmd.Stdout, cmd.Stderr = w.env, &stdout, &stderr
			err := cmd.Run()
			if bad := c.says == "[no-ptx]"; (err != nil) != bad || bad != strings.Contains(stderr.String(), "error") {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			if stdout.String() != c.prints {
				t.Errorf("prints %q, want %q", stdout.String(), c.prints)
			}
			if said := stderr.String(); !strings.Contains(said, c.says) || (c.says == "" && strings.Contains(said, "the device is")) {
				t.Errorf("says %q, want %q", said, c.says)
			}
		})
	}
}
