//go:build linux && amd64

package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// hostMistakes are the pairs of mistakes.c: the codes of the findings of the wrong function, and texts of the last one. A
// program that signals ends by SIGSEGV.
var hostMistakes = []struct {
	name, codes string
	texts       []string
	signals     bool
}{
	{name: "read_early", codes: "host-race", texts: []string{`the host reads byte 16 of "allocation 2" (128 bytes), while a copy to the host in stream 1 writes it`, "the operation was enqueued here"}},
	{name: "read_other_stream", codes: "host-race", texts: []string{`the host reads byte 0 of "allocation 2"`}},
	{name: "read_after_event", codes: "host-race", texts: []string{`the host reads byte 0 of "allocation 2"`}},
	{name: "write_source", codes: "host-race", texts: []string{`the host writes byte 12 of "allocation 2" (128 bytes), while a copy to the device in stream 1 reads it`}},
	{name: "managed", codes: "host-race", texts: []string{`the host reads byte 4 of "allocation 1" (128 bytes), while kernel add in the default stream may use it`}},
	{name: "pageable", codes: "stream-race", texts: []string{`kernel add in stream 1 writes "allocation 1", bytes 0 to 127, while a copy to the device from pageable memory in the default stream writes them`}},
	{name: "device_read", codes: "host-access", texts: []string{`the host reads memory of the device as its own: 0x110000010008 is 8 bytes inside "allocation 1" (128 bytes)`}, signals: true},
	{name: "device_write", codes: "host-access", texts: []string{`the host writes memory of the device as its own`}, signals: true},
	{name: "pinned_after_free", codes: "use-after-free", texts: []string{`it is "allocation 1" (128 bytes), which was freed`, "it was freed here"}, signals: true},
	{name: "copy_kind", codes: "host-access", texts: []string{`a copy to the device reads 128 bytes of the host, but the address is one of the device`, `inside "allocation 1"`}},
	{name: "copy_kind_back", codes: "host-access", texts: []string{`a copy to the host writes 128 bytes of the host, but the address is one of the device`, `inside "allocation 2"`}},
	{name: "copy_exchanged", codes: "host-access", texts: []string{`a copy to the host writes 128 bytes of the host, but the address is one of the device`}},
	{name: "pinned_too_short", codes: "copy-out-of-bounds", texts: []string{`0 bytes inside "allocation 1" (128 bytes): the last 128 are past its end`}},
	{name: "free_of_pinned", codes: "mismatched-free", texts: []string{`"allocation 1" (128 bytes) is freed by cuMemFree, but is pinned memory`}},
	{name: "free_as_pinned", codes: "mismatched-free", texts: []string{`"allocation 1" (128 bytes) is freed by cuMemFreeHost, but is memory of the device`}},
	{name: "stream_twice", codes: "bad-handle", texts: []string{"cuStreamDestroy_v2 returns 400 (CUDA_ERROR_INVALID_HANDLE): the handle is no stream, or one that was destroyed"}},
	{name: "event_twice", codes: "bad-handle", texts: []string{"the handle is no event, or one that was destroyed"}},
	{name: "event_destroyed", codes: "bad-handle", texts: []string{"cuStreamWaitEvent returns 400"}},
	{name: "stream_destroyed", codes: "bad-handle", texts: []string{"cuLaunchKernel returns 400 (CUDA_ERROR_INVALID_HANDLE): the handle is no stream"}},
	{name: "module_twice", codes: "bad-handle", texts: []string{"cuModuleUnload returns 400 (CUDA_ERROR_INVALID_HANDLE): the handle is no module, or one that was unloaded"}},
	{name: "unloaded_kernel", codes: "bad-handle", texts: []string{"the handle is no function of a loaded module"}},
	{name: "context_twice", codes: "bad-handle", texts: []string{"cuCtxDestroy_v2 returns 201 (CUDA_ERROR_INVALID_CONTEXT)"}},
	{name: "context_leaks", codes: "leak", texts: []string{`"allocation 1" (128 bytes) was never freed`, "allocated here"}},
	{name: "empty_grid", codes: "refused-call", texts: []string{"cuLaunchKernel returns 1 (CUDA_ERROR_INVALID_VALUE): a dimension of the grid or the block is 0 or too large"}},
	{name: "shared_memory", codes: "refused-call", texts: []string{"the launch has more dynamic shared memory than the kernel allows"}},
	{name: "no_parameters", codes: "refused-call", texts: []string{"the launch has no parameters, or too few"}},
	{name: "free_of_registered", codes: "bad-pointer", texts: []string{"is freed, and no allocation begins there"}},
	{name: "capture_waits", codes: "refused-call", texts: []string{"cuCtxSynchronize returns 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED): a stream is being captured, and this call cannot be a node of a graph"}},
	{name: "capture_default", codes: "refused-call", texts: []string{"cuLaunchKernel returns 906 (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT): a call in the default stream would wait for a stream that is being captured"}},
	{name: "capture_unjoined", codes: "refused-call", texts: []string{"cuStreamEndCapture returns 904 (CUDA_ERROR_STREAM_CAPTURE_UNJOINED): streams that joined the capture are not joined again"}},
	{name: "function_elsewhere", codes: "host-race", texts: []string{`the host reads byte 0 of "allocation 2" (128 bytes), while a copy to the host in stream 1 writes it`}},
	{name: "function_managed", codes: "host-race", texts: []string{`the host reads byte 0 of "allocation 1" (128 bytes), while kernel add in stream 1 may use it`}},
	{name: "no_rights", codes: "no-access", texts: []string{`it is in "reservation 1": cuMemSetAccess gave the right to read only`, "mapped here", "it was launched here"}},
	{name: "goes_on", codes: "out-of-bounds ignored-error", texts: []string{"a copy to the host is asked for after a fault", `past the end of "allocation 1" (64 bytes)`, "it was launched here"}},
}

