#include "device.h"

// What targets from sm_80 on do for a warp at once.
KERNEL reductions(const int *in, int *out) {
  int v = in[gid()], *o = out + gid() / 32 * 8;
  int sum = __nvvm_redux_sync_add(v, ALL), low = __nvvm_redux_sync_min(v, ALL), high = __nvvm_redux_sync_max(v, ALL);
  u32 ulow = __nvvm_redux_sync_umin(v, ALL), uhigh = __nvvm_redux_sync_umax(v, ALL);
  int all = __nvvm_redux_sync_and(v, ALL), any = __nvvm_redux_sync_or(v, ALL), odd = __nvvm_redux_sync_xor(v, ALL);
  if (lane() == 0) {
    o[0] = sum; o[1] = low; o[2] = high; o[3] = ulow; o[4] = uhigh; o[5] = all; o[6] = any; o[7] = odd;
  }
}

// Groups of equal keys, each adding up by itself with its own mask.
KERNEL by_group(const u32 *key, const int *value, int *sum, u32 *size) {
  u32 same = match_any(key[gid()]);
  int s = 0;
  ROLLED for (u32 left = same; left; left &= left - 1) s += shfl_among(same, value[gid()], ffs0(left));
  sum[gid()] = s;
  size[gid()] = popc(same);
}

// One lane of those that are there is elected to write for them.
KERNEL leaders(const int *in, u32 *out) {
  int v = in[gid()];
  if (v > 0) {
    u32 mask = __nvvm_activemask(), leader, me;
    asm volatile("{\n\t.reg .pred p;\n\telect.sync %0|p, %2;\n\tselp.b32 %1, 1, 0, p;\n\t}" : "=r"(leader), "=r"(me) : "r"(mask));
    if (me) out[gid() / 32] = popc(mask) << 8 | (leader == lane());
  }
}
