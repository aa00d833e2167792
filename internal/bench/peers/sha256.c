#include "peer.h"

static const u32 K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// One register of words for each variable.
#define ROTR(V, N) ((V) >> (N) | (V) << (32 - (N)))

PEER(sha256) {
  const u32 *blocks = b[0];
  u32 *digests = b[1];
  vu lane;
  IOTA(u32, lane);
  for (u32 id = 0; id < x * 256; id += W) {
    vu m[16];
    for (int i = 0; i < 16; i++) m[i] = LOAD(vu, blocks + i * 256 + (id & 255));
    m[15] ^= id + lane;
    for (u32 r = 0; r < s[0]; r++) {
      vu w[16];
      for (int i = 0; i < 16; i++) w[i] = m[i];
      vu a = SPLAT(vu, 0x6a09e667), B = SPLAT(vu, 0xbb67ae85), c = SPLAT(vu, 0x3c6ef372), d = SPLAT(vu, 0xa54ff53a);
      vu e = SPLAT(vu, 0x510e527f), f = SPLAT(vu, 0x9b05688c), g = SPLAT(vu, 0x1f83d9ab), h = SPLAT(vu, 0x5be0cd19);
#pragma unroll
      for (int i = 0; i < 64; i++) {
        if (i >= 16) {
          vu p = w[(i - 15) & 15], q = w[(i - 2) & 15];
          w[i & 15] += (ROTR(p, 7) ^ ROTR(p, 18) ^ p >> 3) + w[(i - 7) & 15] + (ROTR(q, 17) ^ ROTR(q, 19) ^ q >> 10);
        }
        vu t1 = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + (g ^ (e & (f ^ g))) + K[i] + w[i & 15];
        vu t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & B) | (c & (a | B)));
        h = g; g = f; f = e; e = d + t1;
        d = c; c = B; B = a; a = t1 + t2;
      }
      m[0] = a + 0x6a09e667; m[1] = B + 0xbb67ae85; m[2] = c + 0x3c6ef372; m[3] = d + 0xa54ff53a;
      m[4] = e + 0x510e527f; m[5] = f + 0x9b05688c; m[6] = g + 0x1f83d9ab; m[7] = h + 0x5be0cd19;
    }
    for (int i = 0; i < 8; i++) STORE(vu, digests + (id & -256) * 8 + i * 256 + (id & 255), m[i]);
  }
}
