package num

import (
	"math"
	"math/big"
	"testing"

	"example.org/crosslane/internal/short"
)

// TestF16Exhaustive compares every f16 and bf16 value with the reference decoder and rounding, for
// all functions with one operand.
func TestF16Exhaustive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ref   refFormat
		toF32 func(uint16) float32
		from  func(float32) uint16
		ints  map[RoundMode]func(uint16) uint16
	}{
		{"f16", refF16, CvtF32FromF16, CvtF16FromF32, map[RoundMode]func(uint16) uint16{RN: RndneF16, RZ: TruncF16, RM: FloorF16, RP: CeilF16}},
		{"bf16", refBF16, CvtF32FromBF16, CvtBF16FromF32, map[RoundMode]func(uint16) uint16{RN: RndneBF16, RZ: TruncBF16, RM: FloorBF16, RP: CeilBF16}},
	} {
		for v := uint32(0); v < 0x10000; v += short.Of(uint32(1), 5) {
			h := uint16(v)
			x, neg, inf, nan := c.ref.value(uint64(v), 200)
			got := c.toF32(h)
			switch {
			case nan:
				if got == got {
					t.Fatalf("%s %#x is not NaN", c.name, v)
				}
				if c.from(got) != 0x7fff {
					t.Fatalf("%s NaN %#x back gives %#x", c.name, v, c.from(got))
				}
				continue
			case inf:
				if !math.IsInf(float64(got), map[bool]int{true: -1, false: 1}[neg]) {
					t.Fatalf("%s %#x = %v", c.name, v, got)
				}
			default:
				want, _ := x.Float64()
				if float64(got) != want || math.Signbit(float64(got)) != neg {
					t.Fatalf("%s %#x = %v, want %v", c.name, v, got, want)
				}
			}
			if back := c.from(got); back != h {
				t.Fatalf("%s %#x there and back gives %#x", c.name, v, back)
			}
			if inf {
				continue
			}
			for mode, fn := range c.ints {
				want := uint64(h) & 0x8000
				if i := refInt(mode, x); i.Sign() != 0 {
					want = c.ref.refRound(RN, new(big.Float).SetPrec(200).SetInt(i))
				}
				if got := fn(h); uint64(got) != want {
					t.Fatalf("%s %#x to integer %s: %#x, want %#x", c.name, v, modeNames[mode], got, want)
				}
			}
		}
	}
}

// refInt rounds x to an integer.
func refInt(mode RoundMode, x *big.Float) *big.Int {
	i, acc := x.Int(nil) // toward zero
	if acc == big.Exact {
		return i
	}
	rest := new(big.Float).SetPrec(x.Prec()).Sub(x, new(big.Float).SetInt(i))
	half := new(big.Float).Abs(rest).Cmp(big.NewFloat(0.5))
	away := mode == RM && x.Sign() < 0 || mode == RP && x.Sign() > 0 ||
		mode == RN && (half > 0 || half == 0 && i.Bit(0) == 1)
	if away {
		i.Add(i, big.NewInt(int64(x.Sign())))
	}
	return i
}

