/* The CUDA driver library of Crosslane: a thin layer that sends calls to a server (package driver).

   The library shares memory with the server: device addresses are addresses of this process, too. Device memory
   cannot be touched there, managed and pinned memory can. A second mapping serves copies. So bytes never pass
   through the connection, and a pointer in memory means the same on both sides.

   One lock guards the connection and all tables. Contexts are known here only: the server knows one device. */
#define _GNU_SOURCE
#include "cuda_names.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <ucontext.h>
#include <time.h>
#include <unistd.h>

enum { /* CUresult */
	SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, DEINITIALIZED = 4, NO_DEVICE = 100,
	INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, FILE_NOT_FOUND = 301, INVALID_HANDLE = 400,
	CONTEXT_DESTROYED = 709, NOT_FOUND = 500, NOT_READY = 600, PEER_UNSUPPORTED = 217, NOT_SUPPORTED = 801, INVALID_CLUSTER_SIZE = 912, UNKNOWN = 999
};

enum { /* the calls of package driver, in its order */
	HELLO = 1, CALLERS, ALLOC, FREE, MEMORY, WRITE_SHARED, READ_SHARED, WRITE, READ, COPY, SET, LOAD, UNLOAD, FUNCTION,
	FUNCTIONS, VARIABLE, PREPARE, MAX_SHARED, OCCUPANCY, LAUNCH, STREAM_NEW, STREAM_CLOSE, STREAM_WAIT, EVENT_NEW,
	EVENT_CLOSE, EVENT_RECORD, EVENT_WAIT, EVENT_HOST, EVENT_SINCE, SYNCHRONIZE, LINK, RESET, FINDINGS, ALLOC_NAMED, DESCRIBE, LAUNCH_SEEN,
	REGISTER, REFUSED, EXIT, HOST_FUNC, DROP, IPC_SHARE, IPC_OPEN, WATCH, TOUCHED,
	AREA, IN_PLACE, MADE, ENDED,
	WRITE_VALUE, WAIT_VALUE, SNAPSHOT,
	RESERVE, UNRESERVE, CREATE, RETAIN, RELEASE, MAP, UNMAP, RIGHTS, TENSOR_MAP, TEXTURE
};

#define VERSION 1
#define BASE 0x110000000000ull /* above the shadow memory of AddressSanitizer */
#define SIZE (64ull << 30)
#define HEAD 8
#define ATTRIBUTES 160
#define EXPORT(name) crosslane_##name

/* ---- the state ---- */

enum kind { DEVICE_MEMORY, MANAGED, PINNED, REGISTERED };

struct block { /* an allocation */
	uint64_t base, size;
	enum kind kind;
	uint64_t id;
	struct context *context;
	struct module *module; /* NULL: the host made it */
	struct pool *pool;     /* NULL: of none */
	int attached;          /* managed memory that kernels of all streams may not use */
	uint64_t memory;       /* the handle of what cuMemMap has mapped; 0: it did not */
	uint32_t rights;       /* to that */
};

struct context {
	uint32_t magic;
	int references; /* of the primary context */
	uint32_t flags;
	int primary;
};

struct function {
	uint64_t id;
	struct module *module;
	char *name;
	uint32_t count, *offset, *size; /* of the parameters */
	uint32_t bytes;                 /* of the parameter block */
	int prepared;
	int32_t attribute[8]; /* in the order of CallPrepare */
	struct function *next;
};

struct module {
	uint64_t id;
	struct context *context; /* NULL: a library, which belongs to none */
	struct function *functions;
	struct module *next;
};

struct stream {
	uint64_t id;
	uint32_t flags;
	int32_t priority;
	unsigned char *attributes; /* NULL: all have their defaults */
	uint64_t last;             /* the number of its last message */
	struct context *context;
	struct stream *next;
};

struct event {
	uint64_t id;
	uint32_t flags;
	int recorded;
	uint64_t last; /* the number of the message that recorded it */
	struct context *context;
	struct event *next;
};

struct jit { /* the logs of a just-in-time compiler, and where their sizes are written; the most registers, or 0 */
	char *info, *error;
	size_t info_size, error_size;
	void **values;
	uint32_t info_at, error_at, registers;
};

