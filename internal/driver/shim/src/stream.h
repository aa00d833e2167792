/* Streams and events. */

static struct stream *find_stream(void *p) { return is_handle(p, STREAM_HANDLE) ? p : NULL; }

static uint64_t own_stream_id(void);

/* stream_id returns the number of a stream for the server, under the lock. The handles 0 and 1 are numbers themselves;
   handle 2 is the thread's own stream. A handle of no stream has a number that the server refuses. */
static uint64_t stream_id(void *p)
{
	struct stream *s;
	if ((uint64_t)p <= 2) {
		stream_last = &blocking_last;
		return (uint64_t)p == 2 ? own_stream_id() : (uint64_t)p;
	}
	s = find_stream(p);
	stream_last = s ? s->flags & 1 ? &s->last : &blocking_last : NULL;
	return s ? s->id : ~0ull;
}


int EXPORT(cuStreamCreateWithPriority)(void *out, uint32_t flags, int32_t priority)
{
	struct stream *s;
	int e;
	WITH_CONTEXT();
	if (!out || flags > 1)
		return INVALID_VALUE;
	note_callers();
	BEGIN(STREAM_NEW);
	put32(flags & 1);
	if ((e = transact()))
		END(e);
	s = calloc(1, sizeof *s);
	if (!s || add_handle(s, STREAM_HANDLE)) {
		free(s);
		END(OUT_OF_MEMORY);
	}
	s->id = get64(), s->flags = flags, s->context = current(), s->next = streams;
	s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
	streams = s;
	*(void **)out = s;
	END(SUCCESS);
}

int EXPORT(cuStreamCreate)(void *out, uint32_t flags) { return EXPORT(cuStreamCreateWithPriority)(out, flags, 0); }

int EXPORT(cuStreamDestroy_v2)(void *p)
{
	struct stream *s, **at_s;
	int e;
	INITIALIZED();
	note_callers();
	BEGIN(STREAM_CLOSE);
	if (!(s = find_stream(p)))
		END_REFUSED(INVALID_HANDLE, "the handle is no stream, or one that was destroyed");
	put64(s->id);
	e = transact();
	for (at_s = &streams; *at_s != s; at_s = &(*at_s)->next)
		;
	*at_s = s->next;
	remove_handle(s);
	free(s->attributes);
	free(s);
	END(e);
}

int EXPORT(cuStreamSynchronize)(void *p) { WITH_CONTEXT(); STREAM(p); note_callers(); return wait_stream(p); }

/* carried_out says whether a message has been carried out with all before it, or ahead of them. */
static int carried_out_in_order(uint64_t message) { return __atomic_load_n(&words->done, __ATOMIC_SEQ_CST) >= message; }

static int carried_out(uint64_t message)
{
	for (size_t i = 0; i < sizeof words->ahead / sizeof words->ahead[0]; i++)
		if (carried_out_in_order(message) || __atomic_load_n(&words->ahead[i], __ATOMIC_SEQ_CST) == message)
			return 1;
	return 0;
}

/* asked answers a query: the last message for a stream or an event, and the call by which the host waits for it. That
   call brings errors, and orders what the host does next. If the server is busy with other work, no answer to it is
   waited for. It is called under the lock, and gives it back. */
static int asked(uint64_t last, int call, uint64_t number)
{
	if (!carried_out(last))
		END(NOT_READY);
	callers();
	start(call);
	put64(number);
	END(carried_out_in_order(sent) ? transact() : post());
}

int EXPORT(cuStreamQuery)(void *p)
{
	uint64_t number;
	WITH_CONTEXT();
	STREAM(p);
	WHILE_CAPTURING(wait_in_capture(p));
	note_callers();
	pthread_mutex_lock(&lock);
	number = stream_id(p);
	return asked(stream_last ? *stream_last : 0, STREAM_WAIT, number);
}

int EXPORT(cuStreamGetFlags)(void *p, void *out) { WITH_CONTEXT(); STREAM(p); if (!out) return INVALID_VALUE; *(uint32_t *)out = (uint64_t)p > 2 ? ((struct stream *)p)->flags : 0; return SUCCESS; }
int EXPORT(cuStreamGetPriority)(void *p, void *out) { WITH_CONTEXT(); STREAM(p); if (!out) return INVALID_VALUE; *(int *)out = (uint64_t)p > 2 ? ((struct stream *)p)->priority : 0; return SUCCESS; }
int EXPORT(cuStreamGetCtx)(void *p, void *out) { WITH_CONTEXT(); STREAM(p); if (!out) return INVALID_VALUE; *(void **)out = (uint64_t)p > 2 ? ((struct stream *)p)->context : current(); return SUCCESS; }
int EXPORT(cuStreamGetDevice)(void *p, void *out) { WITH_CONTEXT(); STREAM(p); if (!out) return INVALID_VALUE; *(int *)out = 0; return SUCCESS; }
int EXPORT(cuStreamGetId)(void *p, void *out) { WITH_CONTEXT(); STREAM(p); if (!out) return INVALID_VALUE; pthread_mutex_lock(&lock); *(uint64_t *)out = stream_id(p); END(SUCCESS); }
int EXPORT(cuStreamIsCapturing)(void *p, void *out) { return capture_status(p, out); }
int EXPORT(cuStreamAttachMemAsync)(void *p, uint64_t at_p, uint64_t n, uint32_t flags)
{
	struct block *b;
	(void)n;
	WITH_CONTEXT();
	STREAM(p);
	pthread_mutex_lock(&lock);
	if ((b = find_block(at_p)))
		b->attached = flags != 1;
	END(SUCCESS);
}

