package num

import "testing"

// TestUndefRules compares the rules of undefined bits with brute force for operands of four bits: a
// bit of the result is undefined if two choices of the undefined bits make it differ.
func TestUndefRules(t *testing.T) {
	t.Parallel()
	const n, top = 4, 1<<4 - 1
	sign := func(x uint32) int32 { return int32(x<<28) >> 28 }
	bit := func(b bool) uint32 { return B2U32(b) }
	ext := func(x uint32) uint32 { return uint32(sign(x)) }
	for _, c := range []struct {
		name  string
		op    func(a, b uint32) uint32
		rule  func(a, ua, b, ub uint32) uint32
		exact bool
	}{
		{"and", func(a, b uint32) uint32 { return a & b }, UndefAnd32, true},
		{"or", func(a, b uint32) uint32 { return a | b }, func(a, ua, b, ub uint32) uint32 { return UndefAnd32(^a, ua, ^b, ub) & top }, true},
		{"eq", func(a, b uint32) uint32 { return bit(a == b) }, func(a, ua, b, ub uint32) uint32 { return bit(UndefEq32(a, ua, b, ub)) }, true},
		{"ltu", func(a, b uint32) uint32 { return bit(a < b) }, func(a, ua, b, ub uint32) uint32 { return bit(UndefLtU32(a, ua, b, ub)) }, true},
		// The sign and its copies are one bit. The rule treats them as independent, and must report
		// at least as many undefined bits.
		{"lts", func(a, b uint32) uint32 { return bit(sign(a) < sign(b)) }, func(a, ua, b, ub uint32) uint32 { return bit(UndefLtS32(a<<28, ua<<28, b<<28, ub<<28)) }, true},
		{"ges", func(a, b uint32) uint32 { return bit(sign(a) >= sign(b)) }, func(a, ua, b, ub uint32) uint32 { return bit(UndefLtS32(ext(a), ext(ua), ext(b), ext(ub))) }, false},
		{"add", func(a, b uint32) uint32 { return (a + b) & top }, func(_, ua, _, ub uint32) uint32 { return UndefCarry32(ua, ub) & top }, false},
		{"sub", func(a, b uint32) uint32 { return (a - b) & top }, func(_, ua, _, ub uint32) uint32 { return UndefCarry32(ua, ub) & top }, false},
		{"mul", func(a, b uint32) uint32 { return (a * b) & top }, func(_, ua, _, ub uint32) uint32 { return UndefCarry32(ua, ub) & top }, false},
		{"rem", func(a, b uint32) uint32 { return RemU32(a, b) & top }, func(_, ua, _, ub uint32) uint32 { return UndefAny32(ua, ub) & top }, false},
	} {
		spared := 0
		for x := range uint32(1) << (4 * n) {
			a, ua, b, ub := x&top, x>>n&top, x>>(2*n)&top, x>>(3*n)
			if a&ua != 0 || b&ub != 0 {
				continue // the undefined bits are 0 here; other values follow below
			}
			first, differ := c.op(a, b), uint32(0)
			for i := ua; ; i = (i - 1) & ua {
				for j := ub; ; j = (j - 1) & ub {
					differ |= first ^ c.op(a|i, b|j)
					if j == 0 {
						break
					}
				}
				if i == 0 {
					break
				}
			}
			for _, v := range [][2]uint32{{a, b}, {a | ua, b | ub}, {a | ua, b}} {
				got := c.rule(v[0], ua, v[1], ub)
				if got&differ != differ || c.exact && got != differ {
					t.Fatalf("%s: a %04b undefined %04b, b %04b undefined %04b: %04b, want %04b", c.name, v[0], ua, v[1], ub, got, differ)
				}
				if got != top && got != 1 && got != 0 {
					spared++
				}
			}
		}
		if spared == 0 && (c.name == "add" || c.name == "mul") {
			t.Errorf("%s: nothing is told apart", c.name)
		}
	}
}

// TestUndefWidths checks that the rules for the remaining widths agree with those for 32 bits.
func TestUndefWidths(t *testing.T) {
	t.Parallel()
	x := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 { x = x*6364136223846793005 + 1442695040888963407; return x >> 20 & (x >> 9) & 0xffff }
	for range 2000 {
		a, ua, b, ub := next(), next(), next(), next()
		h, s := func(v uint64) uint16 { return uint16(v) }, func(v uint64) uint32 { return uint32(v) }
		hi := func(v uint64) uint64 { return v << 48 }
		ok := UndefAnd16(h(a), h(ua), h(b), h(ub)) == h(uint64(UndefAnd32(s(a), s(ua), s(b), s(ub)))) &&
			UndefAnd64(a, ua, b, ub) == uint64(UndefAnd32(s(a), s(ua), s(b), s(ub))) &&
			UndefCarry16(h(ua), h(ub)) == h(uint64(UndefCarry32(s(ua), s(ub)))) &&
			uint32(UndefCarry64(ua, ub)) == UndefCarry32(s(ua), s(ub)) &&
			(UndefAny16(h(ua), h(ub)) != 0) == (UndefAny32(s(ua), s(ub)) != 0) && (UndefAny64(hi(ua), 0) == ^uint64(0)) == (ua != 0) &&
			UndefEq16(h(a), h(ua), h(b), h(ub)) == UndefEq32(s(a), s(ua), s(b), s(ub)) && UndefEq64(hi(a), hi(ua), hi(b), hi(ub)) == UndefEq32(s(a), s(ua), s(b), s(ub)) &&
			UndefLtU16(h(a), h(ua), h(b), h(ub)) == UndefLtU32(s(a), s(ua), s(b), s(ub)) && UndefLtU64(hi(a), hi(ua), hi(b), hi(ub)) == UndefLtU32(s(a), s(ua), s(b), s(ub)) &&
			UndefLtS64(hi(a), hi(ua), hi(b), hi(ub)) == UndefLtS16(h(a), h(ua), h(b), h(ub)) && UndefLtS32(s(a)<<16, s(ua)<<16, s(b)<<16, s(ub)<<16) == UndefLtS16(h(a), h(ua), h(b), h(ub)) &&
			UndefSel16(h(a), h(ua), h(b), h(ub)) == h(a)^h(b)|h(ua)|h(ub) && UndefSel32(s(a), s(ua), s(b), s(ub)) == s(a)^s(b)|s(ua)|s(ub) && UndefSel64(a, ua, b, ub) == a^b|ua|ub
		if !ok {
			t.Fatalf("a %#x undefined %#x, b %#x undefined %#x", a, ua, b, ub)
		}
	}
	for v := range 16 {
		if a, ua, b, ub := v&1 != 0, v&2 != 0, v&4 != 0, v&8 != 0; UndefAndP(a, ua, b, ub) != (UndefAnd32(B2U32(a), B2U32(ua), B2U32(b), B2U32(ub)) != 0) {
			t.Fatal(v)
		}
	}
}
