package matrix

import (
	"fmt"
	"slices"
	"strings"
)

// Formulas returns row and column of element i of a lane as arithmetic of lane and i: "lane/4 +
// 8*(i/2%2)".
func (l *Layout) Formulas() (row, col string) {
	return l.formula(func(s step) int { return s.row }), l.formula(func(s step) int { return s.col })
}

// MatrixFormula returns the index among several matrices as arithmetic.
func (l *Layout) MatrixFormula() string { return l.formula(func(s step) int { return s.block }) }

// formula writes the sum of the steps of all bits.
func (l *Layout) formula(part func(step) int) string {
	var terms []string
	run := func(name string, steps []step) {
		for b := 0; b < len(steps); b++ {
			n := part(steps[b])
			if n == 0 {
				continue
			}
			// Adjacent bits whose steps double form one number.
			end := b + 1
			for end < len(steps) && part(steps[end]) == n<<(end-b) {
				end++
			}
			s := name
			if b > 0 {
				s += fmt.Sprintf("/%d", 1<<b)
			}
			if end < len(steps) {
				s += fmt.Sprintf("%%%d", 1<<(end-b))
			}
			if n > 1 {
				if s != name {
					s = "(" + s + ")"
				}
				s = fmt.Sprintf("%d*%s", n, s)
			}
			terms = append(terms, s)
			b = end - 1
		}
	}
	name := "lane"
	if l.Threads() > 32 {
		name = "thread"
	}
	run(name, l.lane)
	run("i", l.elem)
	if terms == nil {
		return "0"
	}
	return strings.Join(terms, " + ")
}

// A TableRow is one line of the table of layouts.
type TableRow struct {
	Shape, Matrix, Elems string
	Layout               *Layout // layout of the first type
	Regs                 string  // number of registers, by type if they differ: "2 4"
}

// Table returns the layouts, in the manual's order.
func Table() (t []TableRow) {
	for i := range layoutRows {
		r := &layoutRows[i]
		elems := strings.ReplaceAll(r.elems, "e2m1p", "e2m1 (packed)")
		row := TableRow{Shape: r.shape, Matrix: r.matrix, Elems: elems}
		var regs []string
		for _, name := range strings.Fields(r.elems) {
			l := r.compile(elemNamed(name))
			if row.Layout == nil {
				row.Layout = l
			}
			regs = append(regs, fmt.Sprint(l.Regs()))
		}
		row.Regs = regs[0]
		if len(slices.Compact(slices.Clone(regs))) > 1 {
			row.Regs = strings.Join(regs, " ")
		}
		t = append(t, row)
	}
	return t
}
