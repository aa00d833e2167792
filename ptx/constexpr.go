package ptx

import (
	"fmt"
	"math"
)

// A constant is the value of a constant expression (PTX 4.5.4): a 64-bit integer, signed or
// unsigned, or a double. It may also be a literal single, which cannot be an operand of an
// expression.
type constant struct {
	val      uint64 // the integer, or the bits of the float
	unsigned bool
	float    bool
	single   bool
	warp     bool // WARP_SZ alone
	pos      Pos
}

// String formats a constant as PTX text that evaluates to it.
func (c constant) String() string {
	switch {
	case c.single:
		return fmt.Sprintf("0f%08X", c.val)
	case c.float:
		return fmt.Sprintf("0d%016X", c.val)
	case c.warp:
		return "WARP_SZ"
	case c.unsigned:
		return formatUnsigned(c.val)
	}
	return formatSigned(int64(c.val))
}

// formatUnsigned writes an integer of type .u64. Large values have the type by their magnitude,
// small ones need the suffix.
func formatUnsigned(v uint64) string {
	if v > math.MaxInt64 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprintf("%dU", v)
}

// formatSigned writes an integer of type .s64. The magnitude of the least one is a .u64, so it
// needs a cast.
func formatSigned(v int64) string {
	if v == math.MinInt64 {
		return "(.s64)0x8000000000000000"
	}
	return fmt.Sprint(v)
}

// The precedences of binary operators, PTX Table 4; a larger number binds more strongly.
const (
	precOr = 1 + iota
	precAnd
	precBitOr
	precBitXor
	precBitAnd
	precEqual
	precOrder
	precShift
	precAdd
	precMul
)

var precedence = map[tokKind]int{
	tOrOr: precOr, tAndAnd: precAnd, '|': precBitOr, '^': precBitXor, '&': precBitAnd,
	tEq: precEqual, tNe: precEqual, '<': precOrder, '>': precOrder, tLe: precOrder, tGe: precOrder,
	tShl: precShift, tShr: precShift, '+': precAdd, '-': precAdd, '*': precMul, '/': precMul, '%': precMul,
}

// constExpr reads and evaluates a constant expression.
func (p *parser) constExpr() constant {
	if !p.enter() {
		return constant{}
	}
	defer p.leave()
	c := p.binary(precOr)
	if p.tok.kind != '?' || p.bad {
		return c
	}
	p.integer1(c, "the condition of ?:")
	p.advance()
	a := p.constExpr()
	p.want(':', "':'")
	b := p.constExpr()
	if p.bad {
		return c
	}
	// Errata E135: both values have to be integers, and the result has the type of the chosen one.
	p.integer1(a, "a value of ?:")
	p.integer1(b, "a value of ?:")
	r := b
	if c.val != 0 {
		r = a
	}
	r.warp, r.pos = false, c.pos
	return r
}

// constInt reads a constant expression that has to be an integer.
func (p *parser) constInt() constant {
	c := p.constExpr()
	if !p.bad && c.float {
		p.fail(c.pos, "bad-literal", "found floating-point number %s, expected an integer", c)
	}
	return c
}

// plain reads a number or WARP_SZ, in places that accept no expression.
func (p *parser) plain() constant {
	if p.tok.kind != tInt && (p.tok.kind != tIdent || p.text(p.tok) != "WARP_SZ") {
		p.expected("a number")
		return constant{}
	}
	return p.unary()
}

func (p *parser) integer1(c constant, what string) {
	if !p.bad && c.float {
		p.fail(c.pos, "bad-literal", "found floating-point number %s, expected an integer as %s", c, what)
	}
}

// binary reads operators that bind at least as strongly as prec.
func (p *parser) binary(prec int) constant {
	a := p.unary()
	for !p.bad {
		if p.tok.kind == tIdent && p.src[p.tok.pos.Off] == '%' {
			p.fail(p.tok.pos, "syntax", "found name %s, expected an operator: a remainder has a blank after its percent sign", p.text(p.tok))
			break
		}
		q, ok := precedence[p.tok.kind]
		if !ok || q < prec {
			break
		}
		op := p.tok
		p.advance()
		b := p.binary(q + 1)
		if p.bad {
			break
		}
		a = p.apply(op, a, b)
	}
	return a
}

// unary reads a unary expression: operators, literals and parentheses.
func (p *parser) unary() constant {
	t := p.tok
	c := constant{pos: t.pos}
	if p.bad {
		return c
	}
	switch t.kind {
	case tInt:
		p.advance()
		c.val, c.unsigned = t.val, t.unsigned
		if t.cut {
			p.m.beyond(t.pos, "4.5.1", "an integer constant has more than 64 bits, of which the low ones count")
		}
	case tFloat:
		p.advance()
		c.val, c.float, c.single = t.val, true, t.single
	case tIdent:
		if p.text(t) != "WARP_SZ" {
			p.expected("a constant")
			return c
		}
		p.advance()
		// PTX 4.5.1: 32 on every target to date.
		c.val, c.warp = 32, true
	case '(':
		return p.parenthesis()
	case '+', '-', '!', '~':
		if !p.enter() {
			return c
		}
		defer p.leave()
		p.advance()
		return p.applyUnary(t, p.unary())
	default:
		p.expected("a constant")
	}
	return c
}

// parenthesis reads (expression) or a cast, (.s64) or (.u64).
func (p *parser) parenthesis() constant {
	if !p.enter() {
		return constant{}
	}
	defer p.leave()
	p.advance()
	if p.tok.kind == tDot {
		cast := p.text(p.tok)
		if cast != ".s64" && cast != ".u64" {
			p.expected("a cast to .s64 or .u64")
			return constant{}
		}
		p.advance()
		p.want(')', "')'")
		c := p.unary()
		p.integer1(c, "the operand of a cast")
		c.unsigned, c.warp = cast == ".u64", false
		return c
	}
	c := p.constExpr()
	p.want(')', "')'")
	c.warp = false
	return c
}

