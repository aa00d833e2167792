package amdgpu

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// A laneRef is a second, literal transcription of an operation of the manual on one lane. s holds
// the sources in the order of the text (S0, S1, S2), as the operand's bits. If the instruction
// reads the old destination, it comes last.
type laneRef func(s []uint64) uint64

func f32(b uint64) float64  { return float64(math.Float32frombits(uint32(b))) }
func f64v(b uint64) float64 { return math.Float64frombits(b) }

// to32 rounds a value to f32. The value is exact, or wide enough that double rounding does not
// change the result.
func to32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

func to16(x float64) uint64 {
	var sign uint64
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	switch {
	case x != x:
		return 0x7e00
	case x >= 65520:
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	_, e := math.Frexp(x)
	e = max(e-1, -14)
	m := uint64(math.RoundToEven(math.Ldexp(x, 10-e)))
	if m < 1024 {
		return sign | m
	}
	if m == 2048 {
		m, e = 1024, e+1
	}
	return sign | uint64(e+15)<<10 + m - 1024
}

func f16v(b uint64) float64 {
	s, e, m := 1.0, int(b>>10&31), float64(b&1023)
	if b>>15&1 != 0 {
		s = -1
	}
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return math.Inf(int(s))
	case e == 0:
		return s * m * 0x1p-24
	}
	return s * math.Ldexp(1024+m, e-25)
}

// exactFMA returns a*b + c rounded once to the given precision.
func exactFMA(a, b, c float64, single bool) float64 {
	r := a*b + c
	if r != r || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) || a*b == 0 {
		return r
	}
	f := new(big.Float).SetPrec(4000)
	f.Mul(big.NewFloat(a), big.NewFloat(b).SetPrec(4000))
	f.Add(f, big.NewFloat(c))
	if f.Sign() == 0 {
		return 0
	}
	if single {
		v, _ := f.Float32()
		return float64(v)
	}
	v, _ := f.Float64()
	return v
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func toInt(x, lo, hi float64) uint64 {
	if x != x {
		return 0
	}
	return uint64(int64(max(lo, min(hi, math.Trunc(x)))))
}

func flush32(b uint64) uint64 {
	if b&0x7f800000 == 0 {
		return b & 0x80000000
	}
	return b
}

func minmax(lo bool, a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case lo:
		return math.Min(a, b)
	}
	return math.Max(a, b)
}

// snan reports whether b is a signalling NaN: the quiet bit is clear.
func snan(b uint64, quiet uint, inf uint64) bool {
	return b&inf == inf && b&(1<<quiet-1) != 0 && b>>quiet&1 == 0
}

func bytesOf(x uint64) [4]int {
	return [4]int{int(x & 255), int(x >> 8 & 255), int(x >> 16 & 255), int(x >> 24 & 255)}
}

func sext(x uint64, n uint) int64 { return int64(x) << (64 - n) >> (64 - n) }

func abs(x int) int { return max(x, -x) }

