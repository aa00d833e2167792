/* How a stand-in runs a command of Crosslane. A request and an answer are numbers of 64 bits, the lowest byte first, and texts: the
   length and the bytes (package request). */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct text { char *bytes; size_t size; int failed; };

static void put(struct text *t, const void *bytes, size_t n)
{
	char *grown = t->failed ? NULL : realloc(t->bytes, t->size + n + 1);
	if (!grown) {
		t->failed = 1;
		return;
	}
	t->bytes = grown;
	memcpy(grown + t->size, bytes, n);
	t->size += n;
}

static void put_number(struct text *t, uint64_t n) { put(t, &n, sizeof n); }

static void put_text(struct text *t, const void *bytes, size_t n)
{
	put_number(t, n);
	put(t, bytes, n);
}

/* beside writes the path of a command, whose folder is next to that of this library. */
static int beside(const char *command, char *path, size_t size)
{
	Dl_info info;
	const char *end;
	if (!dladdr((void *)beside, &info) || !info.dli_fname || !(end = strrchr(info.dli_fname, '/')))
		return 0;
	while (end > info.dli_fname && end[-1] != '/')
		end--;
	if (end - 1 <= info.dli_fname)
		return 0;
	end--;
	return snprintf(path, size, "%.*s%s", (int)(end - info.dli_fname), info.dli_fname, command) < (int)size;
}

/* clean returns the environment without the variables of the dynamic linker, which are meant for the program. */
static char **clean(void)
{
	size_t n = 0, kept = 0;
	char **list;
	while (environ[n])
		n++;
	if (!(list = calloc(n + 1, sizeof *list)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LD_", 3))
			list[kept++] = environ[i];
	return list;
}

/* ask runs the command beside this library: the request is its input, and the answer its output. The result is NULL, or
   why there is no answer, which the caller frees. */
static char *ask(const char *command, const struct text *request, struct text *answer)
{
	char path[4096], *args[] = { path, NULL }, **env = clean(), *why = NULL;
	posix_spawn_file_actions_t files;
	int in = memfd_create("crosslane-request", MFD_CLOEXEC), out = memfd_create("crosslane-answer", MFD_CLOEXEC), status = 0, e, n = 0;
	struct stat s;
	pid_t child;

	if (!env || in < 0 || out < 0 || !beside(command, path, sizeof path)) {
		n = asprintf(&why, "crosslane: cannot prepare the compilation: %s", strerror(errno));
		goto end;
	}
	for (size_t done = 0; done < request->size;) {
		ssize_t written = write(in, request->bytes + done, request->size - done);
		if (written < 0 && errno != EINTR) {
			n = asprintf(&why, "crosslane: cannot write the request: %s", strerror(errno));
			goto end;
		}
		done += written > 0 ? (size_t)written : 0;
	}
	lseek(in, 0, SEEK_SET);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	e = posix_spawn(&child, path, &files, NULL, args, env);
	posix_spawn_file_actions_destroy(&files);
	if (e) {
		n = asprintf(&why, "crosslane: cannot run %s: %s", path, strerror(e));
		goto end;
	}
	/* A program that ignores SIGCHLD gets no status. The answer says how it went. */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (fstat(out, &s) || !(answer->bytes = malloc((size_t)s.st_size + 1)) || pread(out, answer->bytes, (size_t)s.st_size, 0) != s.st_size)
		n = asprintf(&why, "crosslane: cannot read the answer of %s: %s", path, strerror(errno));
	else if (s.st_size < 8)
		n = asprintf(&why, "crosslane: %s ended with status 0x%x and no answer", path, status);
	else
		answer->size = (size_t)s.st_size;
end:
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(env);
	return n < 0 ? strdup("crosslane: there is no memory for a message") : why;
}

/* take copies a text of the answer; a zero byte is added. It returns where the text ends; 0: it is cut off. */
static size_t take(const struct text *answer, size_t at, char **text, size_t *size)
{
	uint64_t n;
	if (at == 0 || at + 8 > answer->size)
		return 0;
	memcpy(&n, answer->bytes + at, 8);
	if (n > answer->size - at - 8 || !(*text = malloc(n + 1)))
		return 0;
	memcpy(*text, answer->bytes + at + 8, n);
	(*text)[n] = 0;
	*size = n + 1;
	return at + 8 + n;
}