struct link { /* the inputs of a linker, and its result */
	uint32_t count;
	uint64_t bytes; /* of all inputs */
	unsigned char *body;
	size_t used, room;
	char *image;
	struct jit jit;
};

#define CONTEXT_MAGIC 0x43545831

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1;
static int memory_file = -1; /* the shared memory */
static int state; /* 0: cuInit was not called; 1: connected; SUCCESS otherwise; < 0: -CUresult, it failed */
static int forked;
static int checks; /* the server wants the calls of the host */
static int32_t driver_version;
static uint64_t memory_limit;
static char device_name[128];
static int32_t attributes[ATTRIBUTES];
static unsigned char *alias; /* the second mapping */
static struct { /* at the start of the shared memory: see the server's type control */
	uint64_t done;
	uint32_t turn, returned;
	int32_t status;
	uint64_t ahead[64];
} *words;
static struct block *blocks;
static size_t block_count, block_room;
static uint64_t block_ids;
static struct module *modules;
static struct stream *streams;
static struct event *events;
static struct context primary = { CONTEXT_MAGIC, 0, 0, 1 };

#include "handles.h"

/* ---- messages ---- */

struct message { unsigned char *data; size_t used, room; };

static struct message request;
static struct message answer;

static void reserve(struct message *m, size_t n)
{
	if (m->used + n > m->room) {
		m->room = (m->used + n) * 2 + 4096;
		m->data = realloc(m->data, m->room);
		if (!m->data) {
			fprintf(stderr, "crosslane: out of memory for a call of %zu bytes\n", n);
			abort();
		}
	}
}

static void put(const void *p, size_t n)
{
	reserve(&request, n);
	memcpy(request.data + request.used, p, n);
	request.used += n;
}

static void put32(uint32_t v) { put(&v, 4); }
static void put64(uint64_t v) { put(&v, 8); }
static void put_bytes(const void *p, size_t n) { put32((uint32_t)n); put(p, n); }

static size_t before; /* bytes of the request that a message with the calls of the host takes */
static size_t begun;  /* where the message of the call begins */
static int then_wait; /* the host waits for the stream of the call, too: 1 after it, 2 before it */

/* Queries need no call: words->done says how many messages have been carried out, and for each stream it is known
   which message was its last. */
static uint64_t sent;          /* messages so far */
static uint64_t blocking_last; /* the number of the last one for the default stream or for one that waits for it */
static uint64_t *stream_last;  /* of the stream that the present message is for; NULL: none */

static void head(int call)
{
	uint32_t fields[2] = { 0, (uint32_t)call };
	begun = request.used;
	put(fields, HEAD);
}

/* start begins the message of a call, behind the calls of the host if there are any. */
static void start(int call)
{
	request.used = before, before = 0, then_wait = 0, stream_last = NULL;
	head(call);
}

/* finish writes the length of the message that was begun last. */
static void finish(void)
{
	uint32_t n = (uint32_t)(request.used - begun - HEAD);
	memcpy(request.data + begun, &n, 4);
}

/* broken says once that the server has gone. */
static int broken(void)
{
	if (state == 1)
		fprintf(stderr, "crosslane: the server has gone; every call returns 999 (CUDA_ERROR_UNKNOWN)\n");
	state = -UNKNOWN;
	return UNKNOWN;
}

static int send_all(const unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = send(connection, p, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return broken();
		p += done, n -= (size_t)done;
	}
	return SUCCESS;
}

/* LOOK is how long receive looks before it sleeps, in nanoseconds. */
#define LOOK 150000

/* receive looks a while before it sleeps: the reply comes soon, and waking a thread takes longer than a call. */
static int receive(unsigned char *p, size_t n)
{
	struct timespec began = { 0 }, now;
	int looking = 1;
	while (n > 0) {
		ssize_t done = recv(connection, p, n, looking ? MSG_DONTWAIT : 0);
		if (looking && done < 0) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (!began.tv_sec)
				began = now;
			looking = (now.tv_sec - began.tv_sec) * 1000000000ll + now.tv_nsec - began.tv_nsec < LOOK;
		}
		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done <= 0)
			return broken();
		p += done, n -= (size_t)done;
	}
	return SUCCESS;
}

static unsigned char *at; /* the next field of the answer */
static size_t left;

