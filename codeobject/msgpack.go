package codeobject

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/crosslane/diag"
)

// A tree is the data model of MessagePack and YAML: nil, bool, uint64, int64 (if negative),
// float64, string, []byte, []any and map[string]any.

const (
	maxDepth    = 64       // depth of nested maps and lists
	maxMetadata = 16 << 20 // bytes of metadata
	maxNodes    = 1 << 20  // number of values, so that one byte cannot stand for a large object many times
)

// DecodeMetadata reads the description of a metadata note.
func DecodeMetadata(desc []byte) (*Metadata, error) {
	m, d := decodeMetadata(desc, "", 0)
	if d != nil {
		return nil, d
	}
	return m, nil
}

// decodeMetadata is DecodeMetadata for a note whose description is at an offset of a file.
func decodeMetadata(desc []byte, name string, at int64) (*Metadata, *diag.Diagnostic) {
	r := bytes.NewReader(desc)
	bad := func(err error, off int64) *diag.Diagnostic {
		return diag.Errorf(diag.Pos{File: name, Off: at + off, HasOff: true}, diag.Input, CodeMetadata, "%v", err)
	}
	if len(desc) > maxMetadata {
		return nil, bad(fmt.Errorf("metadata have %d bytes, more than %d", len(desc), maxMetadata), 0)
	}
	u := unpacker{r: r}
	tree, err := u.value(0)
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("metadata: %d bytes after the end", r.Len())
	}
	if err != nil {
		return nil, bad(err, int64(len(desc)-r.Len()))
	}
	m, err := fromTree(tree)
	if err != nil {
		return nil, bad(err, 0)
	}
	return m, nil
}

type unpacker struct {
	r     *bytes.Reader
	nodes int
}

