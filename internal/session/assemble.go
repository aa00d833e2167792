package session

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
)

// Assemble is crosslane.Assemble.
func Assemble(src []byte, file string, o api.AsmOptions) ([]byte, diag.List) {
	if o.Target != "" && o.Target != codeobject.Target {
		d := diag.Errorf(diag.Pos{File: file}, diag.Unsupported, asm.CodeTarget, "target %q is not supported", o.Target)
		d.Remedy = "the target is " + codeobject.Target
		return nil, diag.List{d}
	}
	obj, list := asm.Assemble(bytes.TrimPrefix(src, []byte(byteOrderMark)), file, asm.Options{Include: o.Include, Symbols: o.Symbols, Relocatable: o.Relocatable})
	if obj == nil {
		return nil, list
	}
	data, err := link(obj, o.Relocatable)
	if err != nil {
		return nil, append(list, diag.Of(err)...)
	}
	return data, list
}

// link makes a code object of assembled sections, or a file to be linked.
func link(obj *asm.Object, relocatable bool) ([]byte, error) {
	spec := &codeobject.Spec{Name: obj.File, Version: obj.CodeObjectVersion}
	for _, s := range obj.Sections {
		spec.Sections = append(spec.Sections, codeobject.SpecSection{Name: s.Name, Type: s.Type, Flags: s.Flags, Align: s.Align, EntSize: s.EntSize, Data: s.Data, Size: s.Size})
	}
	for _, s := range obj.Symbols {
		spec.Symbols = append(spec.Symbols, codeobject.SpecSymbol{Name: s.Name, Section: s.Section, Value: s.Value, Size: s.Size, Bind: s.Bind, Type: s.Type, Visibility: s.Visibility})
	}
	for _, r := range obj.Relocs {
		spec.Relocs = append(spec.Relocs, codeobject.SpecReloc{Section: r.Section, Offset: r.Offset, Kind: codeobject.RelocKind(r.Type), Symbol: r.Symbol, Addend: r.Addend})
	}
	if spec.Version == 2 {
		spec.Flags = codeobject.FlagsV2
		if obj.Metadata != "" { // the text is in .note
			if _, err := codeobject.ParseMetadataV2([]byte(obj.Metadata), diag.Pos{File: obj.File, Line: obj.MetadataLine}); err != nil {
				return nil, err
			}
		}
	} else if obj.Metadata != "" {
		m, err := codeobject.ParseMetadataYAML([]byte(obj.Metadata), diag.Pos{File: obj.File, Line: obj.MetadataLine})
		if err != nil {
			return nil, err
		}
		spec.Metadata = m
	}
	if relocatable {
		return codeobject.BuildRelocatable(spec)
	}
	return codeobject.Build(spec)
}

// loadAssembly assembles, links and loads GCN3 text.
func loadAssembly(data []byte, file string, lo api.LoadOptions) (*Module, error) {
	obj, list := asm.Assemble(data, file, asm.Options{Include: lo.Include, Symbols: lo.Symbols})
	if obj == nil {
		return nil, list
	}
	image, err := link(obj, false)
	if err != nil {
		return nil, append(list, diag.Of(err)...)
	}
	o, err := codeobject.Load(image, file)
	if err != nil {
		return nil, diag.Of(err)
	}
	m := objectModule(o, file, sourceLines(obj, o), list)
	m.source = string(data)
	return m, nil
}

// sourceLines maps offsets in the linked code to the assembler's line table: those where
// instructions begin, and all of data.
func sourceLines(obj *asm.Object, o *codeobject.Object) lineTable {
	at, _ := o.Text()
	addr := map[string]uint64{}
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Defined() && !s.Absolute {
			addr[s.Name] = s.Addr
		}
	}
	// Any symbol of a section shows where the section begins in the linked code; the first section
	// is at the start anyway.
	start := map[int]uint64{0: 0}
	for _, s := range obj.Symbols {
		if a, ok := addr[s.Name]; ok && s.Section >= 0 && s.Name != "" && obj.Sections[s.Section].Flags&4 != 0 {
			start[s.Section] = a - at - s.Value
		}
	}
	lines := map[int64]*asm.Line{}
	for i := range obj.Lines {
		l := &obj.Lines[i]
		if s, ok := start[l.Section]; ok {
			lines[int64(s+l.Offset)] = l
		}
	}
	var data []asm.Line // offsets as in the linked code
	for _, l := range obj.DataLines {
		if s, ok := start[l.Section]; ok {
			l.Offset += s
			data = append(data, l)
		}
	}
	slices.SortFunc(data, func(a, b asm.Line) int { return cmp.Compare(a.Offset, b.Offset) })
	return func(off int64) (int, int, string, bool) {
		if l := lines[off]; l != nil {
			return l.Line, l.Col, placedText(l), true
		}
		i, _ := slices.BinarySearchFunc(data, uint64(off), func(l asm.Line, off uint64) int { return cmp.Compare(l.Offset+l.Size-1, off) })
		if i < len(data) && off >= 0 && data[i].Offset <= uint64(off) {
			return data[i].Line, data[i].Col, placedText(&data[i]), true
		}
		return 0, 0, "", false
	}
}

