#include "device.h"

// 64-bit integers: division, remainders, wide products, powers modulo n.
KERNEL divide(const s64 *a, const s64 *b, s64 *out) {
  u32 i = gid();
  s64 x = a[i], y = b[i];
  s64 *o = out + 8 * i;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = (u64)x / (u64)y;
  o[3] = (u64)x % (u64)y;
  o[4] = x / 10;
  o[5] = (u64)x % 1000003;
  o[6] = (s32)x / ((s32)y | 1);
  o[7] = (s16)x % (s16)(y | 1);
}

typedef unsigned __int128 u128;
KERNEL wide(const u64 *a, const u64 *b, u64 *out) {
  u32 i = gid();
  u128 p = (u128)a[i] * b[i], s = p + a[i], d = p - ((u128)b[i] << 70);
  u64 *o = out + 8 * i;
  o[0] = (u64)p; o[1] = (u64)(p >> 64);
  o[2] = (u64)s; o[3] = (u64)(s >> 64);
  o[4] = (u64)d; o[5] = (u64)(d >> 64);
  o[6] = (u64)(p >> (a[i] & 127));
  o[7] = (u64)((__int128)d >> 64 >> (b[i] & 63));
}

FN u64 power(u64 b, u64 e, u32 n) {
  u64 r = 1;
  ROLLED for (b %= n; e; e >>= 1, b = b * b % n)
    if (e & 1) r = r * b % n;
  return r;
}
// Miller and Rabin with the bases that decide all 32-bit numbers.
KERNEL primes(const u32 *in, u32 *out) {
  u32 n = in[gid()];
  bool prime = n > 1;
  ROLLED for (u32 k = 0; k < 3; k++) {
    u32 base = k == 0 ? 2 : k == 1 ? 7 : 61;
    if (n <= 1 || n == base) continue;
    if (n % 2 == 0) {
      prime = n == 2;
      break;
    }
    u32 d = n - 1, s = __builtin_ctz(d);
    u64 v = power(base, d >> s, n);
    bool pass = v == 1 || v == n - 1;
    ROLLED for (u32 r = 1; r < s && !pass; r++) {
      v = v * v % n;
      pass = v == n - 1;
    }
    prime &= pass;
  }
  out[gid()] = prime;
}

KERNEL gcds(const s64 *a, const s64 *b, u64 *out) {
  u64 x = a[gid()] < 0 ? -(u64)a[gid()] : a[gid()], y = b[gid()] < 0 ? -(u64)b[gid()] : b[gid()];
  ROLLED while (y) {
    u64 t = x % y;
    x = y;
    y = t;
  }
  out[gid()] = x;
}

// Philox 4x32-10: random numbers by counter.
KERNEL philox(u32 *out, u32 k0, u32 k1) {
  u32 c[4] = {gid(), 1, 2, 3};
  ROLLED for (int r = 0; r < 10; r++) {
    u64 p = (u64)c[0] * 0xd2511f53, q = (u64)c[2] * 0xcd9e8d57;
    u32 a = (u32)(q >> 32) ^ c[1] ^ k0, b = (u32)(p >> 32) ^ c[3] ^ k1;
    c[0] = a; c[1] = (u32)q; c[2] = b; c[3] = (u32)p;
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  for (int i = 0; i < 4; i++) out[gid() * 4 + i] = c[i];
}

// Signed bytes and halves: saturation, averages, absolute differences.
KERNEL narrow(const s8 *a, const s8 *b, s16 *out) {
  u32 i = gid();
  int s = a[i] + b[i], p = a[i] * b[i];
  out[4 * i] = s > 127 ? 127 : s < -128 ? -128 : s;
  out[4 * i + 1] = (s16)(p << 3);
  out[4 * i + 2] = (u8)a[i] > (u8)b[i] ? a[i] - b[i] : b[i] - a[i];
  out[4 * i + 3] = (s8)(a[i] >> (b[i] & 7)) ^ (u8)(b[i] << 1);
}
