package verdict

import (
	"fmt"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/ptx"
)

// Portability is crosslane.Module.Portability.
func Portability(m *session.Module, kernel, target string) ([]*api.PortReport, error) {
	if kernel != "" {
		if _, err := m.Kernel(kernel); err != nil {
			return nil, err
		}
	}
	if m.ISA() == api.PTX {
		modules := m.Modules()
		if kernel != "" && m.PTX() == nil {
			k, err := m.Kernel(kernel)
			if err != nil {
				return nil, err
			}
			kernel, modules = k.Name(), []*session.Module{k.Module()}
		}
		var list []*api.PortReport
		for _, p := range modules {
			one, err := portPTX(p, kernel, target)
			if err != nil {
				return nil, err
			}
			list = append(list, one...)
		}
		return list, nil
	}
	name := target
	if _, ok := ptx.ParseTarget(target); ok {
		name = "sm"
	}
	var list []*api.PortReport
	for _, k := range m.Kernels() {
		if kernel != "" && k.Name() != kernel {
			continue
		}
		p, err := amdgpu.Portability(k.Code(), name)
		if err != nil {
			return nil, session.InKernel(diag.Of(err), k.Name())
		}
		r := &api.PortReport{Kernel: k.Name(), Target: target, Findings: session.InKernel(p.Findings, k.Name())}
		if name == "sm" {
			r.Summary = fmt.Sprintf("to %s: the number of lanes was looked at, 32 instead of 64", target)
		} else {
			r.Summary = fmt.Sprintf("to %s: %s; %s", target, ofInstructions(p.Missing, p.Insts), p.Waits)
		}
		list = append(list, r)
	}
	return list, nil
}

func portPTX(m *session.Module, kernel, target string) ([]*api.PortReport, error) {
	name := target
	if strings.HasPrefix(target, "gfx") {
		if wide, known := amdgpu.WideTarget(target); !known {
			d := diag.Errorf(diag.Pos{File: m.File()}, diag.Input, "usage", "there is no target %q", target)
			d.Remedy = "the targets are " + strings.Join(amdgpu.PortTargets(), ", ") + ", and those of PTX"
			return nil, diag.List{d}
		} else if !wide {
			return []*api.PortReport{{Kernel: kernel, Target: target, Summary: fmt.Sprintf("to %s: its waves have 32 lanes, as warps have, unless they are compiled for 64", target)}}, nil
		}
		name = "gfx"
	}
	p, err := ptx.Portability(m.PTX(), kernel, name)
	if err != nil {
		list := diag.Of(err)
		m.Translate(list)
		return nil, list
	}
	if t, ok := ptx.ParseTarget(name); ok {
		for _, f := range m.PTX().Entries() {
			if kernel != "" && f.Name != kernel {
				continue
			}
			if pk, err := ptx.Lift(m.PTX(), f.Name); err == nil {
				p.Findings = append(p.Findings, sharedNeeds(pk, m.PTX().File, 0, t)...)
			}
		}
	}
	ptx.Suggest(m.PTX(), p.Findings)
	m.Translate(p.Findings)
	r := &api.PortReport{Kernel: kernel, Target: target, Findings: p.Findings}
	if name == "gfx" {
		r.Summary = fmt.Sprintf("to %s: the number of lanes was looked at, 64 instead of 32", target)
	} else {
		r.Summary = fmt.Sprintf("to %s: %s", target, ofInstructions(p.Missing, p.Instrs))
	}
	return []*api.PortReport{r}, nil
}

func ofInstructions(missing, all int) string {
	if missing == 0 {
		return fmt.Sprintf("all of %d instructions are there", all)
	}
	return fmt.Sprintf("%d of %d instructions are not there in this form", missing, all)
}