static const void *get(size_t n)
{
	static const unsigned char zeros[64];
	const void *p = at;
	if (n == 0 || n > left) {
		if (n > 0)
			left = 0;
		return n <= sizeof zeros ? zeros : NULL;
	}
	at += n, left -= n;
	return p;
}

static uint32_t get32(void) { uint32_t v; memcpy(&v, get(4), 4); return v; }
static uint64_t get64(void) { uint64_t v; memcpy(&v, get(8), 8); return v; }

static const char *get_bytes(uint32_t *n)
{
	const char *p;
	*n = get32();
	p = get(*n);
	if (!p || *n == 0)
		*n = 0, p = "";
	return p;
}

/* post sends the request and waits for no answer. */
static int post(void)
{
	if (state != 1)
		return state < 0 ? -state : NOT_INITIALIZED;
	finish();
	sent += begun > 0 ? 2 : 1;
	if (stream_last)
		*stream_last = sent;
	return send_all(request.data, request.used);
}

static int use_count;
static void settle(void);

/* transact sends the request and waits for the answer. What kernels have printed goes to stdout. */
static int transact(void)
{
	unsigned char reply[HEAD];
	uint16_t flags = (uint16_t)(1 | then_wait << 1); /* it gets a reply; the host waits for the stream */
	uint32_t n;
	int32_t status;
	const char *text;
	int e;

	at = NULL, left = 0; /* after an error there are no fields */
	memcpy(request.data + begun + 6, &flags, 2);
	if ((e = post()) || (e = receive(reply, HEAD)))
		return e;
	memcpy(&n, reply, 4);
	memcpy(&status, reply + 4, 4);
	answer.used = 0;
	reserve(&answer, n);
	if ((e = receive(answer.data, n)))
		return e;
	if (use_count > 0)
		settle();
	at = answer.data, left = n;
	text = get_bytes(&n);
	if (n > 0) {
		fwrite(text, 1, n, stdout);
		fflush(stdout);
	}
	return status;
}

/* ---- the start ---- */

static void in_child(void)
{
	forked = 1;
	if (connection >= 0)
		close(connection); /* the server would not see that the parent has ended */
	connection = -1;
}

static int fail(const char *what)
{
	fprintf(stderr, "crosslane: %s: %s; run the program with crosslane exec\n", what, strerror(errno));
	return NO_DEVICE;
}

static void start_guard(void);
static void send_accesses(void);

static int connect_server(void)
{
	const char *path = getenv("CROSSLANE_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char name[256] = "";
	unsigned char zero = 0, *fixed;
	struct iovec part = { &zero, 1 };
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = { 0 };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room };
	struct cmsghdr *c;
	uint32_t options, n, i;
	int memory, e;
	FILE *f;

	if (!path || strlen(path) >= sizeof to.sun_path) {
		fprintf(stderr, "crosslane: CROSSLANE_SOCKET names no server; run the program with crosslane exec\n");
		return NO_DEVICE;
	}
	strcpy(to.sun_path, path);
	memory = (int)syscall(SYS_memfd_create, "crosslane", 1 | 2); /* closed on exec; sealing allowed */
	if (memory < 0 || ftruncate(memory, SIZE) || fcntl(memory, 1033, 2 | 4)) /* it may not shrink or grow */
		return fail("no shared memory");
	fixed = mmap((void *)BASE, SIZE, PROT_NONE, MAP_SHARED | MAP_NORESERVE | 0x100000, memory, 0); /* not over another one */
	if (fixed != (void *)BASE)
		return fail("the addresses of device memory are taken");
	alias = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
	if (alias == MAP_FAILED)
		return fail("no shared memory");
	words = (void *)alias;
	/* A child may not use the device, and a dump of the memory would have 64 GiB. */
	madvise(fixed, SIZE, MADV_DONTDUMP), madvise(fixed, SIZE, MADV_DONTFORK);
	madvise(alias, SIZE, MADV_DONTDUMP), madvise(alias, SIZE, MADV_DONTFORK);
	connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection < 0 || connect(connection, (struct sockaddr *)&to, sizeof to))
		return fail(path);
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &memory, sizeof(int));
	if (sendmsg(connection, &m, MSG_NOSIGNAL) != 1)
		return fail(path);
	memory_file = memory;
	if ((f = fopen("/proc/self/cmdline", "r"))) {
		size_t got = fread(name, 1, sizeof name - 1, f);
		for (size_t k = 0; k + 1 < got; k++)
			if (!name[k])
				name[k] = ' ';
		fclose(f);
	}
	state = 1;
	start(HELLO);
	put32(VERSION);
	put32((uint32_t)getpid());
	put_bytes(name, strlen(name));
	if ((e = transact()))
		return e;
	options = get32();
	checks = options & 1;
	driver_version = (int32_t)get32();
	memory_limit = get64();
	{
		const char *text = get_bytes(&n);
		snprintf(device_name, sizeof device_name, "%.*s", (int)n, text);
	}
	n = get32();
	for (i = 0; i < n; i++) {
		int32_t v = (int32_t)get32();
		if (i < ATTRIBUTES)
			attributes[i] = v;
	}
	pthread_atfork(NULL, NULL, in_child);
	start_guard();
	return SUCCESS;
}

