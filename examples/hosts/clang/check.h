// What the programs of this folder have in common: each compares with a computation of the host.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(call) \
	do { \
		cudaError_t e = (call); \
		if (e != cudaSuccess) { \
			std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
			std::exit(1); \
		} \
	} while (0)

#define EXPECT(condition) \
	do { \
		if (!(condition)) { \
			std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(1); \
		} \
	} while (0)
