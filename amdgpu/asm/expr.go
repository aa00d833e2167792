package asm

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// An expr is a parsed expression of the assembly language. It is evaluated when its symbols are
// known, perhaps only at the end of the file.
type expr struct {
	op   string // "num", "sym", "." , "neg" "~" "!" "pos", a binary operator, or "call"
	num  int64
	sym  *symbol
	sect int // section of "."
	fn   string
	args []*expr
	col  int    // column in the statement
	mod  string // a suffix like @rel32@lo, after a symbol
}

// A value is the result of an expression: a number, or a place in a section plus a number, or an
// undefined symbol plus a number.
type value struct {
	off  int64
	base *symbol // undefined here, or defined in a section
	sect int     // section of ".", if base is nil and place is set
	// place reports that the value is an address in section sect (of base or of ".").
	address bool
	mod     string
	// less reports that the address lessOff in section lessSect is subtracted.
	less     bool
	lessSect int
	lessOff  int64
}

func (v value) absolute() bool { return !v.address && v.base == nil && !v.less }

// A symbol is a name of the file.
type symbol struct {
	name     string
	defined  bool
	section  int // SymbolAbsolute if it is an expression
	off      uint64
	set      *expr // expression of .set; nil: a label
	setAt    *statement
	equiv    bool // may not change
	size     *expr
	sizeAt   *statement
	boundAt  *statement // the statement .globl, .local or .weak
	bind     uint8
	bound    bool // .globl, .local or .weak was given
	typ      uint8
	vis      uint8
	index    int // in Object.Symbols, + 1
	visiting bool
	old      bool // redefined later: another symbol has the name now
	// predefined marks a symbol of every file. It is listed in the symbol table only if the file
	// sets it.
	predefined, listed bool
	now                *int64 // current value of a symbol that counts registers
}

// maxWork bounds the evaluation of all expressions of a file, in nodes.
const maxWork = 1 << 24

// maxExprDepth bounds nesting, in parentheses and through .set.
const maxExprDepth = 200

// Operators, by precedence. The order is that of LLVM's MC expressions: C's order, except that | ^
// & have one precedence, above comparison, and << >> have that of *.
var precedence = map[string]int{
	"||": 1, "&&": 2,
	"==": 3, "!=": 3, "<>": 3, "<": 3, "<=": 3, ">": 3, ">=": 3,
	"+": 4, "-": 4,
	"|": 5, "^": 5, "&": 5, "!": 5, // a ! b is a | ~b
	"*": 6, "/": 6, "%": 6, "<<": 6, ">>": 6,
}

// exprError is an error at a column of the statement.
type exprError struct {
	col int
	msg string
}

func (e *exprError) Error() string { return e.msg }

// parseExpr parses the longest expression at the cursor's position.
func (a *assembler) parseExpr(s *cursor) (*expr, *exprError) {
	return a.parseBinary(s, 1, 0)
}

// parseBinary parses operators of at least precedence min.
func (a *assembler) parseBinary(s *cursor, min, depth int) (*expr, *exprError) {
	if depth > maxExprDepth {
		return nil, &exprError{s.pos, "expression is nested too deep"}
	}
	x, err := a.parseUnary(s, depth+1)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		op := operator(s)
		p := precedence[op]
		if op == "" || p < min {
			return x, nil
		}
		if n > 1<<16 {
			return nil, &exprError{s.pos, "expression is too long"}
		}
		col := s.pos
		s.pos += len(op)
		y, err := a.parseBinary(s, p+1, depth+1)
		if err != nil {
			return nil, err
		}
		x = fold(&expr{op: op, args: []*expr{x, y}, col: col})
	}
}

// operator returns the binary operator at the cursor's position, without consuming it.
func operator(s *cursor) string {
	s.space()
	rest := s.s[s.pos:]
	for _, n := range []int{2, 1} {
		if len(rest) >= n && precedence[rest[:n]] > 0 {
			return rest[:n]
		}
	}
	return ""
}

