/* ptx_run: a kernel on memory of the host, by raw pointers. The mock of tinygrad's CUDA backend calls it, in a library of
   the name libgpuocelot.so, which is a link to this one.

   Input: the text of a module with one kernel, and the values of its parameters.
   Output: the memory of the host as the kernel leaves it.
   Invariant: an address of the kernel is that of the host, in memory, too. The library copies pieces of the host's
   memory to the server: first some bytes from each parameter on that is an address, and then what the kernel needs; see
   package device, LaunchInPlace. When the kernel has ended it copies back the bytes that the kernel has changed, and no
   others.
   Example: ptx_run(text, 2, args, 32, 1, 1, 4, 1, 1, 0) launches 4 blocks of 32 lanes. */

enum { FIRST_PIECE = 64 << 10, PIECES = 1 << 10 };
#define MOST_COPIED (16ull << 30)

struct run_kernel { /* a kernel that was run before */
	char *text;
	struct function *f;
	uint64_t *length; /* for each parameter, how many bytes from its address on the kernel has needed */
	struct run_kernel *next;
};

struct piece { uint64_t from, to, at; }; /* addresses of the host; address in the area */

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock */
static struct run_kernel *run_kernels;
static struct piece pieces[PIECES];
static int piece_count;
static uint64_t area, area_bytes;
static unsigned char *copied; /* the pieces as they were, one after another */
static size_t copied_room;

/* own_memory reads or writes memory of this process that may not be there, and returns the number of bytes. */
static size_t own_memory(void *ours, uint64_t p, size_t n, int write)
{
	struct iovec here = { ours, n }, there = { (void *)p, n };
	ssize_t done = write ? process_vm_writev(getpid(), &here, 1, &there, 1, 0) : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	return done < 0 ? 0 : (size_t)done;
}

/* there reports whether a byte of the process can be read. */
static int there(uint64_t p) { unsigned char c; return own_memory(&c, p, 1, 0) == 1; }

/* add_piece adds the bytes that exist of n bytes at p, and joins pieces that touch. */
static void add_piece(uint64_t p, uint64_t n)
{
	uint64_t from = p & ~(uint64_t)(PAGE - 1), to = p + n < p ? 1ull << 47 : (p + n + (uint64_t)PAGE - 1) & ~(uint64_t)(PAGE - 1), end = from;
	int i, kept = 0;
	if (p < PAGE || to > 1ull << 47 || in_arena(p, 1))
		return;
	while (end < to && there(end))
		end += PAGE;
	if (end == from || (piece_count == PIECES))
		return;
	to = end;
	for (i = 0; i < piece_count; i++) {
		if (pieces[i].from <= to && from <= pieces[i].to) {
			from = pieces[i].from < from ? pieces[i].from : from;
			to = pieces[i].to > to ? pieces[i].to : to;
		} else {
			pieces[kept++] = pieces[i];
		}
	}
	pieces[kept] = (struct piece){ from, to, 0 };
	piece_count = kept + 1;
}

/* add_needed adds memory that the kernel needs, more than it has asked for, and reports whether that helps. */
static int add_needed(uint64_t p, uint64_t n)
{
	uint64_t more = FIRST_PIECE;
	for (int i = 0; i < piece_count; i++)
		if (p >= pieces[i].from && p <= pieces[i].to + (pieces[i].to - pieces[i].from) && more < 3 * (pieces[i].to - pieces[i].from))
			more = 3 * (pieces[i].to - pieces[i].from);
	add_piece(p, n);
	add_piece(p, n + more);
	for (int i = 0; i < piece_count; i++)
		if (p >= pieces[i].from && n <= pieces[i].to - p && p < pieces[i].to)
			return 1;
	return 0;
}

/* copy_pieces copies the pieces into the area and into the copy. */
static int copy_pieces(void)
{
	uint64_t total = 0;
	int e = SUCCESS;
	for (int i = 0; i < piece_count; i++)
		total += pieces[i].to - pieces[i].from;
	if (total > MOST_COPIED)
		return OUT_OF_MEMORY;
	if (total > area_bytes) {
		pthread_mutex_lock(&lock);
		start(AREA);
		put64(total * 2);
		area_bytes = 0;
		if (!(e = transact()))
			area = get64(), area_bytes = total * 2;
		pthread_mutex_unlock(&lock);
		if (e)
			return e;
	}
	if (total > copied_room) {
		free(copied);
		copied_room = 0;
		if (!(copied = malloc(total * 2)))
			return OUT_OF_MEMORY;
		copied_room = total * 2;
	}
	total = 0;
	for (int i = 0; i < piece_count; i++) {
		size_t n = pieces[i].to - pieces[i].from;
		pieces[i].at = area + total;
		if (own_memory(copied + total, pieces[i].from, n, 0) != n)
			return INVALID_VALUE; /* another thread has unmapped it */
		memcpy(alias + (pieces[i].at - BASE), copied + total, n);
		total += n;
	}
	return SUCCESS;
}