// laneRefs returns the operations whose results are exact.
func laneRefs() map[string]laneRef {
	m := map[string]laneRef{
		"v_mov_b32":        func(s []uint64) uint64 { return s[0] },
		"v_not_b32":        func(s []uint64) uint64 { return ^s[0] },
		"v_bfrev_b32":      func(s []uint64) uint64 { return uint64(bits.Reverse32(uint32(s[0]))) },
		"v_ffbh_u32":       func(s []uint64) uint64 { return leading(s[0], 0) },
		"v_ffbh_i32":       func(s []uint64) uint64 { return leading(s[0], s[0]>>31) },
		"v_ffbl_b32":       func(s []uint64) uint64 { return trailing(s[0]) },
		"v_and_b32":        func(s []uint64) uint64 { return s[0] & s[1] },
		"v_or_b32":         func(s []uint64) uint64 { return s[0] | s[1] },
		"v_xor_b32":        func(s []uint64) uint64 { return s[0] ^ s[1] },
		"v_lshlrev_b32":    func(s []uint64) uint64 { return s[1] << (s[0] & 31) },
		"v_lshrrev_b32":    func(s []uint64) uint64 { return s[1] >> (s[0] & 31) },
		"v_ashrrev_i32":    func(s []uint64) uint64 { return uint64(sext(s[1], 32) >> (s[0] & 31)) },
		"v_lshlrev_b64":    func(s []uint64) uint64 { return s[1] << (s[0] & 63) },
		"v_lshrrev_b64":    func(s []uint64) uint64 { return s[1] >> (s[0] & 63) },
		"v_ashrrev_i64":    func(s []uint64) uint64 { return uint64(int64(s[1]) >> (s[0] & 63)) },
		"v_lshlrev_b16":    func(s []uint64) uint64 { return s[1] << (s[0] & 15) },
		"v_lshrrev_b16":    func(s []uint64) uint64 { return s[1] >> (s[0] & 15) },
		"v_ashrrev_i16":    func(s []uint64) uint64 { return uint64(sext(s[1], 16) >> (s[0] & 15)) },
		"v_add_u16":        func(s []uint64) uint64 { return s[0] + s[1] },
		"v_sub_u16":        func(s []uint64) uint64 { return s[0] - s[1] },
		"v_subrev_u16":     func(s []uint64) uint64 { return s[1] - s[0] },
		"v_mul_lo_u16":     func(s []uint64) uint64 { return s[0] * s[1] },
		"v_mad_u16":        func(s []uint64) uint64 { return s[0]*s[1] + s[2] },
		"v_mad_i16":        func(s []uint64) uint64 { return s[0]*s[1] + s[2] },
		"v_mul_i32_i24":    func(s []uint64) uint64 { return uint64(sext(s[0], 24) * sext(s[1], 24)) },
		"v_mul_hi_i32_i24": func(s []uint64) uint64 { return uint64(sext(s[0], 24) * sext(s[1], 24) >> 32) },
		"v_mul_u32_u24":    func(s []uint64) uint64 { return (s[0] & 0xffffff) * (s[1] & 0xffffff) },
		"v_mul_hi_u32_u24": func(s []uint64) uint64 { return (s[0] & 0xffffff) * (s[1] & 0xffffff) >> 32 },
		"v_mad_i32_i24":    func(s []uint64) uint64 { return uint64(sext(s[0], 24)*sext(s[1], 24)) + s[2] },
		"v_mad_u32_u24":    func(s []uint64) uint64 { return (s[0]&0xffffff)*(s[1]&0xffffff) + s[2] },
		"v_mul_lo_u32":     func(s []uint64) uint64 { return s[0] * s[1] },
		"v_mul_hi_u32":     func(s []uint64) uint64 { return s[0] * s[1] >> 32 },
		"v_mul_hi_i32":     func(s []uint64) uint64 { return uint64(sext(s[0], 32) * sext(s[1], 32) >> 32) },
		"v_bfe_u32":        func(s []uint64) uint64 { return s[0] >> (s[1] & 31) & (1<<(s[2]&31) - 1) },
		"v_bfe_i32": func(s []uint64) uint64 {
			off, n := s[1]&31, s[2]&31
			switch {
			case n == 0:
				return 0
			case off+n < 32:
				return uint64(int64(int32(uint32(s[0])<<(32-off-n)) >> (32 - n)))
			}
			return uint64(sext(s[0], 32) >> off)
		},
		"v_bfi_b32":       func(s []uint64) uint64 { return s[0]&s[1] | ^s[0]&s[2] },
		"v_bfm_b32":       func(s []uint64) uint64 { return (1<<(s[0]&31) - 1) << (s[1] & 31) },
		"v_alignbit_b32":  func(s []uint64) uint64 { return (s[0]<<32 | s[1]) >> (s[2] & 31) },
		"v_alignbyte_b32": func(s []uint64) uint64 { return (s[0]<<32 | s[1]) >> (8 * (s[2] & 3)) },
		"v_bcnt_u32_b32":  func(s []uint64) uint64 { return uint64(bits.OnesCount64(s[0])) + s[1] },
		"v_perm_b32": func(s []uint64) uint64 {
			all := append(bytes4(s[1]), bytes4(s[0])...)
			var r uint64
			for i, sel := range bytesOf(s[2]) {
				b := uint64(0xff)
				switch {
				case sel < 8:
					b = all[sel]
				case sel < 12:
					b = all[2*(sel-8)+1] >> 7 * 0xff
				case sel == 12:
					b = 0
				}
				r |= b << (8 * i)
			}
			return r
		},
		"v_lerp_u8": func(s []uint64) uint64 {
			var r uint64
			a, b, c := bytesOf(s[0]), bytesOf(s[1]), bytesOf(s[2])
			for i := range a {
				r |= uint64((a[i]+b[i]+c[i]&1)>>1) << (8 * i)
			}
			return r
		},
		"v_sad_u8":    func(s []uint64) uint64 { return uint64(sad(s[0], s[1], false)) + s[2] },
		"v_msad_u8":   func(s []uint64) uint64 { return uint64(sad(s[0], s[1], true)) + s[2] },
		"v_sad_hi_u8": func(s []uint64) uint64 { return uint64(sad(s[0], s[1], false))<<16 + s[2] },
		"v_sad_u16": func(s []uint64) uint64 {
			return uint64(abs(int(s[0]&0xffff)-int(s[1]&0xffff))+abs(int(s[0]>>16)-int(s[1]>>16))) + s[2]
		},
		"v_sad_u32":         func(s []uint64) uint64 { return uint64(abs(int(s[0])-int(s[1]))) + s[2] },
		"v_cubeid_f32":      func(s []uint64) uint64 { return cubeRef(s, 0) },
		"v_cubesc_f32":      func(s []uint64) uint64 { return cubeRef(s, 1) },
		"v_cubetc_f32":      func(s []uint64) uint64 { return cubeRef(s, 2) },
		"v_cubema_f32":      func(s []uint64) uint64 { return cubeRef(s, 3) },
		"v_trig_preop_f64":  trigPreopRef(),
		"v_qsad_pk_u16_u8":  func(s []uint64) uint64 { return qsad(s, false) },
		"v_mqsad_pk_u16_u8": func(s []uint64) uint64 { return qsad(s, true) },
		"v_cvt_pk_u16_u32":  func(s []uint64) uint64 { return min(s[0], 0xffff) | min(s[1], 0xffff)<<16 },
		"v_cvt_pk_i16_i32": func(s []uint64) uint64 {
			c := func(x uint64) uint64 { return uint64(max(-0x8000, min(0x7fff, sext(x, 32)))) & 0xffff }
			return c(s[0]) | c(s[1])<<16
		},

		"v_cvt_f32_i32":    func(s []uint64) uint64 { return to32(float64(sext(s[0], 32))) },
		"v_cvt_f32_u32":    func(s []uint64) uint64 { return to32(float64(s[0])) },
		"v_cvt_f64_i32":    func(s []uint64) uint64 { return math.Float64bits(float64(sext(s[0], 32))) },
		"v_cvt_f64_u32":    func(s []uint64) uint64 { return math.Float64bits(float64(s[0])) },
		"v_cvt_u32_f32":    func(s []uint64) uint64 { return toInt(f32(s[0]), 0, math.MaxUint32) },
		"v_cvt_i32_f32":    func(s []uint64) uint64 { return toInt(f32(s[0]), math.MinInt32, math.MaxInt32) },
		"v_cvt_u32_f64":    func(s []uint64) uint64 { return toInt(f64v(s[0]), 0, math.MaxUint32) },
		"v_cvt_i32_f64":    func(s []uint64) uint64 { return toInt(f64v(s[0]), math.MinInt32, math.MaxInt32) },
		"v_cvt_f32_f64":    func(s []uint64) uint64 { return to32(f64v(s[0])) },
		"v_cvt_f64_f32":    func(s []uint64) uint64 { return math.Float64bits(f32(s[0])) },
		"v_cvt_f16_f32":    func(s []uint64) uint64 { return to16(f32(s[0])) },
		"v_cvt_f32_f16":    func(s []uint64) uint64 { return to32(f16v(s[0])) },
		"v_cvt_f16_u16":    func(s []uint64) uint64 { return to16(float64(s[0])) },
		"v_cvt_f16_i16":    func(s []uint64) uint64 { return to16(float64(sext(s[0], 16))) },
		"v_cvt_u16_f16":    func(s []uint64) uint64 { return toInt(f16v(s[0]), 0, 0xffff) },
		"v_cvt_i16_f16":    func(s []uint64) uint64 { return toInt(f16v(s[0]), -0x8000, 0x7fff) },
		"v_cvt_f32_ubyte0": func(s []uint64) uint64 { return to32(float64(s[0] & 255)) },
		"v_cvt_f32_ubyte1": func(s []uint64) uint64 { return to32(float64(s[0] >> 8 & 255)) },
		"v_cvt_f32_ubyte2": func(s []uint64) uint64 { return to32(float64(s[0] >> 16 & 255)) },
		"v_cvt_f32_ubyte3": func(s []uint64) uint64 { return to32(float64(s[0] >> 24 & 255)) },
		"v_cvt_off_f32_i4": func(s []uint64) uint64 { return to32(float64(sext(s[0], 4)) / 16) },
		"v_cvt_flr_i32_f32": func(s []uint64) uint64 {
			if x := f32(s[0]); x != x {
				return 0x7fffffff ^ uint64(int32(s[0])>>31)
			}
			return toInt(math.Floor(f32(s[0])), math.MinInt32, math.MaxInt32)
		},
		"v_cvt_rpi_i32_f32": func(s []uint64) uint64 {
			if x := f32(s[0]); x != x {
				return 0x7fffffff ^ uint64(int32(s[0])>>31)
			}
			return toInt(math.Floor(f32(s[0])+0.5), math.MinInt32, math.MaxInt32)
		},
		"v_cvt_pk_u8_f32": func(s []uint64) uint64 {
			n := 8 * (s[1] & 3)
			return s[2]&^(255<<n) | toInt(math.RoundToEven(f32(s[0])), 0, 255)<<n
		},
		"v_cvt_pkaccum_u8_f32": func(s []uint64) uint64 {
			n := 8 * (s[1] & 3)
			return s[2]&^(255<<n) | toInt(math.RoundToEven(f32(s[0])), 0, 255)<<n
		},

		"v_add_f32":        func(s []uint64) uint64 { return to32(f32(s[0]) + f32(s[1])) },
		"v_sub_f32":        func(s []uint64) uint64 { return to32(f32(s[0]) - f32(s[1])) },
		"v_subrev_f32":     func(s []uint64) uint64 { return to32(f32(s[1]) - f32(s[0])) },
		"v_mul_f32":        func(s []uint64) uint64 { return to32(f32(s[0]) * f32(s[1])) },
		"v_mul_legacy_f32": func(s []uint64) uint64 { return to32(legacy(f32(s[0]), f32(s[1]))) },
		"v_fma_f32":        func(s []uint64) uint64 { return to32(exactFMA(f32(s[0]), f32(s[1]), f32(s[2]), true)) },
		"v_fma_f64":        func(s []uint64) uint64 { return math.Float64bits(exactFMA(f64v(s[0]), f64v(s[1]), f64v(s[2]), false)) },
		"v_mad_f32":        mad32, "v_mac_f32": mad32,
		"v_madak_f32": mad32,                                                                // S0 * S1 + K
		"v_madmk_f32": func(s []uint64) uint64 { return mad32([]uint64{s[0], s[1], s[2]}) }, // S0 * K + S1
		"v_mad_legacy_f32": func(s []uint64) uint64 {
			p := flush32(to32(legacy(f32(flush32(s[0])), f32(flush32(s[1])))))
			return flush32(to32(f32(p) + f32(flush32(s[2]))))
		},
		"v_add_f16":    func(s []uint64) uint64 { return to16(f16v(s[0]) + f16v(s[1])) },
		"v_sub_f16":    func(s []uint64) uint64 { return to16(f16v(s[0]) - f16v(s[1])) },
		"v_subrev_f16": func(s []uint64) uint64 { return to16(f16v(s[1]) - f16v(s[0])) },
		"v_mul_f16":    func(s []uint64) uint64 { return to16(f16v(s[0]) * f16v(s[1])) },
		"v_mad_f16":    mad16, "v_mac_f16": mad16, "v_madak_f16": mad16, "v_madmk_f16": mad16,
		"v_fma_f16":   func(s []uint64) uint64 { return to16(f16v(s[0])*f16v(s[1]) + f16v(s[2])) },
		"v_add_f64":   func(s []uint64) uint64 { return math.Float64bits(f64v(s[0]) + f64v(s[1])) },
		"v_mul_f64":   func(s []uint64) uint64 { return math.Float64bits(f64v(s[0]) * f64v(s[1])) },
		"v_ldexp_f32": func(s []uint64) uint64 { return to32(math.Ldexp(f32(s[0]), int(sext(s[1], 32)))) },
		"v_ldexp_f64": func(s []uint64) uint64 {
			return math.Float64bits(math.Ldexp(f64v(s[0]), int(max(-5000, min(5000, sext(s[1], 32))))))
		},
		"v_ldexp_f16": func(s []uint64) uint64 { return to16(math.Ldexp(f16v(s[0]), int(sext(s[1], 16)))) },
		"v_fract_f32": func(s []uint64) uint64 {
			return min(to32(f32(s[0])-math.Floor(f32(s[0]))), nanOr(f32(s[0]), 0x3f7fffff))
		},
		"v_fract_f64": func(s []uint64) uint64 {
			return min(math.Float64bits(f64v(s[0])-math.Floor(f64v(s[0]))), nanOr(f64v(s[0]), 0x3fefffffffffffff))
		},
		"v_fract_f16": func(s []uint64) uint64 {
			return min(to16(f16v(s[0])-math.Floor(f16v(s[0]))), nanOr(f16v(s[0]), 0x3bff))
		},
		"v_frexp_exp_i32_f32": func(s []uint64) uint64 { return frexpExp(f32(s[0])) },
		"v_frexp_exp_i32_f64": func(s []uint64) uint64 { return frexpExp(f64v(s[0])) },
		"v_frexp_exp_i16_f16": func(s []uint64) uint64 { return frexpExp(f16v(s[0])) },
		"v_frexp_mant_f32":    func(s []uint64) uint64 { m, _ := math.Frexp(f32(s[0])); return to32(m) },
		"v_frexp_mant_f64":    func(s []uint64) uint64 { m, _ := math.Frexp(f64v(s[0])); return math.Float64bits(m) },
		"v_frexp_mant_f16":    func(s []uint64) uint64 { m, _ := math.Frexp(f16v(s[0])); return to16(m) },
		"v_cvt_pkrtz_f16_f32": func(s []uint64) uint64 { return rtz16(s[0]) | rtz16(s[1])<<16 },
		"v_cvt_pknorm_i16_f32": func(s []uint64) uint64 {
			c := func(x float64) uint64 {
				if x != x {
					return 0
				}
				return uint64(int64(max(-32767, min(32767, math.RoundToEven(x*32767))))) & 0xffff
			}
			return c(f32(s[0])) | c(f32(s[1]))<<16
		},
		"v_cvt_pknorm_u16_f32": func(s []uint64) uint64 {
			c := func(x float64) uint64 { return toInt(math.RoundToEven(x*65535), 0, 65535) }
			return c(f32(s[0])) | c(f32(s[1]))<<16
		},
	}
	for name, fn := range map[string]func(float64) float64{"trunc": math.Trunc, "ceil": math.Ceil, "floor": math.Floor, "rndne": math.RoundToEven} {
		m["v_"+name+"_f32"] = func(s []uint64) uint64 { return to32(fn(f32(s[0]))) }
		m["v_"+name+"_f64"] = func(s []uint64) uint64 { return math.Float64bits(fn(f64v(s[0]))) }
		m["v_"+name+"_f16"] = func(s []uint64) uint64 { return to16(fn(f16v(s[0]))) }
	}
	for _, lo := range []bool{true, false} {
		n := "v_max"
		if lo {
			n = "v_min"
		}
		m[n+"_f32"] = func(s []uint64) uint64 {
			if snan(s[0], 22, 0x7f800000) || snan(s[1], 22, 0x7f800000) {
				return 0x7fc00000
			}
			return to32(minmax(lo, f32(s[0]), f32(s[1])))
		}
		m[n+"_f64"] = func(s []uint64) uint64 {
			if snan(s[0], 51, 0x7ff0000000000000) || snan(s[1], 51, 0x7ff0000000000000) {
				return 0x7ff8000000000000
			}
			return math.Float64bits(minmax(lo, f64v(s[0]), f64v(s[1])))
		}
		m[n+"_f16"] = func(s []uint64) uint64 {
			if snan(s[0], 9, 0x7c00) || snan(s[1], 9, 0x7c00) {
				return 0x7e00
			}
			return to16(minmax(lo, f16v(s[0]), f16v(s[1])))
		}
		m[n+"3_f32"] = func(s []uint64) uint64 { return m[n+"_f32"]([]uint64{m[n+"_f32"](s), s[2]}) }
		pick := func(less bool, s []uint64) uint64 {
			if less == lo {
				return s[0]
			}
			return s[1]
		}
		m[n+"_u32"] = func(s []uint64) uint64 { return pick(s[0] < s[1], s) }
		m[n+"_u16"] = m[n+"_u32"]
		m[n+"_i32"] = func(s []uint64) uint64 { return pick(sext(s[0], 32) < sext(s[1], 32), s) }
		m[n+"_i16"] = func(s []uint64) uint64 { return pick(sext(s[0], 16) < sext(s[1], 16), s) }
		m[n+"3_u32"] = func(s []uint64) uint64 { x := m[n+"_u32"](s); return m[n+"_u32"]([]uint64{x, s[2]}) }
		m[n+"3_i32"] = func(s []uint64) uint64 { x := m[n+"_i32"](s); return m[n+"_i32"]([]uint64{x, s[2]}) }
	}
	m["v_med3_u32"] = func(s []uint64) uint64 { return s[0] + s[1] + s[2] - min(s[0], s[1], s[2]) - max(s[0], s[1], s[2]) }
	m["v_med3_i32"] = func(s []uint64) uint64 {
		a, b, c := sext(s[0], 32), sext(s[1], 32), sext(s[2], 32)
		return uint64(a + b + c - min(a, b, c) - max(a, b, c))
	}
	m["v_med3_f32"] = func(s []uint64) uint64 {
		a, b, c := f32(s[0]), f32(s[1]), f32(s[2])
		if a != a || b != b || c != c {
			return m["v_min3_f32"](s)
		}
		switch math.Max(math.Max(a, b), c) {
		case a:
			return to32(math.Max(b, c))
		case b:
			return to32(math.Max(a, c))
		}
		return to32(math.Max(a, b))
	}
	return m
}

