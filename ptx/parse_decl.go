package ptx

import (
	"maps"
	"math/bits"
	"slices"
)

// declWords are the words that may start or continue a declaration. The "did you mean" of a
// misspelt word chooses among them.
var declWords = []string{
	".version", ".target", ".address_size", ".file", ".loc", ".pragma", ".alias", ".language", ".section",
	".visible", ".extern", ".weak", ".common", ".entry", ".func", ".attribute", ".align",
	".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex",
	".branchtargets", ".calltargets", ".callprototype",
}

// unknownWord reports a dot-word that has no meaning at its place.
func (p *parser) unknownWord(expected string) {
	word := p.text(p.tok)
	if p.tok.kind == tDot && !p.bad {
		d := p.errs.add(p.tok.pos, "bad-directive", "found "+word+", expected "+expected)
		candidates := declWords
		for t := Type(1); t < numTypes; t++ {
			candidates = append(candidates[:len(candidates):len(candidates)], "."+t.String())
		}
		if s := didYouMean(word, candidates); s != "" {
			d.Remedy = "did you mean " + s + "?"
		}
		p.bad = true
		return
	}
	p.expected(expected)
}

// declaration reads a variable declaration or a function. in is the block around it, nil at module
// level.
func (p *parser) declaration(in *Block) {
	link := LinkNone
	for l := LinkVisible; l <= LinkCommon; l++ {
		if p.isDot(l.String()) {
			link = l
			p.advance()
			break
		}
	}
	if p.isDot(".entry") || p.isDot(".func") {
		if in != nil {
			p.fail(p.tok.pos, "syntax", "found %s inside a function's body, expected a statement: is a '}' missing?", p.text(p.tok))
			return
		}
		p.function(link)
		return
	}
	if in != nil && link != LinkNone {
		p.fail(p.tok.pos, "bad-directive", "found %s inside a function's body, expected it at module level", link)
		return
	}
	first := p.varPrefix(link)
	if p.bad {
		return
	}
	for {
		v := *first
		p.varName(&v, in)
		if p.bad {
			return
		}
		if in != nil {
			in.Stmts = append(in.Stmts, &v)
		} else {
			p.m.Items = append(p.m.Items, &v)
		}
		if !p.got(',') {
			break
		}
	}
	p.semi()
}

var spaces = map[string]Space{
	".reg": SpaceReg, ".sreg": SpaceSreg, ".const": SpaceConst, ".global": SpaceGlobal,
	".local": SpaceLocal, ".param": SpaceParam, ".shared": SpaceShared, ".tex": SpaceTex,
}

// varPrefix reads a declaration up to its first name: space, alignment, vector and type, in each
// order that compilers write.
func (p *parser) varPrefix(link Linkage) *Var {
	v := &Var{Link: link, Family: -1, Func: p.fn}
	haveSpace := false
	for !p.bad && p.tok.kind == tDot {
		word := p.text(p.tok)
		switch {
		case v.Type != NoType && word == ".ptr":
			p.advance()
			p.ptrAttrs(v)
		case word == ".align":
			v.Align = p.align()
		case word == ".attribute":
			v.Attrs = append(v.Attrs, p.attributes()...)
		case v.Type == NoType && (word == ".v2" || word == ".v4" || word == ".v8"):
			v.Vec = int(word[2] - '0')
			p.advance()
		default:
			if s, ok := spaces[word]; ok && !haveSpace {
				haveSpace = true
				v.Space = s
				p.advance()
				if s == SpaceConst && p.tok.kind == '[' {
					p.bank(v)
				}
				continue
			}
			t := ParseType(word[1:])
			switch {
			case word == ".v2" || word == ".v4" || word == ".v8":
				p.fail(p.tok.pos, "syntax", "found %s after .%s, expected a name: the length of a vector stands before its type", word, v.Type)
				return v
			case t != NoType && v.Type != NoType:
				p.fail(p.tok.pos, "syntax", "found second type %s after .%s, expected a name", word, v.Type)
				return v
			case t == NoType && !haveSpace:
				p.unknownWord("a declaration, a directive or a state space")
				return v
			case t == NoType:
				p.unknownWord("a type, such as .u32")
				return v
			}
			v.Type = t
			p.advance()
		}
	}
	switch {
	case p.bad:
	case !haveSpace:
		p.expected("a state space, such as .global or .reg")
	case v.Type == NoType:
		p.expected("a type, such as .u32")
	}
	return v
}

