// Package value converts text to elements of buffers and registers, and back: the element types,
// single values, the INIT forms of the command line, and the files that hold values (.npy, .csv,
// raw).
//
// An element is carried as its bits in the low end of a uint64.
package value

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"example.org/crosslane/num"
)

// Type is an element type, as the command line spells it: u8 s8 u16 s16 u32 s32
// u64 s64 f16 bf16 f32 f64.
type Type string

// Kind is the interpretation of an element's bits.
type Kind uint8

// The kinds.
const (
	Unsigned Kind = iota
	Signed
	Float
)

// Types lists the element types.
func Types() []Type {
	return []Type{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"}
}

// Size is the element's size in bytes; 0 if t is no element type.
func (t Type) Size() int {
	switch t {
	case "u8", "s8":
		return 1
	case "u16", "s16", "f16", "bf16":
		return 2
	case "u32", "s32", "f32":
		return 4
	case "u64", "s64", "f64":
		return 8
	}
	return 0
}

// maxText exceeds the length of the longest meaningful number: the exact decimal expansion of the
// least f64 has 1,075 digits after the point.
const maxText = 1200

// Valid reports whether t is an element type.
func (t Type) Valid() bool { return t.Size() != 0 }

// Kind returns the interpretation of elements of the type.
func (t Type) Kind() Kind {
	switch t[0] {
	case 'u':
		return Unsigned
	case 's':
		return Signed
	}
	return Float
}

func (t Type) mask() uint64 { return math.MaxUint64 >> (64 - 8*t.Size()) }

// Parse reads one value of type t. An integer is decimal or has the prefix 0x, 0o
// or 0b, with an optional sign; -1 for an unsigned type means all ones. A float is
// any of these, a decimal or hexadecimal floating-point number, inf, nan, or the
// bits as PTX writes them (0f3F800000 for the 32-bit, 0d… for the 64-bit type). It
// is rounded once, to nearest even.
func Parse(t Type, s string) (uint64, error) {
	if !t.Valid() {
		return 0, fmt.Errorf("%q is no element type (known: %s)", string(t), TypeNames())
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, errors.New("empty value")
	}
	if len(s) > maxText {
		return 0, fmt.Errorf("value of %d characters: %s", len(s), quote(s))
	}
	if t.Kind() == Float {
		return parseFloat(t, s)
	}
	return parseInt(t, s)
}

// TypeNames lists the types in one line.
func TypeNames() string {
	var b strings.Builder
	for i, t := range Types() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(t))
	}
	return b.String()
}

// integerText splits an integer into sign and magnitude. A leading zero is decimal, as in PTX and
// in spreadsheets, not octal as in Go: 010 is ten.
func integerText(s string) (neg bool, mag uint64, err error) {
	d := s
	switch d[0] {
	case '-':
		neg, d = true, d[1:]
	case '+':
		d = d[1:]
	}
	base := 10
	if len(d) > 2 && d[0] == '0' {
		switch d[1] {
		case 'x', 'X':
			base, d = 16, d[2:]
		case 'o', 'O':
			base, d = 8, d[2:]
		case 'b', 'B':
			base, d = 2, d[2:]
		}
	}
	mag, err = strconv.ParseUint(d, base, 64)
	return neg, mag, err
}

// parseInt parses an integer of an integer type.
func parseInt(t Type, s string) (uint64, error) {
	neg, mag, err := integerText(s)
	if errors.Is(err, strconv.ErrRange) {
		return 0, rangeError(t, s)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not an integer (type %s)", quote(s), t)
	}
	half := t.mask()/2 + 1 // 2^(bits-1)
	switch {
	case neg && mag > half,
		!neg && mag > t.mask(),
		!neg && t.Kind() == Signed && mag >= half && !isBits(s):
		return 0, rangeError(t, s)
	}
	if neg {
		mag = -mag
	}
	return mag & t.mask(), nil
}

// isBits reports whether the text is a bit pattern and not a number: 0xffffffff is a valid s32.
func isBits(s string) bool {
	return len(s) > 2 && s[0] == '0' && strings.ContainsRune("xXbBoO", rune(s[1]))
}

