package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// TestExitCopies deoptimises around copies of 64-bit numbers: before the halves of a number are put
// together again, between that and its use, and in between for two numbers of which a mask chooses. The
// code computes neither the halves nor the copy; the interpreter reads both.
func TestExitCopies(t *testing.T) {
	t.Parallel()
	const (
		begin = `s_mov_b32 s24, 0x7fffffc8
s_load_dword s25, s[20:21], 0
s_waitcnt lgkmcnt(0)
s_and_b32 s25, s25, 0
s_sub_u32 s25, s25, 16
v_add_u32 v13, vcc, s25, v0
v_add_u32 v15, vcc, s24, v0
v_mul_lo_u32 v16, v0, v0
v_cvt_f64_i32 v[6:7], v16
v_cvt_f64_u32 v[8:9], v0
v_mov_b32 v2, 5
v_mov_b32 v3, v16
v_and_b32 v18, 3, v0
v_cmp_eq_u32 vcc, 1, v18
v_mov_b32 v12, 0
v_mov_b32 v17, 0
`
		end = `v_xor_b32 v18, v10, v11
v_xor_b32 v18, v18, v12
v_xor_b32 v18, v18, v17
v_lshlrev_b32 v20, 2, v0
v_mov_b32 v21, s23
v_add_u32 v20, vcc, s22, v20
v_addc_u32 v21, vcc, 0, v21, vcc
flat_store_dword v[20:21], v18
s_endpgm
`
		sign = "v_ashrrev_i32 v17, 31, v15\n" // its check fails: the lanes have different signs
	)
	for _, c := range []struct{ name, text string }{
		{"between the number and its use", "v_add_f64 v[10:11], v[6:7], v[8:9]\n" + sign + "v_mul_f64 v[10:11], v[10:11], v[6:7]\n"},
		{"the halves die", "v_add_f64 v[4:5], v[6:7], v[8:9]\n" + sign + "v_mul_f64 v[10:11], v[4:5], v[4:5]\nv_mov_b32 v4, v16\nv_mov_b32 v5, v0\n"},
		{"one half lives on", "v_add_f64 v[4:5], v[6:7], v[8:9]\n" + sign + "v_mul_f64 v[10:11], v[4:5], v[4:5]\nv_mov_b32 v4, v16\nv_mov_b32 v12, v5\n"},
		{"between the copy and its use", "v_add_f64 v[4:5], v[6:7], v[8:9]\nv_mad_u64_u32 v[10:11], s[38:39], v13, 3, v[4:5]\n"},
		{"both", "v_add_f64 v[4:5], v[6:7], v[8:9]\n" + sign + "v_mad_u64_u32 v[10:11], s[38:39], v13, 3, v[4:5]\nv_add_f64 v[10:11], v[10:11], v[4:5]\n"},
		{"two uses", "v_add_f64 v[4:5], v[6:7], v[8:9]\nv_mul_f64 v[10:11], v[4:5], v[4:5]\n" + sign + "v_add_f64 v[10:11], v[10:11], v[4:5]\nv_mad_u64_u32 v[10:11], s[38:39], v13, 3, v[10:11]\n"},
		{"a choice", "v_add_f64 v[4:5], v[6:7], v[8:9]\nv_cndmask_b32 v10, v6, v4, vcc\nv_cndmask_b32 v11, v7, v5, vcc\n" + sign + "v_mul_f64 v[10:11], v[10:11], v[6:7]\n"},
		{"a choice of which the halves die", "v_add_f64 v[4:5], v[6:7], v[8:9]\nv_cndmask_b32 v4, v6, v4, vcc\n" + sign + "v_cndmask_b32 v5, v7, v5, vcc\nv_mul_f64 v[10:11], v[4:5], v[6:7]\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\n"},
		{"a number that is overwritten", "v_add_f64 v[4:5], v[6:7], v[8:9]\n" + sign + "v_mul_f64 v[4:5], v[4:5], v[4:5]\nv_mad_u64_u32 v[10:11], s[38:39], v13, 3, v[4:5]\n"},
		{"moved halves", "v_add_f64 v[4:5], v[6:7], v[8:9]\nv_mov_b32 v10, v4\nv_mov_b32 v11, v5\n" + sign + "v_mul_f64 v[10:11], v[10:11], v[6:7]\n"},
		{"a narrow number", "v_cvt_f16_f32 v4, v16\nv_add_f16 v4, v4, v4\n" + sign + "v_mul_f16 v10, v4, v4\nv_add_f16 v11, v10, v4\n"},
		{"only an exit needs it", "v_add_f64 v[10:11], v[6:7], v[8:9]\n" + sign + "v_add_f64 v[10:11], v[6:7], v[6:7]\nv_mov_b32 v12, v13\n"},
	} {
		agree(t, c.name, func(e sim.Engine) string {
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(256)), mem.Add("out", make([]byte, 512))
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}
			return fmt.Sprintln(ended(t, e, liftGCN3(t, begin+c.text+end), l), out.Data)
		})
	}
}

