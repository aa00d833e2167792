package gcn3

import (
	"strings"

	"crosslane/diag"
)

// A directive handles one statement; the cursor stands after its name.
type directive func(a *assembler, st *statement, s *cursor, r *reader, name string)

// directives are those of LLVM's assembler that occur in files for gfx803.
var directives map[string]directive

func init() {
	directives = map[string]directive{
		".text":    func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.switchTo(a.named(".text")) },
		".data":    func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.switchTo(a.named(".data")) },
		".bss":     func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.switchTo(a.named(".bss")) },
		".rodata":  func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.switchTo(a.named(".rodata")) },
		".section": sectionDirective, ".pushsection": sectionDirective, ".popsection": popSection, ".previous": previousSection,

		".globl": bindDirective, ".global": bindDirective, ".local": bindDirective, ".weak": bindDirective,
		".hidden": visDirective, ".protected": visDirective, ".internal": visDirective,
		".extern": ignoreDirective, ".type": typeDirective, ".size": sizeDirective,
		".set": setDirective, ".equ": setDirective, ".equiv": setDirective, ".comm": commDirective, ".lcomm": commDirective,

		".p2align": alignDirective, ".align": alignDirective, ".balign": alignDirective, ".p2alignl": alignDirective, ".p2alignw": alignDirective, ".balignl": alignDirective, ".balignw": alignDirective,
		".byte": intDirective, ".short": intDirective, ".hword": intDirective, ".half": intDirective, ".value": intDirective, ".word": intDirective,
		".long": intDirective, ".int": intDirective, ".quad": intDirective, ".2byte": intDirective, ".4byte": intDirective, ".8byte": intDirective,
		".dc.b": intDirective, ".dc.w": intDirective, ".dc.l": intDirective,
		".octa": octaDirective, ".float": floatDirective, ".single": floatDirective, ".double": floatDirective,
		".ascii": stringDirective, ".asciz": stringDirective, ".string": stringDirective,
		".zero": spaceDirective, ".skip": spaceDirective, ".space": spaceDirective, ".fill": fillDirective, ".org": orgDirective,
		".sleb128": lebDirective, ".uleb128": lebDirective,

		".macro":       func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.defineMacro(st, s, r) },
		".rept":        func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, ".rept") },
		".rep":         func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, ".rept") },
		".irp":         func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, n) },
		".irpc":        func(a *assembler, st *statement, s *cursor, r *reader, n string) { a.repeat(st, s, r, n) },
		".exitm":       exitMacro,
		".purgem":      purgeMacro,
		".include":     includeDirective,
		".incbin":      includeDirective,
		".end":         func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.ended = true },
		".endm":        strayDirective,
		".endr":        strayDirective,
		".err":         messageDirective,
		".error":       messageDirective,
		".warning":     messageDirective,
		".print":       ignoreDirective,
		".ident":       identDirective,
		".file":        ignoreDirective,
		".line":        ignoreDirective,
		".loc":         ignoreDirective,
		".addrsig":     ignoreDirective,
		".addrsig_sym": ignoreDirective,

		".cfi_startproc": ignoreDirective, ".cfi_endproc": ignoreDirective, ".cfi_escape": ignoreDirective, ".cfi_sections": ignoreDirective,
		".cfi_undefined": ignoreDirective, ".cfi_def_cfa": ignoreDirective, ".cfi_offset": ignoreDirective, ".cfi_def_cfa_register": ignoreDirective, ".cfi_def_cfa_offset": ignoreDirective,

		".amdgcn_target":              targetDirective,
		".amdhsa_code_object_version": versionDirective,
		".amdhsa_kernel":              func(a *assembler, st *statement, s *cursor, _ *reader, n string) { a.beginKernel(st, s) },
		".end_amdhsa_kernel":          strayDirective,
		".amdgpu_metadata":            metadataDirective,
		".end_amdgpu_metadata":        strayDirective,
	}
}

// rest reports an operand that should not be there.
func (a *assembler) done(st *statement, s *cursor, name string) {
	if !s.end() {
		a.errorf(st, s.pos, CodeDirective, "%s: unexpected %s", name, quoteRest(s))
	}
}

func ignoreDirective(*assembler, *statement, *cursor, *reader, string) {}

func strayDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.errorf(st, 0, CodeDirective, "%s without its beginning", name)
}

