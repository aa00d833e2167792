// Package tensormap holds the tensor maps of PTX: the 128 bytes of a map, the rules for their fields, and the bytes that a
// copy through a map moves. It is pure: it reads and writes no memory of a guest.
//
// The layout of the 64 bytes that are used, by quadwords (PTX ISA 5.5.8 calls a map opaque; programs build and change it all
// the same):
//
//	0       address of the tensor, bytes
//	1 low   bits 0-2 version, 3 im2col, 4-6 rank-1, 7-10 element type, 11-12 interleave layout, 13-14 swizzle mode, 15 fill
//	        mode, 16 swizzle atomicity, 17-18 promotion to L2, 19 the upper bit of the atomicity, 20 the upper bit of the
//	        swizzle mode, 21 the tensor has 128 KiB or more, 22-23 im2col::w and im2col::w::128
//	1 high  stride of dimension 1, in units of 16 bytes
//	2       strides of the dimensions 2 and 3
//	3       low: stride of dimension 4; bits 32-47: the upper four bits of the four strides
//	4, 5    sizes-1 of the dimensions 0 to 3
//	6       low: size-1 of dimension 4; bits 32-46: element strides-1, three bits each; 56-63: box[0]-1 or channels-1
//	7       tiled: box[1]-1 to box[4]-1, a byte each
//	        im2col: bits 0-15 lower corner, 16-31 upper corner, 32-41 pixels-1
//
// Unspecified: the fields of im2col, interleave layout, fill mode, atomicity and the upper bit of the swizzle mode are at these
// bits by guess. Maps that the host library encodes agree with them, and maps that a device builds do not use them.
package tensormap

import "encoding/binary"

// Size is the number of bytes of a map.
const Size = 128

// MaxRank is the greatest number of dimensions.
const MaxRank = 5

// A Kind says which copies a map describes.
type Kind uint8

// The kinds.
const (
	Tiled Kind = iota
	Im2col
	Im2colW    // im2col::w
	Im2colW128 // im2col::w::128
)

// An Elem is the type of elements, in the numbers of tensormap.replace (PTX ISA 9.7.9.27).
type Elem uint8

// The types of elements.
const (
	U8 Elem = iota
	U16
	U32
	S32
	U64
	S64
	F16
	F32
	F32Ftz
	F64
	BF16
	TF32
	TF32Ftz
	B4x16    // 16 elements of 4 bits in 8 bytes
	B4x16P64 // the same with 8 bytes of padding in shared memory
	B6x16P32 // 16 elements of 6 bits in 12 bytes, with 4 bytes of padding in shared memory; for stores 6 bits of each byte
)

// String returns the name of the type.
func (e Elem) String() string { return elemNames[e&15] }

var elemNames = [16]string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16", "tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"}

// ParseElem returns the type with a name.
func ParseElem(name string) (e Elem, ok bool) {
	for i, n := range elemNames {
		if n == name {
			return Elem(i), true
		}
	}
	return 0, false
}

// Bits is the size of an element in global memory.
func (e Elem) Bits() int {
	return int([16]uint8{8, 16, 32, 32, 64, 64, 16, 32, 32, 64, 16, 32, 32, 4, 4, 6}[e&15])
}

// Packed reports whether elements have fewer than 8 bits.
func (e Elem) Packed() bool { return e >= B4x16 }

// padded reports whether 16 elements take 16 bytes of shared memory.
func (e Elem) padded() bool { return e >= B4x16P64 }

// Float reports whether elements are floating-point numbers that OOB-NaN can fill.
func (e Elem) Float() bool { return e >= F16 && e <= TF32Ftz }

// A Swizzle is a swizzle mode (PTX ISA 5.5.7).
type Swizzle uint8

// The swizzle modes.
const (
	SwizzleNone Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
	Swizzle96
)

// Bytes is the number of bytes of a line of the pattern; 0: there is no pattern.
func (s Swizzle) Bytes() int { return int([8]uint8{0, 32, 64, 128, 96}[s&7]) }

// An Atom is a swizzle atomicity.
type Atom uint8

// The atomicities: the bytes that stay together, and whether the 8-byte halves of 16 bytes change places in odd lines.
const (
	Atom16 Atom = iota
	Atom32
	Atom32Flip8
	Atom64
)

// A Map is a decoded tensor map. Lists are by dimension, the innermost first.
type Map struct {
	Kind       Kind
	Elem       Elem
	Rank       int
	Addr       uint64
	Dims       [MaxRank]uint64 // elements
	Strides    [MaxRank]uint64 // bytes; [0] is not used
	Box        [MaxRank]int    // elements, of a tiled map
	Steps      [MaxRank]int    // element strides, also called traversal strides
	Interleave uint8           // 0, 1 (16 bytes), 2 (32 bytes)
	Swizzle    Swizzle
	Atom       Atom
	NaN        bool  // fill with OOB-NaN, not with zeros
	L2         uint8 // promotion: 0 none, 1 64 bytes, 2 128 bytes, 3 256 bytes
	// Lower and Upper are the corners of the bounding box, of an im2col map, in W, H, D.
	Lower, Upper [3]int
	Channels     int // per pixel
	Pixels       int // per column
}

