/* The functions of hiprtc under the names that programs of ROCm 4 and 5 import from this library: they are those of libhiprtc. */

static void *rtc(const char *name)
{
	static void *library;
	void *l = __atomic_load_n(&library, __ATOMIC_ACQUIRE), *f;
	if (!l) {
		if (!(l = dlopen("libhiprtc.so", RTLD_NOW | RTLD_LOCAL))) {
			fprintf(stderr, "crosslane: %s; run the program with crosslane exec\n", dlerror());
			return NULL;
		}
		__atomic_store_n(&library, l, __ATOMIC_RELEASE);
	}
	if (!(f = dlsym(l, name)))
		fprintf(stderr, "crosslane: %s\n", dlerror());
	return f;
}

#define RTC(name, args, ...) { int (*f)(__VA_ARGS__) = (int (*)(__VA_ARGS__))rtc(name); return f ? f args : 11; } /* HIPRTC_ERROR_INTERNAL_ERROR */

HIP_TEXT(hiprtcGetErrorString)(int e)
{
	const char *(*f)(int) = (const char *(*)(int))rtc("hiprtcGetErrorString");
	return f ? f(e) : "HIPRTC_ERROR_UNKNOWN";
}

HIP(hiprtcVersion)(int *major, int *minor) RTC("hiprtcVersion", (major, minor), int *, int *)
HIP(hiprtcCreateProgram)(void **out, const char *source, const char *name, int n, const char **headers, const char **names) RTC("hiprtcCreateProgram", (out, source, name, n, headers, names), void **, const char *, const char *, int, const char **, const char **)
HIP(hiprtcDestroyProgram)(void **p) RTC("hiprtcDestroyProgram", (p), void **)
HIP(hiprtcAddNameExpression)(void *p, const char *text) RTC("hiprtcAddNameExpression", (p, text), void *, const char *)
HIP(hiprtcCompileProgram)(void *p, int n, const char **options) RTC("hiprtcCompileProgram", (p, n, options), void *, int, const char **)
HIP(hiprtcGetLoweredName)(void *p, const char *text, const char **out) RTC("hiprtcGetLoweredName", (p, text, out), void *, const char *, const char **)
HIP(hiprtcGetCodeSize)(void *p, size_t *size) RTC("hiprtcGetCodeSize", (p, size), void *, size_t *)
HIP(hiprtcGetCode)(void *p, char *out) RTC("hiprtcGetCode", (p, out), void *, char *)
HIP(hiprtcGetProgramLogSize)(void *p, size_t *size) RTC("hiprtcGetProgramLogSize", (p, size), void *, size_t *)
HIP(hiprtcGetProgramLog)(void *p, char *out) RTC("hiprtcGetProgramLog", (p, out), void *, char *)
