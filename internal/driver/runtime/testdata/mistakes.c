/* Mistakes that checks find; with an argument, the same without them. The lines of the calls are in a test. */
#include <stdint.h>
#include <stdio.h>

#include "start.h"

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);

int main(int argc, char **argv)
{
	dim3 one = { 1, 1, 1 }, none = { 0, 1, 1 };
	unsigned n = 1, room[32];
	void *p, *args[] = { &p, &n };
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	if (argc < 2)
		cudaMemcpy(room, p, 256, 2); /* too long */
	if (argc < 2)
		cudaLaunchKernel(&add_stub, none, one, args, 0, NULL); /* no blocks */
	cudaLaunchKernel(&add_stub, one, one, args, 0, NULL);
	cudaMemcpy(room, p, 128, 2);
	cudaFree(p);
	if (argc < 2)
		cudaFree(p); /* again */
	return argv[0] == NULL;
}
