package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// maxParsed bounds each size that a text declares, so that a text cannot ask for unbounded memory.
const maxParsed = 1 << 24

// Parse reads the text form of a function; see Text. The error names the line. The function has
// been validated.
func Parse(text string) (*Func, error) {
	p := parser{f: &Func{Values: make([]Value, 1)}, refs: map[string]Ref{"_": 0}, pos: -1}
	lines := strings.Split(text, "\n")
	p.most = 16 * uint64(len(lines))
	for n, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("ir: line %d: %w", n+1, err)
		}
	}
	if p.f.Lanes == 0 {
		return nil, fmt.Errorf("ir: the text has no line that begins with func")
	}
	if p.exec != "" {
		r, err := p.ref(p.exec)
		if err != nil {
			return nil, fmt.Errorf("ir: exec: %w", err)
		}
		p.f.Exec = r
	}
	if n := len(p.f.Blocks); n > 0 {
		p.f.Blocks[n-1].End = len(p.f.Code)
	}
	if err := p.f.Validate(); err != nil {
		return nil, err
	}
	return p.f, nil
}

// parser is the state of one Parse.
type parser struct {
	f     *Func
	refs  map[string]Ref // operand texts
	exec  string
	pos   int32
	fresh bool   // the guest instruction begins with the next operation
	most  uint64 // the largest number of a guest instruction; few of them have no operation
}

// inert is the Observer of a parsed function: it has no effect.
type inert struct{}

func (inert) Start()                   {}
func (inert) At(uint64, []byte) []Note { return nil }
func (inert) Describe(Note) NoteText   { return NoteText{} }

// line reads one line.
func (p *parser) line(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	if word != "func" && p.f.Lanes == 0 {
		return fmt.Errorf("%q comes before the line that begins with func", word)
	}
	switch word {
	case "func":
		return p.header(rest)
	case "file":
		return unquote(rest, &p.f.File)
	case "value", "temp", "const":
		return p.value(word, rest)
	case "var":
		var v Variable
		w, rest, err := quoted(rest)
		if err != nil {
			return err
		}
		v.Name = w
		if err := numbers(rest, &v.Off, &v.Size); err != nil {
			return err
		}
		p.f.SharedVars = append(p.f.SharedVars, v)
		return nil
	case "function":
		var name string
		if err := unquote(rest, &name); err != nil {
			return err
		}
		p.f.Functions = append(p.f.Functions, name)
		return nil
	case "table":
		table := []int{}
		for _, w := range strings.Fields(rest) {
			n, err := strconv.ParseInt(w, 10, 32)
			if err != nil || n < -1 {
				return fmt.Errorf("%q is no block of a table", w)
			}
			table = append(table, int(n))
		}
		p.f.Tables = append(p.f.Tables, table)
		return nil
	case "observed":
		return p.observed(strings.Fields(rest))
	case "input":
		w := strings.Fields(rest)
		if len(w) != 3 {
			return fmt.Errorf("an input has a kind, a value and a number")
		}
		kind, err := strconv.ParseUint(w[0], 0, 8)
		if err != nil || kind > uint64(ClusterGiven) {
			return fmt.Errorf("there is no input of kind %s", w[0])
		}
		dst, err := p.ref(w[1])
		if err != nil {
			return err
		}
		imm, err := strconv.ParseUint(w[2], 0, 64)
		if err != nil {
			return err
		}
		p.f.Inputs = append(p.f.Inputs, Input{InputKind(kind), dst, imm})
		return nil
	case ";":
		return p.guest(rest)
	}
	if label := fmt.Sprintf("b%d:", len(p.f.Blocks)); s == label {
		if n := len(p.f.Blocks); n > 0 {
			p.f.Blocks[n-1].End = len(p.f.Code)
		}
		p.f.Blocks = append(p.f.Blocks, Block{Start: len(p.f.Code)})
		return nil
	}
	if len(p.f.Blocks) == 0 || p.pos < 0 {
		return fmt.Errorf("%q is before the first block, or before its first guest instruction", s)
	}
	return p.inst(s)
}

