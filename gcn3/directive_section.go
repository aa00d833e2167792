package gcn3

import (
	"fmt"
	"math"
	"strings"

	"crosslane/diag"
)

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
	case under(".rodata"), name == ".rodata1":
		return shtProgBits, shfAlloc
	case under(".bss"):
		return shtNoBits, shfAlloc | shfWrite
	case under(".tdata"):
		return shtProgBits, shfAlloc | shfWrite | shfTLS
	case under(".tbss"):
		return shtNoBits, shfAlloc | shfWrite | shfTLS
	case under(".data"), name == ".data1":
		return shtProgBits, shfAlloc | shfWrite
	case under(".init_array"):
		return shtInit, shfAlloc | shfWrite
	case under(".fini_array"):
		return shtFini, shfAlloc | shfWrite
	case under(".preinit_array"):
		return shtPreInit, shfAlloc | shfWrite
	case strings.HasPrefix(name, ".note"):
		return shtNote, 0
	}
	return shtProgBits, 0
}

func (a *assembler) switchTo(i int) { a.prev, a.cur = a.cur, i }

// plainSection: .text, .data and their like, by name alone.
func plainSection(a *assembler, st *statement, s *cursor, _ *reader, dir string) {
	if !s.end() {
		col := s.pos
		if n, ok := a.numberArg(st, s, dir); ok && n != 0 {
			a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s %d: subsections are not supported", dir, n)
			return
		}
		a.done(st, s, dir)
	}
	a.switchTo(a.named(dir))
}

func subsectionDirective(a *assembler, st *statement, s *cursor, _ *reader, dir string) {
	col := s.skip()
	if n := a.number(st, s, dir); n != 0 {
		a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s %d: subsections are not supported", dir, n)
	}
}

// sectionTypes are the types of sections by name.
var sectionTypes = map[string]uint32{
	"progbits": shtProgBits, "nobits": shtNoBits, "note": shtNote,
	"init_array": shtInit, "fini_array": shtFini, "preinit_array": shtPreInit,
}

// sectionDirective: .section NAME[, "FLAGS"[, @TYPE[, ENTSIZE][, GROUP[, comdat]][, unique, N]]]
func sectionDirective(a *assembler, st *statement, s *cursor, _ *reader, dir string) {
	col := s.skip()
	name := sectionName(s)
	if name == "" {
		a.errorf(st, col, CodeDirective, "%s: expected the name of a section", dir)
		return
	}
	typ, flags := defaultSection(name)
	key, given, entsize := name, false, uint64(0)
	if s.take(',') {
		given = true
		col = s.skip()
		text, bad := a.stringArg(s)
		if bad != "" {
			a.errorf(st, col, CodeDirective, "%s: flags: %s", dir, bad)
			return
		}
		var ok bool
		if flags, ok = sectionFlags(string(text)); !ok {
			a.errorf(st, col, CodeDirective, "%s: flags %q: expected letters of aexwMSTGoR", dir, text)
			return
		}
		if flags&shfLinked != 0 {
			a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s: flag o (a section that is kept with another one) is not supported", dir)
			return
		}
		if s.take(',') {
			if typ, ok = a.sectionType(st, s, dir); !ok {
				return
			}
		}
		if flags&shfMerge != 0 {
			if !s.take(',') {
				a.errorf(st, s.pos, CodeDirective, "%s: expected the size of the entries to merge", dir)
				return
			}
			at := s.skip()
			n, _ := a.numberArg(st, s, dir)
			if n <= 0 || n > maxSection {
				a.errorf(st, at, CodeDirective, "%s: entries of %d bytes, expected 1 to %d", dir, n, maxSection)
				return
			}
			entsize = uint64(n)
		}
		if flags&shfGroup != 0 && !a.sectionGroup(st, s, dir) {
			return
		}
		flags &^= shfGroup // one file has nothing to choose from
		if s.take(',') {
			at := s.skip()
			if s.ident() != "unique" || !s.take(',') {
				a.errorf(st, at, CodeDirective, "%s: expected unique, and a number", dir)
				return
			}
			n, _ := a.numberArg(st, s, dir)
			key = fmt.Sprintf("%s\x00%d", name, n)
		}
	}
	a.done(st, s, dir)
	if dir == ".pushsection" {
		if len(a.stack) > 2*maxNesting {
			a.limit(st, ".pushsection is nested more than %d deep", maxNesting)
		}
		a.stack = append(a.stack, a.cur, a.prev)
	}
	i, known := a.sections[key]
	if !known {
		i = len(a.obj.Sections)
		a.sections[key] = i
		a.obj.Sections = append(a.obj.Sections, Section{Name: name, Type: typ, Flags: flags, EntSize: entsize, Align: 1})
	}
	if o := &a.obj.Sections[i]; known && given && (o.Type != typ || o.Flags != flags || o.EntSize != entsize) {
		a.errorf(st, 0, CodeDirective, "section %s has type %d, flags %#x and entries of %d bytes, found %d, %#x and %d", name, o.Type, o.Flags, o.EntSize, typ, flags, entsize)
	}
	a.switchTo(i)
}

// sectionType takes @TYPE, by name or number.
func (a *assembler) sectionType(st *statement, s *cursor, dir string) (uint32, bool) {
	col := s.skip()
	if c := s.peek(); c == '@' || c == '%' {
		s.pos++
	}
	if isDigit(s.peek()) {
		n, ok := a.numberArg(st, s, dir)
		if ok && (n < 0 || n > math.MaxUint32) {
			a.errorf(st, col, CodeDirective, "%s: a section type has 32 bits, found %d", dir, n)
			return 0, false
		}
		return uint32(n), ok
	}
	name := s.ident()
	typ, ok := sectionTypes[name]
	if !ok {
		a.errorf(st, col, CodeDirective, "%s: section type %.40q, expected @progbits, @nobits, @note, @init_array, @fini_array or @preinit_array", dir, name)
	}
	return typ, ok
}

// sectionGroup takes , NAME[, comdat].
func (a *assembler) sectionGroup(st *statement, s *cursor, dir string) bool {
	if a.opt.Relocatable {
		a.report(st, 0, diag.Unsupported, CodeUnknownDirective, "%s: groups are not supported in a relocatable file", dir)
		return false
	}
	if !s.take(',') || s.ident() == "" {
		a.errorf(st, s.pos, CodeDirective, "%s: expected the name of a group", dir)
		return false
	}
	t := *s
	if t.take(',') && t.ident() == "comdat" {
		*s = t
	}
	return true
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
		case 'T':
			flags |= shfTLS
		case 'e':
			flags |= shfExclude
		case 'R':
			flags |= shfRetain
		case 'o':
			flags |= shfLinked
		case '?': // in the group of the section before, if it has one
		case 'G':
			flags |= shfGroup
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
