/* Nodes of graphs: how they are added, and their parameters. */

struct kernel_params { void *function; uint32_t grid[3], block[3], shared; void *params, *extra, *kernel, *context; }; /* CUDA_KERNEL_NODE_PARAMS; the first ABI ends after extra */

/* parameters packs the parameters of a launch. */
static int parameters(struct kernel_node *k, struct function *f, void **params, void **extra)
{
	if (!(k->data = calloc(1, f->bytes + 1)) || !(k->list = calloc(f->count + 1, sizeof *k->list)))
		return OUT_OF_MEMORY;
	for (uint32_t i = 0; i < f->count; i++)
		k->list[i] = k->data + f->offset[i];
	if (params) {
		for (uint32_t i = 0; i < f->count; i++)
			memcpy(k->list[i], params[i], f->size[i]);
	} else if (extra) {
		const void *packed = NULL;
		size_t size = 0;
		for (int i = 0; extra[i]; i += 2) {
			if (extra[i] == (void *)1)
				packed = extra[i + 1];
			else if (extra[i] == (void *)2)
				size = *(size_t *)extra[i + 1];
		}
		if (!packed || size < f->bytes)
			return INVALID_VALUE;
		memcpy(k->data, packed, f->bytes);
	} else if (f->count > 0) {
		return INVALID_VALUE;
	}
	return SUCCESS;
}

/* set_kernel gives a node the parameters of a launch, if the launch is allowed. Its attributes stay. */
static int set_kernel(struct node *n, struct function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, void **params, void **extra)
{
	struct kernel_node k = { 0 };
	int e;
	if (!f)
		return INVALID_VALUE;
	for (int i = 0; i < 3; i++)
		if (grid[i] == 0 || block[i] == 0 || grid[i] > (uint32_t)attributes[5 + i] || block[i] > (uint32_t)attributes[2 + i])
			return INVALID_VALUE;
	if ((e = prepare(f)))
		return e;
	if ((uint64_t)block[0] * block[1] * block[2] > (uint32_t)f->attribute[0] || (int64_t)shared > f->attribute[7])
		return INVALID_VALUE;
	k.f = f, k.bytes = f->bytes, k.count = f->count, k.shared = shared, k.attributes = n->u.kernel.attributes;
	memcpy(k.grid, grid, sizeof k.grid);
	memcpy(k.block, block, sizeof k.block);
	if ((e = parameters(&k, f, params, extra))) {
		free(k.data);
		free(k.list);
		return e;
	}
	free(n->u.kernel.data);
	free(n->u.kernel.list);
	n->u.kernel = k;
	return SUCCESS;
}

static int set_kernel_params(struct node *n, const struct kernel_params *p, int second)
{
	if (!p)
		return INVALID_VALUE;
	return set_kernel(n, p->function ? p->function : second ? p->kernel : NULL, p->grid, p->block, p->shared, p->params, p->extra);
}

static int set_copy(struct node *n, const struct copy3d *c)
{
	if (!c || c->width == 0 || c->height == 0 || c->depth == 0)
		return INVALID_VALUE;
	if (c->src_type == 3 || c->dst_type == 3)
		return NOT_SUPPORTED; /* arrays */
	n->u.copy = *c;
	return SUCCESS;
}

static int set_fill(struct node *n, const struct fill_node *f)
{
	if (!f || !f->p || f->width == 0 || f->height == 0 || (f->element != 1 && f->element != 2 && f->element != 4) || (f->height > 1 && f->pitch < f->width * f->element))
		return INVALID_VALUE;
	n->u.fill = *f;
	return SUCCESS;
}

static int set_host(struct node *n, const struct host_node *h)
{
	if (!h || !h->function)
		return INVALID_VALUE;
	n->u.host = *h;
	return SUCCESS;
}

static int set_event(struct node *n, void *event)
{
	int e;
	pthread_mutex_lock(&lock);
	e = find_event(event) ? SUCCESS : INVALID_VALUE;
	pthread_mutex_unlock(&lock);
	if (!e)
		n->u.event = event;
	return e;
}

