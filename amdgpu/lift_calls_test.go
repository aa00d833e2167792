package amdgpu

import (
	"math"
	"strings"
	"testing"
)

// TestCalls has a function that is called from two places, before and after it in the code, and
// that calls another function.
func TestCalls(t *testing.T) {
	t.Parallel()
	text := `
		s_getpc_b64 s[4:5]
		s_add_u32 s4, s4, DOUBLE-4
		s_addc_u32 s5, s5, 0
		s_mov_b64 s[8:9], s[4:5]
		s_swappc_b64 s[30:31], s[8:9]
		v_add_u32 v2, vcc, 1, v1
		s_getpc_b64 s[4:5]
		s_add_u32 s4, s4, DOUBLE-32
		s_addc_u32 s5, s5, 0
		s_swappc_b64 s[30:31], s[4:5]
		s_branch end
	double:
		s_mov_b64 s[20:21], s[30:31]
		s_getpc_b64 s[6:7]
		s_add_u32 s6, s6, ADD-64
		s_addc_u32 s7, s7, 0
		s_swappc_b64 s[30:31], s[6:7]
		s_setpc_b64 s[20:21]
	add:
		v_add_u32 v1, vcc, v1, v1
		s_setpc_b64 s[30:31]
	end:
		s_nop 0`
	// Every instruction has 4 bytes.
	text = strings.NewReplacer("DOUBLE-4", "40", "DOUBLE-32", "16", "ADD-64", "16").Replace(text)
	st := &state{exec: math.MaxUint64}
	st.v[1][5] = 3
	code := assembleText(t, text)
	m := &machine{values: []uint64{0, 0, 0, 0xfffffff8}} // the low dword wraps
	m.run(t, code, st)
	if st.v[1][5] != 12 || st.v[2][5] != 7 {
		t.Errorf("v1 = %d, v2 = %d, want 12, 7", st.v[1][5], st.v[2][5])
	}
}

// TestManyCalls checks that the time of lifting grows in proportion to the number of calls and
// returns.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 3000 {
		// Each round calls the s_setpc_b64 at its end, and then branches over it.
		b.WriteString("s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 20\ns_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\ns_branch 2\ns_nop 0\ns_setpc_b64 s[30:31]\n")
	}
	b.WriteString("s_endpgm")
	code := assembleText(t, b.String())
	f, err := Lift(Code{Bytes: code}, LiftOptions{Name: "many"})
	if err != nil || len(f.Code) > 60000 {
		t.Errorf("error %v", err)
	}
}

