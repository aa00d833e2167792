package api

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"example.org/crosslane/internal/pages"
	"example.org/crosslane/internal/value"
)

// Elem is a Go type that a buffer's elements may have.
type Elem interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float32 | ~float64
}

// Slice makes a buffer of a Go slice. The kernel's stores go into the slice.
func Slice[T Elem](name string, s []T) *Buffer {
	b := &Buffer{Name: name, Type: elemType[T](), Shape: []int{len(s)}}
	if len(s) > 0 {
		// Every platform that Crosslane builds for is little-endian, as both guests are.
		b.Data = unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
	}
	return b
}

func elemType[T Elem]() ElemType {
	var x T
	// Division and underflow distinguish floats and signed integers without reflection.
	half, minus := T(1)/2 != 0, x-1 < x
	n := strconv.Itoa(8 * int(unsafe.Sizeof(x)))
	switch {
	case half:
		return ElemType("f" + n)
	case minus:
		return ElemType("s" + n)
	}
	return ElemType("u" + n)
}

// maxBufferBytes is more than a machine has.
const maxBufferBytes = 1 << 46

// NewBuffer makes a buffer of zero bytes that counts as uninitialised. The shape is the number of
// elements, or rows and columns. If the type does not exist or the size exceeds any machine, the
// launch that is given the buffer returns the error.
func NewBuffer(name string, t ElemType, shape ...int) *Buffer {
	b := &Buffer{Name: name, Type: t, Shape: shape, Uninitialised: true}
	if t.Size() == 0 {
		b.err = fmt.Errorf("%q is no element type (known: %s)", string(t), value.TypeNames())
		return b
	}
	n, most := 1, maxBufferBytes/t.Size()
	for _, s := range shape {
		if s < 0 || s > 0 && n > most/s {
			b.err = fmt.Errorf("a size of %v elements of %s; it has to be from 0 to %d bytes", shape, t, int64(maxBufferBytes))
			return b
		}
		n *= s
	}
	b.Data, b.err = allocate(n * t.Size())
	pages.Large(b.Data)
	return b
}

// allocate makes n bytes of zero. If the system has no room, Go ends the program; if no address
// space could have room, make panics, and allocate returns an error.
func allocate(n int) (data []byte, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("a size of %d bytes, which is more than there can be here", n)
		}
	}()
	return make([]byte, n), nil
}

// Size is the size of an element in bytes; 0 if the type is unknown.
func (t ElemType) Size() int { return value.Type(t).Size() }

// Len is the number of elements.
func (b *Buffer) Len() int {
	if n := b.Type.Size(); n > 0 {
		return len(b.Data) / n
	}
	return 0
}

// Bits returns the bits of element i.
func (b *Buffer) Bits(i int) uint64 { return value.Get(value.Type(b.Type), b.Data, i) }

// SetBits writes the bits of element i.
func (b *Buffer) SetBits(i int, bits uint64) { value.Put(value.Type(b.Type), b.Data, i, bits) }

// Float returns element i as a number.
func (b *Buffer) Float(i int) float64 { return value.Float64(value.Type(b.Type), b.Bits(i)) }

// Int is an integer argument, converted to the parameter's type.
func Int(v int64) Scalar { return Scalar{Text: strconv.FormatInt(v, 10)} }

// Float is a floating-point argument, converted to the parameter's type.
func Float(v float64) Scalar { return Scalar{Text: strconv.FormatFloat(v, 'g', -1, 64)} }

// Typed is an argument whose bits are given, for parameters that declare only a
// size.
func Typed(t ElemType, bits uint64) Scalar { return Scalar{Type: t, Bits: bits} }

// ParamKind is the kind of argument that a parameter takes.
type ParamKind string

// The kinds.
const (
	ParamScalar  ParamKind = "scalar"  // or, if Type is "", a structure of that size: a Buffer of as many bytes
	ParamPointer ParamKind = "pointer" // a Buffer; an integer is taken as an address
	ParamShared  ParamKind = "shared"  // SharedBytes
	ParamBytes   ParamKind = "bytes"   // a structure by value: Bytes, or a Buffer of that many bytes
)

// Param is one parameter of a kernel.
type Param struct {
	Name   string
	Type   ElemType // for a scalar; "" if the file declares only a size
	Kind   ParamKind
	Offset int // bytes from the start of the parameter block
	Size   int // bytes
	// Unread reports that the kernel's code does not mention the parameter (PTX).
	Unread bool
	// Hidden describes the parameter if the compiler's runtime passes it and no caller does, else
	// it is "". A hidden parameter may be left out of the arguments.
	Hidden string
}

// IndexText is the index of element i as text: one number for each dimension, with commas.
func (b *Buffer) IndexText(i int) string {
	if len(b.Shape) < 2 {
		return strconv.Itoa(i)
	}
	out := make([]string, len(b.Shape))
	for d := len(b.Shape) - 1; d >= 0; d-- {
		n := max(b.Shape[d], 1)
		out[d], i = strconv.Itoa(i%n), i/n
	}
	return strings.Join(out, ",")
}

// Element is the index of an element by its indices of all dimensions, or by one; -1 if
// there is none.
func (b *Buffer) Element(at ...int) int {
	if len(at) == 1 {
		if at[0] < 0 || at[0] >= b.Len() {
			return -1
		}
		return at[0]
	}
	if len(at) != len(b.Shape) {
		return -1
	}
	n := 0
	for d, x := range at {
		if x < 0 || x >= b.Shape[d] {
			return -1
		}
		n = n*b.Shape[d] + x
	}
	return n
}

// Err is the error of NewBuffer, if there is one.
func (b *Buffer) Err() error { return b.err }
