// Mistakes of programs of the CUDA runtime API. The first argument names a function of the file. It makes one mistake; with
// a second argument, it is the twin without the mistake.
//
// The comment before a function says what is found, and a test reads it:
//
//	//! CODES     the codes of the findings, in their order
//	//= TEXT      a text of the findings
//	//< LABEL     a finding is at the line, of a kernel or of the host, that ends in the comment [LABEL]
//	//- OPTIONS   of crosslane exec
//	//~ ENDS      the program ends by a signal
//
// A line of the function that ends in the comment "here" is one of the calls that the findings show.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

static bool wrong; // make the mistake

enum { N = 256, BYTES = N * sizeof(int) };

#define OK(call) \
	do { \
		cudaError_t e_ = (call); \
		if (e_ != cudaSuccess) { \
			std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
			std::exit(3); \
		} \
	} while (0)

#define EXPECT(condition) \
	do { \
		if (!(condition)) { \
			std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(3); \
		} \
	} while (0)

static volatile int seen; // what the host reads

__global__ void add(int *data, int v, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i] += v; // [add]
}

__global__ void set(int *data, int v)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = v; // [set]
}

__global__ void dynamic(int *data)
{
	extern __shared__ int room[];
	room[threadIdx.x] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

// memory returns N integers of the device that are 0.
static int *memory()
{
	int *d;
	OK(cudaMalloc(&d, BYTES));
	OK(cudaMemset(d, 0, BYTES));
	return d;
}

// pinned returns N integers of the host that are 0.
static int *pinned()
{
	int *h;
	OK(cudaMallocHost(&h, BYTES));
	std::memset(h, 0, BYTES);
	return h;
}

static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking)
{
	cudaStream_t s;
	OK(cudaStreamCreateWithFlags(&s, flags));
	OK(cudaDeviceSynchronize()); // what was enqueued before is done
	return s;
}

struct mistake {
	const char *name;
	void (*run)();
	mistake *next;
	static mistake *all;
	mistake(const char *n, void (*f)()) : name(n), run(f), next(all) { all = this; }
};
mistake *mistake::all;

#define MISTAKE(name) \
	void name(); \
	static mistake mistake_##name(#name, name); \
	void name()

#include "memory.h"
#include "copies.h"
#include "waits.h"
#include "launches.h"
#include "kernels.h"

int main(int argc, char **argv)
{
	wrong = argc == 2;
	for (mistake *m = mistake::all; m && argc > 1; m = m->next)
		if (!std::strcmp(argv[1], m->name)) {
			m->run();
			std::puts("done");
			return 0;
		}
	return 2;
}
