/* Memory in the order of a stream, and pools. CUmemPoolProps, CUmemAccessDesc and CUmemLocation have the same members. */

API int cudaMallocAsync(void **p, size_t n, void *s) { WANT(p); CALL(cuMemAllocAsync(p, n, s)); }
API int cudaMallocAsync_ptsz(void **p, size_t n, void *s) { WANT(p); CALL(cuMemAllocAsync(p, n, OWN(s))); }
API int cudaFreeAsync(void *p, void *s) { CALL(cuMemFreeAsync((uint64_t)p, s)); }
API int cudaFreeAsync_ptsz(void *p, void *s) { CALL(cuMemFreeAsync((uint64_t)p, OWN(s))); }
API int cudaMallocFromPoolAsync(void **p, size_t n, void *pool, void *s) { WANT(p); CALL(cuMemAllocFromPoolAsync(p, n, pool, s)); }
API int cudaMallocFromPoolAsync_ptsz(void **p, size_t n, void *pool, void *s) { WANT(p); CALL(cuMemAllocFromPoolAsync(p, n, pool, OWN(s))); }

API int cudaDeviceGetDefaultMemPool(void **pool, int32_t device) { WANT(pool); DEVICE(device); CALL(cuDeviceGetDefaultMemPool(pool, device)); }
API int cudaDeviceGetMemPool(void **pool, int32_t device) { WANT(pool); DEVICE(device); CALL(cuDeviceGetMemPool(pool, device)); }
API int cudaDeviceSetMemPool(int32_t device, void *pool) { DEVICE(device); CALL(cuDeviceSetMemPool(device, pool)); }
API int cudaMemPoolCreate(void **pool, const void *properties) { WANT(pool && properties); CALL(cuMemPoolCreate(pool, (void *)properties)); }
API int cudaMemPoolDestroy(void *pool) { CALL(cuMemPoolDestroy(pool)); }
API int cudaMemPoolTrimTo(void *pool, size_t keep) { CALL(cuMemPoolTrimTo(pool, keep)); }
API int cudaMemPoolGetAttribute(void *pool, uint32_t attribute, void *value) { CALL(cuMemPoolGetAttribute(pool, attribute, value)); }
API int cudaMemPoolSetAttribute(void *pool, uint32_t attribute, void *value) { CALL(cuMemPoolSetAttribute(pool, attribute, value)); }
API int cudaMemPoolGetAccess(uint32_t *flags, void *pool, void *location) { CALL(cuMemPoolGetAccess(flags, pool, location)); }
API int cudaMemPoolSetAccess(void *pool, const void *list, size_t n) { CALL(cuMemPoolSetAccess(pool, (void *)list, n)); }
#if CUDART_MAJOR >= 13
API int cudaMemGetDefaultMemPool(void **pool, void *location, uint32_t type) { WANT(pool); CALL(cuMemGetDefaultMemPool(pool, location, type)); }
API int cudaMemGetMemPool(void **pool, void *location, uint32_t type) { WANT(pool); CALL(cuMemGetMemPool(pool, location, type)); }
API int cudaMemSetMemPool(void *location, uint32_t type, void *pool) { CALL(cuMemSetMemPool(location, type, pool)); }
#endif
