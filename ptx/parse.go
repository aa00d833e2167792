package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// Limits that no real program reaches. They protect stack and memory against hostile input.
const (
	maxSource  = 64 << 20  // bytes
	maxNesting = 200       // blocks, expressions, initialisers
	maxElems   = 1 << 32   // elements of an array
	maxFamily  = 1<<32 - 1 // registers of a family
	maxTargets = 1 << 16   // labels of one .branchtargets range
	maxNodes   = 1 << 22   // statements, declarations, operands and initialisers of a module
)

// Parse reads a module and resolves its names. The Module is never nil; if there are errors, it
// holds the parts that could be read. The diagnostics have class Input, or Unsupported for features
// of PTX that Crosslane lacks; at most 20 are reported.
func Parse(file, src string) (*Module, diag.List) {
	p := newParser(file, src)
	m := p.m
	if p.errs.count == 0 {
		p.module()
	}
	if p.errs.count == 0 {
		newResolver(m, p.errs).module()
	}
	return m, p.errs.finish()
}

// parseSnippet reads the statements of a function's body without the function around them; the last
// semicolon may be missing. For each undeclared name it calls implicit with the instruction that
// mentions the name. The result (usually a Reg without ID) declares the name from there on. The
// statements become the body of the only kernel, "_", of the returned module.
func parseSnippet(file, src string, implicit func(o *Operand, in *Instr) Decl) (*Module, *Func, diag.List) {
	p := newParser(file, src)
	p.snippet = true
	p.m.Version, p.m.AddressSize = NewestVersion, 64
	f := &Func{Name: "_", Entry: true, body: &Body{Block: Block{Pos: Pos{Line: 1, Col: 1}}}}
	p.m.Items = []Item{f}
	if p.errs.count == 0 {
		p.fn = f
		for p.tok.kind != tEOF && !p.errs.full {
			p.stmts(&f.body.Block)
			if p.tok.kind == '}' {
				p.expected("a statement: no block is open")
				p.bad = false
				p.advance()
			}
		}
		f.body.End, f.End = p.tok.pos, p.tok.pos
		f.body.Labels = p.labels
	}
	if p.errs.count == 0 {
		r := newResolver(p.m, p.errs)
		r.implicit = implicit
		r.module()
	}
	return p.m, f, p.errs.finish()
}

// A parser reads one module by recursive descent. An error sets bad; then every method returns at
// once, until sync has found the next statement.
type parser struct {
	lexer
	m     *Module
	tok   token // the next one, not consumed yet
	prev  int32 // line of the previous token
	end   int32 // offset of its end
	bad   bool
	depth int // depth of nested blocks, expressions and so on
	brace int // open braces inside the statement being read

	fn          *Func
	texts       *texts // nil, or: skip bodies, and let texts read them later
	loc         *Loc
	labels      []*Label // labels of fn
	numInstrs   int
	nodes       int // counted against limit
	limit       int
	inSection   bool                // reading the lines of a .section, for messages
	afterTarget bool                // the directive before was .target
	call        bool                // reading a call: parentheses are lists
	snippet     bool                // the end of the file may stand for the last semicolon
	opcodes     map[string][]string // parts of each spelling
	instrs      []Instr             // a slab
	ops         slab
	piece       int // number of instructions in a slab
}

// A slab hands out operand slices from large pieces: a kernel has thousands.
type slab struct {
	free  []Operand
	temp  []Operand
	piece int // number of operands
}

// Sizes of the pieces of slabs, for long texts.
const (
	instrPiece   = 64
	operandPiece = 4 * instrPiece
)

