package ptx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse sees that no text makes the parser panic or hang, and that what it
// accepts prints as a text that it accepts again, to the same print.
func FuzzParse(f *testing.F) {
	for _, src := range sources(f) {
		if len(src) < 8<<10 {
			f.Add(src)
		}
	}
	bad, err := filepath.Glob("testdata/bad/*.ptx")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range bad {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(kernel("mov.b32 %r1, (.s64)0x8000000000000000 + 1U % 3 ? 1 : 2;"))
	f.Add(kernel("ld.b32 %r1, g[%r2-1]; ld.b32 %r1, [g+(.s64)0x8000000000000000]; ld.b32 %r1, [-4]; st.b32 [-WARP_SZ], -%r1;"))
	f.Fuzz(func(t *testing.T, src string) {
		m, l := Parse("fuzz", src)
		for _, d := range l {
			if d.Pos.Line < 1 || d.Pos.Col < 1 || d.Message == "" || d.Code == "" {
				t.Errorf("incomplete: %+v", d)
			}
		}
		if len(l) > maxErrors {
			t.Errorf("%d errors", len(l))
		}
		text := printed(t, m) // of a broken module too
		if len(l) > 0 {
			return
		}
		again, l := Parse("printed", text)
		if len(l) > 0 {
			t.Fatalf("%s\n%s", l.Error(), text)
		}
		if second := printed(t, again); second != text {
			t.Errorf("printed first:\n%s\nthen:\n%s", text, second)
		}
		if !strings.HasPrefix(text, ".version") {
			t.Errorf("accepted a module without .version: %q", src)
		}
	})
}
