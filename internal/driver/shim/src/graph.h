/* Graphs: nodes, edges, and what owns them.

   A graph lists calls and says which of them wait for which. A launch makes the calls in an order that the edges allow.
   Graphs are known here only: the server sees the calls of each launch. As in CUDA, a program must not use one graph in
   two threads at a time. */

enum { /* types of nodes */
	KERNEL_NODE, COPY_NODE, FILL_NODE, HOST_NODE, CHILD_NODE, EMPTY_NODE, WAIT_NODE, RECORD_NODE, ALLOC_NODE = 10, FREE_NODE, CONDITIONAL_NODE = 13
};

enum { GRAPH_MAGIC = 0x47524148, NODE_MAGIC = 0x4e4f4445, ILLEGAL_STATE = 401 };

struct kernel_node {
	struct function *f;
	uint32_t grid[3], block[3], shared;
	uint32_t bytes, count; /* of the parameters; the function may have been unloaded */
	unsigned char *data;   /* the parameters, packed */
	void **list;           /* a pointer at each of them */
	uint64_t *attributes; /* 16 of 64 bytes; NULL: all are 0 */
};

struct fill_node { uint64_t p, pitch; uint32_t value, element; uint64_t width, height; }; /* CUDA_MEMSET_NODE_PARAMS */
struct host_node { void *function, *data; };

/* Memory of a graph is allocated with its node, and stays until no graph has the node; its node and frees only say
   whether the program may use it. */
struct graph_memory { uint64_t address, size; struct pool_properties properties; int owners, used; struct graph_memory *next; };

/* The handle of a condition is the address of its value, which a kernel stores (cudaGraphSetConditional). */
struct condition { uint64_t address; const struct graph *graph; uint32_t value; int assign, owners; struct condition *next; };
struct conditional_node { struct condition *condition; uint32_t kind, count; struct graph **bodies; };

struct node {
	uint32_t magic, type, id;
	int enabled;
	struct graph *graph;
	struct node **needs; /* the nodes that come before it */
	size_t need_count, need_room;
	const struct node *original; /* of which it is a copy */
	union {
		struct kernel_node kernel;
		struct copy3d copy;
		struct fill_node fill;
		struct host_node host;
		struct graph *child;
		void *event;
		struct graph_memory *memory;
		uint64_t freed;
		struct conditional_node conditional;
	} u;
	struct node *next_unused;
	int lane, mark; /* of a launch, and of searches */
	void *event;    /* of a launch: recorded after it */
};

struct owned { struct user_object *object; uint32_t count; struct owned *next; };

struct graph {
	uint32_t magic, id, last_node;
	int inner; /* it belongs to a node or to an executable graph */
	struct node **nodes;
	size_t count, room;
	const struct graph *original;
	struct owned *owned; /* objects of the program that live as long as it */
	struct graph *next;
};

static struct graph *graphs; /* all */
static struct node *unused_nodes; /* their memory stays, so that a stale handle can be told */
static struct graph_memory *graph_memories;
static uint64_t graph_used, graph_used_high, graph_reserved, graph_reserved_high;
static uint32_t graph_ids;
static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER; /* of the lists above; taken before the lock */

static void retain_owned(struct graph *to, const struct graph *from);
static void release_owned(struct graph *g);

static struct graph *valid_graph(void *p)
{
	struct graph *g;
	pthread_mutex_lock(&graph_lock);
	for (g = graphs; g && g != p; g = g->next)
		;
	pthread_mutex_unlock(&graph_lock);
	return g;
}

static struct node *valid_node(void *p) { struct node *n = p; return n && n->magic == NODE_MAGIC ? n : NULL; }

#define GRAPH(g, p) struct graph *g; INITIALIZED(); if (!(g = valid_graph(p))) return refuse(INVALID_VALUE, "the handle is no graph, or one that was destroyed")
#define NODE(n, p, kind) struct node *n; INITIALIZED(); if (!(n = valid_node(p)) || n->type != (kind)) return refuse(INVALID_VALUE, "the handle is no node of this kind, or one that was destroyed")

static struct graph *new_graph(int inner)
{
	struct graph *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->magic = GRAPH_MAGIC, g->inner = inner;
	pthread_mutex_lock(&graph_lock);
	g->id = ++graph_ids;
	g->next = graphs, graphs = g;
	pthread_mutex_unlock(&graph_lock);
	return g;
}

