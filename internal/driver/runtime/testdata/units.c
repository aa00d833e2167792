/* The arguments are files with fat binaries: the image of a wrapper of version 1, or several inputs of the linker for one of
   version 2. The program runs the kernel k, and prints the error and what the kernel has stored. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { unsigned x, y, z; } dim3;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, dim3 *, dim3 *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *), cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);

static struct { uint32_t magic, version; const void *data; void **objects; } wrapper = { 0x466243b1, 1, NULL, NULL };
static char stub;

static void *contents(const char *path)
{
	FILE *f = fopen(path, "r");
	void *data = calloc(1, 1 << 20);
	if (!f || !data || !fread(data, 1, (1 << 20) - 1, f))
		exit(2);
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	static const uint64_t empty[2] = { 0x10000100000000ull | 0xba55ed50, 0 };
	dim3 one = { 1, 1, 1 };
	void **handle, *p = NULL, *args[] = { &p }, *objects[16] = { 0 };
	unsigned v = 0;
	int e;
	for (int i = 1; i < argc && i < 16; i++)
		objects[i - 1] = contents(argv[i]);
	if (argc == 2)
		wrapper.data = objects[0];
	else
		wrapper.version = 2, wrapper.data = empty, wrapper.objects = objects;
	handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &stub, (char *)"k", "k", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
	if (cudaMalloc(&p, 4))
		return 3;
	e = cudaLaunchKernel(&stub, one, one, args, 0, NULL);
	if (!e)
		cudaMemcpy(&v, p, 4, 2);
	printf("%d %u\n", e, v);
	__cudaUnregisterFatBinary(handle);
	return 0;
}
