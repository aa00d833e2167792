package codeobject

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// synthesize makes the sections that the linker writes itself.
func (l *linker) synthesize() error {
	alloc := uint64(elf.SHF_ALLOC)
	add := func(o outSection) { l.add(&o) }
	if notes := l.notes; l.spec.Version == 2 && len(notes) > 0 {
		add(outSection{Section: Section{Name: ".note", Type: uint32(elf.SHT_NOTE), Flags: alloc, Align: 4, Size: uint64(len(notes))}, rank: rankNote, fill: func() []byte { return notes }})
	}
	if l.spec.Metadata != nil {
		desc, err := l.spec.Metadata.MsgPack()
		if err != nil {
			return l.bad("%v", err)
		}
		if len(desc) > math.MaxInt32 {
			return l.bad("metadata of %d bytes do not fit", len(desc))
		}
		note := makeNote(desc)
		add(outSection{Section: Section{Name: ".note", Type: uint32(elf.SHT_NOTE), Flags: alloc, Align: 4, Size: uint64(len(note))}, rank: rankNote, fill: func() []byte { return note }})
	}
	n := uint64(len(l.dynsym)) + 1
	table := func(name string, typ elf.SectionType, align, entsize, size uint64, link string, fill func() []byte) {
		add(outSection{Section: Section{Name: name, Type: uint32(typ), Flags: alloc, Align: align, EntSize: entsize, Size: size}, rank: rankTables, link: link, fill: fill})
	}
	table(".dynsym", elf.SHT_DYNSYM, 8, symSize, n*symSize, ".dynstr", l.dynsymBytes)
	gnu := l.gnuHashBytes()
	table(".gnu.hash", elf.SHT_GNU_HASH, 8, 0, uint64(len(gnu)), ".dynsym", func() []byte { return gnu })
	table(".hash", elf.SHT_HASH, 4, 4, 8+8*n, ".dynsym", l.hashBytes)
	table(".dynstr", elf.SHT_STRTAB, 1, 0, uint64(len(l.dynstr.b)), "", func() []byte { return l.dynstr.b })
	if k := len(l.dynrel); k > 0 {
		table(".rela.dyn", elf.SHT_RELA, 8, relaSize, uint64(k)*relaSize, ".dynsym", l.relaBytes)
	}
	wa := uint64(elf.SHF_ALLOC | elf.SHF_WRITE)
	add(outSection{Section: Section{Name: ".dynamic", Type: uint32(elf.SHT_DYNAMIC), Flags: wa, Align: 8, EntSize: 16, Size: uint64(16 * len(l.dynamicTags()))}, rank: rankDynamic, link: ".dynstr", fill: l.dynamicBytes})
	add(outSection{Section: Section{Name: ".relro_padding", Type: uint32(elf.SHT_NOBITS), Flags: wa, Align: 1}, rank: rankRelroPad})
	slices.SortStableFunc(l.out, func(a, b *outSection) int { return cmp.Compare(a.rank, b.rank) })
	return nil
}

// makeNote returns an NT_AMDGPU_METADATA note with the description.
func makeNote(desc []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 7)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, noteAMDGPU)
	b = append(b, "AMDGPU\x00\x00"...)
	b = append(b, desc...)
	return append(b, make([]byte, -len(desc)&3)...)
}

// layOut gives sections addresses and file offsets, and makes the program headers. A segment with
// other permissions starts at the same offset in the next page, so the file needs no padding.
func (l *linker) layOut() error {
	l.makeSegments()
	first := map[*outSection]outPhdr{}
	for _, p := range l.phdrs {
		if p.typ == elf.PT_LOAD && p.first != nil {
			first[p.first] = p
		}
	}
	addr := uint64(ehdrSize + phdrSize*len(l.phdrs))
	off := addr
	end := addr // end of the last section, without the padding of relro
	for i, o := range l.out {
		if o.rank == rankNone {
			o.Offset = int64(alignUp(off, o.Align))
			if off = uint64(o.Offset); elf.SectionType(o.Type) != elf.SHT_NOBITS {
				off += o.Size
			}
			continue
		}
		if p, ok := first[o]; ok && i > 0 {
			addr = alignUp(addr, pageSize) + end%pageSize
			addr = alignUp(addr, o.Align)
			mask := max(p.align, pageSize) - 1
			off += (addr - off) & mask
		} else {
			a := alignUp(addr, o.Align)
			if elf.SectionType(o.Type) != elf.SHT_NOBITS {
				off += a - addr
			}
			addr = a
		}
		if o.rank == rankRelroPad {
			o.Size = alignUp(addr, pageSize) - addr
		}
		o.Addr, o.Offset = addr, int64(off)
		if addr += o.Size; addr > maxAddr {
			return l.bad("sections end beyond address %#x", uint64(maxAddr))
		}
		if elf.SectionType(o.Type) != elf.SHT_NOBITS {
			off += o.Size
		}
		if end = addr; o.rank == rankRelroPad {
			end = o.Addr
		}
	}
	var in uint64
	for i := range l.spec.Sections {
		in += uint64(len(l.spec.Sections[i].Data))
	}
	if most := 8*in + 64<<20; off > most {
		return l.bad("the file would have %d bytes, more than %d: sections are aligned too widely", off, most)
	}
	if len(l.out) > int(elf.SHN_LORESERVE)-8 {
		return l.bad("%d sections, more than %d", len(l.out), int(elf.SHN_LORESERVE)-8)
	}
	return nil
}

