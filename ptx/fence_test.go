package ptx

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestFencesAreLifted checks that accesses and fences that other blocks can see become fences of
// the processor, on the side of the access that the manual orders (PTX 8.5, 9.7.14.4). Accesses and
// fences of scope .cta, and accesses without order, become no fence.
func TestFencesAreLifted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"ld.acquire.gpu.global.u32 %r, [%rd];", "Load Fence"},
		{"ld.acquire.cta.global.u32 %r, [%rd];", "Load Nop"},
		{"ld.relaxed.gpu.global.u32 %r, [%rd];", "Load"},
		{"st.release.sys.global.u32 [%rd], %r;", "Fence Store"},
		{"st.release.cta.global.u32 [%rd], %r;", "Nop Store"},
		{"st.global.u32 [%rd], %r;", "Store"},
		{"fence.sc.gpu;", "Fence"},
		{"fence.acq_rel.cta;", "Nop"},
		{"membar.gl;", "Fence"},
		{"membar.cta;", "Nop"},
	} {
		m, list := Parse("k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .u32 %r; .reg .u64 %rd;\n"+c.text+"\nexit;\n}")
		if len(list) > 0 {
			t.Fatal(list)
		}
		k, err := Lift(m, "k")
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		var got []string
		for i := range k.Func.Code {
			switch op := k.Func.Code[i].Op; op {
			case ir.Load, ir.Store, ir.Fence, ir.Nop:
				got = append(got, op.String())
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.text, s, c.want)
		}
		looks := strings.HasPrefix(c.text, "ld")
		if k.Func.Code[0].Op == ir.Load && k.Func.Code[0].Flags&ir.Volatile != 0 != looks {
			t.Errorf("%s: volatile %v", c.text, !looks)
		}
	}
}
