/* Programs that hold the static CUDA runtime: its functions are replaced by those of Crosslane's runtime library.

   Input: an object that the dynamic linker has mapped, before its constructors, and the symbol table of its file.
   Output: each function of the runtime API that the object defines begins with a jump to the function of the same name
   in libcudart.so of the same major version.
   Invariant: an object is changed only if its symbol table defines all anchors, and its soname is not that of a runtime
   library. No byte of a file is written, and pages are writable only while this code writes them. A function without a
   counterpart returns 801 (cudaErrorNotSupported) and prints its name once; none runs on in the static runtime.
   Example: cudaMalloc: jmp entry; entry: jmp *slot; slot: at first the address of code that finds the function.

   The static runtime asks the driver for tables that are not documented. No call reaches it after the replacement, so
   these tables are not needed.

   This library is in a link namespace of its own, and the counterpart has to be in the namespace of the program. So the
   counterpart is not looked for here, but at the first call of a function, in the thread of the program: a slot then
   leads to first_call, which calls the dlmopen and the dlsym of the program's C library. Their addresses are read from the
   symbol table of that library in memory. At that time the linker is in no call of this library, a constructor may call
   dlmopen, and no function of this library's own C library is needed, which does not know the threads of the program. */

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* RUNTIME is the variable with the folder of the runtime libraries. */
#define RUNTIME "CROSSLANE_RUNTIME"

#define NOT_SUPPORTED 801

/* anchors are functions that every static runtime since 11.0 defines: all of them come in one object file. */
static const char *const anchors[] = {"__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaPushCallConfiguration",
	"cudaGetErrorString", "cudaLaunchKernel", "cudaMalloc", "cudaMemcpy", "cudaRuntimeGetVersion", "cudaStreamSetAttribute"};
enum { ANCHORS = sizeof anchors / sizeof *anchors };

/* majors tell the major version by a name that only the runtime of this version defines. A runtime with none is 13. */
static const struct {
	const char *name, *soname;
} majors[] = {{"cudaBindTexture", "libcudart.so.11.0"}, {"cudaGetDeviceProperties_v2", "libcudart.so.12"}, {NULL, "libcudart.so.13"}};

/* The namespace of the program: its C library's functions, once that is mapped. */
static void *(*program_dlmopen)(Lmid_t, const char *, int);
static void *(*program_dlsym)(void *, const char *);

/* A library is one of Crosslane's runtime libraries. */
static struct library {
	const char *soname;
	void *handle; /* in the program, from the first call on */
	char path[PATH_MAX];
} runtimes[] = {{.soname = "libcudart.so.11.0"}, {.soname = "libcudart.so.12"}, {.soname = "libcudart.so.13"}};

/* An object whose functions are replaced. */
struct object {
	struct object *next;
	struct link_map *map; /* NULL: it was closed */
	struct library *library;
	uint64_t first; /* the page of its first function */
	unsigned n;
	char *code; /* n entries, then the slots */
	size_t size;
	void **slots;
	const char **names;
};
static struct object *objects;

/* A file in memory. */
struct file {
	const char *bytes;
	size_t size;
};

static int map_file(const char *path, struct file *f)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > (off_t)sizeof(Elf64_Ehdr))
		p = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return 0;
	f->bytes = p, f->size = (size_t)s.st_size;
	return 1;
}

/* A table of symbols in a file, with its strings. */
struct symbols {
	const Elf64_Sym *at;
	size_t n;
	const char *strings;
	size_t bytes;
};

/* inside reports whether a file holds n bytes from an offset on. */
static int inside(const struct file *f, uint64_t from, uint64_t n) { return from <= f->size && n <= f->size - from; }

/* find_symbols finds the symbol table of a type, SHT_SYMTAB or SHT_DYNSYM. The files of programs may be damaged. */
static int find_symbols(const struct file *f, unsigned type, struct symbols *s)
{
	const Elf64_Ehdr *h = (const void *)f->bytes;
	const Elf64_Shdr *sections = (const void *)(f->bytes + h->e_shoff);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64 || !h->e_shoff || h->e_shoff % 8 ||
		h->e_shentsize != sizeof *sections || !inside(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *sections))
		return 0;
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *t = sections + i, *strings = sections + t->sh_link;
		if (t->sh_type != type || t->sh_link >= h->e_shnum || t->sh_offset % 8 || !inside(f, t->sh_offset, t->sh_size) ||
			!strings->sh_size || !inside(f, strings->sh_offset, strings->sh_size) || f->bytes[strings->sh_offset + strings->sh_size - 1])
			continue;
		*s = (struct symbols){(const void *)(f->bytes + t->sh_offset), t->sh_size / sizeof(Elf64_Sym), f->bytes + strings->sh_offset, strings->sh_size};
		return 1;
	}
	return 0;
}

