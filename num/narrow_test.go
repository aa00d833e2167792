package num

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"example.org/crosslane/internal/short"
)

// A narrowRef describes a narrow format by its fields, as PTX 5.2.3 and the formats' own
// definitions do, and by the list of its magnitudes.
type narrowRef struct {
	name      string
	exp, man  int
	specials  int // patterns at the top that are not numbers
	nan       uint16
	values    []float64 // the values of the patterns from 0 on
	pack, rs  func(a, b float32, r uint16) uint16
	rz        func(a, b float32) uint16
	unsigned  bool
	f16, bf16 func(a, s uint16) uint32
}

func narrowRefs() []narrowRef {
	plain := func(f func(a, b float32) uint16) func(a, b float32, r uint16) uint16 {
		return func(a, b float32, _ uint16) uint16 { return f(a, b) }
	}
	up := func(f func(uint16) uint32) func(a, s uint16) uint32 { return func(a, _ uint16) uint32 { return f(a) } }
	refs := []narrowRef{
		{name: "e4m3", exp: 4, man: 3, specials: 1, nan: 0x7f, pack: plain(CvtE4M3x2FromF32), rz: CvtE4M3x2FromF32RZ, rs: CvtE4M3x2FromF32RS, f16: up(CvtF16x2FromE4M3x2), bf16: CvtBF16x2FromE4M3x2},
		{name: "e5m2", exp: 5, man: 2, specials: 4, nan: 0x7f, pack: plain(CvtE5M2x2FromF32), rz: CvtE5M2x2FromF32RZ, rs: CvtE5M2x2FromF32RS, f16: up(CvtF16x2FromE5M2x2), bf16: CvtBF16x2FromE5M2x2},
		{name: "e2m3", exp: 2, man: 3, nan: 0x1f, pack: plain(CvtE2M3x2FromF32), rz: CvtE2M3x2FromF32RZ, rs: CvtE2M3x2FromF32RS, f16: up(CvtF16x2FromE2M3x2), bf16: CvtBF16x2FromE2M3x2},
		{name: "e3m2", exp: 3, man: 2, nan: 0x1f, pack: plain(CvtE3M2x2FromF32), rz: CvtE3M2x2FromF32RZ, rs: CvtE3M2x2FromF32RS, f16: up(CvtF16x2FromE3M2x2), bf16: CvtBF16x2FromE3M2x2},
		{name: "e2m1", exp: 2, man: 1, nan: 7,
			// The values have a byte each, as in the remaining formats.
			pack: func(a, b float32, _ uint16) uint16 { return spread4(CvtE2M1x2FromF32(a, b)) },
			rz:   func(a, b float32) uint16 { return spread4(CvtE2M1x2FromF32RZ(a, b)) },
			rs:   func(a, b float32, r uint16) uint16 { return spread4(CvtE2M1x2FromF32RS(a, b, r)) },
			f16:  func(a, _ uint16) uint32 { return CvtF16x2FromE2M1x2(join4(a)) },
			bf16: func(a, s uint16) uint32 { return CvtBF16x2FromE2M1x2(join4(a), s) }},
		{name: "ue5m3", exp: 5, man: 3, specials: 1, nan: 0xff, unsigned: true, pack: plain(CvtUE5M3x2FromF32Satfinite), rz: CvtUE5M3x2FromF32RZSatfinite,
			f16: up(CvtF16x2FromUE5M3x2), bf16: CvtBF16x2FromUE5M3x2},
	}
	for i := range refs {
		r := &refs[i]
		bias := 1<<(r.exp-1) - 1
		for v := range 1<<(r.exp+r.man) - r.specials {
			e, m := v>>r.man, float64(v&(1<<r.man-1))/float64(int(1)<<r.man)
			if e == 0 {
				r.values = append(r.values, math.Ldexp(m, 1-bias))
			} else {
				r.values = append(r.values, math.Ldexp(1+m, e-bias))
			}
		}
	}
	return refs
}