// bank reads the [n] of .const[n], which PTX 2.2 removed.
func (p *parser) bank(v *Var) {
	if p.m.Version.AtLeast(Version{2, 2}) {
		p.fail(p.tok.pos, "bad-declaration", "found .const[…], which PTX 2.2 and later do not have: the constant bank is one")
		return
	}
	p.advance()
	t := p.tok
	if !p.got(tInt) || t.val > 10 {
		p.bad = false
		p.fail(t.pos, "bad-declaration", "found %s, expected a constant bank, 0 to 10", p.describe(t))
	}
	v.Bank = int(t.val) + 1
	p.want(']', "']'")
}

// align reads the argument of .align, a power of two.
func (p *parser) align() int {
	p.advance()
	at := p.tok.pos
	c := p.plain()
	if p.bad {
		return 0
	}
	if bits.OnesCount64(c.val) != 1 || c.val > 1<<16 {
		p.fail(at, "bad-declaration", "found .align %s, expected a power of two up to 65536", c)
		return 0
	}
	return int(c.val)
}

// ptrAttrs reads the attributes after .ptr of a kernel parameter (PTX 5.1.6.3).
func (p *parser) ptrAttrs(v *Var) {
	v.Ptr = true
	for p.tok.kind == tDot && !p.bad {
		switch word := p.text(p.tok); word {
		case ".const", ".global", ".local", ".shared":
			v.PtrSpace = spaces[word]
			p.advance()
		case ".generic":
			p.advance()
		case ".align":
			v.PtrAlign = p.align()
		default:
			p.unknownWord("a state space, .align or the parameter's name")
		}
	}
}

// attributes reads .attribute(.managed) and .attribute(.unified(1, 2)) (PTX 5.4.8).
func (p *parser) attributes() []Attr {
	p.advance()
	p.want('(', "'('")
	var as []Attr
	for !p.bad {
		p.count(1)
		a := Attr{Pos: p.tok.pos, Name: p.text(p.tok)}
		p.want(tDot, "an attribute, such as .managed")
		if p.got('(') {
			for !p.bad {
				p.count(1)
				a.Args = append(a.Args, p.plain().val)
				if !p.got(',') {
					break
				}
			}
			p.want(')', "')'")
		}
		as = append(as, a)
		if !p.got(',') {
			break
		}
	}
	p.want(')', "')'")
	return as
}

// varName reads one name of a declaration with its family or dimensions and its initialiser.
func (p *parser) varName(v *Var, in *Block) {
	p.count(2)
	v.Pos = p.tok.pos
	v.Name = p.text(p.tok)
	if v.Name == "_" && (p.fn == nil || in != nil) {
		p.expected("a name")
		return
	}
	v.Scope = in
	if !p.got(tIdent) {
		p.expected("a name")
		return
	}
	if p.got('<') {
		at := p.tok.pos
		c := p.plain()
		if p.bad {
			return
		}
		if c.val > maxFamily {
			p.fail(at, "bad-declaration", "found %s<%s>, expected a number of names from 0 to %d", v.Name, c, uint64(maxFamily))
			return
		}
		v.Family = int64(c.val)
		p.want('>', "'>'")
	}
	for p.tok.kind == '[' && !p.bad {
		p.dim(v)
	}
	if p.tok.kind == '=' && !p.bad {
		at := p.tok.pos
		p.advance()
		if v.Family >= 0 {
			p.fail(at, "syntax", "%s<%d> has an initialiser; PTX 5.4.6 permits none", v.Name, v.Family)
			return
		}
		p.brace = 0
		v.Init = p.initializer()
	}
}

