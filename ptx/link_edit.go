package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A textEdit replaces the bytes from off to end of a module's text.
type textEdit struct {
	off, end int32
	text     string // without line ends
	blank    bool   // each byte that is no line end becomes a blank
}

// An extentChange collects the changes of one declaration: it may declare several variables.
type extentChange struct {
	dropped []Item
	text    string // stands before what remains
}

// change returns the changes of the declaration of an item.
func (in *linkInput) change(item int) *extentChange {
	n := in.extentOf[item]
	c := in.changes[n]
	if c == nil {
		c = &extentChange{}
		in.changes[n] = c
	}
	return c
}

// blank removes a piece of text.
func (in *linkInput) blank(off, end int32) {
	in.edits = append(in.edits, textEdit{off: off, end: end, blank: true})
}

// insert puts text before a byte.
func (in *linkInput) insert(off int32, text string) {
	in.edits = append(in.edits, textEdit{off: off, end: off, text: text})
}

// edit finds the edits of all modules.
func (l *linker) edit() {
	sections := (*linkInput)(nil) // the module whose debug sections stay
	for _, in := range l.inputs {
		for n, e := range in.m.extents {
			last := len(in.m.Items)
			if n+1 < len(in.m.extents) {
				last = int(in.m.extents[n+1].first)
			}
			items := in.m.Items[e.first:last]
			if len(items) == 0 { // .version, .target, .address_size, and .loc outside of functions
				in.blank(e.start, e.end)
				continue
			}
			if c := in.changes[int32(n)]; c != nil {
				in.drop(e, items, c)
			}
			if d, ok := items[0].(*Directive); ok {
				switch d.Name {
				case ".section", "@@DWARF", ".nv_intermediate_source_section":
					if sections == nil {
						sections = in
					}
					if sections != in {
						in.blank(e.start, e.end)
					}
				case ".alias":
					if f := d.Args[0].Func(); f != nil && in.droppedName(f) {
						in.blank(e.start, e.end)
					}
				}
			}
			if f, ok := items[0].(*Func); ok && n+1 == len(in.m.extents) && !f.Defined() && !in.dropped[f] && in.text[e.end-1] != ';' {
				in.insert(e.end, ";") // else the next module could continue the prototype
			}
		}
		if len(in.renamed)+len(in.prefixes)+len(in.outside)+len(in.unlike) > 0 || in.m.debugInfo {
			l.uses(in)
		}
	}
	l.files()
	for _, in := range l.inputs {
		slices.SortStableFunc(in.edits, func(a, b textEdit) int { return cmp.Compare(a.off, b.off) })
	}
}

// droppedName reports whether the declarations of a function were dropped.
func (in *linkInput) droppedName(f *Func) bool { return in.outside[f.Name] != nil && in.dropped[f] }

// drop removes declarations of an extent, and puts other ones before it.
func (in *linkInput) drop(e extent, items []Item, c *extentChange) {
	if c.text != "" {
		in.insert(e.start, c.text)
	}
	gone := map[Item]bool{}
	for _, it := range c.dropped {
		gone[it] = true
	}
	if len(gone) == len(items) {
		in.blank(e.start, e.end)
		return
	}
	// A list of variables: a comma stays if variables before and after it stay.
	kept := len(items) - len(gone)
	for i, it := range items {
		at, end := it.Position().Off, e.end-1 // the semicolon stays
		if i+1 < len(items) {
			end = items[i+1].Position().Off
		}
		comma := end
		if i+1 < len(items) {
			comma = in.lastToken(at, end)
		}
		if gone[it] {
			in.blank(at, comma)
		} else {
			kept--
		}
		if comma < end && (gone[it] || kept == 0) {
			in.blank(comma, comma+1)
		}
	}
}

// lastToken returns the offset of the last token between two offsets.
func (in *linkInput) lastToken(at, end int32) int32 {
	x := in.lexer(at)
	last := at
	for t := x.next(); t.kind != tEOF && t.pos.Off < end; t = x.next() {
		last = t.pos.Off
	}
	return last
}

// lexer returns a lexer that reads the module's text from an offset on. Its lines do not matter.
func (in *linkInput) lexer(at int32) *lexer {
	return &lexer{src: in.text, off: int(at), lineAt: int(at), quiet: true, errs: &errList{}}
}

