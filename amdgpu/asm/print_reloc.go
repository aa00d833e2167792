package asm

import (
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/crosslane/amdgpu"
)

// literalReloc reports whether the only item inside the 8 bytes of an instruction at an offset is a
// relocation in its second dword. l begins there.
func literalReloc(l []item, off uint64) bool {
	k := 0
	for k < len(l) && l[k].off == off && l[k].label != "" {
		k++
	}
	return k < len(l) && l[k].off == off+4 && l[k].reloc != nil && (k+1 == len(l) || l[k+1].off >= off+8)
}

// relocatedInst returns an instruction with a literal that a relocation fills, with the symbol in
// place of the literal; "" if no text assembles to the same bytes.
func (p *objectPrinter) relocatedInst(b []byte, r *Reloc, printer *amdgpu.Printer) string {
	if r == nil || len(b) < 8 || r.Type != relocRel32 && modifierText(r.Type) == "" {
		return ""
	}
	// This literal has no shorter form as an operand, so its position in the text is unique.
	const mark = 0x5a5aa5a5
	word := binary.LittleEndian.AppendUint32(append([]byte(nil), b[:4]...), mark)
	in, n, err := p.chip.Decode(word)
	if err != nil || n != 8 {
		return ""
	}
	text := printer.Print(&in)
	marked := fmt.Sprintf("%#x", mark)
	sym := p.relocText(r) // a relative one too: a symbol alone yields that relocation
	if strings.Count(text, marked) != 1 || sym == "" || strings.Contains(text, "lit(") {
		return ""
	}
	text = strings.Replace(text, marked, sym, 1)
	// Assembling the text again has to give the same words, with the second one left to the symbol.
	again, err := amdgpu.ParseInst(text, amdgpu.ParseOptions{Target: p.chip, Eval: func(string) (amdgpu.Value, error) { return amdgpu.Value{Int: mark, Symbolic: true}, nil }})
	if err != nil {
		return ""
	}
	enc, err := amdgpu.Encode(&again)
	if err != nil || string(enc) != string(word) {
		return ""
	}
	return "\t" + text + "\n"
}

// relocText returns the expression of a relocation of 32 bits.
func (p *objectPrinter) relocText(r *Reloc) string {
	s := p.target(r)
	if s == nil || p.chip.IsRegister(s.Name, 0) {
		return ""
	}
	x := symbolText(s.Name)
	if s.Type == symSection {
		x = baseLabel(s.Section)
	}
	x += modifierText(r.Type)
	if r.Addend != 0 {
		x = fmt.Sprintf("%s%+d", x, r.Addend)
	}
	return x
}