// take copies the operands of temp from index at on into a slice of their own.
func (s *slab) take(at int) []Operand {
	n := len(s.temp) - at
	if n == 0 {
		return nil
	}
	if len(s.free) < n {
		s.free = make([]Operand, max(s.piece, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, s.temp[at:])
	s.temp = s.temp[:at]
	return out
}

// TextEnd returns the length of a text without the zero bytes that C interfaces leave at its end.
// White space between and after the zero bytes is removed too.
func TextEnd[T string | []byte](text T) int {
	end := len(text)
	for i := len(text) - 1; i >= 0 && (text[i] == 0 || charClass[text[i]]&cSpace != 0 || text[i] == '\n'); i-- {
		if text[i] == 0 {
			end = i
		}
	}
	return end
}

// newParser makes a parser for a text and reads its first token. It reports a text that is too
// large.
func newParser(file, src string) *parser {
	src = src[:TextEnd(src)]
	errs := &errList{file: file, src: src}
	p := &parser{
		lexer: lexer{file: file, src: src, line: 1, errs: errs},
		m:     &Module{File: file, Src: src, AddressSize: 32},
		limit: maxNodes,
		piece: instrPiece, ops: slab{piece: operandPiece},
	}
	if len(src) > maxSource {
		errs.src = ""
		errs.add(Pos{}, "too-large", fmt.Sprintf("the source has %d bytes, the limit is %d", len(src), maxSource))
		return p
	}
	p.advance()
	return p
}

func (p *parser) advance() {
	p.prev, p.end = p.tok.pos.Line, int32(p.off)
	p.tok = p.next()
}

// text returns a token's text.
func (p *parser) text(t token) string { return p.src[t.pos.Off:t.end] }

// describe describes a token for a message.
func (p *parser) describe(t token) string {
	if t.kind == tEOF {
		if p.inSection {
			return "the end of the section"
		}
		return "the end of the file"
	}
	s := p.text(t)
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	switch t.kind {
	case tIdent:
		return "name " + s
	case tDot:
		return s
	case tInt, tFloat:
		return "number " + s
	case tString:
		return "string " + s
	}
	return "'" + s + "'"
}

// expected reports that the next token does not match the grammar.
func (p *parser) expected(what string) {
	if !p.bad && p.tok.kind != tBad { // the lexer has reported tBad
		p.errs.add(p.tok.pos, "syntax", "found "+p.describe(p.tok)+", expected "+what)
	}
	p.bad = true
}

// fail reports a mistake at pos.
func (p *parser) fail(pos Pos, code, format string, args ...any) {
	if !p.bad {
		p.errs.add(pos, code, fmt.Sprintf(format, args...))
	}
	p.bad = true
}

func (p *parser) got(k tokKind) bool {
	if p.tok.kind == k && !p.bad {
		p.advance()
		return true
	}
	return false
}

// want consumes a token that has to be there.
func (p *parser) want(k tokKind, what string) Pos {
	pos := p.tok.pos
	if !p.got(k) {
		p.expected(what)
	}
	return pos
}

func (p *parser) isDot(word string) bool {
	return p.tok.kind == tDot && p.text(p.tok) == word
}

// enter counts nesting. Each enter that returns true needs a leave.
func (p *parser) enter() bool {
	if p.depth >= maxNesting {
		p.fail(p.tok.pos, "too-deep", "nested more than %d levels deep", maxNesting)
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// count counts n new nodes of the tree. The limit matters for hostile texts: with two bytes a node,
// the tree would have a hundred times the size of the text.
func (p *parser) count(n int) {
	if p.nodes += n; p.nodes > p.limit && !p.errs.full {
		p.fail(p.tok.pos, "too-large", "the module has more than %d statements, operands and initialisers", p.limit)
		p.bad, p.errs.full = true, true
	}
}

// semi consumes the semicolon that ends a statement.
func (p *parser) semi() Pos {
	if p.snippet && p.tok.kind == tEOF {
		return p.tok.pos
	}
	return p.want(';', "';'")
}

// sync skips the rest of a broken statement: up to its semicolon, or to a brace that closes the
// block around it. If a statement lacks only its semicolon, the statement on the next line is kept.
// start is the offset at which the broken statement began.
func (p *parser) sync(start int32) {
	if p.brace == 0 && p.tok.pos.Off > start && p.tok.pos.Line > p.prev && (p.tok.kind == tIdent || p.tok.kind == tDot || p.tok.kind == '@') && p.startsStatement() {
		p.bad = false
		return
	}
	p.bad, p.quiet = false, true
	defer p.again()
	for open := p.brace; p.tok.kind != tEOF && !p.errs.full; p.advance() {
	again:
		if open == p.brace && p.tok.pos.Off > start && p.tok.pos.Line > p.prev && p.beginsStatement() {
			p.brace = 0
			return
		}
		switch p.tok.kind {
		case '{':
			open++
		case '}':
			if open == 0 {
				p.brace = 0
				return
			}
			if open--; open == 0 && p.brace == 0 {
				// The broken statement contains a block: a function lacks the brace before it.
				p.advance()
				if p.tok.pos.Line > p.prev && p.startsStatement() {
					return
				}
				goto again
			}
		case ';':
			if open == 0 || open == p.brace {
				p.advance()
				p.brace = 0
				return
			}
		}
	}
	p.brace = 0
}

// again reads the next token a second time with reporting on. It is the first token after a broken
// statement.
func (p *parser) again() {
	p.quiet = false
	if p.tok.kind != tEOF {
		p.off, p.line = int(p.tok.pos.Off), p.tok.pos.Line
		p.lineAt = p.off - int(p.tok.pos.Col) + 1
		p.tok = p.next()
	}
}

// startsStatement guesses whether the next token starts a statement and does not continue a broken
// one.
func (p *parser) startsStatement() bool {
	if p.tok.kind == tIdent {
		return p.isLabel() || int(p.tok.end) < len(p.src) && (p.src[p.tok.end] == '.' || charClass[p.src[p.tok.end]]&cSpace != 0)
	}
	return true
}

// beginsStatement reports whether the next token, the first of its line, can only start a
// statement: it is a guard, a declaration or an opcode with a modifier. The further lines of a long
// statement begin with registers and names.
func (p *parser) beginsStatement() bool {
	switch p.tok.kind {
	case '@', tAtAt:
		return true
	case tDot:
		word := p.text(p.tok)
		return slices.Contains(declWords, word) && word != ".align" && word != ".attribute"
	case tIdent:
		c := p.src[p.tok.pos.Off]
		return c != '%' && c != '$' && c != '_' && (p.isLabel() || int(p.tok.end) < len(p.src) && p.src[p.tok.end] == '.')
	}
	return false
}

// beginsItem is beginsStatement for declarations and directives of the module.
func (p *parser) beginsItem() bool {
	if p.tok.kind != tDot {
		return p.tok.kind == tAtAt
	}
	switch p.text(p.tok) {
	case ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared", ".tex", ".section", ".file", ".alias", ".target":
		return true
	}
	return false
}

// module reads the whole module.
func (p *parser) module() {
	p.header()
	for p.tok.kind != tEOF && !p.errs.full {
		start, first := p.tok.pos.Off, len(p.m.Items)
		p.count(1)
		switch {
		case p.tok.kind == tAtAt:
			p.addItem(p.dwarf())
		case p.tok.kind == tDot:
			p.item()
		case p.tok.kind == '}':
			p.expected("a declaration or directive: no block is open")
			p.advance()
			p.bad = false
		default:
			p.expected("a declaration or directive, such as .entry or .global")
		}
		if p.bad {
			p.syncItem(start)
			continue
		}
		p.m.extents = append(p.m.extents, extent{start, p.end, int32(first)})
	}
}

// syncItem skips the rest of a broken declaration, its body included.
func (p *parser) syncItem(start int32) {
	p.bad = false
	if p.tok.pos.Off > start && p.tok.pos.Line > p.prev && p.tok.kind == tDot && p.brace == 0 {
		return
	}
	open := p.brace
	p.brace, p.quiet = 0, true
	defer p.again()
	for ; p.tok.kind != tEOF && !p.errs.full; p.advance() {
		if open == 0 && p.tok.pos.Off > start && p.tok.pos.Line > p.prev && p.beginsItem() {
			return
		}
		switch p.tok.kind {
		case '{':
			open++
		case '}':
			open--
			if open <= 0 {
				p.advance()
				return
			}
		case ';':
			if open == 0 {
				p.advance()
				return
			}
		}
	}
}

// header reads .version, .target and .address_size (PTX 11.1).
func (p *parser) header() {
	if !p.isDot(".version") {
		p.expected("'.version major.minor', which every module begins with")
		p.bad = false
		return
	}
	start := p.tok.pos.Off
	p.version()
	if p.bad {
		p.syncItem(start)
	}
	p.m.extents = append(p.m.extents, extent{start, p.end, 0})
	if !p.isDot(".target") {
		p.expected("'.target', which follows .version")
		p.bad = false
	}
}

// version reads the argument of .version.
func (p *parser) version() {
	p.m.VersionPos = p.tok.pos
	p.advance()
	t := p.tok
	if t.kind != tFloat || t.single {
		p.expected("a version, major.minor")
		return
	}
	p.advance()
	s := p.text(t)
	v, ok := parseVersion(s)
	if !ok {
		p.fail(t.pos, "bad-directive", "found version %s, expected major.minor, such as 8.5", s)
		return
	}
	p.m.Version = v
	p.m.VersionPos = t.pos
	checkVersion(p.errs, t.pos, v)
}

// parseVersion reads major.minor. The numbers may have leading zeros, because the vendor's
// assembler accepts them.
func parseVersion(s string) (v Version, ok bool) {
	major, minor, ok := strings.Cut(s, ".")
	a, err := strconv.ParseUint(major, 10, 8)
	b, err2 := strconv.ParseUint(minor, 10, 8)
	return Version{int(a), int(b)}, ok && err == nil && err2 == nil
}

// target reads the arguments of .target. It reports an unknown target.
func (p *parser) target() {
	p.advance()
	var list []targetWord
	defer func() { p.m.targetLists = append(p.m.targetLists, list) }()
	for !p.bad {
		t := p.tok
		if t.kind != tIdent {
			p.expected("a target, such as sm_70")
			return
		}
		p.advance()
		name := p.text(t)
		p.m.Targets = append(p.m.Targets, name)
		list = append(list, targetWord{t.pos, name})
		if tg, ok := checkTarget(p.errs, t.pos, name, p.m.Version); ok && tg.SM >= p.m.Target.SM {
			// PTX 11.1.2: the highest of several .target directives counts.
			p.m.Target, p.m.TargetPos = tg, t.pos
		}
		if !p.got(',') {
			return
		}
	}
}

// item reads one declaration or directive of the module.
func (p *parser) item() {
	word := p.text(p.tok)
	afterTarget := p.afterTarget
	p.afterTarget = word == ".target"
	switch word {
	case ".version":
		p.fail(p.tok.pos, "bad-directive", "second .version: a module has one, at its beginning")
		p.advance()
		p.bad = false
		p.got(tFloat)
	case ".target":
		p.target()
	case ".address_size":
		if p.m.AddressPos.Line > 0 {
			p.fail(p.tok.pos, "bad-directive", "second .address_size: a module has one at most")
			return
		}
		if !afterTarget {
			p.errs.add(p.tok.pos, "bad-directive", ".address_size stands further down, expected it right after .target").Section = "PTX 11.1.3"
		}
		p.m.AddressPos = p.tok.pos
		p.advance()
		t := p.tok
		if !p.got(tInt) {
			p.expected("32 or 64")
			return
		}
		if t.val != 32 && t.val != 64 {
			p.fail(t.pos, "bad-directive", "found .address_size %d, expected 32 or 64", t.val)
			return
		}
		p.m.AddressSize = int(t.val)
	case ".language":
		p.errs.add(p.tok.pos, "bad-directive", "found .language outside of a function's head, expected it between parameters and body").Section = "PTX 11.8.2"
		p.advance()
		p.args(&Directive{})
		p.got(';')
	case ".file", ".pragma", ".alias":
		p.addItem(p.simpleDirective())
	case ".section":
		p.addItem(p.section())
	case ".nv_intermediate_source_section":
		p.addItem(p.intermediateSource())
	case ".loc":
		p.errs.add(p.tok.pos, "bad-directive", "found .loc outside of a function's body, where it applies to no instruction").Section = "PTX 11.5.4"
		p.locDirective()
	default:
		p.declaration(nil)
	}
}

// addItem appends a directive that was read without error.
func (p *parser) addItem(d *Directive) {
	if !p.bad {
		p.m.Items = append(p.m.Items, d)
	}
}

// simpleDirective reads a directive whose arguments are constants, names and strings. The manual
// ends some directives with a semicolon, which may be missing only where the manual's own examples
// omit it.
func (p *parser) simpleDirective() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.text(p.tok)}
	p.advance()
	switch d.Name {
	case ".file": // .file index "name" {, time, size}
		p.arg(d)
		if p.tok.kind == tString {
			p.arg(d)
		}
		for p.got(',') {
			p.arg(d)
		}
		p.m.debugInfo = true
	default:
		p.args(d)
		p.semi()
	}
	return d
}

// args reads a list of arguments of a directive.
func (p *parser) args(d *Directive) {
	for p.arg(d); p.got(','); {
		p.arg(d)
	}
}

// arg reads one argument of a directive: a constant, a name or a string.
func (p *parser) arg(d *Directive) {
	p.count(1)
	if p.bad {
		return
	}
	o := Operand{Pos: p.tok.pos}
	switch p.tok.kind {
	case tString:
		o.Kind = KindString
		o.Name = p.src[p.tok.pos.Off+1 : p.tok.end-1]
		p.advance()
	case tIdent:
		if p.text(p.tok) == "WARP_SZ" {
			o.setConst(p.constExpr())
			break
		}
		o.Kind = KindIdent
		o.Name = p.text(p.tok)
		p.advance()
	default:
		o.setConst(p.plain())
	}
	d.Args = append(d.Args, o)
}

// section reads .section name { … }. The text between the braces is DWARF, not PTX, and is kept as
// text.
func (p *parser) section() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: ".section"}
	p.m.debugInfo = true
	p.advance()
	name := p.tok
	if name.kind != tDot {
		p.expected("a section's name, such as .debug_info")
		return d
	}
	d.Args = []Operand{{Pos: name.pos, Kind: KindIdent, Name: p.text(name)}}
	p.advance()
	open := p.tok
	if open.kind != '{' {
		p.expected("'{'")
		return d
	}
	// DWARF lines have no nested braces, but strings and comments may hold one.
	for {
		p.skip()
		if p.off >= len(p.src) {
			p.fail(open.pos, "syntax", "section %s is not closed: found the end of the file, expected '}'", p.text(name))
			p.tok = p.next()
			return d
		}
		if p.src[p.off] == '}' {
			break
		}
		if p.src[p.off] == '"' {
			var t token
			t.pos = p.pos(p.off)
			p.str(&t)
			continue
		}
		p.off++
	}
	d.Raw = strings.TrimSpace(p.src[open.end:p.off])
	d.body = [2]Pos{open.pos, p.pos(p.off)}
	p.off++
	p.advance()
	p.got(';')
	return d
}

