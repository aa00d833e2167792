/* Crosslane: a small header in place of one of CUDA. */
#ifndef CROSSLANE_MEMCPY_ASYNC_H
#define CROSSLANE_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

/* A copy by the threads of a group, complete for all of them after wait. It is done at once, which the interface allows. */
template <class Group, class T> static __inline__ __device__ void memcpy_async(const Group &g, T *to, const T *from, size_t bytes)
{
	char *t = (char *)to;
	const char *f = (const char *)from;
	size_t i = g.thread_rank(), n = g.size();
	if ((((size_t)t | (size_t)f | bytes) & 3) == 0)
		for (; i < bytes / 4; i += n)
			((unsigned int *)t)[i] = ((const unsigned int *)f)[i];
	else
		for (; i < bytes; i += n)
			t[i] = f[i];
}
template <class Group> static __inline__ __device__ void wait(const Group &g) { g.sync(); }
template <unsigned int stages, class Group> static __inline__ __device__ void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups

#endif