func spread4(v uint8) uint16 { return uint16(v&15) | uint16(v>>4)<<8 }
func join4(v uint16) uint8   { return uint8(v&15 | v>>8<<4) }

// encode rounds by a search for the neighbours in the list. Without random bits it rounds to the
// nearer neighbour, and at the middle to the even pattern. With random bits r ≥ 0 it rounds up if r
// plus the distance from the lower neighbour, in units of 2^-16 of the gap, reaches 2^16. The
// values down and upward of r force a direction.
func (f *narrowRef) encode(a float32, r int) uint16 {
	x := math.Abs(float64(a))
	var sign uint16
	if math.Signbit(float64(a)) && !f.unsigned {
		sign = 1 << (f.exp + f.man)
	}
	if x != x {
		return f.nan
	}
	n, exact := slices.BinarySearch(f.values, x)
	switch {
	case n == len(f.values):
		return sign | uint16(n-1)
	case exact:
		return sign | uint16(n)
	}
	lo, hi := f.values[n-1], f.values[n]
	part := (x - lo) / (hi - lo)
	up := part > 0.5 || part == 0.5 && n%2 == 0
	switch {
	case r == down || r == upward:
		up = r == upward
	case r >= 0:
		up = math.Floor(part*65536)+float64(r) >= 65536
	}
	if !up {
		n--
	}
	return sign | uint16(n)
}

// These are values of r for rounding down and up; -1 stands for nearest.
const down, upward = -2, -3

// decode returns the value of a pattern; NaN for NaN.
func (f *narrowRef) decode(v uint16) float64 {
	mag := int(v) & (1<<(f.exp+f.man) - 1)
	x := math.NaN()
	if mag < len(f.values) {
		x = f.values[mag]
	} else if f.name == "e5m2" && mag == len(f.values) {
		x = math.Inf(1)
	}
	if v>>(f.exp+f.man)&1 != 0 && !f.unsigned {
		return -x
	}
	return x
}

// arguments returns f32 numbers near every value that matters to the format: every value, every
// middle, their neighbours, and the special values; then random numbers.
func (f *narrowRef) arguments(n int) []float32 {
	var list []float32
	for i, v := range f.values {
		next := 2 * v
		if i+1 < len(f.values) {
			next = f.values[i+1]
		}
		for _, x := range []float64{v, (v + next) / 2, v + (next-v)/4} {
			for d := uint32(0); d < 5; d++ {
				y := math.Float32frombits(math.Float32bits(float32(x)) + d - 2)
				list = append(list, y, -y)
			}
		}
	}
	for _, u := range []uint32{0, 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x33000000, 0x2f800000} {
		list = append(list, f32(u), f32(u|sign32))
	}
	r := rng(77)
	for range n {
		e := float64(r.IntN(48) - 28)
		x := float32(math.Exp2(e + r.Float64()))
		list = append(list, x, -x, f32(r.Uint32()))
	}
	return list
}

func TestNarrowDown(t *testing.T) {
	t.Parallel()
	for _, f := range narrowRefs() {
		r := rng(5)
		args := f.arguments(count(30_000, 3_000_000))
		for i, a := range args {
			b := args[len(args)-1-i]
			want := f.encode(a, -1)<<8 | f.encode(b, -1)
			if got := f.pack(a, b, 0); got != want {
				t.Fatalf("%s: %v, %v gives %#04x, want %#04x", f.name, a, b, got, want)
			}
			want = f.encode(a, down)<<8 | f.encode(b, down)
			if got := f.rz(a, b); got != want {
				t.Fatalf("%s.rz: %v, %v gives %#04x, want %#04x", f.name, a, b, got, want)
			}
			if f.unsigned {
				unsaturated(t, &f, a)
				continue
			}
			random := uint16(r.Uint32())
			if i%8 == 0 {
				random = []uint16{0, 1, 0x7fff, 0x8000, 0xffff}[i/8%5]
			}
			want = f.encode(a, int(bits.Reverse16(random)))<<8 | f.encode(b, int(random))
			if got := f.rs(a, b, random); got != want {
				t.Fatalf("%s.rs %#04x: %v, %v gives %#04x, want %#04x", f.name, random, a, b, got, want)
			}
		}
	}
}

