//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// runProgram runs a program in C against a server, and returns what it prints and what is found.
func runProgram(t *testing.T, o Options, program string, args ...string) (out, stderr string, codes []string) {
	t.Helper()
	var found collector
	o.Report = found.report
	s, path := server(t, o)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+library(t))
	var errors strings.Builder
	cmd.Stderr = &errors
	b, err := cmd.Output()
	if err != nil {
		t.Errorf("%v %v: %v\n%s%s", program, args, err, b, errors.String())
	}
	s.Wait()
	return string(b), errors.String(), found.codes()
}

// Objects end with their contexts, and handles of nothing are errors.
func TestHandles(t *testing.T) {
	t.Parallel()
	program := compile(t, library(t), "handles")
	for _, c := range []struct {
		arg  string
		want []string
	}{
		{"", nil},
		{"leak", []string{"leak", "leak"}},
		{"nothing", nil},
	} {
		out, _, codes := runProgram(t, Options{}, program, strings.Fields(c.arg)...)
		if out != "0 wrong\n" || !slices.Equal(codes, c.want) {
			t.Errorf("%s: found %v, want %v\n%s", c.arg, codes, c.want, out)
		}
	}
}

// In a program that is not relocated, the host's memory and constants have addresses of the same size.
func TestLowAddresses(t *testing.T) {
	t.Parallel()
	out, _, codes := runProgram(t, Options{Device: api.DeviceOptions{Check: true}}, compile(t, library(t), "handles", "-no-pie"), "low")
	if out != "low 0 wrong\n" || codes != nil {
		t.Errorf("found %v\n%s", codes, out)
	}
}
