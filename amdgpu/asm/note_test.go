package asm

import (
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestNotes checks that a spelling that is in no manual is accepted with one note a file, at its
// first place, and that the usual spelling gets no note.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"v_add_f32 v0, v1, v2\nexp mrt0 v0, v1, v2, v3\nv_mad_f32 v0, v1, v2, v3 clamp mul:2\ns_waitcnt vmcnt(0) lgkmcnt(0)\n", ""},
		{"v_add_f32 v0 v1 v2\nv_add_f32 v0 v1 v2\n", "1:14 no comma stands before this operand"},
		{"s_nop 0\nv_add_f32 v0, v1, v2,\nv_add_f32 v0, v1 v2\n", "2:21 a comma stands after the last operand; 3:18 no comma stands before this operand"},
	} {
		o, l := Assemble([]byte(c.src), "f", Options{})
		if o == nil {
			t.Fatalf("%s: %v", c.src, l)
		}
		var got []string
		for _, d := range l {
			if d.Severity != diag.Note || d.Code != "beyond-manual" {
				t.Errorf("%s: %v", c.src, d)
			}
			got = append(got, strings.TrimPrefix(d.Pos.String(), "f:")+" "+d.Message)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s: notes %q, want %q", c.src, g, c.want)
		}
	}
}