// fold computes operations on numbers at once, which keeps trees small.
func fold(x *expr) *expr {
	for _, a := range x.args {
		if a.op != "num" {
			return x
		}
	}
	switch len(x.args) {
	case 1:
		return &expr{op: "num", num: unary(x.op, x.args[0].num), col: x.col}
	case 2:
		if n, ok := arithmetic(x.op, x.args[0].num, x.args[1].num); ok {
			return &expr{op: "num", num: n, col: x.col}
		}
	}
	return x
}

// parseUnary parses a unary operator, a number, a name or parentheses.
func (a *assembler) parseUnary(s *cursor, depth int) (*expr, *exprError) {
	if depth > maxExprDepth {
		return nil, &exprError{s.pos, "expression is nested too deep"}
	}
	c := s.peek()
	col := s.pos
	switch c {
	case '-', '+', '~', '!':
		s.pos++
		x, err := a.parseUnary(s, depth+1)
		if err != nil {
			return nil, err
		}
		if c == '+' {
			return x, nil
		}
		return fold(&expr{op: "u" + string(c), args: []*expr{x}, col: col}), nil
	case '(':
		s.pos++
		x, err := a.parseBinary(s, 1, depth+1)
		if err != nil {
			return nil, err
		}
		if !s.take(')') {
			return nil, &exprError{s.pos, "expected )"}
		}
		return x, nil
	case '\'':
		return parseChar(s)
	}
	if isDigit(c) {
		return a.parseNumber(s)
	}
	if c == '"' || isIdentStart(c) {
		return a.parseName(s, depth)
	}
	if s.pos >= len(s.s) {
		return nil, &exprError{col, "expected an expression, found the end of the line"}
	}
	return nil, &exprError{col, fmt.Sprintf("expected an expression, found %q", s.s[s.pos:s.pos+1])}
}

// parseChar parses a character literal.
func parseChar(s *cursor) (*expr, *exprError) {
	col := s.pos
	rest := s.s[s.pos:]
	if len(rest) >= 3 && rest[1] != '\\' && rest[2] == '\'' {
		s.pos += 3
		return &expr{op: "num", num: int64(rest[1]), col: col}, nil
	}
	if len(rest) >= 4 && rest[1] == '\\' && rest[3] == '\'' {
		if rest[2] == '\'' {
			s.pos += 4
			return &expr{op: "num", num: '\'', col: col}, nil
		}
		if b, bad := unquote(`"` + rest[1:3] + `"`); bad == "" && len(b) == 1 {
			s.pos += 4
			return &expr{op: "num", num: int64(b[0]), col: col}, nil
		}
	}
	return nil, &exprError{col, "expected one character between single quotes"}
}

// parseNumber parses 12, 0x1f, 0b101, 017, and the local labels 1b and 1f.
func (a *assembler) parseNumber(s *cursor) (*expr, *exprError) {
	col := s.pos
	for s.pos < len(s.s) && identByte(s.s[s.pos]) {
		s.pos++
	}
	t := s.s[col:s.pos]
	if n := len(t) - 1; n > 0 && (t[n] == 'b' || t[n] == 'f') && allDigits(t[:n]) && !(t == "0b") {
		k := a.local[t[:n]]
		if t[n] == 'f' {
			k++
		} else if k == 0 {
			return nil, &exprError{col, fmt.Sprintf("no local label %s before this line", t[:n])}
		}
		return &expr{op: "sym", sym: a.symbol(localName(t[:n], k)), col: col}, nil
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(t, "_", "?"), 0, 64)
	if err != nil {
		if allDigits(t) && t[0] == '0' {
			return nil, &exprError{col, fmt.Sprintf("%.40s is not an octal number", t)}
		}
		return nil, &exprError{col, fmt.Sprintf("%.40s is not a number of 64 bits", t)}
	}
	return &expr{op: "num", num: int64(v), col: col}, nil
}

