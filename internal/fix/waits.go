// Package fix applies the changes of the text that findings propose: missing waits of GCN3 assembly,
// and proposals for PTX. Rules never edit text: they attach edits to findings.
package fix

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/amdgpu/hazard"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
)

// maxFixRounds bounds how often a text is fixed and checked again.
const maxFixRounds = 64

// FixWaits is crosslane.FixWaits.
func FixWaits(src []byte, file string, o api.FixOptions) (*api.FixResult, error) {
	if codeobject.IsELF(src) || codeobject.IsBundle(src) {
		d := diag.Errorf(diag.Pos{File: file}, diag.Input, "unknown-kind", "this is a code object, and only assembly text can be fixed")
		d.Remedy = "convert it to text with crosslane dis"
		return nil, diag.List{d}
	}
	f := &fixer{file: file, load: api.LoadOptions{ISA: api.GCN3, Include: o.Include, Symbols: o.Symbols}}
	for i, l := range strings.Split(string(src), "\n") {
		f.lines = append(f.lines, fixLine{text: l, old: l, line: i + 1})
	}
	var reports []*hazard.WaitReport
	var codes []amdgpu.Code
	for range maxFixRounds {
		var err error
		if codes, reports, err = f.check(); err != nil {
			return nil, err
		}
		n := 0
		for i, r := range reports {
			n += f.apply(r.Edits(), codes[i])
		}
		if n == 0 {
			break
		}
		f.flush()
	}
	if o.Minimal {
		if err := f.minimal(); err != nil {
			return nil, err
		}
		var err error
		if _, reports, err = f.check(); err != nil {
			return nil, err
		}
	}
	return f.result(reports), nil
}

// fixLine is a line of the text while it is being changed.
type fixLine struct {
	text, old string
	line      int // 0: it was inserted
	why       string
	gone      bool
}

// fixer inserts waits into a text.
type fixer struct {
	file  string
	load  api.LoadOptions
	lines []fixLine
	plan  map[fixPlace]*hazard.WaitEdit // the edits of this round
	order []fixPlace
}

// fixPlace is where an edit is made: a macro's line may be many instructions.
type fixPlace struct {
	line int // index
	how  hazard.EditKind
}

func (f *fixer) text() string {
	var b strings.Builder
	first := true
	for i := range f.lines {
		if f.lines[i].gone {
			continue
		}
		if !first {
			b.WriteByte('\n')
		}
		first = false
		b.WriteString(f.lines[i].text)
	}
	return b.String()
}

// check runs the check on all kernels.
func (f *fixer) check() (codes []amdgpu.Code, reports []*hazard.WaitReport, err error) {
	m, err := session.LoadWith([]byte(f.text()), f.file, f.load)
	if err != nil {
		return nil, nil, err
	}
	list := slices.Concat(m.Kernels(), m.Functions())
	if len(list) == 0 {
		list = m.Snippet()
	}
	if len(list) == 0 {
		_, err := m.Kernel("") // there is none
		return nil, nil, err
	}
	for _, k := range list {
		r, err := hazard.CheckStatic(k.Code())
		switch {
		case err != nil && k.Code().Function && len(m.Kernels()) > 0:
			continue // no code that is launched needs it
		case err != nil:
			return nil, nil, session.InKernel(diag.Of(err), k.Name())
		}
		codes, reports = append(codes, k.Code()), append(reports, r)
	}
	return codes, reports, nil
}

// apply plans edits and returns how many it planned.
func (f *fixer) apply(edits []hazard.WaitEdit, code amdgpu.Code) (n int) {
	if f.plan == nil {
		f.plan = map[fixPlace]*hazard.WaitEdit{}
	}
	for _, e := range edits {
		line, col, _, ok := code.Source(e.Off)
		if !ok || col == 0 || line > len(f.lines) { // in an included file; no line has been removed yet
			continue
		}
		if e.How == hazard.EditReplace {
			if _, ok := session.ReplaceWait(f.lines[line-1].text, e.Text()); !ok {
				e.How = hazard.EditBefore // it is made by a macro
			}
		}
		n++
		e.Why = f.asItWas(e.Why)
		p := fixPlace{line - 1, e.How}
		o := f.plan[p]
		if o == nil {
			f.plan[p] = &e
			f.order = append(f.order, p)
			continue
		}
		if e.States > 0 && o.States > 0 {
			o.States = max(o.States, e.States)
		} else if e.States == 0 {
			o.States, o.Counts = 0, fewerCounts(o.Counts, e.Counts)
		}
	}
	return n
}