// makeSegments chooses the program headers.
func (l *linker) makeSegments() {
	l.phdrs = []outPhdr{{typ: elf.PT_PHDR, flags: elf.PF_R, align: 8}}
	var load *outPhdr
	var loads []outPhdr
	wasRelro := false
	for _, o := range l.out {
		if o.rank == rankNone {
			break
		}
		flags := elf.PF_R
		if o.rank == rankCode {
			flags |= elf.PF_X
		} else if o.rank > rankCode {
			flags |= elf.PF_W
		}
		relro := o.rank > rankCode && o.rank <= rankRelroPad
		if load == nil || load.flags != flags || relro != wasRelro {
			loads = append(loads, outPhdr{typ: elf.PT_LOAD, flags: flags, first: o, align: pageSize})
			load = &loads[len(loads)-1]
		}
		wasRelro = relro
		load.last = o
		load.align = max(load.align, o.Align)
	}
	l.phdrs = append(l.phdrs, loads...)
	var dynamic, firstRelro, pad, note *outSection
	for _, o := range l.out {
		switch {
		case o.rank == rankDynamic:
			dynamic = o
		case o.rank == rankRelroPad:
			pad = o
		case o.rank == rankNote:
			note = o
		}
		if firstRelro == nil && o.rank >= rankRelro {
			firstRelro = o
		}
	}
	l.phdrs = append(l.phdrs,
		outPhdr{typ: elf.PT_DYNAMIC, flags: elf.PF_R | elf.PF_W, first: dynamic, last: dynamic, align: 8},
		outPhdr{typ: elf.PT_GNU_RELRO, flags: elf.PF_R, first: firstRelro, last: pad, align: 1},
		outPhdr{typ: elf.PT_GNU_STACK, flags: elf.PF_R | elf.PF_W})
	if note != nil {
		l.phdrs = append(l.phdrs, outPhdr{typ: elf.PT_NOTE, flags: elf.PF_R, first: note, last: note, align: 4})
	}
}

// symbolBytes appends one entry of a symbol table:
//
//	name 4 | bind:type 1 | visibility 1 | section 2 | value 8 | size 8
func symbolBytes(b []byte, name uint32, s *SpecSymbol, section uint16, value uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, name)
	b = append(b, s.Bind<<4|s.Type&15, s.Visibility&3)
	b = binary.LittleEndian.AppendUint16(b, section)
	b = binary.LittleEndian.AppendUint64(b, value)
	return binary.LittleEndian.AppendUint64(b, s.Size)
}

// sectionIndex returns the ELF section index of a symbol of the Spec.
func (l *linker) sectionIndex(s *SpecSymbol) uint16 {
	if s.Section < 0 || l.outputOf[s.Section] == nil {
		return uint16(elf.SHN_ABS)
	}
	return uint16(l.outputOf[s.Section].index)
}

func (l *linker) dynsymBytes() []byte {
	b := make([]byte, symSize)
	for _, i := range l.dynsym {
		s := &l.spec.Symbols[i]
		b = symbolBytes(b, l.dynstr.add(s.Name), s, l.sectionIndex(s), l.addr(i))
	}
	return b
}

// gnuHash returns the hash of the DT_GNU_HASH table.
func gnuHash(name string) uint32 {
	h := uint32(5381)
	for i := range len(name) {
		h = h*33 + uint32(name[i])
	}
	return h
}

func gnuBuckets(symbols int) uint32 { return uint32(max(symbols/4, 1)) }

