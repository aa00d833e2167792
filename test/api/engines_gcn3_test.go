package api_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
)

// engineGCN3 is a kernel that stores v2 of each work-item; s[0:1] is the address of the
// result and s[2:3] that of more memory, v10 four times the work-item, v[4:5] where its
// word is there.
const engineGCN3 = `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b32 m0, -1
  s_mov_b64 s[20:21], exec
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  v_lshlrev_b32 v10, 2, v0
  v_mov_b32 v2, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s3
  v_add_u32 v4, vcc, s2, v10
  v_addc_u32 v5, vcc, 0, v5, vcc
  %s
  s_mov_b64 exec, s[20:21]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32 v12, s1
  v_add_u32 v11, vcc, s0, v10
  v_addc_u32 v12, vcc, 0, v12, vcc
  flat_store_dword v[11:12], v2
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 24
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: more, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
`

// TestEnginesOnGCN3: values that machine code leaves out, assumes, or has to fetch from registers
// that some lanes have not written, are as in the interpreter: results, findings and counts.
func TestEnginesOnGCN3(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		finding    string // if it has one
	}{
		{"loads that are waited for", "s_movk_i32 s8, 5\nL:\nflat_load_dword v3, v[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v2, vcc, v2, v3\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 L", ""},
		// In one of the rounds some lanes' address is in LDS, whose aperture begins at 0x10000 << 32.
		{"flat loads from LDS in one round", `s_movk_i32 s8, 5
v_mov_b32 v8, v5
L:
v_mov_b32 v9, 0x10000
s_cmp_eq_u32 s8, 3
s_cselect_b32 s9, 40, 0
v_mov_b32 v6, s9
v_cmp_lt_u32 vcc, v0, v6
v_cndmask_b32 v5, v8, v9, vcc
v_cndmask_b32 v4, v4, v10, vcc
flat_load_dword v3, v[4:5]
s_waitcnt vmcnt(0)
v_add_u32 v2, vcc, v2, v3
s_waitcnt lgkmcnt(0)
v_mov_b32 v5, s3
v_add_u32 v4, vcc, s2, v10
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 L`, "v3 is read before the result of flat_load_dword"},
		// The sums of 64 bits are made only where the interpreter does the access.
		{"and by all, at a base and an index", `s_movk_i32 s8, 5
L:
v_mul_u32_u24 v6, 5, v0
v_add_u32 v6, vcc, s8, v6
v_and_b32 v6, 0x7f, v6
v_lshlrev_b32 v6, 2, v6
s_cmp_eq_u32 s8, 3
s_mov_b32 s11, 0x10000
s_cselect_b32 s9, s11, s3
s_cselect_b32 s10, 0, s2
v_mov_b32 v7, s9
v_add_u32 v8, vcc, s10, v6
v_addc_u32 v9, vcc, 0, v7, vcc
flat_load_dword v3, v[8:9]
s_waitcnt vmcnt(0)
v_add_u32 v2, vcc, v2, v3
s_waitcnt lgkmcnt(0)
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 L`, "v3 is read before the result of flat_load_dword"},
		{"and from LDS alone, by lanes that are switched on", "v_mov_b32 v5, 0x10000\nv_mov_b32 v4, v10\ns_mov_b32 exec_lo, 0\nflat_load_dword v3, v[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v2, vcc, v3, v10", "v3 is read before the result of flat_load_dword"},
		{"and by all, at addresses in steps", "s_lshr_b32 s9, s3, 31\ns_add_u32 s9, s9, 0x10000\nv_mov_b32 v6, s9\nv_add_u32 v4, vcc, s9, v10\nv_addc_u32 v5, vcc, 0, v6, vcc\nv_subrev_u32 v4, vcc, s9, v4\nv_subbrev_u32 v5, vcc, 0, v5, vcc\nflat_load_dword v3, v[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v2, vcc, v2, v3", "v3 is read before the result of flat_load_dword"},
		{"nobody's load from LDS", "v_mov_b32 v5, 0x10000\ns_mov_b64 exec, 0\nflat_load_dword v3, v[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v2, vcc, v3, v10", ""},
		{"carries that differ", "s_movk_i32 s8, 0xff80\nv_mov_b32 v6, 9\nv_add_u32 v3, vcc, s8, v10\nv_addc_u32 v7, vcc, 0, v6, vcc\nv_add_u32 v2, vcc, v2, v7", ""},
		{"indices of both signs", "s_lshr_b32 s8, s2, 31\ns_sub_u32 s8, s8, 80\nv_add_u32 v6, vcc, s8, v10\nv_ashrrev_i32 v7, 31, v6\nv_lshlrev_b64 v[6:7], 2, v[6:7]\nv_add_u32 v2, vcc, v6, v7", ""},
		{"indices beyond the greatest", "s_lshr_b32 s8, s2, 31\ns_sub_u32 s8, 0x7fffffa0, s8\nv_add_u32 v6, vcc, s8, v10\nv_ashrrev_i32 v7, 31, v6\nv_lshlrev_b64 v[6:7], 2, v[6:7]\nv_add_u32 v2, vcc, v6, v7", ""},
		{"indices whose upper half differs", "s_lshr_b32 s8, s2, 31\ns_sub_u32 s8, 0x3fffffa0, s8\nv_add_u32 v6, vcc, s8, v10\nv_ashrrev_i32 v7, 31, v6\nv_lshlrev_b64 v[6:7], 2, v[6:7]\nv_add_u32 v2, vcc, v6, v7", ""},
		{"indices below 0", "s_lshr_b32 s8, s2, 31\ns_sub_u32 s8, s8, 0x10000\nv_add_u32 v6, vcc, s8, v10\nv_ashrrev_i32 v7, 31, v6\nv_lshlrev_b64 v[6:7], 2, v[6:7]\nv_add_u32 v2, vcc, v6, v7", ""},
		{"carries of lanes that are off", "s_movk_i32 s8, 0xff80\ns_movk_i32 s12, 0xff0\ns_mov_b32 s13, 0\ns_and_b64 exec, exec, s[12:13]\nv_mov_b32 v6, 9\nv_add_u32 v3, vcc, s8, v10\nv_addc_u32 v7, vcc, 0, v6, vcc\nv_add_u32 v2, vcc, v2, v7", ""},
		{"carries that all have", "s_movk_i32 s8, 0xfffc\ns_movk_i32 s12, 0xfff0\ns_mov_b32 s13, -1\ns_and_b64 exec, exec, s[12:13]\nv_mov_b32 v6, 9\nv_add_u32 v3, vcc, s8, v10\nv_addc_u32 v7, vcc, 0, v6, vcc\nv_add_u32 v2, vcc, v2, v7", ""},
		{"a value that lane 0 has not, behind many instructions", `s_movk_i32 s8, 0xff80
v_mov_b32 v6, 9
v_add_u32 v3, vcc, s8, v10
v_addc_u32 v8, vcc, 0, v6, vcc
v_add_u32 v2, vcc, v2, v8
s_movk_i32 s12, 0xff0
s_mov_b32 s13, 0
s_and_b64 exec, exec, s[12:13]
s_movk_i32 s9, 77
s_add_u32 s9, s9, s2
v_mov_b32 v7, s9
s_movk_i32 s8, 0x7fff
L:
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 L
v_sub_u32 v7, vcc, v7, v4
v_add_u32 v2, vcc, v2, v7`, ""},
		{"a load that lane 0 does not do", "s_movk_i32 s12, 0xff0\ns_mov_b32 s13, 0\ns_and_b64 exec, exec, s[12:13]\nv_mov_b32 v6, s2\nv_mov_b32 v7, s3\nflat_load_dword v3, v[6:7]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32 v2, vcc, v2, v3", ""},
		{"halves that are written after they were chosen from", `v_mul_lo_u32 v12, v10, v10
v_mul_lo_u32 v13, v12, v10
v_mul_lo_u32 v14, v13, v10
v_mul_lo_u32 v15, v14, v10
s_movk_i32 s8, 3
L:
v_cmp_lt_u32 vcc, v12, v14
v_cndmask_b32 v16, v14, v12, vcc
v_cndmask_b32 v17, v15, v13, vcc
v_xor_b32 v12, v12, v10
v_lshlrev_b64 v[18:19], 1, v[12:13]
v_lshlrev_b64 v[20:21], 1, v[14:15]
v_lshlrev_b64 v[22:23], 1, v[16:17]
v_xor_b32 v2, v2, v18
v_xor_b32 v2, v2, v20
v_add_u32 v2, vcc, v2, v22
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 L`, ""},
		{"an address that is chosen between those of loads", `s_movk_i32 s8, 9
v_mov_b32 v13, s3
v_mov_b32 v15, s3
L:
v_mul_lo_u32 v6, v0, v0
v_xor_b32 v6, s8, v6
v_and_b32 v6, 0x1f, v6
v_lshlrev_b32 v6, 2, v6
v_add_u32 v12, vcc, s2, v6
v_xor_b32 v14, 0x44, v12
v_and_b32 v13, v12, v10
v_and_b32 v13, 0x80000000, v13
v_or_b32 v13, s3, v13
v_and_b32 v15, v14, v10
v_and_b32 v15, 0x80000000, v15
v_or_b32 v15, s3, v15
flat_load_dword v18, v[12:13]
flat_load_dword v19, v[14:15]
v_cmp_lt_u32 vcc, 7, v6
v_cndmask_b32 v16, v14, v12, vcc
v_cndmask_b32 v17, v15, v13, vcc
v_lshlrev_b64 v[20:21], 1, v[16:17]
flat_load_dword v22, v[16:17]
s_waitcnt vmcnt(0) lgkmcnt(0)
v_xor_b32 v2, v2, v18
v_add_u32 v2, vcc, v2, v19
v_xor_b32 v2, v2, v20
v_add_u32 v2, vcc, v2, v22
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 L`, ""},
		{"0, and the sum that begins with it", "v_mov_b32 v3, 0\nv_mov_b32 v6, v10\nv_mov_b32 v7, v3\ns_movk_i32 s8, 3\nL:\nv_add_u32 v3, vcc, v3, v10\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 L\nv_add_u32 v2, vcc, v3, v7", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := crosslane.Load(fmt.Appendf(nil, engineGCN3, c.text), "k.s", crosslane.GCN3)
			if err != nil {
				t.Fatal(err)
			}
			run := func(engine string, native crosslane.Native) ([]byte, *crosslane.Result, error) {
				out, more := crosslane.NewBuffer("out", crosslane.U32, 128), crosslane.NewBuffer("more", crosslane.U32, 128)
				for i := range more.Data {
					more.Data[i] = byte(7 * i)
				}
				k, err := m.Kernel("k")
				if err != nil {
					t.Fatal(err)
				}
				res, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 128}, Args: []crosslane.Arg{out, more}, Engine: engine, Native: native, Workers: 1})
				return out.Data, res, err
			}
			want, ref, err := run("interp", "")
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(ref.Findings); (c.finding == "") != (len(ref.Findings) == 0) || !strings.Contains(text, c.finding) {
				t.Errorf("the interpreter finds %s, want %q", text, c.finding)
			}
			for _, native := range []crosslane.Native{crosslane.NativeAVX2, crosslane.NativeAVX512} {
				got, res, err := run("jit", native)
				if err != nil {
					if !strings.Contains(err.Error(), "bad-engine") {
						t.Errorf("%s: %v", native, err)
					}
					continue // this processor has it not
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: results differ\n%x\n%x", native, got, want)
				}
				if a, b := fmt.Sprint(res.Findings), fmt.Sprint(ref.Findings); a != b {
					t.Errorf("%s finds %s\nwant %s", native, a, b)
				}
				if a, b := res.Stats, ref.Stats; a.WarpInstructions != b.WarpInstructions || a.LaneInstructions != b.LaneInstructions {
					t.Errorf("%s: %d and %d instructions, want %d and %d", native, a.WarpInstructions, a.LaneInstructions, b.WarpInstructions, b.LaneInstructions)
				}
			}
		})
	}
}