// lineNumber is a line that a message names.
var lineNumber = regexp.MustCompile(`line (\d+)`)

// asItWas replaces the line numbers of a message by those of the original text.
func (f *fixer) asItWas(msg string) string {
	return lineNumber.ReplaceAllStringFunc(msg, func(s string) string {
		n, _ := strconv.Atoi(s[len("line "):])
		if n < 1 || n > len(f.lines) || f.lines[n-1].line == 0 {
			return s
		}
		return fmt.Sprintf("line %d", f.lines[n-1].line)
	})
}

func fewerCounts(a, b [3]int) [3]int {
	for k := range a {
		if a[k] < 0 || b[k] >= 0 && b[k] < a[k] {
			a[k] = b[k]
		}
	}
	return a
}

// flush makes the planned edits, from the end.
func (f *fixer) flush() {
	slices.SortFunc(f.order, func(a, b fixPlace) int {
		if a.line != b.line {
			return b.line - a.line
		}
		return int(b.how) - int(a.how)
	})
	for _, p := range f.order {
		e, l := f.plan[p], &f.lines[p.line]
		switch p.how {
		case hazard.EditReplace:
			if text, ok := session.ReplaceWait(l.text, e.Text()); ok {
				l.text, l.why = text, e.Why
			}
		case hazard.EditRemove:
			l.gone, l.why = true, e.Why
		case hazard.EditAfter:
			f.lines = slices.Insert(f.lines, p.line+1, fixLine{text: session.IndentOf(l.text) + e.Text() + session.LineEnd(l.text), why: e.Why})
		case hazard.EditBefore:
			if m := labelled.FindStringSubmatch(l.text); m != nil {
				// A branch to the label has to pass the wait as well.
				rest := fixLine{text: strings.Repeat(" ", max(len(m[1]), 2)) + m[2]}
				l.text, l.why = m[1]+e.Text()+session.LineEnd(l.text), e.Why
				f.lines = slices.Insert(f.lines, p.line+1, rest)
				continue
			}
			f.lines = slices.Insert(f.lines, p.line, fixLine{text: session.IndentOf(l.text) + e.Text() + session.LineEnd(l.text), why: e.Why})
		}
	}
	f.plan, f.order = nil, nil
}

// labelled matches labels before an instruction, in one line.
var labelled = regexp.MustCompile(`^(\s*(?:[\w.$@\\()]+\s*:\s*)+)(\S.*)$`)

// result lists the changes.
func (f *fixer) result(reports []*hazard.WaitReport) *api.FixResult {
	r := &api.FixResult{Text: []byte(f.text())}
	for i, l := range f.lines {
		e := api.FixEdit{Line: l.line, Old: strings.TrimSpace(l.old), New: strings.TrimSpace(l.text), Why: l.why}
		switch {
		case l.why == "" || l.line > 0 && !l.gone && l.old == l.text:
			continue
		case l.gone:
			e.New = ""
		case l.line == 0:
			for _, next := range f.lines[i:] {
				if e.Line = next.line; e.Line > 0 {
					break
				}
			}
		}
		r.Edits = append(r.Edits, e)
	}
	seen := map[string]bool{}
	shown := f.shown()
	for _, rep := range reports {
		for _, m := range rep.Missing {
			if !m.Certain() {
				r.Left = append(r.Left, m.Diag)
				continue
			}
			what := "the text"
			if i := strings.LastIndex(m.Diag.Source, session.FromIncluded); m.Diag.Pos.Col == 0 && i >= 0 {
				what = "this text, because it stands in the included file " + m.Diag.Source[i+len(session.FromIncluded):]
			}
			d := diag.Errorf(m.Diag.Pos, diag.Finding, "not-fixable", "this could not be fixed in %s: %s", what, m.Diag.Message)
			d.Source, d.Related, d.Section, d.Remedy = m.Diag.Source, m.Diag.Related, m.Diag.Section, m.Diag.Remedy
			d = f.before(d, shown)
			if !seen[d.Error()] {
				seen[d.Error()] = true
				r.Left = append(r.Left, d)
			}
		}
		for _, s := range rep.Spare {
			d := *s.Diag
			if n := d.Pos.Line; n > 0 && n <= len(shown) && !seen[d.Error()] {
				seen[s.Diag.Error()] = true
				if d.Pos.Line = f.lines[shown[n-1]].line; d.Pos.Line > 0 {
					r.Needless = append(r.Needless, &d)
				}
			}
		}
		for _, d := range rep.Limits {
			if !seen[d.Error()] && d.Severity >= diag.Warning {
				seen[d.Error()] = true
				r.Left = append(r.Left, d)
			}
		}
	}
	return r
}

