#include "peer.h"

// Lane i of the result is lane i^D, or lane i-D, of the vectors; F(i) for 32 lanes.
#define LANES32(F) F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15), \
  F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27), F(28), F(29), F(30), F(31)
#define LANES16(F) F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define X1(I) ((I) ^ 1)
#define X2(I) ((I) ^ 2)
#define X3(I) ((I) ^ 3)
#define X4(I) ((I) ^ 4)
#define X8(I) ((I) ^ 8)
#define X16(I) ((I) ^ 16)
// Of two vectors, the second of zeros: its lane 0 where there is no lane.
#define U1(I) ((I) < 1 ? 32 : (I) - 1)
#define U2(I) ((I) < 2 ? 32 : (I) - 2)
#define U4(I) ((I) < 4 ? 32 : (I) - 4)
#define U8(I) ((I) < 8 ? 32 : (I) - 8)
#define U16(I) ((I) < 16 ? 32 : (I) - 16)
#define SHUFFLE(V, F) __builtin_shufflevector(V, (f32x32){}, LANES32(F))

static inline f32x32 reduce(f32x32 v) {
  v += SHUFFLE(v, X16);
  v += SHUFFLE(v, X8);
  v += SHUFFLE(v, X4);
  v += SHUFFLE(v, X2);
  return v + SHUFFLE(v, X1);
}

static inline f32x32 scan(f32x32 v) {
  v += SHUFFLE(v, U1);
  v += SHUFFLE(v, U2);
  v += SHUFFLE(v, U4);
  v += SHUFFLE(v, U8);
  return v + SHUFFLE(v, U16);
}

PEER(reduce_scan) {
  const float *in = b[0];
  float *out = b[1];
  for (size_t i = 0; i < (size_t)x * 256; i += 32) {
    f32x32 v = LOAD(f32x32, in + i);
    STORE(f32x32, out + i, reduce(v) + scan(v));
  }
}

#define ROUNDS(NAME, STEP, WARPS)                                                                  \
  PEER(NAME) {                                                                                \
    float *out = b[0];                                                                        \
    f32x32 lane;                                                                              \
    IOTA(float, lane);                                                                        \
    s32x32 i = __builtin_convertvector(lane, s32x32);                                         \
    f32x32 add = __builtin_convertvector(i & 3, f32x32);                                      \
    for (u32 id = 0; id < x * 256; id += 32 * WARPS) {                                        \
      f32x32 v[WARPS];                                                                        \
      for (int w = 0; w < WARPS; w++)                                                         \
        v[w] = __builtin_convertvector((i + (int)(id + 32 * w)) & 1023, f32x32);              \
      for (u32 r = 0; r < s[0]; r++)                                                          \
        _Pragma("unroll") for (int w = 0; w < WARPS; w++) v[w] = STEP(v[w]) * 0.03125f + add; \
      for (int w = 0; w < WARPS; w++) STORE(f32x32, out + id + 32 * w, v[w]);                 \
    }                                                                                         \
  }
// So many warps at a time as hide the latency and fit the registers.
ROUNDS(shfl_reduce, reduce, 8)
ROUNDS(shfl_scan, scan, W / 2)

// Rows of 16 of a wave of 64.
#define R1(I) ((I) < 1 ? 16 : (I) - 1)
#define R2(I) ((I) < 2 ? 16 : (I) - 2)
#define R4(I) ((I) < 4 ? 16 : (I) - 4)
#define R8(I) ((I) < 8 ? 16 : (I) - 8)
#define LAST(I) 15
#define SHUFFLE16(V, F) __builtin_shufflevector(V, (u32x16){}, LANES16(F))

#define WAVES 1 // at a time

PEER(dpp_scan) {
  u32 *out = b[0];
  u32x16 lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += 64 * WAVES) {
    u32x16 v[4 * WAVES];
    for (int i = 0; i < 4 * WAVES; i++) v[i] = (id + 16 * i + lane) * 2654435761u >> 8;
    for (u32 r = 0; r < s[0]; r++) {
#pragma unroll
      for (int i = 0; i < 4 * WAVES; i++) {
        v[i] += SHUFFLE16(v[i], R1);
        v[i] += SHUFFLE16(v[i], R2);
        v[i] += SHUFFLE16(v[i], R4);
        v[i] += SHUFFLE16(v[i], R8);
      }
#pragma unroll
      for (int i = 0; i < 4 * WAVES; i += 4) {
        v[i + 1] += SHUFFLE16(v[i], LAST);
        v[i + 3] += SHUFFLE16(v[i + 2], LAST);
        v[i + 2] += SHUFFLE16(v[i + 1], LAST);
        v[i + 3] += SHUFFLE16(v[i + 1], LAST);
      }
      for (int i = 0; i < 4 * WAVES; i++) v[i] ^= r;
    }
    for (int i = 0; i < 4 * WAVES; i++) STORE(u32x16, out + id + 16 * i, v[i]);
  }
}

PEER(bpermute) {
  u32 *out = b[0];
  u32x16 lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += 64) {
    u32x16 v[4];
    for (int i = 0; i < 4; i++) v[i] = (id + 16 * i + lane) * 2654435761u >> 8;
    for (u32 r = 0; r < s[0]; r++) {
      u32 twice[128] __attribute__((aligned(64)));
      for (int i = 0; i < 8; i++) *(u32x16 *)(twice + 16 * i) = v[i & 3];
      u32x16 next[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        u32x16 at = (16 * i + lane - r) * 13; // the lane that writes here: 5 * 13 is 1 modulo 64
        u32x16 from, to;
#if W == 16
#define PICK(AT) (u32x16)_mm512_mask_blend_epi32(_mm512_test_epi32_mask((__m512i)(AT), _mm512_set1_epi32(32)), \
    _mm512_permutex2var_epi32((__m512i)v[0], (__m512i)(AT), (__m512i)v[1]), \
    _mm512_permutex2var_epi32((__m512i)v[2], (__m512i)(AT), (__m512i)v[3]))
        from = PICK(v[i]);
        to = PICK(at);
#else
        for (int h = 0; h < 2; h++) {
          ((vu *)&from)[h] = gather(twice, ((vu *)&v[i])[h] & 63);
          ((vu *)&to)[h] = gather(twice, ((vu *)&at)[h] & 63);
        }
#endif
        u32x16 c = LOAD(u32x16, twice + ((16 * i + r) & 63));
        next[i] = (v[i ^ 2] + from) ^ (c + to) ^ (v[i ^ 1] + SHUFFLE16(v[i], X3));
      }
      for (int i = 0; i < 4; i++) v[i] = next[i];
    }
    for (int i = 0; i < 4; i++) STORE(u32x16, out + id + 16 * i, v[i]);
  }
}