/* set_child gives a node a copy of a graph; move: the graph itself. */
static int set_child(struct node *n, void *p, int move)
{
	struct graph *g = valid_graph(p), *c;
	if (!g || g == n->graph || (move && g->inner))
		return INVALID_VALUE;
	if (!(c = move ? g : copy_graph(g, 1)))
		return OUT_OF_MEMORY;
	c->inner = 1;
	if (n->u.child)
		drop_graph(n->u.child);
	n->u.child = c;
	return SUCCESS;
}

/* set_memory allocates the memory of a node. */
static int set_memory(struct node *n, const struct pool_properties *q, uint64_t size)
{
	struct graph_memory *m;
	int e;
	if (!q || size == 0 || q->type != 1 || q->at_type != 1 || q->at_id != 0)
		return INVALID_VALUE;
	if (!(m = calloc(1, sizeof *m)))
		return OUT_OF_MEMORY;
	m->size = size, m->properties = *q, m->owners = 1;
	trusted++;
	e = allocate(&m->address, size, DEVICE_MEMORY, 0, NULL);
	trusted--;
	if (e) {
		free(m);
		return e;
	}
	n->u.memory = m;
	pthread_mutex_lock(&graph_lock);
	m->next = graph_memories, graph_memories = m;
	graph_reserved += size;
	if (graph_reserved > graph_reserved_high)
		graph_reserved_high = graph_reserved;
	pthread_mutex_unlock(&graph_lock);
	return SUCCESS;
}

static struct graph_memory *find_graph_memory(uint64_t p)
{
	struct graph_memory *m;
	pthread_mutex_lock(&graph_lock);
	for (m = graph_memories; m && m->address != p; m = m->next)
		;
	pthread_mutex_unlock(&graph_lock);
	return m;
}

/* use_memory notes that memory of a graph is allocated now, or freed. */
static int use_memory(struct graph_memory *m, int used)
{
	int e = m->used == used ? INVALID_VALUE : SUCCESS;
	pthread_mutex_lock(&graph_lock);
	if (!e) {
		m->used = used;
		graph_used += used ? m->size : -m->size;
		if (graph_used > graph_used_high)
			graph_used_high = graph_used;
	}
	pthread_mutex_unlock(&graph_lock);
	return e;
}

/* A node whose parameters are wrong is not added. */
#define ADD(out, p, kind, needs, count, set) do { \
	struct node *n; int e_; \
	GRAPH(g, p); \
	if ((e_ = new_node(&n, g, kind, needs, count))) return e_; \
	if ((e_ = (set))) { drop_node(n); return e_; } \
	if (!(out)) { drop_node(n); return INVALID_VALUE; } \
	*(void **)(out) = n; \
	return SUCCESS; } while (0)

int EXPORT(cuGraphAddKernelNode)(void *out, void *p, void *needs, uint64_t count, void *q) { ADD(out, p, KERNEL_NODE, needs, count, set_kernel_params(n, q, 0)); }
int EXPORT(cuGraphAddKernelNode_v2)(void *out, void *p, void *needs, uint64_t count, void *q) { ADD(out, p, KERNEL_NODE, needs, count, set_kernel_params(n, q, 1)); }
int EXPORT(cuGraphAddMemcpyNode)(void *out, void *p, void *needs, uint64_t count, void *q, void *context) { (void)context; ADD(out, p, COPY_NODE, needs, count, set_copy(n, q)); }
int EXPORT(cuGraphAddMemsetNode)(void *out, void *p, void *needs, uint64_t count, void *q, void *context) { (void)context; ADD(out, p, FILL_NODE, needs, count, set_fill(n, q)); }
int EXPORT(cuGraphAddHostNode)(void *out, void *p, void *needs, uint64_t count, void *q) { ADD(out, p, HOST_NODE, needs, count, set_host(n, q)); }
int EXPORT(cuGraphAddChildGraphNode)(void *out, void *p, void *needs, uint64_t count, void *child) { ADD(out, p, CHILD_NODE, needs, count, set_child(n, child, 0)); }
int EXPORT(cuGraphAddEmptyNode)(void *out, void *p, void *needs, uint64_t count) { ADD(out, p, EMPTY_NODE, needs, count, SUCCESS); }
int EXPORT(cuGraphAddEventRecordNode)(void *out, void *p, void *needs, uint64_t count, void *event) { ADD(out, p, RECORD_NODE, needs, count, set_event(n, event)); }
int EXPORT(cuGraphAddEventWaitNode)(void *out, void *p, void *needs, uint64_t count, void *event) { ADD(out, p, WAIT_NODE, needs, count, set_event(n, event)); }
int EXPORT(cuGraphAddMemFreeNode)(void *out, void *p, void *needs, uint64_t count, uint64_t address) { ADD(out, p, FREE_NODE, needs, count, find_graph_memory(address) ? (n->u.freed = address, SUCCESS) : INVALID_VALUE); }