// named is a section known by its name alone.
func (a *assembler) named(name string) int {
	typ, flags := defaultSection(name)
	align := uint64(1)
	if name == ".text" {
		align = 4
	}
	return a.section(name, typ, flags, 0, align)
}

// defaultSection is the type and flags of a section given without them.
func defaultSection(name string) (typ uint32, flags uint64) {
	under := func(p string) bool { return name == p || strings.HasPrefix(name, p+".") }
	switch {
	case under(".text"), under(".init"), under(".fini"):
		return shtProgBits, shfAlloc | shfExec
	case under(".rodata"):
		return shtProgBits, shfAlloc
	case under(".bss"):
		return shtNoBits, shfAlloc | shfWrite
	case under(".data"):
		return shtProgBits, shfAlloc | shfWrite
	case under(".init_array"):
		return shtInit, shfAlloc | shfWrite
	case under(".fini_array"):
		return shtFini, shfAlloc | shfWrite
	case strings.HasPrefix(name, ".note"):
		return shtNote, 0
	}
	return shtProgBits, 0
}

func (a *assembler) switchTo(i int) { a.prev, a.cur = a.cur, i }

// sectionDirective: .section NAME[, "FLAGS"[, @TYPE[, ENTSIZE]]]
func sectionDirective(a *assembler, st *statement, s *cursor, _ *reader, dir string) {
	col := s.skip()
	name := sectionName(s)
	if name == "" {
		a.errorf(st, col, CodeDirective, "%s: expected the name of a section", dir)
		return
	}
	typ, flags := defaultSection(name)
	var entsize uint64
	if s.take(',') {
		col = s.skip()
		text, bad := a.stringArg(s)
		if bad != "" {
			a.errorf(st, col, CodeDirective, "%s: flags: %s", dir, bad)
			return
		}
		var ok bool
		if flags, ok = sectionFlags(string(text)); !ok {
			a.errorf(st, col, CodeDirective, "%s: flags %q: expected letters of awxMSGoR", dir, text)
			return
		}
		if s.take(',') {
			col = s.skip()
			if s.peek() == '@' || s.peek() == '%' {
				s.pos++
			}
			switch t := s.ident(); t {
			case "progbits":
				typ = shtProgBits
			case "nobits":
				typ = shtNoBits
			case "note":
				typ = shtNote
			case "init_array":
				typ = shtInit
			case "fini_array":
				typ = shtFini
			default:
				a.errorf(st, col, CodeDirective, "%s: section type %q, expected @progbits, @nobits, @note, @init_array or @fini_array", dir, t)
				return
			}
		}
		if flags&shfMerge != 0 {
			if !s.take(',') {
				a.errorf(st, s.pos, CodeDirective, "%s: expected the size of the entries to merge", dir)
				return
			}
			n, _ := a.numberArg(st, s, dir)
			entsize = uint64(n)
		}
		s.pos = len(s.s) // groups are for linkers of many files
	}
	a.done(st, s, dir)
	if dir == ".pushsection" {
		if len(a.stack) > 2*maxNesting {
			a.limit(st, ".pushsection is nested more than %d deep", maxNesting)
		}
		a.stack = append(a.stack, a.cur, a.prev)
	}
	_, known := a.sections[name]
	i := a.section(name, typ, flags, entsize, 1)
	if o := &a.obj.Sections[i]; known && (o.Type != typ || o.Flags != flags) && strings.Contains(s.s, ",") {
		a.errorf(st, 0, CodeDirective, "section %s has type %d and flags %#x, found type %d and flags %#x", name, o.Type, o.Flags, typ, flags)
	}
	a.switchTo(i)
}

// sectionName takes a name: quoted, or up to a comma or blank.
func sectionName(s *cursor) string {
	if s.peek() == '"' {
		return s.ident()
	}
	i := s.pos
	for s.pos < len(s.s) && s.s[s.pos] != ',' && !isSpace(s.s[s.pos]) {
		s.pos++
	}
	return s.s[i:s.pos]
}

func sectionFlags(text string) (flags uint64, ok bool) {
	for _, c := range text {
		switch c {
		case 'a':
			flags |= shfAlloc
		case 'w':
			flags |= shfWrite
		case 'x':
			flags |= shfExec
		case 'M':
			flags |= shfMerge
		case 'S':
			flags |= shfStrings
		case 'G', 'o', 'R', '?':
		default:
			return 0, false
		}
	}
	return flags, true
}