func TestF16Arithmetic(t *testing.T) {
	t.Parallel()
	r := rng(21)
	for _, c := range []struct {
		name               string
		ref                refFormat
		one                uint64
		add, sub, mul      func(a, b uint16) uint16
		fma                func(a, b, c uint16) uint16
		fmin, fmax         func(a, b uint16) uint16
		inf                uint16
		lt, geu, eq, unord func(a, b uint16) bool
	}{
		{"f16", refF16, 0x3c00, AddF16, SubF16, MulF16, FmaF16, MinF16, MaxF16, 0x7c00, LtF16, GeuF16, EqF16, NanF16},
		{"bf16", refBF16, 0x3f80, AddBF16, SubBF16, MulBF16, FmaBF16, MinBF16, MaxBF16, 0x7f80, LtBF16, GeuBF16, EqBF16, NanBF16},
	} {
		edges := c.ref.edges()
		for i := range len(edges)*len(edges) + count(30_000, 20_000_000) {
			x := c.ref.random(r, c.one)
			y := c.ref.random(r, x)
			z := c.ref.random(r, y)
			switch {
			case i < len(edges)*len(edges):
				x, y, z = edges[i%len(edges)], edges[i/len(edges)], edges[r.IntN(len(edges))]
			case i%4 == 0:
				x, y, z = c.ref.hardFma(r)
			}
			a, b, d := uint16(x), uint16(y), uint16(z)
			for _, op := range []struct {
				name string
				got  uint16
				ref  func() (uint64, bool)
			}{
				{"add", c.add(a, b), func() (uint64, bool) { return c.ref.refFma(RN, x, c.one, y) }},
				{"sub", c.sub(a, b), func() (uint64, bool) { return c.ref.refFma(RN, x, c.one, y^0x8000) }},
				{"mul", c.mul(a, b), func() (uint64, bool) { return c.ref.refFma(RN, x, y, (x^y)&0x8000) }},
				{"fma", c.fma(a, b, d), func() (uint64, bool) { return c.ref.refFma(RN, x, y, z) }},
			} {
				want, nan := op.ref()
				if nan {
					want = 0x7fff
				}
				if uint64(op.got) != want {
					t.Fatalf("%s.%s(%#x, %#x, %#x) = %#x, want %#x", op.name, c.name, x, y, z, op.got, want)
				}
			}
			an, bn := a&0x7fff > c.inf, b&0x7fff > c.inf
			key := func(v uint16) int {
				if v >= 0x8000 {
					return -int(v & 0x7fff)
				}
				return int(v)
			}
			ka, kb := key(a), key(b)
			lo, hi := a, b
			if kb < ka || kb == ka && b >= 0x8000 {
				lo, hi = b, a
			}
			switch {
			case an && bn:
				lo, hi = 0x7fff, 0x7fff
			case an:
				lo, hi = b, b
			case bn:
				lo, hi = a, a
			}
			if c.fmin(a, b) != lo || c.fmax(a, b) != hi {
				t.Fatalf("%s min, max(%#x, %#x) = %#x, %#x, want %#x, %#x", c.name, a, b, c.fmin(a, b), c.fmax(a, b), lo, hi)
			}
			nan := an || bn
			if c.lt(a, b) != (!nan && ka < kb) || c.geu(a, b) != (nan || ka >= kb) || c.eq(a, b) != (!nan && ka == kb) || c.unord(a, b) != nan {
				t.Fatalf("%s comparisons of %#x and %#x", c.name, a, b)
			}
		}
	}
	// Packed forms: each half has its own operands.
	if got := AddF16x2(0x3c00_4000, 0x3c00_3c00); got != 0x4000_4200 {
		t.Errorf("AddF16x2 = %#x", got)
	}
	if got := FmaBF16x2(0x3f80_4000, 0x4000_4000, 0x0000_3f80); got != 0x4000_40a0 {
		t.Errorf("FmaBF16x2 = %#x", got)
	}
	if got := FmaF16Relu(0xbc00, 0x3c00, 0); got != 0 {
		t.Errorf("FmaF16Relu = %#x", got)
	}
	if got := AddF16FtzSat(0x0001, 0x8002); got != 0 {
		t.Errorf("AddF16FtzSat = %#x", got)
	}
	if got := CvtF16x2FromF32(1, 2); got != 0x3c00_4000 { // a in the upper half
		t.Errorf("CvtF16x2FromF32 = %#x", got)
	}
}

// TestNarrowing checks float to float conversions in every rounding mode.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	u32 := func(f func(float32) uint16) func(uint64) uint64 {
		return func(v uint64) uint64 { return uint64(f(f32(uint32(v)))) }
	}
	u64 := func(f func(float64) uint16) func(uint64) uint64 {
		return func(v uint64) uint64 { return uint64(f(f64(v))) }
	}
	d := func(f func(float64) float32) func(uint64) uint64 {
		return func(v uint64) uint64 { return uint64(b32(f(f64(v)))) }
	}
	for _, c := range []struct {
		name     string
		from, to refFormat
		nan      uint64
		fn       [4]func(uint64) uint64
	}{
		{"f16.f32", refF32, refF16, 0x7fff, [4]func(uint64) uint64{u32(CvtF16FromF32), u32(CvtF16FromF32RZ), u32(CvtF16FromF32RM), u32(CvtF16FromF32RP)}},
		{"bf16.f32", refF32, refBF16, 0x7fff, [4]func(uint64) uint64{u32(CvtBF16FromF32), u32(CvtBF16FromF32RZ), u32(CvtBF16FromF32RM), u32(CvtBF16FromF32RP)}},
		{"f16.f64", refF64, refF16, 0x7fff, [4]func(uint64) uint64{u64(CvtF16FromF64), u64(CvtF16FromF64RZ), u64(CvtF16FromF64RM), u64(CvtF16FromF64RP)}},
		{"bf16.f64", refF64, refBF16, 0x7fff, [4]func(uint64) uint64{u64(CvtBF16FromF64), u64(CvtBF16FromF64RZ), u64(CvtBF16FromF64RM), u64(CvtBF16FromF64RP)}},
		{"f32.f64", refF64, refF32, 0x7fffffff, [4]func(uint64) uint64{d(CvtF32FromF64), d(CvtF32FromF64RZ), d(CvtF32FromF64RM), d(CvtF32FromF64RP)}},
	} {
		r := rng(23)
		edges := c.from.edges()
		man := c.from.p - 1
		for i := range 4*len(edges) + count(50_000, 10_000_000) {
			// Exponents within the destination's range, and its tie patterns.
			e := c.to.emin - c.to.p - 2 + r.IntN(c.to.emax-c.to.emin+c.to.p+5)
			v := uint64(max(0, e-c.from.emin+1))<<man | r.Uint64()&(1<<man-1)
			if r.IntN(2) == 0 {
				v = v &^ (1<<r.IntN(man) - 1)
			}
			v |= r.Uint64() & (1 << (c.from.width - 1))
			if i < 4*len(edges) {
				v = edges[i/4]
			}
			mode := RoundMode(i % 4)
			x, neg, inf, nan := c.from.value(v, 100)
			var want uint64
			switch {
			case inf:
				want = (uint64(1)<<(c.to.width-c.to.p) - 1) << (c.to.p - 1)
			case !nan && x.Sign() != 0:
				want = c.to.refRound(mode, x)
			}
			if neg {
				want |= 1 << (c.to.width - 1)
			}
			if nan {
				want = c.nan
			}
			if got := c.fn[mode](v); got != want {
				t.Fatalf("cvt.%s.%s(%#x) = %#x, want %#x", modeNames[mode], c.name, v, got, want)
			}
		}
	}
}

