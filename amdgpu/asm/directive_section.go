package asm

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// named returns the section that is given by its name alone.
func (a *assembler) named(name string) int {
	typ, flags := defaultSection(name)
	align := uint64(1)
	if name == ".text" {
		align = 4
	}
	return a.section(name, typ, flags, 0, align)
}

// defaultSection returns the type and flags of a section given without them.
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

// plainSection handles .text, .data and similar directives: sections by name alone.
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

// sectionDirective handles .section NAME[, "FLAGS"[, @TYPE[, ENTSIZE][, GROUP[, comdat]][, unique,
// N]]].
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
		sun := s.peek() == '#'
		var ok bool
		if flags, ok = a.sectionFlags(st, s, dir); !ok {
			return
		}
		if flags&shfLinked != 0 {
			a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s: flag o (a section that is kept with another one) is not supported", dir)
			return
		}
		if !sun && s.take(',') {
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
		flags &^= shfGroup // a single file has no alternative to the group
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

// sectionType consumes @TYPE, by name or number.
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

// sectionGroup consumes , NAME[, comdat].
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

// sectionName consumes a name: quoted, or up to a comma or blank.
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

// sectionFlags consumes the flags of a section: letters or a number in double quotes, or words in
// Sun's syntax, #alloc,#write.
func (a *assembler) sectionFlags(st *statement, s *cursor, dir string) (flags uint64, ok bool) {
	col := s.skip()
	if s.peek() == '#' {
		for s.take('#') {
			col = s.pos
			word := s.ident()
			bit, ok := sunFlags[word]
			if !ok {
				a.errorf(st, col, CodeDirective, "%s: flag #%.40s, expected #alloc, #execinstr, #write or #tls", dir, word)
				return 0, false
			}
			flags |= bit
			if !s.take(',') {
				break
			}
		}
		return flags, true
	}
	text, bad := a.stringArg(s)
	if bad != "" {
		a.errorf(st, col, CodeDirective, "%s: flags: %s", dir, bad)
		return 0, false
	}
	if n, err := strconv.ParseUint(string(text), 0, 64); err == nil && !bytes.ContainsRune(text, '_') {
		if more := n &^ sectionBits; more != 0 {
			a.report(st, col, diag.Unsupported, CodeUnknownDirective, "%s: the bits %#x of the flags are not supported", dir, more)
			return 0, false
		}
		return n, true
	}
	for _, c := range string(text) {
		bit, ok := flagLetters[c]
		if !ok {
			a.errorf(st, col, CodeDirective, "%s: flags %q: expected letters of aexwMSTGoR", dir, text)
			return 0, false
		}
		flags |= bit
	}
	return flags, true
}

// flagLetters are the letters of section flags. ? is the group of the previous section, if it has
// one.
var flagLetters = map[rune]uint64{
	'a': shfAlloc, 'w': shfWrite, 'x': shfExec, 'M': shfMerge, 'S': shfStrings, 'T': shfTLS,
	'e': shfExclude, 'R': shfRetain, 'o': shfLinked, 'G': shfGroup, '?': 0,
}

// sunFlags are the same flags as words of Solaris' assembler.
var sunFlags = map[string]uint64{"alloc": shfAlloc, "execinstr": shfExec, "write": shfWrite, "tls": shfTLS}

const sectionBits = shfAlloc | shfWrite | shfExec | shfMerge | shfStrings | shfTLS | shfExclude | shfRetain | shfLinked | shfGroup

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
