// Textures and surfaces: linear filters, normalized coordinates, layers, cubes, mipmaps, surfaces, linear memory and memory with
// a pitch, against values that the host computes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(x) do { cudaError_t e_ = (x); if (e_) { std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)); std::exit(1); } } while (0)

static int wrong;
static void want(const char *what, int i, float got, float v)
{
	if (got != v && wrong++ < 20)
		std::printf("%s, %d: %g, want %g\n", what, i, got, v);
}

__global__ void plane(cudaTextureObject_t t, float *out, float scale, float shift)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = tex2D<float>(t, (i % 32) * scale + shift, (i / 32) * scale + shift);
}

__global__ void bytes(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); }
__global__ void ints(cudaTextureObject_t t, int2 *out) { out[threadIdx.x] = tex2D<int2>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f); }
__global__ void layers(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 % 4 + 0.5f, threadIdx.x / 16); }
__global__ void faces(cudaTextureObject_t t, float *out)
{
	const float d[6][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
	out[threadIdx.x] = texCubemap<float>(t, d[threadIdx.x][0], d[threadIdx.x][1], d[threadIdx.x][2]);
}
__global__ void volume(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex3D<float>(t, 1.0f, 1.0f, threadIdx.x + 1.0f); }
__global__ void levels(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.5f); }
__global__ void gather(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex2Dgather<float4>(t, threadIdx.x + 1.0f, 1.0f, 0); }
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h)
{
	int x = threadIdx.x, y = threadIdx.y;
	float v = surf2Dread<float>(from, x * 4, y);
	surf2Dwrite(v + 1, to, (w - 1 - x) * 4, h - 1 - y);
	surf2Dwrite(99.0f, to, (w + x) * 4, y, cudaBoundaryModeZero); // outside: no effect
}

static cudaTextureObject_t object(cudaResourceDesc r, cudaTextureDesc d)
{
	cudaTextureObject_t t = 0;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	return t;
}

static cudaTextureDesc describe(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized)
{
	cudaTextureDesc d = {};
	d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
	d.filterMode = filter;
	d.normalizedCoords = normalized;
	d.maxMipmapLevelClamp = 16;
	return d;
}

