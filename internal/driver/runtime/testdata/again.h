// Things that programs do again and again, a hundred times each: threads, forks, programs that replace the process, objects
// that are opened and closed. Memory of the device, mappings, files and threads of the process stay as many as they were.
//
// A source includes this file after the headers of its runtime. GPU(Malloc) is cudaMalloc or hipMalloc, LANE the number of a
// thread in its block, OWN_STREAM the stream of a thread of the host. With PLUGIN it is the object that is opened.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 100, N = 32 };

__global__ void add(int *data, int v) { data[LANE] += v; }
__device__ int variable = 3;

// work runs a kernel in a stream, and returns 1 if its result is right.
static int work(int v)
{
	int h[N], *d, first = 0;
	for (int i = 0; i < N; i++)
		h[i] = i;
	if (GPU(Malloc)(&d, sizeof h) || GPU(MemcpyAsync)(d, h, sizeof h, GPU(MemcpyHostToDevice), OWN_STREAM))
		return 0;
	add<<<1, N, 0, OWN_STREAM>>>(d, v);
	if (GPU(GetLastError)() || GPU(MemcpyAsync)(h, d, sizeof h, GPU(MemcpyDeviceToHost), OWN_STREAM) || GPU(StreamSynchronize)(OWN_STREAM) || GPU(Free)(d))
		return 0;
	for (int i = 0; i < N; i++)
		if (h[i] != i + v)
			return 0;
	return !GPU(MemcpyFromSymbol)(&first, SYMBOL(variable), sizeof first, 0, GPU(MemcpyDeviceToHost)) && first == 3;
}

#ifdef PLUGIN
extern "C" int plugin(int v) { return work(v); }
#else

// entries is the number of entries of a folder.
static int entries(const char *folder)
{
	int n = 0;
	DIR *d = opendir(folder);
	while (d && readdir(d))
		n++;
	return d ? closedir(d), n : -1;
}

static int lines(const char *file)
{
	int n = 0;
	FILE *f = fopen(file, "r");
	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	return f ? fclose(f), n : -1;
}

struct counts {
	size_t memory;
	int mappings, files, threads;
	counts() : mappings(lines("/proc/self/maps")), files(entries("/proc/self/fd")), threads(entries("/proc/self/task"))
	{
		size_t all;
		GPU(MemGetInfo)(&memory, &all);
	}
};

// same prints what is more than it was. The C library keeps some mappings of ended threads: fewer than one for two rounds.
static int same(const counts &before)
{
	counts now;
	int right = now.memory == before.memory && now.mappings < before.mappings + TIMES / 4 && now.files == before.files && now.threads == before.threads;
	if (!right)
		std::printf("memory %zu to %zu, mappings %d to %d, files %d to %d, threads %d to %d\n", before.memory, now.memory,
			before.mappings, now.mappings, before.files, now.files, before.threads, now.threads);
	return right;
}

static void *in_thread(void *p) { return (void *)(long)work((int)(long)p); }

static int threads(int i)
{
	pthread_t t[4];
	void *right[4];
	for (long k = 0; k < 4; k++)
		if (pthread_create(&t[k], nullptr, in_thread, (void *)(i + k)))
			return 0;
	for (int k = 0; k < 4; k++)
		pthread_join(t[k], &right[k]);
	return right[0] && right[1] && right[2] && right[3];
}

// A child may not use the device; it ends as any program does.
static int forks(int)
{
	int status = 0;
	std::fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		void *p;
		std::exit(GPU(Malloc)(&p, 64) ? 5 : 6);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5;
}

static const char *path; // of the object

static int opens(int i)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*f)(int) = object ? (int (*)(int))dlsym(object, "plugin") : nullptr;
	if (!f)
		std::puts(dlerror());
	return f && f(i) && !dlclose(object);
}

// execs replaces the process; the arguments say how many times are left, and how many files the first one had.
static int execs(char **argv)
{
	int left = std::atoi(argv[2]), first = std::atoi(argv[3]), files;
	char n[16], m[16];
	if (!work(left))
		return 0;
	files = entries("/proc/self/fd");
	if (left == 0)
		return files == first ? 1 : std::printf("files %d to %d\n", first, files) * 0;
	std::snprintf(n, sizeof n, "%d", left - 1), std::snprintf(m, sizeof m, "%d", first ? first : files);
	execl(argv[0], argv[0], "exec", n, m, nullptr);
	return 0;
}

int main(int argc, char **argv)
{
	int (*f)(int) = argc < 2 ? nullptr : !std::strcmp(argv[1], "threads") ? threads : !std::strcmp(argv[1], "fork") ? forks : !std::strcmp(argv[1], "open") ? opens : nullptr;
	if (argc == 4 && !std::strcmp(argv[1], "exec"))
		return execs(argv) ? std::puts("done"), 0 : 1;
	if (!f || !work(1))
		return 2;
	path = argv[argc - 1];
	for (int i = 0; i < 3; i++)
		if (!f(i))
			return std::puts("a first one is wrong"), 1;
	counts before;
	for (int i = 0; i < TIMES; i++)
		if (!f(i))
			return std::printf("number %d is wrong\n", i), 1;
	return same(before) ? std::puts("done"), 0 : 1;
}
#endif