/* function_name returns the name of a symbol if it is a defined function; NULL if not. */
static const char *function_name(const struct symbols *s, const Elf64_Sym *y)
{
	return ELF64_ST_TYPE(y->st_info) == STT_FUNC && y->st_shndx != SHN_UNDEF && y->st_name < s->bytes ? s->strings + y->st_name : NULL;
}

/* is_api reports whether a name looks like one of the runtime API: cudaX or __cudaX. */
static int is_api(const char *name)
{
	if (!strncmp(name, "__", 2))
		name += 2;
	return !strncmp(name, "cuda", 4) && name[4] >= 'A' && name[4] <= 'Z';
}

/* A set of names, as a hash table. */
struct names {
	const char **slot;
	size_t size; /* a power of two, more than twice the number of names */
};

static const char **name_slot(const struct names *n, const char *name)
{
	uint64_t h = 14695981039346656037u;
	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211u;
	while (n->slot[h & (n->size - 1)] && strcmp(n->slot[h & (n->size - 1)], name))
		h++;
	return n->slot + (h & (n->size - 1));
}

/* exported returns the names of functions that a library exports. */
static int exported(const struct file *f, struct names *n)
{
	struct symbols s;
	if (!find_symbols(f, SHT_DYNSYM, &s))
		return 0;
	for (n->size = 64; n->size < 2 * s.n + 2;)
		n->size *= 2;
	if (!(n->slot = calloc(n->size, sizeof *n->slot)))
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		const char *name = function_name(&s, s.at + i);
		if (name && *name)
			*name_slot(n, name) = name;
	}
	return 1;
}

/* defines_runtime reports whether a symbol table is that of an object with a static runtime, and which library takes its
   place. */
static struct library *defines_runtime(const struct symbols *s)
{
	unsigned seen = 0, major = sizeof majors / sizeof *majors - 1;
	/* Most objects define none of the names: one search through the strings tells. */
	if (!memmem(s->strings, s->bytes, anchors[0], strlen(anchors[0]) + 1))
		return NULL;
	for (size_t i = 0; i < s->n; i++) {
		const char *name = function_name(s, s->at + i);
		if (!name || !is_api(name))
			continue;
		for (unsigned a = 0; a < ANCHORS; a++)
			if (!strcmp(name, anchors[a]))
				seen |= 1u << a;
		for (unsigned m = 0; majors[m].name; m++)
			if (m < major && !strcmp(name, majors[m].name))
				major = m;
	}
	if (seen != (1u << ANCHORS) - 1)
		return NULL;
	for (unsigned i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (!strcmp(runtimes[i].soname, majors[major].soname))
			return runtimes + i;
	return NULL;
}

/* A function to be replaced. */
struct replaced_function {
	uint64_t at; /* as in the symbol table */
	const char *name;
};

/* room returns how many bytes a function may be overwritten by: up to its end, or to the next function. */
static uint64_t room(const struct symbols *s, const Elf64_Sym *y)
{
	uint64_t gap = 16;
	for (size_t i = 0; i < s->n && y->st_size < 16; i++)
		if (s->at[i].st_value > y->st_value && s->at[i].st_value - y->st_value < gap && function_name(s, s->at + i))
			gap = s->at[i].st_value - y->st_value;
	return y->st_size > gap ? y->st_size : gap;
}

enum { JUMP = 5, ENTRY = 32 };

/* choose lists the functions of the runtime API that an object defines. A name that the library exports is one. A name
   that it does not export is one if it lies among those: the functions of an archive are together, and a program may have
   functions of its own with names that begin with cuda. */
static unsigned choose(const struct symbols *s, const struct names *n, struct replaced_function *list, const char *path)
{
	uint64_t low = UINT64_MAX, high = 0;
	unsigned count = 0;
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < s->n; i++) {
			const Elf64_Sym *y = s->at + i;
			const char *name = function_name(s, y);
			int known;
			if (!name || !is_api(name))
				continue;
			known = *name_slot(n, name) != NULL;
			if (again ? known || y->st_value < low || y->st_value > high : !known)
				continue;
			if (room(s, y) < JUMP) {
				fprintf(stderr, "crosslane: %s: the function %s of the static CUDA runtime is too short to be replaced\n", path, name);
				continue;
			}
			if (!again) {
				low = y->st_value < low ? y->st_value : low;
				high = y->st_value > high ? y->st_value : high;
			}
			list[count++] = (struct replaced_function){y->st_value, name};
		}
	return count;
}

