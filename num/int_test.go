package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// words32 and words64 are corner values; mixes of them and random ones drive
// the integer tests.
var words32 = []uint32{0, 1, 2, 3, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffff, 0x800000,
	0xffffff, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0x12345678, 0xfffffffe, 0xffffffff}

func pick32(r *rand.Rand) uint32 {
	switch r.IntN(3) {
	case 0:
		return words32[r.IntN(len(words32))]
	case 1:
		return r.Uint32() >> r.IntN(32)
	}
	return r.Uint32()
}

func pick64(r *rand.Rand) uint64 {
	switch r.IntN(3) {
	case 0:
		return uint64(pick32(r))<<32 | uint64(pick32(r))
	case 1:
		return r.Uint64() >> r.IntN(64)
	}
	return r.Uint64()
}

func pickBool(r *rand.Rand) bool { return r.IntN(2) == 1 }

func bigU(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
func bigS(v int64) *big.Int  { return big.NewInt(v) }

// wrap returns the low n bits of v, as two's complement.
func wrap(v *big.Int, n uint) uint64 {
	m := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(1))
	return new(big.Int).And(v, m).Uint64()
}

func clampBig(v *big.Int, lo, hi int64) int64 {
	if v.Cmp(bigS(lo)) < 0 {
		return lo
	}
	if v.Cmp(bigS(hi)) > 0 {
		return hi
	}
	return v.Int64()
}

