package codeobject

import (
	"debug/elf"
	"encoding/binary"

	"example.org/crosslane/diag"
)

// Values of SpecSymbol.Section that only a relocatable file can have.
const (
	Common = -3 // a variable that a linker places; Value is its alignment
	LDS    = -4 // a variable in LDS that a linker places (SHN_AMDGPU_LDS)
)

// shnLDS is SHN_AMDGPU_LDS (AMDGPUUsage, "Symbols").
const shnLDS = 0xff00

// relWriter writes a relocatable file: the header, the sections, each followed by its relocations,
// the note, the symbols, the names, the section headers.
type relWriter struct {
	spec    *Spec
	b       []byte
	heads   []Section
	link    []uint32
	nameAt  []uint32
	strs    strtab
	section []uint16 // section index in the file, by section of the Spec
	symbol  []uint32 // symbol index in the file, by symbol of the Spec
	locals  uint32
}

// BuildRelocatable writes a Spec as a relocatable file, for a linker.
func BuildRelocatable(spec *Spec) ([]byte, error) {
	loose := *spec
	loose.Symbols = append([]SpecSymbol(nil), spec.Symbols...)
	for i := range loose.Symbols {
		if s := &loose.Symbols[i]; s.Section == Common || s.Section == LDS {
			s.Section = Absolute // for the checks only
		}
	}
	if err := (&linker{spec: &loose}).check(); err != nil {
		return nil, err
	}
	w := &relWriter{spec: spec, b: make([]byte, ehdrSize), heads: make([]Section, 1), link: make([]uint32, 1), nameAt: make([]uint32, 1)}
	w.strs.add("")
	if len(spec.Sections) >= int(elf.SHN_LORESERVE)/2 {
		return nil, diag.Errorf(diag.Pos{File: spec.Name}, diag.Unsupported, CodeUnsupported, "%d sections do not fit a file, only %d do", len(spec.Sections), int(elf.SHN_LORESERVE)/2)
	}
	w.sections()
	if err := w.note(); err != nil {
		return nil, err
	}
	w.symbols()
	w.relocs()
	return w.finish(), nil
}

// add appends a section's bytes and header and returns its index.
func (w *relWriter) add(s Section, link uint32) uint16 {
	s.Align = max(s.Align, 1)
	for uint64(len(w.b))%s.Align != 0 {
		w.b = append(w.b, 0)
	}
	s.Offset = int64(len(w.b))
	if elf.SectionType(s.Type) != elf.SHT_NOBITS {
		s.Size = uint64(len(s.Data))
		w.b = append(w.b, s.Data...)
	}
	w.nameAt = append(w.nameAt, w.strs.add(s.Name))
	w.heads, w.link = append(w.heads, s), append(w.link, link)
	return uint16(len(w.heads) - 1)
}

func (w *relWriter) sections() {
	for i := range w.spec.Sections {
		s := &w.spec.Sections[i]
		w.section = append(w.section, w.add(Section{Name: s.Name, Type: s.Type, Flags: s.Flags, Align: s.Align, EntSize: s.EntSize, Data: s.Data, Size: s.Size}, 0))
	}
}

// note writes the section of notes.
func (w *relWriter) note() error {
	note := w.spec.Notes
	if w.spec.Metadata != nil {
		desc, err := w.spec.Metadata.MsgPack()
		if err != nil {
			return (&linker{spec: w.spec}).bad("%v", err)
		}
		note = makeNote(desc)
	}
	if len(note) > 0 {
		w.add(Section{Name: ".note", Type: uint32(elf.SHT_NOTE), Flags: uint64(elf.SHF_ALLOC), Align: 4, Data: note}, 0)
	}
	return nil
}