int main()
{
	const int W = 8, H = 4;
	std::vector<float> img(W * H);
	for (int i = 0; i < W * H; i++)
		img[i] = float(i * i % 37);
	auto at = [&](int x, int y) { return img[std::min(std::max(y, 0), H - 1) * W + std::min(std::max(x, 0), W - 1)]; };
	float *out, host[1024];
	OK(cudaMalloc(&out, sizeof host));
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaArray_t a, b;
	OK(cudaMallocArray(&a, &f, W, H, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
	OK(cudaMallocArray(&b, &f, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(a, 0, 0, img.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
	OK(cudaMemset(out, 0, sizeof host));

	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaTextureObject_t t = object(r, describe(cudaAddressModeClamp, cudaFilterModeLinear, false));
	plane<<<8, 128>>>(t, out, 0.25f, -1.0f);
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 1024; i++) {
		float x = (i % 32) * 0.25f - 1.5f, y = (i / 32) * 0.25f - 1.5f, fx = std::floor(x), fy = std::floor(y), u = x - fx, v = y - fy;
		int ix = int(fx), iy = int(fy);
		want("linear", i, host[i], (1 - u) * (1 - v) * at(ix, iy) + u * (1 - v) * at(ix + 1, iy) + (1 - u) * v * at(ix, iy + 1) + u * v * at(ix + 1, iy + 1));
	}
	gather<<<1, 6>>>(t, reinterpret_cast<float4 *>(out));
	OK(cudaMemcpy(host, out, 6 * 16, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 6; i++) {
		float v[4] = { at(i, 1), at(i + 1, 1), at(i + 1, 0), at(i, 0) };
		for (int k = 0; k < 4; k++)
			want("gather", 4 * i + k, host[4 * i + k], v[k]);
	}
	OK(cudaDestroyTextureObject(t));
	t = object(r, describe(cudaAddressModeWrap, cudaFilterModePoint, true));
	plane<<<8, 128>>>(t, out, 1.0f / 16, 1.0f / 64 - 1);
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 1024; i++) {
		float x = (i % 32) / 16.0f + 1.0f / 64, y = (i / 32) / 16.0f + 1.0f / 64;
		want("wrap", i, host[i], at(int((x - std::floor(x)) * W), int((y - std::floor(y)) * H)));
	}
	OK(cudaDestroyTextureObject(t));

	// Surfaces.
	cudaSurfaceObject_t from, to;
	OK(cudaCreateSurfaceObject(&from, &r));
	r.res.array.array = b;
	OK(cudaCreateSurfaceObject(&to, &r));
	turn<<<1, dim3(W, H)>>>(from, to, W, H);
	OK(cudaMemcpy2DFromArray(host, W * 4, b, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
	for (int i = 0; i < W * H; i++)
		want("surface", i, host[i], at(W - 1 - i % W, H - 1 - i / W) + 1);
	OK(cudaDestroySurfaceObject(from));
	OK(cudaDestroySurfaceObject(to));
	OK(cudaFreeArray(a));
	OK(cudaFreeArray(b));

	// Linear memory of bytes, read as numbers; memory with a pitch.
	unsigned char raw[128], *p;
	for (int i = 0; i < 128; i++)
		raw[i] = (unsigned char)(2 * i);
	OK(cudaMalloc(&p, 1024));
	OK(cudaMemcpy(p, raw, 128, cudaMemcpyHostToDevice));
	r = {};
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
	r.res.linear.sizeInBytes = 128;
	cudaTextureDesc d = {};
	d.readMode = cudaReadModeNormalizedFloat;
	t = object(r, d);
	bytes<<<1, 32>>>(t, reinterpret_cast<float4 *>(out));
	OK(cudaMemcpy(host, out, 512, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 128; i++)
		want("bytes", i, host[i], float(raw[i]) / 255.0f);
	OK(cudaDestroyTextureObject(t));
	int pairs[256];
	for (int i = 0; i < 256; i++)
		pairs[i] = i * 1000003 - 7;
	OK(cudaMemcpy(p, pairs, 1024, cudaMemcpyHostToDevice));
	r = {};
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.desc = cudaCreateChannelDesc<int2>();
	r.res.pitch2D.width = 8;
	r.res.pitch2D.height = 4;
	r.res.pitch2D.pitchInBytes = 256;
	t = object(r, describe(cudaAddressModeClamp, cudaFilterModePoint, false));
	ints<<<1, 32>>>(t, reinterpret_cast<int2 *>(out));
	int words[64];
	OK(cudaMemcpy(words, out, 256, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		if (words[i] != pairs[i / 16 * 64 + i % 16] && wrong++ < 20)
			std::printf("pitch, %d: %d\n", i, words[i]);
	OK(cudaDestroyTextureObject(t));
	OK(cudaFree(p));

	// Layers, cubes, volumes and mipmaps.
	std::vector<float> many(4 * 4 * 6);
	for (size_t i = 0; i < many.size(); i++)
		many[i] = float(i);
	auto fill = [&](cudaArray_t array, cudaExtent e) {
		cudaMemcpy3DParms c = {};
		c.srcPtr = make_cudaPitchedPtr(many.data(), e.width * 4, e.width, e.height);
		c.dstArray = array;
		c.extent = e;
		c.kind = cudaMemcpyHostToDevice;
		OK(cudaMemcpy3D(&c));
	};
	r = {};
	r.resType = cudaResourceTypeArray;
	for (int kind = 0; kind < 3; kind++) {
		cudaExtent e = make_cudaExtent(4, 4, kind == 1 ? 6 : 4);
		OK(cudaMalloc3DArray(&a, &f, e, kind == 0 ? cudaArrayLayered : kind == 1 ? cudaArrayCubemap : 0));
		fill(a, e);
		r.res.array.array = a;
		t = object(r, describe(cudaAddressModeClamp, kind == 0 ? cudaFilterModePoint : cudaFilterModeLinear, false));
		if (kind == 0)
			layers<<<1, 64>>>(t, out);
		else if (kind == 1)
			faces<<<1, 6>>>(t, out);
		else
			volume<<<1, 3>>>(t, out);
		OK(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
		for (int i = 0; i < (kind == 0 ? 64 : kind == 1 ? 6 : 3); i++)
			want(kind == 0 ? "layers" : kind == 1 ? "faces" : "volume", i, host[i], kind == 0 ? float(i) : kind == 1 ? 16 * i + 7.5f : 16 * i + 2.5f + 8);
		OK(cudaDestroyTextureObject(t));
		OK(cudaFreeArray(a));
	}
	cudaMipmappedArray_t m;
	OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(4, 4, 0), 3));
	for (int l = 0; l < 3; l++) {
		float v[16];
		for (float &x : v)
			x = float(10 * l);
		OK(cudaGetMipmappedArrayLevel(&a, m, l));
		OK(cudaMemcpy2DToArray(a, 0, 0, v, (4 >> l) * 4, (4 >> l) * 4, 4 >> l, cudaMemcpyHostToDevice));
	}
	r = {};
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	d = describe(cudaAddressModeClamp, cudaFilterModeLinear, true);
	d.mipmapFilterMode = cudaFilterModeLinear;
	t = object(r, d);
	levels<<<1, 8>>>(t, out);
	OK(cudaMemcpy(host, out, 32, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 8; i++)
		want("levels", i, host[i], std::min(5.0f * i, 20.0f));
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeMipmappedArray(m));
	OK(cudaFree(out));
	std::printf("%d wrong\n", wrong);
	return wrong != 0;
}
