package codeobject

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// packedBy packs a value by the library.
func packedBy(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	var put func(v any) error
	put = func(v any) error {
		switch v := v.(type) {
		case uint64:
			return e.EncodeUint(v)
		case int64:
			return e.EncodeInt(v)
		case []any:
			if err := e.EncodeArrayLen(len(v)); err != nil {
				return err
			}
			for _, x := range v {
				if err := put(x); err != nil {
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
				if err := put(v[k]); err != nil {
					return err
				}
			}
			return nil
		}
		return e.Encode(v)
	}
	if err := put(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Values at the borders of the forms are packed as the library packs them, and read back.
func TestMessagePack(t *testing.T) {
	t.Parallel()
	var list []any
	for _, n := range []int{0, 1, 31, 32, 127, 128, 255, 256, 65535, 65536} {
		list = append(list, strings.Repeat("x", n), bytes.Repeat([]byte{7}, n), make([]any, min(n, 40)))
	}
	for shift := range 64 {
		for _, d := range []uint64{0, 1} {
			v := uint64(1)<<shift - d
			list = append(list, v)
			if s := -int64(v); s < 0 {
				list = append(list, s)
			}
		}
	}
	list = append(list, nil, true, false, uint64(math.MaxUint64), int64(math.MinInt64), make([]any, 70000))
	big := map[string]any{}
	for i := range 70000 {
		if big[strings.Repeat("k", i%7)+string(rune('a'+i%26))+strings.Repeat("v", i/182)] = uint64(i); len(big) == 300 {
			break
		}
	}
	list = append(list, big, map[string]any{"a": []any{uint64(1), "b"}})
	for _, v := range list {
		got, err := pack(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if want := packedBy(t, v); !bytes.Equal(got, want) {
			t.Errorf("%.60v: %.40x, want %.40x", v, got, want)
		}
		u := unpacker{r: bytes.NewReader(got)}
		back, err := u.value(0)
		if err != nil || u.r.Len() > 0 || !reflect.DeepEqual(back, v) {
			t.Errorf("%.60v comes back as %.60v, %v", v, back, err)
		}
	}
}

// FuzzMessagePack: what this package reads, the library reads alike.
func FuzzMessagePack(f *testing.F) {
	f.Add([]byte("\x82\xa1a\xcd\x01\x00\xa1b\x92\xc3\xd0\x80"))
	f.Fuzz(func(t *testing.T, data []byte) {
		u := unpacker{r: bytes.NewReader(data)}
		got, err := u.value(0)
		if err != nil {
			return
		}
		d := msgpack.NewDecoder(bytes.NewReader(data))
		d.UseLooseInterfaceDecoding(true)
		want, err := d.DecodeInterface()
		if err != nil {
			t.Fatalf("%x: %#v; the library: %v", data, got, err)
		}
		if a, b := normal(got), normal(want); !reflect.DeepEqual(a, b) && !hasFloat(data) {
			t.Fatalf("%x: %#v, want %#v", data, a, b)
		}
	})
}

// hasFloat reports whether there may be a float, such as NaN, which equals nothing.
func hasFloat(data []byte) bool {
	return bytes.IndexByte(data, 0xca) >= 0 || bytes.IndexByte(data, 0xcb) >= 0
}

// normal makes numbers of the library and of this package alike.
func normal(v any) any {
	if r := reflect.ValueOf(v); r.IsValid() && r.CanInt() {
		v = r.Int() // the library has numbers of one byte as int8
	} else if r.IsValid() && r.CanUint() {
		v = r.Uint()
	}
	switch v := v.(type) {
	case int64:
		if v >= 0 {
			return uint64(v)
		}
	case []byte:
		return string(v) // the library has either
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, normal(x))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = normal(x)
		}
		return out
	}
	return v
}
