package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

const linkHead = ".version 8.0\n.target sm_80\n.address_size 64\n"

// linkTexts links texts under the names a.ptx, b.ptx and so on.
func linkTexts(texts ...string) (*Linked, error) {
	var parts []LinkPart
	for i, s := range texts {
		parts = append(parts, LinkPart{File: string(rune('a'+i)) + ".ptx", Text: s})
	}
	return Link(parts)
}

// mustLink links texts and loads the result. It checks that each line of the result has as many
// lines as its module, and comes from it.
func mustLink(t *testing.T, texts ...string) (*Module, *Linked) {
	t.Helper()
	l, err := linkTexts(texts...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, list := Load("linked.ptx", l.Text)
	if err := list.Err(); err != nil {
		t.Fatalf("%v\n%s", err, l.Text)
	}
	for _, e := range m.Entries() {
		if _, err := Lift(m, e.Name); err != nil {
			t.Fatalf("%v\n%s", err, l.Text)
		}
	}
	return m, l
}

// sourceOf returns the place in the modules of the first occurrence of a text in the result, as
// file:line:column.
func sourceOf(l *Linked, text string) string {
	i := strings.Index(l.Text, text)
	if i < 0 {
		return "absent"
	}
	before := l.Text[:i]
	file, line, col := l.Source(1+strings.Count(before, "\n"), i-strings.LastIndexByte(before, '\n'))
	return fmt.Sprintf("%s:%d:%d", file, line, col)
}

// TestLinkExtern links a kernel with the function and the variable that it declares .extern.
func TestLinkExtern(t *testing.T) {
	t.Parallel()
	a := linkHead + `.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .b8 table[];
.visible .entry k()
{
	.reg .b32 %r<3>;
	.param .b32 p; .param .b32 q;
	ld.global.u32 %r1, [table+4];
	st.param.b32 [p], %r1;
	call (q), twice, (p); // kept
	ld.param.b32 %r2, [q];
	st.global.u32 [table], %r2;
	ret;
}
`
	b := linkHead + `.visible .global .align 8 .u32 table[2] = {1, 2};
.visible .func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
`
	for _, texts := range [][]string{{a, b}, {b, a}} {
		m, l := mustLink(t, texts...)
		if f := m.Func("twice"); f == nil || !f.Defined() {
			t.Errorf("twice is not defined in\n%s", l.Text)
		}
		if !strings.Contains(l.Text, "// kept") {
			t.Errorf("a comment is lost:\n%s", l.Text)
		}
		files := map[bool][2]string{true: {"a.ptx", "b.ptx"}, false: {"b.ptx", "a.ptx"}}[texts[0] == a]
		if got, want := sourceOf(l, "call (q)"), files[0]+":12:2"; got != want {
			t.Errorf("the call comes from %s, want %s", got, want)
		}
		if got, want := sourceOf(l, "add.s32"), files[1]+":9:2"; got != want {
			t.Errorf("the addition comes from %s, want %s", got, want)
		}
	}
	if _, list := Load("alone.ptx", a); list.Err() != nil {
		t.Error(list)
	}
}

// TestLinkDiscard links a call without result of a function that has one, and keeps the error of a
// single module.
func TestLinkDiscard(t *testing.T) {
	t.Parallel()
	a := linkHead + `.extern .func f(.param .b32 x);
.visible .entry k()
{
	.reg .pred %p<2>;
	.reg .b32 %r<2>;
	mov.u32 %r1, %laneid;
	setp.eq.u32 %p1, %r1, 0;
	.param .b32 p;
	st.param.b32 [p], 5;
	@%p1 call.uni f, (p); call f, (7);
	add.s32 %r1, %r1, 1; ret;
}
`
	for _, result := range []string{".param .b32 r", ".param .align 8 .b8 r[16]", ".reg .f64 r"} {
		b := linkHead + ".visible .func (" + result + ") f(.param .b32 x) { ret; }\n"
		for _, texts := range [][]string{{a, b}, {b, a}} {
			m, l := mustLink(t, texts...)
			n := 0
			m.Func("k").Body().instrs(func(in *Instr) {
				if in.Parts[0] != "call" {
					return
				}
				n++
				if s := siteOf(m, in); len(s.results) != 1 || len(s.args) != 1 || (in.Guard != nil) != (n == 1) {
					t.Errorf("the call became %s", in)
				}
				if got := l.Original(in.String()); !strings.Contains(got, "f, (") || strings.Contains(got, "discarded") {
					t.Errorf("the original call is %q", got)
				}
			})
			if n != 2 {
				t.Errorf("%d calls in\n%s", n, l.Text)
			}
			if got := sourceOf(l, "call f, ("); got != "absent" {
				t.Errorf("a call has no result: %s\n%s", got, l.Text)
			}
			want := map[bool]string{true: "a.ptx", false: "b.ptx"}[texts[0] == a]
			if got := sourceOf(l, "add.s32"); got != want+":14:2" {
				t.Errorf("the addition comes from %s", got)
			}
			if got := sourceOf(l, "@%p1 call"); got != want+":13:2" {
				t.Errorf("the first call comes from %s", got)
			}
			i := strings.Index(l.Text, "), f, (7)")
			i = strings.LastIndex(l.Text[:i], "call ")
			before := l.Text[:i]
			if _, line, col := l.Source(1+strings.Count(before, "\n"), i-strings.LastIndexByte(before, '\n')); line != 13 || col != 24 {
				t.Errorf("the second call comes from %d:%d, want 13:24", line, col)
			}
		}
	}
	single := linkHead + ".visible .func (.param .b32 r) f(.param .b32 x) { ret; }\n" + strings.Replace(a[len(linkHead):], ".extern .func f(.param .b32 x);\n", "", 1)
	if _, list := Load("single.ptx", single); list.Err() == nil {
		t.Error("a call without result of a function with a result is accepted in one module")
	}
}

// TestLinkLost links a call that expects a result of a function that has none.
func TestLinkLost(t *testing.T) {
	t.Parallel()
	a := linkHead + `.extern .func (.param .b32 r) f(.param .b32 x);
.visible .entry k()
{
	.reg .b32 %r<2>; .reg .pred %p;
	.param .b32 p, back;
	st.param.b32 [p], 5;
	call.uni (back), f, (p); ld.param.b32 %r1, [back];
	@%p call (%r0),
		f, (7);
	ret;
}
`
	b := linkHead + ".visible .func f(.param .b32 x) { ret; }\n"
	for _, texts := range [][]string{{a, b}, {b, a}} {
		m, l := mustLink(t, texts...)
		n := 0
		m.Func("k").Body().instrs(func(in *Instr) {
			if in.Parts[0] != "call" {
				return
			}
			n++
			s := siteOf(m, in)
			if s.callee.Name == "f" && (len(s.results) != 0 || len(s.args) != 1) || s.callee.Name != "f" && (len(s.results) != 1 || len(s.args) != 0) {
				t.Errorf("a call became %s", in)
			}
			if (in.Guard != nil) != (n > 2) {
				t.Errorf("call %d became %s", n, in)
			}
		})
		if n != 4 || strings.Count(l.Text, "undefined_result") != 3 {
			t.Errorf("%d calls in\n%s", n, l.Text)
		}
		want := map[bool]string{true: "a.ptx", false: "b.ptx"}[texts[0] == a]
		if got := sourceOf(l, "ld.param.b32"); got != want+":10:27" {
			t.Errorf("the load comes from %s", got)
		}
	}
}

// TestLinkDefinitions checks which of several definitions is kept.
func TestLinkDefinitions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		decls []string
		kept  string // the definition that remains
	}{
		{"weak twice", []string{".weak .global .u32 v = 1;", ".weak .global .u32 v = 2;"}, "v = 1"},
		{"strong after weak", []string{".weak .global .u32 v = 1;", ".visible .global .u32 v = 2;"}, "v = 2"},
		{"strong before weak", []string{".visible .global .u32 v = 1;", ".weak .global .u32 v = 2;"}, "v = 1"},
		{"largest common", []string{".common .global .b8 v[4];", ".common .global .b8 v[16];", ".common .global .b8 v[8];"}, "v[16]"},
		{"common before weak", []string{".weak .global .u32 v = 1;", ".common .global .b32 v[4];"}, "v[4]"},
		{"strong before common", []string{".common .global .b8 v[64];", ".visible .global .u32 v = 3;"}, "v = 3"},
		{"functions", []string{".weak .func v() { ret; }", ".visible .func v() { bar.sync 0; ret; }"}, "bar.sync"},
		{"list", []string{".weak .global .u32 u, v = 1, w[2] = {3, 4};", ".visible .global .u32 v = 2;"}, "v = 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			for i, d := range c.decls {
				texts = append(texts, linkHead+fmt.Sprintf("%s\n.func use%d() { .reg .b64 %%rd<2>; mov.u64 %%rd1, v; ret; }\n", d, i))
			}
			m, l := mustLink(t, texts...)
			defs := 0
			for _, it := range m.Items {
				switch it := it.(type) {
				case *Var:
					if it.Name == "v" && it.Link != LinkExtern {
						defs++
					}
				case *Func:
					if it.Name == "v" && it.Defined() {
						defs++
					}
				}
			}
			if defs != 1 || !strings.Contains(l.Text, c.kept) {
				t.Errorf("%d definitions in\n%s", defs, l.Text)
			}
			if c.name == "list" && (len(m.Vars()) != 4 || !strings.Contains(l.Text, "w[2] = {3, 4}")) {
				t.Errorf("the list became\n%s", l.Text)
			}
		})
	}
}

