package diag

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestCodes(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, c := range Codes() {
		if !form.MatchString(c.Code) || seen[c.Code] {
			t.Errorf("code %q is malformed or stands twice", c.Code)
		}
		seen[c.Code] = true
		if !strings.HasSuffix(c.Doc, ".") || !strings.HasSuffix(c.Remedy, ".") || strings.Contains(c.Doc, "\n") {
			t.Errorf("%s: documentation and remedy are sentences in one paragraph", c.Code)
		}
		if got, ok := LookupCode(c.Code); !ok || got.Doc != c.Doc {
			t.Errorf("%s is not found", c.Code)
		}
	}
	if _, ok := LookupCode("nonsense"); ok {
		t.Error("nonsense is found")
	}
}

// The reference page in the repository is the one that the registry makes.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/reference/diagnostics.md")
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reference/diagnostics.md is not current (%v): run go generate ./diag", err)
	}
}
