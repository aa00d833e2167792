#include "device.h"

// ChaCha20 (RFC 8439): one 64-byte block a thread, the key stream XORed with the text.
FN void quarter(u32 &a, u32 &b, u32 &c, u32 &d) {
  a += b; d ^= a; d = d << 16 | d >> 16;
  c += d; b ^= c; b = b << 12 | b >> 20;
  a += b; d ^= a; d = d << 8 | d >> 24;
  c += d; b ^= c; b = b << 7 | b >> 25;
}

struct Key { u32 word[8]; };
struct Nonce { u32 word[3]; };

KERNEL chacha20(Key key, Nonce nonce, u32 counter, const u32 *in, u32 *out, u32 words) {
  u32 id = gid();
  u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (int i = 0; i < 8; i++) s[4 + i] = key.word[i];
  s[12] = counter + id;
  for (int i = 0; i < 3; i++) s[13 + i] = nonce.word[i];
  u32 x[16];
#pragma unroll
  for (int i = 0; i < 16; i++) x[i] = s[i];
  ROLLED for (int i = 0; i < 10; i++) {
    quarter(x[0], x[4], x[8], x[12]);
    quarter(x[1], x[5], x[9], x[13]);
    quarter(x[2], x[6], x[10], x[14]);
    quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]);
    quarter(x[1], x[6], x[11], x[12]);
    quarter(x[2], x[7], x[8], x[13]);
    quarter(x[3], x[4], x[9], x[14]);
  }
#pragma unroll
  for (int i = 0; i < 16; i++) {
    u32 at = id * 16 + i;
    if (at < words) out[at] = in[at] ^ (x[i] + s[i]);
  }
}
