package amdgpu

import "testing"

// TestWriteLaneByM0 checks that the lane of v_writelane_b32 may be in M0 with another SGPR as the
// value, which compilers use, and that no other pair of scalar values may be read. LLVM's assembler
// accepts the same.
func TestWriteLaneByM0(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"v_writelane_b32 v1, s4, m0", true},
		{"v_writelane_b32 v1, vcc_lo, m0", true},
		{"v_writelane_b32 v1, m0, m0", true},
		{"v_writelane_b32 v1, s4, s5", false},
		{"v_writelane_b32 v1, m0, s5", false},
		{"v_add_u32_e64 v1, vcc, s4, m0", false},
	} {
		_, errs := hooks.AssembleInsts(c.line+"\n", "t.s")
		if (len(errs) == 0) != c.ok {
			t.Errorf("%s: %v", c.line, errs)
		}
	}
}
