/* Captures: the calls in a stream become the nodes of a graph. Other streams join by events, and have to be joined again
   before the end. */

struct capture {
	uint64_t id;
	uint32_t mode; /* 0: global, 1: of the thread, 2: relaxed */
	pthread_t thread;
	struct graph *graph;
	uint64_t origin; /* the number of the stream that began */
	int given;       /* the graph is the program's */
	int invalid;
	struct capture *next;
};

struct nodes { struct node **list; size_t count, room; };

struct participant {
	uint64_t stream; /* its number */
	int blocking;
	struct capture *capture;
	struct nodes needs; /* the next node waits for these */
	struct participant *next;
};

struct capture_event { void *event; struct capture *capture; struct nodes needs; struct capture_event *next; };

/* All of these are under the lock. */
static struct capture *capture_list;
static struct participant *participants;
static struct capture_event *capture_events;
static uint64_t capture_ids;
static __thread uint32_t thread_mode; /* what unsafe calls of this thread have to respect */

static int put_node(struct nodes *to, struct node *n)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->list[i] == n)
			return SUCCESS;
	if (to->count == to->room) {
		size_t room = to->room * 2 + 4;
		struct node **grown = realloc(to->list, room * sizeof *grown);
		if (!grown)
			return OUT_OF_MEMORY;
		to->list = grown, to->room = room;
	}
	to->list[to->count++] = n;
	return SUCCESS;
}

static int put_nodes(struct nodes *to, const struct nodes *from)
{
	int e = SUCCESS;
	for (size_t i = 0; i < from->count && !e; i++)
		e = put_node(to, from->list[i]);
	return e;
}

static struct participant *find_participant(uint64_t stream)
{
	struct participant *q;
	for (q = participants; q && q->stream != stream; q = q->next)
		;
	return q;
}

/* implicit makes the captures invalid that a call in the default stream would wait for, and reports whether there are any. */
static int implicit(int spoil)
{
	int found = 0;
	for (struct participant *q = participants; q; q = q->next)
		if (q->blocking) {
			found = 1;
			if (spoil)
				q->capture->invalid = 1;
		}
	return found;
}

/* capturing returns the participant of a stream, or NULL. *e becomes the error of a call that the captures forbid. */
static struct participant *capturing(void *stream, int *e)
{
	struct participant *q = NULL;
	pthread_mutex_lock(&lock);
	if ((uint64_t)stream <= 1)
		*e = implicit(1) ? CAPTURE_IMPLICIT : SUCCESS;
	else if ((q = find_participant(stream_id(stream))) && q->capture->invalid)
		*e = CAPTURE_INVALIDATED;
	pthread_mutex_unlock(&lock);
	return q;
}

/* unsafe_call makes the captures invalid that an unsafe call of this thread breaks. legacy: it uses the default stream. */
static int unsafe_call(int legacy)
{
	int e = SUCCESS;
	pthread_mutex_lock(&lock);
	if (legacy && implicit(1))
		END(CAPTURE_IMPLICIT);
	for (struct capture *c = capture_list; c; c = c->next) {
		int own = pthread_equal(c->thread, pthread_self());
		if (thread_mode != 2 && c->mode != 2 && (own || (thread_mode == 0 && c->mode == 0)))
			c->invalid = 1, e = CAPTURE_UNSUPPORTED;
	}
	END(e);
}

/* wait_in_capture forbids to wait for a stream that is being captured. */
static int wait_in_capture(void *stream)
{
	struct participant *q;
	int e = SUCCESS;
	pthread_mutex_lock(&lock);
	if ((uint64_t)stream <= 1)
		e = implicit(1) ? CAPTURE_IMPLICIT : SUCCESS;
	else if ((q = find_participant(stream_id(stream))))
		e = q->capture->invalid ? CAPTURE_INVALIDATED : CAPTURE_UNSUPPORTED, q->capture->invalid = 1;
	END(e);
}

/* wait_for_all forbids to wait for the context while any of its streams is being captured. */
static int wait_for_all(void)
{
	struct participant *q;
	pthread_mutex_lock(&lock);
	for (q = participants; q; q = q->next)
		q->capture->invalid = 1;
	END(participants ? CAPTURE_UNSUPPORTED : SUCCESS);
}

/* ---- nodes of calls ---- */

