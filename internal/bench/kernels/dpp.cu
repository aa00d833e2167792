#include "gpu.h"

#define DPP(V, CTRL, ROWS, BANKS) (u32)__builtin_amdgcn_update_dpp(0, (int)(V), CTRL, ROWS, BANKS, 0)

// Prefix sums of each wave of 64 by DPP, in registers: each round scans what the round before
// left. Blocks of 256.
KERNEL SIZE(256) dpp_scan(u32 *out, u32 rounds) {
  u32 id = bid() * 256 + tid(), v = id * 2654435761u >> 8;
  ROLLED for (u32 r = 0; r < rounds; r++) {
    u32 s = v;
    s += DPP(v, 0x111, 0xf, 0xf); // row_shr:1
    s += DPP(v, 0x112, 0xf, 0xf); // row_shr:2
    s += DPP(v, 0x113, 0xf, 0xf); // row_shr:3
    s += DPP(s, 0x114, 0xf, 0xe); // row_shr:4 bank_mask:0xe
    s += DPP(s, 0x118, 0xf, 0xc); // row_shr:8 bank_mask:0xc
    s += DPP(s, 0x142, 0xa, 0xf); // row_bcast:15 row_mask:0xa
    s += DPP(s, 0x143, 0xc, 0xf); // row_bcast:31 row_mask:0xc
    v = s ^ r;
  }
  out[id] = v;
}

// What moves data in a wave of 64: three ways of ds_bpermute, ds_permute, two swizzles.
KERNEL SIZE(256) bpermute(u32 *out, u32 rounds) {
  u32 id = bid() * 256 + tid(), lane = tid() & 63, v = id * 2654435761u >> 8;
  ROLLED for (u32 r = 0; r < rounds; r++) {
    u32 a = __builtin_amdgcn_ds_bpermute((lane ^ 32) * 4, v);
    u32 b = __builtin_amdgcn_ds_bpermute(v * 4, v);
    u32 c = __builtin_amdgcn_ds_bpermute((lane + r) * 4, v);
    u32 d = __builtin_amdgcn_ds_permute((lane * 5 + r) * 4, v);
    u32 e = __builtin_amdgcn_ds_swizzle(v, 0x401f); // swap 16
    u32 f = __builtin_amdgcn_ds_swizzle(v, 0x801b); // quad_perm 3, 2, 1, 0
    v = (a + b) ^ (c + d) ^ (e + f);
  }
  out[id] = v;
}