// cornerBits is the number of bits of a corner of a bounding box, by rank.
var cornerBits = [MaxRank + 1]uint{3: 16, 4: 8, 5: 5}

// Encode returns the bytes of a map. Its fields have to be in their ranges (Map.Check).
func (m *Map) Encode() (b [Size]byte) {
	var q [8]uint64
	q[0] = m.Addr
	low := uint64(2) | uint64(m.Rank-1)&7<<4 | uint64(m.Elem)<<7 | uint64(m.Interleave)<<11 | uint64(m.Swizzle&3)<<13 |
		uint64(m.Atom&1)<<16 | uint64(m.L2)<<17 | uint64(m.Atom>>1)<<19 | uint64(m.Swizzle>>2)<<20
	switch m.Kind {
	case Im2col:
		low |= 1 << 3
	case Im2colW:
		low |= 1<<3 | 1<<22
	case Im2colW128:
		low |= 1<<3 | 1<<23
	}
	if m.NaN {
		low |= 1 << 15
	}
	if m.Extent() >= 128<<10 {
		low |= 1 << 21
	}
	q[1] = low
	for d := 1; d < m.Rank; d++ {
		s := m.Strides[d] >> 4
		i := 2 + d // the half quadword: 1 high is 3
		q[i/2] |= (s & 0xffffffff) << (i % 2 * 32)
		q[3] |= (s >> 32 & 15) << (32 + 4*(d-1))
	}
	for d := range m.Rank {
		q[4+d/2] |= (m.Dims[d] - 1) & 0xffffffff << (d % 2 * 32)
		q[6] |= uint64(m.Steps[d]-1) & 7 << (32 + 3*d)
	}
	if m.Kind == Tiled {
		for d := range m.Rank {
			if d == 0 {
				q[6] |= uint64(m.Box[0]-1) & 255 << 56
			} else {
				q[7] |= uint64(m.Box[d]-1) & 255 << (8 * (d - 1))
			}
		}
	} else {
		q[6] |= uint64(m.Channels-1) & 255 << 56
		n := cornerBits[m.corners()+2]
		mask := uint64(1)<<n - 1
		for i := range m.corners() {
			q[7] |= uint64(m.Lower[i]) & mask << (uint(i) * n)
			q[7] |= uint64(m.Upper[i]) & mask << (16 + uint(i)*n)
		}
		q[7] |= uint64(m.Pixels-1) & 1023 << 32
	}
	for i, x := range q {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return b
}

// corners is the number of dimensions of the bounding box of an im2col map.
func (m *Map) corners() int {
	if m.Kind != Im2col {
		return 1
	}
	return min(max(m.Rank-2, 1), 3)
}

// Decode returns the fields of a map. Any bytes are accepted; Map.Check says whether they make sense.
func Decode(b *[Size]byte) (m Map) {
	var q [8]uint64
	for i := range q {
		q[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	low := q[1]
	m.Addr = q[0]
	m.Rank = int(low>>4&7) + 1
	m.Elem = Elem(low >> 7 & 15)
	m.Interleave = uint8(low >> 11 & 3)
	m.Swizzle = Swizzle(low>>13&3 | low>>20&1<<2)
	m.Atom = Atom(low>>16&1 | low>>19&1<<1)
	m.NaN = low>>15&1 != 0
	m.L2 = uint8(low >> 17 & 3)
	switch {
	case low>>3&1 == 0:
	case low>>22&1 != 0:
		m.Kind = Im2colW
	case low>>23&1 != 0:
		m.Kind = Im2colW128
	default:
		m.Kind = Im2col
	}
	n := min(m.Rank, MaxRank)
	for d := range n {
		if d > 0 {
			i := 2 + d
			m.Strides[d] = (q[i/2]>>(i%2*32)&0xffffffff | q[3]>>(32+4*(d-1))&15<<32) << 4
		}
		m.Dims[d] = q[4+d/2]>>(d%2*32)&0xffffffff + 1
		m.Steps[d] = int(q[6]>>(32+3*d)&7) + 1
	}
	if m.Kind == Tiled {
		for d := range n {
			m.Box[d] = int(q[6]>>56) + 1
			if d > 0 {
				m.Box[d] = int(q[7]>>(8*(d-1))&255) + 1
			}
		}
		return m
	}
	m.Channels, m.Pixels = int(q[6]>>56)+1, int(q[7]>>32&1023)+1
	k := cornerBits[m.corners()+2]
	for i := range m.corners() {
		m.Lower[i] = signed(q[7]>>(uint(i)*k), k)
		m.Upper[i] = signed(q[7]>>(16+uint(i)*k), k)
	}
	return m
}

// signed returns the lowest n bits of v as a signed number.
func signed(v uint64, n uint) int { return int(int64(v<<(64-n)) >> (64 - n)) }

// Extent is the number of bytes of global memory from the tensor's first element to its last one.
func (m *Map) Extent() uint64 {
	n := m.lineBytes(m.Dims[0])
	for d := 1; d < m.Rank; d++ {
		n += (m.Dims[d] - 1) * m.Strides[d]
	}
	return n
}

// lineBytes is the number of bytes of n elements in global memory.
func (m *Map) lineBytes(n uint64) uint64 { return n * uint64(m.Elem.Bits()) / 8 }
