// Package asm is the assembler of GCN3 texts in LLVM's syntax, and their printer: labels, expressions,
// macros, directives, sections, relocations, kernel descriptors and metadata. Package amdgpu has the
// instructions.
//
//	text  --Assemble-->  Object  --package codeobject-->  code object
//	text  <--Text------  Object
//
// The assembler reads the file once. Expressions that depend on later lines become fixups, and the end
// of the file resolves them. Object.Text writes a text that assembles to the same Object.
//
// For example, s_branch end emits the word with SIMM16 = 0 and a fixup for the symbol end; the line end:
// gives the symbol its offset, and so the fixup its distance.
package asm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// The codes of the assembler's diagnostics.
const (
	// CodeSyntax is a statement that does not parse.
	CodeSyntax = "syntax"
	// CodeDirective is a directive with operands that it does not accept.
	CodeDirective = "bad-directive"
	// CodeUnknownDirective is a directive that Crosslane does not support. Class Unsupported.
	CodeUnknownDirective = "unknown-directive"
	// CodeSymbol is a symbol that is undefined, or defined twice.
	CodeSymbol = "bad-symbol"
	// CodeTarget is a file for another processor. Class Unsupported.
	CodeTarget = "unsupported-target"
	// CodeLimit is a file whose macros, repetitions or sizes grow without bound.
	CodeLimit = "too-large"
)

// DefaultCodeObjectVersion is the version of a file that does not state a version.
const DefaultCodeObjectVersion = 6

// An Object is an assembled file: sections, symbols and relocations, ready to be linked, and the
// source facts that the tools show.
type Object struct {
	File              string
	CodeObjectVersion int // 2 to 6
	Sections          []Section
	Symbols           []Symbol
	Relocs            []Reloc
	Kernels           []KernelDesc
	Metadata          string // YAML of the block of metadata; "" if none. A file of version 2 has it in .note too
	MetadataLine      int    // line of its first line
	Lines             []Line // one for each instruction, by section and offset
	DataLines         []Line // the same for data among the code, by section and offset
	Warnings          diag.List
	Target            *amdgpu.Target // the chip; nil is amdgpu.GFX803
}

// A Section is one section of an Object.
type Section struct {
	Name    string
	Type    uint32 // ELF SHT_*: 1 bits, 8 none
	Flags   uint64 // ELF SHF_*: 1 write, 2 in memory, 4 code, 0x10 merge, 0x20 strings
	EntSize uint64
	Align   uint64
	Data    []byte
	Size    uint64 // size of a section without bytes
}

// A Symbol is one symbol of an Object.
type Symbol struct {
	Name       string
	Section    int // index into Sections, or SymbolAbsolute, SymbolUndefined, SymbolCommon
	Value      uint64
	Size       uint64
	Bind       uint8 // ELF STB_*: 0 local, 1 global, 2 weak
	Type       uint8 // ELF STT_*: 0 none, 1 object, 2 function, 3 section
	Visibility uint8 // ELF STV_*: 0 default, 1 internal, 2 hidden, 3 protected
}

// Values of Symbol.Section that are no index.
const (
	SymbolAbsolute  = -1
	SymbolUndefined = -2
	SymbolLDS       = -4 // from .amdgpu_lds: Value is its alignment; the linker gives it a place in LDS
	SymbolCommon    = -3 // from .comm: Value is its alignment; the linker gives it a place
)

// A Reloc replaces bytes of a section by the address of a symbol, when the sections are placed.
// Type is the number of an R_AMDGPU_* relocation.
type Reloc struct {
	Section int
	Offset  uint64
	Type    uint32
	Symbol  int // index into Symbols
	Addend  int64
}

// The relocation types that the assembler makes (AMDGPUUsage, "Relocation Records").
const (
	relocAbs32Lo    = 1
	relocAbs32Hi    = 2
	relocAbs64      = 3
	relocRel32      = 4
	relocRel64      = 5
	relocAbs32      = 6
	relocGOTPC      = 7
	relocGOTPC32Lo  = 8
	relocGOTPC32Hi  = 9
	relocRel32Lo    = 10
	relocRel32Hi    = 11
	relocRel16      = 14
	relocUnresolved = ^uint32(0)
)

