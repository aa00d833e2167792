package driver

import (
	"debug/dwarf"
	"path"
	"slices"

	"example.org/crosslane/api"
)

// inlined returns the lines at an address.
//
//	Input      An address of an object with DWARF.
//	Output     One frame for the instruction and one for each call that was inlined around it, the innermost first. The last
//	           frame, which is the function that holds the code, has no name. Nothing if the line is not known.
//	Invariant  A frame has the line of the call that the frame before it is.
//	Example    main calls f, and f, which is inlined, calls cudaMalloc: f at the line of cudaMalloc, then the line of f in main.
func (o *object) inlined(addr uint64) (list []api.Frame) {
	// Damaged debugging information must not end the server.
	defer func() {
		if recover() != nil {
			list = nil
		}
	}()
	if o.lines == nil {
		return nil
	}
	r := o.lines.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil
	}
	lines, err := o.lines.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	file, line := lineAt(lines, addr)
	if line == 0 {
		return nil
	}
	folder, _ := unit.Val(dwarf.AttrCompDir).(string)
	list = []api.Frame{{File: inFolder(folder, file), Line: line}}
	files := lines.Files()
	for _, call := range o.calls(r, addr) {
		list[len(list)-1].Func = o.nameOf(call)
		n, _ := call.Val(dwarf.AttrCallLine).(int64)
		i, _ := call.Val(dwarf.AttrCallFile).(int64)
		if n <= 0 || i < 0 || int(i) >= len(files) || files[i] == nil {
			return list[:1]
		}
		list = append(list, api.Frame{File: inFolder(folder, files[i].Name), Line: int(n)})
	}
	return list
}

// inFolder returns the path of a file: its name in the folder in which the unit was compiled, if the name is relative. clang
// writes relative names for the headers beside a source.
func inFolder(folder, name string) string {
	if path.IsAbs(name) || folder == "" {
		return name
	}
	return path.Join(folder, name)
}

// lineAt returns the line at an address. LineReader.SeekPC wants the sequences in the order of their addresses; compilers put
// main into the first section, and its sequence comes later.
func lineAt(r *dwarf.LineReader, addr uint64) (file string, line int) {
	for e, next := (dwarf.LineEntry{EndSequence: true}), (dwarf.LineEntry{}); r.Next(&next) == nil; e = next {
		if !e.EndSequence && e.File != nil && e.Address <= addr && addr < next.Address {
			return e.File.Name, e.Line
		}
	}
	return "", 0
}

// calls returns the inlined calls around an address in the unit at which r is, the innermost first.
func (o *object) calls(r *dwarf.Reader, addr uint64) (list []*dwarf.Entry) {
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			break
		}
		switch e.Tag {
		case dwarf.TagSubprogram, dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			ranges, err := o.lines.Ranges(e)
			holds := err == nil && slices.ContainsFunc(ranges, func(x [2]uint64) bool { return x[0] <= addr && addr < x[1] })
			if holds && e.Tag == dwarf.TagInlinedSubroutine {
				list = append(list, e)
			}
			if !holds {
				r.SkipChildren()
			}
		case dwarf.TagNamespace: // functions may be inside
		default:
			r.SkipChildren()
		}
	}
	slices.Reverse(list)
	return list
}

// maxOrigins bounds how many entries nameOf follows.
const maxOrigins = 4

// nameOf returns the name of the function that an entry stands for; "" if there is none.
func (o *object) nameOf(e *dwarf.Entry) string {
	for range maxOrigins {
		for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, dwarf.AttrName} {
			if name, ok := e.Val(a).(string); ok {
				return name
			}
		}
		at, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if at, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		r := o.lines.Reader()
		r.Seek(at)
		var err error
		if e, err = r.Next(); err != nil || e == nil {
			return ""
		}
	}
	return ""
}
