package api

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// A Pointer is the address of a byte of a buffer. As an argument it is that address; in Bytes and
// in a Buffer it also gives the place of the address.
type Pointer struct {
	At  int     // the place of the address: the index of its first byte
	To  *Buffer // the buffer that it points into
	Add int64   // how many bytes the address is beyond the buffer's first one
}

// Bytes is an argument given byte by byte: a structure that is passed by value. Its
// Pointers are written into Data at the launch. Struct makes one of fields.
type Bytes struct {
	Data     []byte
	Pointers []Pointer

	align  int      // for a nested structure; 0: 1
	fields []placed // for messages
	// partial reports that the fields give their offsets: the bytes after the last one are zero.
	partial bool
	wide    bool // its pointers take 8 bytes
	err     error
}

func (Pointer) isArg() {}
func (Bytes) isArg()   {}

// placed is the place of a field of a structure.
type placed struct {
	at, size int
	what     string
	// over reports that other fields may be placed over it: it holds bytes of no declared meaning.
	over bool
}

// maxStructBytes is more than the parameters of a kernel may take together.
const maxStructBytes = 1 << 16

// A Field is a field of a structure that is not where C puts it: see FieldAt, Pad and Aligned.
type Field struct {
	value any
	at    int // -1: the next place
	align int // 0: that of the value
}

// FieldAt is a field at a byte offset of the structure, over bytes that other fields left there.
// Later fields are placed after all fields before them.
func FieldAt(offset int, value any) Field { return Field{value: value, at: offset} }

// Aligned is a field with an alignment of its own, a power of two.
func Aligned(align int, value any) Field { return Field{value: value, at: -1, align: align} }

// Pad is n bytes of zero, without an alignment.
func Pad(n int) Field { return Field{value: padding(n), at: -1} }

type padding int

// Struct makes a structure that is passed by value. Each field is at the next multiple of its
// alignment, as C compilers place it. A field is a *Buffer or a Pointer (an address of 8 bytes), a
// Bytes (a nested structure), a []byte (bytes without an alignment), a number of Go whose size is
// fixed, a bool, a Scalar that has a Type, or a Field. An invalid field is an error of the launch
// that is given the structure.
func Struct(fields ...any) Bytes {
	s := Bytes{align: 1}
	for i, f := range fields {
		if err := s.add(f); err != nil {
			s.err = fmt.Errorf("field %d: %w", i+1, err)
			return s
		}
	}
	s.extend(value.RoundUp(len(s.Data), s.align))
	return s
}

func (s *Bytes) extend(n int) {
	if n > len(s.Data) {
		s.Data = append(s.Data, make([]byte, n-len(s.Data))...)
	}
}

