package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
)

// The sections of a host's ELF file that hold fat binaries. nvcc puts the code of a translation unit
// in the second one if it is to be linked with that of other units (nvcc -rdc=true).
const (
	fatSection         = ".nv_fatbin"
	relocatableSection = "__nv_relfatbin"
)

// IsFat reports whether data is an NVIDIA fat binary, or a host's program or library that holds some.
func IsFat(data []byte) bool {
	return fatbin.Is(data) || len(codeobject.HostSections(data, fatSection, relocatableSection)) > 0
}

// A fatText is the PTX of one fat binary.
type fatText struct {
	name   string // in diagnostics; lines count in text
	unit   string // #2 for the second fat binary of the file
	text   []byte
	linked bool // the module is to be linked with the other such modules
}

// fatFile is a file of fat binaries while it is loaded.
type fatFile struct {
	file   string
	o      api.LoadOptions
	list   []*fatbin.Binary
	linked int   // the index in list of the first binary whose code is to be linked
	absent error // the error of the binary without PTX that has the highest rank
	rank   int   // the rank of that binary; see codeRank
	left   []string
}

// loadFat loads the PTX of fat binaries. Each binary is one translation unit: its kernels do not see
// the variables of other units, so each becomes a module of its own. Units that were compiled to be
// linked (nvcc -rdc=true) become one module, as if nvlink had linked them. A file with several
// modules becomes a Module with the kernels of all.
func loadFat(data []byte, file string, o api.LoadOptions) (*Module, error) {
	f := &fatFile{file: file, o: o}
	texts, err := f.texts(data)
	if err != nil {
		return nil, err
	}
	var modules []*Module
	for len(texts) > 0 {
		n := 1
		if texts[0].linked {
			n = len(texts) // they are the last ones
		}
		m, err := Link(linkInput(texts[:n]))
		if err != nil {
			return nil, err
		}
		m.unit = texts[0].unit
		modules, texts = append(modules, m), texts[n:]
	}
	return f.join(modules), nil
}

// linkInput makes texts the input of a linker.
func linkInput(texts []fatText) (list []LinkPart) {
	for _, t := range texts {
		list = append(list, LinkPart{File: t.name, Text: string(t.text)})
	}
	return list
}

// FatPTX is crosslane.FatPTX.
func FatPTX(data []byte, file string, o api.LoadOptions) (string, error) {
	if !IsFat(data) {
		return "", nil
	}
	texts, err := (&fatFile{file: file, o: o}).texts(data)
	if err != nil {
		return "", err
	}
	if len(texts) == 1 {
		return string(texts[0].text), nil
	}
	var all strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&all, "// %s\n%s\n", t.name, t.text)
	}
	return all.String(), nil
}

// texts chooses the PTX of the fat binaries of a file. There is at least one text.
func (f *fatFile) texts(data []byte) ([]fatText, error) {
	if err := f.parse(data); err != nil {
		return nil, err
	}
	n := f.o.FatBinary
	if n < 0 || n > len(f.list) {
		d := diag.Errorf(diag.Pos{File: f.file}, diag.Input, "bad-launch", "there is no fat binary %d", n)
		d.Remedy = fmt.Sprintf("the numbers go from 1 to %d; 0 stands for all", len(f.list))
		return nil, diag.List{d}
	}
	var texts []fatText
	for i := range f.list {
		if n != 0 && n != i+1 {
			continue
		}
		t, err := f.choose(i)
		if err != nil {
			return nil, err
		}
		if t != nil {
			texts = append(texts, *t)
		}
	}
	if len(texts) == 0 {
		if f.absent == nil {
			f.absent = diag.List{diag.Errorf(diag.Pos{File: f.file}, diag.Unsupported, fatbin.CodeNoPTX, "the sections for fat binaries are empty")}
		}
		return nil, f.absent
	}
	return texts, nil
}

