#include "peer.h"

#define ALU 128 // lanes at a time
VECTOR(alu_f, float, ALU);
VECTOR(alu_u, u32, ALU);
VECTOR(alu_s, int, ALU);

PEER(alu) {
  u32 *out = b[0];
  alu_u lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += ALU) {
    alu_u v = (id + lane) * 2654435761u + 12345u;
    alu_f f = __builtin_convertvector((alu_s)((id + lane) & 1023), alu_f);
    for (u32 i = 0; i < s[0]; i++) {
      alu_u t = v * 1664525u + 1013904223u;
      t ^= t >> 16;
      v = (v + t) ^ i;
      alu_f h = FMA(f, SPLAT(alu_f, 0.5f), SPLAT(alu_f, 0.25f));
      f = (h + f) * 0.375f;
      v = (v ^ (t << 7 | v >> 25)) + t;
      f += __builtin_convertvector((alu_s)(v & 0xffff), alu_f) * (1.0f / 65536);
      f = __builtin_elementwise_min(f, SPLAT(alu_f, 1.5f));
      v += SELECT(alu_u, (alu_u)(f < 1.0f), t, v);
    }
    STORE(alu_u, out + id, v ^ (alu_u)f);
  }
}

#if W == 16
typedef f32x128 columns;
#else
typedef f32x64 columns;
#endif

PEER(matmul) {
  const float *a = b[0], *m = b[1];
  float *c = b[2];
  u32 n = s[0], step = sizeof(columns) / 4;
  (void)x;
  for (u32 row = 0; row < y * 4; row++)
    for (u32 col = 0; col < n; col += step) {
      columns sum = {};
      for (u32 k = 0; k < n; k++) sum = FMA(SPLAT(columns, a[row * n + k]), LOAD(columns, m + k * n + col), sum);
      STORE(columns, c + row * n + col, sum);
    }
}

#if W == 16
#define ROWS 16
#else
#define ROWS 4
#endif

PEER(matmul_tiled) {
  const float *a = b[0], *m = b[1];
  float *c = b[2];
  u32 n = s[0];
  for (u32 by = 0; by < y * 16; by += 16)
    for (u32 bx = 0; bx < x * 16; bx += 16) {
      float ta[16][16];
      f32x16 tb[16], sum[16] = {};
      for (u32 k = 0; k < n; k += 16) {
        for (int i = 0; i < 16; i++) {
          memcpy(ta[i], a + (by + i) * n + k, 64);
          tb[i] = LOAD(f32x16, m + (k + i) * n + bx);
        }
        for (int r = 0; r < 16; r += ROWS) {
          f32x16 part[ROWS];
          for (int i = 0; i < ROWS; i++) part[i] = sum[r + i];
#pragma unroll
          for (int j = 0; j < 16; j++)
#pragma unroll
            for (int i = 0; i < ROWS; i++) part[i] = FMA(SPLAT(f32x16, ta[r + i][j]), tb[j], part[i]);
          for (int i = 0; i < ROWS; i++) sum[r + i] = part[i];
        }
      }
      for (int i = 0; i < 16; i++) STORE(f32x16, c + (by + i) * n + bx, sum[i]);
    }
}

#define MANDEL (2 * W)
VECTOR(mandel_f, float, MANDEL);
VECTOR(mandel_u, u32, MANDEL);
VECTOR(mandel_s, int, MANDEL);

PEER(mandelbrot) {
  u32 *out = b[0], limit = s[0];
  float dy;
  memcpy(&dy, s + 1, 4);
  mandel_s lane;
  IOTA(int, lane);
  for (u32 id = 0; id < x * 256; id += MANDEL) {
    mandel_f cx = FMA(__builtin_convertvector((int)(id & 1023) + lane, mandel_f), SPLAT(mandel_f, 3.0f / 1024), SPLAT(mandel_f, -2.2f));
    float cy = __builtin_fmaf((float)(id >> 10), dy, -1.5f);
    mandel_f px = {}, py = {};
    mandel_u mixed = {}, i = {};
    mandel_s live = (mandel_s){} - 1;
    for (u32 k = 0; k < limit; k++) {
      mandel_f x2 = px * px, y2 = py * py;
      mandel_s low = (py < 0) & live;
      mixed = SELECT(mandel_u, low, (mixed * 3 + 1) ^ k, mixed);
      i -= (mandel_u)live;
      py = FMA(px * py, SPLAT(mandel_f, 2), SPLAT(mandel_f, cy));
      px = (x2 - y2) + cx;
      live &= x2 + y2 < 4.0f;
      if (!__builtin_reduce_or(live)) break;
    }
    STORE(mandel_u, out + id, i ^ mixed);
  }
}

