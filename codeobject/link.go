package codeobject

import (
	"cmp"
	"debug/elf"
	"slices"
	"sort"
	"strings"

	"example.org/crosslane/diag"
)

// Link makes a finished code object from a relocatable one.
func Link(data []byte, name string) ([]byte, error) {
	f := &file{data: data, name: name}
	if d := f.parse(); d != nil {
		return nil, d
	}
	if !f.rel {
		return nil, f.bad(16, "ELF type is ET_DYN, expected ET_REL (a relocatable file)")
	}
	return f.link()
}

// Unlinked decodes a relocatable file that cannot be linked alone, because its relocations name
// symbols that it does not define. For every other file it returns nil.
func Unlinked(data []byte, name string) (*Spec, error) {
	f := &file{data: data, name: name}
	if d := f.parse(); d != nil {
		return nil, d
	}
	if !f.rel {
		return nil, nil
	}
	s, d := f.spec(false)
	if d != nil {
		return nil, d
	}
	for _, r := range s.Relocs {
		if s.Symbols[r.Symbol].Section == Undefined {
			return s, (&linker{spec: s}).check()
		}
	}
	return nil, nil
}

func (f *file) link() ([]byte, error) {
	s, d := f.spec(false)
	if d != nil {
		return nil, d
	}
	return Build(s)
}

// linkDebug is link with the debugging information, if that is valid.
func (f *file) linkDebug() ([]byte, error) {
	if !slices.ContainsFunc(f.sections, isDebug) {
		return f.link()
	}
	relocs := f.relocs
	f.debugRelocs()
	s, d := f.spec(true)
	f.relocs = relocs
	if d == nil {
		if data, err := Build(s); err == nil {
			return data, nil
		}
	}
	return f.link()
}

// isDebug reports whether a section is readable debugging information.
func isDebug(s Section) bool {
	return s.Flags&shfCompressed == 0 && strings.HasPrefix(s.Name, ".debug_")
}

// spec returns the Spec of a relocatable file, perhaps with debugging information.
func (f *file) spec(debug bool) (*Spec, *diag.Diagnostic) {
	s := &Spec{Name: f.name, Version: f.version}
	index := make([]int, len(f.sections))
	var total uint64
	for i := range f.sections {
		sec := &f.sections[i]
		index[i] = Undefined
		switch elf.SectionType(sec.Type) {
		case elf.SHT_NOTE:
			if total += sec.Size; total > uint64(len(f.data)) {
				return nil, f.bad(uint64(sec.Offset), "notes overlap: together they have more bytes than the file")
			}
			m, d := f.noteMetadata(uint64(sec.Offset), sec.Size)
			if d != nil {
				return nil, d
			}
			if f.version == 2 {
				s.Notes, s.Flags = append(s.Notes, sec.Data...), f.u32(48)
			} else if m != nil {
				s.Metadata = m
			}
			continue
		case elf.SHT_NULL, elf.SHT_RELA, elf.SHT_SYMTAB, elf.SHT_STRTAB, elf.SHT_GROUP, shtAddrsig:
			continue
		}
		if sec.Flags&shfCompressed != 0 || !debug && isDebug(*sec) {
			continue
		}
		if total += uint64(len(sec.Data)); total > uint64(len(f.data)) {
			return nil, f.bad(uint64(sec.Offset), "sections overlap: together they have more bytes than the file")
		}
		index[i] = len(s.Sections)
		flags := sec.Flags & uint64(elf.SHF_ALLOC|elf.SHF_WRITE|elf.SHF_EXECINSTR|elf.SHF_MERGE|elf.SHF_STRINGS)
		size := sec.Size
		if sec.Data != nil {
			size = 0
		}
		s.Sections = append(s.Sections, SpecSection{Name: sec.Name, Type: sec.Type, Flags: flags, EntSize: sec.EntSize, Align: sec.Align, Data: sec.Data, Size: size})
	}
	number := make([]int, len(f.symtab)) // numbers of symbols in the Spec
	for i := range f.symtab {
		number[i] = -1
		sym := &f.symtab[i]
		x := SpecSymbol{Name: sym.Name, Section: Undefined, Value: sym.Addr, Size: sym.Size, Bind: sym.Bind, Type: sym.Type, Visibility: sym.Vis}
		switch {
		case i == 0:
			continue
		case sym.Absolute:
			x.Section = Absolute
		case sym.Section != 0:
			if x.Section = index[sym.Section]; x.Section == Undefined {
				continue // in debugging information
			}
		}
		number[i] = len(s.Symbols)
		s.Symbols = append(s.Symbols, x)
	}
	for _, r := range f.relocs {
		if index[r.in] == Undefined || RelocKind(r.typ) == RelNone {
			continue
		}
		if int(r.sym) >= len(number) || number[r.sym] < 0 {
			return nil, f.unsupported(r.at, "relocation %s against symbol %d, which is in no section that is kept", RelocKind(r.typ), r.sym)
		}
		s.Relocs = append(s.Relocs, SpecReloc{Section: index[r.in], Offset: r.off, Kind: RelocKind(r.typ), Symbol: number[r.sym], Addend: r.addend, At: int64(r.at)})
	}
	return s, nil
}

