#include "peer.h"

#define GROUPS 4 // of registers at a time

PEER(gather_table) {
  u32 *out = b[0];
  const u32 *table = b[1];
  u32 mask = s[0];
  vu lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += W * GROUPS) {
    vu v[GROUPS], sum[GROUPS] = {};
    for (int g = 0; g < GROUPS; g++) v[g] = (id + g * W + lane) * 2654435761u + 12345u;
    for (u32 i = 0; i < s[1]; i++)
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        v[g] = v[g] * 1664525u + 1013904223u;
        sum[g] += gather(table, v[g] >> 7 & mask);
      }
    for (int g = 0; g < GROUPS; g++) STORE(vu, out + id + g * W, sum[g]);
  }
}

// Four tables, so that one count need not wait for the one before.
PEER(histogram_shared) {
  const u32 *in = b[0];
  u32 *bins = b[1];
  for (u32 block = 0; block < x; block++) {
    u32 mine[4][256] = {};
    for (u32 i = 0; i < 4096; i++) {
      u32 v = in[(size_t)block * 4096 + i];
      mine[0][v & 255]++;
      mine[1][v >> 8 & 255]++;
      mine[2][v >> 16 & 255]++;
      mine[3][v >> 24]++;
    }
    for (u32 i = 0; i < 256; i++) bins[i] += mine[0][i] + mine[1][i] + mine[2][i] + mine[3][i];
  }
}

PEER(histogram_global) {
  const u32 *in = b[0];
  u32 *bins = b[1];
  for (size_t i = 0; i < (size_t)x * 4096; i++)
    for (u32 j = 0; j < 32; j += 8) __atomic_fetch_add(&bins[in[i] >> j & 255], 1, __ATOMIC_RELAXED);
}

// Eight by eight words in registers: pairs, then fours, then halves change places.
static inline void square(const u32 *in, u32 *out, size_t n, size_t m) {
  u32x8 v[8], t[8];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = LOAD(u32x8, in + i * n);
#pragma unroll
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int low = i & ~2;
    v[i] = i & 2 ? __builtin_shufflevector(t[low], t[low + 2], 2, 3, 10, 11, 6, 7, 14, 15)
                 : __builtin_shufflevector(t[low], t[low + 2], 0, 1, 8, 9, 4, 5, 12, 13);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int low = i & ~4;
    u32x8 r = i & 4 ? __builtin_shufflevector(v[low], v[low + 4], 4, 5, 6, 7, 12, 13, 14, 15)
                    : __builtin_shufflevector(v[low], v[low + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    STORE(u32x8, out + i * m, r);
  }
}

PEER(transpose) {
  const u32 *in = b[0];
  u32 *out = b[1];
  size_t n = s[0], m = s[1];
  for (u32 by = 0; by < y * 32; by += 32)
    for (u32 bx = 0; bx < x * 32; bx += 32)
      for (u32 i = 0; i < 32; i += 8)
        for (u32 j = 0; j < 32; j += 8) square(in + (by + j) * n + bx + i, out + (bx + i) * m + by + j, n, m);
}

PEER(triad) {
  float *restrict a = b[0];
  const float *restrict p = b[1], *restrict q = b[2];
  (void)s, (void)y;
  for (size_t i = 0; i < (size_t)x * 256; i += 32)
    STORE(f32x32, a + i, FMA(LOAD(f32x32, q + i), SPLAT(f32x32, 3.0f), LOAD(f32x32, p + i)));
}

// Real and imaginary parts apart. A stage whose halves are narrower than a register takes
// each lane's partner by a shuffle.
#if W == 16
#define SWAP(V, D) __builtin_shufflevector(V, V, 0 ^ D, 1 ^ D, 2 ^ D, 3 ^ D, 4 ^ D, 5 ^ D, 6 ^ D, 7 ^ D, 8 ^ D, 9 ^ D, 10 ^ D, \
                                           11 ^ D, 12 ^ D, 13 ^ D, 14 ^ D, 15 ^ D)
#else
#define SWAP(V, D) __builtin_shufflevector(V, V, 0 ^ D, 1 ^ D, 2 ^ D, 3 ^ D, 4 ^ D, 5 ^ D, 6 ^ D, 7 ^ D)
#endif

#define NARROW(D)                                                                 \
  {                                                                               \
    vi odd = (lane & D) != 0;                                                     \
    vf fr, fi, sign;                                                              \
    for (int i = 0; i < W; i++) {                                                 \
      fr[i] = w[2 * ((i & (D - 1)) * (256 / D))];                                 \
      fi[i] = w[2 * ((i & (D - 1)) * (256 / D)) + 1];                             \
      sign[i] = i & D ? -1 : 1;                                                   \
    }                                                                             \
    for (int i = 0; i < 512; i += W) {                                            \
      vf r = *(vf *)(re + i), m = *(vf *)(im + i), pr = SWAP(r, D), pm = SWAP(m, D); \
      vf xr = SELECT(vf, odd, pr, r), xm = SELECT(vf, odd, pm, m);                \
      vf yr = SELECT(vf, odd, r, pr), ym = SELECT(vf, odd, m, pm);                \
      *(vf *)(re + i) = FMA(sign, yr * fr - ym * fi, xr);                         \
      *(vf *)(im + i) = FMA(sign, yr * fi + ym * fr, xm);                         \
    }                                                                             \
  }

