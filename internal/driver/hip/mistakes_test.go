//go:build linux && amd64

package hip_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// mistakes are functions of mistakes.hip: what is found, and texts of it.
var mistakes = []struct {
	name, codes string
	texts       []string
}{
	{"out_of_bounds", "out-of-bounds", []string{"in block (1,0,0) reads 4 bytes", `just past the end of "allocation 1" (1024 bytes)`, "data[i] += v;"}},
	{"double_free", "double-free", []string{`"allocation 1" (1024 bytes), which was freed`, "it was freed here, in _Z11double_freev"}},
	{"streams", "stream-race", []string{"kernel _Z3addPiii in stream 2 writes", "while kernel _Z3addPiii in stream 1 writes them"}},
	{"copy_kind", "host-access", []string{"a copy to the device reads 1024 bytes of the host, but the address is one of the device"}},
	{"copy_too_long", "copy-out-of-bounds", []string{"a copy to the device writes 2048 bytes", "the last 1024 are past its end"}},
	{"race", "race-shared", []string{"nothing orders the two", "it was launched here, in _Z4racev"}},
	{"race_of_blocks", "race-global race-global", []string{"out[0] = out[0] + 1;", "block (1,0,0)"}},
	{"leak", "leak", []string{`"allocation 1" (1024 bytes) was never freed`}},
	{"use_after_free", "use-after-free", []string{`"allocation 1" (1024 bytes), which was freed`}},
	{"wrong_free", "mismatched-free", []string{"freed by hipHostFree, but is memory of the device: free it with hipFree"}},
	{"undefined", "undefined-copy", []string{"undefined"}},
	{"touched_early", "host-race", []string{"h[0]++;"}},
	{"stream_twice", "bad-handle", []string{"hipStreamSynchronize returns 400 (hipErrorInvalidHandle): the handle is no stream"}},
	{"large_block", "refused-call", []string{"hipLaunchKernel returns 1 (hipErrorInvalidValue): a dimension of the grid or the block is 0 or too large"}},
}

// linesOf returns the first and the last line of a function of mistakes.hip.
func linesOf(t *testing.T, function string) (from, to int) {
	t.Helper()
	text, err := os.ReadFile("testdata/mistakes.hip")
	before, body, ok := strings.Cut(string(text), "\nvoid "+function+"(void)\n")
	body, _, closed := strings.Cut(body, "\n}\n")
	if err != nil || !ok || !closed {
		t.Fatalf("mistakes.hip has no function %s: %v", function, err)
	}
	from = strings.Count(before, "\n") + 2
	return from, from + strings.Count(body, "\n") + 2
}

// Each mistake is named, with the lines of the host; the twin without it has no finding.
func TestMistakes(t *testing.T) {
	t.Parallel()
	program := compile(t, "mistakes", 7, "-fno-optimize-sibling-calls")
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			o := api.DeviceOptions{Check: true}
			if m.codes != "leak" {
				o.Skip = []string{"leak"} // the mistake may be one
			}
			_, stderr, found, err := run(t, "gfx803", o, program, m.name)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			var codes []string
			var text strings.Builder
			from, to := linesOf(t, m.name)
			host := false
			inside := func(p diag.Pos) bool {
				return strings.HasSuffix(p.File, "mistakes.hip") && p.Line >= from && p.Line <= to
			}
			for _, d := range found {
				codes = append(codes, d.Code)
				host = host || inside(d.Pos) || slices.ContainsFunc(d.Related, func(r diag.Related) bool { return inside(r.Pos) })
				if err := (diag.List{d}).WriteText(&text, diag.TextOptions{Line: line}); err != nil {
					t.Fatal(err)
				}
			}
			if got := strings.Join(codes, " "); got != m.codes {
				t.Errorf("found %q, expected %q\n%s%s", got, m.codes, text.String(), stderr)
			}
			for _, want := range m.texts {
				if !strings.Contains(text.String(), want) {
					t.Errorf("%q is not in\n%s", want, text.String())
				}
			}
			if !host {
				t.Errorf("no line from %d to %d of mistakes.hip is named in\n%s", from, to, text.String())
			}
			o.Skip = nil
			if _, stderr, found, err := run(t, "gfx803", o, program, m.name, "right"); err != nil || len(found) > 0 {
				t.Errorf("the twin: %v\n%s%v", err, stderr, found)
			}
		})
	}
}

// line is a line of a source file.
func line(file string, n int) (string, bool) {
	text, err := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}
