package cli

import (
	"context"
	"path/filepath"

	"crosslane"
	"crosslane/diag"
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
	return k, nil
}

func (real) Load(data []byte, file string, isa crosslane.ISA) (module, error) {
	m, err := crosslane.Load(data, file, isa)
	if err != nil {
		return nil, err
	}
	return realModule{m}, nil
}

func (real) Version() string { return crosslane.Version }
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

// Assemble finds what .include names beside the file.
func (real) Assemble(src []byte, file, target string) ([]byte, diag.List) {
	dir := filepath.Dir(file)
	if file == stdinName {
		dir = "."
	}
	return crosslane.Assemble(src, file, crosslane.AsmOptions{Target: target, Include: func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return readFile(name, maxInput)
	}})
}

func (real) AssembleInstructions(src string) ([]encoded, diag.List) {
	insts, l := crosslane.AssembleInstructions(src)
	return encodedOf(insts), l
}

func (real) Disassemble(data []byte, file string) (string, error) {
	return crosslane.Disassemble(data, file)
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
