package asm

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// planV2 writes the beginning of a file of code object version 2, and returns its end.
func (p *objectPrinter) planV2() (end string) {
	for i := range p.o.Sections {
		s := &p.o.Sections[i]
		if s.Name != ".note" || s.Type != shtNote || s.Flags != shfAlloc || s.Align != 4 || len(p.places[i]) > 0 {
			continue
		}
		if first, last, ok := p.noteText(s.Data); ok && strings.HasPrefix(first, "\t.hsa_code_object_version") {
			p.notes = i
			p.b.WriteString(first)
			return last
		}
	}
	p.b.WriteString("\t.amdhsa_code_object_version 2\n")
	return ""
}

// size returns the number of bytes that a descriptor or a kernel's structure occupies; 0 for other
// places.
func (p *item) size() uint64 {
	switch {
	case p.kernel != nil:
		return KernelDescSize
	case p.code != nil:
		return KernelCodeSize
	}
	return 0
}

// placeCode notes the structure that symbol s of version 2 names, if a block can express it.
func (p *objectPrinter) placeCode(s *Symbol) {
	data := p.o.Sections[s.Section].Data
	if p.o.CodeObjectVersion != 2 || s.Type != symHSAKernel || s.Value > uint64(len(data)) || uint64(len(data))-s.Value < KernelCodeSize {
		return
	}
	if b := data[s.Value:][:KernelCodeSize]; kernelCodeKnown(b) {
		p.places[s.Section] = append(p.places[s.Section], item{off: s.Value, code: b})
	}
}

// dropCode removes the structures that contain another place: they become data. If several are at
// one offset, one is kept.
func dropCode(l []item) []item {
	kept := l[:0:0]
	for i := range l {
		if l[i].code != nil {
			if i+1 < len(l) && l[i+1].off < l[i].off+KernelCodeSize {
				continue
			}
			if n := len(kept); n > 0 && (kept[n-1].end() > l[i].off || kept[n-1].off == l[i].off && kept[n-1].label == "") {
				continue
			}
		}
		kept = append(kept, l[i])
	}
	return kept
}

// end returns the offset of the end of a place.
func (p *item) end() uint64 { return p.off + p.size() }

// noteText returns section .note of a file of version 2 as directives: first holds those at the
// beginning, last those at the end, from the first that is neither version nor ISA. ok is false if
// the directives would make other bytes.
func (p *objectPrinter) noteText(b []byte) (first, last string, ok bool) {
	le := binary.LittleEndian
	var again []byte
	out := [2]strings.Builder{}
	part := 0
	for rest := b; len(rest) > 0; {
		if len(rest) < 16 {
			return "", "", false
		}
		n, typ := uint64(le.Uint32(rest[4:])), le.Uint32(rest[8:])
		padded := (n + 3) &^ 3
		if padded > uint64(len(rest)-16) {
			return "", "", false
		}
		desc := rest[16 : 16+n]
		rest = rest[16+padded:]
		switch {
		case typ == noteVersion && n == 8 && le.Uint32(desc) == 2:
			fmt.Fprintf(&out[part], "\t.hsa_code_object_version 2,%d\n", le.Uint32(desc[4:]))
		case typ == noteISA && n == 27:
			v := []uint32{le.Uint32(desc[4:]), le.Uint32(desc[8:]), le.Uint32(desc[12:])}
			if !p.chip.HasVersion(v[0], v[1], v[2]) {
				return "", "", false
			}
			desc = isaNote(v, [2]string{"AMD", "AMDGPU"})
			fmt.Fprintf(&out[part], "\t.hsa_code_object_isa %d,%d,%d,\"AMD\",\"AMDGPU\"\n", v[0], v[1], v[2])
		case typ == noteISAName && isaName(p.chip, string(desc)):
			part = 1
			fmt.Fprintf(&out[part], "\t.amd_amdgpu_isa \"%s\"\n", desc)
		case typ == noteMetadata:
			part = 1
			text := string(desc)
			if metadataNote(text) != text || strings.Contains(text, ".end_amd_amdgpu_hsa_metadata") || strings.Contains(last, ".amd_amdgpu_hsa_metadata") {
				return "", "", false
			}
			fmt.Fprintf(&out[part], "\t.amd_amdgpu_hsa_metadata\n%s\t.end_amd_amdgpu_hsa_metadata\n", text)
			last = out[part].String()
		default:
			return "", "", false
		}
		again = append(again, noteBytes(typ, desc)...)
	}
	return out[0].String(), out[1].String(), string(again) == string(b)
}
