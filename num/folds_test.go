package num

import "testing"

// TestPtxasFolds holds the results of ptxas 13.5.37 for constant operands in registers: fields of
// 64 bits with position and length beyond 8 bits (Errata E117), and divisions by zero (Errata E11).
func TestPtxasFolds(t *testing.T) {
	t.Parallel()
	const a = 0xfedcba9876543210
	s := func(v uint64) int64 { return int64(v) }
	for i, c := range []struct{ got, want uint64 }{
		{BfeU64(a, 260, 8), 0},
		{BfeU64(a, 4, 264), 0xfedcba987654321},
		{BfeU64(a, 260, 300), 0},
		{BfeU64(a, 0x80000004, 8), 0},
		{BfeU64(0x123456789abcdef, 1, 0x80000000), 0x91a2b3c4d5e6f7},
		{BfeU64(0xfffffffe, 0x100, 0x21), 0},
		{uint64(BfeS64(s(a), 260, 8)), 0xffffffffffffffff},
		{uint64(BfeS64(s(a), 260, 300)), 0xffffffffffffffff},
		{uint64(BfeS64(0x7fffffffffffffff, 0, 0x104)), 0x7fffffffffffffff},
		{uint64(BfeS64(0x80000000, 0x1f, 0x101)), 1},
		{uint64(BfeS64(s(0xffffffff00000000), 0x41, 0x80000000)), 0xffffffffffffffff},
		{Bfi64(0x123456789abcdef0, 1<<64-1, 260, 8), 0xffffffffffffffff},
		{Bfi64(0x123456789abcdef0, 1<<64-1, 8, 256), 0x3456789abcdef0ff},
		{Bfi64(0x80000000, 0x7fffffff, 0x100, 0x101), 0x7fffffff},
		{Bfi64(0x7f, 1, 0x101, 1), 1},
		// The 32-bit forms cut position and length.
		{uint64(BfeU32(0xfedcba98, 260, 8)), 0xa9},
		{uint64(uint32(BfeS32(s32(0xfedcba98), 260, 300))), 0xffedcba9},
		{uint64(Bfi32(0x9abcdef0, 1<<32-1, 260, 300)), 0xabcdef0f},
		{uint64(DivU32(7, 0)), 0xffffffff}, {uint64(RemU32(7, 0)), 0xffffffff},
		{uint64(uint32(DivS32(-7, 0))), 0xffffffff}, {uint64(uint32(RemS32(-7, 0))), 0xffffffff},
	} {
		if c.got != c.want {
			t.Errorf("%d: %#x, ptxas has %#x", i, c.got, c.want)
		}
	}
}

func s32(v uint32) int32 { return int32(v) }
