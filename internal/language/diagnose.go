package language

import (
	"context"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/report"
)

// A Diagnostic is a finding about the text, or the reason why it does not load.
type Diagnostic struct {
	Range    Range
	Severity diag.Severity
	Code     string
	// Message is the finding, and in further lines the lanes and the remedy.
	Message string
	Related []Related
	// Needless reports that the text of the range has no effect, Old that a newer form replaces it.
	Needless, Old bool
	// From is the finding itself.
	From *diag.Diagnostic
}

// A Related is a further place of a Diagnostic.
type Related struct {
	File    string // the name of the Document, or of a source that the text was compiled from
	Range   Range
	Message string
}

// Diagnostics returns the findings of crosslane check --static --all for the text: the errors and warnings of
// loading it, and the findings about all paths of its kernels. Comments excuse findings as they do there. The error is that of ctx.
func (d *Document) Diagnostics(ctx context.Context) ([]Diagnostic, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.isa == crosslane.Auto {
		return d.inlineDiagnostics(ctx)
	}
	d.foundMu.Lock()
	defer d.foundMu.Unlock()
	if known := d.found.Load(); known != nil {
		return *known, nil
	}
	list, err := d.check(ctx)
	if err != nil {
		return nil, err
	}
	out := d.show(list)
	d.found.Store(&out)
	return out, nil
}

// check loads the text and checks its kernels.
func (d *Document) check(ctx context.Context) (list diag.List, err error) {
	p := d.divide()
	known, divided := d.svc.knownBodies(p)
	if divided {
		if list, ok, err := d.checkBodies(ctx, p, known); err != nil || ok {
			return d.excuse(list), err
		}
	}
	m, err := crosslane.LoadWith([]byte(d.text.text), d.name, crosslane.LoadOptions{ISA: d.isa, Include: d.opt.Include})
	if err != nil {
		return d.excuse(diag.Of(err)), nil
	}
	if divided { // the pieces of a right text were wrong
		d.svc.keepWhole(p)
		p = nil
	}
	if list, err = d.wholeText(ctx, m, p); err != nil {
		return nil, err
	}
	return d.excuse(list), nil
}

// keyOf is equal for findings that two kernels share, because both reach an instruction.
func keyOf(d *diag.Diagnostic) string { return d.Error() }

// excuse drops the findings that comments in the text excuse, and adds the errors in those comments.
func (d *Document) excuse(list diag.List) diag.List {
	ignores, bad := report.ReadIgnores(d.name, []byte(d.text.text))
	found := report.New(list, diag.Error)
	report.Excuse(found, ignores)
	var out diag.List
	for _, f := range found {
		if f.By == "" {
			out = append(out, f.Diagnostic)
		}
	}
	return append(out, bad...)
}

// show gives findings their ranges.
func (d *Document) show(list diag.List) []Diagnostic {
	out := make([]Diagnostic, 0, len(list))
	for _, f := range list {
		x := Diagnostic{Range: d.rangeOf(f.Pos), Severity: f.Severity, Code: f.Code, Message: f.Message, From: f,
			Needless: f.Code == "needless-wait", Old: f.Code == "deprecated-instruction"}
		if f.Lanes != "" {
			x.Message += "\nlanes: " + f.Lanes
		}
		if f.Remedy != "" {
			x.Message += "\nremedy: " + f.Remedy
		}
		for _, r := range f.Related {
			x.Related = append(x.Related, Related{File: r.Pos.File, Range: d.rangeOf(r.Pos), Message: r.Message})
		}
		out = append(out, x)
	}
	return out
}

// rangeOf returns the text that a diagnostic points at: the token at its place, or the line. In another file it is
// the place alone.
func (d *Document) rangeOf(p diag.Pos) Range {
	if p.File != d.name && p.File != "" {
		at := Position{max(p.Line-1, 0), max(p.Col-1, 0)}
		return Range{at, at}
	}
	if p.Line == 0 {
		return d.text.between(0, d.text.lineEnd(0))
	}
	from := d.text.byteAt(p.Line, p.Col)
	line := d.text.byteAt(p.Line, 1)
	end := d.text.byteAt(p.Line, len(d.text.text)+1)
	text := strings.TrimRight(d.text.text[line:end], "\r")
	if p.Col == 0 {
		code := strings.TrimSpace(text)
		from = line + strings.Index(text, code)
		return d.text.between(from, from+len(code))
	}
	to := d.endOf(from)
	if to <= from { // after the end of the line
		to = max(from, line+len(text))
	}
	return d.text.between(from, to)
}

// endOf returns the end of the token at an offset; of an opcode with its modifiers. It is the offset itself if
// there is none.
func (d *Document) endOf(off int) int {
	i, found := slices.BinarySearchFunc(d.toks, off, func(t token, off int) int {
		switch {
		case t.to <= off:
			return -1
		case t.from > off:
			return 1
		}
		return 0
	})
	if !found || d.toks[i].kind == tokLine {
		return off
	}
	if s := d.statementAt(i); s != nil && i == s.op && s.kind == instruction && s.opTo > i {
		return d.toks[s.opTo-1].to
	}
	return d.toks[i].to
}

// An Action is a change of the text that mends a finding.
type Action struct {
	Title string
	Of    Diagnostic
	Edits []TextEdit
	// Preferred reports that it is the likeliest change.
	Preferred bool
}

// Actions returns the changes that the findings in a range propose.
func (d *Document) Actions(ctx context.Context, at Range) (list []Action, err error) {
	found, err := d.Diagnostics(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if before(f.Range.End, at.Start) || before(at.End, f.Range.Start) {
			continue
		}
		for i, fix := range f.From.Fixes {
			edits, ok := d.edits(fix)
			if !ok {
				continue
			}
			title := fix.Message
			if len(fix.Edits) == 1 {
				title = fix.String()
			}
			list = append(list, Action{Title: title, Of: f, Edits: edits, Preferred: i == 0})
		}
	}
	return list, nil
}

// edits converts the changes of a fix; ok is false if they do not fit the text.
func (d *Document) edits(fix diag.Fix) (list []TextEdit, ok bool) {
	if _, ok := fix.Apply(d.text.text); !ok {
		return nil, false
	}
	for _, e := range fix.Edits {
		if e.Pos.File != d.name {
			return nil, false
		}
		from := d.text.byteAt(e.Pos.Line, e.Pos.Col)
		list = append(list, TextEdit{d.text.between(from, from+len(e.Old)), e.New})
	}
	return list, true
}

// before reports whether a position comes before another one.
func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
