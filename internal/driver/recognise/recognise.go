// Package recognise reads host programs before they start: which CUDA runtime a program holds, and which code for the
// device.
//
// Input: the name of a program's file.
// Output: a Program, and a diagnostic if the program cannot run on a device.
// Invariant: a program is refused only if its own file shows that it cannot run. Scripts, interpreters and programs
// without code for a device are passed, because the objects that they open decide.
// Example: a program of nvcc -gencode arch=compute_80,code=sm_80 has machine code alone and is refused.
package recognise

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
)

// A Runtime is the CUDA runtime that a program uses, as far as its file shows.
type Runtime int

// The runtimes.
const (
	None     Runtime = iota
	Shared           // a library libcudart.so, or the symbols of one
	Static           // in the program; its symbol table has the functions
	Stripped         // in the program, which has lost its symbol table
)

// A Program holds the facts of the file of a program.
type Program struct {
	File    string
	Runtime Runtime
	// Binaries are the fat binaries for NVIDIA's devices; one that cannot be read is left out.
	Binaries []*fatbin.Binary
	// HIP is the HIP library that the program needs, or "the section .hip_fatbin"; "": it is no HIP program.
	HIP string
	// bundles says why the program's own bundles hold no code for the device that runs; nil: they do, or there are none.
	bundles error
	// Other is a library of another programming model that the program needs; "": none.
	Other string
	// Alone reports that the program loads no libraries (ld -static).
	Alone bool
	// compiler is the compiler of the program's fat binaries.
	compiler compiler
}

// The sections of nvcc and clang. Each wrapper in the segment is registered with the runtime by a constructor.
const (
	segment     = ".nvFatBinSegment"
	fatSection  = ".nv_fatbin"
	relocatable = "__nv_relfatbin"
	hipSection  = ".hip_fatbin"
)

// hipLibrary is how the names of the HIP library begin.
const hipLibrary = "libamdhip64.so"

// register is the function of the runtime that takes the code of a translation unit.
const register = "__cudaRegisterFatBinary"

// others are libraries of programming models that Crosslane does not serve.
var others = []struct{ prefix, model string }{
	{"libOpenCL.so", "OpenCL"},
	{"libze_loader.so", "Level Zero"},
	{"libsycl.so", "SYCL"},
	{"libmusart.so", "MUSA"},
	{"libascendcl.so", "AscendCL"},
}

// Read reads the file of a program. The result is nil for a file that is not an ELF program of this machine's kind: a
// script, for example. The error is that of reading the file.
func Read(file string) (*Program, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := program(f)
	if e == nil {
		return nil, nil
	}
	p := &Program{File: file, Alone: !slices.ContainsFunc(e.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_INTERP })}
	p.needs(e)
	if s := e.Section(hipSection); s != nil {
		p.HIP = cmp.Or(p.HIP, "the section "+hipSection)
		if data, err := s.Data(); err == nil {
			_, p.bundles = codeobject.Unbundle(data, file)
		}
	}
	left := int64(math.MaxInt64)
	for _, name := range []string{fatSection, relocatable} {
		p.code(e, name, &left)
	}
	p.compiler = compilerOf(e)
	if p.Runtime == None && e.Section(segment) != nil {
		p.Runtime = runtimeOf(e)
	}
	return p, nil
}

// needs notes the libraries of programming models that an object needs.
func (p *Program) needs(e *elf.File) {
	needed, _ := e.ImportedLibraries() // a damaged list is the dynamic linker's affair
	for _, l := range needed {
		switch {
		case strings.HasPrefix(l, "libcudart.so"):
			p.Runtime = Shared
		case strings.HasPrefix(l, hipLibrary):
			p.HIP = l
		}
		for _, o := range others {
			if strings.HasPrefix(l, o.prefix) {
				p.Other = o.model + " (" + l + ")"
			}
		}
	}
}

// NoBundle returns an error if the program is a HIP program, amd says that the device is one of AMD's, and the program's
// bundles hold code for other devices only. The error names these. Bundles that cannot be read are reported when they are
// loaded.
func (p *Program) NoBundle(amd bool) error {
	for _, d := range diag.Of(p.bundles) {
		if amd && d.Code == codeobject.CodeNoTarget {
			return diag.List{d}
		}
	}
	return nil
}

// A compiler made the code for GPUs in a program.
type compiler int

const (
	nvcc compiler = iota
	clang
	either // clang compiled the host's code, but perhaps for nvcc
)

