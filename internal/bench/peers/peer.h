// What the peers share. A peer does the work of one launch of a kernel, in C for vectors of the
// processor: b are the launch's buffers, s its scalars' bits, x and y its grid.
//
// Vectors are of clang's vector types, which may be wider than a register; it splits them.
#pragma once
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define W 16 // words of a register
#else
#define W 8
#endif

#define PEER(NAME) void NAME(void *const *b, const uint32_t *s, unsigned x, unsigned y)
typedef uint32_t u32;

#define VECTOR(NAME, TYPE, N) typedef TYPE NAME __attribute__((ext_vector_type(N), aligned(4)))
VECTOR(f32x8, float, 8);
VECTOR(f32x16, float, 16);
VECTOR(f32x32, float, 32);
VECTOR(f32x64, float, 64);
VECTOR(f32x128, float, 128);
VECTOR(u32x8, u32, 8);
VECTOR(u32x16, u32, 16);
VECTOR(u32x32, u32, 32);
VECTOR(u32x64, u32, 64);
VECTOR(s32x8, int, 8);
VECTOR(s32x16, int, 16);
VECTOR(s32x32, int, 32);
VECTOR(s32x64, int, 64);
VECTOR(f64x16, double, 16);
VECTOR(f64x32, double, 32);

#if W == 16
typedef f32x16 vf;
typedef u32x16 vu;
typedef s32x16 vi;
#else
typedef f32x8 vf;
typedef u32x8 vu;
typedef s32x8 vi;
#endif

#define FMA __builtin_elementwise_fma
#define SPLAT(T, X) ((T)(X)) // to all lanes
// Of each lane a where the mask m is ~0, b where it is 0.
#define SELECT(T, M, A, B) ((T)(((M) & (__typeof__(M))(A)) | (~(M) & (__typeof__(M))(B))))
#define IOTA(T, V) do { for (unsigned i_ = 0; i_ < sizeof(V) / sizeof(V[0]); i_++) (V)[i_] = (T)i_; } while (0)
#define LOAD(T, P) (*(const T *)(P))
#define STORE(T, P, V) (*(T *)(P) = (V))

#if W == 16
static inline vu gather(const void *p, vu i) { return (vu)_mm512_i32gather_epi32((__m512i)i, p, 4); }
#else
static inline vu gather(const void *p, vu i) { return (vu)_mm256_i32gather_epi32(p, (__m256i)i, 4); }
#endif