/* captured_node adds a node behind those that the stream has. */
static int captured_node(struct node **out, struct participant *q, uint32_t type)
{
	int e;
	if (q->capture->invalid)
		return CAPTURE_INVALIDATED;
	e = new_node(out, q->capture->graph, type, q->needs.list, q->needs.count);
	if (e)
		q->capture->invalid = 1;
	return e;
}

/* end_node makes the node the last one of the stream, or takes it away after an error. */
static int end_node(struct participant *q, struct node *n, int e)
{
	if (e) {
		drop_node(n);
		return e;
	}
	q->needs.count = 0;
	return put_node(&q->needs, n);
}

#define CAPTURED(n, q, kind, set) do { struct node *n; int c_ = captured_node(&n, q, kind); return c_ ? c_ : end_node(q, n, (set)); } while (0)

static int capture_copy_3d(struct participant *q, const struct copy3d *c) { CAPTURED(n, q, COPY_NODE, set_copy(n, c)); }

static int capture_copy_2d(struct participant *q, const struct copy2d *c)
{
	struct copy3d d = { c->src_x, c->src_y, 0, 0, c->src_type, c->src_host, c->src_device, NULL, NULL, c->src_pitch, c->height,
		c->dst_x, c->dst_y, 0, 0, c->dst_type, c->dst_host, c->dst_device, NULL, NULL, c->dst_pitch, c->height, c->width, c->height, 1 };
	return capture_copy_3d(q, &d);
}

static int capture_copy(struct participant *q, uint64_t to, int to_host, uint64_t from, int from_host, uint64_t n)
{
	struct copy3d c = { .width = n, .height = 1, .depth = 1, .src_pitch = n, .dst_pitch = n, .src_height = 1, .dst_height = 1 };
	c.src_type = from_host > 0 ? 1 : from_host < 0 ? 4 : 2, c.dst_type = to_host > 0 ? 1 : to_host < 0 ? 4 : 2;
	*(from_host > 0 ? (uint64_t *)&c.src_host : &c.src_device) = from;
	*(to_host > 0 ? (uint64_t *)&c.dst_host : &c.dst_device) = to;
	return capture_copy_3d(q, &c);
}

static int capture_fill(struct participant *q, uint64_t p, uint64_t pitch, const void *pattern, uint32_t size, uint64_t width, uint64_t height)
{
	struct fill_node f = { p, pitch, 0, size, width, height };
	memcpy(&f.value, pattern, size);
	CAPTURED(n, q, FILL_NODE, set_fill(n, &f));
}

static int set_mode(struct node *n, uint32_t mode)
{
	uint64_t together[8] = { 1 };
	uint32_t cluster[16] = { mode >> 8 & 255, mode >> 16 & 255, mode >> 24 };
	int e = mode & 1 ? kernel_attribute(n, 2, together, 1) : SUCCESS;
	return !e && mode >> 8 ? kernel_attribute(n, 4, cluster, 1) : e;
}

static int set_launch(struct node *n, struct function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, uint32_t mode, void **params, void **extra)
{
	int e = set_kernel(n, f, grid, block, shared, params, extra);
	return e ? e : set_mode(n, mode);
}

static int capture_launch(struct participant *q, struct function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, uint32_t mode, void **params, void **extra)
{
	CAPTURED(n, q, KERNEL_NODE, set_launch(n, f, grid, block, shared, mode, params, extra));
}

static int capture_host(struct participant *q, void *function, void *data)
{
	struct host_node h = { function, data };
	CAPTURED(n, q, HOST_NODE, set_host(n, &h));
}

static int capture_graph(struct participant *q, struct graph *g) { CAPTURED(n, q, CHILD_NODE, (n->u.child = copy_graph(g, 1)) ? SUCCESS : OUT_OF_MEMORY); }

static int capture_allocation(struct participant *q, void *out, uint64_t size)
{
	struct pool_properties properties = { .type = 1, .at_type = 1 };
	struct node *n;
	int e;
	if (!out || size == 0)
		return INVALID_VALUE;
	if ((e = captured_node(&n, q, ALLOC_NODE)) || (e = end_node(q, n, set_memory(n, &properties, size))))
		return e;
	*(uint64_t *)out = n->u.memory->address;
	return SUCCESS;
}

static int capture_free(struct participant *q, uint64_t p)
{
	if (!find_graph_memory(p))
		return INVALID_VALUE; /* a graph frees what a graph has allocated */
	CAPTURED(n, q, FREE_NODE, (n->u.freed = p, SUCCESS));
}