// TestLinkLocal checks that names without linkage stay separate from other names that are equal.
func TestLinkLocal(t *testing.T) {
	t.Parallel()
	module := func(value int, kernel string) string {
		return linkHead + fmt.Sprintf(`.global .u32 add = %d; .func (.reg .b32 r) helper(.reg .b32 add);
.global .u64 to[2] = {generic(add)+4, helper};
.global .u32 fam<2>;
.func (.reg .b32 r) helper(.reg .b32 add)
{
	add.s32 r, add, 1;
	ret;
}
.visible .entry %s(.param .u64 helper)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%rd<2>;
	ld.param.u64 %%rd1, [helper];
	ld.global.u32 %%r1, [add];
	st.global.u32 [fam1], %%r1;
	{
		.reg .b32 helper2;
		mov.u32 helper2, %%r1;
	}
	st.global.u32 [add], %%r1; // add
	.pragma "add";
	st.global.u64 [to], %%rd1;
{ add: }
	ret;
}
.func g() { .reg .b32 q<2>; call (q1), helper, (5); ret; }
`, value, kernel)
	}
	m, l := mustLink(t, module(1, "k1"), module(2, "k2"), module(3, "k3"))
	values := map[string]uint64{}
	for _, v := range m.Vars() {
		if v.Init != nil && v.Init.Kind == InitInt {
			values[v.Name] = v.Init.Bits
		}
	}
	if fmt.Sprint(values) != "map[add:1 add$2:2 add$3:3]" {
		t.Errorf("the values are %v in\n%s", values, l.Text)
	}
	for i, suffix := range []string{"", "$2", "$3"} {
		k, err := Lift(m, fmt.Sprintf("k%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, g := range k.Globals {
			names = append(names, g.Name)
		}
		for _, want := range []string{"add" + suffix, "to" + suffix, fmt.Sprintf("fam$%d_1", i+1)} {
			if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+want+" ") {
				t.Errorf("kernel %d uses %v, not %s", i+1, names, want)
			}
		}
		if p, _ := k.Entry.ParamLayout(); p[0].Var.Name != "helper" {
			t.Errorf("the parameter is called %s", p[0].Var.Name)
		}
	}
	if got := l.Original("st.global.u32 [add$2], %r1; fam$3_1 x$2 %r$2"); got != "st.global.u32 [add], %r1; fam1 x$2 %r$2" {
		t.Errorf("the original is %q", got)
	}
	if strings.Count(l.Text, "// add\n") != 3 || strings.Count(l.Text, `.pragma "add"`) != 3 || strings.Count(l.Text, "add.s32 r, add, 1") != 3 {
		t.Errorf("a comment, a string, an opcode or a parameter changed:\n%s", l.Text)
	}
	if got := sourceOf(l, "add$2], %r1; //"); got != "b.ptx:23:17" {
		t.Errorf("the store of the second module comes from %s", got)
	}
	if got := sourceOf(l, "%r1; // add"); got != "a.ptx:23:23" {
		t.Errorf("the store of the first module comes from %s", got)
	}
}

