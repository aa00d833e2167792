#include "device.h"

// A lock that every lane of a warp wants: each must get its turn.
FN void take(u32 *lock) {
  while (atomic_cas(lock, 0u, 1u) != 0) {}
  fence_device();
}
FN void release(u32 *lock) {
  fence_device();
  atomic_exch(lock, 0u);
}

// A wave whose lanes have no program counters of their own waits for all of them: its
// lanes take their turns.
#if defined(__AMDGCN__)
#define ONE_BY_ONE ROLLED for (u32 turn = 0; turn < 64; turn++) if (wave_lane() == turn)
#else
#define ONE_BY_ONE
#endif

// Lanes of all blocks add to what is not atomic, one after the other.
KERNEL spin_lanes(u32 *lock, volatile u32 *sum, u32 rounds) {
  ROLLED for (u32 i = 0; i < rounds; i++) ONE_BY_ONE {
    take(lock);
    *sum = *sum + gid() + 1;
    release(lock);
  }
}

// The form that old targets need: the critical section inside the loop.
KERNEL spin_done(u32 *locks, volatile u32 *sums, u32 count) {
  u32 i = gid() * 7 % count;
  bool done = false;
  ONE_BY_ONE ROLLED while (!done) {
    if (atomic_exch(&locks[i], 1u) == 0) {
      sums[i] = sums[i] * 3 + 1;
      done = true;
      release(&locks[i]);
    }
  }
}

// Tickets: served in the order of arrival.
struct Tickets { u32 next, serving; };
KERNEL tickets(Tickets *t, volatile u32 *order, volatile u32 *served) {
  ONE_BY_ONE {
    u32 mine = atomic_add(&t->next, 1u);
    while (((volatile Tickets *)t)->serving != mine) {}
    fence_device();
    order[*served] = mine;
    *served = *served + 1;
    fence_device();
    ((volatile Tickets *)t)->serving = mine + 1;
  }
}

#if !defined(__AMDGCN__)
// Lanes of one warp that wait for each other: the upper half for what the lower
// half writes after it.
KERNEL handover(volatile u32 *box, u32 *out) {
  u32 l = lane();
  if (l >= 16) {
    while (box[l - 16] == 0) {}
    out[l] = box[l - 16] + 1;
  } else {
    out[l] = l;
    fence_block();
    box[l] = l + 100;
  }
}
#endif
