/* Executable graphs: instantiation, launches, updates.

   Without checks a launch makes the calls in one stream. With checks nodes that do not wait for each other run in
   streams of their own, so that a missing edge is found as a missing event is. */

enum { EXEC_MAGIC = 0x45584543, UPDATE_FAILURE = 910, MAX_LANES = 64 };

struct exec {
	uint32_t magic, id;
	uint64_t flags;
	struct graph *graph; /* a copy */
	void *done;          /* an event after the last launch; NULL: none */
	struct exec *next;
};

static struct exec *execs; /* under the lock of graphs */
static void *lanes[MAX_LANES]; /* streams for launches with checks */

static struct exec *valid_exec(void *p)
{
	struct exec *x;
	pthread_mutex_lock(&graph_lock);
	for (x = execs; x && x != p; x = x->next)
		;
	pthread_mutex_unlock(&graph_lock);
	return x;
}

#define EXEC(x, p) struct exec *x; INITIALIZED(); if (!(x = valid_exec(p))) return refuse(INVALID_VALUE, "the handle is no executable graph, or one that was destroyed")

/* visit puts a node behind all that it waits for. It returns 0 if the edges are a circle. */
static int visit(struct node *n, struct node **order, size_t *count)
{
	if (n->mark == 2)
		return 1;
	if (n->mark == 1)
		return 0;
	n->mark = 1;
	for (size_t i = 0; i < n->need_count; i++)
		if (!visit(n->needs[i], order, count))
			return 0;
	n->mark = 2;
	order[(*count)++] = n;
	return 1;
}

/* sort_nodes puts the nodes of a graph and of its inner graphs into an order that the edges allow: the order in which
   they were made, if that is one. *bad becomes the node that waits for itself. */
static int sort_nodes(struct graph *g, const struct node **bad)
{
	struct node **order = calloc(g->count + 1, sizeof *order);
	size_t count = 0;
	int e;
	if (!order)
		return OUT_OF_MEMORY;
	for (size_t i = 0; i < g->count; i++)
		g->nodes[i]->mark = 0;
	for (size_t i = 0; i < g->count; i++) {
		if (!visit(g->nodes[i], order, &count)) {
			*bad = g->nodes[i]->original;
			free(order);
			return INVALID_VALUE;
		}
	}
	free(g->nodes);
	g->nodes = order, g->room = g->count + 1;
	for (size_t i = 0; i < g->count; i++)
		for (uint32_t k = 0; k < inner_count(g->nodes[i]); k++)
			if ((e = sort_nodes(inner_graph(g->nodes[i], k), bad)))
				return e;
	return SUCCESS;
}

static int instantiate(void *out, struct graph *g, uint64_t flags, const struct node **bad)
{
	struct exec *x;
	int e;
	*bad = NULL;
	if (!out || flags & ~15ull)
		return INVALID_VALUE;
	if (flags & 4)
		return NOT_SUPPORTED; /* graphs that kernels launch */
	if (!(x = calloc(1, sizeof *x)))
		return OUT_OF_MEMORY;
	if (!(x->graph = copy_graph(g, 1))) {
		free(x);
		return OUT_OF_MEMORY;
	}
	if ((e = sort_nodes(x->graph, bad))) {
		drop_graph(x->graph);
		free(x);
		return e == INVALID_VALUE ? refuse(e, "the edges of the graph are a circle") : e;
	}
	x->magic = EXEC_MAGIC, x->flags = flags;
	pthread_mutex_lock(&graph_lock);
	x->id = ++graph_ids;
	x->next = execs, execs = x;
	pthread_mutex_unlock(&graph_lock);
	*(void **)out = x;
	return SUCCESS;
}

int EXPORT(cuGraphInstantiateWithFlags)(void *out, void *p, uint64_t flags) { const struct node *bad; GRAPH(g, p); return instantiate(out, g, flags, &bad); }

int EXPORT(cuGraphInstantiate_v2)(void *out, void *p, void *bad_node, void *log, uint64_t size)
{
	const struct node *bad;
	int e;
	GRAPH(g, p);
	e = instantiate(out, g, 0, &bad);
	if (bad_node)
		*(const void **)bad_node = bad;
	if (log && size)
		snprintf(log, size, "%s", bad ? "the edges of the graph are a circle" : "");
	return e;
}

int EXPORT(cuGraphInstantiate)(void *out, void *p, void *bad_node, void *log, uint64_t size) { return EXPORT(cuGraphInstantiate_v2)(out, p, bad_node, log, size); }

