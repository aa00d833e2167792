package ptx

import (
	"math"
	"strconv"
	"strings"
)

// block reads { … }. The next token is the opening brace.
func (p *parser) block(parent *Block) *Block {
	b := &Block{Parent: parent}
	p.braces(b)
	return b
}

// body reads the body of a function. The next token is the opening brace.
func (p *parser) body(f *Func) *Body {
	b := &Body{}
	p.fn, p.loc, p.numInstrs, p.labels = f, nil, 0, nil
	p.braces(&b.Block)
	b.Labels = p.labels
	return b
}

// braces reads the braces of a block and the statements between them.
func (p *parser) braces(b *Block) {
	b.Pos = p.tok.pos
	if !p.enter() {
		return
	}
	defer p.leave()
	p.advance()
	p.stmts(b)
	b.End = p.tok.pos
	if p.tok.kind == '}' {
		p.advance()
	} else if !p.errs.full {
		p.errs.add(b.Pos, "syntax", "block is not closed: found the end of the file, expected '}'")
		p.bad = true
	}
}

// stmts reads statements up to a closing brace.
func (p *parser) stmts(b *Block) {
	for p.tok.kind != '}' && p.tok.kind != tEOF && !p.errs.full {
		p.brace = 0
		start := p.tok.pos.Off
		p.count(1)
		p.stmt(b)
		if p.bad {
			p.sync(start)
		}
	}
}

// stmt reads one statement of a block.
func (p *parser) stmt(b *Block) {
	switch p.tok.kind {
	case '{':
		inner := p.block(b)
		b.Stmts = append(b.Stmts, inner)
	case '@':
		g := p.guard()
		if p.tok.kind != tIdent {
			p.expected("an instruction after the guard")
			return
		}
		p.instr(b, g)
	case tAtAt:
		p.addStmt(b, p.dwarf())
	case tIdent:
		if p.isLabel() {
			p.label(b)
			return
		}
		p.instr(b, nil)
	case tDot:
		p.directive(b)
	default:
		p.expected("a statement")
	}
}

// isLabel reports whether a colon follows the next token.
func (p *parser) isLabel() bool {
	i := int(p.tok.end)
	for i < len(p.src) && charClass[p.src[i]]&cSpace != 0 {
		i++
	}
	return i < len(p.src) && p.src[i] == ':' && (i+1 >= len(p.src) || p.src[i+1] != ':')
}

// label reads a label, and the directive that may follow it.
func (p *parser) label(b *Block) {
	l := &Label{Pos: p.tok.pos, Name: p.text(p.tok), ID: len(p.labels)}
	p.labels = append(p.labels, l)
	p.advance()
	p.want(':', "':'")
	b.Stmts = append(b.Stmts, l)
	if p.tok.kind != tDot || p.bad {
		return
	}
	switch p.text(p.tok) {
	case ".branchtargets", ".calltargets":
		l.Dir = p.targets(l)
	case ".callprototype":
		l.Dir = p.prototype(l)
	default:
		return
	}
	p.addStmt(b, l.Dir)
}

// addStmt appends a directive that was read without error.
func (p *parser) addStmt(b *Block, d *Directive) {
	if !p.bad {
		b.Stmts = append(b.Stmts, d)
	}
}

// targets reads .branchtargets and .calltargets (PTX 11.3.1, 11.3.2). N<5> is short for N0 to N4.
func (p *parser) targets(l *Label) *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.text(p.tok), Label: l}
	p.advance()
	for !p.bad {
		t := p.tok
		if !p.got(tIdent) {
			p.expected("a name")
			break
		}
		name := p.text(t)
		if p.got('<') {
			at := p.tok.pos
			c := p.plain()
			if !p.bad && c.val > maxTargets {
				p.fail(at, "too-large", "found %s<%s>, expected at most %d names", name, c, maxTargets)
			}
			p.want('>', "'>'")
			if !p.bad {
				p.count(int(c.val))
			}
			if p.bad {
				break
			}
			for i := range int64(c.val) {
				d.Args = append(d.Args, Operand{Pos: t.pos, Kind: KindIdent, Name: memberName(name, i)})
			}
		} else {
			p.count(1)
			d.Args = append(d.Args, Operand{Pos: t.pos, Kind: KindIdent, Name: name})
		}
		if !p.got(',') {
			break
		}
	}
	if !p.bad && len(d.Args) == 0 {
		p.fail(d.Pos, "syntax", "found %s of no names, as N<0> is, expected at least one", d.Name)
	}
	p.semi()
	return d
}

