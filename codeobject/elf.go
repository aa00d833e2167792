package codeobject

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// ELF numbers that debug/elf does not name (AMDGPUUsage, "ELF Code Object").
const (
	osabiHSA    = 64   // ELFOSABI_AMDGPU_HSA
	machMask    = 0xff // EF_AMDGPU_MACH
	ehdrSize    = 64
	phdrSize    = 56
	shdrSize    = 64
	symSize     = 24
	relaSize    = 24
	noteAMDGPU  = 32      // NT_AMDGPU_METADATA
	maxName     = 1 << 16 // bytes of a name: longer ones are refused
	maxAddr     = 1 << 32 // limit for the end of the last segment: far beyond any kernel's size
	shfExecInst = uint64(elf.SHF_EXECINSTR)
)

// A file is a code object while it is read. The format has the parts
//
//	ELF header | program headers | contents | section headers
//
// and is little-endian, 64 bits.
type file struct {
	data    []byte
	name    string
	version int
	rel     bool // ET_REL

	phdrs    []phdr
	sections []Section // including the null section
	symtab   []Symbol  // .symtab
	dynsym   []Symbol  // .dynsym
	relocs   []rela
	scanned  uint64 // number of bytes of names read
}

type phdr struct {
	typ, flags                           uint32
	off, vaddr, filesz, memsz, align, at uint64 // at: offset of the header itself
}

type rela struct {
	off    uint64
	typ    uint32
	sym    uint32
	addend int64
	in     int    // section whose bytes it changes; 0: off is an address
	at     uint64 // offset of the entry in the file
}

func (f *file) bad(off uint64, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{File: f.name, Off: int64(off), HasOff: true}, diag.Input, CodeMalformed, format, args...)
}

func (f *file) unsupported(off uint64, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{File: f.name, Off: int64(off), HasOff: true}, diag.Unsupported, CodeUnsupported, format, args...)
}

func (f *file) u16(off uint64) uint16 { return binary.LittleEndian.Uint16(f.data[off:]) }
func (f *file) u32(off uint64) uint32 { return binary.LittleEndian.Uint32(f.data[off:]) }
func (f *file) u64(off uint64) uint64 { return binary.LittleEndian.Uint64(f.data[off:]) }

// has reports whether the file has n bytes at off.
func (f *file) has(off, n uint64) bool {
	l := uint64(len(f.data))
	return off <= l && n <= l-off
}

// parse reads and checks the ELF structures, without interpreting their contents.
func (f *file) parse() *diag.Diagnostic {
	if !IsELF(f.data) {
		n := min(len(f.data), 4)
		return f.bad(0, "not an ELF file: found bytes %x, expected 7f454c46", f.data[:n])
	}
	if !f.has(0, ehdrSize) {
		return f.bad(uint64(len(f.data)), "file ends after %d bytes, expected an ELF header of %d", len(f.data), ehdrSize)
	}
	if d := f.header(); d != nil {
		return d
	}
	for _, step := range []func() *diag.Diagnostic{f.programHeaders, f.sectionHeaders, f.symbolTables, f.relocations} {
		if d := step(); d != nil {
			return d
		}
	}
	return nil
}

// header checks the ELF header.
//
//	 0 e_ident: magic, class, data, version, OSABI (7), ABI version (8)
//	16 e_type   18 e_machine   48 e_flags
func (f *file) header() *diag.Diagnostic {
	switch {
	case f.data[4] == 1 && f.data[5] == 1 && f.u16(18) == uint16(elf.EM_AMDGPU):
		// ELFCLASS32: e_flags is at byte 36. The r600 architecture has no other class.
		return f.otherTarget(36, "target is %s (32 bits), expected %s", machName(f.u32(36)&machMask), Target)
	case f.data[4] != 2:
		return f.bad(4, "ELF class is %d, expected 2 (64 bits)", f.data[4])
	case f.data[5] != 1:
		return f.bad(5, "ELF data encoding is %d, expected 1 (little-endian)", f.data[5])
	}
	if m := f.u16(18); m != uint16(elf.EM_AMDGPU) {
		return f.unsupported(18, "machine is %s, expected EM_AMDGPU (224)", elf.Machine(m))
	}
	if f.data[7] != osabiHSA {
		return f.unsupported(7, "OS ABI is %s, expected 64 (AMDGPU HSA)", osabiName(f.data[7]))
	}
	// AMDGPUUsage, "ELFABIVERSION_AMDGPU_HSA_*": 0 is version 2, 1 is version 3, ...
	switch v := f.data[8]; {
	case v > 4:
		return f.unsupported(8, "ABI version is %d, expected 0 to 4 (code object versions 2 to 6)", v)
	default:
		f.version = int(v) + 2
	}
	if d := f.flags(); d != nil {
		return d
	}
	switch t := f.u16(16); elf.Type(t) {
	case elf.ET_REL:
		f.rel = true
	case elf.ET_DYN:
	default:
		return f.bad(16, "ELF type is %s, expected ET_DYN (a finished code object) or ET_REL", elf.Type(t))
	}
	return nil
}

