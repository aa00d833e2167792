//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// A program in Go with goroutines on streams of their own works, and its mistake is named with its lines.
func TestGoHost(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := filepath.Join(t.TempDir(), "gohost")
	cmd := exec.Command("go", "build", "-o", program, "./testdata/gohost")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_LDFLAGS=-L"+folder+" -lcuda")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, check := range []bool{false, true} {
		out, _, codes := runProgram(t, Options{Device: api.DeviceOptions{Check: check}}, program, "2")
		if out != "right\n" || codes != nil {
			t.Errorf("check %t: found %v\n%s", check, codes, out)
		}
	}
	var found collector
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
	cmd = exec.Command(program, "3")
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "status 700") {
		t.Errorf("%v\n%s", err, out)
	}
	i := slices.Index(found.codes(), "out-of-bounds")
	if i < 0 {
		t.Fatalf("found %v", found.codes())
	}
	d := found.list[i]
	text := d.Error()
	for _, r := range d.Related {
		text += "\n" + r.Pos.String() + " " + r.Message
	}
	for _, want := range []string{"(256 bytes) was allocated here", "it was launched here", "gohost"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