int EXPORT(cuGraphInstantiateWithParams)(void *out, void *p, void *params)
{
	struct { uint64_t flags; void *stream; const void *bad; uint32_t result; } *q = params; /* CUDA_GRAPH_INSTANTIATE_PARAMS */
	const struct node *bad;
	int e;
	GRAPH(g, p);
	if (!q)
		return INVALID_VALUE;
	e = instantiate(out, g, q->flags, &bad);
	q->bad = bad;
	q->result = !e ? 0 : bad ? 2 : 1;
	return e;
}

static void end_events(struct graph *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->nodes[i]->event)
			EXPORT(cuEventDestroy_v2)(g->nodes[i]->event);
		for (uint32_t k = 0; k < inner_count(g->nodes[i]); k++)
			end_events(inner_graph(g->nodes[i], k));
	}
}

int EXPORT(cuGraphExecDestroy)(void *p)
{
	struct exec **at_x;
	EXEC(x, p);
	if (x->graph->owned && !captures) { /* what the objects hold may still be used */
		BEGIN(SYNCHRONIZE);
		transact();
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&graph_lock);
	for (at_x = &execs; *at_x != x; at_x = &(*at_x)->next)
		;
	*at_x = x->next;
	pthread_mutex_unlock(&graph_lock);
	end_events(x->graph);
	if (x->done)
		EXPORT(cuEventDestroy_v2)(x->done);
	drop_graph(x->graph);
	x->magic = 0;
	free(x);
	return SUCCESS;
}

int EXPORT(cuGraphExecGetFlags)(void *p, void *out) { EXEC(x, p); if (!out) return INVALID_VALUE; *(uint64_t *)out = x->flags; return SUCCESS; }
int EXPORT(cuGraphExecGetId)(void *p, void *out) { EXEC(x, p); if (!out) return INVALID_VALUE; *(uint32_t *)out = x->id; return SUCCESS; }

/* ---- launches ---- */

static int run_graph(struct graph *g, void *stream);

static int run_kernel(struct node *n, void *stream)
{
	struct kernel_node *k = &n->u.kernel;
	size_t bytes = k->bytes;
	void *extra[] = { (void *)1, k->data, (void *)2, &bytes, NULL };
	uint64_t attribute[2][9] = { { 2, 1 }, { 4 } };
	struct config c = { .shared = k->shared, .stream = stream, .attributes = attribute, .count = cooperative_node(n) };
	if (clustered_node(n)) {
		uint64_t *a = attribute[c.count++];
		a[0] = 4;
		memcpy(a + 1, k->attributes + 8 * 4, 64);
	}
	memcpy(c.grid, k->grid, sizeof c.grid);
	memcpy(c.block, k->block, sizeof c.block);
	return EXPORT(cuLaunchKernelEx)(&c, k->f, NULL, extra);
}

static int run_fill(struct node *n, void *stream)
{
	struct fill_node *f = &n->u.fill;
	WITH_CONTEXT();
	note_callers();
	return fill_2d(f->p, f->pitch, &f->value, f->element, f->width, f->height, stream);
}

static int run_node(struct node *n, void *stream)
{
	struct graph_memory *m;
	if (!n->enabled)
		return SUCCESS;
	switch (n->type) {
	case KERNEL_NODE: return run_kernel(n, stream);
	case COPY_NODE: return EXPORT(cuMemcpy3DAsync_v2)(&n->u.copy, stream);
	case FILL_NODE: return run_fill(n, stream);
	case HOST_NODE: return EXPORT(cuLaunchHostFunc)(stream, n->u.host.function, n->u.host.data);
	case CHILD_NODE: return run_graph(n->u.child, stream);
	case CONDITIONAL_NODE: return run_conditional(&n->u.conditional, stream);
	case WAIT_NODE: return EXPORT(cuStreamWaitEvent)(stream, n->u.event, 0);
	case RECORD_NODE: return EXPORT(cuEventRecord)(n->u.event, stream);
	case ALLOC_NODE: return use_memory(n->u.memory, 1);
	case FREE_NODE: return (m = find_graph_memory(n->u.freed)) ? use_memory(m, 0) : INVALID_VALUE;
	}
	return SUCCESS;
}

