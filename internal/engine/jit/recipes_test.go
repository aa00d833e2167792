package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// TestRecipes adds numbers in two registers. Between the halves is an operation whose run-time
// check fails: lanes have different signs, or an index wraps. The interpreter then repeats
// the low sum. By then the registers of the sum, or the places of its temporaries, may hold
// other values.
func TestRecipes(t *testing.T) {
	t.Parallel()
	const (
		begin = `s_mov_b32 s24, 0x7fffffc8
v_lshlrev_b32 v2, 2, v0
v_mov_b32 v3, s20
v_mov_b32 v4, s24
v_mov_b32 v5, 0
v_lshlrev_b64 v[6:7], 3, v[2:3]
v_lshlrev_b64 v[8:9], 2, v[4:5]
v_mov_b32 v14, s21
v_add_u32 v15, vcc, s24, v0
v_mul_lo_u32 v16, v0, v0
s_load_dword s25, s[20:21], 0
s_waitcnt lgkmcnt(0)
s_and_b32 s25, s25, 0
s_sub_u32 s25, s25, 16
v_add_u32 v13, vcc, s25, v0
v_mov_b32 v19, 31
`
		end = `v_lshlrev_b64 v[18:19], 1, v[10:11]
v_xor_b32 v18, v18, v19
v_xor_b32 v18, v18, v12
v_xor_b32 v18, v18, v17
v_lshlrev_b32 v20, 2, v0
v_mov_b32 v21, s23
v_add_u32 v20, vcc, s22, v20
v_addc_u32 v21, vcc, 0, v21, vcc
flat_store_dword v[20:21], v18
s_endpgm
`
	)
	for _, c := range []struct{ name, text string }{
		{"a sum that nobody reads", `v_add_u32 v12, vcc, v6, v8
v_mov_b32 v12, v16
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v13, vcc, v7, v9, vcc
v_lshlrev_b64 v[10:11], 1, v[6:7]
`},
		{"a difference that nobody reads", `v_sub_u32 v17, vcc, v6, v8
v_mov_b32 v17, v15
v_ashrrev_i32 v12, 31, v15
v_subb_u32 v18, vcc, v7, v9, vcc
v_lshlrev_b64 v[10:11], 1, v[6:7]
`},
		{"a whole argument", `v_add_u32 v10, vcc, v6, v8
v_mov_b32 v6, v16
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v11, vcc, v7, v9, vcc
v_mov_b32 v12, v6
`},
		{"halves of an argument", `v_add_u32 v10, vcc, v16, v8
v_mov_b32 v16, v2
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v11, vcc, v14, v9, vcc
v_mov_b32 v12, v16
`},
		{"halves of scalars", `v_add_u32 v10, vcc, s24, v8
s_mov_b32 s24, 77
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v11, vcc, v14, v9, vcc
v_mov_b32 v12, s24
`},
		{"bytes", `v_add_u32_sdwa v10, vcc, v16, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v11, vcc, v14, v9, vcc
v_mov_b32 v12, v6
`},
		{"bytes and a sign of a byte", `v_add_u32_sdwa v10, vcc, v16, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
v_ashrrev_i32_sdwa v17, v19, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
v_addc_u32 v11, vcc, v14, v9, vcc
v_mov_b32 v12, v6
`},
		{"a scalar and a product", `v_add_u32 v10, vcc, s22, v8
v_mad_u64_u32 v[6:7], s[38:39], v15, 3, v[6:7]
v_addc_u32 v11, vcc, v14, v9, vcc
v_xor_b32 v12, v6, v7
`},
		{"a wide product", `v_add_u32 v10, vcc, v6, v8
v_mad_u64_u32 v[4:5], s[38:39], v13, 3, v[2:3]
v_addc_u32 v11, vcc, v7, v9, vcc
v_xor_b32 v12, v4, v5
v_mov_b32 v17, v15
`},
		{"a wide number", `v_add_u32 v10, vcc, v6, v8
v_mov_b32 v14, 0
v_lshlrev_b64 v[4:5], 2, v[13:14]
v_addc_u32 v11, vcc, v7, v9, vcc
v_xor_b32 v12, v4, v5
v_mov_b32 v17, v15
`},
		{"a sum within another one", `v_add_u32_sdwa v10, vcc, v16, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
v_add_u32 v6, s[38:39], v6, v8
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v7, s[40:41], v7, v9, s[38:39]
v_addc_u32 v11, vcc, v14, v9, vcc
v_lshlrev_b64 v[4:5], 3, v[6:7]
v_xor_b32 v12, v4, v5
`},
		{"two sums of scalars", `v_add_u32 v10, vcc, s22, v8
v_add_u32 v4, s[38:39], s25, v13
v_addc_u32 v11, vcc, v14, v9, vcc
v_addc_u32 v5, s[40:41], v14, v5, s[38:39]
v_lshlrev_b64 v[6:7], 1, v[4:5]
v_xor_b32 v12, v6, v7
v_mov_b32 v17, v15
`},
		{"nothing else", `v_add_u32 v10, vcc, v6, v8
v_mov_b32 v12, v16
v_ashrrev_i32 v17, 31, v15
v_addc_u32 v11, vcc, v7, v9, vcc
`},
	} {
		agree(t, c.name, func(e sim.Engine) string {
			mem := sim.NewMemory()
			in, out := mem.Add("in", noise(256)), mem.Add("out", make([]byte, 512))
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}}
			return fmt.Sprintln(ended(t, e, liftGCN3(t, begin+c.text+end), l), out.Data)
		})
	}
}
