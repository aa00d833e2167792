package ptx

// section checks the lines of a .section (PTX 11.5.2). They are kept as text, because debug
// information does not change the behaviour of a kernel.
func (r *resolver) section(d *Directive) {
	open, end := d.body[0], d.body[1]
	p := &parser{m: r.m, limit: maxNodes, inSection: true, lexer: lexer{
		file: r.m.File, src: r.m.Src[:end.Off], off: int(open.Off) + 1,
		line: open.Line, lineAt: int(open.Off - open.Col + 1), errs: r.errs,
	}}
	for p.advance(); p.tok.kind != tEOF && !p.bad; {
		p.dwarfLine()
	}
}

// dwarfLine reads a label, or a size and a list of values.
func (p *parser) dwarfLine() {
	if p.tok.kind == tIdent && p.isLabel() {
		p.advance()
		p.advance()
		return
	}
	size := map[string]int{".b8": 8, ".b16": 16, ".b32": 32, ".b64": 64}[p.text(p.tok)]
	if p.tok.kind != tDot || size == 0 {
		p.expected("a label, .b8, .b16, .b32 or .b64")
		return
	}
	p.advance()
	for p.dwarfValue(size); p.got(','); {
		p.dwarfValue(size)
	}
}

// dwarfValue reads an integer, a label, a label plus an offset, or the difference of two labels.
func (p *parser) dwarfValue(size int) {
	if p.tok.kind == tIdent || p.tok.kind == tDot {
		p.advance()
		for p.tok.kind == '+' || p.tok.kind == '-' {
			p.advance()
			if !p.got(tInt) && !p.got(tIdent) && !p.got(tDot) {
				p.expected("a number or label")
			}
		}
		return
	}
	minus := p.got('-')
	t := p.tok
	if !p.got(tInt) {
		p.expected("a number or label")
		return
	}
	// Errata: PTX 11.5.2 gives .b16 the least value -2^15, but its own example has -65535. Here the
	// magnitude has to fit, which the same section's example -99 for .b8 allows too.
	if size < 64 && t.val >= 1<<size {
		sign := ""
		if minus {
			sign = "-"
		}
		p.fail(t.pos, "bad-literal", "%s%d does not fit .b%d", sign, t.val, size)
	}
}
