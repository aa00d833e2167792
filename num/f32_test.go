package num

import (
	"math/rand/v2"
	"testing"
)

type f32Case struct {
	name string
	mode RoundMode
	fn   func(a, b, c float32) float32
	ref  func(mode RoundMode, a, b, c uint64) (uint64, bool)
}

func two(f func(a, b float32) float32) func(a, b, c float32) float32 {
	return func(a, b, _ float32) float32 { return f(a, b) }
}
func one(f func(a float32) float32) func(a, b, c float32) float32 {
	return func(a, _, _ float32) float32 { return f(a) }
}

func f32Cases() []f32Case {
	const oneBits = 0x3f800000
	add := func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF32.refFma(m, a, oneBits, b) }
	sub := func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF32.refFma(m, a, oneBits, b^1<<31) }
	mul := func(m RoundMode, a, b, _ uint64) (uint64, bool) {
		return refF32.refFma(m, a, b, (a^b)&(1<<31))
	}
	div := func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF32.refDiv(m, a, b) }
	rcp := func(m RoundMode, a, _, _ uint64) (uint64, bool) { return refF32.refDiv(m, oneBits, a) }
	sqrt := func(m RoundMode, a, _, _ uint64) (uint64, bool) { return refF32.refSqrt(m, a) }
	return []f32Case{
		{"AddF32", RN, two(AddF32), add}, {"AddF32RZ", RZ, two(AddF32RZ), add},
		{"AddF32RM", RM, two(AddF32RM), add}, {"AddF32RP", RP, two(AddF32RP), add},
		{"SubF32", RN, two(SubF32), sub}, {"SubF32RZ", RZ, two(SubF32RZ), sub},
		{"SubF32RM", RM, two(SubF32RM), sub}, {"SubF32RP", RP, two(SubF32RP), sub},
		{"MulF32", RN, two(MulF32), mul}, {"MulF32RZ", RZ, two(MulF32RZ), mul},
		{"MulF32RM", RM, two(MulF32RM), mul}, {"MulF32RP", RP, two(MulF32RP), mul},
		{"DivF32", RN, two(DivF32), div}, {"DivF32RZ", RZ, two(DivF32RZ), div},
		{"DivF32RM", RM, two(DivF32RM), div}, {"DivF32RP", RP, two(DivF32RP), div},
		{"RcpF32", RN, one(RcpF32), rcp}, {"RcpF32RZ", RZ, one(RcpF32RZ), rcp},
		{"RcpF32RM", RM, one(RcpF32RM), rcp}, {"RcpF32RP", RP, one(RcpF32RP), rcp},
		{"SqrtF32", RN, one(SqrtF32), sqrt}, {"SqrtF32RZ", RZ, one(SqrtF32RZ), sqrt},
		{"SqrtF32RM", RM, one(SqrtF32RM), sqrt}, {"SqrtF32RP", RP, one(SqrtF32RP), sqrt},
		{"FmaF32", RN, FmaF32, refF32.refFma}, {"FmaF32RZ", RZ, FmaF32RZ, refF32.refFma},
		{"FmaF32RM", RM, FmaF32RM, refF32.refFma}, {"FmaF32RP", RP, FmaF32RP, refF32.refFma},
	}
}

func (c f32Case) check(t *testing.T, x, y, z uint64) bool {
	want, nan := c.ref(c.mode, x, y, z)
	if nan {
		want = 0x7fffffff
	}
	if got := b32(c.fn(f32(uint32(x)), f32(uint32(y)), f32(uint32(z)))); uint64(got) != want {
		t.Errorf("%s(%#08x, %#08x, %#08x) = %#08x, want %#08x", c.name, x, y, z, got, want)
		return false
	}
	return true
}

func TestF32Arithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range f32Cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edges := refF32.edges()
			for _, x := range edges {
				for _, y := range edges {
					if !c.check(t, x, y, edges[(x^y)%uint64(len(edges))]) {
						return
					}
				}
			}
			r := rng(7)
			for range count(40_000, 2_000_000) {
				x := refF32.random(r, 127<<23)
				y := refF32.random(r, x)
				if !c.check(t, x, y, refF32.random(r, y)) {
					return
				}
			}
		})
	}
}

// TestFmaF32Hard checks for double rounding. Its products and sums have an f64 sum that is the
// midpoint of two f32 numbers, with a tiny remainder of either sign.
func TestFmaF32Hard(t *testing.T) {
	t.Parallel()
	c := f32Case{"FmaF32", RN, FmaF32, refF32.refFma}
	r := rng(11)
	for range count(40_000, 10_000_000) {
		x := uint64(127)<<23 | r.Uint64()&0x7fffff
		y := uint64(127)<<23 | 1<<uint(r.IntN(23)) | r.Uint64()&1<<22
		z := r.Uint64()&(1<<31) | uint64(127+r.IntN(60)-20)<<23 | 1<<uint(r.IntN(23))
		switch r.IntN(4) {
		case 3: // product (1 + 2^-23)(1 - 2^-23) = 1 - 2^-46 half units of z
			x, y, z = refF32.hardFma(r)
		case 0: // product tiny against z
			x -= uint64(r.IntN(60)) << 23
		case 1: // subnormal results
			x -= uint64(100+r.IntN(27)) << 23
			y -= uint64(r.IntN(60)) << 23
			z = r.Uint64()&(1<<31) | r.Uint64()&0x1ffffff
		}
		if !c.check(t, x, y, z) {
			return
		}
	}
}

