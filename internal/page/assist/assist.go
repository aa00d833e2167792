// Package assist answers the questions of the page's editor about a program, and those of its planner.
package assist

import (
	"context"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/language"
	"example.org/crosslane/internal/page/ask"
	"example.org/crosslane/internal/value"
)

const (
	maxText  = 4 << 20 // bytes of a program that is looked at
	maxItems = 200     // proposals in one answer
	limit    = 10 * time.Second
)

// Add adds the operations diagnose, hover, complete, symbols and plan to a desk.
func Add(d *ask.Desk) {
	s := language.NewService()
	d.Add("diagnose", about(s, diagnose))
	d.Add("hover", about(s, hover))
	d.Add("complete", about(s, complete))
	d.Add("symbols", about(s, symbols))
	d.Add("plan", plan)
}

// question is a place in a program. Lines and characters count from 0, characters in UTF-16.
type question struct {
	Program  *program          `json:"program"`
	Position language.Position `json:"position"`
}

type program struct {
	Name     string            `json:"name"`
	Text     string            `json:"text"`
	Base64   string            `json:"base64"`
	Includes map[string]string `json:"includes"`
}

// about makes an operation of a function of a document and a place in it.
func about(s *language.Service, do func(context.Context, *language.Document, language.Position) (any, error)) ask.Op {
	return func(ctx context.Context, params []byte) (any, error) {
		var q question
		if err := ask.Params(params, &q); err != nil {
			return nil, err
		}
		if q.Program == nil {
			return nil, usage("params: program is missing")
		}
		if len(q.Program.Text) > maxText {
			return nil, usage("program: it has %s; the editor helps up to %s", input.BytesText(uint64(len(q.Program.Text))), input.BytesText(maxText))
		}
		if q.Position.Line < 0 || q.Position.Character < 0 {
			return nil, usage("position: line and character are at least 0, found %d and %d", q.Position.Line, q.Position.Character)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		d := s.Open(q.Program.Name, q.Program.Text, language.Options{Include: func(name string) ([]byte, error) {
			if text, ok := q.Program.Includes[name]; ok {
				return []byte(text), nil
			}
			return nil, usage("%s is not among the files that were opened in the page", input.Quoted(name))
		}})
		return do(ctx, d, q.Position)
	}
}

// found is a finding with the range of its text.
type found struct {
	Range language.Range   `json:"range"`
	From  *diag.Diagnostic `json:"finding"`
}

func diagnose(ctx context.Context, d *language.Document, _ language.Position) (any, error) {
	list, err := d.Diagnostics(ctx)
	if err != nil {
		return nil, err
	}
	out := struct {
		Findings []found `json:"findings"`
	}{[]found{}}
	for _, x := range list {
		out.Findings = append(out.Findings, found{x.Range, x.From})
	}
	return out, nil
}

// hovered is Markdown, and the range that it is about; "": there is nothing to say.
type hovered struct {
	Text  string          `json:"text"`
	Range *language.Range `json:"range,omitempty"`
}

func hover(_ context.Context, d *language.Document, at language.Position) (any, error) {
	h := d.Hover(at, language.HoverStyle{})
	if h == nil {
		return hovered{}, nil
	}
	return hovered{h.Text, &h.Range}, nil
}

// proposal is a word that fits, and the range that it replaces.
type proposal struct {
	Label  string         `json:"label"`
	Detail string         `json:"detail,omitempty"`
	Doc    string         `json:"documentation,omitempty"`
	Insert string         `json:"insert"`
	Range  language.Range `json:"range"`
	Old    bool           `json:"old,omitempty"` // the module's version or target lacks it
}

func complete(_ context.Context, d *language.Document, at language.Position) (any, error) {
	out := struct {
		Items []proposal `json:"items"`
		More  bool       `json:"more,omitempty"` // further words fit
	}{Items: []proposal{}}
	for _, c := range d.Complete(at) {
		if len(out.Items) == maxItems {
			out.More = true
			break
		}
		out.Items = append(out.Items, proposal{c.Label, c.Detail, c.Doc, c.Edit.NewText, c.Edit.Range, c.Old})
	}
	return out, nil
}

// symbol is a name that a program declares, with those inside it.
type symbol struct {
	Name   string         `json:"name"`
	Kind   string         `json:"kind"`
	Detail string         `json:"detail,omitempty"`
	Range  language.Range `json:"range"` // of the name
	Inside []symbol       `json:"inside,omitempty"`
}

var kinds = map[language.SymbolKind]string{
	language.SymbolFunction: "function", language.SymbolKernel: "kernel", language.SymbolVariable: "variable", language.SymbolLabel: "label",
	language.SymbolConstant: "constant",
}

// maxSymbols is the greatest number of names in one answer.
const maxSymbols = 2000

func symbols(_ context.Context, d *language.Document, _ language.Position) (any, error) {
	out := struct {
		Symbols []symbol `json:"symbols"`
		More    bool     `json:"more,omitempty"` // further names were left out
	}{Symbols: []symbol{}}
	left := maxSymbols
	var take func(list []language.DocumentSymbol) []symbol
	take = func(list []language.DocumentSymbol) (to []symbol) {
		for i := range list {
			if left == 0 {
				out.More = true
				break
			}
			left--
			s := &list[i]
			to = append(to, symbol{s.Name, kinds[s.Kind], s.Detail, s.Selection, take(s.Children)})
		}
		return to
	}
	out.Symbols = append(out.Symbols, take(d.Symbols())...)
	return out, nil
}

// planned is the answer of plan: as the command line prints it, the picture of its lane map, and as JSON.
type planned struct {
	Text string                `json:"text"`
	SVG  string                `json:"svg,omitempty"`
	Data *crosslane.PlanResult `json:"data"`
}

func plan(ctx context.Context, params []byte) (any, error) {
	var q struct {
		Goal   string `json:"goal"`
		Target string `json:"target"`
		Prefer string `json:"prefer"`
		Active string `json:"active"`
	}
	if err := ask.Params(params, &q); err != nil {
		return nil, err
	}
	if q.Target == "" {
		return nil, usage("target is missing: gfx803, or a target of PTX such as sm_80")
	}
	o := crosslane.PlanOptions{Target: q.Target, Prefer: q.Prefer}
	if q.Active != "" {
		m, err := value.Parse("u64", q.Active)
		if err != nil {
			return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "active: %s", err)
		}
		o.Active = &m
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p, err := crosslane.Plan(ctx, q.Goal, o)
	if err != nil {
		return nil, err
	}
	return planned{p.Text(), string(p.SVG()), p}, nil
}

func usage(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{}, diag.Input, "usage", format, args...)
}
