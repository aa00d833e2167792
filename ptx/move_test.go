package ptx

import (
	"strings"
	"testing"
)

// TestMoveVectors checks that a vector is copied element by element from a list, a vector register
// or a special register, and that all sources are read before any destination is written (PTX
// 6.4.3, 10.12). A mov of a size packs and unpacks vector registers in the same way as lists (PTX
// 9.7.9.4).
func TestMoveVectors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		want func(lane uint64) uint64 // the expected value of r
	}{
		{".reg .v2 .b64 W; .reg .b64 x; mov.b32 a, %laneid; cvt.u64.u32 x, a; mov.v2.b64 W, {x, 7}; mov.v2.u64 {x, W.x}, W; cvt.u32.u64 r, x; cvt.u32.u64 a, W.y; mad.lo.u32 r, r, 10, a;", func(i uint64) uint64 { return i*10 + 7 }},
		{"mov.b32 a, %laneid; mov.b32 b, 100; mov.v2.u32 {a, b}, {b, a}; mad.lo.u32 r, a, 1000, b;", func(i uint64) uint64 { return 100000 + i }},
		{".reg .v4 .f32 V; mov.v4.f32 V, {0f00000001, 0f00000020, 0f00000300, 0f00004000}; .reg .b32 a, b, c, d; mov.v4.b32 {a, b, c, d}, V; " +
			"or.b32 a, a, b; or.b32 a, a, c; or.b32 r, a, d;", func(uint64) uint64 { return 0x4321 }},
		{".reg .v2 .b32 V, W; mov.v2.b32 V, {%laneid, 7}; mov.v2.u32 W, V; mov.v2.u32 {_, a}, W; mad.lo.u32 r, W.x, 10, a;", func(i uint64) uint64 { return i*10 + 7 }},
		{"mov.v4.u32 {a, b, c, d}, %tid; mad.lo.u32 a, b, 64, a; mad.lo.u32 a, c, 128, a; mad.lo.u32 r, d, 256, a;", func(i uint64) uint64 { return i }},
		{".reg .v4 .u32 V; mov.v4.u32 V, %ntid; mad.lo.u32 a, V.y, 100, V.x; mad.lo.u32 a, V.b, 1000, a; mad.lo.u32 r, V.a, 10000, a;", func(uint64) uint64 { return 1132 }},
		{"mov.v4.u16 {a, b, c, d}, %tid; cvt.u32.u16 r, a;", func(i uint64) uint64 { return i }},
		{"mov.u32 a, %ntid.a; mov.u32 b, %ntid.b; mad.lo.u32 r, a, 10, b;", func(uint64) uint64 { return 1 }},
		{"mov.b32 c, %laneid; setp.lt.u32 p, c, 3; mov.b32 a, 1; mov.b32 b, 2; @p mov.v2.b32 {a, b}, {b, a}; mad.lo.u32 r, a, 10, b;", func(i uint64) uint64 {
			if i < 3 {
				return 21
			}
			return 12
		}},
		{".reg .v2 .b32 V; .reg .b64 q; mov.v2.b32 V, {%laneid, 5}; mov.b64 q, V; shr.u64 q, q, 1; cvt.u32.u64 r, q;", func(i uint64) uint64 { return i/2 | 5<<31&0xffffffff }},
		{".reg .v4 .b16 V; .reg .b64 q; mov.b64 q, 0x0004000300020001; mov.b64 V, q; mad.wide.u16 a, V.x, 10, 0; mad.wide.u16 a, V.w, 100, a; mad.wide.u16 r, V.y, V.z, a;", func(uint64) uint64 { return 10 + 400 + 6 }},
	}
	for _, tt := range tests {
		out := runTry(t, tt.src, nil)["r"]
		for i := range uint64(32) {
			if got, want := out[i], tt.want(i); got != want {
				t.Fatalf("%s lane %d: got %d, want %d", tt.src, i, got, want)
			}
		}
	}
	for instr, want := range map[string]string{
		"mov.v2.u32 {r1, r2}, %tid;":     "operand a of mov.v2.u32 is %tid, want a vector of 2",
		"mov.v4.u32 r1, %tid;":           "operand d of mov.v4.u32 is r1, a .b32 register, want a vector of 4",
		"mov.v4.u32 {_, _, _, _}, %tid;": "operand d of mov.v4.u32 is a vector of 4, want at least one register",
		"mov.v2.u32 {r1, d2}, {r3, r2};": "operand d of mov.v2.u32 is d2, a .b64 register, want a .u32 register",
		"mov.v2.u32 {r1, r2}, {r3, f1};": "operand a of mov.v2.u32 is f1, a .f32 register, want a .u32 register",
		"mov.v2.u32 {r1, r2}, {_, r3};":  "operand a of mov.v2.u32 is _",
		"mov.v4.u32 {r1, r2, r3, _}, V;": "operand a of mov.v4.u32 is V, a .v2 .b32 register, want a vector of 4",
		"mov.b32 r1, V;":                 "operand a of mov.b32 is V, a .b32 register, want a .b16 register",
		"mov.b64 V, V.x;":                "operand a of mov.b64 is V, a .b32 register, want a .b64 register",
	} {
		if got := checkOne(t, "8.8", "sm_100", instr).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", instr, got, want)
		}
	}
}