/* ---- edges ---- */

static int add_need(struct node *n, struct node *need)
{
	for (size_t i = 0; i < n->need_count; i++)
		if (n->needs[i] == need)
			return SUCCESS;
	if (n->need_count == n->need_room) {
		size_t room = n->need_room * 2 + 4;
		struct node **grown = realloc(n->needs, room * sizeof *grown);
		if (!grown)
			return OUT_OF_MEMORY;
		n->needs = grown, n->need_room = room;
	}
	n->needs[n->need_count++] = need;
	return SUCCESS;
}

static int remove_need(struct node *n, const struct node *need)
{
	for (size_t i = 0; i < n->need_count; i++)
		if (n->needs[i] == need) {
			memmove(n->needs + i, n->needs + i + 1, (--n->need_count - i) * sizeof *n->needs);
			return 1;
		}
	return 0;
}

/* ---- nodes ---- */

/* new_node adds a node that waits for others of its graph. */
static int new_node(struct node **out, struct graph *g, uint32_t type, void *needs, uint64_t count)
{
	struct node **list = needs, *n;
	if (!out || (count && !list))
		return INVALID_VALUE;
	for (uint64_t i = 0; i < count; i++)
		if (!valid_node(list[i]) || list[i]->graph != g)
			return INVALID_VALUE;
	if (g->count == g->room) {
		size_t room = g->room * 2 + 8;
		struct node **grown = realloc(g->nodes, room * sizeof *grown);
		if (!grown)
			return OUT_OF_MEMORY;
		g->nodes = grown, g->room = room;
	}
	pthread_mutex_lock(&graph_lock);
	if ((n = unused_nodes))
		unused_nodes = n->next_unused;
	pthread_mutex_unlock(&graph_lock);
	if (!n && !(n = malloc(sizeof *n)))
		return OUT_OF_MEMORY;
	memset(n, 0, sizeof *n);
	n->magic = NODE_MAGIC, n->type = type, n->graph = g, n->id = g->last_node++, n->enabled = 1;
	for (uint64_t i = 0; i < count; i++)
		if (add_need(n, list[i])) {
			n->magic = 0;
			return OUT_OF_MEMORY;
		}
	g->nodes[g->count++] = n;
	*out = n;
	return SUCCESS;
}

static void drop_graph(struct graph *g);

static void drop_memory(struct graph_memory *m)
{
	struct graph_memory **at_m;
	int kept;
	pthread_mutex_lock(&graph_lock);
	if (--m->owners > 0) {
		pthread_mutex_unlock(&graph_lock);
		return;
	}
	for (at_m = &graph_memories; *at_m != m; at_m = &(*at_m)->next)
		;
	*at_m = m->next;
	graph_reserved -= m->size;
	if ((kept = m->used)) /* the program frees it */
		graph_used -= m->size;
	pthread_mutex_unlock(&graph_lock);
	trusted++;
	if (!kept)
		release(m->address, 0, NULL);
	trusted--;
	free(m);
}

static void drop_condition(struct condition *c);
static void drop_conditions(const struct graph *g);

/* clear_node frees what the parameters of a node hold. */
static void clear_node(struct node *n)
{
	if (n->type == KERNEL_NODE) {
		free(n->u.kernel.data);
		free(n->u.kernel.list);
		free(n->u.kernel.attributes);
	} else if (n->type == CHILD_NODE && n->u.child) {
		drop_graph(n->u.child);
	} else if (n->type == ALLOC_NODE && n->u.memory) {
		drop_memory(n->u.memory);
	} else if (n->type == CONDITIONAL_NODE && n->u.conditional.condition) {
		for (uint32_t i = 0; i < n->u.conditional.count; i++)
			if (n->u.conditional.bodies[i])
				drop_graph(n->u.conditional.bodies[i]);
		free(n->u.conditional.bodies);
		drop_condition(n->u.conditional.condition);
	}
	memset(&n->u, 0, sizeof n->u);
}

