package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"crosslane"
	"crosslane/diag"
	"crosslane/internal/value"
)

// An argSpec is a kernel argument as written: exactly one of the kinds below.
type argSpec struct {
	kind argKind

	text string     // argScalar: the value as written
	typ  value.Type // argTyped, argBuffer
	bits uint64     // argTyped

	name  string // argBuffer, argRef
	shape []int  // argBuffer
	init  value.Init
	dir   string // what the file of init is relative to
	// hasInit is false for a buffer that counts as uninitialised.
	hasInit bool

	shared uint32 // argShared: bytes
}

type argKind uint8

const (
	argScalar argKind = iota // 1024: of the parameter's type
	argTyped                 // u32:7
	argBuffer                // NAME:TYPE[N]=INIT
	argRef                   // NAME
	argShared                // shared:BYTES
)

// parseArg reads one argument:
//
//	1024, -3, 0x1f, 1.5       a scalar of the parameter's declared type
//	u32:7, f32:0.5            a scalar with its type
//	NAME:TYPE[N]              a buffer of zero bytes that count as uninitialised
//	NAME:TYPE[R,C]=INIT       a buffer of R rows of C elements, with values
//	NAME                      a buffer that an earlier argument named
//	shared:BYTES              a GCN3 local-pointer argument
func parseArg(s string) (argSpec, error) {
	head, rest, colon := strings.Cut(s, ":")
	switch {
	case strings.TrimSpace(s) == "":
		return argSpec{}, fmt.Errorf("empty argument")
	case isNumber(s):
		return argSpec{kind: argScalar, text: s}, nil
	case strings.ContainsRune("+-.0123456789", rune(s[0])):
		return argSpec{}, fmt.Errorf("%s is not a number", quoted(s))
	case !colon:
		return parseRef(s)
	case head == "shared":
		n, err := strconv.ParseUint(rest, 0, 32)
		if err != nil {
			return argSpec{}, fmt.Errorf("shared: wants a number of bytes, found %s", quoted(rest))
		}
		return argSpec{kind: argShared, shared: uint32(n)}, nil
	case value.Type(head).Valid():
		bits, err := value.Parse(value.Type(head), rest)
		if err != nil {
			return argSpec{}, err
		}
		return argSpec{kind: argTyped, typ: value.Type(head), bits: bits}, nil
	case !isName(head):
		return argSpec{}, fmt.Errorf("%s is no buffer name (letters, digits, _ . $ -)", quoted(head))
	}
	return parseBuffer(head, rest)
}

func parseRef(s string) (argSpec, error) {
	name, _, sized := strings.Cut(s, "[")
	before, _, valued := strings.Cut(s, "=")
	switch {
	case isName(s):
		return argSpec{kind: argRef, name: s}, nil
	case sized && isName(name):
		return argSpec{}, fmt.Errorf("buffer %s has no type: want NAME:TYPE[N], as in %s:u32[64]", name, name)
	case valued && isName(before):
		return argSpec{}, fmt.Errorf("buffer %s has no type and size: want NAME:TYPE[N]=INIT, as in %s:u32[64]=iota", before, before)
	}
	return argSpec{}, fmt.Errorf("%s is no argument (want a number, TYPE:VALUE, NAME:TYPE[N], NAME:TYPE[N]=INIT, NAME or shared:BYTES)", quoted(s))
}

func parseBuffer(name, s string) (argSpec, error) {
	bad := func(format string, args ...any) (argSpec, error) {
		return argSpec{}, fmt.Errorf("buffer "+name+": "+format, args...)
	}
	typ, rest, ok := strings.Cut(s, "[")
	if t := value.Type(typ); !t.Valid() {
		if t, _, _ := strings.Cut(typ, "="); value.Type(t).Valid() {
			return bad("no size: want %s[N]", t)
		}
		return bad("%s is no element type (known: %s)", quoted(typ), value.TypeNames())
	}
	if !ok {
		return bad("no size: want %s[N]", typ)
	}
	dims, rest, ok := strings.Cut(rest, "]")
	if !ok {
		return bad("no ] after its size")
	}
	shape, err := parseShape(dims)
	if err != nil {
		return bad("%w", err)
	}
	spec := argSpec{kind: argBuffer, name: name, typ: value.Type(typ), shape: shape}
	if rest == "" {
		return spec, nil
	}
	if rest[0] != '=' {
		return bad("%s after its size (want =INIT or nothing)", quoted(rest))
	}
	if spec.init, err = value.ParseInit(rest[1:]); err != nil {
		return bad("%w", err)
	}
	if n := spec.init.Len(); n >= 0 && n != spec.elems() {
		return bad("%d values given, it has %d elements", n, spec.elems())
	}
	spec.hasInit = true
	return spec, nil
}

