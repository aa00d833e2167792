/* Memory and events that several processes use. All are clients of one server.

   A handle names an allocation. Its pages get a file of their own, which both processes map in place of their own pages
   there; so copies need no messages, as for other memory. A process that opens its own handle gets its own address.

   An event of another process counts as complete: cuEventRecord of an event that may be shared returns when all work
   before it has ended, and only then the process can tell another one. */

#define HANDLE_MAGIC "CLIPCMEM"
#define EVENT_HANDLE_MAGIC "CLIPCEVT"

enum { IPC_HANDLE = 64, SHARE_ID = 16, INTERPROCESS = 4 };

struct share { unsigned char id[SHARE_ID]; uint64_t p, n; int own, opened; struct share *next; };

static struct share *shares; /* under the lock: own memory with a handle, and opened memory */

/* receive_file receives the file that follows a reply, under the lock. It returns -1 after an error. */
static int receive_file(void)
{
	unsigned char byte;
	struct iovec part = { &byte, 1 };
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = { 0 };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room };
	struct cmsghdr *c;
	ssize_t n;
	int file;
	while ((n = recvmsg(connection, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (n != 1) {
		broken();
		return -1;
	}
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&file, CMSG_DATA(c), sizeof file);
	return file;
}

/* map_pages maps a file over the pages of an allocation, in both mappings. */
static int map_pages(uint64_t p, uint64_t n, int file, uint64_t offset)
{
	n = (n + 4095) & ~4095ull;
	if (mmap((void *)p, n, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, (off_t)offset) == MAP_FAILED ||
		mmap(alias + (p - BASE), n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, (off_t)offset) == MAP_FAILED)
		return OUT_OF_MEMORY;
	return SUCCESS;
}

/* map_reply maps the allocation of a reply, and notes its handle; under the lock. */
static int map_reply(struct share **out)
{
	struct share *s = calloc(1, sizeof *s);
	uint32_t length;
	const char *id = get_bytes(&length);
	int file, e;
	uint64_t p = get64(), n = get64();
	if ((file = receive_file()) < 0 || !s || length != SHARE_ID) {
		if (file >= 0)
			close(file);
		free(s);
		return UNKNOWN;
	}
	memcpy(s->id, id, SHARE_ID);
	s->p = p, s->n = n;
	e = map_pages(p, n, file, 0);
	close(file);
	if (e) {
		free(s);
		return e;
	}
	s->next = shares, shares = s;
	*out = s;
	return SUCCESS;
}

/* end_sharing gives freed memory its own pages again; under the lock. */
static void end_sharing(uint64_t p)
{
	struct share *s, **at_s;
	for (at_s = &shares; (s = *at_s) && s->p != p; at_s = &s->next)
		;
	if (!s)
		return;
	map_pages(p, s->n, memory_file, p - BASE);
	*at_s = s->next;
	free(s);
}

int EXPORT(cuIpcGetMemHandle)(void *handle, uint64_t p)
{
	struct block *b;
	struct share *s;
	int e = SUCCESS;
	WITH_CONTEXT();
	if (!handle)
		return INVALID_VALUE;
	note_callers();
	BEGIN(IPC_SHARE);
	b = find_block(p);
	if (!b || b->kind != DEVICE_MEMORY || b->module)
		END(INVALID_VALUE);
	for (s = shares; s && s->p != b->base; s = s->next)
		;
	if (!s) {
		put64(p);
		if ((e = transact()) || (e = map_reply(&s)))
			END(e);
		s->own = 1;
	}
	memset(handle, 0, IPC_HANDLE);
	memcpy(handle, HANDLE_MAGIC, 8);
	memcpy((char *)handle + 8, s->id, SHARE_ID);
	END(SUCCESS);
}

static int open_handle(void *out, const struct crosslane_struct64 *handle, uint32_t flags)
{
	const char *id = (const char *)handle + 8;
	struct share *s;
	int e;
	WITH_CONTEXT();
	if (!out || flags != 1)
		return INVALID_VALUE;
	if (memcmp(handle, HANDLE_MAGIC, 8))
		return INVALID_HANDLE;
	note_callers();
	BEGIN(IPC_OPEN);
	for (s = shares; s && memcmp(s->id, id, SHARE_ID); s = s->next)
		;
	if (!s) {
		put_bytes(id, SHARE_ID);
		if ((e = transact()) || (e = map_reply(&s)) || (e = add_block(s->p, s->n, DEVICE_MEMORY, NULL)))
			END(e);
	}
	s->opened++;
	*(uint64_t *)out = s->p;
	END(SUCCESS);
}

int EXPORT(cuIpcOpenMemHandle_v2)(void *out, struct crosslane_struct64 handle, uint32_t flags) { return open_handle(out, &handle, flags); }
int EXPORT(cuIpcOpenMemHandle)(void *out, struct crosslane_struct64 handle, uint32_t flags) { return open_handle(out, &handle, flags); }

int EXPORT(cuIpcCloseMemHandle)(uint64_t p)
{
	struct share *s;
	WITH_CONTEXT();
	pthread_mutex_lock(&lock);
	for (s = shares; s && s->p != p; s = s->next)
		;
	if (!s || s->opened == 0)
		END(INVALID_VALUE);
	if (--s->opened > 0 || s->own)
		END(SUCCESS);
	pthread_mutex_unlock(&lock);
	return release(p, 0, NULL);
}

/* ---- events ---- */

int EXPORT(cuIpcGetEventHandle)(void *handle, void *event)
{
	struct event *v;
	WITH_CONTEXT();
	if (!handle)
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	v = find_event(event);
	if (!v || !(v->flags & INTERPROCESS))
		END(v ? INVALID_VALUE : INVALID_HANDLE);
	memset(handle, 0, IPC_HANDLE);
	memcpy(handle, EVENT_HANDLE_MAGIC, 8);
	END(SUCCESS);
}

int EXPORT(cuIpcOpenEventHandle)(void *out, struct crosslane_struct64 handle)
{
	if (memcmp(&handle, EVENT_HANDLE_MAGIC, 8))
		return INVALID_HANDLE;
	return EXPORT(cuEventCreate)(out, 2 | INTERPROCESS);
}
