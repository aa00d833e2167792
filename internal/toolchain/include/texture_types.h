/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_TEXTURE_TYPES_H
#define CROSSLANE_TEXTURE_TYPES_H

#include "driver_types.h"

/* Crosslane runs no textures. The types are here because headers name them; creating a texture returns cudaErrorNotSupported. */

enum cudaTextureAddressMode {
	cudaAddressModeWrap = 0,
	cudaAddressModeClamp = 1,
	cudaAddressModeMirror = 2,
	cudaAddressModeBorder = 3,
};

enum cudaTextureFilterMode {
	cudaFilterModePoint = 0,
	cudaFilterModeLinear = 1,
};

enum cudaResourceType {
	cudaResourceTypeArray = 0,
	cudaResourceTypeMipmappedArray = 1,
	cudaResourceTypeLinear = 2,
	cudaResourceTypePitch2D = 3,
};

struct cudaTextureDesc {
	enum cudaTextureAddressMode addressMode[3];
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaResourceDesc {
	enum cudaResourceType resType;
	union {
		struct { cudaArray_t array; } array;
		struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
		struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
	} res;
};

struct cudaResourceViewDesc;
typedef unsigned long long cudaTextureObject_t;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
#ifdef __cplusplus
}
#ifdef __CUDA__
template <class T> static __attribute__((device)) T tex1Dfetch(cudaTextureObject_t, int)
{
	static_assert(sizeof(T) == 0, "Crosslane runs no textures: read the memory itself");
	return T();
}
#endif
#endif
#endif
