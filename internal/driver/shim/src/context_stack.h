/* Contexts. The server knows one device; contexts are known here only. Each thread has a stack of them. Allocations,
   modules, streams and events belong to the context that was current when they were made, and end with it. */

#define NO_CONTEXT "the handle is no context that can be used so, or one that was destroyed"

static size_t context_count; /* that cuCtxCreate made and that live */

static __thread struct context **stack;
static __thread int depth, stack_room;
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void make_stack_key(void) { pthread_key_create(&stack_key, free); }

static struct context *current(void) { return depth > 0 ? stack[depth - 1] : NULL; }

/* valid reports whether a context lives. It must not be called under the lock. */
static int valid(struct context *c)
{
	int found;
	if (!c || c == &primary)
		return c != NULL;
	pthread_mutex_lock(&lock);
	found = is_handle(c, CONTEXT_HANDLE);
	pthread_mutex_unlock(&lock);
	return found;
}

/* chosen returns the context that a call names, or the current one. Some programs call functions of version 2, which have
   this parameter, as those of version 1, so an argument that is no context is not an error. */
static struct context *chosen(void *c) { return valid(c) ? c : current(); }

static int push(struct context *c)
{
	if (depth == stack_room) {
		int room = stack_room * 2 + 8;
		struct context **grown = realloc(stack, (size_t)room * sizeof *grown);
		if (!grown)
			return OUT_OF_MEMORY;
		stack = grown, stack_room = room;
		pthread_once(&stack_once, make_stack_key);
		pthread_setspecific(stack_key, stack);
	}
	stack[depth++] = c;
	return SUCCESS;
}

int EXPORT(cuDevicePrimaryCtxRetain)(void *out, int32_t device)
{
	DEVICE(device);
	if (!out)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	primary.references++;
	pthread_mutex_unlock(&lock);
	*(void **)out = &primary;
	return SUCCESS;
}

static void clear_pools(void);
static void forget_created(void);
static void all_closed(void);
static void unregister_all(struct context *c);
static void unplace(const struct module *m);
static void forget_module(struct module *m);
static void drop_blocks(struct context *c);

/* clear_objects forgets everything that is on the device; under the lock. */
static void clear_objects(void)
{
	forget_created();
	block_count = 0;
	clear_pools();
	all_closed();
	mprotect((void *)BASE, SIZE, PROT_NONE);
	while (modules)
		forget_module(modules);
	for (struct stream *s = streams; s; s = s->next)
		remove_handle(s);
	for (struct event *v = events; v; v = v->next)
		remove_handle(v);
	streams = NULL, events = NULL; /* hosts may still hold them: their memory stays */
}

/* post_number sends a call with one number. */
static void post_number(int call, uint64_t n)
{
	callers();
	start(call);
	put64(n);
	post();
}

/* end_objects ends everything that belongs to a context; under the lock. */
static void end_objects(struct context *c)
{
	struct stream **at_s = &streams;
	struct event **at_v = &events;
	struct module *next;
	drop_blocks(c);
	for (struct module *m = modules; m; m = next) {
		next = m->next;
		if (m->context == c) {
			post_number(UNLOAD, m->id);
			forget_module(m);
		}
	}
	while (*at_s) {
		struct stream *s = *at_s;
		if (s->context != c) {
			at_s = &s->next;
			continue;
		}
		post_number(STREAM_CLOSE, s->id);
		remove_handle(s);
		*at_s = s->next;
		free(s->attributes);
		free(s);
	}
	while (*at_v) {
		struct event *v = *at_v;
		if (v->context != c) {
			at_v = &v->next;
			continue;
		}
		post_number(EVENT_CLOSE, v->id);
		remove_handle(v);
		*at_v = v->next;
		free(v);
	}
}

/* libraries reports whether modules live that belong to no context. */
static int libraries(void)
{
	struct module *m;
	for (m = modules; m && m->context; m = m->next)
		;
	return m != NULL;
}

int EXPORT(cuDevicePrimaryCtxReset_v2)(int32_t device)
{
	int e, all;
	DEVICE(device);
	note_callers();
	BEGIN(SYNCHRONIZE);
	e = transact();
	/* After a fault nothing on the device can be used any more. */
	all = (e >= 700 && e < 800) || (context_count == 0 && !libraries());
	pthread_mutex_unlock(&lock);
	unregister_all(all ? NULL : &primary);
	pthread_mutex_lock(&lock);
	if (all) {
		unplace(NULL);
		callers();
		start(RESET);
		e = transact();
		clear_objects();
	} else {
		end_objects(&primary);
	}
	primary.references = 0;
	END(e);
}

