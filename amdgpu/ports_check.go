package amdgpu

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// The codes of the obstacles to moving code.
const (
	codeNotOnTarget = "not-on-target"
	codeLaneCount   = "lane-count"
)

const reachesAll = "it reaches any of 64 lanes; with 32 the address wraps at 32, and on gfx10 and later it reaches its own half of 64 alone (RDNA ISA, DS permute)"

// maxObstacles bounds the number of findings of one report.
const maxObstacles = 500

// A PortReport is the result of Portability.
type PortReport struct {
	Findings diag.List
	Insts    int // number of instructions that control can reach
	Missing  int // number of these that the target lacks in this form
	// Waits describes, in a sentence, the consequences for wait states.
	Waits string
}

// Portability finds the parts of the code that do not run on another chip unchanged: forms of
// instructions and modifiers that LLVM's assembler refuses for it (an error each), and, if its
// waves have or may have 32 lanes, code that assumes 64 lanes (notes). For "sm", any NVIDIA GPU, it
// finds only the latter.
//
// An instruction of the same name may behave differently on the other chip; Portability does not
// compare meanings.
func Portability(code Code, target string) (*PortReport, error) {
	t := portIndex(target)
	own := target == GFX803.Name
	if t < 0 && target != "sm" && !own {
		d := diag.Errorf(diag.Pos{File: code.File}, diag.Input, "usage", "there is no target %q to move GCN3 code to", target)
		d.Remedy = "the targets are " + strings.Join(PortTargets(), ", ") + " and those of PTX, such as sm_90"
		return nil, d
	}
	insts, _, err := reachable(code, true)
	if err != nil {
		return nil, err
	}
	if own {
		return &PortReport{Insts: len(insts), Waits: "it is the target of the code"}, nil
	}
	p := &porter{code: code, target: target, rep: &PortReport{Insts: len(insts)}, features: portFeatures()}
	if t >= 0 {
		p.missing(insts, t)
		p.rep.Waits = "its wait states are not those of GCN3, and not checked"
		if portTargets[t].newer {
			p.rep.Waits = "where GCN3 needs wait states for data, " + target + " waits by itself; rules of its own are not checked"
		}
	}
	if t < 0 || !portTargets[t].only {
		p.lanes(insts)
	}
	return p.rep, nil
}

type porter struct {
	code     Code
	target   string
	rep      *PortReport
	features []portFeature
}

func (p *porter) add(d *Decoded, s diag.Severity, code, format string, args ...any) *diag.Diagnostic {
	pos := p.code.Pos(d)
	e := diag.Errorf(p.code.DiagPos(pos), diag.Finding, code, format, args...)
	e.Severity, e.Source, e.Section = s, pos.Text, d.In.Row.Section()
	if len(p.rep.Findings) < maxObstacles {
		p.rep.Findings = append(p.rep.Findings, e)
	}
	return e
}

// missing reports the instructions and modifiers that the target lacks.
func (p *porter) missing(insts []Decoded, t int) {
	for i := range insts {
		d := &insts[i]
		in := &d.In
		var lacks []string
		for _, f := range p.features {
			if e := featurePorts()[f.name]; e != nil && e.missing>>t&1 != 0 && f.has(in) {
				lacks = append(lacks, strings.Fields(f.name)[0])
			}
		}
		e := ports()[portKey(in.Row, in.Enc)]
		gone := e != nil && e.missing>>t&1 != 0
		if !gone && len(lacks) == 0 {
			continue
		}
		p.rep.Missing++
		if !gone {
			w := p.add(d, diag.Error, codeNotOnTarget, "%s: %s has no %s", in.Mnemonic(), p.target, strings.Join(lacks, ", "))
			w.Remedy = remedyFor(lacks, portTargets[t].newer)
			continue
		}
		w := p.add(d, diag.Error, codeNotOnTarget, "%s: %s does not have it in this form", in.Mnemonic(), p.target)
		switch name := e.instead[t]; {
		case name != "":
			w.Message = fmt.Sprintf("%s: %s has it by another name, %s", in.Mnemonic(), p.target, name)
			w.Remedy = "write " + name
		case in.Enc == EncSDWA:
			w.Remedy = "select the parts with shifts, v_bfe and v_perm_b32"
		default:
			w.Remedy = "compile the source for " + p.target + ", or write its effect with other instructions: crosslane explain '" + Print(in) + "'"
		}
	}
}

