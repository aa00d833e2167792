package extract

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
)

// A section of a host's file that may hold code for GPUs.
type section struct {
	name      string
	off, size int64
}

// bundleSection is how the names of sections begin that hold one entry of a bundle each.
const bundleSection = "__CLANG_OFFLOAD_BUNDLE__"

// elf is a program, library or object for a processor.
func (q *search) elf(s source, _ []byte) error {
	f, err := elf.NewFile(s.r)
	if err != nil {
		return q.problem(s, "", s.bad(0, "the ELF file is damaged: %v", err))
	}
	var list []section
	for _, x := range f.Sections {
		if x.Type != elf.SHT_NOBITS {
			list = append(list, section{x.Name, int64(x.Offset), int64(x.FileSize)})
		}
	}
	return q.sections(s, list)
}

// pe is a program, library or object for Windows. Names of sections have eight characters.
func (q *search) pe(s source, _ []byte) error {
	f, err := pe.NewFile(s.r)
	if err != nil {
		return nil // a program of DOS, or a text
	}
	var list []section
	for _, x := range f.Sections {
		list = append(list, section{x.Name, int64(x.Offset), int64(x.Size)})
	}
	return q.sections(s, list)
}

// sections searches the sections of a host's file: first the fat binaries that are ready to load,
// then those that a linker is to join, as Load numbers them.
func (q *search) sections(s source, list []section) error {
	var total int64
	units, bundles, packages := 0, 0, 0
	rdc := s
	rdc.rdc = true
	for _, kind := range []struct {
		names  []string
		search func(x section) error
	}{
		{[]string{".nv_fatbin", ".nv_fatb"}, func(x section) error { return q.fatBinaries(s, x.off, x.size, &units) }},
		{[]string{"__nv_relfatbin", "__nv_rel"}, func(x section) error { return q.fatBinaries(rdc, x.off, x.size, &units) }},
		{[]string{".hip_fatbin", ".hip_fat"}, func(x section) error { return q.bundles(s, x.off, x.size, &bundles) }},
		{[]string{".llvm.offloading", ".llvm.of"}, func(x section) error { return q.packages(rdc, x.off, x.size, &packages) }},
	} {
		for _, x := range list {
			if x.name != kind.names[0] && x.name != kind.names[1] {
				continue
			}
			if total += x.size; x.off < 0 || x.size < 0 || total < 0 || total > s.size || x.off > s.size-x.size {
				return q.problem(s, "", s.bad(0, "section %s has %d bytes at %#x, which the file of %d bytes does not have, or sections overlap", x.name, x.size, x.off, s.size))
			}
			if err := kind.search(x); err != nil {
				return err
			}
		}
	}
	for _, x := range list {
		id, ok := strings.CutPrefix(x.name, bundleSection)
		if !ok || x.size <= 1 || strings.HasPrefix(id, "host-") { // the host's section is a placeholder
			continue
		}
		if total += x.size; x.off < 0 || x.size < 0 || total < 0 || total > s.size || x.off > s.size-x.size {
			return q.problem(s, "", s.bad(0, "section %.80s has %d bytes, which the file of %d bytes does not have, or sections overlap", x.name, x.size, s.size))
		}
		bundles++
		data, d := s.read(x.off, x.size, maxPiece, "the section")
		if d != nil {
			if err := q.problem(s, "", d); err != nil {
				return err
			}
			continue
		}
		if err := q.image(s, fmt.Sprintf("#%d", bundles), bundleTarget(id), data, &Item{Stored: x.size}); err != nil {
			return err
		}
	}
	return nil
}

// bundles searches clang's bundles, which follow each other.
func (q *search) bundles(s source, off, size int64, n *int) error {
	data, d := s.read(off, size, maxPiece, "the bundle")
	if d != nil {
		return q.problem(s, "", d)
	}
	list, err := codeobject.BundleEntries(data, s.name)
	if err != nil {
		return q.problem(s, "", diag.Of(err)[0])
	}
	for _, e := range list {
		*n++
		i := &Item{Stored: int64(len(e.Data))}
		if e.Off < 0 {
			i.Compression, i.Stored = "bundle", 0
		}
		if err := q.image(s, fmt.Sprintf("#%d", *n), bundleTarget(e.ID), e.Data, i); err != nil {
			return err
		}
	}
	return nil
}

// bundleTarget is the target of a bundle's entry: gfx90a:xnack+ of hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+.
func bundleTarget(id string) string {
	for _, mark := range []string{"-gfx", "-sm_"} {
		if i := strings.LastIndex(id, mark); i >= 0 {
			return id[i+1:]
		}
	}
	return ""
}

// image is a piece of code that a container for several compilers holds. target is what the container
// says.
func (q *search) image(s source, entry, target string, data []byte, i *Item) error {
	i.File, i.Entry, i.Size, i.Target, i.Linked = s.name, entry, int64(len(data)), target, s.linked()
	end := ".bin"
	switch {
	case bytes.HasPrefix(data, []byte("BC\xc0\xde")), bytes.HasPrefix(data, []byte("\xde\xc0\x17\x0b")):
		i.Kind, end = Bitcode, ".bc"
	case codeobject.IsELF(data) && len(data) >= elfHead && elf.Machine(binary.LittleEndian.Uint16(data[18:])) == elf.EM_AMDGPU:
		amdFacts(i, data)
		end = ".hsaco"
	case codeobject.IsELF(data) && len(data) >= elfHead && elf.Machine(binary.LittleEndian.Uint16(data[18:])) == machineCUDA:
		data = cubinFacts(i, data)
		if end = ".cubin"; i.Kind == PTX {
			end = ".ptx"
		}
	case isPTX(data[:min(len(data), headBytes)]):
		i.Kind, end = PTX, ".ptx"
		ptxFacts(i, data)
	default:
		i.Kind = Other
	}
	of := i.Target
	if of == "" {
		of = string(i.Kind)
	}
	i.Name = baseName(fmt.Sprintf("%s%s.%s%s", s.base, entry, of, end))
	return q.visit(i, data)
}

// amdFacts describes a code object.
func amdFacts(i *Item, data []byte) {
	i.Kind = Object
	if t, _ := codeobject.Processor(data); t != "" {
		i.Target = t
	}
	elfFacts(i, data, amdKernel)
}

// cubinFacts describes a cubin. It returns the contents: the PTX, if the file holds PTX in place of
// machine code.
func cubinFacts(i *Item, data []byte) []byte {
	i.Kind, i.Target = Cubin, cubinTarget(data)
	if text, ok := fatbin.ImageText(data); ok {
		i.Kind, i.Target = PTX, ""
		ptxFacts(i, text)
		return text
	}
	elfFacts(i, data, cudaKernel)
	return data
}

// codeObject is a file of machine code for an AMD GPU.
func (q *search) codeObject(s source, _ []byte) error {
	data, d := s.read(0, s.size, maxPiece, "the code object")
	if d != nil {
		return q.problem(s, "", d)
	}
	i := &Item{File: s.name, Size: s.size, Stored: s.size, Name: s.base}
	amdFacts(i, data)
	return q.visit(i, data)
}

// cubin is a file of machine code for an NVIDIA GPU.
func (q *search) cubin(s source, _ []byte) error {
	data, d := s.read(0, s.size, maxPiece, "the cubin")
	if d != nil {
		return q.problem(s, "", d)
	}
	i := &Item{File: s.name, Stored: s.size, Name: s.base}
	data = cubinFacts(i, data)
	if i.Size = int64(len(data)); i.Kind == PTX {
		i.Name += ".ptx"
	}
	return q.visit(i, data)
}
