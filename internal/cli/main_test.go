package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A cancelled context, which is what an interrupt becomes, ends a kernel that hangs.
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
