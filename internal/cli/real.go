package cli

import (
	"context"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/results"
)

// real is the root package as a backend.
type real struct{}

func realBackend() backend { return real{} }

type realModule struct{ *crosslane.Module }

func (m realModule) Kernel(name string) (kernel, error) {
	k, err := m.Module.Kernel(name)
	if err != nil {
		return nil, err
	}
	return realKernel{k, m.ISA()}, nil
}

func (m realModule) Names() []string {
	var names []string
	for _, k := range m.Kernels() {
		names = append(names, k.Selector())
	}
	return names
}

func (m realModule) Functions() (list []kernel) {
	for _, k := range m.Module.Functions() {
		list = append(list, realKernel{k, m.ISA()})
	}
	return list
}

type realKernel struct {
	*crosslane.Kernel
	isa crosslane.ISA
}

// Check follows undefined bits, but not through results that are delivered late.
func (k realKernel) Check(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	if l.Adversarial && k.isa == crosslane.GCN3 {
		return k.Run(ctx, l)
	}
	return k.Kernel.Check(ctx, l)
}

func (k realKernel) CheckStatic(ctx context.Context, block crosslane.Dim3) (staticResult, error) {
	r, err := k.Kernel.CheckStaticContext(ctx, block)
	if err != nil {
		return staticResult{}, err
	}
	return staticResult{Findings: r.Findings, Summary: results.StaticSummary(r)}, nil
}

func (real) Load(data []byte, file string, o crosslane.LoadOptions) (module, error) {
	m, err := crosslane.LoadWith(data, file, o)
	if err != nil {
		return nil, err
	}
	return realModule{m}, nil
}

func (real) Link(files []crosslane.LinkFile) (module, error) {
	m, err := crosslane.Link(files...)
	if err != nil {
		return nil, err
	}
	return realModule{m}, nil
}

func (real) Version() string { return crosslane.Version }

func (real) Engines() []string { return crosslane.Engines() }
func (real) Try(ctx context.Context, src string, o crosslane.TryOptions) (*crosslane.TryResult, error) {
	return crosslane.Try(ctx, src, o)
}
func (real) Explain(instr string, isa crosslane.ISA, exec *uint64, set []crosslane.TrySet) (explanation, error) {
	e, err := crosslane.Explain(instr, crosslane.ExplainOptions{ISA: isa, Exec: exec, Set: set})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (real) Assemble(src []byte, file string, o crosslane.AsmOptions) ([]byte, diag.List) {
	return crosslane.Assemble(src, file, o)
}

func (real) AssembleInstructions(src string) ([]encoded, diag.List) {
	insts, l := crosslane.AssembleInstructions(src)
	return encodedOf(insts), l
}

func (real) Disassemble(data []byte, file string, offsets bool) (string, error) {
	if offsets {
		return crosslane.DisassembleOffsets(data, file)
	}
	return crosslane.Disassemble(data, file)
}

func (real) Fix(src []byte, file string, o crosslane.FixOptions) (*crosslane.FixResult, error) {
	if crosslane.DetectISA(src) == crosslane.PTX {
		return crosslane.ProposeFixes(src, file)
	}
	return crosslane.FixWaits(src, file, o)
}

func (real) DisassembleBytes(b []byte) ([]encoded, error) {
	insts, err := crosslane.DisassembleBytes(b)
	return encodedOf(insts), err
}

func encodedOf(insts []crosslane.EncodedInst) []encoded {
	out := make([]encoded, len(insts))
	for i, e := range insts {
		out[i] = encoded(e)
	}
	return out
}