/* ---- events ---- */

static struct event *find_event(void *p) { return is_handle(p, EVENT_HANDLE) ? p : NULL; }

int EXPORT(cuEventCreate)(void *out, uint32_t flags)
{
	struct event *v;
	int e;
	WITH_CONTEXT();
	if (!out || flags & ~7u)
		return INVALID_VALUE;
	note_callers();
	BEGIN(EVENT_NEW);
	if ((e = transact()))
		END(e);
	v = calloc(1, sizeof *v);
	if (!v || add_handle(v, EVENT_HANDLE)) {
		free(v);
		END(OUT_OF_MEMORY);
	}
	v->id = get64(), v->flags = flags, v->context = current(), v->next = events;
	events = v;
	*(void **)out = v;
	END(SUCCESS);
}

int EXPORT(cuEventDestroy_v2)(void *p)
{
	struct event *v, **at_v;
	int e;
	INITIALIZED();
	BEGIN(EVENT_CLOSE);
	if (!(v = find_event(p)))
		END_REFUSED(INVALID_HANDLE, NO_EVENT);
	put64(v->id);
	e = transact();
	for (at_v = &events; *at_v != v; at_v = &(*at_v)->next)
		;
	*at_v = v->next;
	remove_handle(v);
	free(v);
	END(e);
}

int EXPORT(cuEventRecordWithFlags)(void *p, void *stream, uint32_t flags)
{
	struct event *v;
	WITH_CONTEXT();
	STREAM(stream);
	if (flags > 1)
		return INVALID_VALUE;
	CAPTURE(stream, capture_record(q, p, flags));
	if (captures)
		recorded_outside(p);
	BEGIN(EVENT_RECORD);
	if (!(v = find_event(p)))
		END_REFUSED(INVALID_HANDLE, NO_EVENT);
	put64(stream_id(stream)), put64(v->id);
	v->recorded = 1;
	{
		int e = v->flags & 4 ? transact() : post(); /* another process learns of it by other means: see ipc.h */
		v->last = sent;
		END(e);
	}
}

int EXPORT(cuEventRecord)(void *p, void *stream) { return EXPORT(cuEventRecordWithFlags)(p, stream, 0); }

int EXPORT(cuStreamWaitEvent)(void *stream, void *p, uint32_t flags)
{
	struct event *v;
	int e, done;
	WITH_CONTEXT();
	STREAM(stream);
	if (flags > 1)
		return INVALID_VALUE;
	if (captures) {
		e = capture_wait(stream, p, flags, &done);
		if (done || e)
			return refuse_captured(e);
	}
	note_callers();
	BEGIN(EVENT_WAIT);
	if (!(v = find_event(p)))
		END_REFUSED(INVALID_HANDLE, NO_EVENT);
	put64(stream_id(stream)), put64(v->id);
	END(post());
}

static int wait_event(void *p)
{
	struct event *v;
	WHILE_CAPTURING(captured_event(p));
	UNSAFE(0);
	BEGIN(EVENT_HOST);
	if (!(v = find_event(p)))
		END_REFUSED(INVALID_HANDLE, NO_EVENT);
	put64(v->id);
	END(transact());
}

int EXPORT(cuEventSynchronize)(void *p) { INITIALIZED(); return wait_event(p); }

int EXPORT(cuEventQuery)(void *p)
{
	struct event *v;
	INITIALIZED();
	WHILE_CAPTURING(captured_event(p));
	UNSAFE(0);
	pthread_mutex_lock(&lock);
	if (!(v = find_event(p)))
		END_REFUSED(INVALID_HANDLE, NO_EVENT);
	return asked(v->last, EVENT_HOST, v->id);
}

static int elapsed(float *out, void *start_event, void *end_event)
{
	struct event *a, *b;
	int e;
	if (!out)
		return INVALID_VALUE;
	WHILE_CAPTURING(captured_event(start_event));
	WHILE_CAPTURING(captured_event(end_event));
	BEGIN(EVENT_SINCE);
	a = find_event(start_event), b = find_event(end_event);
	if (!a || !b || !a->recorded || !b->recorded || (a->flags | b->flags) & 2)
		END_REFUSED(INVALID_HANDLE, "the handles are no events, the events are not recorded, or they were made without timing");
	if (!carried_out(a->last) || !carried_out(b->last))
		END(NOT_READY);
	put64(b->id), put64(a->id);
	if (!(e = transact()))
		*out = (float)((double)(int64_t)get64() / 1e6);
	END(e);
}

int EXPORT(cuEventElapsedTime)(void *out, void *a, void *b) { INITIALIZED(); return elapsed(out, a, b); }
int EXPORT(cuEventElapsedTime_v2)(void *out, void *a, void *b) { INITIALIZED(); return elapsed(out, a, b); }

int EXPORT(cuProfilerStart)(void) { INITIALIZED(); return SUCCESS; }
int EXPORT(cuProfilerStop)(void) { INITIALIZED(); return SUCCESS; }
