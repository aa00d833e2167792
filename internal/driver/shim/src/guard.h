/* Accesses of the host that it may not make: of device memory, and with checks of memory that an operation still uses.

   Device memory cannot be touched, so an access is a fault (SIGSEGV). The handler reports it, and then the program's own
   handler, or the default one, gets the signal as without this library.

   With checks, the library takes the right to touch pages away while an operation may use them: the target of an
   asynchronous copy, the source of one for writing, and managed memory during a kernel. Only pages without any other byte
   that the host may use are taken, so a correct program does not fault. The handler keeps the access for a report and gives
   the right back, and the program goes on. The server says by words in the shared memory which operations the host has
   waited for; calls that wait give the rights back. The server also decides whether an access is a mistake.

   The handler calls functions that are safe in a handler, and two that are safe because the signal comes from an
   instruction of the program: those that list the calls of the host. System calls with such memory fail without a signal. */

enum { USES = 1024, ACCESSES = 32, ENDED_WORDS = 4096, PAGE = 4096 };
enum { COPY_READS, COPY_WRITES, KERNEL_USES };       /* the uses of CallWatch */
enum { IN_USE, OF_DEVICE, IN_COPY, IN_FREE };        /* the kinds of CallTouched */
enum { UNUSED, ARMED, TOUCHED_ONCE, CHANGING };      /* the states of a use */

struct use { /* an operation that uses memory of the host */
	int state;
	int kind;
	uint64_t base, n;   /* the bytes */
	uint64_t from, to;  /* the pages */
	uint64_t stream;
};

struct access { /* of the host, not reported yet */
	int ready;
	uint32_t kind, writes, number;
	uint64_t address;
	int in_function; /* of the host, in a stream */
	uint32_t count;
	size_t used;
	unsigned char calls[32 << 10];
};

static struct use uses[USES];
static int use_count; /* all later ones are unused */
static struct access accesses[ACCESSES];
static int access_count;   /* those that were begun since the last report */
static int managed_memory; /* there is some */
static unsigned char *open_pages; /* 1: the host may touch the page of the arena, apart from uses */
static struct sigaction previous; /* the program's handler */
static int device_accesses;       /* reported ones */
static int (*python_holds)(void);

static uint32_t *ended_word(int number) { return (uint32_t *)(alias + ENDED_WORDS) + number; }

/* is_open reports whether the host may touch a page, apart from uses. */
static int is_open(uint64_t p) { return in_arena(p, 1) ? open_pages[(p - BASE) / PAGE] : is_placed(p); }

/* give_back lets the host touch the pages of a use. */
static void give_back(const struct use *u)
{
	for (uint64_t p = u->from, q; p < u->to; p = q) {
		int open = is_open(p);
		for (q = p + PAGE; q < u->to && is_open(q) == open; q += PAGE)
			;
		if (open)
			mprotect((void *)p, q - p, PROT_READ | PROT_WRITE);
	}
}

