/* Managed variables that the program has at addresses of its own: what clang compiles. The runtime library names them before it
   loads their module. The module has its variables at the same addresses, in pages of the shared memory, and the pages
   are put where the program has the variables: from then on they are managed memory like any other.

   A variable begins with a page (the headers of crosslane toolchain see to that). What else is in its last page stays
   as it is. When the module is unloaded, the pages become private again. */

enum { MOST_PLACED = 4096 };

struct placed { uint64_t host, n, offset; struct module *module; }; /* pages of the program; n is 0 if they are not shared any more */

static struct placed placed[MOST_PLACED];
static int placed_count; /* entries that were ever used */

static __thread uint32_t placing_count; /* variables of the next module that this thread loads */
static __thread const char *const *placing_names;
static __thread void *const *placing_addresses;

/* crosslane_place names the variables of the next module that this thread loads, and the program's addresses of them. The
   lists are used by that call. It returns 0 if there are too many. */
__attribute__((visibility("default"))) int crosslane_place(uint32_t n, const char *const *names, void *const *addresses)
{
	if (n > MOST_PLACED)
		return 0;
	placing_count = n, placing_names = names, placing_addresses = addresses;
	return 1;
}

/* put_placing ends the request that loads a module. */
static void put_placing(void)
{
	put32(placing_count);
	for (uint32_t i = 0; i < placing_count; i++)
		put_bytes(placing_names[i], strlen(placing_names[i])), put64((uint64_t)placing_addresses[i]);
	placing_count = 0;
}

/* place_none forgets the list of a load that fails. */
static int place_none(int e) { placing_count = 0; return e; }

/* is_placed reports whether a page of the program is one of a managed variable. It may be called in a handler. */
static int is_placed(uint64_t p)
{
	int n = __atomic_load_n(&placed_count, __ATOMIC_SEQ_CST);
	for (int i = 0; i < n; i++)
		if (p - placed[i].host < __atomic_load_n(&placed[i].n, __ATOMIC_SEQ_CST))
			return 1;
	return 0;
}

/* place puts pages of the shared memory where the program has a variable; under the lock. */
static int place(struct module *m, uint64_t host, uint64_t size, uint64_t offset)
{
	uint64_t n = (size + 4095) & ~4095ull;
	int i;
	for (i = 0; i < placed_count && placed[i].n; i++)
		;
	if (i == MOST_PLACED || mprotect((void *)host, n, PROT_READ | PROT_WRITE))
		return OUT_OF_MEMORY;
	memcpy(alias + offset + size, (void *)(host + size), n - size);
	if (mmap((void *)host, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory_file, (off_t)offset) == MAP_FAILED)
		return OUT_OF_MEMORY;
	placed[i].host = host, placed[i].offset = offset, placed[i].module = m;
	__atomic_store_n(&placed[i].n, n, __ATOMIC_SEQ_CST);
	if (i == placed_count)
		__atomic_store_n(&placed_count, i + 1, __ATOMIC_SEQ_CST);
	return SUCCESS;
}

/* unplace gives a module's variables, or those of all modules if it is NULL, private pages with the bytes that they have; under
   the lock, before the server forgets the pages. */
static void unplace(const struct module *m)
{
	for (int i = 0; i < placed_count; i++) {
		struct placed *p = &placed[i];
		void *own;
		if (p->n == 0 || (m && p->module != m))
			continue;
		own = mmap(NULL, p->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (own == MAP_FAILED)
			continue;
		memcpy(own, alias + p->offset, p->n);
		mremap(own, p->n, p->n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)p->host);
		__atomic_store_n(&p->n, 0, __ATOMIC_SEQ_CST);
	}
}
