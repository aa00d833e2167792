package hazard

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// callText computes an address and calls it; the text of the continuation follows it.
func callText(f string, n int) string {
	return fmt.Sprintf("s_getpc_b64 s[4:5]\nA%d:\ns_add_u32 s4, s4, %s-A%d\ns_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\n", n, f, n)
}

// backCall calls a function that stands before the call.
func backCall(f string, n int) string { return strings.ReplaceAll(callText(f, n), "s5, 0", "s5, -1") }

// saveText saves the return address in lanes of v40, and the old contents of those lanes in scratch
// memory. backText restores both and returns.
const (
	saveText = "s_mov_b32 s6, s33\ns_mov_b32 s33, s32\ns_or_saveexec_b64 s[8:9], -1\nbuffer_store_dword v40, off, s[0:3], s33 offset:4\ns_mov_b64 exec, s[8:9]\n" +
		"s_addk_i32 s32, 0x400\nv_writelane_b32 v40, s30, 0\nv_writelane_b32 v40, s31, 1\nv_writelane_b32 v40, s6, 2\n"
	backText = "v_readlane_b32 s31, v40, 1\nv_readlane_b32 s30, v40, 0\nv_readlane_b32 s6, v40, 2\ns_mov_b32 s32, s33\ns_or_saveexec_b64 s[8:9], -1\n" +
		"buffer_load_dword v40, off, s[0:3], s33 offset:4\ns_mov_b64 exec, s[8:9]\ns_mov_b32 s33, s6\ns_waitcnt vmcnt(0)\ns_setpc_b64 s[30:31]\n"
	loadText = "ds_read_b32 v1, v0\n"
	waitText = "s_waitcnt lgkmcnt(0)\n"
	useText  = "v_mov_b32 v2, v1\n"
)

