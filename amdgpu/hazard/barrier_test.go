package hazard

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
)

// TestBarrierWaits checks reports of LDS writes that may be unfinished when the wave reaches a
// barrier, and the wait that each report proposes.
func TestBarrierWaits(t *testing.T) {
	t.Parallel()
	const w, b, r = "ds_write_b32 v1, v0\n", "s_barrier\n", "ds_read_b32 v2, v1\n"
	const wait = "s_waitcnt lgkmcnt(0)\n"
	for _, c := range []struct{ text, want string }{
		{w + b + r + wait, "2<1 lgkmcnt(0)"},
		{w + wait + b + r + wait, ""},
		{"ds_add_u32 v1, v0\n" + b + r + wait, "2<1 lgkmcnt(0)"},
		{w + "s_waitcnt vmcnt(0)\n" + b + r + wait, "3<1 lgkmcnt(0)"},
		// The report names the last of two writes, because a wait for it is a wait for both. A
		// later read needs no wait.
		{w + w + b + r + wait, "3<2 lgkmcnt(0)"},
		{w + r + b + r + wait, "3<1 lgkmcnt(1)"},
		{w + w + "s_waitcnt lgkmcnt(1)\n" + b + r + wait, "4<2 lgkmcnt(0)"},
		{w + r + "s_waitcnt lgkmcnt(1)\n" + b + r + wait, ""},
		// No instruction reads the data, or only one after the next barrier.
		{w + b, ""},
		{r + wait + b + w + wait, ""},
		{w + b + wait + b + r + wait, ""},
		{w + b + "ds_bpermute_b32 v2, v1, v0\n" + wait, ""},
		// GDS is another memory.
		{"s_nop 0\nds_write_b32 v1, v0 gds\n" + b + r + wait, ""},
		// In a loop, the write of one iteration meets the barrier of the next one.
		{"l:\n" + b + r + wait + w + "s_cbranch_scc0 l\n" + wait, "2<5 lgkmcnt(0)"},
		{"l:\n" + b + r + wait + w + wait + "s_cbranch_scc0 l", ""},
		// The wait is missing on one path.
		{w + "s_cbranch_scc0 l\n" + wait + "l:\n" + b + r + wait, "5<1 lgkmcnt(0)"},
	} {
		code := withLabels(t, "s_mov_b32 m0, -1\n"+c.text)
		rep, err := CheckStatic(code)
		if err != nil {
			t.Fatal(err)
		}
		var l []string
		for _, m := range rep.Missing {
			if m.Diag.Code != CodeWaitcntBarrier {
				t.Errorf("%s\n%v", c.text, m.Diag)
				continue
			}
			l = append(l, fmt.Sprintf("%d<%d %s", m.Diag.Pos.Line-1, m.Diag.Related[0].Pos.Line-1, strings.TrimPrefix(WaitText(amdgpu.GFX803, m.Counts), "s_waitcnt ")))
		}
		if got := strings.Join(l, " "); got != c.want {
			t.Errorf("%s\nfound %q, expected %q", c.text, got, c.want)
		}
		code.OneWave = true
		if rep, _ := CheckStatic(code); len(rep.Missing) > 0 {
			t.Errorf("%s\nof one wave: %v", c.text, rep.Missing[0].Diag)
		}
	}
}
