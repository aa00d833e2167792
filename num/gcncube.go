package num

import "math"

// The faces of a cube map, and the bits of 2/pi for the reduction of large angles. GCN3 ISA chapter
// 12.

// cubeAxis returns the axis of the greatest of |x|, |y| and |z|: 0, 1 or 2. If several are equal, z
// comes first, then y.
//
// Unspecified: with a NaN the comparisons are false, as in C.
func cubeAxis(x, y, z float32) int {
	x, y, z = AbsF32(x), AbsF32(y), AbsF32(z)
	switch {
	case z >= x && z >= y:
		return 2
	case y >= x:
		return 1
	}
	return 0
}

// negIfF32 returns v with its sign flipped if s is less than 0.
func negIfF32(v, s float32) float32 {
	if s < 0 {
		return NegF32(v)
	}
	return v
}

// VCubeidF32 is v_cubeid_f32: the number of the face that the vector (S0, S1, S2)
// points to: 0 for +x, 1 for -x, 2 and 3 for y, 4 and 5 for z.
//
//	if (|S2| >= |S0| && |S2| >= |S1|) D = S2 < 0 ? 5.0 : 4.0
//	else if (|S1| >= |S0|)            D = S1 < 0 ? 3.0 : 2.0
//	else                              D = S0 < 0 ? 1.0 : 0.0
func VCubeidF32(s0, s1, s2 float32) float32 {
	a := cubeAxis(s0, s1, s2)
	v := [...]float32{s0, s1, s2}[a]
	if v < 0 {
		return float32(2*a + 1)
	}
	return float32(2 * a)
}

// VCubescF32 is v_cubesc_f32: the coordinate s on the face of [VCubeidF32].
//
//	z: D = S2 < 0 ? -S0 : S0
//	y: D = S0
//	x: D = S0 < 0 ? S2 : -S2
func VCubescF32(s0, s1, s2 float32) float32 {
	switch cubeAxis(s0, s1, s2) {
	case 2:
		return passF32(negIfF32(s0, s2), s0)
	case 1:
		return passF32(s0, s0)
	}
	return passF32(negIfF32(NegF32(s2), s0), s2)
}

// VCubetcF32 is v_cubetc_f32: the coordinate t on the face of [VCubeidF32].
//
//	z: D = -S1
//	y: D = S1 < 0 ? -S2 : S2
//	x: D = -S1
func VCubetcF32(s0, s1, s2 float32) float32 {
	if cubeAxis(s0, s1, s2) == 1 {
		return passF32(negIfF32(s2, s1), s2)
	}
	return passF32(NegF32(s1), s1)
}

// VCubemaF32 is v_cubema_f32: twice the coordinate of the face's axis.
func VCubemaF32(s0, s1, s2 float32) float32 {
	v := [...]float32{s0, s1, s2}[cubeAxis(s0, s1, s2)]
	return passF32(2*v, v)
}

// twoOverPi holds the first 1201 bits of 2/pi after the point, and 7 zeros.
const twoOverPi = "\xa2\xf9\x83\x6e\x4e\x44\x15\x29\xfc\x27\x57\xd1\xf5\x34\xdd\xc0\xdb\x62\x95" +
	"\x99\x3c\x43\x90\x41\xfe\x51\x63\xab\xde\xbb\xc5\x61\xb7\x24\x6e\x3a\x42\x4d" +
	"\xd2\xe0\x06\x49\x2e\xea\x09\xd1\x92\x1c\xfe\x1d\xeb\x1c\xb1\x29\xa7\x3e\xe8" +
	"\x82\x35\xf5\x2e\xbb\x44\x84\xe9\x9c\x70\x26\xb4\x5f\x7e\x41\x39\x91\xd6\x39" +
	"\x83\x53\x39\xf4\x9c\x84\x5f\x8b\xbd\xf9\x28\x3b\x1f\xf8\x97\xff\xde\x05\x98" +
	"\x0f\xef\x2f\x11\x8b\x5a\x0a\x6d\x1f\x6d\x36\x7e\xcf\x27\xcb\x09\xb7\x4f\x46" +
	"\x3f\x66\x9e\x5f\xea\x2d\x75\x27\xba\xc7\xeb\xe5\xf1\x7b\x3d\x07\x39\xf7\x8a" +
	"\x52\x92\xea\x6b\xfb\x5f\xb1\x1f\x8d\x5d\x08\x56\x03\x30\x46\xfc\x7b\x00"

// VTrigPreopF64 is v_trig_preop_f64: 53 bits of 2/pi. S1[4:0] selects the segment of 53 bits. If
// the exponent of S0 is too large for the first bits, the window moves right by the excess.
//
//	shift = S1[4:0] * 53
//	if (exponent(S0) > 1077) shift += exponent(S0) - 1077
//	D = bits 2^-(shift+1) to 2^-(shift+53) of 2/pi
//	if (exponent(S0) >= 1968) D = ldexp(D, 128)
//
// The omitted bits become a multiple of 4 when S0 is multiplied with them. The bits beyond the
// first 1201 are 0.
func VTrigPreopF64(s0 float64, s1 uint32) float64 {
	e := int(math.Float64bits(s0) >> 52 & 0x7ff)
	shift := int(s1&31) * 53
	if e > 1077 {
		shift += e - 1077
	}
	var m uint64 // 53 bits, from bit 52 down
	for i := range 53 {
		m = m<<1 | uint64(twoOverPiBit(shift+i))
	}
	scale := -53 - shift
	if e >= 1968 {
		scale += 128
	}
	return VLdexpF64(float64(m), int32(scale))
}

func twoOverPiBit(i int) byte {
	if i >= 8*len(twoOverPi) {
		return 0
	}
	return twoOverPi[i/8] >> (7 - i%8) & 1
}