// A Line is the statement from which an instruction came.
type Line struct {
	Section int
	Offset  uint64
	Size    uint64
	Line    int    // 1-based, in the file itself; for an included file, the line of the .include
	Col     int    // 1-based; 0: the statement stands in an included file
	Text    string // the statement
	From    string // FILE:LINE of a statement in an included file
}

// Options are choices of the assembler. The zero value is the default.
type Options struct {
	// Include reads the file of an .include. If nil, .include is refused by name.
	Include func(name string) ([]byte, error)
	// Symbols are numbers that are defined before the first line. The file may redefine them.
	Symbols map[string]int64
	// Version is the code object version of a file that does not state a version; 0 is
	// DefaultCodeObjectVersion.
	Version int
	// Relocatable leaves the linker's decisions to a linker: the places of common variables, and
	// global symbols that are neither defined nor used.
	Relocatable bool
	// Semicolons makes ; separate statements instead of starting a comment.
	Semicolons bool
	// Target is the chip; nil is amdgpu.GFX803.
	Target *amdgpu.Target
}

// Limits on the growth of a file, so that a few lines cannot exhaust the memory.
const (
	maxErrors     = 20
	maxStatements = 1 << 19 // statements from macros, repetitions and included files
	maxExpanded   = 16 << 20
	maxNesting    = 64
	maxSection    = 64 << 20
	maxObject     = 2 * maxSection // size of all sections together
)

// Assemble turns assembly text in LLVM's syntax into an Object. The list holds up to 20 errors, and
// warnings; the Object is nil if there is an error.
//
// Input: the text of a file, and Options.
// Output: an Object, or diagnostics with their positions.
// Invariant: bytes whose value depends on later symbols are written last, as fixups.
// Example: `s_branch end` emits SIMM16 = 0 and a fixup, which gets the distance once `end:` is
// known.
func Assemble(src []byte, file string, opt Options) (*Object, diag.List) {
	a := newAssembler(file, opt)
	a.assemble(string(src))
	if a.version == 2 && (a.ifdefV2 || a.asksV2()) || a.errors > 0 && a.asksV2() {
		// A file of version 2 has predefined symbols from its first line on, but its version is
		// found only later. So the file is assembled again with them.
		b := newAssembler(file, opt)
		b.predefineV2()
		b.assemble(string(src))
		if b.version == 2 {
			a = b
		}
	}
	// Diagnostics that were found at the end of the file move to their places in the text.
	slices.SortStableFunc(a.diags, func(x, y *diag.Diagnostic) int {
		if x.Pos.File != y.Pos.File {
			return 0
		}
		return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
	})
	if a.errors > 0 {
		return nil, a.diags
	}
	a.obj.Warnings = a.diags
	return a.obj, a.diags
}

// assemble reads the file and then resolves the expressions that depend on its end.
func (a *assembler) assemble(src string) {
	a.run(src)
	a.finish()
}

// assembler is the state of one assembly.
type assembler struct {
	opt    Options
	chip   *amdgpu.Target
	file   string
	obj    *Object
	diags  diag.List
	errors int

	symbols map[string]*symbol
	order   []*symbol // by first mention
	local   map[string]int
	layout
	expansion
	kernel   *kernelBlock
	nextFree [2]int64 // number of registers used so far: VGPRs and SGPRs
	kernels  []*kernelBlock
	ended    bool // .end
	started  bool // a statement that makes bytes was seen
	work     int  // number of evaluation steps of expressions

	codes    []codeBlock
	noted    map[string]bool   // the messages of notes
	included map[string][]byte // the files that were read
	versions
}

// layout is the state of the sections.
type layout struct {
	sections map[string]int
	cur      int   // current section
	prev     int   // for .previous
	stack    []int // stack of .pushsection: pairs cur, prev
	fixups   []fixup
	made     uint64 // size of all sections in bytes
}

// expansion is the state of macros, repetitions and conditions.
type expansion struct {
	macros   map[string]*macro
	conds    []cond
	frames   []*frame // files, macros and repetitions being read
	steps    int      // statements executed
	expanded int      // bytes of macro bodies produced
	counter  int      // \@
	altmacro bool
}

