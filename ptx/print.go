package ptx

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes the module as PTX text. Parsing that text yields an equal tree, except for
// positions. Constants are printed evaluated and declarations one a line; comments are lost.
func Print(w io.Writer, m *Module) error {
	p := &printer{}
	p.module(m)
	_, err := io.WriteString(w, p.String())
	return err
}

// String returns the instruction as text, without its semicolon.
func (in *Instr) String() string {
	p := &printer{}
	p.instr(in)
	return p.String()
}

// String returns the operand as text.
func (o *Operand) String() string {
	p := &printer{}
	p.operand(o)
	return p.String()
}

// A printer collects text.
type printer struct {
	strings.Builder
	indent int
}

func (p *printer) f(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// nl starts a line.
func (p *printer) nl() {
	p.WriteByte('\n')
	for range p.indent {
		p.WriteByte('\t')
	}
}

// module writes the whole module.
func (p *printer) module(m *Module) {
	if m.Version != (Version{}) {
		p.f(".version %s", m.Version)
		p.nl()
	}
	p.targets(m.Targets)
	if m.AddressPos.Line > 0 || m.AddressSize != 32 {
		p.f(".address_size %d", m.AddressSize)
		p.nl()
	}
	for _, it := range m.Items {
		p.nl()
		switch it := it.(type) {
		case *Var:
			p.variable(it)
			p.WriteByte(';')
		case *Func:
			p.function(it)
		case *Directive:
			p.directive(it)
		}
	}
	p.WriteByte('\n')
}

// targets writes .target directives, each with one architecture.
func (p *printer) targets(words []string) {
	archs := 0
	for i, w := range words {
		_, option := optionSince[w]
		if !option {
			archs++
		}
		switch {
		case i == 0:
			p.WriteString(".target ")
		case !option && archs > 1:
			p.nl()
			p.WriteString(".target ")
		default:
			p.WriteString(", ")
		}
		p.WriteString(w)
	}
	if len(words) > 0 {
		p.nl()
	}
}

// word writes a word and a space.
func (p *printer) word(s string) {
	if s != "" {
		p.WriteString(s)
		p.WriteByte(' ')
	}
}

// variable writes a declaration without its semicolon.
func (p *printer) variable(v *Var) {
	p.word(v.Link.String())
	if v.Hidden {
		p.word(".hidden")
	}
	p.WriteString(v.Space.String())
	if v.Bank > 0 {
		p.f("[%d]", v.Bank-1)
	}
	p.WriteByte(' ')
	p.attrs(v.Attrs)
	if v.Align > 0 {
		p.f(".align %d ", v.Align)
	}
	if v.Vec > 0 {
		p.f(".v%d ", v.Vec)
	}
	p.f(".%s ", v.Type)
	if v.Ptr {
		p.word(".ptr")
		if v.PtrSpace != SpaceGeneric {
			p.word(v.PtrSpace.String())
		}
		if v.PtrAlign > 0 {
			p.f(".align %d ", v.PtrAlign)
		}
	}
	p.WriteString(v.Name)
	if v.Family >= 0 {
		p.f("<%d>", v.Family)
	}
	for _, d := range v.Dims {
		if d.Open {
			p.WriteString("[]")
		} else {
			p.f("[%d]", d.Size)
		}
	}
	if v.Init != nil {
		p.WriteString(" = ")
		p.init(v.Init)
	}
}

// attrs writes the attributes of a variable or function.
func (p *printer) attrs(as []Attr) {
	if len(as) == 0 {
		return
	}
	p.WriteString(".attribute(")
	for i, a := range as {
		p.comma(i)
		p.WriteString(a.Name)
		if len(a.Args) > 0 {
			p.WriteByte('(')
			for j, x := range a.Args {
				p.comma(j)
				p.f("%#x", x)
			}
			p.WriteByte(')')
		}
	}
	p.WriteString(") ")
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.WriteString(", ")
	}
}

// init writes an initialiser.
func (p *printer) init(in *Init) {
	if in.Field != "" {
		p.f("%s = ", in.Field)
	}
	if in.Mask != 0 {
		p.f("%#x(", in.Mask)
		defer p.WriteByte(')')
	}
	switch in.Kind {
	case InitInt, InitFloat:
		c := constant{val: in.Bits, unsigned: in.Unsigned, float: in.Kind == InitFloat, single: in.Single}
		p.WriteString(c.String())
	case InitList:
		p.WriteByte('{')
		for i, e := range in.List {
			p.comma(i)
			p.init(e)
		}
		p.WriteByte('}')
	case InitAddr:
		if in.Generic {
			p.f("generic(%s)", in.Name)
		} else {
			p.WriteString(in.Name)
		}
		p.offset(in.Off)
	case InitEnum:
		p.WriteString(in.Name)
	}
}

// offset writes an added constant; it writes nothing for 0.
func (p *printer) offset(off int64) {
	if off != 0 {
		p.WriteString("+" + formatSigned(off)) // +-4: PTX 6.4.1 has no minus after a name
	}
}

// function writes a kernel or device function, with its body if it has one.
func (p *printer) function(f *Func) {
	p.word(f.Link.String())
	if f.Entry {
		p.word(".entry")
	} else {
		p.word(".func")
	}
	p.attrs(f.Attrs)
	p.signature(f)
	if !f.Defined() {
		p.WriteByte(';')
		return
	}
	p.nl()
	p.block(&f.Body().Block)
}

