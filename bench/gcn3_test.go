package bench

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
)

// gcn3Kernel makes a kernel that runs body, unrolled times, in a loop.
func gcn3Kernel(setup, body string) string {
	return `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b64 s[20:21], s[0:1]
  s_mov_b64 s[22:23], s[2:3]
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_load_dword s2, s[4:5], 0x8
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  v_add_u32 v4, vcc, 7, v0
  v_mov_b32 v5, 13
  v_cvt_f32_u32 v6, v0
  v_mov_b32 v7, 0.5
  v_mov_b32 v8, v0
  s_mov_b32 m0, -1
` + setup + `
LOOP:
` + strings.Repeat("  "+body+"\n", unrolled) + `  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 LOOP
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_store_dword v[2:3], v4
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_private_segment_fixed_size 64
.end_amdhsa_kernel
`
}

// BenchmarkGCN3 measures one instruction each, 64 lanes, one worker.
func BenchmarkGCN3(b *testing.B) {
	for _, c := range []struct{ name, setup, body string }{
		{"v_add_u32", "", "v_add_u32 v4, vcc, v4, v5"},
		{"v_xor_b32", "", "v_xor_b32 v4, v4, v5"},
		{"v_mul_lo_u32", "", "v_mul_lo_u32 v4, v4, v5"},
		{"v_perm_b32", "", "v_perm_b32 v4, v4, v5, v8"},
		{"v_add_f32", "", "v_add_f32 v9, v6, v7"},
		{"v_mac_f32", "", "v_mac_f32 v9, v6, v7"},
		{"v_fma_f32", "", "v_fma_f32 v9, v6, v7, v6"},
		{"v_cndmask_b32", "", "v_cndmask_b32 v4, v4, v5, vcc"},
		{"v_cmp_lt_i32", "", "v_cmp_lt_i32 vcc, v4, v5"},
		{"v_xor_b32 with an SGPR", "", "v_xor_b32 v4, s0, v4"},
		{"v_xor_b32 under half of EXEC", "  s_mov_b32 exec_lo, 0x0f0f0f0f", "v_xor_b32 v4, v4, v5"},
		{"s_add_u32", "", "s_add_u32 s8, s8, s2"},
		{"v_mov_b32 dpp row_shr:1", "", "v_mov_b32 v4, v5 row_shr:1"},
		{"v_min_i32 dpp row_shr:1", "", "v_min_i32 v10, v4, v5 row_shr:1"},
		{"v_add_u32 dpp row_shr:2 bound_ctrl:0", "", "v_add_u32 v10, vcc, v4, v5 row_shr:2 bound_ctrl:0"},
		{"v_mac_f32 dpp quad_perm", "", "v_mac_f32 v9, v6, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xe"},
		{"v_mul_legacy_f32 dpp row_shr:1", "", "v_mul_legacy_f32 v9, v6, v7 row_shr:1"},
		{"v_rndne_f32 dpp row_mirror", "", "v_rndne_f32 v9, v6 row_mirror"},
		{"v_add_f32 dpp row_bcast:15", "", "v_add_f32 v9, v6, v7 row_bcast:15 row_mask:0xa"},
		{"ds_bpermute_b32", "", "ds_bpermute_b32 v4, v1, v5"},
		{"ds_swizzle_b32", "", "ds_swizzle_b32 v4, v5 offset:swizzle(SWAP,16)"},
		{"v_readlane_b32", "", "v_readlane_b32 s8, v4, 3"},
		{"ds_read_b32", "", "ds_read_b32 v4, v1"},
		{"ds_write_b32", "", "ds_write_b32 v1, v4"},
		{"flat_load_dword coalesced", "", "flat_load_dword v4, v[2:3]"},
		{"flat_store_dword coalesced", "", "flat_store_dword v[2:3], v4"},
	} {
		b.Run(c.name, func(b *testing.B) {
			out := make([]uint32, 64)
			measure(b, load(b, gcn3Kernel(c.setup, c.body), "bench.s", crosslane.GCN3), crosslane.Launch{Block: crosslane.Dim3{X: 64},
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, trips)}})
		})
	}
}

// descriptor puts the V# of the buffer into s[12:15]: no stride, format of 32 bits; v9 is
// a byte offset in it for every lane.
const descriptor = "  s_mov_b32 s12, s0\n  s_mov_b32 s13, s1\n  s_mov_b32 s14, 0x1000\n  s_mov_b32 s15, 0x00024fac\n"

// scratch puts the V# of private memory into s[12:15].
const scratch = "  s_mov_b32 s12, s20\n  s_mov_b32 s13, s21\n  s_mov_b32 s14, s22\n  s_mov_b32 s15, s23\n"