/* near_region maps size bytes that are less than 2 GB away from all bytes from low to high. The search begins a gigabyte
   away, because the heap of a program grows behind its data, and mappings grow downwards. */
static char *near_region(uint64_t low, uint64_t high, size_t size)
{
	enum { STEPS = 118, FIRST = 64 };
	const uint64_t step = 16 << 20, far = 0x7fff0000;
	for (int i = 0; i < 2 * STEPS; i++) {
		uint64_t away = (uint64_t)((FIRST + i / 2) % STEPS + 1) * step, at = 0;
		void *p;
		if (i % 2 && low > away + size && high - (low - away - size) < far)
			at = low - away - size;
		else if (i % 2 == 0 && high + away + size - low < far)
			at = high + away;
		at &= ~(uint64_t)4095;
		if (!at)
			continue;
		p = mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (p == (void *)at)
			return p;
		if (p != MAP_FAILED)
			munmap(p, size);
	}
	return NULL;
}

static int difference(uint64_t to, uint64_t from, unsigned char *at)
{
	int64_t d = (int64_t)(to - from);
	int32_t d32 = (int32_t)d;
	memcpy(at, &d32, sizeof d32);
	return d == d32;
}

/* first_call is where a slot leads at first: the number of the function and the address of the object are on the stack,
   below them the return address of the program. It keeps all registers that hold arguments. */
void crosslane_first_call(void) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden crosslane_first_call\n.globl crosslane_first_call\ncrosslane_first_call:\n"
	"push %rax\npush %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %r10\n"
	"sub $128, %rsp\n"
	"movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
	"movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
	"mov 192(%rsp), %rdi\nmov 200(%rsp), %rsi\n"
	"push %rbp\nmov %rsp, %rbp\nand $-16, %rsp\n"
	"call crosslane_counterpart\n"
	"mov %rbp, %rsp\npop %rbp\n"
	"mov %rax, %r11\n"
	"movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
	"movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
	"add $128, %rsp\n"
	"pop %r10\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rax\n"
	"add $16, %rsp\n"
	"jmp *%r11\n");

static int not_supported(void) { return NOT_SUPPORTED; }

/* say writes a line to standard error. It may be called by a thread of the program. */
static void say(const char *a, const char *b, const char *c)
{
	char line[512];
	size_t n = 0;
	const char *list[] = {"crosslane: ", a, b, c, "\n"};
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
		for (const char *s = list[i]; *s && n < sizeof line; s++)
			line[n++] = *s;
	(void)!write(2, line, n);
}

/* crosslane_counterpart finds the function that takes the place of function i of an object, and puts it into the slot.
   Two threads may do the same. */
void *crosslane_counterpart(struct object *o, uint64_t i) __attribute__((visibility("hidden")));
void *crosslane_counterpart(struct object *o, uint64_t i)
{
	struct library *l = o->library;
	void *handle = __atomic_load_n(&l->handle, __ATOMIC_ACQUIRE), *f = NULL;
	if (!handle && program_dlmopen && program_dlsym && (handle = program_dlmopen(LM_ID_BASE, l->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)))
		__atomic_store_n(&l->handle, handle, __ATOMIC_RELEASE);
	if (!handle)
		say(l->path, " cannot be loaded; the CUDA runtime cannot work: ", o->names[i]);
	else if (!(f = program_dlsym(handle, o->names[i])))
		say(o->names[i], " of the CUDA runtime is not supported; it returns 801", "");
	if (!f)
		f = (void *)not_supported;
	__atomic_store_n(o->slots + i, f, __ATOMIC_RELEASE);
	return f;
}

