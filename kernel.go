package crosslane

import (
	"context"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/verdict"
)

// A Kernel is one kernel of a module. It is safe for concurrent use. It is the kernel of package
// session under a name with methods for users.
type Kernel session.Kernel

// inner is the kernel as the packages of the features take it.
func (k *Kernel) inner() *session.Kernel { return (*session.Kernel)(k) }

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.inner().Name() }

// Selector returns the name by which Module.Kernel finds the kernel: its Name, or #2:scan for the
// kernel scan of the second fat binary of a program if another one has a kernel of the same name.
func (k *Kernel) Selector() string { return k.inner().Selector() }

// File returns the name of the kernel's text in diagnostics. That of a kernel in a fat binary, or in
// a bundle, names the module in the file.
func (k *Kernel) File() string { return k.inner().Module().File() }

// Warnings returns those of the module's warnings that are not in the text of another kernel.
func (k *Kernel) Warnings() diag.List { return k.inner().Warnings() }

// Lines returns the first and the last line of a PTX kernel's text; 0, 0 for GCN3.
func (k *Kernel) Lines() (from, to int) { return k.inner().Lines() }

// Params returns the kernel's parameters that the caller passes.
func (k *Kernel) Params() []Param { return k.inner().Params() }

// BlockLimits returns the blocks that the kernel can be launched with: the one that
// it requires (the zero Dim3 if it requires none), and the most lanes.
func (k *Kernel) BlockLimits() (required Dim3, most uint32, err error) {
	return k.inner().BlockLimits()
}

// Symbol makes a Symbol of a variable that the kernel uses. The name is that of the file or, if no
// other variable has it, the demangled one. Value holds the initialiser of the file, with zeros for
// addresses.
func (k *Kernel) Symbol(name string) (Symbol, error) { return k.inner().Symbol(name) }

// HasSymbol reports whether the file has a variable of this name, which the kernel need not
// use.
func (k *Kernel) HasSymbol(name string) bool { return k.inner().HasSymbol(name) }

// Run executes the kernel. The Result is not nil if the kernel was started. The
// error is a diag.List: class Input (the launch does not fit the kernel),
// Unsupported, Fault (out of bounds, misaligned, trap, deadlock) or Timeout.
// Findings about the kernel are in Result.Findings, not in the error.
func (k *Kernel) Run(ctx context.Context, l Launch) (*Result, error) { return k.inner().Run(ctx, l) }

// Check runs the kernel as Run does, and follows undefined bits through registers, memory and other
// lanes. Undefined are the bits of registers, shared and private memory that were never written, of
// buffers that are Uninitialised, and of results that the manual leaves undefined. If they reach a
// branch, an address, a Buffer of the launch, printed text or the condition of a fault,
// Result.Findings reports it, with the path of the bits. A read of a lane that does not take part
// is an error only if its value reaches one of these, and else a note. One worker runs all blocks,
// so that a launch gives the same findings every time. A launch with findings runs again: once for
// the paths, and once for each of up to 16 instructions that read undefined values of other lanes,
// if it is not clear otherwise whether those matter, and for all that seem not to.
//
// The kernel runs in other orders too (see Schedule), unless none can differ. A difference in
// results, findings or faults that is due to the order is a finding, unless Launch.Skip has
// "schedule-dependent".
func (k *Kernel) Check(ctx context.Context, l Launch) (*Result, error) {
	return verdict.Check(ctx, k.inner(), l)
}

// Why runs the kernel and explains one of the values that it computes, in a time that grows with
// the number of executed instructions. The launch's Timeout is for all of it, and ctx ends it
// early. The launch runs once or several times, with one worker, always from the same contents of
// its buffers, which hold at the end the results of the run. Launches whose results depend on
// chance (on the order of blocks that race) are run in one order.
//
// If the run faults, the provenance is that of the run until then, and the fault is among the
// findings.
func (k *Kernel) Why(ctx context.Context, l Launch, o WhyOptions) (*Provenance, error) {
	return provenance.Why(ctx, k.inner(), l, o)
}

// CheckStatic follows all paths through a kernel without running it. In GCN3 it looks for
// missing wait states and missing s_waitcnt, and for needless ones; in PTX for membermasks,
// shuffles, barriers, addresses and shifts that are wrong for constants, and for lanes,
// that are known. The error is a diag.List, class Input or Unsupported: the code cannot be
// followed.
func (k *Kernel) CheckStatic() (*StaticReport, error) { return verdict.CheckStatic(k.inner()) }

// CheckStaticBlock is CheckStatic for launches with blocks of the given shape, as if the
// kernel required it. With no shape, it is CheckStatic.
func (k *Kernel) CheckStaticBlock(block Dim3) (*StaticReport, error) {
	return verdict.CheckStaticBlock(k.inner(), block)
}

// CheckStaticContext is CheckStaticBlock that ends early, with an error of class Timeout
// or the code "cancelled", when ctx does.
func (k *Kernel) CheckStaticContext(ctx context.Context, block Dim3) (*StaticReport, error) {
	return verdict.CheckStaticContext(ctx, k.inner(), block)
}

// CheckStaticWith is CheckStaticContext with options.
func (k *Kernel) CheckStaticWith(ctx context.Context, o StaticOptions) (*StaticReport, error) {
	return verdict.CheckStaticWith(ctx, k.inner(), o)
}

// Dump returns a form of the kernel as text, as it would be for a launch. "ir" is the form that
// both guest languages are lifted to; "webs", "alloc" and "asm" are the steps of the native engine.
// The launch is checked like that of Run. Nothing is run.
func (k *Kernel) Dump(l Launch, what string) (string, error) { return k.inner().Dump(l, what) }
