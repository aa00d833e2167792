package api_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// badKernel is a kernel k of the given lines: its buffer is s[0:1], then v[2:3] is the
// address of the work-item's dword, v1 its offset. LDS has 64 bytes.
func badKernel(lines string) string {
	return `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
` + strings.ReplaceAll(lines, ";", "\n") + `
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 64
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 64
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
`
}

// Bad GCN3 kernels, in a workgroup of two wavefronts on a buffer of 32 dwords, and the text of the
// message. The place is that of the instruction at fault, line 13 unless want begins otherwise.
func TestBadGCN3(t *testing.T) {
	t.Parallel()
	const (
		endless = diag.Timeout
		oob     = `: lane 32 of wave 0 in block \(0,0,0\) (writes|reads|updates) 4 bytes at (generic|global) address 0x[0-9a-f]+: just past the end of "out" \(128 bytes\); lanes 33-63, too \[out-of-bounds\]`
	)
	for _, c := range []struct {
		name, lines string
		class       diag.Class
		want        string // "": no error
	}{
		{"branch behind the code", "s_branch .+40000; s_endpgm", diag.Input, `13:\d+: error: s_branch goes to offset 0x[0-9a-f]+, outside the code of \d+ bytes \[code-outside\]`},
		{"branch before the code", "s_cbranch_scc0 .-4000; s_endpgm", diag.Input, `13:\d+: error: s_cbranch_scc0 goes to offset -0x[0-9a-f]+, outside the code`},
		{"no end", "v_mov_b32 v1, v0", diag.Input, `13:\d+: error: control runs past the end of the code, \d+ bytes, after v_mov_b32`},
		{"illegal word", "s_nop 0; .long 0xbf800000, 0xbf9f0000; s_endpgm", diag.Input, `14:2: error: dword 0xbf9f0000: SOPP has no opcode 31 \[illegal-instruction\]`},
		{"illegal VOP3", ".long 0xd2ff0000, 0; s_endpgm", diag.Input, `13:1: error: dword 0xd2ff0000: VOP3A has no opcode 767`},
		{"cut", ".long 0xd1c10000", diag.Input, `13:1: error: v_mad_f32 has 8 bytes, but only 4 are left`},
		{"FLAT store", "flat_store_dword v[2:3], v0; s_endpgm", diag.Fault, `13:\d+: error: flat_store_dword` + oob},
		{"FLAT load", "flat_load_dword v4, v[2:3]; s_endpgm", diag.Fault, `flat_load_dword` + oob},
		{"FLAT atomic", "flat_atomic_add v[2:3], v0; s_endpgm", diag.Fault, `flat_atomic_add` + oob},
		{"FLAT misaligned atomic", "v_add_u32 v2, vcc, 2, v2; flat_atomic_add v[2:3], v0; s_endpgm", diag.Fault, `14:.*lane 0 of wave 0 .*the address must be a multiple of 4; lanes 1-63, too \[misaligned\]`},
		{"MUBUF", "s_mov_b32 s2, -1; s_mov_b32 s3, 0x27000; s_and_b32 s1, s1, 0xffff; buffer_store_dword v0, v1, s[0:3], 0 offen; s_endpgm", diag.Fault, `16:\d+: error: buffer_store_dword` + oob},
		{"SMEM", "s_load_dword s2, s[0:1], 0x400; s_waitcnt lgkmcnt(0); s_endpgm", diag.Fault, `s_load_dword: wave 0 in block \(0,0,0\) reads 4 bytes at generic address 0x[0-9a-f]+: 896 bytes past the end of "out" \(128 bytes\)`},
		{"null pointer", "s_mov_b64 s[2:3], 0; s_load_dword s4, s[2:3], 0x10; s_endpgm", diag.Fault, `address 0x10: it is 16 bytes past a null pointer`},
		{"scratch that there is not", "s_mov_b32 s4, 0; s_mov_b32 s5, 0x80008000; s_mov_b32 s6, 4096; s_mov_b32 s7, 0xea4fac; buffer_store_dword v0, off, s[4:7], 0 offset:16; s_endpgm", diag.Fault, `17:.*out-of-bounds`},
		{"LDS", "s_mov_b32 m0, -1; ds_write_b32 v1, v0; s_endpgm", diag.Fault, `14:\d+: error: ds_write_b32: lane 16 of wave 0 .*: just past the end: shared memory of the block has 64 bytes`},
		{"LDS misaligned", "s_mov_b32 m0, -1; v_and_b32 v1, 31, v0; ds_write_b32 v1, v0; s_endpgm", diag.Fault, `15:.*lane 1 of wave 0 .*shared address 0x1: the address must be a multiple of 4`},
		{"GDS", "s_mov_b32 m0, 0x40; ds_add_u32 v1, v0 gds; s_endpgm", diag.Finding, `ds_add_u32: lanes 16-63 access memory beyond the limit in M0.*\[lds-limit\]`},
		{"M0", "s_mov_b32 m0, 32; v_and_b32 v1, 63, v1; ds_write_b32 v1, v0; s_endpgm", diag.Finding, `lds-limit`},
		{"no such register", "s_mov_b32 m0, 100; v_movrels_b32 v1, v0; s_endpgm", diag.Fault, `14:.*v_movrels_b32.*M0 gives the register number 100, which the kernel does not have`},
		{"loop of one", "L: s_branch L", endless, `13:\d+: error: the time limit of 30ms was reached`},
		{"loop with barriers", "L: s_barrier; s_branch L", endless, `the time limit of 30ms was reached`},
		{"loop of one wavefront", "v_cmp_gt_u32 vcc, 64, v0; s_cbranch_vccz E; s_barrier; s_endpgm; E: s_sleep 1; s_branch E", endless, `1[78]:\d+: error: the time limit`},
		{"trap", "s_trap 2; s_endpgm", diag.Fault, `13:\d+: error: s_trap`},
		{"halt", "s_sethalt 1; s_endpgm", diag.Fault, `13:\d+: error: s_sethalt`},
		{"message", "s_sendmsg sendmsg(MSG_INTERRUPT); s_endpgm", diag.Unsupported, `13:\d+: error: s_sendmsg: it interrupts the host, and the launch has no runtime that waits for that`},
		{"unknown jump", "s_mov_b64 s[2:3], 0x1234; s_setpc_b64 s[2:3]", diag.Unsupported, `14:\d+: error: s_setpc_b64 at offset 0x24: the address that it goes to is not known`},
		// A wavefront that has ended is not waited for: GCN3 ISA, s_barrier.
		{"barrier after an end", "v_cmp_gt_u32 vcc, 64, v0; s_cbranch_vccz E; s_barrier; s_barrier; E: s_endpgm", 0, ""},
		{"different barriers", "v_cmp_gt_u32 vcc, 64, v0; s_cbranch_vccz E; s_barrier; s_endpgm; E: s_barrier; s_barrier; s_endpgm", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := crosslane.Load([]byte(badKernel(c.lines)), "k", crosslane.Auto)
			var res *crosslane.Result
			if err == nil {
				var k *crosslane.Kernel
				if k, err = m.Kernel("k"); err != nil {
					t.Fatal(err)
				}
				l := crosslane.Launch{Block: crosslane.Dim3{X: 128}, Timeout: 20 * time.Second, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 32))}}
				if c.class == endless {
					l.Timeout = 30 * time.Millisecond
				}
				res, err = k.Run(context.Background(), l)
			}
			switch {
			case c.want == "":
				if err != nil || len(res.Findings) > 0 {
					t.Errorf("%v", err)
				}
				return
			case c.class == diag.Finding && err == nil:
				err = res.Findings
			}
			if err == nil {
				t.Fatal("no error")
			}
			if d := diag.Of(err)[0]; d.Class != c.class || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("class %v, want %v: %v\nwant %s", d.Class, c.class, err, c.want)
			}
		})
	}
}
