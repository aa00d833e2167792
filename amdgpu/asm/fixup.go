package asm

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"example.org/crosslane/diag"
)

// A fixup is a place whose bytes depend on an expression that is evaluated at the end of the file.
type fixup struct {
	st      *statement
	section int
	off     uint64
	size    int // 1, 2, 4 or 8 bytes, or one of the constants below
	x       *expr
	entry   bool // a descriptor's entry, which is left to the linker as in LLVM
	col     int  // column at which the expression begins
}

const (
	sizeBranch  = -1 // SIMM16 of a branch: dwords from the next instruction
	sizeLiteral = -2 // 32-bit literal: an address is relative to the literal
)

// resolveFixups evaluates the deferred expressions, and makes relocations for values that only the
// linker can compute.
func (a *assembler) resolveFixups() {
	for i := range a.fixups {
		f := &a.fixups[i]
		v, err := a.eval(f.x)
		if err == nil {
			err = a.resolve(f, v)
		}
		if err != nil {
			a.errorf(f.st, f.col+err.col, CodeSymbol, "%s", err.msg)
			if v.base != nil && !v.address {
				a.suggest(v.base)
			}
		}
	}
}

// resolve writes the value, or a relocation.
func (a *assembler) resolve(f *fixup, v value) *exprError {
	b := a.obj.Sections[f.section].Data[f.off:]
	fail := func(format string, args ...any) *exprError {
		return &exprError{f.x.col, fmt.Sprintf(format, args...)}
	}
	here := v.address && v.base != nil && v.sect == f.section && v.mod == ""
	switch {
	case f.size == sizeBranch:
		switch {
		case v.absolute():
			return fail("expected a label, found the number %d", v.off)
		case v.less || v.mod != "" || v.base == nil && !v.address || !v.address && v.base.bind == 0 && !v.base.bound:
			return fail("expected a label%s", v.because())
		case !v.address || v.sect != f.section || v.base != nil && a.opt.Relocatable && v.base.bind != 0:
			binary.LittleEndian.PutUint16(b, 0xffff)
			return a.reloc(f, relocRel16, v, 0)
		}
		d := v.off - int64(f.off) - 4
		if d%4 != 0 || d/4 != int64(int16(d/4)) {
			return fail("the branch target is %d bytes away, expected a multiple of 4 from -131072 to 131068", d)
		}
		binary.LittleEndian.PutUint16(b, uint16(d/4))
		return nil
	case v.absolute():
		return f.put(b, v.off)
	case f.entry && !a.opt.Relocatable && v.address && v.sect == f.section:
		return f.put(b, v.off-int64(f.off)+atEntry)
	case f.entry:
		return a.reloc(f, relocRel64, v, atEntry)
	case v.less && v.lessSect == f.section && v.base != nil && v.mod == "":
		// sym - place: relative to the fixup's own place f.off, which is f.off-lessOff after the
		// subtracted address.
		return a.relative(f, b, v, int64(f.off)-v.lessOff)
	case v.less:
		return fail("the difference of addresses in two sections is not known")
	case f.size == sizeLiteral && v.mod == "":
		if here && a.final(v.base) {
			return f.put(b, v.off-int64(f.off))
		}
		return a.reloc(f, relocRel32, v, 0)
	case v.mod != "":
		typ := modifierReloc(v.mod)
		if want := relocSize(typ); f.bytes() != want {
			return fail("%s has %d bits, but the place %d", v.mod, 8*want, 8*f.bytes())
		}
		return a.reloc(f, typ, v, 0)
	case f.size == 8:
		return a.reloc(f, relocAbs64, v, 0)
	case f.size == 4:
		return a.reloc(f, relocAbs32, v, 0)
	}
	return fail("an address does not fit %s%s", diag.Count(f.bytes(), "byte"), v.because())
}

// suggest adds to the last diagnostic the symbol with the most similar name to an undefined one.
func (a *assembler) suggest(s *symbol) {
	var names []string
	for _, x := range a.order {
		if x.defined && !strings.Contains(x.name, "\x00") && len(names) < 10000 {
			names = append(names, x.name)
		}
	}
	if best := diag.Nearest(s.name, names); best != "" {
		a.diags[len(a.diags)-1].Remedy = "did you mean " + best + "?"
	}
}

// final reports whether no linker can replace this symbol by another one.
func (a *assembler) final(s *symbol) bool {
	return s.bind == 0 || !a.opt.Relocatable && s.bind != bindWeak
}

// relative writes a distance within the section, or a relocation to another.
func (a *assembler) relative(f *fixup, b []byte, v value, add int64) *exprError {
	if v.address && v.sect == f.section && a.final(v.base) {
		return f.put(b, v.off-int64(f.off)+add)
	}
	switch f.bytes() {
	case 4:
		return a.reloc(f, relocRel32, v, add)
	case 8:
		return a.reloc(f, relocRel64, v, add)
	}
	return &exprError{f.x.col, fmt.Sprintf("a distance does not fit %s", diag.Count(f.bytes(), "byte"))}
}

const bindWeak = 2

func (f *fixup) bytes() int {
	switch f.size {
	case sizeLiteral:
		return 4
	case sizeBranch:
		return 2
	}
	return f.size
}

func relocSize(typ uint32) int {
	if typ == relocAbs64 || typ == relocRel64 {
		return 8
	}
	return 4
}

// put stores a number that fits the field, signed or unsigned.
func (f *fixup) put(b []byte, v int64) *exprError {
	n := f.bytes()
	if !fitsBytes(v, n) {
		return &exprError{f.x.col, fmt.Sprintf("%d does not fit %s", v, diag.Count(n, "byte"))}
	}
	putInt(b, n, v)
	return nil
}

