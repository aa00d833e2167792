package language

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Errors in the strings of asm statements stand at their words; right statements have none.
func TestInlineDiagnostics(t *testing.T) {
	for _, c := range []struct{ asm, want string }{
		{`asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, -1;" : "=r"(y) : "r"(x));`, ""},
		{`asm("mov.u32 %0, %%laneid;" : "=r"(y));`, ""},
		{`asm("mov.u32 %0, %laneid;" : "=r"(y));`, ""},
		{`asm volatile("bar.sync 0;");`, ""},
		{`asm volatile("bar.sync 0;" ::: "memory");`, ""},
		{`asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tselp.u32 %0, 1, 2, p;\n}" : "=r"(y) : "r"(x));`, ""},
		{`asm("add.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(f(a, ")")));`, ""},
		{`asm("add.u32 %[sum], %[a], %[a];" : [sum] "=r"(y) : [a] "r"(x));`, ""},
		{`asm("cp.async.wait_group %0;" :: "n"(N));`, ""},
		{`asm("add.u32 %0, %1, %0;" : "+r"(y) : "0"(x));`, ""},
		{`asm("wgmma.fence.sync.aligned;"); asm("tcgen05.wait::ld.sync.aligned;");`, ""},
		{`asm(MACRO("bar.sync") : "=r"(y));`, ""},
		{`asm(R"(bar.sync 0;)");`, ""},
		{`// asm("nonsense");` + "\n" + `const char *s = "asm(\"nonsense\")"; /* asm("x") */`, ""},

		{`asm("¦shfl.sync.bfly.b64¦ %0, %1, 16, 31, -1;" : "=r"(y) : "r"(x));`, "shfl"},
		{`asm("mov.f32 %0, 1.0;\n\t" "¦add.x.f32¦ %0, %0, %1;" : "=f"(y) : "f"(x));`, ""},
		{`asm("add.f32 %0, ¦%1¦, 1.0;" : "=f"(y) : "r"(x));`, "%1"},
		{`asm("mov.u32 %0, 1;\n\t" "¦nonsense¦ %0;" : "=r"(y));`, "nonsense"},
		{`asm("mov.u32 %0, ¦%2¦;" : "=r"(y) : "r"(x));`, "2 operands"},
		{`asm("mov.u32 %0, ¦%[z]¦;" : "=r"(y) : "r"(x));`, "2 operands"},
		{`asm("mov.u32 %0, %1;" : "=r"(y) : ¦"m"¦(x));`, "constraint"},
		{`asm("mov.u32 %0, %1;" : ¦"r"¦(y) : "r"(x));`, "needs = or +"},
		{`asm("mov.u32 %0, %1;" : "=r"(y) : ¦"=r"¦(x));`, "belongs to an output"},
		{`asm(R"x(¦nonsense¦ 0;)x");`, "nonsense"},
		{`asm("ö𝄞"); asm("mov.u32 %0, ¦q¦;" : "=r"(y));`, "q"},
	} {
		text := "// größe 𝄞\n__global__ void k(int x) {\n  int y;\n  " + strings.ReplaceAll(c.asm, "¦", "") + "\n}\n"
		d := open(t, "k.cu", text)
		list, err := d.Diagnostics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		marks := strings.Split(c.asm, "¦")
		if len(marks) == 1 {
			if len(list) > 0 {
				t.Errorf("%s: %s", c.asm, list[0].Message)
			}
			continue
		}
		at := strings.Index(text, strings.Join(marks, "")) + len(marks[0])
		want := d.text.between(at, at+len(marks[1]))
		found := false
		for _, f := range list {
			found = found || f.Range == want && strings.Contains(f.Message, c.want)
		}
		if !found {
			t.Errorf("%s: want %v", c.asm, want)
			for _, f := range list {
				t.Errorf("  %v %s", f.Range, f.Message)
			}
		}
	}
}