/* drop_node takes a node out of its graph. */
static void drop_node(struct node *n)
{
	struct graph *g = n->graph;
	size_t at_n = 0;
	for (size_t i = 0; i < g->count; i++) {
		if (g->nodes[i] == n)
			at_n = i;
		else
			remove_need(g->nodes[i], n);
	}
	memmove(g->nodes + at_n, g->nodes + at_n + 1, (--g->count - at_n) * sizeof *g->nodes);
	clear_node(n);
	free(n->needs);
	n->magic = 0, n->needs = NULL;
	pthread_mutex_lock(&graph_lock);
	n->next_unused = unused_nodes, unused_nodes = n;
	pthread_mutex_unlock(&graph_lock);
}

/* drop_graph ends a graph with its nodes, the last one first. */
static void drop_graph(struct graph *g)
{
	struct graph **at_g;
	pthread_mutex_lock(&graph_lock);
	for (at_g = &graphs; *at_g && *at_g != g; at_g = &(*at_g)->next)
		;
	if (*at_g)
		*at_g = g->next;
	pthread_mutex_unlock(&graph_lock);
	while (g->count)
		drop_node(g->nodes[g->count - 1]);
	release_owned(g);
	drop_conditions(g);
	free(g->nodes);
	g->magic = 0;
	free(g);
}

/* ---- copies ---- */

static struct graph *copy_graph(const struct graph *g, int inner);

static int copy_kernel(struct kernel_node *to, const struct kernel_node *from)
{
	*to = *from;
	to->attributes = NULL, to->list = NULL;
	if (!(to->data = malloc(from->bytes + 1)) || !(to->list = calloc(from->count + 1, sizeof *to->list)))
		return OUT_OF_MEMORY;
	memcpy(to->data, from->data, from->bytes);
	for (uint32_t i = 0; i < from->count; i++)
		to->list[i] = to->data + ((unsigned char *)from->list[i] - from->data);
	if (from->attributes) {
		if (!(to->attributes = malloc(1024)))
			return OUT_OF_MEMORY;
		memcpy(to->attributes, from->attributes, 1024);
	}
	return SUCCESS;
}

static int copy_conditional(struct conditional_node *to, const struct conditional_node *from)
{
	int e = SUCCESS;
	*to = *from;
	pthread_mutex_lock(&graph_lock);
	to->condition->owners++;
	pthread_mutex_unlock(&graph_lock);
	if (!(to->bodies = calloc(from->count, sizeof *to->bodies))) {
		to->count = 0;
		return OUT_OF_MEMORY;
	}
	for (uint32_t i = 0; i < from->count && !e; i++)
		e = (to->bodies[i] = copy_graph(from->bodies[i], 1)) ? SUCCESS : OUT_OF_MEMORY;
	return e;
}

/* copy_params gives a node the parameters of another one of the same type. */
static int copy_params(struct node *to, const struct node *from)
{
	struct node before = *to;
	int e = SUCCESS;
	to->u = from->u;
	if (to->type == KERNEL_NODE) {
		e = copy_kernel(&to->u.kernel, &from->u.kernel);
	} else if (to->type == CHILD_NODE) {
		e = (to->u.child = copy_graph(from->u.child, 1)) ? SUCCESS : OUT_OF_MEMORY;
	} else if (to->type == ALLOC_NODE) {
		pthread_mutex_lock(&graph_lock);
		from->u.memory->owners++;
		pthread_mutex_unlock(&graph_lock);
	} else if (to->type == CONDITIONAL_NODE) {
		e = copy_conditional(&to->u.conditional, &from->u.conditional);
	}
	before.needs = NULL;
	clear_node(&before);
	return e;
}

static struct graph *copy_graph(const struct graph *g, int inner)
{
	struct graph *c = new_graph(inner);
	struct node *n;
	if (!c)
		return NULL;
	c->original = g;
	for (size_t i = 0; i < g->count; i++) {
		g->nodes[i]->mark = (int)i;
		if (new_node(&n, c, g->nodes[i]->type, NULL, 0) || copy_params(n, g->nodes[i])) {
			drop_graph(c);
			return NULL;
		}
		n->original = g->nodes[i], n->id = g->nodes[i]->id, n->enabled = g->nodes[i]->enabled;
	}
	c->last_node = g->last_node;
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < g->nodes[i]->need_count; k++)
			if (add_need(c->nodes[i], c->nodes[g->nodes[i]->needs[k]->mark])) {
				drop_graph(c);
				return NULL;
			}
	retain_owned(c, g);
	return c;
}

/* ---- calls about graphs ---- */