// approxRefs returns the transcendental operations; results may differ by a few units in the last
// place.
func approxRefs() map[string]func(float64) float64 {
	turn := func(f func(float64) float64, far float64) func(float64) float64 {
		return func(x float64) float64 {
			if math.Abs(x) > 256 && !math.IsInf(x, 0) {
				return far
			}
			return f(2 * math.Pi * math.Remainder(x, 1))
		}
	}
	one := map[string]func(float64) float64{
		"rcp": func(x float64) float64 { return 1 / x }, "rsq": func(x float64) float64 { return 1 / math.Sqrt(x) },
		"sqrt": math.Sqrt, "exp": math.Exp2, "log": math.Log2, "sin": turn(math.Sin, 0), "cos": turn(math.Cos, 1),
	}
	m := map[string]func(float64) float64{"v_rcp_iflag_f32": one["rcp"], "v_exp_legacy_f32": one["exp"], "v_log_legacy_f32": one["log"]}
	for n, f := range one {
		m["v_"+n+"_f32"], m["v_"+n+"_f16"] = f, f
	}
	m["v_rcp_f64"], m["v_rsq_f64"], m["v_sqrt_f64"] = one["rcp"], one["rsq"], one["sqrt"]
	return m
}

// cmpRef evaluates a comparison by the letters of its mnemonic.
func cmpRef(name string, t Type, a, b uint64) bool {
	cond := strings.Split(strings.TrimPrefix(strings.TrimPrefix(name, "v_cmpx_"), "v_cmp_"), "_")[0]
	var lt, eq, un bool
	switch t {
	case F32, F64, F16:
		x, y := map[Type]func(uint64) float64{F32: f32, F64: f64v, F16: f16v}[t](a), map[Type]func(uint64) float64{F32: f32, F64: f64v, F16: f16v}[t](b)
		lt, eq, un = x < y, x == y, x != x || y != y
	case U32, U64, U16:
		lt, eq = a < b, a == b
	default:
		n := uint(32 * t.Dwords())
		if t.Is16() {
			n = 16
		}
		lt, eq = sext(a, n) < sext(b, n), a == b
	}
	gt := !lt && !eq && !un
	switch cond {
	case "f":
		return false
	case "t", "tru":
		return true
	case "lt":
		return lt
	case "eq":
		return eq
	case "le":
		return lt || eq
	case "gt":
		return gt
	case "ge":
		return gt || eq
	case "ne":
		return !eq
	case "lg":
		return lt || gt
	case "o":
		return !un
	case "u":
		return un
	case "nge":
		return !(gt || eq)
	case "nlg":
		return !(lt || gt)
	case "ngt":
		return !gt
	case "nle":
		return !(lt || eq)
	case "neq":
		return !eq
	case "nlt":
		return !lt
	}
	panic(name)
}

