package diag

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		d    Diagnostic
		want string
	}{
		{"all", Diagnostic{
			Pos: Pos{File: "k.ptx", Line: 12, Col: 2}, Severity: Error, Code: "undefined-source",
			Message: "shfl.sync.down.b32: lanes 4-19 read lanes 20-31", Source: "\tshfl.sync.down.b32 %r1, %r2, 16, 31, -1;",
			Lanes: "4-19", Remedy: "name the lanes that take part", Section: "PTX 9.7.9.6",
			Kernel: "reduce", Block: [3]uint32{1, 2, 3}, Wave: 4, Blocks: 3, Count: 9,
			Related: []Related{{Pos: Pos{File: "k.ptx", Line: 9, Col: 1}, Message: "they left here", Source: "@%p exit;"}},
		}, `k.ptx:12:2: error: shfl.sync.down.b32: lanes 4-19 read lanes 20-31 [undefined-source]
    shfl.sync.down.b32 %r1, %r2, 16, 31, -1;
    ^
  lanes: 4-19
  where: kernel reduce, block (1,2,3), wave 4, and 2 more blocks; 9 times in all
  remedy: name the lanes that take part
  see: PTX 9.7.9.6
  note: k.ptx:9:1: they left here
    @%p exit;
    ^
`},
		{"tabs", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 7}, Severity: Warning, Message: "m", Source: "\ta\tbc\td"},
			"a:1:7: warning: m\n    a       bc      d\n                    ^\n"},
		{"caret at the end", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 4}, Message: "m", Source: "abc"},
			"a:1:4: note: m\n    abc\n       ^\n"},
		{"column beyond the line", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 9}, Message: "m", Source: "abc"},
			"a:1:9: note: m\n    abc\n"},
		{"caret among blanks", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 2}, Message: "m", Source: "    abc"},
			"a:1:2: note: m\n       abc\n    ^\n"},
		{"multibyte", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 6}, Message: "m", Source: "äöx"},
			"a:1:6: note: m\n    äöx\n       ^\n"},
		{"binary", Diagnostic{Pos: Pos{File: "a.co", Off: 0x40, HasOff: true}, Severity: Error, Message: "m", Source: "v_nop"},
			"a.co:+0x40: error: m\n    v_nop\n"},
		{"no lanes", Diagnostic{Severity: Error, Message: "m", Lanes: "none"}, "error: m\n"},
		{"no place", Diagnostic{Severity: Error, Message: "m", Code: "usage"}, "error: m [usage]\n"},
		{"several lines", Diagnostic{Severity: Error, Message: "m\none\ntwo", Code: "c"}, "error: m [c]\n  one\n  two\n"},
		{"escape sequences", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 1}, Message: "m\x1b[31m", Source: "\x1b]0;x\a"},
			"a:1:1: note: m\uFFFD[31m\n    \uFFFD]0;x\uFFFD\n    ^\n"},
		{"bad utf-8", Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 3}, Message: "m", Source: "\xff\xfex"},
			"a:1:3: note: m\n    \uFFFD\uFFFDx\n      ^\n"},
	} {
		if got := c.d.Text(TextOptions{}); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestTextLongLine(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("x", 5000) + "!" + strings.Repeat("y", 5000)
	d := Diagnostic{Pos: Pos{File: "a", Line: 1, Col: 5001}, Message: "m", Source: src}
	lines := strings.Split(d.Text(TextOptions{}), "\n")
	at := strings.IndexByte(lines[2], '^')
	if len(lines[1]) != 4+maxSource || lines[1][at] != '!' {
		t.Errorf("the caret does not point at the !:\n%s\n%s", lines[1], lines[2])
	}
}

func TestTextColor(t *testing.T) {
	t.Parallel()
	d := Diagnostic{Pos: Pos{File: "a", Line: 3, Col: 1}, Severity: Error, Message: "m", Code: "c"}
	line := func(file string, n int) (string, bool) {
		if file != "a" || n != 3 {
			t.Errorf("line %s:%d asked for", file, n)
		}
		return "from the file", true
	}
	got := d.Text(TextOptions{Color: true, Line: line})
	want := "\x1b[1ma:3:1\x1b[0m: \x1b[1;31merror:\x1b[0m \x1b[1mm\x1b[0m \x1b[2m[c]\x1b[0m\n    from the file\n    \x1b[1;32m^\x1b[0m\n"
	if got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	d := &Diagnostic{
		Pos: Pos{File: "k.ptx", Line: 12, Col: 2}, Severity: Error, Class: Fault, Code: "out-of-bounds", Message: "m",
		Lanes: "3", Blocks: 1, Kernel: "k", Related: []Related{{Message: "r", Pos: Pos{HasOff: true, Off: 0}}},
	}
	got, err := json.Marshal(List{d})
	want := `[{"code":"out-of-bounds","class":"fault","severity":"error","message":"m","file":"k.ptx","line":12,"column":2,` +
		`"lanes":"3","kernel":"k","block":[0,0,0],"wave":0,"blocks":1,"related":[{"message":"r","offset":0}]}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant\n%s", got, err, want)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\tb\xff", 3, "m")
	f.Fuzz(func(t *testing.T, src string, col int, msg string) {
		d := Diagnostic{Pos: Pos{File: src, Line: 1, Col: col}, Message: msg, Source: src, Remedy: msg}
		out := d.Text(TextOptions{})
		if strings.ContainsAny(out, "\x1b\a\r\b") {
			t.Errorf("control characters in %q", out)
		}
	})
}