/* write_jumps fills the region of an object and writes the jumps. Addresses in the symbol table count from base. */
static int write_jumps(struct object *o, const struct replaced_function *list, uint64_t base)
{
	const uint64_t page = 4096;
	uint64_t code = (uint64_t)o->code, first_call = (uint64_t)(o->slots + o->n), self = first_call + 8;
	int ok = 1;
	o->slots[o->n] = (void *)crosslane_first_call, o->slots[o->n + 1] = o;
	for (unsigned i = 0; i < o->n; i++) {
		uint64_t at = code + (uint64_t)i * ENTRY;
		unsigned char b[ENTRY] = {0xff, 0x25, 0, 0, 0, 0, /* jmp *slot */ 0x68, 0, 0, 0, 0, /* push i */
			0xff, 0x35, 0, 0, 0, 0, /* push self */ 0xff, 0x25 /* jmp *first_call */};
		ok &= difference((uint64_t)(o->slots + i), at + 6, b + 2) & difference(self, at + 17, b + 13) & difference(first_call, at + 23, b + 19);
		memcpy(b + 7, &i, 4);
		memcpy((void *)at, b, sizeof b);
		o->slots[i] = (void *)(at + 6);
	}
	if (!ok || mprotect(o->code, (size_t)((char *)o->slots - o->code), PROT_READ | PROT_EXEC))
		return 0;
	for (unsigned i = 0; i < o->n; i++) {
		uint64_t at = base + list[i].at, from = at & ~(page - 1), to = (at + JUMP + page - 1) & ~(page - 1);
		unsigned char b[JUMP] = {0xe9};
		if (!difference(code + (uint64_t)i * ENTRY, at + JUMP, b + 1))
			return 0;
		if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE))
			return 0;
		memcpy((void *)at, b, sizeof b);
		if (mprotect((void *)from, to - from, PROT_READ | PROT_EXEC))
			return 0;
	}
	return 1;
}

/* executable reports whether n bytes at an address are in the code of an object. */
static int executable(const struct file *f, uint64_t at, uint64_t n)
{
	const Elf64_Ehdr *h = (const void *)f->bytes;
	const Elf64_Phdr *p = (const void *)(f->bytes + h->e_phoff);
	if (h->e_phoff % 8 || h->e_phentsize != sizeof *p || !inside(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof *p))
		return 0;
	for (unsigned i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X && at >= p[i].p_vaddr && n <= p[i].p_filesz && at - p[i].p_vaddr <= p[i].p_filesz - n)
			return 1;
	return 0;
}

static void drop(struct object *o)
{
	if (o->code)
		munmap(o->code, o->size);
	for (unsigned i = 0; o->names && i < o->n; i++)
		free((char *)o->names[i]);
	free(o->names);
	free(o);
}

/* take_over replaces the functions of one object by those of a library. */
static int take_over(struct link_map *map, const struct file *f, const struct symbols *s, struct library *l, const char *path)
{
	struct replaced_function *list = NULL;
	struct names names = {0};
	struct file library = {0};
	struct object *o = calloc(1, sizeof *o);
	uint64_t low = UINT64_MAX, high = 0, page = 4096;
	size_t code;
	int done = 0;
	if (!o || !map_file(l->path, &library) || !exported(&library, &names) || !(list = malloc(s->n * sizeof *list)))
		goto end;
	o->map = map, o->library = l;
	o->n = choose(s, &names, list, path);
	if (!(o->names = calloc(o->n, sizeof *o->names)))
		goto end;
	for (unsigned i = 0; i < o->n; i++) {
		if (!executable(f, list[i].at, JUMP) || !(o->names[i] = strdup(list[i].name)))
			goto end;
		low = list[i].at < low ? list[i].at : low;
		high = list[i].at > high ? list[i].at : high;
	}
	o->first = (map->l_addr + low) & ~(page - 1);
	code = ((size_t)o->n * ENTRY + page - 1) & ~(page - 1);
	o->size = (code + (o->n + 2) * sizeof *o->slots + page - 1) & ~(page - 1);
	if (!(o->code = near_region(map->l_addr + low, map->l_addr + high, o->size)))
		goto end;
	o->slots = (void *)(o->code + code);
	done = write_jumps(o, list, map->l_addr);
end:
	if (done)
		o->next = objects, objects = o;
	else if (o)
		drop(o);
	free(list), free(names.slot);
	if (library.bytes)
		munmap((void *)library.bytes, library.size);
	return done;
}

