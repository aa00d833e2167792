package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// A cancelled context, the result of an interrupt, ends a kernel that hangs.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "k.txt")
	if err := os.WriteFile(file, []byte("kernel k hang\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	time.AfterFunc(50*time.Millisecond, cancel)
	var stdout, stderr bytes.Buffer
	code := run(ctx, fake{}, []string{"run", file, "--grid", "1", "--block", "1"}, nil, &stdout, &stderr)
	if code != exitInterrupted || stderr.String() != "error: interrupted\n" {
		t.Errorf("status %d, want %d; %q", code, exitInterrupted, stderr.String())
	}
}

// The findings of a sweep until an interrupt are reported, with the number of launches that were
// made. Nothing is left out silently, so that no baseline is written.
func TestInterruptOfSweep(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "baseline.json")
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	made := 0
	api := sweepFake{call: func() {
		if made++; made == 3 {
			cancel()
		}
	}}
	file := filepath.Join(t.TempDir(), "k.txt")
	if err := os.WriteFile(file, []byte("kernel k finding\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(ctx, api, []string{"check", file, "--grid", "1", "--arg", "p:u8[1]", "--workers", "1", "--sweep", "block=1..9", "--write-baseline", base}, nil, &stdout, &stderr)
	if code != exitInterrupted || stderr.String() != "error: interrupted\n" {
		t.Errorf("status %d, want %d; %q", code, exitInterrupted, stderr.String())
	}
	if !strings.Contains(stdout.String(), "launches: all 3\n") || !strings.Contains(stdout.String(), "in 3 of 9 launches\n") {
		t.Errorf("the report does not tell of 3 launches:\n%s", stdout.String())
	}
	if exists(base) {
		t.Error("a baseline was written")
	}
}

// sweepFake reports each launch that is checked.
type sweepFake struct {
	fake
	call func()
}

type sweepModule struct {
	module
	call func()
}

type sweepKernel struct {
	kernel
	call func()
}

func (f sweepFake) Load(data []byte, file string, o crosslane.LoadOptions) (module, error) {
	m, err := f.fake.Load(data, file, o)
	return sweepModule{m, f.call}, err
}

func (m sweepModule) Kernel(name string) (kernel, error) {
	k, err := m.module.Kernel(name)
	return sweepKernel{k, m.call}, err
}

func (k sweepKernel) Check(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	res, err := k.kernel.Check(ctx, l)
	k.call()
	return res, err
}

// The reference page in the repository is the one that the commands make.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/reference/commands.md")
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reference/commands.md is not current (%v): run go generate ./internal/cli", err)
	}
}
