package language

import (
	"strconv"
	"strings"
	"sync"

	"example.org/crosslane/ptx"
)

// A ptxReader makes statements and symbols of the tokens of PTX. It accepts every text: a statement that
// lacks its end stops where the next one clearly begins.
type ptxReader struct {
	*Document
	at      int
	module  *scope
	pending []pendingName
	byName  map[string]*symbol // functions
	known   map[string]bool    // mnemonics
	roles   map[rolesKey]*ptx.Roles
}

// A rolesKey is an opcode with a number of operands.
type rolesKey struct {
	op   string
	args int
}

// rolesOf is ptx.RolesOf of an instruction. A text repeats few opcodes many times.
func (r *ptxReader) rolesOf(s *statement) (ptx.Roles, bool) {
	if s.op < 0 {
		return ptx.Roles{}, false
	}
	from, to := r.fromTo(s.op, s.opTo)
	key := rolesKey{r.text.text[from:to], len(s.args)}
	known, seen := r.roles[key]
	if !seen {
		if roles, ok := ptx.RolesOf(r.parts(s), len(s.args)); ok {
			known = &roles
		}
		r.roles[key] = known
	}
	if known == nil {
		return ptx.Roles{}, false
	}
	return *known, true
}

// A pendingName is a word that is looked up when all declarations are known.
type pendingName struct {
	tok, stmt     int
	scope         *scope
	writes, reads bool
	anywhere      bool // a label of any function: the text of a section
}

// spaceWords are the directives that declare registers, parameters or variables.
var spaceWords = map[string]bool{".reg": true, ".param": true, ".shared": true, ".local": true, ".global": true, ".const": true,
	".tex": true, ".sreg": true, ".surf": true}

// headWords begin a declaration of the module. They end the body of a function that lacks its brace.
var headWords = map[string]bool{".entry": true, ".func": true, ".visible": true, ".extern": true, ".weak": true, ".common": true,
	".version": true, ".address_size": true}

// mnemonics returns those of PTX. They are collected once.
var mnemonics = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, m := range ptx.Mnemonics() {
		known[m.Name] = true
	}
	return known
})

func (d *Document) readPTX() {
	s := newScanner(d.text.text)
	s.scanPTX()
	d.toks, d.comments = s.toks, s.comments
	r := &ptxReader{Document: d, module: newScope(nil, -1), byName: map[string]*symbol{}, known: mnemonics(), roles: map[rolesKey]*ptx.Roles{}}
	r.stmts, r.pending = make([]statement, 0, len(d.toks)/7), make([]pendingName, 0, len(d.toks)/4)
	r.items()
	r.resolve()
	d.link()
}

// startsLine reports whether a token is the first one of its line.
func (r *ptxReader) startsLine(i int) bool {
	return i == 0 || strings.Contains(r.text.text[r.toks[i-1].to:r.toks[i].from], "\n")
}

// word returns the text of the token that is next; "" at the end.
func (r *ptxReader) word() string {
	if r.at < len(r.toks) {
		return r.tok(r.at)
	}
	return ""
}

// items reads the declarations and directives of the module.
func (r *ptxReader) items() {
	linkage := -1
	for r.at < len(r.toks) {
		from := r.at
		if linkage >= 0 {
			from = linkage
		}
		switch w := r.word(); {
		case w == ".visible" || w == ".extern" || w == ".weak" || w == ".common":
			if linkage < 0 {
				linkage = r.at
			}
			r.at++
			continue
		case w == ".entry" || w == ".func":
			r.function(from, w == ".entry")
		case spaceWords[w]:
			r.declare(from, r.module, -1)
		case w == ".section":
			r.section(-1, r.module)
		case r.toks[r.at].kind == tokDot || w == "@":
			r.directive(-1, r.module)
		case w == "{": // a function without its head
			r.at++
			r.body(newScope(r.module, -1), -1)
		default:
			r.at++
		}
		linkage = -1
	}
}

// directive reads a directive that ends at its semicolon or with its line.
func (r *ptxReader) directive(fn int, in *scope) {
	s := statement{kind: directive, from: r.at, op: r.at, opTo: r.at + 1, fn: fn, scope: in}
	name := r.word()
	r.at++
	ends := !lineDirective[name] // with a semicolon
	for r.at < len(r.toks) && r.word() != "}" && r.word() != "{" {
		if r.word() == ";" {
			r.at++
			break
		}
		if r.startsLine(r.at) && (!ends || r.begins()) && !r.is(r.at-1, ",") {
			break
		}
		r.at++
	}
	s.to = r.at
	s.args = r.arguments(s.opTo, s.to)
	r.stmts = append(r.stmts, s)
	switch name {
	case ".version":
		if s.opTo < s.to {
			v := strings.Split(r.tok(s.opTo), ".")
			if len(v) == 2 {
				r.Document.module.version.Major, _ = strconv.Atoi(v[0])
				r.Document.module.version.Minor, _ = strconv.Atoi(v[1])
			}
		}
	case ".target":
		for _, a := range s.args {
			if t, ok := ptx.ParseTarget(r.tok(a.from)); ok {
				r.Document.module.target = t
				break
			}
		}
	default:
		r.names(len(r.stmts)-1, s.opTo, s.to, in, true, false)
	}
}

