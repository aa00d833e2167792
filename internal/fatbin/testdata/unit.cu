// The kernel of the fat binaries in this folder. nvcc 13.5 made them:
//
//	nvcc -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90a,code=compute_90a \
//		-compress-mode=default unit.cu -o zstd.fatbin
//
// lz4.fatbin is made with -compress-mode=speed, none.fatbin with -compress-mode=none.

__device__ unsigned bias = 1000;

extern "C" __global__ void squares(unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = i * i + bias;
}
