package session

import (
	"regexp"
	"strings"
	"sync"

	"example.org/crosslane/amdgpu/hazard"

	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// suggest adds to findings the changes of the text that would fix them.
func (k *Kernel) suggest(list diag.List) {
	if k.m.ptx != nil {
		ptx.Suggest(k.m.ptx, list)
		return
	}
	for _, d := range list {
		if !hazard.IsWait(d.Code) || d.Pos.Line == 0 || d.Fixes != nil {
			continue
		}
		k.waits.once.Do(k.findWaitFixes)
		if f := k.waits.fixes[waitPlace{d.Pos.Line, d.Pos.Col, d.Code}]; len(f) == 1 {
			d.Fixes = f
		}
	}
}

// waitFixes are the best places for waits, by finding. An instruction that comes too early in a run
// comes too early on a path, so that the check of all paths finds it.
type waitFixes struct {
	once  sync.Once
	fixes map[waitPlace][]diag.Fix
}

type waitPlace struct {
	line, col int
	code      string
}

func (k *Kernel) findWaitFixes() {
	k.waits.fixes = map[waitPlace][]diag.Fix{}
	w, err := hazard.CheckStatic(k.code())
	if err != nil {
		return // it cannot be followed: CheckStatic reports so on request
	}
	k.SuggestWaits(w)
	for i := range w.Missing {
		f := w.Missing[i].Diag
		p := waitPlace{f.Pos.Line, f.Pos.Col, f.Code}
		k.waits.fixes[p] = append(k.waits.fixes[p], f.Fixes...)
	}
}

// SuggestWaits adds to findings the edits that FixWaits would make if there were no other findings.
func (k *Kernel) SuggestWaits(w *hazard.WaitReport) {
	if len(w.Missing) == 0 || k.m.source == "" {
		return
	}
	code, lines := k.code(), strings.Split(k.m.source, "\n")
	for i := range w.Missing {
		m := &w.Missing[i]
		e, ok := w.EditOf(m)
		if !ok {
			continue
		}
		if line, col, _, ok := code.Source(e.Off); ok && line >= 1 && line <= len(lines) && col >= 1 && col <= len(lines[line-1])+1 {
			m.Diag.Fixes = []diag.Fix{waitFix(code.File, lines[line-1], line, col, &e)}
		}
	}
}

// waitFix makes an edit of a line, whose instruction begins in a column.
func waitFix(file, text string, line, col int, e *hazard.WaitEdit) diag.Fix {
	change := diag.Fix{Message: "wait for it"}
	indent, end := IndentOf(text), LineEnd(text)
	insert := func(line, col int, s string) {
		change.Edits = []diag.Edit{{Pos: diag.Pos{File: file, Line: line, Col: col}, New: s}}
	}
	switch {
	case e.How == hazard.EditReplace:
		if _, ok := ReplaceWait(text, e.Text()); ok {
			m := waitLine.FindStringSubmatch(text)
			change.Message = "wait longer"
			change.Edits = []diag.Edit{{Pos: diag.Pos{File: file, Line: line, Col: len(m[1]) + 1}, Old: m[2] + m[3], New: e.Text()}}
			break
		}
		insert(line, 1, indent+e.Text()+end+"\n") // it is made by a macro
	case e.How == hazard.EditAfter:
		insert(line+1, 1, indent+e.Text()+end+"\n")
	case strings.TrimSpace(text[:col-1]) != "": // after labels, so that a branch to them waits as well
		insert(line, col, e.Text()+end+"\n"+strings.Repeat(" ", max(len(indent), 2)))
	default:
		insert(line, 1, indent+e.Text()+end+"\n")
	}
	return change
}

// ReplaceWait puts an instruction in place of the s_nop or s_waitcnt in a line, if its
// operand is written out.
func ReplaceWait(line, text string) (string, bool) {
	m := waitLine.FindStringSubmatch(line)
	word, _, _ := strings.Cut(text, " ")
	if m == nil || m[2] != word || strings.Contains(m[3], `\`) {
		return line, false
	}
	return m[1] + text + m[4], true
}

func IndentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// LineEnd is the part of the line's end at which lines are not split.
func LineEnd(line string) string {
	if strings.HasSuffix(line, "\r") {
		return "\r"
	}
	return ""
}

// waitLine matches an s_nop or s_waitcnt with the text around it.
var waitLine = regexp.MustCompile(`^(|.*?[\s:/])(s_nop|s_waitcnt)\b([^;/]*?)(\s*(?:[;/].*)?)$`)
