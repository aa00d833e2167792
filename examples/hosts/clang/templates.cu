// Templates, functors, lambdas, structures by value, virtual functions and pointers to functions.
#include "check.h"

struct Affine {
	float a, b;
	__host__ __device__ float operator()(float x) const { return a * x + b; }
};

template <class F, int Repeat> __global__ void apply(F f, const float *in, float *out)
{
	float v = in[threadIdx.x];
#pragma unroll
	for (int i = 0; i < Repeat; i++)
		v = f(v);
	out[threadIdx.x] = v;
}

struct Shape {
	__device__ virtual int area() const = 0;
};
struct Square : Shape {
	int side;
	__device__ Square(int s) : side(s) {}
	__device__ int area() const override { return side * side; }
};
struct Oblong : Shape {
	int w, h;
	__device__ Oblong(int w, int h) : w(w), h(h) {}
	__device__ int area() const override { return w * h; }
};

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }

__global__ void indirect(int *out, int which)
{
	Square s(3);
	Oblong o(4, 5);
	const Shape *shapes[] = {&s, &o};
	int (*const functions[])(int) = {twice, square};
	int i = threadIdx.x;
	out[i] = shapes[(i + which) % 2]->area() + functions[i / 2 % 2](i);
}

int main()
{
	float in[32], out[32], *din, *dout;
	for (int i = 0; i < 32; i++)
		in[i] = i;
	OK(cudaMalloc(&din, sizeof in));
	OK(cudaMalloc(&dout, sizeof out));
	OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
	Affine f{2, 1};
	apply<Affine, 3><<<1, 32>>>(f, din, dout);
	OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(out[i] == f(f(f(in[i]))));
	float offset = 5;
	auto g = [=] __device__(float x) { return x - offset; };
	apply<decltype(g), 2><<<1, 32>>>(g, din, dout);
	OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(out[i] == in[i] - 10);
	int *di = (int *)dout, ints[32];
	indirect<<<1, 32>>>(di, 1);
	OK(cudaMemcpy(ints, di, sizeof ints, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(ints[i] == ((i + 1) % 2 ? 20 : 9) + (i / 2 % 2 ? i * i : 2 * i));
	OK(cudaFree(din));
	OK(cudaFree(dout));
	std::puts("right");
}
