package num

import "math"

// The narrow formats of PTX 5.2.3 and 5.2.4 and their conversions, PTX ISA 9.7.9.22. The families
// of functions over formats are in znarrow.go.

// A narrowFormat is a floating-point format of 16 bits or less: a sign, an exponent and
// man bits of mantissa.
type narrowFormat struct {
	man, bias int
	sign      uint16 // the sign's bit
	max       uint16 // result for values that are too large: the greatest value, or infinity
	nan       uint16 // result for NaN
	hasInf    bool   // the patterns from inf on are infinity and NaN
	random    int    // number of random bits that .rs uses for one value
}

// Conversions to f8, f6 and f4 always have .satfinite: the greatest value stands for all greater
// values, and for NaN if the format has none (PTX 9.7.9.22). Unspecified: the bits of NaN; here
// they are those of the canonical f16 NaN, truncated.

func formatE4M3() narrowFormat {
	return narrowFormat{man: 3, bias: 7, sign: 0x80, max: 0x7e, nan: 0x7f, random: 16}
}

func formatE5M2() narrowFormat {
	return narrowFormat{man: 2, bias: 15, sign: 0x80, max: 0x7b, nan: 0x7f, hasInf: true, random: 16}
}

func formatE2M3() narrowFormat {
	return narrowFormat{man: 3, bias: 1, sign: 0x20, max: 0x1f, nan: 0x1f, random: 16}
}

func formatE3M2() narrowFormat {
	return narrowFormat{man: 2, bias: 3, sign: 0x20, max: 0x1f, nan: 0x1f, random: 16}
}

func formatE2M1() narrowFormat {
	return narrowFormat{man: 1, bias: 1, sign: 0x8, max: 0x7, nan: 0x7, random: 16}
}

// formatUE5M3 has no sign (PTX 5.2.3 of version 9.4): magnitudes are converted.
func formatUE5M3() narrowFormat { return narrowFormat{man: 3, bias: 15, max: 0xfe, nan: 0xff} }

// stochF16 and stochBF16 are f16 and bf16 as destinations of .rs.
func stochF16() narrowFormat {
	return narrowFormat{man: 10, bias: 15, sign: 0x8000, max: 0x7c00, nan: 0x7fff, hasInf: true, random: 13}
}

func stochBF16() narrowFormat {
	return narrowFormat{man: 7, bias: 127, sign: 0x8000, max: 0x7f80, nan: 0x7fff, hasInf: true, random: 16}
}

// encode rounds a to the format, to nearest even (RN), toward zero (RZ), or away from it
// (RP: formats without sign).
func (f narrowFormat) encode(mode RoundMode, a float32) uint16 {
	if mode == RN {
		// A value that is normal in both formats needs no test of the exponent: a carry moves into
		// it.
		bits := math.Float32bits(a)
		if u := bits &^ sign32; u < exp32 && u >= uint32(128-f.bias)<<23 {
			shift := uint(23 - f.man)
			u += 1<<(shift-1) - 1 + u>>shift&1
			code := uint16(min(int(u>>shift)-(127-f.bias)<<f.man, int(f.max)))
			if bits&sign32 != 0 {
				code |= f.sign
			}
			return code
		}
		return f.round(a, func(drop uint, odd uint64) uint64 { return 1<<(drop-1) - 1 + odd })
	} else if mode == RP {
		return f.round(a, func(drop uint, _ uint64) uint64 { return 1<<drop - 1 })
	}
	return f.round(a, func(uint, uint64) uint64 { return 0 })
}

// stochastic rounds a by the random bits r.
//
// PTX 9.7.9.22: .rs rounds away from zero if adding the random bits to the discarded bits of the
// mantissa carries. Errata E42: the first random bit has the weight of half a unit in the last
// place, even if more bits are discarded than there are random ones.
func (f narrowFormat) stochastic(a float32, r uint16) uint16 {
	return f.round(a, func(drop uint, _ uint64) uint64 { return uint64(r) << (drop - uint(f.random)) })
}

// round adds the rounding value to the mantissa, whose last drop bits are discarded, and then
// discards them.
func (f narrowFormat) round(a float32, add func(drop uint, odd uint64) uint64) uint16 {
	u := math.Float32bits(a)
	var sign uint16
	if u&sign32 != 0 {
		sign = f.sign
	}
	u &^= sign32
	switch {
	case u > exp32:
		return f.nan
	case u == exp32:
		return sign | f.max
	}
	// |a| = m * 2^(e-150).
	e, m := int(u>>23), uint64(u&man32)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 23
	}
	top := max(e-127, 1-f.bias) // exponent of the result's leading bit, if it is normal
	drop := uint(top - f.man - (e - 150))
	if drop >= 40 {
		// The value is less than the unit, and less than all random bits together, so only RP
		// rounds it up.
		m, drop = uint64(B2U32(m != 0)), 40
	}
	m += add(drop, m>>drop&1)
	// A carry out of the mantissa moves into the exponent.
	code := int(m>>drop) + (top+f.bias-1)<<f.man
	return sign | uint16(min(code, int(f.max)))
}