// TestLinkFiles checks that the numbers of source files stay apart, and that equal files are one.
func TestLinkFiles(t *testing.T) {
	t.Parallel()
	module := func(name, source string) string {
		return linkHead + fmt.Sprintf(`.visible .entry %s()
{
	.reg .b32 %%r<4>;
	.loc 1 5 3
	mov.u32 %%r1, 1;
	.loc 2 9 0, function_name $L_info, inlined_at 1 7 0
	mov.u32 %%r1, 2;
	ret;
}
.file 1 "%s"
.file 2 "shared.h"
.section .debug_str
{
$L_info:
.b8 102
}
`, name, source)
	}
	m, l := mustLink(t, module("k1", "a.cu"), module("k2", "b.cu"))
	at := func(text string, n int) string {
		rest, off := l.Text, 0
		for range n {
			i := strings.Index(rest, text)
			off += i + 1
			rest = rest[i+1:]
		}
		before := l.Text[:off-1]
		return fmt.Sprint(m.Origins().At(int32(1+strings.Count(before, "\n")), int32(off-1-strings.LastIndexByte(before, '\n'))))
	}
	for i, want := range []string{"[a.cu:5:3]", "[b.cu:5:3]"} {
		if got := at("mov.u32 %r1, 1", i+1); got != want {
			t.Errorf("origin %s, want %s\n%s", got, want, l.Text)
		}
	}
	for i, want := range []string{"[shared.h:9 a.cu:7]", "[shared.h:9 b.cu:7]"} {
		if got := at("mov.u32 %r1, 2", i+1); got != want {
			t.Errorf("origin %s, want %s\n%s", got, want, l.Text)
		}
	}
	if n := strings.Count(l.Text, ".section"); n != 1 {
		t.Errorf("%d sections", n)
	}
	if n := strings.Count(l.Text, `"shared.h"`); n != 1 {
		t.Errorf("shared.h is declared %d times", n)
	}
}