// gnuHashBytes returns the DT_GNU_HASH table:
//
//	buckets, first symbol, bloom words, bloom shift: 4 each | bloom filter | buckets | hashes
func (l *linker) gnuHashBytes() []byte {
	const shift = 26
	n := len(l.dynsym)
	words := 1
	if n > 0 {
		words = 1 << bits.Len(uint(n*12/64)) // the next power of two above n*12/64
	}
	buckets := gnuBuckets(n)
	bloom := make([]uint64, words)
	first := make([]uint32, buckets)
	hashes := make([]uint32, n)
	for i, sym := range l.dynsym {
		h := gnuHash(l.spec.Symbols[sym].Name)
		bloom[h/64&uint32(words-1)] |= 1<<(h%64) | 1<<(h>>shift%64)
		if first[h%buckets] == 0 {
			first[h%buckets] = uint32(i + 1)
		}
		hashes[i] = h &^ 1
	}
	for i := range hashes { // the lowest bit marks the end of a chain
		if i+1 == n || gnuHash(l.spec.Symbols[l.dynsym[i]].Name)%buckets != gnuHash(l.spec.Symbols[l.dynsym[i+1]].Name)%buckets {
			hashes[i] |= 1
		}
	}
	var b []byte
	for _, w := range []uint32{buckets, 1, uint32(words), shift} {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	for _, w := range bloom {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, w := range append(first, hashes...) {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// sysvHash returns the hash of the DT_HASH table (gABI, "Hash Table").
func sysvHash(name string) uint32 {
	var h uint32
	for i := range len(name) {
		h = h<<4 + uint32(name[i])
		g := h & 0xf0000000
		h ^= g >> 24
		h &^= g
	}
	return h
}

// hashBytes returns the DT_HASH table: nbucket, nchain, buckets, chains.
func (l *linker) hashBytes() []byte {
	n := uint32(len(l.dynsym) + 1)
	t := make([]uint32, 2+2*n)
	t[0], t[1] = n, n
	for i, sym := range l.dynsym {
		h := sysvHash(l.spec.Symbols[sym].Name) % n
		t[2+n+uint32(i)+1] = t[2+h]
		t[2+h] = uint32(i + 1)
	}
	var b []byte
	for _, w := range t {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// relative returns the number of relocations against the base alone, which come first.
func (l *linker) relative() int {
	n := 0
	for _, r := range l.dynrel {
		if !r.bySymbol {
			n++
		}
	}
	return n
}

// relaBytes returns .rela.dyn, relative relocations first.
func (l *linker) relaBytes() []byte {
	type entry struct{ off, info, addend uint64 }
	var rel, abs []entry
	index := make(map[int]int, len(l.dynsym))
	for i, s := range l.dynsym {
		index[s] = i + 1
	}
	for _, r := range l.dynrel {
		e := entry{off: r.sec.Addr + r.off, addend: r.addend}
		if !r.bySymbol {
			e.info, e.addend = uint64(RelRelative64), r.addend+l.addr(r.sym)
			rel = append(rel, e)
			continue
		}
		e.info = uint64(index[r.sym])<<32 | uint64(RelAbs64)
		abs = append(abs, e)
	}
	slices.SortStableFunc(rel, func(a, b entry) int { return cmp.Compare(a.off, b.off) })
	slices.SortStableFunc(abs, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.info, b.info), cmp.Compare(a.off, b.off))
	})
	var b []byte
	for _, e := range append(rel, abs...) {
		b = binary.LittleEndian.AppendUint64(b, e.off)
		b = binary.LittleEndian.AppendUint64(b, e.info)
		b = binary.LittleEndian.AppendUint64(b, e.addend)
	}
	return b
}

type dynTag struct {
	tag     elf.DynTag
	section string // section whose address is the value
	size    bool   // the value is its size instead
	value   uint64
}

// dynamicTags returns the entries of .dynamic (gABI, "Dynamic Section").
func (l *linker) dynamicTags() []dynTag {
	var t []dynTag
	if len(l.dynrel) > 0 {
		t = append(t, dynTag{tag: elf.DT_RELA, section: ".rela.dyn"}, dynTag{tag: elf.DT_RELASZ, section: ".rela.dyn", size: true}, dynTag{tag: elf.DT_RELAENT, value: relaSize})
		if n := l.relative(); n > 0 {
			t = append(t, dynTag{tag: elf.DT_RELACOUNT, value: uint64(n)})
		}
	}
	t = append(t,
		dynTag{tag: elf.DT_SYMTAB, section: ".dynsym"}, dynTag{tag: elf.DT_SYMENT, value: symSize},
		dynTag{tag: elf.DT_STRTAB, section: ".dynstr"}, dynTag{tag: elf.DT_STRSZ, section: ".dynstr", size: true},
		dynTag{tag: elf.DT_GNU_HASH, section: ".gnu.hash"}, dynTag{tag: elf.DT_HASH, section: ".hash"})
	for _, o := range l.out {
		switch o.Name {
		case ".init_array":
			t = append(t, dynTag{tag: elf.DT_INIT_ARRAY, section: o.Name}, dynTag{tag: elf.DT_INIT_ARRAYSZ, section: o.Name, size: true})
		case ".fini_array":
			t = append(t, dynTag{tag: elf.DT_FINI_ARRAY, section: o.Name}, dynTag{tag: elf.DT_FINI_ARRAYSZ, section: o.Name, size: true})
		}
	}
	return append(t, dynTag{})
}

// dynamicBytes returns the contents of .dynamic.
func (l *linker) dynamicBytes() []byte {
	var b []byte
	for _, t := range l.dynamicTags() {
		v := t.value
		if t.section != "" {
			s := l.section(t.section)
			if v = s.Addr; t.size {
				v = s.Size
			}
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(t.tag))
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}
