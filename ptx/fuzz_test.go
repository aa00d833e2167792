package ptx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse checks that no text makes the parser panic or hang. An accepted text must print as a
// text that is accepted again and has the same print.
func FuzzParse(f *testing.F) {
	for _, src := range sources(f) {
		if len(src) < 8<<10 {
			f.Add(src)
		}
	}
	bad, err := filepath.Glob("testdata/bad/*.ptx")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range bad {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(kernel("mov.b32 %r1, (.s64)0x8000000000000000 + 1U % 3 ? 1 : 2;"))
	f.Add(kernel("ld.b32 %r1, g[%r2+-1]; ld.b32 %r1, [g+(.s64)0x8000000000000000]; ld.b32 %r1, [-4]; st.b32 [-WARP_SZ], -%r1;"))
	f.Fuzz(func(t *testing.T, src string) {
		m, l := Parse("fuzz", src)
		for _, d := range l {
			if d.Code == "more-errors" {
				continue
			}
			if d.Pos.Line < 1 || d.Pos.Col < 1 || d.Message == "" || d.Code == "" {
				t.Errorf("incomplete: %+v", d)
			}
		}
		if len(l) > maxErrors+1 {
			t.Errorf("%d errors", len(l))
		}
		text := printed(t, m) // a broken module is printed, too
		if len(l) > 0 {
			return
		}
		roundTrip(t, "fuzz", m)
		if !strings.HasPrefix(text, ".version") {
			t.Errorf("accepted a module without .version: %q", src)
		}
	})
}

// FuzzStatements checks the same for the statements of one kernel, because random changes of a
// whole module seldom reach them.
func FuzzStatements(f *testing.F) {
	for _, s := range []string{
		"mov.b32 %r1, (.s64)0x8000000000000000 + 1U % 3 ? 1 : 2;",
		"shfl.sync.bfly.b32 %r4|%p1, %r2, 1, 31, -1; @!%p1 bra L; L: ret;",
		"ld.global.v2.b32 {%r1, _}, [%rd1+-16]; ld.global.u32 %r1, g[%r2+-1];",
		"{ .reg .pred p; .param .b32 x<3>; @p st.param.b32 [x1], 0f3F800000; }",
		"t: .branchtargets L<2>; L0: L1: brx.idx %r1, t; u: .callprototype (.param .b32 _) _ (.param .b8 _[4]) .noreturn;",
		"call.uni (%r1), k, (%r2, 1), t; .loc 1 2 3, function_name a+4, inlined_at 1 2 3",
		".shared .align 8 .b8 s[4][2]; .pragma \"x\"; mov.u64 %rd1, s+4; mov.u32 %r1, %tid.x;",
		"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [g, {%f1, %f2}]; @@DWARF .byte 1\n .section .debug_x { .b8 1 } ret;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m, l := Parse("fuzz", kernel(body))
		printed(t, m) // a broken module is printed, too
		if len(l) > 0 {
			return
		}
		roundTrip(t, "fuzz", m)
		_, _, _ = parseSnippet("fuzz", body, func(o *Operand, _ *Instr) Decl { return &Reg{Name: o.Name} })
	})
}