// symbols writes .symtab with locals first, as ELF requires.
func (w *relWriter) symbols() {
	b := make([]byte, symSize)
	w.symbol = make([]uint32, len(w.spec.Symbols))
	for _, local := range []bool{true, false} {
		for i := range w.spec.Symbols {
			s := w.spec.Symbols[i]
			if (s.Bind == uint8(elf.STB_LOCAL)) != local {
				continue
			}
			section := uint16(elf.SHN_UNDEF)
			switch {
			case s.Section >= 0:
				section = w.section[s.Section]
			case s.Section == Absolute:
				section = uint16(elf.SHN_ABS)
			case s.Section == Common:
				section = uint16(elf.SHN_COMMON)
			case s.Section == LDS:
				section = shnLDS
			}
			w.symbol[i] = uint32(len(b) / symSize)
			b = symbolBytes(b, w.strs.add(s.Name), &s, section, s.Value)
		}
		if local {
			w.locals = uint32(len(b) / symSize)
		}
	}
	w.add(Section{Name: ".symtab", Type: uint32(elf.SHT_SYMTAB), Align: 8, EntSize: symSize, Data: b, Info: w.locals}, 0)
}

// relocs writes a .rela section for each section that has relocations.
func (w *relWriter) relocs() {
	symtab := uint32(len(w.heads) - 1)
	by := make([][]byte, len(w.spec.Sections))
	for _, r := range w.spec.Relocs {
		b := binary.LittleEndian.AppendUint64(by[r.Section], r.Offset)
		b = binary.LittleEndian.AppendUint64(b, uint64(w.symbol[r.Symbol])<<32|uint64(r.Kind))
		by[r.Section] = binary.LittleEndian.AppendUint64(b, uint64(r.Addend))
	}
	for i, b := range by {
		if len(b) > 0 {
			w.add(Section{
				Name: ".rela" + w.spec.Sections[i].Name, Type: uint32(elf.SHT_RELA), Flags: uint64(elf.SHF_INFO_LINK),
				Align: 8, EntSize: relaSize, Data: b, Info: uint32(w.section[i]),
			}, symtab)
		}
	}
	names := uint32(len(w.heads))
	w.link[symtab] = names
	w.strs.add(".strtab")
	w.add(Section{Name: ".strtab", Type: uint32(elf.SHT_STRTAB), Data: w.strs.b}, 0)
}

// finish writes the section headers and the ELF header.
func (w *relWriter) finish() []byte {
	le := binary.LittleEndian
	for len(w.b)%8 != 0 {
		w.b = append(w.b, 0)
	}
	shoff := len(w.b)
	for i := range w.heads {
		s := &w.heads[i]
		h := make([]byte, shdrSize)
		le.PutUint32(h, w.nameAt[i])
		le.PutUint32(h[4:], s.Type)
		for j, v := range []uint64{s.Flags, 0, uint64(s.Offset), s.Size} {
			le.PutUint64(h[8+8*j:], v)
		}
		le.PutUint32(h[40:], w.link[i])
		le.PutUint32(h[44:], s.Info)
		le.PutUint64(h[48:], s.Align)
		le.PutUint64(h[56:], s.EntSize)
		w.b = append(w.b, h...)
	}
	clear(w.b[shoff : shoff+shdrSize])
	writeIdent(w.b, elf.ET_REL, w.spec)
	le.PutUint64(w.b[40:], uint64(shoff))
	le.PutUint16(w.b[52:], ehdrSize)
	le.PutUint16(w.b[58:], shdrSize)
	le.PutUint16(w.b[60:], uint16(len(w.heads)))
	le.PutUint16(w.b[62:], uint16(len(w.heads)-1)) // .strtab holds the names of sections too
	return w.b
}

// writeIdent writes the fields that the headers of finished and relocatable files share.
func writeIdent(b []byte, typ elf.Type, s *Spec) {
	le := binary.LittleEndian
	copy(b, "\x7fELF\x02\x01\x01")
	b[7], b[8] = osabiHSA, byte(s.Version-2)
	le.PutUint16(b[16:], uint16(typ))
	le.PutUint16(b[18:], uint16(elf.EM_AMDGPU))
	le.PutUint32(b[20:], 1)
	flags := uint32(targetMach)
	if s.Version == 2 {
		flags = s.Flags
	}
	le.PutUint32(b[48:], flags)
}
