/* The handles that hosts hold: pointers to structures of this library. A call looks its handles up before it uses them,
   so that a handle of nothing is an error and no access. All functions are called under the lock. */

enum handle_kind { NO_HANDLE, CONTEXT_HANDLE, MODULE_HANDLE, FUNCTION_HANDLE, STREAM_HANDLE, EVENT_HANDLE, LINK_HANDLE, ARRAY_HANDLE };

/* A table with open addressing. An entry that was removed has a pointer and no kind. */
static struct { const void *p; enum handle_kind kind; } *handles;
static size_t handle_room, handle_used; /* removed entries count as used */

static size_t handle_slot(const void *p)
{
	size_t i = (size_t)(((uint64_t)p >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (handle_room - 1);
	while (handles[i].p && handles[i].p != p)
		i = (i + 1) & (handle_room - 1);
	return i;
}

static int is_handle(const void *p, enum handle_kind kind) { return p && handle_room && handles[handle_slot(p)].kind == kind; }

static void remove_handle(const void *p)
{
	if (handle_room)
		handles[handle_slot(p)].kind = NO_HANDLE;
}

/* add_handle enters a handle: SUCCESS, or OUT_OF_MEMORY. */
static int add_handle(const void *p, enum handle_kind kind)
{
	size_t i;
	if (handle_used * 2 >= handle_room) {
		__typeof__(handles) old = handles;
		size_t room = handle_room, live = 0;
		for (i = 0; i < room; i++)
			live += old[i].kind != NO_HANDLE;
		__typeof__(handles) grown = calloc(live * 4 + 1 < 256 ? 256 : room * (live * 4 >= room ? 2 : 1), sizeof *grown);
		if (!grown)
			return OUT_OF_MEMORY;
		handle_room = live * 4 + 1 < 256 ? 256 : room * (live * 4 >= room ? 2 : 1);
		handles = grown, handle_used = live;
		for (i = 0; i < room; i++)
			if (old[i].kind != NO_HANDLE)
				handles[handle_slot(old[i].p)] = old[i];
		free(old);
	}
	i = handle_slot(p);
	handle_used += !handles[i].p;
	handles[i].p = p, handles[i].kind = kind;
	return SUCCESS;
}