// TestExitCounts deoptimises before EXEC is written with a value that no operation reads. The interpreter
// counts lanes by it.
func TestExitCounts(t *testing.T) {
	t.Parallel()
	const (
		begin = "s_mov_b32 s24, 0x7fffffc8\nv_add_u32 v15, vcc, s24, v0\n"
		sign  = "v_ashrrev_i32 v17, 31, v15\n" // its check fails
		end   = "s_nop 0\ns_mov_b64 exec, -1\ns_endpgm\n"
	)
	for _, c := range []struct{ name, text string }{
		{"a constant", "s_mov_b64 s[44:45], 5\n" + sign + "s_mov_b64 exec, s[44:45]\n"},
		{"a complement", "s_not_b64 s[44:45], s[20:21]\n" + sign + "s_mov_b64 exec, s[44:45]\n"},
		{"a comparison", "v_cmp_gt_u32 vcc, 9, v0\n" + sign + "s_and_saveexec_b64 s[44:45], vcc\n"},
		{"a conjunction", "v_cmp_gt_u32 s[46:47], 9, v0\n" + sign + "s_and_b64 exec, exec, s[46:47]\n"},
		{"two writes", "v_cmp_gt_u32 s[46:47], 9, v0\n" + sign + "s_and_b64 exec, exec, s[46:47]\ns_nop 0\n" + sign + "s_andn2_b64 exec, exec, s[46:47]\n"},
	} {
		agree(t, c.name, func(e sim.Engine) string {
			mem := sim.NewMemory()
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{mem.Add("in", noise(256)).Base, 0}}
			return ended(t, e, liftGCN3(t, begin+c.text+end), l)
		})
	}
}

// TestExitNested deoptimises between the halves of a sum that nothing reads. The exit computes an operand
// of the sum, and that operation leaves some lanes to the interpreter: cold code within cold code.
func TestExitNested(t *testing.T) {
	t.Parallel()
	const (
		begin = "s_mov_b32 s24, 0x7fffffc8\nv_add_u32 v15, vcc, s24, v0\nv_mov_b32 v2, v0\nv_mul_lo_u32 v3, v0, s24\nv_lshlrev_b64 v[8:9], 3, v[2:3]\n"
		end   = "v_xor_b32 v10, v22, v23\nv_lshlrev_b32 v20, 2, v0\nv_mov_b32 v21, s23\nv_add_u32 v20, vcc, s22, v20\nv_addc_u32 v21, vcc, 0, v21, vcc\nflat_store_dword v[20:21], v10\ns_endpgm\n"
	)
	for _, op := range []string{
		"v_ldexp_f64 v[22:23], v[2:3], v0", "v_div_fmas_f64 v[22:23], v[2:3], v[8:9], v[2:3]", "v_rsq_f64 v[22:23], v[2:3]",
		"v_sqrt_f64 v[22:23], v[2:3]", "v_rcp_f64 v[22:23], v[2:3]", "v_add_f64 v[22:23], v[2:3], v[8:9]",
	} {
		for _, overwrite := range []string{"", "v_mov_b32 v22, v0\nv_mov_b32 v23, v0\n"} {
			text := op + "\nv_add_u32 v18, vcc, v22, v8\nv_ashrrev_i32 v17, 31, v15\nv_addc_u32 v19, vcc, v23, v9, vcc\n" + overwrite
			agree(t, op+overwrite, func(e sim.Engine) string {
				mem := sim.NewMemory()
				in, out := mem.Add("in", noise(256)), mem.Add("out", make([]byte, 512))
				l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}
				return fmt.Sprintln(ended(t, e, liftGCN3(t, begin+text+end), l), out.Data)
			})
		}
	}
}
