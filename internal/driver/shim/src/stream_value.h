/* Operations of streams on values in memory: a write, and a wait for a value. */

enum { WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, MEMORY_BARRIER };

struct memory_operation { uint32_t kind; uint64_t address, value; uint32_t flags; uint64_t unused[2]; }; /* CUstreamBatchMemOpParams */

/* value_operation sends one operation. */
static int value_operation(void *stream, uint32_t kind, uint64_t p, uint64_t value, uint32_t flags)
{
	int writes = kind == WRITE_32 || kind == WRITE_64;
	uint32_t size = kind == WAIT_32 || kind == WRITE_32 ? 4 : 8;
	uint64_t id;
	STREAM(stream);
	CAPTURE(stream, capture_refuse(q));
	if (flags & (writes ? ~1u : ~3u)) { /* a wait may ask for a flush of remote writes, which the device says that it lacks */
		if (!writes && flags & 1u << 30)
			return refuse(NOT_SUPPORTED, "the device cannot flush remote writes");
		return refuse(INVALID_VALUE, "the flags are none of the operation");
	}
	if (p % size)
		return refuse(INVALID_VALUE, "the address is no multiple of the size of the value");
	pthread_mutex_lock(&lock);
	if (find_registration(p))
		p = registered_pointer(p, find_registration(p));
	pthread_mutex_unlock(&lock);
	note_callers();
	BEGIN(writes ? WRITE_VALUE : WAIT_VALUE);
	id = stream_id(stream);
	put64(id), put64(p), put64(size == 4 ? (uint32_t)value : value), put32(size), put32(flags);
	END(find_block(p) ? post() : transact());
}

int EXPORT(cuStreamWaitValue32_v2)(void *s, uint64_t p, uint32_t v, uint32_t flags) { WITH_CONTEXT(); return value_operation(s, WAIT_32, p, v, flags); }
int EXPORT(cuStreamWaitValue64_v2)(void *s, uint64_t p, uint64_t v, uint32_t flags) { WITH_CONTEXT(); return value_operation(s, WAIT_64, p, v, flags); }
int EXPORT(cuStreamWriteValue32_v2)(void *s, uint64_t p, uint32_t v, uint32_t flags) { WITH_CONTEXT(); return value_operation(s, WRITE_32, p, v, flags); }
int EXPORT(cuStreamWriteValue64_v2)(void *s, uint64_t p, uint64_t v, uint32_t flags) { WITH_CONTEXT(); return value_operation(s, WRITE_64, p, v, flags); }

int EXPORT(cuStreamBatchMemOp_v2)(void *s, uint32_t count, void *list, uint32_t flags)
{
	struct memory_operation *o = list;
	int e = SUCCESS;
	WITH_CONTEXT();
	if (!o || flags || count > 256)
		return refuse(INVALID_VALUE, "there is no list of operations, or it has more than 256");
	for (uint32_t i = 0; i < count; i++) {
		if (o[i].kind < WAIT_32 || o[i].kind > MEMORY_BARRIER || o[i].kind == FLUSH)
			return refuse(NOT_SUPPORTED, "the list has an operation other than waits and writes of values and barriers");
		if (o[i].kind != MEMORY_BARRIER && !known(o[i].address) && !find_registration(o[i].address))
			return refuse(INVALID_VALUE, "an address is not one of the device");
	}
	for (uint32_t i = 0; i < count && !e; i++)
		if (o[i].kind != MEMORY_BARRIER) /* the operations of a stream are ordered */
			e = value_operation(s, o[i].kind, o[i].address, o[i].value, o[i].flags);
	return e;
}

int EXPORT(cuStreamWaitValue32)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue32_v2)(s, p, v, flags); }
int EXPORT(cuStreamWaitValue64)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue64_v2)(s, p, v, flags); }
int EXPORT(cuStreamWriteValue32)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue32_v2)(s, p, v, flags); }
int EXPORT(cuStreamWriteValue64)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue64_v2)(s, p, v, flags); }
int EXPORT(cuStreamBatchMemOp)(void *s, uint32_t n, void *list, uint32_t flags) { return EXPORT(cuStreamBatchMemOp_v2)(s, n, list, flags); }
int EXPORT(cuStreamWaitValue32_ptsz)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue32_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWaitValue32_v2_ptsz)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue32_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWaitValue64_ptsz)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue64_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWaitValue64_v2_ptsz)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWaitValue64_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWriteValue32_ptsz)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue32_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWriteValue32_v2_ptsz)(void *s, uint64_t p, uint32_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue32_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWriteValue64_ptsz)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue64_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamWriteValue64_v2_ptsz)(void *s, uint64_t p, uint64_t v, uint32_t flags) { return EXPORT(cuStreamWriteValue64_v2)(OWN(s), p, v, flags); }
int EXPORT(cuStreamBatchMemOp_ptsz)(void *s, uint32_t n, void *list, uint32_t flags) { return EXPORT(cuStreamBatchMemOp_v2)(OWN(s), n, list, flags); }
int EXPORT(cuStreamBatchMemOp_v2_ptsz)(void *s, uint32_t n, void *list, uint32_t flags) { return EXPORT(cuStreamBatchMemOp_v2)(OWN(s), n, list, flags); }
