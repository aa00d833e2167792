package num

import (
	"math/big"
	"testing"
)

// TestPackedIntegers compares the packed operations with sums of big integers, part by part: all
// pairs of bytes in every place, and corners and random words for half-words.
func TestPackedIntegers(t *testing.T) {
	t.Parallel()
	type part struct {
		width  uint
		signed bool
	}
	clamp := func(v int64, p part) int64 {
		lo, hi := int64(0), int64(1)<<p.width-1
		if p.signed {
			lo, hi = -(int64(1) << (p.width - 1)), int64(1)<<(p.width-1)-1
		}
		return clampBig(big.NewInt(v), lo, hi)
	}
	get := func(a uint32, i uint, p part) int64 {
		v := int64(a>>(i*p.width)) & (1<<p.width - 1)
		if p.signed && v >= 1<<(p.width-1) {
			v -= 1 << p.width
		}
		return v
	}
	lesser := func(x, y int64) int64 {
		if x < y {
			return x
		}
		return y
	}
	ops := []struct {
		name string
		f    func(a, b uint32) uint32
		part
		ref func(x, y int64, p part) int64
	}{
		{"AddSatU32", AddSatU32, part{32, false}, func(x, y int64, p part) int64 { return clamp(x+y, p) }},
		{"AddSatU16x2", AddSatU16x2, part{16, false}, func(x, y int64, p part) int64 { return clamp(x+y, p) }},
		{"AddSatS16x2", AddSatS16x2, part{16, true}, func(x, y int64, p part) int64 { return clamp(x+y, p) }},
		{"MinReluS16x2", MinReluS16x2, part{16, true}, func(x, y int64, p part) int64 { return -lesser(0, -lesser(x, y)) }},
		{"MaxReluS16x2", MaxReluS16x2, part{16, true}, func(x, y int64, p part) int64 { return -lesser(0, lesser(-x, -y)) }},
		{"Add8x4", Add8x4, part{8, true}, func(x, y int64, p part) int64 { return x + y }},
		{"Sub8x4", Sub8x4, part{8, false}, func(x, y int64, p part) int64 { return x - y }},
		{"Neg8x4", func(a, _ uint32) uint32 { return Neg8x4(a) }, part{8, true}, func(x, y int64, p part) int64 { return -x }},
		{"AddSatU8x4", AddSatU8x4, part{8, false}, func(x, y int64, p part) int64 { return clamp(x+y, p) }},
		{"AddSatS8x4", AddSatS8x4, part{8, true}, func(x, y int64, p part) int64 { return clamp(x+y, p) }},
		{"SubSatU8x4", SubSatU8x4, part{8, false}, func(x, y int64, p part) int64 { return clamp(x-y, p) }},
		{"SubSatS8x4", SubSatS8x4, part{8, true}, func(x, y int64, p part) int64 { return clamp(x-y, p) }},
		{"MinU8x4", MinU8x4, part{8, false}, func(x, y int64, p part) int64 { return lesser(x, y) }},
		{"MinS8x4", MinS8x4, part{8, true}, func(x, y int64, p part) int64 { return lesser(x, y) }},
		{"MaxU8x4", MaxU8x4, part{8, false}, func(x, y int64, p part) int64 { return -lesser(-x, -y) }},
		{"MaxS8x4", MaxS8x4, part{8, true}, func(x, y int64, p part) int64 { return -lesser(-x, -y) }},
		{"MinReluS8x4", MinReluS8x4, part{8, true}, func(x, y int64, p part) int64 { return -lesser(0, -lesser(x, y)) }},
		{"MaxReluS8x4", MaxReluS8x4, part{8, true}, func(x, y int64, p part) int64 { return -lesser(0, lesser(-x, -y)) }},
	}
	r := rng(81)
	for _, op := range ops {
		check := func(a, b uint32) {
			got := op.f(a, b)
			for i := uint(0); i < 32/op.width; i++ {
				want := uint64(op.ref(get(a, i, op.part), get(b, i, op.part), op.part)) & (1<<op.width - 1)
				if uint64(got>>(i*op.width))&(1<<op.width-1) != want {
					t.Fatalf("%s(%#x, %#x) = %#x: part %d is not %#x", op.name, a, b, got, i, want)
				}
			}
		}
		for x := range uint32(256) {
			for y := range uint32(256) {
				check(x|y<<8|x<<16|(x^y)<<24, y|x<<8|(x+1)&0xff<<16|y<<24)
			}
		}
		for range count(20000, 20_000_000) {
			check(pick32(r), pick32(r))
		}
	}
}

// TestClmad compares the carryless product with a product of polynomials over GF(2) in a big
// integer, as PTX 9.7.1.5 writes it.
func TestClmad(t *testing.T) {
	t.Parallel()
	r := rng(82)
	for range count(5000, 5_000_000) {
		a, b, c := pick64(r), pick64(r), pick64(r)
		tmp := new(big.Int)
		for i := range 64 {
			if a&(1<<i) != 0 {
				tmp.Xor(tmp, new(big.Int).Lsh(bigU(b), uint(i)))
			}
		}
		lo, hi := wrap(tmp, 64)^c, new(big.Int).Rsh(tmp, 64).Uint64()^c
		if ClmadLo(a, b, c) != lo || ClmadHi(a, b, c) != hi {
			t.Fatalf("clmad(%#x, %#x, %#x) = %#x, %#x, want %#x, %#x", a, b, c, ClmadLo(a, b, c), ClmadHi(a, b, c), lo, hi)
		}
	}
}