int EXPORT(cuGraphCreate)(void *out, uint32_t flags)
{
	INITIALIZED();
	if (!out || flags)
		return INVALID_VALUE;
	return (*(void **)out = new_graph(0)) ? SUCCESS : OUT_OF_MEMORY;
}

int EXPORT(cuGraphDestroy)(void *p) { GRAPH(g, p); if (g->inner) return INVALID_VALUE; drop_graph(g); return SUCCESS; }

int EXPORT(cuGraphClone)(void *out, void *p)
{
	GRAPH(g, p);
	if (!out)
		return INVALID_VALUE;
	for (size_t i = 0; i < g->count; i++)
		if (g->nodes[i]->type == ALLOC_NODE || g->nodes[i]->type == FREE_NODE || g->nodes[i]->type == CONDITIONAL_NODE)
			return NOT_SUPPORTED; /* its memory, or its value, has one owner */
	return (*(void **)out = copy_graph(g, 0)) ? SUCCESS : OUT_OF_MEMORY;
}

int EXPORT(cuGraphNodeFindInClone)(void *out, void *original, void *p)
{
	GRAPH(g, p);
	if (!out)
		return INVALID_VALUE;
	for (size_t i = 0; i < g->count; i++)
		if (g->nodes[i]->original == original && original) {
			*(void **)out = g->nodes[i];
			return SUCCESS;
		}
	return INVALID_VALUE;
}

int EXPORT(cuGraphGetId)(void *p, void *out) { GRAPH(g, p); if (!out) return INVALID_VALUE; *(uint32_t *)out = g->id; return SUCCESS; }
int EXPORT(cuGraphDestroyNode)(void *p) { struct node *n = valid_node(p); INITIALIZED(); if (!n || n->type == ALLOC_NODE || n->type == FREE_NODE) return n ? NOT_SUPPORTED : INVALID_VALUE; drop_node(n); return SUCCESS; }
int EXPORT(cuGraphNodeGetType)(void *p, void *out) { struct node *n = valid_node(p); INITIALIZED(); if (!n || !out) return INVALID_VALUE; *(uint32_t *)out = n->type; return SUCCESS; }
int EXPORT(cuGraphNodeGetContainingGraph)(void *p, void *out) { struct node *n = valid_node(p); INITIALIZED(); if (!n || !out) return INVALID_VALUE; *(void **)out = n->graph; return SUCCESS; }
int EXPORT(cuGraphNodeGetLocalId)(void *p, void *out) { struct node *n = valid_node(p); INITIALIZED(); if (!n || !out) return INVALID_VALUE; *(uint32_t *)out = n->id; return SUCCESS; }
int EXPORT(cuGraphNodeGetToolsId)(void *p, void *out) { struct node *n = valid_node(p); INITIALIZED(); if (!n || !out) return INVALID_VALUE; *(uint64_t *)out = (uint64_t)n->graph->id << 32 | n->id; return SUCCESS; }

/* A list is written as these calls want it: without a buffer, only its length is; else as many as the buffer holds, the
   rest becomes NULL, and the length becomes what was written. */
struct listing { void **out; uint64_t *n, room, written; };
static struct listing listing(void *out, void *n) { struct listing l = { out, n, n ? *(uint64_t *)n : 0, 0 }; return l; }
static void add_listed(struct listing *l, void *v) { if (l->out && l->written < l->room) l->out[l->written] = v; l->written++; }

static int end_listing(struct listing *l)
{
	if (l->out) {
		for (uint64_t i = l->written; i < l->room; i++)
			l->out[i] = NULL;
		*l->n = l->written < l->room ? l->written : l->room;
	} else {
		*l->n = l->written;
	}
	return SUCCESS;
}

int EXPORT(cuGraphGetNodes)(void *p, void *out, void *n)
{
	struct listing l;
	GRAPH(g, p);
	if (!n)
		return INVALID_VALUE;
	l = listing(out, n);
	for (size_t i = 0; i < g->count; i++)
		add_listed(&l, g->nodes[i]);
	return end_listing(&l);
}

int EXPORT(cuGraphGetRootNodes)(void *p, void *out, void *n)
{
	struct listing l;
	GRAPH(g, p);
	if (!n)
		return INVALID_VALUE;
	l = listing(out, n);
	for (size_t i = 0; i < g->count; i++)
		if (!g->nodes[i]->need_count)
			add_listed(&l, g->nodes[i]);
	return end_listing(&l);
}

