package ptx

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseTry(t *testing.T) {
	t.Parallel()
	tests := []struct{ src, want string }{
		{"shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;", "%r2:u32:w %p1:pred:w %r1:u32:r"},
		{"add.s32 a, b, c", "a:s32:w b:s32:r c:s32:r"},
		{"add.f32 Rx, Rx, Ry; shfl.down.b32 Rz, Rx, 1, 31; mov.b64 {lo, hi}, %rd1;", "Rx:f32:w Rz:f32:w lo:u32:w hi:u32:w Ry:f32:r %rd1:u64:r"},
		{"@p add.u64 d, a, 1; mul.wide.s32 w, x, y; cvt.rn.f32.s32 f, x; setp.lt.s32 q|r, x, y", "d:u64:w w:s64:w f:f32:w q:pred:w r:pred:w p:pred:r a:u64:r x:s32:r y:s32:r"},
		{"ld.global.v2.f32 {a, b}, [p+4]; st.shared.u32 [s], c; vote.sync.ballot.b32 m, !k, -1", "a:f32:w b:f32:w m:u32:w p:u64:r s:u64:r c:u32:r k:pred:r"},
		{".reg .u16 h; mov.u16 h, 3; bra L; L: exit", "h:u16:w"},
		{"{ .reg .pred t; setp.eq.u32 t, a, 0; @t mov.u32 b, %laneid; }", "t:pred:w b:u32:w a:u32:r"},
	}
	for _, tt := range tests {
		got, err := ParseTry("", tt.src)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		var s []string
		for _, r := range got.Regs {
			c := "r"
			if r.Written {
				c = "w"
			}
			s = append(s, fmt.Sprintf("%s:%s:%s", r.Name, r.Type, c))
			if v := got.Kernel.Func.Val(r.Ref); v.Name != r.Name || v.Type != irType(r.Type) {
				t.Errorf("%s: register %s is value %s of %s", tt.src, r.Name, v.Name, v.Type)
			}
		}
		if g := strings.Join(s, " "); g != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.src, g, tt.want)
		}
	}
	for _, src := range []string{"bra nowhere", "add.s32 a, b", "frob a", "add.s32 a, b, 1.5", "add.s32 5, a, b"} {
		if _, err := ParseTry("", src); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
}
