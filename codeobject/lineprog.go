package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path"
)

// The line number program (DWARF 5, 6.2). The reader of the standard library makes tables of the
// size that a damaged header gives; this reader's tables are never larger than the section.

// A dwarfBuf is a sequence of bytes that is read from the front. After the end it yields zeros and
// sets short.
type dwarfBuf struct {
	b     []byte
	wide  bool // the 64-bit format: offsets have 8 bytes
	short bool
}

func (b *dwarfBuf) take(n uint64) []byte {
	if n > uint64(len(b.b)) {
		b.short, b.b = true, nil
		return nil
	}
	x := b.b[:n]
	b.b = b.b[n:]
	return x
}

func (b *dwarfBuf) uint(n uint64) (v uint64) {
	for i, x := range b.take(n) {
		v |= uint64(x) << (8 * i)
	}
	return v
}

func (b *dwarfBuf) offset() uint64 {
	if b.wide {
		return b.uint(8)
	}
	return b.uint(4)
}

// leb reads a number of 7-bit groups (DWARF 5, 7.6).
func (b *dwarfBuf) leb(signed bool) (v int64) {
	for shift := uint(0); ; shift += 7 {
		x := b.uint(1)
		if shift < 64 {
			v |= int64(x&0x7f) << shift
		}
		if x&0x80 == 0 {
			if signed && shift < 57 && x&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// string reads a zero-terminated string.
func (b *dwarfBuf) string() string {
	i := bytes.IndexByte(b.b, 0)
	if i < 0 {
		b.short, b.b = true, nil
		return ""
	}
	s := string(b.b[:i])
	b.b = b.b[i+1:]
	return s
}

// The forms of file names (DWARF 5, 7.5.6), and their contents (DWARF 5, 7.22).
const (
	formData2, formData4, formData8, formString = 0x05, 0x06, 0x07, 0x08
	formBlock, formData1, formStrp, formUdata   = 0x09, 0x0b, 0x0e, 0x0f
	formData16, formLineStrp                    = 0x1e, 0x1f

	contentPath, contentDirectory = 1, 2
)

var errLines = errors.New("bad line table")

// A lineTable is the header of a line number program, and the program.
type lineTable struct {
	files                []string // by number; before version 5, number 0 is no file
	minInst              uint64
	base                 int64
	lineRange, firstCode byte
	lengths              []byte // by opcode, from 1
	program              dwarfBuf
}

// readLineTable reads a header. dir is the unit's directory.
func readLineTable(sec map[string][]byte, at uint64, dir string) (*lineTable, error) {
	if at > uint64(len(sec["line"])) {
		return nil, errLines
	}
	b := dwarfBuf{b: sec["line"][at:]}
	size := b.uint(4)
	if size == 0xffffffff {
		b.wide, size = true, b.uint(8)
	}
	b.b = b.take(size)
	version := b.uint(2)
	if version >= 5 {
		b.take(2) // sizes of addresses and segment selectors
	}
	header := dwarfBuf{b: b.take(b.offset()), wide: b.wide}
	if b.short || version < 2 || version > 5 {
		return nil, errLines
	}
	t := &lineTable{program: b, minInst: header.uint(1)}
	if version >= 4 {
		header.take(1) // maximum number of operations per instruction, 1 here
	}
	header.take(1) // is_stmt at the start
	t.base, t.lineRange, t.firstCode = int64(int8(header.uint(1))), byte(header.uint(1)), byte(header.uint(1))
	if t.lineRange == 0 || t.firstCode == 0 || header.short {
		return nil, errLines
	}
	t.lengths = header.take(uint64(t.firstCode - 1))
	if version >= 5 {
		t.tables(&header, sec, dir)
	} else {
		t.oldTables(&header, dir)
	}
	if header.short {
		return nil, errLines
	}
	return t, nil
}

// join returns a name in a directory.
func join(dir, name string) string {
	if path.IsAbs(name) || dir == "" {
		return name
	}
	return path.Join(dir, name)
}

// oldTables reads the directories and files of versions 2 to 4.
func (t *lineTable) oldTables(b *dwarfBuf, dir string) {
	dirs := []string{dir}
	for !b.short {
		d := b.string()
		if d == "" {
			break
		}
		dirs = append(dirs, join(dir, d))
	}
	t.files = append(t.files, "")
	for !b.short {
		name := b.string()
		if name == "" {
			break
		}
		d := b.leb(false)
		b.leb(false) // time
		b.leb(false) // length
		if uint64(d) < uint64(len(dirs)) {
			name = join(dirs[d], name)
		}
		t.files = append(t.files, name)
	}
}

// tables reads the directories and files of version 5, whose tables describe their own format.
func (t *lineTable) tables(b *dwarfBuf, sec map[string][]byte, dir string) {
	var dirs []string
	for table := range 2 {
		var format [][2]int64
		for range b.uint(1) {
			format = append(format, [2]int64{b.leb(false), b.leb(false)})
		}
		for n := b.leb(false); n > 0 && !b.short && len(format) > 0; n-- {
			name, in := "", int64(0)
			left := len(b.b)
			for _, f := range format {
				s, v, ok := b.form(f[1], sec)
				if !ok {
					b.short = true
					return
				}
				switch f[0] {
				case contentPath:
					name = s
				case contentDirectory:
					in = v
				}
			}
			if len(b.b) == left {
				b.short = true // entries without contents
				return
			}
			switch {
			case table == 0 && len(dirs) == 0:
				dirs = append(dirs, join(dir, name))
			case table == 0:
				dirs = append(dirs, join(dirs[0], name))
			case uint64(in) < uint64(len(dirs)):
				t.files = append(t.files, join(dirs[in], name))
			default:
				t.files = append(t.files, name)
			}
		}
	}
}

// form reads a string or number of a form.
func (b *dwarfBuf) form(form int64, sec map[string][]byte) (s string, v int64, ok bool) {
	at := func(name string) string {
		off := b.offset()
		if off > uint64(len(sec[name])) {
			return ""
		}
		x := dwarfBuf{b: sec[name][off:]}
		return x.string()
	}
	switch form {
	case formString:
		s = b.string()
	case formStrp:
		s = at("str")
	case formLineStrp:
		s = at("line_str")
	case formData1:
		v = int64(b.uint(1))
	case formData2:
		v = int64(b.uint(2))
	case formData4:
		v = int64(b.uint(4))
	case formData8:
		v = int64(b.uint(8))
	case formData16:
		b.take(16)
	case formUdata:
		v = b.leb(false)
	case formBlock:
		b.take(uint64(b.leb(false)))
	default:
		return "", 0, false
	}
	return s, v, !b.short
}

// rows runs the program (DWARF 5, 6.2.5) and passes its rows to row, until row returns false.
func (t *lineTable) rows(row func(addr uint64, file, line, col int64, end bool) bool) {
	b := t.program
	var addr uint64
	file, line, col := int64(1), int64(1), int64(0)
	advance := func(n uint64) { addr += n * t.minInst }
	for len(b.b) > 0 && !b.short {
		op := byte(b.uint(1))
		if op >= t.firstCode {
			op -= t.firstCode
			advance(uint64(op / t.lineRange))
			line += t.base + int64(op%t.lineRange)
			if !row(addr, file, line, col, false) {
				return
			}
			continue
		}
		switch op {
		case 0: // extended: its length, its number
			x := dwarfBuf{b: b.take(uint64(b.leb(false)))}
			switch x.uint(1) {
			case 1: // DW_LNE_end_sequence
				if !row(addr, 0, 0, 0, true) {
					return
				}
				addr, file, line, col = 0, 1, 1, 0
			case 2: // DW_LNE_set_address
				if n := len(x.b); n == 8 {
					addr = binary.LittleEndian.Uint64(x.b)
				}
			}
		case 1: // DW_LNS_copy
			if !row(addr, file, line, col, false) {
				return
			}
		case 2: // DW_LNS_advance_pc
			advance(uint64(b.leb(false)))
		case 3: // DW_LNS_advance_line
			line += b.leb(true)
		case 4: // DW_LNS_set_file
			file = b.leb(false)
		case 5: // DW_LNS_set_column
			col = b.leb(false)
		case 6, 7, 10, 11: // is_stmt, basic blocks, prologue and epilogue
		case 8: // DW_LNS_const_add_pc
			advance(uint64((255 - t.firstCode) / t.lineRange))
		case 9: // DW_LNS_fixed_advance_pc
			addr += b.uint(2)
		default: // opcodes of later versions; lengths has their numbers of operands
			if int(op) > len(t.lengths) {
				return
			}
			for range t.lengths[op-1] {
				b.leb(false)
			}
		}
	}
}
