//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
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

// Functions of the host and queries see the order of the calls, and kernels may wait for the host.
func TestOrder(t *testing.T) {
	t.Parallel()
	program := compile(t, library(t), "order", "-pthread")
	for _, check := range []bool{false, true} {
		out, _, codes := runProgram(t, Options{Device: api.DeviceOptions{Check: check, Skip: []string{"race-global"}}}, program)
		if out != "0 wrong\n" || codes != nil {
			t.Errorf("check %t: found %v\n%s", check, codes, out)
		}
	}
	out, _, codes := runProgram(t, Options{Device: api.DeviceOptions{Skip: []string{"leak"}}}, program, "fault")
	if out != "0 wrong\n" || !slices.Equal(codes, []string{"out-of-bounds"}) {
		t.Errorf("after a fault: found %v\n%s", codes, out)
	}
}

// Launches have clusters of blocks where the device has them; attributes, graphs and what the kernel requires give their size.
func TestClusters(t *testing.T) {
	t.Parallel()
	program := compile(t, library(t), "clusters")
	for _, target := range []string{"sm_90", "sm_120"} {
		out, _, codes := runProgram(t, Options{Target: target}, program)
		if out != "0 wrong\n" || codes != nil {
			t.Errorf("%s: found %v, want none: the refused launch is an error of the host only without checks\n%s", target, codes, out)
		}
	}
}

// With checks, the server reports calls that the library refuses by itself.
func TestRefusals(t *testing.T) {
	t.Parallel()
	program := compile(t, library(t), "handles")
	var found collector
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
	cmd := exec.Command(program, "nothing")
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+library(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	counts := map[string]int{}
	for _, d := range found.list {
		counts[d.Code]++
		if d.Code == "bad-handle" && !strings.Contains(d.Message, "returns 400 (CUDA_ERROR_INVALID_HANDLE): the handle is no ") {
			t.Errorf("%s", d.Message)
		}
		if !slices.ContainsFunc(append(d.Related, diag.Related{Pos: d.Pos}), func(r diag.Related) bool { return strings.HasSuffix(r.Pos.File, "/handles") }) {
			t.Errorf("no call of the host: %+v", d)
		}
	}
	if counts["bad-handle"] != 26 || counts["refused-call"] != 4 || len(counts) != 2 {
		t.Errorf("found %v, want 26 handles of nothing, a launch without parameters and three with clusters", counts)
	}
}
