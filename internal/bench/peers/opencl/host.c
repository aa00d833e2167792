// Runs one kernel by OpenCL, loaded when it runs:
//   host NAME IN OUT CLOCK SECONDS COUNT X Y BUFFERS SIZE... SCALAR...
// as the peers in C do. In the environment are the size of a block (CROSSLANE_BLOCK), the file of
// the kernels (CROSSLANE_KERNELS) and a part of the platform's name (CROSSLANE_PLATFORM).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The part of the interface that is used, OpenCL 1.2.
typedef struct object *handle;
static int (*GetPlatformIDs)(unsigned, handle *, unsigned *);
static int (*GetPlatformInfo)(handle, unsigned, size_t, void *, size_t *);
static int (*GetDeviceIDs)(handle, uint64_t, unsigned, handle *, unsigned *);
static handle (*CreateContext)(const intptr_t *, unsigned, const handle *, void *, void *, int *);
static handle (*CreateCommandQueue)(handle, handle, uint64_t, int *);
static handle (*CreateProgramWithSource)(handle, unsigned, const char **, const size_t *, int *);
static int (*BuildProgram)(handle, unsigned, const handle *, const char *, void *, void *);
static handle (*CreateKernel)(handle, const char *, int *);
static handle (*CreateBuffer)(handle, uint64_t, size_t, void *, int *);
static int (*SetKernelArg)(handle, unsigned, size_t, const void *);
static int (*EnqueueNDRangeKernel)(handle, handle, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const handle *, handle *);
static int (*EnqueueWriteBuffer)(handle, handle, unsigned, size_t, size_t, const void *, unsigned, const handle *, handle *);
static int (*EnqueueReadBuffer)(handle, handle, unsigned, size_t, size_t, void *, unsigned, const handle *, handle *);
static int (*Finish)(handle);

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_used, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void need(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "OpenCL: %s\n", what);
  exit(1);
}

static void *symbol(void *lib, const char *name) {
  void *p = dlsym(lib, name);
  need(p != 0, name);
  return p;
}

static int less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { MOST = 64 };

int main(int n, char **v) {
  if (n < 10) return 2;
  // Oclgrind puts its library before the program's: then the symbols are there already.
  void *lib = RTLD_DEFAULT;
  if (!dlsym(lib, "clGetPlatformIDs")) {
    lib = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!lib) lib = dlopen("libOpenCL.dylib", RTLD_NOW);
    need(lib != 0, "no library libOpenCL");
  }
#define GET(NAME) NAME = symbol(lib, "cl" #NAME);
  GET(GetPlatformIDs) GET(GetPlatformInfo) GET(GetDeviceIDs) GET(CreateContext) GET(CreateCommandQueue)
  GET(CreateProgramWithSource) GET(BuildProgram) GET(CreateKernel) GET(CreateBuffer) GET(SetKernelArg)
  GET(EnqueueNDRangeKernel) GET(EnqueueWriteBuffer) GET(EnqueueReadBuffer) GET(Finish)

  if (!strcmp(v[4], "cpu")) clock_used = CLOCK_PROCESS_CPUTIME_ID;
  double sample = atof(v[5]) * 1e9, times[MOST];
  int count = atoi(v[6]), buffers = atoi(v[9]), scalars = n - 10 - buffers;
  if (count < 1 || count > MOST || buffers < 0 || buffers > MOST || scalars < 0) return 2;
  size_t block[2] = {1, 1}, grid[2] = {strtoul(v[7], 0, 0), strtoul(v[8], 0, 0)};
  const char *dims = getenv("CROSSLANE_BLOCK"), *file = getenv("CROSSLANE_KERNELS"), *wanted = getenv("CROSSLANE_PLATFORM");
  need(dims && file && wanted && sscanf(dims, "%zu,%zu", block, block + 1) == 2, "no block or file");
  grid[0] *= block[0];
  grid[1] *= block[1];

  static char source[1 << 20];
  FILE *f = fopen(file, "rb");
  need(f != 0, file);
  source[fread(source, 1, sizeof source - 1, f)] = 0;
  fclose(f);

  handle platforms[16], device = 0;
  unsigned found = 0;
  need(GetPlatformIDs(16, platforms, &found) == 0, "no platform");
  for (unsigned i = 0; i < found && i < 16 && !device; i++) {
    char name[256] = "";
    GetPlatformInfo(platforms[i], 0x0902, sizeof name - 1, name, 0);
    if (strstr(name, wanted)) GetDeviceIDs(platforms[i], 0xffffffff, 1, &device, 0);
  }
  need(device != 0, "the platform has no device here");
  int err;
  handle context = CreateContext(0, 1, &device, 0, 0, &err);
  need(err == 0, "clCreateContext");
  handle queue = CreateCommandQueue(context, device, 0, &err);
  need(err == 0, "clCreateCommandQueue");
  const char *text = source;
  handle program = CreateProgramWithSource(context, 1, &text, 0, &err);
  need(err == 0 && BuildProgram(program, 1, &device, "", 0, 0) == 0, "clBuildProgram");
  handle kernel = CreateKernel(program, v[1], &err);
  need(err == 0, "clCreateKernel");

  handle mem[MOST];
  char *data[MOST];
  size_t size[MOST];
  FILE *in = fopen(v[2], "rb"), *out = fopen(v[3], "wb");
  need(in && out, "files");
  for (int i = 0; i < buffers; i++) {
    size[i] = strtoull(v[10 + i], 0, 0);
    data[i] = malloc(size[i]);
    need(data[i] && fread(data[i], 1, size[i], in) == size[i], v[2]);
    mem[i] = CreateBuffer(context, 1, size[i], 0, &err);
    need(err == 0 && EnqueueWriteBuffer(queue, mem[i], 1, 0, size[i], data[i], 0, 0, 0) == 0, "clCreateBuffer");
    need(SetKernelArg(kernel, i, sizeof(handle), &mem[i]) == 0, "clSetKernelArg");
  }
  for (int i = 0; i < scalars; i++) { // behind the buffers, in all of these kernels
    uint32_t s = strtoul(v[10 + buffers + i], 0, 0);
    need(SetKernelArg(kernel, buffers + i, 4, &s) == 0, "clSetKernelArg");
  }
#define RUN() need(EnqueueNDRangeKernel(queue, kernel, 2, 0, grid, block, 0, 0, 0) == 0 && Finish(queue) == 0, "clEnqueueNDRangeKernel")
  RUN();
  double t = now();
  RUN();
  t = now() - t;
  long runs = t < sample ? (long)(sample / (t + 1)) + 1 : 1;
  times[0] = t;
  for (int i = 0; i < count && (count > 1 || runs > 1); i++) {
    t = now();
    for (long r = 0; r < runs; r++) RUN();
    times[i] = (now() - t) / runs;
  }
  qsort(times, count, sizeof *times, less);
  printf("%.17g\n", (times[(count - 1) / 2] + times[count / 2]) / 2);
  for (int i = 0; i < buffers; i++)
    need(EnqueueReadBuffer(queue, mem[i], 1, 0, size[i], data[i], 0, 0, 0) == 0 && fwrite(data[i], 1, size[i], out) == size[i], v[3]);
  return fclose(out) != 0;
}
