package language

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

func open(t testing.TB, name, text string) *Document {
	t.Helper()
	return NewService().Open(name, text, Options{})
}

// marked opens a text in which | marks a position, and returns the position.
func marked(t testing.TB, name, text string) (*Document, Position) {
	t.Helper()
	before, after, ok := strings.Cut(text, "¦")
	if !ok {
		t.Fatal("no mark")
	}
	d := open(t, name, before+after)
	return d, d.text.position(len(before))
}

func examples(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	for _, p := range patterns {
		list, err := filepath.Glob(filepath.Join("..", "..", "examples", p))
		if err != nil || len(list) == 0 {
			t.Fatal(p, err)
		}
		files = append(files, list...)
	}
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const head = `.version 8.0
.target sm_80
.address_size 64
`

const body = head + `.visible .entry k(.param .u64 out) {
	.reg .b32 %r<5>; // größe 𝄞 äöü
	.reg .pred %p<2>;
	.reg .b64 %rd<2>;
	/* 𝄞 */ mov.b32 %r1, 0x0000ffff;
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p1, %r2, 16;
@%p1 shfl.sync.down.b32 %r3, %r2, 16, 31, %r1;
L1:
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r3;
	@%p1 bra L1;
	ret;
}
`

func TestPositions(t *testing.T) {
	text := "a\r\nbö𝄞c\rd\n"
	x := newTextIndex(text)
	for off, want := range map[int]Position{0: {0, 0}, 1: {0, 1}, 3: {1, 0}, 4: {1, 1}, 6: {1, 2}, 10: {1, 4}, 11: {1, 5}, 12: {2, 0}, 13: {2, 1}, 14: {3, 0}} {
		if got := x.position(off); got != want {
			t.Errorf("offset %d: %v, want %v", off, got, want)
		}
		if got := x.offset(want); got != off {
			t.Errorf("%v: offset %d, want %d", want, got, off)
		}
	}
	if got := x.offset(Position{1, 3}); got != 6 { // between the halves of 𝄞
		t.Errorf("half: %d", got)
	}
	if got := x.offset(Position{99, 0}); got != len(text) {
		t.Errorf("beyond: %d", got)
	}
	if got := x.offset(Position{0, 99}); got != 1 {
		t.Errorf("beyond the line: %d", got)
	}
}

// Ranges count UTF-16 although diagnostics count bytes.
func TestUTF16(t *testing.T) {
	d := open(t, "k.ptx", strings.Replace(body, "mov.b32 %r1, 0x0000ffff", "movx.b32 %r1, 0x0000ffff", 1))
	list, err := d.Diagnostics(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	// The comment before the opcode has 8 units but 10 bytes; a tab stands before it.
	if want := (Range{Position{7, 10}, Position{7, 18}}); list[0].Range != want {
		t.Errorf("%v, want %v: %s", list[0].Range, want, list[0].Message)
	}
}

func TestHoverExamples(t *testing.T) {
	n, maps := 0, 0
	for _, file := range examples(t, "ptx/*.ptx", "gcn3/*.s", "bad/*/*.ptx", "bad/*/*.s", "good/*/*.ptx") {
		d := open(t, file, read(t, file))
		for i := range d.stmts {
			s := &d.stmts[i]
			if s.kind != instruction {
				continue
			}
			n++
			h := d.Hover(d.text.position(d.toks[s.op].from), HoverStyle{Images: n%50 == 0})
			if h == nil {
				t.Errorf("%s: nothing about %s", file, d.source(s))
				continue
			}
			x := d.explain(s)
			if x != nil && (x.Lanes != nil || x.Fold != nil) {
				maps++
				if !strings.Contains(h.Text, "```text\n") {
					t.Errorf("%s: no lanes for %s", file, d.source(s))
				}
			}
			if n%50 == 0 && x != nil && x.SVG() != nil && !strings.Contains(h.Text, "data:image/svg+xml;base64,") {
				t.Errorf("%s: no image for %s", file, d.source(s))
			}
		}
	}
	if n < 5000 || maps < 300 {
		t.Errorf("%d instructions, %d with lanes", n, maps)
	}
}

func TestHover(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"register", strings.Replace(body, "[%rd1], %r3", "[%rd1], %r¦3", 1), "written in 1 statement:\n- 11 `@%p1 shfl"},
		{"constant", strings.Replace(body, "mov.b32 %r1,", "mov.b32 %r¦1,", 1), "always 65535 = 0xffff, the same in all lanes"},
		{"membermask", strings.Replace(body, "31, %r1", "31, %¦r1", 1), "membermask 0x0000ffff: lanes 0-15"},
		{"mask number", strings.Replace(body, "31, %r1", "31, 0xf¦f", 1), "lanes 0-7"},
		{"special", strings.Replace(body, "%tid.x", "%t¦id.x", 1), "special register `.u32`"},
		{"label", strings.Replace(body, "bra L1", "bra L¦1", 1), "`L1`: label, declared in line 12"},
		{"parameter", strings.Replace(body, "[out]", "[o¦ut]", 1), "parameter `.param .u64`, declared in line 4"},
		{"family", strings.Replace(body, ".b32 %r<5>", ".b32 %¦r<5>", 1), "`%r0` to `%r4`"},
		{"directive", strings.Replace(body, ".visible", ".vis¦ible", 1), "11.6"},
		{"instruction", strings.Replace(body, "setp.lt", "se¦tp.lt", 1), "Compare two values"},
		{"modifier", strings.Replace(body, "shfl.sync", "shfl.sy¦nc", 1), "lanes"},
		{"typing", strings.Replace(body, "shfl.sync.down.b32 %r3, %r2, 16, 31, %r1;", "shf¦l.sync.", 1), "shfl.sync.mode.b32"},
		{"number", strings.Replace(body, "%r2, 16;", "%r2, 1¦6;", 1), "`16` = 0x10"},
	} {
		d, at := marked(t, "k.ptx", c.text)
		h := d.Hover(at, HoverStyle{})
		if h == nil || !strings.Contains(h.Text, c.want) {
			t.Errorf("%s: %+v\nwant %s", c.name, h, c.want)
		}
	}
	d, at := marked(t, "k.ptx", strings.Replace(body, "größe", "grö¦ße", 1))
	if h := d.Hover(at, HoverStyle{}); h != nil {
		t.Errorf("comment: %v", h)
	}
	for _, c := range []struct{ text, want string }{
		{"v_mov_b32 v¦1, v0\nv_add_u32 v2, vcc, v[1:2], v3", "a VGPR: one value per lane"},
		{"v_mov_b32_dpp v1, v0 row_¦shr:1\nv_mov¦", ""},
		{"v_mov_b32¦_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n", "reading another lane: 60"},
		{"s_cbranch¦_scc1 done\ndone:\ns_endpgm\n", "goes to the label if SCC is 1"},
	} {
		d, at := marked(t, "k.s", c.text)
		h := d.Hover(at, HoverStyle{})
		if c.want == "" {
			continue
		}
		if h == nil || !strings.Contains(h.Text, c.want) {
			t.Errorf("%s: %+v", c.text, h)
		}
	}
}

