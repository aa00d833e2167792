package draw

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/crosslane/lane"
)

const (
	columns = 80 // width of a text picture
	margin  = 8  // columns for the name of a line
)

// table lays out lines of one cell per lane, a block for each row of lanes.
type table struct {
	lanes int
	lines []tableLine
}

type tableLine struct {
	name string
	cell [64]string
}

// add adds a line, unless all its cells are empty.
func (t *table) add(name string, cell func(i int) string) {
	l := tableLine{name: name}
	used := false
	for i := range t.lanes {
		// A cell that is too long for four in a line is truncated.
		l.cell[i] = clip(strings.Map(printable, cell(i)), (columns-margin-3)/4-1)
		used = used || l.cell[i] != ""
	}
	if used {
		t.lines = append(t.lines, l)
	}
}

// write prints the table: 16 lanes side by side if they fit, else 8, else 4,
// with a gap between banks of four.
func (t *table) write(b *strings.Builder) {
	width := 3
	for _, l := range t.lines {
		for _, c := range l.cell {
			width = max(width, utf8.RuneCountInString(c))
		}
	}
	width++
	per := rowLanes
	for per > 4 && margin+per*width+per/4-1 > columns {
		per /= 2
	}
	for first := 0; first < t.lanes; first += per {
		if first > 0 {
			b.WriteByte('\n')
		}
		for _, l := range t.lines {
			if strings.Join(l.cell[first:min(first+per, t.lanes)], "") == "" {
				continue // these lanes have no values in this line
			}
			row := l.name + strings.Repeat(" ", max(margin-1-len(l.name), 0))
			for i := first; i < min(first+per, t.lanes); i++ {
				if i%4 == 0 && i > first {
					row += " "
				}
				row += strings.Repeat(" ", width-utf8.RuneCountInString(l.cell[i])) + l.cell[i]
			}
			b.WriteString(strings.TrimRight(row, " "))
			b.WriteByte('\n')
		}
	}
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "~"
}

func paragraph(b *strings.Builder, first, indent, text string) {
	for _, l := range wrap(first+text, indent, columns) {
		b.WriteString(l)
		b.WriteByte('\n')
	}
}

// Text draws a map as text: for every lane, the lane that it reads ("reads"), and the distance to
// it ("step"). No line is longer than 80 columns.
func Text(m *lane.Map, o Options) string {
	s := newScene(m, &o)
	var b strings.Builder
	header(&b, o.Title, o.Subtitle)

	t := table{lanes: s.lanes}
	t.add("lane", strconv.Itoa)
	t.add("source", func(i int) string {
		if o.Lost.Has(i) {
			return at(o.Before, i) + "*"
		}
		return at(o.Before, i)
	})
	t.add("reads", s.readsCell)
	t.add("step", func(i int) string {
		if d := s.src[i] - i; s.src[i] >= 0 && d != 0 {
			return plus(d)
		}
		return ""
	})
	t.add("result", func(i int) string { return at(o.After, i) })
	if o.HasPred {
		t.add("p", func(i int) string {
			switch {
			case o.Inactive.Has(i):
				return "."
			case o.Pred.Has(i):
				return "1"
			}
			return "0"
		})
	}
	t.write(&b)

	b.WriteByte('\n')
	for _, line := range s.summary() {
		paragraph(&b, "  ", "    ", line)
	}
	var legend []string
	for k := zeroed; k <= unknown; k++ {
		if s.seen[k] {
			legend = append(legend, kindInfo[k].sign+" "+kindInfo[k].legend)
		}
	}
	if o.Lost != 0 {
		legend = append(legend, "* data arrives nowhere")
	}
	if legend != nil {
		paragraph(&b, "  ", "  ", strings.Join(legend, "   "))
	}
	return b.String()
}

// header writes the title and the subtitle.
func header(b *strings.Builder, title string, subtitle []string) {
	if title != "" {
		paragraph(b, "", "    ", title)
	}
	for _, l := range subtitle {
		paragraph(b, "  ", "    ", l)
	}
	if title != "" || len(subtitle) > 0 {
		b.WriteByte('\n')
	}
}

func (s *scene) readsCell(i int) string {
	sign := kindInfo[s.kind[i]].sign
	if s.src[i] >= 0 {
		return strconv.Itoa(s.src[i]) + sign
	}
	return sign
}

func plus(d int) string {
	if d > 0 {
		return "+" + strconv.Itoa(d)
	}
	return strconv.Itoa(d)
}
