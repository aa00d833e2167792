package ptx

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestShadowing checks that nested declarations make their own registers.
func TestShadowing(t *testing.T) {
	t.Parallel()
	m := mustParse(t, kernel(`
	.reg .pred p;
	mov.u32 %r1, 1;
	@p mov.u32 %r1, 2;
	{ .reg .pred p; .reg .b64 %r<3>; @p mov.u64 %r1, 3; { @p mov.u64 %r2, 4; } mov.u32 %r5, 9; }
	{ .reg .pred p; @p mov.u32 %r1, 5; }
	@p mov.u32 %r1, 6;`))
	in := instrs(&m.Func("k").Body().Block)
	guard := func(i int) *Reg { return in[i].Guard.Reg.Reg() }
	dst := func(i int) *Reg { return in[i].Args[0].Reg() }
	if guard(1) != guard(6) || guard(2) != guard(3) || guard(1) == guard(2) || guard(5) == guard(2) || guard(5) == guard(1) {
		t.Error("guards refer to the wrong p")
	}
	if dst(0) != dst(1) || dst(0) != dst(5) || dst(0) == dst(2) || dst(2).Type != B64 || dst(0).Type != B32 || dst(3).Name != "%r2" || dst(3).Decl != dst(2).Decl || dst(4).Type != B32 {
		t.Error("%r1 and %r2 refer to the wrong registers")
	}
	regs := m.Func("k").Body().Regs
	for i, r := range regs {
		if r.ID != i {
			t.Errorf("register %s has ID %d, want %d", r.Name, r.ID, i)
		}
	}
	if len(regs) != 7 { // p three times, %r1 twice, %r2, %r5
		t.Errorf("%d registers in use, want 7", len(regs))
	}
}

// TestFamilies checks which names `%r<N>` and its kin declare.
func TestFamilies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body string
		ok   bool
	}{
		{".reg .b32 x<3>; mov.b32 x0, x2;", true},
		{".reg .b32 x<3>; mov.b32 x0, x3;", false},
		{".reg .b32 x<3>; mov.b32 x0, x00;", true},
		{".reg .b32 x<3>; mov.b32 x0, x;", false},
		{".reg .b32 x<0>; mov.b32 x0, 1;", false},
		{".reg .b32 x<0>; .reg .b32 x0;", true},
		{".reg .b32 x<0x10>; mov.b32 x15, 1;", true},
		{".reg .b32 x<2*8>; mov.b32 x15, 1;", false},
		{".reg .b32 x<1>, x1; mov.b32 x0, x1;", true},
		{".reg .b32 x<2>, x1;", false},
		{".reg .b32 x1, x<2>;", false},
		{".reg .b32 x1, x<1>;", true},
		{".reg .b32 x<20>, x1<5>;", false}, // x10 twice
		{".reg .b32 x1<5>, x<20>;", false},
		{".reg .b32 x<10>, x1<5>; mov.b32 x14, x1;", true},
		{".reg .b32 x1<5>, x<10>; mov.b32 x14, x1;", true},
		{".reg .b32 x<5>; .reg .b64 x<3>;", false},
		{".reg .b32 x<5>; { .reg .b64 x<3>; mov.b64 x2, 1; mov.b32 x4, 1; }", true},
		{".reg .b32 %pm<5>; mov.u32 %pm3, %pm7;", true}, // %pm7 stays the special register
		{"L1: { L1: bra L1; } bra L1;", true},
		{"L1: L1: ret;", false},
		{".reg .b32 L1; L1: ret;", false},
		{"{ L1: ret; } bra L1;", false},
		{"{ L1: ret; } { L1: ret; } bra L1;", false},
		{"bra.uni k;", true}, // a name; the instruction's row decides its meaning
	} {
		_, l := Parse("t", kernel(tt.body))
		if (len(l) == 0) != tt.ok {
			t.Errorf("%s: accepted %v, want %v: %v", tt.body, len(l) == 0, tt.ok, l)
		}
	}
}

// TestHugeDeclarations checks that sizes in the text cost no memory.
func TestHugeDeclarations(t *testing.T) {
	t.Parallel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := mustParse(t, kernel(`.reg .b32 %big<4294967295>; mov.b32 %big4294967294, 1; .local .b8 depot[4294967296]; .param .b32 p<1000000000>; mov.u64 %rd1, p999999999;`))
	runtime.ReadMemStats(&after)
	if d := after.TotalAlloc - before.TotalAlloc; d > 32<<20 { // other tests run at the same time
		t.Errorf("allocated %d bytes", d)
	}
	if n := len(m.Func("k").Body().Regs); n != 2 {
		t.Errorf("%d registers in use, want 2", n)
	}
}