// versions is the version of the code object, and the statements from which it follows.
type versions struct {
	version   int
	versionAt *statement // the statement that gave the version
	metaAt    *statement // the block of metadata
	v2use     *statement // the first directive that only version 2 has
	askedV2   bool       // a symbol of version 2 was named before the file stated its version
	ifdefV2   bool       // the same with .ifdef
	v3use     *statement // the first directive that version 2 does not have
}

// stop is the panic value of the assembler after too many errors or at a limit; run recovers it.
type stop struct{}

// newAssembler makes an assembler with its predefined symbols and the section .text.
func newAssembler(file string, opt Options) *assembler {
	a := &assembler{
		opt: opt, file: file, chip: opt.Target.OrDefault(), obj: &Object{File: file, Target: opt.Target},
		symbols: map[string]*symbol{}, local: map[string]int{}, noted: map[string]bool{}, included: map[string][]byte{},
		layout:    layout{sections: map[string]int{}},
		expansion: expansion{macros: map[string]*macro{}},
		versions:  versions{version: opt.Version},
	}
	if a.version == 0 {
		a.version = DefaultCodeObjectVersion
	}
	a.predefine()
	if a.version == 2 {
		a.predefineV2()
	}
	a.defineAll(opt.Symbols)
	a.cur = a.section(".text", 1, shfAlloc|shfExec, 0, 4)
	a.prev = a.cur
	return a
}

// at returns the place of a column of the current statement. For a statement in a macro it is the
// place of the macro's use, because that line is in the user's file.
func (a *assembler) at(st *statement, col int) diag.Pos {
	return diag.Pos{File: st.file, Line: st.line, Col: col}
}

// report adds a diagnostic. col is a byte index into the statement's text; 0 means its first word.
func (a *assembler) report(st *statement, col int, class diag.Class, code, format string, args ...any) {
	if col == 0 {
		col = st.indent()
	}
	d := diag.Errorf(a.at(st, st.column(col)), class, code, format, args...)
	d.Source = st.source
	d.Related = uses(st)
	a.add(d)
}

// add adds a diagnostic, unless it equals the previous one, as in a repetition.
func (a *assembler) add(d *diag.Diagnostic) {
	if n := len(a.diags); n == 0 || a.diags[n-1].Pos != d.Pos || a.diags[n-1].Message != d.Message {
		a.diags = append(a.diags, d)
	}
	if d.Severity == diag.Error {
		if a.errors++; a.errors >= maxErrors {
			panic(stop{})
		}
	}
}

func (a *assembler) errorf(st *statement, col int, code, format string, args ...any) {
	a.report(st, col, diag.Input, code, format, args...)
}

// warnf adds a warning, unless there are already more diagnostics than a user reads.
func (a *assembler) warnf(st *statement, col int, format string, args ...any) {
	if len(a.diags) >= 10*maxErrors {
		return
	}
	if col == 0 {
		col = st.indent()
	}
	d := diag.Errorf(a.at(st, st.column(col)), diag.Input, CodeDirective, format, args...)
	d.Severity, d.Source, d.Related = diag.Warning, st.source, uses(st)
	a.add(d)
}

// noteOnce adds a note, once for each message.
func (a *assembler) noteOnce(st *statement, d *diag.Diagnostic) {
	if a.noted[d.Message] || len(a.noted) >= maxErrors {
		return
	}
	a.noted[d.Message] = true
	d.Source = st.source
	d.Related = append(d.Related, uses(st)...)
	a.add(d)
}

// limit reports that a limit was reached and stops.
func (a *assembler) limit(st *statement, format string, args ...any) {
	a.errorf(st, 0, CodeLimit, format, args...)
	panic(stop{})
}

// guard runs f; a stop in it ends the assembly without a further message.
func (a *assembler) guard(f func()) (stopped bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			stopped = true
		default:
			panic(r)
		}
	}()
	f()
	return false
}

// gaveUp reports whether the source ended itself after an error. Sources refuse a configuration
// with .error and .end inside an .if.
func (a *assembler) gaveUp() bool { return a.ended && len(a.diags) > 0 }

