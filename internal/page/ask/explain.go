package ask

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/explain"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// maxInstruction is the greatest length of an instruction, in bytes.
const maxInstruction = 64 << 10

// An Instruction names instructions and the registers on which they run.
type Instruction struct {
	Text    string             `json:"text"`
	Options InstructionOptions `json:"options"`
}

// InstructionOptions are the options of explain and try on the command line.
type InstructionOptions struct {
	// Target is the instruction set, "ptx" or "gcn3"; "" and "auto": by the look of the text.
	Target string `json:"target"`
	// Active is the mask of active lanes, as --exec takes it; "": all.
	Active string   `json:"active"`
	Set    []string `json:"set"` // REG[:TYPE]=INIT
	// The rest is for try: registers to show, how 32-bit registers are read, and whether the registers after each instruction
	// are wanted.
	Show  []string `json:"show"`
	As    string   `json:"as"`
	Trace bool     `json:"trace"`
	// TimeoutMS bounds the run, in milliseconds.
	TimeoutMS int `json:"timeout_ms"`
}

// Read reads the parameters of explain and of try: the instruction set, the registers and the active lanes.
func (q *Instruction) Read(params []byte) (isa api.ISA, sets []api.TrySet, exec *uint64, err error) {
	if err := Params(params, q); err != nil {
		return "", nil, nil, err
	}
	if len(q.Text) > maxInstruction {
		return "", nil, nil, usage("the text has %s; %s is the limit", input.BytesText(uint64(len(q.Text))), input.BytesText(maxInstruction))
	}
	if strings.TrimSpace(q.Text) == "" {
		return "", nil, nil, usage("the text is empty: give an instruction")
	}
	target := q.Options.Target
	if target == "" {
		target = "auto"
	}
	if err := input.OneOf("target", target, "auto", "ptx", "gcn3"); err != nil {
		return "", nil, nil, usage("%s", err)
	}
	isa = input.GuestISA(target, q.Text)
	for _, s := range q.Options.Set {
		set, err := input.ParseSet(s, isa, NoFile)
		if err != nil {
			return "", nil, nil, err
		}
		sets = append(sets, set)
	}
	if q.Options.Active != "" {
		typ := value.Type("u64")
		if isa == api.PTX {
			typ = "u32"
		}
		m, err := value.Parse(typ, q.Options.Active)
		if err != nil {
			return "", nil, nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "active: %s", err)
		}
		exec = &m
	}
	return isa, sets, exec, nil
}

// NoFile refuses to read a file.
func NoFile(name string, _ int64) ([]byte, int64, error) {
	return nil, 0, fmt.Errorf("%s is a file, and the page reads only files that were opened in it", input.Quoted(name))
}

// Explained is the answer of explain. Kind is "instruction", "family" or "code".
type Explained struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	SVG  string `json:"svg,omitempty"` // the lane map; "": the instruction moves nothing between lanes
	Data any    `json:"data"`          // the JSON of explain
}

// oneWord matches the first part of an opcode, the beginning of a mnemonic, or a code.
var oneWord = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// Explain explains an instruction, a family of instructions, or a code of diagnostics.
func Explain(_ context.Context, params []byte) (any, error) {
	var q Instruction
	isa, sets, exec, err := q.Read(params)
	if err != nil {
		return nil, err
	}
	word := strings.TrimSpace(q.Text)
	if c, ok := diag.LookupCode(word); ok && q.Options.Target == "" {
		return &Explained{Kind: "code", Text: c.Page(), Data: codePage{c.Code, c.Class.String(), c.Severity.String(), c.Doc, c.Remedy, c.Section, c.Example, c.Good}}, nil
	}
	e, err := explain.Explain(q.Text, api.ExplainOptions{ISA: isa, Exec: exec, Set: sets})
	if err != nil {
		if oneWord.MatchString(word) && len(diag.Of(err)) == 1 && diag.Of(err)[0].Code == "unknown-instruction" {
			asked := isa
			if q.Options.Target == "" || q.Options.Target == "auto" {
				asked = api.Auto
			}
			if page := explain.Family(word, asked); page != nil {
				return &Explained{Kind: "family", Text: page.Text(), Data: page}, nil
			}
		}
		return nil, err
	}
	return &Explained{Kind: "instruction", Text: strings.TrimRight(e.Text(), "\n") + "\n", SVG: string(bytes.TrimRight(e.SVG(), "\n")), Data: e}, nil
}

// codePage is the page of a code, as explain --format json writes it.
type codePage struct {
	Code     string `json:"code"`
	Class    string `json:"class"`
	Severity string `json:"severity"`
	Doc      string `json:"doc"`
	Remedy   string `json:"remedy"`
	Section  string `json:"section,omitempty"`
	Wrong    string `json:"wrong,omitempty"`
	Right    string `json:"right,omitempty"`
}