// before gives a diagnostic about the current text the line numbers of the original.
func (f *fixer) before(d *diag.Diagnostic, shown []int) *diag.Diagnostic {
	was := func(n int) int {
		for n > 0 && n <= len(shown) {
			if l := f.lines[shown[n-1]].line; l > 0 {
				return l
			}
			n++ // it was inserted: take the next line
		}
		return n
	}
	message := func(s string) string {
		return lineNumber.ReplaceAllStringFunc(s, func(s string) string {
			n, _ := strconv.Atoi(s[len("line "):])
			return fmt.Sprintf("line %d", was(n))
		})
	}
	out := *d
	out.Pos.Line, out.Message, out.Remedy = was(d.Pos.Line), message(d.Message), message(d.Remedy)
	out.Related = slices.Clone(d.Related)
	for i := range out.Related {
		out.Related[i].Pos.Line = was(out.Related[i].Pos.Line)
	}
	return &out
}

// minimal removes needless waits, as many at once as possible without a new finding.
func (f *fixer) minimal() error {
	kept := map[int]bool{} // lines that must stay after all
	most := len(f.lines)
	for range maxFixRounds {
		codes, reports, err := f.check()
		if err != nil {
			return err
		}
		missing := countMissing(reports)
		edits := f.spare(codes, reports, kept)
		if len(edits) == 0 {
			return nil
		}
		edits = edits[:min(most, len(edits))]
		before := slices.Clone(f.lines)
		for _, e := range edits {
			f.plan = map[fixPlace]*hazard.WaitEdit{e.at: &e.WaitEdit}
			f.order = []fixPlace{e.at}
			f.flush()
		}
		if _, reports, err = f.check(); err == nil && countMissing(reports) <= missing {
			continue
		}
		f.lines = before
		if len(edits) == 1 {
			kept[edits[0].at.line] = true
		}
		most = max(1, len(edits)/2)
	}
	return nil
}

func countMissing(reports []*hazard.WaitReport) (n int) {
	for _, r := range reports {
		n += len(r.Missing)
	}
	return n
}

// spareEdit is an edit of a line.
type spareEdit struct {
	hazard.WaitEdit
	at fixPlace
}

// spare collects waits that are needless in all kernels, and in all uses of a macro's line; from
// the end, so that lines keep their numbers.
func (f *fixer) spare(codes []amdgpu.Code, reports []*hazard.WaitReport, kept map[int]bool) (list []spareEdit) {
	uses, found := map[int]int{}, map[int]*spareEdit{}
	for i, r := range reports {
		shown := f.shown()
		for _, off := range r.Waits {
			if line, col, _, ok := codes[i].Source(off); ok && col > 0 && line <= len(shown) {
				uses[shown[line-1]]++
			}
		}
		for _, s := range r.Spare {
			line, col, _, ok := codes[i].Source(s.Edit.Off)
			if !ok || col == 0 || line > len(shown) {
				continue
			}
			at := shown[line-1]
			uses[at]--
			e := found[at]
			if e == nil {
				e = &spareEdit{WaitEdit: s.Edit}
				found[at] = e
				continue
			}
			if s.Edit.How == hazard.EditReplace {
				e.How, e.States, e.Counts = s.Edit.How, max(e.States, s.Edit.States), fewerCounts(e.Counts, s.Edit.Counts)
			}
		}
	}
	for at, e := range found {
		l := f.lines[at].text
		switch _, writable := session.ReplaceWait(l, e.Text()); {
		case uses[at] > 0 || kept[at]:
			continue
		case e.How == hazard.EditReplace && !writable:
			continue
		case e.How == hazard.EditRemove && !aloneInLine.MatchString(l):
			continue // a label stands there too
		}
		e.at = fixPlace{at, e.How}
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b spareEdit) int { return b.at.line - a.at.line })
	return list
}

// aloneInLine is a wait without a label, perhaps with a comment.
var aloneInLine = regexp.MustCompile(`^\s*(?:s_nop|s_waitcnt)\b`)

// shown is the index of each line of the text.
func (f *fixer) shown() []int {
	var l []int
	for i := range f.lines {
		if !f.lines[i].gone {
			l = append(l, i)
		}
	}
	return l
}