static int host_functions_hang(void);
static void close_lanes(void);

/* at_exit waits for all work when the process exits by itself, so that what kernels print and what is found about them
   arrives. Another thread may be in a call and keep the lock: it does not get it back. */
__attribute__((destructor)) static void at_exit(void)
{
	if (forked || state != 1 || host_functions_hang() || pthread_mutex_trylock(&lock))
		return;
	send_accesses();
	close_lanes();
	start(EXIT);
	transact();
	pthread_mutex_unlock(&lock);
}

int EXPORT(cuInit)(uint32_t flags)
{
	int e;
	if (flags)
		return INVALID_VALUE;
	if (forked)
		return NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	if (state == 0 && (e = connect_server()))
		state = -e;
	e = state < 0 ? -state : SUCCESS;
	pthread_mutex_unlock(&lock);
	return e;
}

/* ---- entering a call ---- */

static struct context *current(void);

static void forget_callers(void);
static int refuse(int status, const char *reason);

static __thread const char *this_call = "?"; /* the name of the present call */

/* A library of another runtime API, such as HIP, is a layer on this one. It tells which of its calls the next calls serve,
   and how its API names results: findings show these names. */
static __thread const char *behalf;
static const char *(*behalf_result)(int);

__attribute__((visibility("default"))) void crosslane_on_behalf(const char *call, const char *(*result)(int))
{
	behalf = call, behalf_result = result;
}
static __thread int in_host_function;        /* this thread runs one */

/* ready reports whether cuInit has succeeded in this process. Each call asks it first. */
#define ready() ready_in(__func__)
static int ready_in(const char *call)
{
	forget_callers();
	this_call = behalf ? behalf : call;
	if (forked)
		return NOT_INITIALIZED;
	if (in_host_function)
		return 800; /* functions of the host may not use the device */
	if (state <= 0)
		return state < 0 ? -state : NOT_INITIALIZED;
	return SUCCESS;
}

/* context_ready is ready; the thread has to have a current context, too. */
static int context_ready(const char *call)
{
	int e = ready_in(call);
	struct context *c = current();
	return e ? e : !c ? INVALID_CONTEXT : c->magic != CONTEXT_MAGIC ? CONTEXT_DESTROYED : SUCCESS;
}

#define INITIALIZED() do { int e_ = ready(); if (e_) return e_; } while (0)
#define WITH_CONTEXT() do { int e_ = context_ready(__func__); if (e_ == INVALID_CONTEXT || e_ == CONTEXT_DESTROYED) refuse(e_, "the thread has no current context that lives"); if (e_) return e_; } while (0)
#define ASKS_WITH_CONTEXT() do { int e_ = context_ready(__func__); if (e_) return e_; } while (0) /* for calls that find out whether there is one */
#define DEVICE(d) do { int e_ = ready(); if (e_) return e_; if ((d) != 0) return INVALID_DEVICE; } while (0)

/* locked runs a transaction that is ready to be sent by the block, under the lock. */
#define BEGIN(call) pthread_mutex_lock(&lock); callers(); start(call)
#define END(e) do { int end_ = (e); pthread_mutex_unlock(&lock); return end_; } while (0)

static void callers(void); /* puts the calls of the host before the next message, if the server wants them */

