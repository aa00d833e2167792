//go:build !js

package codeobject

import (
	"debug/dwarf"
	"encoding/binary"
)

// openDWARF opens the sections with the standard library, which is not robust against every damaged
// input.
func openDWARF(sec map[string][]byte) (d *dwarf.Data, err error) {
	d, err = dwarf.New(sec["abbrev"], nil, nil, sec["info"], sec["line"], nil, sec["ranges"], sec["str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if b := sec[name]; b != nil {
			if err := d.AddSection(".debug_"+name, b); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// units returns the number of units in a section. The length of a unit precedes it: 4 bytes, or
// 0xffffffff and 8 bytes (DWARF 5, 7.4).
func units(b []byte) int {
	n := 0
	for len(b) >= 4 {
		size, head := uint64(binary.LittleEndian.Uint32(b)), uint64(4)
		if size == 0xffffffff && len(b) >= 12 {
			size, head = binary.LittleEndian.Uint64(b[4:]), 12
		}
		n++
		if size > uint64(len(b))-head {
			break
		}
		b = b[head+size:]
	}
	return n
}

// read reads the lines and the inlined calls of all units.
func (l *Lines) read(sec map[string][]byte) {
	defer func() { _ = recover() }() // the parts that were read remain
	n := units(sec["info"])
	if uint64(n)*uint64(len(sec["abbrev"])) > maxDebugWork/16 || uint64(n)*uint64(len(sec["line"])) > maxDebugWork {
		return
	}
	d, err := openDWARF(sec)
	if err != nil {
		return
	}
	work := uint64(0)
	listed := uint64(max(len(sec["ranges"]), len(sec["rnglists"])))
	var files []int32 // files of the unit
	seen := map[int64]bool{}
	depth, inlined := 0, []int{} // depths of the open inlined calls
	r := d.Reader()
	for range sec["info"] { // an entry has at least one byte; in some damaged files the reader loops
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == 0 {
			depth--
			if n := len(inlined); n > 0 && inlined[n-1] >= depth {
				inlined = inlined[:n-1]
			}
			continue
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			depth, inlined, files = 0, inlined[:0], nil
			at, ok := e.Val(dwarf.AttrStmtList).(int64)
			if !ok {
				break
			}
			dir, _ := e.Val(dwarf.AttrCompDir).(string)
			t, err := readLineTable(sec, uint64(at), dir)
			if err != nil {
				break
			}
			files = l.fileNumbers(t, dir)
			if !seen[at] {
				seen[at] = true
				l.readRows(t, files)
			}
		case dwarf.TagInlinedSubroutine:
			if e.Val(dwarf.AttrRanges) != nil {
				if work += listed; work > maxDebugWork {
					break
				}
			}
			ranges, err := d.Ranges(e)
			if err != nil {
				break
			}
			p := linePlace{line: number(e.Val(dwarf.AttrCallLine)), col: number(e.Val(dwarf.AttrCallColumn))}
			if f := int(number(e.Val(dwarf.AttrCallFile))); f < len(files) {
				p.file = files[f]
			}
			for _, x := range ranges {
				if len(l.calls) < maxInlineCalls && x[0] < x[1] && p.line > 0 {
					l.calls = append(l.calls, inlineCall{x[0], x[1], int32(len(inlined)), p})
				}
			}
			if e.Children {
				inlined = append(inlined, depth)
			}
		}
		if e.Children {
			depth++
		}
	}
}

// number returns an attribute as a number of 31 bits; 0 if it is none.
func number(v any) int32 {
	if n, ok := v.(int64); ok && n > 0 && n < 1<<31 {
		return int32(n)
	}
	return 0
}