// TestReturnsInContext checks that a function returns to the instruction after its own call, so
// that operations that are outstanding at another call do not reach this point. Each program is
// right with a wait in place of WAIT. Without that wait, the check reports the line of the use
// after it, and no other line.
func TestReturnsInContext(t *testing.T) {
	t.Parallel()
	leaf := "f:\ns_nop 0\ns_setpc_b64 s[30:31]\n"
	for _, c := range []struct{ name, text string }{
		{"twice, a load at the second one", callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\n" + leaf},
		{"twice, a load at the first one", loadText + callText("f", 1) + "WAIT" + useText + callText("f", 2) + useText + "s_endpgm\n" + leaf},
		{"from both sides of a branch", "s_cbranch_scc0 other\n" + loadText + callText("f", 1) + "WAIT" + useText + "s_endpgm\nother:\n" + callText("f", 2) + useText + "s_endpgm\n" + leaf},
		{"the return address moves", callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\nf:\ns_mov_b64 s[34:35], s[30:31]\ns_mov_b64 s[30:31], 0\ns_setpc_b64 s[34:35]\n"},
		{"a branch in the function", callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\nf:\ns_cbranch_scc0 g\ns_nop 0\ng:\ns_setpc_b64 s[30:31]\n"},
		{"a loop in the function", callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText +
			"s_endpgm\nf:\ns_mov_b32 s10, 9\ng:\ns_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 g\ns_setpc_b64 s[30:31]\n"},
		{"in lanes", "s_mov_b32 s32, 0\n" + callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\n" +
			"f:\n" + saveText + callText("g", 3) + callText("g", 4) + backText + "g:\ns_setpc_b64 s[30:31]\n"},
		{"in scratch memory", "s_mov_b32 s32, 0\n" + callText("e", 1) + useText + loadText + callText("e", 2) + "WAIT" + useText + "s_endpgm\n" +
			"e:\n" + saveText + callText("f", 5) + backText + "f:\n" + saveText + callText("g", 3) + callText("g", 4) + backText + "g:\ns_setpc_b64 s[30:31]\n"},
		{"a function that calls itself", "s_mov_b32 s32, 0\n" + callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\n" +
			"f:\n" + saveText + "s_cbranch_scc0 over\n" + backCall("f", 3) + backCall("f", 4) + "over:\n" + backText},
		{"two that call each other", "s_mov_b32 s32, 0\n" + callText("f", 1) + useText + loadText + callText("f", 2) + "WAIT" + useText + "s_endpgm\n" +
			"f:\n" + saveText + "s_cbranch_scc0 over\n" + callText("g", 3) + "over:\n" + backText + "g:\n" + saveText + backCall("f", 4) + backText},
		{"without a call", "s_getpc_b64 s[12:13]\nA:\ns_add_u32 s12, s12, RA-A\ns_addc_u32 s13, s13, 0\ns_branch f\nRA:\n" + useText + loadText +
			"s_getpc_b64 s[12:13]\nB:\ns_add_u32 s12, s12, RB-B\ns_addc_u32 s13, s13, 0\ns_branch f\nRB:\nWAIT" + useText + "s_endpgm\nf:\ns_nop 0\ns_setpc_b64 s[12:13]\n"},
		{"completed by the function", "s_getpc_b64 s[12:13]\nA:\ns_branch f\n" + useText + loadText + "s_getpc_b64 s[12:13]\ns_branch f\nWAIT" + useText +
			"s_endpgm\nf:\ns_add_u32 s12, s12, 4\ns_addc_u32 s13, s13, 0\ns_setpc_b64 s[12:13]\n"},
	} {
		for _, right := range []bool{true, false} {
			text := strings.ReplaceAll(c.text, "WAIT", map[bool]string{true: waitText, false: ""}[right])
			rep, err := CheckStatic(withLabels(t, text))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			want := map[int]bool{}
			if !right {
				at := strings.Index(c.text, "WAIT")
				want[strings.Count(c.text[:at], "\n")+1] = true
			}
			for _, m := range rep.Missing {
				if !want[m.Diag.Pos.Line] || m.Diag.Severity != diag.Error || m.Diag.Code != codeWaitcnt {
					t.Errorf("%s, right: %v: %v", c.name, right, m.Diag)
				}
				delete(want, m.Diag.Pos.Line)
			}
			for line := range want {
				t.Errorf("%s: nothing is told of line %d", c.name, line)
			}
			for _, d := range rep.Limits {
				t.Errorf("%s: %v", c.name, d)
			}
		}
	}
}

// TestUnknownReturn checks that a jump to an unknown address may continue after any call. That is a
// guess, so the finding is a warning and not an error.
func TestUnknownReturn(t *testing.T) {
	t.Parallel()
	text := loadText + callText("f", 1) + useText + waitText + "s_endpgm\nf:\nv_readfirstlane_b32 s30, v5\nv_readfirstlane_b32 s31, v6\ns_setpc_b64 s[30:31]\n"
	rep, err := CheckStatic(withLabels(t, text))
	if err != nil {
		t.Fatal(err)
	}
	guessed := 0
	for _, m := range rep.Missing {
		if m.Diag.Pos.Line == 7 && m.Diag.Severity == diag.Warning && !m.Certain() && strings.HasSuffix(m.Diag.Message, "whether it goes there is not known") {
			guessed++
		}
	}
	if guessed != 1 || len(rep.Limits) != 1 || rep.Limits[0].Severity != diag.Note {
		t.Errorf("%v, %v", rep.Missing, rep.Limits)
	}
}

// TestContextsAreBounded checks that the analysis of many calls ends, in bounded memory.
func TestContextsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("s_mov_b32 s32, 0\n")
	n := 0
	for range short.Of(300, 20) {
		n++
		b.WriteString(callText("f0", n))
	}
	b.WriteString("s_endpgm\n")
	depths := short.Of(7, 4)
	for depth := range depths {
		fmt.Fprintf(&b, "f%d:\n%s", depth, saveText)
		for range 6 {
			n++
			b.WriteString(callText(fmt.Sprintf("f%d", depth+1), n))
		}
		b.WriteString(backText)
	}
	fmt.Fprintf(&b, "f%d:\n%s%s%ss_setpc_b64 s[30:31]\n", depths, loadText, waitText, useText)
	code := withLabels(t, b.String())
	p, err := amdgpu.Follow(code, true)
	if err != nil {
		t.Fatal(err)
	}
	if g := p.Graph(code); g.N > 640_000 {
		t.Errorf("%d nodes", g.N)
	}
	for i := range p.Insts {
		if p.Open(i) {
			t.Errorf("the jump at offset %#x is not known", p.Insts[i].Off)
		}
	}
	rep, err := CheckStatic(code)
	if err != nil || len(rep.Missing) > 0 {
		t.Errorf("%v, %v", rep.Missing, err)
	}
}