/* copy_back writes the bytes that the kernel has changed to the host. */
static int copy_back(void)
{
	const unsigned char *old = copied;
	for (int i = 0; i < piece_count; i++) {
		const unsigned char *new = alias + (pieces[i].at - BASE);
		for (uint64_t p = pieces[i].from; p < pieces[i].to; p += PAGE, old += PAGE, new += PAGE) {
			int writable = 0;
			if (!memcmp(old, new, PAGE))
				continue;
			for (int a = 0; a < PAGE; a++) {
				int n = 0;
				while (a + n < PAGE && old[a + n] != new[a + n])
					n++;
				if (n > 0 && writable)
					memcpy((unsigned char *)p + a, new + a, (size_t)n);
				else if (n > 0 && !(writable = own_memory((void *)(new + a), p + (uint64_t)a, (size_t)n, 1) == (size_t)n))
					return 700;
				a += n;
			}
		}
	}
	return SUCCESS;
}

/* run_kernel_of returns the kernel of a text; under the lock of runs. */
static int run_kernel_of(const char *text, struct run_kernel **out)
{
	struct run_kernel *k;
	struct module *m;
	void *list[2];
	uint32_t count = 0;
	int e;
	for (k = run_kernels; k; k = k->next)
		if (!strcmp(k->text, text)) {
			*out = k;
			return SUCCESS;
		}
	if ((e = load(&m, text, 0, NULL, NULL, NULL)) || (e = count_functions(&count, m)))
		return e;
	if (count != 1) {
		fprintf(stderr, "crosslane: ptx_run: the text has %u kernels, and the call names none of them\n", count);
		return refuse(INVALID_VALUE, "the text has several kernels or none");
	}
	if ((e = list_functions(list, 1, m)) || (e = prepare(list[0])))
		return e;
	if (!(k = calloc(1, sizeof *k)) || !(k->text = strdup(text)))
		return OUT_OF_MEMORY;
	k->f = list[0];
	if (!(k->length = calloc(k->f->count + 1, 8)))
		return OUT_OF_MEMORY;
	k->next = run_kernels, run_kernels = k;
	*out = k;
	return SUCCESS;
}

/* run_once sends the launch. *p and *n are the memory that it needs. */
static int run_once(struct run_kernel *k, const uint32_t size[6], uint32_t shared, const unsigned char *params, int last, uint64_t *p, uint64_t *n)
{
	int e;
	note_callers();
	BEGIN(IN_PLACE);
	put64(k->f->id), put(size, 24), put32(shared), put32((uint32_t)last);
	put_bytes(params, k->f->bytes), put32((uint32_t)piece_count);
	for (int i = 0; i < piece_count; i++)
		put64(pieces[i].from), put64(pieces[i].at), put64(pieces[i].to - pieces[i].from);
	e = transact();
	*p = get64(), *n = get64();
	END(e);
}

static int run_text(const char *text, int count, void **args, const uint32_t size[6], uint32_t shared)
{
	unsigned char params[4096] = { 0 };
	struct run_kernel *k;
	struct function *f;
	uint64_t p = 0, n = 0, v;
	int e, last = 0;
	if ((e = run_kernel_of(text, &k)))
		return e;
	f = k->f;
	if (count < 0 || (uint32_t)count != f->count || f->bytes > sizeof params || (count > 0 && !args))
		return refuse(INVALID_VALUE, "the number of arguments is not that of the kernel's parameters");
	piece_count = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		if (f->size[i] > 8)
			return refuse(NOT_SUPPORTED, "ptx_run passes parameters of 8 bytes at most");
		v = (uint64_t)args[i];
		memcpy(params + f->offset[i], &v, f->size[i]);
		if (f->size[i] == 8)
			add_piece(v, k->length[i] ? k->length[i] : FIRST_PIECE);
	}
	do {
		if ((e = copy_pieces()) || (e = run_once(k, size, shared, params, last, &p, &n)))
			break;
		if (n > 0)
			last = !add_needed(p, n);
	} while (n > 0);
	if (!e && (e = copy_back()))
		return refuse(e, "the kernel has stored to memory that the process may not write");
	for (uint32_t i = 0; i < f->count && !e; i++)
		for (int j = 0; j < piece_count; j++)
			if (f->size[i] == 8 && (v = (uint64_t)args[i]) >= pieces[j].from && v < pieces[j].to && piece_count <= (int)f->count)
				k->length[i] = pieces[j].to - v;
	return e;
}

/* ptx_run runs the kernel of a text: args are the values of the parameters, not pointers to them. */
__attribute__((visibility("default"))) int ptx_run(const char *text, int count, void **args, int lx, int ly, int lz, int gx, int gy, int gz, int shared);
int ptx_run(const char *text, int count, void **args, int lx, int ly, int lz, int gx, int gy, int gz, int shared)
{
	uint32_t size[6] = { (uint32_t)gx, (uint32_t)gy, (uint32_t)gz, (uint32_t)lx, (uint32_t)ly, (uint32_t)lz };
	int e = EXPORT(cuInit)(0);
	if (e || (e = ready_in("ptx_run")))
		return e;
	for (int i = 0; i < 6; i++)
		if (!text || size[i] == 0 || size[i] > (uint32_t)attributes[i < 3 ? 5 + i : i - 1])
			return refuse(INVALID_VALUE, "there is no text, or a dimension of the grid or the block is 0 or too large");
	pthread_mutex_lock(&running);
	e = run_text(text, count, args, size, (uint32_t)shared);
	pthread_mutex_unlock(&running);
	return e;
}
