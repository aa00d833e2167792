package codeobject

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

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
	u := unpacker{d: msgpack.NewDecoder(r), r: r}
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
	d     *msgpack.Decoder
	r     *bytes.Reader
	nodes int
}

// value decodes one value. Each element takes at least a byte, so no length may exceed the number
// of remaining bytes.
func (u *unpacker) value(depth int) (any, error) {
	d, r := u.d, u.r
	if u.nodes++; u.nodes > maxNodes {
		return nil, fmt.Errorf("metadata: more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("metadata: nested more than %d deep", maxDepth)
	}
	c, err := d.PeekCode()
	if err != nil {
		return nil, short(err)
	}
	length := func(n int, err error) (int, error) {
		if err == nil && (n < 0 || n > r.Len()) {
			err = fmt.Errorf("metadata: length %d exceeds the %d bytes left", n, r.Len())
		}
		return n, short(err)
	}
	switch {
	case msgpcode.IsFixedMap(c), c == msgpcode.Map16, c == msgpcode.Map32:
		n, err := length(d.DecodeMapLen())
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
	case msgpcode.IsFixedArray(c), c == msgpcode.Array16, c == msgpcode.Array32:
		n, err := length(d.DecodeArrayLen())
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
	case msgpcode.IsString(c), msgpcode.IsBin(c):
		// The decoder would allocate the given length before it checks the data.
		n, err := length(d.DecodeBytesLen())
		if err != nil {
			return nil, err
		}
		b := make([]byte, n)
		if err := d.ReadFull(b); err != nil {
			return nil, short(err)
		}
		if msgpcode.IsString(c) {
			return string(b), nil
		}
		return b, nil
	case c == msgpcode.Nil:
		return nil, short(d.DecodeNil())
	case c == msgpcode.True, c == msgpcode.False:
		b, err := d.DecodeBool()
		return b, short(err)
	case c == msgpcode.Float, c == msgpcode.Double:
		f, err := d.DecodeFloat64()
		return f, short(err)
	case c == msgpcode.Uint64:
		n, err := d.DecodeUint64()
		return n, short(err)
	case msgpcode.IsFixedNum(c), c == msgpcode.Uint8, c == msgpcode.Uint16, c == msgpcode.Uint32,
		c == msgpcode.Int8, c == msgpcode.Int16, c == msgpcode.Int32, c == msgpcode.Int64:
		n, err := d.DecodeInt64()
		if n >= 0 {
			return uint64(n), short(err)
		}
		return n, short(err)
	}
	return nil, fmt.Errorf("metadata: MessagePack type %#x is not one that metadata use", c)
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
func (m *Metadata) MsgPack() ([]byte, error) {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	if err := pack(e, m.toTree()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pack encodes a value of a tree.
func pack(e *msgpack.Encoder, v any) error {
	switch v := v.(type) {
	case nil:
		return e.EncodeNil()
	case bool:
		return e.EncodeBool(v)
	case uint64:
		return e.EncodeUint(v)
	case int64:
		return e.EncodeInt(v)
	case float64:
		if a := math.Abs(v); v == 0 || a >= 0x1p-126 && a <= math.MaxFloat32 {
			return e.EncodeFloat32(float32(v))
		}
		return e.EncodeFloat64(v)
	case string:
		return e.EncodeString(v)
	case []byte:
		return e.EncodeBytes(v)
	case []any:
		if err := e.EncodeArrayLen(len(v)); err != nil {
			return err
		}
		for _, x := range v {
			if err := pack(e, x); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		if err := e.EncodeMapLen(len(v)); err != nil {
			return err
		}
		for _, k := range sortedKeys(v) {
			if err := e.EncodeString(k); err != nil {
				return err
			}
			if err := pack(e, v[k]); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("metadata: cannot hold a %T", v)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