// lineDirective holds the directives that end with their line.
var lineDirective = map[string]bool{".version": true, ".target": true, ".address_size": true, ".file": true, ".loc": true, "@": true,
	".maxntid": true, ".reqntid": true, ".minnctapersm": true, ".maxnctapersm": true, ".maxnreg": true, ".noreturn": true}

// begins reports whether a statement begins at the token that is next, which is the first one of its line.
func (r *ptxReader) begins() bool {
	w := r.word()
	switch {
	case w == "@" || w == "}" || headWords[w] || spaceWords[w]:
		return true
	case r.toks[r.at].kind != tokWord || w[0] == '%':
		return false
	case r.is(r.at+1, ":"):
		return true
	}
	return r.known[w] && (r.adjacent(r.at) && r.toks[r.at+1].kind == tokDot || r.is(r.at+1, ";"))
}

// section reads .section with its braces. Its words may be labels of any function.
func (r *ptxReader) section(fn int, in *scope) {
	s := statement{kind: other, from: r.at, op: r.at, opTo: r.at + 1, fn: fn, scope: in}
	for r.at < len(r.toks) && r.word() != "{" && r.word() != ";" {
		r.at++
	}
	for r.at < len(r.toks) {
		w := r.word()
		if w == "}" {
			r.at++
			break
		}
		if headWords[w] && r.startsLine(r.at) {
			break
		}
		if r.toks[r.at].kind == tokWord {
			r.pending = append(r.pending, pendingName{tok: r.at, stmt: len(r.stmts), scope: in, reads: true, anywhere: true})
		}
		r.at++
	}
	s.to = r.at
	r.stmts = append(r.stmts, s)
}

// function reads .entry or .func.
func (r *ptxReader) function(from int, kernel bool) {
	fn := len(r.funcs)
	f := function{name: -1, kernel: kernel, from: from, open: -1, end: -1}
	r.funcs = append(r.funcs, f)
	in := newScope(r.module, fn)
	st := len(r.stmts)
	r.stmts = append(r.stmts, statement{kind: directive, from: from, op: r.at, opTo: r.at + 1, fn: fn, scope: in})
	r.at++
	if r.word() == "(" {
		f.params = append(f.params, r.parameters(in, fn, st)...)
	}
	if r.at < len(r.toks) && r.toks[r.at].kind == tokWord && !(r.startsLine(r.at) && r.begins()) {
		f.name = r.at
		f.sym = r.functionSymbol(r.at, kernel, st, fn)
		r.at++
	}
	if r.word() == "(" {
		f.params = append(f.params, r.parameters(in, fn, st)...)
	}
	for r.at < len(r.toks) && r.word() != "{" && r.word() != ";" && r.word() != "}" && !(headWords[r.word()] && r.startsLine(r.at)) {
		r.at++
	}
	r.stmts[st].to = r.at
	switch r.word() {
	case ";":
		r.at++
		r.stmts[st].to = r.at
	case "{":
		f.open = r.at
		r.at++
		f.end = r.body(in, fn)
	}
	f.to = r.at
	r.funcs[fn] = f
}

// functionSymbol declares a function. Several declarations of a name are one symbol, whose place is that of the
// last one.
func (r *ptxReader) functionSymbol(tok int, kernel bool, st, fn int) *symbol {
	name := r.tok(tok)
	if s := r.byName[name]; s != nil {
		r.refer(s, reference{tok: s.decl, to: s.decl, stmt: s.stmt})
		s.decl, s.stmt, s.fn = tok, st, fn
		return s
	}
	kind := symFunction
	if kernel {
		kind = symKernel
	}
	s := r.addSymbol(&symbol{kind: kind, name: name, decl: tok, stmt: st, fn: fn})
	r.byName[name] = s
	r.Document.enter(r.module, s)
	return s
}

// enter declares a symbol in a scope.
func (d *Document) enter(in *scope, s *symbol) {
	s.scope = in
	if s.kind == symFamily {
		in.families = append(in.families, s)
		return
	}
	if in.names[s.name] == nil {
		in.names[s.name] = s
	}
}

