package ptx

import (
	"cmp"
	"slices"
	"strings"
)

// Linked is the result of Link.
type Linked struct {
	Text    string // PTX text for Load
	pieces  []linkedPiece
	head    []headLine
	shifts  []columnShift
	restore map[string]string
	discard string
}

// A linkedPiece is the text of one module in the result.
type linkedPiece struct {
	file  string
	first int // its first line in the result
}

// A columnShift is an edit that changes the columns after it in its line.
type columnShift struct {
	line, col int // in the result, from 1 on
	length    int // of the new text, bytes
	from      int // column in the module
	old       int // length of the old text, bytes
}

// write makes the result from the edits.
func (l *linker) write(head string) *Linked {
	out := &Linked{head: l.headAt, restore: l.restore, discard: l.discard}
	var b strings.Builder
	size := len(head)
	for _, in := range l.inputs {
		size += len(in.text) + 1
	}
	b.Grow(size)
	b.WriteString(head)
	line := 1 + strings.Count(head, "\n")
	for _, in := range l.inputs {
		out.pieces = append(out.pieces, linkedPiece{in.file, line})
		line = out.piece(&b, in, line)
		if len(l.inputs) > 1 {
			b.WriteByte('\n')
		}
		line++
	}
	out.Text = b.String()
	return out
}

// piece writes the text of a module, which begins in a line of the result, and returns its last
// line.
func (out *Linked) piece(b *strings.Builder, in *linkInput, line int) int {
	at := int32(0)
	inLine, outLine := int32(0), b.Len() // offsets of the current line's first byte
	copied := func(end int32, blank bool) {
		if end <= at {
			return
		}
		s := in.text[at:end]
		if i := strings.LastIndexByte(s, '\n'); i >= 0 {
			line += strings.Count(s, "\n")
			inLine, outLine = at+int32(i)+1, b.Len()+i+1
		}
		if blank {
			s = blanks(s)
		}
		b.WriteString(s)
		at = end
	}
	for _, e := range in.edits {
		copied(e.off, false)
		if e.blank {
			copied(e.end, true)
			continue
		}
		out.shifts = append(out.shifts, columnShift{
			line: line, col: b.Len() - outLine + 1, length: len(e.text),
			from: int(e.off-inLine) + 1, old: int(e.end - e.off),
		})
		b.WriteString(e.text)
		at = max(at, e.end)
	}
	copied(int32(len(in.text)), false)
	return line
}

// blanks returns a text of which only the line ends remain.
func blanks(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = ' '
		}
	}
	return string(out)
}

// Source returns the file, the line and the column from which a line and a column of Text come, all
// counted from 1, columns in bytes. Column 0 stays 0. A line of the head, such as .target, comes from
// the module that decided it. If Text has no such line, file is "".
func (l *Linked) Source(line, col int) (file string, fromLine, fromCol int) {
	if line >= 1 && line <= len(l.head) {
		h := l.head[line-1]
		return h.file, int(h.pos.Line), int(h.pos.Col)
	}
	i, found := slices.BinarySearchFunc(l.pieces, line, func(p linkedPiece, line int) int { return cmp.Compare(p.first, line) })
	if !found {
		i--
	}
	if i < 0 {
		return "", 0, 0
	}
	fromCol = col
	n, found := slices.BinarySearchFunc(l.shifts, columnShift{line: line, col: col}, func(a, b columnShift) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
	})
	for found && n+1 < len(l.shifts) && l.shifts[n+1].line == line && l.shifts[n+1].col == col {
		n++
	}
	if !found {
		n--
	}
	if n >= 0 && l.shifts[n].line == line && col > 0 {
		s := l.shifts[n]
		if past := col - s.col - s.length; past >= 0 {
			fromCol = s.from + s.old + past
		} else {
			fromCol = s.from + min(col-s.col, max(s.old-1, 0))
		}
	}
	return l.pieces[i].file, line - l.pieces[i].first + 1, fromCol
}

// Original returns a text that quotes Text with the names that the modules have: it takes back the
// new names of local symbols.
func (l *Linked) Original(text string) string {
	if !strings.Contains(text, "$") || len(l.restore) == 0 && l.discard == "" {
		return text
	}
	if l.discard != "" {
		text = strings.ReplaceAll(text, "("+l.discard+"), ", "")
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		start := i
		if charClass[text[i]]&(cIdent|cStart) == 0 {
			for i++; i < len(text) && charClass[text[i]]&(cIdent|cStart) == 0; i++ {
			}
			b.WriteString(text[start:i])
			continue
		}
		i = nameEnd(text, i)
		name := text[start:i]
		if old, ok := l.restore[name]; ok {
			name = old
		} else if prefix := strings.TrimRight(name, "0123456789"); prefix != "" {
			if old, ok := l.restore[prefix+"<"]; ok {
				name = old + name[len(prefix):]
			}
		}
		b.WriteString(name)
	}
	return b.String()
}
