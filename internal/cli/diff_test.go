package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// patch, where there is one, makes the new text of the old one.
func TestDiff(t *testing.T) {
	t.Parallel()
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Log("patch is not installed; only the form of differences is compared")
	}
	var b strings.Builder
	writeDiff(&b, "k", "a\nb\nc\nd\ne\nf\n", "a\nb\nX\nd\ne\nf\n")
	if want := "--- k\n+++ k\n@@ -1,6 +1,6 @@\n a\n b\n-c\n+X\n d\n e\n f\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 1 + r.IntN(60)
		var was, is []string
		for i := range n {
			s := fmt.Sprint("line ", i)
			was = append(was, s)
			if r.IntN(8) == 0 {
				s += "!"
			}
			is = append(is, s)
		}
		end := []string{"", "\n"}[r.IntN(2)]
		old, text := strings.Join(was, "\n")+end, strings.Join(is, "\n")+end
		b.Reset()
		writeDiff(&b, "k", old, text)
		if (b.Len() > 0) != (old != text) {
			t.Fatalf("%q\n%s", text, b.String())
		}
		if patch == "" || old == text {
			continue
		}
		file := filepath.Join(t.TempDir(), "k")
		if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "--silent", file)
		cmd.Stdin = strings.NewReader(b.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, b.String())
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Fatalf("%q, want %q by\n%s", got, text, b.String())
		}
	}
}
