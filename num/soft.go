package num

import "math/bits"

// Binary floating point in integers, for every format and rounding mode: slow and exact. The fast
// paths in other files cover nearest even in f32 and f64. This file covers the modes that the
// host's arithmetic lacks, and serves the 16-bit formats.

// A RoundMode is a rounding direction.
type RoundMode uint8

const (
	RN  RoundMode = iota // nearest, ties to even
	RZ                   // toward zero
	RM                   // toward minus infinity
	RP                   // toward plus infinity
	RNA                  // nearest, ties away from zero (PTX cvt.rna)
)

// A Format is a binary interchange format: sign, exponent, Man bits of mantissa, in this order. The
// minimal exponent of a normal value is Emin; that of infinity and NaN is 2-Emin.
type Format struct {
	Man  int
	Emin int
	NaN  uint64 // the result of an operation on numbers that has no value
}

// The formats of the machine. They are functions, not variables, so that no code can write them.

// FormatF16 is IEEE binary16. Unspecified: the NaN; it is that of NVIDIA GPUs.
func FormatF16() Format { return Format{10, -14, 0x7fff} }

// FormatBF16 is bfloat16. Unspecified: the NaN; it is that of NVIDIA GPUs.
func FormatBF16() Format { return Format{7, -126, 0x7fff} }

// FormatF32 is IEEE binary32.
func FormatF32() Format { return Format{23, -126, NaN32} }

// FormatF64 is IEEE binary64.
func FormatF64() Format { return Format{52, -1022, NaN64} }

func (f Format) inf() uint64  { return uint64(3-2*f.Emin) << f.Man } // biased exponent all ones
func (f Format) sign() uint64 { return (f.inf() + 1<<f.Man) }

// A wide is (-1)^neg * (hi:lo) * 2^exp. The last bit of lo is sticky: it is set if any lower bit is
// set.
type wide struct {
	neg    bool
	exp    int
	hi, lo uint64
}

// class of an unpacked value.
type class uint8

const (
	classZero class = iota
	classFinite
	classInf
	classNaN
)

// unpack splits a value; a finite value has the leading bit of hi set.
func (f Format) unpack(v uint64) (wide, class) {
	w := wide{neg: v&f.sign() != 0}
	v &= f.sign() - 1
	switch {
	case v == 0:
		return w, classZero
	case v == f.inf():
		return w, classInf
	case v > f.inf():
		return w, classNaN
	}
	m := v & (1<<f.Man - 1)
	e := int(v >> f.Man)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << f.Man
	}
	w.hi, w.exp = m, f.Emin-1+e-f.Man-64
	return w.normal(), classFinite
}

// normal shifts the leading bit to the top.
func (w wide) normal() wide {
	if w.hi == 0 {
		w.hi, w.lo = w.lo, 0
		w.exp -= 64
	}
	if n := bits.LeadingZeros64(w.hi); n < 64 {
		w.hi = w.hi<<n | w.lo>>(64-n)
		w.lo <<= n
		w.exp -= n
	}
	return w
}

// pack rounds w to the format.
func (f Format) pack(mode RoundMode, w wide) uint64 {
	var sign uint64
	if w.neg {
		sign = f.sign()
	}
	if w.hi|w.lo == 0 {
		return sign
	}
	w = w.normal()
	e := w.exp + 127 // exponent of the leading bit
	keep := f.Man + 1
	if e < f.Emin {
		keep = max(keep-(f.Emin-e), -1)
	}
	var m uint64
	var half, sticky bool
	if keep < 0 {
		sticky = true
	} else {
		m = w.hi >> (64 - keep)
		rest := w.hi << keep
		half = rest>>63 != 0
		sticky = rest<<1|w.lo != 0
	}
	if roundsUp(mode, w.neg, m&1 != 0, half, sticky) {
		m++
	}
	v := m // a subnormal, or a carry into the first normal
	if e >= f.Emin {
		// m has its leading bit at Man, or one above after a carry. In both cases the addition
		// yields the right exponent.
		if e > 1-f.Emin {
			v = f.inf()
		} else {
			v = uint64(e-f.Emin+1)<<f.Man + m - 1<<f.Man
		}
	}
	if v >= f.inf() {
		v = f.inf()
		if mode == RZ || mode == RM && !w.neg || mode == RP && w.neg {
			v--
		}
	}
	return sign | v
}

// roundsUp reports whether a mode rounds the magnitude up: odd is the last kept bit, half the first
// discarded bit, sticky reports that a lower bit is set.
func roundsUp(mode RoundMode, neg, odd, half, sticky bool) bool {
	switch mode {
	case RZ:
		return false
	case RM:
		return neg && (half || sticky)
	case RP:
		return !neg && (half || sticky)
	case RNA:
		return half
	}
	return half && (sticky || odd)
}

// zeroSign returns the sign of an exact zero sum of terms with signs x and y.
func zeroSign(mode RoundMode, x, y bool) bool {
	if x == y {
		return x
	}
	return mode == RM
}

// Fma returns a*b + c, rounded once. With b = 1 it adds, except that a zero c of the other sign
// changes the sign of zero; see [Format.Mul] for products. NaN operands give the format's NaN.
func (f Format) Fma(mode RoundMode, a, b, c uint64) uint64 {
	x, xc := f.unpack(a)
	y, yc := f.unpack(b)
	z, zc := f.unpack(c)
	neg := x.neg != y.neg
	switch {
	case xc == classNaN || yc == classNaN || zc == classNaN:
		return f.NaN
	case xc == classInf && yc == classZero || xc == classZero && yc == classInf:
		return f.NaN
	case xc == classInf || yc == classInf:
		if zc == classInf && z.neg != neg {
			return f.NaN
		}
		return f.pack(RZ, wide{neg: neg}) | f.inf()
	case zc == classInf:
		return c
	case xc == classZero || yc == classZero:
		if zc == classZero {
			return f.pack(mode, wide{neg: zeroSign(mode, neg, z.neg)})
		}
		return c
	}
	p := mulWide(x, y)
	if zc == classZero {
		return f.pack(mode, p)
	}
	s := addWide(p, z)
	if s.hi|s.lo == 0 {
		s.neg = zeroSign(mode, p.neg, z.neg)
	}
	return f.pack(mode, s)
}

