package hazard

import (
	"fmt"
	"strings"
	"testing"
)

// TestCounterRoom checks the arrivals that follow from the size of a counter, which is 15
// operations, and 7 for EXP_CNT. The first operation of an ordered class has arrived when the
// program has issued more later operations of its class than the counter holds. Operations of other
// classes do not prove an arrival.
func TestCounterRoom(t *testing.T) {
	t.Parallel()
	const use = "v_mov_b32 v2, v1\n"
	lds := func(n int) string { return fmt.Sprintf("ds_read_b32 v%d, v0\n", 10+n) }
	for _, c := range []struct {
		name, first, use string
		more             func(n int) string
		room             int // -1: later operations never prove the arrival
	}{
		{"LDS", "ds_read_b32 v1, v0\n", use, lds, 15},
		{"LDS, written meanwhile", "ds_read_b32 v1, v0\n", "v_mov_b32 v1, 0\n", lds, 15},
		{"LDS, behind writes", "ds_read_b32 v1, v0\n", use, func(int) string { return "ds_write_b32 v3, v0\n" }, 15},
		{"LDS, behind a permute", "ds_bpermute_b32 v1, v0, v3\n", use, lds, 15},
		{"vector memory", "buffer_load_dword v1, v0, s[0:3], 0 offen\n", use, func(n int) string { return fmt.Sprintf("buffer_load_dword v%d, v0, s[0:3], 0 offen\n", 10+n) }, 15},
		{"vector memory, behind stores", "buffer_load_dword v1, v0, s[0:3], 0 offen\n", use, func(int) string { return "buffer_store_dword v3, v0, s[0:3], 0 offen\n" }, 15},
		{"scalar memory comes in any order", "s_load_dword s8, s[0:1], 0x0\n", "s_mov_b32 s9, s8\n", func(n int) string { return fmt.Sprintf("s_load_dword s%d, s[0:1], 0x0\n", 10+n) }, -1},
		{"LDS behind scalar memory", "ds_read_b32 v1, v0\n", use, func(n int) string { return fmt.Sprintf("s_load_dword s%d, s[0:1], 0x0\n", 10+n) }, -1},
		{"vector memory behind LDS", "buffer_load_dword v1, v0, s[0:3], 0 offen\n", use, lds, -1},
		{"GDS reads its data", "ds_add_u32 v0, v1 gds\n", "v_mov_b32 v1, 0\n", func(int) string { return "ds_add_u32 v0, v3 gds\n" }, 7},
	} {
		for n := range 25 {
			var b strings.Builder
			b.WriteString("s_mov_b32 m0, -1\ns_nop 0\n" + c.first)
			for k := range n {
				b.WriteString(c.more(k))
			}
			b.WriteString(c.use + "s_waitcnt 0")
			want := c.room < 0 || n <= c.room
			code := withLabels(t, b.String())
			rep, err := CheckStatic(code)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(rep.Missing) > 0; got != want {
				t.Errorf("%s: %d more: static finds something: %v, want %v", c.name, n, got, want)
			}
			if got := len(trackStraight(code)) > 0; got != want {
				t.Errorf("%s: %d more: a run finds something: %v, want %v", c.name, n, got, want)
			}
		}
	}
	// The shorter of two paths has too few operations.
	text := "ds_read_b32 v1, v0\ns_cbranch_scc0 over\n" + strings.Repeat("ds_write_b32 v3, v0\n", 8) + "over:\n" + strings.Repeat("ds_write_b32 v3, v0\n", 10) + use + "s_waitcnt 0"
	if rep, err := CheckStatic(withLabels(t, text)); err != nil || len(rep.Missing) != 1 {
		t.Errorf("%v, %v", rep, err)
	}
}
