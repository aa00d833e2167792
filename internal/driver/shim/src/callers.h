/* The calls of the host: those of Python if the process runs it, else those of C. */
#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>

/* The functions of the Python interpreter that are used, looked up in the process. They are part of its C API. */
static struct {
	int looked;
	int (*initialized)(void), (*ensure)(void), (*line)(void *);
	void (*release)(int), (*drop)(void *);
	void *(*frame)(void), *(*back)(void *), *(*code)(void *), *(*attribute)(void *, const char *);
	const char *(*text)(void *);
	void (*fetch)(void **, void **, void **), (*restore)(void *, void *, void *), (*clear)(void);
} python;

static void find_python(void)
{
	if (python.looked)
		return;
	*(void **)&python.initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
	*(void **)&python.ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
	*(void **)&python.release = dlsym(RTLD_DEFAULT, "PyGILState_Release");
	*(void **)&python.frame = dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
	*(void **)&python.back = dlsym(RTLD_DEFAULT, "PyFrame_GetBack");
	*(void **)&python.code = dlsym(RTLD_DEFAULT, "PyFrame_GetCode");
	*(void **)&python.line = dlsym(RTLD_DEFAULT, "PyFrame_GetLineNumber");
	*(void **)&python.attribute = dlsym(RTLD_DEFAULT, "PyObject_GetAttrString");
	*(void **)&python.text = dlsym(RTLD_DEFAULT, "PyUnicode_AsUTF8");
	*(void **)&python.drop = dlsym(RTLD_DEFAULT, "Py_DecRef");
	*(void **)&python.clear = dlsym(RTLD_DEFAULT, "PyErr_Clear");
	*(void **)&python.fetch = dlsym(RTLD_DEFAULT, "PyErr_Fetch");
	*(void **)&python.restore = dlsym(RTLD_DEFAULT, "PyErr_Restore");
	python.looked = python.initialized && python.ensure && python.release && python.frame && python.back && python.code &&
		python.line && python.attribute && python.text && python.drop && python.clear && python.fetch && python.restore ? 1 : -1;
}

#define MAX_CALLS 32

enum { MAX_TEXT = 4096 }; /* bytes of the name of a file or of a function */

static __thread struct { unsigned char data[32 << 10]; size_t used; uint32_t count; } calls;

static int add_text(const char *s)
{
	uint32_t n = (uint32_t)strnlen(s ? s : "", MAX_TEXT);
	if (calls.used + 4 + n > sizeof calls.data)
		return 0;
	memcpy(calls.data + calls.used, &n, 4);
	memcpy(calls.data + calls.used + 4, s ? s : "", n);
	calls.used += 4 + n;
	return 1;
}

static int add_call(const char *file, uint32_t line, const char *function)
{
	size_t before = calls.used;
	if (calls.count == MAX_CALLS || !add_text(file) || calls.used + 4 > sizeof calls.data)
		return 0;
	memcpy(calls.data + calls.used, &line, 4);
	calls.used += 4;
	if (!add_text(function)) {
		calls.used = before;
		return 0;
	}
	calls.count++;
	return 1;
}

/* python_calls notes the frames of the Python code of this thread. */
static int python_calls(void)
{
	void *frame, *error[3];
	int lock_state, first = 1;

	find_python();
	if (python.looked < 0 || !python.initialized())
		return 0;
	lock_state = python.ensure();
	python.fetch(&error[0], &error[1], &error[2]); /* an exception may be on its way */
	frame = python.frame();
	while (frame) {
		void *code = python.code(frame), *back = python.back(frame), *file = NULL, *name = NULL;
		if (code) {
			file = python.attribute(code, "co_filename");
			name = python.attribute(code, "co_name");
		}
		if (file && name)
			add_call(python.text(file), (uint32_t)python.line(frame), python.text(name));
		python.clear();
		if (file)
			python.drop(file);
		if (name)
			python.drop(name);
		if (code)
			python.drop(code);
		if (!first)
			python.drop(frame);
		first = 0;
		frame = back;
	}
	python.restore(error[0], error[1], error[2]);
	python.release(lock_state);
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
		if (dladdr(address[i], &info) && info.dli_fbase != own.dli_fbase && !starts_program(&info)) {
			/* The return address may be that of the next line. */
			long long offset = (char *)address[i] - (char *)info.dli_fbase - (address[i] != from);
			snprintf(text, sizeof text, "%llx %s", offset, info.dli_sname ? info.dli_sname : "");
			add_call(real_name(info.dli_fname, room), 0xffffffff, text);
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
