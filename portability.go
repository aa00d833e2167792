package crosslane

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/gcn3"
	"example.org/crosslane/ptx"
)

// A PortReport is the result of Portability for one kernel, or for a PTX module.
type PortReport struct {
	Kernel string // "": the whole module
	Target string
	// Findings are errors, for features that the target lacks (not-on-target), and notes, for code
	// that assumes another number of lanes in a wave (lane-count).
	Findings diag.List
	Summary  string // how much of the code moves as it is, in a sentence
}

// Portability reports the obstacles to moving the code to another target: a PTX target like
// "sm_90", or a chip like "gfx1030"; for the other vendor's targets, only the number of lanes.
// kernel may be "": all kernels. The error is a diag.List.
func (m *Module) Portability(kernel, target string) ([]*PortReport, error) {
	if kernel != "" {
		if _, err := m.Kernel(kernel); err != nil {
			return nil, err
		}
	}
	if m.isa == PTX {
		return m.portPTX(kernel, target)
	}
	name := target
	if _, ok := ptx.ParseTarget(target); ok {
		name = "sm"
	}
	var list []*PortReport
	for _, k := range m.kernels {
		if kernel != "" && k.name != kernel {
			continue
		}
		p, err := gcn3.Portability(k.code(), name)
		if err != nil {
			return nil, inKernel(diag.Of(err), k.name)
		}
		r := &PortReport{Kernel: k.name, Target: target, Findings: inKernel(p.Findings, k.name)}
		if name == "sm" {
			r.Summary = fmt.Sprintf("to %s: the number of lanes was looked at, 32 instead of 64", target)
		} else {
			r.Summary = fmt.Sprintf("to %s: %s; %s", target, ofInstructions(p.Missing, p.Insts), p.Waits)
		}
		list = append(list, r)
	}
	return list, nil
}

func (m *Module) portPTX(kernel, target string) ([]*PortReport, error) {
	name := target
	if strings.HasPrefix(target, "gfx") {
		if wide, known := gcn3.WideTarget(target); !known {
			d := diag.Errorf(diag.Pos{File: m.file}, diag.Input, "usage", "there is no target %q", target)
			d.Remedy = "the targets are " + strings.Join(gcn3.PortTargets(), ", ") + ", and those of PTX"
			return nil, diag.List{d}
		} else if !wide {
			return []*PortReport{{Kernel: kernel, Target: target, Summary: fmt.Sprintf("to %s: its waves have 32 lanes, as warps have, unless they are compiled for 64", target)}}, nil
		}
		name = "gfx"
	}
	p, err := ptx.Portability(m.ptx, kernel, name)
	if err != nil {
		return nil, diag.Of(err)
	}
	if t, ok := ptx.ParseTarget(name); ok {
		for _, f := range m.ptx.Entries() {
			if kernel != "" && f.Name != kernel {
				continue
			}
			if pk, err := ptx.Lift(m.ptx, f.Name); err == nil {
				p.Findings = append(p.Findings, sharedNeeds(pk, m.file, 0, t)...)
			}
		}
	}
	ptx.Suggest(m.ptx, p.Findings)
	r := &PortReport{Kernel: kernel, Target: target, Findings: p.Findings}
	if name == "gfx" {
		r.Summary = fmt.Sprintf("to %s: the number of lanes was looked at, 64 instead of 32", target)
	} else {
		r.Summary = fmt.Sprintf("to %s: %s", target, ofInstructions(p.Missing, p.Instrs))
	}
	return []*PortReport{r}, nil
}

func ofInstructions(missing, all int) string {
	if missing == 0 {
		return fmt.Sprintf("all of %d instructions are there", all)
	}
	return fmt.Sprintf("%d of %d instructions are not there in this form", missing, all)
}
