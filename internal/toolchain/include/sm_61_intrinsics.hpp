/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_SM_61_INTRINSICS_HPP
#define CROSSLANE_SM_61_INTRINSICS_HPP

/* Sums of products of bytes and of half words (PTX: dp4a, dp2a). */
static __inline__ __attribute__((always_inline)) __device__ int __dp4a(int a, int b, int c)
{
	int d;
	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
static __inline__ __attribute__((always_inline)) __device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d;
	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
static __inline__ __attribute__((always_inline)) __device__ int __dp2a_lo(int a, int b, int c)
{
	int d;
	asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
static __inline__ __attribute__((always_inline)) __device__ unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d;
	asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
static __inline__ __attribute__((always_inline)) __device__ int __dp2a_hi(int a, int b, int c)
{
	int d;
	asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
static __inline__ __attribute__((always_inline)) __device__ unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d;
	asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}

#endif
