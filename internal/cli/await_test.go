package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const endless = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 o)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [o];
	st.global.u32 [%rd1], 7;
L:
	add.u32 %r1, %r1, 1;
	bra L;
}
`

// The wait for input that never comes lasts as long as --timeout.
func TestInputThatNeverComes(t *testing.T) {
	for _, args := range [][]string{{"run", "-"}, {"check", "-"}, {"why", "-", "--at", "o[0]"}} {
		never, w := io.Pipe()
		var stdout, stderr bytes.Buffer
		code := Main(t.Context(), append(args, "--grid", "1", "--block", "1", "--arg", "o:u32[1]", "--timeout", "50ms"), never, &stdout, &stderr)
		if code != 5 || !strings.Contains(stdout.String()+stderr.String(), "the time limit of 50ms was reached, and the input was not read completely") {
			t.Errorf("%q: %d, %s", args, code, stderr.String())
		}
		w.Close()
	}
}

// An interrupt reports in text where the kernel was, and --save-on-stop saves the values that it
// had stored.
func TestInterruptTellsThePlace(t *testing.T) {
	dir := t.TempDir()
	file, saved := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "o.csv")
	if err := os.WriteFile(file, []byte(endless), 0o666); err != nil {
		t.Fatal(err)
	}
	stopped(t, "run", file, file+":11:", "error: interrupted; the loop there touches no memory", "--save", "o="+saved, "--save-on-stop")
	if got, err := os.ReadFile(saved); err != nil || strings.TrimSpace(string(got)) != "7" {
		t.Errorf("saved %q, %v", got, err)
	}
	stopped(t, "why", file, file+":11:", "error: interrupted; the loop there touches no memory", "--at", "o[0]")
	out := stopped(t, "check", file, file+":11:", "error: interrupted; the loop there touches no memory")
	if !strings.Contains(out, "[race-same-value]") || !strings.HasSuffix(out, "check: 1 error, 1 note in 0 of 1 launch\n") {
		t.Errorf("the report is %q", out)
	}
}

// stopped runs a command on a kernel with one argument that does not end, and interrupts it. The
// texts have to be in the output, those of check in its report. It returns standard output.
func stopped(t *testing.T, command, file, place, text string, flags ...string) string {
	t.Helper()
	for wait := 300 * time.Millisecond; ; wait *= 4 { // on a busy machine the kernel begins later
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(wait, cancel)
		var stdout, stderr bytes.Buffer
		code := Main(ctx, append([]string{command, file, "--grid", "1", "--block", "32", "--arg", "o:u32[1]"}, flags...), nil, &stdout, &stderr)
		shown := stdout.String() + stderr.String()
		if code == exitInterrupted && !strings.Contains(shown, place) && wait < 10*time.Second {
			continue
		}
		if code != exitInterrupted || !strings.Contains(shown, place) || !strings.Contains(shown, text) {
			t.Errorf("%s: %d, %s", command, code, shown)
		}
		if command == "check" && stderr.String() != "error: interrupted\n" {
			t.Errorf("standard error: %s", stderr.String())
		}
		return stdout.String()
	}
}

// A check shows what a kernel printed only if the run is stopped: the report says nothing else of
// what the kernel did until then.
func TestStoppedCheckShowsText(t *testing.T) {
	file := filepath.FromSlash("../../examples/cases/faults/ux-05-printf-lost-on-timeout.ptx")
	const text = "the kernel had printed:\nhere 0\n"
	for _, tt := range []struct {
		args  []string
		code  int
		shown bool
	}{
		{[]string{"--arg", "0", "--timeout", "300ms"}, 5, true}, // an endless loop
		{[]string{"--arg", "1"}, 4, false},                      // a trap: the run has ended by itself
	} {
		var stdout, stderr bytes.Buffer
		code := Main(t.Context(), append([]string{"check", file, "--grid", "1", "--block", "32"}, tt.args...), nil, &stdout, &stderr)
		if code != tt.code || strings.Contains(stderr.String(), text) != tt.shown {
			t.Errorf("%q: %d, %s", tt.args, code, stderr.String())
		}
	}
	var last lastText
	for range 3 {
		if n, err := last.Write(bytes.Repeat([]byte("0123456789abcdef"), maxLastText/32)); n != maxLastText/2 || err != nil {
			t.Fatal(n, err)
		}
	}
	var b bytes.Buffer
	if last.show(&b); len(last.text) != maxLastText || !strings.HasPrefix(b.String(), "the kernel had printed, at last (65536 bytes):\n0123") {
		t.Errorf("%d bytes, %.60q", len(last.text), b.String())
	}
}
