// Code of a version 2 code object: two kernels, each with its amd_kernel_code_t in
// front, as numbers, because LLVM 22 has no directives for it. gen.sh makes v2.text of it.
	.text

// struct KERNEL, PROPERTIES, RSRC2, PRIVATE, GROUP: an amd_kernel_code_t.
.macro struct name, props, rsrc2, private, group
	.p2align 8
	.globl \name
\name:
	.long 1, 2              // version 1.2
	.short 1, 8, 0, 3       // AMDGPU, 8.0.3
	.quad 256               // kernel_code_entry_byte_offset
	.quad 0, 0, 0           // prefetch, scratch backing
	.long 0x00ac01c1        // rsrc1: 8 VGPRs, 64 SGPRs, denormals of f16 and f64, DX10 clamp, IEEE
	.long \rsrc2
	.long \props
	.long \private, \group, 0
	.quad 24                // kernarg bytes
	.long 0                 // fbarriers
	.short 50, 8            // SGPRs, VGPRs
	.short 0, 0, 0, 0       // reserved
	.short 0, 0             // of a debugger
	.byte 4, 4, 4, 6        // alignments, wavefront size
	.long -1                // call convention
	.long 0, 0, 0           // reserved
	.long 0, 0              // runtime_loader_kernel_symbol: at byte 120
	.fill 128, 1, 0
.endm

// put REGISTER stores a scalar at v[3:4] and goes on by a row of 4096 bytes.
.macro put reg
	v_mov_b32 v5, \reg
	flat_store_dword v[3:4], v5
	v_add_u32 v3, vcc, 0x1000, v3
	v_addc_u32 v4, vcc, 0, v4, vcc
.endm
.macro putv reg
	flat_store_dword v[3:4], \reg
	v_add_u32 v3, vcc, 0x1000, v3
	v_addc_u32 v4, vcc, 0, v4, vcc
.endm

// at GROUP, KERNARG: v[3:4] is the first argument plus 4 times the work-item of a block of
// 5,3,2 in group number GROUP.
.macro at group, kernarg
	s_load_dwordx2 s[30:31], \kernarg, 0x0
	v_mul_u32_u24 v5, 5, v1
	v_add_u32 v5, vcc, v5, v0
	v_mul_u32_u24 v3, 15, v2
	v_add_u32 v5, vcc, v5, v3
	s_mul_i32 s32, \group, 30
	v_add_u32 v5, vcc, s32, v5
	v_lshlrev_b32 v5, 2, v5
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v4, s31
	v_add_u32 v3, vcc, s30, v5
	v_addc_u32 v4, vcc, 0, v4, vcc
.endm

// Everything: s[0:3] scratch, s[4:5] packet, s[6:7] queue, s[8:9] kernarg, s[10:11] dispatch
// id, s[12:13] flat scratch, s14 private size, s15 workgroups in x (y and z are beyond
// the 16th), s16, s17, s18 workgroup, s19 info, s20 scratch offset.
	struct all, 0x000a03ff, (16<<1|1|7<<7|1<<10|2<<11), 40, 0
	s_load_dword s33, s[4:5], 0xc     // grid size x
	s_load_dwordx2 s[34:35], s[4:5], 0x28 // kernarg
	s_waitcnt lgkmcnt(0)
	at s16, s[8:9]
	put s12
	put s13
	put s14
	put s15
	put s16
	put s17
	put s18
	put s19
	put s33
	s_cmp_eq_u64 s[34:35], s[8:9]
	s_cselect_b32 s33, 1, 0
	put s33
	putv v0
	putv v1
	putv v2
	s_endpgm

// The numbers of workgroups: s[0:1] kernarg, s2, s3, s4; s5 workgroup.
	struct counts, 0x000a0388, (5<<1|1<<7|2<<11), 0, 16
	at s5, s[0:1]
	put s2
	put s3
	put s4
	s_load_dword s6, s[0:1], 0x8
	s_load_dword s7, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	put s6
	put s7
	s_endpgm
