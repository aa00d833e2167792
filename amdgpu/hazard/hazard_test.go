package hazard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/gcntest"
)

// placed assembles a text and gives positions to its instructions: line numbers and the text as
// written.
func placed(t testing.TB, text string) amdgpu.Code {
	t.Helper()
	c := amdgpu.Code{}
	at := map[int64][2]any{}
	line := 0
	for _, s := range strings.Split(text, "\n") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		line++
		at[int64(len(c.Bytes))] = [2]any{line, s}
		c.Bytes = append(c.Bytes, gcntest.Assemble(t, s)...)
	}
	c.Source = func(off int64) (int, int, string, bool) {
		p, ok := at[off]
		if !ok {
			return 0, 0, "", false
		}
		return p[0].(int), 1, p[1].(string), true
	}
	return c
}

// trackStraight returns the tracker's findings for code that runs once, from its first instruction
// to its last or to a branch. After a branch it continues as if nothing were pending.
func trackStraight(code amdgpu.Code) diag.List {
	prog, err := amdgpu.Follow(code, true)
	if err != nil {
		return nil // Lift gives the reason
	}
	insts, g := prog.Insts, prog.PlainGraph(code.Entry)
	p := newTracking(code, insts, nil)
	p.rests = true
	t := &tracker{p: p}
	var list diag.List
	for i := range insts {
		d := &insts[i]
		if i > 0 && !slices.Equal(g.Pred[i], []int32{int32(i - 1)}) {
			t.Start()
		}
		for _, n := range t.At(uint64(i)<<1, nil) {
			pos, text := code.Pos(d), t.Describe(n)
			e := diag.Errorf(code.DiagPos(pos), diag.Finding, n.Code, "%s: %s", pos.Name, text.Text)
			e.Remedy, e.Source, e.Section = text.Remedy, pos.Text, text.Section
			e.Related = []diag.Related{{Pos: code.DiagPos(text.Other), Message: text.Role, Source: text.Other.Text}}
			list = append(list, e)
		}
	}
	return list
}

func brief(l diag.List) string {
	var s []string
	for _, d := range l {
		s = append(s, fmt.Sprintf("%d: [%s] %s; %s", d.Pos.Line, d.Code, d.Message, d.Remedy))
	}
	return strings.Join(s, "\n")
}

