/* A runtime library in the place of Crosslane's. MAJOR is its version. */
#include <stdio.h>
#include <unistd.h>
struct dim3 { unsigned x, y, z; };
static void *registered;
void **__cudaRegisterFatBinary(void *p) { registered = p; return &registered; }
int __cudaRegisterFunction(void) { return 0; }
int __cudaPushCallConfiguration(void) { return 0; }
const char *cudaGetErrorString(int e) { return e == 7 ? "seven" : "?"; }
int cudaLaunchKernel(const void *f, struct dim3 g, struct dim3 b, void **args, size_t shared, void *stream)
{
	return printf("launch %s %u %u %u, %u %u %u, %d, %zu, %s\n", (const char *)f, g.x, g.y, g.z, b.x, b.y, b.z, *(int *)args[0], shared, (const char *)stream), 0;
}
int cudaMalloc(void **p, size_t n) { return *p = registered, (int)n; }
int cudaMemcpy(void) { return 0; }
int cudaRuntimeGetVersion(int *v) { return *v = MAJOR, 0; }
int cudaStreamSetAttribute(void) { return 0; }
int cudaMixed(int a, double x, long b, float y, int c, int d, int e, int f, int g, const char *h)
{
	return printf("mixed %d %g %ld %g %d %d %d %d %d %s\n", a, x, b, y, c, d, e, f, g, h), 0;
}
int __cudaShort(void) { return 3; }
int cudaFree(void *p) { return p == registered ? 0 : 1; }
int cudaGetDeviceProperties_v2(void) { return 0; }
int cudaBindTexture(void) { return 0; }