// header reads the line func.
func (p *parser) header(s string) error {
	f := p.f
	if f.Lanes != 0 {
		return fmt.Errorf("there are two lines that begin with func")
	}
	name, rest, err := quoted(s)
	if err != nil {
		return err
	}
	f.Name = name
	for _, w := range strings.Fields(rest) {
		key, value, _ := strings.Cut(w, "=")
		list := strings.Split(value, ",")
		var to []*uint32
		var lanes uint32
		switch key {
		case "lanes":
			to = []*uint32{&lanes}
		case "guest":
			to = []*uint32{&f.GuestSize}
		case "frame":
			to = []*uint32{&f.FrameSize}
		case "shared":
			to = []*uint32{&f.SharedStatic}
		case "local":
			to = []*uint32{&f.LocalSize}
		case "ranked":
			f.Ranked = value == "1"
			continue
		case "max":
			to = []*uint32{&f.MaxBlock}
		case "req":
			to = []*uint32{&f.ReqBlock[0], &f.ReqBlock[1], &f.ReqBlock[2]}
		case "windows":
			if len(list) != 3 {
				return fmt.Errorf("windows are three numbers")
			}
			for i, x := range []*uint64{&f.Windows.shared, &f.Windows.local, &f.Windows.param} {
				if *x, err = strconv.ParseUint(list[i], 0, 64); err != nil {
					return err
				}
			}
			continue
		case "exec":
			if p.exec = value; value == "_" {
				p.exec = ""
			}
			continue
		case "meet":
			f.MeetAnywhere = true
			continue
		case "stack":
			f.Stack = true
			continue
		case "stackup":
			f.StackUp = true
			continue
		case "met":
			f.Met = true
			continue
		case "observer":
			f.NewObserver = func() Observer { return inert{} }
			continue
		case "observed":
			f.Observed = map[uint64]Observed{}
			continue
		default:
			return fmt.Errorf("a function has no %q", key)
		}
		if err := numbers(strings.Join(list, " "), to...); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if key == "lanes" {
			f.Lanes = int(lanes)
		}
	}
	if f.Lanes != 32 && f.Lanes != 64 {
		return fmt.Errorf("a function has 32 or 64 lanes")
	}
	if f.FrameSize > maxParsed || f.GuestSize > f.FrameSize {
		return fmt.Errorf("a frame has at most %d bytes, and holds the guest's values", maxParsed)
	}
	return nil
}

// value reads the declaration of a value.
func (p *parser) value(kind, s string) error {
	w := strings.Fields(s)
	if len(w) < 3 {
		return fmt.Errorf("a value has a name, a type and an offset")
	}
	v := Value{Kind: map[string]Kind{"value": Guest, "temp": Temp, "const": Const}[kind]}
	for t := B1; t <= B64; t++ {
		if t.String() == w[1] {
			v.Type = t
		}
	}
	if v.Type == NoType {
		return fmt.Errorf("there is no type %q", w[1])
	}
	name, w := w[0], w[2:]
	if w[0] == "scalar" {
		v.Scalar, w = true, w[1:]
	}
	if len(w) == 0 || w[0][0] != '@' {
		return fmt.Errorf("%s has no offset", name)
	}
	if err := numbers(w[0][1:], &v.Off); err != nil {
		return err
	}
	if v.Off > maxParsed {
		return fmt.Errorf("%s is at offset %d; at most %d is allowed", name, v.Off, maxParsed)
	}
	_, last, more := strings.Cut(s, " = ")
	switch {
	case kind == "const":
		c, err := strconv.ParseUint(last, 0, 64)
		if err != nil {
			return fmt.Errorf("the value of %s: %w", name, err)
		}
		v.Const = c
	case more:
		if err := unquote(last, &v.Name); err != nil {
			return err
		}
	case kind == "value" && name[0] != '#':
		v.Name = name
	}
	if _, twice := p.refs[name]; twice {
		return fmt.Errorf("%s is declared twice", name)
	}
	p.refs[name] = Ref(len(p.f.Values))
	p.f.Values = append(p.f.Values, v)
	return nil
}

// observed reads what an observer reads at an Observe operation.
func (p *parser) observed(w []string) error {
	if len(w) != 4 || p.f.Observed == nil {
		return fmt.Errorf("an observed line has a number and three values, in a function that is observed")
	}
	i, err := strconv.ParseUint(w[0], 0, 64)
	if err != nil {
		return err
	}
	var refs [3]Ref
	for k := range refs {
		if refs[k], err = p.ref(w[1+k]); err != nil {
			return err
		}
	}
	p.f.Observed[i] = Observed{Address: refs[0], Refs: [2]Ref{refs[1], refs[2]}}
	return nil
}

// guest reads the line of a guest instruction: its number and, the first time, its place.
func (p *parser) guest(s string) error {
	w, rest, more := strings.Cut(s, " ")
	n, err := strconv.ParseUint(w, 10, 32)
	if err != nil || n > p.most {
		return fmt.Errorf("%q is no number of a guest instruction of this text; at most %d is allowed", w, p.most)
	}
	for uint64(len(p.f.Pos)) <= n {
		p.f.Pos = append(p.f.Pos, Pos{})
	}
	p.pos, p.fresh = int32(n), more
	if !more {
		return nil
	}
	x := &p.f.Pos[n]
	var line, col uint32
	f := strings.SplitN(rest, " ", 4)
	if len(f) != 4 {
		return fmt.Errorf("a guest instruction has a line, a column, an offset and three texts")
	}
	if err := numbers(f[0]+" "+f[1], &line, &col); err != nil {
		return err
	}
	if x.Off, err = strconv.ParseInt(f[2], 10, 64); err != nil {
		return err
	}
	x.Line, x.Col, x.Open = int(line), int(col), nil
	rest = f[3]
	for _, to := range []*string{&x.Text, &x.Name, &x.Section} {
		if *to, rest, err = quoted(rest); err != nil {
			return err
		}
	}
	for rest != "" {
		var open string
		if open, rest, err = quoted(rest); err != nil {
			return err
		}
		x.Open = append(x.Open, open)
	}
	return nil
}

