package asm

import (
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// The directives of code object version 2 (AMDGPUUsage of LLVM 14, "Code Object V2 Directives").
// .hsa_code_object_version and .hsa_code_object_isa make notes, .amdgpu_hsa_kernel gives a kernel's
// symbol its type, and .amd_kernel_code_t is the structure before a kernel's code.

// symHSAKernel is STT_AMDGPU_HSA_KERNEL.
const symHSAKernel = 10

// The types of the notes of version 2, which have the name AMD (AMDGPUUsage, "Code Object V2 Note
// Records").
const (
	noteVersion  = 1
	noteISA      = 3
	noteMetadata = 10
	noteISAName  = 11
)

// codeBlock is an .amd_kernel_code_t block. Its values may use any symbol of the file.
type codeBlock struct {
	at      *statement
	section int
	off     uint64
	fields  []codeValue
}

type codeValue struct {
	f  *codeField
	st *statement
	x  *expr
}

// needV2 notes a directive that only version 2 has. Only the end of the file shows whether the file
// is of that version.
func (a *assembler) needV2(st *statement) {
	if a.v2use == nil {
		a.v2use = st
		a.predefineV2()
	}
}

// symbolsV2 are the symbols that version 2 has instead of .amdgcn.gfx_generation_number.
var symbolsV2 = []string{".option.machine_version_major", ".option.machine_version_minor", ".option.machine_version_stepping"}

// predefineV2 defines symbolsV2. Files of other versions do not have them: sources for both
// versions test them with .ifdef.
func (a *assembler) predefineV2() {
	for _, name := range symbolsV2 {
		if x := a.symbols[name]; x != nil && !x.defined && x.set == nil {
			a.askedV2 = true
		}
	}
	a.predefineISA(symbolsV2...)
}

// asksV2 reports whether the file named one of these symbols while it had no value.
func (a *assembler) asksV2() bool {
	for _, name := range symbolsV2 {
		if x := a.symbols[name]; x != nil && !x.defined && x.set == nil {
			return true
		}
	}
	return a.askedV2
}

// numberList consumes n numbers of 32 bits with commas between them.
func (a *assembler) numberList(st *statement, s *cursor, name string, what ...string) ([]uint32, bool) {
	list := make([]uint32, 0, len(what))
	for i, w := range what {
		col := s.skip()
		if i > 0 && !s.take(',') {
			a.errorf(st, col, CodeDirective, "%s: expected a comma and the %s", name, w)
			return nil, false
		}
		col = s.skip()
		v, ok := a.numberArg(st, s, name)
		if !ok {
			return nil, false
		}
		if v < 0 || v > 1<<32-1 {
			a.errorf(st, col, CodeDirective, "%s: the %s is %d, expected 0 to %d", name, w, v, uint32(1<<32-1))
			return nil, false
		}
		list = append(list, uint32(v))
	}
	return list, true
}

// hsaVersionDirective handles .hsa_code_object_version MAJOR, MINOR.
func hsaVersionDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	v, ok := a.numberList(st, s, name, "major version", "minor version")
	if !ok {
		return
	}
	a.done(st, s, name)
	if v[0] != 2 {
		a.report(st, col, diag.Unsupported, CodeTarget, "code object version %d is not supported, only 2 to 6", v[0])
		if v[0] > 2 {
			a.diags[len(a.diags)-1].Remedy = "versions since 3 have .amdhsa_code_object_version"
		}
		return
	}
	a.setVersion(st, 2)
	a.note(st, noteVersion, binary.LittleEndian.AppendUint32([]byte{2, 0, 0, 0}, v[1]))
}

// setVersion chooses the code object version. The last directive wins, as in LLVM, but version 2
// cannot be mixed with other versions.
func (a *assembler) setVersion(st *statement, v int) {
	if a.versionAt != nil && (a.version == 2) != (v == 2) {
		a.errorf(st, 0, CodeDirective, "the file is of code object version %d already", a.version)
		d := a.diags[len(a.diags)-1]
		d.Related = append(d.Related, diag.Related{Pos: a.at(a.versionAt, a.versionAt.column(a.versionAt.indent())), Message: "the version is given here"})
		return
	}
	a.version = v
	if v == 2 {
		a.predefineV2()
	}
	if a.versionAt == nil {
		a.versionAt = st
	}
}

