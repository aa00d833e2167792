package diag

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFix(t *testing.T) {
	t.Parallel()
	const text = "a\n\tshfl.idx.b32 x, y, 1, 31;\nb"
	at := func(line, col int) Pos { return Pos{File: "k.ptx", Line: line, Col: col} }
	for _, c := range []struct {
		name  string
		edits []Edit
		want  string // "": does not fit
	}{
		{"replace and insert", []Edit{{at(2, 6), "", ".sync"}, {at(2, 26), ";", ", -1;"}}, "a\n\tshfl.sync.idx.b32 x, y, 1, 31, -1;\nb"},
		{"a line", []Edit{{at(3, 1), "", "c\n"}}, "a\n\tshfl.idx.b32 x, y, 1, 31;\nc\nb"},
		{"at the end", []Edit{{at(3, 2), "", "c"}}, text + "c"},
		{"take out", []Edit{{at(1, 1), "a", ""}}, text[1:]},
		{"another text", []Edit{{at(1, 1), "b", "c"}}, ""},
		{"beyond the line", []Edit{{at(1, 3), "", "c"}}, ""},
		{"no such line", []Edit{{at(4, 1), "", "c"}}, ""},
		{"no column", []Edit{{at(1, 0), "", "c"}}, ""},
		{"out of order", []Edit{{at(2, 6), "", "c"}, {at(1, 1), "", "c"}}, ""},
		{"overlap", []Edit{{at(2, 2), "shfl", "c"}, {at(2, 4), "fl", "c"}}, ""},
	} {
		got, ok := Fix{Edits: c.edits}.Apply(text)
		if ok != (c.want != "") || ok && got != c.want || !ok && got != text {
			t.Errorf("%s: %v, %q", c.name, ok, got)
		}
	}
	d := &Diagnostic{Message: "m", Remedy: "r", Section: "s", Fixes: []Fix{{"wait for all", []Edit{{at(2, 6), "", ".sync"}, {at(2, 26), ";", ", -1;"}, {at(3, 1), "b", ""}}}}}
	if got, want := d.Text(TextOptions{}), "note: m\n  remedy: r\n  fix: wait for all (line 2: insert .sync; line 2: , -1; instead of ;; line 3: take out b)\n  see: s\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	line := func(_ string, n int) (string, bool) { return strings.Split(text, "\n")[n-1], true }
	d.Fixes[0].Edits = d.Fixes[0].Edits[:2]
	if got, want := d.Text(TextOptions{Line: line}), "note: m\n  remedy: r\n  fix: wait for all (line 2)\n    + shfl.sync.idx.b32 x, y, 1, 31, -1;\n  see: s\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b, err := json.Marshal(d)
	if want := `"fixes":[{"message":"wait for all","edits":[{"file":"k.ptx","line":2,"column":6,"old":"","new":".sync"},`; err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%v %s", err, b)
	}
}

func FuzzFix(f *testing.F) {
	f.Add("a\nb", 1, 1, "a", 2, 1, "b")
	f.Fuzz(func(t *testing.T, text string, l1, c1 int, o1 string, l2, c2 int, o2 string) {
		Fix{Edits: []Edit{{Pos{Line: l1, Col: c1}, o1, "x"}, {Pos{Line: l2, Col: c2}, o2, "y"}}}.Apply(text)
	})
}