// Spec decodes a code object into the input of Build: Build makes the same bytes from it. It needs
// the section headers of the file.
func (o *Object) Spec() (*Spec, error) {
	s := &Spec{Name: o.Name, Version: o.Version, Metadata: o.Meta}
	if o.Version == 2 {
		s.Metadata, s.Notes, s.Flags = nil, o.notes, o.flags
	}
	if len(o.Sections) == 0 {
		return nil, diag.Errorf(diag.Pos{File: o.Name}, diag.Unsupported, CodeUnsupported, "the file has no section headers: its sections are not known")
	}
	index := map[int]int{}
	for i := range o.Sections {
		sec := &o.Sections[i]
		switch t := elf.SectionType(sec.Type); {
		case reservedNames[sec.Name], strings.HasPrefix(sec.Name, ".debug_"), sec.Flags&uint64(elf.SHF_COMPRESSED) != 0,
			t != elf.SHT_PROGBITS && t != elf.SHT_NOBITS && t != elf.SHT_INIT_ARRAY && t != elf.SHT_FINI_ARRAY:
			continue
		}
		index[sec.Index] = len(s.Sections)
		x := SpecSection{Name: sec.Name, Type: sec.Type, Flags: sec.Flags & 0x37, EntSize: sec.EntSize, Align: sec.Align, Data: sec.Data}
		if sec.Data == nil {
			x.Size = sec.Size
		}
		s.Sections = append(s.Sections, x)
	}
	names := map[string]int{}
	// A linker moves hidden symbols to the front, as locals; their names stay at their old places.
	demoted := func(s *Symbol) bool {
		return s.Bind == uint8(elf.STB_LOCAL) && elf.SymVis(s.Vis) == elf.STV_HIDDEN
	}
	global := func(s *Symbol) int {
		if s.Bind == uint8(elf.STB_LOCAL) && !demoted(s) {
			return 0
		}
		return 1
	}
	order := slices.Clone(o.Symbols)
	slices.SortStableFunc(order, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(global(&a), global(&b)), cmp.Compare(uint32(global(&a))*a.nameAt, uint32(global(&b))*b.nameAt))
	})
	for i := range order {
		sym := &order[i]
		x := SpecSymbol{Name: sym.Name, Section: Absolute, Value: sym.Addr, Size: sym.Size, Bind: sym.Bind, Type: sym.Type, Visibility: sym.Vis}
		if !sym.Absolute {
			k, ok := index[sym.Section]
			if !ok || sym.Type == uint8(elf.STT_SECTION) || sym.Type == uint8(elf.STT_FILE) {
				continue // _DYNAMIC, and symbols of omitted sections
			}
			x.Section = k
			x.Value -= o.sectionAt(sym.Section).Addr
		}
		if demoted(sym) {
			x.Bind = uint8(elf.STB_GLOBAL)
		}
		if _, dup := names[x.Name]; !dup || x.Bind != uint8(elf.STB_LOCAL) {
			names[x.Name] = len(s.Symbols)
		}
		s.Symbols = append(s.Symbols, x)
	}
	o.specEntries(s, names)
	return s, o.specRelocs(s, index, names)
}

