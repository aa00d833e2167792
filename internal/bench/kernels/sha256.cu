#include "gpu.h"

// SHA-256 (FIPS 180-4), one padded block of 16 words, high byte first, a thread; rounds times,
// each digest the first half of the next block. Blocks of 256.
__constant__ u32 K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
FN u32 rotr(u32 x, int n) { return __builtin_rotateleft32(x, 32 - n); }

KERNEL SIZE(256) sha256(const u32 *blocks, u32 *digests, u32 rounds) {
  u32 id = bid() * 256 + tid();
  u32 m[16], o[8];
#pragma unroll
  for (int i = 0; i < 16; i++) m[i] = blocks[i * 256 + (id & 255)];
  m[15] ^= id;
  ROLLED for (u32 r = 0; r < rounds; r++) {
    u32 w[16];
#pragma unroll
    for (int i = 0; i < 16; i++) w[i] = m[i];
    u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    u32 e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int i = 0; i < 64; i++) {
      if (i >= 16) {
        u32 x = w[(i - 15) & 15], y = w[(i - 2) & 15];
        w[i & 15] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(i - 7) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
      }
      u32 t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + K[i] + w[i & 15];
      u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
      h = g; g = f; f = e; e = d + t1;
      d = c; c = b; b = a; a = t1 + t2;
    }
    o[0] = a + 0x6a09e667; o[1] = b + 0xbb67ae85; o[2] = c + 0x3c6ef372; o[3] = d + 0xa54ff53a;
    o[4] = e + 0x510e527f; o[5] = f + 0x9b05688c; o[6] = g + 0x1f83d9ab; o[7] = h + 0x5be0cd19;
#pragma unroll
    for (int i = 0; i < 8; i++) m[i] = o[i];
  }
#pragma unroll
  for (int i = 0; i < 8; i++) digests[bid() * 2048 + i * 256 + tid()] = o[i];
}