int EXPORT(cuDevicePrimaryCtxRelease_v2)(int32_t device)
{
	int last;
	DEVICE(device);
	pthread_mutex_lock(&lock);
	if (primary.references == 0)
		END(INVALID_CONTEXT);
	last = --primary.references == 0;
	pthread_mutex_unlock(&lock);
	return last ? EXPORT(cuDevicePrimaryCtxReset_v2)(device) : SUCCESS;
}

int EXPORT(cuDevicePrimaryCtxReset)(int32_t device) { return EXPORT(cuDevicePrimaryCtxReset_v2)(device); }
int EXPORT(cuDevicePrimaryCtxRelease)(int32_t device) { return EXPORT(cuDevicePrimaryCtxRelease_v2)(device); }

int EXPORT(cuDevicePrimaryCtxGetState)(int32_t device, void *flags, void *active)
{
	DEVICE(device);
	if (flags)
		*(uint32_t *)flags = primary.flags;
	if (active)
		*(int *)active = primary.references > 0;
	return SUCCESS;
}

int EXPORT(cuDevicePrimaryCtxSetFlags_v2)(int32_t device, uint32_t flags) { DEVICE(device); primary.flags = flags; return SUCCESS; }
int EXPORT(cuDevicePrimaryCtxSetFlags)(int32_t device, uint32_t flags) { return EXPORT(cuDevicePrimaryCtxSetFlags_v2)(device, flags); }

int EXPORT(cuCtxCreate_v2)(void *out, uint32_t flags, int32_t device)
{
	struct context *c;
	int e;
	DEVICE(device);
	if (!out)
		return INVALID_VALUE;
	c = calloc(1, sizeof *c);
	if (!c || (e = push(c))) {
		free(c);
		return OUT_OF_MEMORY;
	}
	c->magic = CONTEXT_MAGIC, c->flags = flags;
	pthread_mutex_lock(&lock);
	if ((e = add_handle(c, CONTEXT_HANDLE))) {
		depth--;
		free(c);
		END(e);
	}
	context_count++;
	*(void **)out = c;
	END(SUCCESS);
}

int EXPORT(cuCtxCreate)(void *out, uint32_t flags, int32_t device) { return EXPORT(cuCtxCreate_v2)(out, flags, device); }
int EXPORT(cuCtxCreate_v4)(void *out, void *params, uint32_t flags, int32_t device) { (void)params; return EXPORT(cuCtxCreate_v2)(out, flags, device); }

int EXPORT(cuCtxDestroy_v2)(void *context)
{
	struct context *c = context;
	INITIALIZED();
	if (c == &primary || !valid(c))
		return refuse(INVALID_CONTEXT, NO_CONTEXT);
	unregister_all(c);
	note_callers();
	pthread_mutex_lock(&lock);
	if (!is_handle(c, CONTEXT_HANDLE))
		END(INVALID_CONTEXT);
	end_objects(c);
	remove_handle(c);
	context_count--;
	c->magic = 0; /* the memory stays: the context may be on the stacks of other threads */
	if (current() == c)
		depth--;
	END(SUCCESS);
}

int EXPORT(cuCtxPushCurrent_v2)(void *c) { INITIALIZED(); return valid(c) ? push(c) : refuse(INVALID_CONTEXT, NO_CONTEXT); }

int EXPORT(cuCtxPopCurrent_v2)(void *out)
{
	INITIALIZED();
	if (depth == 0)
		return INVALID_CONTEXT;
	depth--;
	if (out)
		*(void **)out = stack[depth];
	return SUCCESS;
}

int EXPORT(cuCtxSetCurrent)(void *c)
{
	INITIALIZED();
	if (c && c != current() && !valid(c))
		return refuse(INVALID_CONTEXT, NO_CONTEXT);
	if (depth > 0)
		depth--;
	return c ? push(c) : SUCCESS;
}

int EXPORT(cuCtxGetCurrent)(void *out) { INITIALIZED(); if (!out) return INVALID_VALUE; *(void **)out = current(); return SUCCESS; }