// Two rows of C in a register of 16.
PEER(mma) {
  float *out = b[0];
  for (u32 w = 0; w < x * 8; w++) {
    float ma[16][16], mb[16][8];
    for (int l = 0; l < 32; l++)
      for (int j = 0; j < 2; j++) {
        int g = l / 4, t = l % 4 * 2 + j;
        ma[g][t] = ma[g + 8][t] = ma[g + 8][t + 8] = mb[t + 8][g] = j ? 1 : (1 + (l & 1)) * (16 + (w & 7)) / 16.0f;
        ma[g][t + 8] = mb[t][g] = 2 - j;
      }
    f32x16 pa[8][16], pb[16], c[8] = {};
    for (int k = 0; k < 16; k++) {
      for (int i = 0; i < 16; i++) {
        pb[k][i] = mb[k][i & 7];
        for (int r = 0; r < 8; r++) pa[r][k][i] = ma[2 * r + i / 8][k];
      }
    }
    for (u32 r = 0; r < s[0]; r++) {
      __asm__ volatile("" : : "r"(pa), "r"(pb), "r"(ma), "r"(mb) : "memory"); // operands may be others next time
#if W == 16
#pragma unroll
      for (int k = 0; k < 16; k++)
#pragma unroll
        for (int i = 0; i < 8; i++) c[i] = FMA(pa[i][k], pb[k], c[i]);
#else
      for (int h = 0; h < 16; h += 8) { // half of the rows, one a register
        f32x8 *rows = (f32x8 *)c + h, r[8];
        for (int i = 0; i < 8; i++) r[i] = rows[i];
        __asm__ volatile("" : : "r"(ma), "r"(mb) : "memory");
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
          for (int i = 0; i < 8; i++) r[i] = FMA(SPLAT(f32x8, ma[h + i][k]), LOAD(f32x8, mb[k]), r[i]);
        for (int i = 0; i < 8; i++) rows[i] = r[i];
      }
#endif
    }
    for (int l = 0; l < 32; l++)
      for (int e = 0; e < 4; e++) {
        int row = l / 4 + e / 2 * 8, col = l % 4 * 2 + e % 2;
        out[w * 128 + l * 4 + e] = c[row / 2][row % 2 * 8 + col];
      }
  }
}

static inline vf rsqrt(vf v) {
#if W == 16
  vf r = (vf)_mm512_rsqrt14_ps((__m512)v);
#else
  vf r = (vf)_mm256_rsqrt_ps((__m256)v);
#endif
  return r * FMA(v * r * -0.5f, r, SPLAT(vf, 1.5f)); // one step of Newton
}

#define BODIES 2 // registers of them at a time

PEER(nbody) {
  const float *bodies = b[0];
  float *out = b[1];
  u32 n = s[0];
  vu lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += BODIES * W) {
    vf p[BODIES][4], a[BODIES][3] = {};
    for (int h = 0; h < BODIES; h++)
      for (int i = 0; i < 4; i++) p[h][i] = (vf)gather(bodies + i, (id + h * W) % n * 4 + lane * 4);
    for (u32 j = 0; j < n; j++) {
      const float *q = bodies + 4 * j;
#pragma unroll
      for (int h = 0; h < BODIES; h++) {
        vf dx = q[0] - p[h][0], dy = q[1] - p[h][1], dz = q[2] - p[h][2];
        vf r = FMA(dx, dx, FMA(dy, dy, FMA(dz, dz, SPLAT(vf, 0.0625f))));
        vf inv = rsqrt(r), w = q[3] * inv * inv * inv;
        a[h][0] = FMA(dx, w, a[h][0]);
        a[h][1] = FMA(dy, w, a[h][1]);
        a[h][2] = FMA(dz, w, a[h][2]);
      }
    }
    for (int h = 0; h < BODIES; h++)
      for (int l = 0; l < W; l++) {
        float *o = out + (id + h * W + l) * 4;
        for (int i = 0; i < 3; i++) o[i] = a[h][i][l];
        o[3] = p[h][3][l];
      }
  }
}

PEER(f64) {
  double *out = b[0];
#define D 64
  VECTOR(vd, double, D);
  VECTOR(vl, int64_t, D);
  VECTOR(vs, int, D);
  vs lane;
  IOTA(int, lane);
  for (u32 id = 0; id < x * 256; id += D) {
    vd v = __builtin_convertvector(((int)id + lane) & 4095, vd) * (1.0 / 4096);
    for (u32 r = 0; r < s[0]; r++) {
      vd p = SPLAT(vd, 1.0 / 65536);
#pragma unroll
      for (int i = 1; i <= 16; i++) p = FMA(p, v, SPLAT(vd, 1.0 / (65536 >> i)));
      v = v + 1.0 / 16;
      v = SELECT(vd, (vl)(p < v), p, v);
      v = v - __builtin_elementwise_trunc(v);
    }
    STORE(vd, out + id, v);
  }
}

// Each operation in f32, then rounded to f16.
#if W == 16
static inline vf round16(vf v) { return (vf)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)v, 0)); }
#else
static inline vf round16(vf v) { return (vf)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)v, 0)); }
#endif

#define PAIRS 8 // registers of them at a time

PEER(f16) {
  u32 *out = b[0];
  vi lane;
  IOTA(int, lane);
  for (u32 id = 0; id < x * 256; id += PAIRS * W) {
    vf v[2 * PAIRS], q[2 * PAIRS];
    for (int h = 0; h < PAIRS; h++) {
      v[h] = round16(__builtin_convertvector(((int)id + h * W + lane) & 511, vf) * 0x1p-10f);
      v[PAIRS + h] = round16(__builtin_convertvector(((int)id + h * W + lane) & 255, vf) * 0x1p-9f);
    }
    for (int h = 0; h < 2 * PAIRS; h++) q[h] = v[h];
    for (u32 r = 0; r < s[0]; r++) {
      vf p[2 * PAIRS];
      for (int h = 0; h < 2 * PAIRS; h++) p[h] = round16(q[h] * 0.125f);
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int h = 0; h < 2 * PAIRS; h++) p[h] = round16(FMA(p[h], v[h], SPLAT(vf, 0.25f)));
      for (int h = 0; h < 2 * PAIRS; h++) q[h] = round16(p[h] + v[h]);
    }
    for (int h = 0; h < PAIRS; h++)
      for (int l = 0; l < W; l++) {
        _Float16 pair[2] = {(_Float16)q[h][l], (_Float16)q[PAIRS + h][l]};
        memcpy(out + id + h * W + l, pair, 4);
      }
  }
}
