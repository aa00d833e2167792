package amdgpu

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// notFacts are numbers that equal a register limit and mean something else, by file and text.
var notFacts = map[string]string{
	"asm/kernelcode.go KernelCodeSize = 256": "a size in bytes",
	"asm/lex.go v > 255":                     "the largest byte",
	"hazard/static_path.go unlimited = 255":  "no limit",
}

// TestTargetHoldsTheFacts checks that no file but target.go has the name of a chip in code, or
// compares with the number of its registers. A constant of a chip belongs into Target.
func TestTargetHoldsTheFacts(t *testing.T) {
	t.Parallel()
	limits := map[string]bool{}
	for _, n := range []int{GFX803.VGPRs, GFX803.SGPRs()} {
		limits[fmt.Sprint(n)], limits[fmt.Sprint(n-1)] = true, true
	}
	seen := map[string]bool{}
	for _, folder := range []string{"", "asm", "hazard"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) < 10 {
			t.Fatalf("%d files in %q: %v", len(files), folder, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || file == "target.go" || strings.HasPrefix(file, "rows_") || file == "zports.go" {
				continue
			}
			for _, m := range chipFacts(t, file, limits) {
				if key := filepath.ToSlash(file) + " " + m.what; notFacts[key] != "" {
					seen[key] = true
				} else {
					t.Errorf("%s: %s is a fact of a chip: take it from Target, in target.go", m.at, m.what)
				}
			}
		}
	}
	for key := range notFacts {
		if !seen[key] {
			t.Errorf("nothing is %q any more", key)
		}
	}
}

type chipFact struct{ at, what string }

// chipFacts finds strings and names with a chip, and numbers in limits that a comparison, a min, a max
// or a declaration has.
func chipFacts(t *testing.T, file string, limits map[string]bool) (found []chipFact) {
	set := token.NewFileSet()
	f, err := goparser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n ast.Node, format string, args ...any) {
		found = append(found, chipFact{set.Position(n.Pos()).String(), fmt.Sprintf(format, args...)})
	}
	limit := func(e ast.Expr) bool {
		l, ok := e.(*ast.BasicLit)
		return ok && l.Kind == token.INT && limits[l.Value]
	}
	text := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			return e.Value
		case *ast.Ident:
			return e.Name
		}
		return "…"
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && strings.Contains(n.Value, GFX803.Name) {
				add(n, "%s", n.Value)
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
				if limit(n.X) || limit(n.Y) {
					add(n, "%s %s %s", text(n.X), n.Op, text(n.Y))
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
				for _, a := range n.Args {
					if limit(a) {
						add(a, "%s(… %s)", id.Name, text(a))
					}
				}
			}
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if limit(v) {
					add(v, "%s = %s", n.Names[i].Name, text(v))
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				break
			}
			for i, v := range n.Rhs {
				if limit(v) && i < len(n.Lhs) {
					add(v, "%s = %s", text(n.Lhs[i]), text(v))
				}
			}
		}
		return true
	})
	return found
}

// smallTarget is a chip that differs from GFX803 in its facts.
func smallTarget() *Target {
	return GFX803.With(func(t *Target) {
		t.Name, t.Family = "gfx-small", "small"
		t.VGPRs = 128
		t.Scalars = []ScalarRange{
			{Name: "s", N: 96, Numbered: true}, {Name: "vcc", Code: RegVCC, N: 2}, {Name: "m0", Code: RegM0, N: 1}, {Name: "exec", Code: RegEXEC, N: 2},
		}
		t.BusReads = 2
		t.DPP = DPPNone
		t.VOP3.VOP1 = 0x150
		t.Counters = []WaitCounter{{"vmcnt", 0, 6}, {"expcnt", 6, 3}, {"lgkmcnt", 9, 2}}
		t.HWRegs = []string{"", "MODE", "SPEED"}
		rules := append([]WaitRule(nil), t.WaitRules...)
		rules[0].States = 9
		t.WaitRules = rules
	})
}