// flags checks e_flags, which name the processor of the file (AMDGPUUsage, "AMDGPU ELF Header
// e_flags" for each version).
func (f *file) flags() *diag.Diagnostic {
	flags := f.u32(48)
	switch {
	case f.version == 2:
		return f.headerV2()
	case flags&machMask != targetMach:
		return f.otherTarget(48, "target is %s, expected %s", targetID(f.version, flags), Target)
	case flags != targetMach:
		return f.otherTarget(48, "e_flags is %#x (%s), expected %#x: %s has no xnack, sramecc or generic setting", flags, targetID(f.version, flags), targetMach, Target)
	}
	return nil
}

// otherTarget refuses a file for another processor.
func (f *file) otherTarget(off uint64, format string, args ...any) *diag.Diagnostic {
	d := f.unsupported(off, format, args...)
	d.Remedy = "compile the kernel with -mcpu=" + Target
	return d
}

func osabiName(b byte) string {
	switch b {
	case 65:
		return "65 (AMDGPU PAL)"
	case 66:
		return "66 (AMDGPU Mesa3D)"
	}
	return elf.OSABI(b).String()
}

// table checks a table of n entries at off, whose entries have size bytes; want is the expected
// size.
func (f *file) table(what string, field, off, n, size, want uint64) *diag.Diagnostic {
	if n == 0 {
		return nil
	}
	if size != want {
		return f.bad(field, "%s entries have %d bytes, expected %d", what, size, want)
	}
	if !f.has(off, n*want) { // n is at most 16 bits here
		return f.bad(field, "%s of %d entries at offset %#x ends past the end of the file, which has %d bytes", what, n, off, len(f.data))
	}
	return nil
}

// programHeaders reads the program headers.
func (f *file) programHeaders() *diag.Diagnostic {
	off, n := f.u64(32), uint64(f.u16(56))
	if d := f.table("program header table", 32, off, n, uint64(f.u16(54)), phdrSize); d != nil {
		return d
	}
	f.phdrs = make([]phdr, 0, n)
	for i := range n {
		b := off + i*phdrSize
		p := phdr{
			typ: f.u32(b), flags: f.u32(b + 4), off: f.u64(b + 8), vaddr: f.u64(b + 16),
			filesz: f.u64(b + 32), memsz: f.u64(b + 40), align: f.u64(b + 48), at: b,
		}
		if t := elf.ProgType(p.typ); (t == elf.PT_LOAD || t == elf.PT_NOTE) && !f.has(p.off, p.filesz) {
			return f.bad(b+8, "%s segment %d has %d bytes at offset %#x, past the end of the file, which has %d bytes", t, i, p.filesz, p.off, len(f.data))
		}
		f.phdrs = append(f.phdrs, p)
	}
	return nil
}

// sectionHeaders reads the section headers.
func (f *file) sectionHeaders() *diag.Diagnostic {
	off, n := f.u64(40), uint64(f.u16(60))
	if n == 0 {
		if off != 0 {
			return f.unsupported(60, "section header table has 0 entries at offset %#x: extended numbering is not supported", off)
		}
		return nil
	}
	if d := f.table("section header table", 40, off, n, uint64(f.u16(58)), shdrSize); d != nil {
		return d
	}
	f.sections = make([]Section, n)
	for i := range n {
		b := off + i*shdrSize
		s := &f.sections[i]
		*s = Section{
			Index: int(i), Type: f.u32(b + 4), Flags: f.u64(b + 8), Addr: f.u64(b + 16),
			Offset: int64(f.u64(b + 24)), Size: f.u64(b + 32), Link: f.u32(b + 40), Info: f.u32(b + 44),
			Align: f.u64(b + 48), EntSize: f.u64(b + 56),
		}
		if t := elf.SectionType(s.Type); t == elf.SHT_NULL || t == elf.SHT_NOBITS {
			continue
		}
		o := f.u64(b + 24)
		if !f.has(o, s.Size) {
			return f.bad(b+24, "section %d has %d bytes at offset %#x, past the end of the file, which has %d bytes", i, s.Size, o, len(f.data))
		}
		s.Data = f.data[o : o+s.Size : o+s.Size]
	}
	ndx := uint64(f.u16(62))
	if ndx >= n {
		return f.bad(62, "section name table is section %d of %d", ndx, n)
	}
	names := string(f.sections[ndx].Data)
	for i := 1; i < int(n); i++ {
		b := off + uint64(i)*shdrSize
		var d *diag.Diagnostic
		if f.sections[i].Name, d = f.str(names, f.u32(b), b); d != nil {
			return d
		}
	}
	return nil
}

