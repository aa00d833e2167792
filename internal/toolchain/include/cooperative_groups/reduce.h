/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_COOPERATIVE_GROUPS_REDUCE_H
#define CROSSLANE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

/* Sums, extremes and bits of a tile or of the active lanes. All lanes of the group get the result. */
namespace cooperative_groups {

template <class T> struct plus { __host__ __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __host__ __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __host__ __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __host__ __device__ T operator()(T a, T b) const { return a ^ b; } };

template <unsigned int Size, class Parent, class T, class Op> static __inline__ __device__ T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op)
{
	for (unsigned int n = Size / 2; n > 0; n /= 2)
		v = op(v, tile.shfl_xor(v, n));
	return v;
}

/* A group of any size: in step n, each second rank that is a multiple of n takes the value of the next one. */
template <class T, class Op> static __inline__ __device__ T reduce(const coalesced_group &group, T v, Op op)
{
	const unsigned int rank = group.thread_rank(), size = group.size();
	for (unsigned int n = 1; n < size; n *= 2) {
		const bool takes = rank % (2 * n) == 0 && rank + n < size;
		const T other = group.shfl(v, (int)(takes ? rank + n : rank));
		if (takes)
			v = op(v, other);
	}
	return group.shfl(v, 0);
}

} // namespace cooperative_groups

#endif
