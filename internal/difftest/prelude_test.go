package difftest

import (
	"fmt"
	"strings"
)

// prelude returns the first part of every source file. HOST is defined for the machine that runs
// the test.
func prelude() string {
	w := &strings.Builder{}
	w.WriteString(`typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16; typedef short s16;
typedef unsigned int u32; typedef int s32; typedef float f32; typedef double f64;
typedef _Float16 f16;
#ifdef PLAIN
typedef unsigned long long u64; typedef long long s64; typedef __bf16 bf16;
#define __builtin_popcountl __builtin_popcountll
#define __builtin_clzl __builtin_clzll
#define __builtin_ctzl __builtin_ctzll
#else
typedef unsigned long u64; typedef long s64;
#endif
typedef u32 v4 __attribute__((ext_vector_type(4)));
typedef u32 v2 __attribute__((ext_vector_type(2)));
#define INLINE static inline __attribute__((always_inline))
#define CALLED static __attribute__((noinline))
#ifdef HOST
#define GLOBAL
#define LOCAL
#define PRIVATE
#else
#ifdef PLAIN
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
#define SHARED static LOCAL
#define PRIVATE
#define KERNEL __attribute__((nvptx_kernel))
#else
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#define GLOBAL __global
#define LOCAL __local
#define SHARED LOCAL
#define PRIVATE __private
#define KERNEL __kernel
#endif
#ifdef __AMDGCN__
#define LX __builtin_amdgcn_workitem_id_x()
#define LY __builtin_amdgcn_workitem_id_y()
#define GX __builtin_amdgcn_workgroup_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
#define BARRIER do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define wave_lane() __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u))
INLINE u32 shuffle(u32 v, u32 lane) { return __builtin_amdgcn_ds_bpermute(((wave_lane() & 32u) | lane) * 4, v); }
#define row_move(v, ctrl, lane) ((u32)__builtin_amdgcn_update_dpp((v), (v), (ctrl), 15, 15, 0))
INLINE u32 ballot32(u32 p, u32 lid) { return (u32)(__builtin_amdgcn_ballot_w64(p) >> (wave_lane() & 32u)); }
#else
#define LX ((u32)__nvvm_read_ptx_sreg_tid_x())
#define LY ((u32)__nvvm_read_ptx_sreg_tid_y())
#define GX ((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define GY ((u32)__nvvm_read_ptx_sreg_ctaid_y())
#define BARRIER __nvvm_bar_sync(0)
INLINE u32 shuffle(u32 v, u32 lane) { return __nvvm_shfl_sync_idx_i32(0xffffffffu, v, lane, 31); }
#define row_move(v, ctrl, lane) shuffle((v), (lane))
INLINE u32 ballot32(u32 p, u32 lid) { return __nvvm_vote_ballot_sync(0xffffffffu, p); }
#endif
#endif
#ifdef HOST
// x86 has no f16 arithmetic, and LLVM 22 leaves out roundings between two operations.
CALLED f16 round_f16(f16 x) { return x; }
#else
#define round_f16(x) (x)
#endif
#define to_bits_f16(x) (bits_f16(x))
#define to_bits_f32(x) (bits_f32(x))
#define to_bits_f64(x) (bits_f64(x))
INLINE u16 bits_f16(f16 x) { return x != x ? 0x7e00 : __builtin_bit_cast(u16, x); }
INLINE f16 from_bits_f16(u64 b) {
  u16 x = (u16)b;
  if (x & 1) x = (x & 0x87ff) | 0x3800;
  if ((x & 0x7fff) > 0x7c00) x = 0x7e00;
  return __builtin_bit_cast(f16, x);
}
INLINE u32 bits_f32(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
INLINE u64 bits_f64(f64 x) { return x != x ? 0x7ff8000000000000ul : __builtin_bit_cast(u64, x); }
// No NaNs come out but the positive quiet one. Half of the values are near 1.
INLINE f32 from_bits_f32(u64 b) {
  u32 x = (u32)b;
  if (x & 1) x = (x & 0x80ffffffu) | 0x3f000000u;
  if ((x & 0x7fffffffu) > 0x7f800000u) x = 0x7fc00000u;
  return __builtin_bit_cast(f32, x);
}
INLINE f64 from_bits_f64(u64 b) {
  if (!(b >> 32)) b *= 0x9e3779b97f4a7c15ul;
  if (b & 1) b = (b & 0x801ffffffffffffful) | 0x3fe0000000000000ul;
  if ((b & 0x7ffffffffffffffful) > 0x7ff0000000000000ul) b = 0x7ff8000000000000ul;
  return __builtin_bit_cast(f64, b);
}
CALLED u32 helper_a(u32 a, u32 b) { for (u32 i = 0; i < (b & 3); i++) a = a * 5 + (a >> 7); return a ^ b; }
CALLED u32 helper_b(u32 a, u32 b) { return a & 1 ? helper_a(b, a) : a - b; }
CALLED u64 helper_c(u64 a, s16 b) { return b < 0 ? a * 3 : a + b; }
`)
	for _, op := range []string{"add", "xor", "or", "and", "min", "max"} {
		fmt.Fprintf(w, "#define atomic_%s_sh(p, v) __scoped_atomic_fetch_%s((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)\n", op, op)
		fmt.Fprintf(w, "#define atomic_%s_gl(p, v) __scoped_atomic_fetch_%s((p), (v), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)\n", op, op)
	}
	for _, t := range []typ{u8, s8, u16, s16, u32, s32, u64, s64} {
		n := t.bits()
		if t.signed() {
			fmt.Fprintf(w, "INLINE %[1]s div_%[1]s(%[1]s a, %[1]s b) { return b == 0 ? a : b == -1 ? (%[1]s)-a : (%[1]s)(a / b); }\n", t)
			fmt.Fprintf(w, "INLINE %[1]s rem_%[1]s(%[1]s a, %[1]s b) { return b == 0 ? a : b == -1 ? 0 : (%[1]s)(a %% b); }\n", t)
		} else {
			fmt.Fprintf(w, "INLINE %[1]s div_%[1]s(%[1]s a, %[1]s b) { return b == 0 ? a : (%[1]s)(a / b); }\n", t)
			fmt.Fprintf(w, "INLINE %[1]s rem_%[1]s(%[1]s a, %[1]s b) { return b == 0 ? a : (%[1]s)(a %% b); }\n", t)
		}
		if n == 64 {
			// The argument is never zero: LLVM 22 loses the clamp of a gfx803 v_add_u32 that is
			// needed for zero.
			fmt.Fprintf(w, "INLINE u32 clz_%[1]s(%[1]s a) { return __builtin_clzl((u64)a | 1); }\n", t)
			fmt.Fprintf(w, "INLINE u32 ctz_%[1]s(%[1]s a) { return __builtin_ctzl((u64)a | (u64)1 << 63); }\n", t)
		} else {
			fmt.Fprintf(w, "INLINE u32 clz_%[1]s(%[1]s a) { u32 u = (%[2]s)a; return u ? __builtin_clz(u) : %[3]d; }\n", t, t.unsigned(), n)
			fmt.Fprintf(w, "INLINE u32 ctz_%[1]s(%[1]s a) { u32 u = (%[2]s)a; return u ? __builtin_ctz(u) : %[3]d; }\n", t, t.unsigned(), n)
		}
		for _, f := range []typ{f32, f64} {
			lo, hi := "-1.0", fmt.Sprintf("0x1p%d", n)
			if t.signed() {
				hi = fmt.Sprintf("0x1p%d", n-1)
				lo = "-" + hi
			}
			// The range is open at its lower end. If the type is signed, that end is a value of the
			// type, which the test leaves out.
			fmt.Fprintf(w, "INLINE %[1]s to_%[1]s_%[2]s(%[2]s x) { return x > (%[2]s)%[3]s && x < (%[2]s)%[4]s ? (%[1]s)x : 0; }\n", t, f, lo, hi)
		}
		fmt.Fprintf(w, "INLINE %[1]s to_%[1]s_f16(f16 x) { return to_%[1]s_f32((f32)x); }\n", t)
	}
	w.WriteString("#ifdef PLAIN\n" + plainPrelude() + "#endif\n")
	w.WriteString(`INLINE u32 mulhi_u32(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
INLINE s32 mulhi_s32(s32 a, s32 b) { return (s32)(((s64)a * b) >> 32); }
#ifdef NO128
INLINE u64 mulhi_u64(u64 a, u64 b) {
  u64 m = (a >> 32) * (u32)b + ((u64)(u32)a * (u32)b >> 32), k = (b >> 32) * (u32)a + (u32)m;
  return (a >> 32) * (b >> 32) + (m >> 32) + (k >> 32);
}
INLINE s64 mulhi_s64(s64 a, s64 b) { return (s64)(mulhi_u64(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)); }
#else
INLINE u64 mulhi_u64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
INLINE s64 mulhi_s64(s64 a, s64 b) { return (s64)(((__int128)a * b) >> 64); }
#endif

`)
	return w.String()
}

// hostMain returns a main function that reads the input and calls every program.
func hostMain(l []*program) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "#ifdef HOST\n#include <stdio.h>\n#include <string.h>\nstatic u32 in[%d], acc[%d]; static u64 out[%d];\nint main(void) {\n", inSize, accSize, maxLanes*(maxOuts+2))
	fmt.Fprintf(w, "  if (fread(in, sizeof in, 1, stdin) != 1) return 1;\n")
	for _, p := range l {
		fmt.Fprintf(w, "  for (int i = 0; i < %d; i++) acc[i] = 0x1234567u * i; memset(out, 0, sizeof out);\n", accSize)
		fmt.Fprintf(w, "  %s(in, out, acc, %d); fwrite(out, 8, %d, stdout); fwrite(acc, 4, %d, stdout);\n", p.name, p.n, p.outSize(), accSize)
	}
	fmt.Fprintf(w, "  return 0;\n}\n#endif\n")
	return w.String()
}