// str returns the zero-terminated string at off of a string table, without a copy. Names may
// overlap in the table. A file whose names are many times as long as itself is refused, so that
// reading takes time in proportion to the file.
func (f *file) str(tab string, off uint32, at uint64) (string, *diag.Diagnostic) {
	if off == 0 && tab == "" {
		return "", nil
	}
	if uint64(off) >= uint64(len(tab)) {
		return "", f.bad(at, "name at offset %d of a string table of %d bytes", off, len(tab))
	}
	s := tab[off:]
	s = s[:min(len(s), maxName)]
	n := strings.IndexByte(s, 0)
	if n < 0 {
		return "", f.bad(at, "name at offset %d of a string table has no terminating zero within %d bytes", off, len(s))
	}
	if f.scanned += uint64(n); f.scanned > 64*uint64(len(f.data)) {
		return "", f.bad(at, "the names together are more than 64 times as long as the file")
	}
	return s[:n], nil
}

// symbolTables reads .symtab and .dynsym.
func (f *file) symbolTables() *diag.Diagnostic {
	if len(f.sections) == 0 {
		return f.dynamic()
	}
	for i := range f.sections {
		s := &f.sections[i]
		into := &f.symtab
		switch elf.SectionType(s.Type) {
		case elf.SHT_DYNSYM:
			into = &f.dynsym
		case elf.SHT_SYMTAB:
		default:
			continue
		}
		if *into != nil {
			return f.bad(uint64(s.Offset), "section %s is a second symbol table of its kind", s.Name)
		}
		if uint64(s.Link) >= uint64(len(f.sections)) {
			return f.bad(uint64(s.Offset), "symbol table's string table is section %d of %d", s.Link, len(f.sections))
		}
		var d *diag.Diagnostic
		if *into, d = f.readSymbols(uint64(s.Offset), s.Size, string(f.sections[s.Link].Data)); d != nil {
			return d
		}
	}
	return nil
}

// readSymbols reads a symbol table of size bytes at offset at; strs is the table of names.
func (f *file) readSymbols(at, size uint64, strs string) ([]Symbol, *diag.Diagnostic) {
	if size%symSize != 0 {
		return nil, f.bad(at, "symbol table has %d bytes, expected a multiple of %d", size, symSize)
	}
	syms := make([]Symbol, 0, size/symSize)
	for b := at; b < at+size; b += symSize {
		name, d := f.str(strs, f.u32(b), b)
		if d != nil {
			return nil, d
		}
		s := Symbol{
			Name: name, nameAt: f.u32(b), Bind: f.data[b+4] >> 4, Type: f.data[b+4] & 15, Vis: f.data[b+5] & 3,
			Addr: f.u64(b + 8), Size: f.u64(b + 16),
		}
		switch ndx := f.u16(b + 6); {
		case elf.SectionIndex(ndx) == elf.SHN_ABS:
			s.Absolute = true
		case int(ndx) < len(f.sections) || len(f.sections) == 0:
			s.Section = int(ndx)
		case ndx == shnLDS:
			// A linker would place it, like a common symbol. The value is its alignment.
			return nil, f.unsupported(b+6, "symbol %q is a variable in LDS that several files share: link the kernel with the compiler's linker", name)
		default:
			return nil, f.unsupported(b+6, "symbol %q is in section index %#x of %d sections", name, ndx, len(f.sections))
		}
		syms = append(syms, s)
	}
	return syms, nil
}

