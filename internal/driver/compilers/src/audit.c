/* An auditing library (rtld-audit(7)) that loads stand-ins in place of NVIDIA's run-time compilers and CUDA runtime.

   Input: the names that the dynamic linker is asked for, and the folder of this library.
   Output: for a library whose soname is the file name of a stand-in in the folder, the stand-in.
   Invariant: a stand-in needs a library of an invented name (REAL and its own name), for which the linker gets the file
   that the stand-in has replaced. So both are loaded, the stand-in first: its functions are found before those of
   the real library, all other functions are found there, and the real library finds its own files next to itself.
   Example: /a/libnvrtc.so.13 -> FOLDER/libnvrtc.so.13, which needs crosslane-real-libnvrtc.so.13 -> /a/libnvrtc.so.13.

   A library libcudart.so of the CUDA runtime is replaced by Crosslane's without its original. static_runtime.h replaces the
   runtime that a program holds itself.

   The dynamic linker holds its lock during all calls, so there are no threads. This library has a C library of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
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
	char *name; /* the soname */
	char *stand_in, *real;
} table[MOST];

static void find_runtimes(void);

unsigned la_version(unsigned version)
{
	Dl_info info;
	char *end;
	if (dladdr((void *)la_version, &info) && info.dli_fname && (end = strrchr(info.dli_fname, '/')) && end - info.dli_fname < (long)sizeof folder - 256)
		memcpy(folder, info.dli_fname, (size_t)(end - info.dli_fname));
	find_runtimes();
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* file_offset returns where the bytes of an address are in a file; -1 if they are in none of its segments. */
static int64_t file_offset(const Elf64_Phdr *p, int n, uint64_t address)
{
	for (int i = 0; i < n; i++)
		if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr && address - p[i].p_vaddr < p[i].p_filesz)
			return (int64_t)(address - p[i].p_vaddr + p[i].p_offset);
	return -1;
}

/* soname reads the name that a library gives itself, at most size - 1 bytes of it; 0: it has none. The file may be
   called otherwise: libnvrtc.so and libnvrtc.so.13.5.37 are libnvrtc.so.13. */
static int soname(const char *path, char *name, size_t size)
{
	enum { SEGMENTS = 64, ENTRIES = 256 };
	Elf64_Ehdr head;
	Elf64_Phdr p[SEGMENTS];
	Elf64_Dyn d[ENTRIES];
	int64_t strings = -1, at = -1;
	ssize_t got = 0;
	int f = open(path, O_RDONLY | O_CLOEXEC), n, count = 0;
	if (f < 0)
		return 0;
	if (pread(f, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
		head.e_phentsize != sizeof *p || (n = head.e_phnum) > SEGMENTS || pread(f, p, (size_t)n * sizeof *p, (off_t)head.e_phoff) != (ssize_t)((size_t)n * sizeof *p))
		n = 0;
	for (int i = 0; i < n; i++)
		if (p[i].p_type == PT_DYNAMIC && (got = pread(f, d, p[i].p_filesz < sizeof d ? p[i].p_filesz : sizeof d, (off_t)p[i].p_offset)) > 0)
			count = (int)(got / (ssize_t)sizeof *d);
	for (int i = 0; i < count && d[i].d_tag != DT_NULL; i++)
		if (d[i].d_tag == DT_STRTAB)
			strings = file_offset(p, n, d[i].d_un.d_ptr);
		else if (d[i].d_tag == DT_SONAME)
			at = (int64_t)d[i].d_un.d_val;
	got = strings < 0 || at < 0 ? 0 : pread(f, name, size - 1, strings + at);
	close(f);
	if (got <= 0)
		return 0;
	name[got] = 0; /* the text ends earlier */
	return 1;
}

#include "static_runtime.h"

/* replace returns the stand-in for the file path; path, if it has none. */
static char *replace(char *path)
{
	char *base = strrchr(path, '/') + 1, file[4096 + 256], name[200];
	struct replaced *r = table;
	struct library *l;
	if (!strncmp(base, "libcudart.so", 12) && soname(path, name, sizeof name) && (l = runtime_library(name)))
		return l->path;
	if (!folder[0] || strncmp(base, "libnv", 5) || !soname(path, name, sizeof name) || strchr(name, '/'))
		return path;
	while (r < table + MOST && r->name && strcmp(r->name, name))
		r++;
	if (r == table + MOST)
		return path;
	if (r->name) {
		char *here = realpath(path, NULL), *there = realpath(r->real, NULL);
		int same = here && there && !strcmp(here, there);
		free(here), free(there);
		if (!same && strcmp(path, r->stand_in))
			return fprintf(stderr, "crosslane: %s is a second library of its name in one process; it stays as it is\n", path), path;
		return r->stand_in;
	}
	snprintf(file, sizeof file, "%s/%s", folder, name);
	if (access(file, R_OK))
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
