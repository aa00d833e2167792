//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Programs that ask for too much, or end in a launch, get an error or leave nothing: the next program works, and the
// server has no memory, no goroutine and no file of them.
func TestHostilePrograms(t *testing.T) {
	folder := library(t)
	program := compile(t, folder, "hostile")
	s, path := server(t, Options{})
	run := func(what string) (string, error) {
		cmd := exec.Command(program, what)
		cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	leftover := func() (goroutines, files int) {
		s.Wait()
		runtime.GC()
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return runtime.NumGoroutine(), len(list)
	}
	if out, err := run(""); err != nil || out != "0 wrong\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	goroutines, files := leftover()
	for _, c := range []struct{ what, out, err string }{
		{"contexts", "0 wrong\n", ""},
		{"memory", "0 wrong\n", ""},
		{"killed", "", "signal: killed"},
		{"killed", "", "signal: killed"},
		{"threads", "", ""},
		{"", "0 wrong\n", ""},
	} {
		out, err := run(c.what)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if out != c.out || got != c.err {
			t.Errorf("%s: %v\n%s", c.what, err, out)
		}
	}
	var g, f int
	for range 100 { // goroutines need a moment to end
		if g, f = leftover(); g <= goroutines && f <= files {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if g > goroutines || f > files {
		t.Errorf("%d goroutines and %d files before, %d and %d after", goroutines, files, g, f)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(maps), "memfd:crosslane"); n > 0 {
		t.Errorf("the memory of %d clients is still mapped", n)
	}
}
