package asm

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// AssembleInsts assembles instructions separated by semicolons or line ends. Labels, directives
// that make no bytes and branches to labels are allowed.
func AssembleInsts(src, file string) ([]amdgpu.Encoded, diag.List) {
	o, diags := Assemble([]byte(src), file, Options{Semicolons: true})
	if o == nil {
		return nil, diags
	}
	var out []amdgpu.Encoded
	var end uint64
	for _, l := range o.Lines {
		if l.Section != 0 || l.Offset != end {
			continue
		}
		end = l.Offset + l.Size
		b := o.Sections[0].Data[l.Offset:end]
		in, n, err := o.Target.OrDefault().Decode(b)
		if err != nil || n != len(b) {
			break
		}
		out = append(out, amdgpu.Encoded{Inst: in, Text: amdgpu.Print(&in), Bytes: b, Offset: l.Offset, Line: l.Line, Col: l.Col, Source: l.Text})
	}
	for i := range o.Sections {
		if n := uint64(len(o.Sections[i].Data)) + o.Sections[i].Size; i == 0 && n != end || i > 0 && n > 0 {
			return nil, append(diags, diag.Errorf(diag.Pos{File: file}, diag.Input, CodeDirective, "only instructions can be assembled here, no data in section %s", o.Sections[i].Name))
		}
	}
	if len(o.Relocs) > 0 {
		s := o.Symbols[o.Relocs[0].Symbol]
		return nil, append(diags, diag.Errorf(diag.Pos{File: file}, diag.Input, CodeSymbol, "symbol %q is undefined", s.Name))
	}
	return out, diags
}