// TestLinkHead checks .version, .target and .address_size of the result.
func TestLinkHead(t *testing.T) {
	t.Parallel()
	head := func(version, target string) string {
		return ".version " + version + " .target " + target + "\n.address_size 64\n.file 1 \"x.cu\"\n"
	}
	for _, c := range []struct{ v1, t1, v2, t2, want string }{
		{"7.0", "sm_70", "8.3", "sm_75", ".version 8.3\n.target sm_75\n"},
		{"8.3", "sm_90a", "7.0", "sm_70", ".version 8.3\n.target sm_90a\n"},
		{"8.3", "sm_90", "8.3", "sm_90a", ".version 8.3\n.target sm_90a\n"},
		{"8.3", "sm_80, debug", "8.3", "sm_80, texmode_independent", ".version 8.3\n.target sm_80, debug, texmode_independent\n"},
		{"8.8", "sm_100f", "8.8", "sm_103a", ".version 8.8\n.target sm_103a\n"},
	} {
		_, l := mustLink(t, head(c.v1, c.t1), head(c.v2, c.t2))
		if !strings.HasPrefix(l.Text, c.want) {
			t.Errorf("%s %s and %s %s: %.60q", c.v1, c.t1, c.v2, c.t2, l.Text)
		}
	}
	_, l := mustLink(t, head("7.0", "sm_70"), "// two\n"+head("8.3", "sm_75"))
	if file, line, _ := l.Source(2, 1); file != "b.ptx" || line != 2 {
		t.Errorf(".target comes from %s:%d", file, line)
	}
	if file, _, _ := l.Source(0, 1); file != "" {
		t.Errorf("line 0 is in %s", file)
	}
}