// intermediateSource reads .nv_intermediate_source_section { … } (PTX 9.4: 11.5.6), and keeps it as
// text. Any text may stand between .source_begin and .source_end.
func (p *parser) intermediateSource() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.text(p.tok)}
	p.m.debugInfo = true
	p.advance()
	open := p.tok
	if open.kind != '{' {
		p.expected("'{'")
		return d
	}
	for depth := 1; ; p.off++ {
		p.skip()
		rest := p.src[min(p.off, len(p.src)):]
		switch {
		case rest == "":
			p.fail(open.pos, "syntax", "%s is not closed: found the end of the file, expected '}'", d.Name)
			p.tok = p.next()
			return d
		case strings.HasPrefix(rest, ".source_begin"):
			end := strings.Index(rest, ".source_end")
			if end < 0 {
				p.fail(p.pos(p.off), "syntax", ".source_begin without .source_end")
				p.tok = p.next()
				return d
			}
			p.off += end + len(".source_end") - 1
			continue
		case rest[0] == '"':
			var t token
			t.pos = p.pos(p.off)
			p.str(&t)
			p.off--
			continue
		case rest[0] == '{':
			depth++
		case rest[0] == '}':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	d.Raw = strings.TrimSpace(p.src[open.end:p.off])
	p.off++
	p.advance()
	return d
}

// dwarf reads an @@DWARF directive (PTX 11.5.1), which ends with the line. PTX 2.0 replaced it by
// .section.
func (p *parser) dwarf() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: "@@DWARF"}
	p.m.debugInfo = true
	line := p.tok.pos.Line
	if p.m.Version.AtLeast(Version{2, 0}) {
		p.errs.add(p.tok.pos, "bad-directive", "found @@DWARF, which PTX 2.0 and later do not have: .section replaces it").Section = "PTX 11.5.1"
	}
	p.advance()
	if p.tok.kind != tIdent || !strings.EqualFold(p.text(p.tok), "dwarf") || p.tok.pos.Line != line {
		p.expected("DWARF after @@")
		return d
	}
	start := int(p.tok.end)
	p.off = start
	p.toLineEnd()
	d.Raw = strings.TrimSpace(p.src[start:p.off])
	if !dwarfText.MatchString(d.Raw) {
		p.fail(d.Pos, "syntax", "found @@DWARF %s, expected .section .name, .byte, .4byte or .quad and their data", d.Raw)
	}
	p.advance()
	return d
}

// dwarfText is the text of an @@DWARF directive.
var dwarfText = regexp.MustCompile(`^\.(?:section\s+\.\w+|(?:byte|4byte|quad)\s+\w)`)
