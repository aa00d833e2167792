// The second file of files.cu.
__constant__ int base[2];
__device__ int twice(int v) { return 2 * v; }
__global__ void other(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]) + base[0]; }
