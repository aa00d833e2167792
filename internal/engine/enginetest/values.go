package enginetest

import (
	"math"
	"math/rand/v2"

	"example.org/crosslane/internal/ir"
)

// Values that operations treat specially, and their neighbours: as integers, as floats of
// every width that fits, and as pairs of halves.
var (
	special8  = []uint64{0, 1, 2, 3, 7, 8, 9, 15, 16, 31, 32, 33, 0x38, 0x3f, 0x40, 0x7c, 0x7e, 0x7f, 0x80, 0x81, 0x88, 0xb8, 0xfe, 0xff}
	special16 = []uint64{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff,
		0x03ff, 0x0400, 0x0401, 0x83ff, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0xbc00, 0xbe00, 0x4100, 0x6400, 0x6401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7d55, 0x7e00, 0xfe00, 0xfe55,
		0x007f, 0x0080, 0x3f00, 0x3f80, 0xbf80, 0x4b00, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc0}
	special32 = []uint64{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x00ffffff, 0x01000000, 0x01000001,
		0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0x80808080, 0x7f7f7f7f,
		0x007fffff, 0x00800000, 0x00800001, 0x807fffff, 0x80800000, 0x33000000, 0x33800000, 0x387fe000, 0x38800000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf000000, 0xbf800000,
		0x3fc00000, 0x40200000, 0xc0200000, 0x40490fdb, 0x477fe000, 0x477ff000, 0x477fefff, 0x43160000, 0xc3160000, 0x4affffff, 0x4b000000, 0x4b000001, 0xcb000000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
		0x5effffff, 0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff812345, 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffffabcd,
		0x3c003c00, 0x3c01bc00, 0x7c007e01, 0xfc00bc00, 0x00018001, 0x7bff7bff, 0x7f803f80, 0x7fc1ff80}
	special64 = []uint64{0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff,
		0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x800fffffffffffff, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0xbfe0000000000000, 0xbff0000000000000,
		0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000, 0x400921fb54442d18, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
		0x432fffffffffffff, 0x4330000000000000, 0x4330000000000001, 0xc330000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
		0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff0123456789abc, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8123456789abc, 0xffffffffffffabcd,
		// Values by their conversion to f32 or f16: least, greatest, and ties.
		0x47efffffe0000000, 0x47effffff0000000, 0x47efffffefffffff, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x3810000000000000, 0x380fffffe0000000, 0x40effc0000000000, 0x40effe0000000000, 0x3ff0000010000000, 0x3ff0000030000000, 0x3e60000000000000, 0x3e70000000000001}
)

// specials returns the values of a type at which operations behave in a special way.
func specials(t ir.Type) []uint64 {
	switch t {
	case ir.B1:
		return []uint64{0, 1}
	case ir.B8:
		return special8
	case ir.B16:
		return special16
	case ir.B32:
		return special32
	}
	return special64
}

