package language

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/ptx"
)

// Definition returns the place to which the word at a position leads: the statements that write a register, or the
// declaration of another name. The list is empty if the word is no name.
func (d *Document) Definition(at Position) []Range {
	if d.inline != nil {
		return d.inlineRanges(at, (*Document).Definition)
	}
	s := d.symbolAt(d.tokenAt(d.text.offset(at)))
	if s == nil {
		return nil
	}
	if s.kind == symRegister {
		var list []Range
		for _, r := range s.refs {
			if r.writes {
				list = append(list, d.rangeOfReference(r))
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return d.declaration(s)
}

// Declaration returns the place where the word at a position is declared. A register of GCN3 has none.
func (d *Document) Declaration(at Position) []Range {
	if d.inline != nil {
		return d.inlineRanges(at, (*Document).Declaration)
	}
	s := d.symbolAt(d.tokenAt(d.text.offset(at)))
	if s == nil {
		return nil
	}
	return d.declaration(s)
}

func (d *Document) declaration(s *symbol) []Range {
	if s.of != nil {
		s = s.of
	}
	if s.decl < 0 {
		return nil
	}
	return []Range{d.rangeOfToken(s.decl)}
}

func (d *Document) rangeOfToken(t int) Range {
	return d.text.between(d.toks[t].from, d.toks[t].to)
}

func (d *Document) rangeOfReference(r reference) Range {
	return d.text.between(d.toks[r.tok].from, d.toks[r.to].to)
}

// A Reference is a place where a text names something.
type Reference struct {
	Range  Range
	Writes bool
	// Declares reports that the place is the declaration.
	Declares bool
}

// References returns all places that name the symbol at a position, in the order of the text.
func (d *Document) References(at Position) (list []Reference) {
	if d.inline != nil {
		return d.inlineReferences(at)
	}
	s := d.symbolAt(d.tokenAt(d.text.offset(at)))
	if s == nil {
		return nil
	}
	if s.decl >= 0 {
		list = append(list, Reference{Range: d.rangeOfToken(s.decl), Declares: true})
	} else if s.of != nil {
		list = append(list, Reference{Range: d.rangeOfToken(s.of.decl), Declares: true})
	}
	for _, r := range s.refs {
		list = append(list, Reference{Range: d.rangeOfReference(r), Writes: r.writes})
	}
	slices.SortStableFunc(list, func(a, b Reference) int {
		if before(a.Range.Start, b.Range.Start) {
			return -1
		}
		if before(b.Range.Start, a.Range.Start) {
			return 1
		}
		return 0
	})
	return list
}

// ptxName and gcn3Name match the names that a symbol may get.
var (
	ptxName  = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+)$`)
	gcn3Name = regexp.MustCompile(`^[A-Za-z_.$][A-Za-z0-9_.$]*$`)
)

// PrepareRename returns the range and the text of the name at a position, or an error that says why it cannot be
// changed.
func (d *Document) PrepareRename(at Position) (Range, string, error) {
	t := d.tokenAt(d.text.offset(at))
	s := d.symbolAt(t)
	switch {
	case s == nil && t >= 0 && d.special[t]:
		return Range{}, "", fmt.Errorf("%s is a special register, whose name the machine gives", d.tok(t))
	case s == nil:
		return Range{}, "", errors.New("there is no name here that the text declares")
	case s.kind == symRegister && d.isa == crosslane.GCN3:
		if err := d.registerRenames(s); err != nil {
			return Range{}, "", err
		}
		for _, r := range s.refs {
			if t >= r.tok && t <= r.to {
				return d.rangeOfReference(r), s.name, nil
			}
		}
	case s.kind == symFamily:
		return Range{}, "", fmt.Errorf("%s is the beginning of the names of %d registers; rename one of them where it is used", s.name, s.count)
	case s.kind == symMacro:
		return Range{}, "", fmt.Errorf("%s is a macro; its uses in other macros cannot be followed", s.name)
	}
	return d.rangeOfToken(t), d.tok(t), nil
}

// Rename returns the edits that give the symbol at a position another name. A member of a family of registers
// that gets a name of its own is declared after the family. A register of GCN3 gets another number. The error says why
// the name does not fit.
func (d *Document) Rename(at Position, name string) ([]TextEdit, error) {
	if _, _, err := d.PrepareRename(at); err != nil {
		return nil, err
	}
	s := d.symbolAt(d.tokenAt(d.text.offset(at)))
	if name == s.name {
		return nil, nil
	}
	if s.kind == symRegister && d.isa == crosslane.GCN3 {
		name = strings.ToLower(name)
		if err := d.registerFits(s, name); err != nil {
			return nil, err
		}
		return d.renameRegister(s, name), nil
	}
	if err := d.nameFits(s, name); err != nil {
		return nil, err
	}
	toks := map[int]bool{}
	if s.decl >= 0 {
		toks[s.decl] = true
	}
	for _, r := range s.refs {
		toks[r.tok] = true
	}
	var edits []TextEdit
	for t := range d.toks {
		if !toks[t] {
			continue
		}
		to := name
		if d.isa == crosslane.GCN3 && strings.HasSuffix(d.tok(t), ".kd") && !strings.HasSuffix(s.name, ".kd") {
			to += ".kd"
		}
		edits = append(edits, TextEdit{d.rangeOfToken(t), to})
	}
	if s.of != nil && find(s.of.scope, name) == nil {
		after := d.toks[d.stmts[s.of.stmt].to-1].to
		line := d.text.lineOf(after)
		text := d.text.text[d.text.lines[line]:after]
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		edits = append(edits, TextEdit{d.text.between(after, after), fmt.Sprintf("\n%s.reg %s %s;", indent, dotted(s.typ), name)})
		slices.SortStableFunc(edits, func(a, b TextEdit) int {
			if before(a.Range.Start, b.Range.Start) {
				return -1
			}
			if before(b.Range.Start, a.Range.Start) {
				return 1
			}
			return 0
		})
	}
	return edits, nil
}

// nameFits says why a symbol cannot get a name; nil if it can.
func (d *Document) nameFits(s *symbol, name string) error {
	if d.isa == crosslane.GCN3 {
		switch {
		case !gcn3Name.MatchString(name):
			return fmt.Errorf("%q is no name of the assembler: write letters, digits, _, . and $", name)
		case amdgpu.GFX803.IsRegister(strings.ToLower(name), 0):
			return fmt.Errorf("%s is a register", name)
		}
		for _, o := range d.syms {
			if o != s && o.kind != symRegister && o.name == name {
				return fmt.Errorf("%s is a %s already", name, o.kind)
			}
		}
		return nil
	}
	switch {
	case !ptxName.MatchString(name):
		return fmt.Errorf("%q is no name of PTX (4.4): write letters, digits, _ and $, perhaps with %% in front", name)
	case ptx.LookupSpecial(name) != ptx.SpecialNone || name == "WARP_SZ":
		return fmt.Errorf("%s is a special register", name)
	case s.kind == symKernel || s.kind == symFunction:
		// The name is visible in all functions.
		for _, o := range d.syms {
			if o != s && o.name == name {
				return fmt.Errorf("%s is a %s already", name, o.kind)
			}
		}
	}
	in := s.scope
	if s.of != nil {
		in = s.of.scope
	}
	if o := find(in, name); o != nil && (o.of == nil || len(o.refs) > 0) {
		return fmt.Errorf("%s is a %s already", name, o.kind)
	} else if o != nil && (s.of == nil || o.of != s.of) {
		return fmt.Errorf("%s is a register of %s<%d>", name, o.of.name, o.of.count)
	}
	// A declaration in an inner block would hide the new name.
	for _, o := range d.syms {
		if o != s && o.name == name && o.scope != nil && o.kind != symFamily && within(o.scope, in) && (o.of == nil || len(o.refs) > 0) {
			return fmt.Errorf("%s is a %s of an inner block", name, o.kind)
		}
	}
	return nil
}

// within reports whether a scope lies in another one.
func within(in, outer *scope) bool {
	for ; in != nil; in = in.parent {
		if in == outer {
			return true
		}
	}
	return false
}

// A DocumentSymbol is a kernel, a function, a variable or a label, with those inside it.
type DocumentSymbol struct {
	Name, Detail string
	Kind         SymbolKind
	Range        Range // all of its text
	Selection    Range // its name
	Children     []DocumentSymbol
}

// A SymbolKind is the kind of a DocumentSymbol.
type SymbolKind uint8

// The kinds of symbols.
const (
	SymbolFunction SymbolKind = iota
	SymbolKernel
	SymbolVariable
	SymbolLabel
	SymbolConstant
)

// Symbols returns the kernels and functions of the text with their labels, and its variables.
func (d *Document) Symbols() []DocumentSymbol {
	var list []DocumentSymbol
	at := map[int]int{} // the entry of a function
	for i, f := range d.funcs {
		if f.name < 0 {
			continue
		}
		kind, detail := SymbolFunction, "function"
		if f.kernel {
			kind, detail = SymbolKernel, "kernel"
		}
		from, to := d.fromTo(f.from, min(f.to, len(d.toks)))
		at[i] = len(list)
		list = append(list, DocumentSymbol{Name: d.tok(f.name), Detail: detail, Kind: kind, Range: d.text.between(from, max(to, d.toks[f.name].to)), Selection: d.rangeOfToken(f.name)})
	}
	for _, s := range d.syms {
		if s.decl < 0 {
			continue
		}
		x := DocumentSymbol{Name: s.name, Range: d.rangeOfToken(s.decl), Selection: d.rangeOfToken(s.decl)}
		switch s.kind {
		case symLabel:
			x.Kind = SymbolLabel
		case symConstant:
			x.Kind = SymbolConstant
		case symVariable:
			x.Kind, x.Detail = SymbolVariable, strings.TrimSpace(dotted(s.space)+" "+dotted(s.typ)+s.dims)
		default:
			continue
		}
		if i, ok := at[s.fn]; ok && s.fn >= 0 {
			list[i].Children = append(list[i].Children, x)
		} else {
			list = append(list, x)
		}
	}
	return list
}
