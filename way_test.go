package crosslane_test

import (
	"fmt"
	"slices"
	"testing"
)

// Findings of undefined bits say where they began, and which way they came: places of
// instructions by line of the kernel below, the origin's text first.
func TestCheckWays(t *testing.T) {
	t.Parallel()
	const first = 19 // the line that lines begins with
	for _, c := range []struct {
		name, lines, origin string
		way                 []int // lines of Related, counted from the first of lines
	}{
		{"register", "add.u32 %r6, %r5, 1;\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6; // want poison-store",
			"add.u32: reads %r5, which nobody has written", []int{0, 1}},
		{"at once", "st.global.u32 [%rd1], %r5; // want poison-store", "st.global.u32: reads %r5, which nobody has written", []int{0}},
		{"buffer", "ld.global.u32 %r5, [%rd2];\nst.global.u32 [%rd1], %r5; // want poison-store",
			`ld.global.u32: reads "in" where nobody has written`, []int{0}},
		{"through memory", "mov.u32 %r7, sh;\nst.shared.u32 [%r7], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd1], %r6; // want poison-store",
			"st.shared.u32: reads %r5, which nobody has written", []int{1, 3}},
		{"shared memory", "mov.u32 %r7, sh;\nld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd1], %r6; // want poison-store",
			"ld.shared.u32: reads shared memory where nobody has written", []int{1}},
		{"loop", "mov.u32 %r6, 0;\nl:\nadd.u32 %r5, %r5, 1;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 4;\n@%p1 bra l;\nst.global.u32 [%rd1], %r5; // want poison-store",
			"add.u32: reads %r5, which nobody has written", []int{2}},
		{"shuffle", "shfl.sync.down.b32 %r6, %r1, 1, 31, 0xffff; // want undefined-source not-in-membermask\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6; // want poison-store",
			"shfl.sync.down.b32: reads lanes that do not take part", []int{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := checkCase(t, ptxCheckKernel(c.lines), true)
			for _, f := range res.Findings {
				if f.Code != "poison-store" {
					continue
				}
				var way []int
				for _, r := range f.Related {
					way = append(way, r.Pos.Line-first)
				}
				if len(way) == 0 || f.Related[0].Message != c.origin || !slices.Equal(way, c.way) {
					t.Errorf("%v: from %v, want %v, %q", f, fmt.Sprint(f.Related), c.way, c.origin)
				}
			}
		})
	}
}

func TestCheckWayGCN3(t *testing.T) {
	t.Parallel()
	const lines = "v_mov_b32 v8, s9\nv_cmp_eq_u32 vcc, 1, v8\ns_and_saveexec_b64 s[8:9], vcc // want poison-branch\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[8:9]\ns_endpgm"
	res := checkCase(t, badKernel(lines), false)
	var way []string
	for _, r := range res.Findings[0].Related {
		way = append(way, r.Message)
	}
	if want := []string{"v_mov_b32_e32: reads s9, which nobody has written", "v_cmp_eq_u32_e32: passes them on"}; !slices.Equal(way, want) {
		t.Errorf("%q, want %q", way, want)
	}
}
