package codeobject

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"

	"crosslane/diag"
)

// A RelocKind is an R_AMDGPU_* relocation type (AMDGPUUsage, "Relocation
// Records"). S is the symbol's value, A the addend, P the place changed, G the
// place of the symbol's entry in the global offset table, B the base address.
type RelocKind uint32

// The relocation types.
const (
	RelNone        RelocKind = 0
	RelAbs32Lo     RelocKind = 1  // (S + A) & 0xffffffff
	RelAbs32Hi     RelocKind = 2  // (S + A) >> 32
	RelAbs64       RelocKind = 3  // S + A
	Rel32          RelocKind = 4  // S + A - P
	Rel64          RelocKind = 5  // S + A - P
	RelAbs32       RelocKind = 6  // S + A
	RelGOTPC       RelocKind = 7  // G + A - P
	RelGOTPC32Lo   RelocKind = 8  // (G + A - P) & 0xffffffff
	RelGOTPC32Hi   RelocKind = 9  // (G + A - P) >> 32
	Rel32Lo        RelocKind = 10 // (S + A - P) & 0xffffffff
	Rel32Hi        RelocKind = 11 // (S + A - P) >> 32
	RelRelative64  RelocKind = 13 // B + A
	Rel16          RelocKind = 14 // ((S + A - P) - 4) / 4
	relocKindCount           = 15
)

type relocRow struct {
	kind     RelocKind
	name     string
	size     uint64 // bytes changed
	absolute bool   // depends on the base address
	got      bool   // against the global offset table
	shift    uint
}

func relocRows() [relocKindCount]relocRow {
	return [relocKindCount]relocRow{
		{RelNone, "R_AMDGPU_NONE", 0, false, false, 0},
		{RelAbs32Lo, "R_AMDGPU_ABS32_LO", 4, true, false, 0},
		{RelAbs32Hi, "R_AMDGPU_ABS32_HI", 4, true, false, 32},
		{RelAbs64, "R_AMDGPU_ABS64", 8, true, false, 0},
		{Rel32, "R_AMDGPU_REL32", 4, false, false, 0},
		{Rel64, "R_AMDGPU_REL64", 8, false, false, 0},
		{RelAbs32, "R_AMDGPU_ABS32", 4, true, false, 0},
		{RelGOTPC, "R_AMDGPU_GOTPCREL", 4, false, true, 0},
		{RelGOTPC32Lo, "R_AMDGPU_GOTPCREL32_LO", 4, false, true, 0},
		{RelGOTPC32Hi, "R_AMDGPU_GOTPCREL32_HI", 4, false, true, 32},
		{Rel32Lo, "R_AMDGPU_REL32_LO", 4, false, false, 0},
		{Rel32Hi, "R_AMDGPU_REL32_HI", 4, false, false, 32},
		{},
		{RelRelative64, "R_AMDGPU_RELATIVE64", 8, true, false, 0},
		{Rel16, "R_AMDGPU_REL16", 2, false, false, 0},
	}
}

func (k RelocKind) row() (relocRow, bool) {
	if k >= relocKindCount || relocRows()[k].name == "" {
		return relocRow{}, false
	}
	return relocRows()[k], true
}

// String is the name in the manual.
func (k RelocKind) String() string {
	if r, ok := k.row(); ok {
		return r.name
	}
	return fmt.Sprintf("R_AMDGPU type %d", uint32(k))
}

