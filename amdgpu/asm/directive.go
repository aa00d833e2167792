package asm

import (
	"encoding/binary"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// A directive handles one statement; the cursor is after its name.
type directive func(a *assembler, st *statement, s *cursor, r *reader, name string)

// directives maps names to the directives of LLVM's assembler that occur in files for gfx8.
var directives map[string]directive

// The table is set in init, because .include leads back to it.
func init() {
	directives = map[string]directive{
		".text": plainSection, ".data": plainSection, ".bss": plainSection, ".rodata": plainSection, ".subsection": subsectionDirective,
		".section": sectionDirective, ".pushsection": sectionDirective, ".popsection": popSection, ".previous": previousSection,

		".globl": bindDirective, ".global": bindDirective, ".local": bindDirective, ".weak": bindDirective,
		".hidden": visDirective, ".protected": visDirective, ".internal": visDirective,
		".extern": ignoreDirective, ".type": typeDirective, ".size": sizeDirective,
		".set": setDirective, ".equ": setDirective, ".equiv": setDirective, ".comm": commDirective, ".lcomm": commDirective,

		".p2align": alignDirective, ".align": alignDirective, ".balign": alignDirective, ".p2alignl": alignDirective, ".p2alignw": alignDirective, ".balignl": alignDirective, ".balignw": alignDirective,
		".byte": intDirective, ".short": intDirective, ".hword": intDirective, ".half": intDirective, ".value": intDirective, ".word": intDirective,
		".long": intDirective, ".int": intDirective, ".quad": intDirective, ".2byte": intDirective, ".4byte": intDirective, ".8byte": intDirective,
		".dc": intDirective, ".dc.a": intDirective, ".dc.b": intDirective, ".dc.w": intDirective, ".dc.l": intDirective,
		".dc.s": floatDirective, ".dc.d": floatDirective, ".base64": base64Directive,
		".dcb": repeatedDirective, ".dcb.b": repeatedDirective, ".dcb.w": repeatedDirective, ".dcb.l": repeatedDirective, ".dcb.s": repeatedDirective, ".dcb.d": repeatedDirective,
		".ds": emptyDirective, ".ds.b": emptyDirective, ".ds.w": emptyDirective, ".ds.l": emptyDirective, ".ds.s": emptyDirective, ".ds.d": emptyDirective, ".ds.p": emptyDirective, ".ds.x": emptyDirective,
		".octa": octaDirective, ".float": floatDirective, ".single": floatDirective, ".double": floatDirective,
		".ascii": stringDirective, ".asciz": stringDirective, ".string": stringDirective,
		".zero": spaceDirective, ".skip": spaceDirective, ".space": spaceDirective, ".fill": fillDirective, ".org": orgDirective,
		".sleb128": lebDirective, ".uleb128": lebDirective,

		".macro":               func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.defineMacro(st, s, r) },
		".rept":                func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, ".rept") },
		".rep":                 func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, ".rept") },
		".irp":                 func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, n) },
		".irpc":                func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, n) },
		".exitm":               exitMacro,
		".purgem":              purgeMacro,
		".include":             includeDirective,
		".incbin":              includeDirective,
		".end":                 func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.ended = true },
		".endm":                strayDirective,
		".endr":                strayDirective,
		".err":                 messageDirective,
		".error":               messageDirective,
		".warning":             messageDirective,
		".print":               ignoreDirective,
		".ident":               identDirective,
		".version":             versionNote,
		".altmacro":            func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.altmacro = true },
		".noaltmacro":          func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.altmacro = false },
		".abort":               messageDirective,
		".amdgpu_lds":          ldsDirective,
		".amdgpu_pal_metadata": foreignBlock, ".amdgpu_info": foreignBlock,

		".hsa_code_object_version": hsaVersionDirective, ".hsa_code_object_isa": hsaISADirective, ".amdgpu_hsa_kernel": hsaKernelDirective,
		".amd_kernel_code_t": kernelCodeDirective, ".end_amd_kernel_code_t": strayDirective,
		".amd_amdgpu_isa": isaNameDirective, ".amd_amdgpu_hsa_metadata": hsaMetadataDirective, ".end_amd_amdgpu_hsa_metadata": strayDirective,
		".hsatext": olderDirective, ".hsadata_global_agent": olderDirective, ".hsadata_global_program": olderDirective, ".hsarodata_readonly_agent": olderDirective,
		".amdgpu_hsa_module_global": olderDirective, ".amdgpu_hsa_program_global": olderDirective, ".amdgpu_runtime_metadata": earlierMetadata, ".amdgpu_code_object_metadata": earlierMetadata,

		".file":        ignoreDirective,
		".line":        ignoreDirective,
		".loc":         ignoreDirective,
		".addrsig":     ignoreDirective,
		".addrsig_sym": ignoreDirective,

		".cfi_startproc": ignoreDirective, ".cfi_endproc": ignoreDirective, ".cfi_escape": ignoreDirective, ".cfi_sections": ignoreDirective,
		".cfi_undefined": ignoreDirective, ".cfi_def_cfa": ignoreDirective, ".cfi_offset": ignoreDirective, ".cfi_def_cfa_register": ignoreDirective, ".cfi_def_cfa_offset": ignoreDirective,
		".cfi_rel_offset": ignoreDirective, ".cfi_restore": ignoreDirective, ".cfi_same_value": ignoreDirective, ".cfi_register": ignoreDirective, ".cfi_adjust_cfa_offset": ignoreDirective,
		".cfi_remember_state": ignoreDirective, ".cfi_restore_state": ignoreDirective, ".cfi_personality": ignoreDirective, ".cfi_lsda": ignoreDirective, ".cfi_signal_frame": ignoreDirective,
		".cfi_return_column": ignoreDirective, ".cfi_llvm_def_aspace_cfa": ignoreDirective,

		".amdgcn_target":              targetDirective,
		".amdhsa_code_object_version": versionDirective,
		".amdhsa_kernel":              func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.beginKernel(st, s) },
		".end_amdhsa_kernel":          strayDirective,
		".amdgpu_metadata":            metadataDirective,
		".end_amdgpu_metadata":        strayDirective,
	}
}

