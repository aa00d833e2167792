package cli

import (
	"context"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// backend is the part of Crosslane that the commands need. The tests of exit codes and renderings
// put their own in its place.
type backend interface {
	Load(data []byte, file string, o crosslane.LoadOptions) (module, error)
	// Link is Load of several modules of PTX that are joined.
	Link(files []crosslane.LinkFile) (module, error)
	Try(ctx context.Context, src string, o crosslane.TryOptions) (*crosslane.TryResult, error)
	Explain(instr string, isa crosslane.ISA, exec *uint64, set []crosslane.TrySet) (explanation, error)
	Assemble(src []byte, file string, o crosslane.AsmOptions) ([]byte, diag.List)
	AssembleInstructions(src string) ([]encoded, diag.List)
	Disassemble(data []byte, file string, offsets bool) (string, error)
	// Fix gives GCN3 text the waits that it lacks; to PTX text it makes proposals.
	Fix(src []byte, file string, o crosslane.FixOptions) (*crosslane.FixResult, error)
	DisassembleBytes(b []byte) ([]encoded, error)
	Version() string
	Engines() []string // that run on this machine
}

type module interface {
	ISA() crosslane.ISA
	Warnings() diag.List
	Kernel(name string) (kernel, error)
	Names() []string     // the names by which Kernel finds the kernels
	Functions() []kernel // that no kernel calls
	Portability(kernel, target string) ([]*crosslane.PortReport, error)
}

type kernel interface {
	Name() string
	// Selector is the name by which module.Kernel finds the kernel; File is the file of its Lines.
	Selector() string
	File() string
	// Warnings are those of loading, without those in the text of other kernels.
	Warnings() diag.List
	Run(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error)
	// Dump is a form of the kernel on its way to the machine.
	Dump(l crosslane.Launch, what string) (string, error)
	// Check is Run with everything that can be found out about a launch.
	Check(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error)
	CheckStatic(ctx context.Context, block crosslane.Dim3) (staticResult, error)
	// Why explains a value.
	Why(ctx context.Context, l crosslane.Launch, o crosslane.WhyOptions) (*crosslane.Provenance, error)
	// Record keeps the steps of a launch.
	Record(ctx context.Context, l crosslane.Launch, o crosslane.RecordOptions) (*crosslane.Recording, error)
	Params() []crosslane.Param
	// Symbol is a variable that the kernel uses; HasSymbol reports whether the file has a variable.
	Symbol(name string) (crosslane.Symbol, error)
	HasSymbol(name string) bool
	// Lines are the first and the last line of the kernel's text; 0, 0 if they are not known.
	Lines() (from, to int)
	BlockLimits() (required crosslane.Dim3, most uint32, err error)
}

// staticResult holds the facts about a kernel that need no launch.
type staticResult struct {
	Findings diag.List
	Summary  string // "proved: 12 pairs on all paths"; "" if there is no summary
}

// explanation is also the value that --format json marshals.
type explanation interface {
	Text() string
	SVG() []byte
}

// encoded is one instruction and its bytes, in memory order.
type encoded struct {
	Text  string
	Bytes []byte
}
