// Package programs holds real programs for PTX: kernels as people write them, each
// compiled for three targets at three levels of optimisation or written by hand,
// with the launches that exercise them and the results that plain Go computes.
//
// Tests of other packages iterate over All: under other schedules, other engines,
// other numbers of workers the results must be the same.
package programs

import (
	"embed"
	"fmt"
	"slices"

	"example.org/crosslane"
	"example.org/crosslane/internal/genexamples"
)

// Files of the programs: ptx/NAME_OPT_TARGET.ptx are compiled, hand/NAME.ptx written.
//
//go:embed ptx/*.ptx gcn3/*.hsaco hand/*.ptx hand/*.s
var files embed.FS

// A Program is one source and everything made of it.
type Program struct {
	Name  string
	About string
	ISA   crosslane.ISA
	Files []string // relative to this folder
	// Cases computes the launches with their results, anew in each call.
	Cases func() []Case
}

// A Case is a sequence of launches on the same buffers.
type Case struct {
	Name    string
	Buffers []*Buffer
	Steps   []Step
	// Stdout is the text that the kernels must print, all steps together.
	Stdout string
	// ISA is that of the files that the case is for; "": of all.
	ISA crosslane.ISA
	// Code is that of the error which the last step must end in, if any.
	Code string
}

// A Step is one launch.
type Step struct {
	Kernel string
	Grid   [3]uint32 // blocks
	Block  [3]uint32 // threads of a block
	Shared uint32    // dynamic shared memory, bytes
	// Args are buffers, scalars (uint16, int32, uint32, int64, uint64, float32, float64), or
	// the bytes of a structure by value.
	Args []any
}

// A Buffer is memory that the launches of a case see.
type Buffer struct {
	Name string
	Data any // a slice of numbers: the contents before the first launch
	// Want holds its contents after the last one, bit for bit; nil: the contents before.
	Want any
	// Within allows the elements, floats, an error: relative to the wanted value and,
	// near zero, absolute. Why says why they are inexact.
	Within float64
	Why    string
	// Unordered says that only the multiset of the elements is defined.
	Unordered bool
	// Check replaces Want where many results are right. It gets a slice of Data's type.
	Check func(got any) error
}

// Text returns the contents of one of a program's files.
func Text(file string) ([]byte, error) { return files.ReadFile(file) }

// Load loads one of the program's files.
func (p Program) Load(file string) (*crosslane.Module, error) {
	text, err := Text(file)
	if err != nil {
		return nil, err
	}
	return crosslane.Load(text, file, p.ISA)
}

// table lists the programs without their files.
type entry struct {
	name, about string
	cases       func() []Case
}

// All returns every program: those that are built for both instruction sets twice, one
// after the other.
func All() []Program {
	var all []Program
	type key struct {
		name string
		isa  crosslane.ISA
	}
	built := map[key][]string{}
	for _, p := range genexamples.Programs() {
		for _, b := range p.Variants() {
			k := key{p.Name, crosslane.PTX}
			if b.GCN3() {
				k.isa = crosslane.GCN3
			}
			built[k] = append(built[k], b.File())
		}
	}
	for _, e := range compiled() {
		if built[key{e.name, crosslane.PTX}] == nil && built[key{e.name, crosslane.GCN3}] == nil {
			panic(fmt.Sprintf("programs: nothing builds %s", e.name))
		}
		for _, isa := range []crosslane.ISA{crosslane.PTX, crosslane.GCN3} {
			if files := built[key{e.name, isa}]; files != nil {
				all = append(all, Program{e.name, e.about, isa, files, func() []Case {
					return slices.DeleteFunc(e.cases(), func(c Case) bool { return c.ISA != "" && c.ISA != isa })
				}})
			}
		}
	}
	for _, e := range handWritten() {
		all = append(all, Program{e.name, e.about, crosslane.PTX, []string{"hand/" + e.name + ".ptx"}, e.cases})
	}
	for _, e := range handWrittenGCN3() {
		all = append(all, Program{e.name, e.about, crosslane.GCN3, []string{"hand/" + e.name + ".s"}, e.cases})
	}
	return all
}