// uses finds the edits of declarations and of the places that mention them.
func (l *linker) uses(in *linkInput) {
	x := &linkReader{linker: l, in: in, checker: newChecker(in.m), lost: map[*Func]string{}}
	for _, it := range in.m.Items {
		if in.dropped[it] {
			continue
		}
		switch it := it.(type) {
		case *Var:
			if p, ok := in.prefixes[it.Name]; ok && it.Family >= 0 {
				x.substitute(it.Pos.Off, len(it.Name), p)
			} else if n, ok := in.renamed[it.Name]; ok && it.Family < 0 {
				x.substitute(it.Pos.Off, len(it.Name), n)
			}
			x.init(it.Init)
		case *Func:
			if n, ok := in.renamed[it.Name]; ok {
				x.substitute(it.Pos.Off, len(it.Name), n)
			}
			if it.Defined() {
				x.f = it
				b := it.Body()
				x.checker.f, x.checker.returned = it, map[*Var]bool{}
				x.block(&b.Block)
			}
		case *Directive:
			x.directive(it)
		}
	}
	l.errs = append(l.errs, supported(x.checker.errs.finish())...)
}

// A linkReader finds the edits of one module.
type linkReader struct {
	*linker
	in      *linkInput
	f       *Func
	checker *checker
	lost    map[*Func]string // functions that give the results which a declaration has and its definition lacks
}

// substitute replaces n bytes.
func (x *linkReader) substitute(off int32, n int, text string) {
	x.in.edits = append(x.in.edits, textEdit{off: off, end: off + int32(n), text: text})
}

// block reads the statements of a block.
func (x *linkReader) block(b *Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			x.block(s)
		case *Var:
			x.init(s.Init)
		case *Loc:
			x.loc(s)
		case *Directive:
			x.directive(s)
		case *Instr:
			if s.Guard != nil {
				x.operand(&s.Guard.Reg)
			}
			args := s.Args
			if s.Parts[0] == "call" {
				args = args[x.call(s):]
			}
			for i := range args {
				x.operand(&args[i])
			}
		}
	}
}

// directive reads the arguments of a directive.
func (x *linkReader) directive(d *Directive) {
	switch d.Name {
	case ".loc_intermediate":
		x.number(d.Args[0].Pos.Off, d.Args[0].Val)
		return
	case ".file":
		x.in.numbers = append(x.in.numbers, fileNumber{file: d, val: d.Args[0].Val})
		return
	}
	for i := range d.Args {
		o := &d.Args[i]
		if s := x.in.outside[o.Name]; s != nil && d.Name == ".calltargets" && o.Func() != nil {
			if f := s.kept.item.(*Func); f.Entry {
				x.callsKernel(s, o.Pos, "lists")
			} else if shapeOf(f) != shapeOf(o.Func()) {
				x.fail(x.in, o.Pos, codeMismatch, "%s is declared with other results here than in %s, and stands in .calltargets", o.Name, s.kept.in.file).Section = "PTX 11.3.2"
			}
		}
		x.operand(o)
	}
}

// operand reads an operand and its elements.
func (x *linkReader) operand(o *Operand) {
	for i := range o.List {
		x.operand(&o.List[i])
	}
	if o.Ref == nil {
		return
	}
	if v := o.Var(); v != nil && o.Kind == KindIndex && x.in.unlike[v] {
		s := x.byName[v.Name]
		d := x.fail(x.in, o.Pos, codeMismatch, "%s is %s here and %s in %s, so that %s counts other elements", v.Name, v.shape(), s.kept.item.(*Var).shape(), s.kept.in.file, o)
		d.Section, d.Remedy = "PTX 6.4.2", "declare it alike in both modules, or write an offset in bytes"
		return
	}
	to, ok := x.newName(o.Ref, o.Name)
	if !ok {
		return
	}
	if at := int(o.Pos.Off); nameEnd(x.in.text, at)-at != len(o.Name) {
		x.fail(x.in, o.Pos, codeMismatch, "%s stands for several names, of which linking renames %s", x.in.text[at:nameEnd(x.in.text, at)]+"<…>", o.Name).Remedy = "write each name"
		return
	}
	x.substitute(o.Pos.Off, len(o.Name), to)
}

// nameEnd returns the end of the name that starts at an offset.
func nameEnd(src string, at int) int {
	for at++; at < len(src) && charClass[src[at]]&cIdent != 0; at++ {
	}
	return at
}

// newName returns the new name of a declaration that a text mentions by name; ok is false if it
// keeps its name.
func (x *linkReader) newName(d Decl, name string) (to string, ok bool) {
	v, _ := d.(*Var)
	switch d := d.(type) {
	case *Func:
		to, ok = x.in.renamed[d.Name]
		return to, ok
	case *Reg:
		if !d.Module {
			return "", false
		}
		if v = d.Decl; v.Family >= 0 {
			to, ok = x.in.prefixes[v.Name]
			return to + name[len(v.Name):], ok
		}
	}
	if v == nil || v.Func != nil || v.Scope != nil {
		return "", false
	}
	if v.Of != nil {
		to, ok = x.in.prefixes[v.Of.Name]
		return to + name[len(v.Of.Name):], ok
	}
	to, ok = x.in.renamed[v.Name]
	return to, ok
}

