package codeobject

import (
	"debug/elf"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A Spec is the input of Build: sections with symbols and relocations between them, in the state in
// which an assembler leaves them.
type Spec struct {
	Name     string // name of the source, for diagnostics
	Version  int    // code object version: 2 to 6
	Sections []SpecSection
	Symbols  []SpecSymbol
	Relocs   []SpecReloc
	Metadata *Metadata // nil: no note

	// Only in version 2: e_flags, and notes as they are in the file, before the notes of sections.
	// Compilers make these notes, and Build keeps them.
	Flags uint32
	Notes []byte
}

// A SpecSection is one section. Sections whose names have a common first part, for example .text
// and .text.unlikely, are joined.
type SpecSection struct {
	Name    string
	Type    uint32 // SHT_*: 1 bits, 8 none (Size zero bytes)
	Flags   uint64 // SHF_*: 1 write, 2 in memory, 4 code
	EntSize uint64
	Align   uint64 // a power of two; 0 is 1
	Data    []byte
	Size    uint64 // size of a section without bytes
}

// Absolute, as SpecSymbol.Section, marks a symbol whose value is a number; Undefined marks a symbol
// that no section of the Spec defines.
const (
	Absolute  = -1
	Undefined = -2
)

// A SpecSymbol is a symbol of a Spec.
type SpecSymbol struct {
	Name       string
	Section    int // index into Spec.Sections, Absolute or Undefined
	Value      uint64
	Size       uint64
	Bind       uint8 // STB_*: 0 local, 1 global, 2 weak
	Type       uint8 // STT_*
	Visibility uint8 // STV_*
}

// A SpecReloc replaces bytes of a section by the value of a symbol.
type SpecReloc struct {
	Section int
	Offset  uint64
	Kind    RelocKind
	Symbol  int // index into Spec.Symbols
	Addend  int64
	At      int64 // byte offset in the file of its origin, for diagnostics; 0: none
}

// SpecSection and SpecSymbol have their fields in the order of the assembler's sections and
// symbols, so that they convert.

// pageSize is the page size of the target's memory. Segments are aligned to it.
const pageSize = 0x1000

// An outSection is a section of the file under construction.
type outSection struct {
	Section
	parts []offsetIn // the parts from the Spec, in order
	fill  func() []byte
	link  string // name of the section it refers to
	rank  int
	index int    // in the file
	name  uint32 // in .shstrtab
}

type offsetIn struct {
	section int // section of the Spec
	off     uint64
}

// linker builds one finished code object. Its layout is that of LLVM's linker, so code, descriptors
// and data get the same addresses as there.
//
// Input: a Spec.
// Output: the bytes of an ET_DYN file.
// Invariant: a symbol that another file may define stays a symbol; every other reference becomes an
// address relative to the base.
// Example: .text and .text.unlikely become one .text; R_AMDGPU_GOTPCREL makes an entry in .got.
type linker struct {
	spec     *Spec
	out      []*outSection
	outputOf []*outSection // by section of the Spec; nil: omitted
	start    []uint64      // by section of the Spec: offset in its output section
	names    map[string]*outSection
	dynsym   []int // symbols of the Spec, in the order of the table
	dynstr   strtab
	got      []int        // symbols with an entry
	gotAt    map[int]int  // by symbol of the Spec
	dynrel   []dynamicRel // words that depend on the base address
	phdrs    []outPhdr
	locals   int
	notes    []byte // notes of version 2
}

type dynamicRel struct {
	sec      *outSection
	off      uint64
	sym      int // symbol of the Spec
	addend   uint64
	bySymbol bool // R_AMDGPU_ABS64, otherwise R_AMDGPU_RELATIVE64
}

type outPhdr struct {
	typ         elf.ProgType
	flags       elf.ProgFlag
	first, last *outSection
	align       uint64
}

// A strtab collects zero-terminated strings.
type strtab struct {
	b  []byte
	at map[string]uint32
}

// add returns the offset of a string, and appends the string if it is new.
func (t *strtab) add(s string) uint32 {
	if t.at == nil {
		t.at, t.b = map[string]uint32{"": 0}, []byte{0}
	}
	off, ok := t.at[s]
	if !ok {
		off = uint32(len(t.b))
		t.at[s] = off
		t.b = append(append(t.b, s...), 0)
	}
	return off
}

// Build links a Spec into a finished, loadable code object.
func Build(spec *Spec) ([]byte, error) {
	l := &linker{spec: spec, gotAt: map[int]int{}, names: map[string]*outSection{}}
	for _, step := range []func() error{l.check, l.gather, l.symbols, l.scanRelocs, l.synthesize, l.layOut} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.write()
}

func (l *linker) bad(format string, args ...any) error {
	return diag.Errorf(diag.Pos{File: l.spec.Name}, diag.Input, CodeMalformed, format, args...)
}

// badReloc is bad for a relocation.
func (l *linker) badReloc(r *SpecReloc, format string, args ...any) error {
	pos := diag.Pos{File: l.spec.Name, Off: r.At, HasOff: r.At > 0}
	return diag.Errorf(pos, diag.Input, CodeMalformed, format, args...)
}

// check refuses a Spec with indices or numbers out of range.
func (l *linker) check() error {
	s := l.spec
	if s.Version < 2 || s.Version > 6 {
		return diag.Errorf(diag.Pos{File: s.Name}, diag.Unsupported, CodeUnsupported, "code object version %d cannot be written, only 2 to 6", s.Version)
	}
	if s.Version == 2 && s.Metadata != nil {
		return diag.Errorf(diag.Pos{File: s.Name}, diag.Unsupported, CodeUnsupported, "metadata of code object version 2 cannot be written")
	}
	for i := range s.Sections {
		sec := &s.Sections[i]
		if sec.Align&(sec.Align-1) != 0 || sec.Align > 1<<16 {
			return l.bad("section %s is aligned to %d, expected a power of two up to 65536", sec.Name, sec.Align)
		}
		if sec.Size > maxAddr/16 {
			return l.bad("section %s has %d bytes, more than %d", sec.Name, sec.Size, uint64(maxAddr/16))
		}
	}
	for i := range s.Symbols {
		if sec := s.Symbols[i].Section; sec < Undefined || sec >= len(s.Sections) {
			return l.bad("symbol %s is in section %d of %d", s.Symbols[i].Name, sec, len(s.Sections))
		}
	}
	for i := range s.Relocs {
		r := &s.Relocs[i]
		if r.Section < 0 || r.Section >= len(s.Sections) || r.Symbol < 0 || r.Symbol >= len(s.Symbols) {
			return l.badReloc(r, "relocation in section %d of %d names symbol %d of %d", r.Section, len(s.Sections), r.Symbol, len(s.Symbols))
		}
		row, ok := r.Kind.spec()
		if n := uint64(len(s.Sections[r.Section].Data)); !ok || r.Offset > n || row.size > n-r.Offset {
			return l.badReloc(r, "relocation %s changes byte %#x of section %s, which has %d", r.Kind, r.Offset, s.Sections[r.Section].Name, n)
		}
	}
	return nil
}

// outputName returns the name of the output section for a section.
func outputName(name string) string {
	for _, p := range []string{".data.rel.ro", ".text", ".rodata", ".data", ".bss", ".init_array", ".fini_array"} {
		if name == p || strings.HasPrefix(name, p+".") {
			return p
		}
	}
	return name
}

// Ranks order sections in memory as LLVM's linker does: read-only data, code, data that is
// read-only after relocation, data, data without bytes.
const (
	rankNote = iota
	rankTables
	rankReadOnly
	rankCode
	rankRelro
	rankDynamic
	rankGOT
	rankRelroPad
	rankData
	rankBSS
	rankNone // not in memory
)

// rankOf returns the rank of an output section.
func rankOf(name string, typ uint32, flags uint64) int {
	switch {
	case flags&uint64(elf.SHF_ALLOC) == 0:
		return rankNone
	case flags&shfExecInst != 0:
		return rankCode
	case flags&uint64(elf.SHF_WRITE) == 0:
		return rankReadOnly
	case name == ".got":
		return rankGOT
	case name == ".data.rel.ro" || name == ".init_array" || name == ".fini_array":
		return rankRelro
	case elf.SectionType(typ) == elf.SHT_NOBITS:
		return rankBSS
	}
	return rankData
}

// gather joins the sections of the Spec into output sections.
func (l *linker) gather() error {
	n := len(l.spec.Sections)
	l.outputOf, l.start = make([]*outSection, n), make([]uint64, n)
	named := make([]bool, n)
	for i := range l.spec.Symbols {
		if s := l.spec.Symbols[i].Section; s >= 0 {
			named[s] = true
		}
	}
	var total uint64
	l.notes = slices.Clip(l.spec.Notes)
	for i := range l.spec.Sections {
		s := &l.spec.Sections[i]
		if elf.SectionType(s.Type) == elf.SHT_NOTE && s.Flags&uint64(elf.SHF_ALLOC) != 0 {
			l.notes = append(l.notes, s.Data...)
			l.notes = append(l.notes, make([]byte, -len(l.notes)&3)...)
		}
		switch {
		case s.Name == ".note.GNU-stack", elf.SectionType(s.Type) == elf.SHT_NOTE, s.Type == shtAddrsig,
			len(s.Data) == 0 && s.Size == 0 && s.Flags&uint64(elf.SHF_ALLOC) != 0 && !named[i]:
			continue // already used, written by the linker, or empty
		}
		o, err := l.join(outputName(s.Name), s)
		if err != nil {
			return err
		}
		size := max(s.Size, uint64(len(s.Data)))
		o.Align = max(o.Align, s.Align)
		o.Size = alignUp(o.Size, max(s.Align, 1))
		o.parts = append(o.parts, offsetIn{i, o.Size})
		l.outputOf[i], l.start[i] = o, o.Size
		o.Size += size
		if total += size + s.Align; total > maxAddr {
			return l.bad("sections have more than %#x bytes", uint64(maxAddr))
		}
	}
	return nil
}

// join returns the output section of a name, with the properties of one more section added.
func (l *linker) join(name string, s *SpecSection) (*outSection, error) {
	if reservedNames[name] {
		return nil, l.bad("section %s is one that the linker makes", name)
	}
	o := l.names[name]
	if o == nil {
		o = &outSection{Section: Section{Name: name, Type: s.Type, Flags: s.Flags, EntSize: s.EntSize, Align: 1}, rank: rankOf(name, s.Type, s.Flags)}
		l.add(o)
		return o, nil
	}
	if bits, none := elf.SectionType(s.Type), elf.SHT_NOBITS; (bits == none) != (elf.SectionType(o.Type) == none) {
		return nil, l.bad("section %s has bytes, but %s, which is joined with it, has none, or the other way round", name, s.Name)
	}
	if o.Flags != s.Flags || o.EntSize != s.EntSize {
		merge := uint64(elf.SHF_MERGE | elf.SHF_STRINGS)
		o.Flags, o.EntSize = (o.Flags|s.Flags)&^merge, 0
		o.rank = rankOf(name, o.Type, o.Flags)
	}
	return o, nil
}

// reservedNames are the sections that the linker writes.
var reservedNames = map[string]bool{
	".note": true, ".dynsym": true, ".gnu.hash": true, ".hash": true, ".dynstr": true, ".rela.dyn": true, ".dynamic": true,
	".relro_padding": true, ".symtab": true, ".shstrtab": true, ".strtab": true, "": true,
}

// add adds an output section.
func (l *linker) add(o *outSection) {
	l.out = append(l.out, o)
	l.names[o.Name] = o
}

// shtAddrsig is SHT_LLVM_ADDRSIG.
const shtAddrsig = 0x6fff4c03

// symbols sorts the symbols: the dynamic ones by hash, and .symtab with locals first.
func (l *linker) symbols() error {
	seen, used := map[string]bool{}, make([]bool, len(l.spec.Symbols))
	for _, r := range l.spec.Relocs {
		used[r.Symbol] = true
	}
	for i := range l.spec.Symbols {
		s := &l.spec.Symbols[i]
		if s.Section == Undefined && !used[i] {
			continue // no use needs it
		}
		if s.Bind != uint8(elf.STB_LOCAL) {
			if seen[s.Name] {
				return l.bad("symbol %s is defined twice", s.Name)
			}
			seen[s.Name] = true
			if s.Section == Undefined {
				return diag.Errorf(diag.Pos{File: l.spec.Name}, diag.Unsupported, CodeUnsupported, "symbol %q is undefined: Crosslane has no device libraries to link with", s.Name)
			}
			if l.exported(s) {
				l.dynsym = append(l.dynsym, i)
			}
		} else if s.Section == Undefined {
			return l.bad("symbol %q is undefined", s.Name)
		}
	}
	// Names enter the table in the order of the symbols, before the symbols are sorted by hash.
	l.dynstr.add("")
	for _, i := range l.dynsym {
		l.dynstr.add(l.spec.Symbols[i].Name)
	}
	buckets := gnuBuckets(len(l.dynsym))
	slices.SortStableFunc(l.dynsym, func(a, b int) int {
		return int(gnuHash(l.spec.Symbols[a].Name)%buckets) - int(gnuHash(l.spec.Symbols[b].Name)%buckets)
	})
	return nil
}

func (l *linker) exported(s *SpecSymbol) bool {
	v := elf.SymVis(s.Visibility)
	return s.Bind != uint8(elf.STB_LOCAL) && (v == elf.STV_DEFAULT || v == elf.STV_PROTECTED)
}

// scanRelocs finds the needs of the relocations: entries of the global offset table, and words that
// depend on the base address.
func (l *linker) scanRelocs() error {
	got := &outSection{Section: Section{Name: ".got", Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_WRITE), Align: 8}, rank: rankGOT}
	for _, r := range l.spec.Relocs {
		row, _ := r.Kind.spec()
		sym := &l.spec.Symbols[r.Symbol]
		if row.got {
			if _, ok := l.gotAt[r.Symbol]; !ok {
				l.gotAt[r.Symbol] = len(l.got)
				l.addDynamic(got, uint64(8*len(l.got)), r.Symbol, 0)
				l.got = append(l.got, r.Symbol)
			}
		}
		if row.absolute && sym.Section != Absolute && l.outputOf[r.Section] != nil && l.outputOf[r.Section].rank != rankNone {
			if r.Kind != RelAbs64 {
				return diag.Errorf(diag.Pos{File: l.spec.Name}, diag.Unsupported, CodeUnsupported,
					"relocation %s against %s: only 64-bit addresses can be relocated when the code object is loaded", r.Kind, sym.Name)
			}
			l.addDynamic(l.outputOf[r.Section], l.start[r.Section]+r.Offset, r.Symbol, r.Addend)
		}
	}
	if len(l.got) > 0 {
		got.Size = uint64(8 * len(l.got))
		got.fill = func() []byte { return make([]byte, got.Size) }
		if l.names[got.Name] != nil {
			return l.bad("section .got is one that the linker makes for relocations like %s", RelGOTPC)
		}
		l.add(got)
	}
	return nil
}

