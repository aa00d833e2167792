package gcn3

import (
	"math"
	"strings"
	"testing"
)

// A function that is called twice, from two places, before and after it in the
// code, and that calls another one.
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

// Many calls and returns are refused, not compared one by one.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 3000 {
		// Skips the return, calls it.
		b.WriteString("s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 20\ns_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\ns_branch 2\ns_nop 0\ns_setpc_b64 s[30:31]\n")
	}
	b.WriteString("s_endpgm")
	code := assembleText(t, b.String())
	_, err := Lift(Code{Bytes: code}, LiftOptions{Name: "many"})
	if err == nil || !strings.Contains(err.Error(), "too many calls") {
		t.Errorf("error %v", err)
	}
}