// hsaISADirective handles .hsa_code_object_isa [MAJOR, MINOR, STEPPING, "VENDOR", "ARCH"].
func hsaISADirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.needV2(st)
	own := a.chip.Version
	v, names := []uint32{uint32(own[0]), uint32(own[1]), uint32(own[2])}, [2]string{"AMD", "AMDGPU"}
	if !s.end() {
		col := s.skip()
		var ok bool
		if v, ok = a.numberList(st, s, name, "major version", "minor version", "stepping"); !ok {
			return
		}
		for i, what := range []string{"vendor", "architecture"} {
			at := s.skip()
			comma := s.take(',')
			text, bad := a.stringArg(s)
			if !comma || bad != "" {
				a.errorf(st, at, CodeDirective, "%s: expected a comma and the name of the %s in double quotes", name, what)
				return
			}
			names[i] = string(text)
		}
		a.done(st, s, name)
		if !a.chip.HasVersion(v[0], v[1], v[2]) || names != [2]string{"AMD", "AMDGPU"} {
			a.report(st, col, diag.Unsupported, CodeTarget, "target %d,%d,%d,%.40q,%.40q is not supported, only %d,%d,%d,\"AMD\",\"AMDGPU\" (%s)", v[0], v[1], v[2], names[0], names[1], own[0], own[1], own[2], a.chip.Name)
			return
		}
	}
	a.note(st, noteISA, isaNote(v, names))
}

// isaNote returns the content of an NT_AMD_HSA_ISA_VERSION note: the sizes of two names with their
// zero bytes, three numbers, the names.
func isaNote(v []uint32, names [2]string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(nil, uint16(len(names[0])+1))
	b = le.AppendUint16(b, uint16(len(names[1])+1))
	for _, n := range v {
		b = le.AppendUint32(b, n)
	}
	return append(b, names[0]+"\x00"+names[1]+"\x00"...)
}

// isaNameDirective handles .amd_amdgpu_isa "TARGET".
func isaNameDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.needV2(st)
	col := s.skip()
	text, bad := a.stringArg(s)
	if bad != "" {
		a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
		return
	}
	a.done(st, s, name)
	if !isaName(a.chip, string(text)) {
		a.report(st, col, diag.Unsupported, CodeTarget, "target %.60q is not supported, only %q", text, a.chip.ID())
		return
	}
	a.note(st, noteISAName, text)
}

// isaName reports whether a text means the chip. In 2017 and 2018, the environment, between the
// last two dashes, named the address spaces.
func isaName(t *amdgpu.Target, s string) bool {
	env, ok := strings.CutPrefix(s, "amdgcn-amd-amdhsa-")
	env, ok2 := strings.CutSuffix(env, "-"+t.Name)
	return ok && ok2 && !strings.ContainsAny(env, "-\"\\\n\x00")
}

// note appends a note with the name AMD to section .note.
func (a *assembler) note(st *statement, typ uint32, desc []byte) {
	cur := a.cur
	a.cur = a.section(".note", shtNote, shfAlloc, 0, 4)
	sec := &a.obj.Sections[a.cur]
	switch {
	case sec.Type == shtNoBits:
		a.errorf(st, 0, CodeDirective, "notes in section .note, which holds no bytes")
	default:
		sec.Align = max(sec.Align, 4)
		a.data(st, make([]byte, -len(sec.Data)&3))
		a.data(st, noteBytes(typ, desc))
	}
	a.cur = cur
}

func noteBytes(typ uint32, desc []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{4, 0, 0, 0}, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, typ)
	b = append(append(b, "AMD\x00"...), desc...)
	return append(b, make([]byte, -len(desc)&3)...)
}

// hsaMetadataDirective turns the text up to .end_amd_amdgpu_hsa_metadata into a note. The text is
// unchanged, between the marks of a YAML document; LLVM rewrites it.
func hsaMetadataDirective(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.needV2(st)
	text, line, ok := a.rawBlock(st, s, r, name)
	if !ok {
		return
	}
	a.obj.Metadata, a.obj.MetadataLine = text, line
	a.note(st, noteMetadata, []byte(metadataNote(text)))
}

// metadataNote returns the text of a note for the text of a block, without blank lines around it.
func metadataNote(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 || strings.TrimRight(lines[0], " \t") != "---" {
		lines = append([]string{"---"}, lines...)
	}
	if strings.TrimRight(lines[len(lines)-1], " \t") != "..." {
		lines = append(lines, "...")
	}
	return strings.Join(lines, "\n") + "\n"
}

