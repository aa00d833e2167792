package driver

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"os"
	"slices"
	"strings"
	"sync"

	"example.org/crosslane/api"
)

// Calls of compiled code come as offsets in files. They are resolved when a finding shows them: functions by the symbol
// table, lines by DWARF.

// A codeAddress is a place in an ELF file: off bytes behind the first byte of the file that is loaded.
type codeAddress struct {
	file string
	off  uint64
	name string // of the exported symbol before it, or ""
}

// symbols resolves addresses. Files are read once.
type symbols struct {
	mu    sync.Mutex
	files map[string]*object
}

// object is what is known of a file.
type object struct {
	base      uint64 // the address for which the first loaded byte is linked
	functions []elf.Symbol
	lines     *dwarf.Data // nil: there are none
}

// maxDebug is the greatest size of a file that is read for lines and symbols, in bytes.
const maxDebug = 512 << 20

// maxSymbolFiles bounds how many files are kept.
const maxSymbolFiles = 256

// object reads a file; nil: it cannot be read.
func (s *symbols) object(file string) *object {
	if o, known := s.files[file]; known {
		return o
	}
	if s.files == nil || len(s.files) >= maxSymbolFiles {
		s.files = map[string]*object{}
	}
	o := readObject(file)
	s.files[file] = o
	return o
}

// readObject reads the symbols of a file.
func readObject(file string) (o *object) {
	// A damaged file has no symbols; it must not end the server.
	defer func() {
		if recover() != nil {
			o = nil
		}
	}()
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() || st.Size() > maxDebug {
		return nil
	}
	f, err := elf.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	o = &object{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			o.base = p.Vaddr &^ (max(p.Align, 1) - 1)
			break
		}
	}
	list, err := f.Symbols()
	if err != nil {
		list, _ = f.DynamicSymbols()
	}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			o.functions = append(o.functions, s)
		}
	}
	slices.SortStableFunc(o.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	if f.Section(".debug_line") != nil {
		o.lines, _ = f.DWARF()
	}
	return o
}

// function is the name of the function at an address; "" if it is not known.
func (o *object) function(addr uint64) string {
	i, _ := slices.BinarySearchFunc(o.functions, addr+1, func(s elf.Symbol, t uint64) int { return cmp.Compare(s.Value, t) })
	if i == 0 {
		return ""
	}
	f := &o.functions[i-1]
	if f.Size > 0 && addr-f.Value >= f.Size {
		return ""
	}
	return f.Name
}

// line is the line at an address.
func (o *object) line(addr uint64) (file string, line int) {
	defer func() {
		if recover() != nil {
			file, line = "", 0
		}
	}()
	if o.lines == nil {
		return "", 0
	}
	unit, err := o.lines.Reader().SeekPC(addr)
	if err != nil {
		return "", 0
	}
	r, err := o.lines.LineReader(unit)
	if err != nil || r == nil {
		return "", 0
	}
	var e dwarf.LineEntry
	if err := r.SeekPC(addr, &e); err != nil || e.File == nil {
		return "", 0
	}
	return e.File.Name, e.Line
}

// started are the functions that call a program's first one.
var started = []string{"__libc_start_main", "__libc_start_call_main", "_start", "start_thread", "clone", "clone3", "__clone", "__clone3"}

// frames resolves calls, the innermost first. Those of the C library that start a program or a thread are left out.
func (s *symbols) frames(list []codeAddress) (out []api.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range list {
		f := api.Frame{File: a.file, Func: cmp.Or(a.name, "?")}
		if o := s.object(a.file); o != nil {
			addr := o.base + a.off
			if name := o.function(addr); name != "" {
				f.Func = name
			}
			if file, line := o.line(addr); line > 0 {
				f.File, f.Line = file, line
			}
		}
		name, _, _ := strings.Cut(f.Func, "@")
		base := a.file[strings.LastIndexByte(a.file, '/')+1:]
		if slices.Contains(started, name) || f.Func == "?" && strings.HasPrefix(base, "libc.so") {
			continue
		}
		f.Func = name
		out = append(out, f)
	}
	return out
}
