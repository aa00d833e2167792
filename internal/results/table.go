package results

import (
	"bufio"
	"fmt"
	"strconv"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// width is the number of columns that text output keeps to.
const width = 80

// maxRows is the number of rows of a buffer that are shown unasked.
const maxRows = 16

// A Table prints elements in rows that carry their index.
type Table struct {
	Type  value.Type
	Shape []int // one dimension or two
	Cell  func(i int) string
	Full  bool   // all of it
	More  string // how to see the rest
}

// Write prints the table.
func (t Table) Write(w *bufio.Writer) {
	if len(t.Shape) == 2 {
		t.writeGrid(w)
		return
	}
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	t.writeLine(w, n)
}

// writeLine prints one dimension: a power of two of elements a row, at most 16.
func (t Table) writeLine(w *bufio.Writer, n int) {
	label := len(strconv.Itoa(max(n-1, 0))) + 4 // two blanks, [N]
	per, cells := 16, 0
	for ; ; per /= 2 {
		cells = t.widest(t.shownOf(n, per))
		if per == 1 || label+per*(cells+1) <= width {
			break
		}
	}
	for _, r := range t.shownOf(n, per) {
		if r.skip {
			t.elided(w, r.to-r.from)
			continue
		}
		for i := r.from; i < r.to; i += per {
			fmt.Fprintf(w, "%*s", label, "["+strconv.Itoa(i)+"]")
			for k := i; k < min(i+per, r.to); k++ {
				fmt.Fprintf(w, " %*s", cells, t.Cell(k))
			}
			w.WriteByte('\n')
		}
	}
}

// span is a range of elements; skip: left out.
type elemRange struct {
	from, to int
	skip     bool
}

// shownOf lists the elements that are shown when a row has per of them: all, or the first rows and
// the last two.
func (t Table) shownOf(n, per int) []elemRange {
	rows := (n + per - 1) / per
	if t.Full || rows <= maxRows {
		return []elemRange{{0, n, false}}
	}
	head, tail := (maxRows-4)*per, (rows-2)*per
	return []elemRange{{0, head, false}, {head, tail, true}, {tail, n, false}}
}

func (t Table) widest(spans []elemRange) int {
	w := 1
	for _, s := range spans {
		for i := s.from; i < s.to && !s.skip; i++ {
			w = max(w, len(t.Cell(i)))
		}
	}
	return w
}

func (t Table) elided(w *bufio.Writer, n int) {
	fmt.Fprintf(w, "  ... %s more; %s ...\n", diag.Count(n, "element"), t.More)
}

// writeGrid prints two dimensions, a line per row where that fits the width.
func (t Table) writeGrid(w *bufio.Writer) {
	rows, cols := t.Shape[0], t.Shape[1]
	rowSpans := t.shownOf(rows, 1)
	label := len(strconv.Itoa(rows-1)) + len(strconv.Itoa(cols-1)) + 5
	// The widest cell decides how many columns fit; try all of them first.
	colSpans := []elemRange{{0, cols, false}}
	most := width / 2
	if cols > most && !t.Full {
		colSpans = splitColumns(cols, most)
	}
	cells := t.widestGrid(rowSpans, colSpans)
	fit := max((width-label)/(cells+1), 1)
	if cols > fit && !t.Full {
		fit = max((width-label-4)/(cells+1), 2)
		colSpans = splitColumns(cols, fit)
	}
	for _, rs := range rowSpans {
		if rs.skip {
			fmt.Fprintf(w, "  ... %s more; %s ...\n", diag.Count(rs.to-rs.from, "row"), t.More)
			continue
		}
		for r := rs.from; r < rs.to; r++ {
			t.writeRow(w, r, colSpans, label, cells, fit)
		}
	}
	if len(colSpans) > 1 {
		fmt.Fprintf(w, "  ... of each row %s more; %s ...\n", diag.Count(colSpans[1].to-colSpans[1].from, "element"), t.More)
	}
}

// splitColumns keeps the first columns and the last one.
func splitColumns(cols, fit int) []elemRange {
	head := max(fit-1, 1)
	if head+1 >= cols {
		return []elemRange{{0, cols, false}}
	}
	return []elemRange{{0, head, false}, {head, cols - 1, true}, {cols - 1, cols, false}}
}

func (t Table) writeRow(w *bufio.Writer, r int, spans []elemRange, label, cells, fit int) {
	cols := t.Shape[1]
	start := func(c int) { fmt.Fprintf(w, "%*s", label, fmt.Sprintf("[%d,%d]", r, c)) }
	start(0)
	inLine := 0
	for _, s := range spans {
		if s.skip {
			w.WriteString(" ...")
			continue
		}
		for c := s.from; c < s.to; c++ {
			if len(spans) == 1 && inLine == fit {
				w.WriteByte('\n')
				start(c)
				inLine = 0
			}
			fmt.Fprintf(w, " %*s", cells, t.Cell(r*cols+c))
			inLine++
		}
	}
	w.WriteByte('\n')
}

func (t Table) widestGrid(rows, cols []elemRange) int {
	w := 1
	for _, rs := range rows {
		for r := rs.from; r < rs.to && !rs.skip; r++ {
			for _, cs := range cols {
				for c := cs.from; c < cs.to && !cs.skip; c++ {
					w = max(w, len(t.Cell(r*t.Shape[1]+c)))
				}
			}
		}
	}
	return w
}
