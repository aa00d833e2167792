// Runs one peer: main NAME IN OUT CLOCK SECONDS COUNT X Y BUFFERS SIZE... SCALAR...
//
// IN holds the buffers one after another. Prints the median of the nanoseconds of COUNT
// samples of about SECONDS, by the clock or (CLOCK is cpu) the processor's time; OUT gets the buffers as one run on fresh ones leaves them.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef void peer(void *const *b, const uint32_t *s, unsigned x, unsigned y);
#define P(NAME) peer NAME;
#include "peers.inc"
#undef P

static const struct { const char *name; peer *run; } peers[] = {
#define P(NAME) {#NAME, NAME},
#include "peers.inc"
};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_used, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

enum { MOST = 64 };

int main(int n, char **v) {
  if (n < 10) return 2;
  if (!strcmp(v[4], "cpu")) clock_used = CLOCK_PROCESS_CPUTIME_ID;
  peer *run = 0;
  for (unsigned i = 0; i < sizeof peers / sizeof *peers; i++)
    if (!strcmp(peers[i].name, v[1])) run = peers[i].run;
  double sample = atof(v[5]) * 1e9, times[MOST];
  int count = atoi(v[6]), buffers = atoi(v[9]), scalars = n - 10 - buffers;
  unsigned x = strtoul(v[7], 0, 0), y = strtoul(v[8], 0, 0);
  void *b[MOST];
  size_t size[MOST];
  uint32_t s[MOST];
  if (!run || count < 1 || count > MOST || buffers < 0 || buffers > MOST || scalars < 0 || scalars > MOST) return 2;
  for (int i = 0; i < scalars; i++) s[i] = strtoul(v[10 + buffers + i], 0, 0);
  FILE *in = fopen(v[2], "rb");
  if (!in) fail(v[2]);
  for (int i = 0; i < buffers; i++) {
    size[i] = strtoull(v[10 + i], 0, 0);
    // Room behind the end for loads of whole vectors whose end nobody uses.
    b[i] = aligned_alloc(2 << 20, (size[i] + 4096 + (2 << 20) - 1) & -(size_t)(2 << 20));
    if (!b[i]) fail("memory");
#if defined(MADV_HUGEPAGE)
    madvise(b[i], size[i], MADV_HUGEPAGE);
#endif
  }
  for (int i = 0; i < buffers; i++)
    if (fread(b[i], 1, size[i], in) != size[i]) fail(v[2]);
  run(b, s, x, y); // touches the memory
  double t = now();
  run(b, s, x, y);
  t = now() - t;
  long runs = t < sample ? (long)(sample / (t + 1)) + 1 : 1;
  for (int i = 0; i < count; i++) {
    t = now();
    for (long r = 0; r < runs; r++) run(b, s, x, y);
    times[i] = (now() - t) / runs;
  }
  qsort(times, count, sizeof *times, less);
  printf("%.17g\n", (times[(count - 1) / 2] + times[count / 2]) / 2);
  rewind(in);
  for (int i = 0; i < buffers; i++)
    if (fread(b[i], 1, size[i], in) != size[i]) fail(v[2]);
  run(b, s, x, y);
  FILE *out = fopen(v[3], "wb");
  if (!out) fail(v[3]);
  for (int i = 0; i < buffers; i++)
    if (fwrite(b[i], 1, size[i], out) != size[i]) fail(v[3]);
  if (fclose(out)) fail(v[3]);
  return 0;
}