// TestLinkErrors checks the code, the place and the related place of each error.
func TestLinkErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, code, pos, related, text string }{
		{linkHead + ".visible .func f() { ret; }", linkHead + "\n.visible .func f() { ret; }", "multiple-definition", "b.ptx:5:16", "a.ptx:4:16", "a.ptx"},
		{linkHead + ".entry f() { ret; }", linkHead + ".entry f() { ret; }", "multiple-definition", "b.ptx:4:8", "a.ptx:4:8", "a.ptx"},
		{linkHead + ".visible .const .u32 v = 1;", linkHead + ".visible .const .u32 v = 1;", "multiple-definition", "b.ptx:4:22", "a.ptx:4:22", "v"},
		{linkHead, ".version 8.0\n.target sm_80\n.address_size 32\n", "link-mismatch", "b.ptx:3:1", "a.ptx:3:1", "32 bits"},
		{".version 8.0\n.target sm_90a\n.address_size 64", ".version 8.6\n.target sm_100\n.address_size 64", "link-mismatch", "a.ptx:2:9", "b.ptx:2:9", "sm_90a"},
		{linkHead + ".extern .func f();", linkHead + ".visible .global .u32 f;", "link-mismatch", "a.ptx:4:15", "b.ptx:4:23", "function"},
		{linkHead + ".extern .const .u32 f;", linkHead + ".visible .global .u32 f;", "link-mismatch", "a.ptx:4:21", "b.ptx:4:23", ".const"},
		{linkHead + ".extern .func f(.param .b32 x);", linkHead + ".visible .func f() { ret; }", "link-mismatch", "a.ptx:4:15", "b.ptx:4:16", "1 and 0 parameters"},
		{linkHead + ".extern .func (.param .b32 r) f();", linkHead + ".visible .func (.param .b64 r) f() { ret; }", "link-mismatch", "a.ptx:4:31", "b.ptx:4:32", "4 and 8 bytes"},
		{linkHead + ".extern .func f(.param .b32 x);\n.func g() { .param .f32 p; call f, (p); ret; }", linkHead + ".visible .func f(.param .u32 x) { ret; }", "operand-type", "a.ptx:5:37", "", ""},
		{linkHead + ".func f() { blah; }", linkHead, "", "a.ptx:4:13", "", ""},
		{linkHead + ".extern .global .u32 v[];\n.func g() { .reg .b32 x; ld.global.u32 x, v[1]; ret; }", linkHead + ".visible .global .b8 v[8];", "link-mismatch", "a.ptx:5:43", "", "v[1]"},
		{linkHead + ".visible .global .u32 t<3>;", linkHead, "link-mismatch", "a.ptx:4:23", "", "t<3>"},
	} {
		_, err := linkTexts(c.a, c.b)
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s | %s: no error (%v)", c.a, c.b, err)
			continue
		}
		d := list[0]
		if c.code != "" && d.Code != c.code || d.Pos.String() != c.pos || !strings.Contains(d.Message, c.text) {
			t.Errorf("%s | %s: %v, want [%s] at %s with %q", c.a, c.b, d, c.code, c.pos, c.text)
		}
		if c.related != "" && (len(d.Related) != 1 || d.Related[0].Pos.String() != c.related) {
			t.Errorf("%v: related %v, want %s", d, d.Related, c.related)
		}
	}
	if _, err := Link(nil); err == nil {
		t.Error("nothing is linked without error")
	}
	big := strings.Repeat(" ", maxSource/2)
	if _, err := linkTexts(linkHead+big, linkHead+big); err == nil || !strings.Contains(err.Error(), "too-large") {
		t.Errorf("large texts: %v", err)
	}
}

