package launchspec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// An Arg is a kernel argument as written: exactly one of the kinds below.
type Arg struct {
	kind    argKind
	written string // as --arg takes it

	Text string     // argScalar: the value as written
	typ  value.Type // argTyped, argBuffer
	bits uint64     // argTyped

	name  string // argBuffer, argRef; of argStruct, for readers
	shape []int  // argBuffer
	// shapeBy are expressions for the shape; nil: it is given.
	shapeBy []*Expr
	init    value.Init
	Dir     string // the folder to which the file of init is relative
	// Read reads files instead of the file system, if it is not nil.
	Read value.ReadFile
	// hasInit is false for a buffer that counts as uninitialised.
	hasInit bool
	// fromFile reports that the file of init has the buffer's type and shape.
	fromFile bool
	// undefined is the file with the undefined bits of a buffer; "": there are none, or hasInit is false.
	undefined string
	pointers  []elementAddress // argBuffer: elements that are addresses

	shared  uint32       // argShared: bytes
	address addressSpec  // argAddress
	fields  []fieldSpec  // argStruct
	tensor  *tensorSpec  // argTensorMap
	texture *textureSpec // argTexture
}

// elementAddress is an element of a buffer that is an address.
type elementAddress struct {
	index   int
	address addressSpec
}

type argKind uint8

const (
	argScalar    argKind = iota // 1024: a number of the parameter's type
	argTyped                    // u32:7
	argBuffer                   // NAME:TYPE[N]=INIT
	argRef                      // NAME
	argShared                   // shared:BYTES
	argAddress                  // &NAME
	argStruct                   // {…} or NAME={…}
	argTensorMap                // tensormap{…} or NAME=tensormap{…}
	argTexture                  // texture{…}, surface{…}, NAME=texture{…} or NAME=surface{…}
)

// ParseArg reads one argument:
//
//	1024, -3, 0x1f, 1.5       a scalar of the parameter's declared type
//	u32:7, f32:0.5            a scalar with its type
//	NAME:TYPE[N]              a buffer of zero bytes that count as uninitialised
//	NAME:TYPE[R,C]=INIT       a buffer of R rows of C elements, with values
//	NAME=@FILE.npy            a buffer whose type and size the file has
//	NAME                      a buffer that an earlier argument named
//	&NAME, &NAME[4], &NAME+16 an address in a buffer: see parseAddress
//	{&NAME,64,1.0f}           a structure passed by value: see parseStruct
//	tensormap{&NAME,f16,…}    a tensor map: see parseTensorMap
//	texture{&NAME,f32x4,…}    a texture or surface: see parseTexture
//	shared:BYTES              a GCN3 local-pointer argument
//
// The text after the colon distinguishes a type from a buffer that has a type's name: no value
// begins like a buffer's type and size.
func ParseArg(s string) (Arg, error) {
	a, err := parseArg(s)
	a.written = s
	return a, err
}

// heads are the words of descriptions in braces that stand for an argument.
var heads = []string{"tensormap", "texture", "surface"}

// described returns the parts of HEAD{BODY} or NAME=HEAD{BODY}; head is "" for other text.
func described(s string) (name, head, body string, err error) {
	for _, h := range heads {
		before, body, ok := strings.Cut(s, h+"{")
		if !ok || before != "" && !strings.HasSuffix(before, "=") {
			continue
		}
		body, ok = strings.CutSuffix(body, "}")
		name = strings.TrimSuffix(before, "=")
		if !ok || before != "" && !isName(name) {
			return "", "", "", fmt.Errorf("%s: want %s{…} or NAME=%[2]s{…}", input.Quoted(s), h)
		}
		return name, h, body, nil
	}
	return "", "", "", nil
}