/* lane returns the stream with a number. A reset of the device ends the streams. */
static void *lane(int i)
{
	pthread_mutex_lock(&lock);
	if (lanes[i] && !find_stream(lanes[i]))
		lanes[i] = NULL;
	pthread_mutex_unlock(&lock);
	if (!lanes[i] && EXPORT(cuStreamCreate)(&lanes[i], 1))
		lanes[i] = NULL;
	return lanes[i];
}

/* close_lanes closes the streams at the end of the process: they are no leak of the program. Under the lock. */
static void close_lanes(void)
{
	for (int i = 0; i < MAX_LANES; i++) {
		struct stream *s = lanes[i] ? find_stream(lanes[i]) : NULL;
		if (s)
			post_number(STREAM_CLOSE, s->id);
	}
}

static int mark_event(void **event, void *stream)
{
	int e = *event ? SUCCESS : EXPORT(cuEventCreate)(event, 2);
	return e ? e : EXPORT(cuEventRecord)(*event, stream);
}

/* run_lanes lets each node run in the stream of the first node before it that is the last one there, or in a stream of
   its own. Events order it after the others. */
static int run_lanes(struct graph *g, void *stream)
{
	struct node *last[MAX_LANES] = { 0 };
	void *begin = NULL;
	int used = 0, e;

	if ((e = mark_event(&begin, stream)))
		return e;
	for (size_t i = 0; i < g->count && !e; i++) {
		struct node *n = g->nodes[i];
		void *own;
		n->lane = -1;
		for (size_t k = 0; k < n->need_count && n->lane < 0; k++)
			if (last[n->needs[k]->lane] == n->needs[k])
				n->lane = n->needs[k]->lane;
		if (n->lane < 0)
			n->lane = used++ % MAX_LANES;
		if (!(own = lane(n->lane)))
			e = OUT_OF_MEMORY;
		if (!e && !n->need_count)
			e = EXPORT(cuStreamWaitEvent)(own, begin, 0);
		for (size_t k = 0; k < n->need_count && !e; k++)
			if (n->needs[k]->lane != n->lane)
				e = EXPORT(cuStreamWaitEvent)(own, n->needs[k]->event, 0);
		if (!e && !(e = run_node(n, own)) && !(e = mark_event(&n->event, own)))
			last[n->lane] = n;
	}
	for (int i = 0; i < MAX_LANES; i++) { /* after an error, too: what has run is before the next work of the stream */
		int waits_e = last[i] ? EXPORT(cuStreamWaitEvent)(stream, last[i]->event, 0) : SUCCESS;
		e = e ? e : waits_e;
	}
	EXPORT(cuEventDestroy_v2)(begin);
	return e;
}

/* in_line reports whether each node waits for the one before it. */
static int in_line(const struct graph *g)
{
	for (size_t i = 1; i < g->count; i++) {
		size_t k;
		for (k = 0; k < g->nodes[i]->need_count && g->nodes[i]->needs[k] != g->nodes[i - 1]; k++)
			;
		if (k == g->nodes[i]->need_count)
			return 0;
	}
	return 1;
}

static int run_graph(struct graph *g, void *stream)
{
	int e = SUCCESS;
	if (checks && !in_line(g))
		return run_lanes(g, stream);
	for (size_t i = 0; i < g->count && !e; i++)
		e = run_node(g->nodes[i], stream);
	return e;
}

static void free_before(struct graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->nodes[i]->type == ALLOC_NODE)
			use_memory(g->nodes[i]->u.memory, 0);
}

static int capture_graph(struct participant *q, struct graph *g);

int EXPORT(cuGraphLaunch)(void *p, void *stream)
{
	int e;
	EXEC(x, p);
	WITH_CONTEXT();
	STREAM(stream);
	CAPTURE(stream, capture_graph(q, x->graph));
	if (x->flags & 1)
		free_before(x->graph);
	if (x->done && (e = EXPORT(cuStreamWaitEvent)(stream, x->done, 0))) /* a launch waits for the one before it */
		return e;
	if ((e = assign_conditions(x->graph, stream)))
		return e;
	e = run_graph(x->graph, stream);
	return e || !checks ? e : mark_event(&x->done, stream);
}

int EXPORT(cuGraphUpload)(void *p, void *stream) { EXEC(x, p); (void)x; WITH_CONTEXT(); STREAM(stream); return SUCCESS; }

/* ---- changes of executable graphs ---- */

