// Pointers to functions: in a table of the device, and copied to the host and back as an argument.
#include "check.h"

typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ Op ops[3] = { add, sub, mul };

__global__ void run(int which, Op given, int *out)
{
	int i = threadIdx.x;
	out[i] = ops[(which + i) % 3](i, 4) + given(i, 2);
}

int main()
{
	Op given[3];
	Buffer<int> out(30);
	OK(cudaMemcpyFromSymbol(given, ops, sizeof given));
	for (int w = 0; w < 3; w++) {
		run<<<1, 30>>>(w, given[w], out);
		std::vector<int> got = out.get();
		for (int i = 0; i < 30; i++) {
			int o[] = { i + 4, i - 4, i * 4 }, g[] = { i + 2, i - 2, i * 2 };
			WANT(got[i], o[(w + i) % 3] + g[w]);
		}
	}
	return finish();
}