// dim reads one array dimension.
func (p *parser) dim(v *Var) {
	at := p.tok.pos
	p.advance()
	if v.Family >= 0 {
		p.fail(at, "syntax", "%s<%d> is an array; PTX 5.4.6 permits none", v.Name, v.Family)
		return
	}
	if p.tok.kind == ']' {
		if len(v.Dims) > 0 {
			p.fail(at, "syntax", "found [] for an inner dimension of %s, expected its size", v.Name)
			return
		}
		p.advance()
		v.Dims = append(v.Dims, Dim{Open: true})
		return
	}
	if len(v.Dims) >= 64 {
		p.fail(at, "too-deep", "%s has more than 64 dimensions", v.Name)
		return
	}
	at = p.tok.pos
	c := p.plain()
	if p.bad {
		return
	}
	v.Dims = append(v.Dims, Dim{Size: c.val})
	// The product counts bytes, so no later sum can overflow.
	total := uint64(max(v.Vec, 1) * v.Type.Bytes())
	for _, d := range v.Dims {
		if d.Open {
			continue
		}
		hi, lo := bits.Mul64(total, d.Size)
		if hi != 0 || lo > maxElems {
			p.fail(at, "too-large", "%s is larger than %d bytes", v.Name, uint64(maxElems))
			return
		}
		total = lo
	}
	p.want(']', "']'")
}

// initializer reads an initialiser (PTX 5.4.4).
func (p *parser) initializer() *Init {
	in := &Init{Pos: p.tok.pos}
	p.count(1)
	if p.bad || !p.enter() {
		return in
	}
	defer p.leave()
	switch {
	case p.tok.kind == '{':
		in.Kind = InitList
		p.advance()
		p.brace++
		for p.tok.kind != '}' && !p.bad {
			in.List = append(in.List, p.element())
			if !p.got(',') {
				break
			}
			if p.tok.kind == '}' {
				p.expected("a value after ','")
			}
		}
		p.want('}', "',' or '}'")
		if !p.bad {
			p.brace--
		}
	case p.tok.kind == tIdent && p.text(p.tok) != "WARP_SZ":
		p.address(in)
	default:
		c := p.constExpr()
		if p.tok.kind == '(' && !p.bad {
			p.mask(in, c)
			return in
		}
		in.setConst(c)
	}
	return in
}

// element reads an element of a list: an initialiser, or `field = value` of an opaque type.
func (p *parser) element() *Init {
	if p.tok.kind != tIdent {
		return p.initializer()
	}
	in := &Init{Pos: p.tok.pos, Kind: InitEnum, Name: p.text(p.tok)}
	if p.peekByte() != '=' {
		return p.initializer()
	}
	p.advance()
	p.want('=', "'='")
	field := in.Name
	if p.tok.kind == tIdent {
		in.Name = p.text(p.tok)
		p.advance()
	} else {
		in = p.initializer()
	}
	in.Field = field
	return in
}

// peekByte returns the byte after the next token and the spaces that follow it.
func (p *parser) peekByte() byte {
	for i := int(p.tok.end); i < len(p.src); i++ {
		if charClass[p.src[i]]&cSpace == 0 {
			return p.src[i]
		}
	}
	return 0
}

// address reads a name or generic(name), either with an added constant.
func (p *parser) address(in *Init) {
	in.Kind = InitAddr
	in.Name = p.text(p.tok)
	p.advance()
	if in.Name == "generic" && p.got('(') {
		in.Generic = true
		in.Name = p.text(p.tok)
		if !p.got(tIdent) {
			p.expected("a variable's name")
			return
		}
		p.want(')', "')': the offset stands after it")
	} else if p.tok.kind == '[' {
		p.fail(p.tok.pos, "syntax", "found '[' in an initialiser, expected %s + bytes", in.Name)
		return
	}
	in.Off += p.addend()
}

// mask reads the rest of 0xff00(expression).
func (p *parser) mask(in *Init, m constant) {
	at := p.tok.pos
	if m.float || bits.TrailingZeros64(m.val)%8 != 0 || m.val>>(bits.TrailingZeros64(m.val)&63) != 0xff {
		p.fail(at, "bad-literal", "found mask %s, expected one byte: 0xff, 0xff00 … 0xff00000000000000", m)
		return
	}
	p.advance()
	if p.tok.kind == tIdent && p.text(p.tok) != "WARP_SZ" {
		p.address(in)
	} else {
		in.setConst(p.constInt())
	}
	in.Mask = m.val
	p.want(')', "')'")
}

func (in *Init) setConst(c constant) {
	in.Bits, in.Unsigned, in.Single = c.val, c.unsigned, c.single
	in.Kind = InitInt
	if c.float {
		in.Kind = InitFloat
	}
}