// prototype reads .callprototype (PTX 11.3.3).
func (p *parser) prototype(l *Label) *Directive {
	f := &Func{Name: "_"}
	d := &Directive{Pos: p.tok.pos, Name: ".callprototype", Label: l, Proto: f}
	p.advance()
	if p.tok.kind == '(' {
		f.Results = p.params(f)
	}
	f.Pos = p.tok.pos
	if p.tok.kind != tIdent || p.text(p.tok) != "_" {
		p.expected("'_'")
		return d
	}
	p.advance()
	p.signature(f)
	p.semi()
	return d
}

// directive reads a statement that starts with a dot.
func (p *parser) directive(b *Block) {
	switch word := p.text(p.tok); word {
	case ".loc":
		if l := p.locDirective(); !p.bad {
			p.loc = l
			b.Stmts = append(b.Stmts, l)
		}
	case ".file", ".pragma", ".alias":
		p.addStmt(b, p.simpleDirective())
	case ".section":
		p.addStmt(b, p.section())
	case ".loc_intermediate": // PTX 9.4: 11.5.5
		d := &Directive{Pos: p.tok.pos, Name: word}
		p.m.debugInfo = true
		p.advance()
		for range 3 {
			if p.tok.kind != tInt {
				p.expected("a file's number, a line and a column")
				return
			}
			p.arg(d)
		}
		p.got(';')
		p.addStmt(b, d)
	case ".branchtargets", ".calltargets", ".callprototype":
		p.fail(p.tok.pos, "syntax", "%s without a label, expected 'name: %s'", word, word)
	case ".version", ".target", ".address_size", ".language":
		p.fail(p.tok.pos, "bad-directive", "found %s inside a function's body, expected it at module level", word)
	default:
		p.declaration(b)
	}
}

// locDirective reads .loc (PTX 11.5.4).
func (p *parser) locDirective() *Loc {
	l := &Loc{Pos: p.tok.pos}
	p.m.debugInfo = true
	p.advance()
	num := func(what string) int64 {
		v, pos := p.tok.val, p.tok.pos
		if !p.got(tInt) {
			p.expected(what)
		} else if v > math.MaxInt64 {
			p.fail(pos, "syntax", "%s of .loc is %d, at most %d is possible", what, v, int64(math.MaxInt64))
		}
		return int64(v)
	}
	l.File, l.Line, l.Col = num("a file's number"), num("a line"), num("a column")
	if p.bad || !p.got(',') {
		return l
	}
	if p.text(p.tok) != "function_name" {
		p.expected("function_name")
		return l
	}
	p.advance()
	l.FuncName = p.text(p.tok)
	if p.tok.kind != tIdent && p.tok.kind != tDot {
		p.expected("a label in .debug_str")
		return l
	}
	p.advance()
	l.FuncOff = p.addend()
	if p.want(',', "',' and inlined_at"); p.bad {
		return l
	}
	if p.text(p.tok) != "inlined_at" {
		p.expected("inlined_at")
		return l
	}
	p.advance()
	l.Inlined = true
	l.InlinedFile, l.InlinedLine, l.InlinedCol = num("a file's number"), num("a line"), num("a column")
	return l
}

// guard reads @p or @!p.
func (p *parser) guard() *Guard {
	g := &Guard{Pos: p.tok.pos}
	p.advance()
	g.Not = p.got('!')
	if p.tok.kind != tIdent {
		p.expected("a predicate register after @")
		return g
	}
	g.Reg = Operand{Pos: p.tok.pos, Kind: KindIdent, Name: p.text(p.tok)}
	p.advance()
	return g
}