func labels(list []Completion) (out []string) {
	for _, c := range list {
		out = append(out, c.Label)
	}
	return out
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want, not  []string
	}{
		{"mnemonic", strings.Replace(body, "	ret;", "	sh¦\n	ret;", 1), []string{"shfl", "shf", "vote"}, []string{"%r1"}},
		{"modifier", strings.Replace(body, "	ret;", "	shfl.sync.¦\n	ret;", 1), []string{"up", "down", "bfly", "idx"}, []string{"b32", "sync"}},
		{"after the mode", strings.Replace(body, "	ret;", "	shfl.sync.down.¦\n	ret;", 1), []string{"b32"}, []string{"up"}},
		{"optional", strings.Replace(body, "	ret;", "	add.¦\n	ret;", 1), []string{"u32", "sat", "rn", "ftz"}, nil},
		{"guarded", strings.Replace(body, "	ret;", "	@%p1 vo¦\n	ret;", 1), []string{"vote"}, []string{"%p1"}},
		{"guard", strings.Replace(body, "	ret;", "	@%¦\n	ret;", 1), []string{"%p1"}, []string{"L1"}},
		{"register", strings.Replace(body, "	ret;", "	add.u32 %r4, %¦\n	ret;", 1), []string{"%r1", "%p1", "%rd1", "%laneid"}, []string{"out"}},
		{"operand", strings.Replace(body, "bra L1;", "bra ¦;", 1), []string{"L1", "out", "k"}, nil},
		{"element", strings.Replace(body, "%tid.x", "%tid.¦", 1), []string{"x", "y", "z"}, []string{"w", "b32"}},
		{"type", strings.Replace(body, "	ret;", "	.reg .¦\n	ret;", 1), []string{".b32", ".pred"}, nil},
		{"module", head + "¦", []string{".entry", ".func", ".visible"}, nil},
	} {
		d, at := marked(t, "k.ptx", c.text)
		got := labels(d.Complete(at))
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %s in %v", c.name, w, got)
			}
		}
		for _, w := range c.not {
			if slices.Contains(got, w) {
				t.Errorf("%s: %s in %v", c.name, w, got)
			}
		}
	}
	d, at := marked(t, "k.ptx", strings.Replace(body, "	ret;", "	shfl.¦\n	ret;", 1))
	list := d.Complete(at)
	if len(list) == 0 || list[0].Edit.Range.Start != at {
		t.Errorf("%+v", list)
	}
	// What the version or the target lacks is marked.
	d, at = marked(t, "k.ptx", strings.Replace(strings.Replace(body, "sm_80", "sm_60", 1), "	ret;", "	redux.sync.¦\n	ret;", 1))
	for _, c := range d.Complete(at) {
		if !c.Old {
			t.Errorf("%s is not marked for sm_60", c.Label)
		}
	}
	d, at = marked(t, "k.ptx", strings.Replace(body, "	ret;", "	redux.sync.¦\n	ret;", 1))
	if list := d.Complete(at); len(list) == 0 || list[0].Old {
		t.Errorf("redux on sm_80: %+v", list)
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"v_mo¦\n", []string{"v_mov_b32", ".set"}},
		{"v_mov_b32_dpp v1, v0 ¦\n", []string{"row_shr:1", "row_mask:0xf", "quad_perm:[0,1,2,3]", "v1"}},
		{"ds_swizzle_b32 v1, v0 ¦\n", []string{"offset:swizzle(SWAP,1)"}},
		{"l:\ns_branch ¦\n", []string{"l", "vcc", "exec"}},
	} {
		d, at := marked(t, "k.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n"+c.text)
		got := labels(d.Complete(at))
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: no %s in %v", c.text, w, got)
			}
		}
	}
}