// parse finds the fat binaries of a file.
func (f *fatFile) parse(data []byte) error {
	sections := []codeobject.Section{{Name: fatSection, Data: data}}
	if !fatbin.Is(data) {
		sections = codeobject.HostSections(data, fatSection, relocatableSection)
	}
	for _, name := range []string{fatSection, relocatableSection} {
		f.linked = len(f.list)
		for _, s := range sections {
			if s.Name != name {
				continue
			}
			list, err := fatbin.Parse(s.Data, f.file, s.Offset)
			if err != nil {
				return diag.Of(err)
			}
			f.list = append(f.list, list...)
		}
	}
	return nil
}

// choose reads the PTX of one fat binary. Without PTX the result is nil: a program holds binaries that
// are empty, and libraries that were linked with it may have machine code alone.
func (f *fatFile) choose(i int) (*fatText, error) {
	b := f.list[i]
	e, err := b.Choose(f.o.SM)
	if d := diag.Of(err); len(d) > 0 && d[0].Code == fatbin.CodeNoPTX {
		n := codeRank(b)
		if f.absent == nil || n > f.rank {
			f.absent, f.rank = d, n
		}
		if n > 0 {
			f.left = append(f.left, b.Contents())
		}
		return nil, nil
	}
	if err != nil {
		return nil, diag.Of(err)
	}
	out := &fatText{unit: fmt.Sprintf("#%d", i+1), linked: i >= f.linked}
	if out.text, err = e.Payload(); err != nil {
		return nil, diag.Of(err)
	}
	t, err := e.Target()
	if err != nil {
		return nil, diag.Of(err)
	}
	out.name = fmt.Sprintf("%s.%s.ptx", f.file, t)
	if len(f.list) > 1 {
		out.name = fmt.Sprintf("%s%s.%s.ptx", f.file, out.unit, t)
	}
	return out, nil
}

// codeRank ranks fat binaries without PTX that fits: 2 if one has PTX for other devices, 1 if it has
// code, else 0. nvcc adds one to every program whose machine code is empty, for a linker; the code of
// a function is in a section .text.NAME.
func codeRank(b *fatbin.Binary) (n int) {
	for _, e := range b.Entries {
		data, err := e.Payload()
		switch {
		case e.Kind == fatbin.PTX:
			return 2
		case err != nil || e.Kind != fatbin.Cubin || bytes.Contains(data, []byte(".text.")):
			n = 1
		}
	}
	return n
}

// join makes one module of those of the fat binaries.
func (f *fatFile) join(modules []*Module) *Module {
	m := &Module{file: f.file, isa: api.PTX, modules: modules, left: f.remainder()}
	if len(modules) == 1 {
		modules[0].left = m.left
		return modules[0]
	}
	texts := definitions{}
	of := map[string][]*Kernel{} // the kernels of a name with different texts
	for _, p := range modules {
		m.warnings = append(m.warnings, p.warnings...)
		for _, k := range p.kernels {
			// A template that several translation units use is in each of them.
			if slices.ContainsFunc(of[k.name], func(other *Kernel) bool { return texts.sameKernel(k, other) }) {
				continue
			}
			of[k.name] = append(of[k.name], k)
			m.kernels = append(m.kernels, k)
		}
	}
	for _, k := range m.kernels {
		if len(of[k.name]) > 1 {
			k.unit = k.m.unit
		}
	}
	return m
}

// remainder describes the fat binaries without PTX, if any.
func (f *fatFile) remainder() string {
	if len(f.left) == 0 {
		return ""
	}
	slices.Sort(f.left)
	kinds := slices.Compact(slices.Clone(f.left))
	more := ""
	if len(kinds) > 3 {
		kinds, more = kinds[:3], " and more"
	}
	return fmt.Sprintf("; %d of its %d fat binaries hold no PTX that fits: %s%s", len(f.left), len(f.list), strings.Join(kinds, "; "), more)
}