// instr reads an instruction. It reads the opcode directly from the text, because modifiers may
// start with digits, as in .2d.
func (p *parser) instr(b *Block, g *Guard) {
	if len(p.instrs) == 0 {
		p.instrs = make([]Instr, max(p.piece, 1))
	}
	in := &p.instrs[0]
	p.instrs = p.instrs[1:]
	*in = Instr{Pos: p.tok.pos, Guard: g, Loc: p.loc, ID: p.numInstrs}
	start, end := int(p.tok.pos.Off), int(p.tok.end)
	for end < len(p.src) && p.src[end] == '.' {
		e := p.dotWord(end)
		if e == end+1 {
			break
		}
		end = e
		if p.src[end-1] == 't' && end < len(p.src) && p.src[end] == '[' && strings.HasSuffix(p.src[start:end], ".const") {
			end, in.Bank = p.opcodeBank(end)
		}
	}
	if at := strings.LastIndex(p.src[start:end], ".sp::"); at >= 0 && end < len(p.src) && p.src[end] == ':' {
		// The modifier .sp::2:4 of spcompress, and the modifiers after it.
		for end++; end < len(p.src) && (charClass[p.src[end]]&cIdent != 0 || p.src[end] == '.'); end++ {
		}
	}
	p.off = end
	in.Op = p.src[start:end]
	p.advance()
	for p.tok.kind == tDot { // add .s32: the grammar does not forbid the space
		in.Op += p.text(p.tok)
		p.advance()
	}
	in.Parts = p.split(in.Op)
	p.call = in.Parts[0] == "call"
	at := len(p.ops.temp)
	if p.tok.kind != ';' && !(p.snippet && p.tok.kind == tEOF) {
		for {
			o := p.operand(0)
			if p.bad {
				p.ops.temp = p.ops.temp[:at]
				return
			}
			p.ops.temp = append(p.ops.temp, o)
			if p.tok.kind != ',' {
				break
			}
			p.advance()
		}
	}
	in.Args = p.ops.take(at)
	in.End = p.tok.pos
	if p.tok.kind == ';' {
		p.advance()
	} else if !p.snippet || p.tok.kind != tEOF {
		p.expected("',' or ';'")
		return
	}
	p.numInstrs++
	b.Stmts = append(b.Stmts, in)
}

// opcodeBank reads the [n] of ld.const[n] (PTX 5.1.3.1). It returns the end of the bank and n+1, or
// at and 0 if there is no bank.
func (p *parser) opcodeBank(at int) (end, bank int) {
	digits, _, ok := strings.Cut(p.src[at+1:min(at+5, len(p.src))], "]")
	n, err := strconv.ParseUint(digits, 10, 8)
	if !ok || err != nil {
		return at, 0
	}
	if n > 10 {
		p.fail(p.pos(at), "bad-declaration", "found constant bank %d, expected 0 to 10", n)
	}
	return at + len(digits) + 2, int(n) + 1
}

// split splits an opcode at its dots, without banks. Instructions with the same opcode share the
// result.
func (p *parser) split(op string) []string {
	if parts, ok := p.opcodes[op]; ok {
		return parts
	}
	parts := strings.Split(op, ".")
	for i, w := range parts {
		parts[i], _, _ = strings.Cut(w, "[")
	}
	if p.opcodes == nil {
		p.opcodes = map[string][]string{}
	}
	p.opcodes[op] = parts
	return parts
}

// operand reads one operand. level is 0 for the operands of an instruction, and higher inside
// braces, brackets and lists.
func (p *parser) operand(level int) Operand {
	o := p.primary(level)
	if p.bad || p.tok.kind != '|' || level > 1 {
		return o
	}
	// d|p: p is the predicate that shfl, setp and match also write.
	p.advance()
	q := p.primary(level)
	at := len(p.ops.temp)
	p.ops.temp = append(p.ops.temp, o, q)
	return Operand{Pos: o.Pos, Kind: KindPair, List: p.ops.take(at)}
}

// primary reads an operand without the predicate of a pair.
func (p *parser) primary(level int) Operand {
	o := Operand{Pos: p.tok.pos}
	p.count(1)
	if p.bad || !p.enter() {
		return o
	}
	defer p.leave()
	switch p.tok.kind {
	case tIdent:
		p.named(&o)
	case '{':
		p.brace++
		o.Kind = KindVector
		o.List = p.list('}', level)
		for i := range o.List {
			if o.List[i].Kind == KindSymOff {
				p.fail(o.List[i].Pos, "syntax", "found a sum in a vector, whose elements are registers and constants")
			}
		}
		if !p.bad {
			p.brace--
		}
	case '[':
		p.addr(&o, level)
	case '(':
		if p.call && level == 0 {
			o.Kind = KindList
			o.List = p.list(')', level)
			break
		}
		o.setConst(p.constExpr())
	case '!':
		if c := p.byteAfter(); charClass[c]&cStart != 0 {
			p.unaryName(&o, KindNot)
			break
		}
		o.setConst(p.constExpr())
	case '-':
		if c := p.byteAfter(); charClass[c]&cStart != 0 {
			p.unaryName(&o, KindNeg)
			break
		}
		o.setConst(p.constExpr())
	case tString:
		o.Kind = KindString
		o.Name = p.src[p.tok.pos.Off+1 : p.tok.end-1]
		p.advance()
	case tInt, tFloat, '+', '~':
		o.setConst(p.constExpr())
	default:
		p.expected("an operand")
	}
	return o
}

