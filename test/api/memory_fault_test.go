package api_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// A memoryFault is an access of a kernel with a buffer "out" of 7 words that no memory backs, and
// the parts of its message: the lanes, the distance and the remedy.
type memoryFault struct {
	name, decl, local, body string
	code                    string
	message                 string // regular expression, behind the code
	lanes                   string
	remedy                  string
}

// The pieces of remedies.
const (
	checkIndex   = "number of elements"
	checkNull    = "where the pointer comes from"
	checkShared  = ".shared variable"
	checkLocal   = ".local variable"
	checkParams  = "parameters that the kernel declares"
	checkMalloc  = "bytes that malloc was asked for"
	checkAlign   = "align the address"
	checkLDS     = ".amdhsa_group_segment_fixed_size"
	checkScratch = ".amdhsa_private_segment_fixed_size"
	stays        = "not constant"
)

// Every space of PTX, and every way out of it.
func TestMemoryFaultsPTX(t *testing.T) {
	t.Parallel()
	const (
		index = "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n"
		tab   = ".u32 tab[4];"
		gen   = "cvta.shared.u64 %rd1, %rd1;\n"
		heap  = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n"
		alloc = "{\n.param .b64 n; .param .b64 r;\nst.param.b64 [n], 40;\ncall.uni (r), malloc, (n);\nld.param.b64 %rd1, [r];\n}\n"
		free  = "{\n.param .b64 p;\nst.param.b64 [p], %rd1;\ncall.uni free, (p);\n}\n"
	)
	for _, c := range []memoryFault{
		{"global end", "", "", index + "st.global.u32 [%rd1], %r0;", "out-of-bounds", `st.global.u32: lane 7 of wave 0 in block \(0,0,0\) writes 4 bytes at global address 0x20000001c: just past the end of "out" \(28 bytes\); lanes 8-31, too`, "7-31", checkIndex},
		{"global before", "", "", index + "ld.global.u32 %r1, [%rd1+-16];", "out-of-bounds", `lane 0 .*reads 4 bytes .*: 16 bytes before the start of "out" \(28 bytes\); lanes 1-3, 11-31, too`, "0-3, 11-31", checkIndex},
		{"global straddles", "", "", "st.global.u64 [%rd0+24], %rd0;", "out-of-bounds", `writes 8 bytes .*: the last 4 of these bytes are past the end of "out" \(28 bytes\)`, "0-31", checkIndex},
		{"global vector", "", "", "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd0+16];", "out-of-bounds", `reads 4 bytes .*: just past the end of "out"`, "0-31", checkIndex},
		{"global far", "", "", "add.u64 %rd1, %rd0, 0x4000000000;\nld.global.u32 %r1, [%rd1];", "out-of-bounds", "it is near no allocation", "0-31", checkIndex},
		{"one lane", "", "", "setp.eq.u32 %p1, %r0, 9;\n@%p1 st.global.u32 [%rd0+32], %r0;", "out-of-bounds", `lane 9 .*: 4 bytes past the end of "out" \(28 bytes\)$`, "9", checkIndex},
		{"null", "", "", "mov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1+8];", "out-of-bounds", "8 bytes past a null pointer", "0-31", checkNull},
		{"wrap", "", "", "mov.u64 %rd1, -8;\nld.global.u64 %rd2, [%rd1];", "out-of-bounds", "8 bytes before a null pointer", "0-31", checkNull},
		{"misaligned", "", "", index + "st.global.u32 [%rd1+2], %r0;", "misaligned", "writes 4 bytes .*multiple of 4", "0-31", checkAlign},
		{"atomic", "", "", index + "atom.global.add.u32 %r1, [%rd1], 1;", "out-of-bounds", "lane 7 .*updates 4 bytes .*just past the end", "7-31", checkIndex},
		{"variable", ".global " + tab, "", "mov.u64 %rd1, tab;\nld.global.u32 %r1, [%rd1+20];", "out-of-bounds", `4 bytes past the end of "tab" \(16 bytes\)`, "0-31", checkIndex},
		{"const", ".const " + tab, "", "mov.u64 %rd1, tab;\nld.const.u32 %r1, [%rd1+16];", "out-of-bounds", `just past the end of "tab" \(16 bytes\)`, "0-31", checkIndex},
		{"const write", ".const " + tab, "", "mov.u64 %rd1, tab;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1], %r0;", "write-to-const", `"tab" is constant memory`, "0-31", stays},
		{"param", "", "", "mov.u64 %rd1, out;\nld.param.u32 %r1, [%rd1+16];", "out-of-bounds", "8 bytes past the end: the kernel's parameters have 8 bytes", "0-31", checkParams},
		{"param scalar", "", "", "ld.param.u32 %r1, [out+8];", "out-of-bounds", "just past the end: the kernel's parameters have 8 bytes", "0-31", checkParams},
		{"shared end", ".shared " + tab, "", "mov.u64 %rd1, tab;\nst.shared.u32 [%rd1+16], %r0;", "out-of-bounds", "just past the end: shared memory of the block has 16 bytes", "0-31", checkShared},
		{"shared before", ".shared " + tab, "", "mov.u32 %r1, tab;\nadd.u32 %r1, %r1, -4;\nst.shared.u32 [%r1], %r0;", "out-of-bounds", "4 bytes before the start: shared memory of the block has 16 bytes", "0-31", checkShared},
		{"shared straddles", ".shared .align 8 .u32 tab[3];", "", "st.shared.u64 [tab+8], %rd0;", "out-of-bounds", "the last 4 of these bytes are past the end: shared memory of the block has 12 bytes", "0-31", checkShared},
		{"shared dynamic", ".extern .shared .u32 tab[];", "", "mul.wide.u32 %rd1, %r0, 4;\nmov.u64 %rd2, tab;\nadd.u64 %rd1, %rd1, %rd2;\nst.shared.u32 [%rd1], %r0;", "out-of-bounds", "lane 4 .*just past the end: shared memory of the block has 16 bytes", "4-31", "--shared"},
		{"shared generic", ".shared " + tab, "", "mov.u64 %rd1, tab;\n" + gen + "st.u32 [%rd1+20], %r0;", "out-of-bounds", "4 bytes past the end: shared memory of the block has 16 bytes", "0-31", checkShared},
		{"shared generic before", ".shared " + tab, "", "mov.u64 %rd1, tab;\n" + gen + "st.u32 [%rd1+-8], %r0;", "out-of-bounds", "8 bytes before the start of shared memory of the block", "0-31", checkShared},
		{"cluster", ".shared " + tab, "", "mov.u32 %r1, tab;\nmapa.shared::cluster.u32 %r2, %r1, 0;\nst.shared::cluster.u32 [%r2+16], %r0;", "out-of-bounds", "just past the end: shared memory of the block has 16 bytes", "0-31", checkShared},
		{"local end", "", ".local " + tab, "mov.u64 %rd1, tab;\nst.local.u32 [%rd1+24], %r0;", "out-of-bounds", "8 bytes past the end: private memory of the lane has 16 bytes", "0-31", checkLocal},
		{"local before", "", ".local " + tab, "mov.u64 %rd1, tab;\nst.local.u32 [%rd1+-4], %r0;", "out-of-bounds", "4 bytes before the start: private memory of the lane", "0-31", checkLocal},
		{"local generic", "", ".local " + tab, "mov.u64 %rd1, tab;\ncvta.local.u64 %rd1, %rd1;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd1, %rd1, %rd2;\nst.u32 [%rd1], %r0;", "out-of-bounds", "lane 4 .*just past the end: private memory of the lane", "4-31", checkLocal},
		{"heap end", heap, "", alloc + "st.u32 [%rd1+40], %r0;", "out-of-bounds", `just past the end of malloc#1 \(40 bytes\)`, "0-31", checkMalloc},
		{"heap vector", heap, "", alloc + "st.v4.u32 [%rd1+32], {%r0,%r0,%r0,%r0};", "out-of-bounds", `just past the end of malloc#1 \(40 bytes\)`, "0-31", checkMalloc},
		{"heap before", heap, "", alloc + "st.u32 [%rd1+-4], %r0;", "out-of-bounds", `4 bytes before the start of malloc#1`, "0-31", checkMalloc},
		{"use after free", heap, "", alloc + free + "ld.u32 %r1, [%rd1+8];", "use-after-free", `8 bytes inside malloc#1 \(40 bytes\), which was freed`, "0-31", "after its last use"},
		{"double free", heap, "", alloc + free + free, "bad-free", `malloc#1 \(40 bytes\), which was freed`, "0", "free"},
	} {
		src := ".version 8.5\n.target sm_90\n.address_size 64\n" + c.decl + "\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n" +
			c.local + "\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n" + c.body + "\nret;\n}\n"
		c.run(t, crosslane.PTX, src, crosslane.Dim3{X: 32}, 16, "PTX 9.7")
	}
}

