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
	for wait := 300 * time.Millisecond; ; wait *= 4 { // on a busy machine the kernel begins later
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(wait, cancel)
		var stdout, stderr bytes.Buffer
		code := Main(ctx, []string{"run", file, "--grid", "1", "--block", "32", "--arg", "o:u32[1]", "--save", "o=" + saved, "--save-on-stop"}, nil, &stdout, &stderr)
		if code == exitInterrupted && stderr.String() == "error: interrupted\n" && wait < 10*time.Second {
			continue
		}
		if code != exitInterrupted || !strings.Contains(stderr.String(), file+":11:") || !strings.Contains(stderr.String(), "error: interrupted; the loop there touches no memory") {
			t.Errorf("%d, %s", code, stderr.String())
		}
		break
	}
	if got, err := os.ReadFile(saved); err != nil || strings.TrimSpace(string(got)) != "7" {
		t.Errorf("saved %q, %v", got, err)
	}
}
