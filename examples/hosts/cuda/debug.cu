// nvcc: -G
// Code for a debugger: nothing is inlined, variables are in local memory.
#include "check.h"

__device__ int power(int base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }

__global__ void powers(int *out)
{
	int local[8];
	for (int i = 0; i < 8; i++)
		local[i] = power(threadIdx.x, i);
	int sum = 0;
	for (int i = 0; i < 8; i++)
		sum += local[i];
	out[threadIdx.x] = sum;
}

int main()
{
	Buffer<int> out(10);
	powers<<<1, 10>>>(out);
	std::vector<int> got = out.get();
	for (int i = 0; i < 10; i++) {
		int sum = 0, p = 1;
		for (int k = 0; k < 8; k++, p *= i)
			sum += p;
		WANT(got[i], sum);
	}
	return finish();
}