/* exec_node returns the node of an executable graph that is the copy of a node, or NULL. */
static struct node *exec_node(struct exec *x, const void *original)
{
	for (size_t i = 0; i < x->graph->count; i++)
		if (x->graph->nodes[i]->original == original)
			return x->graph->nodes[i];
	return NULL;
}

#define EXEC_NODE(x, n, p, original, kind) struct node *n; EXEC(x, p); if (!(n = exec_node(x, original)) || n->type != (kind)) return INVALID_VALUE

int EXPORT(cuGraphExecKernelNodeSetParams)(void *p, void *node, void *q) { EXEC_NODE(x, n, p, node, KERNEL_NODE); return set_kernel_params(n, q, 0); }
int EXPORT(cuGraphExecKernelNodeSetParams_v2)(void *p, void *node, void *q) { EXEC_NODE(x, n, p, node, KERNEL_NODE); return set_kernel_params(n, q, 1); }
int EXPORT(cuGraphExecMemcpyNodeSetParams)(void *p, void *node, void *q, void *context) { (void)context; EXEC_NODE(x, n, p, node, COPY_NODE); return set_copy(n, q); }
int EXPORT(cuGraphExecMemsetNodeSetParams)(void *p, void *node, void *q, void *context) { (void)context; EXEC_NODE(x, n, p, node, FILL_NODE); return set_fill(n, q); }
int EXPORT(cuGraphExecHostNodeSetParams)(void *p, void *node, void *q) { EXEC_NODE(x, n, p, node, HOST_NODE); return set_host(n, q); }
int EXPORT(cuGraphExecEventRecordNodeSetEvent)(void *p, void *node, void *event) { EXEC_NODE(x, n, p, node, RECORD_NODE); return set_event(n, event); }
int EXPORT(cuGraphExecEventWaitNodeSetEvent)(void *p, void *node, void *event) { EXEC_NODE(x, n, p, node, WAIT_NODE); return set_event(n, event); }

/* same_shape reports whether two graphs have the same nodes and edges, in this order; *bad becomes the first node of g that
   has no counterpart. from has the order of its nodes' marks. */
static uint32_t same_shape(const struct graph *to, const struct graph *g, struct node **bad)
{
	*bad = g->count ? g->nodes[0] : NULL;
	if (to->count != g->count)
		return 2;
	for (size_t i = 0; i < g->count; i++)
		to->nodes[i]->mark = g->nodes[i]->mark = (int)i;
	for (size_t i = 0; i < g->count; i++) {
		const struct node *a = to->nodes[i], *b = g->nodes[i];
		*bad = g->nodes[i];
		if (a->type != b->type)
			return 3;
		if (a->need_count != b->need_count)
			return 2;
		for (size_t k = 0; k < b->need_count; k++) {
			size_t m;
			for (m = 0; m < a->need_count && a->needs[m]->mark != b->needs[k]->mark; m++)
				;
			if (m == a->need_count)
				return 2;
		}
		if (a->type == ALLOC_NODE || a->type == FREE_NODE)
			return 6;
		if (a->type == CONDITIONAL_NODE && (a->u.conditional.kind != b->u.conditional.kind || a->u.conditional.count != b->u.conditional.count ||
			a->u.conditional.condition != b->u.conditional.condition))
			return 4; /* parameters that cannot change */
	}
	*bad = NULL;
	return 0;
}

int EXPORT(cuGraphExecChildGraphNodeSetParams)(void *p, void *node, void *child)
{
	struct graph *g = valid_graph(child);
	struct node *bad;
	EXEC_NODE(x, n, p, node, CHILD_NODE);
	return g && !same_shape(n->u.child, g, &bad) ? set_child(n, g, 0) : INVALID_VALUE;
}

int EXPORT(cuGraphExecNodeSetParams)(void *p, void *node, void *q)
{
	struct node *n;
	EXEC(x, p);
	return q && (n = exec_node(x, node)) && *(uint32_t *)q == n->type ? set_params(n, q) : INVALID_VALUE;
}