// remedyFor names the replacement of modifiers.
func remedyFor(lacks []string, newer bool) string {
	switch m := lacks[0]; {
	case strings.HasPrefix(m, "row_bcast"):
		return "take the value with v_readlane_b32, or with v_permlanex16_b32, whose lanes of the other row may be chosen"
	case strings.HasPrefix(m, "wave_"):
		return "move within rows (row_shr:1 and its like), and across rows with v_permlanex16_b32 or v_writelane_b32; or use ds_bpermute_b32"
	case m == "glc" || m == "slc":
		if newer {
			return "choose the behaviour of the caches with th: and scope:"
		}
		return "write sc0, sc1, nt: they choose the behaviour of the caches"
	case m == "gds":
		return "there is no global data share: use memory and its atomics"
	}
	return "load into registers and store from there"
}

// lanes reports code that assumes 64 lanes.
func (p *porter) lanes(insts []Decoded) {
	masks := map[uint16]bool{RegVCC: true, RegEXEC: true} // pairs that hold one bit per lane
	for i := range insts {
		in := &insts[i].In
		for k := range in.Row.Operands {
			if s, o := &in.Row.Operands[k], &in.Ops[k]; s.Kind == ClassSMask && o.Kind == KindSGPR {
				masks[o.Reg] = true
			}
		}
	}
	note := func(d *Decoded, remedy, format string, args ...any) {
		p.add(d, diag.Note, codeLaneCount, d.In.Mnemonic()+": "+format, args...).Remedy = remedy
	}
	var keeps []*Decoded
	for i := range insts {
		d := &insts[i]
		in := &d.In
		if in.Row.Wide != "" {
			note(d, "write it for 32 lanes", "%s", in.Row.Wide)
		}
		keep := false
		for k := range in.Row.Operands {
			s, o := &in.Row.Operands[k], &in.Ops[k]
			switch {
			case s.Kind == ClassLane && o.Kind == KindInline && o.Imm >= 32 && s.Field == FieldSRC1:
				note(d, "take the lane from the other half by other means", "lane %d is not there in a wave of 32 lanes", o.Imm)
			case s.Kind == ClassSMask, o.Kind == KindSGPR && s.Type.Dwords() == 2 && masks[o.Reg] && in.Row.Unit == UnitSALU:
				keep = true
			}
		}
		if in.Row.Unit == UnitSALU && (in.Row.Reads|in.Row.Writes)&EXEC != 0 {
			keep = true
		}
		if keep {
			keeps = append(keeps, d)
		}
		if in.Enc == EncDPP && in.Mods[ModRowMask] != 15 && in.Mods[ModRowMask]&12 != 0 {
			note(d, "give row_mask for rows 0 and 1", "row_mask:%#x names %s, and 32 lanes have rows 0 and 1 alone", in.Mods[ModRowMask],
				[4]string{1: "row 2", 2: "row 3", 3: "rows 2 and 3"}[in.Mods[ModRowMask]>>2&3])
		}
		// The instruction computes the number of a wave in its workgroup, or of a lane in its wave,
		// from the number of a work-item.
		if in.Row.Unit == UnitVALU && p.fromItem(insts, i) {
			for k := range in.Row.Operands {
				if o := &in.Ops[k]; o.IsConst() && in.Row.ByWave == uint8(o.Imm) && o.Imm != 0 {
					note(d, "use the number of lanes of the target", "with %d it divides work-items into waves of 64 lanes", o.Imm)
				}
			}
		}
	}
	if len(keeps) == 0 {
		return
	}
	e := p.add(keeps[0], diag.Note, codeLaneCount, "%s and %d more instructions keep masks of 64 lanes in pairs of registers", keeps[0].In.Mnemonic(), len(keeps)-1)
	if len(keeps) == 1 {
		e.Message = keeps[0].In.Mnemonic() + " keeps a mask of 64 lanes in a pair of registers"
	}
	e.Remedy = "with 32 lanes a mask is one register: vcc_lo, exec_lo, and the forms that end in _b32"
	if p.target != "sm" {
		e.Remedy += "; or keep 64 lanes, with .amdhsa_wavefront_size32 0"
	}
	for _, d := range keeps[1:min(len(keeps), 6)] {
		pos := p.code.Pos(d)
		e.Related = append(e.Related, diag.Related{Pos: p.code.DiagPos(pos), Message: "here too", Source: pos.Text})
	}
}

// fromItem reports whether an instruction reads v0, the number of the work-item, and no earlier
// instruction in the text has written v0.
func (p *porter) fromItem(insts []Decoded, i int) bool {
	reads := func(in *Inst) bool {
		return slices.ContainsFunc(in.reads(), func(s RegRun) bool { return s.Overlaps(RegRun{RegVGPR0, 1}) })
	}
	if insts[i].In.Row.ByWave == 0 || !reads(&insts[i].In) {
		return false
	}
	for k := range insts[:i] {
		if slices.ContainsFunc(insts[k].In.Writes(), func(s RegRun) bool { return s.Overlaps(RegRun{RegVGPR0, 1}) }) {
			return false
		}
	}
	return true
}