// number reads a number of n bytes, the highest first.
func (u *unpacker) number(n int) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(u.r, b[8-n:]); err != nil {
		return 0, short(err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

// length reads a length of n bytes. Each element takes at least a byte, so no length may exceed the number of remaining bytes.
func (u *unpacker) length(n int) (int, error) {
	v, err := u.number(n)
	if err == nil && v > uint64(u.r.Len()) {
		err = fmt.Errorf("metadata: length %d exceeds the %d bytes left", v, u.r.Len())
	}
	return int(v), err
}

// value decodes one value.
func (u *unpacker) value(depth int) (any, error) {
	if u.nodes++; u.nodes > maxNodes {
		return nil, fmt.Errorf("metadata: more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("metadata: nested more than %d deep", maxDepth)
	}
	c, err := u.r.ReadByte()
	if err != nil {
		return nil, short(err)
	}
	// A small length is in the code itself.
	sized := func(n int, err error) (int, error) {
		if err == nil && n > u.r.Len() {
			err = fmt.Errorf("metadata: length %d exceeds the %d bytes left", n, u.r.Len())
		}
		return n, err
	}
	switch {
	case c < 0x80: // a number of 7 bits
		return uint64(c), nil
	case c < 0x90:
		return u.mapping(depth)(sized(int(c&15), nil))
	case c < 0xa0:
		return u.list(depth)(sized(int(c&15), nil))
	case c < 0xc0:
		return u.text(sized(int(c&31), nil))
	case c >= 0xe0: // a negative number of 5 bits
		return int64(int8(c)), nil
	}
	switch c {
	case 0xc0:
		return nil, nil
	case 0xc2, 0xc3:
		return c == 0xc3, nil
	case 0xc4, 0xc5, 0xc6:
		return u.bytes(u.length(1 << (c - 0xc4)))
	case 0xca:
		n, err := u.number(4)
		return float64(math.Float32frombits(uint32(n))), err
	case 0xcb:
		n, err := u.number(8)
		return math.Float64frombits(n), err
	case 0xcc, 0xcd, 0xce, 0xcf:
		return u.number(1 << (c - 0xcc))
	case 0xd0, 0xd1, 0xd2, 0xd3:
		size := 1 << (c - 0xd0)
		n, err := u.number(size)
		if v := int64(n<<(64-8*size)) >> (64 - 8*size); v < 0 {
			return v, err
		}
		return n, err
	case 0xd9, 0xda, 0xdb:
		return u.text(u.length(1 << (c - 0xd9)))
	case 0xdc, 0xdd:
		return u.list(depth)(u.length(2 << (c - 0xdc)))
	case 0xde, 0xdf:
		return u.mapping(depth)(u.length(2 << (c - 0xde)))
	}
	return nil, fmt.Errorf("metadata: MessagePack type %#x is not one that metadata use", c)
}

func (u *unpacker) bytes(n int, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(u.r, b)
	return b, short(err)
}

func (u *unpacker) text(n int, err error) (any, error) {
	b, err := u.bytes(n, err)
	return string(b), err
}

func (u *unpacker) list(depth int) func(n int, err error) (any, error) {
	return func(n int, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		l := make([]any, 0, min(n, 1024))
		for range n {
			v, err := u.value(depth + 1)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		return l, nil
	}
}

func (u *unpacker) mapping(depth int) func(n int, err error) (any, error) {
	return func(n int, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		m := map[string]any{}
		for range n {
			k, err := u.value(depth + 1)
			if err != nil {
				return nil, err
			}
			key, ok := k.(string)
			if !ok {
				return nil, fmt.Errorf("metadata: found %s as a key, expected a string", describe(k))
			}
			if _, dup := m[key]; dup {
				return nil, fmt.Errorf("metadata: key %.40q twice in one map", key)
			}
			if m[key], err = u.value(depth + 1); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
}

// short adds a context to the decoder's errors.
func short(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata: %v", err)
}

// MsgPack returns the description of a metadata note: MessagePack with sorted keys and the shortest
// form of each number, as compilers write it.
func (m *Metadata) MsgPack() ([]byte, error) { return pack(nil, m.toTree()) }

// pack appends a value of a tree.
func pack(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, 0xc0), nil
	case bool:
		if v {
			return append(b, 0xc3), nil
		}
		return append(b, 0xc2), nil
	case uint64:
		if v < 0x80 {
			return append(b, byte(v)), nil
		}
		return packNumber(b, 0xcc, v, sizeOf(v)), nil
	case int64:
		if v >= 0 {
			return pack(b, uint64(v))
		}
		if v >= -32 {
			return append(b, byte(v)), nil
		}
		return packNumber(b, 0xd0, uint64(v), sizeOf(uint64(^v)<<1)), nil
	case float64:
		if a := math.Abs(v); v == 0 || a >= 0x1p-126 && a <= math.MaxFloat32 {
			return binary.BigEndian.AppendUint32(append(b, 0xca), math.Float32bits(float32(v))), nil
		}
		return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(v)), nil
	case string:
		if len(v) < 32 {
			b = append(b, 0xa0|byte(len(v)))
		} else {
			b = packNumber(b, 0xd9, uint64(len(v)), sizeOf(uint64(len(v))))
		}
		return append(b, v...), nil
	case []byte:
		return append(packNumber(b, 0xc4, uint64(len(v)), sizeOf(uint64(len(v)))), v...), nil
	case []any:
		b = packLength(b, 0x90, 0xdc, len(v))
		for _, x := range v {
			var err error
			if b, err = pack(b, x); err != nil {
				return nil, err
			}
		}
		return b, nil
	case map[string]any:
		b = packLength(b, 0x80, 0xde, len(v))
		for _, k := range sortedKeys(v) {
			b, _ = pack(b, k) // a string can be packed
			var err error
			if b, err = pack(b, v[k]); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	return nil, fmt.Errorf("metadata: cannot hold a %T", v)
}

// sizeOf is the logarithm of how many bytes a number takes: 0 to 3 for 1, 2, 4 or 8.
func sizeOf(v uint64) int {
	switch {
	case v < 1<<8:
		return 0
	case v < 1<<16:
		return 1
	case v < 1<<32:
		return 2
	}
	return 3
}

// packNumber appends the code of a number, or of a length, of 1<<size bytes, and the number.
func packNumber(b []byte, code byte, v uint64, size int) []byte {
	b = append(b, code+byte(size))
	for i := 8<<size - 8; i >= 0; i -= 8 {
		b = append(b, byte(v>>i))
	}
	return b
}

// packLength appends the length of a list or a map.
func packLength(b []byte, small, code byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, small|byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, code), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, code+1), uint32(n))
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