// signature writes results, name, parameters and directives.
func (p *printer) signature(f *Func) {
	if len(f.Results) > 0 {
		p.params(f.Results)
		p.WriteByte(' ')
	}
	p.WriteString(f.Name)
	if len(f.Params) > 0 && f.Params[0].Scope == nil {
		p.params(f.Params)
	}
	for _, d := range f.Directives {
		p.WriteByte(' ')
		p.directive(d)
	}
}

func (p *printer) params(vs []*Var) {
	p.WriteByte('(')
	for i, v := range vs {
		p.comma(i)
		p.variable(v)
	}
	p.WriteByte(')')
}

// block writes a block with its braces.
func (p *printer) block(b *Block) {
	p.WriteByte('{')
	p.indent++
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Label:
			if s.Dir == nil {
				p.indent--
				p.nl()
				p.indent++
				p.f("%s:", s.Name)
			}
		case *Instr:
			p.nl()
			p.instr(s)
			p.WriteByte(';')
		case *Var:
			p.nl()
			p.variable(s)
			p.WriteByte(';')
		case *Block:
			p.nl()
			p.block(s)
		case *Loc:
			p.nl()
			p.loc(s)
		case *Directive:
			p.nl()
			p.directive(s)
		}
	}
	p.indent--
	p.nl()
	p.WriteByte('}')
}

// loc writes a .loc directive.
func (p *printer) loc(l *Loc) {
	p.f(".loc %d %d %d", l.File, l.Line, l.Col)
	if l.FuncName != "" {
		p.f(", function_name %s", l.FuncName)
		p.offset(l.FuncOff)
	}
	if l.Inlined {
		p.f(", inlined_at %d %d %d", l.InlinedFile, l.InlinedLine, l.InlinedCol)
	}
}

// directive writes a directive with its label and arguments.
func (p *printer) directive(d *Directive) {
	if d.Label != nil {
		p.f("%s: ", d.Label.Name)
	}
	p.WriteString(d.Name)
	switch d.Name {
	case "@@DWARF":
		p.f(" %s", d.Raw)
		return
	case ".section":
		p.f(" %s\n{\n%s\n}", d.Args[0].Name, d.Raw)
		return
	case ".nv_intermediate_source_section":
		p.f(" {\n%s\n}", d.Raw)
		return
	case ".loc_intermediate":
		for i := range d.Args {
			p.WriteByte(' ')
			p.operand(&d.Args[i])
		}
		return
	case ".callprototype":
		p.WriteByte(' ')
		p.signature(d.Proto)
		p.WriteByte(';')
		return
	}
	for i := range d.Args {
		switch {
		case i == 0, i == 1 && d.Name == ".file":
			p.WriteByte(' ')
		default:
			p.WriteString(", ")
		}
		p.operand(&d.Args[i])
	}
	switch d.Name {
	case ".pragma", ".alias", ".branchtargets", ".calltargets":
		p.WriteByte(';')
	}
}

// instr writes an instruction without its semicolon.
func (p *printer) instr(in *Instr) {
	if g := in.Guard; g != nil {
		p.WriteByte('@')
		if g.Not {
			p.WriteByte('!')
		}
		p.operand(&g.Reg)
		p.WriteByte(' ')
	}
	p.WriteString(in.Op)
	for i := range in.Args {
		if i > 0 {
			p.WriteByte(',')
		}
		p.WriteByte(' ')
		p.operand(&in.Args[i])
	}
}

// operand writes an operand.
func (p *printer) operand(o *Operand) {
	switch o.Kind {
	case KindInt, KindFloat:
		c := constant{val: o.Val, unsigned: o.Unsigned, float: o.Kind == KindFloat, single: o.Single, warp: o.Name == "WARP_SZ"}
		p.WriteString(c.String())
	case KindString:
		p.WriteString(`"` + o.Name + `"`)
	case KindSink:
		p.WriteByte('_')
	case KindNot, KindNeg:
		p.WriteByte(map[Kind]byte{KindNot: '!', KindNeg: '-'}[o.Kind])
		p.operand(&o.List[0])
	case KindVector:
		p.list("{", o.List, "}")
	case KindList:
		p.list("(", o.List, ")")
	case KindPair:
		p.operand(&o.List[0])
		p.WriteByte('|')
		p.operand(&o.List[1])
	case KindAddr:
		p.WriteByte('[')
		for i := range o.List {
			p.comma(i)
			p.operand(&o.List[i])
			if i == 0 {
				p.offset(o.Off)
			}
		}
		p.WriteByte(']')
		if o.Comp != "" {
			p.WriteString("." + o.Comp)
		}
	case KindIndex:
		p.WriteString(o.Name)
		p.WriteByte('[')
		p.operand(&o.List[0])
		p.offset(o.Off)
		p.WriteByte(']')
	case KindSum:
		p.operand(&o.List[0])
		p.sum(o.Off)
	default:
		p.WriteString(o.Name)
		if o.Comp != "" {
			p.WriteByte('.')
			p.WriteString(o.Comp)
		}
		if o.Kind == KindSymOff {
			p.sum(o.Off)
		}
	}
}

// sum writes an added constant even if it is 0, because the tree distinguishes 0 from no constant.
func (p *printer) sum(off int64) {
	if off == 0 {
		p.WriteString("+" + strconv.Itoa(0))
		return
	}
	p.offset(off)
}

func (p *printer) list(open string, list []Operand, end string) {
	p.WriteString(open)
	for i := range list {
		p.comma(i)
		p.operand(&list[i])
	}
	p.WriteString(end)
}
