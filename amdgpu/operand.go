package amdgpu

import (
	"math"
	"strconv"
)

// V returns the operand of n VGPRs that start at r.
func V(r, n int) Operand { return Operand{Kind: KindVGPR, Reg: uint16(r), Dwords: uint8(n)} }

// S returns the operand of n scalar registers that start at the code r, for example S(RegVCC, 2).
func S(r, n int) Operand { return Operand{Kind: KindSGPR, Reg: uint16(r), Dwords: uint8(n)} }

// Inline returns the inline constant of a code 128..248; Imm is its value if it is an integer.
func Inline(code int) Operand {
	o := Operand{Kind: KindInline, Reg: uint16(code)}
	switch {
	case code <= 192:
		o.Imm = int64(code) - 128
	case code <= 208:
		o.Imm = 192 - int64(code)
	}
	return o
}

// Literal returns a 32-bit literal.
func Literal(v uint32) Operand { return Operand{Kind: KindLiteral, Imm: int64(v)} }

// Imm returns an immediate field's operand.
func Imm(v int64) Operand { return Operand{Kind: KindImm, Imm: v} }

// Inline constants that are floats, GCN3 ISA table 5.1: code 240 to 248.
const (
	inlineFloat0 = 240
	inlineFloatN = 248
)

// inlineFloats holds the bits of the float inline constants in their three
// widths: 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 1/(2*pi).
var inlineFloats = [...]struct {
	text string
	f16  uint16
	f32  uint32
	f64  uint64
}{
	{"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},
	{"-0.5", 0xb800, 0xbf000000, 0xbfe0000000000000},
	{"1.0", 0x3c00, 0x3f800000, 0x3ff0000000000000},
	{"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
	{"2.0", 0x4000, 0x40000000, 0x4000000000000000},
	{"-2.0", 0xc000, 0xc0000000, 0xc000000000000000},
	{"4.0", 0x4400, 0x40800000, 0x4010000000000000},
	{"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
	{"0.15915494", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
}

// Bits returns a constant operand's bits as an operand of type t reads them, before neg and abs. It
// is meaningful for KindInline, KindLiteral and KindImm.
//
// GCN3 ISA 5.1: an inline float has the operand's width. A literal has 32 bits. As a 64-bit operand
// it is zero-extended; if the type is i64, it is sign-extended; if the type is f64, it is the high
// dword.
func (o Operand) Bits(t Type) uint64 {
	v := uint64(o.Imm)
	if o.Kind == KindInline && o.Reg >= inlineFloat0 {
		c := inlineFloats[min(o.Reg, inlineFloatN)-inlineFloat0]
		switch {
		case t.Dwords() == 2:
			return c.f64
		case t.Is16():
			return uint64(c.f16)
		}
		return uint64(c.f32)
	}
	if o.Kind == KindLiteral {
		switch t {
		case F64:
			return v << 32
		case I64:
			return uint64(int64(int32(v)))
		}
	}
	switch {
	case t.Is16():
		return v & 0xffff
	case t.Dwords() == 2:
		return v
	}
	return v & 0xffffffff
}

// IsConst reports whether the operand is a constant.
func (o Operand) IsConst() bool { return o.Kind == KindInline || o.Kind == KindLiteral }

// inlineCode returns the code of the inline constant with the given integer value.
func inlineCode(v int64) (uint16, bool) {
	switch {
	case v >= 0 && v <= 64:
		return uint16(128 + v), true
	case v >= -16 && v < 0:
		return uint16(192 - v), true
	}
	return 0, false
}

// inlineBits returns the code of the inline constant that an operand of type t reads as the given
// bits: a small integer or one of the floats.
func inlineBits(bits uint64, t Type) (uint16, bool) {
	var v int64
	switch {
	case t.Dwords() == 2:
		v = int64(bits)
	case t.Is16():
		v = int64(int16(bits))
	default:
		v = int64(int32(bits))
	}
	if c, ok := inlineCode(v); ok {
		return c, true
	}
	for i, c := range inlineFloats {
		var same bool
		switch {
		case t.Dwords() == 2:
			same = bits == c.f64
		case t.Is16():
			same = t == F16 && uint16(bits) == c.f16
		default:
			same = uint32(bits) == c.f32
		}
		if same {
			return uint16(inlineFloat0 + i), true
		}
	}
	return 0, false
}

// sgprName returns the text of n scalar registers from code r, or "" if the chip does not have them.
func (t *Target) sgprName(r uint16, n int) string { return string(t.appendSGPR(nil, r, n)) }

// appendSGPR appends the text of sgprName.
func (t *Target) appendSGPR(b []byte, r uint16, n int) []byte {
	if !t.sgprOK(r, n) {
		return b
	}
	s := t.scalarRange(r)
	if s.Numbered {
		return appendRange(b, s.Name, int(r-s.Code), n)
	}
	b = append(b, s.Name...)
	if n == int(s.N) {
		return b
	}
	return append(b, [2]string{"_lo", "_hi"}[r&1]...)
}

// scalarRange returns the range of a scalar register that the chip has.
func (t *Target) scalarRange(r uint16) *ScalarRange {
	for i := range t.Scalars {
		if s := &t.Scalars[i]; r-s.Code < s.N {
			return s
		}
	}
	return &ScalarRange{}
}

// sgprOK reports whether n scalar registers may start at code r: the chip has them, in one range. Pairs
// start at even codes, longer runs at multiples of 4, GCN3 ISA 5.1.
func (t *Target) sgprOK(r uint16, n int) bool {
	align := uint16(min(n, 4))
	if n == 3 {
		align = 4
	}
	return n >= 1 && r < scalarCodes && r%align == 0 && int(r)+n <= int(t.scalarEnd[r])
}

// regRange formats registers: v1, or v[1:2] if there are several.
func regRange(prefix string, r, n int) string { return string(appendRange(nil, prefix, r, n)) }

// appendRange appends the text of regRange.
func appendRange(b []byte, prefix string, r, n int) []byte {
	b = append(b, prefix...)
	if n == 1 {
		return strconv.AppendInt(b, int64(r), 10)
	}
	b = strconv.AppendInt(append(b, '['), int64(r), 10)
	return append(strconv.AppendInt(append(b, ':'), int64(r+n-1), 10), ']')
}

// specialName returns the text of the read-only sources of one bit, and of LDS direct.
func specialName(r uint16) string {
	return [...]string{"src_vccz", "src_execz", "src_scc", "src_lds_direct"}[r-RegVCCZ]
}

// float16FromFloat64 rounds to nearest even. ok is false if the number overflows, or is too small
// to be exact.
func float16FromFloat64(f float64) (h uint16, ok bool) {
	bits := math.Float64bits(f)
	sign := uint16(bits >> 48 & 0x8000)
	exp := int(bits>>52&0x7ff) - 1023
	man := bits&(1<<52-1) | 1<<52
	if f == 0 {
		return sign, true
	}
	if exp > 15 {
		return 0, false
	}
	shift := 42
	if exp < -14 {
		shift += -14 - exp
		exp = -15
		if shift > 54 {
			return sign, false
		}
	}
	m := man >> shift
	rest := man & (1<<shift - 1)
	half := uint64(1) << (shift - 1)
	if rest > half || rest == half && m&1 == 1 {
		m++
	}
	if exp == -15 {
		return sign | uint16(m), rest == 0
	}
	v := uint64(exp+15)<<10 + m - 1<<10
	if v >= 0x7c00 {
		return 0, false
	}
	return sign | uint16(v), true
}