// The same of GCN3.
func TestMemoryFaultsGCN3(t *testing.T) {
	t.Parallel()
	const (
		m0 = "s_mov_b32 m0, -1\n"
		at = "s_load_dwordx2 s[6:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v5, s7\nv_add_u32 v4, vcc, s6, v1\nv_addc_u32 v5, vcc, 0, v5, vcc\n"
		// The aperture of LDS is the window of shared memory.
		lds = "v_mov_b32 v5, 0x10000\n"
	)
	for _, c := range []memoryFault{
		{"flat end", "", "", at + "flat_store_dword v[4:5], v0", "out-of-bounds", `flat_store_dword: lane 7 of wave 0 in block \(0,0,0\) writes 4 bytes at generic address 0x[0-9a-f]+: just past the end of "out" \(28 bytes\); lanes 8-63, too`, "7-63", checkIndex},
		{"flat before", "", "", at + "v_subrev_u32 v4, vcc, 8, v4\nflat_load_dword v2, v[4:5]", "out-of-bounds", `lane 0 .*reads 4 bytes .*: 8 bytes before the start of "out"`, "0-1, 9-63", checkIndex},
		{"flat straddles", "", "", at + "flat_load_dwordx2 v[2:3], v[4:5]", "out-of-bounds", `lane 6 of.*just past the end of "out" \(28 bytes\)|lane 7`, "", checkIndex},
		{"flat null", "", "", "v_mov_b32 v4, 16\nv_mov_b32 v5, 0\nflat_load_dword v2, v[4:5]", "out-of-bounds", "16 bytes past a null pointer", "0-63", checkNull},
		{"flat atomic misaligned", "", "", at + "v_add_u32 v4, vcc, 2, v4\nflat_atomic_add v[4:5], v0", "misaligned", "updates 4 bytes .*multiple of 4", "0-63", checkAlign},
		{"flat LDS", "", "", m0 + lds + "v_lshlrev_b32 v4, 2, v0\nflat_store_dword v[4:5], v0", "out-of-bounds", "lane 16 .*just past the end: shared memory of the block has 64 bytes; lanes 17-63, too", "16-63", checkLDS},
		{"flat scratch", "", "", "v_mov_b32 v5, 0x20000\nv_lshlrev_b32 v4, 2, v0\nflat_store_dword v[4:5], v0", "out-of-bounds", "lane 8 .*just past the end: private memory of the lane has 32 bytes; lanes 9-63, too", "8-63", checkScratch},
		{"ds end", "", "", m0 + "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0 offset:4", "out-of-bounds", "lane 15 .*just past the end: shared memory of the block has 64 bytes; lanes 16-63, too", "15-63", checkLDS},
		{"ds straddles", "", "", m0 + "v_mov_b32 v1, 60\nds_write_b64 v1, v[0:1] offset:4", "out-of-bounds", "shared memory of the block has 64 bytes", "0-63", checkLDS},
		{"ds misaligned", "", "", m0 + "v_mov_b32 v1, 2\nds_read_b32 v2, v1", "misaligned", "reads 4 bytes .*multiple of 4", "0-63", checkAlign},
		{"smem", "", "", "s_load_dwordx2 s[6:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_load_dwordx2 s[8:9], s[6:7], 0x18", "out-of-bounds", `^s_load_dwordx2: wave 0 in block \(0,0,0\) reads .*past the end of "out" \(28 bytes\)`, "", checkIndex},
		{"code write", "", "", "s_getpc_b64 s[4:5]\nv_mov_b32 v4, s4\nv_mov_b32 v5, s5\nflat_store_dword v[4:5], v0", "write-to-const", `"code object" is constant memory`, "0-63", "code"},
		{"kernarg write", "", "", "v_mov_b32 v4, s0\nv_mov_b32 v5, s1\nflat_store_dword v[4:5], v0", "write-to-const", `"kernarg segment" is constant memory`, "0-63", "kernel arguments"},
	} {
		c.run(t, crosslane.GCN3, fmt.Sprintf(gcn3Faulty, c.body), crosslane.Dim3{X: 64}, 0, "GCN3 ISA 12")
	}
}