/* free_graph_memory frees memory that a graph has allocated, for the program. *done reports whether it is such memory. */
static int free_graph_memory(uint64_t p, int *done)
{
	struct graph_memory *m = graph_memories ? find_graph_memory(p) : NULL;
	*done = m != NULL;
	return m ? use_memory(m, 0) : SUCCESS;
}

/* capture_refuse is for calls that cannot be nodes. */
static int capture_refuse(struct participant *q) { q->capture->invalid = 1; return CAPTURE_UNSUPPORTED; }

/* ---- events ---- */

static struct capture_event *find_capture_event(void *event)
{
	struct capture_event *v;
	for (v = capture_events; v && v->event != event; v = v->next)
		;
	return v;
}

static void drop_capture_event(struct capture_event *v)
{
	struct capture_event **at_v;
	for (at_v = &capture_events; *at_v != v; at_v = &(*at_v)->next)
		;
	*at_v = v->next;
	free(v->needs.list);
	free(v);
}

/* captured_event forbids to ask for an event that was recorded in a capture. */
static int captured_event(void *event)
{
	struct capture_event *v;
	pthread_mutex_lock(&lock);
	if ((v = find_capture_event(event)))
		v->capture->invalid = 1;
	END(v ? CAPTURED_EVENT : SUCCESS);
}

static void recorded_outside(void *event)
{
	struct capture_event *v;
	pthread_mutex_lock(&lock);
	if ((v = find_capture_event(event)))
		drop_capture_event(v);
	pthread_mutex_unlock(&lock);
}

static int capture_record(struct participant *q, void *event, uint32_t flags)
{
	struct capture_event *v;
	int e;
	if (flags & 1) /* the event is recorded when the graph runs */
		CAPTURED(n, q, RECORD_NODE, set_event(n, event));
	pthread_mutex_lock(&lock);
	if (!find_event(event))
		END(INVALID_HANDLE);
	if (!(v = find_capture_event(event))) {
		if (!(v = calloc(1, sizeof *v)))
			END(OUT_OF_MEMORY);
		v->event = event, v->next = capture_events, capture_events = v;
	}
	v->capture = q->capture, v->needs.count = 0;
	e = put_nodes(&v->needs, &q->needs);
	END(e);
}

static int join(void *stream, struct capture *c, struct participant **out)
{
	struct participant *q = calloc(1, sizeof *q);
	struct stream *s = (uint64_t)stream > 2 ? find_stream(stream) : NULL;
	if (!q)
		return OUT_OF_MEMORY;
	q->stream = stream_id(stream), q->capture = c, q->blocking = !s || !(s->flags & 1);
	q->next = participants, participants = q;
	*out = q;
	return SUCCESS;
}

/* capture_wait lets a stream wait for an event, if one of them is captured; *done reports that. */
static int capture_wait(void *stream, void *event, uint32_t flags, int *done)
{
	struct capture_event *v;
	struct participant *q = NULL;
	int e = SUCCESS;

	*done = 1;
	pthread_mutex_lock(&lock);
	v = find_capture_event(event);
	if ((uint64_t)stream <= 1) {
		if (v || implicit(1))
			END(CAPTURE_IMPLICIT);
		*done = 0;
		END(SUCCESS);
	}
	q = find_participant(stream_id(stream));
	if (!q && !v) {
		*done = 0;
		END(SUCCESS);
	}
	if (q && q->capture->invalid)
		END(CAPTURE_INVALIDATED);
	if (q && flags & 1) { /* the graph waits when it runs */
		pthread_mutex_unlock(&lock);
		CAPTURED(n, q, WAIT_NODE, set_event(n, event));
	}
	if (!v) {
		q->capture->invalid = 1;
		END(find_event(event) ? CAPTURE_ISOLATION : INVALID_HANDLE);
	}
	if (q && q->capture != v->capture) {
		q->capture->invalid = v->capture->invalid = 1;
		END(CAPTURE_MERGE);
	}
	if (!q)
		e = join(stream, v->capture, &q);
	END(e ? e : put_nodes(&q->needs, &v->needs));
}

/* ---- begin and end ---- */