func parseArg(s string) (Arg, error) {
	before, what, body, err := described(s)
	if err != nil {
		return Arg{}, err
	}
	head, rest, colon := strings.Cut(s, ":")
	name, braces, named := strings.Cut(s, "={")
	switch {
	case strings.TrimSpace(s) == "":
		return Arg{}, fmt.Errorf("empty argument")
	case s[0] == '{':
		return parseStructArg("", s[1:])
	case what == "tensormap":
		t, err := parseTensorMap(body)
		if err != nil {
			return Arg{}, fmt.Errorf("tensor map: %w", err)
		}
		return Arg{kind: argTensorMap, name: before, tensor: t}, nil
	case what != "":
		t, err := parseTexture(body, what == "surface")
		if err != nil {
			return Arg{}, fmt.Errorf("%s: %w", what, err)
		}
		return Arg{kind: argTexture, name: before, texture: t}, nil
	case named && isName(name):
		return parseStructArg(name, braces)
	case s[0] == '&':
		a, err := parseAddress(s[1:])
		return Arg{kind: argAddress, address: a}, err
	case colon && isName(head) && isBufferText(rest):
		return parseBuffer(head, rest)
	case isNumber(s):
		return Arg{kind: argScalar, Text: s}, nil
	case strings.ContainsRune("+-.0123456789", rune(s[0])):
		return Arg{}, fmt.Errorf("%s is not a number", input.Quoted(s))
	case !colon:
		return parseRef(s)
	case head == "shared":
		n, err := strconv.ParseUint(rest, 0, 32)
		if err != nil {
			return Arg{}, fmt.Errorf("shared: needs a number of bytes, found %s", input.Quoted(rest))
		}
		return Arg{kind: argShared, shared: uint32(n)}, nil
	case value.Type(head).Valid():
		bits, err := value.Parse(value.Type(head), rest)
		if err != nil {
			return Arg{}, err
		}
		return Arg{kind: argTyped, typ: value.Type(head), bits: bits}, nil
	case !isName(head):
		return Arg{}, fmt.Errorf("%s is no buffer name (letters, digits, _ . $ -)", input.Quoted(head))
	}
	return parseBuffer(head, rest)
}

// OnlyBuffer refuses an argument that is no buffer.
func (s Arg) OnlyBuffer() error {
	if s.kind != argBuffer {
		return fmt.Errorf("want a buffer, NAME:TYPE[N] or NAME:TYPE[N]=INIT")
	}
	return nil
}

// isBufferText reports whether the text after NAME: is a buffer's type and size, or its file.
func isBufferText(s string) bool {
	t, _, ok := strings.Cut(s, "[")
	return ok && value.Type(t).Valid() || strings.HasPrefix(s, "@")
}

func parseStructArg(name, s string) (Arg, error) {
	what := "structure"
	if name != "" {
		what += " " + name
	}
	body, ok := strings.CutSuffix(s, "}")
	if !ok {
		return Arg{}, fmt.Errorf("%s: no } at its end", what)
	}
	fields, err := parseStruct(body)
	if err != nil {
		return Arg{}, fmt.Errorf("%s: %w", what, err)
	}
	return Arg{kind: argStruct, name: name, fields: fields}, nil
}

// parseFileBuffer makes a buffer of a file that has its type and shape.
func parseFileBuffer(name, file string) (Arg, error) {
	if !strings.HasSuffix(strings.ToLower(file), ".npy") {
		return Arg{}, fmt.Errorf("buffer %s: only .npy files have a type and a size: want NAME:TYPE[N]=@FILE, as in %s:f32[64]=@%s", name, name, file)
	}
	in, err := value.ParseInit("@" + file)
	return Arg{kind: argBuffer, name: name, init: in, hasInit: true, fromFile: true}, err
}

func parseRef(s string) (Arg, error) {
	name, _, sized := strings.Cut(s, "[")
	before, after, valued := strings.Cut(s, "=")
	switch {
	case isName(s):
		return Arg{kind: argRef, name: s}, nil
	case valued && isName(before) && strings.HasPrefix(after, "@"):
		return parseFileBuffer(before, after[1:])
	case sized && isName(name):
		return Arg{}, fmt.Errorf("buffer %s has no type: want NAME:TYPE[N], as in %s:u32[64]", name, name)
	case valued && isName(before):
		return Arg{}, fmt.Errorf("buffer %s has no type and size: want NAME:TYPE[N]=INIT, as in %s:u32[64]=iota", before, before)
	}
	return Arg{}, fmt.Errorf("%s is no argument (want a number, TYPE:VALUE, NAME:TYPE[N], NAME:TYPE[N]=INIT, NAME, &NAME, {FIELD,...} or shared:BYTES)", input.Quoted(s))
}