// compileLoud is compile of a program whose functions findings can name.
func compileLoud(t *testing.T, folder, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("cc", "-g", "-rdynamic", "-o", program, filepath.Join("testdata", name+".c"), "-L"+folder, "-lcuda")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// findingsOf runs a program and returns its findings, its output and how it ended.
func findingsOf(t *testing.T, folder string, o api.DeviceOptions, program string, args ...string) (found diag.List, out string, err error) {
	t.Helper()
	var mu sync.Mutex
	s, path := server(t, Options{Device: o, Report: func(_ Client, d *diag.Diagnostic) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, d)
	}})
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
	text, err := cmd.CombinedOutput()
	s.Wait()
	mu.Lock()
	defer mu.Unlock()
	return found, string(text), err
}

// linesOf returns the first and the last line of a function of mistakes.c.
func linesOf(t *testing.T, function string) (from, to int) {
	t.Helper()
	text, err := os.ReadFile("testdata/mistakes.c")
	before, body, ok := strings.Cut(string(text), "\nvoid "+function+"(void)\n")
	body, _, closed := strings.Cut(body, "\n}\n")
	if err != nil || !ok || !closed {
		t.Fatalf("mistakes.c has no function %s: %v", function, err)
	}
	from = strings.Count(before, "\n") + 2
	return from, from + strings.Count(body, "\n") + 2
}