// parameters reads a list of parameters in parentheses.
func (r *ptxReader) parameters(in *scope, fn, st int) (list []*symbol) {
	r.at++
	for r.at < len(r.toks) {
		switch w := r.word(); {
		case w == ")":
			r.at++
			return list
		case w == "{" || w == "}" || w == ";" || headWords[w] && r.startsLine(r.at):
			return list
		case w == ",":
			r.at++
		default:
			before, at := len(r.syms), r.at
			r.declarators(st, in, fn, true)
			if r.at == at { // the word begins another statement
				return list
			}
			list = append(list, r.syms[before:]...)
		}
	}
	return list
}

// declare reads a declaration up to its semicolon.
func (r *ptxReader) declare(from int, in *scope, fn int) {
	st := len(r.stmts)
	r.stmts = append(r.stmts, statement{kind: declaration, from: from, op: r.at, opTo: r.at + 1, fn: fn, scope: in})
	r.declarators(st, in, fn, false)
	if r.word() == ";" {
		r.at++
	}
	r.stmts[st].to = r.at
}

// declarators reads the words and names of a declaration. one ends it at a comma: it is a parameter.
func (r *ptxReader) declarators(st int, in *scope, fn int, one bool) {
	space, typ := "", ""
	start := r.at
	for r.at < len(r.toks) {
		w := r.word()
		if w == ";" || w == "}" || w == "{" || one && (w == "," || w == ")") || r.at > start && r.startsLine(r.at) && (r.begins() || headWords[w]) && !r.is(r.at-1, ",") {
			break
		}
		switch r.toks[r.at].kind {
		case tokDot:
			if spaceWords[w] && space == "" {
				space = w[1:]
			} else if w != ".align" && w != ".ptr" {
				typ = w[1:]
			}
			r.at++
			continue
		case tokWord:
		default:
			r.at++
			continue
		}
		s := &symbol{kind: symVariable, name: w, decl: r.at, stmt: st, typ: typ, space: space, fn: fn}
		switch {
		case space == "reg":
			s.kind = symRegister
		case space == "param":
			s.kind = symParam
		}
		r.at++
		if r.word() == "<" {
			r.at++
			s.count, _ = strconv.ParseUint(r.word(), 0, 64)
			if s.kind == symRegister {
				s.kind = symFamily
			}
			for r.at < len(r.toks) && r.word() != ">" && r.word() != ";" && !r.startsLine(r.at) {
				r.at++
			}
			if r.word() == ">" {
				r.at++
			}
		}
		from := r.at
		for r.word() == "[" {
			for r.at < len(r.toks) && r.word() != "]" && r.word() != ";" && r.word() != "}" {
				r.at++
			}
			if r.word() == "]" {
				r.at++
			}
		}
		if r.at > from {
			a, b := r.fromTo(from, r.at)
			s.dims = r.text.text[a:b]
		}
		r.addSymbol(s)
		r.enter(in, s)
		if r.word() == "=" {
			r.initialiser(st, in)
		}
	}
}

// initialiser reads = and the values after it.
func (r *ptxReader) initialiser(st int, in *scope) {
	depth := 0
	for r.at++; r.at < len(r.toks); r.at++ {
		switch w := r.word(); {
		case w == "{" || w == "(":
			depth++
		case w == "}" || w == ")":
			if depth--; depth < 0 {
				return
			}
		case w == ";", w == "," && depth == 0, r.startsLine(r.at) && headWords[w]:
			return
		case r.toks[r.at].kind == tokWord:
			r.pending = append(r.pending, pendingName{tok: r.at, stmt: st, scope: in, reads: true})
		}
	}
}

// body reads statements up to the brace that closes them, and returns its token; -1 if there is none.
func (r *ptxReader) body(in *scope, fn int) int {
	open := []*scope{in}
	for r.at < len(r.toks) {
		in := open[len(open)-1]
		switch w := r.word(); {
		case w == "}":
			r.at++
			if open = open[:len(open)-1]; len(open) == 0 {
				return r.at - 1
			}
		case w == "{":
			r.at++
			open = append(open, newScope(in, fn))
		case w == ";":
			r.at++
		case headWords[w] && r.startsLine(r.at):
			return -1
		case spaceWords[w]:
			r.declare(r.at, in, fn)
		case w == ".section":
			r.section(fn, in)
		case r.toks[r.at].kind == tokDot, w == "@" && r.is(r.at+1, "@"):
			r.directive(fn, in)
		case r.toks[r.at].kind == tokWord && r.is(r.at+1, ":") && !r.is(r.at+2, ":"):
			s := r.addSymbol(&symbol{kind: symLabel, name: w, decl: r.at, stmt: len(r.stmts), fn: fn})
			r.enter(in, s)
			r.stmts = append(r.stmts, statement{kind: label, from: r.at, to: r.at + 2, op: -1, fn: fn, scope: in})
			r.at += 2
		default:
			r.instruction(in, fn)
		}
	}
	return -1
}