/* program_function finds a function of the program's C library in memory. */
static void *program_function(struct link_map *map, const char *name)
{
	const Elf64_Sym *y = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL;
	for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		/* The linker has made addresses of some offsets. */
		uint64_t p = d->d_un.d_ptr < map->l_addr ? d->d_un.d_ptr + map->l_addr : d->d_un.d_ptr;
		if (d->d_tag == DT_SYMTAB)
			y = (const void *)p;
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)p;
		else if (d->d_tag == DT_GNU_HASH)
			hash = (const void *)p;
	}
	if (!y || !strings || !hash)
		return NULL;
	/* 0 buckets, 1 first symbol, 2 words of the filter; the filter, the buckets, the chains, each ends with an odd hash. */
	const uint32_t *bucket = hash + 4 + hash[2] * 2, *chain = bucket + hash[0];
	for (uint32_t b = 0; b < hash[0]; b++)
		for (uint32_t i = bucket[b]; i >= hash[1]; i++) {
			if (y[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(y[i].st_info) == STT_FUNC && !strcmp(strings + y[i].st_name, name))
				return (void *)(map->l_addr + y[i].st_value);
			if (chain[i - hash[1]] & 1)
				break;
		}
	return NULL;
}

/* note_program_library looks for the functions of the dynamic linker in a library of the program. Before version 2.34 of
   the GNU C library they are in libdl. */
static void note_program_library(struct link_map *map)
{
	const char *base = strrchr(map->l_name, '/');
	base = base ? base + 1 : map->l_name;
	if (strcmp(base, "libc.so.6") && strcmp(base, "libdl.so.2"))
		return;
	if (!program_dlmopen)
		*(void **)&program_dlmopen = program_function(map, "dlmopen");
	if (!program_dlsym)
		*(void **)&program_dlsym = program_function(map, "dlsym");
}

/* runtime_library returns Crosslane's library for the soname of a runtime library; NULL: there is none. */
static struct library *runtime_library(const char *soname)
{
	for (unsigned i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (runtimes[i].path[0] && !strcmp(runtimes[i].soname, soname))
			return runtimes + i;
	return NULL;
}

static void find_runtimes(void)
{
	const char *from = getenv(RUNTIME);
	for (unsigned i = 0; from && *from == '/' && i < sizeof runtimes / sizeof *runtimes; i++) {
		struct library *l = runtimes + i;
		if (snprintf(l->path, sizeof l->path, "%s/%s", from, l->soname) >= (int)sizeof l->path || access(l->path, R_OK))
			l->path[0] = 0;
	}
}

unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	const char *path = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
	struct file f;
	struct symbols s;
	struct library *l;
	char name[200];
	*cookie = (uintptr_t)map;
	if (namespace != LM_ID_BASE || !strchr(path, '/')) /* linux-vdso.so.1 has no file */
		return 0;
	if (path == map->l_name)
		note_program_library(map);
	if (!map_file(path, &f))
		return 0;
	if (find_symbols(&f, SHT_SYMTAB, &s) && (l = defines_runtime(&s)) && (!soname(path, name, sizeof name) || strncmp(name, "libcudart.so", 12))) {
		if (!l->path[0] && !getenv(RUNTIME))
			; /* the driver library refuses the runtime */
		else if (!l->path[0])
			fprintf(stderr, "crosslane: %s holds the static CUDA runtime, and there is no %s to take its place\n", path, l->soname);
		else if (!take_over(map, &f, &s, l, path))
			fprintf(stderr, "crosslane: %s holds the static CUDA runtime, which cannot be replaced; link it with -cudart shared\n", path);
	}
	munmap((void *)f.bytes, f.size);
	return 0;
}

/* la_objclose is called when an object is closed, and also for each object when the program ends: then its code may still
   run. So its jumps stay until its memory is gone. */
unsigned la_objclose(uintptr_t *cookie)
{
	for (struct object *o = objects; o; o = o->next)
		if (o->map == (struct link_map *)*cookie)
			o->map = NULL;
	return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
	struct object **p = &objects;
	(void)cookie;
	while (flag == LA_ACT_CONSISTENT && *p) {
		struct object *o = *p;
		unsigned char in_memory;
		if (!o->map && mincore((void *)o->first, 1, &in_memory) && errno == ENOMEM)
			*p = o->next, drop(o);
		else
			p = &o->next;
	}
}