// dynamic finds the symbols and relocations of a finished file without section headers, through its
// dynamic segment (gABI, "Dynamic Section").
func (f *file) dynamic() *diag.Diagnostic {
	var tags [16]uint64 // DT_HASH 4, DT_STRTAB 5, DT_SYMTAB 6, DT_RELA 7, DT_RELASZ 8, DT_STRSZ 10
	var at uint64
	for _, p := range f.phdrs {
		if elf.ProgType(p.typ) != elf.PT_DYNAMIC {
			continue
		}
		if !f.has(p.off, p.filesz) {
			return f.bad(p.at, "dynamic segment has %d bytes at offset %#x, past the end of the file, which has %d bytes", p.filesz, p.off, len(f.data))
		}
		at = p.off
		for b := p.off; b+16 <= p.off+p.filesz && f.u64(b) != 0; b += 16 {
			if t := f.u64(b); t < uint64(len(tags)) {
				tags[t] = f.u64(b + 8)
			}
		}
	}
	if tags[elf.DT_SYMTAB] == 0 || tags[elf.DT_HASH] == 0 {
		return nil
	}
	hash, ok := f.fileOffset(tags[elf.DT_HASH], 8)
	if !ok {
		return f.bad(at, "DT_HASH is address %#x, which no segment fills", tags[elf.DT_HASH])
	}
	n := uint64(f.u32(hash + 4)) // nchain is the number of symbols
	sym, ok := f.fileOffset(tags[elf.DT_SYMTAB], n*symSize)
	if !ok {
		return f.bad(hash+4, "symbol table of %d entries at address %#x, which no segment fills", n, tags[elf.DT_SYMTAB])
	}
	str, ok := f.fileOffset(tags[elf.DT_STRTAB], tags[elf.DT_STRSZ])
	if !ok {
		return f.bad(at, "string table of %d bytes at address %#x, which no segment fills", tags[elf.DT_STRSZ], tags[elf.DT_STRTAB])
	}
	var d *diag.Diagnostic
	if f.dynsym, d = f.readSymbols(sym, n*symSize, string(f.data[str:str+tags[elf.DT_STRSZ]])); d != nil {
		return d
	}
	if size := tags[elf.DT_RELASZ]; size > 0 {
		rel, ok := f.fileOffset(tags[elf.DT_RELA], size)
		if !ok {
			return f.bad(at, "relocations of %d bytes at address %#x, which no segment fills", size, tags[elf.DT_RELA])
		}
		return f.readRelocs(rel, size, 0, f.dynsym)
	}
	return nil
}

// fileOffset returns the place in the file of the n bytes at an address.
func (f *file) fileOffset(addr, n uint64) (uint64, bool) {
	for _, p := range f.phdrs {
		if elf.ProgType(p.typ) == elf.PT_LOAD && addr >= p.vaddr && addr-p.vaddr <= p.filesz && n <= p.filesz-(addr-p.vaddr) {
			return p.off + (addr - p.vaddr), true
		}
	}
	return 0, false
}

// relocations reads every SHT_RELA section that changes bytes in memory.
func (f *file) relocations() *diag.Diagnostic {
	for i := range f.sections {
		s := &f.sections[i]
		switch elf.SectionType(s.Type) {
		case elf.SHT_REL:
			return f.unsupported(uint64(s.Offset), "section %s holds relocations without addends, expected SHT_RELA", s.Name)
		case elf.SHT_RELA:
		default:
			continue
		}
		in, syms := 0, f.dynsym
		if f.rel {
			if s.Info == 0 || uint64(s.Info) >= uint64(len(f.sections)) {
				return f.bad(uint64(s.Offset), "relocations of section %d of %d", s.Info, len(f.sections))
			}
			if in, syms = int(s.Info), f.symtab; f.sections[in].Flags&uint64(elf.SHF_ALLOC) == 0 {
				continue // debugging information
			}
		}
		if d := f.readRelocs(uint64(s.Offset), s.Size, in, syms); d != nil {
			return d
		}
	}
	return nil
}

// debugRelocs adds the relocations of debugging information, as far as they are valid.
func (f *file) debugRelocs() {
	f.relocs = slices.Clone(f.relocs)
	for i := range f.sections {
		s := &f.sections[i]
		if elf.SectionType(s.Type) == elf.SHT_RELA && s.Info > 0 && int64(s.Info) < int64(len(f.sections)) && isDebug(f.sections[s.Info]) &&
			f.sections[s.Info].Flags&uint64(elf.SHF_ALLOC) == 0 {
			f.readRelocs(uint64(s.Offset), s.Size, int(s.Info), f.symtab)
		}
	}
}

// readRelocs reads a relocation table of size bytes at offset at, for section in.
func (f *file) readRelocs(at, size uint64, in int, syms []Symbol) *diag.Diagnostic {
	if size%relaSize != 0 {
		return f.bad(at, "relocation table has %d bytes, expected a multiple of %d", size, relaSize)
	}
	if uint64(len(f.relocs))*relaSize+size > uint64(len(f.data)) {
		return f.bad(at, "relocation tables overlap: together they are longer than the file")
	}
	for b := at; b < at+size; b += relaSize {
		r := rela{off: f.u64(b), typ: f.u32(b + 8), sym: f.u32(b + 12), addend: int64(f.u64(b + 16)), in: in, at: b}
		if r.sym != 0 && uint64(r.sym) >= uint64(len(syms)) {
			return f.bad(b+8, "relocation names symbol %d of %d", r.sym, len(syms))
		}
		f.relocs = append(f.relocs, r)
	}
	return nil
}
