package ptx

import (
	"slices"
	"sync"
	"weak"

	"example.org/crosslane/diag"
)

// largeText is the size in bytes from which on Load keeps no bodies. The tree of a text takes about
// fifteen times the memory of the text, and reading a body takes less time than lifting it.
const largeText = 256 << 10

// A bodyText is the place of a function's body in the text of a large module.
type bodyText struct {
	open   Pos // the opening brace
	last   weak.Pointer[Body]
	passed bool // reads has noted the names that the body mentions
	reads  map[*Var]bool
}

// texts reads the bodies of a large module, one at a time.
type texts struct {
	mu      sync.Mutex
	r       *resolver           // its state after the heads have been read
	opcodes map[string][]string // by spelling
}

// Large reports whether the module keeps no bodies: see Load.
func (m *Module) Large() bool { return m.large }

// Load is Parse and, if there is no error, Check without the errors of class Unsupported. An
// unsupported instruction matters only when a kernel that contains it is launched, and lifting
// names it then. If the text is large, the Module keeps no bodies; Func.Body reads them again from
// the text.
func Load(file, src string) (*Module, diag.List) { return load(file, src, largeText) }

// load implements Load; a text of large bytes or more is loaded without its bodies if that is
// possible.
func load(file, src string, large int) (*Module, diag.List) {
	src = src[:TextEnd(src)]
	if len(src) >= large {
		if m, l, ok := loadTexts(file, src); ok {
			return m, l
		}
		// The slow path keeps the whole text in memory and reports its errors in order.
	}
	m, l := Parse(file, src)
	if l.Err() == nil {
		l = append(l, supported(Check(m))...)
	}
	return m, l
}

// loadTexts loads a large module. ok is false if the module has an error or cannot be read in
// parts.
func loadTexts(file, src string) (m *Module, l diag.List, ok bool) {
	p := newParser(file, src)
	t := &texts{opcodes: map[string][]string{}}
	p.texts = t
	if p.errs.count == 0 {
		p.module()
	}
	m = p.m
	if p.errs.count > 0 || !m.Version.AtLeast(Version{1, 4}) { // before, the body declared the parameters
		return nil, nil, false
	}
	t.r = newResolver(m, p.errs)
	t.r.heads()
	c := newChecker(m)
	facts := &scan{m: m, taken: map[*Func]bool{}}
	for _, it := range m.Items {
		f, ok := it.(*Func)
		if !ok || !f.Defined() {
			continue
		}
		b, read := t.read(f)
		if p.nodes += read.nodes; p.errs.count > 0 || p.nodes > maxNodes {
			return nil, nil, false
		}
		m.debugInfo = m.debugInfo || read.m.debugInfo
		for _, u := range read.m.dialect {
			m.beyond(u.pos, u.sec, u.what)
		}
		c.function(f, b)
		facts.body(c, f, b)
		if f.Entry {
			f.text.reads, f.text.passed = b.mentioned(f), true
		}
	}
	if t.r.debugInfo(); p.errs.count > 0 {
		return nil, nil, false
	}
	// Check reports on the module before its functions, but the variables that the functions use
	// are known only now.
	of := len(c.errs.list)
	c.lintModule()
	c.errs.list = slices.Concat(c.errs.list[of:], c.errs.list[:of])
	m.large, m.scanned = true, facts
	m.variants.Store(&c.variants) // read only from here on
	return m, append(p.errs.finish(), supported(c.errs.finish())...), true
}

// supported returns the diagnostics of a list without those of class Unsupported.
func supported(l diag.List) diag.List {
	return slices.DeleteFunc(l, func(d *diag.Diagnostic) bool { return d.Class == diag.Unsupported })
}

// passBody skips the body of a function; texts reads it later.
func (p *parser) passBody(f *Func) {
	f.texts, f.text.open = p.texts, p.tok.pos
	for depth := 1; depth > 0; {
		switch {
		case p.off >= len(p.src):
			p.errs.add(f.text.open, "syntax", "block is not closed")
			p.tok = p.next()
			return
		case p.src[p.off] == '{':
			depth++
		case p.src[p.off] == '}':
			depth--
		case p.src[p.off] == '"':
			var t token
			t.pos = p.pos(p.off)
			p.str(&t)
			continue
		case p.src[p.off] == '/' || p.src[p.off] == '#' || p.src[p.off] == '\n':
			at := p.off
			if p.skip(); p.off > at {
				continue
			}
		}
		p.off++
	}
	f.End = p.pos(p.off - 1)
	p.advance()
}

// body returns a function's body: the last one if a reference to it remains, else a new one.
func (t *texts) body(f *Func) *Body {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := f.text.last.Value(); b != nil {
		return b
	}
	errs := t.r.errs
	t.r.errs = &errList{file: errs.file, src: errs.src}
	b, _ := t.read(f)
	if t.r.errs.count > 0 {
		panic("ptx: the text of " + f.Name + " was read before, and has errors now")
	}
	t.r.errs = errs
	f.text.last = weak.Make(b)
	return b
}

// read parses and resolves a function's body. The facts about the module that it finds are in the
// returned parser's module.
func (t *texts) read(f *Func) (*Body, *parser) {
	m, open := t.r.m, f.text.open
	p := &parser{
		lexer: lexer{file: m.File, src: m.Src, off: int(open.Off), line: open.Line, lineAt: int(open.Off - open.Col + 1), errs: t.r.errs},
		m:     &Module{File: m.File, Src: m.Src, Version: m.Version, Target: m.Target, AddressSize: m.AddressSize},
		limit: maxNodes, opcodes: t.opcodes,
	}
	// An instruction has at least ten bytes, roughly. Most bodies in a file of many functions are
	// short, so the slabs start small.
	p.piece = min(instrPiece, 1+int(f.End.Off-open.Off)/10)
	p.ops.piece = min(operandPiece, 4*p.piece)
	p.advance()
	b := p.body(f)
	if p.errs.count == 0 {
		t.r.regs = nil // the next body gets a slab of its own
		t.r.resolveBody(f, b)
	}
	return b, p
}