// done reports an operand that should not be there.
func (a *assembler) done(st *statement, s *cursor, name string) {
	if !s.end() {
		a.errorf(st, s.pos, CodeDirective, "%s: unexpected %s", name, quoteRest(s))
	}
}

func ignoreDirective(*assembler, *statement, *cursor, *reader, string) {}

func strayDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.errorf(st, 0, CodeDirective, "%s without its beginning", name)
}

// symbolArg consumes the name of a symbol.
func (a *assembler) symbolArg(st *statement, s *cursor, dir string) *symbol {
	col := s.skip()
	name := s.ident()
	if name == "" {
		a.errorf(st, col, CodeDirective, "%s: expected a symbol", dir)
		return nil
	}
	return a.symbol(name)
}

// bindDirective handles .globl, .local and .weak.
func bindDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for {
		x := a.symbolArg(st, s, name)
		if x == nil {
			return
		}
		if name == ".local" && x.bound && x.bind != 0 {
			a.errorf(st, s.pos-len(x.name), CodeSymbol, "%s is global already", x.printed())
		}
		x.bound, x.boundAt = true, st
		x.bind = map[string]uint8{".local": 0, ".weak": bindWeak}[name]
		if name == ".globl" || name == ".global" {
			x.bind = 1
		}
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

// visDirective handles .hidden, .protected and .internal.
func visDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for {
		x := a.symbolArg(st, s, name)
		if x == nil {
			return
		}
		x.vis = map[string]uint8{".internal": 1, ".hidden": 2, ".protected": 3}[name]
		if !s.take(',') {
			break
		}
	}
	a.done(st, s, name)
}

// typeDirective handles .type NAME, @TYPE.
func typeDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	x := a.symbolArg(st, s, name)
	if x == nil {
		return
	}
	s.take(',')
	col := s.skip()
	if c := s.peek(); c == '@' || c == '%' || c == '#' {
		s.pos++
	}
	typ := x.typ
	switch t := s.ident(); t {
	case "function", "STT_FUNC":
		x.typ = 2
	case "object", "STT_OBJECT", "common", "STT_COMMON":
		x.typ = 1
	case "gnu_unique_object", "gnu_indirect_function", "STT_GNU_IFUNC", "tls_object", "STT_TLS":
		a.report(st, col, diag.Unsupported, CodeUnknownDirective, ".type: symbols of type %s are not supported", t)
		return
	case "notype", "STT_NOTYPE":
		x.typ = 0
	default:
		a.errorf(st, col, CodeDirective, ".type: found %q, expected @function, @object or @notype", t)
	}
	if typ == symHSAKernel {
		x.typ = typ // .amdgpu_hsa_kernel is more specific, as in LLVM
	}
	a.done(st, s, name)
}

// sizeDirective handles .size NAME, EXPRESSION.
func sizeDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	x := a.symbolArg(st, s, name)
	if x == nil {
		return
	}
	if !s.take(',') {
		a.errorf(st, s.pos, CodeDirective, ".size: expected a comma")
		return
	}
	y, err := a.parseExpr(s)
	if err != nil {
		a.errorf(st, err.col, CodeDirective, ".size: %s", err.msg)
		return
	}
	a.done(st, s, name)
	x.size, x.sizeAt = y, st
}

func setDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	id := s.ident()
	if id == "" || !s.take(',') {
		a.errorf(st, col, CodeDirective, "%s: expected a symbol, a comma and an expression", name)
		return
	}
	a.assign(st, s, id, col, name == ".equiv")
}