// localName returns the name of the k-th local label of a number. No source can contain that name.
func localName(number string, k int) string { return fmt.Sprintf(".L\x00%s\x00%d", number, k) }

// parseName parses a symbol, "." or a call.
func (a *assembler) parseName(s *cursor, depth int) (*expr, *exprError) {
	col := s.pos
	quoted := s.s[s.pos] == '"'
	name := s.ident()
	switch {
	case name == "":
		return nil, &exprError{col, "string without end"}
	case name == "." && !quoted:
		return &expr{op: ".", num: int64(a.here()), sect: a.cur, col: col}, nil
	}
	if f, ok := functions[name]; ok && !quoted && s.peek() == '(' {
		return a.parseCall(s, name, f, col, depth)
	}
	sym := a.symbol(name)
	if after := s.pos < len(s.s) && s.s[s.pos] == '@'; !after {
		// A symbol that is a number now keeps that number in the expression, even if the symbol
		// changes later.
		switch {
		case sym.now != nil:
			return &expr{op: "num", num: *sym.now, col: col}, nil
		case sym.set != nil && sym.set.op == "num":
			return &expr{op: "num", num: sym.set.num, col: col}, nil
		}
	}
	x := &expr{op: "sym", sym: sym, col: col}
	for s.pos < len(s.s) && s.s[s.pos] == '@' {
		i := s.pos
		s.pos++
		for s.pos < len(s.s) && identByte(s.s[s.pos]) {
			s.pos++
		}
		x.mod += s.s[i:s.pos]
	}
	if x.mod != "" && modifierReloc(x.mod) == relocUnresolved {
		return nil, &exprError{col, fmt.Sprintf("unknown modifier %.40s", x.mod)}
	}
	return x, nil
}

// modifierReloc returns the relocation for a symbol's modifier.
func modifierReloc(mod string) uint32 {
	switch mod {
	case "@rel32@lo":
		return relocRel32Lo
	case "@rel32@hi":
		return relocRel32Hi
	case "@rel64":
		return relocRel64
	case "@abs32@lo":
		return relocAbs32Lo
	case "@abs32@hi":
		return relocAbs32Hi
	case "@gotpcrel":
		return relocGOTPC
	case "@gotpcrel32@lo":
		return relocGOTPC32Lo
	case "@gotpcrel32@hi":
		return relocGOTPC32Hi
	}
	return relocUnresolved
}

// A function of expressions; args < 0 means one or more.
type function struct {
	args int
	f    func(t *amdgpu.Target, v []int64) (int64, string)
}

// functions are the functions that compilers use to combine register counts (AMDGPUUsage, and
// LLVM's AMDGPUMCExpr).
var functions = map[string]function{
	"max": {-1, func(_ *amdgpu.Target, v []int64) (int64, string) {
		m := v[0]
		for _, x := range v[1:] {
			m = max(m, x)
		}
		return m, ""
	}},
	"or": {-1, func(_ *amdgpu.Target, v []int64) (int64, string) {
		var m int64
		for _, x := range v {
			m |= x
		}
		return m, ""
	}},
	"alignto": {2, func(_ *amdgpu.Target, v []int64) (int64, string) {
		if v[1] <= 0 {
			return 0, "alignto: the alignment is not positive"
		}
		n := uint64(v[0]) + uint64(v[1]) - 1
		return int64(n - n%uint64(v[1])), ""
	}},
	"extrasgprs": {3, func(t *amdgpu.Target, v []int64) (int64, string) {
		return extraSGPRs(t, v[0] != 0, v[1] != 0, v[2] != 0), ""
	}},
	"totalnumvgprs": {2, func(_ *amdgpu.Target, v []int64) (int64, string) { return max(v[0], v[1]), "" }},
}