// TestLinkShared checks that the dynamic shared memory of modules stays one, with equal and with different types.
// A kernel that another module declares as a function, as clang does for a kernel that the host launches, is the kernel: its address
// may be kept, and it cannot be called.
func TestLinkKernel(t *testing.T) {
	t.Parallel()
	declares := linkHead + `.extern .func k(.param .b32 p);
`
	defines := linkHead + `.visible .entry k(.param .u32 p) { ret; }
`
	keeps := declares + `.global .align 8 .u64 used[1] = {k};
.visible .entry other() { ret; }
`
	calls := declares + `.visible .entry other() {
	.reg .b32 %r<2>;
	mov.b32 %r1, 3;
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	call.uni k, (a);
	}
	ret;
}
`
	for _, texts := range [][]string{{keeps, defines}, {defines, keeps}} {
		m, _ := mustLink(t, texts...)
		if f := m.Func("k"); f == nil || !f.Entry || !f.Defined() {
			t.Errorf("k is %+v", f)
		}
	}
	for text, want := range map[string]string{calls: "call calls k, which is a kernel in b.ptx",
		linkHead + ".extern .func k(.param .b64 p);\n": "parameter 0 has 8 and 4 bytes", linkHead + ".visible .func k(.param .b32 p) { ret; }\n": "k is defined in"} {
		l, err := linkTexts(text, defines)
		if err == nil {
			_, list := Load("linked.ptx", l.Text)
			err = list.Err()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
}

func TestLinkShared(t *testing.T) {
	t.Parallel()
	module := func(kernel, typ string) string {
		return linkHead + ".extern .shared .align 16 " + typ + " s[];\n.visible .entry " + kernel + "() { .reg .b32 %r<2>; ld.shared.u32 %r1, [s+4]; ret; }\n"
	}
	m, _ := mustLink(t, module("k1", ".b8"), module("k2", ".b8"), module("k3", ".f32"))
	if n := len(m.Vars()); n != 2 {
		t.Errorf("%d variables, want s and s$3", n)
	}
}

// TestLinkRest checks aliases, prototypes without semicolon, builtins and one module.
func TestLinkRest(t *testing.T) {
	t.Parallel()
	printf := ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	a := linkHead + printf + ".extern .func g();\n.visible .entry k() { call g; ret; }\n"
	b := linkHead + printf + ".visible .func g();\n.func body() { ret; }\n.alias g, body;\n"
	c := linkHead + ".weak .func body() { ret; }\n.extern .func last()"
	m, l := mustLink(t, a, b, c)
	m.Func("k").Body().instrs(func(in *Instr) {
		if s := siteOf(m, in); in.Op == "call" && (s.callee == nil || s.callee.Name != "body$2") {
			t.Errorf("k calls %v in\n%s", s.callee, l.Text)
		}
	})
	if n := strings.Count(l.Text, "vprintf"); n != 1 {
		t.Errorf("vprintf is declared %d times", n)
	}
	mustLink(t, c, b, a)
	one, err := linkTexts(a)
	if err != nil || one.Text != a {
		t.Errorf("one module became %v, %v", one, err)
	}
	if file, line, col := one.Source(6, 3); file != "a.ptx" || line != 6 || col != 3 {
		t.Errorf("line 6 comes from %s:%d:%d", file, line, col)
	}
}

// TestLinkMany checks that the time to link does not grow faster than the texts.
func TestLinkMany(t *testing.T) {
	t.Parallel()
	var texts []LinkPart
	n := 2000
	for i := range n {
		text := linkHead + fmt.Sprintf(".global .u32 v;\n.extern .func f%d();\n.visible .func f%d() { call f%d; ret; }\n", (i+1)%n, i, (i+1)%n)
		texts = append(texts, LinkPart{File: "m.ptx", Text: text})
	}
	l, err := Link(texts)
	if err != nil {
		t.Fatal(err)
	}
	if _, list := Load("l.ptx", l.Text); list.Err() != nil {
		t.Error(list)
	}
}

// linkPieces are declarations, each of which is right by itself.
var linkPieces = []string{
	".extern .func f();", ".extern .func (.reg .b32 r) f();", ".extern .func (.param .align 8 .b8 r[16]) f(.param .b64 x);",
	".visible .func f() { ret; }", ".visible .func (.reg .b32 r) f() { mov.b32 r, 1; ret; }", ".weak .func f() { ret; }", ".func f() { ret; }",
	".visible .func f();\n.visible .func f() { ret; }", ".visible .func f(); .func b() { ret; }\n.alias f, b;", ".entry f() { ret; }", ".extern .func f()",
	".extern .func f(); .entry k() { .reg .pred %p; call f; @!%p call f; ret; }", ".extern .func f(); .entry k1() { .reg .b64 a; mov.u64 a, f; p: .callprototype _(); call a, (), p; ret; }",
	".extern .func f(); .entry k2() { .reg .b64 a; mov.u64 a, f; t: .calltargets f; call a, (), t; ret; }",
	".extern .func f(.param .b32 x); .func g() { call f, (1); ret; }", ".visible .func f(.param .u32 f) { ret; }", ".visible .func (.reg .f32 r) f(.param .f32 f) { ret; }",
	".extern .global .u32 v;", ".extern .global .u32 v[];", ".extern .const .u32 v;", ".extern .global .align 16 .b8 v[4], w;", ".visible .global .u32 v = 1;",
	".global .u32 v = 1;", ".weak .global .u32 w, v[3] = {1, 2};", ".common .global .b8 v[8];", ".common .global .align 8 .b8 v[8], w[2];", ".global .u64 v, w[2] = {v, generic(v)+4};", ".global .u32 v<3>;",
	".extern .global .u32 v; .global .u64 p[2] = {v, generic(v)+8};", ".global .b8 v; .global .u8 p[2] = {0xff(v), 0xff00(generic(v))};",
	".extern .shared .align 8 .b8 v[];", ".extern .shared .f32 v[]; .entry s() { .reg .f32 x; ld.shared.f32 x, [v+4]; ret; }", ".shared .b32 v;",
	".global .u32 v; .func g(.param .b32 v) { .reg .b32 x; ld.param.u32 x, [v]; ret; } .func h() { .reg .b32 x; ld.global.u32 x, [v+4]; st.global.u32 [v], x; { .reg .b32 v; mov.u32 v, x; } ret; }",
	".global .u32 v[4]; .func i() { .reg .b32 x<3>; ld.global.u32 x1, v[2]; prefetch.global.L1 [v]; ret; }", ".extern .global .u32 v[4]; .func i() { .reg .b32 x<3>; ld.global.u32 x1, v[2]; ret; }",
	".file 1 \"a.cu\"\n.func g() { .loc 1 2 3\n ret; .loc 1 3 0, function_name inlined_at, inlined_at 1 2 3\n ret; }", ".file 1 \"b.cu\", 1, 2\n.file 2 \"a.cu\"\n.func j() { .loc 2 2 3\n ret; .loc 7 1 1\n ret; }",
	".section .debug_str { L: .b8 102 }", ".pragma \"nounroll\";", "/* v */ // f",
}

// TestLinkPairs links all pairs of pieces. If linking succeeds, the result loads.
func TestLinkPairs(t *testing.T) {
	t.Parallel()
	linked := 0
	for _, a := range linkPieces {
		for _, b := range linkPieces {
			l, err := linkTexts(linkHead+a, linkHead+b)
			if err != nil {
				if list := diag.Of(err); strings.HasPrefix(err.Error(), "a.ptx") && a == b && list[0].Code == "syntax" {
					t.Fatalf("%s: %v", a, err)
				}
				continue
			}
			linked++
			if _, list := Load("l.ptx", l.Text); list.Err() != nil {
				t.Errorf("%q and %q: %v\n%s", a, b, list.Err(), l.Text)
			}
		}
	}
	if n := len(linkPieces); linked < n*n*2/3 {
		t.Errorf("only %d of %d pairs are linked", linked, n*n)
	}
}

// TestLinkPieces checks that each piece loads.
func TestLinkPieces(t *testing.T) {
	t.Parallel()
	for _, s := range linkPieces {
		if _, list := Load("x.ptx", linkHead+s); list.Err() != nil {
			t.Errorf("%q: %v", s, list.Err())
		}
	}
}

// FuzzLink links two modules with one head. If each of them loads and linking succeeds, the result
// loads, and each of its lines comes from a module.
func FuzzLink(f *testing.F) {
	f.Add(".extern .func f();\n.entry k() { call f; ret; }", ".visible .func (.reg .b32 r) f() { ret; }")
	f.Add(".weak .global .u32 v = 1, w = 2;\n.func g() { ret; }", ".extern .global .u32 v;\n.func g() { ret; } .visible .func h() { call g; ret; }")
	f.Add(".common .global .b8 c[4]; .global .u64 p[2] = {c+4, 0xff(c)};", ".common .global .b8 c[8]; .func c2();")
	f.Add(".visible .func a(); .func b() { ret; } .alias a, b;", ".extern .func a(); .func b() { call a; ret; }")
	f.Add(".global .u32 t<4>; .func g() { .reg .b64 x; mov.u64 x, t2; ret; }", ".visible .global .u32 t2;\n.func t() { .reg .b32 r<3>; .loc 1 2 3\n ret; }\n.file 1 \"a\"")
	for i, s := range linkPieces {
		f.Add(s, linkPieces[(i+7)%len(linkPieces)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = linkHead+a, linkHead+b
		if len(a)+len(b) > 1<<16 {
			return
		}
		for _, s := range []string{a, b} {
			if _, list := Load("x.ptx", s); list.Err() != nil {
				return
			}
		}
		l, err := linkTexts(a, b)
		if err != nil {
			return
		}
		_, list := Load("l.ptx", l.Text)
		if err := list.Err(); err != nil && !strings.Contains(err.Error(), "too-large") {
			t.Fatalf("%v\n%s", err, l.Text)
		}
		for i := range strings.Count(l.Text, "\n") {
			if file, line, _ := l.Source(i+1, 1); file == "" || line < 1 {
				t.Fatalf("line %d comes from %s:%d", i+1, file, line)
			}
		}
	})
}