func TestWaitStates(t *testing.T) {
	t.Parallel()
	nop := func(n int) string { return strings.Repeat("v_nop\n", n) }
	for _, c := range []struct{ text, want string }{
		{gcntest.PrefixSum, ""},
		{"v_mov_b32 v1, v2\nv_mov_b32 v3, v1 row_shr:1", "2: [wait-states] v_mov_b32_dpp: v1 was written 0 wait states ago by v_mov_b32_e32 (line 1): 0 of 2 wait states; add s_nop 1 before it, or independent instructions"},
		{"v_mov_b32 v1, v2\ns_nop 0\nv_mov_b32 v3, v1 row_shr:1", "3: [wait-states] v_mov_b32_dpp: v1 was written 1 wait state ago by v_mov_b32_e32 (line 1): 1 of 2 wait states; add s_nop 0 before it, or independent instructions"},
		{"v_mov_b32 v1, v2\ns_nop 1\nv_mov_b32 v3, v1 row_shr:1", ""},
		{"v_mov_b32 v1, v2\nv_add_f32 v3, v4, v1 row_shr:1", ""}, // only src0 counts
		{"s_mov_b64 exec, -1\nv_mov_b32 v3, v1 row_shr:1", ""},
		{"v_cmpx_eq_u32 vcc, v1, v2\n" + nop(4) + "v_mov_b32 v3, v1 row_shr:1", "6: [wait-states] v_mov_b32_dpp: exec was written 4 wait states ago by v_cmpx_eq_u32_e32 (line 1): 4 of 5 wait states; add s_nop 0 before it, or independent instructions"},
		{"v_cmpx_eq_u32 vcc, v1, v2\ns_nop 4\nv_mov_b32 v3, v1 row_shr:1", ""},
		{"v_readfirstlane_b32 s8, v1\n" + nop(4) + "buffer_load_dword v1, off, s[8:11], 0", "6: [wait-states] buffer_load_dword: s[8:11] was written 4 wait states ago by v_readfirstlane_b32 (line 1): 4 of 5 wait states; add s_nop 0 before it, or independent instructions"},
		{"v_readfirstlane_b32 s8, v1\n" + nop(5) + "buffer_load_dword v1, off, s[8:11], 0", ""},
		{"v_readfirstlane_b32 s8, v1\nv_readlane_b32 s9, v2, s8", "2: [wait-states] v_readlane_b32: s8 was written 0 wait states ago by v_readfirstlane_b32 (line 1): 0 of 4 wait states; add s_nop 3 before it, or independent instructions"},
		{"v_readfirstlane_b32 s8, v1\nv_writelane_b32 v2, s8, 3", ""}, // reads the value, not a lane select
		{"s_mov_b32 s8, 1\nv_readlane_b32 s9, v2, s8", ""},
		{"v_cmp_eq_u32 vcc, v1, v2\n" + nop(3) + "v_div_fmas_f32 v1, v1, v2, v3", "5: [wait-states] v_div_fmas_f32: vcc was written 3 wait states ago by v_cmp_eq_u32_e32 (line 1): 3 of 4 wait states; add s_nop 0 before it, or independent instructions"},
		{"v_cmp_eq_u32 vcc, v1, v2\nv_cndmask_b32 v1, v1, v2, vcc", ""},
	} {
		if got := brief(trackStraight(placed(t, c.text+"\ns_endpgm"))); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
	// This is the printed sequence, with one v_nop in place of two.
	l := trackStraight(placed(t, strings.ReplaceAll(gcntest.PrefixSum, "v_nop\n\tv_nop\n", "v_nop\n")))
	if len(l) != 4 {
		t.Errorf("the document's sequence: %d findings, want 4\n%s", len(l), brief(l))
	}
	for _, d := range l {
		if !strings.Contains(d.Message, "1 of 2 wait states") {
			t.Errorf("%s", d.Message)
		}
	}
}

func TestWaitCounters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v1", ""},
		{"flat_load_dword v1, v[2:3]\nv_mov_b32 v4, v1", "2: [waitcnt] v_mov_b32_e32: v1 is read before the result of flat_load_dword (line 1) has arrived; add s_waitcnt vmcnt(0) before it"},
		// Loads of one kind arrive in order, so that the last load to a register determines its
		// value.
		{"flat_load_dwordx2 v[1:2], v[4:5]\nbuffer_load_dword v1, off, s[0:3], s7 offset:4\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v1", ""},
		{"flat_load_dword v1, v[2:3]\nflat_load_dword v1, v[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v1", "4: [waitcnt] v_mov_b32_e32: v1 is read before the result of flat_load_dword (line 2) has arrived; add s_waitcnt vmcnt(0) before it"},
		{"flat_load_dword v1, v[2:3]\nv_mov_b32 v1, 0", "2: [waitcnt] v_mov_b32_e32: v1 is written before the result of flat_load_dword (line 1) has arrived; add s_waitcnt vmcnt(0) before it"},
		{"flat_load_dword v1, v[2:3]\nflat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(1)\nv_mov_b32 v5, v1\nv_mov_b32 v5, v4", "5: [waitcnt] v_mov_b32_e32: v4 is read before the result of flat_load_dword (line 2) has arrived; add s_waitcnt vmcnt(0) before it"},
		{"flat_load_dword v1, v[2:3]\nflat_load_dword v4, v[2:3]\nv_mov_b32 v5, v1", "3: [waitcnt] v_mov_b32_e32: v1 is read before the result of flat_load_dword (line 1) has arrived; add s_waitcnt vmcnt(1) before it"},
		{"flat_load_dword v1, v[2:3]\nflat_store_dword v[2:3], v4\nv_mov_b32 v4, 0", ""},
		{"s_load_dword s1, s[2:3], 0x0\ns_load_dword s4, s[2:3], 0x4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s5, s1", "4: [waitcnt] s_mov_b32: s1 is read before the result of s_load_dword (line 1) has arrived; add s_waitcnt lgkmcnt(0) before it"},
		{"ds_read_b32 v1, v0\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1", ""},
		{"ds_read_b32 v1, v0\ns_load_dword s4, s[2:3], 0x4\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1", "4: [waitcnt] v_mov_b32_e32: v1 is read before the result of ds_read_b32 (line 1) has arrived; add s_waitcnt lgkmcnt(0) before it"},
		{"ds_bpermute_b32 v1, v0, v2\nv_mov_b32 v3, v1", "2: [waitcnt] v_mov_b32_e32: v1 is read before the result of ds_bpermute_b32 (line 1) has arrived; add s_waitcnt lgkmcnt(0) before it"},
		{"ds_read2_b32 v[4:5], v0 offset1:1\nv_mov_b32 v3, v5", "2: [waitcnt] v_mov_b32_e32: v5 is read before the result of ds_read2_b32 (line 1) has arrived; add s_waitcnt lgkmcnt(0) before it"},
		{"flat_atomic_add v[2:3], v1\nv_mov_b32 v1, 0", ""},
		{"flat_atomic_add v5, v[2:3], v1 glc\nv_mov_b32 v6, v5", "2: [waitcnt] v_mov_b32_e32: v5 is read before the result of flat_atomic_add (line 1) has arrived; add s_waitcnt vmcnt(0) before it"},
		{"s_load_dword s1, s[2:3], 0x0\ns_waitcnt 0\ns_mov_b32 s5, s1", ""},
	} {
		if got := brief(trackStraight(placed(t, c.text+"\ns_endpgm"))); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestWaitsExamples checks that the compiler's code has no missing waits.
func TestWaitsExamples(t *testing.T) {
	t.Parallel()
	for _, file := range gcntest.KernelFiles(t) {
		gcntest.EachKernel(t, file, func(name string, text []byte, entry int64) {
			r, err := CheckStatic(amdgpu.Code{Bytes: text, Entry: entry})
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), name, err)
				return
			}
			for _, m := range r.Missing {
				t.Errorf("%s: %s\n%v", filepath.Base(file), name, m.Diag)
			}
		})
	}
}