// TestEnginesOnGCN3Faults: an atomic at an address that moves on, and that loads have been at, is not
// aligned, and faults as in the interpreter.
func TestEnginesOnGCN3Faults(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load(fmt.Appendf(nil, engineGCN3, `s_movk_i32 s8, 0
L:
flat_load_ubyte v3, v[4:5]
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_u32 v2, vcc, v2, v3
s_cmp_lt_u32 s8, 5
s_cbranch_scc1 S
flat_atomic_add v6, v[4:5], v10 glc
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_u32 v2, vcc, v2, v6
S:
v_add_u32 v4, vcc, 1, v4
v_addc_u32 v5, vcc, 0, v5, vcc
s_add_u32 s8, s8, 1
s_cmp_lt_u32 s8, 10
s_cbranch_scc1 L`), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	run := func(engine string, native crosslane.Native) string {
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.NewBuffer("out", crosslane.U32, 64), crosslane.NewBuffer("more", crosslane.U32, 80)}, Engine: engine, Native: native, Workers: 1})
		return fmt.Sprint(err)
	}
	want := run("interp", "")
	if !strings.Contains(want, "multiple of 4") {
		t.Errorf("the interpreter says %s", want)
	}
	for _, native := range []crosslane.Native{crosslane.NativeAVX2, crosslane.NativeAVX512} {
		if got := run("jit", native); got != want && !strings.Contains(got, "bad-engine") {
			t.Errorf("%s: %s\nwant %s", native, got, want)
		}
	}
}