#include "callers.h"

#include "errors.h"
#include "refuse.h"

/* ---- versions and names ---- */

int EXPORT(cuDriverGetVersion)(void *version)
{
	if (!version)
		return INVALID_VALUE;
	*(int *)version = driver_version ? driver_version : 13050;
	return SUCCESS;
}

int EXPORT(cuGetProcAddress_v2)(void *name, void *function, int32_t version, uint64_t flags, void *status)
{
	int found;
	if (!function)
		return INVALID_VALUE;
	found = crosslane_lookup(name, version, flags, driver_version ? driver_version : 13050, function);
	if (found < 0)
		return INVALID_VALUE;
	if (status)
		*(int *)status = found;
	return SUCCESS;
}

int EXPORT(cuGetProcAddress)(void *name, void *function, int32_t version, uint64_t flags)
{
	int status, e = EXPORT(cuGetProcAddress_v2)(name, function, version, flags, &status);
	return e ? e : status ? NOT_FOUND : SUCCESS;
}

/* cuGetExportTable has no table. A CUDA runtime asks for some that are not documented, and cannot work without. It is
   one that the auditing library has not replaced, because the object around it has no symbols. */
int EXPORT(cuGetExportTable)(void *table, void *id)
{
	static void *named[16]; /* objects */
	void *frames[4];
	Dl_info own, info;
	unsigned i = 0;
	int n = backtrace(frames, 4), at = 0;
	(void)id;
	while (at < n && dladdr(frames[at], &info) && dladdr((void *)EXPORT(cuGetExportTable), &own) && info.dli_fbase == own.dli_fbase)
		at++;
	/* NVRTC asks, too, and does without. */
	if (at < n && dladdr(frames[at], &info) && info.dli_fname && !strstr(info.dli_fname, "/libnvrtc.so")) {
		pthread_mutex_lock(&lock);
		while (i < 16 && named[i] && named[i] != info.dli_fbase)
			i++;
		if (i < 16 && !named[i]) {
			named[i] = info.dli_fbase;
			fprintf(stderr, "crosslane: %s asks for tables of NVIDIA's driver that are not documented (cuGetExportTable), as a CUDA runtime does that was linked into it; "
				"link it with nvcc -cudart shared, or keep its symbols\n", info.dli_fname);
		}
		pthread_mutex_unlock(&lock);
	}
	if (table)
		*(void **)table = NULL;
	return NOT_FOUND;
}

/* ---- devices ---- */

int EXPORT(cuDeviceGetCount)(void *count) { INITIALIZED(); if (!count) return INVALID_VALUE; *(int *)count = 1; return SUCCESS; }
int EXPORT(cuDeviceGet)(void *device, int32_t n) { INITIALIZED(); if (n != 0) return INVALID_DEVICE; if (!device) return INVALID_VALUE; *(int *)device = 0; return SUCCESS; }

int EXPORT(cuDeviceGetName)(void *name, int32_t n, int32_t device)
{
	DEVICE(device);
	if (!name || n < 1)
		return INVALID_VALUE;
	snprintf(name, (size_t)n, "%s", device_name);
	return SUCCESS;
}

int EXPORT(cuDeviceGetUuid_v2)(void *id, int32_t device)
{
	DEVICE(device);
	if (!id)
		return INVALID_VALUE;
	memcpy(id, "Crosslane\0\0\0\0\0\0\1", 16);
	return SUCCESS;
}

int EXPORT(cuDeviceGetUuid)(void *id, int32_t device) { return EXPORT(cuDeviceGetUuid_v2)(id, device); }
int EXPORT(cuDeviceTotalMem_v2)(void *bytes, int32_t device) { DEVICE(device); if (!bytes) return INVALID_VALUE; *(uint64_t *)bytes = memory_limit; return SUCCESS; }

int EXPORT(cuDeviceGetAttribute)(void *value, uint32_t attribute, int32_t device)
{
	DEVICE(device);
	if (!value || attribute < 1 || attribute >= ATTRIBUTES || attributes[attribute] == -1)
		return INVALID_VALUE;
	*(int *)value = attributes[attribute];
	return SUCCESS;
}

