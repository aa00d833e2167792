/* The calls of the host: those of Python if the process runs it, else those of C. */
#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>

/* The functions of the Python interpreter that are used, looked up in the process. */
static struct {
	int looked;
	int (*initialized)(void), (*finalizing)(void), (*ensure)(void), (*line)(void *);
	void *(*attached)(void), *(*own)(void), *(*save)(void), (*reattach)(void *);
	void (*drop)(void *);
	void *(*frame)(void *), *(*back)(void *), *(*code)(void *), *(*attribute)(void *, const char *);
	const char *(*text)(void *);
	void (*fetch)(void **, void **, void **), (*restore)(void *, void *, void *), (*clear)(void);
} python;

static void *symbol(const char *name, const char *older)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	return p || !older ? p : dlsym(RTLD_DEFAULT, older);
}

static void find_python(void)
{
	if (python.looked)
		return;
	*(void **)&python.initialized = symbol("Py_IsInitialized", NULL);
	*(void **)&python.finalizing = symbol("Py_IsFinalizing", "_Py_IsFinalizing");
	*(void **)&python.ensure = symbol("PyGILState_Ensure", NULL);
	*(void **)&python.attached = symbol("PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet");
	*(void **)&python.own = symbol("PyGILState_GetThisThreadState", NULL);
	*(void **)&python.save = symbol("PyEval_SaveThread", NULL);
	*(void **)&python.reattach = symbol("PyEval_RestoreThread", NULL);
	*(void **)&python.frame = symbol("PyThreadState_GetFrame", NULL);
	*(void **)&python.back = symbol("PyFrame_GetBack", NULL);
	*(void **)&python.code = symbol("PyFrame_GetCode", NULL);
	*(void **)&python.line = symbol("PyFrame_GetLineNumber", NULL);
	*(void **)&python.attribute = symbol("PyObject_GetAttrString", NULL);
	*(void **)&python.text = symbol("PyUnicode_AsUTF8", NULL);
	*(void **)&python.drop = symbol("Py_DecRef", NULL);
	*(void **)&python.clear = symbol("PyErr_Clear", NULL);
	*(void **)&python.fetch = symbol("PyErr_Fetch", NULL);
	*(void **)&python.restore = symbol("PyErr_Restore", NULL);
	python.looked = python.initialized && python.finalizing && python.ensure && python.attached && python.own && python.save && python.reattach &&
		python.frame && python.back && python.code && python.line && python.attribute && python.text && python.drop && python.clear &&
		python.fetch && python.restore && !symbol("PyUnstable_Module_SetGIL", NULL) /* which builds without the GIL have */ ? 1 : -1;
}

enum { MAX_CALLS = 32, MAX_TEXT = 4096 /* bytes of the name of a file or of a function */ };

struct calls { unsigned char data[32 << 10]; size_t used; uint32_t count; };

static __thread struct calls calls;

static int add_text(struct calls *to, const char *s)
{
	uint32_t n = (uint32_t)strnlen(s ? s : "", MAX_TEXT);
	if (to->used + 4 + n > sizeof to->data)
		return 0;
	memcpy(to->data + to->used, &n, 4);
	memcpy(to->data + to->used + 4, s ? s : "", n);
	to->used += 4 + n;
	return 1;
}

static void add_call(struct calls *to, const char *file, uint32_t line, const char *function)
{
	size_t first = to->used;
	if (to->count == MAX_CALLS || !add_text(to, file))
		return;
	if (to->used + 4 <= sizeof to->data) {
		memcpy(to->data + to->used, &line, 4);
		to->used += 4;
		if (add_text(to, function)) {
			to->count++;
			return;
		}
	}
	to->used = first;
}

/* add_frames adds the frames of a thread of Python. The present thread holds the GIL. */
static void add_frames(struct calls *to, void *thread)
{
	void *error[3], *frame;
	python.fetch(&error[0], &error[1], &error[2]); /* an exception may be on its way */
	frame = python.frame(thread);
	while (frame) {
		void *code = python.code(frame), *back = python.back(frame), *file = NULL, *name = NULL;
		if (code) {
			file = python.attribute(code, "co_filename");
			name = python.attribute(code, "co_name");
		}
		if (file && name)
			add_call(to, python.text(file), (uint32_t)python.line(frame), python.text(name));
		python.clear();
		if (file)
			python.drop(file);
		if (name)
			python.drop(name);
		if (code)
			python.drop(code);
		python.drop(frame);
		frame = back;
	}
	python.restore(error[0], error[1], error[2]);
}

