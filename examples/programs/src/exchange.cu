#include "device.h"

// Blocks that wait for each other, all of them resident.

// A barrier across the grid by a counter and a generation.
FN void grid_sync(u32 *arrived, volatile u32 *generation) {
  sync();
  if (tid() == 0) {
    u32 g = *generation;
    fence_device();
    if (atomic_add(arrived, 1u) == grid() - 1) {
      *arrived = 0;
      fence_device();
      *generation = g + 1;
    } else {
      while (*generation == g) {}
    }
    fence_device();
  }
  sync();
}

// Each step every cell becomes the sum of its neighbours, on a ring over all blocks.
KERNEL ring(volatile u32 *a, volatile u32 *b, u32 steps, u32 *state) {
  u32 n = grid() * bsize(), i = gid();
  ROLLED for (u32 s = 0; s < steps; s++) {
    volatile u32 *from = s & 1 ? b : a, *to = s & 1 ? a : b;
    to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];
    grid_sync(state, state + 1);
  }
}

// A queue of one place: even blocks produce, odd blocks consume.
KERNEL pipe(volatile u32 *slot, volatile u32 *full, u32 *out, u32 items) {
  u32 pair = bid() / 2;
  if (tid() != 0) return;
  if (bid() % 2) {  // the later block produces: the earlier one has to wait for it
    ROLLED for (u32 i = 0; i < items; i++) {
      while (full[pair]) {}
      slot[pair] = pair * 100 + i * i;
      fence_device();
      full[pair] = 1;
    }
  } else {
    u32 sum = 0;
    ROLLED for (u32 i = 0; i < items; i++) {
      while (!full[pair]) {}
      fence_device();
      sum = sum * 31 + slot[pair];
      fence_device();
      full[pair] = 0;
    }
    out[pair] = sum;
  }
}