// parseCall parses the arguments of a function.
func (a *assembler) parseCall(s *cursor, name string, f function, col, depth int) (*expr, *exprError) {
	s.take('(')
	x := &expr{op: "call", fn: name, col: col}
	for !s.take(')') {
		if len(x.args) > 0 && !s.take(',') {
			return nil, &exprError{s.pos, "expected , or )"}
		}
		if len(x.args) > 1000 {
			return nil, &exprError{s.pos, "too many arguments"}
		}
		y, err := a.parseBinary(s, 1, depth+1)
		if err != nil {
			return nil, err
		}
		x.args = append(x.args, y)
	}
	if len(x.args) == 0 || f.args >= 0 && len(x.args) != f.args {
		return nil, &exprError{col, fmt.Sprintf("%s has %s, expected %d", name, diag.Count(len(x.args), "argument"), max(f.args, 1))}
	}
	return x, nil
}

// symbol returns the symbol of a name, and makes it at its first mention.
func (a *assembler) symbol(name string) *symbol {
	s := a.symbols[name]
	if s == nil {
		s = &symbol{name: name, section: SymbolUndefined}
		a.symbols[name] = s
		a.order = append(a.order, s)
	}
	return s
}

// eval computes an expression with the current values. A symbol that is not defined yet evaluates
// to itself plus 0.
func (a *assembler) eval(x *expr) (value, *exprError) { return a.evalDepth(x, 0) }

// evalDepth is eval at a nesting depth.
func (a *assembler) evalDepth(x *expr, depth int) (value, *exprError) {
	if a.work++; a.work > maxWork || depth > 2*maxExprDepth {
		return value{}, &exprError{x.col, "expression is too complex"}
	}
	switch x.op {
	case "num":
		return value{off: x.num}, nil
	case ".":
		return value{off: x.num, sect: x.sect, address: true}, nil
	case "sym":
		return a.evalSymbol(x, depth)
	case "call":
		v := make([]int64, len(x.args))
		for i, y := range x.args {
			n, err := a.evalDepth(y, depth+1)
			if err == nil && !n.absolute() {
				err = &exprError{y.col, fmt.Sprintf("%s: expected a number%s", x.fn, n.because())}
			}
			if err != nil {
				return value{}, err
			}
			v[i] = n.off
		}
		n, msg := functions[x.fn].f(a.chip, v)
		if msg != "" {
			return value{}, &exprError{x.col, msg}
		}
		return value{off: n}, nil
	}
	l, err := a.evalDepth(x.args[0], depth+1)
	if err != nil {
		return value{}, err
	}
	if len(x.args) == 1 {
		if !l.absolute() {
			return value{}, &exprError{x.col, "expected a number" + l.because()}
		}
		return value{off: unary(x.op, l.off)}, nil
	}
	r, err := a.evalDepth(x.args[1], depth+1)
	if err != nil {
		return value{}, err
	}
	return combine(x, l, r)
}

// evalSymbol evaluates a symbol: its expression, its place, or itself.
func (a *assembler) evalSymbol(x *expr, depth int) (value, *exprError) {
	s := x.sym
	switch {
	case s.set != nil && x.mod == "":
		if s.visiting {
			return value{}, &exprError{x.col, s.printed() + " is defined by itself"}
		}
		s.visiting = true
		defer func() { s.visiting = false }()
		v, err := a.evalDepth(s.set, depth+1)
		if err != nil {
			return v, &exprError{x.col, err.msg}
		}
		if v.address && !v.less && v.mod == "" && s.bind != 0 && !s.old {
			s.off, v.base = uint64(v.off), s // the name is visible to a linker
		}
		return v, nil
	case s.defined && s.section >= 0:
		return value{off: int64(s.off), base: s, sect: s.section, address: true, mod: x.mod}, nil
	}
	return value{base: s, mod: x.mod}, nil
}