int EXPORT(cuDeviceComputeCapability)(void *major, void *minor, int32_t device)
{
	DEVICE(device);
	if (!major || !minor)
		return INVALID_VALUE;
	*(int *)major = attributes[75];
	*(int *)minor = attributes[76];
	return SUCCESS;
}

int EXPORT(cuDeviceGetPCIBusId)(void *id, int32_t n, int32_t device)
{
	DEVICE(device);
	if (!id || n < 1)
		return INVALID_VALUE;
	snprintf(id, (size_t)n, "0000:00:00.0");
	return SUCCESS;
}

int EXPORT(cuDeviceCanAccessPeer)(void *can, int32_t a, int32_t b) { DEVICE(a); DEVICE(b); if (!can) return INVALID_VALUE; *(int *)can = 0; return SUCCESS; }

/* ---- contexts ---- */

#include "context_stack.h"

int EXPORT(cuCtxGetDevice)(void *out) { ASKS_WITH_CONTEXT(); if (!out) return INVALID_VALUE; *(int *)out = 0; return SUCCESS; }
int EXPORT(cuCtxGetDevice_v2)(void *out, void *c) { INITIALIZED(); if (!chosen(c)) return INVALID_CONTEXT; if (!out) return INVALID_VALUE; *(int *)out = 0; return SUCCESS; }
int EXPORT(cuCtxGetFlags)(void *out) { WITH_CONTEXT(); if (!out) return INVALID_VALUE; *(uint32_t *)out = current()->flags; return SUCCESS; }
int EXPORT(cuCtxGetApiVersion)(void *c, void *out) { INITIALIZED(); if (c && !valid(c)) return INVALID_CONTEXT; if (!out) return INVALID_VALUE; *(uint32_t *)out = 3020; return SUCCESS; }
int EXPORT(cuCtxGetCacheConfig)(void *out) { WITH_CONTEXT(); if (!out) return INVALID_VALUE; *(int *)out = 0; return SUCCESS; }
int EXPORT(cuCtxSetCacheConfig)(uint32_t config) { (void)config; WITH_CONTEXT(); return SUCCESS; }

int EXPORT(cuCtxGetStreamPriorityRange)(void *least, void *greatest)
{
	WITH_CONTEXT();
	if (least)
		*(int *)least = 0;
	if (greatest)
		*(int *)greatest = -5;
	return SUCCESS;
}

static uint64_t limits[8] = { 1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0 };
int EXPORT(cuCtxGetLimit)(void *out, uint32_t n) { WITH_CONTEXT(); if (!out || n < 0 || n > 7) return INVALID_VALUE; *(uint64_t *)out = limits[n]; return SUCCESS; }
int EXPORT(cuCtxSetLimit)(uint32_t n, uint64_t value) { WITH_CONTEXT(); if (n < 0 || n > 7) return INVALID_VALUE; limits[n] = value; return SUCCESS; }

#include "capture_hooks.h"

int EXPORT(cuCtxSynchronize)(void)
{
	WITH_CONTEXT();
	WHILE_CAPTURING(wait_for_all());
	note_callers();
	BEGIN(SYNCHRONIZE);
	END(transact());
}

int EXPORT(cuCtxSynchronize_v2)(void *c)
{
	struct context *x;
	INITIALIZED();
	if (!(x = chosen(c)))
		return INVALID_CONTEXT;
	if (x->magic != CONTEXT_MAGIC)
		return CONTEXT_DESTROYED;
	WHILE_CAPTURING(wait_for_all());
	note_callers();
	BEGIN(SYNCHRONIZE);
	END(transact());
}

struct array;
static int array_side(void *array, uint64_t *at, uint64_t *pitch, uint64_t *slice);
#include "memory.h"
#include "module.h"
#include "stream.h"
#include "host_function.h"
#include "pool.h"
#include "host_register.h"
#include "contexts.h"
#include "advice.h"
#include "copies.h"
#include "occupancy.h"
#include "launch_old.h"
#include "ipc.h"
#include "graph.h"
#include "user_object.h"
#include "graph_nodes.h"
#include "graph_exec.h"
#include "capture.h"
#include "ptds.h"
#include "graph_forms.h"
#include "link_text.h"
#include "ptx_run.h"
#include "stream_value.h"
#include "virtual.h"
#include "tensormap.h"
#include "texture.h"
#include "green.h"