struct memory_params { struct pool_properties properties; void *access; uint64_t access_count, size, address; }; /* CUDA_MEM_ALLOC_NODE_PARAMS */

static int add_memory(void *out, void *p, void *needs, uint64_t count, struct memory_params *q)
{
	struct node *n;
	int e;
	GRAPH(g, p);
	if (!out || !q)
		return INVALID_VALUE;
	if ((e = new_node(&n, g, ALLOC_NODE, needs, count)))
		return e;
	if ((e = set_memory(n, &q->properties, q->size))) {
		drop_node(n);
		return e;
	}
	q->address = n->u.memory->address;
	*(void **)out = n;
	return SUCCESS;
}

int EXPORT(cuGraphAddMemAllocNode)(void *out, void *p, void *needs, uint64_t count, void *q) { return add_memory(out, p, needs, count, q); }

/* set_params takes the parameters of any type of node (CUgraphNodeParams). */
static int set_params(struct node *n, const void *q)
{
	const unsigned char *u = (const unsigned char *)q + 16;
	void *const *pointers = (void *const *)u;
	switch (n->type) {
	case KERNEL_NODE: return set_kernel_params(n, (const struct kernel_params *)u, 1);
	case COPY_NODE: return set_copy(n, (const struct copy3d *)(u + 16));
	case FILL_NODE: return set_fill(n, (const struct fill_node *)u);
	case HOST_NODE: return set_host(n, (const struct host_node *)u);
	case CHILD_NODE: return set_child(n, pointers[0], *(const uint32_t *)(u + 8) == 1);
	case EMPTY_NODE: return SUCCESS;
	case WAIT_NODE: case RECORD_NODE: return set_event(n, pointers[0]);
	}
	return NOT_SUPPORTED;
}

#include "graph_conditional.h"

