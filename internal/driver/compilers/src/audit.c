/* An auditing library (rtld-audit(7)) that loads stand-ins in place of NVIDIA's run-time compilers.

   Input: the names that the dynamic linker is asked for, and the folder of this library.
   Output: for a file whose name is that of a stand-in in the folder, the stand-in.
   Invariant: a stand-in needs a library of an invented name (REAL and its own name), for which the linker gets the file
   that the stand-in has replaced. So both are loaded, the stand-in first: its functions are found before those of
   the real library, all other functions are found there, and the real library finds its own files next to itself.
   Example: /a/libnvrtc.so.13 -> FOLDER/libnvrtc.so.13, which needs crosslane-real-libnvrtc.so.13 -> /a/libnvrtc.so.13.

   The dynamic linker holds its lock during all calls, so there are no threads. This library has a C library of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL "crosslane-real-"
#define MOST 16

static char folder[4096];

static struct replaced { /* a stand-in that is in use */
	char *name; /* without folder */
	char *stand_in, *real;
} table[MOST];

unsigned la_version(unsigned version)
{
	Dl_info info;
	char *end;
	if (dladdr((void *)la_version, &info) && info.dli_fname && (end = strrchr(info.dli_fname, '/')) && end - info.dli_fname < (long)sizeof folder - 256)
		memcpy(folder, info.dli_fname, (size_t)(end - info.dli_fname));
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* replace returns the stand-in for the file path; path, if it has none. */
static char *replace(char *path)
{
	char *name = strrchr(path, '/') + 1, file[4096 + 256];
	struct replaced *r = table;
	if (!folder[0] || strncmp(name, "libnv", 5) || strlen(name) > 200)
		return path;
	while (r < table + MOST && r->name && strcmp(r->name, name))
		r++;
	if (r == table + MOST)
		return path;
	if (r->name) {
		char *here = realpath(path, NULL), *there = realpath(r->real, NULL);
		int same = here && there && !strcmp(here, there);
		free(here), free(there);
		if (same || !strcmp(path, r->stand_in))
			return r->stand_in;
		if (!access(path, R_OK))
			fprintf(stderr, "crosslane: %s is a second library of its name in one process; it stays as it is\n", path);
		return path;
	}
	snprintf(file, sizeof file, "%s/%s", folder, name);
	if (access(file, R_OK) || access(path, R_OK))
		return path;
	r->stand_in = strdup(file), r->real = strdup(path), r->name = strdup(name);
	return r->stand_in && r->real && r->name ? r->stand_in : path;
}

char *la_objsearch(const char *asked, uintptr_t *cookie, unsigned flag)
{
	char *name = (char *)asked;
	(void)cookie;
	if (flag == LA_SER_ORIG && !strncmp(name, REAL, sizeof REAL - 1)) {
		for (struct replaced *r = table; r < table + MOST && r->name; r++)
			if (!strcmp(r->name, name + sizeof REAL - 1))
				return r->real;
		return name;
	}
	/* A name without a folder is asked for again with each folder that is searched. */
	return strchr(name, '/') ? replace(name) : name;
}
