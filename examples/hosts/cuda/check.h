// What the programs of this folder have in common: each computes its results on the host, too.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong;

// OK ends the program if a call of the runtime fails.
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); std::exit(1); } } while (0)

// WANT compares a value with what it should be.
#define WANT(x, v) do { long long got_ = (long long)(x), want_ = (long long)(v); if (got_ != want_ && wrong++ < 10) std::printf("%s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #x, got_, want_); } while (0)

// Buffer is memory of the device.
template <class T> struct Buffer {
	T *p = nullptr;
	size_t n;
	explicit Buffer(size_t count) : n(count) { OK(cudaMalloc(&p, n * sizeof(T))); }
	explicit Buffer(const std::vector<T> &v) : Buffer(v.size()) { OK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
	Buffer(const Buffer &) = delete;
	~Buffer() { cudaFree(p); }
	operator T *() { return p; }
	std::vector<T> get() { std::vector<T> v(n); OK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
};

static inline int finish() { std::printf("%d wrong\n", wrong); return wrong != 0; }
