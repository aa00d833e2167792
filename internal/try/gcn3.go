package try

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// gcn3Snippet assembles GCN3 instructions for Try.
func gcn3Snippet(src string) (*snippet, error) {
	insts, diags := asm.AssembleInsts(src, tryFileName)
	if diags.Err() != nil {
		return nil, diags
	}
	t, err := amdgpu.NewTry(tryFileName, insts, hazard.Track)
	if err != nil {
		return nil, err
	}
	reg := func(r amdgpu.TryReg) snippetReg {
		return snippetReg{name: r.Name, pieces: r.Pieces, typ: r.Type, float: r.Float, written: r.Written}
	}
	sn := &snippet{fn: t.Func, warnings: diags}
	for _, r := range t.Regs {
		sn.regs = append(sn.regs, reg(r))
	}
	sn.find = func(name string) (snippetReg, bool) {
		r, ok := t.Find(name)
		return reg(r), ok
	}
	sn.bind = func(s *sim.Launch, mem *session.Memory) error {
		s.Values = make([]uint64, amdgpu.NumLaunchValues)
		return nil
	}
	return sn, nil
}