static int begin_capture(void *stream, uint32_t mode, struct graph *given, void *needs, uint64_t count)
{
	struct node **list = needs;
	struct participant *q;
	struct capture *c;
	int e;
	WITH_CONTEXT();
	STREAM(stream);
	if (mode > 2)
		return INVALID_VALUE;
	if ((uint64_t)stream <= 1)
		return refuse(CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
	for (uint64_t i = 0; i < count; i++)
		if (!list || !valid_node(list[i]) || list[i]->graph != given)
			return INVALID_VALUE;
	if (!(c = calloc(1, sizeof *c)))
		return OUT_OF_MEMORY;
	if (!(c->graph = given ? given : new_graph(1))) {
		free(c);
		return OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&lock);
	e = find_participant(stream_id(stream)) ? ILLEGAL_STATE : join(stream, c, &q);
	for (uint64_t i = 0; i < count && !e; i++)
		e = put_node(&q->needs, list[i]);
	if (e) {
		pthread_mutex_unlock(&lock);
		if (!given)
			drop_graph(c->graph);
		free(c);
		return e;
	}
	c->id = ++capture_ids, c->mode = mode, c->thread = pthread_self(), c->origin = q->stream, c->given = given != NULL;
	c->next = capture_list, capture_list = c;
	captures++;
	END(SUCCESS);
}

int EXPORT(cuStreamBeginCapture_v2)(void *stream, uint32_t mode) { return begin_capture(stream, mode, NULL, NULL, 0); }
int EXPORT(cuStreamBeginCapture)(void *stream) { return begin_capture(stream, 0, NULL, NULL, 0); }
int EXPORT(cuStreamBeginCaptureToGraph)(void *stream, void *p, void *needs, void *edges, uint64_t count, uint32_t mode) { (void)edges; GRAPH(g, p); return begin_capture(stream, mode, g, needs, count); }

/* before reports whether a node is, or comes before, one of a list; it uses marks, which are 0. */
static void mark_before(struct node *n)
{
	if (n->mark)
		return;
	n->mark = 1;
	for (size_t i = 0; i < n->need_count; i++)
		mark_before(n->needs[i]);
}

/* unjoined reports whether some stream has nodes that the first stream does not wait for. */
static int unjoined(const struct capture *c, const struct participant *first)
{
	for (size_t i = 0; i < c->graph->count; i++)
		c->graph->nodes[i]->mark = 0;
	for (size_t i = 0; i < first->needs.count; i++)
		mark_before(first->needs.list[i]);
	for (const struct participant *q = participants; q; q = q->next)
		for (size_t i = 0; q->capture == c && i < q->needs.count; i++)
			if (!q->needs.list[i]->mark)
				return 1;
	return 0;
}

static void drop_capture(struct capture *c)
{
	struct capture **at_c;
	for (struct participant **at_q = &participants, *q; (q = *at_q);) {
		if (q->capture == c) {
			*at_q = q->next;
			free(q->needs.list);
			free(q);
		} else {
			at_q = &q->next;
		}
	}
	for (struct capture_event *v = capture_events, *next; v; v = next) {
		next = v->next;
		if (v->capture == c)
			drop_capture_event(v);
	}
	for (at_c = &capture_list; *at_c != c; at_c = &(*at_c)->next)
		;
	*at_c = c->next;
	captures--;
	free(c);
}

#define END_CAPTURED(status) do { pthread_mutex_unlock(&lock); return refuse_captured(status); } while (0)

int EXPORT(cuStreamEndCapture)(void *stream, void *out)
{
	struct participant *q;
	struct capture *c;
	struct graph *g;
	void *unwanted; /* a capture into a graph of the program needs no place for it */
	int e = SUCCESS, given;
	WITH_CONTEXT();
	STREAM(stream);
	if (!out) {
		pthread_mutex_lock(&lock);
		q = (uint64_t)stream > 1 ? find_participant(stream_id(stream)) : NULL;
		given = q && q->capture->given;
		pthread_mutex_unlock(&lock);
		if (!given)
			return refuse(INVALID_VALUE, "there is no place for the graph of the capture");
		out = &unwanted;
	}
	*(void **)out = NULL;
	pthread_mutex_lock(&lock);
	if (!(q = (uint64_t)stream > 1 ? find_participant(stream_id(stream)) : NULL))
		END(ILLEGAL_STATE);
	c = q->capture;
	if (c->mode != 2 && !pthread_equal(c->thread, pthread_self()))
		END_CAPTURED(CAPTURE_WRONG_THREAD);
	if (c->origin != q->stream) {
		c->invalid = 1;
		END_CAPTURED(CAPTURE_UNMATCHED);
	}
	if (c->invalid)
		e = CAPTURE_INVALIDATED;
	else if (unjoined(c, q))
		e = CAPTURE_UNJOINED;
	g = c->graph, given = c->given;
	drop_capture(c);
	pthread_mutex_unlock(&lock);
	if (e) {
		if (!given)
			drop_graph(g);
		return refuse_captured(e);
	}
	if (!given)
		g->inner = 0;
	*(void **)out = g;
	return SUCCESS;
}

/* ---- questions ---- */

/* ordinary_edges returns the data of n edges (CUgraphEdgeData), all zeros. Clients read it whenever there are edges. */
static void *ordinary_edges(uint64_t n)
{
	static void *zeros;
	static uint64_t room;
	if (n > room) { /* clients may still hold the old ones */
		room = n * 2 + 64;
		zeros = calloc(room, 8);
	}
	return zeros;
}

static int capture_info(void *stream, uint32_t *status, uint64_t *id, void **graph, void **needs, void **edges, uint64_t *count)
{
	struct participant *q;
	WITH_CONTEXT();
	STREAM(stream);
	if (!status)
		return INVALID_VALUE;
	*status = 0;
	if (count)
		*count = 0;
	pthread_mutex_lock(&lock);
	if ((uint64_t)stream <= 1)
		END(implicit(0) ? CAPTURE_IMPLICIT : SUCCESS);
	if (!(q = captures ? find_participant(stream_id(stream)) : NULL))
		END(SUCCESS);
	*status = q->capture->invalid ? 2 : 1;
	if (id)
		*id = q->capture->id;
	if (q->capture->invalid)
		END(SUCCESS);
	if (graph)
		*graph = q->capture->graph;
	if (needs)
		*needs = q->needs.list;
	if (edges)
		*edges = ordinary_edges(q->needs.count);
	if (count)
		*count = q->needs.count;
	END(SUCCESS);
}

static int capture_status(void *stream, uint32_t *status) { return capture_info(stream, status, NULL, NULL, NULL, NULL, NULL); }
int EXPORT(cuStreamGetCaptureInfo)(void *s, void *status, void *id) { return capture_info(s, status, id, NULL, NULL, NULL, NULL); }
int EXPORT(cuStreamGetCaptureInfo_v2)(void *s, void *status, void *id, void *graph, void *needs, void *count) { return capture_info(s, status, id, graph, needs, NULL, count); }
int EXPORT(cuStreamGetCaptureInfo_v3)(void *s, void *status, void *id, void *graph, void *needs, void *edges, void *count) { return capture_info(s, status, id, graph, needs, edges, count); }

int EXPORT(cuStreamUpdateCaptureDependencies_v2)(void *stream, void *nodes, void *edges, uint64_t count, uint32_t flags)
{
	struct node **list = nodes;
	struct participant *q;
	int e = SUCCESS;
	(void)edges;
	WITH_CONTEXT();
	STREAM(stream);
	if (flags > 1 || (count && !list))
		return INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (!(q = (uint64_t)stream > 1 ? find_participant(stream_id(stream)) : NULL))
		END(ILLEGAL_STATE);
	if (q->capture->invalid)
		END(CAPTURE_INVALIDATED);
	for (uint64_t i = 0; i < count; i++)
		if (!valid_node(list[i]) || list[i]->graph != q->capture->graph)
			END(INVALID_VALUE);
	if (flags == 1)
		q->needs.count = 0;
	for (uint64_t i = 0; i < count && !e; i++)
		e = put_node(&q->needs, list[i]);
	END(e);
}

int EXPORT(cuStreamUpdateCaptureDependencies)(void *s, void *nodes, uint64_t count, uint32_t flags) { return EXPORT(cuStreamUpdateCaptureDependencies_v2)(s, nodes, NULL, count, flags); }

int EXPORT(cuThreadExchangeStreamCaptureMode)(void *mode)
{
	uint32_t before = thread_mode;
	INITIALIZED();
	if (!mode || *(uint32_t *)mode > 2)
		return INVALID_VALUE;
	thread_mode = *(uint32_t *)mode;
	*(uint32_t *)mode = before;
	return SUCCESS;
}
