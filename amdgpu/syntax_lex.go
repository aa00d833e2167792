package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
)

// synErr is an error at a column of the text, 0-based.
type synErr struct {
	col    int
	code   string
	msg    string
	remedy string
}

// errorf makes an error with the code "bad-operand".
func errorf(col int, format string, args ...any) *synErr {
	return &synErr{col: col, code: "bad-operand", msg: fmt.Sprintf(format, args...)}
}

// try adds a remedy to the error.
func (e *synErr) try(format string, args ...any) *synErr {
	e.remedy = fmt.Sprintf(format, args...)
	return e
}

// as sets the error's code.
func (e *synErr) as(code string) *synErr { e.code = code; return e }

// scanner reads an instruction's text.
type scanner struct {
	s   string
	pos int
}

func (sc *scanner) space() {
	for sc.pos < len(sc.s) && (sc.s[sc.pos] == ' ' || sc.s[sc.pos] == '\t') {
		sc.pos++
	}
}

// peek returns the next byte after spaces, 0 at the end.
func (sc *scanner) peek() byte {
	sc.space()
	if sc.pos < len(sc.s) {
		return sc.s[sc.pos]
	}
	return 0
}

// take consumes t if it is next.
func (sc *scanner) take(t string) bool {
	sc.space()
	if strings.HasPrefix(sc.s[sc.pos:], t) {
		sc.pos += len(t)
		return true
	}
	return false
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdent(c byte) bool { return isIdentStart(c) || isDigit(c) || c == '@' }

// ident returns the next identifier, without consuming it.
func (sc *scanner) ident() string {
	sc.space()
	if sc.pos >= len(sc.s) || !isIdentStart(sc.s[sc.pos]) {
		return ""
	}
	e := sc.pos
	for e < len(sc.s) && isIdent(sc.s[e]) {
		e++
	}
	return sc.s[sc.pos:e]
}

// after returns the byte that follows the next n bytes and spaces.
func (sc *scanner) after(n int) byte {
	t := *sc
	t.pos += n
	return t.peek()
}

// number scans an integer or floating-point number that no letter follows. It returns "" if there
// is none.
func (sc *scanner) number() (text string, float bool) {
	sc.space()
	s := sc.s[sc.pos:]
	if s == "" || !isDigit(s[0]) && !(s[0] == '.' && len(s) > 1 && isDigit(s[1])) {
		return "", false
	}
	hex := len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
	i := 0
	if hex {
		i = 2
	}
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c), hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'):
		case c == '.':
			float = true
		case !hex && (c == 'e' || c == 'E') && i+1 < len(s) && (isDigit(s[i+1]) || (s[i+1] == '-' || s[i+1] == '+') && i+2 < len(s) && isDigit(s[i+2])),
			hex && (c == 'p' || c == 'P'):
			float = true
			if i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '+') {
				i++
			}
		case i == 1 && s[0] == '0' && (c == 'b' || c == 'B' || c == 'o'):
		default:
			return s[:i], float
		}
	}
	return s, float
}

// parseInt parses an integer of the assembly language: decimal, 0x, 0b, 0o or 0
// for octal, or a character. Values from 2^63 to 2^64-1 wrap.
func parseInt(t string) (int64, bool) {
	if len(t) == 3 && t[0] == '\'' && t[2] == '\'' {
		return int64(t[1]), true
	}
	v, err := strconv.ParseUint(t, 0, 64)
	if err != nil || strings.Contains(t, "_") {
		return 0, false
	}
	return int64(v), true
}

// binaryOps are the operators that can continue an expression.
func binaryOps() []string {
	return []string{"<<", ">>", "&&", "||", "==", "!=", "<>", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!"}
}

// expr scans the extent of an expression: terms joined by operators. An expression inside |…| ends
// at the bar. It returns "" if there is none.
func (sc *scanner) expr(inAbs bool) string {
	sc.space()
	start := sc.pos
	for {
		if !sc.term() {
			sc.pos = start
			return ""
		}
		end := sc.pos
		if sc.peek() == '|' && inAbs || !sc.binary() {
			sc.pos = end
			return sc.s[start:end]
		}
	}
}

func (sc *scanner) binary() bool {
	for _, op := range binaryOps() {
		if sc.take(op) {
			return true
		}
	}
	return false
}

// term scans one term: signs, then a number, a symbol, or parentheses.
func (sc *scanner) term() bool {
	for sc.peek() != 0 && strings.IndexByte("-+~!", sc.peek()) >= 0 {
		sc.pos++
	}
	switch c := sc.peek(); {
	case c == '(':
		return sc.parens()
	case c == '\'' && len(sc.s)-sc.pos >= 3 && sc.s[sc.pos+2] == '\'':
		sc.pos += 3
		return true
	case isDigit(c):
		t, _ := sc.number()
		sc.pos += len(t)
		// A local label: 1b, 1f.
		if sc.pos < len(sc.s) && (sc.s[sc.pos] == 'b' || sc.s[sc.pos] == 'f') {
			sc.pos++
		}
		return sc.pos >= len(sc.s) || !isIdent(sc.s[sc.pos])
	case isIdentStart(c):
		sc.pos += len(sc.ident())
		return true
	case c == '"':
		if end := strings.IndexByte(sc.s[sc.pos+1:], '"'); end >= 0 {
			sc.pos += end + 2
			return true
		}
	case c == '\\':
		sc.pos++
		return sc.term()
	}
	return false
}

// parens consumes a balanced parenthesis.
func (sc *scanner) parens() bool {
	depth := 0
	for ; sc.pos < len(sc.s); sc.pos++ {
		switch sc.s[sc.pos] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				sc.pos++
				return true
			}
		}
	}
	return false
}

// word returns the text at the scanner, for an error message.
func (sc *scanner) word() string {
	sc.space()
	e := sc.pos
	for e < len(sc.s) && sc.s[e] != ',' && sc.s[e] != ' ' && sc.s[e] != '\t' {
		e++
	}
	if e == sc.pos {
		e = min(e+1, len(sc.s))
	}
	if e == sc.pos {
		return "the end"
	}
	return strconv.Quote(sc.s[sc.pos:e])
}
