/* Calls that the library refuses by itself. With checks the server reports them, with the calls of the host. */

/* refuse reports that the present call is refused for a reason, and returns its status. It must not be called under the
   lock. What hosts ask for to find something out is not reported: an attribute of memory that is not the device's, a
   name that a module lacks, a context that is not there yet. */
static int refuse(int status, const char *reason)
{
	const char *name = "?", *function = this_call, *(*result)(uint32_t) = NULL, *runtime;
	char text[512];
	if (!checks || state != 1 || forked || in_host_function)
		return status;
	if (!strncmp(function, "crosslane_", 10))
		function += 10;
	if (behalf && behalf_result)
		name = behalf_result(status);
	else if ((runtime = runtime_call(&result)) && (function = runtime, result))
		name = result((uint32_t)status);
	else
		error_entry(status, &name, 0);
	note_callers();
	pthread_mutex_lock(&lock);
	snprintf(text, sizeof text, "%s returns %d (%s): %s", function, status, name ? name : "?", reason);
	callers();
	start(REFUSED);
	put32((uint32_t)status), put_bytes(text, strlen(text));
	post();
	pthread_mutex_unlock(&lock);
	return status;
}

/* The CUDA runtime libraries report calls that they refuse by themselves. */
__attribute__((visibility("default"))) void crosslane_refused(int status, const char *reason) { refuse(status, reason); }

/* crosslane_unusable is for a layer on this library that loads the code which a program has registered. It tells the server
   that an image of it cannot be loaded: the program may ignore that and go on without its kernels. The result is 1 if
   a finding was shown; if not, the layer shows why. */
__attribute__((visibility("default"))) int crosslane_unusable(const void *image)
{
	Dl_info object;
	char program[4096];
	const char *name = "";
	ssize_t n;
	int e;
	if (state != 1 || forked)
		return 0;
	if (dladdr(image, &object) && object.dli_fname)
		name = object.dli_fname;
	/* The name of the program itself is what it was started by. */
	if (!strchr(name, '/') && (n = readlink("/proc/self/exe", program, sizeof program - 1)) > 0)
		program[n] = 0, name = program;
	pthread_mutex_lock(&lock);
	start(REFUSED);
	put32(0), put_bytes("", 0), put_bytes(name, strlen(name));
	e = transact();
	pthread_mutex_unlock(&lock);
	return e == SUCCESS;
}

/* END_REFUSED is END with refuse. */
#define END_REFUSED(status, reason) do { pthread_mutex_unlock(&lock); return refuse(status, reason); } while (0)

static struct stream *find_stream(void *p);
static int is_function(void *p);

/* STREAM and FUNCTION return an error unless a handle is one of a stream, or of a function. */
#define STREAM(p) do { \
	if ((uint64_t)(p) > 2) { \
		struct stream *s_; \
		pthread_mutex_lock(&lock); \
		s_ = find_stream(p); \
		pthread_mutex_unlock(&lock); \
		if (!s_) return refuse(INVALID_HANDLE, "the handle is no stream, or one that was destroyed"); \
	} } while (0)
#define FUNCTION(f) do { if (!is_function(f)) return refuse(INVALID_HANDLE, "the handle is no function of a loaded module"); } while (0)
#define NO_EVENT "the handle is no event, or one that was destroyed"
#define NO_POOL "the handle is no pool, or one that was destroyed"
#define NO_MODULE "the handle is no module, or one that was unloaded"