func TestIntegerArithmetic(t *testing.T) {
	t.Parallel()
	r := rng(1)
	op := func(f func(z, x, y *big.Int) *big.Int, x, y *big.Int) *big.Int { return f(new(big.Int), x, y) }
	add, sub, mul, rsh := (*big.Int).Add, (*big.Int).Sub, (*big.Int).Mul, (*big.Int).Rsh
	for range count(8_000, 3_000_000) {
		a, b, c := pick64(r), pick64(r), pick64(r)
		p := pickBool(r)
		cin := int64(0)
		if p {
			cin = 1
		}
		a32, b32, c32 := uint32(a), uint32(b), uint32(c)
		if r.IntN(2) == 0 {
			a32, b32, c32 = pick32(r), pick32(r), pick32(r)
		}
		s32 := func(v uint32) *big.Int { return bigS(int64(int32(v))) }
		u32 := func(v uint32) *big.Int { return bigU(uint64(v)) }
		s64 := func(v uint64) *big.Int { return bigS(int64(v)) }
		a16, b16, c16 := uint16(a32), uint16(b32), uint16(c32)
		bit := func(v bool) uint64 {
			if v {
				return 1
			}
			return 0
		}
		over := func(v *big.Int, n uint) uint64 { return bit(v.BitLen() > int(n) || v.Sign() < 0) }
		sumU32 := op(add, op(add, u32(a32), u32(b32)), bigS(cin))
		sumU64 := op(add, op(add, bigU(a), bigU(b)), bigS(cin))
		difU32 := op(sub, op(sub, u32(a32), u32(b32)), bigS(cin))
		difU64 := op(sub, op(sub, bigU(a), bigU(b)), bigS(cin))
		absd := func(x, y *big.Int) *big.Int { return new(big.Int).Abs(op(sub, x, y)) }
		for _, k := range []struct {
			name string
			got  uint64
			want uint64
		}{
			{"Add16", uint64(Add16(a16, b16)), wrap(op(add, u32(a32), u32(b32)), 16)},
			{"Add32", uint64(Add32(a32, b32)), wrap(op(add, u32(a32), u32(b32)), 32)},
			{"Add64", Add64(a, b), wrap(op(add, bigU(a), bigU(b)), 64)},
			{"Sub16", uint64(Sub16(a16, b16)), wrap(op(sub, u32(a32), u32(b32)), 16)},
			{"Sub32", uint64(Sub32(a32, b32)), wrap(op(sub, u32(a32), u32(b32)), 32)},
			{"Sub64", Sub64(a, b), wrap(op(sub, bigU(a), bigU(b)), 64)},
			{"Neg32", uint64(Neg32(a32)), wrap(new(big.Int).Neg(u32(a32)), 32)},
			{"AbsS32", uint64(uint32(AbsS32(int32(a32)))), wrap(new(big.Int).Abs(s32(a32)), 32)},
			{"AbsS64", uint64(AbsS64(int64(a))), wrap(new(big.Int).Abs(s64(a)), 64)},
			{"AbsS16", uint64(uint16(AbsS16(int16(a16)))), wrap(new(big.Int).Abs(bigS(int64(int16(a16)))), 16)},
			{"AddC32", bit(AddC32(a32, b32)), over(op(add, u32(a32), u32(b32)), 32)},
			{"AddC64", bit(AddC64(a, b)), over(op(add, bigU(a), bigU(b)), 64)},
			{"Addc32", uint64(Addc32(a32, b32, p)), wrap(sumU32, 32)},
			{"Addc64", Addc64(a, b, p), wrap(sumU64, 64)},
			{"AddCC32", bit(AddCC32(a32, b32, p)), over(sumU32, 32)},
			{"AddCC64", bit(AddCC64(a, b, p)), over(sumU64, 64)},
			{"SubB32", bit(SubB32(a32, b32)), over(op(sub, u32(a32), u32(b32)), 32)},
			{"SubB64", bit(SubB64(a, b)), over(op(sub, bigU(a), bigU(b)), 64)},
			{"Subb32", uint64(Subb32(a32, b32, p)), wrap(difU32, 32)},
			{"Subb64", Subb64(a, b, p), wrap(difU64, 64)},
			{"SubBB32", bit(SubBB32(a32, b32, p)), over(difU32, 32)},
			{"SubBB64", bit(SubBB64(a, b, p)), over(difU64, 64)},
			{"AddOvfS32", bit(AddOvfS32(int32(a32), int32(b32))), bit(!op(add, s32(a32), s32(b32)).IsInt64() ||
				int64(int32(op(add, s32(a32), s32(b32)).Int64())) != op(add, s32(a32), s32(b32)).Int64())},
			{"SubOvfS32", bit(SubOvfS32(int32(a32), int32(b32))),
				bit(int64(int32(op(sub, s32(a32), s32(b32)).Int64())) != op(sub, s32(a32), s32(b32)).Int64())},
			{"AddSatS32", uint64(AddSatS32(int32(a32), int32(b32))), uint64(clampBig(op(add, s32(a32), s32(b32)), math.MinInt32, math.MaxInt32))},
			{"SubSatS32", uint64(SubSatS32(int32(a32), int32(b32))), uint64(clampBig(op(sub, s32(a32), s32(b32)), math.MinInt32, math.MaxInt32))},
			{"Mul16", uint64(Mul16(a16, b16)), wrap(op(mul, u32(a32), u32(b32)), 16)},
			{"Mul32", uint64(Mul32(a32, b32)), wrap(op(mul, u32(a32), u32(b32)), 32)},
			{"Mul64", Mul64(a, b), wrap(op(mul, bigU(a), bigU(b)), 64)},
			{"MulHiU16", uint64(MulHiU16(a16, b16)), wrap(new(big.Int).Rsh(op(mul, bigU(uint64(a16)), bigU(uint64(b16))), 16), 16)},
			{"MulHiS16", uint64(uint16(MulHiS16(int16(a16), int16(b16)))), wrap(new(big.Int).Rsh(op(mul, bigS(int64(int16(a16))), bigS(int64(int16(b16)))), 16), 16)},
			{"MulHiU32", uint64(MulHiU32(a32, b32)), wrap(new(big.Int).Rsh(op(mul, u32(a32), u32(b32)), 32), 32)},
			{"MulHiS32", uint64(uint32(MulHiS32(int32(a32), int32(b32)))), wrap(new(big.Int).Rsh(op(mul, s32(a32), s32(b32)), 32), 32)},
			{"MulHiU64", MulHiU64(a, b), wrap(new(big.Int).Rsh(op(mul, bigU(a), bigU(b)), 64), 64)},
			{"MulHiS64", uint64(MulHiS64(int64(a), int64(b))), wrap(new(big.Int).Rsh(op(mul, s64(a), s64(b)), 64), 64)},
			{"MulWideU16", uint64(MulWideU16(a16, b16)), op(mul, bigU(uint64(a16)), bigU(uint64(b16))).Uint64()},
			{"MulWideS16", uint64(int64(MulWideS16(int16(a16), int16(b16)))), wrap(op(mul, bigS(int64(int16(a16))), bigS(int64(int16(b16)))), 64)},
			{"MulWideU32", MulWideU32(a32, b32), wrap(op(mul, u32(a32), u32(b32)), 64)},
			{"MulWideS32", uint64(MulWideS32(int32(a32), int32(b32))), wrap(op(mul, s32(a32), s32(b32)), 64)},
			{"Mad16", uint64(Mad16(a16, b16, c16)), wrap(op(add, op(mul, u32(a32), u32(b32)), u32(c32)), 16)},
			{"Mad32", uint64(Mad32(a32, b32, c32)), wrap(op(add, op(mul, u32(a32), u32(b32)), u32(c32)), 32)},
			{"Mad64", Mad64(a, b, c), wrap(op(add, op(mul, bigU(a), bigU(b)), bigU(c)), 64)},
			{"MadHiS32", uint64(uint32(MadHiS32(int32(a32), int32(b32), int32(c32)))), wrap(op(add, new(big.Int).Rsh(op(mul, s32(a32), s32(b32)), 32), s32(c32)), 32)},
			{"MadHiSatS32", uint64(MadHiSatS32(int32(a32), int32(b32), int32(c32))),
				uint64(clampBig(op(add, new(big.Int).Rsh(op(mul, s32(a32), s32(b32)), 32), s32(c32)), math.MinInt32, math.MaxInt32))},
			{"MadWideU32", MadWideU32(a32, b32, c), wrap(op(add, op(mul, u32(a32), u32(b32)), bigU(c)), 64)},
			{"MadWideS32", uint64(MadWideS32(int32(a32), int32(b32), int64(c))), wrap(op(add, op(mul, s32(a32), s32(b32)), s64(c)), 64)},
			{"MadWideCU32", bit(MadWideCU32(a32, b32, c)), over(op(add, op(mul, u32(a32), u32(b32)), bigU(c)), 64)},
			{"MadWideOvfS32", bit(MadWideOvfS32(int32(a32), int32(b32), int64(c))), bit(!op(add, op(mul, s32(a32), s32(b32)), s64(c)).IsInt64())},
			{"SadU32", uint64(SadU32(a32, b32, c32)), wrap(op(add, absd(u32(a32), u32(b32)), u32(c32)), 32)},
			{"SadS32", uint64(uint32(SadS32(int32(a32), int32(b32), int32(c32)))), wrap(op(add, absd(s32(a32), s32(b32)), s32(c32)), 32)},
			{"SadU64", SadU64(a, b, c), wrap(op(add, absd(bigU(a), bigU(b)), bigU(c)), 64)},
			{"SadS64", uint64(SadS64(int64(a), int64(b), int64(c))), wrap(op(add, absd(s64(a), s64(b)), s64(c)), 64)},
			{"Mul24LoU32", uint64(Mul24LoU32(a32, b32)), wrap(op(mul, bigU(wrap(u32(a32), 24)), bigU(wrap(u32(b32), 24))), 32)},
			{"Mul24HiU32", uint64(Mul24HiU32(a32, b32)), wrap(new(big.Int).Rsh(op(mul, bigU(wrap(u32(a32), 24)), bigU(wrap(u32(b32), 24))), 16), 32)},
			{"VMulHiU32U24", uint64(VMulHiU32U24(a32, b32)), wrap(new(big.Int).Rsh(op(mul, bigU(wrap(u32(a32), 24)), bigU(wrap(u32(b32), 24))), 32), 32)},
			{"Mul24LoS32", uint64(uint32(Mul24LoS32(int32(a32), int32(b32)))), wrap(op(mul, sext(a32, 24), sext(b32, 24)), 32)},
			{"Mul24HiS32", uint64(uint32(Mul24HiS32(int32(a32), int32(b32)))), wrap(op(rsh2(rsh), op(mul, sext(a32, 24), sext(b32, 24)), bigU(16)), 32)},
			{"VMulHiI32I24", uint64(uint32(VMulHiI32I24(int32(a32), int32(b32)))), wrap(op(rsh2(rsh), op(mul, sext(a32, 24), sext(b32, 24)), bigU(32)), 32)},
			{"Mad24LoS32", uint64(uint32(Mad24LoS32(int32(a32), int32(b32), int32(c32)))), wrap(op(add, op(mul, sext(a32, 24), sext(b32, 24)), s32(c32)), 32)},
		} {
			if k.got != k.want {
				t.Fatalf("%s(a=%#x b=%#x c=%#x cin=%v; 32: %#x %#x %#x) = %#x, want %#x", k.name, a, b, c, p, a32, b32, c32, k.got, k.want)
			}
		}
		divRem(t, a, b, a32, b32)
	}
}

