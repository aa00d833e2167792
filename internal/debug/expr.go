package debug

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"example.org/crosslane/internal/value"
)

// Expressions over the lanes of a warp or wave.
//
//	%r6  v3  vcc  v[0:1]     a register, one value for each lane
//	%r6[4]  %r6[0..7]        of one lane, of some lanes
//	%r6:f32                  its bits as those of another type
//	out[3]  shared[0x40]:u32 an element of memory; the index may be another one in each lane, as in out[lane]
//	lane  step               the number of the lane, the step
//	any(…) all(…) sum(…) min(…) max(…) count(…) undefined(…)
//
// with the operators of C, their precedence, and numbers as Crosslane writes them. Integers have 64 bits, and are
// unsigned unless a negative one is among the operands.

// kind is the kind of a number of a lane.
type kind uint8

const (
	unsigned kind = iota
	signed
	float
)

// number is the value of one lane; u holds integers, f floats.
type number struct {
	kind kind
	u    uint64
	f    float64
}

func (n number) float() float64 {
	switch n.kind {
	case float:
		return n.f
	case signed:
		return float64(int64(n.u))
	}
	return float64(n.u)
}

func (n number) truth() bool { return n.kind == float && n.f != 0 || n.kind != float && n.u != 0 }

// vector has a number for each of its lanes.
type vector struct {
	lanes     uint64
	scalar    bool // one number, that all lanes have: n[0]
	n         [64]number
	undefined uint64     // lanes with an undefined bit
	typ       value.Type // of bits, if the numbers are those of a register or of memory; "": they are computed
	bits      [64]uint64
}

func constant(n number) *vector {
	return &vector{lanes: math.MaxUint64, scalar: true, n: [64]number{n}}
}

func truth(b bool) number {
	if b {
		return number{u: 1}
	}
	return number{}
}

func (v *vector) at(lane int) number {
	if v.scalar {
		return v.n[0]
	}
	return v.n[lane]
}

// setBits makes the number of a lane from its bits.
func (v *vector) setBits(lane int, b uint64) {
	v.bits[lane] = b
	switch t := v.typ; {
	case !t.Valid():
		v.n[lane] = number{u: b}
	case t.Kind() == value.Float:
		v.n[lane] = number{kind: float, f: value.Float64(t, b)}
	case strings.HasPrefix(string(t), "s"):
		shift := 64 - 8*t.Size()
		v.n[lane] = number{kind: signed, u: uint64(int64(b<<shift) >> shift)}
	default:
		v.n[lane] = number{u: b}
	}
}

// env is the state that an expression reads.
type env interface {
	register(name string) (*vector, error) // nil: there is none of that name
	// element reads an element of memory for each lane of index.
	element(memory string, index *vector, as value.Type) (*vector, error)
	hasMemory(name string) bool
	lanes() uint64 // that act
	step() int
}

// node is an expression that has been parsed.
type node func(e env) (*vector, error)

type parser struct {
	text  string
	rest  string
	depth int
}

// parse reads an expression.
func parse(text string) (node, error) {
	p := &parser{text: text, rest: text}
	n, err := p.binary(0)
	if err == nil && p.peek() != "" {
		err = fmt.Errorf("%q is not expected there", p.peek())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return n, nil
}

// levels are the operators of two operands, from the loosest on.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// maxDepth limits the parentheses in an expression.
const maxDepth = 200

// peek returns the next token: an operator, a number, a name, or "" at the end.
func (p *parser) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest == "" {
		return ""
	}
	for _, op := range []string{"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", ".."} {
		if strings.HasPrefix(p.rest, op) {
			return op
		}
	}
	n := 0
	if p.rest[0] == '%' && len(p.rest) > 1 && isWord(p.rest[1]) && !digit(p.rest[1]) {
		n = 1
	}
	for n < len(p.rest) && (isWord(p.rest[n]) || n > 0 && p.rest[n] == '.' && !strings.HasPrefix(p.rest[n:], "..")) {
		n++
	}
	if n > 2 && digit(p.rest[0]) && strings.ContainsRune("eE", rune(p.rest[n-1])) && n < len(p.rest) && strings.ContainsRune("+-", rune(p.rest[n])) && !strings.HasPrefix(p.rest, "0x") {
		for n++; n < len(p.rest) && digit(p.rest[n]); n++ {
		}
	}
	return p.rest[:max(n, 1)]
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (p *parser) take() string {
	t := p.peek()
	p.rest = p.rest[len(t):]
	return t
}

func (p *parser) expect(t string) error {
	if got := p.take(); got != t {
		if got == "" {
			return fmt.Errorf("%q is missing at the end", t)
		}
		return fmt.Errorf("found %q where %q belongs", got, t)
	}
	return nil
}

func (p *parser) binary(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		op := ""
		for _, o := range levels[level] {
			if p.peek() == o {
				op = o
			}
		}
		if op == "" {
			return left, nil
		}
		p.take()
		var right node
		if right, err = p.binary(level + 1); err == nil {
			left = combine(op, left, right)
		}
	}
	return nil, err
}

