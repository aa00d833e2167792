//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/crosslane/api"
)

// Findings about hosts in Python have the lines of Python, whether or not the calling thread has the interpreter's lock;
// a thread that cannot get it in time is not held up.
func TestPythonFrames(t *testing.T) {
	t.Parallel()
	python, folder := python(t), library(t)
	locks := filepath.Join(t.TempDir(), "locks.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-pthread", "-o", locks, "testdata/locks.c", "-L"+folder, "-lcuda").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var found collector
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
	cmd := exec.Command(python, "testdata/frames.py", locks)
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "done\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	found.mu.Lock()
	defer found.mu.Unlock()
	if len(found.list) != 5 {
		t.Fatalf("found %v, want 5", found.list)
	}
	for i, line := range []int{16, 20, 16, 0, 16} {
		d := found.list[i]
		if d.Code != "refused-call" || line != 0 && (filepath.Base(d.Pos.File) != "frames.py" || d.Pos.Line != line) {
			t.Errorf("finding %d: %s:%d: %s, want line %d of frames.py", i, d.Pos.File, d.Pos.Line, d.Message, line)
		}
	}
	// Python's lock was not free: the calls are those of C.
	if d := found.list[3]; filepath.Base(d.Pos.File) != "locks.so" {
		t.Errorf("with a lock that is held: %s:%d", d.Pos.File, d.Pos.Line)
	}
}