// inst reads an operation.
func (p *parser) inst(s string) error {
	in := Inst{Pos: p.pos, First: p.fresh}
	p.fresh = false
	var err error
	if s[0] == '@' {
		guard, rest, _ := strings.Cut(s[1:], " ")
		guard, in.GuardNot = strings.CutPrefix(guard, "!")
		if in.Guard, err = p.ref(guard); err != nil {
			return err
		}
		s = rest
	}
	if dst, rest, ok := strings.Cut(s, " = "); ok {
		a, b, two := strings.Cut(dst, "|")
		if in.Dst, err = p.ref(a); err != nil {
			return err
		}
		if two {
			if in.Dst2, err = p.ref(b); err != nil {
				return err
			}
		}
		s = rest
	}
	w := strings.Fields(s)
	if len(w) == 0 {
		return fmt.Errorf("there is no operation")
	}
	name, scalar := strings.CutPrefix(w[0], "s.")
	in.Scalar = scalar
	name, access, _ := strings.Cut(name, ".")
	op, ok := opNamed(name)
	if !ok {
		return fmt.Errorf("there is no operation %q", name)
	}
	in.Op = op
	if access != "" {
		space, size, _ := strings.Cut(access, ".")
		n, err := strconv.ParseUint(size, 10, 8)
		if err != nil {
			return fmt.Errorf("%q is no size of an access", size)
		}
		if in.Size = uint8(n); !spaceNamed(space, &in.Space) {
			return fmt.Errorf("there is no space %q", space)
		}
	}
	to, n := &in.Args, 0
	for _, w := range w[1:] {
		key, value, isAttr := strings.Cut(w, "=")
		imm, isImm := strings.CutPrefix(w, "#0x")
		switch {
		case w == "shadow":
			to, n = &in.Shadow, 0
		case isAttr:
			if err := in.attribute(key, value); err != nil {
				return err
			}
		case isImm:
			if in.Imm, err = strconv.ParseUint(imm, 16, 64); err != nil {
				return err
			}
		default:
			if n == len(to) {
				return fmt.Errorf("%s has more than %d operands", name, n)
			}
			if to[n], err = p.ref(strings.TrimSuffix(w, ",")); err != nil {
				return err
			}
			n++
		}
	}
	p.f.Code = append(p.f.Code, in)
	return nil
}

// attribute reads key=value of an operation.
func (in *Inst) attribute(key, value string) error {
	if key == "first" {
		in.First = value == "true"
		return nil
	}
	if key == "surplus" {
		in.Surplus = value == "true"
		return nil
	}
	n, err := strconv.ParseUint(value, 0, 16)
	if err != nil {
		return err
	}
	switch {
	case key == "align":
		in.Align = uint16(n)
	case key == "flags" && n < 256:
		in.Flags = Flags(n)
	case key == "order" && n < 512:
		in.Order = Order(n)
	default:
		return fmt.Errorf("an operation has no %s=%s", key, value)
	}
	return nil
}

// ref returns the value that an operand names.
func (p *parser) ref(s string) (Ref, error) {
	r, ok := p.refs[s]
	if !ok {
		return 0, fmt.Errorf("there is no value %q", s)
	}
	return r, nil
}

// opNamed returns the operation of a name.
func opNamed(name string) (Op, bool) {
	for op := range Op(NumOps) {
		if Ops[op].Name == name {
			return op, true
		}
	}
	return 0, false
}

// spaceNamed finds the space of a name.
func spaceNamed(name string, to *Space) bool {
	for s := Generic; s <= Param; s++ {
		if s.String() == name {
			*to = s
			return true
		}
	}
	return false
}

// numbers reads as many numbers of 32 bits as there are places for them.
func numbers(s string, to ...*uint32) error {
	w := strings.Fields(s)
	if len(w) != len(to) {
		return fmt.Errorf("%d numbers are expected, found %q", len(to), s)
	}
	for i, x := range w {
		n, err := strconv.ParseUint(x, 10, 32)
		if err != nil {
			return err
		}
		*to[i] = uint32(n)
	}
	return nil
}

// unquote reads a text in quotes that is all of s.
func unquote(s string, to *string) (err error) {
	*to, s, err = quoted(s)
	if err == nil && s != "" {
		err = fmt.Errorf("%q follows a text", s)
	}
	return err
}

// quoted reads a text in quotes at the start of s, and returns the rest without blanks before it.
func quoted(s string) (text, rest string, err error) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", fmt.Errorf("a text in quotes is expected, found %q", s)
	}
	if text, err = strconv.Unquote(q); err != nil {
		return "", "", err
	}
	return text, strings.TrimLeft(s[len(q):], " "), nil
}