// BenchmarkGCN3Memory measures loads, stores and atomics, 64 lanes, one worker. Lanes
// access neighbouring places unless said otherwise. Each is measured with the s_waitcnt
// behind it.
func BenchmarkGCN3Memory(b *testing.B) {
	for _, c := range []struct{ name, setup, body string }{
		{"s_load_dword", "", "s_load_dword s8, s[4:5], 0x8"},
		{"s_load_dwordx4", "", "s_load_dwordx4 s[8:11], s[0:1], 0x0"},
		{"s_load_dwordx8", "", "s_load_dwordx8 s[8:15], s[0:1], 0x0"},
		{"s_buffer_load_dword", descriptor, "s_buffer_load_dword s8, s[12:15], 0x8"},
		{"s_buffer_load_dwordx4", descriptor, "s_buffer_load_dwordx4 s[8:11], s[12:15], 0x10"},
		{"ds_read_b32", "", "ds_read_b32 v4, v1 offset:16"},
		{"ds_read_u8", "", "ds_read_u8 v4, v0"},
		{"ds_read_b64", "  v_lshlrev_b32 v1, 3, v0\n", "ds_read_b64 v[10:11], v1"},
		{"ds_read_b128", "  v_lshlrev_b32 v1, 4, v0\n", "ds_read_b128 v[10:13], v1"},
		{"ds_read2_b32", "", "ds_read2_b32 v[10:11], v1 offset0:0 offset1:64"},
		{"ds_read2_b64", "  v_lshlrev_b32 v1, 3, v0\n", "ds_read2_b64 v[10:13], v1 offset0:0 offset1:64"},
		{"ds_write_b64", "  v_lshlrev_b32 v1, 3, v0\n", "ds_write_b64 v1, v[10:11]"},
		{"ds_write_b128", "  v_lshlrev_b32 v1, 4, v0\n", "ds_write_b128 v1, v[10:13]"},
		{"ds_write2_b32", "", "ds_write2_b32 v1, v10, v11 offset0:0 offset1:64"},
		{"ds_read_b32, limit in M0", "  s_movk_i32 m0, 0x1000\n", "ds_read_b32 v4, v1 offset:16"},
		{"ds_read_b32, half of EXEC", "  s_mov_b32 exec_lo, 0x0f0f0f0f\n  s_mov_b32 exec_hi, exec_lo\n", "ds_read_b32 v4, v1"},
		{"ds_add_u32", "", "ds_add_u32 v1, v5"},
		{"ds_add_u32, one place", "  v_mov_b32 v1, 0\n", "ds_add_u32 v1, v5"},
		{"ds_add_u32, 8 places", "  v_and_b32 v1, 28, v1\n", "ds_add_u32 v1, v5"},
		{"ds_add_rtn_u32", "", "ds_add_rtn_u32 v4, v1, v5"},
		{"ds_max_rtn_i32", "", "ds_max_rtn_i32 v4, v1, v5"},
		{"ds_cmpst_rtn_b32", "", "ds_cmpst_rtn_b32 v4, v1, v5, v8"},
		{"ds_add_f32", "", "ds_add_f32 v1, v6"},
		{"ds_add_u64", "  v_lshlrev_b32 v1, 3, v0\n", "ds_add_u64 v1, v[10:11]"},
		{"flat_load_dword", "", "flat_load_dword v4, v[2:3]"},
		{"flat_load_ubyte", "", "flat_load_ubyte v4, v[2:3]"},
		{"flat_load_dwordx2", "", "flat_load_dwordx2 v[10:11], v[2:3]"},
		{"flat_load_dwordx4", "", "flat_load_dwordx4 v[10:13], v[2:3]"},
		{"flat_load_dword, half of EXEC", "  s_mov_b32 exec_lo, 0x0f0f0f0f\n  s_mov_b32 exec_hi, exec_lo\n", "flat_load_dword v4, v[2:3]"},
		{"flat_store_dword", "", "flat_store_dword v[2:3], v4"},
		{"flat_store_dwordx4", "", "flat_store_dwordx4 v[2:3], v[10:13]"},
		{"flat_atomic_add", "", "flat_atomic_add v[2:3], v5"},
		{"flat_atomic_add glc", "", "flat_atomic_add v4, v[2:3], v5 glc"},
		{"flat_atomic_cmpswap glc", "", "flat_atomic_cmpswap v4, v[2:3], v[10:11] glc"},
		{"flat_atomic_add, one place", "  v_mov_b32 v2, s0\n  v_mov_b32 v3, s1\n", "flat_atomic_add v[2:3], v5"},
		{"buffer_load_dword offen", descriptor, "buffer_load_dword v4, v1, s[12:15], 0 offen"},
		{"buffer_load_ubyte offen", descriptor, "buffer_load_ubyte v4, v1, s[12:15], 0 offen"},
		{"buffer_load_dwordx4 offen", descriptor, "buffer_load_dwordx4 v[10:13], v1, s[12:15], 0 offen"},
		{"buffer_store_dword offen", descriptor, "buffer_store_dword v4, v1, s[12:15], 0 offen"},
		{"buffer_load_dword idxen, stride 4", descriptor + "  s_or_b32 s13, s13, 0x40000\n", "buffer_load_dword v4, v0, s[12:15], 0 idxen"},
		{"buffer_load_format_x idxen, stride 4", descriptor + "  s_or_b32 s13, s13, 0x40000\n", "buffer_load_format_x v4, v0, s[12:15], 0 idxen"},
		{"buffer_atomic_add offen", descriptor, "buffer_atomic_add v5, v1, s[12:15], 0 offen"},
		{"tbuffer_load_format_x offen", descriptor, "tbuffer_load_format_x v4, v1, s[12:15], 0 offen format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT]"},
		{"buffer_load_dword, scratch", scratch, "buffer_load_dword v4, off, s[12:15], 0 offset:8"},
		{"buffer_load_dword, scratch offen", scratch + "  v_mov_b32 v1, 4\n", "buffer_load_dword v4, v1, s[12:15], 0 offen offset:8"},
		{"buffer_store_dword, scratch", scratch, "buffer_store_dword v4, off, s[12:15], 0 offset:8"},
		{"buffer_load_dwordx4, scratch", scratch, "buffer_load_dwordx4 v[10:13], off, s[12:15], 0 offset:16"},
	} {
		b.Run(c.name, func(b *testing.B) {
			out := make([]uint32, 1024)
			body := c.body + "\n  s_waitcnt vmcnt(0) lgkmcnt(0)"
			measurePer(b, load(b, gcn3Kernel(c.setup, body), "bench.s", crosslane.GCN3), crosslane.Launch{Block: crosslane.Dim3{X: 64},
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, trips)}}, 2)
		})
	}
}

