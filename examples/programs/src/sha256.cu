#include "device.h"

// SHA-256 (FIPS 180-4) of messages of any length, one a thread: the padding is made
// on the way, the schedule is an array indexed in a loop.
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
FN u32 rotr(u32 x, int n) { return x >> n | x << (32 - n); }

FN u8 padded(const u8 *m, u32 n, u32 blocks, u32 i) {
  if (i < n) return m[i];
  if (i == n) return 0x80;
  u32 from_end = blocks * 64 - 1 - i;
  return from_end < 8 ? (u8)((u64)n * 8 >> (8 * from_end)) : 0;
}

KERNEL sha256(const u8 *text, const u32 *start, u32 *digests, u32 count) {
  u32 id = gid();
  if (id >= count) return;
  const u8 *m = text + start[id];
  u32 n = start[id + 1] - start[id], blocks = (n + 9 + 63) / 64;
  u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 w[64];
  ROLLED for (u32 b = 0; b < blocks; b++) {
    ROLLED for (u32 i = 0; i < 16; i++) {
      u32 v = 0;
      ROLLED for (u32 j = 0; j < 4; j++) v = v << 8 | padded(m, n, blocks, b * 64 + i * 4 + j);
      w[i] = v;
    }
    ROLLED for (u32 i = 16; i < 64; i++) {
      u32 a = w[i - 15], c = w[i - 2];
      w[i] = w[i - 16] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[i - 7] + (rotr(c, 17) ^ rotr(c, 19) ^ c >> 10);
    }
    u32 s[8];
    for (int i = 0; i < 8; i++) s[i] = h[i];
    ROLLED for (u32 i = 0; i < 64; i++) {
      u32 e = s[4], a = s[0];
      u32 t1 = s[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (e & s[5] ^ ~e & s[6]) + K[i] + w[i];
      u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + (a & s[1] ^ a & s[2] ^ s[1] & s[2]);
      for (int j = 7; j > 0; j--) s[j] = s[j - 1];
      s[4] += t1;
      s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
  }
  for (int i = 0; i < 8; i++) digests[id * 8 + i] = h[i];
}