PEER(fft) {
  const float *w = b[2];
  float wr[512], wi[512]; // factors of the wide stages, as they are used
  u32 reversed[512];
  for (int half = W; half < 512; half *= 2)
    for (int k = 0; k < half; k++) {
      wr[half + k] = w[2 * (k * (256 / half))];
      wi[half + k] = w[2 * (k * (256 / half)) + 1];
    }
  for (u32 i = 0; i < 512; i++) reversed[i] = (__builtin_bitreverse32(i) >> 23) * 2;
  vi lane;
  IOTA(int, lane);
  for (u32 block = 0; block < x; block++) {
    const float *in = (const float *)b[0] + block * 1024;
    float *out = (float *)b[1] + block * 1024;
    float re[512] __attribute__((aligned(64))), im[512] __attribute__((aligned(64)));
    for (int i = 0; i < 512; i += W) {
      vu at = LOAD(vu, reversed + i);
      *(vf *)(re + i) = (vf)gather(in, at);
      *(vf *)(im + i) = (vf)gather(in + 1, at);
    }
    NARROW(1)
    NARROW(2)
    NARROW(4)
#if W == 16
    NARROW(8)
#endif
    for (int half = W; half < 512; half *= 2)
      for (int at = 0; at < 512; at += 2 * half)
        for (int k = 0; k < half; k += W) {
          vf *r0 = (vf *)(re + at + k), *m0 = (vf *)(im + at + k), *r1 = (vf *)(re + at + half + k), *m1 = (vf *)(im + at + half + k);
          vf fr = LOAD(vf, wr + half + k), fi = LOAD(vf, wi + half + k);
          vf zr = *r1 * fr - *m1 * fi, zm = *r1 * fi + *m1 * fr, ar = *r0, am = *m0;
          *r0 = ar + zr;
          *m0 = am + zm;
          *r1 = ar - zr;
          *m1 = am - zm;
        }
    for (int i = 0; i < 512; i++) {
      out[2 * i] = re[i];
      out[2 * i + 1] = im[i];
    }
  }
}

// 2 to the v, v from -126 to 0: the whole part by the exponent, the rest by a polynomial.
static inline f32x32 exp2_fast(f32x32 v) {
  f32x32 n = __builtin_elementwise_roundeven(v), f = v - n;
  f32x32 p = FMA(SPLAT(f32x32, 1.54035e-4f), f, SPLAT(f32x32, 1.33336e-3f));
  p = FMA(p, f, SPLAT(f32x32, 9.61813e-3f));
  p = FMA(p, f, SPLAT(f32x32, 5.55041e-2f));
  p = FMA(p, f, SPLAT(f32x32, 2.40226507e-1f));
  p = FMA(p, f, SPLAT(f32x32, 6.93147181e-1f));
  p = FMA(p, f, SPLAT(f32x32, 1.0f));
  return p * (f32x32)((__builtin_convertvector(n, s32x32) + 127) << 23);
}

PEER(softmax) {
  for (size_t row = 0; row < (size_t)x * 8; row++) {
    const float *in = (const float *)b[0] + row * 1024;
    float *out = (float *)b[1] + row * 1024;
    f32x32 most = LOAD(f32x32, in), sums = {};
    for (int i = 32; i < 1024; i += 32) most = __builtin_elementwise_max(most, LOAD(f32x32, in + i));
    float m = most[0], sum = 0;
    for (int i = 1; i < 32; i++) m = most[i] > m ? most[i] : m;
    for (int i = 0; i < 1024; i += 32) {
      f32x32 e = exp2_fast((LOAD(f32x32, in + i) - m) * 1.44269504f);
      STORE(f32x32, out + i, e);
      sums += e;
    }
    for (int i = 0; i < 32; i++) sum += sums[i];
    float scale = 1 / sum;
    for (int i = 0; i < 1024; i += 32) STORE(f32x32, out + i, LOAD(f32x32, out + i) * scale);
  }
}

// A row at a time, by registers; the last one masked.
PEER(spmv) {
  const u32 *start = b[0], *column = b[1];
  const float *value = b[2], *v = b[3];
  float *out = b[4];
  vi lane;
  IOTA(int, lane);
  for (u32 row = 0; row < x * 256; row++) {
    vf sum = {};
    for (u32 i = start[row], to = start[row + 1]; i < to; i += W) {
      vi live = lane < (int)(to - i);
      vf p = (vf)gather(v, LOAD(vu, column + i) & (vu)live), q = (vf)(LOAD(vi, value + i) & live);
      sum = FMA(p, q, sum);
    }
    float all = 0;
#if W == 16
    all = _mm512_reduce_add_ps((__m512)sum);
#else
    f32x8 t = sum + __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3);
    t += __builtin_shufflevector(t, t, 2, 3, 0, 1, 6, 7, 4, 5);
    all = t[0] + t[1];
#endif
    out[row] = all;
  }
}

// Nodes of a level are looked for by registers, their edges followed one by one.
PEER(bfs) {
  const u32 *start = b[0], *to = b[1];
  for (u32 block = 0; block < x; block++) {
    u32 *dist = (u32 *)b[2] + block * 1024;
    memset(dist, 0xff, 4096);
    dist[block & 1023] = 0;
    for (u32 l = 0, more = 1; more; l++) {
      more = 0;
      for (u32 v = 0; v < 1024; v += W) {
#if W == 16
        u32 found = _mm512_cmpeq_epi32_mask((__m512i)LOAD(vu, dist + v), _mm512_set1_epi32(l));
#else
        u32 found = _mm256_movemask_ps((__m256)(LOAD(vu, dist + v) == l));
#endif
        for (; found; found &= found - 1) {
          u32 i = v + __builtin_ctz(found);
          for (u32 e = start[i]; e < start[i + 1]; e++)
            if (dist[to[e]] == ~0u) {
              dist[to[e]] = l + 1;
              more = 1;
            }
        }
      }
    }
  }
}