// BenchmarkGCN3Waits measures kernels that use results they have not waited for: these
// are followed at run time.
func BenchmarkGCN3Waits(b *testing.B) {
	for _, c := range []struct{ name, setup, body string }{
		{"s_load_dword, never waited for", "", "s_load_dword s8, s[4:5], 0x8"},
		{"flat_load_dword, never waited for", "", "flat_load_dword v10, v[2:3]\n  v_xor_b32 v4, v10, v5"},
		{"ds_read_b32, each in its turn", "", "ds_read_b32 v10, v1\n  ds_read_b32 v11, v1 offset:4\n  s_waitcnt lgkmcnt(1)\n  v_xor_b32 v4, v10, v11"},
		{"v_readlane and its lane select", "", "v_readlane_b32 s8, v4, 3\n  v_readlane_b32 s9, v4, s8"},
	} {
		b.Run(c.name, func(b *testing.B) {
			out := make([]uint32, 1024)
			measure(b, load(b, gcn3Kernel(c.setup, c.body), "bench.s", crosslane.GCN3), crosslane.Launch{Block: crosslane.Dim3{X: 64},
				Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, trips)}})
		})
	}
}

// BenchmarkGCN3Start measures what comes before the first instruction runs: a kernel of
// 10,000 instructions loaded as a code object, lifted and compiled, with one launch of one
// wave; loading alone; and a launch of a kernel that is ready.
func BenchmarkGCN3Start(b *testing.B) {
	src := gcn3Kernel("", strings.Repeat("v_add_u32 v4, vcc, v4, v5\n  v_mac_f32 v9, v6, v7\n  v_cmp_lt_i32 vcc, v4, v5\n  s_add_u32 s8, s8, s2\n  ds_read_b32 v10, v1\n  s_waitcnt lgkmcnt(0)\n  v_cndmask_b32 v4, v4, v5, vcc\n  ", 15))
	assemble := func() []byte {
		obj, list := crosslane.Assemble([]byte(src), "bench.s", crosslane.AsmOptions{})
		if obj == nil {
			b.Fatal(list)
		}
		return obj
	}
	obj := assemble()
	launch := func(k *crosslane.Kernel) {
		out := make([]uint32, 64)
		if _, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 64}, Workers: 1,
			Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, 1)}}); err != nil {
			b.Fatal(err)
		}
	}
	kernel := func() *crosslane.Kernel { return load(b, string(obj), "bench.hsaco", crosslane.GCN3) }
	ready := load(b, gcn3Kernel("", ""), "bench.s", crosslane.GCN3)
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"assemble 10,000 instructions", func() { assemble() }},
		{"load", func() { kernel() }},
		{"load, lift, compile and run once", func() { launch(kernel()) }},
		{"launch of a ready kernel", func() { launch(ready) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			cpu := cpuTime()
			for b.Loop() {
				c.do()
			}
			if cpu := cpuTime() - cpu; cpu > 0 {
				b.ReportMetric(float64(cpu)/1e6/float64(b.N), "cpu-ms/op")
			}
		})
	}
}