// addDynamic notes a word that the loader fills. A symbol that another file may redefine stays a
// symbol; all other symbols become an address in this file.
func (l *linker) addDynamic(sec *outSection, off uint64, sym int, addend int64) {
	s := &l.spec.Symbols[sym]
	bySymbol := l.exported(s) && elf.SymVis(s.Visibility) == elf.STV_DEFAULT
	l.dynrel = append(l.dynrel, dynamicRel{sec: sec, off: off, sym: sym, addend: uint64(addend), bySymbol: bySymbol})
}

// addr returns the final address of a symbol of the Spec.
func (l *linker) addr(sym int) uint64 {
	s := &l.spec.Symbols[sym]
	if s.Section < 0 || l.outputOf[s.Section] == nil {
		return s.Value
	}
	return l.outputOf[s.Section].Addr + l.start[s.Section] + s.Value
}

// relocate applies the relocations to the bytes of the sections.
func (l *linker) relocate() error {
	for i := range l.spec.Relocs {
		r := &l.spec.Relocs[i]
		o := l.outputOf[r.Section]
		if o == nil {
			continue
		}
		row, _ := r.Kind.spec()
		sym := &l.spec.Symbols[r.Symbol]
		off := l.start[r.Section] + r.Offset
		p := o.Addr + off
		v := l.addr(r.Symbol) + uint64(r.Addend)
		switch {
		case row.absolute && sym.Section != Absolute && o.rank != rankNone:
			continue // .rela.dyn holds it
		case row.absolute:
		case row.got:
			v = l.section(".got").Addr + uint64(8*l.gotAt[r.Symbol]) + uint64(r.Addend) - p
		case sym.Section == Absolute:
			return l.badReloc(r, "relocation %s against the absolute symbol %s", r.Kind, sym.Name)
		default:
			v -= p
		}
		if !r.Kind.fits(v) {
			return l.badReloc(r, "relocation %s at byte %#x of section %s: the distance %d to %s does not fit", r.Kind, r.Offset, l.spec.Sections[r.Section].Name, int64(v), sym.Name)
		}
		r.Kind.put(o.Data[off:], v)
	}
	return nil
}

// section returns the output section of a name that exists.
func (l *linker) section(name string) *outSection { return l.names[name] }
