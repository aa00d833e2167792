package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/crosslane/diag"
)

// sources returns PTX files that are correct: ours, and the examples' compiled ones.
func sources(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"testdata/good/*.ptx", "../examples/ptx/*.ptx"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			files[n] = string(b)
		}
	}
	if len(files) < 3 {
		t.Fatalf("found %d sources", len(files))
	}
	return files
}

// mustParse parses a text that is correct.
func mustParse(t testing.TB, src string) *Module {
	t.Helper()
	m, l := Parse("test.ptx", src)
	if len(l) > 0 {
		t.Fatalf("%s", l.Error())
	}
	return m
}

// kernel wraps statements into a module with some declarations.
func kernel(body string) string {
	return ".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g[8];\n.entry k(.param .u64 a, .param .u32 n)\n{\n" +
		".reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<5>;\n.reg .f32 %f<9>;\n" + body + "\n}\n"
}

// instrs returns all instructions of a block, those of inner blocks included.
func instrs(b *Block) (list []*Instr) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Instr:
			list = append(list, s)
		case *Block:
			list = append(list, instrs(s)...)
		}
	}
	return list
}

func printed(t testing.TB, m *Module) string {
	t.Helper()
	var b strings.Builder
	if err := Print(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, src := range sources(t) {
		m, l := Parse(name, src)
		if len(l) > 0 {
			t.Errorf("%s", l.Error())
			continue
		}
		roundTrip(t, name, m)
	}
}

// TestHabits checks the parser's result for each construct in habits.ptx.
func TestHabits(t *testing.T) {
	t.Parallel()
	m := mustParse(t, sources(t)["testdata/good/habits.ptx"])
	if m.Version != (Version{8, 5}) || m.Target != (Target{90, 'a'}) || m.AddressSize != 64 || len(m.Targets) != 3 {
		t.Errorf("header: %v %v %d %q", m.Version, m.Target, m.AddressSize, m.Targets)
	}
	vars := map[string]*Var{}
	for _, v := range m.Vars() {
		vars[v.Name] = v
	}
	if v := vars["__shfl_table"]; v.Size() != 12 || v.Alignment() != 4 || v.Init.List[2].Bits != 3 || v.Init.List[3].Bits != 4 || !v.Init.List[4].Unsigned {
		t.Errorf("__shfl_table: %+v", v)
	}
	if v := vars["counter"]; v.Link != LinkVisible || v.Attrs[0].Name != ".managed" {
		t.Errorf("counter: %+v", v)
	}
	where := vars["where"].Init.List
	if where[0].Ref != vars["counter"] || where[0].Generic || !where[1].Generic || where[1].Off != 8 || where[3].Off != -4 {
		t.Errorf("where: %+v", where)
	}
	if where[2].Ref != m.Func("twice") || m.Func("twice").Body() == nil {
		t.Errorf("where[2] refers to %+v, not to the definition of twice", where[2].Ref)
	}
	bytes := vars["bytes"].Init.List
	if bytes[1].Mask != 0xff00 || !bytes[1].Generic || bytes[1].Off != 16 || bytes[3].Mask != 0xff || bytes[3].Kind != InitInt || bytes[3].Bits != 1546 {
		t.Errorf("bytes: %+v", bytes)
	}
	if v := vars["grid"]; v.Size() != 24 || !v.Dims[0].Open || v.Dims[0].Size != 3 {
		t.Errorf("grid: %+v", v)
	}
	if v := vars["quad"]; v.Size() != 16 || v.Alignment() != 16 {
		t.Errorf("quad: %d bytes at %d", v.Size(), v.Alignment())
	}
	if in := vars["tex1"].Init.List; in[0].Field != "width" || in[0].Bits != 32 || in[1].Kind != InitEnum || in[1].Name != "nearest" {
		t.Errorf("tex1: %+v %+v", in[0], in[1])
	}

	k := m.Func("habits")
	if !k.Entry || k.Link != LinkVisible || len(k.Params) != 4 || len(k.Directives) != 5 || k.Directive(".maxntid").Args[0].Val != 256 {
		t.Fatalf("habits: %+v", k)
	}
	if p := k.Params[0]; !p.Ptr || p.PtrSpace != SpaceGlobal || p.PtrAlign != 1 {
		t.Errorf("parameter 0: %+v", p)
	}
	if p := k.Params[1]; !p.Ptr || p.PtrSpace != SpaceGeneric || p.PtrAlign != 16 {
		t.Errorf("parameter 1: %+v", p)
	}
	find := func(text string) *Instr {
		t.Helper()
		for _, in := range instrs(&k.Body().Block) {
			if strings.HasPrefix(in.String(), text) {
				return in
			}
		}
		t.Fatalf("no instruction %q", text)
		return nil
	}
	in := find("shfl.sync.bfly.b32 %r4|%p1")
	if a := in.Args; len(a) != 5 || a[0].Kind != KindPair || a[0].List[1].Reg().Name != "%p1" || int64(a[4].Val) != -1 {
		t.Errorf("%s: %+v", in, a)
	}
	if in.Loc == nil || in.Loc.FuncName != ".debug_str" || in.Loc.FuncOff != 16 || in.Loc.InlinedLine != 11 || in.Loc.Line != 12 {
		t.Errorf("%s: .loc %+v", in, in.Loc)
	}
	if a := find("shfl.sync.up").Args[0]; a.List[0].Kind != KindSink {
		t.Errorf("_|%%p2: %+v", a)
	}
	if a := find("setp").Args[3]; a.Kind != KindNot || a.List[0].Reg() == nil {
		t.Errorf("!%%p1: %+v", a)
	}
	if a := find("mov.b32 %r3").Args[1]; a.Kind != KindInt || a.Val != 32 || a.Name != "WARP_SZ" {
		t.Errorf("WARP_SZ: %+v", a)
	}
	if a := find("mov.u64 %rd3").Args[1]; a.Kind != KindSymOff || a.Var().Name != "tile" || a.Off != 16 {
		t.Errorf("tile+16: %+v", a)
	}
	in = find("ld.global.v4.f32")
	if a := in.Args; a[0].Kind != KindVector || a[0].List[2].Kind != KindSink || a[1].Off != -16 || a[1].List[0].Reg().Name != "%rd4" {
		t.Errorf("%s: %+v", in, a)
	}
	in = find("ld.global.nc.L1")
	if want := []string{"ld", "global", "nc", "L1::no_allocate", "L2::128B", "b32"}; !cmp.Equal(in.Parts, want) || in.Args[1].Off != -4 {
		t.Errorf("%s: %q, offset %d", in, in.Parts, in.Args[1].Off)
	}
	if a := find("ld.global.f32 %v.x").Args[0]; a.Comp != "x" || a.Reg().Vec != 4 {
		t.Errorf("%%v.x: %+v", a)
	}
	if a := find("ld.const.f64").Args[1]; a.Kind != KindIndex || a.Var().Name != "halves" || a.List[0].Val != 2 {
		t.Errorf("halves[2]: %+v", a)
	}
	if a := find("ld.global.u32 %r8").Args[1]; a.Kind != KindIndex || a.List[0].Reg().Name != "%r1" || a.Off != 1 {
		t.Errorf("grid[%%r1+1]: %+v", a)
	}
	if a := find("mov.u32 %r9").Args[1]; a.Val != 19 {
		t.Errorf("(1 << 4) | 3: %d", a.Val)
	}
	if a := find("tex.2d").Args[1]; a.Kind != KindAddr || len(a.List) != 3 || a.List[1].Var().Name != "samp" || a.List[2].Kind != KindVector {
		t.Errorf("[tex1, samp, …]: %+v", a)
	}
	in = find("@%p3 brx.idx")
	if l := in.Args[1].Label(); l == nil || l.Dir == nil || l.Dir.Args[1].Label().Name != "$L__BB0_4" {
		t.Errorf("%s: %+v", in, in.Args[1])
	}
	in = find("call (family0)")
	if a := in.Args; a[0].Kind != KindList || a[0].List[0].Var().Of == nil || a[1].Reg() == nil || len(a[2].List) != 2 || len(a[3].Label().Dir.Proto.Params) != 2 {
		t.Errorf("%s: %+v", in, a)
	}
	if a := find("cp.async.bulk.tensor").Args; a[1].List[1].Kind != KindVector {
		t.Errorf("[%%rd1, {…}]: %+v", a[1])
	}
	if a := find("vadd").Args; a[1].Comp != "b0" || a[2].Comp != "h1" {
		t.Errorf("vadd: %+v", a)
	}
	if in := instrs(&m.Func("twice").Body().Block)[1]; in.Op != "add.s32" || len(in.Parts) != 2 {
		t.Errorf("add .s32: %q %q", in.Op, in.Parts)
	}
	if g := find("@!%p2 bra.uni").Guard; !g.Not || g.Reg.Reg().Name != "%p2" {
		t.Errorf("@!%%p2: %+v", g)
	}
	d, _ := m.Items[len(m.Items)-1].(*Directive)
	if d == nil || d.Name != ".section" || d.Args[0].Name != ".debug_info" || !strings.Contains(d.Raw, ".b64 $L__func_begin0") {
		t.Errorf(".section: %+v", d)
	}
}

// TestPositions checks line, column and offset against a search of the text.
func TestPositions(t *testing.T) {
	t.Parallel()
	src := sources(t)["testdata/good/habits.ptx"]
	m := mustParse(t, src)
	check := func(p Pos, text string) {
		t.Helper()
		before := src[:p.Off]
		line := strings.Count(before, "\n") + 1
		col := len(before) - strings.LastIndexByte(before, '\n')
		if int(p.Line) != line || int(p.Col) != col || !strings.HasPrefix(src[p.Off:], text) {
			t.Errorf("%q: at %+v, which is %d:%d and holds %.20q", text, p, line, col, src[p.Off:])
		}
	}
	for _, f := range m.Entries() {
		for _, in := range instrs(&f.Body().Block) {
			check(in.Pos, in.Parts[0])
			check(in.End, ";")
			for i := range in.Args {
				if a := &in.Args[i]; a.Kind == KindReg {
					check(a.Pos, a.Name)
				}
			}
		}
	}
	for _, v := range m.Vars() {
		check(v.Pos, v.Name)
	}
}

var errorComment = regexp.MustCompile(`// ERROR "(.*)"\s*$`)

// TestErrors compares the errors of testdata/bad with the comments on their lines.
func TestErrors(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/bad/*.ptx")
	if err != nil || len(names) < 8 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")
		want := map[int]*regexp.Regexp{}
		for i, line := range lines {
			if m := errorComment.FindStringSubmatch(line); m != nil {
				want[i+1] = regexp.MustCompile(m[1])
			}
		}
		_, list := Parse(name, string(b))
		for _, d := range list {
			re := want[d.Pos.Line]
			if re == nil || !re.MatchString(d.Message) {
				t.Errorf("unexpected: %v", d)
				continue
			}
			delete(want, d.Pos.Line)
			if d.Pos.File != name || d.Pos.Col < 1 || d.Source != lines[d.Pos.Line-1] || d.Code == "" || d.Severity != diag.Error {
				t.Errorf("incomplete: %+v", d)
			}
		}
		for line, re := range want {
			t.Errorf("%s:%d: no error matches %q", name, line, re)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ body, code, remedy string }{
		{"mov.u32 %r1, %tdi.x;", "undeclared", "did you mean %tid?"},
		{"bra ned; end: ret;", "undeclared", "did you mean end?"},
		{".sahred .u32 x;", "bad-directive", "did you mean .shared?"},
		{"call ", "syntax", ""},
		{".pragma \"never closed;", "syntax", ""},
		{"mov.u32 %r1, quite_another_thing;", "undeclared", ""},
	} {
		_, l := Parse("t", kernel(tt.body))
		if len(l) == 0 || l[0].Code != tt.code || l[0].Remedy != tt.remedy {
			t.Errorf("%s: %+v", tt.body, l)
		}
	}
}

// TestErrorLimit checks that a broken file gives 20 errors, not thousands, and the number of the
// remaining errors.
func TestErrorLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		n    int
		more string
	}{
		{"mov.u32 %r1 %r2;\n", 20, ""},
		{"mov.u32 %r1 %r2;\n", 21, "and 1 more error"},
		{"mov.u32 %r1 %r2;\n", 5000, "and 4980 more errors"},
		{"mov.u32 %r1 %r2;\n", 50000, "and at least 9980 more errors"},
		{"mov.u32 %r1, x;\nmov.u32 y, %r1;", 100, "and 180 more errors"},
		{"mov.f32 %r1 %r2\n.reg .b99 x;\n@p mov.f32 %r1 %r2\n", 100, "and 280 more errors"},
		{"}\n", 100, "and 80 more errors"},
		{"[", 100, ""},
	} {
		src := kernel(strings.Repeat(tt.line, tt.n))
		if tt.line == "}\n" {
			src = ".version 8.0\n.target sm_80\n" + strings.Repeat(tt.line, tt.n)
		}
		_, l := Parse("t", src)
		want := maxErrors
		if tt.more != "" {
			if want++; len(l) > 0 && (l[len(l)-1].Message != tt.more || l[len(l)-1].Severity != diag.Note) {
				t.Errorf("%d times %q: %v, want %q", tt.n, tt.line, l[len(l)-1], tt.more)
			}
		}
		if tt.line != "[" && len(l) != want {
			t.Errorf("%d times %q: %d diagnostics, want %d", tt.n, tt.line, len(l), want)
		}
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	made := map[string]*Reg{}
	m, f, l := parseSnippet("-e", "shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, -1; @%p1 add.s32 %r2, %r2, %laneid", func(o *Operand, in *Instr) Decl {
		if in == nil {
			t.Errorf("no instruction for %s", o.Name)
		}
		r := &Reg{Name: o.Name, Type: B32, Decl: &Var{Name: o.Name}}
		made[o.Name] = r
		return r
	})
	if len(l) > 0 {
		t.Fatal(l)
	}
	if len(made) != 3 || len(f.Body().Regs) != 3 || f.Body().Regs[made["%r1"].ID] != made["%r1"] || len(instrs(&f.Body().Block)) != 2 || m.AddressSize != 64 {
		t.Errorf("%d registers, Regs %v", len(made), f.Body().Regs)
	}
	for _, in := range instrs(&f.Body().Block) {
		for i := range in.Args {
			if in.Args[i].Kind == KindIdent {
				t.Errorf("%s is not resolved", in)
			}
		}
	}
	for _, bad := range []string{"add.s32 }", "}", "add.s32 %r1, ", "{ ret;"} {
		if _, _, l := parseSnippet("-e", bad, func(o *Operand, _ *Instr) Decl { return &Reg{Name: o.Name} }); l.Err() == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
