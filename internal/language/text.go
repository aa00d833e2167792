package language

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A Position is a place between two characters. Both numbers are 0-based; Character counts units of
// UTF-16, as editors do.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is the text between two positions.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A TextEdit replaces the text of a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// A textIndex is a text with the offsets of its lines.
type textIndex struct {
	text string
	// lines are the offsets of lines as editors count them: a line ends with \n, \r\n or \r.
	lines []int
	// feeds are the offsets of lines as diagnostics count them: a line ends with \n.
	feeds []int
}

func newTextIndex(text string) textIndex {
	x := textIndex{text: text, feeds: make([]int, 1, strings.Count(text, "\n")+1)}
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		x.feeds = append(x.feeds, i+1)
	}
	if strings.IndexByte(text, '\r') < 0 {
		x.lines = x.feeds
		return x
	}
	x.lines = make([]int, 1, len(x.feeds))
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			x.lines = append(x.lines, i+1)
		}
	}
	return x
}

// position returns the position of a byte offset.
func (x *textIndex) position(off int) Position {
	off = min(max(off, 0), len(x.text))
	line := sort.SearchInts(x.lines, off+1) - 1
	return Position{line, units(x.text[x.lines[line]:off])}
}

// between returns the range between two byte offsets.
func (x *textIndex) between(from, to int) Range { return Range{x.position(from), x.position(to)} }

// units counts the units of UTF-16 of a text.
func units(s string) (n int) {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i, n = i+1, n+1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n++
		if r > 0xffff {
			n++
		}
		i += size
	}
	return n
}

// offset returns the byte offset of a position. A position outside the text becomes the nearest one
// inside.
func (x *textIndex) offset(p Position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(x.lines) {
		return len(x.text)
	}
	from, to := x.lines[p.Line], x.lineEnd(p.Line)
	n := 0
	for i := from; i < to; {
		if n >= p.Character {
			return i
		}
		r, size := utf8.DecodeRuneInString(x.text[i:to])
		n++
		if r > 0xffff {
			n++
		}
		if n > p.Character { // between the halves of a pair
			return i
		}
		i += size
	}
	return to
}

// lineEnd returns the offset of the end of a line, before the characters that end it.
func (x *textIndex) lineEnd(line int) int {
	to := len(x.text)
	if line+1 < len(x.lines) {
		to = x.lines[line+1]
	}
	return x.lines[line] + len(strings.TrimRight(x.text[x.lines[line]:to], "\r\n"))
}

// byteAt returns the offset of a line and a column of a diagnostic; both are 1-based, the column
// counts bytes.
func (x *textIndex) byteAt(line, col int) int {
	if line < 1 {
		return 0
	}
	if line > len(x.feeds) {
		return len(x.text)
	}
	from, to := x.feeds[line-1], len(x.text)
	if line < len(x.feeds) {
		to = x.feeds[line] - 1
	}
	return min(from+max(col-1, 0), to)
}

// lineOf returns the 0-based line, as editors count, of an offset.
func (x *textIndex) lineOf(off int) int { return sort.SearchInts(x.lines, off+1) - 1 }

// Apply returns the text after a change of a range; nil stands for the whole text.
func Apply(text string, at *Range, with string) string {
	if at == nil {
		return with
	}
	x := newTextIndex(text)
	from, to := x.offset(at.Start), x.offset(at.End)
	if to < from {
		from, to = to, from
	}
	return text[:from] + with + text[to:]
}
