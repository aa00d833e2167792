package launchspec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// Limits of a structure as written: more than the parameters of a kernel can hold.
const (
	maxFields     = 1 << 12
	maxNesting    = 16
	maxFieldBytes = 1 << 16
)

// An addressSpec is &NAME, &NAME[INDEX] or &NAME+BYTES: an address in a buffer.
type addressSpec struct {
	name  string
	index int   // the index of an element
	add   int64 // bytes
}

// parseAddress reads the text after the &.
func parseAddress(s string) (a addressSpec, err error) {
	name, rest := s, ""
	if i := strings.IndexAny(s, "[+"); i >= 0 {
		name, rest = s[:i], s[i:]
	}
	if !isName(name) {
		return a, fmt.Errorf("%s: %s is no buffer name (want &NAME, &NAME[INDEX] or &NAME+BYTES)", input.Quoted("&"+s), input.Quoted(name))
	}
	a.name = name
	switch {
	case rest == "":
	case rest[0] == '+':
		if a.add, err = strconv.ParseInt(rest[1:], 0, 48); err != nil {
			return a, fmt.Errorf("%s: %s is not a number of bytes", input.Quoted("&"+s), input.Quoted(rest[1:]))
		}
	default:
		number, ok := strings.CutSuffix(rest[1:], "]")
		n, err := strconv.ParseUint(number, 0, 40)
		if !ok || err != nil {
			return a, fmt.Errorf("%s: want &NAME[INDEX]", input.Quoted("&"+s))
		}
		a.index = int(n)
	}
	return a, nil
}

// pointer is the address in one of the buffers, to stand at a byte.
func (a addressSpec) pointer(at int, buffers map[string]*crosslane.Buffer) (crosslane.Pointer, error) {
	b := buffers[a.name]
	switch {
	case b == nil:
		return crosslane.Pointer{}, fmt.Errorf("&%s: no buffer is named %s; an argument NAME:TYPE[N] or --buffer makes one", a.name, a.name)
	case a.index > b.Len():
		return crosslane.Pointer{}, fmt.Errorf("&%s[%d]: %s has %s", a.name, a.index, a.name, diag.Count(b.Len(), "element"))
	}
	return crosslane.Pointer{At: at, To: b, Add: a.add + int64(a.index*b.Type.Size())}, nil
}

// A fieldSpec is a field of a structure as written.
type fieldSpec struct {
	kind    fieldKind
	at      int // the byte at which it is to stand; -1: where C places it
	typ     value.Type
	bits    uint64     // fieldNumber
	n       int        // fieldPad: bytes; fieldArray: elements
	init    value.Init // fieldArray
	data    []byte     // fieldHex
	file    string     // fieldFile
	address addressSpec
	fields  []fieldSpec // fieldStruct
}

type fieldKind uint8

const (
	fieldNumber  fieldKind = iota // 64, 1.0f, TYPE:VALUE
	fieldAddress                  // &NAME
	fieldStruct                   // {…}
	fieldPad                      // pad:N
	fieldArray                    // TYPE[N]=INIT
	fieldHex                      // hex:…
	fieldFile                     // @FILE
)

// parseStruct reads the fields between braces:
//
//	64  -3  7u  5l  1.0f      an int, unsigned, long or float, as in C
//	u32:7  f64:1              a number with its type
//	true  null                one byte, an address of 0
//	&NAME  &NAME[4]  &NAME+16 the address of a buffer, of an element, of a byte
//	{…}                       a structure
//	TYPE[N]=INIT              an array; TYPE[N]={V,V,…}
//	pad:N  hex:00ff  @FILE    bytes without an alignment: zeros, as written, those of a file
//
// A field followed by @OFFSET stands at that byte.
func parseStruct(s string) ([]fieldSpec, error) {
	p := structParser{}
	return p.fields(s, 0)
}

type structParser struct{ count int }