func (p *parser) unary() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch op := p.peek(); op {
	case "-", "!", "~":
		p.take()
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		return each(x, func(n number) number {
			switch {
			case op == "!":
				return truth(!n.truth())
			case n.kind == float:
				return number{kind: float, f: -n.f}
			case op == "~":
				return number{kind: n.kind, u: ^n.u}
			}
			return number{kind: signed, u: -n.u}
		}), nil
	case "(":
		p.take()
		x, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return x, p.expect(")")
	}
	return p.operand()
}

func (p *parser) operand() (node, error) {
	t := p.take()
	switch {
	case t == "":
		return nil, fmt.Errorf("it ends too early")
	case digit(t[0]):
		n, err := parseNumber(t)
		if err != nil {
			return nil, err
		}
		return func(env) (*vector, error) { return constant(n), nil }, nil
	case t == "lane":
		return func(e env) (*vector, error) {
			v := &vector{lanes: e.lanes()}
			for i := range v.n {
				v.n[i].u = uint64(i)
			}
			return v, nil
		}, nil
	case t == "step":
		return func(e env) (*vector, error) { return constant(number{u: uint64(e.step())}), nil }, nil
	case t[0] != '%' && !isWord(t[0]):
		return nil, fmt.Errorf("%q is not expected there", t)
	case p.peek() == "(":
		return p.call(t)
	}
	return p.named(t)
}

