#include "device.h"

// CRC-32 (IEEE 802.3, reflected).
// One record of fixed size a thread, by a table that the block makes for itself.
KERNEL crc32_records(const u8 *data, u32 *out, u32 size) {
  __shared__ u32 tab[256];
  for (u32 i = tid(); i < 256; i += bsize()) {
    u32 c = i;
    ROLLED for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    tab[i] = c;
  }
  sync();
  const u8 *p = data + gid() * size;
  u32 c = ~0u;
  for (u32 i = 0; i < size; i++) c = tab[(c ^ p[i]) & 255] ^ c >> 8;
  out[gid()] = ~c;
}

// Product of polynomials modulo the CRC's, bits reversed.
FN u32 multiply(u32 a, u32 b) {
  u32 r = 0;
  ROLLED for (u32 m = 1u << 31; m; m >>= 1) {
    if (a & m) r ^= b;
    b = b & 1 ? b >> 1 ^ 0xedb88320u : b >> 1;
  }
  return r;
}

// One long message: each lane takes a piece, pieces are joined pairwise by powers
// of x, so that the warp's CRC is that of the whole.
KERNEL crc32_joined(const u8 *data, u32 *out, u32 piece) {
  u32 l = lane();
  u32 c = l == 0 ? ~0u : 0;
  ROLLED for (u32 i = 0; i < piece; i++) {
    c ^= data[l * piece + i];
    ROLLED for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  }
  u32 power = 1u << 31;                                    // x^0
  ROLLED for (u32 i = 0; i < 8 * piece; i++) power = power & 1 ? power >> 1 ^ 0xedb88320u : power >> 1;
  for (u32 d = 1; d < 32; d *= 2) {
    u32 other = shfl_down((int)c, d);
    c = multiply(c, power) ^ other;
    power = multiply(power, power);
  }
  if (l == 0) *out = ~c;
}
