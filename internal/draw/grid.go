package draw

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"
)

// Grid is a picture of matrices whose elements are in the registers of lanes: one table for each
// matrix.
type Grid struct {
	Title    string
	Subtitle []string
	Parts    []GridPart
}

// GridPart is one matrix, divided into cells; one register of one lane holds a cell.
type GridPart struct {
	Title string
	Rows  []string // names of the rows: "0", "2-3"
	Cols  []string
	Cells [][]GridCell // by row and column
}

// GridCell is one cell. Cells of equal Key have the same colour, which only distinguishes
// registers.
type GridCell struct {
	Text string
	Say  string // tooltip
	Key  int
}

// Text draws the grid as text of at most 80 columns. A table that is too wide is split into blocks
// of columns.
func (g *Grid) Text() string {
	var b strings.Builder
	header(&b, g.Title, g.Subtitle)
	for i := range g.Parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		g.Parts[i].text(&b)
	}
	return b.String()
}

// text writes one matrix.
func (p *GridPart) text(b *strings.Builder) {
	paragraph(b, "  ", "    ", p.Title)
	name, width := 0, 0
	for _, r := range p.Rows {
		name = max(name, utf8.RuneCountInString(r))
	}
	for _, c := range p.Cols {
		width = max(width, utf8.RuneCountInString(c))
	}
	for _, row := range p.Cells {
		for _, c := range row {
			width = max(width, utf8.RuneCountInString(c.Text))
		}
	}
	width++
	per := max((columns-4-name)/width, 1)
	for per < len(p.Cols) && per&(per-1) != 0 {
		per &= per - 1 // round down to a power of two
	}
	for first := 0; first < len(p.Cols); first += per {
		last := min(first+per, len(p.Cols))
		if first > 0 {
			b.WriteByte('\n')
		}
		line := func(name0 string, cell func(i int) string) {
			s := fmt.Sprintf("    %*s", name, name0)
			for i := first; i < last; i++ {
				s += fmt.Sprintf("%*s", width, cell(i))
			}
			b.WriteString(strings.TrimRight(s, " ") + "\n")
		}
		line("", func(i int) string { return p.Cols[i] })
		for r, row := range p.Cells {
			line(p.Rows[r], func(i int) string { return row[i].Text })
		}
	}
}

// gridFill colours the cells by register.
var gridFill = [8]string{"#dcebfa", "#fdeacc", "#dff2e3", "#f3e2f5", "#fff7c2", "#fbdfdc", "#dff3f6", "#ebe9e2"}

// SVG draws the grid as a picture.
func (g *Grid) SVG() []byte {
	h := fnv.New32a()
	fmt.Fprintf(h, "%+v", *g)
	c := &canvas{id: fmt.Sprintf("g%08x", h.Sum32())}
	y := c.heading(g.Title, g.Subtitle)
	const left, cellHigh = 84, 22
	for i := range g.Parts {
		p := &g.Parts[i]
		for _, l := range wrap(p.Title, "    ", 120) {
			y += 18
			c.text(20, y, "r", l)
		}
		y += 20
		w := min(float64(svgWidth-left-svgRight)/float64(max(len(p.Cols), 1)), 92)
		for j, n := range p.Cols {
			c.fit(left+(float64(j)+0.5)*w, y, w, "t", n)
		}
		y += 6
		for r, row := range p.Cells {
			c.text(left-8, y+15, "e", p.Rows[r])
			for j, cell := range row {
				x := left + float64(j)*w
				c.f(`<g><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" stroke="#9aa2aa" stroke-width="0.8"/>`, esc(cell.Say), x, y, w, cellHigh, gridFill[cell.Key&7])
				c.fit(x+w/2, y+15, w, "v", cell.Text)
				c.f(`</g>`)
			}
			y += cellHigh
		}
		y += 16
	}
	return c.finish(y+10, g.Title, strings.Join(g.Subtitle, "; "))
}