// TestFloatToInt checks PTX 9.7.9.22: rounding, clamping and NaN.
func TestFloatToInt(t *testing.T) {
	t.Parallel()
	f32s := func(f func(float32) int32) func(uint64) uint64 {
		return func(v uint64) uint64 { return uint64(uint32(f(f32(uint32(v))))) }
	}
	for _, c := range []struct {
		name   string
		from   refFormat
		width  uint
		signed bool
		fn     [4]func(uint64) uint64
	}{
		{"s32.f32", refF32, 32, true, [4]func(uint64) uint64{f32s(CvtS32FromF32RNI), f32s(CvtS32FromF32RZI), f32s(CvtS32FromF32RMI), f32s(CvtS32FromF32RPI)}},
		{"u32.f32", refF32, 32, false, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(CvtU32FromF32RNI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtU32FromF32RZI(f32(uint32(v)))) },
			func(v uint64) uint64 { return uint64(CvtU32FromF32RMI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtU32FromF32RPI(f32(uint32(v)))) }}},
		{"u8.f32", refF32, 8, false, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(CvtU8FromF32RNI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtU8FromF32RZI(f32(uint32(v)))) },
			func(v uint64) uint64 { return uint64(CvtU8FromF32RMI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtU8FromF32RPI(f32(uint32(v)))) }}},
		{"s16.f64", refF64, 16, true, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(uint16(CvtS16FromF64RNI(f64(v)))) }, func(v uint64) uint64 { return uint64(uint16(CvtS16FromF64RZI(f64(v)))) },
			func(v uint64) uint64 { return uint64(uint16(CvtS16FromF64RMI(f64(v)))) }, func(v uint64) uint64 { return uint64(uint16(CvtS16FromF64RPI(f64(v)))) }}},
		{"s64.f32", refF32, 64, true, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(CvtS64FromF32RNI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtS64FromF32RZI(f32(uint32(v)))) },
			func(v uint64) uint64 { return uint64(CvtS64FromF32RMI(f32(uint32(v)))) }, func(v uint64) uint64 { return uint64(CvtS64FromF32RPI(f32(uint32(v)))) }}},
		{"u64.f64", refF64, 64, false, [4]func(uint64) uint64{
			func(v uint64) uint64 { return CvtU64FromF64RNI(f64(v)) }, func(v uint64) uint64 { return CvtU64FromF64RZI(f64(v)) },
			func(v uint64) uint64 { return CvtU64FromF64RMI(f64(v)) }, func(v uint64) uint64 { return CvtU64FromF64RPI(f64(v)) }}},
		{"s64.f64", refF64, 64, true, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(CvtS64FromF64RNI(f64(v))) }, func(v uint64) uint64 { return uint64(CvtS64FromF64RZI(f64(v))) },
			func(v uint64) uint64 { return uint64(CvtS64FromF64RMI(f64(v))) }, func(v uint64) uint64 { return uint64(CvtS64FromF64RPI(f64(v))) }}},
		{"s32.f16", refF16, 32, true, [4]func(uint64) uint64{
			func(v uint64) uint64 { return uint64(uint32(CvtS32FromF16RNI(uint16(v)))) }, func(v uint64) uint64 { return uint64(uint32(CvtS32FromF16RZI(uint16(v)))) },
			func(v uint64) uint64 { return uint64(uint32(CvtS32FromF16RMI(uint16(v)))) }, func(v uint64) uint64 { return uint64(uint32(CvtS32FromF16RPI(uint16(v)))) }}},
		{"u64.bf16", refBF16, 64, false, [4]func(uint64) uint64{
			func(v uint64) uint64 { return CvtU64FromBF16RNI(uint16(v)) }, func(v uint64) uint64 { return CvtU64FromBF16RZI(uint16(v)) },
			func(v uint64) uint64 { return CvtU64FromBF16RMI(uint16(v)) }, func(v uint64) uint64 { return CvtU64FromBF16RPI(uint16(v)) }}},
	} {
		r := rng(25)
		edges := c.from.edges()
		lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), c.width)
		if c.signed {
			hi.Rsh(hi, 1)
			lo.Neg(hi)
		}
		hi.Sub(hi, big.NewInt(1))
		man := c.from.p - 1
		for i := range 4*len(edges) + count(20_000, 5_000_000) {
			e := min(r.IntN(int(c.width)+6)-4, c.from.emax)
			v := uint64(e-c.from.emin+1)<<man | r.Uint64()&(1<<man-1)
			if r.IntN(2) == 0 {
				v = v &^ (1<<r.IntN(man) - 1)
			}
			v |= r.Uint64() & (1 << (c.from.width - 1))
			if i < 4*len(edges) {
				v = edges[i/4]
			}
			mode := RoundMode(i % 4)
			x, neg, inf, nan := c.from.value(v, 100)
			var want uint64
			switch {
			case nan:
				if c.from.width == 64 || c.width == 64 {
					want = 1 << (c.width - 1)
				}
			case inf && neg:
				want = wrap(lo, c.width)
			case inf:
				want = wrap(hi, c.width)
			default:
				n := refInt(mode, x)
				if n.Cmp(lo) < 0 {
					n = lo
				}
				if n.Cmp(hi) > 0 {
					n = hi
				}
				want = wrap(n, c.width)
			}
			if got := c.fn[mode](v); got != want {
				t.Fatalf("cvt.%si.%s(%#x) = %#x, want %#x", modeNames[mode], c.name, v, got, want)
			}
		}
	}
}

