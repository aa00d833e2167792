package try

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// ptxSnippet parses PTX instructions for Try.
func ptxSnippet(src string) (*snippet, error) {
	t, err := ptx.ParseTry(tryFileName, src)
	if err != nil {
		return nil, err
	}
	sn := &snippet{fn: t.Kernel.Func, warnings: t.Kernel.Warnings}
	for _, g := range t.Kernel.Globals {
		sn.global += min(g.Size, tryGlobal+1)
	}
	for _, r := range t.Regs {
		sn.regs = append(sn.regs, snippetReg{
			name: r.Name, pieces: []ir.Ref{r.Ref}, typ: r.Type.String(), float: r.Type.Float(), written: r.Written,
		})
	}
	sn.find = func(name string) (snippetReg, bool) {
		for _, r := range sn.regs {
			if r.name == name {
				return r, true
			}
		}
		return snippetReg{}, false
	}
	sn.bind = func(s *sim.Launch, mem *session.Memory) error {
		s.Param = session.Aligned(8)
		return session.PlaceGlobals(nil, t.Kernel, &session.Launch{}, s, mem)
	}
	return sn, nil
}
