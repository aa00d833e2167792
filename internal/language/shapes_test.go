package language

import (
	"fmt"
	"strings"
	"testing"
)

// A hover says how the lanes of a register differ at its place, and a hint how their addresses do.
func TestShapes(t *testing.T) {
	const text = head + `.visible .entry k(.param .u64 out) {
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.reg .pred %p<2>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	ld.global.u32 %r4, [%rd1];
	add.u32 %r5, %r3, %r4;
	st.global.u32 [%rd3+4], %r5;
	mov.u32 %r6, 7;
	mov.u32 %r7, %laneid;
	add.u32 %r6, %r6, %r7;
	ret;
}
`
	for _, c := range []struct{ at, want string }{
		{"mov.u32 %r¦1, %tid.x", "here base + 1 · lane, and the base is the same in all lanes of a warp, in blocks that are rows of whole warps"},
		{"and.b32 %r¦2, %r1", "here 0 + 1 · lane, in blocks that are rows of whole warps"},
		{"add.u64 %rd¦3, %rd1, %rd2", "here base + 4 · lane, and the base is the same in all lanes of a warp, in blocks that are rows of whole warps"},
		{"ld.global.u32 %r4, [%rd¦1]", "here the same in all lanes of a warp"},
		{"mov.u32 %r¦6, 7", "here 7 = 0x7, the same in all lanes"},
		{"add.u32 %r¦6, %r6", "here 7 + 1 · lane"},
		{"add.u32 %r6, %r¦6", "here 7 = 0x7, the same in all lanes"},
		{"add.u32 %r5, %r¦3", ""},
		{"%lan¦eid", "here 0 + 1 · lane"},
	} {
		d, at := marked(t, "k.ptx", strings.Replace(text, strings.ReplaceAll(c.at, "¦", ""), c.at, 1))
		if _, err := d.Diagnostics(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := d.Hover(at, HoverStyle{})
		if h == nil {
			t.Fatalf("%s: no hover", c.at)
		}
		_, got, _ := strings.Cut(h.Text, "\n\nhere ")
		got, _, _ = strings.Cut(got, "\n")
		if want := strings.TrimPrefix(c.want, "here "); got != want {
			t.Errorf("%s: %q, want %q", c.at, got, want)
		}
	}
	d := open(t, "k.ptx", text)
	hints, err := d.InlayHints(t.Context(), Range{End: Position{Line: 99}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hints {
		got = append(got, fmt.Sprint(h.At.Line+1, " ", h.Label))
	}
	if want := "[13 +4 B a lane 14 one address 16 +4 B a lane]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	// A place in a function has the shape that it has for all kernels.
	shared := head + `.func f(.reg .b32 %a) {
	.reg .b32 %b;
	add.u32 %b, %a, 1;
	ret;
}
.visible .entry one() {
	.reg .b32 %r<2>;
	mov.u32 %r1, 5;
	call f, (%r1);
	ret;
}
.visible .entry two() {
	.reg .b32 %r<2>;
	mov.u32 %r1, ¦;
	call f, (%r1);
	ret;
}
`
	for from, want := range map[string]string{"5": "here 5 = 0x5, the same in all lanes", "6": "here the same in all lanes of a warp", "%laneid": ""} {
		d := open(t, "k.ptx", strings.Replace(shared, "¦", from, 1))
		if list, err := d.Diagnostics(t.Context()); err != nil || len(list) > 0 {
			t.Fatal(list, err)
		}
		h := d.Hover(d.text.position(strings.Index(d.Text(), "%a, 1")+1), HoverStyle{})
		if _, got, _ := strings.Cut(h.Text, "\n\nhere "); got != strings.TrimPrefix(want, "here ") {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
}