func rsh2(f func(z, x *big.Int, n uint) *big.Int) func(z, x, y *big.Int) *big.Int {
	return func(z, x, y *big.Int) *big.Int { return f(z, x, uint(y.Uint64())) }
}

// sext is the two's complement value of the low n bits of v.
func sext(v uint32, n uint) *big.Int {
	x := bigU(uint64(v) & (1<<n - 1))
	if x.Bit(int(n-1)) == 1 {
		x.Sub(x, bigU(1<<n))
	}
	return x
}

func divRem(t *testing.T, a, b uint64, a32, b32 uint32) {
	t.Helper()
	check := func(name string, got, want uint64) {
		if got != want {
			t.Fatalf("%s(%#x, %#x; %#x, %#x) = %#x, want %#x", name, a, b, a32, b32, got, want)
		}
	}
	ref := func(x, y *big.Int, n uint) (q, r uint64) {
		if y.Sign() == 0 {
			return wrap(big.NewInt(-1), n), wrap(big.NewInt(-1), n) // ptxas, Errata E11
		}
		qq, rr := new(big.Int).QuoRem(x, y, new(big.Int)) // truncated
		return wrap(qq, n), wrap(rr, n)
	}
	q, r := ref(bigU(a), bigU(b), 64)
	check("DivU64", DivU64(a, b), q)
	check("RemU64", RemU64(a, b), r)
	q, r = ref(bigS(int64(a)), bigS(int64(b)), 64)
	check("DivS64", uint64(DivS64(int64(a), int64(b))), q)
	check("RemS64", uint64(RemS64(int64(a), int64(b))), r)
	q, r = ref(bigU(uint64(a32)), bigU(uint64(b32)), 32)
	check("DivU32", uint64(DivU32(a32, b32)), q)
	check("RemU32", uint64(RemU32(a32, b32)), r)
	q, r = ref(bigS(int64(int32(a32))), bigS(int64(int32(b32))), 32)
	check("DivS32", uint64(uint32(DivS32(int32(a32), int32(b32)))), q)
	check("RemS32", uint64(uint32(RemS32(int32(a32), int32(b32)))), r)
	x, y := int16(a32), int16(b32)
	q, r = ref(bigS(int64(x)), bigS(int64(y)), 16)
	check("DivS16", uint64(uint16(DivS16(x, y))), q)
	check("RemS16", uint64(uint16(RemS16(x, y))), r)
	q, r = ref(bigU(uint64(uint16(x))), bigU(uint64(uint16(y))), 16)
	check("DivU16", uint64(DivU16(uint16(x), uint16(y))), q)
	check("RemU16", uint64(RemU16(uint16(x), uint16(y))), r)
}

