// Every directive and form of expression that LLVM and Crosslane share.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl entry
.p2align 8
.type entry,@function
entry: also: s_nop 0 ; comment
s_nop 1 // comment
# a whole line
/* a comment of
two lines */ s_nop 3
s_branch also
s_branch .
s_branch 1f
1: s_nop 5
s_branch 1b
x = 5
y = x*3 + (1<<4)
.set z, 0x10
.equ w, z | 1
.equiv v, 'a'
s_nop y-x-16
s_nop (w & 7) + !0 + (1 == 1)
.if y == 31
s_nop 7
.else
s_nop 8
.endif
.if 0
bad
.elseif x > 4
s_nop 9
.else
worse
.endif
.ifdef nowhere
bad
.endif
.ifndef nowhere
s_nop 10
.endif
.ifb
s_nop 11
.endif
.ifeqs "a","a"
s_nop 12
.endif
.macro two a, b=3, c:req
 s_nop \a
 s_nop \b
label\@: s_branch label\@
.ifnb \c
 s_nop \c
.endif
.endm
two 1,,2
two c=4, a=5
.macro nest n
.if \n
 s_nop \n
 nest \n-1
.endif
.endm
nest 3
.macro all args:vararg
.long \args
.endm
.rept 2
s_nop 9
.endr
.irp r,1,2,3
s_nop \r
.endr
.irpc r,123
s_nop \r
.endr
s_mov_b32 s0, x
s_mov_b32 s0, also-entry
s_mov_b32 s0, later-entry
s_load_dword s0, s[4:5], x
s_movk_i32 s0, y
v_mov_b32 v[x], v[x+1]
s_mov_b64 s[x+1:x+2], 0
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, table@rel32@lo+4
s_addc_u32 s1, s1, table@rel32@hi+12
s_getpc_b64 s[2:3]
s_add_u32 s2, s2, hid@gotpcrel32@lo+4
s_addc_u32 s3, s3, hid@gotpcrel32@hi+12
s_add_u32 s2, s2, later
v_add_f32 v1, 1.0, v1 ; s_nop 0
.p2align 4
s_nop 0
later: s_cbranch_scc0 entry
s_endpgm
.size entry, .-entry
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel entry
.amdhsa_next_free_vgpr max(x, 3, y)
.amdhsa_next_free_sgpr 4*4
.amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_dispatch_id x-4
.amdhsa_system_vgpr_workitem_id 2
.amdhsa_system_sgpr_workgroup_info 1
.amdhsa_reserve_flat_scratch 0
.amdhsa_ieee_mode 0
.amdhsa_float_round_mode_32 3
.amdhsa_exception_int_div_zero 1
.amdhsa_group_segment_fixed_size 1024*2
.end_amdhsa_kernel
.p2align 2
table:
.long 5, later-entry, entry-., 0xffffffff, -1
all 1, 2, 3
.quad 0x123456789abcdef0, -1
.short 1, 0xffff, -32768
.int 3
.2byte 2
.4byte 3
.8byte 4
.octa 0x123456789abcdef0123456789
.ascii "abc\n\001\x41", "d\\e\"f"
.asciz "x", "y"
.string "q ; no comment // here"
.byte 1, 'b', 0xff, -128
.zero 4
.skip 4, 1
.space 2
.fill 3, 2, 0x1234
.fill 2, 8, -2
.float 1.5, -0.25
.double 2.5
.balign 8
.uleb128 300
.sleb128 -300
.data
.hidden hid
.globl hid
.type hid,@object
hid: .quad entry
.quad hid+8
.quad loc
loc: .quad table
.size hid, 8
.weak soft
soft: .long 1
.bss
.globl zeros
zeros: .zero 100
.pushsection .rodata
.byte 7
.popsection
.zero 28
.local far
.section .init_array,"aw",@init_array
.p2align 3
.quad loc
.section .tt,"ax",@progbits
s_nop 0
.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: entry
    .symbol: entry.kd
    .kernarg_segment_size: 0x10
    .group_segment_fixed_size: 2048
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 31
    .max_flat_workgroup_size: 256
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .name: 'a#1', .address_space: global }
.end_amdgpu_metadata
