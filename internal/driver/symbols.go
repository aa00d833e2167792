package driver

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path"
	"regexp"
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

// object holds the facts about a file.
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

// started are the functions that call a program's first one.
var started = []string{"__libc_start_main", "__libc_start_call_main", "_start", "start_thread", "clone", "clone3", "__clone", "__clone3"}

// nvcc makes two functions of the host for a kernel: its stub, which launches it, and one with the kernel's name, which calls
// the stub. The name of the stub holds the mark and then the mangled name of the kernel. A helper in nvcc's headers launches.
const stubMark, stubHelper = "__device_stub_", "__cudaLaunchKernel_helper"

// isMade reports whether a function is one that nvcc has made for a launch; stubbed is the kernel's name if the frame before
// was a stub.
func isMade(name, stubbed string) bool {
	return strings.Contains(name, stubMark) || strings.Contains(name, stubHelper) ||
		name != "" && (strings.HasPrefix(stubbed, name) || strings.HasPrefix(stubbed, "_"+name))
}

// isStub reports whether an inlined function is the stub that clang makes for a kernel. Debugging information names it as the
// kernel; the symbol of the stub that is not inlined has the mark and the name: _Z18__device_stub__addPii.
func (o *object) isStub(name string) bool {
	name, _, _ = strings.Cut(name, "<")
	if o == nil || name == "" {
		return false
	}
	name = stubMark + "_" + name
	mangled := fmt.Sprint(len(name), name)
	return slices.ContainsFunc(o.functions, func(s elf.Symbol) bool {
		return s.Name == name || strings.HasPrefix(s.Name, "_Z") && strings.Contains(s.Name, mangled)
	})
}

// wrapperHeaders have C++ functions that do no more than call the function of the runtime with the same name: cudaMalloc<int>.
var wrapperHeaders = []string{"cuda_runtime.h", "hip_runtime_api.h", "hip_runtime.h"}

// wrapperName is the mangled name of the function, without lines.
var wrapperName = regexp.MustCompile(`^_ZL?\d+(cuda|hip)[A-Z]\w*I`)

// isWrapper reports whether a frame is one of a wrapper in a header of the runtime.
func isWrapper(f *api.Frame) bool {
	if f.Line > 0 {
		return slices.Contains(wrapperHeaders, path.Base(f.File))
	}
	return wrapperName.MatchString(f.Func)
}

// frames resolves calls, the innermost first. Those of the C library that start a program or a thread are left out, those
// that compilers make for a launch, and the innermost ones that are wrappers in headers of the runtime.
func (s *symbols) frames(list []codeAddress) (out []api.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stubbed := ""
	for _, a := range list {
		base := a.file[strings.LastIndexByte(a.file, '/')+1:]
		list := s.at(a)
		for i, f := range list {
			f.Func, _, _ = strings.Cut(f.Func, "@")
			made := isMade(f.Func, stubbed) || len(out) == 0 && (isWrapper(&f) || i < len(list)-1 && s.files[a.file].isStub(f.Func))
			_, stubbed, _ = strings.Cut(f.Func, stubMark)
			if made || slices.Contains(started, f.Func) || f.Func == "?" && strings.HasPrefix(base, "libc.so") {
				continue
			}
			out = append(out, f)
		}
	}
	return out
}

// at resolves one address: more than one frame if calls were inlined there.
func (s *symbols) at(a codeAddress) []api.Frame {
	f := api.Frame{File: a.file, Func: cmp.Or(a.name, "?")}
	o := s.object(a.file)
	if o == nil {
		return []api.Frame{f}
	}
	addr := o.base + a.off
	f.Func = cmp.Or(o.function(addr), f.Func)
	list := o.inlined(addr)
	if len(list) == 0 {
		return []api.Frame{f}
	}
	list[len(list)-1].Func = f.Func
	return list
}
