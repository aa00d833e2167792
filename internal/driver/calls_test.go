package driver

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The library numbers the calls as the server does: its list has the names of calls.go in the same order.
func TestCallNumbers(t *testing.T) {
	t.Parallel()
	read := func(name, from, to string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), from)
		text, _, ok := strings.Cut(text, to)
		if !ok {
			t.Fatalf("%s has no list of calls", name)
		}
		return text
	}
	var want []string
	upper := regexp.MustCompile(`([a-z]|IPC)([A-Z])`)
	for _, m := range regexp.MustCompile(`(?m)^\tCall(\w+)`).FindAllStringSubmatch(read("calls.go", "const (", "numCalls"), -1) {
		want = append(want, strings.ToUpper(upper.ReplaceAllString(m[1], "${1}_$2")))
	}
	got := regexp.MustCompile(`[A-Z][A-Z_]+`).FindAllString(read("shim/src/libcuda.c", "in its order */", "};"), -1)
	if len(got) < 30 || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the library has\n%s\nand the server has\n%s", got, want)
	}
}
