package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

const debugKernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n" +
	"ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nadd.u32 %r2, %r1, 5;\nst.global.u32 [%d1], %r2;\nret;\n}\n"

// TestDebug: scripts come from a file or from standard input; one from a file ends at its first error. A recording is debugged as
// its program is.
func TestDebug(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	ptx := write("k.ptx", debugKernel)
	launch := []string{"--grid", "1", "--block", "32", "--arg", "out:u32[32]"}
	args := func(command, file string, more ...string) []string {
		return append(append([]string{command, file}, launch...), more...)
	}
	good := write("good", "b 12\nc\np out[3]\ns 2\np %r2[7]\np out[3]\n")
	code, out, stderr := runMain(t, args("debug", ptx, "-x", good)...)
	if code != 0 || !strings.Contains(out, "out[3] = 0\n") || !strings.Contains(out, "%r2[7] = 12\n") || !strings.Contains(out, "out[3] = 8\n") {
		t.Errorf("%d\n%s%s", code, out, stderr)
	}
	bad := write("bad", "s\nb here\np %r1\n")
	if code, out, stderr = runMain(t, args("debug", ptx, "-x", bad)...); code != 2 || !strings.Contains(stderr, "b here") || strings.Contains(out, "%r1 =") {
		t.Errorf("%d\n%s%s", code, out, stderr)
	}
	rec := filepath.Join(dir, "k.clrec")
	if code, _, stderr = runMain(t, args("record", ptx, "-o", rec)...); code != 0 {
		t.Fatal(stderr)
	}
	if code, out, stderr = runMain(t, "debug", rec, "-x", good, "--format", "json"); code != 0 || strings.Count(out, "\n") != 7 || !strings.Contains(out, `"lanes":["8"]`) {
		t.Errorf("%d\n%s%s", code, out, stderr)
	}
	for _, wrong := range [][]string{{"debug", filepath.Join(dir, "none.ptx"), "-x", good}, {"debug", "-"}, args("debug", ptx, "-x", filepath.Join(dir, "none"))} {
		if code, _, stderr = runMain(t, wrong...); code != 2 || stderr == "" {
			t.Errorf("%q: %d %s", wrong, code, stderr)
		}
	}
}

// TestDAP launches a program through the protocol, with the arguments of run.
func TestDAP(t *testing.T) {
	t.Parallel()
	ptx := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(ptx, []byte(debugKernel), 0o600); err != nil {
		t.Fatal(err)
	}
	talk := func(list ...string) string {
		var in, out, stderr bytes.Buffer
		for _, m := range list {
			if err := dap.WriteBaseMessage(&in, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		if code := Main(t.Context(), []string{"dap"}, &in, &out, &stderr); code != 0 {
			t.Errorf("%d: %s", code, stderr.String())
		}
		return out.String()
	}
	out := talk(`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"crosslane"}}`,
		`{"seq":2,"type":"request","command":"launch","arguments":{"program":"`+ptx+`","args":["--grid","1","--block","32","--arg","out:u32[32]"]}}`,
		`{"seq":3,"type":"request","command":"crosslane/goto","arguments":{"step":6}}`,
		`{"seq":4,"type":"request","command":"evaluate","arguments":{"expression":"out[31]"}}`)
	if !strings.Contains(out, `"result":"36"`) {
		t.Error(out)
	}
	for args, want := range map[string]string{`["--grid"]`: "args:", `["x"]`: "is no option of run", `["--grid","0"]`: "--grid", `["--grid","1","--block","32"]`: "argument"} {
		if out := talk(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"` + ptx + `","args":` + args + `}}`); !strings.Contains(out, `"success":false`) || !strings.Contains(out, want) {
			t.Errorf("%s: %s", args, out)
		}
	}
}
