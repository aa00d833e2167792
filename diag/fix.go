package diag

import (
	"fmt"
	"strings"
)

// A Fix is a proposal: changes of the text that together fix the problem that a diagnostic reports,
// if Message matches the author's intention. They are made only on request.
type Fix struct {
	Message string // the effect of the changes, and their purpose if that is not certain
	Edits   []Edit // in the order of the text, none within another
}

// An Edit is a change within one line: Old, which begins at Pos, becomes New.
type Edit struct {
	Pos Pos    // with file, line and column
	Old string // without line ends; "" inserts New before Pos
	New string // may hold line ends
}

// String describes the edit.
func (e Edit) String() string {
	shown := strings.TrimSpace(e.New)
	switch {
	case e.Old == "":
		return fmt.Sprintf("line %d: insert %s", e.Pos.Line, shown)
	case e.New == "":
		return fmt.Sprintf("line %d: take out %s", e.Pos.Line, strings.TrimSpace(e.Old))
	}
	return fmt.Sprintf("line %d: %s instead of %s", e.Pos.Line, shown, strings.TrimSpace(e.Old))
}

// String describes a fix, in one line.
func (f Fix) String() string {
	var s []string
	for _, e := range f.Edits {
		s = append(s, e.String())
	}
	return f.Message + " (" + strings.Join(s, "; ") + ")"
}

// line is the line that the fix makes, if it changes one and that is known.
func (f Fix) line(o TextOptions) (string, bool) {
	if o.Line == nil || len(f.Edits) == 0 {
		return "", false
	}
	at := f.Edits[0].Pos
	text, ok := o.Line(at.File, at.Line)
	if !ok || len(text) > maxSource {
		return "", false
	}
	one := Fix{Edits: make([]Edit, len(f.Edits))}
	for i, e := range f.Edits {
		if e.Pos.File != at.File || e.Pos.Line != at.Line || strings.Contains(e.New, "\n") {
			return "", false
		}
		e.Pos.Line = 1
		one.Edits[i] = e
	}
	return one.Apply(text)
}

// Apply makes the edits in a text. If one of them does not fit, ok is false and the text unchanged:
// its place does not exist or holds another text, or two edits overlap.
func (f Fix) Apply(text string) (mended string, ok bool) {
	var starts []int // the offsets of lines
	for at := 0; ; {
		starts = append(starts, at)
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	var b strings.Builder
	done := 0
	for _, e := range f.Edits {
		if e.Pos.Line < 1 || e.Pos.Line > len(starts) || e.Pos.Col < 1 {
			return text, false
		}
		at := starts[e.Pos.Line-1] + e.Pos.Col - 1
		if at < done || at > len(text) || !strings.HasPrefix(text[at:], e.Old) || strings.Contains(text[starts[e.Pos.Line-1]:at], "\n") {
			return text, false
		}
		b.WriteString(text[done:at] + e.New)
		done = at + len(e.Old)
	}
	return b.String() + text[done:], true
}
