/* The launches of CUDA 3: block, shared bytes and parameters are set before the launch, one by one. */

struct old_launch { /* what has been set for a function */
	struct function *f;
	uint32_t block[3], shared;
	unsigned char data[4096];
	struct old_launch *next;
};

static struct old_launch *old_launches;

static struct old_launch *old_launch(struct function *f)
{
	struct old_launch *l;
	pthread_mutex_lock(&lock);
	for (l = old_launches; l && l->f != f; l = l->next)
		;
	if (!find_function(f))
		l = NULL;
	else if (!l && (l = calloc(1, sizeof *l)))
		l->f = f, l->next = old_launches, old_launches = l;
	pthread_mutex_unlock(&lock);
	return l;
}

#define OLD(l, f) struct old_launch *l; WITH_CONTEXT(); if (!(l = old_launch(f))) return INVALID_HANDLE

int EXPORT(cuFuncSetBlockShape)(void *f, int32_t x, int32_t y, int32_t z)
{
	OLD(l, f);
	if (x < 1 || y < 1 || z < 1)
		return INVALID_VALUE;
	l->block[0] = (uint32_t)x, l->block[1] = (uint32_t)y, l->block[2] = (uint32_t)z;
	return SUCCESS;
}

int EXPORT(cuFuncSetSharedSize)(void *f, uint32_t n) { OLD(l, f); l->shared = n; return SUCCESS; }

static int set_param(void *f, int32_t offset, const void *p, size_t n)
{
	OLD(l, f);
	if (!p || offset < 0 || n > sizeof l->data || (size_t)offset > sizeof l->data - n)
		return INVALID_VALUE;
	memcpy(l->data + offset, p, n);
	return SUCCESS;
}

int EXPORT(cuParamSetSize)(void *f, uint32_t n) { OLD(l, f); return n <= sizeof l->data ? SUCCESS : INVALID_VALUE; }
int EXPORT(cuParamSeti)(void *f, int32_t offset, uint32_t v) { return set_param(f, offset, &v, 4); }
int EXPORT(cuParamSetf)(void *f, int32_t offset, float v) { return set_param(f, offset, &v, 4); }
int EXPORT(cuParamSetv)(void *f, int32_t offset, void *p, uint32_t n) { return set_param(f, offset, p, n); }

int EXPORT(cuLaunchGridAsync)(void *f, int32_t width, int32_t height, void *stream)
{
	size_t n = 0;
	OLD(l, f);
	if (width < 1 || height < 1)
		return INVALID_VALUE;
	n = l->f->bytes;
	if (n > sizeof l->data)
		return INVALID_VALUE;
	void *extra[] = { (void *)1, l->data, (void *)2, &n, NULL };
	return EXPORT(cuLaunchKernel)(f, (uint32_t)width, (uint32_t)height, 1, l->block[0], l->block[1], l->block[2], l->shared, stream, NULL, extra);
}

int EXPORT(cuLaunchGrid)(void *f, int32_t width, int32_t height) { return EXPORT(cuLaunchGridAsync)(f, width, height, NULL); }
int EXPORT(cuLaunch)(void *f) { return EXPORT(cuLaunchGridAsync)(f, 1, 1, NULL); }
