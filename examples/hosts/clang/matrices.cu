// Products of matrices by nvcuda::wmma: every shape, element and layout. The factors are small integers, so each sum is exact.
#include "check.h"
#include <mma.h>

using namespace nvcuda;

template <class Layout> constexpr bool is_row = false;
template <> constexpr bool is_row<wmma::row_major> = true;

// T is the element in memory, E that of fragments, C and D are those of the sums.
template <int m, int n, int k, class T, class E, class D, class C, class LA, class LB>
__global__ void multiply(const T *a, const T *b, const C *c, D *d, wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, m, n, k, E, LA> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, E, LB> fb;
	wmma::fragment<wmma::accumulator, m, n, k, C> fc;
	wmma::fragment<wmma::accumulator, m, n, k, D> fd;
	wmma::load_matrix_sync(fa, a, is_row<LA> ? k : m);
	wmma::load_matrix_sync(fb, b, is_row<LB> ? n : k);
	wmma::load_matrix_sync(fc, c, layout == wmma::mem_row_major ? n : m, layout);
	for (int i = 0; i < fa.num_elements; i++)
		fa.x[i] = fa.x[i] + fa.x[i];
	wmma::mma_sync(fd, fa, fb, fc);
	wmma::store_matrix_sync(d, fd, layout == wmma::mem_row_major ? n : m, layout);
}

static unsigned int seed = 1;
template <class T> T small(bool negative)
{
	seed = seed * 1664525 + 1013904223;
	int v = seed >> 24 & 7;
	return T(float(negative && seed >> 31 ? -v : v));
}

template <int m, int n, int k, class T, class E, class D, class C, class LA, class LB> void test(bool negative, wmma::layout_t layout)
{
	T *a, *b;
	C *c;
	D *d;
	OK(cudaMallocManaged(&a, m * k * sizeof *a));
	OK(cudaMallocManaged(&b, k * n * sizeof *b));
	OK(cudaMallocManaged(&c, m * n * sizeof *c));
	OK(cudaMallocManaged(&d, m * n * sizeof *d));
	for (int i = 0; i < m * k; i++)
		a[i] = small<T>(negative);
	for (int i = 0; i < k * n; i++)
		b[i] = small<T>(negative);
	for (int i = 0; i < m * n; i++)
		c[i] = small<C>(negative);
	multiply<m, n, k, T, E, D, C, LA, LB><<<1, 32>>>(a, b, c, d, layout);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			int at = layout == wmma::mem_row_major ? i * n + j : j * m + i;
			double sum = (double)(float)c[at];
			for (int l = 0; l < k; l++)
				sum += 2 * (double)(float)a[is_row<LA> ? i * k + l : l * m + i] * (double)(float)b[is_row<LB> ? l * n + j : j * k + l];
			EXPECT((double)(float)d[at] == sum);
		}
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(c));
	OK(cudaFree(d));
}

template <int m, int n, int k, class T, class E, class D, class C> void layouts(bool negative = true)
{
	test<m, n, k, T, E, D, C, wmma::row_major, wmma::row_major>(negative, wmma::mem_row_major);
	test<m, n, k, T, E, D, C, wmma::row_major, wmma::col_major>(negative, wmma::mem_col_major);
	test<m, n, k, T, E, D, C, wmma::col_major, wmma::row_major>(negative, wmma::mem_row_major);
	test<m, n, k, T, E, D, C, wmma::col_major, wmma::col_major>(negative, wmma::mem_col_major);
}

template <int m, int n> void shape()
{
	layouts<m, n, 16, half, half, float, float>();
	layouts<m, n, 16, half, half, half, half>();
	layouts<m, n, 16, half, half, float, half>();
	layouts<m, n, 16, half, half, half, float>();
	layouts<m, n, 16, signed char, signed char, int, int>();
	layouts<m, n, 16, unsigned char, unsigned char, int, int>(false);
	layouts<m, n, 16, __nv_bfloat16, __nv_bfloat16, float, float>();
}

// A sum that saturates, and one that wraps.
__global__ void saturate(int *out)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, int> c, d;
	wmma::fill_fragment(a, 100);
	wmma::fill_fragment(b, 100);
	wmma::fill_fragment(c, 0x7fffffff);
	wmma::mma_sync(d, a, b, c, true);
	wmma::store_matrix_sync(out, d, 16, wmma::mem_row_major);
	wmma::mma_sync(d, a, b, c);
	wmma::store_matrix_sync(out + 256, d, 16, wmma::mem_row_major);
}

// tf32 keeps ten bits of the fraction: 1 + 3/2048 lies in the middle and is rounded away from zero.
__global__ void tf32(float *out) { *out = wmma::__float_to_tf32(1 + 3 * 0x1p-11f); }

int main()
{
	shape<16, 16>();
	shape<32, 8>();
	shape<8, 32>();
	layouts<16, 16, 8, float, wmma::precision::tf32, float, float>();
	layouts<8, 8, 4, double, double, double, double>();
	int *out;
	OK(cudaMallocManaged(&out, 512 * sizeof *out));
	saturate<<<1, 32>>>(out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 256; i++)
		EXPECT(out[i] == 0x7fffffff && out[256 + i] == (int)(0x7fffffffu + 160000));
	tf32<<<1, 1>>>((float *)out);
	OK(cudaDeviceSynchronize());
	EXPECT(*(float *)out == 1 + 0x1p-9f);
	std::puts("right");
}
