package language

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/ptx"
)

// A CompletionKind is the kind of a proposal.
type CompletionKind uint8

// The kinds of proposals.
const (
	CompleteMnemonic CompletionKind = iota
	CompleteModifier
	CompleteRegister
	CompleteLabel
	CompleteFunction
	CompleteVariable
	CompleteDirective
	CompleteType
)

// A Completion is a proposal for a position: its edit replaces the word there.
type Completion struct {
	Label  string
	Kind   CompletionKind
	Detail string
	Doc    string
	Edit   TextEdit
	// Old reports that the module's version or target lacks it.
	Old bool
	// Rank orders proposals of one list: the lower one first.
	Rank int
}

// Complete returns the words that fit a position: mnemonics at the beginning of a statement, the modifiers that
// may follow those of an opcode, and the names in scope as operands.
func (d *Document) Complete(at Position) []Completion {
	if d.inline != nil {
		return d.inlineCompletions(at)
	}
	off := d.text.offset(at)
	if d.inComment(off) {
		return nil
	}
	switch d.isa {
	case crosslane.PTX:
		return d.completePTX(off)
	case crosslane.GCN3:
		return d.completeGCN3(off)
	}
	return nil
}

// A proposer makes proposals that replace the bytes of one word.
type proposer struct {
	d        *Document
	from, to int
	list     []Completion
}

func (p *proposer) add(kind CompletionKind, label, detail, doc string) *Completion {
	p.list = append(p.list, Completion{Label: label, Kind: kind, Detail: detail, Doc: doc, Rank: len(p.list),
		Edit: TextEdit{p.d.text.between(p.from, p.to), label}})
	return &p.list[len(p.list)-1]
}

// wordAt returns the bytes of the word at an offset that bytes of a set make.
func (d *Document) wordAt(off int, in func(byte) bool) (from, to int) {
	from, to = off, off
	for from > 0 && in(d.text.text[from-1]) {
		from--
	}
	for to < len(d.text.text) && in(d.text.text[to]) {
		to++
	}
	return from, to
}

func (d *Document) completePTX(off int) []Completion {
	text := d.text.text
	from, to := d.wordAt(off, func(c byte) bool { return letter(c) || digit(c) || c == '$' || c == '%' || c == '.' || c == ':' })
	word := text[from:off]
	// A label ends with a colon; :: is a part of a modifier.
	if i := strings.LastIndex(strings.ReplaceAll(word, "::", ".."), ":"); i >= 0 {
		from += i + 1
		word = text[from:off]
	}
	p := &proposer{d: d, from: from, to: to}
	first := d.firstWord(from)
	dot := strings.LastIndexByte(word, '.')
	switch {
	case first && dot > 0:
		p.from = from + dot + 1
		p.modifiers(strings.Split(word, ".")[:strings.Count(word, ".")])
	case first && strings.HasPrefix(word, "."):
		p.directives()
	case first:
		p.mnemonics()
		p.directives()
	case strings.HasPrefix(word, "."):
		for _, t := range ptx.TypeNames() {
			p.add(CompleteType, "."+t, "type", "")
		}
		p.directives()
	case dot > 0 && ptx.LookupSpecial(word[:dot]) != ptx.SpecialNone:
		p.from = from + dot + 1
		for _, c := range []string{"x", "y", "z"} {
			p.add(CompleteModifier, c, word[:dot], "")
		}
	default:
		p.operands(off, strings.HasPrefix(word, "%"))
	}
	return p.list
}

// firstWord reports whether a word that begins at an offset begins a statement or follows its guard.
func (d *Document) firstWord(off int) bool {
	t := d.lastTokenBefore(off)
	if t < 0 {
		return true
	}
	switch d.tok(t) {
	case ";", "}", ":":
		return true
	case "{", "(", ",":
		s := d.statementAt(t)
		return d.tok(t) == "{" && (s == nil || s.kind == directive)
	}
	s := d.statementAt(t)
	if s == nil {
		return true
	}
	if s.kind == instruction && s.from < len(d.toks) && d.is(s.from, "@") && (s.op < 0 || s.op > t) {
		return d.toks[t].kind == tokWord
	}
	if s.kind == directive && d.text.lineOf(d.toks[t].from) != d.text.lineOf(off) {
		return true
	}
	return s.op > t
}

// mnemonics proposes the beginnings of opcodes.
func (p *proposer) mnemonics() {
	for _, m := range ptx.Mnemonics() {
		c := p.add(CompleteMnemonic, m.Name, "", m.About)
		if !m.Runs {
			c.Detail, c.Old = "Crosslane does not run it", true
		}
	}
}

// modifiers proposes the words that may follow the beginning of an opcode.
func (p *proposer) modifiers(parts []string) {
	next, _ := ptx.NextModifiers(parts, p.d.module.version, p.d.module.target)
	for _, n := range next {
		detail := "PTX " + n.PTX.String()
		if n.SM > 0 {
			detail += fmt.Sprintf(", sm_%d", n.SM)
		}
		if n.Class != n.Text {
			detail = n.Class + ", " + detail
		}
		c := p.add(CompleteModifier, n.Text, detail, "")
		if !n.Fits {
			c.Old = true
			c.Rank += 1000
		}
	}
}

