/* Memory and events of another process. The program starts itself with the handles as an argument. */
#include "cu.h"
#include <spawn.h>

struct handle { unsigned char b[64]; };
int cuIpcGetMemHandle(struct handle *, ptr), cuIpcOpenMemHandle_v2(ptr *, struct handle, unsigned), cuIpcCloseMemHandle(ptr), cuIpcGetEventHandle(struct handle *, void *), cuIpcOpenEventHandle(void **, struct handle);
int cuMemAllocManaged(ptr *, size_t, unsigned), cuMemcpyDtoDAsync_v2(ptr, ptr, size_t, void *), cuMemGetAddressRange_v2(ptr *, size_t *, ptr), cuEventQuery(void *);
extern char **environ;

static unsigned out[32];

static int other(const char *text)
{
	struct handle h[2];
	ptr p, again;
	size_t size;
	void *event;
	for (unsigned i = 0; i < sizeof h; i++)
		sscanf(text + 2 * i, "%2hhx", (unsigned char *)h + i);
	begin();
	WANT(cuIpcOpenMemHandle_v2(&p, h[0], 0), 1);
	if (cuIpcOpenMemHandle_v2(&p, h[0], 1) == 400) /* the owner has freed it */
		return 3;
	OK(cuIpcOpenMemHandle_v2(&again, h[0], 1));
	WANT(again == p, 1);
	OK(cuIpcCloseMemHandle(again));
	OK(cuMemGetAddressRange_v2(&again, &size, p));
	WANT(again == p && size == 8192, 1);
	OK(cuIpcOpenEventHandle(&event, h[1]));
	OK(cuStreamWaitEvent(NULL, event, 0));
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[9], 109);
	OK(run(scale, p, 2, NULL));
	OK(run(add, p + 4096, 7, NULL)); /* another page */
	out[0] = 5;
	OK(cuMemcpyHtoD_v2(p, out, 4));
	OK(cuCtxSynchronize());
	OK(cuIpcCloseMemHandle(p));
	WANT(cuIpcCloseMemHandle(p), 1);
	WANT(cuMemFree_v2(p), 1);
	OK(cuEventDestroy_v2(event));
	return wrong ? 1 : 0;
}

static int start(const struct handle *h)
{
	char text[257], *arguments[] = { "ipc", text, NULL };
	int status;
	pid_t child;
	for (int i = 0; i < 128; i++)
		sprintf(text + 2 * i, "%02x", ((unsigned char *)h)[i]);
	fflush(stdout);
	OK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	unsigned in[2048];
	struct handle h[2], again, bad = { "CLIPCMEM nothing" };
	ptr p, q, own;
	void *event, *private;
	if (argc > 1)
		return other(argv[1]);
	begin();
	for (unsigned i = 0; i < 2048; i++)
		in[i] = i;
	OK(cuMemAlloc_v2(&p, sizeof in));
	OK(cuMemcpyHtoD_v2(p, in, sizeof in));
	OK(cuIpcGetMemHandle(&h[0], p + 100));
	OK(cuIpcGetMemHandle(&again, p));
	WANT(memcmp(h, &again, 64), 0);
	OK(cuEventCreate(&event, 2 | 4));
	OK(cuEventCreate(&private, 2));
	WANT(cuIpcGetEventHandle(&h[1], private), 1);
	OK(cuIpcGetEventHandle(&h[1], event));
	OK(run(add, p, 100, NULL));
	OK(cuEventRecord(event, NULL));
	WANT(start(h), 0);
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[0] == 5 && out[9] == 218 && out[31] == 262, 1);
	OK(cuMemcpyDtoH_v2(out, p + 4096, sizeof out));
	WANT(out[3], 1024 + 3 + 7);

	/* the same process */
	OK(cuIpcOpenMemHandle_v2(&own, h[0], 1));
	WANT(own == p, 1);
	OK(cuIpcCloseMemHandle(own));
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[9], 218);

	/* freed memory cannot be opened; its address has pages of the process again */
	OK(cuMemFree_v2(p));
	WANT(start(h), 3);
	OK(cuMemAlloc_v2(&p, sizeof in));
	OK(cuMemcpyHtoD_v2(p, in, sizeof in));
	OK(run(add, p, 1, NULL));
	OK(cuMemcpyDtoH_v2(out, p, sizeof out));
	WANT(out[9], 10);
	OK(cuMemAllocManaged(&q, 64, 1));
	WANT(cuIpcGetMemHandle(&again, q), 1);
	WANT(cuIpcOpenMemHandle_v2(&own, bad, 1), 400);
	OK(cuMemFree_v2(p));
	OK(cuMemFree_v2(q));
	OK(cuEventDestroy_v2(event));
	OK(cuEventDestroy_v2(private));
	return finish();
}