// byteAfter returns the byte after the next token and its spaces.
func (p *parser) byteAfter() byte { return p.peekByte() }

// unaryName reads !p and -r. -WARP_SZ and !WARP_SZ are constants.
func (p *parser) unaryName(o *Operand, k Kind) {
	save := *p
	p.advance()
	if p.tok.kind == tIdent && p.text(p.tok) == "WARP_SZ" {
		p.lexer, p.tok, p.prev = save.lexer, save.tok, save.prev
		o.setConst(p.constExpr())
		return
	}
	in := Operand{Pos: p.tok.pos}
	if p.tok.kind != tIdent {
		p.expected("a name")
		return
	}
	p.named(&in)
	o.Kind = k
	o.List = []Operand{in}
}

// list reads the operands between { } or ( ).
func (p *parser) list(end tokKind, level int) []Operand {
	p.advance()
	at := len(p.ops.temp)
	for p.tok.kind != end {
		o := p.operand(level + 2)
		if p.bad {
			p.ops.temp = p.ops.temp[:at]
			return nil
		}
		p.ops.temp = append(p.ops.temp, o)
		if p.tok.kind != ',' {
			break
		}
		p.advance()
	}
	p.want(end, "',' or '"+string(rune(end))+"'")
	return p.ops.take(at)
}

// named reads an operand that starts with a name.
func (p *parser) named(o *Operand) {
	o.Name = p.text(p.tok)
	if o.Name == "WARP_SZ" {
		o.Name = ""
		o.setConst(p.constExpr())
		return
	}
	end := p.tok.end
	p.advance()
	if o.Name == "_" {
		o.Kind = KindSink
		o.Name = ""
		return
	}
	o.Kind = KindIdent
	if p.tok.kind == tDot && p.tok.pos.Off == end {
		o.Comp = p.text(p.tok)[1:]
		p.advance()
	}
	switch p.tok.kind {
	case '[':
		p.index(o)
	case '+', '-':
		o.Kind = KindSymOff
		o.Off = p.addend()
	}
}

// index reads the [i] of an array's element (PTX 6.4.2).
func (p *parser) index(o *Operand) {
	p.advance()
	o.Kind = KindIndex
	i := Operand{Pos: p.tok.pos}
	if p.tok.kind == tIdent && p.text(p.tok) != "WARP_SZ" {
		i.Kind = KindIdent
		i.Name = p.text(p.tok)
		end := p.tok.end
		p.advance()
		if p.tok.kind == tDot && p.tok.pos.Off == end {
			i.Comp = p.text(p.tok)[1:]
			p.advance()
		}
		o.Off = p.addend()
	} else {
		i.setConst(p.constInt())
	}
	o.List = []Operand{i}
	p.want(']', "']'")
}

// addr reads [base + offset] and the operands that may follow after commas (PTX 6.4.1).
func (p *parser) addr(o *Operand, level int) {
	p.advance()
	o.Kind = KindAddr
	at := len(p.ops.temp)
	for !p.bad {
		q := p.operand(level + 2)
		if len(p.ops.temp) == at {
			if q.Kind == KindSymOff {
				q.Kind, o.Off, q.Off = KindIdent, q.Off, 0
			}
			if q.Kind == KindFloat || q.Kind == KindString || q.Kind == KindSink {
				p.fail(q.Pos, "syntax", "found %s as an address, expected a register, variable or integer", p.src[q.Pos.Off:p.tok.pos.Off])
			}
		}
		p.ops.temp = append(p.ops.temp, q)
		if !p.got(',') {
			break
		}
	}
	p.want(']', "']'")
	if p.bad {
		p.ops.temp = p.ops.temp[:at]
		return
	}
	o.List = p.ops.take(at)
	if p.isDot(".unified") { // PTX 9.7.9.8
		o.Comp = "unified"
		p.advance()
	}
}