func fitsBytes(v int64, n int) bool {
	return n == 8 || bits.Len64(uint64(v)) <= 8*n || v < 0 && bits.Len64(uint64(^v)) < 8*n
}

func putInt(b []byte, n int, v int64) {
	for i := range n {
		b[i] = byte(v >> (8 * i))
	}
}

// reloc notes a relocation. A place without a global name is named by its section.
func (a *assembler) reloc(f *fixup, typ uint32, v value, add int64) *exprError {
	r := Reloc{Section: f.section, Offset: f.off, Type: typ}
	switch {
	case v.address && (v.base == nil || v.base.bind == 0):
		r.Symbol, r.Addend = a.sectionSymbol(v.sect), v.off+add
	case v.address:
		r.Symbol, r.Addend = v.base.index-1, v.off-int64(v.base.off)+add
	default:
		r.Symbol, r.Addend = v.base.index-1, v.off+add
	}
	if r.Symbol < 0 {
		return &exprError{f.x.col, fmt.Sprintf("%s is undefined", v.base.printed())}
	}
	if typ != relocRel16 {
		clear(a.obj.Sections[f.section].Data[f.off:][:f.bytes()])
	}
	a.obj.Relocs = append(a.obj.Relocs, r)
	return nil
}

// sectionSymbol returns the index of the symbol that stands for a section.
func (a *assembler) sectionSymbol(section int) int {
	for i := range a.obj.Symbols {
		if s := &a.obj.Symbols[i]; s.Type == symSection && s.Section == section {
			return i
		}
	}
	a.obj.Symbols = append(a.obj.Symbols, Symbol{Section: section, Type: symSection})
	return len(a.obj.Symbols) - 1
}

const symSection = 3

// finishSymbols fills the symbol table: every name that is not temporary (.L…), in the order of
// first mention.
func (a *assembler) finishSymbols() {
	mentioned := map[*symbol]bool{}
	for _, f := range a.fixups {
		a.mark(f.x, mentioned, 0)
	}
	for _, s := range a.order {
		s = a.symbols[s.name]
		if mentioned[s] && a.isSection(s) {
			continue // the symbol of the section names it
		}
		out := Symbol{Name: s.name, Section: s.section, Value: s.off, Bind: s.bind, Type: s.typ, Visibility: s.vis}
		switch {
		case s.now != nil:
			if !s.listed {
				continue
			}
			out.Section, out.Value = SymbolAbsolute, uint64(*s.now)
		case s.section == SymbolCommon || s.section == SymbolLDS:
			if s.section == SymbolLDS && !mentioned[s] && !s.bound {
				continue
			}
			if s.bind == 0 {
				out.Bind = 1
			}
		case s.set != nil:
			v, err := a.eval(s.set)
			if err == nil && (v.less || v.mod != "" || v.base != nil && !v.address) {
				err = &exprError{s.set.col, "expected a number or a place in this file" + v.because()}
			}
			if err != nil {
				a.errorf(s.setAt, s.set.col, CodeSymbol, "%s: %s", s.printed(), err.msg)
				continue
			}
			out.Section, out.Value = SymbolAbsolute, uint64(v.off)
			if v.address {
				out.Section = v.sect
			}
		case !s.defined && !mentioned[s] && !(a.opt.Relocatable && (s.bound || s.vis != 0)):
			continue // mentioned only by .ifdef, .type, .globl and similar directives
		case !s.defined:
			if s.bind == 0 {
				if s.bound && !mentioned[s] {
					break // .local alone: LLVM keeps that symbol too
				}
				if s.bound {
					a.errorf(s.where(), 0, CodeSymbol, "%s is local and undefined", s.printed())
					continue
				}
				out.Bind = 1
			}
			if temporary(s.name) {
				continue // reported at its use
			}
		}
		if s.size != nil {
			v, err := a.eval(s.size)
			if err == nil && !v.absolute() {
				err = &exprError{s.size.col, "expected a number" + v.because()}
			}
			if err != nil {
				a.errorf(s.sizeAt, s.size.col, CodeDirective, ".size %s: %s", s.name, err.msg)
			}
			out.Size = uint64(v.off)
		}
		if temporary(s.name) {
			continue
		}
		a.obj.Symbols = append(a.obj.Symbols, out)
		s.index = len(a.obj.Symbols)
	}
}

// isSection gives a meaning to a name that only a section of the file has: the beginning of the
// section. Compilers write it in debug information (".long .debug_abbrev").
func (a *assembler) isSection(s *symbol) bool {
	if s.defined || s.bound || s.vis != 0 {
		return false
	}
	for i := range a.obj.Sections {
		if a.obj.Sections[i].Name == s.name {
			s.defined, s.section, s.off = true, i, 0
			return true
		}
	}
	return false
}

// The method where returns the statement that an error about the symbol names.
func (s *symbol) where() *statement {
	if s.setAt != nil {
		return s.setAt
	}
	if s.boundAt != nil {
		return s.boundAt
	}
	if s.sizeAt != nil {
		return s.sizeAt
	}
	return &statement{line: 1, col: 1}
}

// mark marks the symbols of an expression as mentioned.
func (a *assembler) mark(x *expr, m map[*symbol]bool, depth int) {
	if depth > maxExprDepth {
		return
	}
	if x.sym != nil {
		m[x.sym] = true
	}
	for _, y := range x.args {
		a.mark(y, m, depth+1)
	}
}

// temporary reports whether a symbol is left out of the symbol table.
func temporary(name string) bool { return len(name) > 1 && name[:2] == ".L" }