// TestCvtInt checks every conversion among integer types against big
// arithmetic. The functions are generated; the test lists them by source type.
func TestCvtInt(t *testing.T) {
	t.Parallel()
	r := rng(2)
	type row struct {
		name      string
		got, want uint64
	}
	for range 20_000 {
		v := pick64(r)
		lim := func(x *big.Int, n uint, signed bool) uint64 {
			lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), n)
			if signed {
				hi.Rsh(hi, 1)
				lo.Neg(hi)
			}
			hi.Sub(hi, big.NewInt(1))
			if x.Cmp(lo) < 0 {
				x = lo
			}
			if x.Cmp(hi) > 0 {
				x = hi
			}
			return wrap(x, 64)
		}
		s64, u64 := bigS(int64(v)), bigU(v)
		s32, u32 := bigS(int64(int32(v))), bigU(uint64(uint32(v)))
		s16, u16 := bigS(int64(int16(v))), bigU(uint64(uint16(v)))
		s8, u8 := bigS(int64(int8(v))), bigU(uint64(uint8(v)))
		rows := []row{
			{"U64FromS32", CvtU64FromS32(int32(v)), wrap(s32, 64)},
			{"U64FromU32", CvtU64FromU32(uint32(v)), wrap(u32, 64)},
			{"S64FromS8", uint64(CvtS64FromS8(int8(v))), wrap(s8, 64)},
			{"U64FromU8", CvtU64FromU8(uint8(v)), wrap(u8, 64)},
			{"S32FromS16", uint64(uint32(CvtS32FromS16(int16(v)))), wrap(s16, 32)},
			{"U32FromU16", uint64(CvtU32FromU16(uint16(v))), wrap(u16, 32)},
			{"U32FromS8", uint64(CvtU32FromS8(int8(v))), wrap(s8, 32)},
			{"U16FromU64", uint64(CvtU16FromU64(v)), wrap(u64, 16)},
			{"U8FromS64", uint64(CvtU8FromS64(int64(v))), wrap(s64, 8)},
			{"SatU8FromS32", uint64(CvtSatU8FromS32(int32(v))), lim(s32, 8, false)},
			{"SatS8FromS32", uint64(CvtSatS8FromS32(int32(v))), lim(s32, 8, true)},
			{"SatS8FromU8", uint64(CvtSatS8FromU8(uint8(v))), lim(u8, 8, true)},
			{"SatU8FromS8", uint64(CvtSatU8FromS8(int8(v))), lim(s8, 8, false)},
			{"SatU16FromU32", uint64(CvtSatU16FromU32(uint32(v))), lim(u32, 16, false)},
			{"SatS16FromU64", uint64(CvtSatS16FromU64(v)), lim(u64, 16, true)},
			{"SatS32FromS64", uint64(CvtSatS32FromS64(int64(v))), lim(s64, 32, true)},
			{"SatU32FromS64", uint64(CvtSatU32FromS64(int64(v))), lim(s64, 32, false)},
			{"SatU32FromU64", uint64(CvtSatU32FromU64(v)), lim(u64, 32, false)},
			{"SatU64FromS64", CvtSatU64FromS64(int64(v)), lim(s64, 64, false)},
			{"SatS64FromU64", uint64(CvtSatS64FromU64(v)), lim(u64, 64, true)},
			{"SatU64FromS8", CvtSatU64FromS8(int8(v)), lim(s8, 64, false)},
			{"SatU32FromS16", uint64(CvtSatU32FromS16(int16(v))), lim(s16, 32, false)},
			{"SatS16FromU16", uint64(CvtSatS16FromU16(uint16(v))), lim(u16, 16, true)},
		}
		for _, k := range rows {
			if k.got != k.want {
				t.Fatalf("Cvt%s(%#x) = %#x, want %#x", k.name, v, k.got, k.want)
			}
		}
	}
}