// TestFlightsAreBounded checks that programs that never wait are tracked in bounded memory and
// time.
func TestFlightsAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "ds_read_b32 v%d, v200\n", i)
	}
	text.WriteString("v_mov_b32 v210, v199\ns_load_dword s8, s[4:5], 0x0\nflat_load_dword v201, v[202:203]\n")
	prog, err := amdgpu.Follow(placed(t, text.String()), true)
	if err != nil {
		t.Fatal(err)
	}
	insts := prog.Insts
	for _, late := range []bool{false, true} {
		p := newTracking(amdgpu.Code{}, insts, nil)
		p.late = late
		tr := &tracker{p: p}
		found := 0
		for i := range insts[:201] {
			found += len(tr.At(uint64(i)<<1, nil))
			if len(tr.flights) > maxFlights {
				t.Fatalf("late %v: %d flights", late, len(tr.flights))
			}
		}
		if found != 1 { // the last of the loads has not arrived
			t.Errorf("late %v: %d findings, want 1", late, found)
		}
		for _, again := range []struct{ i, want, notes int }{{201, 1, 999}, {202, 1, 0}} {
			tr.Start()
			notes := 0
			for range 1000 {
				notes += len(tr.At(uint64(again.i)<<1, nil))
			}
			if len(tr.flights) > maxFlights || !late && len(tr.flights) > again.want {
				t.Errorf("late %v: %d flights of one instruction", late, len(tr.flights))
			}
			// Results of scalar loads arrive in any order, so that each load gets a note about the
			// one before it.
			if notes != again.notes {
				t.Errorf("late %v: %d notes, want %d", late, notes, again.notes)
			}
		}
	}
}
