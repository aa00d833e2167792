package tensormap

import "encoding/binary"

// Fill fills bytes outside the tensor: with zeros, or with OOB-NaN.
//
// Unspecified: the bits of OOB-NaN, which fma with .oob knows. Here all bits are set (Errata E49).
func (m *Map) Fill(b []byte) {
	if !m.NaN {
		clear(b)
		return
	}
	for i := range b {
		b[i] = 0xff
	}
}

// Convert makes the elements that a load writes of those that it has read, in b: elements of tf32 are rounded to nearest even,
// and those of the ftz types have no subnormals. All other elements stay as they are.
//
// Unspecified: the rounding of tf32.
func (m *Map) Convert(b []byte) {
	switch m.Elem {
	case F32Ftz, TF32, TF32Ftz:
	default:
		return
	}
	for i := 0; i+4 <= len(b); i += 4 {
		v := binary.LittleEndian.Uint32(b[i:])
		if m.Elem != TF32 && v&0x7f800000 == 0 {
			v &= 1 << 31
		}
		if m.Elem != F32Ftz {
			v = roundTF32(v)
		}
		binary.LittleEndian.PutUint32(b[i:], v)
	}
}

// roundTF32 rounds an f32 to the 10 bits of the fraction of tf32, to nearest even.
func roundTF32(v uint32) uint32 {
	if v&0x7f800000 == 0x7f800000 {
		if v&0x7fffff != 0 {
			return v&^0x1fff | 1<<22 // a NaN stays one
		}
		return v
	}
	return (v + 0xfff + v>>13&1) &^ 0x1fff
}

// Squeeze makes the 12 bytes of 16 elements of 6 bits of their 16 bytes in shared memory, for stores (PTX ISA 5.5.1.1.1).
func Squeeze(b []byte) (out [12]byte) {
	for i := range 4 {
		v := uint32(0)
		for j := range 4 {
			v |= uint32(b[4*i+j]&63) << (6 * j)
		}
		out[3*i], out[3*i+1], out[3*i+2] = byte(v), byte(v>>8), byte(v>>16)
	}
	return out
}