// TestHostile feeds texts that would hang or overflow a careless parser.
func TestHostile(t *testing.T) {
	t.Parallel()
	many := 100000
	for name, src := range map[string]string{
		"blocks":       kernel(strings.Repeat("{", many)),
		"parentheses":  kernel("mov.b32 %r1, " + strings.Repeat("(", many)),
		"unary":        kernel("mov.b32 %r1, " + strings.Repeat("- ", many) + "1;"),
		"not":          kernel("mov.b32 %r1, " + strings.Repeat("!", many) + "p;"),
		"vectors":      kernel("mov.b32 " + strings.Repeat("{", many)),
		"addresses":    kernel("ld.b32 %r1, " + strings.Repeat("[", many)),
		"ternary":      kernel("mov.b32 %r1, " + strings.Repeat("1?1:", many) + "1;"),
		"lists":        kernel("call " + strings.Repeat("(", many)),
		"initialisers": ".version 8.0\n.target sm_70\n.global .u32 x[2] = " + strings.Repeat("{", many),
		"dimensions":   ".version 8.0\n.target sm_70\n.global .u32 x" + strings.Repeat("[1]", many) + ";",
		"functions":    ".version 8.0\n.target sm_70\n" + strings.Repeat(".func f(", many),
		"targets":      kernel("t: .branchtargets N<4000000000>;"),
		"digits":       kernel("mov.b32 x" + strings.Repeat("1", many) + ", 1;"),
	} {
		start := time.Now()
		_, l := Parse(name, src)
		if l.Err() == nil {
			t.Errorf("%s: accepted", name)
		}
		t.Log(name, time.Since(start))
	}
	// Small texts of large trees are cut off.
	for name, src := range map[string]string{
		"operands":     kernel("mov.b32 {" + strings.Repeat("_,", many)),
		"blocks":       kernel(strings.Repeat("{}", many)),
		"labels":       kernel(strings.Repeat(".reg .b32 a;", many)),
		"targets":      kernel("t: .branchtargets N<65536>, N<65536>;"),
		"initialisers": ".version 8.0\n.target sm_70\n.global .u32 x[] = {" + strings.Repeat("1,", many) + "1};",
		"attributes":   ".version 8.0\n.target sm_70\n.global .attribute(.unified(" + strings.Repeat("1,", many) + "1)) .u32 x;",
		"pragmas":      ".version 8.0\n.target sm_70\n.pragma " + strings.Repeat("\"\",", many) + "\"\";",
	} {
		p := newParser(name, src)
		p.limit = 10000
		p.module()
		if l := p.errs.finish(); len(l) == 0 || l[len(l)-1].Code != "too-large" {
			t.Errorf("%s: %v", name, l)
		}
	}
	// Many declarations, each of which could clash with all the rest.
	var b strings.Builder
	for i := range 20000 {
		b.WriteString(".reg .b32 a" + strings.Repeat("b", i%7) + strings.Repeat("1", i%9) + "_" + memberName("", int64(i)) + "<7>;\n")
	}
	start := time.Now()
	mustParse(t, kernel(b.String()))
	t.Log("families", time.Since(start))
}

// TestSpecials compares the names with a second list, written from PTX Table 3.
func TestSpecials(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`%aggr_smem_size %dynamic_smem_size %lanemask_gt %reserved_smem_offset_begin %clock
		%lanemask_le %reserved_smem_offset_cap %clock64 %globaltimer %lanemask_lt %reserved_smem_offset_end
		%cluster_ctaid %globaltimer_hi %nclusterid %smid %cluster_ctarank %globaltimer_lo %nctaid %tid
		%cluster_nctaid %gridid %nsmid %total_smem_size %cluster_nctarank %is_explicit_cluster %ntid %warpid
		%clusterid %laneid %nwarpid %ctaid %lanemask_eq %pm0 %pm7 %current_graph_exec %lanemask_ge
		%perctamemoryoffset %perctamemorysize %reserved_smem_offset_0 %reserved_smem_offset_1 %envreg0 %envreg31 %clock_hi %pm0_64 %pm7_64`)
	for _, n := range names {
		s := LookupSpecial(n)
		if s == SpecialNone || s.Info().Name != n {
			t.Errorf("%s is not known", n)
		}
	}
	// 45 names above, of which the ranges pm, pm_64 and envreg stand by their ends.
	if got, want := len(specialNames), len(names)+6+6+30; got != want {
		t.Errorf("%d special registers, want %d", got, want)
	}
	for n, vec := range map[string]bool{"%tid": true, "%ntid": true, "%ctaid": true, "%nctaid": true, "%clusterid": true, "%laneid": false, "%clock64": false} {
		if LookupSpecial(n).Info().Vec != vec {
			t.Errorf("%s: vector %v", n, !vec)
		}
	}
	m := mustParse(t, kernel("mov.u32 %r1, %tid.y; mov.u32 %r2, %envreg5; mov.v4.u32 {%r1,%r2,%r3,%r4}, %ctaid;"))
	in := instrs(&m.Func("k").Body().Block)
	if a := in[0].Args[1]; a.Kind != KindSpecial || a.Special != SrTid || a.Comp != "y" {
		t.Errorf("%%tid.y: %+v", a)
	}
	if a := in[1].Args[1]; a.Special != SrEnvreg0+5 {
		t.Errorf("%%envreg5: %+v", a)
	}
}

// TestExternTwice checks that a use refers to the definition, not to the extern declaration before
// it.
func TestExternTwice(t *testing.T) {
	t.Parallel()
	m := mustParse(t, ".version 8.0\n.target sm_70\n.address_size 64\n.extern .global .u32 x[];\n.extern .global .u32 x[];\n.visible .global .u32 x[4] = {1,2,3,4};\n.global .u64 p = x;\n.visible .func f();\n.entry k() { call f; ret; }\n.visible .func f() { ret; }")
	vs := m.Vars()
	if vs[3].Init.Ref != vs[2] {
		t.Errorf("p refers to %+v", vs[3].Init.Ref)
	}
	if f := instrs(&m.Func("k").Body().Block)[0].Args[0].Func(); f == nil || f.Body() == nil {
		t.Errorf("call refers to %+v", f)
	}
}