// init reads an initialiser.
func (x *linkReader) init(in *Init) {
	if in == nil {
		return
	}
	for _, e := range in.List {
		x.init(e)
	}
	if in.Ref == nil {
		return
	}
	to, ok := x.newName(in.Ref, in.Name)
	if !ok {
		return
	}
	// The name may stand after a mask and generic.
	lex := x.in.lexer(in.Pos.Off)
	generic := in.Generic
	for t := lex.next(); t.kind != tEOF; t = lex.next() {
		if t.kind != tIdent {
			continue
		}
		switch word := lex.src[t.pos.Off:t.end]; {
		case generic && word == "generic":
			generic = false
		case word == in.Name:
			x.substitute(t.pos.Off, len(word), to)
			return
		}
	}
}

// call reads a call of a function that another module declares or defines. The arguments have to fit
// the declaration that remains. Results that the module does not know are discarded. Results that
// the function does not have come from a second call. gone is how many operands were moved there.
func (x *linkReader) call(in *Instr) (gone int) {
	callee := 0
	var results []Operand
	if in.Args[0].Kind == KindList {
		callee, results = 1, in.Args[0].List
	}
	if callee >= len(in.Args) || in.Args[callee].Kind != KindFunc {
		return 0
	}
	s, v := x.outside(in.Args[callee].Func()), x.checker.variant(in)
	if s == nil || v == nil {
		return 0
	}
	x.checker.row, x.checker.section = v.row, v.row.Sec
	f := s.kept.item.(*Func)
	if f.Entry && !in.Args[callee].Func().Entry {
		x.callsKernel(s, in.Args[callee].Pos, "calls")
		return 0
	}
	st := siteOf(x.in.m, in)
	if len(results) > 0 || len(f.Results) == 0 {
		if len(f.Results) == 0 && len(results) > 0 {
			x.lose(in, in.Args[1].Func())
			st.results, gone = nil, 1
		}
		x.checker.callLists(in, f.Name, f, &st)
		return gone
	}
	shown := *f
	shown.Results = nil
	x.checker.callLists(in, f.Name, &shown, &st)
	if x.discard == "" {
		x.discard = x.fresh.name("discarded", 0)
	}
	start := in.Pos.Off
	if in.Guard != nil {
		start = in.Guard.Pos.Off
	}
	p := &printer{}
	p.WriteString("{ ")
	var names []string
	for i, r := range f.Results {
		v := *r
		v.Name, v.Link, v.Init = x.discard, LinkNone, nil
		if i > 0 {
			v.Name += "_" + strconv.Itoa(i)
		}
		names = append(names, v.Name)
		p.variable(&v)
		p.WriteString("; ")
	}
	x.in.insert(start, p.String())
	list := strings.Join(names, ", ")
	if callee == 1 { // an empty list
		x.in.insert(in.Args[0].Pos.Off+1, list)
	} else {
		x.in.insert(in.Args[0].Pos.Off, "("+list+"), ")
	}
	x.in.insert(in.End.Off+1, " }")
	return 0
}

// lose moves the results of a call to a second one, of a function that leaves them undefined, because the
// function that is called has none. declared is the declaration that the module has.
func (x *linkReader) lose(in *Instr, declared *Func) {
	name, known := x.lost[declared]
	if !known {
		name = x.fresh.name("undefined_result", 0)
		x.lost[declared] = name
		p := &printer{}
		for i, r := range declared.Results {
			v := *r
			v.Name, v.Link, v.Init = "r"+strconv.Itoa(i), LinkNone, nil
			if i > 0 {
				p.WriteString(", ")
			}
			p.variable(&v)
		}
		x.in.insert(x.in.extentAround(declared.Pos.Off).start, ".func ("+p.String()+") "+name+"() { ret; } ")
	}
	guard := ""
	moved := slices.Clone(in.Args[0].List)
	if in.Guard != nil {
		guard = x.in.text[in.Guard.Pos.Off:in.Pos.Off]
		moved = append(moved, in.Guard.Reg)
	}
	for i := range moved {
		if to, renamed := x.newName(moved[i].Ref, moved[i].Name); renamed {
			x.fail(x.in, in.Pos, codeMismatch, "%s has no result in its module, and %s of this call becomes %s", declared.Name, moved[i].Name, to).Section = "PTX 11.6"
		}
	}
	list := strings.Join(operandTexts(in.Args[0].List), ", ")
	x.in.blank(in.Args[0].Pos.Off, in.Args[1].Pos.Off)
	x.in.insert(in.End.Off+1, " "+strings.Join(strings.Fields(guard), " ")+" call ("+list+"), "+name+";")
}

