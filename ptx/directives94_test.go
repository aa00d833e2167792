package ptx

import (
	"strings"
	"testing"
)

// TestDirectives94 checks that the additions of PTX 9.4 to the language (11.4.10, 11.5.5, 11.5.6,
// 10.34, 10.35) are parsed, printed back and lifted.
func TestDirectives94(t *testing.T) {
	t.Parallel()
	const src = `.version 9.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) .minperctamemory 2048
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	.loc 1 11 15
	.loc_intermediate 2 137 23
	mov.u64 %rd1, %perctamemoryoffset;
	mov.u32 %r1, %perctamemorysize;
	ret;
}
.file 1 "./vectorAdd.cu"
.file 2 "./tileIR_source_A.ir"
.nv_intermediate_source_section {
	.code_block {
		.ir_name: "Tile}IR"
		.sourceFileName: 2
		.source_begin
			void f() { if (a) { "unbalanced
		.source_end
	}
}
.visible .entry other() { ret; }
`
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	printed := func(m *Module) string {
		var b strings.Builder
		if err := Print(&b, m); err != nil {
			t.Error(err)
		}
		return b.String()
	}
	text := printed(m)
	for _, want := range []string{".minperctamemory 2048", ".loc_intermediate 2 137 23", "if (a) { \"unbalanced", ".entry other"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed:\n%s", want, text)
		}
	}
	again, errs := Parse("k.ptx", text)
	if errs.Err() != nil || printed(again) != text {
		t.Errorf("printed text is another module: %v", errs)
	}
	if _, err := Lift(m, "k"); err != nil {
		t.Error(err)
	}
	for old, c := range map[string][2]string{
		" .minperctamemory 2048":        {"", "kernels with .minperctamemory"},
		".version 9.4":                  {".version 9.3", "needs .version 9.4"},
		"\t\t.source_end\n":             {"", "without .source_end"},
		".loc_intermediate 2 137 23":    {".loc_intermediate 2 137", "a line and a column"},
		".sourceFileName: 2\n\t\t.sour": {".sourceFileName: 2\n}\n\t\t.sour", ""},
	} {
		m, errs := Parse("k.ptx", strings.Replace(src, old, c[0], 1))
		err := errs.Err()
		if err == nil {
			_, err = Lift(m, "k")
		}
		if c[1] != "" && (err == nil || !strings.Contains(err.Error(), c[1])) {
			t.Errorf("without %q: %v, want %s", old, err, c[1])
		}
	}
}