static const char *const node_types[] = { "KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EMPTY", "WAIT_EVENT", "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "CONDITIONAL" };

int EXPORT(cuGraphAddNode_v2)(void *out, void *p, void *needs, void *edges, uint64_t count, void *q)
{
	uint32_t type;
	(void)edges;
	INITIALIZED();
	if (!q)
		return INVALID_VALUE;
	memcpy(&type, q, 4);
	if (type == ALLOC_NODE)
		return add_memory(out, p, needs, count, (struct memory_params *)((unsigned char *)q + 16));
	if (type == FREE_NODE)
		return EXPORT(cuGraphAddMemFreeNode)(out, p, needs, count, ((uint64_t *)q)[2]);
	if (type == CONDITIONAL_NODE)
		return add_conditional(out, p, needs, count, (struct conditional_params *)((unsigned char *)q + 16));
	if (type > RECORD_NODE) {
		fprintf(stderr, "crosslane: cuGraphAddNode: nodes of the type %s are not supported: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n", type < 14 ? node_types[type] : "that is given");
		return NOT_SUPPORTED;
	}
	ADD(out, p, type, needs, count, set_params(n, q));
}

int EXPORT(cuGraphAddNode)(void *out, void *p, void *needs, uint64_t count, void *q) { return EXPORT(cuGraphAddNode_v2)(out, p, needs, NULL, count, q); }
int EXPORT(cuGraphAddNode_v3)(void *out, void *p, void *needs, void *edges, uint64_t count, void *q) { return EXPORT(cuGraphAddNode_v2)(out, p, needs, edges, count, q); }

/* ---- parameters that are read and changed ---- */

static void get_kernel(const struct node *n, struct kernel_params *q, size_t size)
{
	struct kernel_params k = { n->u.kernel.f, { 0 }, { 0 }, n->u.kernel.shared, n->u.kernel.list, NULL, NULL, NULL };
	memcpy(k.grid, n->u.kernel.grid, sizeof k.grid);
	memcpy(k.block, n->u.kernel.block, sizeof k.block);
	memcpy(q, &k, size);
}

enum { FIRST_KERNEL_PARAMS = 56 };

int EXPORT(cuGraphKernelNodeGetParams)(void *p, void *q) { NODE(n, p, KERNEL_NODE); if (!q) return INVALID_VALUE; get_kernel(n, q, FIRST_KERNEL_PARAMS); return SUCCESS; }
int EXPORT(cuGraphKernelNodeGetParams_v2)(void *p, void *q) { NODE(n, p, KERNEL_NODE); if (!q) return INVALID_VALUE; get_kernel(n, q, sizeof(struct kernel_params)); return SUCCESS; }
int EXPORT(cuGraphKernelNodeSetParams)(void *p, void *q) { NODE(n, p, KERNEL_NODE); return set_kernel_params(n, q, 0); }
int EXPORT(cuGraphKernelNodeSetParams_v2)(void *p, void *q) { NODE(n, p, KERNEL_NODE); return set_kernel_params(n, q, 1); }
int EXPORT(cuGraphMemcpyNodeGetParams)(void *p, void *q) { NODE(n, p, COPY_NODE); if (!q) return INVALID_VALUE; memcpy(q, &n->u.copy, sizeof n->u.copy); return SUCCESS; }
int EXPORT(cuGraphMemcpyNodeSetParams)(void *p, void *q) { NODE(n, p, COPY_NODE); return set_copy(n, q); }
int EXPORT(cuGraphMemsetNodeGetParams)(void *p, void *q) { NODE(n, p, FILL_NODE); if (!q) return INVALID_VALUE; memcpy(q, &n->u.fill, sizeof n->u.fill); return SUCCESS; }
int EXPORT(cuGraphMemsetNodeSetParams)(void *p, void *q) { NODE(n, p, FILL_NODE); return set_fill(n, q); }
int EXPORT(cuGraphHostNodeGetParams)(void *p, void *q) { NODE(n, p, HOST_NODE); if (!q) return INVALID_VALUE; memcpy(q, &n->u.host, sizeof n->u.host); return SUCCESS; }
int EXPORT(cuGraphHostNodeSetParams)(void *p, void *q) { NODE(n, p, HOST_NODE); return set_host(n, q); }
int EXPORT(cuGraphChildGraphNodeGetGraph)(void *p, void *out) { NODE(n, p, CHILD_NODE); if (!out) return INVALID_VALUE; *(void **)out = n->u.child; return SUCCESS; }
int EXPORT(cuGraphEventRecordNodeGetEvent)(void *p, void *out) { NODE(n, p, RECORD_NODE); if (!out) return INVALID_VALUE; *(void **)out = n->u.event; return SUCCESS; }
int EXPORT(cuGraphEventRecordNodeSetEvent)(void *p, void *event) { NODE(n, p, RECORD_NODE); return set_event(n, event); }
int EXPORT(cuGraphEventWaitNodeGetEvent)(void *p, void *out) { NODE(n, p, WAIT_NODE); if (!out) return INVALID_VALUE; *(void **)out = n->u.event; return SUCCESS; }
int EXPORT(cuGraphEventWaitNodeSetEvent)(void *p, void *event) { NODE(n, p, WAIT_NODE); return set_event(n, event); }
int EXPORT(cuGraphMemFreeNodeGetParams)(void *p, void *out) { NODE(n, p, FREE_NODE); if (!out) return INVALID_VALUE; *(uint64_t *)out = n->u.freed; return SUCCESS; }

static void get_memory(const struct node *n, struct memory_params *q)
{
	memset(q, 0, sizeof *q);
	q->properties = n->u.memory->properties, q->size = n->u.memory->size, q->address = n->u.memory->address;
}

int EXPORT(cuGraphMemAllocNodeGetParams)(void *p, void *q) { NODE(n, p, ALLOC_NODE); if (!q) return INVALID_VALUE; get_memory(n, q); return SUCCESS; }
int EXPORT(cuGraphNodeSetParams)(void *p, void *q) { struct node *n = valid_node(p); INITIALIZED(); return n && q && *(uint32_t *)q == n->type ? set_params(n, q) : INVALID_VALUE; }
int EXPORT(cuGraphNodeSetParams_v2)(void *p, void *q) { return EXPORT(cuGraphNodeSetParams)(p, q); }

int EXPORT(cuGraphNodeGetParams)(void *p, void *q)
{
	struct node *n = valid_node(p);
	unsigned char *u = (unsigned char *)q + 16;
	INITIALIZED();
	if (!n || !q)
		return INVALID_VALUE;
	memset(q, 0, 256);
	memcpy(q, &n->type, 4);
	switch (n->type) {
	case KERNEL_NODE: get_kernel(n, (struct kernel_params *)u, sizeof(struct kernel_params)); break;
	case COPY_NODE: memcpy(u + 16, &n->u.copy, sizeof n->u.copy); break;
	case FILL_NODE: memcpy(u, &n->u.fill, sizeof n->u.fill); break;
	case HOST_NODE: memcpy(u, &n->u.host, sizeof n->u.host); break;
	case ALLOC_NODE: get_memory(n, (struct memory_params *)u); break;
	case EMPTY_NODE: break;
	case CONDITIONAL_NODE: get_conditional(n, (struct conditional_params *)u); break;
	default: memcpy(u, &n->u.event, 8);
	}
	return SUCCESS;
}

/* ---- attributes of kernel nodes ---- */

static int kernel_attribute(struct node *n, uint32_t id, void *value, int set)
{
	if (id < 1 || id > 15 || !value)
		return INVALID_VALUE;
	if (!n->u.kernel.attributes && set && !(n->u.kernel.attributes = calloc(16, 64)))
		return OUT_OF_MEMORY;
	if (set)
		memcpy(n->u.kernel.attributes + 8 * id, value, 64);
	else if (n->u.kernel.attributes)
		memcpy(value, n->u.kernel.attributes + 8 * id, 64);
	else
		memset(value, 0, 64);
	return SUCCESS;
}

static int clustered_node(const struct node *n) { return n->u.kernel.attributes && *(uint32_t *)(n->u.kernel.attributes + 8 * 4) != 0; }

static int cooperative_node(const struct node *n) { return n->u.kernel.attributes && *(uint32_t *)(n->u.kernel.attributes + 8 * 2) != 0; }

int EXPORT(cuGraphKernelNodeGetAttribute)(void *p, uint32_t id, void *value) { NODE(n, p, KERNEL_NODE); return kernel_attribute(n, id, value, 0); }
int EXPORT(cuGraphKernelNodeSetAttribute)(void *p, uint32_t id, void *value) { NODE(n, p, KERNEL_NODE); return kernel_attribute(n, id, value, 1); }

int EXPORT(cuGraphKernelNodeCopyAttributes)(void *to, void *from)
{
	uint64_t value[8];
	int e = SUCCESS;
	NODE(a, to, KERNEL_NODE);
	if (!valid_node(from) || ((struct node *)from)->type != KERNEL_NODE)
		return INVALID_VALUE;
	for (uint32_t id = 1; id < 16 && !e; id++)
		if (!(e = kernel_attribute(from, id, value, 0)))
			e = kernel_attribute(a, id, value, 1);
	return e;
}

/* ---- memory of graphs ---- */

int EXPORT(cuDeviceGetGraphMemAttribute)(int32_t device, uint32_t id, void *out)
{
	DEVICE(device);
	if (!out || id > 3)
		return INVALID_VALUE;
	pthread_mutex_lock(&graph_lock);
	*(uint64_t *)out = id == 0 ? graph_used : id == 1 ? graph_used_high : id == 2 ? graph_reserved : graph_reserved_high;
	pthread_mutex_unlock(&graph_lock);
	return SUCCESS;
}

int EXPORT(cuDeviceSetGraphMemAttribute)(int32_t device, uint32_t id, void *value)
{
	DEVICE(device);
	if (!value || (id != 1 && id != 3) || *(uint64_t *)value != 0)
		return INVALID_VALUE;
	pthread_mutex_lock(&graph_lock);
	*(id == 1 ? &graph_used_high : &graph_reserved_high) = id == 1 ? graph_used : graph_reserved;
	pthread_mutex_unlock(&graph_lock);
	return SUCCESS;
}

int EXPORT(cuDeviceGraphMemTrim)(int32_t device) { DEVICE(device); return SUCCESS; }
