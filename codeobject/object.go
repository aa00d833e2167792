package codeobject

import (
	"slices"
	"sort"

	"example.org/crosslane/diag"
)

// The codes of this package's diagnostics.
const (
	// CodeMalformed is a file that is not a well-formed code object. Class Input.
	CodeMalformed = "bad-code-object"
	// CodeUnsupported is a well-formed code object with a feature that Crosslane lacks; the message
	// names it. Class Unsupported.
	CodeUnsupported = "unsupported-code-object"
	// CodeMetadata is code-object metadata that does not parse or validate. Class Input.
	CodeMetadata = "bad-metadata"
)

// An Object is a loaded code object. All addresses are relative to the base at which the object is
// placed.
type Object struct {
	Name        string // the file's name, as given to Load
	Version     int    // code object version, 2 to 6
	Target      string // the processor
	Relocatable bool   // it was linked from an ET_REL file

	Kernels  []Kernel  // by descriptor address, which is source order
	Meta     *Metadata // nil if the file has no metadata note
	Segments []Segment // by address; they do not overlap
	Sections []Section // in file order, without the null section
	Symbols  []Symbol  // in file order
	Relocs   []Reloc   // words that change when the object is placed at a base

	flags uint32 // e_flags
	notes []byte // in version 2
}

// A Kernel is one kernel of a code object.
type Kernel struct {
	Name           string // without ".kd"
	Symbol         string // the descriptor's symbol: Name + ".kd"; Name in version 2
	DescriptorAddr uint64 // in version 2, address of the amd_kernel_code_t
	Descriptor     Descriptor
	Code           *KernelCode // in version 2, the source of the descriptor
	Entry          uint64      // address of the first instruction
	CodeSize       uint64      // bytes, from the function's symbol; 0 if unknown
	Meta           *KernelMeta // nil if the metadata does not describe the kernel
}

// A Segment is a range of memory that the file fills. The bytes after Data, up to Size, are zero.
type Segment struct {
	Addr, Size        uint64
	Data              []byte // len(Data) <= Size; shares memory with the input
	Read, Write, Exec bool
	fileOff           int64
}

// A Section is one section of the file.
type Section struct {
	Name    string
	Index   int    // ELF section index
	Addr    uint64 // 0 if the section is not in memory
	Align   uint64
	Size    uint64
	EntSize uint64
	Type    uint32 // SHT_*
	Flags   uint64 // SHF_*
	Data    []byte // nil for SHT_NOBITS; shares memory with the input
	Offset  int64  // in the file
	Link    uint32
	Info    uint32
}

// A Symbol is one symbol of the file's symbol table.
type Symbol struct {
	Name     string
	Addr     uint64 // the value of an absolute symbol
	Size     uint64
	Bind     uint8 // STB_*: 0 local, 1 global, 2 weak
	Type     uint8 // STT_*: 0 none, 1 object, 2 function, 3 section, 4 file
	Vis      uint8 // STV_*: 0 default, 1 internal, 2 hidden, 3 protected
	Section  int   // ELF section index; 0 undefined
	Absolute bool  // SHN_ABS
	nameAt   uint32
}

// Defined reports whether the symbol is defined in this file.
func (s *Symbol) Defined() bool { return s.Section != 0 || s.Absolute }

// A Reloc is a word whose value depends on the base address.
type Reloc struct {
	Addr  uint64
	Kind  RelocKind
	Value uint64 // the base is added to it
	// Symbol is the name through which the file finds Value. A linker of several objects could find
	// the name in another object. It is "" if Value is an address in this file.
	Symbol string
}

// Kernel returns the kernel of that name, or nil.
func (o *Object) Kernel(name string) *Kernel {
	for i := range o.Kernels {
		if o.Kernels[i].Name == name {
			return &o.Kernels[i]
		}
	}
	return nil
}

// Section returns the first section of that name, or nil.
func (o *Object) Section(name string) *Section {
	for i := range o.Sections {
		if o.Sections[i].Name == name {
			return &o.Sections[i]
		}
	}
	return nil
}

// Text returns the executable bytes and their address: those of section .text, or those of the
// first executable segment if the file has no section headers.
func (o *Object) Text() (addr uint64, data []byte) {
	if s := o.Section(".text"); s != nil {
		return s.Addr, s.Data
	}
	for _, s := range o.Segments {
		if s.Exec {
			return s.Addr, s.Data
		}
	}
	return 0, nil
}

// Code returns the executable bytes around an address, with their address: those of Text, or, if
// other sections hold code too, those of the segment that holds the address.
func (o *Object) Code(entry uint64) (addr uint64, data []byte) {
	addr, data = o.Text()
	only := entry >= addr && entry-addr < uint64(len(data))
	for i := range o.Sections {
		s := &o.Sections[i]
		only = only && (s.Name == ".text" || s.Flags&shfExecInst == 0 || s.Size == 0)
	}
	if i := find(o.Segments, entry); !only && i >= 0 && o.Segments[i].Exec {
		return o.Segments[i].Addr, o.Segments[i].Data
	}
	return addr, data
}

// Size returns the number of bytes from address 0 to the end of the last segment.
func (o *Object) Size() uint64 {
	if n := len(o.Segments); n > 0 {
		return o.Segments[n-1].Addr + o.Segments[n-1].Size
	}
	return 0
}

// find returns the index of the segment that holds the address, or -1.
func find(segs []Segment, addr uint64) int {
	i := sort.Search(len(segs), func(i int) bool { return segs[i].Addr > addr }) - 1
	if i >= 0 && addr-segs[i].Addr < segs[i].Size {
		return i
	}
	return -1
}

// Bytes returns n bytes of the file at addr, or nil if the file does not fill all of them. They are
// not relocated.
func (o *Object) Bytes(addr, n uint64) []byte {
	i := find(o.Segments, addr)
	if i < 0 {
		return nil
	}
	off, data := addr-o.Segments[i].Addr, o.Segments[i].Data
	if off > uint64(len(data)) || n > uint64(len(data))-off {
		return nil
	}
	return data[off:][:n:n]
}

// Place returns the segments as they are in memory when the object is placed at base: at their
// final addresses, relocated. The data are copies.
func (o *Object) Loaded(base uint64) []Segment {
	out := slices.Clone(o.Segments)
	for i := range out {
		out[i].Data = slices.Clone(out[i].Data)
	}
	for _, r := range o.Relocs {
		if i := find(out, r.Addr); i >= 0 {
			r.Kind.put(out[i].Data[r.Addr-out[i].Addr:], r.Value+base)
		}
	}
	for i := range out {
		out[i].Addr += base
	}
	return out
}

// Load reads a code object. A relocatable file is linked first, as by Link. name is used in
// diagnostics. The object shares memory with data, which must not change afterwards.
func Load(data []byte, name string) (*Object, error) {
	f := &file{data: data, name: name}
	if d := f.parse(); d != nil {
		return nil, d
	}
	if f.rel {
		linked, err := f.linkDebug()
		if err != nil {
			return nil, err
		}
		o, err := Load(linked, name)
		if err != nil {
			return nil, err
		}
		o.Relocatable = true
		return o, nil
	}
	o := &Object{Name: name, Version: f.version, Target: Target, flags: f.u32(48)}
	for _, step := range []func(*Object) *diag.Diagnostic{f.loadSegments, f.metadata, f.kernels} {
		if d := step(o); d != nil {
			return nil, d
		}
	}
	return o, nil
}

// IsELF reports whether data begins like an ELF file.
func IsELF(data []byte) bool {
	return len(data) >= 4 && string(data[:4]) == "\x7fELF"
}