func parseBuffer(name, s string) (Arg, error) {
	bad := func(format string, args ...any) (Arg, error) {
		return Arg{}, fmt.Errorf("buffer "+name+": "+format, args...)
	}
	if file, ok := strings.CutPrefix(s, "@"); ok {
		return parseFileBuffer(name, file)
	}
	typ, rest, ok := strings.Cut(s, "[")
	if t := value.Type(typ); !t.Valid() {
		if t, _, _ := strings.Cut(typ, "="); value.Type(t).Valid() {
			return bad("no size: want %s[N]", t)
		}
		return bad("%s is no element type (known: %s)", input.Quoted(typ), value.TypeNames())
	}
	if !ok {
		return bad("no size: want %s[N]", typ)
	}
	dims, rest, ok := strings.Cut(rest, "]")
	if !ok {
		return bad("no ] after its size")
	}
	shape, by, err := parseShape(dims)
	if err != nil {
		return bad("%w", err)
	}
	spec := Arg{kind: argBuffer, name: name, typ: value.Type(typ), shape: shape, shapeBy: by}
	if rest == "" {
		return spec, nil
	}
	if rest[0] != '=' {
		return bad("%s after its size (want =INIT or nothing)", input.Quoted(rest))
	}
	text, addresses, err := parseAddresses(rest[1:])
	if err != nil {
		return bad("%w", err)
	}
	if spec.pointers = addresses; len(addresses) > 0 && (spec.typ.Size() != 8 || spec.typ.Kind() == value.Float) {
		return bad("an address takes 8 bytes: the type has to be u64, not %s", spec.typ)
	}
	if spec.init, err = value.ParseInit(text); err != nil {
		return bad("%w", err)
	}
	if n := spec.init.Len(); n >= 0 && by == nil && n != spec.elems() {
		return bad("%d values given, it has %d elements", n, spec.elems())
	}
	spec.hasInit = true
	return spec, nil
}

// parseAddresses finds the addresses in a list of values. In the text that it returns there
// are zeros for them.
func parseAddresses(s string) (string, []elementAddress, error) {
	if !strings.Contains(s, "&") || s[0] == '@' {
		return s, nil, nil
	}
	var found []elementAddress
	list := strings.Split(s, ",")
	for i, e := range list {
		rest, ok := strings.CutPrefix(strings.TrimSpace(e), "&")
		if !ok {
			continue
		}
		a, err := parseAddress(rest)
		if err != nil {
			return "", nil, fmt.Errorf("value %d: %w", i, err)
		}
		found = append(found, elementAddress{i, a})
		list[i] = "0"
	}
	return strings.Join(list, ","), found, nil
}

// parseShape reads N or R,C, of numbers or of expressions.
func parseShape(s string) ([]int, []*Expr, error) {
	parts, err := SplitList(s)
	if err != nil {
		return nil, nil, fmt.Errorf("size [%s]: %w", s, err)
	}
	if len(parts) > 2 {
		return nil, nil, fmt.Errorf("size [%s] has %d dimensions, 2 is the limit", s, len(parts))
	}
	shape := make([]int, len(parts))
	total := uint64(1)
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 0, 64)
		if err != nil {
			by, err := shapeExprs(parts)
			if err != nil {
				return nil, nil, fmt.Errorf("size [%s]: %s is not a number of elements", s, input.Quoted(p))
			}
			return nil, by, nil
		}
		if n > maxElems/total {
			return nil, nil, fmt.Errorf("size [%s] exceeds any memory", s)
		}
		total *= max(n, 1)
		shape[i] = int(n)
	}
	return shape, nil, nil
}

// maxElems is more than any buffer has.
const maxElems = math.MaxInt32 << 12

func shapeExprs(parts []string) (by []*Expr, err error) {
	for _, p := range parts {
		e, err := ParseExpr(p)
		if err != nil || strings.IndexFunc(p, unicode.IsLetter) < 0 {
			return nil, errors.New("no expression of a name")
		}
		by = append(by, e)
	}
	return by, nil
}

// elems is the number of elements of a buffer.
func (s Arg) elems() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// Bytes is the size of a buffer.
func (s Arg) Bytes() uint64 {
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

// isName reports whether s can name a buffer.
func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '$'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '.' || r == '-')) {
			return false
		}
	}
	return s != ""
}

