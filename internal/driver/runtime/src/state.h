/* The state of the library: the device, the context, the last error of a thread. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the registry and of what follows */
static void *primary;                                    /* the primary context; NULL: it is not held */
static __thread int last_error;                          /* of this thread */

/* fail keeps an error for cudaGetLastError. cudaErrorNotReady is none (CUDA C++ Programming Guide, Error Checking). */
static int fail(int e)
{
	if (e && e != NOT_READY)
		last_error = e;
	return e;
}

/* Functions of Crosslane's driver library: the one reports that the present call is refused, the other asks whether an address
   is the handle of a kernel. */
void crosslane_refused(int status, const char *reason) __attribute__((weak));
int crosslane_is_function(void *p) __attribute__((weak));

/* refused keeps an error that this library returns by itself, and reports the call. */
static int refused(int e, const char *format, ...)
{
	char reason[256];
	va_list list;
	va_start(list, format);
	vsnprintf(reason, sizeof reason, format, list);
	va_end(list);
	if (crosslane_refused)
		crosslane_refused(e, reason);
	return fail(e);
}

/* start initialises the driver. */
static int start(void)
{
	static int started; /* 0: not yet; 1: it is ready */
	int e;
	if (__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return SUCCESS;
	if (!(e = cuInit(0)))
		__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
	return e;
}

/* take_primary makes the primary context current. It is kept until cudaDeviceReset. */
static int take_primary(void)
{
	void *context;
	int e = SUCCESS;
	pthread_mutex_lock(&lock);
	if (!primary)
		e = cuDevicePrimaryCtxRetain(&primary, 0);
	context = primary;
	pthread_mutex_unlock(&lock);
	return e ? e : cuCtxSetCurrent(context);
}

/* enter makes the device ready: a thread without a current context gets the primary one. */
static int enter(void)
{
	void *context = NULL;
	int e = start();
	if (e || (e = cuCtxGetCurrent(&context)))
		return e;
	return context ? SUCCESS : take_primary();
}

#define ENTER() do { int e_ = enter(); if (e_) return fail(e_); } while (0)
#define CALL(e) do { ENTER(); return fail(e); } while (0)
#define WANT(condition) do { if (!(condition)) return fail(INVALID_VALUE); } while (0)

/* The handle of the stream of a thread. Functions that end in _ptds and _ptsz use it for the stream 0. */
#define OWN_STREAM ((void *)2)
#define OWN(s) ((s) ? (s) : OWN_STREAM)

/* A child of the process may not use the device, but its start-up code gives the fat binaries back when it ends. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
__attribute__((constructor)) static void loaded(void) { pthread_atfork(before_fork, after_fork, after_fork); }

/* missing is called by the stubs of functions that Crosslane lacks. It says the name once. */
int crosslane_missing(const char *name, int *reported)
{
	if (!__atomic_exchange_n(reported, 1, __ATOMIC_RELAXED))
		fprintf(stderr, "crosslane: %s is not implemented: it returns 801 (cudaErrorNotSupported)\n", name);
	return fail(NOT_SUPPORTED);
}