func boolInt(b bool) constant {
	if b {
		return constant{val: 1}
	}
	return constant{}
}

// applyUnary computes the unary operators, the first lines of PTX Table 5.
func (p *parser) applyUnary(op token, a constant) constant {
	a.warp = false
	if p.bad {
		return a
	}
	if a.single {
		p.fail(op.pos, "bad-literal", "found %s before a 0f number, which takes no part in constant expressions (PTX 4.5.2)", p.text(op))
		return a
	}
	if a.float && op.kind != '+' && op.kind != '-' {
		p.integer1(a, "the operand of "+p.text(op))
		return a
	}
	pos := a.pos
	switch op.kind {
	case '-':
		if a.float {
			a.val ^= 1 << 63
		} else {
			a.val = -a.val
		}
	case '!':
		a = boolInt(a.val == 0)
	case '~':
		a.val, a.unsigned = ^a.val, true
	}
	a.pos = pos
	return a
}

// apply computes the binary operators, the further lines of PTX Table 5.
func (p *parser) apply(op token, a, b constant) (r constant) {
	defer func() { r.pos = a.pos }()
	a.warp, b.warp = false, false
	if a.single || b.single {
		p.fail(op.pos, "bad-literal", "0f numbers may not be used in constant expressions (PTX 4.5.2)")
		return a
	}
	if a.float != b.float {
		p.fail(op.pos, "bad-literal", "%s has an integer and a floating-point operand", p.text(op))
		return a
	}
	if a.float {
		return p.applyFloat(op, a, b)
	}
	x, y := a.val, b.val
	u := a.unsigned || b.unsigned // the usual arithmetic conversions
	r.unsigned = u
	switch op.kind {
	case '+':
		r.val = x + y
	case '-':
		r.val = x - y
	case '*':
		r.val = x * y
	case '/', '%':
		if y == 0 {
			p.fail(b.pos, "bad-literal", "division by zero in a constant expression")
			return a
		}
		switch {
		case op.kind == '%':
			// The operands are read as unsigned, and the result is signed.
			r.val, r.unsigned = x%y, false
		case u:
			r.val = x / y
		default:
			r.val = uint64(int64(x) / int64(y))
		}
	case tShl:
		r.unsigned = a.unsigned
		// Errata E130: the vendor's assembler uses the amount modulo 64.
		r.val = x << (y & 63)
	case tShr:
		r.unsigned = a.unsigned
		if a.unsigned {
			r.val = x >> (y & 63)
		} else {
			r.val = uint64(int64(x) >> (y & 63))
		}
	case '&':
		// Errata: PTX 4.5.5 gives & | ^ the converted type, Table 5 gives them .u64. Crosslane uses
		// the converted type, as C and 4.5.5 do.
		r.val = x & y
	case '|':
		r.val = x | y
	case '^':
		r.val = x ^ y
	case tAndAnd:
		return boolInt(x != 0 && y != 0)
	case tOrOr:
		return boolInt(x != 0 || y != 0)
	case tEq:
		return boolInt(x == y)
	case tNe:
		return boolInt(x != y)
	case '<', '>', tLe, tGe:
		cmp := 0
		switch less := x < y; {
		case x == y:
		case !u:
			cmp = 1
			if int64(x) < int64(y) {
				cmp = -1
			}
		case less:
			cmp = -1
		default:
			cmp = 1
		}
		return boolInt(ordered(op.kind, cmp < 0, cmp == 0))
	}
	return r
}

// ordered evaluates < > <= >= from the facts whether a is less than b and equal to b.
func ordered(op tokKind, less, equal bool) bool {
	switch op {
	case '<':
		return less
	case tLe:
		return less || equal
	case '>':
		return !less && !equal
	}
	return !less
}

// applyFloat computes a binary operator on two doubles. Comparisons yield integers.
func (p *parser) applyFloat(op token, a, b constant) constant {
	x, y := math.Float64frombits(a.val), math.Float64frombits(b.val)
	var z float64
	switch op.kind {
	case '+':
		z = x + y
	case '-':
		z = x - y
	case '*':
		z = x * y
	case '/':
		if y == 0 {
			p.fail(b.pos, "bad-literal", "division by zero in a constant expression")
		}
		z = x / y
	case tEq:
		return boolInt(x == y)
	case tNe:
		return boolInt(x != y)
	case '<':
		return boolInt(x < y)
	case '>':
		return boolInt(x > y)
	case tLe:
		return boolInt(x <= y)
	case tGe:
		return boolInt(x >= y)
	default:
		p.fail(op.pos, "bad-literal", "%s has floating-point operands, expected integers", p.text(op))
		return a
	}
	return constant{val: math.Float64bits(z), float: true}
}

// addend reads + and the constant expression that is added to a name; 0 if there is none. A name
// cannot be followed by a minus (PTX 6.4.1).
func (p *parser) addend() int64 {
	if p.tok.kind == '-' && !p.bad {
		p.fail(p.tok.pos, "syntax", "found '-' after a name, expected '+': an offset below zero is written +-4")
	}
	if !p.got('+') {
		return 0
	}
	c := p.constExpr()
	p.integer1(c, "an offset")
	return int64(c.val)
}

// setConst makes the operand a constant.
func (o *Operand) setConst(c constant) {
	o.Kind = KindInt
	if c.float {
		o.Kind = KindFloat
	}
	o.Val, o.Unsigned, o.Single = c.val, c.unsigned, c.single
	if c.warp {
		o.Name = "WARP_SZ"
	}
}
