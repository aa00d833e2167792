/* A libnvvm for machines without NVIDIA's: it collects the modules of a program, and a command of Crosslane compiles them
   with LLVM (package nvvm, whose function Serve says what the request and the answer look like).

   Input: the functions of libnvvm.
   Output: PTX, whatever form is asked for.
   Invariant: nothing of the program's environment that changes how programs are loaded reaches the command.
   Example: this library is HOME/nvvm/lib64/libnvvm.so.4, and the command HOME/nvvm/bin/crosslane-nvvm. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define COMMAND "/bin/crosslane-nvvm"

enum { /* nvvmResult */
	SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 4, INVALID_PROGRAM = 5, NO_MODULE = 8, COMPILATION = 9
};

static const char *const results[] = {
	"NVVM_SUCCESS", "NVVM_ERROR_OUT_OF_MEMORY", "NVVM_ERROR_PROGRAM_CREATION_FAILURE", "NVVM_ERROR_IR_VERSION_MISMATCH", "NVVM_ERROR_INVALID_INPUT",
	"NVVM_ERROR_INVALID_PROGRAM", "NVVM_ERROR_INVALID_IR", "NVVM_ERROR_INVALID_OPTION", "NVVM_ERROR_NO_MODULE_IN_PROGRAM", "NVVM_ERROR_COMPILATION",
	"NVVM_ERROR_CANCELLED",
};

#include "ask.h"

struct program {
	uint64_t magic, count;
	struct text modules; /* in the form of a request */
	char *ptx, *log;
	size_t ptx_size, log_size; /* with the zero byte at the end; 0: there is none */
};

#define MAGIC 0x6d6d76766e2d6c63u

static int valid(const struct program *p) { return p && p->magic == MAGIC; }

API const char *nvvmGetErrorString(int result)
{
	return result >= 0 && result < (int)(sizeof results / sizeof *results) ? results[result] : "NVVM_ERROR_UNKNOWN";
}

/* The numbers are those of a toolkit 11.2: clients of that time ask for them. */
API int nvvmVersion(int *major, int *minor)
{
	if (!major || !minor)
		return INVALID_INPUT;
	*major = 1, *minor = 6;
	return SUCCESS;
}

API int nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor)
{
	if (!major || !minor || !debug_major || !debug_minor)
		return INVALID_INPUT;
	*major = 1, *minor = 6, *debug_major = 3, *debug_minor = 0;
	return SUCCESS;
}

/* nvvmLLVMVersion says which dialect modules may be written in: that of LLVM 7, with typed pointers. */
API int nvvmLLVMVersion(const char *arch, int *major)
{
	if (!arch || !major)
		return INVALID_INPUT;
	*major = 7;
	return SUCCESS;
}

API int nvvmCreateProgram(void **out)
{
	struct program *p;
	if (!out)
		return INVALID_INPUT;
	if (!(p = calloc(1, sizeof *p)))
		return OUT_OF_MEMORY;
	p->magic = MAGIC;
	*out = p;
	return SUCCESS;
}

API int nvvmDestroyProgram(void **at)
{
	struct program *p = at ? *at : NULL;
	if (!valid(p))
		return INVALID_PROGRAM;
	p->magic = 0;
	free(p->modules.bytes), free(p->ptx), free(p->log), free(p);
	*at = NULL;
	return SUCCESS;
}

static int add(struct program *p, const char *data, size_t size, const char *name, uint64_t lazy)
{
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!data || !size)
		return INVALID_INPUT;
	if (!name)
		name = "<unnamed>";
	if (size > 4 && memcmp(data, "BC\xc0\xde", 4)) /* text: it may end by a zero byte */
		size = strnlen(data, size);
	put_number(&p->modules, lazy);
	put_text(&p->modules, name, strlen(name));
	put_text(&p->modules, data, size);
	p->count++;
	return p->modules.failed ? OUT_OF_MEMORY : SUCCESS;
}

API int nvvmAddModuleToProgram(void *p, const char *data, size_t size, const char *name) { return add(p, data, size, name, 0); }
API int nvvmLazyAddModuleToProgram(void *p, const char *data, size_t size, const char *name) { return add(p, data, size, name, 1); }

/* say sets the log. */
static int say(struct program *p, int result, const char *format, ...)
{
	va_list args;
	int n;
	free(p->log);
	va_start(args, format);
	n = vasprintf(&p->log, format, args);
	va_end(args);
	if (n < 0)
		p->log = NULL;
	p->log_size = p->log ? (size_t)n + 1 : 0;
	return result;
}

static int work(struct program *p, uint64_t compile, int n, const char **options)
{
	struct text request = { 0 }, answer = { 0 };
	uint64_t result;
	size_t at;
	char *why = NULL;
	int e;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (n < 0 || (n > 0 && !options))
		return INVALID_INPUT;
	for (int i = 0; i < n; i++)
		if (!options[i])
			return INVALID_INPUT;
	free(p->log), p->log = NULL, p->log_size = 0;
	if (compile)
		free(p->ptx), p->ptx = NULL, p->ptx_size = 0;
	put_number(&request, compile);
	put_number(&request, (uint64_t)n);
	for (int i = 0; i < n; i++)
		put_text(&request, options[i], strlen(options[i]));
	put_number(&request, p->count);
	put(&request, p->modules.bytes ? p->modules.bytes : "", p->modules.size);
	if (request.failed || p->modules.failed)
		e = say(p, OUT_OF_MEMORY, "crosslane: there is no memory for the request");
	else if ((why = ask(COMMAND, &request, &answer)))
		e = say(p, COMPILATION, "%s", why);
	else {
		char *ptx = NULL, *log = NULL;
		size_t ptx_size = 0, log_size = 0;
		memcpy(&result, answer.bytes, 8);
		at = take(&answer, 8, &ptx, &ptx_size);
		at = take(&answer, at, &log, &log_size);
		if (!at)
			e = say(p, COMPILATION, "crosslane: the answer of the compilation is cut off");
		else {
			e = (int)result;
			p->log = log, p->log_size = log_size, log = NULL;
			if (compile && !e)
				p->ptx = ptx, p->ptx_size = ptx_size, ptx = NULL;
		}
		free(ptx), free(log);
	}
	free(request.bytes), free(answer.bytes), free(why);
	return e;
}

API int nvvmCompileProgram(void *p, int n, const char **options) { return work(p, 1, n, options); }
API int nvvmVerifyProgram(void *p, int n, const char **options) { return work(p, 0, n, options); }

API int nvvmGetCompiledResultSize(void *program, size_t *size)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!size || !p->ptx)
		return INVALID_INPUT;
	*size = p->ptx_size;
	return SUCCESS;
}

API int nvvmGetCompiledResult(void *program, char *out)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!out || !p->ptx)
		return INVALID_INPUT;
	memcpy(out, p->ptx, p->ptx_size);
	return SUCCESS;
}

API int nvvmGetProgramLogSize(void *program, size_t *size)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!size)
		return INVALID_INPUT;
	*size = p->log_size > 1 ? p->log_size : 1; /* an empty log is its zero byte */
	return SUCCESS;
}

API int nvvmGetProgramLog(void *program, char *out)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!out)
		return INVALID_INPUT;
	if (p->log_size > 1)
		memcpy(out, p->log, p->log_size);
	else
		*out = 0;
	return SUCCESS;
}