// TestFunctionPointers calls functions through addresses from a table in memory, as v-tables do.
// The address comes from SCC, which selects one of two computed addresses, or from outside.
func TestFunctionPointers(t *testing.T) {
	t.Parallel()
	const text = `
		s_getpc_b64 s[4:5]
		s_add_u32 s6, s4, 52
		s_addc_u32 s7, s5, 0
		s_add_u32 s8, s4, 60
		s_addc_u32 s9, s5, 0
		s_cmp_lg_u32 s0, 0
		s_cselect_b32 s10, s6, s8
		s_cselect_b32 s11, s7, s9
		s_cmp_lg_u32 s1, 0
		s_cbranch_scc0 1
		s_mov_b64 s[10:11], s[2:3]
		s_swappc_b64 s[30:31], s[10:11]
		v_add_u32 v1, vcc, 1, v1
		s_branch 4
		v_mov_b32 v1, 10
		s_setpc_b64 s[30:31]
		v_mov_b32 v1, 20
		s_setpc_b64 s[30:31]`
	code := assembleText(t, text)
	at := strings.Count(text[:strings.Index(text, "v_mov_b32 v1, 10")], "\n") - 1
	if at != 14 {
		t.Fatalf("the first function is instruction %d", at)
	}
	const base = 0x7ffff000
	run := func(s0, s1 uint32, ptr uint64) (uint32, error) {
		st := &state{exec: 1}
		st.s[0], st.s[1], st.s[2], st.s[3] = s0, s1, uint32(ptr), uint32(ptr>>32)
		err := (&machine{values: []uint64{0, 0, 0, base}}).try(code, st)
		return st.v[1][0], err
	}
	for _, c := range []struct {
		s0, s1 uint32
		ptr    uint64
		want   uint32
	}{{1, 0, 0, 11}, {0, 0, 0, 21}, {0, 1, base + 56, 11}, {0, 1, base + 64, 21}} {
		if got, err := run(c.s0, c.s1, c.ptr); err != nil || got != c.want {
			t.Errorf("s0 = %d, pointer %#x: v1 = %d, %v, want %d", c.s0, c.ptr, got, err, c.want)
		}
	}
	for _, bad := range []uint64{0, base, base - 4, base + 57, base + 60, base + 1<<40, 1 << 63} {
		if _, err := run(0, 1, bad); err == nil || !strings.Contains(err.Error(), "bad-call") {
			t.Errorf("call of %#x: error %v", bad, err)
		}
	}
	// A function needs a name in Functions if the code does not compute its address.
	other := assembleText(t, "s_swappc_b64 s[30:31], s[2:3]\ns_branch 2\nv_mov_b32 v1, 5\ns_setpc_b64 s[30:31]")
	f, err := Lift(Code{Bytes: other, Functions: []int64{8}}, LiftOptions{Name: "f", AllowEnd: true})
	if err != nil || len(f.Tables) != 1 || f.Tables[0][2] < 0 || f.Tables[0][0] >= 0 {
		t.Errorf("error %v", err)
	}
}

// TestForks checks forks and joins: each lane takes its own path, and the smaller group of lanes
// runs first. The program itself joins EXEC again for the last group.
func TestForks(t *testing.T) {
	t.Parallel()
	const text = `
		v_cmp_gt_u32 s[36:37], 10, v0
		s_mov_b64 s[42:43], exec
		s_getreg_b32 s33, hwreg(HW_REG_MODE, 29, 3)
		s_cbranch_i_fork s[36:37], small
		v_cmp_gt_u32 s[38:39], s40, v0
		s_mov_b64 s[44:45], exec
		s_getreg_b32 s34, hwreg(HW_REG_MODE, 29, 3)
		s_cbranch_i_fork s[38:39], middle
		v_mov_b32 v1, 3
		s_branch met2
	middle:
		v_mov_b32 v1, 2
	met2:
		s_cbranch_join s34
		s_mov_b64 exec, s[44:45]
		v_add_u32 v2, vcc, 100, v1
		s_branch met
	small:
		v_mov_b32 v1, 1
	met:
		s_cbranch_join s33
		s_mov_b64 exec, s[42:43]
		v_add_u32 v3, vcc, 1, v1`
	for _, exec := range []uint64{math.MaxUint64, 0x3ff, 1 << 40, 0xfffffffffffffc00, 0x00f0f0f0f0f0f0f0} {
		for _, cut := range []uint32{0, 11, 30, 100} {
			st := &state{exec: exec}
			st.s[40] = cut
			for l := range 64 {
				st.v[0][l] = uint32(l)
			}
			got := *st
			(&machine{}).run(t, assembleText(t, text), &got)
			for l := range 64 {
				if exec>>l&1 == 0 {
					continue
				}
				v1, v2 := uint32(3), uint32(103)
				switch {
				case l < 10:
					v1, v2 = 1, 0
				case uint32(l) < cut:
					v1, v2 = 2, 102
				}
				if got.v[1][l] != v1 || got.v[2][l] != v2 || got.v[3][l] != v1+1 {
					t.Fatalf("exec %#x, cut %d, lane %d: v1 = %d, v2 = %d, v3 = %d, want %d, %d, %d", exec, cut, l, got.v[1][l], got.v[2][l], got.v[3][l], v1, v2, v1+1)
				}
			}
			if got.exec != exec {
				t.Fatalf("EXEC is %#x afterwards, want %#x", got.exec, exec)
			}
		}
	}
}