// hsaKernelDirective handles .amdgpu_hsa_kernel NAME.
func hsaKernelDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.needV2(st)
	if x := a.symbolArg(st, s, name); x != nil {
		x.typ = symHSAKernel
		a.done(st, s, name)
	}
}

// kernelCodeDirective handles .amd_kernel_code_t, lines of FIELD = VALUE, and
// .end_amd_kernel_code_t.
func kernelCodeDirective(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.needV2(st)
	a.done(st, s, name)
	b := codeBlock{at: st, section: a.cur}
	seen := map[string]bool{}
	for {
		line := r.next(a)
		if line == nil {
			a.errorf(st, 0, CodeDirective, "%s without .end_amd_kernel_code_t", name)
			return
		}
		s := &cursor{s: line.text}
		col := s.skip()
		field := s.ident()
		if field == ".end_amd_kernel_code_t" {
			a.done(line, s, field)
			break
		}
		f := codeFieldNamed(field)
		switch {
		case field == "" || field[0] == '.' || s.peek() != '=':
			a.errorf(line, col, CodeDirective, "expected FIELD = VALUE or .end_amd_kernel_code_t, found %s", quoteRest(&cursor{s: line.text, pos: col}))
			continue
		case f == nil:
			a.errorf(line, col, CodeDirective, "%.60s is not a field of .amd_kernel_code_t", field)
			var names []string
			for i := range codeFields {
				names = append(names, codeFields[i].name)
			}
			if best := diag.Nearest(field, names); best != "" {
				a.diags[len(a.diags)-1].Remedy = "did you mean " + best + "?"
			}
			continue
		}
		if seen[f.name] {
			a.warnf(line, col, "%s stands twice in one .amd_kernel_code_t block: the last one counts", f.name)
		}
		seen[f.name] = true
		s.pos++
		x, err := a.parseExpr(s)
		if err == nil && !s.end() {
			err = &exprError{s.pos, "unexpected " + quoteRest(s)}
		}
		if err != nil {
			a.errorf(line, err.col, CodeDirective, "%s: %s", field, err.msg)
			continue
		}
		if v, err := a.eval(x); err == nil && v.absolute() {
			x = &expr{op: "num", num: v.off, col: x.col} // the value at this point of the file is final
		}
		b.fields = append(b.fields, codeValue{f, line, x})
	}
	if a.obj.Sections[a.cur].Type == shtNoBits {
		a.errorf(st, 0, CodeDirective, "%s in section %s, which holds no bytes", name, a.obj.Sections[a.cur].Name)
		return
	}
	b.off = a.here()
	a.data(st, defaultKernelCode(a.chip))
	a.codes = append(a.codes, b)
}

// finishV2 fills the blocks, and refuses files that mix two versions.
func (a *assembler) finishV2() {
	if a.version != 2 {
		if st := a.v2use; st != nil {
			a.errorf(st, 0, CodeDirective, "%s is of code object version 2, but the file is of version %d", firstWord(st.text), a.version)
			d := a.diags[len(a.diags)-1]
			if a.versionAt == nil {
				d.Remedy = "write .hsa_code_object_version 2,1 at the beginning"
			} else {
				d.Remedy = "describe kernels with .amdhsa_kernel"
			}
			return
		}
	} else if st := a.v3use; st != nil {
		a.errorf(st, 0, CodeDirective, "%s is of code object versions since 3, but the file is of version 2", firstWord(st.text))
		a.diags[len(a.diags)-1].Remedy = "version 2 has .amd_kernel_code_t and .amd_amdgpu_hsa_metadata"
	}
	for i := range a.codes {
		b := &a.codes[i]
		data := a.obj.Sections[b.section].Data[b.off:][:KernelCodeSize]
		for _, v := range b.fields {
			n, err := a.eval(v.x)
			switch {
			case err != nil:
			case !n.absolute():
				err = &exprError{v.x.col, "expected a number" + n.because()}
			case !v.f.fits(n.off):
				err = &exprError{v.x.col, fmt.Sprintf("%d is outside %d..%d", n.off, v.f.least(), v.f.mask())}
			case v.f.only != "" && n.off != v.f.def:
				err = &exprError{v.x.col, fmt.Sprintf("%d is a value that %s", n.off, strings.ReplaceAll(v.f.only, "%s", a.chip.Name))}
			}
			if err != nil {
				a.errorf(v.st, err.col, CodeDirective, "%s: %s", v.f.name, err.msg)
				continue
			}
			v.f.put(data, n.off)
		}
	}
}
