package api_test

import (
	"context"
	"testing"
	"time"

	"example.org/crosslane"
)

// wholeAccess has two blocks. Block 0 stores the pairs (i, i) to one place, and block 1 loads them.
// bad is 1 after a pair whose halves differ.
const wholeAccess = `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_load_dwordx2 s[2:3], s[4:5], 0x8
	s_mov_b32 s8, 0x20000
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s0
	v_mov_b32_e32 v1, s1
	v_mov_b32_e32 v6, s2
	v_mov_b32_e32 v7, s3
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc0 reader
writer:
	v_mov_b32_e32 v2, s8
	v_mov_b32_e32 v3, s8
	flat_store_dwordx2 v[0:1], v[2:3]
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 writer
	s_endpgm
reader:
	flat_load_dwordx2 v[2:3], v[0:1] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_ne_u32_e32 vcc, v2, v3
	v_cndmask_b32_e32 v4, v4, v5, vcc
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 reader
	flat_store_dword v[6:7], v4
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: pair, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.name: bad, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
`

// An access of 64 bits is one access for the workers of other blocks: no load finds one half of a
// pair that is stored and one half of the pair before it.
func TestWholeAccesses(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load([]byte(wholeAccess), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range crosslane.Engines() {
		pair, bad := make([]uint32, 2), make([]uint32, 1)
		_, err := k.Run(context.Background(), crosslane.Launch{
			Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 1}, Engine: engine, Workers: 2, Timeout: time.Minute,
			Args: []crosslane.Arg{crosslane.Slice("pair", pair), crosslane.Slice("bad", bad)},
		})
		if err != nil {
			t.Fatalf("%s: %v", engine, err)
		}
		if bad[0] != 0 || pair[0] != 1 || pair[1] != 1 {
			t.Errorf("%s: a load found halves of different pairs (bad = %d); at the end the pair is %v", engine, bad[0], pair)
		}
	}
}
