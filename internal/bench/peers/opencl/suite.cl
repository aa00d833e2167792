// The kernels that OpenCL runs as well: blocks and arguments are those of the suite.

__kernel void alu(__global uint *out, uint rounds) {
  uint id = get_global_id(0), s = id * 2654435761u + 12345u;
  float f = (float)(id & 1023u);
  for (uint i = 0; i < rounds; i++) {
    uint t = s * 1664525u + 1013904223u;
    t ^= t >> 16;
    s = (s + t) ^ i;
    float h = fma(f, 0.5f, 0.25f);
    f = (h + f) * 0.375f;
    s = (s ^ (t << 7 | mul_hi(s, 128u))) + t; // s >> 25, but no funnel shift, which Oclgrind lacks
    f += (float)(s & 0xffffu) * (1.0f / 65536);
    f = f < 1.5f ? f : 1.5f;
    s += f < 1.0f ? t : s;
  }
  out[id] = s ^ as_uint(f);
}

// Lanes meet in local memory: not every OpenCL has shuffles.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce_scan(__global const float *in, __global float *out) {
  __local float v[256], w[256];
  uint t = get_local_id(0), lane = t & 31, i = get_global_id(0);
  float sum = in[i], scan = sum;
  for (uint d = 16, e = 1; d; d /= 2, e *= 2) {
    v[t] = sum;
    w[t] = scan;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += v[t ^ d];
    if (lane >= e) scan += w[t - e];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum + scan;
}

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n) {
  uint col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; k++) sum = fma(a[row * n + k], b[k * n + col], sum);
  c[row * n + col] = sum;
}

__kernel void matmul4(__global const float *a, __global const float *b, __global float *c, uint n) {
  uint col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; k += 4)
    for (uint u = 0; u < 4; u++) sum = fma(a[row * n + k + u], b[(k + u) * n + col], sum);
  c[row * n + col] = sum;
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul_tiled(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float ta[16][16], tb[16][16];
  uint x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < 16; j++) sum = fma(ta[y][j], tb[j][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

#pragma OPENCL FP_CONTRACT OFF
__kernel void mandelbrot(__global uint *out, uint limit, float dy) {
  uint id = get_global_id(0);
  float cx = fma((float)(id & 1023), 3.0f / 1024, -2.2f), cy = fma((float)(id >> 10), dy, -1.5f);
  float x = 0, y = 0, m;
  uint i = 0, mixed = 0;
  do {
    float x2 = x * x, y2 = y * y;
    m = x2 + y2;
    if (y < 0) mixed = (mixed * 3 + 1) ^ i;
    float t = x * y;
    y = fma(t, 2.0f, cy);
    x = (x2 - y2) + cx;
    i++;
  } while (m < 4.0f && i < limit);
  out[id] = i ^ mixed;
}

__kernel void gather(__global uint *out, __global const uint *table, uint mask, uint rounds) {
  uint id = get_global_id(0), x = id * 2654435761u + 12345u, s = 0;
  for (uint i = 0; i < rounds; i++) {
    x = x * 1664525u + 1013904223u;
    s += table[x >> 7 & mask];
  }
  out[id] = s;
}
