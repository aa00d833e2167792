/* The HIP runtime of Crosslane, libamdhip64.so.5, .6 and .7: a layer on the public functions of the driver library.

   Input: calls of the HIP runtime API, and the bundles of code objects that compilers put into programs.
   Output: calls of the driver API, which the driver library sends to a server.
   Invariant: the library keeps no device state but tables of what programs have registered. A function of the API that is
   missing here is a stub of hip_stubs.c, which returns 801 (hipErrorNotSupported) and prints its name once.
   Example: hipLaunchKernel(stub, grid, block, args, 0, NULL) finds the name of the kernel by the address of the stub,
   loads the bundle at the first use, and calls cuLaunchKernel.

   One file has three names, libamdhip64.so.5, .6 and .7, and all names of the three versions of the API. The name by which
   the program loads it is the version, HIP_MAJOR. Versions differ in the structure of properties, in the numbers of kinds
   of memory, and in what hipGetLastError returns. */
#define _GNU_SOURCE
#include "cuda_names.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HIP begins the definition of an exported function. Crosslane writes stubs for all other names. */
#define HIP(name) __attribute__((visibility("default"))) int name
#define HIP_TEXT(name) __attribute__((visibility("default"))) const char *name

enum { /* hipError_t: most numbers are those of the driver API */
	hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorNotInitialized = 3, hipErrorInvalidConfiguration = 9,
	hipErrorInvalidSymbol = 13, hipErrorInvalidMemcpyDirection = 21, hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100,
	hipErrorInvalidDevice = 101, hipErrorInvalidImage = 200, hipErrorNoBinaryForGpu = 209, hipErrorInvalidKernelFile = 218,
	hipErrorFileNotFound = 301, hipErrorInvalidHandle = 400, hipErrorIllegalState = 401, hipErrorNotFound = 500, hipErrorNotReady = 600,
	hipErrorLaunchFailure = 719, hipErrorNotSupported = 801, hipErrorUnknown = 999
};

struct dim3 { uint32_t x, y, z; };

/* HIP_MAJOR is the version of the API that the program uses. */
#define HIP_MAJOR version

static int version = 7;

__attribute__((constructor)) static void find_version(void)
{
	Dl_info own;
	const char *end;
	if (dladdr((void *)find_version, &own) && (end = strstr(own.dli_fname, ".so.")) && end[4] >= '5' && end[4] <= '7')
		version = end[4] - '0';
}

/* ---- the driver library ---- */

static int no_driver(void) { return hipErrorNoDevice; }

/* driver_function finds a function of the driver library. */
static void *driver_function(const char *name)
{
	static void *library;
	void *l = __atomic_load_n(&library, __ATOMIC_ACQUIRE), *f;
	if (!l) {
		l = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
		if (!l) {
			fprintf(stderr, "crosslane: %s; run the program with crosslane exec\n", dlerror());
			return (void *)no_driver;
		}
		__atomic_store_n(&library, l, __ATOMIC_RELEASE);
	}
	f = dlsym(l, name);
	return f ? f : (void *)no_driver;
}

/* CU is a function of the driver library. */
#define CU(name) (__extension__({ \
	static void *function_; \
	void *f_ = __atomic_load_n(&function_, __ATOMIC_RELAXED); \
	if (!f_) \
		__atomic_store_n(&function_, f_ = driver_function(#name), __ATOMIC_RELAXED); \
	(__typeof__(&crosslane_##name))f_; }))

/* ---- results ---- */

static __thread int last_error;
static __thread int had_error; /* an error that no call has returned: HIP 7 */

/* status turns a result of the driver API into one of HIP. */
static int status(int e)
{
	switch (e) {
	case 222: return hipErrorInvalidKernelFile;
	case 714: case 715: case 716: case 717: case 718: return hipErrorLaunchFailure;
	case 800: return hipErrorIllegalState;
	}
	return e;
}

/* done notes the result of a call for hipGetLastError, and returns it. Before HIP 7 a call that succeeds clears the error. */
static int done(int e)
{
	last_error = e;
	if (e && e != hipErrorNotReady)
		had_error = e;
	return e;
}

static int last(int clear)
{
	int e = HIP_MAJOR >= 7 ? had_error : last_error;
	if (clear)
		had_error = last_error = hipSuccess;
	return e;
}

HIP(hipGetLastError)(void) { return last(1); }
HIP(hipPeekAtLastError)(void) { return last(0); }
HIP(hipExtGetLastError)(void) { return last(1); }

/* hip_missing reports the call of a function that the library lacks, once for each function. */
int hip_missing(const char *name, int *said)
{
	if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
		fprintf(stderr, "crosslane: %s is not implemented: it returns 801 (hipErrorNotSupported)\n", name);
	return done(hipErrorNotSupported);
}

#include "hip_errors.h"

/* ---- entering a call ---- */

static int after_fork_or_start(void);
static __thread int entered; /* this thread has a context */

/* on_behalf tells the driver library which call of HIP its next calls serve: findings name it. */
static void on_behalf(const char *name)
{
	static void (*f)(const char *, const char *(*)(int));
	static int looked;
	if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
		*(void **)&f = driver_function("crosslane_on_behalf");
		__atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
	}
	if ((void *)f != (void *)no_driver)
		f(name, hipGetErrorName);
}

/* enter prepares a call: the first call of the process starts the driver, the first one of a thread gives it the primary
   context of the device. */
static int enter(const char *name)
{
	int e;
	on_behalf(name);
	if (entered)
		return hipSuccess;
	if ((e = after_fork_or_start()))
		return e;
	entered = 1;
	return hipSuccess;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *primary;

static int after_fork_or_start(void)
{
	int e;
	void *now = NULL;
	if ((e = CU(cuInit)(0)))
		return status(e);
	pthread_mutex_lock(&lock);
	e = primary ? 0 : CU(cuDevicePrimaryCtxRetain)(&primary, 0);
	pthread_mutex_unlock(&lock);
	if (!e && !CU(cuCtxGetCurrent)(&now) && !now)
		e = CU(cuCtxSetCurrent)(primary);
	return status(e);
}

#define ENTER() do { int e_ = enter(__func__); if (e_) return done(e_); } while (0)
#define RETURN(call) return done(status(call))
#define REQUIRE(condition) do { if (!(condition)) return done(hipErrorInvalidValue); } while (0)

/* unsupported says once for each place why a call is refused. */
#define UNSUPPORTED(text) do { \
	static int said_; \
	if (!__atomic_exchange_n(&said_, 1, __ATOMIC_RELAXED)) \
		fprintf(stderr, "crosslane: %s returns 801 (hipErrorNotSupported): %s\n", __func__, text); \
	return done(hipErrorNotSupported); } while (0)

#include "hip_device.h"
#include "hip_module.h"
#include "hip_launch.h"
#include "hip_memory.h"
#include "hip_copy.h"
#include "hip_array.h"
#include "hip_stream.h"
#include "hip_graph.h"
#include "hip_graph_set.h"
#include "hip_driver.h"
#include "hip_values.h"
#include "hip_rtc.h"
#include "hip_texts.h"
