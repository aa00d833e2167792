package hazard

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/gcntest"
)

// withLabels assembles a text with labels; the positions are lines.
func withLabels(t testing.TB, text string) amdgpu.Code {
	t.Helper()
	o, l := asm.Assemble([]byte(text+"\ns_endpgm\n"), "k.s", asm.Options{})
	if o == nil {
		t.Fatalf("%s\n%v", text, l)
	}
	at := map[int64]*asm.Line{}
	for i := range o.Lines {
		at[int64(o.Lines[i].Offset)] = &o.Lines[i]
	}
	return amdgpu.Code{Bytes: o.Sections[0].Data, Source: func(off int64) (int, int, string, bool) {
		if l := at[off]; l != nil {
			return l.Line, l.Col, l.Text, true
		}
		return 0, 0, "", false
	}}
}

func briefStatic(t *testing.T, text string) string {
	t.Helper()
	r, err := CheckStatic(withLabels(t, text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	var s []string
	for _, m := range r.Missing {
		s = append(s, fmt.Sprintf("%d: %s; %s", m.Diag.Pos.Line, m.Diag.Message, m.Diag.Remedy))
	}
	for _, d := range r.Limits {
		s = append(s, fmt.Sprintf("%d: %s: %s", d.Pos.Line, d.Severity, d.Message))
	}
	return strings.Join(append(s, fmt.Sprintf("proved %d", r.Proved)), "\n")
}

func TestStaticPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"straight", "v_mov_b32 v1, v2\nv_mov_b32 v3, v1 row_shr:1",
			"2: v_mov_b32_dpp: v1 was written 0 wait states ago by v_mov_b32_e32 (line 1): 0 of 2 wait states; insert s_nop 1 before line 2\nproved 0"},
		{"mended", "v_mov_b32 v1, v2\ns_nop 1\nv_mov_b32 v3, v1 row_shr:1", "proved 1"},
		{"one of two ways is short", "v_mov_b32 v1, v2\ns_cbranch_scc1 near\ns_nop 0\ns_nop 0\nnear:\nv_mov_b32 v3, v1 row_shr:1",
			"6: v_mov_b32_dpp: v1 was written 1 wait state ago by v_mov_b32_e32 (line 1) when control comes over s_cbranch_scc1 (line 2): 1 of 2 wait states; insert s_nop 0 before line 6\nproved 0"},
		{"over the back edge", "loop:\nv_mov_b32 v3, v1 row_shr:1\ns_nop 1\nv_mov_b32 v1, v2\ns_cbranch_scc1 loop",
			"2: v_mov_b32_dpp: v1 was written 1 wait state ago by v_mov_b32_e32 (line 4) when control comes over s_cbranch_scc1 (line 5): 1 of 2 wait states; insert s_nop 0 before line 2\nproved 0"},
		{"into a loop", "v_mov_b32 v1, v2\nloop:\nv_mov_b32 v3, v1 row_shr:1\ns_cbranch_scc1 loop",
			"3: v_mov_b32_dpp: v1 was written 0 wait states ago by v_mov_b32_e32 (line 1): 0 of 2 wait states; insert s_nop 1 after line 1, before the loop\nproved 0"},
		{"waited on one way", "ds_read_b32 v1, v0\ns_cbranch_scc1 near\ns_waitcnt lgkmcnt(0)\nnear:\nv_mov_b32 v3, v1\nv_mov_b32 v4, v1",
			"5: v_mov_b32_e32: v1 is read before the result of ds_read_b32 (line 1) has arrived when control comes over s_cbranch_scc1 (line 2); insert s_waitcnt lgkmcnt(0) before line 5\nproved 0"},
		{"the count of the shorter way", "buffer_load_dword v1, off, s[0:3], 0\nbuffer_load_dword v2, off, s[0:3], 0\ns_cbranch_scc1 near\nbuffer_load_dword v4, off, s[0:3], 0\nnear:\nv_mov_b32 v3, v1",
			"6: v_mov_b32_e32: v1 is read before the result of buffer_load_dword (line 1) has arrived when control comes over s_cbranch_scc1 (line 3); insert s_waitcnt vmcnt(1) before line 6\nproved 0"},
		{"a count that is enough on one way", "buffer_load_dword v1, off, s[0:3], 0\ns_cbranch_scc1 near\nbuffer_load_dword v4, off, s[0:3], 0\nnear:\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v1\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v4",
			"6: v_mov_b32_e32: v1 is read before the result of buffer_load_dword (line 1) has arrived when control comes over s_cbranch_scc1 (line 2); insert s_waitcnt vmcnt(0) before line 6\nproved 1"},
		{"two loads of any order", "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4",
			"4: s_mov_b32: s4 is read before the result of s_load_dword (line 1) has arrived; insert s_waitcnt lgkmcnt(0) before line 4\nproved 0"},
		{"in a function, and behind it", "s_getpc_b64 s[30:31]\ns_add_u32 s30, s30, f-.\ns_addc_u32 s31, s31, 0\nv_readfirstlane_b32 s3, v1\ns_swappc_b64 s[34:35], s[30:31]\nv_mov_b32 v4, v6 row_shl:1\ns_endpgm\nf:\nv_readlane_b32 s6, v1, s3\nv_mov_b32 v6, v5\ns_setpc_b64 s[34:35]",
			"6: v_mov_b32_dpp: v6 was written 1 wait state ago by v_mov_b32_e32 (line 10) when control comes over s_setpc_b64 (line 11): 1 of 2 wait states; insert s_nop 0 before line 6\n" +
				"9: v_readlane_b32: s3 was written 1 wait state ago by v_readfirstlane_b32 (line 4) when control comes over s_swappc_b64 (line 5): 1 of 4 wait states; insert s_nop 2 before line 9\nproved 0"},
		{"nowhere known", "s_setpc_b64 s[4:5]", "1: warning: s_setpc_b64 goes to an address that is not known: what follows it is not checked\nproved 0"},
		{"a use behind a register whose number is computed", "ds_read_b32 v5, v0\nv_movrels_b32 v6, v3\nv_add_f32 v1, v5, v5\ns_waitcnt lgkmcnt(0)", "2: v_movrels_b32_e32: v3 is read before the result of ds_read_b32 (line 1) has arrived; it is any register from there on, because its number is computed; insert s_waitcnt lgkmcnt(0) before line 2\n3: v_add_f32_e32: v5 is read before the result of ds_read_b32 (line 1) has arrived; insert s_waitcnt lgkmcnt(0) before line 3\nproved 0"},
		{"a use behind a register whose number is computed, and a wait", "ds_read_b32 v5, v0\ns_waitcnt lgkmcnt(0)\nv_movrels_b32 v6, v3\nv_add_f32 v1, v5, v5", "proved 1"},
		{"a register whose number is computed", "ds_read_b32 v5, v0\nv_movrels_b32 v6, v3\ns_waitcnt lgkmcnt(0)", "2: v_movrels_b32_e32: v3 is read before the result of ds_read_b32 (line 1) has arrived; it is any register from there on, because its number is computed; insert s_waitcnt lgkmcnt(0) before line 2\nproved 0"},
		{"flat", "flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v1", "3: note: flat instructions before it are assumed to address no LDS: no wait for lgkmcnt is required for them\nproved 1"},
	} {
		if got := briefStatic(t, c.text); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestStaticExamples checks that the compiler's code waits on all paths, and that the check proves
// it.
func TestStaticExamples(t *testing.T) {
	t.Parallel()
	proved := 0
	for _, file := range gcntest.KernelFiles(t) {
		gcntest.EachKernel(t, file, func(name string, text []byte, entry int64) {
			r, err := CheckStatic(amdgpu.Code{Bytes: text, Entry: entry})
			if err != nil {
				t.Fatal(file, err)
			}
			for _, m := range r.Missing {
				if m.Diag.Severity == diag.Error { // an array in registers may be in any registers, which gives warnings
					t.Errorf("%s: %s: %s", file, name, m.Diag.Message)
				}
			}
			proved += r.Proved
		})
	}
	if proved < 300 {
		t.Errorf("%d pairs", proved)
	}
}