// instruction reads an instruction with its guard, up to its semicolon.
func (r *ptxReader) instruction(in *scope, fn int) {
	s := statement{kind: instruction, from: r.at, op: -1, fn: fn, scope: in}
	guard := -1
	if r.word() == "@" {
		r.at++
		if r.word() == "!" {
			r.at++
		}
		if r.at < len(r.toks) && r.toks[r.at].kind == tokWord {
			guard = r.at
			r.at++
		}
	}
	if r.at < len(r.toks) && r.toks[r.at].kind == tokWord {
		s.op = r.at
		for r.adjacent(r.at) && r.toks[r.at+1].kind == tokDot {
			r.at++
		}
		r.at++
	}
	s.opTo = r.at
	depth := 0
	for r.at < len(r.toks) {
		w := r.word()
		if w == ";" {
			break
		}
		if r.at > s.from && r.startsLine(r.at) && (r.begins() || w == "{" && depth == 0 && s.op < 0) {
			break
		}
		if w == "{" {
			depth++
		}
		if w == "}" {
			if depth == 0 {
				break
			}
			depth--
		}
		r.at++
	}
	end := r.at
	if r.word() == ";" {
		r.at++
	}
	if r.at == s.from { // always move on
		r.at++
		end = r.at
	}
	s.to = r.at
	s.args = r.arguments(s.opTo, end)
	st := len(r.stmts)
	roles, ok := r.rolesOf(&s)
	s.writes = make([]bool, 0, len(s.args))
	for i, a := range s.args {
		writes := ok && i < len(roles.Writes) && roles.Writes[i]
		if roles.Calls {
			writes = i == 0 && r.is(a.from, "(") && len(s.args) > 1
		}
		if r.is(a.from, "[") {
			writes = false
		}
		s.writes = append(s.writes, writes)
	}
	r.stmts = append(r.stmts, s)
	if guard >= 0 {
		r.names(st, guard, guard+1, in, true, false)
	}
	for i, a := range s.args {
		r.names(st, a.from, a.to, in, !s.writes[i], s.writes[i])
	}
}

// arguments splits tokens at the commas outside of brackets.
func (r *ptxReader) arguments(from, to int) (list []argument) {
	if to > from && r.is(to-1, ";") {
		to--
	}
	depth, start := 0, from
	for t := from; t < to; t++ {
		if r.toks[t].kind != tokPunct {
			continue
		}
		switch r.tok(t) {
		case "{", "[", "(":
			depth++
		case "}", "]", ")":
			depth--
		case ",":
			if depth <= 0 {
				if list == nil {
					list = make([]argument, 0, 4)
				}
				list = append(list, argument{start, t})
				start = t + 1
			}
		}
	}
	if start < to {
		list = append(list, argument{start, to})
	}
	return list
}

// names notes the words among tokens, to look them up later.
func (r *ptxReader) names(st, from, to int, in *scope, reads, writes bool) {
	for t := from; t < to && t < len(r.toks); t++ {
		if r.toks[t].kind == tokWord {
			r.pending = append(r.pending, pendingName{tok: t, stmt: st, scope: in, reads: reads, writes: writes})
		}
	}
}

// resolve looks all names up.
func (r *ptxReader) resolve() {
	var labels map[string]*symbol
	for _, p := range r.pending {
		name := r.tok(p.tok)
		s := r.lookUp(p.scope, name)
		if s == nil && p.anywhere {
			if labels == nil {
				labels = map[string]*symbol{}
				for _, s := range r.syms {
					if s.kind == symLabel && labels[s.name] == nil {
						labels[s.name] = s
					}
				}
			}
			s = labels[name]
		}
		switch {
		case s != nil:
			r.refer(s, reference{tok: p.tok, to: p.tok, stmt: p.stmt, reads: p.reads, writes: p.writes})
		case ptx.LookupSpecial(name) != ptx.SpecialNone:
			r.special[p.tok] = true
		}
	}
}

// lookUp finds the symbol that a name means in a scope; nil if there is none. The member of a family becomes a
// symbol when it is first named.
func (d *Document) lookUp(in *scope, name string) *symbol {
	s := find(in, name)
	if s != nil && s.scope == nil {
		d.addSymbol(s)
		d.enter(s.of.scope, s)
	}
	return s
}

// find is lookUp that changes nothing: a member of a family that the text does not name is a symbol without a scope.
func find(in *scope, name string) *symbol {
	for ; in != nil; in = in.parent {
		if s := in.names[name]; s != nil {
			return s
		}
		for _, f := range in.families {
			number, ok := strings.CutPrefix(name, f.name)
			if !ok || number == "" || len(number) > 1 && number[0] == '0' {
				continue
			}
			if n, err := strconv.ParseUint(number, 10, 64); err == nil && n < f.count {
				return &symbol{kind: symRegister, name: name, decl: -1, stmt: f.stmt, typ: f.typ, space: "reg", of: f, fn: f.fn}
			}
		}
	}
	return nil
}
