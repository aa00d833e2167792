// Loads that go past the caches, with glc, and a store to memory by scalars: gfx942 says
// sc0 and nt, gfx1100 has no scalar stores.
// check: --target gfx942
// check: --target gfx1100
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  flat_load_dword v1, v[2:3] glc // want not-on-target
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  s_store_dword s6, s[4:5], 0x0 // want not-on-target
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
