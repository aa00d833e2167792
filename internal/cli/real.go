package cli

import (
	"context"

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

func later() *diag.Diagnostic {
	return diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "not built yet")
}
func (n real) Try(context.Context, string, crosslane.TryOptions) (*crosslane.TryResult, error) {
	return nil, later()
}
func (n real) Explain(string, crosslane.ISA, *uint64, []crosslane.TrySet) (explanation, error) {
	return nil, later()
}
func (n real) Assemble([]byte, string, string) ([]byte, diag.List) {
	return nil, diag.List{later()}
}
func (n real) AssembleInstructions(string) ([]encoded, diag.List) {
	return nil, diag.List{later()}
}
func (n real) Disassemble([]byte, string) (string, error) { return "", later() }
func (n real) DisassembleBytes([]byte) ([]encoded, error) { return nil, later() }
