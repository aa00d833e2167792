/* User objects: a function of the program is called when the last reference to its object goes. */

struct user_object { void *data; void (*destroy)(void *); uint32_t references; struct user_object *next; };

static struct user_object *user_objects;

static struct user_object *valid_object(void *p) /* under the lock of graphs */
{
	struct user_object *o;
	for (o = user_objects; o && o != p; o = o->next)
		;
	return o;
}

/* unreference takes references away. */
static int unreference(void *p, uint32_t count)
{
	struct user_object *o, **at_o;
	pthread_mutex_lock(&graph_lock);
	o = valid_object(p);
	if (!o || count == 0 || count > o->references) {
		pthread_mutex_unlock(&graph_lock);
		return INVALID_VALUE;
	}
	o->references -= count;
	if (o->references == 0) {
		for (at_o = &user_objects; *at_o != o; at_o = &(*at_o)->next)
			;
		*at_o = o->next;
	} else {
		o = NULL;
	}
	pthread_mutex_unlock(&graph_lock);
	if (o) {
		o->destroy(o->data);
		free(o);
	}
	return SUCCESS;
}

static int reference(void *p, uint32_t count)
{
	struct user_object *o;
	pthread_mutex_lock(&graph_lock);
	if ((o = valid_object(p)))
		o->references += count;
	pthread_mutex_unlock(&graph_lock);
	return o && count ? SUCCESS : INVALID_VALUE;
}

int EXPORT(cuUserObjectCreate)(void *out, void *data, void *destroy, uint32_t count, uint32_t flags)
{
	struct user_object *o;
	INITIALIZED();
	if (!out || !destroy || count == 0 || flags != 1)
		return INVALID_VALUE;
	if (!(o = calloc(1, sizeof *o)))
		return OUT_OF_MEMORY;
	o->data = data, o->destroy = (void (*)(void *))destroy, o->references = count;
	pthread_mutex_lock(&graph_lock);
	o->next = user_objects, user_objects = o;
	pthread_mutex_unlock(&graph_lock);
	*(void **)out = o;
	return SUCCESS;
}

int EXPORT(cuUserObjectRetain)(void *o, uint32_t count) { INITIALIZED(); return reference(o, count); }
int EXPORT(cuUserObjectRelease)(void *o, uint32_t count) { INITIALIZED(); return unreference(o, count); }

/* ---- objects of graphs ---- */

static int own(struct graph *g, struct user_object *o, uint32_t count)
{
	struct owned *w;
	for (w = g->owned; w && w->object != o; w = w->next)
		;
	if (!w) {
		if (!(w = calloc(1, sizeof *w)))
			return OUT_OF_MEMORY;
		w->object = o, w->next = g->owned, g->owned = w;
	}
	w->count += count;
	return SUCCESS;
}

int EXPORT(cuGraphRetainUserObject)(void *p, void *object, uint32_t count, uint32_t flags)
{
	int e;
	GRAPH(g, p);
	if (count == 0 || flags & ~1u)
		return INVALID_VALUE;
	if (!(flags & 1) && (e = reference(object, count))) /* else the references of the caller become the graph's */
		return e;
	return own(g, object, count);
}

int EXPORT(cuGraphReleaseUserObject)(void *p, void *object, uint32_t count)
{
	struct owned *w, **at_w;
	GRAPH(g, p);
	for (at_w = &g->owned; (w = *at_w) && w->object != object; at_w = &w->next)
		;
	if (!w || count == 0 || count > w->count)
		return INVALID_VALUE;
	w->count -= count;
	if (w->count == 0) {
		*at_w = w->next;
		free(w);
	}
	return unreference(object, count);
}

/* retain_owned lets a copy of a graph own the objects, too: once each. */
static void retain_owned(struct graph *to, const struct graph *from)
{
	for (const struct owned *w = from->owned; w; w = w->next)
		if (!reference(w->object, 1))
			own(to, w->object, 1);
}

static void release_owned(struct graph *g)
{
	struct owned *w;
	while ((w = g->owned)) {
		g->owned = w->next;
		unreference(w->object, w->count);
		free(w);
	}
}
