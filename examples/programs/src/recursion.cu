#include "device.h"

NOINLINE u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

NOINLINE u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

// Two functions that call each other.
NOINLINE bool odd(u32 n);
NOINLINE bool even(u32 n) { return n == 0 || odd(n - 1); }
NOINLINE bool odd(u32 n) { return n != 0 && even(n - 1); }

NOINLINE void quicksort(int *v, int low, int high) {
  if (low >= high) return;
  int pivot = v[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (v[i] < pivot) i++;
    while (v[j] > pivot) j--;
    if (i <= j) {
      int s = v[i];
      v[i++] = v[j];
      v[j--] = s;
    }
  }
  quicksort(v, low, j);
  quicksort(v, i, high);
}

// Pegs of Hanoi: the moves are counted and folded into a number.
NOINLINE u64 hanoi(u32 n, u32 from, u32 to) {
  if (n == 0) return 0;
  u64 a = hanoi(n - 1, from, 3 - from - to);
  u64 b = hanoi(n - 1, 3 - from - to, to);
  return (a * 7 + from) * 11 + to * 13 + b;
}

KERNEL recursive(const u32 *n, u32 *fibs, u32 *acks, u32 *evens, u64 *hanois) {
  u32 i = gid();
  fibs[i] = fib(n[i] % 11);
  acks[i] = ackermann(n[i] % 3, n[i] / 3 % 4);
  evens[i] = even(n[i] % 17);
  hanois[i] = hanoi(n[i] % 6, 0, 2);
}

KERNEL sort_rows(int *v, u32 n) { quicksort(v + gid() * n, 0, n - 1); }

// A local array in every frame: permutations in order, the k-th folded.
#if defined(__AMDGCN__)
typedef const __attribute__((address_space(5))) u8 *Left;
#else
typedef const u8 *Left;
#endif
NOINLINE u32 permute(Left left, u32 n, u32 so_far) {
  if (n == 0) return so_far % 65521;
  u32 sum = 0;
  u8 rest[6];
  ROLLED for (u32 i = 0; i < n; i++) {
    ROLLED for (u32 j = 0, k = 0; j < n; j++)
      if (j != i) rest[k++] = left[j];
    sum = sum * 3 + permute((Left)rest, n - 1, so_far * 10 + left[i]);
  }
  return sum;
}
KERNEL permutations(u32 *out) {
  u8 v[6];
  ROLLED for (u32 i = 0; i < 4; i++) v[i] = (tid() + i * i) % 10;
  out[tid()] = permute((Left)v, 4, 0);
}