func TestSignatureHelp(t *testing.T) {
	d, at := marked(t, "k.ptx", strings.Replace(body, "%r2, 16, 31", "%r2, ¦16, 31", 1))
	h := d.SignatureHelp(at)
	if h == nil || h.Param != 2 {
		t.Fatalf("%+v", h)
	}
	g := h.Signatures[h.Form]
	if text := g.Label[g.Params[2].From:g.Params[2].To]; text != "b:u32" {
		t.Errorf("%q of %q", text, g.Label)
	}
	if text := g.Label[g.Params[0].From:g.Params[0].To]; text != "d[|p]" {
		t.Errorf("%q of %q", text, g.Label)
	}
	// Every form's operands lie within its line, in order.
	for _, m := range []string{"shfl", "mma", "ld", "atom", "setp", "call", "tex", "cp", "mad", "vote"} {
		d := open(t, "k.ptx", head+".func f() { "+m+" ; }")
		for _, g := range d.signatures(&d.stmts[len(d.stmts)-1]) {
			last := 0
			for _, p := range g.Params {
				if p.From < last || p.To <= p.From || p.To > len(g.Label) {
					t.Errorf("%q: %+v", g.Label, p)
				}
				last = p.To
			}
		}
	}
	d, at = marked(t, "k.s", "v_add_u32 v0, vcc, ¦v1, v2\n")
	if h := d.SignatureHelp(at); h == nil || h.Param != 2 || len(h.Signatures[0].Params) != 4 {
		t.Errorf("%+v", h)
	}
	d, at = marked(t, "k.ptx", strings.Replace(body, "	ret;", "	ret;¦", 1))
	if h := d.SignatureHelp(at); h != nil {
		t.Errorf("after the end: %+v", h)
	}
}

