/* Crosslane: a small header in place of one of CUDA. */

#ifndef CROSSLANE_CHANNEL_DESCRIPTOR_H
#define CROSSLANE_CHANNEL_DESCRIPTOR_H

#include "driver_types.h"
#include "vector_types.h"

#ifdef __cplusplus
/* The bits of each component of T, and their kind. */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc();

#define CROSSLANE_CHANNELS(T, E, n, kind) \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() \
	{ \
		const int bits = 8 * sizeof(E); \
		cudaChannelFormatDesc d = {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind}; \
		return d; \
	}
#define CROSSLANE_VECTORS(E, name, kind) \
	CROSSLANE_CHANNELS(E, E, 1, kind) \
	CROSSLANE_CHANNELS(name##1, E, 1, kind) \
	CROSSLANE_CHANNELS(name##2, E, 2, kind) \
	CROSSLANE_CHANNELS(name##4, E, 4, kind)
CROSSLANE_VECTORS(signed char, char, cudaChannelFormatKindSigned)
CROSSLANE_VECTORS(unsigned char, uchar, cudaChannelFormatKindUnsigned)
CROSSLANE_VECTORS(short, short, cudaChannelFormatKindSigned)
CROSSLANE_VECTORS(unsigned short, ushort, cudaChannelFormatKindUnsigned)
CROSSLANE_VECTORS(int, int, cudaChannelFormatKindSigned)
CROSSLANE_VECTORS(unsigned int, uint, cudaChannelFormatKindUnsigned)
CROSSLANE_VECTORS(float, float, cudaChannelFormatKindFloat)
#undef CROSSLANE_VECTORS
#undef CROSSLANE_CHANNELS
#endif
#endif
