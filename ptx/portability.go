package ptx

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// The codes of the obstacles to moving code.
const (
	codeNotOnTarget = "not-on-target"
	codeLaneCount   = "lane-count"
)

// A PortReport is the result of Portability.
type PortReport struct {
	Findings diag.List
	Instrs   int // number of instructions examined
	Missing  int // number of these that the target lacks
}

// Portability finds the parts of the module that do not run on another target unchanged. For a PTX
// target these are instructions that it lacks (an error each). For "gfx", any AMD GPU whose waves
// have 64 lanes, they are instructions that assume 32 lanes (a note each). If kernel is "", it
// examines the whole module; otherwise that kernel and all functions.
func Portability(m *Module, kernel, target string) (*PortReport, error) {
	c := newChecker(m)
	p := &porter{c: c, rep: &PortReport{}, target: target}
	wide := target == "gfx"
	if !wide {
		if err := p.aim(target); err != nil {
			return nil, err
		}
	}
	for _, it := range m.Items {
		f, ok := it.(*Func)
		if !ok || !f.Defined() || f.Entry && kernel != "" && f.Name != kernel {
			continue
		}
		p.f = f
		c.f = f
		b := f.Body()
		if wide {
			p.w = c.writers(b)
		}
		b.instrs(func(in *Instr) {
			v := c.variant(in)
			if v == nil {
				return
			}
			p.rep.Instrs++
			if wide {
				p.lanes(in, v)
			} else {
				p.missing(in, v)
			}
		})
	}
	return p.rep, nil
}

type porter struct {
	c      *checker
	rep    *PortReport
	target string
	to     Target
	f      *Func
	w      writers
}

// maxPort bounds the number of reports for a module.
const maxPort = 500

// add adds a finding to the report, until the report is full.
func (p *porter) add(pos Pos, s diag.Severity, code, section, format string, args ...any) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Pos: pos.At(p.c.m.File), Severity: s, Class: diag.Finding, Code: code, Section: section,
		Message: fmt.Sprintf(format, args...), Source: lineAt(p.c.m.Src, int(pos.Off)),
	}
	if p.f != nil && p.f.Entry {
		d.Kernel = p.f.Name
	}
	if len(p.rep.Findings) < maxPort {
		p.rep.Findings = append(p.rep.Findings, d)
	}
	return d
}

// aim checks the directives (PTX 11.1.2). Code for one target runs on it and on later targets with
// its .version, unless it is specific to an architecture or family.
func (p *porter) aim(target string) error {
	to, ok := ParseTarget(target)
	_, known := to.Since()
	if !ok || !known {
		d := diag.Errorf(diag.Pos{File: p.c.m.File}, diag.Input, "usage", "there is no target %q to move PTX to", target)
		d.Remedy = "the targets are " + knownTargets() + ", and gfx, for waves of 64 lanes"
		return d
	}
	p.to = to
	m := p.c.m
	if m.Target.SM != 0 && !to.Has(m.Target) {
		why := fmt.Sprintf("%s runs no code for %s, which is later", to, m.Target)
		if m.Target.Suffix != 0 && to.SM >= m.Target.SM {
			why = fmt.Sprintf("code for %s does not run on %s: features of one architecture or family do not carry forward", m.Target, to)
		}
		d := p.add(m.TargetPos, diag.Error, codeNotOnTarget, "PTX 11.1.2", ".target %s: %s", m.Target, why)
		d.Remedy = "write .target " + to.String()
	}
	return nil
}