func rangeError(t Type, s string) error {
	return fmt.Errorf("%s does not fit %s (%s)", quote(s), t, limits(t))
}

func limits(t Type) string {
	m := t.mask()
	if t.Kind() == Signed {
		return fmt.Sprintf("-%d to %d", m/2+1, m/2)
	}
	return fmt.Sprintf("0 to %d", m)
}

// parseFloat parses a number of a float type.
func parseFloat(t Type, s string) (uint64, error) {
	if p, ok := ptxBits(s); ok {
		if len(s) != 2+2*t.Size() {
			return 0, fmt.Errorf("%s holds the bits of a %d-bit float, the type is %s", quote(s), 4*(len(s)-2), t)
		}
		return p, nil
	}
	if isBits(strings.TrimLeft(s, "+-")) {
		if neg, mag, err := integerText(s); err == nil {
			x := new(big.Float).SetUint64(mag)
			if neg {
				x.Neg(x)
			}
			return fromBig(t, x, s)
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.Contains(s, "_") {
		return 0, fmt.Errorf("%s is not a number (type %s)", quote(s), t)
	}
	if err != nil && math.IsInf(f, 0) {
		return 0, fmt.Errorf("%s does not fit %s", quote(s), t)
	}
	switch t {
	case "f64":
		return math.Float64bits(f), nil
	case "f32":
		g, err := strconv.ParseFloat(s, 32)
		if err != nil && math.IsInf(g, 0) {
			return 0, fmt.Errorf("%s does not fit %s", quote(s), t)
		}
		if g != g {
			return 0x7fffffff, nil // PTX's canonical NaN
		}
		return uint64(math.Float32bits(float32(g))), nil
	}
	// To 16 bits: through the f64 rounded to odd, which keeps the information that the second
	// rounding needs. A text whose f64 is finite and not zero has a bounded exponent, so the exact
	// value is affordable.
	if f != 0 && !math.IsInf(f, 0) && f == f && math.Float64bits(f)&1 == 0 {
		exact, _, err := big.ParseFloat(s, 0, 128, big.ToZero)
		if err == nil {
			switch c := exact.Cmp(big.NewFloat(f)); {
			case c > 0:
				f = math.Nextafter(f, math.Inf(1))
			case c < 0:
				f = math.Nextafter(f, math.Inf(-1))
			case exact.Acc() != big.Exact:
				f = math.Nextafter(f, math.Inf(int(math.Copysign(1, f))))
			}
		}
	}
	return narrowText(t, f, s)
}

// fromBig rounds an exact number to a float type.
func fromBig(t Type, x *big.Float, s string) (uint64, error) {
	switch t {
	case "f64":
		f, _ := x.Float64()
		return math.Float64bits(f), nil
	case "f32":
		f, _ := x.Float32()
		return uint64(math.Float32bits(f)), nil
	}
	f, _ := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(x).Float64()
	if big.NewFloat(f).Cmp(x) != 0 {
		f = math.Float64frombits(math.Float64bits(f) | 1)
	}
	return narrowText(t, f, s)
}

func narrowText(t Type, f float64, s string) (uint64, error) {
	r := narrow(t, f)
	if !math.IsInf(f, 0) && math.IsInf(Float64(t, uint64(r)), 0) {
		return 0, fmt.Errorf("%s does not fit %s", quote(s), t)
	}
	return uint64(r), nil
}

// narrow rounds to f16 or bf16, nearest even.
func narrow(t Type, f float64) uint16 {
	man, bias := 10, 15
	if t == "bf16" {
		man, bias = 7, 127
	}
	expMax := 2*bias + 1
	sign := uint16(math.Float64bits(f)>>63) << 15
	if f != f {
		return 0x7fff
	}
	a := math.Abs(f)
	if a == 0 {
		return sign
	}
	if math.IsInf(a, 0) {
		return sign | uint16(expMax<<man)
	}
	_, e := math.Frexp(a)
	e = max(e-1, 1-bias) // the exponent of the result's last place; subnormals share the least
	n := math.RoundToEven(math.Ldexp(a, man-e))
	// A mantissa that rounds up to the next power of two carries into the exponent.
	r := int(n) + (e+bias-1)<<man
	return sign | uint16(min(r, expMax<<man))
}

// ptxBits reads 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX.
func ptxBits(s string) (uint64, bool) {
	if len(s) < 3 || s[0] != '0' || !(strings.ContainsRune("fF", rune(s[1])) && len(s) == 10 ||
		strings.ContainsRune("dD", rune(s[1])) && len(s) == 18) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:], 16, 64)
	return v, err == nil
}