// unsaturated checks .ue5m3x2 without .satfinite, and rounding up.
func unsaturated(t *testing.T, f *narrowRef, a float32) {
	x, top := math.Abs(float64(a)), f.values[len(f.values)-1]
	for _, c := range []struct {
		name  string
		plain uint16
		sat   uint16
		how   int
		limit float64 // a number beyond it becomes NaN
	}{
		{"rn", CvtUE5M3x2FromF32(a, 0), CvtUE5M3x2FromF32Satfinite(a, 0), -1, top + (top-f.values[len(f.values)-2])/2},
		{"rz", CvtUE5M3x2FromF32RZ(a, 0), CvtUE5M3x2FromF32RZSatfinite(a, 0), down, math.MaxFloat32},
		{"rp", CvtUE5M3x2FromF32RP(a, 0), CvtUE5M3x2FromF32RPSatfinite(a, 0), upward, top},
	} {
		want := f.encode(a, c.how) << 8
		if c.sat != want {
			t.Fatalf("ue5m3.%s.satfinite of %v = %#x, want %#x", c.name, a, c.sat, want)
		}
		if x > c.limit {
			want = 0xff00
		}
		if c.plain != want {
			t.Fatalf("ue5m3.%s of %v = %#x, want %#x", c.name, a, c.plain, want)
		}
	}
}

// TestUnscaleAndPzo checks the steps of .scaled::n1 and .pzo.
func TestUnscaleAndPzo(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		a    float32
		s    uint8
		want float32
	}{
		{6, 128, 3}, {6, 127, 6}, {-6, 126, -12}, {0x1p-130, 0, 0}, {0x1p100, 0, math.MaxFloat32}, {-0x1p100, 0, -math.MaxFloat32}, {inf, 254, inf}, {1, 254, 0x1p-127},
	} {
		if got := UnscaleF32(c.a, c.s); got != c.want {
			t.Errorf("UnscaleF32(%v, %d) = %v, want %v", c.a, c.s, got, c.want)
		}
	}
	if got := UnscaleF32(1, 255); got == got {
		t.Errorf("a scale of 255 gives %v, want NaN", got)
	}
	for v := range uint32(1 << 16) {
		for _, c := range []struct {
			name string
			got  uint32
			sign uint32 // the pattern of -0
			bits uint
		}{
			{"f16", uint32(PzoF16(uint16(v))), 0x8000, 16}, {"f8", uint32(PzoF8x2(uint16(v))), 0x80, 8}, {"f6", uint32(PzoF6x2(uint16(v))), 0x20, 8}, {"f4", uint32(PzoF4x2(uint8(v))), 8, 4},
		} {
			var want uint32
			all := uint(16)
			if c.name == "f4" {
				all = 8
			}
			for at := uint(0); at < all; at += c.bits {
				if part := v >> at & (1<<c.bits - 1); part != c.sign {
					want |= part << at
				}
			}
			if c.got != want {
				t.Fatalf("pzo %s of %#x = %#x, want %#x", c.name, v, c.got, want)
			}
		}
	}
	if PzoTF32(0x80000000) != 0 || PzoTF32(0x80002000) != 0x80002000 || PzoF16x2(0x8000_8000) != 0 || PzoF16x2(0x8000_8001) != 0x8001 {
		t.Error("pzo of tf32 or f16x2")
	}
}

