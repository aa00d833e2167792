#include "warp.h"

#define SHF(NAME, OP)                                                  \
  __device__ static inline u32 NAME(u32 lo, u32 hi, u32 n) {           \
    u32 d;                                                             \
    asm(OP " %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n));   \
    return d;                                                          \
  }
SHF(shf_l_wrap, "shf.l.wrap.b32")
SHF(shf_r_wrap, "shf.r.wrap.b32")
SHF(shf_l_clamp, "shf.l.clamp.b32")
SHF(shf_r_clamp, "shf.r.clamp.b32")

// n = 0, 31, 32, 33 and beyond: where wrap and clamp part. Four words per thread.
KERNEL funnel_modes(const u32 *lo, const u32 *hi, const u32 *n, u32 *out) {
  u32 i = global_id();
  u32 a = lo[i], b = hi[i], c = n[i];
  out[4 * i + 0] = shf_l_wrap(a, b, c);
  out[4 * i + 1] = shf_r_wrap(a, b, c);
  out[4 * i + 2] = shf_l_clamp(a, b, c);
  out[4 * i + 3] = shf_r_clamp(a, b, c);
}

// Byte selection, which has no portable spelling.
KERNEL byte_perm(const u32 *a, const u32 *b, const u32 *sel, u32 *out) {
  u32 i = global_id();
  out[4 * i + 0] = __nvvm_prmt(a[i], b[i], sel[i]);
  out[4 * i + 1] = __nvvm_prmt(a[i], b[i], 0x0123);
  out[4 * i + 2] = __nvvm_prmt(a[i], b[i], 0x7531);
  out[4 * i + 3] = __nvvm_prmt(a[i], b[i], 0xba98);
}