// decode is exact. NaN gives the canonical NaN.
func (f narrowFormat) decode(v uint16) float32 {
	mag := v & (f.sign - 1)
	e, m := int(mag>>f.man), uint32(mag)&(1<<f.man-1)
	var r float32
	switch {
	case f.hasInf && mag > f.max:
		if m != 0 {
			return math.Float32frombits(NaN32)
		}
		r = math.Float32frombits(exp32)
	case mag == f.nan && f.nan > f.max:
		return math.Float32frombits(NaN32)
	case e == 0:
		r = float32(m) * math.Float32frombits(uint32(128-f.bias-f.man)<<23)
	default:
		r = math.Float32frombits(uint32(e-f.bias+127)<<23 | m<<(23-f.man))
	}
	if v&f.sign != 0 {
		return -r
	}
	return r
}

// scaleUE8M0 returns the value of a ue8m0: 2^(s-127), and NaN for 0xff (PTX 5.2.3).
func scaleUE8M0(s uint8) float32 {
	switch s {
	case 0:
		return 0x1p-127
	case 0xff:
		return math.Float32frombits(NaN32)
	}
	return math.Float32frombits(uint32(s) << 23)
}

// scaledBF16 returns v times a scale factor, rounded to bf16 once. v has at most 8 bits and is a
// multiple of 2^-16, so the product is exact in f32 or overflows both formats.
func scaledBF16(v float32, s uint8) uint16 { return CvtBF16FromF32(v * scaleUE8M0(s)) }

// Lo8 returns bits 7:0.
func Lo8(a uint16) uint8 { return uint8(a) }

// Hi8 returns bits 15:8.
func Hi8(a uint16) uint8 { return uint8(a >> 8) }

// Pack16 puts hi above lo.
func Pack16(lo, hi uint8) uint16 { return uint16(hi)<<8 | uint16(lo) }

// ReluF32 is the .relu step before a conversion to a narrow format: negative values
// become +0, and NaN stays.
func ReluF32(a float32) float32 {
	if a != a || !math.Signbit(float64(a)) {
		return a
	}
	return 0
}

// ReluF16x2 applies [ReluF16] to both halves.
func ReluF16x2(a uint32) uint32 { return Pack32(ReluF16(Lo16(a)), ReluF16(Hi16(a))) }

// ReluBF16x2 applies [ReluBF16] to both halves.
func ReluBF16x2(a uint32) uint32 { return Pack32(ReluBF16(Lo16(a)), ReluBF16(Hi16(a))) }

// SatfiniteF16x2 applies [SatfiniteF16] to both halves.
func SatfiniteF16x2(a uint32) uint32 { return Pack32(SatfiniteF16(Lo16(a)), SatfiniteF16(Hi16(a))) }

// SatfiniteBF16x2 applies [SatfiniteBF16] to both halves.
func SatfiniteBF16x2(a uint32) uint32 {
	return Pack32(SatfiniteBF16(Lo16(a)), SatfiniteBF16(Hi16(a)))
}

// SatfiniteTF32 is the .satfinite step of a conversion to tf32.
func SatfiniteTF32(a uint32) uint32 {
	if a&^sign32 == exp32 {
		return a - 0x2000
	}
	return a
}

// ReluTF32 is the .relu step of a conversion to tf32: negative values become +0, and NaN
// 0x7fffffff.
func ReluTF32(a uint32) uint32 {
	switch {
	case a&^sign32 > exp32:
		return NaN32
	case a&sign32 != 0:
		return 0
	}
	return a
}

// CvtF16x2FromF32RS is cvt.rs.f16x2.f32: the low 13 bits of each half of rbits round, the
// upper half for a, the lower for b.
func CvtF16x2FromF32RS(a, b float32, rbits uint32) uint32 {
	f := stochF16()
	return Pack32(f.stochastic(b, Lo16(rbits)&0x1fff), f.stochastic(a, Hi16(rbits)&0x1fff))
}

// CvtBF16x2FromF32RS is cvt.rs.bf16x2.f32: the upper half of rbits rounds a, the lower b.
func CvtBF16x2FromF32RS(a, b float32, rbits uint32) uint32 {
	f := stochBF16()
	return Pack32(f.stochastic(b, Lo16(rbits)), f.stochastic(a, Hi16(rbits)))
}

