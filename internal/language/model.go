package language

import (
	"example.org/crosslane/ptx"
)

// A statementKind is the kind of a statement.
type statementKind uint8

const (
	instruction statementKind = iota
	declaration               // of registers, parameters or variables
	directive
	label
	other // text that is none of these: metadata, the body of a section
)

// A statement is one instruction, declaration, directive or label.
type statement struct {
	kind     statementKind
	from, to int // tokens; a semicolon is included
	op       int // the token of the mnemonic or of the directive; -1: none
	opTo     int // the token after the opcode
	args     []argument
	fn       int    // index into Document.funcs; -1: outside
	scope    *scope // of a statement in a function of PTX
	writes   []bool // by argument, for instructions
}

// An argument is the tokens of one operand, without commas.
type argument struct{ from, to int }

// A function is a kernel or a function with its text.
type function struct {
	name      int // token
	kernel    bool
	from, to  int // tokens of its text, from the first word of its declaration
	open, end int // tokens of the braces; -1: none
	params    []*symbol
	sym       *symbol
}

// A symbolKind is the kind of a symbol.
type symbolKind uint8

const (
	symRegister symbolKind = iota
	symFamily              // %r<N>
	symParam
	symVariable
	symLabel
	symFunction
	symKernel
	symConstant // .set
	symMacro
)

// String names the kind, for people.
func (k symbolKind) String() string {
	return [...]string{"register", "registers", "parameter", "variable", "label", "function", "kernel", "constant", "macro"}[k]
}

// A symbol is a register, a label or another part of a program that has a name.
type symbol struct {
	kind  symbolKind
	name  string
	decl  int     // the token of the name in its declaration; -1: the machine has it
	stmt  int     // the statement that declares it; -1: none
	typ   string  // "b32"; "" if it has none
	space string  // "shared"; ""
	dims  string  // "[128]"
	count uint64  // of a family
	of    *symbol // the family of a member
	scope *scope
	fn    int // -1: none
	refs  []reference
}

// A reference is a place where the text names a symbol.
type reference struct {
	tok    int
	to     int // the last token, for v[0:1]
	stmt   int
	writes bool
	reads  bool
}

// A scope maps names to symbols, between two braces of PTX.
type scope struct {
	parent   *scope
	names    map[string]*symbol
	families []*symbol
	fn       int
}

func newScope(parent *scope, fn int) *scope {
	return &scope{parent: parent, names: map[string]*symbol{}, fn: fn}
}

// moduleFacts are those of the head of a module of PTX.
type moduleFacts struct {
	version ptx.Version
	target  ptx.Target
}

// addSymbol enters a symbol and returns it.
func (d *Document) addSymbol(s *symbol) *symbol {
	d.syms = append(d.syms, s)
	return s
}

// refer notes that tokens name a symbol.
func (d *Document) refer(s *symbol, r reference) {
	s.refs = append(s.refs, r)
}

// link fills the tables by token. It is called when everything is read.
func (d *Document) link() {
	d.symOf = make([]int32, len(d.toks))
	d.stmtOf = make([]int32, len(d.toks))
	for i := range d.stmtOf {
		d.stmtOf[i] = -1
	}
	for i := range d.stmts {
		for t := d.stmts[i].from; t < d.stmts[i].to && t < len(d.toks); t++ {
			d.stmtOf[t] = int32(i)
		}
	}
	for i, s := range d.syms {
		if s.decl >= 0 {
			d.symOf[s.decl] = int32(i + 1)
		}
		for _, r := range s.refs {
			for t := r.tok; t <= r.to; t++ {
				if d.symOf[t] == 0 {
					d.symOf[t] = int32(i + 1)
				}
			}
		}
	}
}

// symbolAt returns the symbol that a token names; nil if it names none.
func (d *Document) symbolAt(tok int) *symbol {
	if tok < 0 || tok >= len(d.symOf) || d.symOf[tok] == 0 {
		return nil
	}
	return d.syms[d.symOf[tok]-1]
}

// statementAt returns the statement of a token; nil if there is none.
func (d *Document) statementAt(tok int) *statement {
	if tok < 0 || tok >= len(d.stmtOf) || d.stmtOf[tok] < 0 {
		return nil
	}
	return &d.stmts[d.stmtOf[tok]]
}

// fromTo returns the bytes of tokens, from one to the one before another.
func (d *Document) fromTo(from, to int) (int, int) {
	if to <= from {
		return d.toks[from].from, d.toks[from].from
	}
	return d.toks[from].from, d.toks[to-1].to
}

// parts returns the opcode of an instruction of PTX, split at its dots.
func (d *Document) parts(s *statement) []string {
	if s.op < 0 {
		return nil
	}
	parts := []string{d.tok(s.op)}
	for t := s.op + 1; t < s.opTo; t++ {
		parts = append(parts, d.tok(t)[1:])
	}
	return parts
}

// source returns the text of a statement on one line, without comments and without its semicolon.
func (d *Document) source(s *statement) string {
	var b []byte
	for t := s.from; t < s.to; t++ {
		if text := d.tok(t); text == ";" || d.toks[t].kind == tokLine {
			continue
		}
		if t > s.from && d.toks[t-1].to != d.toks[t].from {
			b = append(b, ' ')
		}
		b = append(b, d.tok(t)...)
	}
	return string(b)
}
