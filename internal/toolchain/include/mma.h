/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_MMA_H
#define CROSSLANE_MMA_H

/* Products of matrices by the lanes of a warp (PTX: wmma). Elements: half, __nv_bfloat16, precision::tf32, signed char,
   unsigned char, double; sums: float, half, int, double. Numbers of 4 bits and of 1 bit are left out. */

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

template <class T> struct crosslane_storage { typedef T type; };
template <> struct crosslane_storage<precision::tf32> { typedef float type; };

/* The elements of a lane, in the order of its registers. */
template <class T, int Count> struct crosslane_elements {
	enum { num_elements = Count, num_storage_elements = Count };
	typedef T element_type, storage_element_type;
	T x[Count];
};

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;
template <class Layout> struct crosslane_column;
template <> struct crosslane_column<row_major> { enum { value = 0 }; };
template <> struct crosslane_column<col_major> { enum { value = 1 }; };

template <class Use, int m, int n, int k, class T, class Layout>
static __inline__ __device__ void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const typename crosslane_storage<T>::type &v)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}

static __inline__ __device__ float __float_to_tf32(float v)
{
	unsigned int r;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return __builtin_bit_cast(float, r);
}

#define CROSSLANE_WMMA static __inline__ __attribute__((always_inline)) __device__

/* One factor: T is the element, P what clang's function points to. */
#define CROSSLANE_FACTOR(use, m, n, k, T, count, function, P) \
	template <class Layout> class fragment<use, m, n, k, T, Layout> : public crosslane_elements<crosslane_storage<T>::type, count> {}; \
	template <class Layout> CROSSLANE_WMMA void load_matrix_sync(fragment<use, m, n, k, T, Layout> &f, const crosslane_storage<T>::type *p, unsigned int stride) \
	{ \
		function((P *)f.x, (const P *)p, stride, crosslane_column<Layout>::value); \
	}
/* The sum. */
#define CROSSLANE_SUM(m, n, k, T, count, load, store, P) \
	template <> class fragment<accumulator, m, n, k, T, void> : public crosslane_elements<T, count> {}; \
	CROSSLANE_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int stride, layout_t layout) \
	{ \
		if (layout == mem_row_major) \
			load((P *)f.x, (const P *)p, stride, 0); \
		else \
			load((P *)f.x, (const P *)p, stride, 1); \
	} \
	CROSSLANE_WMMA void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int stride, layout_t layout) \
	{ \
		if (layout == mem_row_major) \
			store((P *)p, (const P *)f.x, stride, 0); \
		else \
			store((P *)p, (const P *)f.x, stride, 1); \
	}
#define CROSSLANE_PRODUCT(m, n, k, T, D, C, function, PT, PD, PC, Saturate) \
	template <class A, class B> CROSSLANE_WMMA void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, A> &a, const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, C> &c Saturate) \
	{ \
		function((PD *)d.x, (const PT *)a.x, (const PT *)b.x, (const PC *)c.x, crosslane_column<A>::value * 2 + crosslane_column<B>::value CROSSLANE_SATF); \
	}

