package cli

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// width is the number of columns that text output keeps to.
const width = 80

// maxRows is the number of rows of a buffer that are shown unasked.
const maxRows = 16

// table prints elements in rows that carry their index.
type table struct {
	typ   value.Type
	shape []int
	cell  func(i int) string
	full  bool   // all of it
	more  string // how to see the rest
}

func (t table) write(w *bufio.Writer) {
	if len(t.shape) == 2 {
		t.writeGrid(w)
		return
	}
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	t.writeLine(w, n)
}

// writeLine prints one dimension: a power of two of elements a row, at most 16.
func (t table) writeLine(w *bufio.Writer, n int) {
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
				fmt.Fprintf(w, " %*s", cells, t.cell(k))
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
func (t table) shownOf(n, per int) []elemRange {
	rows := (n + per - 1) / per
	if t.full || rows <= maxRows {
		return []elemRange{{0, n, false}}
	}
	head, tail := (maxRows-4)*per, (rows-2)*per
	return []elemRange{{0, head, false}, {head, tail, true}, {tail, n, false}}
}

func (t table) widest(spans []elemRange) int {
	w := 1
	for _, s := range spans {
		for i := s.from; i < s.to && !s.skip; i++ {
			w = max(w, len(t.cell(i)))
		}
	}
	return w
}

func (t table) elided(w *bufio.Writer, n int) {
	fmt.Fprintf(w, "  ... %s more; %s ...\n", diag.Count(n, "element"), t.more)
}

// writeGrid prints two dimensions, a line per row where that fits the width.
func (t table) writeGrid(w *bufio.Writer) {
	rows, cols := t.shape[0], t.shape[1]
	rowSpans := t.shownOf(rows, 1)
	label := len(strconv.Itoa(rows-1)) + len(strconv.Itoa(cols-1)) + 5
	// The widest cell decides how many columns fit; try all of them first.
	colSpans := []elemRange{{0, cols, false}}
	most := width / 2
	if cols > most && !t.full {
		colSpans = splitColumns(cols, most)
	}
	cells := t.widestGrid(rowSpans, colSpans)
	fit := max((width-label)/(cells+1), 1)
	if cols > fit && !t.full {
		fit = max((width-label-4)/(cells+1), 2)
		colSpans = splitColumns(cols, fit)
	}
	for _, rs := range rowSpans {
		if rs.skip {
			fmt.Fprintf(w, "  ... %s more; %s ...\n", diag.Count(rs.to-rs.from, "row"), t.more)
			continue
		}
		for r := rs.from; r < rs.to; r++ {
			t.writeRow(w, r, colSpans, label, cells, fit)
		}
	}
	if len(colSpans) > 1 {
		fmt.Fprintf(w, "  ... of each row %s more; %s ...\n", diag.Count(colSpans[1].to-colSpans[1].from, "element"), t.more)
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

func (t table) writeRow(w *bufio.Writer, r int, spans []elemRange, label, cells, fit int) {
	cols := t.shape[1]
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
			fmt.Fprintf(w, " %*s", cells, t.cell(r*cols+c))
			inLine++
		}
	}
	w.WriteByte('\n')
}

func (t table) widestGrid(rows, cols []elemRange) int {
	w := 1
	for _, rs := range rows {
		for r := rs.from; r < rs.to && !rs.skip; r++ {
			for _, cs := range cols {
				for c := cs.from; c < cs.to && !cs.skip; c++ {
					w = max(w, len(t.cell(r*t.shape[1]+c)))
				}
			}
		}
	}
	return w
}

func joinInts(v []int, sep string) string {
	s := make([]string, len(v))
	for i, n := range v {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, sep)
}