/* Most hosts release the GIL before they call the driver. To take it again may never end: a thread that has it may wait
   for a lock that this thread has. So another thread takes it and looks at the frames of this thread, which waits for
   that for a short time only. If the time is over it takes the frames of C. The thread that looks does so only as long
   as it is waited for when it gets the GIL, and nothing of Python ends without the GIL. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t asked, answered;
	enum { IDLE, ASKED, LOOKING, ANSWERED, GIVEN_UP } state;
	int started;
	void *thread; /* whose frames are wanted */
	struct calls answer;
} looker = { .lock = PTHREAD_MUTEX_INITIALIZER };

enum { LOOK_TIME = 50000000 /* nanoseconds */ };

static void *look(void *unused)
{
	void *own;
	(void)unused;
	python.ensure();
	own = python.save();
	pthread_mutex_lock(&looker.lock);
	for (;;) {
		while (looker.state != ASKED && looker.state != GIVEN_UP)
			pthread_cond_wait(&looker.asked, &looker.lock);
		pthread_mutex_unlock(&looker.lock);
		python.reattach(own);
		pthread_mutex_lock(&looker.lock);
		if (looker.state == ASKED) {
			looker.state = LOOKING;
			pthread_mutex_unlock(&looker.lock);
			looker.answer.used = 0, looker.answer.count = 0;
			add_frames(&looker.answer, looker.thread);
			pthread_mutex_lock(&looker.lock);
		}
		looker.state = looker.state == LOOKING ? ANSWERED : IDLE;
		pthread_cond_broadcast(&looker.answered);
		pthread_mutex_unlock(&looker.lock);
		own = python.save();
		pthread_mutex_lock(&looker.lock);
	}
	return NULL;
}