// directives proposes the directives of PTX.
func (p *proposer) directives() {
	for _, f := range ptx.Directives() {
		c := p.add(CompleteDirective, f.Name, "PTX ISA "+f.Section, "")
		m := p.d.module
		c.Old = m.version != (ptx.Version{}) && !m.version.AtLeast(f.PTX) || m.target.SM > 0 && m.target.SM < f.SM
	}
}

// operands proposes the names that are visible at an offset. registers leaves the other names out.
func (p *proposer) operands(off int, registers bool) {
	in := p.d.scopeAt(off)
	seen := map[string]bool{}
	for ; in != nil; in = in.parent {
		for _, s := range p.d.syms {
			if s.scope != in || seen[s.name] {
				continue
			}
			seen[s.name] = true
			detail := strings.TrimSpace(strings.TrimPrefix(dotted(s.space), ".reg") + " " + dotted(s.typ))
			switch s.kind {
			case symRegister:
				p.add(CompleteRegister, s.name, detail, "")
			case symFamily:
				if next, ok := p.d.unused(s); ok && !seen[next] {
					seen[next] = true
					p.add(CompleteRegister, next, detail+" (not used yet)", "")
				}
			case symLabel:
				p.named(registers, CompleteLabel, s.name, "label")
			case symParam, symVariable:
				p.named(registers, CompleteVariable, s.name, detail)
			case symFunction, symKernel:
				p.named(registers, CompleteFunction, s.name, s.kind.String())
			}
		}
	}
	for _, s := range ptx.Specials() {
		c := p.add(CompleteRegister, s.Name, "special register ."+s.Type.String(), "")
		m := p.d.module
		c.Old = m.version != (ptx.Version{}) && !m.version.AtLeast(s.PTX) || m.target.SM > 0 && m.target.SM < s.SM
		c.Rank += 1000
	}
	p.named(registers, CompleteVariable, "WARP_SZ", "the lanes of a warp")
}

// named proposes a name that is no register, unless only registers are wanted.
func (p *proposer) named(registers bool, kind CompletionKind, name, detail string) {
	if !registers {
		p.add(kind, name, detail, "")
	}
}

// unused returns the first member of a family that the text does not name.
func (d *Document) unused(family *symbol) (string, bool) {
	for n := range family.count {
		name := fmt.Sprintf("%s%d", family.name, n)
		if s := family.scope.names[name]; s == nil || len(s.refs) == 0 {
			return name, true
		}
		if n > 1<<16 {
			break
		}
	}
	return "", false
}

// scopeAt returns the scope at an offset.
func (d *Document) scopeAt(off int) *scope {
	var in *scope
	if s := d.statementBefore(off); s != nil {
		in = s.scope
	}
	if in == nil && len(d.stmts) > 0 {
		for in = d.stmts[0].scope; in != nil && in.parent != nil; in = in.parent {
		}
	}
	return in
}

func (d *Document) completeGCN3(off int) []Completion {
	from, to := d.wordAt(off, func(c byte) bool { return letter(c) || digit(c) || c == '$' || c == '.' })
	p := &proposer{d: d, from: from, to: to}
	word := d.text.text[from:off]
	s := d.statementBefore(off)
	if s == nil || s.op < 0 || d.toks[s.op].from >= from {
		if !strings.HasPrefix(word, ".") {
			for _, r := range amdgpu.Rows() {
				c := p.add(CompleteMnemonic, r.Name, r.Format.String(), r.Does)
				if r.Sem == nil {
					c.Detail, c.Old = "Crosslane does not run it", true
				}
			}
		}
		for _, name := range asm.Directives() {
			p.add(CompleteDirective, name, "directive", "")
		}
		return p.list
	}
	if s.kind == instruction {
		if row, enc := d.rowOf(s); row != nil && strings.Count(d.text.text[d.toks[s.op].to:from], ",")+1 >= len(row.Operands) {
			encs := []amdgpu.Enc{enc}
			if enc == amdgpu.E32 { // without a suffix the modifiers choose the encoding
				encs = []amdgpu.Enc{amdgpu.E32, amdgpu.E64, amdgpu.EncDPP, amdgpu.EncSDWA}
			}
			seen := map[string]bool{}
			for _, e := range encs {
				for _, m := range row.ModifiersOf(e) {
					if !seen[m.Text] {
						seen[m.Text] = true
						p.add(CompleteModifier, m.Text, m.Meaning, "")
					}
				}
			}
		}
	}
	p.gcn3Names(s.fn)
	return p.list
}

// gcn3Names proposes labels, constants and registers.
func (p *proposer) gcn3Names(fn int) {
	var regs []string
	for _, s := range p.d.syms {
		switch {
		case s.kind == symRegister && s.fn == fn:
			regs = append(regs, s.name)
		case s.kind == symLabel:
			p.add(CompleteLabel, s.name, "label", "")
		case s.kind == symFunction || s.kind == symKernel:
			p.add(CompleteFunction, s.name, s.kind.String(), "")
		case s.kind == symConstant:
			p.add(CompleteVariable, s.name, "constant", "")
		}
	}
	slices.Sort(regs)
	for _, name := range regs {
		p.add(CompleteRegister, name, gcn3RegisterText(name), "")
	}
	for _, name := range amdgpu.GFX803.SpecialNames() {
		if !slices.Contains(regs, name) {
			p.add(CompleteRegister, name, gcn3RegisterText(name), "")
		}
	}
}
