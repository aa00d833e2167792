package asm

import (
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// A macro is a .macro definition.
type macro struct {
	name   string
	params []param
	body   string
	file   string
	line   int // line of the body's first line
	uses   int // number of uses so far: \+
}

type param struct {
	name, def        string
	required, vararg bool
}

// A cond is an open .if.
type cond struct {
	at    *statement
	taken bool // a branch was taken
	skip  bool // this branch is not assembled
	outer bool // the .if itself stands in a skipped branch
	els   bool // .else was seen
}

// A reader yields the statements of one text.
type reader struct {
	src  string
	file string
	line int
	from *frame
	semi bool
	own  bool // the source file itself, not text that a macro made
	// Statements that a semicolon separates share a line. whole is its text, taken the number of
	// its bytes that are consumed.
	text  string
	taken int
}

// next returns the next statement that is not empty, or nil at the end.
func (r *reader) next(a *assembler) *statement {
	for len(r.src) > 0 {
		st, rest, n, bad := nextLine(r.src, r.semi)
		st.file, st.line, st.from = r.file, r.line, r.from
		if r.taken > 0 {
			st.source, st.col = r.text, st.col+r.taken
		}
		r.text, r.taken = st.source, r.taken+len(r.src)-len(rest)
		if n > 0 {
			r.taken = 0
		}
		r.src = rest
		r.line += n
		if bad != "" {
			a.errorf(st, 0, CodeSyntax, "%s", bad)
		}
		if strings.TrimSpace(st.text) != "" {
			return st
		}
	}
	return nil
}

// text assembles the statements of a file.
func (a *assembler) text(src, file string) {
	a.read(&reader{src: src, file: file, line: 1, semi: a.opt.Semicolons, own: true})
}

// read assembles the statements of a reader.
func (a *assembler) read(r *reader) {
	for !a.ended && (r.from == nil || !r.from.exit) {
		st := r.next(a)
		if st == nil {
			return
		}
		if !r.own {
			a.steps++
		}
		if a.steps > maxStatements {
			a.limit(st, "more than %d statements of repetitions, macros and included files", maxStatements)
		}
		a.statement(st, r)
	}
}

// block consumes the raw text up to the directive that ends it, which is not included. Nested
// blocks of the same kind are skipped. It returns the line of the first line.
func (a *assembler) block(st *statement, r *reader, begin []string, end ...string) (body string, first int, ok bool) {
	start := r.src
	first = r.line
	depth := 0
	for {
		left := len(r.src)
		x := r.next(a)
		if x == nil {
			a.errorf(st, 0, CodeDirective, "%s without %s", firstWord(st.text), end[0])
			return "", first, false
		}
		word := firstWord(x.text)
		switch {
		case has(begin, word):
			depth++
		case has(end, word) && depth > 0:
			depth--
		case has(end, word):
			// The previous statement may have ended on an earlier line. So the text is cut at the
			// line of the end directive, which next consumed last.
			body = start[:len(start)-left]
			tail := start[len(start)-left : len(start)-len(r.src)]
			if i := strings.Index(tail, word); i > 0 {
				body += strings.TrimRight(tail[:i], " \t")
			}
			return body, first, true
		}
	}
}

func firstWord(s string) string {
	s = strings.TrimLeft(s, " \t\r")
	if i := strings.IndexAny(s, " \t\r,"); i >= 0 {
		return s[:i]
	}
	return s
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// defineMacro handles .macro NAME [PARAM[:req|:vararg][=DEFAULT]]…
func (a *assembler) defineMacro(st *statement, s *cursor, r *reader) {
	col := s.pos
	name := s.ident()
	m := &macro{name: name, file: r.file}
	s.take(',')
	for name != "" && !s.end() {
		p := param{}
		c := s.pos
		if p.name = s.ident(); p.name == "" {
			a.errorf(st, c, CodeDirective, ".macro %s: expected the name of a parameter", name)
			break
		}
		if n := len(m.params); n > 0 && m.params[n-1].vararg {
			a.errorf(st, c, CodeDirective, ".macro %s: parameter %s stands after a vararg", name, p.name)
		}
		if s.take(':') {
			switch q := s.ident(); q {
			case "req":
				p.required = true
			case "vararg":
				p.vararg = true
			default:
				a.errorf(st, c, CodeDirective, ".macro %s: parameter %s: found :%s, expected :req or :vararg", name, p.name, q)
			}
		}
		if s.take('=') {
			p.def = macroArg(s, false)
			if p.required {
				a.warnf(st, c, ".macro %s: parameter %s has a default value, which its :req makes useless", name, p.name)
			}
		}
		m.params = append(m.params, p)
		s.take(',')
	}
	var ok bool
	if m.body, m.line, ok = a.block(st, r, []string{".macro"}, ".endm", ".endmacro"); !ok {
		return
	}
	if name == "" {
		a.errorf(st, col, CodeDirective, ".macro: expected a name")
		return
	}
	if a.macros[name] != nil {
		a.errorf(st, col, CodeDirective, "macro %s is defined twice", name)
		return
	}
	a.macros[name] = m
}

// macroArg consumes one argument: up to a comma or blank outside parentheses. Blanks beside an
// operator inside parentheses are dropped, and so are quotes around a string.
func macroArg(s *cursor, vararg bool) string {
	s.space()
	if vararg {
		t := s.rest()
		s.pos = len(s.s)
		return t
	}
	var b strings.Builder
	for depth := 0; s.pos < len(s.s); {
		c := s.s[s.pos]
		switch {
		case c == '"':
			i := s.pos
			s.pos = stringEnd(s.s, i)
			t := s.s[i:s.pos]
			b.WriteString(strings.TrimSuffix(t[1:], `"`))
			continue
		case c == ',' && depth == 0:
			return b.String()
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
		case isSpace(c) && depth == 0:
			s.space()
			if s.pos >= len(s.s) {
				return b.String()
			}
			prev := byte(0)
			if n := b.Len(); n > 0 {
				prev = b.String()[n-1]
			}
			if !argOperator(s.s[s.pos:]) && strings.IndexByte(argOperators+"=", prev) < 0 {
				return b.String()
			}
			continue
		}
		b.WriteByte(c)
		s.pos++
	}
	return b.String()
}

// argOperators are the operators of one byte that keep an argument together although a blank is
// beside them. % is not among them, as in LLVM: m %1 %2 has two arguments.
const argOperators = "+-*/&|^<>~!"

func argOperator(s string) bool {
	return strings.IndexByte(argOperators, s[0]) >= 0 || strings.HasPrefix(s, "==")
}

// expandMacro assembles a use of a macro.
func (a *assembler) expandMacro(m *macro, st *statement, s *cursor) {
	args := make([]string, len(m.params))
	given := make([]bool, len(m.params))
	named := false
	for i := 0; !s.end(); i++ {
		k := i
		s.space()
		col := s.pos
		if name := s.ident(); name != "" && s.peek() == '=' && !strings.HasPrefix(s.s[s.pos:], "==") {
			s.pos++
			if k = m.param(name); k < 0 {
				a.errorf(st, col, CodeDirective, "macro %s has no parameter %s", m.name, name)
				return
			}
			named = true
		} else {
			s.pos = col
			if named {
				a.errorf(st, col, CodeDirective, "macro %s: an argument without a name stands after one with a name", m.name)
				return
			}
		}
		if k >= len(m.params) {
			a.errorf(st, col, CodeDirective, "macro %s takes %s", m.name, diag.Count(len(m.params), "argument"))
			return
		}
		before := s.pos
		text, err := a.macroArg(s, m.params[k].vararg)
		if err != nil {
			a.errorf(st, err.col, CodeDirective, "macro %s: %s", m.name, err.msg)
			return
		}
		args[k] = text
		given[k] = args[k] != "" || strings.Contains(s.s[before:s.pos], `"`)
		s.take(',')
	}
	for i, p := range m.params {
		if !given[i] {
			if p.required {
				a.errorf(st, 0, CodeDirective, "macro %s: no argument for parameter %s, which is required", m.name, p.name)
				return
			}
			args[i] = p.def
		}
	}
	n := a.counter
	a.counter++
	m.uses++
	body := a.substitute(st, m.body, m.params, args, n, m.uses-1)
	a.expand(st, "macro "+m.name, body, m.file, m.line)
}

func (m *macro) param(name string) int {
	for i, p := range m.params {
		if p.name == name {
			return i
		}
	}
	return -1
}

// macroArg is the function macroArg with the additions of .altmacro: %EXPR is the value of the
// expression, and <TEXT> is a text, in which ! escapes the next byte.
func (a *assembler) macroArg(s *cursor, vararg bool) (string, *exprError) {
	if !a.altmacro || vararg {
		return macroArg(s, vararg), nil
	}
	switch s.peek() {
	case '%':
		s.pos++
		x, err := a.parseExpr(s)
		var v value
		if err == nil {
			v, err = a.eval(x)
		}
		if err == nil && !v.absolute() {
			err = &exprError{x.col, "% needs a number" + v.because()}
		}
		return strconv.FormatInt(v.off, 10), err
	case '<':
		var b strings.Builder
		for i := s.pos + 1; i < len(s.s); i++ {
			switch c := s.s[i]; {
			case c == '>':
				s.pos = i + 1
				return b.String(), nil
			case c == '!' && i+1 < len(s.s):
				i++
			}
			b.WriteByte(s.s[i])
		}
		return "", &exprError{s.pos, "< without >"}
	}
	return macroArg(s, false), nil
}

// substitute replaces \param by its argument, \@ by the number of the use, \+ by the number of the
// use of this macro or repetition, and \() by nothing.
func (a *assembler) substitute(st *statement, body string, params []param, args []string, counter, nth int) string {
	if strings.IndexByte(body, '\\') < 0 && !a.altmacro {
		return body
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(body, '\\')
		if a.altmacro {
			if body = bareParams(&b, body, params, args, i); body == "" || body[0] != '\\' {
				break
			}
			i = 0
		}
		if i < 0 || i+1 >= len(body) {
			break
		}
		b.WriteString(body[:i])
		body = body[i+1:]
		switch {
		case body[0] == '@' && counter >= 0:
			b.WriteString(strconv.Itoa(counter))
			body = body[1:]
			continue
		case body[0] == '+':
			b.WriteString(strconv.Itoa(nth))
			body = body[1:]
			continue
		case strings.HasPrefix(body, "()"):
			body = body[2:]
			continue
		}
		j := 0
		for j < len(body) && identByte(body[j]) {
			j++
		}
		k := -1
		for n, p := range params {
			if p.name == body[:j] {
				k = n
			}
		}
		if k < 0 {
			b.WriteByte('\\')
			continue
		}
		b.WriteString(args[k])
		body = body[j:]
		if b.Len() > maxExpanded {
			a.limit(st, "an expansion has more than %d bytes", maxExpanded)
		}
	}
	b.WriteString(body)
	return b.String()
}

// bareParams consumes the text up to the backslash at i, or all of it, and replaces the bare names
// of parameters by arguments, for .altmacro. An & after a name is dropped.
func bareParams(b *strings.Builder, body string, params []param, args []string, i int) string {
	if i < 0 {
		i = len(body)
	}
	for k := 0; k < i; {
		n := k
		for n < i && identByte(body[n]) {
			n++
		}
		if n == k {
			b.WriteByte(body[k])
			k++
			continue
		}
		word := body[k:n]
		k = n
		for j, p := range params {
			if p.name == word {
				word = args[j]
				if k < i && body[k] == '&' {
					k++
				}
				break
			}
		}
		b.WriteString(word)
	}
	return body[i:]
}

// expand assembles the text that a macro or repetition makes, and reports whether .exitm ended it.
func (a *assembler) expand(st *statement, name, body, file string, line int) (exit bool) {
	depth := 1
	if st.from != nil {
		depth = st.from.depth + 1
	}
	if depth > maxNesting {
		what := "macros"
		if strings.HasPrefix(name, "file ") {
			what = "files and macros"
		}
		a.limit(st, "%s are nested more than %d deep", what, maxNesting)
	}
	if a.expanded += len(body); a.expanded > maxExpanded {
		a.limit(st, "macros and repetitions make more than %d bytes", maxExpanded)
	}
	f := &frame{name: name, use: st, depth: depth, conds: len(a.conds)}
	a.frames = append(a.frames, f)
	a.read(&reader{src: body, file: file, line: line, from: f, semi: a.opt.Semicolons})
	a.frames = a.frames[:len(a.frames)-1]
	if len(a.conds) > f.conds {
		if !f.exit && !a.gaveUp() {
			a.errorf(a.conds[len(a.conds)-1].at, 0, CodeDirective, ".if without .endif in %s", name)
		}
		a.conds = a.conds[:f.conds]
	}
	return f.exit
}

// repeat handles .rept, .irp and .irpc: it assembles the body once for each value.
func (a *assembler) repeat(st *statement, s *cursor, r *reader, kind string) {
	var values []string
	var params []param
	n := int64(0)
	switch kind {
	case ".rept":
		n = a.number(st, s, kind)
	default:
		col := s.pos
		name := s.ident()
		if name == "" {
			a.errorf(st, col, CodeDirective, "%s: expected the name of a parameter", kind)
		}
		params = []param{{name: name}}
		s.take(',')
		if kind == ".irpc" {
			for _, c := range macroArg(s, false) {
				values = append(values, string(c))
			}
			break
		}
		for !s.end() {
			values = append(values, macroArg(s, false))
			s.take(',')
		}
	}
	body, line, ok := a.block(st, r, []string{".rept", ".rep", ".irp", ".irpc"}, ".endr")
	if !ok {
		return
	}
	if n < 0 {
		a.errorf(st, 0, CodeDirective, ".rept: the count %d is negative", n)
		return
	}
	if n > maxStatements {
		a.limit(st, ".rept: the count %d is more than %d", n, maxStatements)
	}
	exit := false // .exitm ends all repetitions
	for i := 0; i < int(n) && !exit; i++ {
		if a.steps++; a.steps > maxStatements {
			a.limit(st, "more than %d statements, of repetitions, macros and included files", maxStatements)
		}
		text := body
		if strings.Contains(body, `\+`) {
			text = a.substitute(st, body, nil, nil, -1, i)
		}
		exit = a.expand(st, kind, text, r.file, line)
	}
	for i, v := range values {
		if exit {
			break
		}
		exit = a.expand(st, kind, a.substitute(st, body, params, []string{v}, -1, i), r.file, line)
	}
}

// condition handles the .if family. It is called in skipped branches too.
func (a *assembler) condition(st *statement, s *cursor, name string) {
	top := len(a.conds) - 1
	base := 0
	if st.from != nil {
		base = st.from.conds
	}
	switch name {
	case ".endif", ".else", ".elseif":
		if top < base {
			a.errorf(st, 0, CodeDirective, "%s without .if", name)
			return
		}
		c := &a.conds[top]
		if name != ".endif" && c.els {
			a.errorf(st, 0, CodeDirective, "%s after .else", name)
		}
		switch name {
		case ".endif":
			a.conds = a.conds[:top]
		case ".else":
			c.els = true
			c.skip = c.outer || c.taken
			c.taken = true
		case ".elseif":
			c.skip = c.outer || c.taken
			if !c.skip {
				c.taken = a.number(st, s, name) != 0
				c.skip = !c.taken
			}
		}
		return
	}
	if len(a.conds) > 10000 {
		a.limit(st, ".if is nested more than 10000 deep")
	}
	c := cond{at: st, outer: a.skipping()}
	if !c.outer {
		c.taken = a.test(st, s, name)
	}
	c.skip = c.outer || !c.taken
	a.conds = append(a.conds, c)
}

func (a *assembler) skipping() bool {
	return len(a.conds) > 0 && a.conds[len(a.conds)-1].skip
}

// test evaluates the condition of an .if.
func (a *assembler) test(st *statement, s *cursor, name string) bool {
	switch name {
	case ".ifdef", ".ifndef", ".ifnotdef":
		col := s.pos
		id := s.ident()
		if id == "" {
			a.errorf(st, col, CodeDirective, "%s: expected a symbol", name)
			return false
		}
		x := a.symbols[id]
		known := x != nil && (x.defined || x.set != nil || x.now != nil)
		a.ifdefV2 = a.ifdefV2 || !known && slices.Contains(symbolsV2, id)
		return known == (name == ".ifdef")
	case ".ifb":
		return s.rest() == ""
	case ".ifnb":
		return s.rest() != ""
	case ".ifc", ".ifnc":
		start := s.skip()
		for s.pos < len(s.s) && s.s[s.pos] != ',' {
			if s.s[s.pos] == '"' {
				s.pos = stringEnd(s.s, s.pos)
			} else {
				s.pos++
			}
		}
		l := strings.TrimSpace(s.s[start:s.pos])
		if !s.take(',') {
			a.errorf(st, s.pos, CodeDirective, "%s: expected two texts and a comma between them", name)
			return false
		}
		return (l == s.rest()) == (name == ".ifc")
	case ".ifeqs", ".ifnes":
		l, bad := a.stringArg(s)
		col := s.pos
		if bad == "" && !s.take(',') {
			bad = "expected a comma"
		}
		if bad == "" {
			col = s.skip()
			var r []byte
			if r, bad = a.stringArg(s); bad == "" {
				a.done(st, s, name)
				return (string(l) == string(r)) == (name == ".ifeqs")
			}
		}
		a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
		return false
	}
	v := a.number(st, s, name)
	switch name {
	case ".ifeq":
		return v == 0
	case ".ifge":
		return v >= 0
	case ".ifgt":
		return v > 0
	case ".ifle":
		return v <= 0
	case ".iflt":
		return v < 0
	}
	return v != 0 // .if, .ifne
}
