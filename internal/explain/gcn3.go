package explain

import (
	"fmt"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/api"
)

func explainGCN3(instr string, o api.ExplainOptions) (*api.Explanation, error) {
	opt := amdgpu.ExplainOptions{Exec: o.Exec, Values: map[string][]uint64{}}
	for _, s := range o.Set {
		opt.Values[s.Reg] = s.Bits
	}
	e, err := asm.Explain(instr, opt)
	if err != nil {
		return nil, err
	}
	x := &api.Explanation{ISA: api.GCN3, Instr: e.Instr, About: e.About, Section: e.Section, Cost: strings.Join(e.Cost, "; "),
		Notes: append(e.Notes, e.Errata...), Hazards: append(e.Hazards, e.Waits...), Reads: e.Reads, Writes: e.Writes, Unit: e.Unit, Refused: e.Refused, Needs: []string{"gfx8 (Tonga, Fiji, Polaris), wave64"}}
	for _, p := range e.Modifiers {
		x.Modifiers = append(x.Modifiers, api.ExplainedPart(p))
	}
	for _, p := range e.Operands {
		x.Operands = append(x.Operands, api.ExplainedPart(p))
	}
	code := api.ExplainedCode{Name: e.Encoding, Bytes: fmt.Sprintf("% x", e.Bytes), Picture: e.Picture}
	for _, f := range e.Fields {
		bits := fmt.Sprint(f.Hi)
		if f.Hi != f.Lo {
			bits = fmt.Sprintf("%d:%d", f.Hi, f.Lo)
		}
		code.Fields = append(code.Fields, api.ExplainedField{Name: f.Name, Bits: bits, Value: f.Value})
	}
	x.Encodings = []api.ExplainedCode{code}
	if len(e.Encodings) == 1 {
		e.Encodings = nil // the one shown
	}
	for _, p := range e.Encodings {
		x.Encodings = append(x.Encodings, api.ExplainedCode{Name: strings.TrimSpace(p.Name + " " + p.Text), Meaning: p.Meaning})
	}
	if e.Map != nil {
		lanes(x, e.Map, ^e.Executing, 0, false, e.Lost)
	}
	if e.Fold != nil {
		fold(x, 64, e.Fold.Participants, e.Fold.Picked, e.Fold.In, e.Fold.Out, e.Fold.Result)
	}
	return x, nil
}
