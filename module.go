package crosslane

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
)

// A Module is a loaded file: PTX text, GCN3 assembly, a GCN3 code object, or a container of them. It
// is safe for concurrent use.
type Module struct {
	s       *session.Module
	kernels []*Kernel
}

func module(s *session.Module, err error) (*Module, error) {
	if err != nil {
		return nil, err
	}
	return &Module{s, kernels(s.Kernels())}, nil
}

func kernels(list []*session.Kernel) []*Kernel {
	out := make([]*Kernel, len(list))
	for i, k := range list {
		out[i] = (*Kernel)(k)
	}
	return out
}

// LoadFile loads a file; see Load. Files that GCN3 assembly includes are looked for in its folder.
func LoadFile(path string) (*Module, error) { return module(session.LoadFile(path)) }

// Load loads a file's contents. The kind is detected from the content: an ELF file is a GCN3 code
// object; a clang offload bundle holds code objects for several processors, and those for gfx803
// are loaded; text with .version and .target directives is PTX; other text is GCN3 assembly. Of an
// NVIDIA fat binary, and of a host's program or library that holds some, the PTX is loaded: in each
// fat binary that with the largest SM number (see LoadOptions). Each fat binary is a module of its
// own, whose name in diagnostics is FILE#2.sm_80.ptx. file is the name in diagnostics. The error is a diag.List of class Input (the file does not parse or
// validate) or Unsupported.
func Load(data []byte, file string, isa ISA) (*Module, error) {
	return module(session.Load(data, file, isa))
}

// LoadWith is Load with options.
func LoadWith(data []byte, file string, o LoadOptions) (*Module, error) {
	return module(session.LoadWith(data, file, o))
}

// A LinkFile is one module of PTX for Link: File is its name in diagnostics, Text its text.
type LinkFile = session.LinkPart

// Link joins modules of PTX that were compiled one by one, as a linker does, and loads the result:
// ptx.Link has the rules. Diagnostics, findings and profiles name the file and the line of the module
// that they are about. File of the Module is the first file. Kernels and variables keep their names;
// if several modules have a variable of a name without linkage, it is called name$2 in the second
// module. The errors are those of Load and of ptx.Link. Link with one file is Load.
func Link(files ...LinkFile) (*Module, error) { return module(session.Link(files)) }

// IncludeFrom makes an Include that looks for relative names in the folders, in their order. It
// reads only regular files, because these end.
func IncludeFrom(folders ...string) func(name string) ([]byte, error) {
	return session.IncludeFrom(folders...)
}

// DetectISA returns PTX or GCN3 by a beginning that only one of them has; Auto if there is none.
func DetectISA(data []byte) ISA { return session.Detect(data) }

// ISA returns the module's instruction set.
func (m *Module) ISA() ISA { return m.s.ISA() }

// File returns the name under which the module was loaded.
func (m *Module) File() string { return m.s.File() }

// Warnings returns the remarks of loading, none of which is an error.
func (m *Module) Warnings() diag.List { return m.s.Warnings() }

// Kernels returns the kernels in the order of the file.
func (m *Module) Kernels() []*Kernel { return m.kernels }

// Kernel returns a kernel by its Selector, by its name, mangled or demangled, or by a text in either
// name that only one kernel has; "" is allowed if the module has one kernel.
func (m *Module) Kernel(name string) (*Kernel, error) {
	k, err := m.s.Kernel(name)
	return (*Kernel)(k), err
}

// Functions returns the functions of a GCN3 file that no kernel calls, in the order of their
// addresses, or those of a translation unit of PTX that other units may call (LoadOptions.Unit). They
// can be checked without a launch, but not launched.
func (m *Module) Functions() []*Kernel { return kernels(m.s.Functions()) }

// CheckStatic is Kernel.CheckStatic of all kernels, in the order of the file. Kernels that cannot
// be followed have no report; the error lists all of these.
func (m *Module) CheckStatic() ([]*StaticReport, error) { return verdict.CheckStaticAll(m.s) }

// Portability reports the obstacles to moving the code to another target: a PTX target like
// "sm_90", or a chip like "gfx1030"; for the other vendor's targets, only the number of lanes.
// kernel may be "": all kernels. The error is a diag.List.
func (m *Module) Portability(kernel, target string) ([]*PortReport, error) {
	return verdict.Portability(m.s, kernel, target)
}