func TestPacked16(t *testing.T) {
	t.Parallel()
	r := rng(51)
	for range 20_000 {
		a, b := pick32(r), pick32(r)
		half := func(f func(x, y int) int, signed bool) uint32 {
			var d uint32
			for i := range 2 {
				x, y := int(a>>(16*i)&0xffff), int(b>>(16*i)&0xffff)
				if signed {
					x, y = (x+0x8000)%0x10000-0x8000, (y+0x8000)%0x10000-0x8000
				}
				d |= uint32(f(x, y)+0x10000) & 0xffff << (16 * i)
			}
			return d
		}
		lo := func(x, y int) int {
			if x < y {
				return x
			}
			return y
		}
		hi := func(x, y int) int { return x + y - lo(x, y) }
		relu := func(f func(x, y int) int) func(x, y int) int {
			return func(x, y int) int { return hi(0, f(x, y)) }
		}
		for _, c := range []struct {
			name      string
			got, want uint32
		}{
			{"Add16x2", Add16x2(a, b), half(func(x, y int) int { return x + y }, false)},
			{"MinU16x2", MinU16x2(a, b), half(lo, false)}, {"MaxU16x2", MaxU16x2(a, b), half(hi, false)},
			{"MinS16x2", MinS16x2(a, b), half(lo, true)}, {"MaxS16x2", MaxS16x2(a, b), half(hi, true)},
			{"MinReluS16x2", MinReluS16x2(a, b), half(relu(lo), true)}, {"MaxReluS16x2", MaxReluS16x2(a, b), half(relu(hi), true)},
			{"MinReluS32", uint32(MinReluS32(int32(a), int32(b))), uint32(relu(lo)(int(int32(a)), int(int32(b))))},
			{"MaxReluS32", uint32(MaxReluS32(int32(a), int32(b))), uint32(relu(hi)(int(int32(a)), int(int32(b))))},
		} {
			if c.got != c.want {
				t.Fatalf("%s(%#x, %#x) = %#x, want %#x", c.name, a, b, c.got, c.want)
			}
		}
	}
}