// mulWide multiplies; both operands come from unpack, so lo is 0 and the
// product of two 53-bit mantissas fits.
func mulWide(x, y wide) wide {
	hi, lo := bits.Mul64(x.hi, y.hi)
	return wide{neg: x.neg != y.neg, exp: x.exp + y.exp + 128, hi: hi, lo: lo}.normal()
}

// addWide adds two normalised values. Both have at least 20 zero bits at the low end. So bits that
// are shifted out are lost only if the exponents are far enough apart to rule out cancellation of
// more than one bit; the sticky bit then represents them.
func addWide(x, y wide) wide {
	if x.exp < y.exp {
		x, y = y, x
	}
	// One bit of room for the carry.
	x, y = x.shr(1), y.shr(1+x.exp-y.exp)
	r := wide{neg: x.neg, exp: x.exp}
	var c uint64
	if x.neg == y.neg {
		r.lo, c = bits.Add64(x.lo, y.lo, 0)
		r.hi, _ = bits.Add64(x.hi, y.hi, c)
		return r
	}
	r.lo, c = bits.Sub64(x.lo, y.lo, 0)
	r.hi, c = bits.Sub64(x.hi, y.hi, c)
	if c != 0 { // y was greater
		r.neg = !r.neg
		r.lo, c = bits.Sub64(0, r.lo, 0)
		r.hi, _ = bits.Sub64(0, r.hi, c)
	}
	return r
}

// shr shifts right by n, and collects the lost bits in the sticky bit.
func (w wide) shr(n int) wide {
	w.exp += n
	if n > 127 {
		w.hi, w.lo = 0, 1
		return w
	}
	var lost uint64
	if n >= 64 {
		lost, w.lo, w.hi = w.lo, w.hi, 0
		n -= 64
	}
	lost |= w.lo << (64 - n)
	w.lo = w.lo>>n | w.hi<<(64-n)
	w.hi >>= n
	if lost != 0 {
		w.lo |= 1
	}
	return w
}

// Add returns a + b.
func (f Format) Add(mode RoundMode, a, b uint64) uint64 {
	one := uint64(1-f.Emin) << f.Man
	return f.Fma(mode, a, one, b)
}

// Sub returns a - b.
func (f Format) Sub(mode RoundMode, a, b uint64) uint64 { return f.Add(mode, a, b^f.sign()) }

// Mul returns a * b.
func (f Format) Mul(mode RoundMode, a, b uint64) uint64 {
	// A zero c with the product's sign keeps the sign of zero products.
	return f.Fma(mode, a, b, (a^b)&f.sign())
}

// Div returns a / b.
func (f Format) Div(mode RoundMode, a, b uint64) uint64 {
	x, xc := f.unpack(a)
	y, yc := f.unpack(b)
	sign := (a ^ b) & f.sign()
	switch {
	case xc == classNaN || yc == classNaN, xc == yc && xc != classFinite:
		return f.NaN
	case xc == classInf || yc == classZero:
		return sign | f.inf()
	case xc == classZero || yc == classInf:
		return sign
	}
	// hi = floor(x.hi * 2^63 / y.hi) has 63 or 64 bits.
	q, r := bits.Div64(x.hi>>1, x.hi<<63, y.hi)
	w := wide{neg: sign != 0, exp: x.exp - y.exp - 63 - 64, hi: q}
	if r != 0 {
		w.lo = 1
	}
	return f.pack(mode, w)
}

// Sqrt returns the square root of a.
func (f Format) Sqrt(mode RoundMode, a uint64) uint64 {
	x, xc := f.unpack(a)
	switch {
	case xc == classZero:
		return a
	case xc == classNaN || x.neg:
		return f.NaN
	case xc == classInf:
		return a
	}
	// Make the exponent of the 128-bit integer x even.
	if x.exp&1 != 0 {
		x = x.shr(1)
	}
	root, rest := sqrt128(x.hi, x.lo)
	w := wide{exp: x.exp/2 - 64, hi: root}
	if rest {
		w.lo = 1
	}
	return f.pack(mode, w)
}

// sqrt128 returns the integer square root, and whether there is a remainder.
func sqrt128(hi, lo uint64) (root uint64, rest bool) {
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		t := root | bit
		if h, l := bits.Mul64(t, t); h < hi || h == hi && l <= lo {
			root = t
		}
	}
	h, l := bits.Mul64(root, root)
	return root, h != hi || l != lo
}

// Convert rounds v from format g to format f. NaN gives f's NaN.
func (f Format) Convert(mode RoundMode, g Format, v uint64) uint64 {
	w, c := g.unpack(v)
	switch c {
	case classNaN:
		return f.NaN
	case classInf:
		return f.pack(RZ, wide{neg: w.neg}) | f.inf()
	}
	return f.pack(mode, w)
}

// FromUint rounds an integer of the given sign to the format.
func (f Format) FromUint(mode RoundMode, neg bool, v uint64) uint64 {
	return f.pack(mode, wide{neg: neg, exp: -64, hi: v})
}
