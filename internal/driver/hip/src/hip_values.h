/* Values that streams write and wait for, fills of two dimensions, handles of kernels, and functions by their names. */

/* A wait compares the bits of a mask. The driver compares all of them. */
HIP(hipStreamWaitValue32)(void *stream, void *p, uint32_t value, uint32_t flags, uint32_t mask)
{
	ENTER();
	if (mask != UINT32_MAX)
		UNSUPPORTED("the mask of the wait leaves bits out");
	RETURN(CU(cuStreamWaitValue32_v2)(stream, (uint64_t)p, value, flags));
}

HIP(hipStreamWaitValue64)(void *stream, void *p, uint64_t value, uint32_t flags, uint64_t mask)
{
	ENTER();
	if (mask != UINT64_MAX)
		UNSUPPORTED("the mask of the wait leaves bits out");
	RETURN(CU(cuStreamWaitValue64_v2)(stream, (uint64_t)p, value, flags));
}

HIP(hipStreamWriteValue32)(void *stream, void *p, uint32_t value, uint32_t flags) { ENTER(); RETURN(CU(cuStreamWriteValue32_v2)(stream, (uint64_t)p, value, flags)); }
HIP(hipStreamWriteValue64)(void *stream, void *p, uint64_t value, uint32_t flags) { ENTER(); RETURN(CU(cuStreamWriteValue64_v2)(stream, (uint64_t)p, value, flags)); }

HIP(hipMemsetD2D8)(void *p, size_t pitch, unsigned char v, size_t width, size_t height) { ENTER(); RETURN(CU(cuMemsetD2D8_v2)((uint64_t)p, pitch, v, width, height)); }
HIP(hipMemsetD2D16)(void *p, size_t pitch, unsigned short v, size_t width, size_t height) { ENTER(); RETURN(CU(cuMemsetD2D16_v2)((uint64_t)p, pitch, v, width, height)); }
HIP(hipMemsetD2D32)(void *p, size_t pitch, uint32_t v, size_t width, size_t height) { ENTER(); RETURN(CU(cuMemsetD2D32_v2)((uint64_t)p, pitch, v, width, height)); }
HIP(hipMemsetD2D8Async)(void *p, size_t pitch, unsigned char v, size_t width, size_t height, void *stream) { ENTER(); RETURN(CU(cuMemsetD2D8Async)((uint64_t)p, pitch, v, width, height, stream)); }
HIP(hipMemsetD2D16Async)(void *p, size_t pitch, unsigned short v, size_t width, size_t height, void *stream) { ENTER(); RETURN(CU(cuMemsetD2D16Async)((uint64_t)p, pitch, v, width, height, stream)); }
HIP(hipMemsetD2D32Async)(void *p, size_t pitch, uint32_t v, size_t width, size_t height, void *stream) { ENTER(); RETURN(CU(cuMemsetD2D32Async)((uint64_t)p, pitch, v, width, height, stream)); }

HIP(hipLibraryEnumerateKernels)(void **kernels, uint32_t n, void *library) { ENTER(); RETURN(CU(cuLibraryEnumerateKernels)((void *)kernels, n, library)); }
HIP(hipKernelGetLibrary)(void **library, void *kernel) { ENTER(); RETURN(CU(cuKernelGetLibrary)((void *)library, kernel)); }
HIP(hipKernelGetName)(const char **name, void *kernel) { ENTER(); RETURN(CU(cuKernelGetName)((void *)name, kernel)); }
HIP(hipKernelGetFunction)(void **f, void *kernel) { ENTER(); RETURN(CU(cuKernelGetFunction)((void *)f, kernel)); }
HIP(hipKernelGetParamInfo)(void *kernel, size_t i, size_t *offset, size_t *size) { ENTER(); RETURN(CU(cuKernelGetParamInfo)(kernel, i, offset, size)); }

/* by_name finds a function of this library. */
static int by_name(const char *name, void **out, uint32_t *found)
{
	static void *own;
	Dl_info info;
	void *l = __atomic_load_n(&own, __ATOMIC_ACQUIRE);
	if (!l && dladdr((void *)by_name, &info) && (l = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)))
		__atomic_store_n(&own, l, __ATOMIC_RELEASE);
	*out = l && !strncmp(name, "hip", 3) ? dlsym(l, name) : NULL;
	if (found)
		*found = *out ? 0 : 1; /* hipDriverEntryPointSuccess, hipDriverEntryPointSymbolNotFound */
	return *out ? hipSuccess : hipErrorInvalidValue;
}

/* From HIP 6 on the structure of properties is another one. */
HIP(hipGetProcAddress)(const char *name, void **out, int number, uint64_t flags, uint32_t *found)
{
	(void)flags;
	REQUIRE(name && out);
	if (number >= 600 && !strcmp(name, "hipGetDeviceProperties"))
		name = "hipGetDevicePropertiesR0600";
	if (number >= 600 && !strcmp(name, "hipChooseDevice"))
		name = "hipChooseDeviceR0600";
	return done(by_name(name, out, found));
}