// TestNarrowUp goes through all pairs of patterns, and all scale factors of every pattern.
func TestNarrowUp(t *testing.T) {
	t.Parallel()
	toBF16 := func(x float64) uint32 {
		switch {
		case x != x:
			return 0x7fff
		case math.IsInf(x, 0) || x == 0:
			return math.Float32bits(float32(x)) >> 16
		}
		return uint32(refBF16.refRound(RN, new(big.Float).SetFloat64(x)))
	}
	for _, f := range narrowRefs() {
		limit := 1 << (f.exp + f.man + 1)
		if f.unsigned {
			limit = 256
		}
		for hi := range limit {
			for lo := range limit {
				v := uint16(hi<<8 | lo)
				var want uint32
				for i, h := range []uint16{v & 0xff, v >> 8} {
					x := f.decode(h)
					b := uint32(CvtF16FromF64(x)) // another test covers this exhaustively
					if x != x {
						b = 0x7fff
					}
					want |= b << (16 * i)
				}
				if got := f.f16(v, 0); got != want {
					t.Fatalf("f16x2.%sx2 of %#04x = %#08x, want %#08x", f.name, v, got, want)
				}
			}
			for s := 0; s < 256; s += short.Of(1, 17) {
				scale := math.Ldexp(1, s-127)
				if s == 255 {
					scale = math.NaN()
				}
				want := toBF16(f.decode(uint16(hi))*scale)<<16 | toBF16(f.decode(3)*math.Ldexp(1, 255-s-127))
				if s == 0 {
					want |= 0x7fff // the lower half's factor is NaN
					want = want&^0xffff | 0x7fff
				}
				if got := f.bf16(uint16(hi<<8|3), uint16(s<<8|255-s)); got != want {
					t.Fatalf("scaled bf16x2.%sx2 of %#x by %#x = %#08x, want %#08x", f.name, hi, s, got, want)
				}
			}
		}
	}
}