func parseShape(s string) ([]int, error) {
	parts := strings.Split(s, ",")
	if len(parts) > 2 {
		return nil, fmt.Errorf("size [%s] has %d dimensions, 2 is the limit", s, len(parts))
	}
	shape := make([]int, len(parts))
	total := uint64(1)
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 0, 64)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("size [%s]: %s is not a number of elements", s, quoted(p))
		}
		if n > math.MaxInt32<<12/total {
			return nil, fmt.Errorf("size [%s] is beyond every memory", s)
		}
		total *= n
		shape[i] = int(n)
	}
	return shape, nil
}

// elems is the number of elements of a buffer.
func (s argSpec) elems() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// bytes is the size of a buffer.
func (s argSpec) bytes() uint64 {
	if s.kind != argBuffer {
		return 0
	}
	return uint64(s.elems()) * uint64(s.typ.Size())
}

// isNumber reports whether s is an integer of 64 bits or a float, and so a scalar
// whose type the parameter decides.
func isNumber(s string) bool {
	if strings.TrimSpace(s) != s || !strings.ContainsRune("+-.0123456789", rune(s[0])) {
		return false
	}
	for _, t := range []value.Type{"u64", "f64", "f32"} {
		if _, err := value.Parse(t, s); err == nil {
			return true
		}
	}
	return false
}

// isName reports whether s can name a buffer. The words of the argument grammar
// cannot.
func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '$'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '.' || r == '-')) {
			return false
		}
	}
	return s != "" && s != "shared" && !value.Type(s).Valid()
}

// isFloatWord reports a float that looks like a name.
func isFloatWord(s string) bool {
	switch strings.ToLower(s) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// buildArgs makes the launch's arguments: the memory of all buffers together is at
// most limit bytes, with all its copies, and is asked for only when that is known.
func buildArgs(specs []argSpec, limit, copies uint64) ([]crosslane.Arg, []*crosslane.Buffer, error) {
	var total uint64
	seen := map[string]bool{}
	for i, s := range specs {
		if s.kind != argBuffer {
			continue
		}
		if seen[s.name] {
			return nil, nil, argError(i, fmt.Errorf("buffer %s is defined twice; its bare name passes it again", s.name))
		}
		seen[s.name] = true
		if total += s.bytes(); total > limit/copies {
			d := argError(i, fmt.Errorf("buffer %s takes %s; with it the buffers take %s, more than the limit of %s",
				s.name, bytesText(s.bytes()), bytesText(total), bytesText(limit)))
			if copies > 1 && total <= limit {
				d = argError(i, fmt.Errorf("with buffer %s the buffers take %s, and check needs %d times as much, more than the limit of %s", s.name, bytesText(total), copies, bytesText(limit)))
			}
			d.Remedy = "raise the limit with --max-memory"
			return nil, nil, d
		}
	}
	var args []crosslane.Arg
	var buffers []*crosslane.Buffer
	byName := map[string]*crosslane.Buffer{}
	for i, s := range specs {
		switch s.kind {
		case argScalar:
			args = append(args, crosslane.Scalar{Text: s.text})
		case argTyped:
			args = append(args, crosslane.Scalar{Type: crosslane.ElemType(s.typ), Bits: s.bits})
		case argShared:
			args = append(args, crosslane.SharedBytes(s.shared))
		case argRef:
			b := byName[s.name]
			switch {
			case b != nil:
				args = append(args, b)
			case isFloatWord(s.name):
				args = append(args, crosslane.Scalar{Text: s.name})
			default:
				return nil, nil, argError(i, fmt.Errorf("no earlier argument is a buffer named %s", s.name))
			}
		case argBuffer:
			b := &crosslane.Buffer{
				Name: s.name, Type: crosslane.ElemType(s.typ), Shape: s.shape,
				Data: make([]byte, s.bytes()), Uninitialised: !s.hasInit,
			}
			if s.hasInit {
				if err := s.init.Fill(s.typ, b.Data, s.elems(), valuesReader(s.dir)); err != nil {
					return nil, nil, argError(i, fmt.Errorf("buffer %s: %w", s.name, err))
				}
			}
			byName[s.name] = b
			buffers = append(buffers, b)
			args = append(args, b)
		}
	}
	return args, buffers, nil
}

// argError says which argument an error is about; they count from 1.
func argError(i int, err error) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "argument %d: %s", i+1, err)
}

// quoted makes untrusted text fit for a message.
func quoted(s string) string {
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return strconv.Quote(s)
}