// Float64 returns the value of an element as a float64. It is exact except for integers beyond 53
// bits.
func Float64(t Type, bits uint64) float64 {
	switch t {
	case "f64":
		return math.Float64frombits(bits)
	case "f32":
		return float64(math.Float32frombits(uint32(bits)))
	case "f16":
		return float64(num.CvtF32FromF16(uint16(bits)))
	case "bf16":
		return float64(num.CvtF32FromBF16(uint16(bits)))
	}
	if t.Kind() == Signed {
		return float64(signed(t, bits))
	}
	return float64(bits)
}

func signed(t Type, bits uint64) int64 {
	n := 64 - 8*t.Size()
	return int64(bits) << n >> n
}

// FromInt returns the element that is nearest to an integer: its low bits, or the rounded float.
func FromInt(t Type, v int64) uint64 {
	if t.Kind() != Float {
		return uint64(v) & t.mask()
	}
	bits, err := fromBig(t, new(big.Float).SetInt64(v), "")
	if err != nil {
		return uint64(narrow(t, math.Copysign(math.Inf(1), float64(v))))
	}
	return bits
}

// Append appends the shortest text that Parse reads back as the same value: decimal integers;
// floats as Go's %g; NaN and the infinities as "NaN", "Infinity", "-Infinity".
func Append(b []byte, t Type, bits uint64) []byte {
	switch t.Kind() {
	case Unsigned:
		return strconv.AppendUint(b, bits&t.mask(), 10)
	case Signed:
		return strconv.AppendInt(b, signed(t, bits), 10)
	}
	f := Float64(t, bits)
	switch {
	case f != f:
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	switch t {
	case "f64":
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	case "f32":
		return strconv.AppendFloat(b, f, 'g', -1, 32)
	}
	return strconv.AppendFloat(b, shortest16(t, f), 'g', -1, 64)
}

// shortest16 returns the decimal number with the fewest digits that rounds to a 16-bit float.
func shortest16(t Type, f float64) float64 {
	for p := 1; p < 6; p++ {
		g, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', p, 64), 64)
		if narrow(t, g) == narrow(t, f) {
			return g
		}
	}
	return f
}

// Format is Append to a string.
func Format(t Type, bits uint64) string { return string(Append(nil, t, bits)) }

// AppendJSON is Append with NaN and the infinities as JSON strings.
func AppendJSON(b []byte, t Type, bits uint64) []byte {
	n := len(b)
	b = append(b, '"')
	b = Append(b, t, bits)
	if c := b[len(b)-1]; c == 'N' || c == 'y' { // NaN, Infinity
		return append(b, '"')
	}
	return append(b[:n], b[n+1:]...)
}

// Hex returns the element's bits in hexadecimal, all digits, without prefix.
func Hex(t Type, bits uint64) string { return fmt.Sprintf("%0*x", 2*t.Size(), bits&t.mask()) }

// Get reads element i of little-endian data.
func Get(t Type, data []byte, i int) uint64 {
	switch t.Size() {
	case 1:
		return uint64(data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}

// Put writes element i of little-endian data.
func Put(t Type, data []byte, i int, bits uint64) {
	switch t.Size() {
	case 1:
		data[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(data[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(data[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(data[8*i:], bits)
	}
}

// quote makes untrusted text safe for a message.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return strconv.Quote(s)
}

// fromFloat rounds a float64 to a float type.
func fromFloat(t Type, f float64) uint64 {
	switch t {
	case "f64":
		return math.Float64bits(f)
	case "f32":
		return uint64(math.Float32bits(float32(f)))
	}
	return uint64(narrow(t, f))
}

// RoundUp is the least multiple of align that is at least n.
func RoundUp(n, align int) int { return (n + align - 1) / align * align }
