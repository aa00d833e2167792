// Programs whose code has many kinds of instructions and much control flow.
typedef unsigned int uint;
typedef unsigned long ulong;
#define gid() ((uint)__builtin_amdgcn_workgroup_id_x() * 64 + (uint)__builtin_amdgcn_workitem_id_x())

__constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

__attribute__((noinline)) static int twice(int x) { return x < 0 ? -2 * x : 2 * x + table[x & 15]; }

__attribute__((noinline)) static ulong collatz(ulong n) {
  ulong steps = 0;
  while (n > 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

kernel void calls(global int *a, global ulong *b) {
  a[gid()] = twice(a[gid()]) + twice(7);
  b[gid()] = collatz(b[gid()]);
}

kernel void switches(global int *a, int n) {
  int x = a[gid()];
  switch (n) {
  case 0: x += 1; break;
  case 1: x *= 3; break;
  case 2: x ^= 0x12345678; break;
  case 3: x = x / 7; break;
  case 4: x = x % 1000003; break;
  case 5: x = (uint)x >> 5 | x << 27; break;
  case 6: x = __builtin_popcount(x); break;
  case 7: x = __builtin_clz(x | 1); break;
  default: x = -x;
  }
  a[gid()] = x;
}

kernel void floats(global float *f, global double *d) {
  float x = f[gid()];
  double y = d[gid()];
  f[gid()] = x / (1.0f + x * x) + __builtin_sqrtf(x) - __builtin_floorf(x) + 0.15915494f;
  d[gid()] = y / (2.5 + y) + __builtin_sqrt(y) * 0.15915494309189532 - __builtin_fabs(y) + (double)x;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *h) {
  half x = h[gid()];
  h[gid()] = x * x + (half)0.5f - x / (half)3.0f;
}

kernel void scratch(global int *a, int n) {
  int stack[32];
  for (int i = 0; i < 32; i++)
    stack[i] = a[i] * i;
  for (int i = 0; i < n; i++)
    stack[(i * 7) & 31] += stack[i & 31] ^ i;
  a[gid()] = stack[n & 31];
}

kernel void prefix(global uint *a, global uint *out) {
  local uint s[256];
  uint i = __builtin_amdgcn_workitem_id_x();
  s[i] = a[gid()];
  for (uint step = 1; step < 64; step <<= 1) {
    __builtin_amdgcn_s_barrier();
    uint v = i >= step ? s[i - step] : 0;
    __builtin_amdgcn_s_barrier();
    s[i] += v;
  }
  __opencl_atomic_fetch_add((volatile global atomic_uint *)out, s[i], memory_order_relaxed, memory_scope_device);
}

kernel void bytes(global uchar *a, global short *b, global char4 *c) {
  a[gid()] = (uchar)(a[gid()] * 5 + b[gid()]);
  b[gid()] = b[gid()] >> 3;
  char4 v = c[gid()];
  c[gid()] = v * v + (char4)(1, 2, 3, 4);
}

kernel void lanes(global uint *a) {
  uint x = a[gid()];
  x += __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, 0);
  x ^= __builtin_amdgcn_ds_bpermute(x << 2, x);
  x += __builtin_amdgcn_ds_swizzle(x, 0x041f);
  x += __builtin_amdgcn_readfirstlane(x);
  a[gid()] = x;
}
