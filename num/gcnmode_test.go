package num

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/short"
)

// interesting32 mixes random bits with denormals, zeros, infinities and NaNs.
func interesting32(r *rand.Rand) float32 {
	edge := []uint32{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x3f800000, 0x40000000}
	if r.IntN(3) == 0 {
		return math.Float32frombits(edge[r.IntN(len(edge))])
	}
	return math.Float32frombits(r.Uint32())
}

func isDenormal32(f float32) bool {
	b := math.Float32bits(f) & 0x7fffffff
	return b != 0 && b < 0x00800000
}

// flushed is the manual's flush: a denormal becomes a zero of its sign.
func flushed(f float32) float32 {
	if isDenormal32(f) {
		return math.Float32frombits(math.Float32bits(f) & 0x80000000)
	}
	return f
}

func TestVFtz(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range short.Of(200_000, 30_000) {
		a, b, c := interesting32(r), interesting32(r), interesting32(r)
		x, y, z := flushed(a), flushed(b), flushed(c)
		check := func(name string, got float32, want float64) {
			t.Helper()
			w := flushed(float32(want))
			if math.IsNaN(want) {
				if got == got || math.Float32bits(got)&0x400000 == 0 {
					t.Fatalf("%s(%x, %x, %x) = %x, want a quiet NaN", name, math.Float32bits(a), math.Float32bits(b), math.Float32bits(c), math.Float32bits(got))
				}
				return
			}
			if math.Float32bits(got) != math.Float32bits(w) {
				t.Fatalf("%s(%x, %x, %x) = %x, want %x", name, math.Float32bits(a), math.Float32bits(b), math.Float32bits(c), math.Float32bits(got), math.Float32bits(w))
			}
		}
		// Sums and products of two f32 round to the same f32 when they go through f64, because
		// double rounding is harmless (53 >= 2*24+2).
		check("VAddF32Ftz", VAddF32Ftz(a, b), float64(x)+float64(y))
		check("VSubF32Ftz", VSubF32Ftz(a, b), float64(x)-float64(y))
		check("VMulF32Ftz", VMulF32Ftz(a, b), float64(x)*float64(y))
		if fma := VFmaF32Ftz(a, b, c); isDenormal32(fma) || !(x != x || y != y || z != z) && math.Float32bits(fma) != math.Float32bits(flushed(FmaF32(x, y, z))) && fma == fma {
			t.Fatalf("VFmaF32Ftz(%x, %x, %x) = %x", math.Float32bits(a), math.Float32bits(b), math.Float32bits(c), math.Float32bits(fma))
		}
	}
}

func TestVOMod(t *testing.T) {
	t.Parallel()
	negZero := math.Float32frombits(1 << 31)
	tests := []struct {
		r    float32
		omod uint32
		want uint32
	}{
		{3, 0, 0x40400000}, {3, 1, 0x40c00000}, {3, 2, 0x41400000}, {3, 3, 0x3fc00000},
		{negZero, 0, 1 << 31}, {negZero, 1, 0}, {math.Float32frombits(0x00800000), 3, 0}, {math.Float32frombits(0x80800000), 3, 0},
		{math.MaxFloat32, 1, 0x7f800000},
	}
	for _, c := range tests {
		if got := math.Float32bits(VOModF32(c.r, c.omod)); got != c.want {
			t.Errorf("VOModF32(%g, %d) = %#x, want %#x", c.r, c.omod, got, c.want)
		}
	}
}

func TestVClamp(t *testing.T) {
	t.Parallel()
	nan := math.Float32frombits(0xffc00001)
	if got := VClampF32(nan); math.Float32bits(got) != 0xffc00001 {
		t.Errorf("VClampF32 changed a NaN to %x", math.Float32bits(got))
	}
	for _, c := range [][2]float32{{-1, 0}, {0.25, 0.25}, {2, 1}} {
		if got := VClampF32(c[0]); got != c[1] {
			t.Errorf("VClampF32(%g) = %g", c[0], got)
		}
		if got := VClampF64(float64(c[0])); got != float64(c[1]) {
			t.Errorf("VClampF64(%g) = %g", c[0], got)
		}
	}
	for _, c := range [][2]uint16{{0xbc00, 0}, {0x3400, 0x3400}, {0x4000, 0x3c00}, {0x7e01, 0x7e01}} {
		if got := VClampF16(c[0]); got != c[1] {
			t.Errorf("VClampF16(%#x) = %#x", c[0], got)
		}
	}
	if got := VClampF64(math.NaN()); got == got {
		t.Error("VClampF64 changed a NaN")
	}
}

func TestVSatInt(t *testing.T) {
	t.Parallel()
	clamp := func(v, hi int64) uint32 { return uint32(max(0, min(v, hi))) }
	r := rand.New(rand.NewPCG(3, 4))
	for range 100000 {
		a, b := r.Uint32()>>r.UintN(32), r.Uint32()>>r.UintN(32)
		if got, want := AddSatU32(a, b), clamp(int64(a)+int64(b), math.MaxUint32); got != want {
			t.Fatalf("AddSatU32(%d, %d) = %d, want %d", a, b, got, want)
		}
		if got, want := SubSatU32(a, b), clamp(int64(a)-int64(b), math.MaxUint32); got != want {
			t.Fatalf("SubSatU32(%d, %d) = %d, want %d", a, b, got, want)
		}
		c, d := uint16(a), uint16(b)
		if got, want := AddSatU16(c, d), uint16(clamp(int64(c)+int64(d), 0xffff)); got != want {
			t.Fatalf("AddSatU16(%d, %d) = %d, want %d", c, d, got, want)
		}
		if got, want := SubSatU16(c, d), uint16(clamp(int64(c)-int64(d), 0xffff)); got != want {
			t.Fatalf("SubSatU16(%d, %d) = %d, want %d", c, d, got, want)
		}
	}
}

