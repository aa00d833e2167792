// Copies and fills of two and three dimensions.
#include "check.h"

__global__ void bump(char *p, size_t pitch, int w, int h) { int x = threadIdx.x, y = threadIdx.y; if (x < w && y < h) ((int *)(p + y * pitch))[x] += 1000; }

int main()
{
	const int w = 20, h = 9, d = 4;
	int in[h][w], out[h][w];
	char *p;
	size_t pitch;
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			in[y][x] = 100 * y + x;
	OK(cudaMallocPitch(&p, &pitch, w * 4, h));
	WANT(pitch >= w * 4 && pitch % 4 == 0, true);
	OK(cudaMemset2D(p, pitch, 0xff, w * 4, h));
	OK(cudaMemcpy2D(p, pitch, in, w * 4, w * 4, h, cudaMemcpyHostToDevice));
	bump<<<1, dim3(32, 16)>>>(p, pitch, w, h);
	OK(cudaMemcpy2D(out, w * 4, p, pitch, w * 4, h, cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			WANT(out[y][x], in[y][x] + 1000);
	OK(cudaFree(p));

	static int cube[d][h][w], back[d][h][w];
	cudaPitchedPtr q;
	cudaExtent e = make_cudaExtent(w * 4, h, d);
	for (int i = 0; i < d * h * w; i++)
		(&cube[0][0][0])[i] = 3 * i;
	OK(cudaMalloc3D(&q, e));
	OK(cudaMemset3D(q, 0, e));
	cudaMemcpy3DParms c = {};
	c.srcPtr = make_cudaPitchedPtr(cube, w * 4, w, h), c.dstPtr = q, c.extent = make_cudaExtent(w * 4, h - 1, d), c.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&c));
	c = {};
	c.srcPtr = q, c.dstPtr = make_cudaPitchedPtr(back, w * 4, w, h), c.extent = e, c.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&c));
	for (int z = 0; z < d; z++)
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				WANT(back[z][y][x], y == h - 1 ? 0 : cube[z][y][x]);
	OK(cudaFree(q.ptr));
	return finish();
}