// TestNarrowVectors checks values computed by hand.
func TestNarrowVectors(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{"e4m3 448, 464", uint64(CvtE4M3x2FromF32(448, 464)), 0x7e7e},
		{"e4m3 inf, nan", uint64(CvtE4M3x2FromF32(-inf, nan)), 0xfe7f},
		{"e4m3 least", uint64(CvtE4M3x2FromF32(0x1p-9, 0x1p-10)), 0x0100},
		{"e4m3 1, -2", uint64(CvtE4M3x2FromF32(1, -2)), 0x38c0},
		{"e5m2 57344, 1", uint64(CvtE5M2x2FromF32(57344, 1)), 0x7b3c},
		{"e5m2 inf", uint64(CvtE5M2x2FromF32(inf, -1e30)), 0x7bfb},
		{"e2m1 6, 2.5", uint64(CvtE2M1x2FromF32(6, 2.5)), 0x74},
		{"e2m1 5, -0.25", uint64(CvtE2M1x2FromF32(5, -0.25)), 0x68},
		{"e2m1 nan, -9", uint64(CvtE2M1x2FromF32(nan, -9)), 0x7f},
		{"e2m3 7.5, -1", uint64(CvtE2M3x2FromF32(7.5, -1)), 0x1f28},
		{"e3m2 28, 0.0625", uint64(CvtE3M2x2FromF32(28, 0.0625)), 0x1f01},
		{"f16 of e5m2 inf, nan", uint64(CvtF16x2FromE5M2x2(0xfc7e)), 0xfc007fff},
		{"bf16 of e4m3 1 * 2, 2 / 2", uint64(CvtBF16x2FromE4M3x2(0x3840, 0x807e)), 0x40003f80},
		{"ue8m0 rz 1.5, 3", uint64(CvtUE8M0x2FromF32RZ(1.5, -3)), 0x7f80},
		{"ue8m0 rp 1.5, 4", uint64(CvtUE8M0x2FromF32RP(1.5, 4)), 0x8081},
		{"ue8m0 rp greatest", uint64(CvtUE8M0x2FromF32RP(0x1.8p127, inf)), 0xffff},
		{"ue8m0 rp greatest sat", uint64(CvtUE8M0x2FromF32RPSatfinite(0x1.8p127, inf)), 0xfefe},
		{"ue8m0 rz greatest", uint64(CvtUE8M0x2FromF32RZ(0x1.8p127, inf)), 0xfeff},
		{"ue8m0 sat nan", uint64(CvtUE8M0x2FromF32RZSatfinite(nan, 0)), 0xff00},
		{"ue8m0 subnormal", uint64(CvtUE8M0x2FromF32RP(0x1p-127, 0x1.8p-127)), 0x0001},
		{"bf16 of ue8m0", uint64(CvtBF16x2FromUE8M0x2(0x00ff)), 0x00407fff},
		{"bf16 of ue8m0 1, 2", uint64(CvtBF16x2FromUE8M0x2(0x7f80)), 0x3f804000},
		{"s2f6 1, -2", uint64(CvtS2F6x2FromF32(1, -2, 0x7f7f)), 0x4080},
		{"s2f6 over", uint64(CvtS2F6x2FromF32(5, -5, 0x7f7f)), 0x7f80},
		{"s2f6 nan, ties", uint64(CvtS2F6x2FromF32(nan, 1.5/64, 0x7f7f)), 0x7f02},
		{"s2f6 scaled", uint64(CvtS2F6x2FromF32(4, 0.25, 0x817d)), 0x4040},
		{"bf16 of s2f6", uint64(CvtBF16x2FromS2F6x2(0x40c0, 0x7f80)), 0x3f80c000},
		{"bf16 of s2f6 nan factor", uint64(CvtBF16x2FromS2F6x2(0, 0xff7f)), 0x7fff0000},
		// 1 + 2^-11 is half way between f16 neighbours: 13 random bits decide.
		{"f16.rs", uint64(CvtF16x2FromF32RS(0x1.002p0, 0x1.002p0, 0x0fff1000)), 0x3c003c01},
		{"f16.rs upper bits ignored", uint64(CvtF16x2FromF32RS(0x1.002p0, 0x1.002p0, 0xefff_f000)), 0x3c003c01},
		{"f16.rs over", uint64(CvtF16x2FromF32RS(65535, 65505, 0x1fff0000)), 0x7c007bff},
		{"bf16.rs", uint64(CvtBF16x2FromF32RS(0x1.01p0, -0x1.01p0, 0x80007fff)), 0x3f81bf80},
		{"tf32 satfinite", uint64(SatfiniteTF32(CvtTF32FromF32RNA(math.MaxFloat32))), 0x7f7fe000},
		{"tf32 relu", uint64(ReluTF32(0x80000000)), 0},
		{"tf32 relu nan", uint64(ReluTF32(0xff800001)), NaN32},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

// TestStochasticHalf compares .rs with the two neighbours, found by rounding toward zero and away
// from it.
func TestStochasticHalf(t *testing.T) {
	t.Parallel()
	r := rng(8)
	for range count(100_000, 5_000_000) {
		a := f32(r.Uint32())
		if r.IntN(2) == 0 {
			a = float32(math.Ldexp(r.Float64(), r.IntN(40)-24)) // in the range of f16
		}
		rbits := r.Uint32()
		if a != a || math.IsInf(float64(a), 0) {
			continue
		}
		check := func(name string, got uint16, ref refFormat, n uint, random uint32, over float64) {
			x := math.Abs(float64(a))
			ulp := math.Ldexp(1, max(int(math.Floor(math.Log2(x))), ref.emin)-ref.p+1)
			if x == 0 {
				ulp = 1
			}
			k := math.Floor(x / ulp) // exact: a power of two
			part := x/ulp - k
			if math.Floor(part*float64(uint32(1)<<n))+float64(random) >= float64(uint32(1)<<n) {
				k++
			}
			want := uint16(0)
			if v := k * ulp; v >= over {
				want = uint16((1<<(ref.width-ref.p) - 1) << (ref.p - 1))
			} else if v != 0 {
				want = uint16(ref.refRound(RZ, big.NewFloat(v)))
			}
			if math.Signbit(float64(a)) {
				want |= 0x8000
			}
			if got != want {
				t.Fatalf("%s.rs %#x of %v (%#08x) = %#04x, want %#04x", name, random, a, b32(a), got, want)
			}
		}
		check("f16", uint16(CvtF16x2FromF32RS(0, a, rbits)), refF16, 13, rbits&0x1fff, 65536)
		check("f16 upper", uint16(CvtF16x2FromF32RS(a, 0, rbits)>>16), refF16, 13, rbits>>16&0x1fff, 65536)
		check("bf16", uint16(CvtBF16x2FromF32RS(0, a, rbits)), refBF16, 16, rbits&0xffff, 0x1p128)
		check("bf16 upper", uint16(CvtBF16x2FromF32RS(a, 0, rbits)>>16), refBF16, 16, rbits>>16, 0x1p128)
	}
}

// TestUE8M0 compares with exponents found by halving and doubling.
func TestUE8M0(t *testing.T) {
	t.Parallel()
	r := rng(4)
	for i := range count(100_000, 2_000_000) {
		u := r.Uint32()
		switch i % 4 {
		case 0:
			u &= 0xff800000
		case 1:
			u = u&0xff800000 | 1
		case 2:
			u &= 0x80ffffff // subnormal and next to it
		}
		a := f32(u)
		x := math.Abs(float64(a))
		if x != x || math.IsInf(x, 0) {
			continue
		}
		want := [2]uint16{0, 0}
		for math.Ldexp(1, int(want[0])-127+1) <= x { // the greatest power that is not above x
			want[0]++
		}
		for math.Ldexp(1, int(want[1])-127) < x { // the least power that is not below x
			want[1]++
		}
		if got := CvtUE8M0x2FromF32RZ(a, a); got != want[0]*0x101 {
			t.Fatalf("rz of %v = %#x, want %#x", a, got, want[0])
		}
		if got := CvtUE8M0x2FromF32RP(a, a); got != want[1]*0x101 {
			t.Fatalf("rp of %v = %#x, want %#x", a, got, want[1])
		}
		if got := CvtUE8M0x2FromF32RPSatfinite(a, a); got != min(want[1], 0xfe)*0x101 {
			t.Fatalf("rp.satfinite of %v = %#x, want %#x", a, got, min(want[1], 0xfe))
		}
		if got := CvtUE8M0x2FromF32RZSatfinite(a, a); got != want[0]*0x101 {
			t.Fatalf("rz.satfinite of %v = %#x, want %#x", a, got, want[0])
		}
	}
}

// TestS2F6 compares with exact arithmetic on rational numbers.
func TestS2F6(t *testing.T) {
	t.Parallel()
	r := rng(6)
	for i := range count(50_000, 1_000_000) {
		s := uint8(r.Uint32())
		a := f32(r.Uint32())
		if i%2 == 0 { // around the steps
			a = float32(math.Ldexp(float64(r.IntN(600)-300), -8+int(s)-127))
		}
		if a != a || math.IsInf(float64(a), 0) || s == 255 {
			continue
		}
		q := new(big.Rat).SetFloat64(float64(a))
		q.Quo(q, new(big.Rat).SetFloat64(math.Ldexp(1, int(s)-127)))
		q.Mul(q, big.NewRat(64, 1))
		// This is the floor of q + 1/2, and one less at a tie that came out odd.
		h := new(big.Rat).Add(q, big.NewRat(1, 2))
		n := new(big.Int).Div(h.Num(), h.Denom())
		if h.IsInt() && n.Bit(0) == 1 {
			n.Sub(n, big.NewInt(1))
		}
		want := int64(127)
		if n.Cmp(big.NewInt(127)) < 0 {
			want = -128
			if n.Cmp(big.NewInt(-128)) > 0 {
				want = n.Int64()
			}
		}
		if got := int8(CvtS2F6x2FromF32(a, 0, uint16(s)<<8|0x7f) >> 8); int64(got) != want {
			t.Fatalf("%v by %#x = %d, want %d", a, s, got, want)
		}
	}
	for v := range 256 {
		for s := range 255 {
			x := math.Ldexp(float64(int8(v)), -6+s-127)
			want := uint32(0)
			if x != 0 {
				want = uint32(refBF16.refRound(RN, big.NewFloat(x)))
			}
			if got := CvtBF16x2FromS2F6x2(uint16(v)<<8, uint16(s)<<8|0x7f); got != want<<16 {
				t.Fatalf("bf16 of %#x by %#x = %#x, want %#x", v, s, got, want<<16)
			}
		}
	}
}

func TestCvtPack(t *testing.T) {
	t.Parallel()
	r := rng(3)
	for range count(20_000, 200_000) {
		a, b, c := int32(r.Uint32()), int32(r.Uint32()), r.Uint32()
		if r.IntN(2) == 0 {
			a, b = a>>(16+r.IntN(16)), b>>(16+r.IntN(16))
		}
		for _, k := range []struct {
			name string
			got  uint32
			size uint
			sign bool
		}{
			{"u16", CvtPackU16(a, b), 16, false}, {"s16", CvtPackS16(a, b), 16, true},
			{"u8", CvtPackU8(a, b, c), 8, false}, {"s8", CvtPackS8(a, b, c), 8, true},
			{"u4", CvtPackU4(a, b, c), 4, false}, {"s4", CvtPackS4(a, b, c), 4, true},
			{"u2", CvtPackU2(a, b, c), 2, false}, {"s2", CvtPackS2(a, b, c), 2, true},
		} {
			lo, hi := int64(0), int64(1)<<k.size-1
			if k.sign {
				lo, hi = -(int64(1) << (k.size - 1)), int64(1)<<(k.size-1)-1
			}
			// This follows PTX 9.7.9.23, bit by bit.
			ta, tb := uint64(min(max(int64(a), lo), hi)), uint64(min(max(int64(b), lo), hi))
			var want uint32
			for i := range uint(32) {
				switch {
				case i < k.size:
					want |= uint32(tb>>i&1) << i
				case i < 2*k.size:
					want |= uint32(ta>>(i-k.size)&1) << i
				default:
					want |= (c >> (i - 2*k.size) & 1) << i
				}
			}
			if k.got != want {
				t.Fatalf("%s(%d, %d, %#x) = %#x, want %#x", k.name, a, b, c, k.got, want)
			}
		}
	}
}

// TestXorsignHalf compares min and max with .xorsign.abs with the manual's pseudo-code.
func TestXorsignHalf(t *testing.T) {
	t.Parallel()
	type fn = func(a, b uint16) uint16
	r := rng(2)
	for _, f := range []struct {
		name               string
		ref                refFormat
		min, max, mnn, mxn fn
	}{
		{"f16", refF16, MinXorsignAbsF16, MaxXorsignAbsF16, MinNaNXorsignAbsF16, MaxNaNXorsignAbsF16},
		{"bf16", refBF16, MinXorsignAbsBF16, MaxXorsignAbsBF16, MinNaNXorsignAbsBF16, MaxNaNXorsignAbsBF16},
	} {
		inf := uint16((1<<(f.ref.width-f.ref.p) - 1) << (f.ref.p - 1))
		edges := f.ref.edges()
		for i := range len(edges)*len(edges) + 50_000 {
			a, b := uint16(r.Uint32()), uint16(r.Uint32())
			if i < len(edges)*len(edges) {
				a, b = uint16(edges[i%len(edges)]), uint16(edges[i/len(edges)])
			}
			for _, greater := range []bool{false, true} {
				for _, nan := range []bool{false, true} {
					sign := a&0x8000 ^ b&0x8000
					x, y := a&0x7fff, b&0x7fff // magnitudes have the same order as integers
					d := min(x, y)
					if greater {
						d = max(x, y)
					}
					xn, yn := x > inf, y > inf
					switch {
					case xn && yn || nan && (xn || yn):
						d = 0x7fff
					case xn:
						d = y
					case yn:
						d = x
					}
					if d <= inf {
						d |= sign
					}
					fn := map[[2]bool]fn{{false, false}: f.min, {true, false}: f.max, {false, true}: f.mnn, {true, true}: f.mxn}[[2]bool{greater, nan}]
					if got := fn(a, b); got != d {
						t.Fatalf("%s greater=%v nan=%v (%#x, %#x) = %#x, want %#x", f.name, greater, nan, a, b, got, d)
					}
				}
			}
		}
	}
}