// Words of the strings have hovers, completions, signatures, references and hints.
func TestInlineQuestions(t *testing.T) {
	const text = "__device__ int f(int x) {\n  int y;\n  asm volatile(\"{.reg .b32 t;\\n\\t\"\n      \"shfl.sync.bfly.b32 t, %1, 16, 31, -1;\\n\\t\"\n      \"add.u32 %0, t, %%laneid;}\" : \"=r\"(y) : \"r\"(x + 1));\n  return y;\n}\n"
	at := func(mark string) (*Document, Position) {
		return marked(t, "k.cu", strings.Replace(text, strings.ReplaceAll(mark, "¦", ""), mark, 1))
	}
	for mark, want := range map[string]string{"shf¦l.sync": "```text", ", %¦1, 16": "`%1`: input `x + 1`, constraint `r`: `.u32`", "%%lan¦eid": "special register", " %¦0, t": "output `y`", "b32 ¦t, %1": "written in 1 statement"} {
		d, p := at(mark)
		if h := d.Hover(p, HoverStyle{}); h == nil || !strings.Contains(h.Text, want) {
			t.Errorf("%s: %+v, want %s", mark, h, want)
		} else if from, to := d.text.offset(h.Range.Start), d.text.offset(h.Range.End); strings.Contains(d.text.text[from:to], " ") || to <= from {
			t.Errorf("%s: hover over %q", mark, d.text.text[from:to])
		}
	}
	d, p := at("int ¦y")
	if h := d.Hover(p, HoverStyle{}); h != nil || len(d.Complete(p)) > 0 || d.SignatureHelp(p) != nil || d.Definition(p) != nil {
		t.Error("C++ has answers")
	}
	d, p = at("shfl.sync.¦bfly")
	list := d.Complete(p)
	if len(list) == 0 {
		t.Error("no modifiers")
	}
	for _, c := range list {
		if c.Label == "down" && d.text.text[d.text.offset(c.Edit.Range.Start):d.text.offset(c.Edit.Range.End)] != "bfly.b32" {
			t.Errorf("%+v", c)
		}
	}
	d, p = at("t, %%lan¦eid")
	special := false
	for _, c := range d.Complete(p) {
		special = special || c.Edit.NewText == "%%laneid" && d.text.text[d.text.offset(c.Edit.Range.Start):d.text.offset(c.Edit.Range.End)] == "%%laneid"
		if strings.Contains(c.Label, "__crosslane") {
			t.Errorf("%+v", c)
		}
	}
	if !special {
		t.Error("no %%laneid")
	}
	if h := d.SignatureHelp(p); h == nil || h.Param != 2 {
		t.Errorf("%+v", h)
	}
	d, p = at("%0, ¦t,")
	if refs := d.References(p); len(refs) != 3 || !refs[0].Declares || refs[1].Range.Start.Line != 3 {
		t.Errorf("%+v", refs)
	}
	if def := d.Definition(p); len(def) != 1 || def[0].Start.Line != 3 {
		t.Errorf("%+v", def)
	}
	if _, _, err := d.PrepareRename(p); err == nil {
		t.Error("a name of an asm statement was renamed")
	}
	hints, err := d.InlayHints(t.Context(), Range{End: Position{Line: 99}})
	if err != nil || len(hints) != 1 || hints[0].Label != "↔16" || hints[0].At.Line != 3 {
		t.Errorf("%+v %v", hints, err)
	}
	if n := len(d.SemanticTokens()); n < 12 {
		t.Errorf("%d coloured words", n)
	}
}

// Every text of C++ has answers without a panic, and ranges within the text.
func TestInlineRandomEdits(t *testing.T) {
	text := "int f(int x) {\n  asm volatile(\"{.reg .b32 t;\\n\\t\"\n \"shfl.sync.bfly.b32 t, %[a], 16, 31, -1;\\x41\" R\"(mov.u32 %0, %%laneid;)\" : \"=r\"(y) : [a] \"r\"(x + 1), \"n\"(3));\n}\n"
	bits := []string{"\"", "\\", "%", "%%", "%[", "]", "(", ")", ":", "asm(", "R\"x(", "\n", "\\n", "\\x", "\\7", "ö", "𝄞", "/*", "'", ";", "\"n\"(", "%1", "\x00"}
	n := 3000
	if testing.Short() {
		n = 300
	}
	rng := rand.New(rand.NewPCG(8, 9))
	svc := NewService()
	now := text
	for i := range n {
		if i%30 == 0 {
			now = text
		}
		at := rng.IntN(len(now) + 1)
		if rng.IntN(3) > 0 {
			now = now[:at] + bits[rng.IntN(len(bits))] + now[at:]
		} else {
			now = now[:at] + now[min(len(now), at+rng.IntN(5)):]
		}
		d := svc.Open("k.cu", now, Options{})
		everything(t, t.Context(), d, d.text.position(at))
		for _, a := range d.inline {
			for in := range a.doc.text.text {
				if from, to, ok := a.source(in, in+1); ok && (from < a.from || to > a.to || from >= to) {
					t.Fatalf("%q: byte %d is at %d to %d of %d to %d", now, in, from, to, a.from, a.to)
				}
			}
		}
	}
	if len(svc.inline) == 0 || fmt.Sprint(svc.Open("k.cpp", text, Options{Language: "cpp"}).inline) != "[]" {
		t.Error("asm statements of hosts are read")
	}
}