int EXPORT(cuGraphExecUpdate_v2)(void *p, void *graph, void *result)
{
	struct { uint32_t result; void *node, *from; } *r = result; /* CUgraphExecUpdateResultInfo */
	const struct node *circle;
	struct graph *sorted;
	struct node *bad = NULL;
	uint32_t why;
	int e = SUCCESS;
	EXEC(x, p);
	GRAPH(g, graph);
	if (!r)
		return INVALID_VALUE;
	if (!(sorted = copy_graph(g, 1)))
		return OUT_OF_MEMORY;
	why = sort_nodes(sorted, &circle) ? 2 : same_shape(x->graph, sorted, &bad);
	for (size_t i = 0; !why && i < sorted->count && !e; i++)
		e = copy_params(x->graph->nodes[i], sorted->nodes[i]);
	if (!why && !e)
		for (size_t i = 0; i < x->graph->count; i++)
			for (uint32_t k = 0; k < inner_count(x->graph->nodes[i]) && !e; k++)
				e = sort_nodes(inner_graph(x->graph->nodes[i], k), &circle);
	r->result = e ? 1 : why, r->node = NULL, r->from = bad ? (void *)bad->original : NULL;
	drop_graph(sorted);
	return why ? UPDATE_FAILURE : e;
}

int EXPORT(cuGraphExecUpdate)(void *p, void *graph, void *bad, void *result)
{
	struct { uint32_t result; void *node, *from; } r = { 1, NULL, NULL };
	int e = EXPORT(cuGraphExecUpdate_v2)(p, graph, &r);
	if (bad)
		*(void **)bad = r.from;
	if (result)
		*(uint32_t *)result = r.result;
	return e;
}

int EXPORT(cuGraphNodeGetEnabled)(void *p, void *node, void *out)
{
	struct node *n;
	EXEC(x, p);
	if (!out || !(n = exec_node(x, node)) || n->type > FILL_NODE)
		return INVALID_VALUE;
	*(uint32_t *)out = (uint32_t)n->enabled;
	return SUCCESS;
}

int EXPORT(cuGraphNodeSetEnabled)(void *p, void *node, uint32_t enabled)
{
	struct node *n;
	EXEC(x, p);
	if (enabled > 1 || !(n = exec_node(x, node)) || n->type > FILL_NODE)
		return INVALID_VALUE;
	n->enabled = (int)enabled;
	return SUCCESS;
}

/* ---- a picture of a graph ---- */

static const char *function_name(struct function *f)
{
	const char *name;
	pthread_mutex_lock(&lock);
	name = find_function(f) ? f->name : "(unloaded)";
	pthread_mutex_unlock(&lock);
	return name;
}

static void print_nodes(FILE *f, const struct graph *g, uint32_t flags)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct node *n = g->nodes[i];
		fprintf(f, "\"graph_%u_node_%u\" [label=\"%u\\n%s", g->id, n->id, n->id, node_types[n->type]);
		if (n->type == KERNEL_NODE)
			fprintf(f, "\\n%s\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", function_name(n->u.kernel.f), n->u.kernel.grid[0], n->u.kernel.grid[1], n->u.kernel.grid[2],
				n->u.kernel.block[0], n->u.kernel.block[1], n->u.kernel.block[2], n->u.kernel.shared);
		else if (n->type == COPY_NODE && flags & (1 | 1 << 3))
			fprintf(f, "\\n%zu x %zu x %zu bytes", (size_t)n->u.copy.width, (size_t)n->u.copy.height, (size_t)n->u.copy.depth);
		else if (n->type == FILL_NODE && flags & (1 | 1 << 4))
			fprintf(f, "\\n%#llx: %zu x %zu of %u bytes, value %u", (unsigned long long)n->u.fill.p, (size_t)n->u.fill.width, (size_t)n->u.fill.height, n->u.fill.element, n->u.fill.value);
		fprintf(f, "\"];\n");
		for (size_t k = 0; k < n->need_count; k++)
			fprintf(f, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", g->id, n->needs[k]->id, g->id, n->id);
		for (uint32_t k = 0; k < inner_count(n); k++) {
			const struct graph *c = inner_graph(n, k);
			fprintf(f, "subgraph \"cluster_%u\" {\nlabel=\"graph_%u\";\n", c->id, c->id);
			print_nodes(f, c, flags);
			fprintf(f, "}\n");
		}
	}
}

int EXPORT(cuGraphDebugDotPrint)(void *p, void *path, uint32_t flags)
{
	FILE *f;
	GRAPH(g, p);
	if (!path || !(f = fopen(path, "w")))
		return path ? 304 : INVALID_VALUE; /* the operating system refuses */
	fprintf(f, "digraph dot {\nsubgraph cluster_%u {\nlabel=\"graph_%u\";\n", g->id, g->id);
	print_nodes(f, g, flags);
	fprintf(f, "}\n}\n");
	return fclose(f) ? 304 : SUCCESS;
}
