/* A program, or with -DPLUGIN an object that a program opens, on a static runtime. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct dim3 { unsigned x, y, z; };
void **__cudaRegisterFatBinary(const void *);
const char *cudaGetErrorString(int);
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *), cudaMalloc(void **, size_t), cudaRuntimeGetVersion(int *), cudaFree(void *);
int cudaMixed(int, double, long, float, int, int, int, int, int, const char *), cudaFutureCall(void), __cudaShort(void);

/* A function of the program with a name like those of the runtime. */
__attribute__((noinline)) int cudaOwn(int x) { return x + 1; }

static char image[] = "image";
static void **handle;
__attribute__((constructor)) static void start(void) { handle = __cudaRegisterFatBinary(image); }

#define SHOWN __attribute__((visibility("default")))
SHOWN int calls(void)
{
	void *p = NULL;
	int v = 0, x = 42;
	void *args[] = {&x};
	struct dim3 g = {1, 2, 3}, b = {4, 5, 6};
	printf("registered %s\n", (char *)*handle);
	printf("own %d\n", cudaOwn(1));
	x = cudaMalloc(&p, 17);
	printf("malloc %d %s\n", x, (char *)p);
	x = 42;
	printf("malloc %d\n", cudaMalloc(&p, 18));
	cudaLaunchKernel("kernel", g, b, args, 7, "stream");
	cudaMixed(1, 2.5, 3, 4.5f, 5, 6, 7, 8, 9, "ten");
	cudaRuntimeGetVersion(&v);
	printf("version %d, %s, short %d, free %d\n", v, cudaGetErrorString(7), __cudaShort(), cudaFree(image));
	fflush(stdout);
	x = cudaFutureCall();
	printf("future %d %d\n", x, cudaFutureCall());
	fflush(stdout);
	return 0;
}

#ifndef PLUGIN
static void *thread(void *p)
{
	void *q = NULL;
	for (int i = 0; i < 1000; i++)
		if (cudaMalloc(&q, (size_t)i) != i || q != image)
			abort();
	return p;
}

static int lines(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;
	for (int c; (c = getc(f)) != EOF;)
		n += c == '\n';
	return fclose(f), n;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return calls();
	if (!strcmp(argv[1], "threads")) {
		pthread_t t[8];
		for (int i = 0; i < 8; i++)
			pthread_create(t + i, NULL, thread, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
		return puts("threads"), 0;
	}
	if (!strcmp(argv[1], "fork")) {
		int status = 0;
		for (int i = 0; i < 100; i++) {
			pid_t child = fork();
			if (!child)
				_exit(cudaMalloc(&(void *){NULL}, 5));
			waitpid(child, &status, 0);
			if (status != 5 << 8)
				return printf("child %d: %#x\n", i, status), 1;
		}
		return puts("forks"), 0;
	}
	if (!strcmp(argv[1], "exec")) { /* again and again, as many times as the argument says */
		char n[16];
		if (cudaMalloc(&(void *){NULL}, 5) != 5)
			return 1;
		if (atoi(argv[2]) == 0)
			return puts("execs"), 0;
		snprintf(n, sizeof n, "%d", atoi(argv[2]) - 1);
		return execl(argv[0], argv[0], "exec", n, (char *)NULL), 1;
	}
	/* An object, opened and closed. */
	int before = 0;
	for (int i = 0; i < 100; i++) {
		void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*f)(void) = h ? (int (*)(void))dlsym(h, "calls") : NULL;
		if (!f)
			return puts(dlerror()), 1;
		if (i == 0)
			f();
		else if (((int (*)(void **, size_t))dlsym(h, "allocate"))(&(void *){NULL}, 9) != 9)
			return puts("allocate"), 1;
		dlclose(h);
		if (i == 1)
			before = lines();
	}
	return printf("%d more mappings\n", lines() - before), 0;
}
#else
SHOWN int allocate(void **p, size_t n) { return cudaMalloc(p, n); }
#endif