/* Edges carry no data here: all are ordinary ones, which are zeros. */
static void no_edge_data(void *edges, const uint64_t *n) { if (edges) memset(edges, 0, *n * 8); }

int EXPORT(cuGraphGetEdges_v2)(void *p, void *from, void *to, void *edges, void *n)
{
	struct listing a, b;
	GRAPH(g, p);
	if (!n || !from != !to)
		return INVALID_VALUE;
	a = listing(from, n), b = listing(to, n);
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < g->nodes[i]->need_count; k++)
			add_listed(&a, g->nodes[i]->needs[k]), add_listed(&b, g->nodes[i]);
	end_listing(&a);
	end_listing(&b);
	no_edge_data(from ? edges : NULL, n);
	return SUCCESS;
}

int EXPORT(cuGraphGetEdges)(void *p, void *from, void *to, void *n) { return EXPORT(cuGraphGetEdges_v2)(p, from, to, NULL, n); }

int EXPORT(cuGraphNodeGetDependencies_v2)(void *p, void *out, void *edges, void *count)
{
	struct node *n = valid_node(p);
	struct listing l;
	INITIALIZED();
	if (!n || !count)
		return INVALID_VALUE;
	l = listing(out, count);
	for (size_t i = 0; i < n->need_count; i++)
		add_listed(&l, n->needs[i]);
	end_listing(&l);
	no_edge_data(out ? edges : NULL, count);
	return SUCCESS;
}

int EXPORT(cuGraphNodeGetDependentNodes_v2)(void *p, void *out, void *edges, void *count)
{
	struct node *n = valid_node(p);
	struct listing l;
	INITIALIZED();
	if (!n || !count)
		return INVALID_VALUE;
	l = listing(out, count);
	for (size_t i = 0; i < n->graph->count; i++)
		for (size_t k = 0; k < n->graph->nodes[i]->need_count; k++)
			if (n->graph->nodes[i]->needs[k] == n)
				add_listed(&l, n->graph->nodes[i]);
	end_listing(&l);
	no_edge_data(out ? edges : NULL, count);
	return SUCCESS;
}

int EXPORT(cuGraphNodeGetDependencies)(void *p, void *out, void *n) { return EXPORT(cuGraphNodeGetDependencies_v2)(p, out, NULL, n); }
int EXPORT(cuGraphNodeGetDependentNodes)(void *p, void *out, void *n) { return EXPORT(cuGraphNodeGetDependentNodes_v2)(p, out, NULL, n); }

int EXPORT(cuGraphAddDependencies)(void *p, void *from, void *to, uint64_t n)
{
	struct node **a = from, **b = to;
	int e = SUCCESS;
	GRAPH(g, p);
	if (n && (!a || !b))
		return INVALID_VALUE;
	for (uint64_t i = 0; i < n; i++) {
		if (!valid_node(a[i]) || !valid_node(b[i]) || a[i]->graph != g || b[i]->graph != g || a[i] == b[i])
			return INVALID_VALUE;
		for (size_t k = 0; k < b[i]->need_count; k++)
			if (b[i]->needs[k] == a[i])
				return INVALID_VALUE; /* the edge is there */
	}
	for (uint64_t i = 0; i < n && !e; i++)
		e = add_need(b[i], a[i]);
	return e;
}

int EXPORT(cuGraphRemoveDependencies)(void *p, void *from, void *to, uint64_t n)
{
	struct node **a = from, **b = to;
	GRAPH(g, p);
	if (n && (!a || !b))
		return INVALID_VALUE;
	for (uint64_t i = 0; i < n; i++)
		if (!valid_node(b[i]) || b[i]->graph != g || !remove_need(b[i], a[i]))
			return INVALID_VALUE;
	return SUCCESS;
}

int EXPORT(cuGraphAddDependencies_v2)(void *p, void *from, void *to, void *edges, uint64_t n) { (void)edges; return EXPORT(cuGraphAddDependencies)(p, from, to, n); }
int EXPORT(cuGraphRemoveDependencies_v2)(void *p, void *from, void *to, void *edges, uint64_t n) { (void)edges; return EXPORT(cuGraphRemoveDependencies)(p, from, to, n); }