// Each mistake is named, with the allocation and the calls of the host; the twin without it has no finding.
func TestHostMistakes(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "mistakes")
	for _, m := range hostMistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			o := api.DeviceOptions{Check: true}
			if m.codes != "leak" {
				o.Skip = []string{"leak"} // the mistake may be one
			}
			found, out, err := findingsOf(t, folder, o, program, "wrong", m.name)
			if m.signals != (err != nil && strings.HasPrefix(err.Error(), "signal: segmentation fault")) || !m.signals && out != "0 wrong\n" {
				t.Errorf("the program: %v\n%s", err, out)
			}
			var codes []string
			for _, d := range found {
				codes = append(codes, d.Code)
			}
			if got := strings.Join(codes, " "); got != m.codes {
				t.Fatalf("found %q, want %q\n%v", got, m.codes, found)
			}
			d := found[len(found)-1]
			if d.Object != "" || strings.HasPrefix(d.Code, "host-") || d.Code == "mismatched-free" {
				m.texts = append(slices.Clip(m.texts), "allocated here")
			}
			all := fmt.Sprint(d.Message, d.Related)
			for _, want := range m.texts {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in\n%s", want, all)
				}
			}
			from, to := linesOf(t, "wrong_"+m.name)
			if !slices.ContainsFunc(append(d.Related, diag.Related{Pos: d.Pos}), func(r diag.Related) bool {
				return strings.HasSuffix(r.Pos.File, "mistakes.c") && from <= r.Pos.Line && r.Pos.Line <= to
			}) {
				t.Errorf("no call in lines %d to %d: %s %v", from, to, d.Pos, d.Related)
			}
			rightTwin(t, folder, program, m.name)
		})
	}
}

// rightTwin runs the right form of a mistake: nothing is found.
func rightTwin(t *testing.T, folder, program, name string) {
	t.Helper()
	found, out, err := findingsOf(t, folder, api.DeviceOptions{Check: true}, program, "right", name)
	if err != nil || out != "0 wrong\n" || len(found) > 0 {
		t.Errorf("the right program: %v\n%s%v", err, out, found)
	}
}

// Without checks only accesses that end the program, and calls that fail, are reported.
func TestHostMistakesUnchecked(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "mistakes")
	for name, want := range map[string]int{"device_read": 1, "read_early": 0, "managed": 0, "copy_kind": 1} {
		found, out, err := findingsOf(t, folder, api.DeviceOptions{}, program, "wrong", name)
		if len(found) != want || want == 0 && err != nil {
			t.Errorf("%s: %v %v\n%s", name, found, err, out)
		}
	}
}

// The examples of the registry in C are the bodies of the functions.
func TestExamplesInC(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/mistakes.c")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^void (\w+)\(void\)\n\{\n\t(.*?)\n\}`).FindAllStringSubmatch(string(text), -1) {
		bodies[m[1]] = strings.ReplaceAll(m[2], "\n\t", "\n")
	}
	seen := map[string]bool{}
	for _, m := range hostMistakes {
		c, ok := diag.LookupCode(m.codes)
		if !ok || !c.InC || seen[m.codes] {
			continue
		}
		if c.Example == bodies["wrong_"+m.name] && c.Good == bodies["right_"+m.name] {
			seen[m.codes] = true
		}
	}
	for _, c := range diag.Codes() {
		if c.InC && !seen[c.Code] {
			t.Errorf("%s: no function has the example of the registry", c.Code)
		}
	}
}

// Programs with handlers of their own get the signals that they would get without the library, and an end of an operation
// that the host learns of in another way is one.
func TestHandlers(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "handlers")
	for _, x := range []struct{ what, out, err, codes string }{
		{"before", "0 wrong\n", "", "host-access"},
		{"after", "0 wrong\n", "", ""},
		{"ignored", "0 wrong\n", "", ""},
		{"plain", "0 wrong\n", "", ""},
		{"default", "", "signal: segmentation fault", ""},
		{"null", "", "signal: segmentation fault", ""},
		{"ends", "0 wrong\n", "", ""},
	} {
		t.Run(x.what, func(t *testing.T) {
			t.Parallel()
			found, out, err := findingsOf(t, folder, api.DeviceOptions{Check: true, Skip: []string{"leak"}}, program, x.what)
			var codes, failed string
			for _, d := range found {
				codes += d.Code
			}
			if err != nil {
				failed = strings.TrimSuffix(err.Error(), " (core dumped)")
			}
			if out != x.out || failed != x.err || codes != x.codes {
				t.Errorf("%q, %q, %q; want %q, %q, %q\n%v", out, failed, codes, x.out, x.err, x.codes, found)
			}
		})
	}
}
