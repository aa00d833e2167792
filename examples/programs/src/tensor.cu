#include "device.h"

// mma.sync with the fragments made by hand, as the ISA lays them out: lane 4g + t
// has row g (and g + 8), columns or depths from 2t or t on.
#define G (lane() / 4)
#define T (lane() % 4)

FN void mma_f16(float *d, const u32 *a, const u32 *b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
FN u32 shared_address(const void *p) { return (u32)(u64)(__attribute__((address_space(3))) const void *)p; }

// c = a b, 16 x 8 a warp: halves come by cp.async into two buffers and by ldmatrix
// into registers, b by columns through .trans.
KERNEL gemm_f16(const u16 *a, const u16 *b, float *c, u32 n, u32 k) {
  __shared__ alignas(16) u16 ta[2][16 * 16], tb[2][16 * 8];
  u32 l = lane(), row = bidy() * 16, col = bid() * 8;
  float d[4] = {0, 0, 0, 0};
  auto fetch = [&](u32 i) {
    if (i < k) {
      u32 s = i / 16 & 1;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&ta[s][l * 8])), "l"(a + (row + l / 2) * k + i + l % 2 * 8) : "memory");
      if (l < 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tb[s][l * 8])), "l"(b + (i + l) * n + col) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  ROLLED for (u32 i = 0; i < k; i += 16) {
    fetch(i + 16);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __nvvm_bar_warp_sync(ALL);
    u32 s = i / 16 & 1, fa[4], fb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(shared_address(&ta[s][l % 16 * 16 + l / 16 * 8])) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(shared_address(&tb[s][l % 16 * 8])) : "memory");
    mma_f16(d, fa, fb);
    __nvvm_bar_warp_sync(ALL);
  }
  float *o = c + (row + G) * n + col + 2 * T;
  o[0] = d[0];
  o[1] = d[1];
  o[8 * n] = d[2];
  o[8 * n + 1] = d[3];
}

// One tile of each other type; b is stored by columns.
KERNEL mma_bf16(const u32 *a, const u32 *b, float *c) {
  float d[4] = {0, 0, 0, 0};
  u32 g = G, t = T;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]), "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  for (int i = 0; i < 4; i++) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

KERNEL mma_tf32(const float *a, const float *b, float *c) {
  float d[4] = {0, 0, 0, 0};
  u32 g = G, t = T, r[6];
  const float *from[6] = {a + g * 8 + t, a + (g + 8) * 8 + t, a + g * 8 + t + 4, a + (g + 8) * 8 + t + 4, b + g * 8 + t, b + g * 8 + t + 4};
#pragma unroll
  for (int i = 0; i < 6; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(*from[i]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  for (int i = 0; i < 4; i++) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

KERNEL mma_s8(const u32 *a, const u32 *b, int *c) {
  int d[4] = {1, 2, 3, 4};
  u32 g = G, t = T;
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]), "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  for (int i = 0; i < 4; i++) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

KERNEL mma_f64(const double *a, const double *b, double *c, u32 k) {
  double d[2] = {0, 0};
  u32 g = G, t = T;
  ROLLED for (u32 i = 0; i < k; i += 4)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[0]), "+d"(d[1]) : "d"(a[g * k + i + t]), "d"(b[g * k + i + t]));
  c[g * 8 + 2 * t] = d[0];
  c[g * 8 + 2 * t + 1] = d[1];
}

// An 8 x 8 matrix of halves, transposed in registers.
KERNEL turn(const u32 *in, u32 *out) {
  u32 v = in[lane()];
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(v));
  out[lane()] = v;
}
