package driver

import (
	"encoding/binary"
	"strconv"

	"example.org/crosslane/internal/tensormap"
)

// The forms of CallTensorMap.
const (
	mapTiled = iota
	mapIm2col
	mapWide
	mapAddress
	mapClass
)

// driverElems are the types of elements in the order of CUtensorMapDataType.
var driverElems = [...]tensormap.Elem{tensormap.U8, tensormap.U16, tensormap.U32, tensormap.S32, tensormap.U64, tensormap.S64, tensormap.F16, tensormap.F32,
	tensormap.F64, tensormap.BF16, tensormap.F32Ftz, tensormap.TF32, tensormap.TF32Ftz, tensormap.B4x16, tensormap.B4x16P64, tensormap.B6x16P32}

// driverSwizzles are the swizzle modes in the order of CUtensorMapSwizzle.
var driverSwizzles = [...]struct {
	mode tensormap.Swizzle
	atom tensormap.Atom
}{{}, {mode: tensormap.Swizzle32}, {mode: tensormap.Swizzle64}, {mode: tensormap.Swizzle128}, {tensormap.Swizzle128, tensormap.Atom32},
	{tensormap.Swizzle128, tensormap.Atom32Flip8}, {tensormap.Swizzle128, tensormap.Atom64}}

// tensorMap encodes or changes a tensor map. The reply says why it is refused, or has its bytes.
func (c *client) tensorMap(in *reader) Status {
	kind := in.u32()
	why, b := "", [tensormap.Size]byte{}
	switch kind & 0xff {
	case mapAddress, mapClass:
		why = changeMap(&b, in, kind)
	case mapTiled, mapIm2col, mapWide:
		why = encodeMap(&b, in, kind)
	default:
		in.bad = true
	}
	if in.bad {
		return InvalidValue
	}
	c.out.text(why)
	c.out.bytes(b[:])
	return Success
}

// changeMap changes the address or the class of the allocation of a map.
func changeMap(b *[tensormap.Size]byte, in *reader, kind uint32) string {
	copy(b[:], in.bytes())
	v := in.u64()
	if kind == mapClass {
		if v > 1 {
			return "the class of the allocation is " + strconv.FormatUint(v, 10) + ", want 0 or 1"
		}
		b[10] = b[10]&^(1<<5) | byte(v)<<5 // bit 21 of the second quadword
		return ""
	}
	binary.LittleEndian.PutUint64(b[:], v)
	m := tensormap.Decode(b)
	return m.Check()
}

// encodeMap encodes a map of the arguments of the driver's functions.
func encodeMap(b *[tensormap.Size]byte, in *reader, kind uint32) string {
	elem, rank := in.u32(), in.u32()
	if elem >= uint32(len(driverElems)) {
		return "the type of the elements is " + strconv.Itoa(int(elem)) + ", want 0 to " + strconv.Itoa(len(driverElems)-1)
	}
	if rank < 1 || rank > tensormap.MaxRank {
		in.bad = true
		return ""
	}
	m := tensormap.Map{Elem: driverElems[elem], Rank: int(rank), Addr: in.u64()}
	for d := range m.Rank {
		m.Dims[d] = in.u64()
	}
	for d := 1; d < m.Rank; d++ {
		m.Strides[d] = in.u64()
	}
	list := func(to []int) {
		for i := range to {
			to[i] = int(int32(in.u32()))
		}
	}
	switch kind & 0xff {
	case mapTiled:
		list(m.Box[:rank])
	case mapIm2col:
		m.Kind = tensormap.Im2col
		if rank < 3 {
			in.bad = true
			return ""
		}
		list(m.Lower[:rank-2])
		list(m.Upper[:rank-2])
	case mapWide:
		m.Kind = tensormap.Im2colW + tensormap.Kind(kind>>8&1)
		list(m.Lower[:1])
		list(m.Upper[:1])
	}
	if m.Kind != tensormap.Tiled {
		m.Channels, m.Pixels = int(int32(in.u32())), int(int32(in.u32()))
	}
	list(m.Steps[:rank])
	interleave, swizzle, l2, fill := in.u32(), in.u32(), in.u32(), in.u32()
	if interleave > 2 || swizzle >= uint32(len(driverSwizzles)) || l2 > 3 || fill > 1 {
		return "an enumeration is out of its range: interleave 0 to 2, swizzle 0 to 6, promotion to L2 0 to 3, fill 0 or 1"
	}
	if interleave == 0 {
		m.Steps[0] = 1 // it has no effect
	}
	m.Interleave, m.L2, m.NaN = uint8(interleave), uint8(l2), fill == 1
	m.Swizzle, m.Atom = driverSwizzles[swizzle].mode, driverSwizzles[swizzle].atom
	why := m.Check()
	if why == "" {
		*b = m.Encode()
	}
	return why
}