// put stores the value at the start of b, as wide as the relocation is.
func (k RelocKind) put(b []byte, v uint64) {
	r, _ := k.row()
	v >>= r.shift
	switch r.size {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(int64(v-4)/4))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// fits reports whether the field can hold the value.
func (k RelocKind) fits(v uint64) bool {
	switch k {
	case Rel16:
		n := int64(v) - 4
		return n%4 == 0 && n/4 == int64(int16(n/4))
	case Rel32, RelGOTPC:
		return int64(v) == int64(int32(v))
	}
	return true
}

// layOut gives the sections of a relocatable file addresses (read-only data,
// then code, then writable data, each at a page of its own as linkers do) and
// applies the relocations.
func (f *file) layOut(o *Object) *diag.Diagnostic {
	var total uint64
	addr := uint64(0)
	for class := range 3 {
		for i := 1; i < len(f.sections); i++ {
			s := &f.sections[i]
			if s.Flags&uint64(elf.SHF_ALLOC) == 0 || elf.SectionType(s.Type) == elf.SHT_NOTE || sectionClass(s.Flags) != class || s.Size == 0 {
				continue
			}
			at := uint64(s.Offset)
			if s.Align > 1<<16 || s.Align&(s.Align-1) != 0 {
				return f.bad(at, "section %s is aligned to %d, expected a power of two up to 65536", s.Name, s.Align)
			}
			if total += uint64(len(s.Data)); total > uint64(len(f.data)) {
				return f.bad(at, "sections overlap: together they have more bytes than the file")
			}
			if addr = alignUp(addr, max(s.Align, 1)); s.Size > maxAddr-addr {
				return f.unsupported(at, "section %s of %#x bytes ends beyond %#x", s.Name, s.Size, uint64(maxAddr))
			}
			s.Addr, s.Data = addr, slices.Clone(s.Data)
			o.Segments = append(o.Segments, Segment{
				Addr: addr, Size: s.Size, Data: s.Data, fileOff: s.Offset, Read: true,
				Write: s.Flags&uint64(elf.SHF_WRITE) != 0, Exec: s.Flags&shfExecInst != 0,
			})
			addr += s.Size
		}
		addr = alignUp(addr, 0x1000)
		if addr > maxAddr {
			return f.unsupported(0, "sections end beyond address %#x", uint64(maxAddr))
		}
	}
	o.Symbols = slices.Clone(f.symtab)
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Section != 0 {
			s.Addr += f.sections[s.Section].Addr
		}
	}
	if d := f.applyRelocs(o, addr); d != nil {
		return d
	}
	o.Symbols = dropNull(o.Symbols)
	if len(f.sections) > 0 {
		o.Sections = f.sections[1:]
	}
	return nil
}

func sectionClass(flags uint64) int {
	switch {
	case flags&uint64(elf.SHF_WRITE) != 0:
		return 2
	case flags&shfExecInst != 0:
		return 1
	}
	return 0
}

func alignUp(n, a uint64) uint64 { return (n + a - 1) / a * a }

// applyRelocs applies the relocations of a laid-out file. Entries of the global
// offset table are made at address got as they are needed.
func (f *file) applyRelocs(o *Object, got uint64) *diag.Diagnostic {
	table := Segment{Addr: got, Read: true}
	entries := map[uint32]uint64{}
	for _, r := range f.relocs {
		k := RelocKind(r.typ)
		row, ok := k.row()
		if !ok || k == RelRelative64 {
			return f.unsupported(r.at+8, "relocation %s", k)
		}
		if k == RelNone {
			continue
		}
		sec := &f.sections[r.in]
		var b []byte
		if r.off <= uint64(len(sec.Data)) && row.size <= uint64(len(sec.Data))-r.off {
			b = o.Bytes(sec.Addr+r.off, row.size)
		}
		if b == nil {
			return f.bad(r.at, "relocation %s changes byte %#x of section %s, which has %d", k, r.off, sec.Name, len(sec.Data))
		}
		p := sec.Addr + r.off
		var s Symbol
		if r.sym != 0 {
			if s = o.Symbols[r.sym]; !s.Defined() {
				return f.unsupported(r.at, "symbol %q is undefined: Crosslane has no device libraries to link with", s.Name)
			}
		}
		v := s.Addr + uint64(r.addend)
		switch {
		case row.absolute && !s.Absolute && r.sym != 0:
			o.Relocs = append(o.Relocs, Reloc{Addr: p, Kind: k, Value: v})
		case row.absolute:
		case row.got:
			g, ok := entries[r.sym]
			if !ok {
				g = got + uint64(len(table.Data))
				entries[r.sym] = g
				table.Data = append(table.Data, make([]byte, 8)...)
				o.Relocs = append(o.Relocs, Reloc{Addr: g, Kind: RelAbs64, Value: s.Addr})
			}
			v = g + uint64(r.addend) - p
		case s.Absolute:
			return f.unsupported(r.at, "relocation %s against the absolute symbol %q", k, s.Name)
		default:
			v -= p
		}
		if !k.fits(v) {
			return f.bad(r.at, "relocation %s at byte %#x of section %s: the distance %d to %q does not fit", k, r.off, sec.Name, int64(v), s.Name)
		}
		k.put(b, v)
	}
	if len(table.Data) > 0 {
		table.Size = uint64(len(table.Data))
		o.Segments = append(o.Segments, table)
	}
	return nil
}