// run assembles the text of the main file.
func (a *assembler) run(src string) {
	a.guard(func() {
		a.text(src, a.file)
		if n := len(a.conds); n > 0 && !a.gaveUp() {
			a.errorf(a.conds[n-1].at, 0, CodeDirective, ".if without .endif")
		}
		if a.kernel != nil {
			a.errorf(a.kernel.at, 0, CodeDirective, ".amdhsa_kernel %s without .end_amdhsa_kernel", a.kernel.name)
		}
	})
}

// finish resolves everything that depends on the end of the file.
func (a *assembler) finish() {
	a.guard(func() {
		a.finishV2()
		a.finishKernels()
		a.finishSymbols()
		a.resolveFixups()
		a.obj.CodeObjectVersion = a.version
	})
}

// data appends bytes to the current section.
func (a *assembler) data(st *statement, b []byte) {
	s := &a.obj.Sections[a.cur]
	if n := uint64(len(b)); n > 0 && s.Flags&shfExec != 0 {
		l := a.line(st, a.here(), n)
		if k := len(a.obj.DataLines) - 1; k >= 0 && a.obj.DataLines[k].goesOn(&l) {
			a.obj.DataLines[k].Size += n
		} else {
			a.obj.DataLines = append(a.obj.DataLines, l)
		}
	}
	a.bytes(st, b)
}

// line returns the Line of the next n bytes.
func (a *assembler) line(st *statement, off, n uint64) Line {
	l := Line{Section: a.cur, Offset: off, Size: n, Line: st.line, Col: st.column(st.indent()), Text: strings.TrimSpace(st.text)}
	if st.file != a.file {
		l.From, l.Col = fmt.Sprintf("%s:%d", st.file, st.line), 0
		for f := st.from; f != nil; f = f.use.from {
			if l.Line = f.use.line; f.use.file == a.file {
				break
			}
		}
	}
	return l
}

// goesOn reports whether m continues l.
func (l *Line) goesOn(m *Line) bool {
	return l.Section == m.Section && l.Offset+l.Size == m.Offset && l.Line == m.Line && l.Col == m.Col
}

// bytes adds bytes to the current section.
func (a *assembler) bytes(st *statement, b []byte) {
	s := &a.obj.Sections[a.cur]
	a.started = true
	if s.Type == shtNoBits {
		for _, x := range b {
			if x != 0 {
				a.errorf(st, 0, CodeDirective, "section %s holds no bytes: only zeros can be put there", s.Name)
				return
			}
		}
		s.Size += uint64(len(b))
		return
	}
	a.room(st, uint64(len(b)))
	if a.made += uint64(len(b)); a.made > maxObject {
		a.limit(st, "the sections have more than %d bytes together", maxObject)
	}
	s.Data = append(s.Data, b...)
}

// room checks that n more bytes fit into the current section.
func (a *assembler) room(st *statement, n uint64) {
	if a.here()+n > maxSection {
		a.limit(st, "section %s grows to %d bytes, more than %d", a.obj.Sections[a.cur].Name, a.here()+n, maxSection)
	}
}

// here returns the offset of the next byte of the current section.
func (a *assembler) here() uint64 {
	s := &a.obj.Sections[a.cur]
	return s.Size + uint64(len(s.Data))
}

// Constants of ELF for sections.
const (
	shtProgBits = 1
	shtNote     = 7
	shtNoBits   = 8
	shtInit     = 14
	shtFini     = 15
	shtPreInit  = 16

	shfWrite   = 1
	shfAlloc   = 2
	shfExec    = 4
	shfMerge   = 0x10
	shfStrings = 0x20
	shfLinked  = 0x80
	shfGroup   = 0x200
	shfTLS     = 0x400
	shfRetain  = 0x200000
	shfExclude = 0x80000000
)

// section returns the index of the named section, and makes the section if it is new.
func (a *assembler) section(name string, typ uint32, flags, entsize, align uint64) int {
	i, ok := a.sections[name]
	if !ok {
		i = len(a.obj.Sections)
		a.sections[name] = i
		a.obj.Sections = append(a.obj.Sections, Section{Name: name, Type: typ, Flags: flags, EntSize: entsize, Align: align})
	}
	return i
}
