package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"example.org/crosslane/internal/page/ask"
)

// answer asks an operation and returns its reply.
func answer(t *testing.T, op string, params any) (data map[string]any, message string) {
	t.Helper()
	d := ask.NewDesk()
	Add(d)
	b, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		OK    bool           `json:"ok"`
		Data  map[string]any `json:"data"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(d.AnswerOp(context.Background(), op, b), &r); err != nil {
		t.Fatal(err)
	}
	if r.OK != (r.Error.Message == "") {
		t.Fatalf("%s: ok %v and %q", op, r.OK, r.Error.Message)
	}
	return r.Data, r.Error.Message
}

func at(text, word string) map[string]any {
	i := strings.Index(text, word)
	before := text[:i]
	line := strings.Count(before, "\n")
	return map[string]any{"line": line, "character": i - strings.LastIndex(before, "\n") - 1}
}

// The names of a program are its kernels, with their labels and variables, where they are declared.
func TestSymbols(t *testing.T) {
	t.Parallel()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 total;\n.visible .entry k()\n{\n\t.shared .f32 tile[32];\nstart:\n\tret;\n}\n"
	d, msg := answer(t, "symbols", map[string]any{"program": map[string]any{"name": "k.ptx", "text": text}})
	if msg != "" {
		t.Fatal(msg)
	}
	lines := map[string]string{}
	var take func(list any, in string)
	take = func(list any, in string) {
		for _, x := range list.([]any) {
			s := x.(map[string]any)
			lines[in+s["name"].(string)] = fmt.Sprint(s["kind"], " ", s["range"].(map[string]any)["start"].(map[string]any)["line"])
			if s["inside"] != nil {
				take(s["inside"], s["name"].(string)+"/")
			}
		}
	}
	take(d["symbols"], "")
	want := map[string]string{"total": "variable 3", "k": "kernel 4", "k/tile": "variable 6", "k/start": "label 7"}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("%v, want %v", lines, want)
	}
	var b strings.Builder
	for i := range maxSymbols + 5 {
		fmt.Fprintf(&b, "L%d: ret;\n", i)
	}
	d, msg = answer(t, "symbols", map[string]any{"program": map[string]any{"name": "k.ptx", "text": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" + b.String() + "}\n"}})
	if n := len(d["symbols"].([]any)[0].(map[string]any)["inside"].([]any)); msg != "" || n != maxSymbols-1 || d["more"] != true {
		t.Errorf("%d labels, more %v, %s", n, d["more"], msg)
	}
}

// The editor's questions reach the language service, with the place that was asked about.
func TestEditor(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../examples/ptx/mistakes.ptx")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	program := map[string]any{"name": "mistakes.ptx", "text": text}
	d, msg := answer(t, "hover", map[string]any{"program": program, "position": at(text, "shfl.sync.down.b32")})
	if s, _ := d["text"].(string); msg != "" || !strings.Contains(s, "reads the register of another lane") {
		t.Errorf("hover: %v, %s", d, msg)
	}
	half := strings.Replace(text, "shfl.sync.down.b32", "shfl.sync.d", 1)
	place := at(half, "shfl.sync.d")
	place["character"] = place["character"].(int) + len("shfl.sync.d")
	d, msg = answer(t, "complete", map[string]any{"program": map[string]any{"name": "m.ptx", "text": half}, "position": place})
	if b, _ := json.Marshal(d); msg != "" || !strings.Contains(string(b), "down") {
		t.Errorf("complete: %s, %s", b, msg)
	}
	bad := strings.Replace(text, "shfl.sync.down.b32", "shfl.sync.sideways.b32", 1)
	d, msg = answer(t, "diagnose", map[string]any{"program": map[string]any{"name": "m.ptx", "text": bad}})
	list, _ := d["findings"].([]any)
	if msg != "" || len(list) == 0 {
		t.Fatalf("diagnose: %v, %s", d, msg)
	}
	line := list[0].(map[string]any)["range"].(map[string]any)["start"].(map[string]any)["line"].(float64)
	if want := at(bad, "shfl.sync.sideways")["line"].(int); int(line) != want {
		t.Errorf("diagnose: line %v, want %d", line, want)
	}
}

// A plan is the one of the command; mistakes are named.
func TestPlan(t *testing.T) {
	t.Parallel()
	d, msg := answer(t, "plan", map[string]any{"goal": "xor 1", "target": "gfx803"})
	if s, _ := d["text"].(string); msg != "" || !strings.Contains(s, "quad_perm:[1,0,3,2]") {
		t.Errorf("plan: %v, %s", d, msg)
	}
	for _, c := range []struct {
		op     string
		params map[string]any
		want   string
	}{
		{"plan", map[string]any{"goal": "xor 1"}, "target is missing"},
		{"plan", map[string]any{"goal": "xor 1", "target": "gfx803", "active": "many"}, "active"},
		{"plan", map[string]any{"goal": "sideways", "target": "gfx803"}, "sideways"},
		{"hover", map[string]any{}, "program is missing"},
		{"hover", map[string]any{"program": map[string]any{"name": "k.ptx"}, "position": map[string]any{"line": -1}}, "at least 0"},
		{"complete", map[string]any{"program": map[string]any{"name": "k.ptx", "text": strings.Repeat(" ", maxText+1)}}, "helps up to"},
	} {
		if _, msg := answer(t, c.op, c.params); !strings.Contains(msg, c.want) {
			t.Errorf("%s %.80v: %q, want %q", c.op, c.params, msg, c.want)
		}
	}
	// A place behind the end has no answer, and does no harm.
	for _, op := range []string{"hover", "complete", "diagnose"} {
		if _, msg := answer(t, op, map[string]any{"program": map[string]any{"name": "k.ptx", "text": "ret;"}, "position": map[string]any{"line": 1 << 40, "character": 1 << 40}}); msg != "" {
			t.Errorf("%s: %s", op, msg)
		}
	}
}
