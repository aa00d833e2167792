// Operations between lanes, atomic operations of each kind, and integer functions, against a model of the host.
#include "check.h"

struct Results {
	unsigned ballot, match, any, all, xorSum, reduced, popc, clz, ffs, brev, hi, perm, mn, mx;
	int dp4a, smin, smax;
	float fmn;
};

__global__ void lanes(Results *out, const unsigned *in)
{
	unsigned t = threadIdx.x, v = in[t], x = v;
	Results r;
	r.ballot = __ballot_sync(~0u, v & 1);
	r.match = __match_any_sync(~0u, v % 5);
	r.any = __any_sync(~0u, v == in[3]) != 0;
	r.all = __all_sync(~0u, v > 3) != 0;
	for (int d = 1; d < 32; d *= 2)
		x ^= __shfl_xor_sync(~0u, x, d) * 3;
	r.xorSum = x;
	r.reduced = __reduce_add_sync(~0u, v);
	r.popc = __popc(v), r.clz = __clz(v), r.ffs = __ffs(v), r.brev = __brev(v);
	r.hi = __umulhi(v, 0x12345678u), r.perm = __byte_perm(v, ~v, 0x6420);
	r.dp4a = __dp4a((int)v, (int)(v * 3), -5);
	r.mn = min(v, 1000u), r.mx = max(v, 1000u), r.smin = min((int)v, -7), r.smax = max((int)v, -7), r.fmn = fminf(v, 2.5f);
	out[t] = r;
}

__global__ void atomics(int *s, unsigned *u, unsigned long long *q, float *f, double *d)
{
	int t = threadIdx.x + blockIdx.x * blockDim.x;
	atomicAdd(&s[0], t), atomicSub(&s[1], t), atomicMin(&s[2], -t), atomicMax(&s[3], t), atomicAnd(&s[4], ~(1 << t % 31)), atomicOr(&s[5], 1 << t % 31), atomicXor(&s[6], t);
	atomicInc(&u[0], 99), atomicDec(&u[1], 99), atomicMax(&u[2], (unsigned)t), atomicAdd_system(&u[3], 2u);
	for (unsigned old = u[4], seen; (seen = atomicCAS(&u[4], old, old + 3)) != old;) // a sum by compare and swap
		old = seen;
	atomicAdd(&q[0], 1ull << 33), atomicMax(&q[1], (unsigned long long)t << 40), atomicAdd(f, 0.5f), atomicAdd(d, 0.25);
}

static unsigned reversed(unsigned v)
{
	unsigned r = 0;
	for (int i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

int main()
{
	unsigned in[32], *din;
	Results r[32], *dr;
	for (unsigned i = 0; i < 32; i++)
		in[i] = (i * 2654435761u) >> (i % 9);
	OK(cudaMalloc(&din, sizeof in));
	OK(cudaMalloc(&dr, sizeof r));
	OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
	lanes<<<1, 32>>>(dr, din);
	OK(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
	unsigned x[32], ballot = 0, sum = 0, all = 1;
	for (int i = 0; i < 32; i++)
		x[i] = in[i], ballot |= (in[i] & 1) << i, sum += in[i], all &= in[i] > 3;
	for (int d = 1; d < 32; d *= 2) {
		unsigned old[32];
		for (int i = 0; i < 32; i++)
			old[i] = x[i];
		for (int i = 0; i < 32; i++)
			x[i] = old[i] ^ old[i ^ d] * 3;
	}
	for (int i = 0; i < 32; i++) {
		unsigned v = in[i], match = 0, n = ~v, perm = (v & 255) | (v >> 16 & 255) << 8 | (n & 255) << 16 | (n >> 16 & 255) << 24;
		int dot = -5;
		for (int k = 0; k < 32; k++)
			match |= (in[k] % 5 == v % 5) << k;
		for (int b = 0; b < 4; b++)
			dot += (signed char)(v >> 8 * b) * (signed char)(v * 3 >> 8 * b);
		EXPECT(r[i].ballot == ballot && r[i].match == match && r[i].any == 1 && r[i].all == all && r[i].xorSum == x[i] && r[i].reduced == sum);
		EXPECT(r[i].popc == (unsigned)__builtin_popcount(v) && r[i].clz == (unsigned)(v ? __builtin_clz(v) : 32) && r[i].ffs == (unsigned)__builtin_ffs(v) && r[i].brev == reversed(v));
		EXPECT(r[i].hi == (unsigned)((unsigned long long)v * 0x12345678u >> 32) && r[i].perm == perm && r[i].dp4a == dot);
		EXPECT(r[i].mn == (v < 1000 ? v : 1000) && r[i].mx == (v < 1000 ? 1000 : v) && r[i].smin == ((int)v < -7 ? (int)v : -7) && r[i].smax == ((int)v < -7 ? -7 : (int)v));
		EXPECT(r[i].fmn == (v < 2.5f ? (float)v : 2.5f));
	}

	int s[7] = {0, 0, 0, 0, ~0, 0, 0}, *ds;
	unsigned u[5] = {0}, *du;
	unsigned long long q[2] = {0}, *dq;
	float f = 0, *df;
	double d = 0, *dd;
	OK(cudaMalloc(&ds, sizeof s));
	OK(cudaMalloc(&du, sizeof u));
	OK(cudaMalloc(&dq, sizeof q));
	OK(cudaMalloc(&df, sizeof f));
	OK(cudaMalloc(&dd, sizeof d));
	OK(cudaMemcpy(ds, s, sizeof s, cudaMemcpyHostToDevice));
	OK(cudaMemset(du, 0, sizeof u));
	OK(cudaMemset(dq, 0, sizeof q));
	OK(cudaMemset(df, 0, sizeof f));
	OK(cudaMemset(dd, 0, sizeof d));
	atomics<<<4, 64>>>(ds, du, dq, df, dd);
	OK(cudaMemcpy(s, ds, sizeof s, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(u, du, sizeof u, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(q, dq, sizeof q, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(&f, df, sizeof f, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(&d, dd, sizeof d, cudaMemcpyDeviceToHost));
	EXPECT(s[0] == 255 * 128 && s[1] == -255 * 128 && s[2] == -255 && s[3] == 255 && s[4] == (int)0x80000000 && s[5] == 0x7fffffff && s[6] == 0);
	EXPECT(u[0] == 256 % 100 && u[1] == (100 - 256 % 100) % 100 && u[2] == 255 && u[3] == 512 && u[4] == 768);
	EXPECT(q[0] == 256ull << 33 && q[1] == 255ull << 40 && f == 128 && d == 64);
	OK(cudaFree(din));
	OK(cudaFree(dr));
	OK(cudaFree(ds));
	OK(cudaFree(du));
	OK(cudaFree(dq));
	OK(cudaFree(df));
	OK(cudaFree(dd));
	std::puts("right");
}