// f16Value decodes f16 bits as the standard defines them.
func f16Value(h uint16) float64 {
	s, e, m := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 != 0 {
		s = -1
	}
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return s * math.Inf(1)
	case e == 0:
		return s * m * 0x1p-24
	}
	return s * (1024 + m) * math.Ldexp(1, e-25)
}

func TestVF16(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range short.Of(200_000, 30_000) {
		a, b, c := uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32())
		if r.IntN(4) == 0 {
			b = a ^ 0x8000
		}
		x, y, z := f16Value(a), f16Value(b), f16Value(c)
		check := func(name string, got uint16, want float64) {
			t.Helper()
			g := f16Value(got)
			switch {
			case want != want:
				if g == g || got&0x200 == 0 {
					t.Fatalf("%s(%#x, %#x, %#x) = %#x, want a quiet NaN", name, a, b, c, got)
				}
			case math.IsInf(want, 0) || math.IsInf(g, 0):
				if math.Abs(want) < 65520 || math.Signbit(g) != math.Signbit(want) || !math.IsInf(g, 0) {
					t.Fatalf("%s(%#x, %#x, %#x) = %g, want %g", name, a, b, c, g, want)
				}
			default:
				// No f16 may be closer to the exact value.
				for _, n := range []uint16{got + 1, got - 1} {
					if v := f16Value(n); v == v && math.Abs(v-want) < math.Abs(g-want) {
						t.Fatalf("%s(%#x, %#x, %#x) = %g, but %g is closer to %g", name, a, b, c, g, v, want)
					}
				}
			}
		}
		check("VAddF16", VAddF16(a, b), x+y)
		check("VSubF16", VSubF16(a, b), x-y)
		check("VMulF16", VMulF16(a, b), x*y)
		fa, fb, fc := FlushF16(a), FlushF16(b), FlushF16(c)
		if p := FlushF16(VMulF16(fa, fb)); !math.IsInf(f16Value(p), 0) {
			sum := f16Value(p) + f16Value(fc)
			if math.Abs(sum) < 0x1p-14 {
				sum = math.Copysign(0, sum)
			}
			if got := f16Value(VMadF16(a, b, c)); sum == 0 && got != 0 {
				t.Fatalf("VMadF16(%#x, %#x, %#x) = %g, want a zero", a, b, c, got)
			} else if sum != 0 {
				check("VMadF16", VMadF16(a, b, c), sum)
			}
		}
		check("VTruncF16", VTruncF16(a), math.Trunc(x))
		check("VFloorF16", VFloorF16(a), math.Floor(x))
		check("VCeilF16", VCeilF16(a), math.Ceil(x))
		check("VRndneF16", VRndneF16(a), math.RoundToEven(x))
		if x == x && y == y {
			check("VMinF16", VMinF16(a, b), math.Min(x, y))
			check("VMaxF16", VMaxF16(a, b), math.Max(x, y))
			check("VFmaF16", VFmaF16(a, b, c), x*y+z)
		}
	}
	for _, c := range [][3]uint16{{0x7d00, 0x3c00, 0x7f00}, {0x3c00, 0x7d00, 0x7f00}, {0x7e00, 0x3c00, 0x3c00}, {0x3c00, 0x7e00, 0x3c00}} {
		if got := VMinF16(c[0], c[1]); got != c[2] {
			t.Errorf("VMinF16(%#x, %#x) = %#x, want %#x", c[0], c[1], got, c[2])
		}
		if got := VMaxF16(c[0], c[1]); got != c[2] {
			t.Errorf("VMaxF16(%#x, %#x) = %#x, want %#x", c[0], c[1], got, c[2])
		}
	}
}

func TestVMbcnt(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		lo, hi, add := r.Uint32(), r.Uint32(), r.Uint32()
		for lane := range uint32(64) {
			want := add
			for i := range lane {
				if i < 32 {
					want += lo >> i & 1
				} else {
					want += hi >> (i - 32) & 1
				}
			}
			if got := VMbcntHiU32B32(hi, VMbcntLoU32B32(lo, add, lane), lane); got != want {
				t.Fatalf("lane %d of %#x:%#x: %d, want %d", lane, hi, lo, got, want)
			}
		}
	}
}

func TestVDivFixupF16(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	edge := []uint16{0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xbc00, 1}
	for range 100000 {
		a, b := uint16(r.Uint32()), uint16(r.Uint32())
		if r.IntN(2) == 0 {
			a = edge[r.IntN(len(edge))]
		}
		if r.IntN(2) == 0 {
			b = edge[r.IntN(len(edge))]
		}
		x, y := f16Value(a), f16Value(b)
		q := CvtF16FromF64(math.Abs(x / y)) // the quotient without its sign, which is right for ordinary operands
		got := f16Value(VDivFixupF16(q, b, a))
		want := x / y
		if want != want {
			if got == got {
				t.Fatalf("%g / %g: %g, want NaN", x, y, got)
			}
			continue
		}
		if w := f16Value(CvtF16FromF64(want)); w != got || math.Signbit(w) != math.Signbit(got) {
			t.Fatalf("%g / %g: %g, want %g", x, y, got, w)
		}
	}
}