func popSection(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	n := len(a.stack)
	if n == 0 {
		a.errorf(st, 0, CodeDirective, ".popsection without .pushsection")
		return
	}
	a.cur, a.prev = a.stack[n-2], a.stack[n-1]
	a.stack = a.stack[:n-2]
}

func previousSection(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	a.cur, a.prev = a.prev, a.cur
}

// symbolArg takes the name of a symbol.
func (a *assembler) symbolArg(st *statement, s *cursor, dir string) *symbol {
	col := s.skip()
	name := s.ident()
	if name == "" {
		a.errorf(st, col, CodeDirective, "%s: expected a symbol", dir)
		return nil
	}
	return a.symbol(name)
}

func bindDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	for {
		x := a.symbolArg(st, s, name)
		if x == nil {
			return
		}
		x.bound = true
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
	switch t := s.ident(); t {
	case "function", "STT_FUNC":
		x.typ = 2
	case "object", "STT_OBJECT":
		x.typ = 1
	case "notype", "STT_NOTYPE":
		x.typ = 0
	default:
		a.errorf(st, col, CodeDirective, ".type: found %q, expected @function, @object or @notype", t)
	}
	a.done(st, s, name)
}

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

// commDirective: .comm NAME, SIZE[, LOG2ALIGN] makes a zero variable in .bss.
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
	if name == ".comm" {
		x.bind, x.bound = 1, true
	}
	a.cur = cur
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

// includeDirective: .include "FILE" and .incbin "FILE".
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
	b, err := a.opt.Include(string(f))
	if err != nil {
		a.errorf(st, col, CodeDirective, "%s %q: %v", name, f, err)
		return
	}
	if name == ".incbin" {
		a.data(st, b)
		return
	}
	a.expand(st, "file "+string(f), string(b), string(f), 1)
}

func messageDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	text, _ := a.stringArg(s)
	if name == ".warning" {
		d := diag.Errorf(a.at(st, st.column(0)), diag.Input, CodeDirective, "%s", text)
		d.Severity, d.Source = diag.Warning, st.source
		if len(a.diags) < 10*maxErrors {
			a.add(d)
		}
		return
	}
	if len(text) == 0 {
		text = []byte(name + " encountered")
	}
	a.errorf(st, 0, CodeDirective, "%s", text)
}

// identDirective: .ident "TEXT" goes to .comment.
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

// targetDirective: .amdgcn_target "TARGET"
func targetDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	text, bad := a.stringArg(s)
	switch {
	case bad != "":
		a.errorf(st, col, CodeDirective, ".amdgcn_target: %s", bad)
	case string(text) != TargetID:
		a.report(st, col, diag.Unsupported, CodeTarget, "target %q is not supported, only %q", text, TargetID)
		panic(stop{})
	}
	a.done(st, s, name)
}

// versionDirective: .amdhsa_code_object_version N
func versionDirective(a *assembler, st *statement, s *cursor, _ *reader, name string) {
	col := s.skip()
	v := a.number(st, s, name)
	if v < 3 || v > 6 {
		a.report(st, col, diag.Unsupported, CodeTarget, "code object version %d is not supported, only 3 to 6", v)
		return
	}
	a.version = int(v)
}

// metadataDirective takes the text up to .end_amdgpu_metadata as it stands.
func metadataDirective(a *assembler, st *statement, s *cursor, r *reader, name string) {
	a.done(st, s, name)
	start, line := r.src, r.line
	for rest := start; ; {
		i := strings.IndexByte(rest, '\n')
		l := rest
		if i >= 0 {
			l = rest[:i]
		}
		r.line++
		if firstWord(l) == ".end_amdgpu_metadata" {
			if a.obj.Metadata != "" {
				a.errorf(st, 0, CodeDirective, ".amdgpu_metadata stands twice")
			}
			a.obj.Metadata, a.obj.MetadataLine = start[:len(start)-len(rest)], line
			r.src = ""
			if i >= 0 {
				r.src = rest[i+1:]
			}
			return
		}
		if i < 0 {
			a.errorf(st, 0, CodeDirective, ".amdgpu_metadata without .end_amdgpu_metadata")
			r.src = ""
			return
		}
		rest = rest[i+1:]
	}
}