// isFloatWord reports a float that looks like a name.
func isFloatWord(s string) bool {
	switch strings.ToLower(s) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// built is the result of buildArgs: the arguments of a launch, and its buffers by name.
type Built struct {
	args    []crosslane.Arg
	Buffers []*crosslane.Buffer
	byName  map[string]*crosslane.Buffer
	symbols []crosslane.Symbol
}

// buildArgs makes the launch's arguments, and buffers that are none: the memory of all buffers
// together is at most limit bytes, with all its copies, and is asked for only when that is
// known.
func buildArgs(specs, extra []Arg, limit, copies uint64) (*Built, error) {
	all, where := append(slices.Clone(specs), extra...), func(i int, err error) *diag.Diagnostic {
		if i < len(specs) {
			return ArgError(i, err)
		}
		return diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--buffer: %s", err)
	}
	var total uint64
	seen := map[string]bool{}
	for i := range all {
		s := &all[i]
		if s.kind != argBuffer {
			continue
		}
		if seen[s.name] {
			return nil, where(i, fmt.Errorf("buffer %s is defined twice; its bare name passes it again", s.name))
		}
		seen[s.name] = true
		if err := s.ReadHeader(); err != nil {
			return nil, where(i, fmt.Errorf("buffer %s: %w", s.name, err))
		}
		if total += s.Bytes(); total > limit/copies {
			d := where(i, fmt.Errorf("buffer %s takes %s; with it the buffers take %s, more than the limit of %s",
				s.name, input.BytesText(s.Bytes()), input.BytesText(total), input.BytesText(limit)))
			if copies > 1 && total <= limit {
				d = where(i, fmt.Errorf("with buffer %s the buffers take %s, and check needs %d times as much, more than the limit of %s", s.name, input.BytesText(total), copies, input.BytesText(limit)))
			}
			d.Remedy = "raise the limit with --max-memory"
			return nil, d
		}
	}
	out := &Built{byName: map[string]*crosslane.Buffer{}}
	for i := range all {
		s := &all[i]
		if s.kind != argBuffer {
			continue
		}
		b, err := s.buffer()
		if err != nil {
			return nil, where(i, err)
		}
		out.byName[s.name] = b
		out.Buffers = append(out.Buffers, b)
	}
	for i := range all {
		s := &all[i]
		for _, p := range s.pointers {
			ptr, err := p.address.pointer(p.index*s.typ.Size(), out.byName)
			if err != nil {
				return nil, where(i, fmt.Errorf("buffer %s: %w", s.name, err))
			}
			out.byName[s.name].Pointers = append(out.byName[s.name].Pointers, ptr)
		}
	}
	for i := range specs {
		s := &specs[i]
		a, err := s.arg(out.byName)
		if err != nil {
			return nil, where(i, err)
		}
		out.args = append(out.args, a)
	}
	return out, nil
}

// ReadHeader takes a buffer's type and shape from its file, if they are there.
func (s *Arg) ReadHeader() error {
	if !s.fromFile {
		return nil
	}
	raw, _, err := s.reader()(s.init.File(), 1<<16)
	if err != nil {
		return err
	}
	t, shape, err := value.NPY(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", s.init.File(), err)
	}
	s.typ = t
	switch len(shape) {
	case 0:
		s.shape = []int{1}
	case 1, 2:
		s.shape = shape
	default: // rows of the last dimension
		s.shape = []int{1, shape[len(shape)-1]}
		for _, n := range shape[:len(shape)-1] {
			s.shape[0] *= n
		}
	}
	return nil
}

// buffer makes a buffer with its values, but for those that are addresses.
func (s *Arg) buffer() (*crosslane.Buffer, error) {
	b := &crosslane.Buffer{
		Name: s.name, Type: crosslane.ElemType(s.typ), Shape: s.shape,
		Data: make([]byte, s.Bytes()), Uninitialised: !s.hasInit,
	}
	if s.hasInit {
		if err := s.init.Fill(s.typ, b.Data, s.elems(), s.reader()); err != nil {
			return nil, fmt.Errorf("buffer %s: %w", s.name, err)
		}
	}
	if s.undefined != "" {
		in, err := value.ParseInit("@" + s.undefined)
		if err == nil {
			b.UndefinedBits = make([]byte, len(b.Data))
			err = in.Fill("u8", b.UndefinedBits, len(b.Data), s.reader())
		}
		if err != nil {
			return nil, fmt.Errorf("buffer %s: undefined: %w", s.name, err)
		}
	}
	return b, nil
}

// arg makes the argument, of the launch's buffers.
func (s *Arg) arg(buffers map[string]*crosslane.Buffer) (crosslane.Arg, error) {
	switch s.kind {
	case argTyped:
		return crosslane.Scalar{Type: crosslane.ElemType(s.typ), Bits: s.bits}, nil
	case argShared:
		return crosslane.SharedBytes(s.shared), nil
	case argBuffer:
		return buffers[s.name], nil
	case argRef:
		switch b := buffers[s.name]; {
		case b != nil:
			return b, nil
		case isFloatWord(s.name):
			return crosslane.Scalar{Text: s.name}, nil
		}
		return nil, fmt.Errorf("no argument is a buffer named %s", s.name)
	case argAddress:
		return s.address.pointer(0, buffers)
	case argTensorMap:
		return s.tensor.arg(buffers)
	case argTexture:
		return s.texture.arg(buffers)
	case argStruct:
		b, err := buildStruct(s.fields, s.reader(), buffers)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
	return crosslane.Scalar{Text: s.Text}, nil
}

// ArgError adds the number of the argument to its error; arguments count from 1.
func ArgError(i int, err error) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "argument %d: %s", i+1, err)
}
