#include "device.h"

typedef float (*Op)(float, float);
NOINLINE float plus(float a, float b) { return a + b; }
NOINLINE float minus(float a, float b) { return a - b; }
NOINLINE float times(float a, float b) { return a * b; }
NOINLINE float most(float a, float b) { return a < b ? b : a; }

// A table of functions in memory; every lane picks its own.
__device__ Op table[4] = {plus, minus, times, most};
KERNEL by_table(const u32 *which, const float *a, const float *b, float *out) {
  u32 i = gid();
  out[i] = table[which[i] & 3](a[i], b[i]);
}

// A function as an argument.
NOINLINE float fold(Op f, const float *v, u32 n, float start) {
  ROLLED for (u32 i = 0; i < n; i++) start = f(start, v[i]);
  return start;
}
KERNEL folds(const float *v, float *out, u32 n) {
  u32 i = gid();
  Op f = i % 2 ? plus : i % 4 ? most : minus;
  out[i] = fold(f, v + i * n, n, 0.5f);
}

#if defined(__AMDGCN__)
// What tables of virtual functions name where a class has none, from a library otherwise.
extern "C" __device__ void __cxa_pure_virtual() { __builtin_trap(); }
#endif

// Virtual functions: objects made in local memory by the thread that uses them.
struct Shape {
  float size;
  __device__ Shape(float s) : size(s) {}
  __device__ virtual float area() const = 0;
  __device__ virtual u32 corners() const { return 0; }
};
struct Square : Shape {
  __device__ Square(float s) : Shape(s) {}
  __device__ float area() const override { return size * size; }
  __device__ u32 corners() const override { return 4; }
};
struct Circle : Shape {
  __device__ Circle(float s) : Shape(s) {}
  __device__ float area() const override { return size * size * 3.140625f; }
};
struct Triangle : Shape {
  float height;
  __device__ Triangle(float s, float h) : Shape(s), height(h) {}
  __device__ float area() const override { return size * height / 2; }
  __device__ u32 corners() const override { return 3; }
};
NOINLINE float measure(const Shape *s) { return s->area() + 100 * s->corners(); }

KERNEL virtuals(const float *size, float *out) {
  u32 i = gid();
  Square a(size[i]);
  Circle b(size[i]);
  Triangle c(size[i], 3);
  const Shape *s = i % 3 == 0 ? (const Shape *)&a : i % 3 == 1 ? (const Shape *)&b : (const Shape *)&c;
  out[i] = measure(s);
}
