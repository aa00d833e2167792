// One OpenCL C source, two instruction sets: PTX (waves of 32 lanes) and GCN3
// (waves of 64). No OpenCL library is linked, so the ids, the barrier and the
// wave operations come straight from the compiler's builtins.
#pragma once

#if defined(__AMDGCN__)
#define WAVE 64
typedef ulong lanemask;
#define local_x() __builtin_amdgcn_workitem_id_x()
#define local_y() __builtin_amdgcn_workitem_id_y()
#define group_x() __builtin_amdgcn_workgroup_id_x()
#define group_y() __builtin_amdgcn_workgroup_id_y()
// Group sizes come from the hidden kernel arguments (code object 5 and later)
// or from the dispatch packet (code object 4).
#define size_x() ((uint)__builtin_amdgcn_workgroup_size_x())
#define size_y() ((uint)__builtin_amdgcn_workgroup_size_y())
#define wave_ballot(p) __builtin_amdgcn_ballot_w64(p)
// How many of the lanes below this one are set in m.
#define wave_rank(m) __builtin_amdgcn_mbcnt_hi((uint)((m) >> 32), __builtin_amdgcn_mbcnt_lo((uint)(m), 0))
#define wave_count(m) ((uint)__builtin_popcountl(m))
#define block_barrier() do {                                   \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");      \
    __builtin_amdgcn_s_barrier();                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");      \
  } while (0)
#else
#define WAVE 32
typedef uint lanemask;
#define local_x() ((uint)__nvvm_read_ptx_sreg_tid_x())
#define local_y() ((uint)__nvvm_read_ptx_sreg_tid_y())
#define group_x() ((uint)__nvvm_read_ptx_sreg_ctaid_x())
#define group_y() ((uint)__nvvm_read_ptx_sreg_ctaid_y())
#define size_x() ((uint)__nvvm_read_ptx_sreg_ntid_x())
#define size_y() ((uint)__nvvm_read_ptx_sreg_ntid_y())
#define wave_ballot(p) ((uint)__nvvm_vote_ballot_sync(0xffffffffu, (p)))
#define wave_rank(m) ((uint)__builtin_popcount((m) & (uint)__nvvm_read_ptx_sreg_lanemask_lt()))
#define wave_count(m) ((uint)__builtin_popcount(m))
#define block_barrier() __nvvm_bar_sync(0)
#endif

#define global_x() (group_x() * size_x() + local_x())
#define global_y() (group_y() * size_y() + local_y())

#define atomic_add_local(p, v) __scoped_atomic_fetch_add((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)
#define atomic_add_device(p, v) __scoped_atomic_fetch_add((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define atomic_min_device(p, v) __scoped_atomic_fetch_min((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define atomic_max_device(p, v) __scoped_atomic_fetch_max((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