// TestIntToFloat checks rounding of integers in every mode.
func TestIntToFloat(t *testing.T) {
	t.Parallel()
	r := rng(27)
	for i := range count(30_000, 5_000_000) {
		v := pick64(r)
		if i%2 == 0 { // near a tie of a 24-bit or 53-bit mantissa
			n := 24 + r.IntN(40)
			v = v>>(63-n)<<1 | 1
			v <<= r.IntN(64 - min(63, n))
		}
		for _, c := range []struct {
			name string
			to   refFormat
			x    *big.Int
			got  [4]uint64
		}{
			{"f32.u64", refF32, bigU(v), [4]uint64{uint64(b32(CvtF32FromU64(v))), uint64(b32(CvtF32FromU64RZ(v))), uint64(b32(CvtF32FromU64RM(v))), uint64(b32(CvtF32FromU64RP(v)))}},
			{"f32.s64", refF32, bigS(int64(v)), [4]uint64{uint64(b32(CvtF32FromS64(int64(v)))), uint64(b32(CvtF32FromS64RZ(int64(v)))), uint64(b32(CvtF32FromS64RM(int64(v)))), uint64(b32(CvtF32FromS64RP(int64(v))))}},
			{"f32.u32", refF32, bigU(uint64(uint32(v))), [4]uint64{uint64(b32(CvtF32FromU32(uint32(v)))), uint64(b32(CvtF32FromU32RZ(uint32(v)))), uint64(b32(CvtF32FromU32RM(uint32(v)))), uint64(b32(CvtF32FromU32RP(uint32(v))))}},
			{"f32.s32", refF32, bigS(int64(int32(v))), [4]uint64{uint64(b32(CvtF32FromS32(int32(v)))), uint64(b32(CvtF32FromS32RZ(int32(v)))), uint64(b32(CvtF32FromS32RM(int32(v)))), uint64(b32(CvtF32FromS32RP(int32(v))))}},
			{"f64.u64", refF64, bigU(v), [4]uint64{b64(CvtF64FromU64(v)), b64(CvtF64FromU64RZ(v)), b64(CvtF64FromU64RM(v)), b64(CvtF64FromU64RP(v))}},
			{"f64.s64", refF64, bigS(int64(v)), [4]uint64{b64(CvtF64FromS64(int64(v))), b64(CvtF64FromS64RZ(int64(v))), b64(CvtF64FromS64RM(int64(v))), b64(CvtF64FromS64RP(int64(v)))}},
			{"f64.s32", refF64, bigS(int64(int32(v))), [4]uint64{b64(CvtF64FromS32(int32(v))), b64(CvtF64FromS32RZ(int32(v))), b64(CvtF64FromS32RM(int32(v))), b64(CvtF64FromS32RP(int32(v)))}},
			{"f16.u32", refF16, bigU(uint64(uint32(v))), [4]uint64{uint64(CvtF16FromU32(uint32(v))), uint64(CvtF16FromU32RZ(uint32(v))), uint64(CvtF16FromU32RM(uint32(v))), uint64(CvtF16FromU32RP(uint32(v)))}},
			{"f16.s16", refF16, bigS(int64(int16(v))), [4]uint64{uint64(CvtF16FromS16(int16(v))), uint64(CvtF16FromS16RZ(int16(v))), uint64(CvtF16FromS16RM(int16(v))), uint64(CvtF16FromS16RP(int16(v)))}},
			{"f16.s8", refF16, bigS(int64(int8(v))), [4]uint64{uint64(CvtF16FromS8(int8(v))), uint64(CvtF16FromS8RZ(int8(v))), uint64(CvtF16FromS8RM(int8(v))), uint64(CvtF16FromS8RP(int8(v)))}},
			{"bf16.s64", refBF16, bigS(int64(v)), [4]uint64{uint64(CvtBF16FromS64(int64(v))), uint64(CvtBF16FromS64RZ(int64(v))), uint64(CvtBF16FromS64RM(int64(v))), uint64(CvtBF16FromS64RP(int64(v)))}},
			{"bf16.u8", refBF16, bigU(uint64(uint8(v))), [4]uint64{uint64(CvtBF16FromU8(uint8(v))), uint64(CvtBF16FromU8RZ(uint8(v))), uint64(CvtBF16FromU8RM(uint8(v))), uint64(CvtBF16FromU8RP(uint8(v)))}},
		} {
			mode := RoundMode(r.IntN(4))
			var want uint64
			if c.x.Sign() != 0 {
				want = c.to.refRound(mode, new(big.Float).SetInt(c.x))
			}
			if c.got[mode] != want {
				t.Fatalf("cvt.%s.%s(%v) = %#x, want %#x", modeNames[mode], c.name, c.x, c.got[mode], want)
			}
		}
	}
}