func (p *structParser) fields(s string, depth int) ([]fieldSpec, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("structures in structures are %d deep, the limit", maxNesting)
	}
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	parts, err := SplitList(s)
	if err != nil {
		return nil, err
	}
	var out []fieldSpec
	for i, part := range parts {
		if p.count++; p.count > maxFields {
			return nil, fmt.Errorf("more than %d fields, the limit", maxFields)
		}
		f, err := p.field(strings.TrimSpace(part), depth)
		if err != nil {
			return nil, fmt.Errorf("field %d: %w", i+1, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// SplitList splits at the commas outside brackets.
func SplitList(s string) ([]string, error) {
	var parts []string
	var open []byte
	start := 0
	for i := range len(s) {
		switch c := s[i]; c {
		case '{', '[', '(':
			open = append(open, map[byte]byte{'{': '}', '[': ']', '(': ')'}[c])
		case '}', ']', ')':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil, fmt.Errorf("%q at character %d closes nothing", string(c), i+1)
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	if len(open) > 0 {
		return nil, errors.New("a bracket is not closed")
	}
	return append(parts, s[start:]), nil
}

var (
	fieldOffset = regexp.MustCompile(`^(.+)@([0-9]{1,6}|0x[0-9a-fA-F]{1,5})$`)
	cInteger    = regexp.MustCompile(`^([+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+))([uU]?[lL]{0,2})$`)
	cFloat      = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fF]$`)
)

func (p *structParser) field(s string, depth int) (f fieldSpec, err error) {
	f.at = -1
	if m := fieldOffset.FindStringSubmatch(s); m != nil {
		n, err := strconv.ParseUint(m[2], 0, 32)
		if err != nil || n > maxFieldBytes {
			return f, fmt.Errorf("the offset %s exceeds any structure (%d bytes)", m[2], maxFieldBytes)
		}
		s, f.at = m[1], int(n)
	}
	head, rest, colon := strings.Cut(s, ":")
	switch {
	case s == "":
		return f, errors.New("it is empty")
	case s[0] == '{':
		body, ok := strings.CutSuffix(s[1:], "}")
		if !ok {
			return f, fmt.Errorf("%s: no } at its end", input.Quoted(s))
		}
		f.kind = fieldStruct
		f.fields, err = p.fields(body, depth+1)
		return f, err
	case s[0] == '&':
		f.kind = fieldAddress
		f.address, err = parseAddress(s[1:])
		return f, err
	case s[0] == '@':
		f.kind, f.file = fieldFile, s[1:]
		if f.file == "" {
			return f, errors.New("@ needs a file name")
		}
		return f, nil
	case colon && head == "pad":
		n, err := strconv.ParseUint(rest, 0, 32)
		if err != nil || n > maxFieldBytes {
			return f, fmt.Errorf("pad: needs a number of bytes, at most %d, found %s", maxFieldBytes, input.Quoted(rest))
		}
		f.kind, f.n = fieldPad, int(n)
		return f, nil
	case colon && head == "hex":
		f.kind = fieldHex
		if f.data, err = hex.DecodeString(rest); err != nil || len(rest) == 0 {
			return f, fmt.Errorf("hex: needs pairs of hexadecimal digits, found %s", input.Quoted(rest))
		}
		return f, nil
	}
	if t, size, ok := strings.Cut(s, "["); ok && value.Type(t).Valid() {
		return p.array(f, value.Type(t), size)
	}
	if colon && value.Type(head).Valid() {
		f.typ = value.Type(head)
		f.bits, err = value.Parse(f.typ, rest)
		return f, err
	}
	f.typ, f.bits, err = cNumber(s)
	return f, err
}

// array reads N]=INIT.
func (p *structParser) array(f fieldSpec, t value.Type, s string) (fieldSpec, error) {
	size, rest, ok := strings.Cut(s, "]")
	n, err := strconv.ParseUint(size, 0, 32)
	if !ok || err != nil || int(n)*t.Size() > maxFieldBytes {
		return f, fmt.Errorf("want %s[N]=INIT with at most %d bytes, found %s", t, maxFieldBytes, input.Quoted(string(t)+"["+s))
	}
	f.kind, f.typ, f.n = fieldArray, t, int(n)
	text := "zero"
	if rest != "" {
		if text, ok = strings.CutPrefix(rest, "="); !ok {
			return f, fmt.Errorf("%s after its size (want =INIT or nothing)", input.Quoted(rest))
		}
		if list, braces := strings.CutPrefix(text, "{"); braces {
			if text, ok = strings.CutSuffix(list, "}"); !ok {
				return f, fmt.Errorf("%s: no } at its end", input.Quoted(rest))
			}
		}
	}
	if f.init, err = value.ParseInit(text); err != nil {
		return f, err
	}
	if l := f.init.Len(); l >= 0 && l != f.n {
		return f, fmt.Errorf("%d values given, it has %d elements", l, f.n)
	}
	return f, nil
}

// cNumber reads a number whose spelling implies its type, like C's constants, for a compiler with
// an int of 32 and a long of 64 bits.
func cNumber(s string) (value.Type, uint64, error) {
	if m := cInteger.FindStringSubmatch(s); m != nil {
		suffix := strings.ToLower(m[2])
		var try []value.Type
		switch base := strings.ContainsAny(m[1], "xXbB"); {
		case suffix == "u":
			try = []value.Type{"u32", "u64"}
		case suffix == "l" || suffix == "ll":
			try = []value.Type{"s64"}
		case suffix != "":
			try = []value.Type{"u64"}
		case base: // C11 6.4.4.1: unsigned types for constants that are not decimal
			try = []value.Type{"u32", "u64"}
		default:
			try = []value.Type{"s32", "s64"}
		}
		if strings.HasPrefix(m[1], "-") && try[0] == "u32" {
			try = []value.Type{"s32", "s64"}
		}
		for _, t := range try {
			if bits, err := value.Parse(t, m[1]); err == nil {
				return t, bits, nil
			}
		}
		return "", 0, fmt.Errorf("%s does not fit %s", input.Quoted(s), try[len(try)-1])
	}
	if m := cFloat.FindStringSubmatch(s); m != nil {
		bits, err := value.Parse("f32", m[1])
		return "f32", bits, err
	}
	switch s {
	case "true":
		return "u8", 1, nil
	case "false":
		return "u8", 0, nil
	case "null", "nullptr":
		return "u64", 0, nil
	}
	if isNumber(s) || isFloatWord(strings.TrimLeft(s, "+-")) {
		return "", 0, fmt.Errorf("%s may be a float or a double: write f32:%s or f64:%s", input.Quoted(s), s, s)
	}
	return "", 0, fmt.Errorf("%s is no field (want a number such as 64 or 1.0f, TYPE:VALUE, &NAME, {…}, TYPE[N]=INIT, pad:N, hex:… or @FILE)", input.Quoted(s))
}

// build makes the structure.
func buildStruct(fields []fieldSpec, read value.ReadFile, buffers map[string]*crosslane.Buffer) (crosslane.Bytes, error) {
	var out []any
	for i, f := range fields {
		v, err := f.value(read, buffers)
		if err != nil {
			return crosslane.Bytes{}, fmt.Errorf("field %d: %w", i+1, err)
		}
		if f.at >= 0 {
			v = crosslane.FieldAt(f.at, v)
		}
		out = append(out, v)
	}
	b := crosslane.Struct(out...)
	return b, b.Err()
}

func (f *fieldSpec) value(read value.ReadFile, buffers map[string]*crosslane.Buffer) (any, error) {
	switch f.kind {
	case fieldAddress:
		return f.address.pointer(0, buffers)
	case fieldStruct:
		return buildStruct(f.fields, read, buffers)
	case fieldPad:
		return crosslane.Pad(f.n), nil
	case fieldHex:
		return f.data, nil
	case fieldFile:
		data, _, err := read(f.file, maxFieldBytes)
		if err == nil && len(data) > maxFieldBytes {
			err = fmt.Errorf("%s: larger than a structure can be (%d bytes)", f.file, maxFieldBytes)
		}
		return data, err
	case fieldArray:
		data := make([]byte, f.n*f.typ.Size())
		err := f.init.Fill(f.typ, data, f.n, read)
		return crosslane.Aligned(f.typ.Size(), data), err
	}
	return crosslane.Typed(crosslane.ElemType(f.typ), f.bits), nil
}
