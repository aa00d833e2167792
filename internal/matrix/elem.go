// Package matrix holds the building blocks of the matrix instructions of PTX (PTX ISA 9.7.15): the
// types of elements, the layouts that map elements to lanes and registers, and the products.
// Everything here is a function of register contents; package internal/sim provides the registers
// and accesses memory.
package matrix

//go:generate go run ./gen

import (
	"math"

	"example.org/crosslane/num"
)

// Elem is the type of a matrix's elements.
type Elem uint8

// The types (PTX 9.7.15.2). E2M1 is in the middle four bits of a byte; E2M1P is packed, eight in a
// register.
const (
	None Elem = iota
	F16
	BF16
	TF32
	F32
	F64
	S8
	U8
	S4
	U4
	B1
	S32
	E4M3
	E5M2
	E3M2
	E2M3
	E2M1
	E2M1P
	UE8M0
	UE4M3
	B16 // for ldmatrix, stmatrix and movmatrix
	numElems
)

type elemInfo struct {
	name string
	bits int
}

var elems = [numElems]elemInfo{
	None: {"", 0}, F16: {"f16", 16}, BF16: {"bf16", 16}, TF32: {"tf32", 32}, F32: {"f32", 32}, F64: {"f64", 64},
	S8: {"s8", 8}, U8: {"u8", 8}, S4: {"s4", 4}, U4: {"u4", 4}, B1: {"b1", 1}, S32: {"s32", 32},
	E4M3: {"e4m3", 8}, E5M2: {"e5m2", 8}, E3M2: {"e3m2", 8}, E2M3: {"e2m3", 8}, E2M1: {"e2m1", 8}, E2M1P: {"e2m1", 4},
	UE8M0: {"ue8m0", 8}, UE4M3: {"ue4m3", 8}, B16: {"b16", 16},
}

// String returns the type's name in PTX.
func (e Elem) String() string { return elems[e].name }

// Bits returns the number of bits that an element occupies in a register.
func (e Elem) Bits() int { return elems[e].bits }

// ParseElem returns the type called name; None if there is none.
func ParseElem(name string) Elem {
	for e := None + 1; e < numElems; e++ {
		if elems[e].name == name {
			return e
		}
	}
	return None
}

// integer reports whether products of the type are integers.
func (e Elem) integer() bool {
	switch e {
	case S8, U8, S4, U4:
		return true
	}
	return false
}

// small holds the values of the types of up to 8 bits, by the 8 bits that hold a value.
var small = func() (t [numElems]*[256]float32) {
	for e, f := range map[Elem]func(v uint8) float32{
		// PTX 5.2.3: e4m3 has no infinities and one NaN of each sign; e5m2 has both, like f16; the
		// types of 6 and 4 bits have neither.
		E4M3: func(v uint8) float32 {
			if v&0x7f == 0x7f {
				return num.CanonF32(float32(math.NaN()))
			}
			return minifloat(v, 4, 3, 7)
		},
		E5M2:  func(v uint8) float32 { return num.CvtF32FromF16(uint16(v) << 8) },
		E3M2:  func(v uint8) float32 { return minifloat(v&0x3f, 3, 2, 3) },
		E2M3:  func(v uint8) float32 { return minifloat(v&0x3f, 2, 3, 1) },
		E2M1:  func(v uint8) float32 { return minifloat(v>>2&15, 2, 1, 1) },
		E2M1P: func(v uint8) float32 { return minifloat(v&15, 2, 1, 1) },
	} {
		t[e] = new([256]float32)
		for v := range t[e] {
			t[e][v] = f(uint8(v))
		}
	}
	return t
}()

// minifloat returns the value of a sign, exp bits of exponent and man bits of mantissa.
func minifloat(v uint8, exp, man, bias int) float32 {
	m := float64(v & (1<<man - 1))
	e := int(v >> man & (1<<exp - 1))
	if e == 0 {
		e = 1
	} else {
		m += float64(int(1) << man)
	}
	x := float32(math.Ldexp(m, e-bias-man))
	if v>>(exp+man)&1 != 0 {
		x = -x
	}
	return x
}

// scale returns the value of a scale factor: a power of two, or e4m3 without its sign (PTX 5.2.3).
func scale(e Elem, v uint8) float64 {
	switch {
	case e == UE8M0 && v == 0xff, e == UE4M3 && v&0x7f == 0x7f:
		return math.NaN()
	case e == UE8M0:
		return math.Ldexp(1, int(v)-127)
	}
	return float64(small[E4M3][v&0x7f])
}
