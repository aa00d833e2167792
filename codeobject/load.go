package codeobject

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// loadSegments reads the segments and dynamic relocations of a finished code object.
func (f *file) loadSegments(o *Object) *diag.Diagnostic {
	var inFile uint64
	for _, p := range f.phdrs {
		if elf.ProgType(p.typ) != elf.PT_LOAD {
			continue
		}
		if p.filesz > p.memsz {
			return f.bad(p.at+32, "segment has %d bytes in the file, more than its %d in memory", p.filesz, p.memsz)
		}
		if p.vaddr > maxAddr || p.memsz > maxAddr-p.vaddr {
			return f.unsupported(p.at+40, "segment of %#x bytes at address %#x ends beyond %#x", p.memsz, p.vaddr, uint64(maxAddr))
		}
		if inFile += p.filesz; inFile > uint64(len(f.data)) {
			return f.bad(p.at+32, "segments overlap in the file: together they have %d bytes, the file %d", inFile, len(f.data))
		}
		if p.memsz == 0 {
			continue
		}
		o.Segments = append(o.Segments, Segment{
			Addr: p.vaddr, Size: p.memsz, Data: f.data[p.off : p.off+p.filesz : p.off+p.filesz], fileOff: int64(p.off),
			Read:  elf.ProgFlag(p.flags)&elf.PF_R != 0,
			Write: elf.ProgFlag(p.flags)&elf.PF_W != 0,
			Exec:  elf.ProgFlag(p.flags)&elf.PF_X != 0,
		})
	}
	slices.SortStableFunc(o.Segments, func(a, b Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	for i := 1; i < len(o.Segments); i++ {
		if a, b := &o.Segments[i-1], &o.Segments[i]; a.Addr+a.Size > b.Addr {
			return f.bad(uint64(b.fileOff), "segment at address %#x overlaps the one at %#x, which has %#x bytes", b.Addr, a.Addr, a.Size)
		}
	}
	o.Symbols = f.symtab
	if o.Symbols == nil {
		o.Symbols = f.dynsym
	}
	o.Symbols = dropNull(o.Symbols)
	if len(f.sections) > 0 {
		o.Sections = f.sections[1:]
	}
	for _, r := range f.relocs {
		if d := f.dynamicReloc(o, r); d != nil {
			return d
		}
	}
	return nil
}

func dropNull(s []Symbol) []Symbol {
	if len(s) > 0 {
		return s[1:]
	}
	return nil
}

// dynamicReloc keeps a relocation that depends on the base address.
func (f *file) dynamicReloc(o *Object, r rela) *diag.Diagnostic {
	k := RelocKind(r.typ)
	if k == RelNone {
		return nil
	}
	row, ok := k.spec()
	if !ok || !row.absolute {
		return f.unsupported(r.at+8, "relocation %s in a finished code object", k)
	}
	if o.Bytes(r.off, row.size) == nil {
		return f.bad(r.at, "relocation %s changes address %#x, which no segment fills", k, r.off)
	}
	v, name := uint64(r.addend), ""
	if r.sym != 0 {
		s := &f.dynsym[r.sym]
		if !s.Defined() {
			return f.unsupported(r.at, "symbol %q is undefined: Crosslane has no device libraries to link with", s.Name)
		}
		v += s.Addr
		name = s.Name
		if s.Absolute {
			return f.unsupported(r.at, "relocation %s against the absolute symbol %q", k, s.Name)
		}
	}
	o.Relocs = append(o.Relocs, Reloc{Addr: r.off, Kind: k, Value: v, Symbol: name})
	return nil
}

// kernels finds the descriptors: every symbol NAME.kd of 64 bytes.
func (f *file) kernels(o *Object) *diag.Diagnostic {
	if f.version == 2 {
		return f.kernelsV2(o)
	}
	metas := map[string]*KernelMeta{}
	if o.Meta != nil {
		for i := range o.Meta.Kernels {
			metas[o.Meta.Kernels[i].Symbol] = &o.Meta.Kernels[i]
		}
	}
	type fn struct {
		name string
		addr uint64
	}
	size := map[fn]uint64{}
	for i := range o.Symbols {
		if s := &o.Symbols[i]; elf.SymType(s.Type) == elf.STT_FUNC {
			size[fn{s.Name, s.Addr}] = s.Size
		}
	}
	seen := map[string]bool{}
	for i := range o.Symbols {
		s := &o.Symbols[i]
		name, ok := strings.CutSuffix(s.Name, ".kd")
		if !ok || elf.SymType(s.Type) != elf.STT_OBJECT || !s.Defined() || s.Absolute {
			continue
		}
		if seen[name] {
			return f.bad(0, "two kernels are named %q", name)
		}
		seen[name] = true
		k := Kernel{Name: name, Symbol: s.Name, DescriptorAddr: s.Addr, Meta: metas[s.Name]}
		off := f.offsetOf(o, s.Addr)
		if s.Size != DescriptorSize {
			return f.bad(off, "kernel descriptor %s has %d bytes, expected %d", s.Name, s.Size, DescriptorSize)
		}
		b := o.Bytes(s.Addr, DescriptorSize)
		if b == nil {
			return f.bad(0, "kernel descriptor %s is at address %#x, which no segment fills", s.Name, s.Addr)
		}
		var err error
		if k.Descriptor, err = DecodeDescriptor(b); err != nil {
			return f.unsupported(off, "%s: %v", s.Name, err)
		}
		if d := f.entry(o, &k, off); d != nil {
			return d
		}
		k.CodeSize = size[fn{name, k.Entry}]
		o.Kernels = append(o.Kernels, k)
	}
	sortKernels(o.Kernels)
	if o.Meta != nil {
		for i := range o.Meta.Kernels {
			if m := &o.Meta.Kernels[i]; !seen[strings.TrimSuffix(m.Symbol, ".kd")] {
				return f.bad(0, "metadata describe kernel %q, but there is no descriptor %q", m.Name, m.Symbol)
			}
		}
	}
	return nil
}

func sortKernels(l []Kernel) {
	slices.SortStableFunc(l, func(a, b Kernel) int { return cmp.Compare(a.DescriptorAddr, b.DescriptorAddr) })
}

// entry finds the first instruction of a kernel, and checks its descriptor, which is at offset off
// of the file.
func (f *file) entry(o *Object, k *Kernel, off uint64) *diag.Diagnostic {
	if what := k.Descriptor.unsupported(); what != "" {
		return f.unsupported(off, "%s: %s", k.Symbol, what)
	}
	if what := k.Descriptor.impossible(); what != "" {
		return f.bad(off, "%s: %s", k.Symbol, what)
	}
	k.Entry = k.DescriptorAddr + uint64(k.Descriptor.EntryOffset)
	if !executable(o, k.Entry) {
		return f.bad(off+entryByte, "kernel %s starts at address %#x (descriptor %#x, offset %d), which holds no code", k.Name, k.Entry, k.DescriptorAddr, k.Descriptor.EntryOffset)
	}
	if k.Entry%4 != 0 {
		return f.bad(off+entryByte, "kernel %s starts at address %#x, expected a multiple of 4", k.Name, k.Entry)
	}
	return nil
}

func executable(o *Object, addr uint64) bool {
	i := find(o.Segments, addr)
	return i >= 0 && o.Segments[i].Exec && addr-o.Segments[i].Addr < uint64(len(o.Segments[i].Data))
}

// offsetOf returns the place in the file of the byte at an address; 0 if unknown.
func (f *file) offsetOf(o *Object, addr uint64) uint64 {
	if i := find(o.Segments, addr); i >= 0 {
		return uint64(o.Segments[i].fileOff) + addr - o.Segments[i].Addr
	}
	return 0
}

// metadata reads the metadata note of a finished code object. Compilers put notes into a segment;
// the oldest compilers only into a section.
func (f *file) metadata(o *Object) *diag.Diagnostic {
	type span struct{ off, size uint64 }
	var spans []span
	for _, p := range f.phdrs {
		if elf.ProgType(p.typ) == elf.PT_NOTE {
			spans = append(spans, span{p.off, p.filesz})
		}
	}
	if len(spans) == 0 {
		for i := range f.sections {
			if s := &f.sections[i]; elf.SectionType(s.Type) == elf.SHT_NOTE {
				spans = append(spans, span{uint64(s.Offset), s.Size})
			}
		}
	}
	var total uint64
	for _, p := range spans {
		if total += p.size; total > uint64(len(f.data)) {
			return f.bad(p.off, "notes overlap: together they have more bytes than the file")
		}
		if f.version == 2 {
			o.notes = append(o.notes, f.data[p.off:p.off+p.size]...)
		}
		m, d := f.noteMetadata(p.off, p.size)
		switch {
		case d != nil:
			return d
		case m != nil && o.Meta != nil:
			return f.bad(p.off, "a second metadata note")
		case m != nil:
			o.Meta = m
		}
	}
	return nil
}

// noteMetadata returns the checked metadata in a range of notes; nil if there are none.
func (f *file) noteMetadata(off, size uint64) (*Metadata, *diag.Diagnostic) {
	list, d := f.notes(off, size)
	if d != nil {
		return nil, d
	}
	if f.version == 2 {
		return f.notesV2(list)
	}
	var found *note
	for i := range list {
		if n := &list[i]; n.typ == noteAMDGPU && n.name == "AMDGPU" {
			if found != nil {
				return nil, f.bad(n.at, "a second metadata note")
			}
			found = n
		}
	}
	if found == nil {
		return nil, nil
	}
	m, d := decodeMetadata(found.desc, f.name, int64(found.at))
	if d != nil {
		return nil, d
	}
	return m, m.check(f.version, diag.Pos{File: f.name, Off: int64(found.at), HasOff: true})
}

// A note is a note of the file, with the offset of its description.
type note struct {
	name string // without the terminating zero
	typ  uint32
	desc []byte
	at   uint64
}

// notes returns the notes in a range of the file:
//
//	namesz, descsz, type: 4 bytes each | name, padded to 4 | description, padded to 4
func (f *file) notes(off, size uint64) ([]note, *diag.Diagnostic) {
	var list []note
	pad := func(n uint64) uint64 { return (n + 3) &^ 3 }
	for b, end := off, off+size; b < end; {
		if end-b < 12 {
			return nil, f.bad(b, "note has %d bytes, expected a header of 12", end-b)
		}
		namesz, descsz, typ := uint64(f.u32(b)), uint64(f.u32(b+4)), f.u32(b+8)
		b += 12
		if pad(namesz) > end-b || descsz > end-b-pad(namesz) {
			return nil, f.bad(b-12, "note has a name of %d bytes and a description of %d, but only %d bytes are left", namesz, descsz, end-b)
		}
		n := note{typ: typ, at: b + pad(namesz)}
		if namesz <= 8 { // the known names are shorter
			n.name = strings.TrimSuffix(string(f.data[b:b+namesz]), "\x00")
		}
		n.desc = f.data[n.at : n.at+descsz]
		list = append(list, n)
		b = n.at + min(pad(descsz), end-n.at)
	}
	return list, nil
}
