#include "device.h"

// Local arrays whose index only the run knows.
KERNEL insertion_sort(const u8 *in, u8 *out, u32 n) {
  u8 v[24];
  ROLLED for (u32 i = 0; i < n; i++) {
    u8 e = in[gid() * n + i];
    u32 j = i;
    ROLLED while (j > 0 && v[j - 1] > e) {
      v[j] = v[j - 1];
      j--;
    }
    v[j] = e;
  }
  ROLLED for (u32 i = 0; i < n; i++) out[gid() * n + i] = v[i];
}

// Queens on a board of n: a stack of columns instead of recursion.
KERNEL queens(u32 *out) {
  u32 n = 1 + tid() % 6, count = 0;
  int col[8];
  int row = 0;
  col[0] = -1;
  ROLLED while (row >= 0) {
    int c = ++col[row];
    if (c >= (int)n) {
      row--;
      continue;
    }
    bool ok = true;
    ROLLED for (int r = 0; ok && r < row; r++) ok = col[r] != c && col[r] - c != row - r && c - col[r] != row - r;
    if (!ok) continue;
    if (row == (int)n - 1) count++;
    else col[++row] = -1;
  }
  out[tid()] = count;
}

// Longest common subsequence, two rows of a table.
KERNEL subsequence(const u8 *a, const u8 *b, u32 *out, u32 n) {
  u16 row[2][33];
  ROLLED for (u32 j = 0; j <= n; j++) row[0][j] = row[1][j] = 0;
  ROLLED for (u32 i = 1; i <= n; i++)
    ROLLED for (u32 j = 1; j <= n; j++) {
      u16 *now = row[i & 1], *old = row[~i & 1];
      now[j] = a[gid() * n + i - 1] == b[gid() * n + j - 1] ? old[j - 1] + 1 : larger(old[j], now[j - 1]);
    }
  out[gid()] = row[n & 1][n];
}

// Pointers into local memory through generic addresses.
NOINLINE void rotate3(double *a, double *b, double *c) {
  double t = *a;
  *a = *b;
  *b = *c;
  *c = t;
}
KERNEL rotated(const double *in, double *out) {
  double v[8];
  ROLLED for (u32 i = 0; i < 8; i++) v[i] = in[tid() * 8 + i];
  ROLLED for (u32 i = 0; i < 20; i++) rotate3(&v[(tid() + i) & 7], &v[(tid() + i * 3 + 1) & 7], &v[(i + 2 * tid()) & 7]);
  ROLLED for (u32 i = 0; i < 8; i++) out[tid() * 8 + i] = v[i];
}
