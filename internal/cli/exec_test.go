package cli

import (
	"bytes"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/host"
)

// A finding in PTX of nvcc or clang without lines says once which option adds them. PTX that the program brings as text, a
// finding with a line of the source and a finding of the host have no such note.
func TestLinesHint(t *testing.T) {
	t.Parallel()
	source := []diag.Related{{Pos: diag.Pos{File: "k.cu", Line: 3}, Origin: true}}
	for _, c := range []struct {
		name, file, kernel string
		related            []diag.Related
		want               int
	}{
		{"fat binary", "module 1.sm_80.ptx", "k", nil, 1},
		{"of a specific target", "module 2#3.sm_90a.ptx", "k", nil, 1},
		{"with lines", "module 1.sm_80.ptx", "k", source, 0},
		{"text", "module 1.ptx", "k", nil, 0},
		{"the host", "module 1.sm_80.ptx", "", nil, 0},
	} {
		var text bytes.Buffer
		r := &hostRun{a: &app{api: realBackend(), err: &text}, f: &hostFlags{device: "sm_80", failOn: "error"}, log: &text, places: map[string]*hostFinding{}}
		for line := range 3 {
			d := &diag.Diagnostic{Severity: diag.Error, Class: diag.Fault, Code: "out-of-bounds", Message: "m", Pos: diag.Pos{File: c.file, Line: line + 1}, Kernel: c.kernel, Related: c.related}
			r.report(host.Client{}, d)
			if len(d.Related) != len(c.related) {
				t.Errorf("%s: the finding is changed", c.name)
			}
		}
		if got := strings.Count(text.String(), "nvcc -lineinfo"); got != c.want || strings.Count(text.String(), "[out-of-bounds]") != 3 {
			t.Errorf("%s: the note is there %d times, want %d:\n%s", c.name, got, c.want, text.String())
		}
	}
}