// ue8m0 rounds the magnitude of a to a power of two, up or down. The least is 2^-127, the greatest
// 2^127. Greater values become NaN, or with sat the greatest. Unspecified: the format has no sign,
// so the sign is ignored, and 0 becomes the least.
func ue8m0(a float32, up, sat bool) uint8 {
	u := math.Float32bits(a) &^ sign32
	if u > exp32 {
		return 0xff
	}
	e := u >> 23
	// The subnormal numbers are m * 2^-149, with 2^-127 = 2^22 * 2^-149 in their middle.
	if rest := u & man32; up && (e > 0 && rest != 0 || rest > 1<<22) {
		e++
	}
	if e >= 0xff && sat {
		return 0xfe
	}
	return uint8(e)
}

func ue8m0x2(a, b float32, up, sat bool) uint16 { return Pack16(ue8m0(b, up, sat), ue8m0(a, up, sat)) }

// CvtUE8M0x2FromF32RZ is cvt.rz.ue8m0x2.f32.
func CvtUE8M0x2FromF32RZ(a, b float32) uint16 { return ue8m0x2(a, b, false, false) }

// CvtUE8M0x2FromF32RP is cvt.rp.ue8m0x2.f32.
func CvtUE8M0x2FromF32RP(a, b float32) uint16 { return ue8m0x2(a, b, true, false) }

// CvtUE8M0x2FromF32RZSatfinite is cvt.rz.satfinite.ue8m0x2.f32.
func CvtUE8M0x2FromF32RZSatfinite(a, b float32) uint16 { return ue8m0x2(a, b, false, true) }

// CvtUE8M0x2FromF32RPSatfinite is cvt.rp.satfinite.ue8m0x2.f32.
func CvtUE8M0x2FromF32RPSatfinite(a, b float32) uint16 { return ue8m0x2(a, b, true, true) }

// CvtBF16x2FromUE8M0x2 is cvt.rn.bf16x2.ue8m0x2; it is exact.
func CvtBF16x2FromUE8M0x2(a uint16) uint32 {
	return Pack32(scaledBF16(1, Lo8(a)), scaledBF16(1, Hi8(a)))
}

// s2f6 divides a by a scale factor and rounds it to a multiple of 2^-6 in [-2, 127/64],
// nearest even. NaN becomes the greatest value.
func s2f6(a float32, s uint8) uint8 {
	// Exact: f64 has room for the quotient's exponent.
	q := math.RoundToEven(float64(a) / float64(scaleUE8M0(s)) * 64)
	switch {
	case q != q, q > 127:
		return 127
	case q < -128:
		return 0x80
	}
	return uint8(int8(q))
}

// CvtS2F6x2FromF32 is cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32: the upper byte of s
// scales a, the lower b.
func CvtS2F6x2FromF32(a, b float32, s uint16) uint16 { return Pack16(s2f6(b, Lo8(s)), s2f6(a, Hi8(s))) }

// CvtBF16x2FromS2F6x2 is cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2.
func CvtBF16x2FromS2F6x2(a, s uint16) uint32 {
	one := func(v, s uint8) uint16 { return scaledBF16(float32(int8(v))*0x1p-6, s) }
	return Pack32(one(Lo8(a), Lo8(s)), one(Hi8(a), Hi8(s)))
}

// ue5m3 converts a. If sat is not set, a value beyond the greatest one becomes NaN, except for a
// number that is rounded toward zero (PTX 9.4; Errata E71).
func ue5m3(mode RoundMode, a float32, sat bool) uint8 {
	f := formatUE5M3()
	r := f.encode(mode, a)
	// The limit above which values do not round to the greatest one, 0x1.cp16.
	limit := map[RoundMode]float32{RN: 0x1.dp16, RP: 0x1.cp16, RZ: math.MaxFloat32}[mode]
	if !sat && AbsF32(a) > limit {
		return 0xff
	}
	return uint8(r)
}

// CvtUE5M3x2FromF32 is cvt.rn.ue5m3x2.f32.
func CvtUE5M3x2FromF32(a, b float32) uint16 { return Pack16(ue5m3(RN, b, false), ue5m3(RN, a, false)) }

// CvtUE5M3x2FromF32RZ is cvt.rz.ue5m3x2.f32.
func CvtUE5M3x2FromF32RZ(a, b float32) uint16 {
	return Pack16(ue5m3(RZ, b, false), ue5m3(RZ, a, false))
}

// CvtUE5M3x2FromF32RP is cvt.rp.ue5m3x2.f32.
func CvtUE5M3x2FromF32RP(a, b float32) uint16 {
	return Pack16(ue5m3(RP, b, false), ue5m3(RP, a, false))
}

// CvtUE5M3x2FromF32Satfinite is cvt.rn.satfinite.ue5m3x2.f32.
func CvtUE5M3x2FromF32Satfinite(a, b float32) uint16 {
	return Pack16(ue5m3(RN, b, true), ue5m3(RN, a, true))
}