// specEntries turns the distance from each descriptor to its code back into the relocation that the
// assembler makes.
func (o *Object) specEntries(s *Spec, names map[string]int) {
	copied := map[int]bool{}
	entry := map[string]uint64{} // by name: the global symbol, or the first local one
	for i := range o.Symbols {
		x := &o.Symbols[i]
		if _, ok := entry[x.Name]; !ok || x.Bind != uint8(elf.STB_LOCAL) {
			entry[x.Name] = x.Addr
		}
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		kd, ok := names[k.Symbol]
		code, ok2 := names[k.Name]
		if !ok || !ok2 || s.Symbols[kd].Section < 0 || s.Symbols[code].Section < 0 {
			continue
		}
		sec := s.Symbols[kd].Section
		off := s.Symbols[kd].Value + entryByte
		if off+8 > uint64(len(s.Sections[sec].Data)) || entry[k.Name] != k.Entry {
			continue
		}
		if !copied[sec] {
			copied[sec] = true
			s.Sections[sec].Data = slices.Clone(s.Sections[sec].Data)
		}
		clear(s.Sections[sec].Data[off:][:8])
		s.Relocs = append(s.Relocs, SpecReloc{Section: sec, Offset: off, Kind: Rel64, Symbol: code, Addend: entryByte})
	}
}

func (o *Object) sectionAt(index int) *Section {
	return &o.Sections[index-1] // Sections does not have the null section
}

// specRelocs adds the relocations that depend on the base address: against a symbol that another
// file may define, or against a section.
func (o *Object) specRelocs(s *Spec, index map[int]int, names map[string]int) error {
	var kept []*Section // sections in memory, by address
	base := make([]uint64, len(s.Sections))
	for n, k := range index {
		base[k] = o.sectionAt(n).Addr
	}
	for i := range o.Sections {
		if sec := &o.Sections[i]; sec.Flags&uint64(elf.SHF_ALLOC) != 0 {
			if _, ok := index[sec.Index]; ok {
				kept = append(kept, sec)
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b *Section) int { return cmp.Compare(a.Addr, b.Addr) })
	within := func(addr uint64) *Section {
		i := sort.Search(len(kept), func(i int) bool { return kept[i].Addr > addr }) - 1
		if i < 0 || addr-kept[i].Addr > kept[i].Size {
			return nil
		}
		return kept[i]
	}
	symbols := map[int]int{} // symbols that stand for sections
	for _, r := range o.Relocs {
		in := within(r.Addr)
		if in == nil {
			continue // in a section that Build makes itself
		}
		x := SpecReloc{Section: index[in.Index], Offset: r.Addr - in.Addr, Kind: RelAbs64}
		to := within(r.Value)
		i, ok := names[r.Symbol]
		switch {
		case r.Symbol != "" && ok && s.Symbols[i].Section >= 0:
			x.Symbol = i
			x.Addend = int64(r.Value - s.Symbols[i].Value - base[s.Symbols[i].Section])
		case to == nil || r.Symbol != "":
			return diag.Errorf(diag.Pos{File: o.Name}, diag.Unsupported, CodeUnsupported, "the word at address %#x points to address %#x, which is in no section", r.Addr, r.Value)
		default:
			k := index[to.Index]
			if _, ok := symbols[k]; !ok {
				symbols[k] = len(s.Symbols)
				s.Symbols = append(s.Symbols, SpecSymbol{Section: k, Type: uint8(elf.STT_SECTION)})
			}
			x.Symbol, x.Addend = symbols[k], int64(r.Value-to.Addr)
		}
		s.Relocs = append(s.Relocs, x)
	}
	return nil
}
