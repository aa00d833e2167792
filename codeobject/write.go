package codeobject

import (
	"debug/elf"
	"encoding/binary"
)

// write writes the whole file.
func (l *linker) write() ([]byte, error) {
	for i, o := range l.out {
		o.index = i + 1
	}
	if err := l.fill(); err != nil {
		return nil, err
	}
	symtab, strs := l.symtabBytes()
	l.append(".symtab", elf.SHT_SYMTAB, 8, symSize, symtab, ".strtab")
	var names strtab
	for _, o := range l.out {
		names.add(o.Name)
	}
	names.add(".shstrtab")
	names.add(".strtab")
	l.append(".shstrtab", elf.SHT_STRTAB, 1, 0, names.b, "")
	l.append(".strtab", elf.SHT_STRTAB, 1, 0, strs, "")
	for _, o := range l.out {
		o.name = names.add(o.Name)
	}
	last := l.out[len(l.out)-1]
	shoff := alignUp(uint64(last.Offset)+last.Size, 8)
	b := make([]byte, shoff+shdrSize*uint64(len(l.out)+1))
	l.writeHeader(b, shoff)
	l.writePhdrs(b[ehdrSize:])
	for i, o := range l.out {
		copy(b[o.Offset:], o.Data)
		l.writeShdr(b[shoff+shdrSize*uint64(i+1):], o)
	}
	return b, nil
}

// sNop is the encoding of s_nop 0.
const sNop = 0xbf800000

// append adds a section at the end of the file that is not in memory.
func (l *linker) append(name string, typ elf.SectionType, align, entsize uint64, data []byte, link string) {
	last := l.out[len(l.out)-1]
	end := uint64(last.Offset)
	if elf.SectionType(last.Type) != elf.SHT_NOBITS {
		end += last.Size
	}
	o := &outSection{Section: Section{Name: name, Type: uint32(typ), Align: align, EntSize: entsize, Data: data, Size: uint64(len(data))}, link: link, rank: rankNone, index: len(l.out) + 1}
	o.Offset = int64(alignUp(end, align))
	if typ == elf.SHT_SYMTAB {
		o.Info = uint32(l.locals)
	}
	l.add(o)
}

// fill writes the bytes of every section. Code between parts is s_nop 0, so that it disassembles.
func (l *linker) fill() error {
	for _, o := range l.out {
		switch {
		case elf.SectionType(o.Type) == elf.SHT_NOBITS:
		case o.fill != nil:
			o.Data = o.fill()
		default:
			o.Data = make([]byte, o.Size)
			if o.rank == rankCode && len(o.parts) > 1 {
				for i := 0; i+4 <= len(o.Data); i += 4 {
					binary.LittleEndian.PutUint32(o.Data[i:], sNop)
				}
			}
			for _, p := range o.parts {
				copy(o.Data[p.off:], l.spec.Sections[p.section].Data)
			}
		}
	}
	return l.relocate()
}

// symtabBytes returns .symtab and its strings: locals first, with hidden symbols among them, as in
// a finished file.
func (l *linker) symtabBytes() (b, strs []byte) {
	var names strtab
	b = make([]byte, symSize)
	// Names are in the order of the symbols before locals move to the front.
	for _, global := range []bool{false, true} {
		for i := range l.spec.Symbols {
			if s := &l.spec.Symbols[i]; l.listed(s) && (s.Bind != uint8(elf.STB_LOCAL)) == global {
				names.add(s.Name)
			}
		}
	}
	put := func(s SpecSymbol, section uint16, value uint64) {
		b = symbolBytes(b, names.add(s.Name), &s, section, value)
	}
	local := func(s *SpecSymbol) bool { return !l.exported(s) }
	l.locals = 1
	for pass := range 3 {
		if pass == 2 {
			dyn := l.section(".dynamic")
			put(SpecSymbol{Name: "_DYNAMIC", Visibility: uint8(elf.STV_HIDDEN)}, uint16(dyn.index), dyn.Addr)
			l.locals++
		}
		for i := range l.spec.Symbols {
			s := l.spec.Symbols[i]
			isLocal := s.Bind == uint8(elf.STB_LOCAL)
			switch {
			case !l.listed(&s):
				continue
			case pass == 0 && !isLocal, pass == 1 && (isLocal || !local(&s)), pass == 2 && local(&s):
				continue
			}
			if pass < 2 {
				s.Bind = uint8(elf.STB_LOCAL)
				l.locals++
			}
			put(s, l.sectionIndex(&s), l.addr(i))
		}
	}
	return b, names.b
}

// listed reports whether .symtab holds the symbol.
func (l *linker) listed(s *SpecSymbol) bool {
	return elf.SymType(s.Type) != elf.STT_SECTION && s.Section != Undefined && (s.Section < 0 || l.outputOf[s.Section] != nil)
}

// writeHeader writes the ELF header.
func (l *linker) writeHeader(b []byte, shoff uint64) {
	le := binary.LittleEndian
	writeIdent(b, elf.ET_DYN, l.spec)
	le.PutUint64(b[32:], ehdrSize)
	le.PutUint64(b[40:], shoff)
	le.PutUint16(b[52:], ehdrSize)
	le.PutUint16(b[54:], phdrSize)
	le.PutUint16(b[56:], uint16(len(l.phdrs)))
	le.PutUint16(b[58:], shdrSize)
	le.PutUint16(b[60:], uint16(len(l.out)+1))
	le.PutUint16(b[62:], uint16(l.section(".shstrtab").index))
}

// writePhdrs writes the program headers.
func (l *linker) writePhdrs(b []byte) {
	le := binary.LittleEndian
	for i, p := range l.phdrs {
		var off, addr, filesz, memsz uint64
		switch {
		case p.typ == elf.PT_PHDR:
			off, addr = ehdrSize, ehdrSize
			filesz = phdrSize * uint64(len(l.phdrs))
			memsz = filesz
		case p.first != nil:
			off, addr = uint64(p.first.Offset), p.first.Addr
			if p.typ == elf.PT_LOAD && p.flags == elf.PF_R {
				off, addr = 0, 0 // this segment includes the headers
			}
			memsz = p.last.Addr + p.last.Size - addr
			filesz = uint64(p.last.Offset) - off
			if elf.SectionType(p.last.Type) != elf.SHT_NOBITS {
				filesz += p.last.Size
			}
		}
		h := b[i*phdrSize:]
		le.PutUint32(h, uint32(p.typ))
		le.PutUint32(h[4:], uint32(p.flags))
		for j, v := range []uint64{off, addr, addr, filesz, memsz, p.align} {
			le.PutUint64(h[8+8*j:], v)
		}
	}
}

// writeShdr writes one section header.
func (l *linker) writeShdr(b []byte, o *outSection) {
	le := binary.LittleEndian
	le.PutUint32(b, o.name)
	le.PutUint32(b[4:], o.Type)
	for j, v := range []uint64{o.Flags, o.Addr, uint64(o.Offset), o.Size} {
		le.PutUint64(b[8+8*j:], v)
	}
	var link uint32
	if o.link != "" {
		link = uint32(l.section(o.link).index)
	}
	info := o.Info
	if o.Name == ".dynsym" {
		info = 1 // the null symbol is the only local one
	}
	le.PutUint32(b[40:], link)
	le.PutUint32(b[44:], info)
	le.PutUint64(b[48:], o.Align)
	le.PutUint64(b[56:], o.EntSize)
}