// TestTargetFacts changes facts of a chip and checks that the parser, the printer, both directions of
// the encoding, explain and the rules of wait states follow.
func TestTargetFacts(t *testing.T) {
	t.Parallel()
	small := smallTarget()
	for _, c := range []struct {
		text         string
		large, small string // the end of the error, "" if there is none
	}{
		{"v_mov_b32 v127, 0", "", ""},
		{"v_mov_b32 v128, 0", "", "the last register of this kind is v127, found v128"},
		{"v_add_f64 v[126:127], v[0:1], v[2:3]", "", ""},
		{"s_mov_b32 s95, 0", "", ""},
		{"s_mov_b32 s96, 0", "", "the last register of this kind is s95, found s96"},
		{"s_mov_b32 m0, 0", "", ""},
		{"s_waitcnt vmcnt(15)", "", ""},
		{"s_waitcnt vmcnt(63)", "vmcnt counts 0..15, found 63", ""},
		{"s_waitcnt lgkmcnt(15)", "", "lgkmcnt counts 0..3, found 15"},
		{"v_add_u32_e64 v1, vcc, s1, s2", "the constant bus carries one", ""},
		{"v_mad_f32 v1, s1, s2, s3", "the constant bus carries one", "it reads three different scalar values, but the constant bus carries two"},
		{"v_mov_b32 v1, v2 row_shr:1", "", "gfx-small has no DPP"},
		{"s_getreg_b32 s0, hwreg(HW_REG_SPEED)", "HW_REG_SPEED is neither a register nor a number", ""},
	} {
		for _, chip := range []*Target{GFX803, small} {
			want := c.large
			if chip == small {
				want = c.small
			}
			in, err := ParseInst(c.text, ParseOptions{Target: chip})
			if err != nil {
				if got := diag.Of(err)[0].Message; want == "" || !strings.HasSuffix(got, want) {
					t.Errorf("%s: %s: error %q, want %q", chip.Name, c.text, got, want)
				}
				continue
			}
			if want != "" {
				t.Errorf("%s: %s: no error, want %q", chip.Name, c.text, want)
			}
			if in.Row.Target() != chip {
				t.Errorf("%s: %s is an instruction of %s", chip.Name, c.text, in.Row.Target().Name)
			}
			b, err := Encode(&in)
			if err != nil {
				t.Errorf("%s: %s: %v", chip.Name, c.text, err)
				continue
			}
			if back, n, err := chip.Decode(b); err != nil || n != len(b) || back != in {
				t.Errorf("%s: %s: % x decodes to %s, %v", chip.Name, c.text, b, Print(&back), err)
			}
			if again, err := ParseInst((Printer{Exact: true}).Print(&in), ParseOptions{Target: chip}); err != nil || again != in {
				t.Errorf("%s: %s parses again as %s, %v", chip.Name, Print(&in), Print(&again), err)
			}
		}
	}
	// The same bytes mean more, less or other instructions.
	for _, c := range []struct {
		bytes        []byte
		large, small string
	}{
		{[]byte{0x80, 0x02, 0x90, 0x7f}, "v_mov_b32_e32 v200, 0", "VDST is v[200:200], but the last VGPR is v127"},
		{[]byte{0x80, 0x00, 0xec, 0xbe}, "s_mov_b32 tba_lo, 0", "SDST is 108: no scalar register starts there"},
		{[]byte{0x01, 0x00, 0x41, 0xd1, 0x80, 0x00, 0x00, 0x00}, "v_mov_b32_e64 v1, 0", "VOP3A has no opcode 321"},
		{[]byte{0x01, 0x00, 0x51, 0xd1, 0x80, 0x00, 0x00, 0x00}, "", "v_mov_b32_e64 v1, 0"},
		{[]byte{0x7f, 0x00, 0x8c, 0xbf}, "s_waitcnt lgkmcnt(0)", "s_waitcnt expcnt(1) lgkmcnt(0)"},
	} {
		for _, chip := range []*Target{GFX803, small} {
			want := c.large
			if chip == small {
				want = c.small
			}
			in, _, err := chip.Decode(c.bytes)
			got := ""
			if err == nil {
				got = Print(&in)
			} else {
				got = diag.Of(err)[0].Message
			}
			if want != "" && !strings.HasSuffix(got, want) {
				t.Errorf("%s: % x is %q, want %q", chip.Name, c.bytes, got, want)
			}
		}
	}
	if a, b := GFX803.MaxWaitStates(), small.MaxWaitStates(); a != 5 || b != 9 {
		t.Errorf("the longest distances are %d and %d", a, b)
	}
	in, err := ParseInst("s_waitcnt lgkmcnt(1)", ParseOptions{Target: small})
	if err != nil {
		t.Fatal(err)
	}
	x, err := ExplainInst(&in, ExplainOptions{})
	if err != nil || !strings.Contains(explained(x), "lgkmcnt(1): until at most 1") || strings.Contains(explained(x), "vmcnt(63)") {
		t.Errorf("%v\n%s", err, explained(x))
	}
}
