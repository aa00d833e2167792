#include "device.h"

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, unsigned long size);

KERNEL hello(const int *in, float f) {
  int v = in[tid()];
  if (v % 2) printf("lane %u has %d, %5.2f\n", lane(), v, f * v);
}
KERNEL formats(s64 wide, double d) {
  printf("%s|%-6d|%06x|%c|%lld|%%|%e|%+.3g|%5s|%-5s|\n", "text", -42, 0xbeef, 'x', wide, d, d, "ab", "cd");
}

// Lists from the heap: every thread makes one, adds it up, gives it back.
struct Cell { u32 v; Cell *next; };
KERNEL lists(u32 *out) {
  Cell *head = nullptr;
  ROLLED for (u32 i = 0; i <= tid(); i++) {
    Cell *c = (Cell *)malloc(sizeof(Cell));
    c->v = i * 3 + 1;
    c->next = head;
    head = c;
  }
  u32 s = 0;
  ROLLED while (head) {
    Cell *next = head->next;
    s = s * 2 + head->v;
    free(head);
    head = next;
  }
  out[tid()] = s;
}

KERNEL checked(const u32 *in, u32 limit) {
  u32 v = in[tid()];
  if (v >= limit) __assertfail("v < limit", "printing.cu", 40, "checked", 1);
}
