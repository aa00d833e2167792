/* Functions of the host in a stream (cuLaunchHostFunc, cuStreamAddCallback). They run on a thread of the library, one
   after another. The server gives each its turn among the calls, and carries out later calls when it has returned.
   A function may not use the device. */

enum { FUTEX_WAIT_ = 0, FUTEX_WAKE_ = 1, NOT_PERMITTED = 800, HANGS_AFTER = 2000 /* milliseconds */ };

struct host_call {
	uint32_t number;
	int status;   /* of the device when it has its turn */
	int callback; /* it has the form of cuStreamAddCallback, and runs after a fault, too */
	void *function, *data, *stream;
	struct host_call *next;
};

static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER; /* taken after the lock */
static pthread_cond_t host_changed = PTHREAD_COND_INITIALIZER;
static struct host_call *host_first, **host_last = &host_first;
static uint32_t host_count, host_returned; /* numbers: of the last call, and of the last one that has returned */
static int host_thread;

/* host_done says that a function has returned, also if it has ended the thread. */
static void host_done(void *number)
{
	uint32_t n = *(uint32_t *)number;
	in_host_function = 0;
	__atomic_store_n(&words->returned, n, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &words->returned, FUTEX_WAKE_, 1 << 30, NULL, NULL, 0);
	pthread_mutex_lock(&host_lock);
	host_returned = n;
	if (host_first == NULL)
		host_last = &host_first;
	pthread_cond_broadcast(&host_changed);
	pthread_mutex_unlock(&host_lock);
}

static int turn_of(uint32_t number) { return (int32_t)(__atomic_load_n(&words->turn, __ATOMIC_SEQ_CST) - number) >= 0; }

static void *run_host_functions(void *unused)
{
	(void)unused;
	for (;;) {
		struct host_call *h;
		pthread_mutex_lock(&host_lock);
		while (!host_first)
			pthread_cond_wait(&host_changed, &host_lock);
		h = host_first, host_first = h->next;
		if (!host_first)
			host_last = &host_first;
		pthread_mutex_unlock(&host_lock);
		while (!turn_of(h->number) && __atomic_load_n(&state, __ATOMIC_RELAXED) == 1) {
			struct timespec second = { 1, 0 };
			uint32_t seen = __atomic_load_n(&words->turn, __ATOMIC_SEQ_CST);
			if (!turn_of(h->number))
				syscall(SYS_futex, &words->turn, FUTEX_WAIT_, seen, &second, NULL, 0);
		}
		settle(); /* the function may use what operations before it have written */
		h->status = turn_of(h->number) ? words->status : UNKNOWN;
		pthread_cleanup_push(host_done, &h->number);
		in_host_function = 1;
		if (h->callback)
			((void (*)(void *, int, void *))h->function)(h->stream, h->status, h->data);
		else if (!h->status)
			((void (*)(void *))h->function)(h->data);
		pthread_cleanup_pop(1);
		free(h);
	}
	return NULL;
}

/* start_host_thread starts the thread, which takes no signals of the program. */
static int start_host_thread(void)
{
	sigset_t all, old;
	pthread_t t;
	int e;
	if (host_thread)
		return SUCCESS;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV); /* see guard.h */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	e = pthread_create(&t, NULL, run_host_functions, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (e)
		return OUT_OF_MEMORY;
	pthread_detach(t);
	host_thread = 1;
	return SUCCESS;
}

static int add_host_function(void *stream, void *function, void *data, int callback)
{
	struct host_call *h = calloc(1, sizeof *h);
	uint64_t id;
	int e;
	if (!h)
		return OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	start(HOST_FUNC);
	id = stream_id(stream);
	h->number = host_count + 1, h->callback = callback, h->function = function, h->data = data, h->stream = stream;
	put32(h->number), put64(id);
	if ((e = start_host_thread()) || (e = post())) {
		free(h);
		END(e);
	}
	host_count++;
	pthread_mutex_lock(&host_lock);
	*host_last = h, host_last = &h->next;
	pthread_cond_broadcast(&host_changed);
	pthread_mutex_unlock(&host_lock);
	END(SUCCESS);
}

/* host_functions_hang waits for the functions when the process exits. It reports whether one has its turn and does not
   return: an interpreter that has ended does not run what it was asked for. */
static int host_functions_hang(void)
{
	struct timespec pause = { 0, 1000000 };
	for (int waited = 0; host_thread && (int32_t)(__atomic_load_n(&host_returned, __ATOMIC_SEQ_CST) - host_count) < 0; nanosleep(&pause, NULL)) {
		if (!turn_of(__atomic_load_n(&host_returned, __ATOMIC_SEQ_CST) + 1) || __atomic_load_n(&state, __ATOMIC_RELAXED) != 1)
			waited = 0;
		if (__atomic_load_n(&state, __ATOMIC_RELAXED) != 1 || ++waited > HANGS_AFTER)
			return 1;
	}
	return 0;
}

int EXPORT(cuStreamAddCallback)(void *p, void *function, void *data, uint32_t flags)
{
	WITH_CONTEXT();
	STREAM(p);
	if (!function || flags)
		return INVALID_VALUE;
	CAPTURE(p, capture_refuse(q));
	return add_host_function(p, function, data, 1);
}

int EXPORT(cuLaunchHostFunc)(void *p, void *function, void *data)
{
	WITH_CONTEXT();
	STREAM(p);
	if (!function)
		return INVALID_VALUE;
	CAPTURE(p, capture_host(q, function, data));
	return add_host_function(p, function, data, 0);
}