static void start_looker(void)
{
	pthread_condattr_t monotonic;
	pthread_t t;
	sigset_t all, old;
	looker.started = -1;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&looker.asked, &monotonic);
	pthread_cond_init(&looker.answered, &monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (!pthread_create(&t, NULL, look, NULL)) {
		pthread_detach(t);
		looker.started = 1;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ask_looker lets the other thread note the frames of this one. It waits for at most LOOK_TIME. */
static void ask_looker(void *thread)
{
	struct timespec until;
	int e = 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_TIME;
	if (until.tv_nsec >= 1000000000)
		until.tv_sec++, until.tv_nsec -= 1000000000;
	pthread_mutex_lock(&looker.lock);
	if (!looker.started)
		start_looker();
	while (looker.started > 0 && looker.state != IDLE && looker.state != GIVEN_UP && !e) /* another thread has asked */
		e = pthread_cond_timedwait(&looker.answered, &looker.lock, &until);
	if (looker.started > 0 && looker.state == IDLE) {
		looker.thread = thread, looker.state = ASKED;
		pthread_cond_signal(&looker.asked);
		while (looker.state != ANSWERED && !e)
			e = pthread_cond_timedwait(&looker.answered, &looker.lock, &until);
		if (looker.state == ANSWERED) {
			memcpy(calls.data, looker.answer.data, looker.answer.used);
			calls.used = looker.answer.used, calls.count = looker.answer.count;
			looker.state = IDLE;
			pthread_cond_broadcast(&looker.answered);
		} else {
			looker.state = GIVEN_UP;
		}
	}
	pthread_mutex_unlock(&looker.lock);
}

/* python_calls notes the frames of the Python code of this thread. */
static int python_calls(void)
{
	void *attached, *own;
	find_python();
	if (python.looked < 0 || !python.initialized() || python.finalizing())
		return 0;
	own = python.own();
	attached = python.attached();
	if (attached && attached == own)
		add_frames(&calls, own);
	else if (own)
		ask_looker(own);
	return calls.count > 0;
}

/* real_name is the path of a loaded file. The name of the program is what it was called by. */
static const char *real_name(const char *name, char *room)
{
	ssize_t n;
	if (*name == '/' || realpath(name, room))
		return *name == '/' ? name : room;
	n = readlink("/proc/self/exe", room, PATH_MAX - 1);
	if (n < 0)
		return name;
	room[n] = 0;
	return room;
}

/* starts_program reports whether a function is one that calls main. */
static int starts_program(const Dl_info *f)
{
	if (f->dli_sname)
		return !strcmp(f->dli_sname, "_start") || !strncmp(f->dli_sname, "__libc_start", 12);
	return strstr(f->dli_fname, "/libc.so") != NULL;
}

/* between reports whether a file is a library between the program and the driver: a runtime of CUDA or HIP. */
static int between(const char *file)
{
	const char *name = strrchr(file, '/');
	name = name ? name + 1 : file;
	return !strncmp(name, "libcudart.so.", 13) || !strncmp(name, "libamdhip64.so", 14);
}

/* runtime_call is the function of a CUDA runtime library by which the program has called this library, as the program names
   it; NULL: the program has called this library itself. *result becomes the function of that library that names results, or
   NULL. It must not be called under the lock. */
static const char *runtime_call(const char *(**result)(uint32_t))
{
	static __thread char name[64];
	void *address[16], *library;
	int n = backtrace(address, 16), i = 0;
	size_t length;
	const char *found = NULL;
	Dl_info own, info = { 0 }, last = { 0 };
	*result = NULL;
	if (!dladdr((void *)runtime_call, &own))
		return NULL;
	while (i < n && (!dladdr(address[i], &info) || info.dli_fbase == own.dli_fbase))
		i++;
	for (; i < n && dladdr(address[i], &info) && between(info.dli_fname); i++)
		found = info.dli_sname, last = info;
	if (!found || !last.dli_fname)
		return NULL;
	found += !strncmp(found, "__cuda", 6) ? 2 : 0; /* the stubs of kernels call __cudaLaunchKernel */
	snprintf(name, sizeof name, "%s", found);
	length = strlen(name);
	if (length > 5 && (!strcmp(name + length - 5, "_ptds") || !strcmp(name + length - 5, "_ptsz")))
		name[length - 5] = 0;
	if (strncmp(name, "cuda", 4))
		return NULL;
	if ((library = dlopen(last.dli_fname, RTLD_NOLOAD | RTLD_LAZY))) {
		*(void **)result = dlsym(library, "cudaGetErrorName");
		dlclose(library);
	}
	return name;
}

/* c_calls notes return addresses as offsets in files; the server finds the functions and the lines. from is the address of
   the instruction with which the calls begin; NULL: with the call of the library. It needs little of the stack, which may
   be that of a handler. */
static void c_calls(const void *from)
{
	void *address[MAX_CALLS + 4];
	int n = backtrace(address, MAX_CALLS + 4), i = 0;
	Dl_info own = { 0 }, info;
	static __thread char room[PATH_MAX], text[300];
	dladdr((void *)c_calls, &own);
	while (from && i < n && address[i] != from)
		i++;
	for (i = i < n ? i : 0; i < n; i++)
		if (dladdr(address[i], &info) && info.dli_fbase != own.dli_fbase && !between(info.dli_fname) && !starts_program(&info)) {
			/* The return address may be that of the next line. */
			long long offset = (char *)address[i] - (char *)info.dli_fbase - (address[i] != from);
			snprintf(text, sizeof text, "%llx %s", offset, info.dli_sname ? info.dli_sname : "");
			add_call(&calls, real_name(info.dli_fname, room), 0xffffffff, text);
		}
}

static void forget_callers(void) { calls.used = 0, calls.count = 0; }

/* note_callers notes the calls of this thread. It must not hold the lock: Python may wait for another thread. */
static void note_callers(void)
{
	forget_callers();
	if (checks && !python_calls())
		c_calls(NULL);
}

/* callers puts the calls that were noted before the message of the next call, which is sent with them. */
static void callers(void)
{
	before = 0;
	send_accesses();
	if (!checks || calls.count == 0)
		return;
	request.used = 0;
	head(CALLERS);
	put32(calls.count);
	put(calls.data, calls.used);
	finish();
	before = request.used;
}
