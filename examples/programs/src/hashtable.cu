#include "device.h"

// Open addressing, linear probing; keys are claimed by compare and swap, values of
// equal keys added up.
#define EMPTY 0xffffffffu
FN u32 mix(u32 k) {
  k ^= k >> 16; k *= 0x85ebca6b;
  k ^= k >> 13; k *= 0xc2b2ae35;
  return k ^ k >> 16;
}

KERNEL insert(u32 *keys, u32 *sums, u32 mask, const u32 *in, const u32 *values, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  u32 at = mix(in[i]) & mask;
  for (;;) {
    u32 old = atomic_cas(&keys[at], EMPTY, in[i]);
    if (old == EMPTY || old == in[i]) break;
    at = (at + 1) & mask;
  }
  atomic_add(&sums[at], values[i]);
}

KERNEL lookup(const u32 *keys, const u32 *sums, u32 mask, const u32 *in, u32 *out, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  u32 at = mix(in[i]) & mask;
  ROLLED while (keys[at] != EMPTY && keys[at] != in[i]) at = (at + 1) & mask;
  out[i] = keys[at] == EMPTY ? EMPTY : sums[at];
}

// Key and value in one 64-bit word; the least value of a key stays.
KERNEL insert_wide(u64 *table, u32 mask, const u32 *in, const u32 *values, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  u64 mine = (u64)in[i] << 32 | values[i];
  u32 at = mix(in[i]) & mask;
  for (;;) {
    u64 there = ((volatile u64 *)table)[at];
    if (there != ~0ull && there >> 32 != in[i]) {
      at = (at + 1) & mask;
      continue;
    }
    if (there <= mine || atomic_cas(&table[at], there, mine) == there) return;
  }
}

// Chains of nodes from a pool, pushed at the head of their bucket.
struct Node { u32 key, next; };
KERNEL chains(u32 *heads, u32 buckets, Node *pool, u32 *used, const u32 *in, u32 n) {
  u32 i = gid();
  if (i >= n) return;
  u32 node = atomic_add(used, 1u), b = mix(in[i]) % buckets;
  pool[node].key = in[i];
  u32 head = ((volatile u32 *)heads)[b];
  for (;;) {
    pool[node].next = head;
    fence_device();
    u32 old = atomic_cas(&heads[b], head, node);
    if (old == head) break;
    head = old;
  }
}
KERNEL chain_sums(const u32 *heads, const Node *pool, u64 *sums, u32 *lengths) {
  u64 s = 0;
  u32 n = 0;
  ROLLED for (u32 at = heads[gid()]; at != EMPTY; at = pool[at].next) {
    s += pool[at].key;
    n++;
  }
  sums[gid()] = s;
  lengths[gid()] = n;
}
