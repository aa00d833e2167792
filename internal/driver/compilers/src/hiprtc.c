/* The library libhiprtc: it collects the source of a program, and a command of Crosslane compiles it with clang (package
   hiprtc, whose function Serve says what the request and the answer look like).

   Input: the functions of hiprtc.
   Output: a code object for a chip of AMD.
   Invariant: nothing is compiled in the process of the program. A function of code that is linked later, or of bitcode,
   returns an error and prints its name once.
   Example: this library is FOLDER/lib/libhiprtc.so, and the command FOLDER/bin/crosslane-hiprtc. */
#define _GNU_SOURCE
#include "ask.h"

#define API __attribute__((visibility("default"))) int
#define COMMAND "/bin/crosslane-hiprtc"

enum { /* hiprtcResult */
	SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_PROGRAM = 4, COMPILATION = 6, NO_EXPRESSION_AFTER_COMPILATION = 8,
	NO_NAME_BEFORE_COMPILATION = 9, NAME_NOT_VALID = 10, INTERNAL_ERROR = 11, LINKING = 100
};

static const char *const results[] = {
	"HIPRTC_SUCCESS", "HIPRTC_ERROR_OUT_OF_MEMORY", "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE", "HIPRTC_ERROR_INVALID_INPUT", "HIPRTC_ERROR_INVALID_PROGRAM",
	"HIPRTC_ERROR_INVALID_OPTION", "HIPRTC_ERROR_COMPILATION", "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE", "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
	"HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "HIPRTC_ERROR_INTERNAL_ERROR",
};

struct expression { char *text, *lowered; struct expression *next; };

struct program {
	uint64_t magic;
	struct text source; /* in the form of a request: name, source, headers */
	struct expression *expressions, **last;
	uint64_t count;
	char *code, *log;
	size_t code_size, log_size; /* of the log with the zero byte at its end */
};

#define MAGIC 0x637472706968636cu

static int valid(const struct program *p) { return p && p->magic == MAGIC; }

__attribute__((visibility("default"))) const char *hiprtcGetErrorString(int result)
{
	if (result == LINKING)
		return "HIPRTC_ERROR_LINKING";
	return result >= 0 && result < (int)(sizeof results / sizeof *results) ? results[result] : "HIPRTC_ERROR_UNKNOWN";
}

/* The numbers are those of AMD's library. */
API hiprtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return INVALID_INPUT;
	*major = 9, *minor = 0;
	return SUCCESS;
}

API hiprtcCreateProgram(void **out, const char *source, const char *name, int n, const char **headers, const char **names)
{
	struct program *p;
	if (!out)
		return INVALID_PROGRAM;
	if (!source || !*source || n < 0 || (n > 0 && (!headers || !names)))
		return INVALID_INPUT;
	for (int i = 0; i < n; i++)
		if (!headers[i] || !names[i])
			return INVALID_INPUT;
	if (!(p = calloc(1, sizeof *p)))
		return OUT_OF_MEMORY;
	p->magic = MAGIC, p->last = &p->expressions;
	put_text(&p->source, name ? name : "", name ? strlen(name) : 0);
	put_text(&p->source, source, strlen(source));
	put_number(&p->source, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		put_text(&p->source, names[i], strlen(names[i]));
		put_text(&p->source, headers[i], strlen(headers[i]));
	}
	*out = p;
	return SUCCESS;
}

API hiprtcDestroyProgram(void **at)
{
	struct program *p = at ? *at : NULL;
	if (!valid(p))
		return INVALID_PROGRAM;
	p->magic = 0;
	for (struct expression *x = p->expressions, *next; x; x = next)
		next = x->next, free(x->text), free(x->lowered), free(x);
	free(p->source.bytes), free(p->code), free(p->log), free(p);
	*at = NULL;
	return SUCCESS;
}

API hiprtcAddNameExpression(void *program, const char *text)
{
	struct program *p = program;
	struct expression *x;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!text || !*text)
		return INVALID_INPUT;
	if (p->code)
		return NO_EXPRESSION_AFTER_COMPILATION;
	for (x = p->expressions; x; x = x->next)
		if (!strcmp(x->text, text))
			return SUCCESS;
	if (!(x = calloc(1, sizeof *x)) || !(x->text = strdup(text)))
		return free(x), OUT_OF_MEMORY;
	*p->last = x, p->last = &x->next, p->count++;
	return SUCCESS;
}