// callsKernel reports a call of a function that is a kernel of another module.
func (x *linkReader) callsKernel(s *linkSymbol, at Pos, verb string) {
	d := x.fail(x.in, at, codeMismatch, "call %s %s, which is a kernel in %s; only functions can be called", verb, s.name, s.kept.in.file)
	d.Section, d.Remedy = "PTX 9.7.13.5", "make it a function that the kernel calls, too"
	x.in.other(d, s.kept.item.Position(), "the kernel")
}

// outside returns the symbol of a function whose declarations in this module were dropped; nil: it
// is another function.
func (x *linkReader) outside(f *Func) *linkSymbol {
	if f == nil {
		return nil
	}
	return x.in.outside[f.Name]
}

// A fileNumber is a mention of a file's number: a .file directive, or a number in .loc.
type fileNumber struct {
	file     *Directive // nil: .loc
	off, end int32      // of the number in .loc
	val      uint64
}

// number notes a file's number.
func (x *linkReader) number(off int32, val uint64) {
	end := off
	for end < int32(len(x.in.text)) && charClass[x.in.text[end]]&cIdent != 0 {
		end++
	}
	x.in.numbers = append(x.in.numbers, fileNumber{off: off, end: end, val: val})
}

// loc finds the numbers of files in a .loc directive.
func (x *linkReader) loc(d *Loc) {
	lex := x.in.lexer(d.Pos.Off)
	lex.next()
	x.number(lex.next().pos.Off, uint64(d.File))
	inlined := false
	for t := lex.next(); d.Inlined && t.kind != tEOF; t = lex.next() {
		if inlined && t.kind == tInt {
			x.number(t.pos.Off, uint64(d.InlinedFile))
			return
		}
		inlined = t.kind == tIdent && lex.src[t.pos.Off:t.end] == "inlined_at"
	}
}

// files gives each file of the program one number. A module keeps its numbers if no earlier module
// uses them for other files.
func (l *linker) files() {
	used := map[uint64]bool{}
	byName := map[string]uint64{}
	next := uint64(1)
	for _, in := range l.inputs {
		number := map[uint64]uint64{}
		mine := map[uint64]bool{} // the numbers that this module has given out
		for _, n := range in.numbers {
			if n.file == nil {
				continue
			}
			key := fmt.Sprint(operandTexts(n.file.Args[1:]))
			to, known := byName[key]
			if known && !mine[to] {
				number[n.val] = to
				e := in.extentAt(n.file.Pos.Off)
				in.blank(e.start, e.end)
				continue
			}
			to = freeNumber(used, n.val, &next)
			number[n.val], mine[to] = to, true
			if !known {
				byName[key] = to
			}
			if to != n.val {
				from, end := n.file.Args[0].Pos.Off, n.file.Args[1].Pos.Off
				in.insert(from, strconv.FormatUint(to, 10)+" ")
				in.blank(from, end)
			}
		}
		for _, n := range in.numbers {
			if n.file != nil {
				continue
			}
			to, known := number[n.val]
			if !known {
				to = freeNumber(used, n.val, &next)
				number[n.val] = to
			}
			if to != n.val {
				in.edits = append(in.edits, textEdit{off: n.off, end: n.end, text: strconv.FormatUint(to, 10)})
			}
		}
	}
}

// freeNumber returns n if it is not used, else the least number that is not. It marks the number as
// used.
func freeNumber(used map[uint64]bool, n uint64, next *uint64) uint64 {
	for used[n] {
		n = *next
		*next++
	}
	used[n] = true
	return n
}

// operandTexts returns the texts of operands.
func operandTexts(list []Operand) []string {
	var texts []string
	for i := range list {
		texts = append(texts, list[i].String())
	}
	return texts
}

// extentAround returns the extent that holds an offset.
func (in *linkInput) extentAround(off int32) extent {
	i, _ := slices.BinarySearchFunc(in.m.extents, off, func(e extent, off int32) int {
		if e.start <= off {
			return -1
		}
		return 1
	})
	return in.m.extents[i-1]
}

// extentAt returns the extent that starts at an offset.
func (in *linkInput) extentAt(off int32) extent {
	i, _ := slices.BinarySearchFunc(in.m.extents, off, func(e extent, off int32) int { return cmp.Compare(e.start, off) })
	return in.m.extents[min(i, len(in.m.extents)-1)]
}