// compilerOf tells the compiler by the note that clang leaves in the file, and by the function that clang makes to register
// code. nvcc can use clang for the host's code; then the function is not there, as in a program without symbols.
func compilerOf(e *elf.File) compiler {
	s := e.Section(".comment")
	if s == nil || s.Size > maxComment {
		return nvcc
	}
	note, err := s.Data()
	if err != nil || !bytes.Contains(note, []byte("clang version")) {
		return nvcc
	}
	symbols, _ := e.Symbols() // none: it is not known
	if slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "__cuda_module_ctor" }) {
		return clang
	}
	return either
}

// maxComment is the greatest size of the compilers' notes that are read, in bytes.
const maxComment = 1 << 20

// runtimeOf tells the runtime of a program that registers code, and needs no library of that runtime by name.
func runtimeOf(e *elf.File) Runtime {
	if dynamic, err := e.DynamicSymbols(); err == nil {
		for _, s := range dynamic {
			if s.Name == register && s.Section == elf.SHN_UNDEF {
				return Shared // of another library
			}
		}
	}
	symbols, err := e.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return None // nothing is known
	}
	for _, s := range symbols {
		if s.Name == register && s.Section != elf.SHN_UNDEF {
			return Static
		}
	}
	return Stripped
}

// Refusal returns why the program cannot run on a device; nil: it may run. sm is the number of the device, 80 for sm_80,
// and 0 for a device that is not NVIDIA's. Known are the numbers of the devices that there are.
func (p *Program) Refusal(sm int, known []int) *diag.Diagnostic {
	refuse := func(code, remedy, format string, args ...any) *diag.Diagnostic {
		d := diag.Errorf(diag.Pos{File: p.File}, diag.Unsupported, code, format, args...)
		d.Remedy = remedy
		return d
	}
	switch cuda := len(p.Binaries) > 0; {
	case p.Alone && (cuda || p.Runtime != None):
		return refuse("unsupported", "link it without -static", "the program loads no libraries, so it cannot find the driver library")
	case p.HIP != "" && !cuda && sm != 0:
		return refuse("unsupported", "give an AMD device: --device gfx803", "this is a HIP program (%s), and the device is sm_%d", p.HIP, sm)
	case p.Runtime == Stripped:
		return refuse("unsupported", "link it with nvcc -cudart shared, or keep its symbols: do not use strip, nor -s",
			"the program holds the CUDA runtime without its symbols, and that runtime works with NVIDIA's driver only")
	case !cuda || sm == 0:
		return nil
	}
	return p.lacks(sm, known, refuse)
}

// lacks returns a refusal if no fat binary has code that the device can run. A program runs if one has: the driver library
// names the others when they are loaded.
func (p *Program) lacks(sm int, known []int, refuse func(code, remedy, format string, args ...any) *diag.Diagnostic) *diag.Diagnostic {
	var text, machine []*fatbin.Entry
	for _, b := range p.Binaries {
		for _, e := range b.Entries {
			switch e.Kind {
			case fatbin.PTX:
				text = append(text, e)
			case fatbin.Cubin:
				machine = append(machine, e)
			}
		}
	}
	bySM := func(x, y *fatbin.Entry) int { return cmp.Compare(x.SM, y.SM) }
	switch {
	case len(text) == 0 && len(machine) == 0:
		return nil // LTO code, which the driver library names
	case len(text) == 0:
		lowest := slices.MinFunc(machine, bySM).SM
		return refuse(fatbin.CodeNoPTX, "it was built without PTX: add "+p.flag(lowest),
			"the program has machine code for %s and no PTX", numbers(machine))
	}
	if slices.ContainsFunc(text, func(e *fatbin.Entry) bool { return e.SM <= sm }) {
		return nil
	}
	lowest := slices.MinFunc(text, bySM).SM
	remedy := "compile it for the device: add " + p.flag(sm)
	if slices.Contains(known, lowest) {
		remedy = fmt.Sprintf("run it on a newer device: --device sm_%d", lowest)
	}
	return refuse(fatbin.CodeNoPTX, remedy, "the program has PTX for %s, which a device sm_%d does not run", numbers(text), sm)
}

// flag is the flag of the program's compiler that adds PTX for sm_80 and so on.
func (p *Program) flag(sm int) string {
	switch p.compiler {
	case clang:
		return fatbin.FlagClang(sm) + " to the flags of clang"
	case either:
		return fatbin.FlagNVCC(sm) + " to the flags of nvcc, or " + fatbin.FlagClang(sm) + " to those of clang"
	}
	return fatbin.FlagNVCC(sm) + " to the flags of nvcc"
}

// numbers lists the architectures of entries: "sm_75 and sm_80".
func numbers(list []*fatbin.Entry) string {
	var all []int
	for _, e := range list {
		all = append(all, e.SM)
	}
	slices.Sort(all)
	var names []string
	for _, n := range slices.Compact(all) {
		names = append(names, fmt.Sprintf("sm_%d", n))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}
