#include "device.h"

// Where a word occurs: every position tried, a bit for each.
KERNEL find_word(const u8 *text, u32 n, const u8 *word, u32 length, u32 *found, u32 *count) {
  u32 i = gid();
  bool same = i + length <= n;
  for (u32 j = 0; same && j < length; j++) same = text[i + j] == word[j];
  u32 bits = ballot(same);
  if (lane() == 0) {
    found[i / 32] = bits;
    if (bits) atomic_add(count, popc(bits));
  }
}

// Rabin and Karp: a hash that rolls over a thread's part of the text.
KERNEL find_hash(const u8 *text, u32 n, const u8 *word, u32 length, int *first, u32 part) {
  u32 want = 0, power = 1;
  for (u32 i = 0; i < length; i++) {
    want = want * 257 + word[i];
    if (i) power *= 257;
  }
  u32 begin = gid() * part, hash = 0, end = smaller(begin + part + length - 1, n);
  ROLLED for (u32 i = begin; i < end; i++) {
    if (i >= begin + length) hash -= text[i - length] * power;
    hash = hash * 257 + text[i];
    if (i + 1 >= begin + length && hash == want) {
      u32 at = i + 1 - length, j = 0;
      ROLLED while (j < length && text[at + j] == word[j]) j++;
      if (j == length) atomic_min(first, (int)at);
    }
  }
}

// Edit distance of two words, the diagonals of its table by a warp.
KERNEL edit_distance(const u8 *a, u32 m, const u8 *b, u32 n, u32 *out) {
  u32 l = lane();  // column l + 1 of the table; n is at most 32
  u32 here = 0, before = 0;
  ROLLED for (u32 step = 0; step < m + n - 1; step++) {
    u32 row = step - l + 1;  // from 1 on
    u32 left = shfl_up(here, 1), corner = shfl_up(before, 1);
    bool active = step >= l && row <= m && l < n;
    u32 up = row == 1 ? l + 1 : here;
    if (l == 0) {
      left = row;
      corner = row - 1;
    }
    if (row == 1) corner = l;
    before = here;
    if (active) {
      u32 swap = corner + (a[row - 1] != b[l]);
      here = smaller(smaller(left, up) + 1, swap);
    }
  }
  u32 result = shfl(here, n - 1);
  if (l == 0) *out = result;
}

// Base64 of three bytes a thread.
__constant__ u8 digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
KERNEL base64(const u8 *in, u32 n, u8 *out) {
  u32 i = gid() * 3;
  if (i >= n) return;
  u32 left = n - i, v = in[i] << 16;
  if (left > 1) v |= in[i + 1] << 8;
  if (left > 2) v |= in[i + 2];
  u8 *o = out + gid() * 4;
  o[0] = digits[v >> 18];
  o[1] = digits[v >> 12 & 63];
  o[2] = left > 1 ? digits[v >> 6 & 63] : '=';
  o[3] = left > 2 ? digits[v & 63] : '=';
}
