package num

import "math"

// Addresses of buffer instructions of GCN3 from a buffer resource descriptor (V#) of four dwords.
// pos is a lane's place: the offset in its low half, the index in its high half. v01 and v23 are
// the halves of the V#. GCN3 ISA 8.1.5.

// bufStride returns the stride in bytes: V#[61:48]. With ADD_TID_ENABLE (V#[119]) the data format
// (V#[114:111]) extends it.
func bufStride(v01, v23 uint64) uint64 {
	s := v01 >> 48 & 0x3fff
	if v23>>55&1 != 0 {
		s |= v23 >> 47 & 15 << 14
	}
	return s
}

// BufOffset returns the distance of a lane's place from the base plus SOFFSET, in bytes.
//
// With SWIZZLE_ENABLE (V#[63]) elements of 2 << ELEMENT_SIZE bytes of 8 << INDEX_STRIDE records are
// adjacent.
func BufOffset(pos, v01, v23 uint64) uint64 {
	offset, index := pos&math.MaxUint32, pos>>32
	stride := bufStride(v01, v23)
	if v01>>63 == 0 {
		return uint64(uint32(index*stride)) + offset
	}
	elem := uint64(2) << (v23 >> 51 & 3)
	records := uint64(8) << (v23 >> 53 & 3)
	far := index/records*stride + offset/elem*elem
	return far*records + index%records*elem + offset%elem
}

// BufInside reports whether a lane's place is in range. The range of a swizzled buffer with stride
// counts records; that of any other buffer counts bytes.
func BufInside(pos, v01, v23 uint64, soffset uint32) bool {
	records := v23 & math.MaxUint32
	stride := bufStride(v01, v23)
	if stride == 0 || v01>>63 == 0 {
		return BufOffset(pos, v01, v23)+uint64(soffset) < records
	}
	return pos>>32 < records && pos&math.MaxUint32 < stride
}

// BufScalarInside reports whether the dword at an offset is in range of a scalar buffer load or
// store. The range counts bytes without stride, else records.
func BufScalarInside(offset uint32, v01, v23 uint64) bool {
	size := v23 & math.MaxUint32
	if s := v01 >> 48 & 0x3fff; s != 0 {
		size *= s
	}
	return uint64(offset)+4 <= size
}

// BufScalarWhole reports whether n bytes from an offset on are in range of a scalar buffer load,
// and all offsets fit in 32 bits: see [BufScalarInside].
func BufScalarWhole(offset, n uint32, v01, v23 uint64) bool {
	size := v23 & math.MaxUint32
	if s := v01 >> 48 & 0x3fff; s != 0 {
		size *= s
	}
	return uint64(offset)+uint64(n) <= min(size, 1<<32)
}

// The formats of typed buffer instructions: V#[114:111] and V#[110:108], here as bits
// [18:15] and [14:12] of the V#'s last dword, whose low bits are DST_SEL. GCN3 ISA
// tables 8.3 to 8.5.
const (
	bufUnorm   = 0
	bufSnorm   = 1
	bufUscaled = 2
	bufSscaled = 3
	bufUint    = 4
	bufSint    = 5
	bufFloat   = 7
)

// bufWidths returns the bits of the components of each data format, from the lowest.
func bufWidths(w3 uint32) [4]uint8 {
	return [16][4]uint8{1: {8}, 2: {16}, 3: {8, 8}, 4: {32}, 5: {16, 16}, 6: {11, 11, 10}, 7: {10, 11, 11},
		8: {2, 10, 10, 10}, 9: {10, 10, 10, 2}, 10: {8, 8, 8, 8}, 11: {32, 32}, 12: {16, 16, 16, 16}, 13: {32, 32, 32}, 14: {32, 32, 32, 32}}[w3>>15&15]
}

// BufElement returns the size in bytes of an element of the format; 0 if the format does not exist.
func BufElement(w3 uint32) uint32 {
	n := uint32(0)
	for _, w := range bufWidths(w3) {
		n += uint32(w)
	}
	return n / 8
}

// bufBits returns component i of an element, and its width, 0 if the format does not have it.
func bufBits(lo, hi uint64, w3, i uint32) (v uint32, width uint) {
	at := uint(0)
	ws := bufWidths(w3)
	for k := range i {
		at += uint(ws[k&3])
	}
	width = uint(ws[i&3])
	if at >= 64 {
		lo, at = hi, at-64
	}
	return uint32(lo >> (at & 63) & (1<<width - 1)), width
}

// bufOne returns the constant 1 of a format.
func bufOne(w3 uint32) uint32 {
	if n := w3 >> 12 & 7; n == bufUint || n == bufSint {
		return 1
	}
	return 0x3f800000
}