// TestFmaF32Soft compares the fast path with the integer implementation.
func TestFmaF32Soft(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	f := FormatF32()
	for range count(1_000_000, 200_000_000) {
		x, y, z := r.Uint32(), r.Uint32(), r.Uint32()
		want := f.Fma(RN, uint64(x), uint64(y), uint64(z))
		if got := b32(FmaF32(f32(x), f32(y), f32(z))); uint64(got) != want {
			t.Fatalf("FmaF32(%#08x, %#08x, %#08x) = %#08x, want %#08x", x, y, z, got, want)
		}
	}
}

func TestF32Modifiers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"Flush(-subnormal)", b32(FlushF32(f32(0x80000001))), 0x80000000},
		{"Flush(subnormal)", b32(FlushF32(f32(0x007fffff))), 0},
		{"Flush(min normal)", b32(FlushF32(f32(0x00800000))), 0x00800000},
		{"Flush(NaN)", b32(FlushF32(f32(0x7f800001))), 0x7f800001},
		{"Sat(NaN)", b32(SatF32(f32(0x7fc00000))), 0},
		{"Sat(-inf)", b32(SatF32(f32(0xff800000))), 0},
		{"Sat(2)", b32(SatF32(2)), 0x3f800000},
		{"Sat(0.25)", b32(SatF32(0.25)), 0x3e800000},
		// 2^-126 - 2^-149 is subnormal: it is flushed after rounding, not before.
		{"AddFtz result", b32(AddF32Ftz(f32(0x00800001), f32(0x80800000))), 0},
		{"AddFtz negative result", b32(AddF32Ftz(f32(0x80800001), f32(0x00800000))), 0x80000000},
		{"AddFtz input", b32(AddF32Ftz(f32(0x00400000), f32(0x00c00000))), 0x00c00000},
		{"MulFtz", b32(MulF32Ftz(f32(0x00400000), f32(0x7f000000))), 0},
		{"AddSat", b32(AddF32Sat(0.75, 0.75)), 0x3f800000},
		{"FmaSat NaN", b32(FmaF32Sat(f32(0x7f800000), 0, 1)), 0},
		{"FmaFtzSat", b32(FmaF32FtzSat(0.5, 0.5, 0.25)), 0x3f000000},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#08x, want %#08x", c.name, c.got, c.want)
		}
	}
}

// refMin is min_num of PTX 9.7.3.11 on bits, with sign-magnitude comparison.
func refMin(x, y uint32, greater bool) uint32 {
	xnan, ynan := x&0x7fffffff > 0x7f800000, y&0x7fffffff > 0x7f800000
	less := func(x, y uint32) bool { // -0.0 < +0.0
		if x>>31 != y>>31 {
			return x>>31 == 1
		}
		return x != y && (x < y) == (x>>31 == 0)
	}
	switch {
	case xnan && ynan:
		return 0x7fffffff
	case xnan:
		return y
	case ynan:
		return x
	case less(x, y) != greater:
		return x
	}
	return y
}

func TestMinMaxCompareF32(t *testing.T) {
	t.Parallel()
	edges := refF32.edges()
	r := rng(5)
	for i := range 200_000 {
		x, y := uint32(refF32.random(r, 127<<23)), uint32(refF32.random(r, 127<<23))
		if i < len(edges)*len(edges) {
			x, y = uint32(edges[i%len(edges)]), uint32(edges[i/len(edges)])
		}
		a, b := f32(x), f32(y)
		if got, want := b32(MinF32(a, b)), refMin(x, y, false); got != want {
			t.Fatalf("MinF32(%#x, %#x) = %#x, want %#x", x, y, got, want)
		}
		if got, want := b32(MaxF32(a, b)), refMin(x, y, true); got != want {
			t.Fatalf("MaxF32(%#x, %#x) = %#x, want %#x", x, y, got, want)
		}
		nan := x&0x7fffffff > 0x7f800000 || y&0x7fffffff > 0x7f800000
		if got := b32(MinNaNF32(a, b)); nan && got != 0x7fffffff || !nan && got != refMin(x, y, false) {
			t.Fatalf("MinNaNF32(%#x, %#x) = %#x", x, y, got)
		}
		// The integer keys of the values have the order of the numbers.
		key := func(u uint32) int64 {
			if u>>31 == 1 {
				return -int64(u & 0x7fffffff)
			}
			return int64(u)
		}
		kx, ky := key(x), key(y)
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"Eq", EqF32(a, b), !nan && kx == ky}, {"Ne", NeF32(a, b), !nan && kx != ky},
			{"Lt", LtF32(a, b), !nan && kx < ky}, {"Le", LeF32(a, b), !nan && kx <= ky},
			{"Gt", GtF32(a, b), !nan && kx > ky}, {"Ge", GeF32(a, b), !nan && kx >= ky},
			{"Equ", EquF32(a, b), nan || kx == ky}, {"Neu", NeuF32(a, b), nan || kx != ky},
			{"Ltu", LtuF32(a, b), nan || kx < ky}, {"Leu", LeuF32(a, b), nan || kx <= ky},
			{"Gtu", GtuF32(a, b), nan || kx > ky}, {"Geu", GeuF32(a, b), nan || kx >= ky},
			{"Num", NumF32(a, b), !nan}, {"Nan", NanF32(a, b), nan},
			{"testp.finite", IsFiniteF32(a), x>>23&0xff != 255},
			{"testp.normal", IsNormalF32(a), x<<1 == 0 || x>>23&0xff != 255 && x>>23&0xff != 0},
			{"testp.subnormal", IsSubnormalF32(a), x>>23&0xff == 0 && x<<1 != 0},
			{"testp.infinite", IsInfF32(a), x&0x7fffffff == 0x7f800000},
		} {
			if c.got != c.want {
				t.Fatalf("%s(%#x, %#x) = %v", c.name, x, y, c.got)
			}
		}
	}
}