// commDirective handles .comm NAME, SIZE[, LOG2ALIGN]: it makes a zero variable, in .bss unless a
// linker chooses the place.
func commDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	x := a.symbolArg(st, s, name)
	if x == nil {
		return
	}
	power := int64(0)
	s.take(',')
	size, ok := a.numberArg(st, s, name)
	if ok && s.take(',') {
		power, ok = a.numberArg(st, s, name)
	}
	if !ok {
		return
	}
	a.done(st, s, name)
	if size < 0 || size > maxSection || power < 0 || power > 16 {
		a.errorf(st, col, CodeDirective, "%s: %d bytes aligned to 2 to the power %d, expected up to %d and 16", name, size, power, maxSection)
		return
	}
	align := int64(1) << power
	if name == ".comm" && !x.bound && a.opt.Relocatable {
		if x.defined || x.set != nil {
			a.errorf(st, col, CodeSymbol, "%s is defined twice", x.printed())
			return
		}
		x.defined, x.section, x.off, x.typ, x.bind, x.bound = true, SymbolCommon, uint64(align), 1, 1, true
		x.size, x.sizeAt = &expr{op: "num", num: size}, st
		return
	}
	cur := a.cur
	a.cur = a.named(".bss")
	sec := &a.obj.Sections[a.cur]
	sec.Align = max(sec.Align, uint64(align))
	pad := -a.here() & uint64(align-1)
	a.room(st, pad+uint64(size))
	sec.Size += pad
	a.define(st, col, x)
	sec.Size += uint64(size)
	x.typ = 1
	x.size, x.sizeAt = &expr{op: "num", num: size}, st
	if name == ".comm" && !x.bound {
		x.bind, x.bound = 1, true
	}
	a.cur = cur
}

// ldsDirective handles .amdgpu_lds NAME, SIZE[, ALIGN]: it names a variable in LDS, which a linker
// places.
func ldsDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	x := a.symbolArg(st, s, name)
	if x == nil {
		return
	}
	if !s.take(',') {
		a.errorf(st, s.pos, CodeDirective, "%s: expected a comma and a size", name)
		return
	}
	at := s.skip()
	size, ok := a.numberArg(st, s, name)
	align := int64(4)
	if ok && s.take(',') {
		align, ok = a.numberArg(st, s, name)
	}
	if !ok {
		return
	}
	a.done(st, s, name)
	switch {
	case size < 0 || size > 65536:
		a.errorf(st, at, CodeDirective, "%s: a variable of %d bytes, expected 0 to 65536, which is all of LDS", name, size)
	case align < 1 || align >= 1<<31 || align&(align-1) != 0:
		a.errorf(st, at, CodeDirective, "%s: alignment %d, expected a power of two", name, align)
	case x.defined || x.set != nil:
		a.errorf(st, col, CodeSymbol, "%s is defined twice", x.printed())
	case !a.opt.Relocatable:
		a.report(st, 0, diag.Unsupported, CodeUnknownDirective, "%s: variables in LDS get their places from a linker, only relocatable files can have them", name)
	default:
		x.defined, x.section, x.off, x.typ = true, SymbolLDS, uint64(align), 1
		x.size, x.sizeAt = &expr{op: "num", num: size}, st
	}
}

func exitMacro(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	if st.from == nil {
		a.errorf(st, 0, CodeDirective, ".exitm outside a macro")
		return
	}
	st.from.exit = true
}

func purgeMacro(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	id := s.ident()
	if a.macros[id] == nil {
		a.errorf(st, col, CodeDirective, ".purgem: no macro %q", id)
		return
	}
	delete(a.macros, id)
}

// includeDirective handles .include "FILE" and .incbin "FILE".
func includeDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	f, bad := a.stringArg(s)
	if bad != "" {
		a.errorf(st, col, CodeDirective, "%s: %s", name, bad)
		return
	}
	if a.opt.Include == nil {
		a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s %q: files cannot be included here", name, f)
		return
	}
	b, known := a.included[string(f)]
	if !known {
		var err error
		if b, err = a.opt.Include(string(f)); err != nil {
			a.errorf(st, col, CodeDirective, "%s %q: %v", name, f, err)
			return
		}
		a.included[string(f)] = b
	}
	if name == ".incbin" {
		a.data(st, b)
		return
	}
	a.expand(st, "file "+string(f), strings.TrimPrefix(string(b), "\ufeff"), string(f), 1)
}

// messageDirective handles .error, .err and .warning.
func messageDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	text, _ := a.stringArg(s)
	if name == ".warning" {
		a.warnf(st, 0, "%s", text)
		return
	}
	if len(text) == 0 {
		text = []byte(name + " encountered")
	}
	a.errorf(st, 0, CodeDirective, "%s", text)
}