// BufLoadFormat returns component c of a formatted load. DST_SEL names its source: a component of
// the element lo, hi, or a constant. Missing components of the format are 0, but the fourth is 1. A
// w3 without data format stands for an element out of range, which reads 0 unless DST_SEL is 1.
func BufLoadFormat(lo, hi uint64, w3, c uint32) uint32 {
	sel := w3 >> (3 * (c & 3)) & 7
	switch {
	case sel == 1:
		return bufOne(w3)
	case sel < 4 || w3>>15&15 == 0:
		return 0
	}
	v, n := bufBits(lo, hi, w3, sel-4)
	if n == 0 {
		if sel == 7 {
			return bufOne(w3)
		}
		return 0
	}
	s := int32(v<<(32-n)) >> (32 - n)
	f := 0.0
	switch w3 >> 12 & 7 {
	case bufUnorm:
		f = float64(v) / float64(uint64(1)<<n-1)
	case bufSnorm:
		f = max(float64(s)/float64(uint64(1)<<(n-1)-1), -1)
	case bufUscaled:
		f = float64(v)
	case bufSscaled:
		f = float64(s)
	case bufUint:
		return v
	case bufSint:
		return uint32(s)
	case bufFloat:
		switch n {
		case 32:
			return v
		case 16:
			return math.Float32bits(CvtF32FromF16(uint16(v)))
		}
		// Floats of 10 and 11 bits are f16 without sign and with a shorter mantissa.
		return math.Float32bits(CvtF32FromF16(uint16(v << (15 - n))))
	}
	return math.Float32bits(float32(f))
}

// BufLoadBad reports (1) a format that formatted loads cannot read, or a reserved DST_SEL.
func BufLoadBad(w3 uint32) uint32 {
	for c := range uint32(4) {
		if s := w3 >> (3 * c) & 7; s == 2 || s == 3 {
			return 1
		}
	}
	return bufBad(w3)
}

// bufBad reports (1) a format that does not exist.
func bufBad(w3 uint32) uint32 {
	w, n := bufWidths(w3), w3>>12&7
	float := n == bufFloat
	switch {
	case w[0] == 0, n == 6,
		w[0] == 32 && n < bufUint,
		float && (w[0] == 8 || w[3] == 2 || w[3] == 10):
		return 1
	}
	return 0
}

// BufNotRaw reports (0) that formatted loads and stores of n components move n dwords unchanged:
// the format has n components of 32 bits in their order and converts nothing.
func BufNotRaw(w3, n uint32) uint32 {
	const identity = 4 | 5<<3 | 6<<6 | 7<<9
	w := bufWidths(w3)
	if n < 1 || n > 4 || bufBad(w3) != 0 || BufLoadBad(w3) != 0 || (w3^identity)&(1<<(3*n)-1) != 0 {
		return 1
	}
	for i := range uint32(4) {
		if i < n && w[i] != 32 || i >= n && w[i] != 0 {
			return 1
		}
	}
	return 0
}

// BufStoreFormat packs four components (x and y in xy, z and w in zw) into an element
// and returns its low half (0) or its high half (1).
func BufStoreFormat(xy, zw uint64, w3, half uint32) uint64 {
	var e [2]uint64
	at := uint(0)
	for i, n := range bufWidths(w3) {
		if n != 0 {
			v, _ := bufPack(bufComponent(xy, zw, i), uint(n), w3)
			e[at>>6&1] |= uint64(v) << (at & 63)
			at += uint(n)
		}
	}
	return e[half&1]
}

func bufComponent(xy, zw uint64, i int) uint32 {
	return uint32([4]uint64{xy, xy >> 32, zw, zw >> 32}[i&3])
}

// bufPack converts a component to n bits. ok is false if the manual does not specify the result:
// integers that do not fit, floats that must be rounded.
func bufPack(b uint32, n uint, w3 uint32) (v uint32, ok bool) {
	mask := uint32(uint64(1)<<n - 1)
	f := float64(math.Float32frombits(b))
	switch w3 >> 12 & 7 {
	case bufUnorm:
		if f != f {
			f = 0
		}
		return uint32(math.RoundToEven(max(0, min(1, f)) * float64(mask))), true
	case bufSnorm:
		if f != f {
			f = 0
		}
		return uint32(int32(math.RoundToEven(max(-1, min(1, f))*float64(mask>>1)))) & mask, true
	case bufUint:
		return b & mask, b <= mask
	case bufSint:
		return b & mask, int32(b<<(32-n))>>(32-n) == int32(b)
	case bufFloat:
		if n == 32 {
			return b, true
		}
		h := CvtF16FromF32(float32(f))
		return uint32(h), n == 16 && (f != f || float64(CvtF32FromF16(h)) == f)
	}
	return 0, false
}

// BufStoreBad reports (1) a formatted store of n components whose result the manual leaves open:
// formats with more components or that cannot be written, a DST_SEL that is not the identity,
// values that the format cannot hold.
func BufStoreBad(xy, zw uint64, w3, n uint32) uint32 {
	const identity = 4 | 5<<3 | 6<<6 | 7<<9
	if bufBad(w3) != 0 {
		return 1
	}
	for i, w := range bufWidths(w3) {
		if w == 0 {
			continue
		}
		if uint32(i) >= n || (w3^identity)>>(3*i)&7 != 0 {
			return 1
		}
		if _, ok := bufPack(bufComponent(xy, zw, i), uint(w), w3); !ok {
			return 1
		}
	}
	return 0
}
