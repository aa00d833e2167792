package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A ReadFile reads the file that an INIT names with @, at most limit bytes of it. size is the size
// of the file; -1 if it is larger than limit and its size is not known.
type ReadFile func(name string, limit int64) (data []byte, size int64, err error)

// An Init is a parsed INIT: the initial elements of a buffer or register.
//
//	zero          all bytes zero
//	iota          0, 1, 2, …
//	iota:START    START, START+1, …
//	fill:V        V everywhere
//	rand:SEED     reproducible: integers over all bits, floats in [-1, 1)
//	V,V,…         the values
//	@FILE         .npy, .csv, else raw little-endian bytes
type Init struct {
	form  string // zero, iota, fill, rand, list, file
	value string // START, V, SEED or FILE
	list  []string
}

// ParseInit reads an INIT. It checks the form; the values are checked when elements of a type are
// made.
func ParseInit(s string) (Init, error) {
	name, arg, has := strings.Cut(s, ":")
	switch {
	case s == "":
		return Init{}, errors.New("empty initial value (want zero, iota, iota:START, fill:V, rand:SEED, V,V,… or @FILE)")
	case s[0] == '@':
		if len(s) == 1 {
			return Init{}, errors.New("@ needs a file name")
		}
		return Init{form: "file", value: s[1:]}, nil
	case name == "zero" && !has:
		return Init{form: "zero"}, nil
	case name == "iota" && !has:
		return Init{form: "iota", value: "0"}, nil
	case name == "fill" || name == "iota" || name == "rand":
		if arg == "" {
			return Init{}, fmt.Errorf("%s needs a value, as in %s:1", name, name)
		}
		if name == "rand" {
			if _, err := strconv.ParseUint(arg, 0, 64); err != nil {
				return Init{}, fmt.Errorf("rand:SEED needs an unsigned integer, found %s", quote(arg))
			}
		}
		return Init{form: name, value: arg}, nil
	}
	list := strings.Split(s, ",")
	if len(list) > 1 && strings.TrimSpace(list[len(list)-1]) == "" {
		list = list[:len(list)-1] // a trailing comma is no value
	}
	if c := strings.TrimSpace(list[0]); len(list) == 1 && c != "" && !strings.ContainsAny(c[:1], "+-.0123456789") {
		switch strings.ToLower(c) {
		case "nan", "inf", "infinity", "true", "false":
		default:
			return Init{}, fmt.Errorf("%s is no initial value (want zero, iota, iota:START, fill:V, rand:SEED, V,V,… or @FILE)", quote(s))
		}
	}
	return Init{form: "list", list: list}, nil
}

// File returns the file that the INIT names, or "".
func (in Init) File() string {
	if in.form == "file" {
		return in.value
	}
	return ""
}

// Len returns the number of values of a list; -1 for the other forms, which fit any length.
func (in Init) Len() int {
	if in.form != "list" {
		return -1
	}
	return len(in.list)
}

// Fill writes n elements of type t into data. shape is the shape of the buffer, for files that have
// one; nil for one dimension.
func (in Init) Fill(t Type, data []byte, n int, read ReadFile) error {
	if !t.Valid() {
		return fmt.Errorf("%q is no element type (known: %s)", string(t), TypeNames())
	}
	switch in.form {
	case "zero":
		clear(data[:n*t.Size()])
	case "iota":
		return in.fillIota(t, data, n)
	case "fill":
		v, err := Parse(t, in.value)
		if err != nil {
			return err
		}
		for i := range n {
			Put(t, data, i, v)
		}
	case "rand":
		seed, err := strconv.ParseUint(in.value, 0, 64)
		if err != nil {
			return err
		}
		for i := range n {
			Put(t, data, i, random(t, seed, uint64(i)))
		}
	case "file":
		return in.fillFile(t, data, n, read)
	default:
		if len(in.list) != n {
			return fmt.Errorf("%s given, %s wanted", count(len(in.list), "value"), count(n, "element"))
		}
		return parseList(t, data, in.list)
	}
	return nil
}

// parseList parses the values of a list.
func parseList(t Type, data []byte, list []string) error {
	for i, s := range list {
		v, err := Parse(t, s)
		if err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		Put(t, data, i, v)
	}
	return nil
}

// fillIota counts in the type: integers wrap around, floats round.
func (in Init) fillIota(t Type, data []byte, n int) error {
	start, err := Parse(t, in.value)
	if err != nil {
		return err
	}
	if t.Kind() != Float {
		for i := range n {
			Put(t, data, i, start+uint64(i))
		}
		return nil
	}
	f := Float64(t, start)
	for i := range n {
		Put(t, data, i, fromFloat(t, f+float64(i)))
	}
	return nil
}

// fillFile reads the elements from a file.
func (in Init) fillFile(t Type, data []byte, n int, read ReadFile) error {
	if read == nil {
		return errors.New("files cannot be read here")
	}
	lower := strings.ToLower(in.value)
	limit := int64(n*t.Size()) + 1<<20 // room for a header, or enough to measure the difference
	if strings.HasSuffix(lower, ".csv") {
		limit = int64(n)*64 + 1<<20 // the longest shortest number, and blanks
	}
	raw, size, err := read(in.value, limit)
	if err != nil {
		return err
	}
	whole := size == int64(len(raw))
	switch {
	case strings.HasSuffix(lower, ".npy"):
		err = readNPY(t, data, n, raw)
	case strings.HasSuffix(lower, ".csv"):
		if err = readCSV(t, data, n, raw); !whole {
			err = fmt.Errorf("has %s, more than %s of %s can take as text (%d)", fileSize(size, limit), count(n, "element"), t, limit)
		}
	case !whole || len(raw) != n*t.Size():
		err = fmt.Errorf("has %s, %s of %s take %d", fileSize(size, limit), count(n, "element"), t, n*t.Size())
	default:
		copy(data, raw)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.value, err)
	}
	return nil
}

// fileSize returns the size of a file for messages; -1 is an unknown size above limit.
func fileSize(size, limit int64) string {
	if size < 0 {
		return fmt.Sprintf("more than %d bytes", limit)
	}
	return count(int(size), "byte")
}

// Bits is Fill for a register: n elements as their bits.
func (in Init) Bits(t Type, n int, read ReadFile) ([]uint64, error) {
	data := make([]byte, n*t.Size())
	if err := in.Fill(t, data, n, read); err != nil {
		return nil, err
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = Get(t, data, i)
	}
	return out, nil
}

// random returns element i of a reproducible sequence: SplitMix64 of seed and index, so an element
// does not depend on the number of elements before it.
func random(t Type, seed, i uint64) uint64 {
	x := seed*0x9e3779b97f4a7c15 + (i+1)*0xbf58476d1ce4e5b9
	for range 2 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	if t.Kind() != Float {
		return x & t.mask()
	}
	// The number of random bits that every float type holds exactly, in [-1, 1).
	man := uint(53)
	switch t {
	case "f32":
		man = 24
	case "f16":
		man = 11
	case "bf16":
		man = 8
	}
	f := float64(x>>(64-man))/float64(uint64(1)<<(man-1)) - 1
	return fromFloat(t, f)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