func TestConvertSpecial(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"f64.f32 NaN keeps sign and payload", b64(CvtF64FromF32(f32(0xff812345))), 0xfff8000000000000 | 0x012345<<29},
		{"f32 rni -0.4", uint64(b32(RndneF32(-0.4))), 0x80000000},
		{"f32 rni 2.5", uint64(b32(RndneF32(2.5))), 0x40000000},
		{"f32 rpi -0.5", uint64(b32(CeilF32(-0.5))), 0x80000000},
		{"f64 rmi NaN", b64(FloorF64(f64(0x7ff0000000000123))), 0x7ff8000000000123},
		{"tf32 rna tie", uint64(CvtTF32FromF32RNA(f32(0x3f801000))), 0x3f802000},
		{"tf32 rn tie", uint64(CvtTF32FromF32RN(f32(0x3f801000))), 0x3f800000},
		{"tf32 rn odd tie", uint64(CvtTF32FromF32RN(f32(0x3f803000))), 0x3f804000},
		{"tf32 rz", uint64(CvtTF32FromF32RZ(f32(0xbf803fff))), 0xbf802000},
		{"satfinite f16", uint64(SatfiniteF16(CvtF16FromF32(-1e9))), 0xfbff},
		{"satfinite bf16", uint64(SatfiniteBF16(0x7f80)), 0x7f7f},
		{"relu f16 -1", uint64(ReluF16(0xbc00)), 0}, {"relu f16 1", uint64(ReluF16(0x3c00)), 0x3c00},
		{"relu f16 NaN", uint64(ReluF16(0xfe01)), 0x7fff},
		{"sat f16 2", uint64(SatF16(0x4000)), 0x3c00}, {"sat f16 NaN", uint64(SatF16(0x7e00)), 0}, {"sat f16 -0", uint64(SatF16(0x8000)), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, c.got, c.want)
		}
	}
}
