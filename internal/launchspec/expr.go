package launchspec

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// Limits of an expression: its nesting, and the bits of its numbers.
const (
	maxExprDepth = 64
	maxExprBits  = 256
)

// An expr is a size that follows other values of a launch: ceil(n/block), 4*block.
type Expr struct {
	text string
	root *exprNode
}

// exprNode is a number, a name (op 'n'), a function (op 'f') or an operation.
type exprNode struct {
	op    byte
	name  string
	value *big.Rat
	args  []*exprNode
}

// functions are those of expressions, with the least number of arguments and the most; 0: any.
var functions = map[string][2]int{"ceil": {1, 1}, "floor": {1, 1}, "min": {1, 0}, "max": {1, 0}}

var exprToken = regexp.MustCompile(`^\s*(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,18}(?:\.[0-9]{1,18})?|[A-Za-z_$%][\w$%.]*|[-+*/%(),])`)

// ParseExpr reads numbers, names, + - * / %, parentheses, ceil, floor, min and max. Division is
// exact: ceil and floor round.
func ParseExpr(s string) (*Expr, error) {
	p := exprParser{rest: s}
	root, err := p.sum(0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("%s is not expected", input.Quoted(strings.TrimSpace(p.rest)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Quoted(s), err)
	}
	return &Expr{strings.TrimSpace(s), root}, nil
}

type exprParser struct{ rest string }

func (p *exprParser) peek() string {
	m := exprToken.FindStringSubmatch(p.rest)
	if m == nil {
		return ""
	}
	return m[1]
}

func (p *exprParser) take() string {
	m := exprToken.FindStringSubmatch(p.rest)
	if m == nil {
		return ""
	}
	p.rest = p.rest[len(m[0]):]
	return m[1]
}

func (p *exprParser) sum(depth int) (*exprNode, error) { return p.binary(depth, "+-", p.product) }

func (p *exprParser) product(depth int) (*exprNode, error) { return p.binary(depth, "*/%", p.unary) }

func (p *exprParser) binary(depth int, ops string, operand func(int) (*exprNode, error)) (*exprNode, error) {
	x, err := operand(depth)
	for err == nil {
		t := p.peek()
		if t == "" || !strings.Contains(ops, t) {
			break
		}
		p.take()
		var y *exprNode
		if y, err = operand(depth); err == nil {
			x = &exprNode{op: t[0], args: []*exprNode{x, y}}
		}
	}
	return x, err
}

func (p *exprParser) unary(depth int) (*exprNode, error) {
	if depth > maxExprDepth {
		return nil, fmt.Errorf("it is more than %d deep", maxExprDepth)
	}
	t := p.take()
	switch {
	case t == "":
		if strings.TrimSpace(p.rest) == "" {
			return nil, errors.New("it ends too early")
		}
		return nil, fmt.Errorf("%s is not expected", input.Quoted(strings.TrimSpace(p.rest)))
	case t == "-":
		x, err := p.unary(depth + 1)
		return &exprNode{op: '-', args: []*exprNode{{value: new(big.Rat)}, x}}, err
	case t == "(":
		x, err := p.sum(depth + 1)
		if err == nil && p.take() != ")" {
			err = errors.New("a parenthesis is not closed")
		}
		return x, err
	case t[0] >= '0' && t[0] <= '9':
		v, ok := new(big.Rat).SetString(t)
		if !ok {
			return nil, fmt.Errorf("%s is not a number", input.Quoted(t))
		}
		return &exprNode{value: v}, nil
	case strings.Contains("+*/%),", t):
		return nil, fmt.Errorf("%s is not expected", input.Quoted(t))
	case p.peek() != "(":
		return &exprNode{op: 'n', name: t}, nil
	}
	return p.call(t, depth)
}

func (p *exprParser) call(name string, depth int) (*exprNode, error) {
	limits, ok := functions[name]
	if !ok {
		return nil, fmt.Errorf("there is no function %s (there are ceil, floor, min and max)", input.Quoted(name))
	}
	p.take()
	n := &exprNode{op: 'f', name: name}
	for {
		x, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, x)
		switch t := p.take(); {
		case t == ")" && limits[1] > 0 && len(n.args) > limits[1]:
			return nil, fmt.Errorf("%s takes %s", name, diag.Count(limits[1], "value"))
		case t == ")":
			return n, nil
		case t != ",":
			return nil, errors.New("a parenthesis is not closed")
		}
	}
}

// eval computes it. names gives the values of names.
func (e *Expr) eval(names func(string) (*big.Rat, error)) (*big.Rat, error) {
	v, err := e.root.eval(names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.text, err)
	}
	return v, nil
}

// Names are those that it mentions.
func (e *Expr) Names() []string {
	var list []string
	var look func(n *exprNode)
	look = func(n *exprNode) {
		if n.op == 'n' {
			list = append(list, n.name)
		}
		for _, a := range n.args {
			look(a)
		}
	}
	look(e.root)
	return list
}

// size is its value as a number from least to most.
func (e *Expr) size(names func(string) (*big.Rat, error), least, most uint64) (uint64, error) {
	v, err := e.eval(names)
	switch {
	case err != nil:
		return 0, err
	case !v.IsInt():
		f, _ := v.Float64()
		return 0, fmt.Errorf("%s is %.6g: it has to be a whole number; ceil and floor round", e.text, f)
	case !v.Num().IsUint64() || v.Num().Uint64() < least || v.Num().Uint64() > most:
		if v.Sign() == 0 && least == 1 {
			return 0, fmt.Errorf("%s is 0, and an empty launch is not made: max(1,%s) is at least 1", e.text, e.text)
		}
		return 0, fmt.Errorf("%s is %s; it has to be from %d to %d", e.text, v.Num(), least, most)
	}
	return v.Num().Uint64(), nil
}

func (n *exprNode) eval(names func(string) (*big.Rat, error)) (*big.Rat, error) {
	switch n.op {
	case 0:
		return n.value, nil
	case 'n':
		return names(n.name)
	}
	v := make([]*big.Rat, len(n.args))
	for i, a := range n.args {
		var err error
		if v[i], err = a.eval(names); err != nil {
			return nil, err
		}
	}
	r := new(big.Rat)
	switch n.op {
	case '+':
		r.Add(v[0], v[1])
	case '-':
		r.Sub(v[0], v[1])
	case '*':
		r.Mul(v[0], v[1])
	case '/', '%':
		if v[1].Sign() == 0 {
			return nil, errors.New("a division by 0")
		}
		r.Quo(v[0], v[1])
		if n.op == '%' { // the remainder of a division whose quotient is rounded down
			r.Sub(v[0], new(big.Rat).Mul(v[1], floor(r)))
		}
	case 'f':
		r = apply(n.name, v)
	}
	if r.Num().BitLen() > maxExprBits || r.Denom().BitLen() > maxExprBits {
		return nil, errors.New("it exceeds any size")
	}
	return r, nil
}

func apply(name string, v []*big.Rat) *big.Rat {
	switch name {
	case "floor":
		return floor(v[0])
	case "ceil":
		r := floor(new(big.Rat).Neg(v[0]))
		return r.Neg(r)
	}
	best := v[0]
	for _, x := range v[1:] {
		if c := x.Cmp(best); name == "max" && c > 0 || name == "min" && c < 0 {
			best = x
		}
	}
	return best
}

// floor is the greatest integer that is not above x.
func floor(x *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom())) // Euclidean, by a positive number
}
