/* Conditional nodes: a value of the device decides whether, how often or which of their graphs run.

   A launch makes the calls up to the node, reads the value, and goes on. The server carries out the calls of a process in
   their order, so the value is there. */

enum { IF, WHILE, SWITCH };

struct conditional_params { uint64_t handle; uint32_t kind, count; struct graph **bodies; void *context; }; /* CUDA_CONDITIONAL_NODE_PARAMS */

static struct condition *conditions; /* under the lock of graphs */

static struct condition *find_condition(uint64_t handle)
{
	struct condition *c;
	pthread_mutex_lock(&graph_lock);
	for (c = conditions; c && c->address != handle; c = c->next)
		;
	pthread_mutex_unlock(&graph_lock);
	return c;
}

static void drop_condition(struct condition *c)
{
	struct condition **at_c;
	pthread_mutex_lock(&graph_lock);
	if (--c->owners > 0) {
		pthread_mutex_unlock(&graph_lock);
		return;
	}
	for (at_c = &conditions; *at_c != c; at_c = &(*at_c)->next)
		;
	*at_c = c->next;
	pthread_mutex_unlock(&graph_lock);
	trusted++;
	release(c->address, 0, NULL);
	trusted--;
	free(c);
}

/* drop_conditions ends the handles of a graph; nodes may still have them. */
static void drop_conditions(const struct graph *g)
{
	struct condition *c;
	do {
		pthread_mutex_lock(&graph_lock);
		for (c = conditions; c && c->graph != g; c = c->next)
			;
		if (c)
			c->graph = NULL;
		pthread_mutex_unlock(&graph_lock);
		if (c)
			drop_condition(c);
	} while (c);
}

int EXPORT(cuGraphConditionalHandleCreate)(void *out, void *p, void *context, uint32_t value, uint32_t flags)
{
	struct condition *c;
	int e;
	(void)context;
	WITH_CONTEXT();
	GRAPH(g, p);
	if (!out || flags > 1)
		return INVALID_VALUE;
	if (!(c = calloc(1, sizeof *c)))
		return OUT_OF_MEMORY;
	trusted++;
	e = allocate(&c->address, 4, DEVICE_MEMORY, 0, NULL);
	trusted--;
	if (e) {
		free(c);
		return e;
	}
	c->graph = g, c->value = value, c->assign = (int)flags, c->owners = 1;
	pthread_mutex_lock(&graph_lock);
	c->next = conditions, conditions = c;
	pthread_mutex_unlock(&graph_lock);
	*(uint64_t *)out = c->address;
	return SUCCESS;
}

/* belongs reports whether a graph is, or is inside of, the graph of a handle. */
static int belongs(const struct graph *g, const struct graph *top)
{
	if (g == top)
		return 1;
	for (size_t i = 0; i < top->count; i++)
		if (top->nodes[i]->type == CONDITIONAL_NODE)
			for (uint32_t k = 0; k < top->nodes[i]->u.conditional.count; k++)
				if (belongs(g, top->nodes[i]->u.conditional.bodies[k]))
					return 1;
	return 0;
}

static int add_conditional(void *out, void *p, void *needs, uint64_t count, struct conditional_params *q)
{
	struct condition *c = find_condition(q->handle);
	struct node *n;
	int e;
	GRAPH(g, p);
	if (!out || !c || !c->graph || !belongs(g, c->graph))
		return refuse(INVALID_VALUE, "the handle is none of a condition of this graph");
	if (q->kind > SWITCH || q->count == 0 || q->count > 1 << 16 || (q->kind == WHILE && q->count != 1) || (q->kind == IF && q->count > 2))
		return refuse(INVALID_VALUE, "an IF has 1 or 2 graphs, a WHILE 1, a SWITCH any number");
	if ((e = new_node(&n, g, CONDITIONAL_NODE, needs, count)))
		return e;
	n->u.conditional = (struct conditional_node){ c, q->kind, q->count, calloc(q->count, sizeof *n->u.conditional.bodies) };
	pthread_mutex_lock(&graph_lock);
	c->owners++;
	pthread_mutex_unlock(&graph_lock);
	if (!n->u.conditional.bodies)
		n->u.conditional.count = 0, e = OUT_OF_MEMORY;
	for (uint32_t i = 0; i < q->count && !e; i++)
		if (!(n->u.conditional.bodies[i] = new_graph(1)))
			e = OUT_OF_MEMORY;
	if (e) {
		drop_node(n);
		return e;
	}
	q->bodies = n->u.conditional.bodies;
	*(void **)out = n;
	return SUCCESS;
}

static void get_conditional(const struct node *n, struct conditional_params *q)
{
	*q = (struct conditional_params){ n->u.conditional.condition->address, n->u.conditional.kind, n->u.conditional.count, n->u.conditional.bodies, NULL };
}

/* A node has inner graphs if it is a graph or conditional. */
static uint32_t inner_count(const struct node *n) { return n->type == CHILD_NODE ? 1 : n->type == CONDITIONAL_NODE ? n->u.conditional.count : 0; }
static struct graph *inner_graph(const struct node *n, uint32_t i) { return n->type == CHILD_NODE ? n->u.child : n->u.conditional.bodies[i]; }

/* has_kernel reports whether a graph, or one inside, has a kernel: only kernels change values. */
static int has_kernel(const struct graph *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->nodes[i]->type == KERNEL_NODE && g->nodes[i]->enabled)
			return 1;
		for (uint32_t k = 0; k < inner_count(g->nodes[i]); k++)
			if (has_kernel(inner_graph(g->nodes[i], k)))
				return 1;
	}
	return 0;
}

/* assign_conditions gives the values of a graph their defaults at a launch. */
static int assign_conditions(const struct graph *g, void *stream)
{
	int e = SUCCESS;
	for (size_t i = 0; i < g->count && !e; i++) {
		const struct node *n = g->nodes[i];
		if (n->type == CONDITIONAL_NODE && n->u.conditional.condition->assign)
			e = fill(n->u.conditional.condition->address, &n->u.conditional.condition->value, 4, 1, stream);
		for (uint32_t k = 0; k < inner_count(n) && !e; k++)
			e = assign_conditions(inner_graph(n, k), stream);
	}
	return e;
}

/* condition_value reads a value after all calls so far. */
static int condition_value(const struct condition *c, uint32_t *out)
{
	const char *data;
	uint32_t n;
	int e;
	BEGIN(SNAPSHOT);
	put64(c->address), put64(4);
	if ((e = transact()))
		END(e);
	data = get_bytes(&n);
	if (n == 4)
		memcpy(out, data, 4);
	get_bytes(&n);
	if (n > 0)
		END_REFUSED(INVALID_VALUE, "the value of a conditional node is undefined: no kernel has set it (cudaGraphSetConditional), and its handle assigns no default");
	END(SUCCESS);
}

static int run_graph(struct graph *g, void *stream);

static int run_conditional(const struct conditional_node *n, void *stream)
{
	uint32_t value = 0;
	int e = condition_value(n->condition, &value);
	if (e)
		return e;
	switch (n->kind) {
	case IF:
		return value ? run_graph(n->bodies[0], stream) : n->count > 1 ? run_graph(n->bodies[1], stream) : SUCCESS;
	case SWITCH:
		return value < n->count ? run_graph(n->bodies[value], stream) : SUCCESS;
	}
	if (value && !has_kernel(n->bodies[0]))
		return refuse(702, "a WHILE node would never end: its graph has no kernel that could set the value to 0");
	while (value && !e)
		if (!(e = run_graph(n->bodies[0], stream)))
			e = condition_value(n->condition, &value);
	return e;
}