func leading(x, bit uint64) uint64 {
	for i := 31; i >= 0; i-- {
		if x>>i&1 != bit {
			return uint64(31 - i)
		}
	}
	return 0xffffffff
}

func trailing(x uint64) uint64 {
	for i := range 32 {
		if x>>i&1 != 0 {
			return uint64(i)
		}
	}
	return 0xffffffff
}

func bytes4(x uint64) []uint64 { return []uint64{x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24 & 255} }

func sad(x, y uint64, masked bool) int {
	a, b, r := bytesOf(x), bytesOf(y), 0
	for i := range a {
		if !masked || b[i] != 0 {
			r += abs(a[i] - b[i])
		}
	}
	return r
}

func qsad(s []uint64, masked bool) uint64 {
	var r uint64
	for i := range 4 {
		r |= (uint64(sad(s[0]>>(8*i)&0xffffffff, s[1], masked)) + s[2]>>(16*i)) & 0xffff << (16 * i)
	}
	return r
}

func legacy(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func mad32(s []uint64) uint64 {
	p := flush32(to32(f32(flush32(s[0])) * f32(flush32(s[1]))))
	return flush32(to32(f32(p) + f32(flush32(s[2]))))
}

func mad16(s []uint64) uint64 {
	f := refFloats[F16].flush
	p := f(to16(f16v(f(s[0])) * f16v(f(s[1]))))
	return f(to16(f16v(p) + f16v(f(s[2]))))
}

func nanOr(x float64, v uint64) uint64 {
	if x != x || math.IsInf(x, 0) {
		return math.MaxUint64
	}
	return v
}

func frexpExp(x float64) uint64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return 0
	}
	_, e := math.Frexp(x)
	return uint64(int64(e))
}

func rtz16(b uint64) uint64 {
	x := f32(b)
	switch {
	case x != x: // a NaN keeps its sign and the upper bits of its payload
		return b>>16&0x8000 | 0x7e00 | b>>13&0x3ff
	case math.IsInf(x, 0):
		return to16(x)
	}
	r := to16(x)
	if math.Abs(f16v(r)) > math.Abs(x) {
		r--
	}
	return r
}
