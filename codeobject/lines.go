package codeobject

import (
	"encoding/binary"
	"path"
	"slices"
	"sort"
	"strings"

	"example.org/crosslane/diag"
)

// Lines maps the instructions of a code object to source lines, from its DWARF sections.
type Lines struct {
	files []string
	index map[string]int32
	rows  []lineRow    // by address
	calls []inlineCall // by depth, the innermost first
}

// A lineRow is the source line from an address on. Line 0: unknown.
type lineRow struct {
	addr uint64
	linePlace
}

type linePlace struct{ file, line, col int32 }

// An inlineCall is a range of code of a function that was inlined, with the place of the call.
type inlineCall struct {
	lo, hi uint64
	depth  int32
	linePlace
}

// Limits for debugging information. It may come from any source, and no file is refused because of
// it. Data beyond the limits is ignored.
const (
	maxDebugBytes  = 64 << 20 // bytes of one section
	maxLineRows    = 1 << 21
	maxInlineCalls = 1 << 18
	maxInlineChain = 16
	// Units share tables: the number of bytes that may be read of all tables together.
	maxDebugWork = 1 << 30
)

// Lines reads the debugging information, DWARF 2 to 5. It is nil if no part can be read; damaged
// parts are ignored.
func (o *Object) Lines() *Lines {
	sec := map[string][]byte{}
	for i := range o.Sections {
		s := &o.Sections[i]
		if name, ok := strings.CutPrefix(s.Name, ".debug_"); ok && s.Flags&shfCompressed == 0 && len(s.Data) <= maxDebugBytes {
			sec[name] = s.Data
		}
	}
	if len(sec["line"]) == 0 {
		return nil
	}
	l := &Lines{index: map[string]int32{}}
	if len(sec["info"]) > 0 {
		l.read(sec)
	}
	if len(l.rows) == 0 {
		l.readAlone(sec)
	}
	slices.SortStableFunc(l.rows, func(a, b lineRow) int {
		if a.addr != b.addr {
			if a.addr < b.addr {
				return -1
			}
			return 1
		}
		// If one sequence ends at the address at which another begins, the other counts.
		return min(int(a.line), 1) - min(int(b.line), 1)
	})
	slices.SortStableFunc(l.calls, func(a, b inlineCall) int { return int(b.depth) - int(a.depth) })
	if len(l.rows) == 0 {
		return nil
	}
	return l
}

// shfCompressed is SHF_COMPRESSED.
const shfCompressed = 0x800

// fileNumbers returns the numbers in Lines of a table's files; 0 is no file.
func (l *Lines) fileNumbers(t *lineTable, dir string) []int32 {
	var list []int32
	for _, name := range t.files {
		n := int32(0)
		if name != "" {
			n = l.file(name, dir)
		}
		list = append(list, n)
	}
	return list
}

// file returns the number of a file. A file below the compiler's directory gets the name that was
// passed to the compiler.
func (l *Lines) file(name, dir string) int32 {
	if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "" {
		name = rest
	}
	n, ok := l.index[name]
	if !ok {
		l.files = append(l.files, name)
		n = int32(len(l.files))
		l.index[name] = n
	}
	return n
}

// readRows adds the rows of a line table.
func (l *Lines) readRows(t *lineTable, files []int32) {
	t.rows(func(addr uint64, file, line, col int64, end bool) bool {
		r := lineRow{addr: addr}
		if !end && line > 0 && line < 1<<31 {
			r.linePlace = linePlace{line: int32(line), col: int32(min(max(col, 0), 1<<20))}
			if uint64(file) < uint64(len(files)) {
				r.file = files[file]
			}
		}
		// The last of several rows at one address counts.
		if n := len(l.rows); n > 0 && l.rows[n-1].addr == addr && !end {
			l.rows[n-1] = r
		} else {
			l.rows = append(l.rows, r)
		}
		return len(l.rows) < maxLineRows
	})
}

// readAlone reads line tables that no unit names. Assemblers make them from .loc.
func (l *Lines) readAlone(sec map[string][]byte) {
	line := sec["line"]
	for at := uint64(0); at+4 <= uint64(len(line)) && len(l.rows) < maxLineRows; {
		size := uint64(binary.LittleEndian.Uint32(line[at:]))
		if size >= 0xfffffff0 || size > uint64(len(line))-at-4 {
			return
		}
		if t, err := readLineTable(sec, at, ""); err == nil {
			l.readRows(t, l.fileNumbers(t, t.directory()))
		}
		at += 4 + size
	}
}

// directory returns the compiler's directory, as far as a line table alone shows it: the directory
// of its file 0 (DWARF 5, 6.2.4).
func (t *lineTable) directory() string {
	if len(t.files) == 0 {
		return ""
	}
	dir, _ := path.Split(t.files[0])
	return strings.TrimSuffix(dir, "/")
}

// At returns the source positions of the instruction at an address: its line, then the calls that
// were inlined, innermost first.
func (l *Lines) At(addr uint64) []diag.Pos {
	if l == nil {
		return nil
	}
	i := sort.Search(len(l.rows), func(i int) bool { return l.rows[i].addr > addr }) - 1
	if i < 0 || l.rows[i].line == 0 {
		return nil
	}
	list := []diag.Pos{l.pos(l.rows[i].linePlace)}
	for _, c := range l.calls {
		if c.lo <= addr && addr < c.hi && len(list) <= maxInlineChain {
			list = append(list, l.pos(c.linePlace))
		}
	}
	return list
}

func (l *Lines) pos(p linePlace) diag.Pos {
	d := diag.Pos{Line: int(p.line), Col: int(p.col)}
	if p.file > 0 {
		d.File = l.files[p.file-1]
	}
	return d
}
