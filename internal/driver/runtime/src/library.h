/* Modules that a program loads itself (CUDA 12 and 13). */

#if CUDART_MAJOR >= 12
API int cudaLibraryLoadData(void **library, const void *image, uint32_t *jit, void **jit_values, uint32_t n, uint32_t *options, void **values, uint32_t count) { WANT(library && image); CALL(cuLibraryLoadData(library, (void *)image, jit, jit_values, n, options, values, count)); }
API int cudaLibraryLoadFromFile(void **library, const char *path, uint32_t *jit, void **jit_values, uint32_t n, uint32_t *options, void **values, uint32_t count) { WANT(library && path); CALL(cuLibraryLoadFromFile(library, (void *)path, jit, jit_values, n, options, values, count)); }
API int cudaLibraryUnload(void *library) { CALL(cuLibraryUnload(library)); }
API int cudaLibraryGetKernel(void **kernel, void *library, const char *name) { WANT(kernel && name); CALL(cuLibraryGetKernel(kernel, library, (void *)name)); }
API int cudaLibraryGetKernelCount(uint32_t *count, void *library) { WANT(count); CALL(cuLibraryGetKernelCount(count, library)); }
API int cudaLibraryEnumerateKernels(void **list, uint32_t n, void *library) { WANT(list); CALL(cuLibraryEnumerateKernels(list, n, library)); }
API int cudaLibraryGetGlobal(void **p, size_t *size, void *library, const char *name) { WANT(name); CALL(cuLibraryGetGlobal(p, size, library, (void *)name)); }
API int cudaLibraryGetManaged(void **p, size_t *size, void *library, const char *name) { WANT(name); CALL(cuLibraryGetManaged(p, size, library, (void *)name)); }
#endif

API struct channel cudaCreateChannelDesc(int32_t x, int32_t y, int32_t z, int32_t w, uint32_t kind) { return (struct channel){ x, y, z, w, kind }; }