func parseNumber(t string) (number, error) {
	if u, err := strconv.ParseUint(t, 0, 64); err == nil {
		return number{u: u}, nil
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil {
		return number{}, fmt.Errorf("%q is not a number", t)
	}
	return number{kind: float, f: f}, nil
}

// named reads the text after the name of a register or a memory: [4], [0..7], [0:1], :f32.
func (p *parser) named(name string) (node, error) {
	from, to := -1, -1
	var index node
	if p.peek() == "[" {
		p.take()
		before := p.rest
		a, errA := strconv.Atoi(p.peek())
		if errA == nil {
			p.take()
			switch p.peek() {
			case ":": // a register of two: v[0:1]
				p.take()
				b := p.take()
				if err := p.expect("]"); err != nil {
					return nil, err
				}
				return p.named(fmt.Sprintf("%s[%d:%s]", name, a, b))
			case "..":
				p.take()
				b, err := strconv.Atoi(p.take())
				if err != nil || b < a || b > 63 {
					return nil, fmt.Errorf("lanes of %s are FROM..TO, from 0 to 63", name)
				}
				from, to = a, b
			}
		}
		if from < 0 {
			p.rest = before
			var err error
			if index, err = p.binary(0); err != nil {
				return nil, err
			}
		}
		if err := p.expect("]"); err != nil {
			return nil, err
		}
	}
	as := value.Type("")
	if p.peek() == ":" {
		p.take()
		if as = value.Type(p.take()); !as.Valid() {
			return nil, fmt.Errorf("%q is no element type (known: %s)", as, value.TypeNames())
		}
	}
	return func(e env) (*vector, error) { return read(e, name, from, to, index, as) }, nil
}

// read is the value of a name, with lanes or an index if it has some.
func read(e env, name string, from, to int, index node, as value.Type) (*vector, error) {
	v, err := e.register(name)
	if err != nil {
		return nil, err
	}
	if v == nil {
		switch {
		case !e.hasMemory(name):
			return nil, fmt.Errorf("there is no register, buffer or function %s", name)
		case index == nil:
			return nil, fmt.Errorf("%s is memory: an element is %s[INDEX]", name, name)
		}
		i, err := index(e)
		if err != nil {
			return nil, err
		}
		return e.element(name, i, as)
	}
	if as != "" {
		c := *v
		v, c.typ = &c, as
		for i := range v.bits {
			v.setBits(i, v.bits[i]&(math.MaxUint64>>(64-8*as.Size())))
		}
	}
	if index != nil {
		i, err := index(e)
		if err != nil {
			return nil, err
		}
		n := i.n[bits.TrailingZeros64(i.lanes|1<<63)%64]
		if !i.scalar && i.lanes&(i.lanes-1) != 0 {
			return nil, fmt.Errorf("the lane of %s has to be one number", name)
		}
		if n.kind == float || n.u > 63 {
			return nil, fmt.Errorf("a lane of %s is a number from 0 to 63", name)
		}
		from, to = int(n.u), int(n.u)
	}
	if from < 0 || v.scalar {
		return v, nil
	}
	c := *v
	c.lanes &= math.MaxUint64 >> (63 - to) &^ (1<<from - 1)
	if from == to {
		if c.lanes == 0 {
			return nil, fmt.Errorf("%s has no lane %d", name, from)
		}
		one := &vector{lanes: math.MaxUint64, scalar: true, n: [64]number{v.n[from]}, typ: v.typ, bits: [64]uint64{v.bits[from]}}
		if v.undefined>>from&1 != 0 {
			one.undefined = math.MaxUint64
		}
		return one, nil
	}
	return &c, nil
}

// call reads the operands of a function.
func (p *parser) call(name string) (node, error) {
	p.take()
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	fold := folds[name]
	if fold == nil {
		return nil, fmt.Errorf("there is no function %s (there are any, all, sum, min, max, count, undefined)", name)
	}
	return func(e env) (*vector, error) {
		v, err := x(e)
		if err != nil {
			return nil, err
		}
		if name == "undefined" {
			out := &vector{lanes: v.lanes, scalar: v.scalar}
			for i := range out.n {
				out.n[i] = truth(v.undefined>>i&1 != 0)
			}
			return out, nil
		}
		lanes := v.lanes & e.lanes()
		out := constant(fold(v, lanes))
		if v.undefined&lanes != 0 && lanes != 0 {
			out.undefined = math.MaxUint64
		}
		return out, nil
	}, nil
}

// folds make one number of those of the lanes that act.
var folds = map[string]func(v *vector, lanes uint64) number{
	"any":       func(v *vector, lanes uint64) number { return truth(count(v, lanes) > 0) },
	"all":       func(v *vector, lanes uint64) number { return truth(count(v, lanes) == bits.OnesCount64(lanes)) },
	"count":     func(v *vector, lanes uint64) number { return number{u: uint64(count(v, lanes))} },
	"undefined": func(*vector, uint64) number { return number{} },
	"sum": func(v *vector, lanes uint64) number {
		return foldTwo(v, lanes, func(a, b number) number { return apply("+", a, b) })
	},
	"min": func(v *vector, lanes uint64) number {
		return foldTwo(v, lanes, func(a, b number) number {
			if less(b, a) {
				return b
			}
			return a
		})
	},
	"max": func(v *vector, lanes uint64) number {
		return foldTwo(v, lanes, func(a, b number) number {
			if less(a, b) {
				return b
			}
			return a
		})
	},
}

func count(v *vector, lanes uint64) (n int) {
	for m := lanes; m != 0; m &= m - 1 {
		if v.at(bits.TrailingZeros64(m)).truth() {
			n++
		}
	}
	return n
}

func foldTwo(v *vector, lanes uint64, f func(a, b number) number) (out number) {
	first := true
	for m := lanes; m != 0; m &= m - 1 {
		n := v.at(bits.TrailingZeros64(m))
		if first {
			out, first = n, false
			continue
		}
		out = f(out, n)
	}
	return out
}

// each applies a function to every lane.
func each(x node, f func(number) number) node {
	return func(e env) (*vector, error) {
		v, err := x(e)
		if err != nil {
			return nil, err
		}
		out := &vector{lanes: v.lanes, scalar: v.scalar, undefined: v.undefined}
		for i := range out.n {
			out.n[i] = f(v.n[i])
		}
		return out, nil
	}
}

// combine applies an operator to every lane that both operands have.
func combine(op string, left, right node) node {
	return func(e env) (*vector, error) {
		a, err := left(e)
		if err != nil {
			return nil, err
		}
		b, err := right(e)
		if err != nil {
			return nil, err
		}
		out := &vector{lanes: a.lanes & b.lanes, scalar: a.scalar && b.scalar, undefined: a.undefined | b.undefined}
		for i := range out.n {
			out.n[i] = apply(op, a.at(i), b.at(i))
			if out.scalar {
				break
			}
		}
		return out, nil
	}
}

func less(a, b number) bool { return apply("<", a, b).u != 0 }

// apply is a operator b. Division by zero gives zero: a condition is not an error.
func apply(op string, a, b number) number {
	switch op {
	case "||":
		return truth(a.truth() || b.truth())
	case "&&":
		return truth(a.truth() && b.truth())
	case "!=":
		return truth(apply("==", a, b).u == 0)
	case ">":
		return apply("<", b, a)
	case "<=":
		if a.float() != a.float() || b.float() != b.float() {
			return number{}
		}
		return truth(apply("<", b, a).u == 0)
	case ">=":
		return apply("<=", b, a)
	}
	if a.kind == float || b.kind == float {
		x, y := a.float(), b.float()
		switch op {
		case "==":
			return truth(x == y)
		case "<":
			return truth(x < y)
		case "+":
			return number{kind: float, f: x + y}
		case "-":
			return number{kind: float, f: x - y}
		case "*":
			return number{kind: float, f: x * y}
		case "/":
			return number{kind: float, f: x / y}
		case "%":
			return number{kind: float, f: math.Mod(x, y)}
		}
		a, b = number{u: uint64(int64(x))}, number{u: uint64(int64(y))}
	}
	k := max(a.kind, b.kind) // signed if one is
	switch op {
	case "==":
		return truth(a.u == b.u && (a.kind == b.kind || int64(a.u) >= 0))
	case "<":
		negA, negB := a.kind == signed && int64(a.u) < 0, b.kind == signed && int64(b.u) < 0
		if negA != negB {
			return truth(negA)
		}
		return truth(a.u < b.u)
	case "|":
		return number{k, a.u | b.u, 0}
	case "^":
		return number{k, a.u ^ b.u, 0}
	case "&":
		return number{k, a.u & b.u, 0}
	case "<<":
		return number{a.kind, a.u << min(b.u, 64), 0}
	case ">>":
		if a.kind == signed {
			return number{signed, uint64(int64(a.u) >> min(b.u, 63)), 0}
		}
		return number{a.kind, a.u >> min(b.u, 64), 0}
	case "+":
		return number{k, a.u + b.u, 0}
	case "-":
		if a.u < b.u {
			k = signed
		}
		return number{k, a.u - b.u, 0}
	case "*":
		return number{k, a.u * b.u, 0}
	}
	if b.u == 0 {
		return number{}
	}
	if k == signed {
		x, y := int64(a.u), int64(b.u)
		if op == "/" {
			return number{signed, uint64(x / y), 0}
		}
		return number{signed, uint64(x % y), 0}
	}
	if op == "/" {
		return number{k, a.u / b.u, 0}
	}
	return number{k, a.u % b.u, 0}
}