// because returns the reason why a value is no number.
func (v value) because() string {
	switch {
	case v.base != nil && !v.address:
		return fmt.Sprintf(": %s is undefined", v.base.printed())
	case v.base != nil:
		return fmt.Sprintf(": %s is an address", v.base.printed())
	case v.address:
		return ": . is an address"
	case v.less:
		return ": an address is subtracted"
	}
	return ""
}

// printed returns the name of the symbol as the source spells it.
func (s *symbol) printed() string {
	if rest, ok := strings.CutPrefix(s.name, ".L\x00"); ok {
		n, _, _ := strings.Cut(rest, "\x00")
		return "local label " + n
	}
	return fmt.Sprintf("symbol %.60s", s.name)
}

// combine applies a binary operator.
func combine(x *expr, l, r value) (value, *exprError) {
	switch {
	case l.absolute() && r.absolute():
		n, ok := arithmetic(x.op, l.off, r.off)
		if !ok {
			return value{}, &exprError{x.col, "division by zero"}
		}
		return value{off: n}, nil
	case x.op == "+" && r.absolute():
		l.off += r.off
		return l, nil
	case x.op == "+" && l.absolute():
		r.off += l.off
		return r, nil
	case x.op == "-" && r.absolute():
		l.off -= r.off
		return l, nil
	case x.op == "-" && l.address && r.address && l.sect == r.sect && l.mod == "" && r.mod == "" && !l.less && !r.less:
		return value{off: l.off - r.off}, nil
	case l.address && r.address && l.sect == r.sect && l.mod == "" && r.mod == "":
		if n, ok := compare(x.op, l.off, r.off); ok {
			return value{off: n}, nil
		}
	case !l.address && !r.address && l.base == r.base && x.op == "-" && l.mod == r.mod && !l.less && !r.less:
		return value{off: l.off - r.off}, nil
	}
	if x.op == "-" && r.address && r.mod == "" && l.mod == "" && !l.less && !r.less {
		l.less, l.lessSect, l.lessOff = true, r.sect, r.off
		return l, nil
	}
	why := l.because()
	if l.absolute() || r.base != nil && !r.address {
		why = r.because()
	}
	return value{}, &exprError{x.col, fmt.Sprintf("%s needs numbers, or two addresses of one section%s", x.op, why)}
}

// unary applies a unary operator.
func unary(op string, v int64) int64 {
	switch op {
	case "u-":
		return -v
	case "u~":
		return ^v
	case "u!":
		return truth(v == 0)
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// arithmetic applies an operator to numbers of 64 bits, which wrap. Comparisons return -1 for true,
// as in LLVM and GNU as; && and || return 1.
func arithmetic(op string, l, r int64) (int64, bool) {
	switch op {
	case "+":
		return l + r, true
	case "-":
		return l - r, true
	case "*":
		return l * r, true
	case "/", "%":
		switch {
		case r == 0:
			return 0, false
		case r == -1 && op == "/":
			return -l, true
		case r == -1:
			return 0, true
		case op == "/":
			return l / r, true
		}
		return l % r, true
	case "|":
		return l | r, true
	case "^":
		return l ^ r, true
	case "&":
		return l & r, true
	case "!":
		return l | ^r, true
	case "<<":
		if r < 0 || r > 63 {
			return 0, true
		}
		return l << r, true
	case ">>":
		if r < 0 || r > 63 {
			return 0, true
		}
		return int64(uint64(l) >> r), true
	case "&&":
		return truth(l != 0 && r != 0), true
	case "||":
		return truth(l != 0 || r != 0), true
	}
	return compare(op, l, r)
}

// compare applies a comparison.
func compare(op string, l, r int64) (int64, bool) {
	var b bool
	switch op {
	case "==":
		b = l == r
	case "!=", "<>":
		b = l != r
	case "<":
		b = l < r
	case "<=":
		b = l <= r
	case ">":
		b = l > r
	case ">=":
		b = l >= r
	default:
		return 0, false
	}
	return -truth(b), true
}
