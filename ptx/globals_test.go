package ptx

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// globalsText has variables that kernels use and variables that no kernel uses, in the module and in
// two functions.
const globalsText = head + `
.extern .global .u32 elsewhere;
.extern .global .u32 later;
.global .attribute(.managed) .align 16 .u32 shared_with_host[4] = {7};
.const .u16 limits[3] = {1, 2, 3};
.global .u64 unused = limits;
.global .u64 link = generic(later)+4;
.global .u32 later = 9;
.global .b32 part<3>;
.global .texref tex = { width = 3, addr_mode_0 = wrap };
.shared .u32 s;
.func f() { .global .u32 count = 5; .reg .b32 %r; ld.global.u32 %r, [count]; ret; }
.func (.param .u32 r) g(.param .u32 a) { ret; }
.global .u64 table[2] = {f, g};
.entry a() {
	.reg .b64 %rd<4>;
	.global .u32 count = 6;
	mov.u64 %rd1, count;
	{ .const .u32 count = 8; mov.u64 %rd2, count; }
	mov.u64 %rd3, part2;
	mov.u64 %rd3, table;
	ret;
}
.entry b() {
	.reg .b64 %rd<2>;
	mov.u64 %rd1, g;
	mov.u64 %rd1, table;
	mov.u64 %rd1, tex;
	mov.u64 %rd1, link;
	call f, ();
	ret;
}
`

// globalText writes the facts of a Global that do not depend on the order of the list.
func globalText(g *Global, list []*Global) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %d % x ro=%v managed=%v", g.Name, g.Size, g.Align, g.Data, g.ReadOnly, g.Managed)
	for _, r := range g.Relocs {
		fmt.Fprintf(&b, " %d:%s+%d", r.Offset, list[r.Target].Name, r.Addend)
	}
	return b.String()
}

// TestGlobals compares the list with one that was made by hand from the text, for a module that
// keeps its bodies and for one that does not.
func TestGlobals(t *testing.T) {
	t.Parallel()
	want := []string{
		"shared_with_host 16 16 07 00 00 00 ro=false managed=true",
		"limits 6 2 01 00 02 00 03 00 ro=true managed=false",
		"unused 8 8 00 00 00 00 00 00 00 00 ro=false managed=false 0:limits+0",
		"link 8 8 00 00 00 00 00 00 00 00 ro=false managed=false 0:later+4",
		"later 4 4 09 00 00 00 ro=false managed=false",
		"part0 4 4  ro=false managed=false", "part1 4 4  ro=false managed=false", "part2 4 4  ro=false managed=false",
		"tex 128 16 43 52 54 58 01" + strings.Repeat(" 00", 123) + " ro=false managed=false", // "CRTX", a texture,
		// The functions have the addresses of a window of their own; the shape "()" sorts before "4 (4 )".
		"table 16 8 00 00 00 08 00 00 05 00 10 00 00 08 00 00 05 00 ro=false managed=false",
		"count 4 4 05 00 00 00 ro=false managed=false",
		"count 4 4 06 00 00 00 ro=false managed=false",
		"count 4 4 08 00 00 00 ro=true managed=false",
	}
	slices.Sort(want)
	for _, large := range []int{0, 1 << 30} {
		m, errs := load("k.ptx", globalsText, large)
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		if m.Large() != (large == 0) {
			t.Fatalf("large is %v", m.Large())
		}
		list, err := Globals(m)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		keys := map[GlobalKey]*Global{}
		for _, g := range list {
			got = append(got, globalText(g, list))
			if keys[g.Key] != nil {
				t.Errorf("%s has the key of another variable", g.Name)
			}
			keys[g.Key] = g
		}
		slices.Sort(got)
		if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("found\n%s\nwant\n%s", a, b)
		}
		for name, want := range map[string]string{"a": "count count part2 table", "b": "table tex link later count"} {
			k, err := Lift(m, name)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, g := range k.Globals {
				names = append(names, g.Name)
				if all := keys[g.Key]; all == nil || globalText(all, list) != globalText(g, k.Globals) {
					t.Errorf("%s of %s is not in the list of the module", globalText(g, k.Globals), name)
				}
			}
			a, b := slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(strings.Fields(want)))
			if !slices.Equal(a, b) {
				t.Errorf("%s uses %v, want %v", name, a, b)
			}
			if k.Func.Functions == nil || k.Func.Functions[0] != "f" || k.Func.Functions[1] != "g" {
				t.Errorf("functions of %s: %v", name, k.Func.Functions)
			}
		}
	}
}

// TestGlobalsErrors checks that an error names its variable, and that the list is complete.
func TestGlobalsErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ decl, want string }{
		{".global .b16 half = 0d3FF8000000000000;", "half is a .b16 initialised with a floating-point number"},
		{".global .u32 narrow = ok;", "narrow has 4 bytes for the address of ok, which has 8"},
		{".extern .global .u32 x; .global .u64 p = x;", "x is .extern and defined in no file that was loaded"},
		{".global .b8 huge[2000000000];", "huge has 2000000000 bytes, more than the 1073741824"},
		{".global .b32 many<70000>;", "many<70000> has too many members"},
	} {
		m := mustParse(t, head+".global .u32 ok = 3;\n"+tt.decl+"\n.global .u32 last = 4;\n.entry k() { ret; }")
		list, err := Globals(m)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.decl, err)
		}
		if len(list) < 2 || list[0].Name != "ok" || list[len(list)-1].Name != "last" || binary.LittleEndian.Uint32(list[len(list)-1].Data) != 4 {
			t.Errorf("%s: %d variables", tt.decl, len(list))
		}
		if _, err := Lift(m, "k"); err != nil {
			t.Errorf("%s: the kernel does not use the variable: %v", tt.decl, err)
		}
	}
	m := mustParse(t, head+".global .u32 a = 1; .global .u32 b[4] = {1, 2};")
	tab := newGlobalTable(m, &errList{file: m.File, src: m.Src})
	tab.data = maxGlobalData - 8
	for _, v := range m.Vars() {
		tab.define(v)
	}
	if l := tab.errs.finish(); len(l) != 1 || !strings.Contains(l[0].Message, "the initial values up to b need more than 1073741824 bytes") {
		t.Errorf("too much data: %v", l)
	}
}