// RandomValue returns a value of a type that is interesting for rounding, carries,
// comparisons and shifts. Random bits seldom are.
func RandomValue(r *rand.Rand, t ir.Type) uint64 {
	if t == ir.B1 {
		return r.Uint64() & 1
	}
	mask := bitsOf(t)
	s := specials(t)
	switch r.IntN(12) {
	case 0, 1:
		return s[r.IntN(len(s))]
	case 2:
		return (s[r.IntN(len(s))] + uint64(r.IntN(5)) - 2) & mask
	case 3: // a small integer
		return uint64(int64(r.IntN(129)-64)) & mask
	case 4: // around a power of two
		return (1<<r.IntN(64) + uint64(r.IntN(3)) - 1) & mask
	case 5: // few bits set
		return r.Uint64() & r.Uint64() & r.Uint64() & mask
	}
	bits := r.Uint64()
	switch t {
	case ir.B16:
		if r.IntN(2) == 0 {
			return bits&0x83ff | uint64(12+r.IntN(8))<<10 // f16 near 1
		}
	case ir.B32:
		switch r.IntN(7) {
		case 0, 1: // f32 near 1
			return bits&0x807fffff | uint64(127-14+r.IntN(28))<<23
		case 2: // f32 that lies half way between two f16, or an integer and a half
			return bits&0x807fe000 | uint64(127-16+r.IntN(32))<<23 | 1<<12
		case 3:
			return uint64(math.Float32bits(float32(r.IntN(1<<20)-1<<19) / 2))
		case 5: // f32 that lies half way between two numbers of few bits
			return bits&0x807c0000 | uint64(127-16+r.IntN(32))<<23
		case 4: // two f16 near 1
			return bits&0x83ff83ff | uint64(12+r.IntN(8))<<10 | uint64(12+r.IntN(8))<<26
		}
	case ir.B64:
		switch r.IntN(8) {
		case 0, 1: // f64 near 1
			return bits&0x800fffffffffffff | uint64(1023-27+r.IntN(54))<<52
		case 2: // f64 that lies half way between two f32
			return bits&0x800fffffe0000000 | uint64(1023-150+r.IntN(300))<<52 | 1<<28
		case 3:
			return math.Float64bits(float64(int64(r.IntN(1<<30))-1<<29) / 2)
		case 4: // f64 that lies half way between two f16 or bf16, or next to that
			return bits&0x800ffe0000000001 | uint64(1023-27+r.IntN(54))<<52
		case 5: // an integer next to the middle of two floats
			n := r.IntN(62)
			return 1<<n | 1<<max(n-[...]int{8, 11, 24, 53}[r.IntN(4)], 0) | bits&1
		}
	}
	return bits & mask
}

// relatedOf returns an operand that is related to another one of the same type: equal, its
// negation, or its neighbour.
func relatedOf(r *rand.Rand, t ir.Type, x uint64) uint64 {
	if t == ir.B1 {
		return x ^ r.Uint64()&1
	}
	mask := bitsOf(t)
	top := mask ^ mask>>1
	switch r.IntN(6) {
	case 0:
		return x
	case 1:
		return x ^ top
	case 2:
		return (x + 1) & mask
	case 3:
		return (x ^ top) - 1&mask
	case 4:
		return -x & mask
	}
	return ^x & mask
}

// tuples returns lists of arguments for operations of one signature: all pairs of special
// values (a choice of them for three and more operands), and n random lists. A single
// argument of 8 or 16 bits takes all values.
func tuples(r *rand.Rand, args []ir.Type, n int) [][4]uint64 {
	var l [][4]uint64
	if len(args) == 1 && (args[0] == ir.B8 || args[0] == ir.B16) {
		for v := range bitsOf(args[0]) + 1 {
			l = append(l, [4]uint64{v})
		}
		return l
	}
	one := func(i int) []uint64 { return specials(args[i]) }
	switch len(args) {
	case 1:
		for _, a := range one(0) {
			l = append(l, [4]uint64{a})
		}
	case 2:
		for _, a := range one(0) {
			for _, b := range one(1) {
				l = append(l, [4]uint64{a, b})
			}
		}
	default:
		for range 6000 {
			var a [4]uint64
			for i := range args {
				a[i] = one(i)[r.IntN(len(one(i)))]
			}
			l = append(l, a)
		}
	}
	for range n {
		var a [4]uint64
		for i, t := range args {
			a[i] = RandomValue(r, t)
			if j := r.IntN(4); j < i && args[j] == t {
				a[i] = relatedOf(r, t, a[j])
			}
		}
		if len(args) == 3 && r.IntN(4) == 0 {
			a[2] = cancel(args, a)
		}
		l = append(l, a)
	}
	return l
}

// cancel returns the third operand of a product and a sum, so that little remains of both:
// the result then shows how often the operation rounds.
func cancel(args []ir.Type, a [4]uint64) uint64 {
	switch {
	case args[0] == ir.B32 && args[1] == ir.B32 && args[2] == ir.B32:
		x := math.Float32frombits(uint32(a[0])) * math.Float32frombits(uint32(a[1]))
		return uint64(math.Float32bits(-x))
	case args[0] == ir.B64 && args[1] == ir.B64 && args[2] == ir.B64:
		return math.Float64bits(-(math.Float64frombits(a[0]) * math.Float64frombits(a[1])))
	}
	return a[2]
}