// add places one field.
func (s *Bytes) add(field any) error {
	at, align := -1, 0
	for f, ok := field.(Field); ok; f, ok = field.(Field) {
		field, at, align = f.value, max(at, f.at), max(align, f.align)
	}
	data, natural, what := []byte(nil), 1, ""
	over := false
	var nested Bytes
	switch v := field.(type) {
	case padding:
		if v < 0 || v > maxStructBytes {
			return fmt.Errorf("a padding of %d bytes; 0 to %d are allowed", int(v), maxStructBytes)
		}
		data, what, over = make([]byte, v), "padding", true
	case *Buffer:
		return s.add(Field{Pointer{To: v}, at, align})
	case Pointer:
		if v.To == nil {
			return fmt.Errorf("the address of a buffer that is nil")
		}
		v.At = 0
		data, natural, what = make([]byte, 8), 8, "the address of "+v.text()
		nested = Bytes{Pointers: []Pointer{v}, wide: true}
	case Bytes:
		if v.err != nil {
			return v.err
		}
		nested, data, natural, what = v, v.Data, max(v.align, 1), "a structure"
		if len(v.fields) == 0 {
			what, over = "bytes", true
		}
	case []byte:
		data, what, over = v, "bytes", true
	default:
		t, bits, err := sizedNumber(field)
		if err != nil {
			return err
		}
		data, natural, what = binary.LittleEndian.AppendUint64(nil, bits)[:t.Size()], t.Size(), string(t)+" "+value.Format(value.Type(t), bits)
	}
	if align == 0 {
		align = natural
	} else if align < 1 || align&(align-1) != 0 || align > maxStructBytes {
		return fmt.Errorf("an alignment of %d; it has to be a power of two, at most %d", align, maxStructBytes)
	}
	if at < 0 {
		at = value.RoundUp(len(s.Data), align)
		s.align = max(s.align, align)
	} else {
		s.partial = true
	}
	if at+len(data) > maxStructBytes {
		return fmt.Errorf("it ends at byte %d; a structure has at most %d", at+len(data), maxStructBytes)
	}
	for _, f := range s.fields {
		if !f.over && f.at < at+len(data) && at < f.at+f.size {
			return fmt.Errorf("%s at bytes %d to %d stands over %s at %d to %d", what, at, at+len(data)-1, f.what, f.at, f.at+f.size-1)
		}
	}
	s.extend(at + len(data))
	copy(s.Data[at:], data)
	for _, p := range nested.Pointers {
		p.At += at
		s.Pointers = append(s.Pointers, p)
	}
	s.wide = s.wide || nested.wide
	if len(nested.fields) == 0 {
		s.fields = append(s.fields, placed{at, len(data), what, over})
	}
	for _, f := range nested.fields {
		f.at += at
		s.fields = append(s.fields, f)
	}
	return nil
}

// text names the target of a pointer.
func (p Pointer) text() string {
	if p.Add != 0 {
		return fmt.Sprintf("%s%+d", p.To.Name, p.Add)
	}
	return p.To.Name
}

// sizedNumber is a number whose type implies its size.
func sizedNumber(v any) (ElemType, uint64, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return U8, 1, nil
		}
		return U8, 0, nil
	case uint8:
		return U8, uint64(v), nil
	case int8:
		return S8, uint64(uint8(v)), nil
	case uint16:
		return U16, uint64(v), nil
	case int16:
		return S16, uint64(uint16(v)), nil
	case uint32:
		return U32, uint64(v), nil
	case int32:
		return S32, uint64(uint32(v)), nil
	case uint64:
		return U64, v, nil
	case int64:
		return S64, uint64(v), nil
	case float32:
		return F32, uint64(math.Float32bits(v)), nil
	case float64:
		return F64, math.Float64bits(v), nil
	case Scalar:
		if v.Type.Size() > 0 {
			return v.Type, v.Bits, nil
		}
		return "", 0, fmt.Errorf("the scalar %s has no type; give it one with Typed", v.Text)
	case nil:
		return "", 0, fmt.Errorf("it is nil")
	}
	return "", 0, fmt.Errorf("a %T has no size that is the same in every program; give an int32, an int64, a float32 or their like", v)
}

// Err is the error of a field that Struct was given, if there is one.
func (b Bytes) Err() error { return b.err }

// Layout lists the offsets of the fields, a line each, for an error.
func (b Bytes) Layout() string {
	if len(b.fields) == 0 {
		return ""
	}
	fields := slices.Clone(b.fields)
	slices.SortStableFunc(fields, func(x, y placed) int { return x.at - y.at })
	var s strings.Builder
	const shown = 24
	for i, f := range fields {
		if i == shown {
			fmt.Fprintf(&s, "\nand %d more fields", len(fields)-shown)
			break
		}
		fmt.Fprintf(&s, "\nat %d, %s: %s", f.at, diag.Count(f.size, "byte"), f.what)
	}
	return s.String()
}

// Align is the alignment of the structure as a field, in bytes; at least 1.
func (b Bytes) Align() int { return max(b.align, 1) }

// Partial reports that the fields give their offsets, so that the bytes after the last one are
// zeros and may be left out.
func (b Bytes) Partial() bool { return b.partial }

// Wide reports that the structure has addresses of 8 bytes.
func (b Bytes) Wide() bool { return b.wide }