// missing reports an instruction that the target lacks.
func (p *porter) missing(in *Instr, v *variant) {
	what, section := in.Op, "PTX "+v.row.Sec
	if v.why != "" {
		what = fmt.Sprintf("%s of %s", v.why, in.Op)
	}
	lacks := ""
	for _, list := range v.arch {
		if !p.to.hasAny(list) {
			lacks = "it is there on " + archText(list)
			break
		}
	}
	if lacks == "" && p.to.SM < v.sm {
		lacks = fmt.Sprintf("it needs sm_%d or higher", v.sm)
	}
	switch r := v.row; {
	case lacks != "":
		p.rep.Missing++
		p.add(in.Pos, diag.Error, codeNotOnTarget, section, "%s: %s does not have it: %s", what, p.to, lacks).Remedy =
			"write it with the instructions of " + p.to.String() + ", in a kernel of its own if the old target stays"
	case r.Removed != (Version{}) && r.RemovedSM > 0 && p.to.SM >= r.RemovedSM:
		p.rep.Missing++
		d := p.add(in.Pos, diag.Error, codeNotOnTarget, section, "%s: removed for sm_%d and higher in PTX %s; with older versions it runs there, and no instruction brings the lanes together", in.Op, r.RemovedSM, r.Removed)
		d.Remedy = "use " + r.Instead + ", with the lanes that take part"
	}
}

// lanes reports code that assumes 32 lanes.
func (p *porter) lanes(in *Instr, v *variant) {
	note := func(remedy, format string, args ...any) {
		p.add(in.Pos, diag.Note, codeLaneCount, "PTX "+v.row.Sec, "%s: "+format, append([]any{in.Op}, args...)...).Remedy = remedy
	}
	switch v.row.Do.cross {
	case crossNone, crossBarrier:
	default:
		var parts []string
		for i := range min(len(in.Args), len(v.ops)) {
			name := v.ops[i].name
			if name != "membermask" && (name != "c" || v.row.Do.cross != crossShfl) {
				continue
			}
			if val, ok := p.c.constantOf(p.w, &in.Args[i]); ok {
				if name == "c" && val>>8&31 != 0 {
					continue // segments narrower than a warp
				}
				name += fmt.Sprintf(" %#x", uint32(val))
			}
			parts = append(parts, name)
		}
		switch v.row.Do.cross {
		case crossVote, crossMatch, crossActive, crossElect:
			if v.ops[0].dst && v.args[0] != Pred {
				parts = append(parts, "a result of 32 bits")
			}
		}
		if len(parts) > 0 {
			note("masks of 64 lanes have 64 bits, and a width of 32 leaves the upper half by itself", "%s: made for 32 lanes", strings.Join(parts, ", "))
		}
		return
	}
	if v.row.Do.frag != nil {
		note("use the matrix instructions of the target, which lay fragments out differently", "fragments are laid out over 32 lanes")
		return
	}
	for i := range in.Args {
		o := &in.Args[i]
		switch {
		case o.Kind == KindInt && o.Name == "WARP_SZ":
			note("use the number of lanes of the target", "WARP_SZ is 32, and a wave has 64 lanes")
			return
		case o.Kind == KindSpecial && o.Special >= SrLanemaskEq && o.Special <= SrLanemaskGt:
			note("compute a mask of 64 bits, or count with mbcnt", "%s has a bit for each of 32 lanes", o.Name)
			return
		case o.Kind == KindSpecial && o.Special == SrWarpid:
			note("number waves of 64 lanes", "%s counts warps of 32 lanes", o.Name)
			return
		}
	}
	// The operation computes the lane in a warp, or the warp in a block, from the number of a
	// thread.
	want, ok := uint64(0), len(v.code) > 0
	if ok {
		want, ok = splits[v.code[0]]
	}
	if !ok || len(in.Args) != 3 {
		return
	}
	if val, ok := p.c.constantOf(p.w, &in.Args[2]); ok && val == want && p.c.threadNumber(p.w, &in.Args[1], maxCopies) {
		note("divide by the number of lanes of the target", "with %d it divides threads into warps of 32 lanes", val)
	}
}

// splits maps the operations that extract warps of 32 lanes, or lanes in them, from the number of a
// thread, to the constant operand with which they do so.
var splits = map[ir.Op]uint64{
	ir.And32: 31, ir.ShrU32: 5, ir.ShrS32: 5, ir.DivU32: 32, ir.DivS32: 32, ir.RemU32: 32, ir.RemS32: 32,
}
