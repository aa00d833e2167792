// Package explain describes one instruction, or a family of instructions, from its row in the table
// of its front end: operands, encodings, lanes, hazards and bounds.
package explain

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/draw"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// Explain explains one instruction of either instruction set. The error is a
// diag.List of class Input or Unsupported.
func Explain(instr string, o api.ExplainOptions) (*api.Explanation, error) {
	isa := o.ISA
	if isa == api.Auto {
		isa = instructionISA(instr)
	}
	if isa == api.PTX {
		return explainPTX(instr, o)
	}
	return explainGCN3(instr, o)
}

// instructionISA detects the instruction set from one instruction: PTX has dots in its opcodes,
// registers that begin with % and a semicolon at the end; GCN3 mnemonics have an underscore after
// one letter or two.
func instructionISA(s string) api.ISA {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "@") || strings.Contains(s, "%") {
		return api.PTX
	}
	word, _, _ := strings.Cut(s, " ")
	if head, _, ok := strings.Cut(word, "_"); ok && len(head) <= 6 && !strings.Contains(word, ".") || amdgpu.LookUp(word) != nil {
		return api.GCN3
	}
	return api.PTX
}

func explainPTX(instr string, o api.ExplainOptions) (*api.Explanation, error) {
	opt := ptx.ExplainOptions{Values: map[string][]uint64{}}
	if o.Exec != nil {
		if *o.Exec > math.MaxUint32 {
			return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "the mask %#x names lanes above 31; a warp has 32", *o.Exec)}
		}
		e := uint32(*o.Exec)
		opt.Exec = &e
	}
	for _, s := range o.Set {
		opt.Values[s.Reg] = s.Bits
	}
	e, err := ptx.Explain(instr, opt)
	if err != nil {
		return nil, err
	}
	x := &api.Explanation{ISA: api.PTX, Instr: strings.Join(strings.Fields(instr), " "), Form: e.Form, About: e.About, Cost: e.Cost, Bound: e.Bound, Undefined: e.Undefined, Notes: e.Notes, Section: "PTX ISA " + e.Section}
	for _, p := range e.Modifiers {
		x.Modifiers = append(x.Modifiers, api.ExplainedPart(p))
	}
	for _, p := range e.Operands {
		x.Operands = append(x.Operands, api.ExplainedPart(p))
	}
	x.Needs = ptxNeeds(e)
	if e.Map != nil {
		lanes(x, e.Map, ^e.Executing, e.Pred, hasPair(e.Operands), 0)
	}
	if e.Fragments != nil {
		fragments(x, e.Fragments)
	}
	if e.Fold != nil {
		fold(x, 32, e.Fold.Participants, e.Fold.Picked, e.Fold.In, e.Fold.Out, e.Fold.Result)
	}
	return x, nil
}

func hasPair(ops []ptx.ExplainedPart) bool {
	n := 0
	for _, p := range ops {
		if p.Writes {
			n++
		}
	}
	return n > 1
}

// ptxNeeds lists the versions and targets that have the instruction.
func ptxNeeds(e *ptx.Explanation) []string {
	s := "PTX ISA " + e.Needs.String() + " or later"
	if e.NeedsArch != "" {
		s += ", target " + e.NeedsArch
	} else if e.NeedsSM > 0 {
		s += fmt.Sprintf(", target sm_%d or later", e.NeedsSM)
	}
	needs := []string{s}
	var zero ptx.Version
	instead := ""
	if e.Instead != "" {
		instead = "; use " + e.Instead
	}
	if e.Deprecated != zero {
		needs = append(needs, fmt.Sprintf("deprecated from PTX ISA %s%s", e.Deprecated, instead))
	}
	if e.Removed != zero {
		t := ""
		if e.RemovedSM > 0 {
			t = fmt.Sprintf(" for sm_%d and later", e.RemovedSM)
		}
		needs = append(needs, fmt.Sprintf("removed from PTX ISA %s%s", e.Removed, t))
	}
	return needs
}

// lanes sets the lane map and its pictures.
func lanes(x *api.Explanation, m *lane.Map, off, pred lane.Mask, hasPred bool, lost lane.Mask) {
	off &= lane.All(m.Lanes)
	l := &api.ExplainedLanes{Undefined: laneList(m.Undef), Source: make([]any, m.Lanes)}
	for i := range m.Lanes {
		j, reads := m.Src[i].Lane()
		switch {
		case off.Has(i):
			l.Source[i] = "off"
		case reads:
			l.Source[i] = j
		case m.Src[i] == lane.Zero:
			l.Source[i] = "zero"
		default:
			l.Source[i] = "keep"
		}
	}
	if hasPred {
		l.Predicate = laneList(pred)
	}
	x.Lanes = l
	o := draw.Options{Title: x.Instr, Subtitle: subtitle(x), Inactive: off, Pred: pred, HasPred: hasPred, Lost: lost}
	x.Picture = func() []byte { return draw.SVG(m, o) }
	bare := o // the text form has named them already
	bare.Title, bare.Subtitle = "", nil
	x.PictureText = func() string { return draw.Text(m, bare) }
}

// fold sets the fold and its pictures.
func fold(x *api.Explanation, lanes int, active, picked lane.Mask, in, out []string, result string) {
	x.Fold = &api.ExplainedFold{Participants: laneList(active), In: in, Result: result, Results: out, Picked: laneList(picked)}
	f := draw.Fold{Title: x.Instr, Subtitle: subtitle(x), Lanes: lanes, Active: active, Picked: picked, In: in, Out: out, Result: result}
	for _, p := range x.Operands {
		if p.Writes && f.ResultName == "" {
			f.ResultName, f.OutName = p.Text, p.Text
		} else if !p.Writes && f.InName == "" {
			f.InName = p.Text
		}
	}
	x.Picture = func() []byte { return f.SVG() }
	g := f
	g.Title, g.Subtitle = "", nil
	x.PictureText = func() string { return g.Text() }
}

// fragments sets the matrices and their pictures.
func fragments(x *api.Explanation, list []ptx.Fragment) {
	g := draw.Grid{Title: x.Instr}
	for _, f := range list {
		if f.Elements != nil {
			x.Fragments = append(x.Fragments, api.ExplainedFragment{Name: f.Name, Lanes: f.Elements})
		}
		p := draw.GridPart{Title: f.Title, Rows: f.Rows, Cols: f.Cols}
		for i, row := range f.Cells {
			var cells []draw.GridCell
			for j, c := range row {
				cells = append(cells, draw.GridCell{Text: c.Text, Key: c.Reg, Say: fmt.Sprintf("row %s, column %s: lane %d", f.Rows[i], f.Cols[j], c.Lane)})
			}
			p.Cells = append(p.Cells, cells)
		}
		g.Parts = append(g.Parts, p)
	}
	x.Picture = func() []byte { return g.SVG() }
	bare := g
	bare.Title = ""
	x.PictureText = func() string { return bare.Text() }
}

// subtitle is the line under the title of the picture: the operands that decide the lanes.
func subtitle(x *api.Explanation) []string {
	var s []string
	for _, p := range append(append([]api.ExplainedPart{}, x.Modifiers...), x.Operands...) {
		if p.Meaning != "" && len(s) < 8 && !p.Writes {
			s = append(s, fmt.Sprintf("%s: %s", p.Shown(), p.Meaning))
		}
	}
	return s
}

func laneList(m lane.Mask) []int {
	l := make([]int, 0, m.Count())
	for i := range m.Lanes() {
		l = append(l, i)
	}
	return l
}