// function reads .entry and .func (PTX 11.2), with or without a body.
func (p *parser) function(link Linkage) {
	f := &Func{Link: link, Entry: p.text(p.tok) == ".entry"}
	p.advance()
	outer := p.fn
	p.fn = f
	defer func() { p.fn = outer }()
	if p.isDot(".attribute") {
		f.Attrs = p.attributes()
	}
	if p.tok.kind == '(' {
		if f.Entry {
			p.fail(p.tok.pos, "syntax", "found '(' before a kernel's name; kernels return nothing")
			return
		}
		f.Results = p.params(f)
	}
	f.Pos = p.tok.pos
	f.Name = p.text(p.tok)
	if f.Name == "_" || !p.got(tIdent) {
		p.expected("a function's name")
		return
	}
	p.signature(f)
	if p.bad {
		return
	}
	p.m.Items = append(p.m.Items, f)
	if p.tok.kind != '{' {
		// Errata E127: old compilers end prototypes of functions without a semicolon.
		if f.Entry || p.tok.kind != tEOF && !p.beginsItem() {
			p.want(';', "'{' or ';' after the head of "+f.Name)
		} else {
			p.m.beyond(f.Pos, "11.2.2", "a prototype of a function ends without a semicolon")
		}
		return
	}
	if p.texts != nil {
		p.passBody(f)
		return
	}
	f.body = p.body(f)
	f.End = f.body.End
	if f.Entry && len(f.Params) == 0 && !p.m.Version.AtLeast(Version{1, 4}) {
		p.oldParams(f)
	}
}

// signature reads parameters and directives.
func (p *parser) signature(f *Func) {
	if p.tok.kind == '(' && !p.bad {
		f.Params = p.params(f)
	}
	for p.tok.kind == tDot && !p.bad {
		if directiveTable[p.text(p.tok)].of == 0 && !f.Entry && f.Name != "_" && p.beginsItem() {
			return // a directive of the module: the prototype ends without a semicolon
		}
		f.Directives = append(f.Directives, p.funcDirective())
	}
}

// oldParams turns the .param variables of the body into parameters, as in PTX 1.0 to 1.3 (PTX
// 11.2.1).
func (p *parser) oldParams(f *Func) {
	for _, s := range f.body.Stmts {
		if v, ok := s.(*Var); ok && v.Space == SpaceParam {
			f.Params = append(f.Params, v)
		}
	}
}

// params reads a list of parameters in parentheses.
func (p *parser) params(f *Func) []*Var {
	p.want('(', "'('")
	var vs []*Var
	for p.tok.kind != ')' && !p.bad {
		at := p.tok.pos
		hidden := p.isDot(".hidden")
		if hidden {
			p.advance()
		}
		v := p.varPrefix(LinkNone)
		if p.bad {
			break
		}
		v.Hidden = hidden
		if v.Space != SpaceParam && (v.Space != SpaceReg || f.Entry) {
			p.fail(at, "bad-declaration", "found a parameter in %s, expected .param", v.Space)
			break
		}
		if p.varName(v, nil); p.bad {
			break
		}
		switch at := v.Pos; {
		case v.Family >= 0:
			p.fail(at, "bad-declaration", "parameter %s<%d> is a family; a parameter is one variable", v.Name, v.Family)
		case len(v.Dims) > 1:
			p.fail(at, "bad-declaration", "parameter %s has %d dimensions; arrays among parameters have one", v.Name, len(v.Dims))
		}
		vs = append(vs, v)
		if !p.got(',') {
			break
		}
	}
	p.want(')', "',' or ')'")
	return vs
}

// funcDirective reads a directive between a function's head and its body.
func (p *parser) funcDirective() *Directive {
	d := &Directive{Pos: p.tok.pos, Name: p.text(p.tok)}
	info := directiveTable[d.Name]
	n := info.args
	if info.of == 0 {
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(directiveTable)), func(s string) bool { return directiveTable[s].of == 0 })
		e := p.errs.add(d.Pos, "bad-directive", "found "+d.Name+", expected a directive such as .maxntid, or the body")
		if s := didYouMean(d.Name, names); s != "" {
			e.Remedy = "did you mean " + s + "?"
		}
		p.bad = true
		return d
	}
	p.advance()
	if n > 0 {
		p.args(d)
	}
	if len(d.Args) > n {
		p.fail(d.Args[n].Pos, "bad-directive", "%s has %d arguments, expected at most %d", d.Name, len(d.Args), n)
	}
	if d.Name == ".pragma" {
		p.semi()
	}
	return d
}