func (c *memoryFault) run(t *testing.T, isa crosslane.ISA, src string, block crosslane.Dim3, shared uint32, section string) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k", isa)
	if err != nil {
		t.Errorf("%s: %v\n%s", c.name, err, src)
		return
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(src, ".extern .shared") {
		shared = 0
	}
	out := &crosslane.Buffer{Name: "out", Type: crosslane.U32, Data: make([]byte, 28)}
	_, err = k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: block, Shared: shared, Args: []crosslane.Arg{out}})
	var d *diag.Diagnostic
	for _, x := range diag.Of(err) {
		if x.Class == diag.Fault {
			d = x
		}
	}
	if d == nil {
		t.Errorf("%s: no fault: %v", c.name, err)
		return
	}
	switch {
	case d.Code != c.code:
		t.Errorf("%s: [%s], want [%s]: %s", c.name, d.Code, c.code, d.Message)
	case !regexp.MustCompile(c.message).MatchString(d.Message):
		t.Errorf("%s: %s\nwant %s", c.name, d.Message, c.message)
	case c.lanes != "" && d.Lanes != c.lanes:
		t.Errorf("%s: lanes %s, want %s: %s", c.name, d.Lanes, c.lanes, d.Message)
	case !strings.Contains(d.Remedy, c.remedy):
		t.Errorf("%s: remedy %q, want %q", c.name, d.Remedy, c.remedy)
	case !strings.Contains(d.Section, section) && c.code != "bad-free":
		t.Errorf("%s: section %q, want %q", c.name, d.Section, section)
	}
}

const gcn3Faulty = `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
%s
s_endpgm
.Lend:
.size k, .Lend-k
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 64
  .amdhsa_private_segment_fixed_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 64
    .private_segment_fixed_size: 32
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
`
