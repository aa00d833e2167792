// The program of again.h on the CUDA runtime.
#include <cuda_runtime.h>

#define GPU(name) cuda##name
#define LANE threadIdx.x
#define OWN_STREAM cudaStreamPerThread
#define SYMBOL(name) name

#include "again.h"
