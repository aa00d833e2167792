package amdgpu

import (
	"os"
	"strings"
	"testing"
)

// FuzzParseInst parses random text. If it parses, the instruction can be encoded, and its exact
// text is the same instruction.
func FuzzParseInst(f *testing.F) {
	for i, g := range seeds(f, goldenFile) {
		if i%7 == 0 {
			f.Add(g[0])
		}
	}
	for _, g := range seeds(f, "testdata/errors.golden") {
		f.Add(g[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := ParseInst(text, ParseOptions{})
		if err != nil {
			return
		}
		b, err := Encode(&in)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if back, n, err := Decode(b); err != nil || n != len(b) || back != in {
			t.Fatalf("%q: % x decodes to %s, %v", text, b, Print(&back), err)
		}
		exact := Printer{Exact: true}.Print(&in)
		if back, err := ParseInst(exact, ParseOptions{}); err != nil || back != in {
			t.Fatalf("%q: %q is %s, %v", text, exact, Print(&back), err)
		}
	})
}

// seeds reads the columns of a golden file.
func seeds(f *testing.F, file string) [][]string {
	f.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	var all [][]string
	for _, l := range strings.Split(string(data), "\n") {
		if l != "" && l[0] != '#' {
			all = append(all, append(strings.Split(l, " // "), "", ""))
		}
	}
	return all
}