/* settle gives back what ended operations used. It needs no lock. */
static void settle(void)
{
	int n = __atomic_load_n(&use_count, __ATOMIC_SEQ_CST);
	for (int i = 0; i < n; i++) {
		struct use *u = &uses[i];
		int state_ = __atomic_load_n(&u->state, __ATOMIC_SEQ_CST);
		if ((state_ != ARMED && state_ != TOUCHED_ONCE) || !__atomic_load_n(ended_word(i), __ATOMIC_SEQ_CST) ||
			!__atomic_compare_exchange_n(&u->state, &state_, CHANGING, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		give_back(u);
		__atomic_store_n(&u->state, UNUSED, __ATOMIC_SEQ_CST);
	}
}

/* opened notes which pages the host may touch from now on. */
static void opened(uint64_t p, uint64_t n, int open)
{
	if (open_pages)
		memset(open_pages + (p - BASE) / PAGE, open, (n + PAGE - 1) / PAGE);
}

/* all_closed forgets all uses: nothing is on the device. */
static void all_closed(void)
{
	for (int i = 0; i < use_count; i++)
		__atomic_store_n(&uses[i].state, UNUSED, __ATOMIC_SEQ_CST);
	if (open_pages)
		madvise(open_pages, SIZE / PAGE, MADV_DONTNEED);
}

/* ---- the handler ---- */

/* note_access fills a report with the calls of the host. */
static void note_access(struct access *a, uint32_t kind, uint32_t writes, uint32_t number, uint64_t address, const void *instruction)
{
	a->kind = kind, a->writes = writes, a->number = number, a->address = address, a->in_function = in_host_function;
	forget_callers();
	if (!(python_holds && python.looked > 0 && python_holds() && python_calls()))
		c_calls(instruction);
	a->count = calls.count, a->used = calls.used;
	memcpy(a->calls, calls.data, a->used);
	forget_callers();
	__atomic_store_n(&a->ready, 1, __ATOMIC_SEQ_CST);
}

/* own_call reports whether this thread is in a call of the library, with the lock. */
static int own_call(void)
{
#ifdef __GLIBC__
	return lock.__data.__owner == (int)syscall(SYS_gettid);
#else
	return 0;
#endif
}

static void touched(uint64_t p, int writes, const void *instruction)
{
	int n = __atomic_load_n(&use_count, __ATOMIC_SEQ_CST), found = 0;
	for (int i = 0; i < n; i++) {
		struct use *u = &uses[i];
		int armed = ARMED;
		if (__atomic_load_n(&u->state, __ATOMIC_SEQ_CST) != ARMED || p < u->from || p >= u->to)
			continue;
		if (p - u->base < u->n && (writes || u->kind != COPY_READS) && !__atomic_load_n(ended_word(i), __ATOMIC_SEQ_CST) &&
			__atomic_compare_exchange_n(&u->state, &armed, TOUCHED_ONCE, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && !found && !own_call()) {
			int k = __atomic_fetch_add(&access_count, 1, __ATOMIC_SEQ_CST);
			found = 1; /* one report is enough */
			if (k < ACCESSES)
				note_access(&accesses[k], IN_USE, (uint32_t)writes, (uint32_t)i, p, instruction);
		}
		give_back(u);
	}
	mprotect((void *)(p & ~(PAGE - 1ull)), PAGE, PROT_READ | PROT_WRITE);
}

static void send_access(const struct access *a);

/* touched_device reports an access of device memory at once: the program may end now. */
static void touched_device(uint64_t p, int writes, const void *instruction)
{
	static struct access a;
	struct timespec pause = { 0, 1000000 };
	int tries;
	if (own_call() || __atomic_fetch_add(&device_accesses, 1, __ATOMIC_SEQ_CST) >= 16)
		return;
	for (tries = 0; pthread_mutex_trylock(&lock); tries++) {
		if (tries == 2000)
			return;
		nanosleep(&pause, NULL);
	}
	note_access(&a, OF_DEVICE, (uint32_t)writes, 0, p, instruction);
	send_access(&a);
	pthread_mutex_unlock(&lock);
}

/* on_fault handles SIGSEGV. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	uint64_t p = (uint64_t)info->si_addr;
	int error = errno;
	unsigned long why = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR];
	const void *instruction = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	int writes = why >> 1 & 1, fetches = why >> 4 & 1;

	if (!forked && info->si_code > 0 && !fetches && open_pages && (in_arena(p, 1) || is_placed(p))) {
		if (is_open(p)) {
			touched(p, writes, instruction);
			errno = error;
			return;
		}
		touched_device(p, writes, instruction);
	}
	errno = error;
	if (previous.sa_flags & SA_SIGINFO) {
		void (*own)(int, siginfo_t *, void *) = previous.sa_sigaction;
		if (previous.sa_flags & (int)SA_RESETHAND)
			previous.sa_flags = 0, previous.sa_handler = SIG_DFL;
		own(sig, info, context);
	} else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		void (*own)(int) = previous.sa_handler;
		if (previous.sa_flags & (int)SA_RESETHAND)
			previous.sa_handler = SIG_DFL;
		own(sig);
	} else if (previous.sa_handler == SIG_DFL || info->si_code > 0) {
		/* The instruction runs again and ends the process; a signal that was sent is sent again. */
		struct sigaction normal = { .sa_handler = SIG_DFL };
		sigaction(SIGSEGV, &normal, NULL);
		if (info->si_code <= 0)
			syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
	}
}

/* start_guard installs the handler. It works on the stack of the program's handler. */
static void start_guard(void)
{
	struct sigaction own = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	void *address[4];

	reserve(&request, 64 << 10);
	backtrace(address, 4); /* it loads a library when it is first called */
	find_python();
	*(void **)&python_holds = dlsym(RTLD_DEFAULT, "PyGILState_Check");
	open_pages = mmap(NULL, SIZE / PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (open_pages == MAP_FAILED) {
		open_pages = NULL;
		return;
	}
	if (sigaction(SIGSEGV, NULL, &previous))
		return;
	own.sa_mask = previous.sa_mask;
	own.sa_flags |= previous.sa_flags & ((int)SA_ONSTACK | (int)SA_NODEFER | (int)SA_RESTART);
	sigaction(SIGSEGV, &own, NULL);
}

/* guarded reports whether accesses can be seen: the program may have set another handler since. */
static int guarded(void)
{
	struct sigaction now;
	return checks && open_pages && !sigaction(SIGSEGV, NULL, &now) && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault;
}

/* ---- uses ---- */

/* watch notes that the operation of a stream that was sent last uses memory of the host; under the lock. */
static void watch(int kind, const struct block *b, uint64_t p, uint64_t n, uint64_t stream)
{
	uint64_t from = p, to = p + n;
	struct use *u = NULL;
	int i, again = 0;

	if (from > b->base)
		from = (from + PAGE - 1) & ~(PAGE - 1ull);
	if (to == b->base + b->size)
		to += PAGE - 1;
	from &= ~(PAGE - 1ull), to &= ~(PAGE - 1ull);
	if (from >= to || !guarded())
		return;
	settle();
	for (i = 0; i < use_count; i++) { /* the same use by the same stream ends later now */
		u = &uses[i];
		if (u->state == ARMED && u->kind == kind && u->base == p && u->n == n && u->stream == stream) {
			again = 1;
			break;
		}
	}
	for (i = again ? i : 0; !again && i < USES && uses[i].state != UNUSED; i++)
		;
	if (i == USES)
		return;
	u = &uses[i];
	__atomic_store_n(ended_word(i), 0, __ATOMIC_SEQ_CST);
	if (!again) {
		u->kind = kind, u->base = p, u->n = n, u->from = from, u->to = to, u->stream = stream;
		if (i >= use_count)
			__atomic_store_n(&use_count, i + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&u->state, ARMED, __ATOMIC_SEQ_CST);
		mprotect((void *)from, to - from, kind == COPY_READS ? PROT_READ : PROT_NONE);
	}
	start(WATCH);
	put64(stream), put32((uint32_t)i), put64(p), put64(n), put32((uint32_t)kind);
	post();
}

/* watch_managed notes that a kernel may use all managed memory; under the lock. */
static void watch_managed(uint64_t stream)
{
	for (size_t i = 0; managed_memory && i < block_count; i++)
		if (blocks[i].kind == MANAGED && !blocks[i].attached)
			watch(KERNEL_USES, &blocks[i], blocks[i].base, blocks[i].size, stream);
}

/* ---- reports ---- */

/* send_access reports an access; under the lock. */
static void send_access(const struct access *a)
{
	request.used = 0;
	head(CALLERS);
	put32(a->count);
	put(a->calls, a->used);
	finish();
	before = request.used;
	start(TOUCHED);
	put32(a->kind), put32(a->writes), put32(a->number), put64(a->address), put64((uint64_t)a->in_function);
	post();
}

/* send_accesses reports the accesses so far; under the lock, before a call. */
static void send_accesses(void)
{
	int n = __atomic_load_n(&access_count, __ATOMIC_SEQ_CST);
	if (n == 0)
		return;
	if (n > ACCESSES)
		n = ACCESSES;
	for (int i = 0; i < n; i++) {
		if (!__atomic_load_n(&accesses[i].ready, __ATOMIC_SEQ_CST))
			return; /* another thread is filling it: later */
	}
	for (int i = 0; i < n; i++) {
		send_access(&accesses[i]);
		accesses[i].ready = 0;
	}
	__atomic_store_n(&access_count, 0, __ATOMIC_SEQ_CST);
}

/* ---- the host's side of copies ---- */

/* host_side finds out what the host's end of a copy is. *use is the address by which the library copies: the second mapping
   of memory that the device knows. *pinned reports whether the copy may go on after its call. An address of the device, or
   too many bytes of what the host allocated, is an error. */
static int host_side(uint64_t p, uint64_t n, int written, void **use, int *pinned)
{
	struct block *b;
	*use = (void *)p;
	pthread_mutex_lock(&lock);
	*pinned = find_registration(p) != NULL;
	if (!in_arena(p, 1))
		END(SUCCESS);
	b = find_block(p);
	if (b && b->kind != DEVICE_MEMORY && n <= b->size - (p - b->base)) {
		*use = alias + (p - BASE), *pinned = 1;
		END(SUCCESS);
	}
	callers();
	start(TOUCHED);
	put32(IN_COPY), put32((uint32_t)written), put32(0), put64(p), put64(n);
	post();
	END(INVALID_VALUE);
}

/* freed_by returns an error, and reports it, if memory is freed by the function for another kind; host says that the
   function is the one for pinned memory. */
static int freed_by(uint64_t p, int host)
{
	const char *(*result)(uint32_t);
	struct block *b;
	enum kind kind;
	uint64_t api;
	pthread_mutex_lock(&lock);
	b = find_block(p);
	if (!b || b->base != p || b->module || (host ? b->kind == PINNED : b->kind == DEVICE_MEMORY || b->kind == MANAGED))
		END(SUCCESS);
	kind = b->kind;
	pthread_mutex_unlock(&lock);
	api = behalf && !strncmp(behalf, "hip", 3) ? 1 : runtime_call(&result) ? 2 : 0;
	pthread_mutex_lock(&lock);
	callers();
	start(TOUCHED);
	put32(IN_FREE), put32((uint32_t)host), put32(kind), put64(p), put64(api);
	post();
	END(INVALID_VALUE);
}

/* watch_copy notes that an asynchronous copy uses memory of the host, if it can be seen; under the lock. Memory of the
   device is left out. */
static void watch_copy(int kind, uint64_t p, uint64_t n, uint64_t stream)
{
	struct block *b;
	if (checks && in_arena(p, n) && (b = find_block(p)) && b->kind != DEVICE_MEMORY)
		watch(kind, b, p, n, stream);
}