/* half */
#define CROSSLANE_SATF , 0
#define CROSSLANE_HALF(M, N, K) \
	CROSSLANE_FACTOR(matrix_a, M, N, K, __half, 16, __hmma_m##M##n##N##k##K##_ld_a, int) \
	CROSSLANE_FACTOR(matrix_b, M, N, K, __half, 16, __hmma_m##M##n##N##k##K##_ld_b, int) \
	CROSSLANE_SUM(M, N, K, __half, 8, __hmma_m##M##n##N##k##K##_ld_c_f16, __hmma_m##M##n##N##k##K##_st_c_f16, int) \
	CROSSLANE_SUM(M, N, K, float, 8, __hmma_m##M##n##N##k##K##_ld_c_f32, __hmma_m##M##n##N##k##K##_st_c_f32, float) \
	CROSSLANE_PRODUCT(M, N, K, __half, __half, __half, __hmma_m##M##n##N##k##K##_mma_f16f16, int, int, int, ) \
	CROSSLANE_PRODUCT(M, N, K, __half, float, float, __hmma_m##M##n##N##k##K##_mma_f32f32, int, float, float, ) \
	CROSSLANE_PRODUCT(M, N, K, __half, float, __half, __hmma_m##M##n##N##k##K##_mma_f32f16, int, float, int, ) \
	CROSSLANE_PRODUCT(M, N, K, __half, __half, float, __hmma_m##M##n##N##k##K##_mma_f16f32, int, int, float, )
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
CROSSLANE_HALF(16, 16, 16)
CROSSLANE_HALF(32, 8, 16)
CROSSLANE_HALF(8, 32, 16)
#endif
#undef CROSSLANE_HALF

/* Bytes. A sum that saturates is the last parameter. */
#define CROSSLANE_BYTE(M, N, K, T, s, countA, countB) \
	CROSSLANE_FACTOR(matrix_a, M, N, K, T, countA, __imma_m##M##n##N##k##K##_ld_a_##s, int) \
	CROSSLANE_FACTOR(matrix_b, M, N, K, T, countB, __imma_m##M##n##N##k##K##_ld_b_##s, int) \
	template <class A, class B> CROSSLANE_WMMA void mma_sync(fragment<accumulator, M, N, K, int> &d, const fragment<matrix_a, M, N, K, T, A> &a, const fragment<matrix_b, M, N, K, T, B> &b, const fragment<accumulator, M, N, K, int> &c, bool saturate = false) \
	{ \
		if (saturate) \
			__imma_m##M##n##N##k##K##_mma_##s(d.x, (const int *)a.x, (const int *)b.x, c.x, crosslane_column<A>::value * 2 + crosslane_column<B>::value, 1); \
		else \
			__imma_m##M##n##N##k##K##_mma_##s(d.x, (const int *)a.x, (const int *)b.x, c.x, crosslane_column<A>::value * 2 + crosslane_column<B>::value, 0); \
	}
#define CROSSLANE_BYTES(M, N, K, countA, countB) \
	CROSSLANE_SUM(M, N, K, int, 8, __imma_m##M##n##N##k##K##_ld_c, __imma_m##M##n##N##k##K##_st_c_i32, int) \
	CROSSLANE_BYTE(M, N, K, signed char, s8, countA, countB) \
	CROSSLANE_BYTE(M, N, K, unsigned char, u8, countA, countB)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
CROSSLANE_BYTES(16, 16, 16, 8, 8)
CROSSLANE_BYTES(32, 8, 16, 16, 4)
CROSSLANE_BYTES(8, 32, 16, 4, 16)
#endif
#undef CROSSLANE_BYTES
#undef CROSSLANE_BYTE
#undef CROSSLANE_SATF

/* bfloat16, tf32 and double: not below sm_80. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define CROSSLANE_SATF , 0
#define CROSSLANE_BF16(M, N, K, countA, countB) \
	CROSSLANE_FACTOR(matrix_a, M, N, K, __nv_bfloat16, countA, __mma_bf16_m##M##n##N##k##K##_ld_a, int) \
	CROSSLANE_FACTOR(matrix_b, M, N, K, __nv_bfloat16, countB, __mma_bf16_m##M##n##N##k##K##_ld_b, int) \
	CROSSLANE_PRODUCT(M, N, K, __nv_bfloat16, float, float, __mma_bf16_m##M##n##N##k##K##_mma_f32, int, float, float, )
CROSSLANE_BF16(16, 16, 16, 8, 8)
CROSSLANE_BF16(32, 8, 16, 16, 4)
CROSSLANE_BF16(8, 32, 16, 4, 16)
CROSSLANE_FACTOR(matrix_a, 16, 16, 8, precision::tf32, 4, __mma_tf32_m16n16k8_ld_a, int)
CROSSLANE_FACTOR(matrix_b, 16, 16, 8, precision::tf32, 4, __mma_tf32_m16n16k8_ld_b, int)
CROSSLANE_SUM(16, 16, 8, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32, float)
CROSSLANE_PRODUCT(16, 16, 8, precision::tf32, float, float, __mma_tf32_m16n16k8_mma_f32, int, float, float, )
CROSSLANE_FACTOR(matrix_a, 8, 8, 4, double, 1, __dmma_m8n8k4_ld_a, double)
CROSSLANE_FACTOR(matrix_b, 8, 8, 4, double, 1, __dmma_m8n8k4_ld_b, double)
CROSSLANE_SUM(8, 8, 4, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64, double)
CROSSLANE_PRODUCT(8, 8, 4, double, double, double, __dmma_m8n8k4_mma_f64, double, double, double, )
#undef CROSSLANE_BF16
#undef CROSSLANE_SATF
#endif

#undef CROSSLANE_FACTOR
#undef CROSSLANE_SUM
#undef CROSSLANE_PRODUCT
#undef CROSSLANE_WMMA

} // namespace wmma
} // namespace nvcuda

#endif
