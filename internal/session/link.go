package session

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// LinkPart is crosslane.LinkFile.
type LinkPart = ptx.LinkPart

// Link is crosslane.Link.
func Link(parts []LinkPart) (*Module, error) {
	var list []LinkPart
	for _, p := range parts {
		if data := []byte(p.Text); IsFat(data) {
			texts, err := (&fatFile{file: p.File}).texts(data)
			if err != nil {
				return nil, err
			}
			list = append(list, linkInput(texts)...)
			continue
		}
		list = append(list, LinkPart{File: p.File, Text: strings.TrimPrefix(p.Text, byteOrderMark)})
	}
	if len(list) == 1 {
		return Load([]byte(list[0].Text), list[0].File, api.PTX)
	}
	l, err := ptx.Link(list)
	if err != nil {
		return nil, err
	}
	t := &linkedText{l, "linked modules", list[0].File}
	for slices.ContainsFunc(list, func(p ptx.LinkPart) bool { return p.File == t.name }) {
		t.name += "+"
	}
	return loadText(l.Text, list[0].File, t)
}

// linkedText translates positions in the text of linked modules to positions in the modules. A
// position is translated once: its file is the sign that it is one of the linked text.
type linkedText struct {
	*ptx.Linked
	name  string // the file of the linked text, which no module has
	first string // the file of the first module
}

// lineNumber matches the mention of a line in a message.
var lineNumber = regexp.MustCompile(`\bline (\d+)\b`)

// at translates a position.
func (t *linkedText) at(p diag.Pos) diag.Pos {
	switch {
	case p.File != t.name:
	case p.Line == 0:
		p.File = t.first
	default:
		p.File, p.Line, p.Col = t.Source(p.Line, p.Col)
	}
	return p
}

// translate makes diagnostics name the files of the modules, with their lines and names.
func (t *linkedText) translate(list diag.List) {
	if t == nil {
		return
	}
	for _, d := range list {
		if d.Pos.File == t.name {
			d.Pos, d.Source = t.at(d.Pos), t.Original(d.Source)
			d.Message = lineNumber.ReplaceAllStringFunc(d.Message, func(s string) string { return t.lineText(s, d.Pos.File) })
		}
		d.Same, d.Related, d.Fixes = slices.Clone(d.Same), slices.Clone(d.Related), slices.Clone(d.Fixes)
		for i := range d.Same {
			d.Same[i] = t.at(d.Same[i])
		}
		for i := range d.Related {
			if r := &d.Related[i]; r.Pos.File == t.name {
				r.Pos, r.Source = t.at(r.Pos), t.Original(r.Source)
			}
		}
		for i := range d.Fixes {
			f := &d.Fixes[i]
			f.Edits = slices.Clone(f.Edits)
			for j := range f.Edits {
				if e := &f.Edits[j]; e.Pos.File == t.name {
					e.Pos, e.Old, e.New = t.at(e.Pos), t.Original(e.Old), t.Original(e.New)
				}
			}
		}
	}
}

// lineText translates "line 12" in a message about a file.
func (t *linkedText) lineText(s, of string) string {
	n, _ := strconv.Atoi(strings.TrimPrefix(s, "line "))
	file, line, _ := t.Source(n, 0)
	if file == of || file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("line %d of %s", line, file)
}

// profile makes the lines of a profile those of the modules.
func (t *linkedText) profile(p *api.Profile) {
	if t == nil {
		return
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.File == t.name && l.Line > 0 {
			l.File, l.Line, _ = t.Source(l.Line, 0)
			l.Text = t.Original(l.Text)
		}
	}
	slices.SortStableFunc(p.Lines, func(a, b api.ProfileLine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

// Translate makes diagnostics about the text of linked modules name the files of the modules, with
// their lines. For other modules it changes nothing.
func (m *Module) Translate(list diag.List) { m.linked.translate(list) }

// SourceLine returns the file and the line that a line of the loaded text comes from. They differ
// from it if modules were linked.
func (m *Module) SourceLine(line int) (file string, n int) {
	if m.linked == nil || line == 0 {
		return m.file, line
	}
	file, n, _ = m.linked.Source(line, 0)
	return file, n
}

// Original returns a text that quotes the loaded text with the names of the files: linking renames
// local names that collide.
func (m *Module) Original(text string) string {
	if m.linked == nil {
		return text
	}
	return m.linked.Original(text)
}
