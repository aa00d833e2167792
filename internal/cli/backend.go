package cli

import (
	"context"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// backend is what the commands need of Crosslane. The tests of exit codes and
// renderings put their own in its place.
type backend interface {
	Load(data []byte, file string, o crosslane.LoadOptions) (module, error)
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
	Names() []string     // of the kernels
	Functions() []kernel // that no kernel calls
	Portability(kernel, target string) ([]*crosslane.PortReport, error)
}

type kernel interface {
	Name() string
	// Warnings are what loading found, without what is in the text of other kernels.
	Warnings() diag.List
	Run(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error)
	// Dump is a form of the kernel on its way to the machine.
	Dump(l crosslane.Launch, what string) (string, error)
	// Check is Run with everything that can be found out about a launch.
	Check(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error)
	CheckStatic(ctx context.Context, block crosslane.Dim3) (staticResult, error)
	// Why explains a value.
	Why(ctx context.Context, l crosslane.Launch, o crosslane.WhyOptions) (*crosslane.Provenance, error)
	Params() []crosslane.Param
	// Symbol is a variable that the kernel uses; HasSymbol tells of those of the file.
	Symbol(name string) (crosslane.Symbol, error)
	HasSymbol(name string) bool
	// Lines are the first and the last line of the kernel's text; 0, 0 if they are not known.
	Lines() (from, to int)
	BlockLimits() (required crosslane.Dim3, most uint32, err error)
}

// staticResult is what is known of a kernel without a launch.
type staticResult struct {
	Findings diag.List
	Summary  string // such as "proved: 12 pairs on all paths"; "" if nothing is to be said
}

// explanation is also what --format json marshals.
type explanation interface {
	Text() string
	SVG() []byte
}

// encoded is one instruction and its bytes, in memory order.
type encoded struct {
	Text  string
	Bytes []byte
}