func TestDefinition(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int // lines, 1-based
	}{
		{strings.Replace(body, "[%rd1], %r3", "[%rd1], %r¦3", 1), []int{11}},
		{strings.Replace(body, "bra L1", "bra L¦1", 1), []int{12}},
		{strings.Replace(body, "[out]", "[o¦ut]", 1), []int{4}},
		{strings.Replace(body, "@%p1 bra", "@%p¦1 bra", 1), []int{10}},
		{strings.Replace(body, "%tid", "%t¦id", 1), nil},
	} {
		d, at := marked(t, "k.ptx", c.text)
		var got []int
		for _, r := range d.Definition(at) {
			got = append(got, r.Start.Line+1)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	// An inner block hides a name; labels of two functions are two.
	text := head + `.func a() { .reg .b32 x; mov.b32 x, 1; { .reg .b32 x; mov.b32 x, 2; mov.b32 ¦x, 3; } mov.b32 x, 4; L: bra L; }
.func b() { L: bra L; }`
	d, at := marked(t, "k.ptx", text)
	if n := len(d.References(at)); n != 3 {
		t.Errorf("%d references of the inner x", n)
	}
	// v[0:1] names v0 and v1.
	d, at = marked(t, "k.s", "v_mov_b32 v¦1, 0\nv_lshlrev_b64 v[0:1], 2, v[0:1]\nv_mov_b32 v2, v1\n")
	if list := d.References(at); len(list) != 4 {
		t.Errorf("%+v", list)
	}
}

func rename(d *Document, edits []TextEdit) string {
	text := d.Text()
	for _, e := range slices.Backward(edits) {
		text = Apply(text, &e.Range, e.NewText)
	}
	return text
}

func TestRename(t *testing.T) {
	d, at := marked(t, "k.ptx", strings.Replace(body, "[%rd1], %r3", "[%rd1], %r¦3", 1))
	edits, err := d.Rename(at, "%sum")
	if err != nil {
		t.Fatal(err)
	}
	text := rename(d, edits)
	for _, want := range []string{".reg .b32 %r<5>;\n\t.reg .b32 %sum;", "down.b32 %sum, %r2", "[%rd1], %sum;"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if edits, err := d.Rename(at, "%r4"); err != nil || strings.Contains(rename(d, edits), ".reg .b32 %r4") {
		t.Errorf("to an unused member: %v", err)
	}
	for name, want := range map[string]string{"%r2": "is a register already", "%tid": "special register", "9x": "no name of PTX", "out": "is a parameter already", "%rd0": "is a register of %rd<2>"} {
		if _, err := d.Rename(at, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	file := examples(t, "gcn3/wave_reduce.s")[0]
	d = open(t, file, read(t, file))
	at = d.text.position(strings.Index(d.Text(), "reduce_swizzle:"))
	if edits, err = d.Rename(at, "total"); err != nil {
		t.Fatal(err)
	}
	text = rename(d, edits)
	if code, _, _ := strings.Cut(text, ".ident"); strings.Contains(strings.ReplaceAll(code, "; @reduce_swizzle", ""), "\treduce_swizzle") || !strings.Contains(text, "total.kd") {
		t.Error("the old name is left")
	}
	if m, err := crosslane.Load([]byte(text), file, crosslane.GCN3); err != nil {
		t.Error(err)
	} else if _, err := m.Kernel("total"); err != nil {
		t.Error(err)
	}
}

// Every name of every example can be renamed, and the text still loads with the same findings.
func TestRenameExamples(t *testing.T) {
	n := 0
	for i, file := range examples(t, "ptx/*.ptx", "gcn3/*.s") {
		if testing.Short() && i%8 != 0 || i%3 != 0 {
			continue
		}
		text := read(t, file)
		d := open(t, file, text)
		if _, err := crosslane.Load([]byte(text), file, crosslane.Auto); err != nil {
			continue
		}
		for k, s := range d.syms {
			tok := s.decl
			if tok < 0 && len(s.refs) > 0 {
				tok = s.refs[0].tok
			}
			at := d.text.position(d.toks[max(tok, 0)].from)
			if _, _, err := d.PrepareRename(at); tok < 0 || err != nil || d.symbolAt(tok) != s || k%23 != 0 && s.kind != symLabel && s.kind != symKernel || k%3 != 0 {
				continue
			}
			name := fmt.Sprintf("renamed_%d", k)
			if strings.HasPrefix(s.name, ".") {
				name = ".L" + name
			}
			if s.kind == symRegister && d.isa == crosslane.GCN3 {
				continue // TestRenameRegister
			}
			edits, err := d.Rename(at, name)
			if err != nil {
				t.Errorf("%s: %s: %v", file, s.name, err)
				continue
			}
			n++
			if _, err := crosslane.Load([]byte(rename(d, edits)), file, crosslane.Auto); err != nil {
				t.Errorf("%s: %s %s renamed: %v", file, s.kind, s.name, err)
			}
		}
	}
	if n < 100 && !testing.Short() {
		t.Errorf("%d names", n)
	}
}

func TestInlayHints(t *testing.T) {
	all := Range{End: Position{1 << 20, 0}}
	for instr, want := range map[string]string{
		"shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1":      "↔16",
		"shfl.sync.down.b32 %r1, %r2, 8, 0x101f, -1":   "↓8 in 16",
		"shfl.sync.down.b32 %r1, %r2, 16, 31, -1":      "↓16",
		"shfl.sync.up.b32 %r1, %r2, 1, 0, -1":          "↑1",
		"shfl.sync.idx.b32 %r1, %r2, 3, 31, -1":        "←3",
		"shfl.sync.idx.b32 %r1, %r2, 3, 0x181f, -1":    "←3 in 8",
		"shfl.sync.bfly.b32 %r1, %r2, 4, 31, %r3":      "↔4",
		"vote.sync.ballot.b32 %r1, %p1, -1":            "32→1",
		"vote.sync.ballot.b32 %r1, %p1, 0xff":          "8→1",
		"add.u32 %r1, %r2, 1":                          "",
		"@%p1 redux.sync.add.u32 %r1, %r2, 0xffffffff": "32→1",
		"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1":  "",
	} {
		d := open(t, "k.ptx", head+".func f() { .reg .b32 %r<9>; .reg .pred %p<2>;\n"+instr+"; }")
		list, _ := d.InlayHints(context.Background(), all)
		got := ""
		if len(list) > 0 {
			got = list[0].Label
		}
		if got != want {
			t.Errorf("%s: %q, want %q", instr, got, want)
		}
	}
	for instr, want := range map[string]string{
		"v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf":           "↑1 in 16",
		"v_mov_b32_dpp v1, v0 quad_perm:[1,1,3,2] row_mask:0xf bank_mask:0xf": "1132 in 4",
		"v_mov_b32_dpp v1, v0 row_ror:4 row_mask:0xf bank_mask:0xf":           "↺4 in 16",
		"v_mov_b32_dpp v1, v0 row_mirror row_mask:0xf bank_mask:0xf":          "↔15",
		"v_mov_b32_dpp v1, v0 wave_rol:1 row_mask:0xf bank_mask:0xf":          "↻1",
		"ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,32,5)":                "←5 in 32",
		"v_readlane_b32 s0, v1, 7":                                            "←7",
	} {
		d := open(t, "k.s", instr+"\n")
		list, _ := d.InlayHints(context.Background(), all)
		if len(list) == 0 || list[0].Label != want {
			t.Errorf("%s: %+v, want %q", instr, list, want)
		}
	}
	file := examples(t, "bad/gcn3/wait-states_dpp_first_step.s")[0]
	list, err := open(t, file, read(t, file)).InlayHints(t.Context(), all)
	if err != nil || !slices.ContainsFunc(list, func(h InlayHint) bool { return strings.HasPrefix(h.Label, "owes s_nop") }) {
		t.Errorf("%+v %v", list, err)
	}
}

// The goal of an exchange names the source of every lane, and plan understands it.
func TestGoal(t *testing.T) {
	for _, c := range []struct {
		name, text, target string
		lanes              int
		source             func(i int) string
	}{
		{"k.ptx", head + ".func f() { .reg .b32 %r<9>;\n¦shfl.sync.bfly.b32 %r1, %r2, 5, 31, -1; }", "sm_80", 32, func(i int) string { return fmt.Sprint(i ^ 5) }},
		{"k.s", "v_mov_b32¦_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n", "gfx803", 64, func(i int) string {
			if i%16 == 15 {
				return "z"
			}
			return fmt.Sprint(i + 1)
		}},
		{"k.s", "v_mov_b32¦_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf\n", "gfx803", 64, func(i int) string {
			if i%16 == 15 {
				return "="
			}
			return fmt.Sprint(i + 1)
		}},
	} {
		d, at := marked(t, c.name, c.text)
		g := d.Goal(at)
		var want []string
		for i := range c.lanes {
			want = append(want, c.source(i))
		}
		if g == nil || g.Text != strings.Join(want, ",") || g.Target != c.target {
			t.Errorf("%s: %+v", c.text, g)
			continue
		}
		if _, err := crosslane.Plan(t.Context(), g.Text, crosslane.PlanOptions{Target: g.Target}); err != nil {
			t.Error(err)
		}
	}
	for _, instr := range []string{"add.u32 %r1, %r2, %r3;", "shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;"} {
		d, at := marked(t, "k.ptx", head+".func f() { .reg .b32 %r<9>;\n¦"+instr+" }")
		if g := d.Goal(at); g != nil {
			t.Errorf("%s: %+v", instr, g)
		}
	}
}

func TestView(t *testing.T) {
	d := open(t, "k.ptx", body)
	kinds := map[string]string{}
	names := SemanticTypes()
	for _, s := range d.SemanticTokens() {
		from := d.text.offset(s.Start)
		kinds[d.Text()[from:d.text.offset(Position{s.Start.Line, s.Start.Character + s.Length})]] = names[s.Type]
	}
	for word, want := range map[string]string{"shfl": "keyword", ".sync": "modifier", "%r3": "variable", "out": "parameter", "k": "function", "L1": "label",
		"%tid": "property", ".visible": "macro", "16": "number", "// größe 𝄞 äöü": "comment", ".u64": "modifier"} {
		if kinds[word] != want {
			t.Errorf("%s: %s, want %s", word, kinds[word], want)
		}
	}
	if f := d.Folds(); len(f) != 1 || f[0] != (Fold{3, 16, false}) {
		t.Errorf("%+v", f)
	}
	if s := d.Symbols(); len(s) != 1 || s[0].Name != "k" || len(s[0].Children) != 1 || s[0].Range.End.Line != 16 {
		t.Errorf("%+v", s)
	}
	if l := d.Lenses(); len(l) != 1 || l[0].Kernel != "k" {
		t.Errorf("%+v", l)
	}
	file := examples(t, "gcn3/wave_reduce.s")[0]
	g := open(t, file, read(t, file))
	if l := g.Lenses(); len(l) == 0 || l[0].Kernel != "reduce_swizzle" {
		t.Errorf("%+v", l)
	}
	if len(g.Symbols()) == 0 || len(g.Folds()) < 3 {
		t.Errorf("%d symbols, %d folds", len(g.Symbols()), len(g.Folds()))
	}
}

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		name, text, word string
		want             crosslane.ISA
	}{
		{"k.ptx", "", "", crosslane.PTX}, {"x", ".version 8.0\n.target sm_80\n", "", crosslane.PTX}, {"x.s", "\tmovl %eax, %ebx\n\tret\n", "", crosslane.Auto},
		{"x.s", "v_mov_b32 v0, v1\n", "", crosslane.GCN3}, {"x.s", "\t.amdgcn_target \"x\"\n", "", crosslane.GCN3}, {"x.s", "", "gcn3", crosslane.GCN3},
		{"x.s", "\t.text\n\t.globl f\nf:\n\tretq\n", "", crosslane.Auto},
	} {
		if got := open(t, c.name, c.text); NewService().Open(c.name, c.text, Options{Language: c.word}).ISA() != c.want {
			t.Errorf("%s %q: %q", c.name, c.text, got.ISA())
		}
	}
	d := open(t, "x.s", "\tmovl %eax, %ebx\n")
	if list, err := d.Diagnostics(t.Context()); err != nil || len(list) != 0 || d.Complete(Position{}) != nil || d.Hover(Position{0, 2}, HoverStyle{}) != nil {
		t.Error("assembly of a host is not Crosslane's")
	}
}

// everything asks all questions about a position.
func everything(t testing.TB, ctx context.Context, d *Document, at Position) {
	d.Hover(at, HoverStyle{Images: true})
	d.Complete(at)
	d.SignatureHelp(at)
	d.Definition(at)
	d.Declaration(at)
	d.References(at)
	if _, _, err := d.PrepareRename(at); err == nil {
		_, _ = d.Rename(at, "%other")
	}
	var end Position
	for i, s := range d.SemanticTokens() {
		if i > 0 && before(s.Start, end) || s.Length <= 0 {
			t.Fatalf("semantic token %d, %+v, begins before %v", i, s, end)
		}
		end = Position{s.Start.Line, s.Start.Character + s.Length}
	}
	d.Folds()
	d.Symbols()
	d.Lenses()
	_, _ = d.InlayHints(ctx, Range{at, Position{at.Line + 40, 0}})
	_, _ = d.Actions(ctx, Range{at, at})
}

var edits = flag.Int("edits", 2000, "the random edits of TestRandomEdits")

// Texts that are being typed give answers and no panic.
func TestRandomEdits(t *testing.T) {
	n := *edits
	if testing.Short() {
		n = 300
	}
	rng := rand.New(rand.NewPCG(1, 2))
	files := examples(t, "ptx/mistakes.ptx", "gcn3/wave_reduce.s", "bad/ptx/deprecated*.ptx", "gcn3/saxpy_v2.s", "gcn3/dpp_gallery.s")
	bits := []string{"{", "}", ";", ",", "[", "]", "(", ")", "\n", ".", "%", "@", "\"", "/*", "//", "ö", "𝄞", "\r", "shfl.sync.", ".reg .b32 %q<3>;", "v[0:", ".macro x\n", "0x", ":", "<", "|", "\x00"}
	svc := NewService()
	text := read(t, files[0])
	for i := range n {
		if i%100 == 0 {
			text = read(t, files[rng.IntN(len(files))])
		}
		at := rng.IntN(len(text) + 1)
		if rng.IntN(2) == 0 {
			text = text[:at] + bits[rng.IntN(len(bits))] + text[at:]
		} else {
			text = text[:at] + text[min(len(text), at+rng.IntN(12)):]
		}
		name := []string{"k.ptx", "k.s"}[i/50%2]
		d := svc.Open(name, text, Options{Language: map[bool]string{true: "ptx", false: "gcn3"}[name == "k.ptx"]})
		everything(t, t.Context(), d, d.text.position(at))
	}
}

// BenchmarkEdit is one change of a text of 100 kB, with its findings and the answers to an editor's questions.
func BenchmarkEdit(b *testing.B) {
	text := large(b)
	svc := NewService()
	rng := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for b.Loop() {
		at := rng.IntN(len(text))
		changed := text[:at] + " " + text[at:]
		start := time.Now()
		d := svc.Open("k.ptx", changed, Options{})
		if _, err := d.Diagnostics(b.Context()); err != nil {
			b.Fatal(err)
		}
		p := d.text.position(at)
		d.Hover(p, HoverStyle{})
		d.Complete(p)
		d.SemanticTokens()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(len(text)), "bytes")
}

// large makes a module of about 100 kB of the examples' kernels.
func large(t testing.TB) string {
	var b strings.Builder
	b.WriteString(head)
	one := read(t, examples(t, "ptx/mistakes.ptx")[0])
	_, one, _ = strings.Cut(one, ".address_size 64\n")
	for i := 0; b.Len() < 100_000; i++ {
		part := one
		for _, name := range []string{"partial_reduce", "not_in_mask", "never_meet", "off_by_one"} {
			part = strings.ReplaceAll(part, name, fmt.Sprintf("%s_%d", name, i))
		}
		b.WriteString(part)
	}
	return b.String()
}

func FuzzDocument(f *testing.F) {
	f.Add(body, uint32(300), true)
	f.Add("v_mov_b32_dpp v1, v[0:1] row_shr:1\nl: s_branch l\n.set x, 1\n", uint32(20), false)
	f.Add(".entry k(.param .u64 p){ call (r), f, (a); .section .x { .b8 L } }", uint32(40), true)
	f.Fuzz(func(t *testing.T, text string, at uint32, isPTX bool) {
		if len(text) > 1<<14 {
			return
		}
		word := "gcn3"
		if isPTX {
			word = "ptx"
		}
		d := NewService().Open("k", text, Options{Language: word})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		everything(t, ctx, d, d.text.position(int(at)))
		for i, k := range d.toks {
			if k.to <= k.from || i > 0 && k.from < d.toks[i-1].to {
				t.Fatalf("token %d: %v after %v", i, k, d.toks[max(i-1, 0)])
			}
		}
	})
}
