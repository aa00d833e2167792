package api

import "fmt"

// Native chooses the machine code that the native engine makes.
type Native string

// The kinds of machine code. The zero Native is the best that the processor has.
const (
	NativeOff    Native = "off" // none: as if there were no native engine
	NativeAVX2   Native = "avx2"
	NativeAVX512 Native = "avx512"
)

// Check returns an error if the kind does not exist.
func (n Native) Check() error {
	switch n {
	case "", NativeOff, NativeAVX2, NativeAVX512:
		return nil
	}
	return fmt.Errorf("machine code cannot be %q: avx2, avx512 or off", string(n))
}

// LoadOptions configure LoadWith. The zero value is that of Load with Auto.
type LoadOptions struct {
	// ISA is the instruction set of the file; "" is Auto.
	ISA ISA
	// Include reads the file of an .include or .incbin directive of GCN3 assembly, as IncludeFrom
	// does; nil: these directives are refused.
	Include func(name string) ([]byte, error)
	// Symbols are defined before the first line of GCN3 assembly; the file may set them anew.
	Symbols map[string]int64
	// SM is the number of the device for which PTX is chosen in NVIDIA's fat binaries, 80 for sm_80:
	// the PTX with the largest number that the device runs. 0: the PTX with the largest number.
	SM int
	// FatBinary selects one of the fat binaries of a host's program; the first is 1. 0: all.
	FatBinary int
	// Unit says that the file is one translation unit of PTX, whose other units are not known. Module.Functions are then
	// the functions that other units may call, and checks without a launch take calls that leave the unit for calls with any result.
	Unit bool
}

// AsmOptions configure Assemble.
type AsmOptions struct {
	// Target is the processor; "" and "gfx803" are accepted.
	Target string
	// Include reads the file of an .include directive; nil: .include directives are refused.
	Include func(name string) ([]byte, error)
	// Symbols are defined before the first line; the file may set them anew.
	Symbols map[string]int64
	// Relocatable makes a file for a linker instead of a finished code object.
	Relocatable bool
}

// EncodedInst is one machine instruction.
type EncodedInst struct {
	Text  string // as the disassembler writes it
	Bytes []byte // in memory order
}
