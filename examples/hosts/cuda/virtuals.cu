// Virtual functions: a kernel makes the objects, because their tables belong to the device.
#include "check.h"

struct Shape { __device__ virtual int area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { int a; __device__ Square(int n) : a(n) {} __device__ int area() const override { return a * a; } };
struct Box : Shape { int a, b; __device__ Box(int n, int m) : a(n), b(m) {} __device__ int area() const override { return a * b; } };

__global__ void make(Shape **list) { int i = threadIdx.x; list[i] = i % 2 ? (Shape *)new Square(i) : new Box(i, i + 1); }
__global__ void measure(Shape **list, int *out) { out[threadIdx.x] = list[threadIdx.x]->area(); }
__global__ void drop(Shape **list) { delete list[threadIdx.x]; }

int main()
{
	Buffer<Shape *> list(40);
	Buffer<int> out(40);
	make<<<1, 40>>>(list);
	measure<<<1, 40>>>(list, out);
	std::vector<int> got = out.get();
	for (int i = 0; i < 40; i++)
		WANT(got[i], i % 2 ? i * i : i * (i + 1));
	drop<<<1, 40>>>(list);
	OK(cudaDeviceSynchronize());
	return finish();
}