/* say sets the log to a text, which it owns from there on. */
static int say(struct program *p, int result, char *text)
{
	free(p->log);
	p->log = text, p->log_size = text ? strlen(text) + 1 : 0;
	return result;
}

/* answered takes the result, the code, the log and the names from an answer. */
static int answered(struct program *p, const struct text *answer)
{
	uint64_t result;
	size_t at, size;
	char *code = NULL, *log = NULL;
	memcpy(&result, answer->bytes, 8);
	at = take(answer, 8, &code, &p->code_size);
	at = take(answer, at, &log, &size);
	for (struct expression *x = p->expressions; x && at && !result; x = x->next)
		free(x->lowered), x->lowered = NULL, at = take(answer, at, &x->lowered, &size);
	if (!at) {
		free(code), free(log);
		return say(p, COMPILATION, strdup("crosslane: the answer of the compilation is cut off"));
	}
	say(p, 0, log);
	if (result)
		return free(code), (int)result;
	p->code = code, p->code_size--;
	return SUCCESS;
}

API hiprtcCompileProgram(void *program, int n, const char **options)
{
	struct program *p = program;
	struct text request = { 0 }, answer = { 0 };
	const char *target = getenv("CROSSLANE_TARGET");
	char *why;
	int e;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (n < 0 || (n > 0 && !options))
		return INVALID_INPUT;
	for (int i = 0; i < n; i++)
		if (!options[i])
			return INVALID_INPUT;
	free(p->code), p->code = NULL, p->code_size = 0;
	put_text(&request, target ? target : "", target ? strlen(target) : 0);
	put(&request, p->source.bytes, p->source.size);
	put_number(&request, (uint64_t)n);
	for (int i = 0; i < n; i++)
		put_text(&request, options[i], strlen(options[i]));
	put_number(&request, p->count);
	for (struct expression *x = p->expressions; x; x = x->next)
		put_text(&request, x->text, strlen(x->text));
	if (request.failed || p->source.failed)
		e = OUT_OF_MEMORY;
	else if ((why = ask(COMMAND, &request, &answer)))
		e = say(p, COMPILATION, why);
	else
		e = answered(p, &answer);
	free(request.bytes), free(answer.bytes);
	return e;
}

API hiprtcGetLoweredName(void *program, const char *text, const char **out)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!text || !out)
		return INVALID_INPUT;
	if (!p->code)
		return NO_NAME_BEFORE_COMPILATION;
	for (struct expression *x = p->expressions; x; x = x->next)
		if (!strcmp(x->text, text) && x->lowered)
			return *out = x->lowered, SUCCESS;
	return NAME_NOT_VALID;
}

API hiprtcGetCodeSize(void *program, size_t *size)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!size)
		return INVALID_INPUT;
	*size = p->code_size;
	return SUCCESS;
}

API hiprtcGetCode(void *program, char *out)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!out || !p->code)
		return INVALID_INPUT;
	memcpy(out, p->code, p->code_size);
	return SUCCESS;
}

/* An empty log is its zero byte. */
API hiprtcGetProgramLogSize(void *program, size_t *size)
{
	struct program *p = program;
	if (!valid(p))
		return INVALID_PROGRAM;
	if (!size)
		return INVALID_INPUT;
	*size = p->log_size > 1 ? p->log_size : 1;
	return SUCCESS;
}

API hiprtcGetProgramLog(void *program, char *out)
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

/* missing reports the call of a function that the library lacks, once for each function. */
static int missing(const char *name, int *said)
{
	if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
		fprintf(stderr, "crosslane: %s is not implemented: it returns 11 (HIPRTC_ERROR_INTERNAL_ERROR)\n", name);
	return INTERNAL_ERROR;
}

#define STUB(name) API name(void) { static int said; return missing(#name, &said); }

STUB(hiprtcGetBitcode)
STUB(hiprtcGetBitcodeSize)
STUB(hiprtcLinkCreate)
STUB(hiprtcLinkAddFile)
STUB(hiprtcLinkAddData)
STUB(hiprtcLinkComplete)
STUB(hiprtcLinkDestroy)