// placedText is the text of a statement, with its place if it is in an included file.
func placedText(l *asm.Line) string {
	if l.From == "" {
		return l.Text
	}
	return l.Text + FromIncluded + l.From
}

// FromIncluded separates a statement of an included file from its place.
const FromIncluded = " // "

// AssembleInstructions assembles instructions separated by semicolons or line ends.
func AssembleInstructions(src string) ([]api.EncodedInst, diag.List) {
	list, diags := asm.AssembleInsts(src, "")
	return encodedInsts(list), diags
}

// Disassemble is crosslane.Disassemble.
func Disassemble(data []byte, file string) (string, error) {
	return disassemble(data, file, (*asm.Object).Text)
}

// DisassembleOffsets is crosslane.DisassembleOffsets.
func DisassembleOffsets(data []byte, file string) (string, error) {
	return disassemble(data, file, (*asm.Object).TextOffsets)
}

func disassemble(data []byte, file string, print func(*asm.Object) string) (string, error) {
	data, file, err := oneObject(data, file)
	if err != nil {
		return "", err
	}
	note := ""
	spec, err := codeobject.Unlinked(data, file)
	switch {
	case err != nil:
		return "", diag.Of(err)
	case spec != nil:
		note = "\t; a relocatable file that needs symbols of others: asm -c makes it again\n"
	default:
		o, err := codeobject.Load(data, file)
		if err != nil {
			return "", diag.Of(err)
		}
		if spec, err = o.Spec(); err != nil {
			return "", diag.Of(err)
		}
	}
	obj := &asm.Object{File: file, CodeObjectVersion: spec.Version}
	for _, s := range spec.Sections {
		obj.Sections = append(obj.Sections, asm.Section{Name: s.Name, Type: s.Type, Flags: s.Flags, Align: s.Align, EntSize: s.EntSize, Data: s.Data, Size: s.Size})
	}
	for _, s := range spec.Symbols {
		obj.Symbols = append(obj.Symbols, asm.Symbol{Name: s.Name, Section: s.Section, Value: s.Value, Size: s.Size, Bind: s.Bind, Type: s.Type, Visibility: s.Visibility})
	}
	for _, r := range spec.Relocs {
		obj.Relocs = append(obj.Relocs, asm.Reloc{Section: r.Section, Offset: r.Offset, Type: uint32(r.Kind), Symbol: r.Symbol, Addend: r.Addend})
	}
	if spec.Metadata != nil {
		obj.Metadata = spec.Metadata.YAML()
	}
	if len(spec.Notes) > 0 { // version 2 of the metadata
		obj.Sections = append(obj.Sections, asm.Section{Name: ".note", Type: 7, Flags: 2, Align: 4, Data: spec.Notes})
	}
	text := note + print(obj)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, nil
}

// DisassembleBytes decodes machine instructions that follow each other. On an error
// the instructions before it are returned too.
func DisassembleBytes(b []byte) ([]api.EncodedInst, error) {
	list, err := amdgpu.DisassembleBytes(b)
	if err != nil {
		return encodedInsts(list), diag.Of(err)
	}
	return encodedInsts(list), nil
}

func encodedInsts(list []amdgpu.Encoded) []api.EncodedInst {
	out := make([]api.EncodedInst, len(list))
	for i, e := range list {
		out[i] = api.EncodedInst{Text: e.Text, Bytes: e.Bytes}
	}
	return out
}
