package sim

import (
	"bytes"
	"encoding/binary"
	"math"

	"example.org/crosslane/num"
)

// FormatRaw prints as OpenCL C's printf does (6.15.14). The bytes of the arguments were stored one after
// another at multiples of 4: numbers in their own size, vectors (those of three as those of four) as their
// elements, strings as their characters.
//
// unterminated: strings whose length is a multiple of 4 have no terminating zero, and the next argument is
// 4 bytes earlier than their size says.
//
// The text ends after about 16 MiB; whole is false if it was cut there.
func FormatRaw(format string, sizes []int, data []byte, unterminated bool) (text string, whole bool) {
	f := formatter{args: &rawArgs{sizes: sizes, data: data, unterminated: unterminated}}
	f.format([]byte(format))
	return string(f.out), len(f.out) <= blockOutput
}

// rawArgs are arguments in a buffer, as an argSource.
type rawArgs struct {
	sizes        []int  // the sizes of the arguments that are left
	data         []byte // from the next argument on
	unterminated bool
	elems        [][]byte // the elements of the vector that is being printed
	used         int
}

// next takes an argument, or an element of a vector.
func (r *rawArgs) next() []byte {
	r.used++
	if len(r.elems) > 0 {
		e := r.elems[0]
		r.elems = r.elems[1:]
		return e
	}
	if len(r.sizes) == 0 {
		return nil
	}
	b := r.data[:min(r.sizes[0], len(r.data))]
	r.data = r.data[min((r.sizes[0]+3)&^3, len(r.data)):]
	r.sizes = r.sizes[1:]
	return b
}

func (r *rawArgs) left() bool { return len(r.sizes) > 0 }
func (r *rawArgs) stop() bool { return false }
func (r *rawArgs) mark() int  { return r.used }
func (r *rawArgs) reset(int)  {}

func (r *rawArgs) vector(n int) bool {
	have := n
	if n == 3 {
		have = 4
	}
	size := r.sizes[0] / have
	if size == 0 {
		return false
	}
	v := r.next()
	for i := range n {
		if (i+1)*size > len(v) {
			break
		}
		r.elems = append(r.elems, v[i*size:][:size])
	}
	return true
}

// word returns up to 8 bytes as a number, little-endian.
func word(b []byte) uint64 {
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}

func (r *rawArgs) star() int       { return int(int32(word(r.next()))) }
func (r *rawArgs) pointer() uint64 { return word(r.next()) }

// integer returns the next integer. A value of 8 bytes is printed in full with any modifier. An
// element of a vector may be smaller than an int of C, and then has a sign of its own.
func (r *rawArgs) integer(sp *spec) (uint64, int) {
	b := r.next()
	v := word(b)
	signed := sp.verb == 'd' || sp.verb == 'i'
	switch {
	case len(b) == 1 && signed:
		v = uint64(int64(int8(v)))
	case len(b) == 2 && signed:
		v = uint64(int64(int16(v)))
	case len(b) == 8:
		return v, 8
	}
	return v, 4
}

// real returns the next float: it is stored as a float, not as the double to which C converts it.
func (r *rawArgs) real() float64 {
	switch b := r.next(); len(b) {
	case 2:
		return float64(num.CvtF32FromF16(uint16(word(b))))
	case 4:
		return float64(math.Float32frombits(uint32(word(b))))
	default:
		return math.Float64frombits(word(b))
	}
}

func (r *rawArgs) text(sp *spec) ([]byte, bool) {
	before, element := r.data, len(r.elems) > 0
	b := r.next()
	if n := len(b) - 4; r.unterminated && !element && n > 0 && bytes.IndexByte(b[:n], 0) < 0 {
		b, r.data = b[:n], before[n:]
	} else if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	if sp.prec >= 0 {
		b = b[:min(len(b), sp.prec)]
	}
	return b, false
}