// identDirective handles .ident "TEXT", which goes to .comment.
func identDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	text, bad := a.stringArg(s)
	if bad != "" {
		a.errorf(st, col, CodeDirective, ".ident: %s", bad)
		return
	}
	cur := a.cur
	_, known := a.sections[".comment"]
	a.cur = a.section(".comment", shtProgBits, shfMerge|shfStrings, 1, 1)
	if !known {
		a.data(st, []byte{0})
	}
	a.data(st, append(text, 0))
	a.cur = cur
}

// versionNote handles .version "TEXT": a note of type 1 (NT_VERSION) with that name.
func versionNote(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	text, bad := a.stringArg(s)
	if bad != "" {
		a.errorf(st, col, CodeDirective, ".version: %s", bad)
		return
	}
	a.done(st, s, name)
	cur := a.cur
	a.cur = a.section(".note", shtNote, 0, 0, 4)
	b := make([]byte, 12+(len(text)+4)&^3)
	binary.LittleEndian.PutUint32(b, uint32(len(text)+1))
	b[8] = 1
	copy(b[12:], text)
	a.data(st, b)
	a.cur = cur
}

// targetDirective handles .amdgcn_target "TARGET".
func targetDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	text, bad := a.stringArg(s)
	switch {
	case bad != "":
		a.errorf(st, col, CodeDirective, ".amdgcn_target: %s", bad)
	case string(text) != a.chip.ID():
		a.report(st, col, diag.Unsupported, CodeTarget, "target %q is not supported, only %q", text, a.chip.ID())
		panic(stop{})
	}
	a.done(st, s, name)
}

// versionDirective handles .amdhsa_code_object_version N. LLVM has no version 2 here; Crosslane
// reads it as a file of version 2 without the note of the version.
func versionDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	v := a.number(st, s, name)
	if v < 2 || v > 6 {
		a.report(st, col, diag.Unsupported, CodeTarget, "code object version %d is not supported, only 2 to 6", v)
		return
	}
	a.setVersion(st, int(v))
}

// olderDirective refuses a directive of the first code objects, of 2015 to 2017.
func olderDirective(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.report(st, 0, diag.Unsupported, CodeUnknownDirective, "directive %s of compilers before LLVM 6 is not supported", name)
	if name == ".hsatext" {
		a.diags[len(a.diags)-1].Remedy = "version 2 has kernels in .text"
	}
}

// earlierMetadata skips the metadata of LLVM 4 and 5 for an OpenCL runtime:
// .amdgpu_runtime_metadata and .amdgpu_code_object_metadata. The behaviour of the code does not
// depend on it.
func earlierMetadata(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.needV2(st)
	meta := a.metaAt
	a.metaAt = nil // this block may occur several times
	if _, _, ok := a.rawBlock(st, s, r, name); ok {
		d := diag.Errorf(a.at(st, st.column(st.indent())), diag.Finding, amdgpu.CodeBeyond, "%s of LLVM before 6 is skipped", name)
		d.Severity, d.Remedy = diag.Note, "version 2 has .amd_amdgpu_hsa_metadata, which describes the arguments"
		a.noteOnce(st, d)
	}
	a.metaAt = meta
}

// foreignBlock refuses a block as a whole.
func foreignBlock(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.report(st, 0, diag.Unsupported, CodeUnknownDirective, "directive %s is not supported", name)
	a.block(st, r, nil, ".end_"+name[1:])
}

// metadataDirective reads the text up to .end_amdgpu_metadata unchanged.
func metadataDirective(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.needV3(st)
	if text, line, ok := a.rawBlock(st, s, r, name); ok {
		a.obj.Metadata, a.obj.MetadataLine = text, line
	}
}

// needV3 notes a directive that version 2 does not have.
func (a *assembler) needV3(st *statement) {
	if a.v3use == nil {
		a.v3use = st
	}
}

// rawBlock reads the text up to the end of a block of metadata, and its first line.
func (a *assembler) rawBlock(st *statement, s *cursor, r *reader, name string) (text string, line int, ok bool) {
	a.done(st, s, name)
	start, line := r.src, r.line
	for rest := start; ; {
		i := strings.IndexByte(rest, '\n')
		l := rest
		if i >= 0 {
			l = rest[:i]
		}
		r.line++
		if firstWord(l) == ".end_"+name[1:] {
			if a.metaAt != nil {
				a.errorf(st, 0, CodeDirective, "%s stands twice", name)
			}
			a.metaAt = st
			r.src = ""
			if i >= 0 {
				r.src = rest[i+1:]
			}
			return start[:len(start)-len(rest)], line, true
		}
		if i < 0 {
			a.errorf(st, 0, CodeDirective, "%s without .end_%s", name, name[1:])
			r.src = ""
			return "", 0, false
		}
		rest = rest[i+1:]
	}
}