// CvtUE5M3x2FromF32RZSatfinite is cvt.rz.satfinite.ue5m3x2.f32.
func CvtUE5M3x2FromF32RZSatfinite(a, b float32) uint16 {
	return Pack16(ue5m3(RZ, b, true), ue5m3(RZ, a, true))
}

// CvtUE5M3x2FromF32RPSatfinite is cvt.rp.satfinite.ue5m3x2.f32.
func CvtUE5M3x2FromF32RPSatfinite(a, b float32) uint16 {
	return Pack16(ue5m3(RP, b, true), ue5m3(RP, a, true))
}

// CvtF16x2FromUE5M3x2 is cvt.rn.f16x2.ue5m3x2: values from 65536 on become infinity.
func CvtF16x2FromUE5M3x2(a uint16) uint32 {
	f := formatUE5M3()
	return Pack32(CvtF16FromF32(f.decode(uint16(Lo8(a)))), CvtF16FromF32(f.decode(uint16(Hi8(a)))))
}

// CvtBF16x2FromUE5M3x2 is cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2.
func CvtBF16x2FromUE5M3x2(a, s uint16) uint32 {
	f := formatUE5M3()
	return Pack32(scaledBF16(f.decode(uint16(Lo8(a))), Lo8(s)), scaledBF16(f.decode(uint16(Hi8(a))), Hi8(s)))
}

// UnscaleF32 returns a, flushed if subnormal, divided by a scale factor (.scaled::n1::ue8m0 of PTX
// 9.4). Numbers stay finite: all destination formats are far narrower than f32.
func UnscaleF32(a float32, s uint8) float32 {
	q := FlushF32(a) / scaleUE8M0(s)
	if IsInfF32(q) && !IsInfF32(a) {
		return CopysignF32(q, math.MaxFloat32)
	}
	return q
}

// The .pzo step (PTX 9.4): a negative zero becomes positive.

// PzoF16 serves f16 and bf16.
func PzoF16(a uint16) uint16 {
	if a == 0x8000 {
		return 0
	}
	return a
}

// PzoF16x2 applies [PzoF16] to both halves.
func PzoF16x2(a uint32) uint32 { return Pack32(PzoF16(Lo16(a)), PzoF16(Hi16(a))) }

// PzoTF32 serves tf32.
func PzoTF32(a uint32) uint32 {
	if a == sign32 {
		return 0
	}
	return a
}

// PzoF8x2 serves pairs of e4m3 and e5m2.
func PzoF8x2(a uint16) uint16 { return pzo8(a, 0x80) }

// PzoF6x2 serves pairs of e2m3 and e3m2.
func PzoF6x2(a uint16) uint16 { return pzo8(a, 0x20) }

func pzo8(a, zero uint16) uint16 {
	if a&0xff == zero {
		a &= 0xff00
	}
	if a>>8 == zero {
		a &= 0xff
	}
	return a
}

// PzoF4x2 serves pairs of e2m1.
func PzoF4x2(a uint8) uint8 {
	if a&15 == 8 {
		a &= 0xf0
	}
	if a>>4 == 8 {
		a &= 15
	}
	return a
}

// cvtPack is cvt.pack (PTX 9.7.9.23): b and a, clamped to the range lo to hi, in the low 2*size
// bits, and c above them.
func cvtPack(a, b int32, c uint32, size uint, lo, hi int32) uint32 {
	mask := uint32(1)<<size - 1
	return c<<(2*size) | uint32(max(lo, min(hi, a)))&mask<<size | uint32(max(lo, min(hi, b)))&mask
}

// CvtPackU16 is cvt.pack.sat.u16.s32.
func CvtPackU16(a, b int32) uint32 { return cvtPack(a, b, 0, 16, 0, math.MaxUint16) }

// CvtPackS16 is cvt.pack.sat.s16.s32.
func CvtPackS16(a, b int32) uint32 { return cvtPack(a, b, 0, 16, math.MinInt16, math.MaxInt16) }

// CvtPackU8 is cvt.pack.sat.u8.s32.b32.
func CvtPackU8(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 8, 0, math.MaxUint8) }

// CvtPackS8 is cvt.pack.sat.s8.s32.b32.
func CvtPackS8(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 8, math.MinInt8, math.MaxInt8) }

// CvtPackU4 is cvt.pack.sat.u4.s32.b32.
func CvtPackU4(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 4, 0, 15) }

// CvtPackS4 is cvt.pack.sat.s4.s32.b32.
func CvtPackS4(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 4, -8, 7) }

// CvtPackU2 is cvt.pack.sat.u2.s32.b32.
func CvtPackU2(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 2, 0, 3) }

// CvtPackS2 is cvt.pack.sat.s2.s32.b32.
func CvtPackS2(a, b int32, c uint32) uint32 { return cvtPack(a, b, c, 2, -2, 1) }
